import Foundation
import Testing

@testable import ParlorStore

@Suite struct MatchStoreTests {
    private let folder: TemporaryFolder
    private var path: String { "\(folder.path)/\(MatchStore.name)" }

    init() throws { folder = try TemporaryFolder() }

    private func open(_ options: MatchStore.Options = MatchStore.Options()) throws -> TestStore {
        try TestStore(folder.path, options)
    }

    // MARK: What is kept

    @Test func `a match grows, is taken back in part, and is there after a restart`() throws {
        let store = try open()
        let one = row(1, started: 5)
        #expect(store.ask(.begin(one)) == .done)
        #expect(store.ask(.entries(match: one.id, from: 0, [[1], [], [3, 3]])) == .done)
        #expect(store.ask(.entries(match: one.id, from: 1, [[9]])) == .done)
        #expect(store.ask(.entries(match: one.id, from: 2, [[10]])) == .done)
        #expect(store.ask(.accepted(match: one.id, 3)) == .done)
        // What takes another's place has not been accepted.
        #expect(store.ask(.entries(match: one.id, from: 2, [[10]])) == .done)
        #expect(store.ask(.promise(match: one.id, epoch: 7)) == .done)
        #expect(store.ask(.describe(match: one.id, state: "ended", ended: 66, summary: [4])) == .done)
        store.store.close()

        let again = try open()
        var wanted = one
        (wanted.accepted, wanted.promised, wanted.entries) = (2, 7, 3)
        (wanted.state, wanted.ended, wanted.summary) = ("ended", 66, [4])
        #expect(try again.load(one.id) == StoredMatch(row: wanted, entries: [[1], [9], [10]]))
        #expect(try again.list() == [wanted])
        #expect(try again.load([2]) == nil)
        #expect(again.heard.messages.isEmpty)
        #expect(try mode(of: path) == 0o600)
    }

    @Test func `a match that is begun again stays as it is`() throws {
        let store = try open()
        store.keep(row(1), bytes: 3)
        store.ask(.begin(row(1, started: 99, game: "hangman")))
        #expect(try store.load(row(1).id)?.row.game == "snap")
        #expect(try store.load(row(1).id)?.entries.count == 1)
    }

    @Test func `records take each other's place, and their match is noted with them`() throws {
        let store = try open()
        store.keep(row(1), ended: 40)
        store.keep(row(2), ended: 50)
        store.keep(row(3))
        func unscored() throws -> [UInt8] {
            try store.list(MatchFilter(isUnscored: true)).map { $0.id[0] }.sorted()
        }
        #expect(try unscored() == [1, 2])
        let score = RecordRow(kind: .score, place: [1, 2], bytes: [3])
        let better = RecordRow(kind: .score, place: [1, 2], bytes: [4])
        let other = RecordRow(kind: .achievement, place: [1, 2], bytes: [5])
        #expect(store.ask(.keep([score, other], scored: row(1).id)) == .done)
        #expect(try unscored() == [2])
        #expect(store.ask(.keep([better], scored: nil)) == .done)
        #expect(store.ask(.records) == .records([better, other]))
        // They outlast their match, and a restart.
        #expect(store.ask(.remove(match: row(1).id)) == .done)
        store.store.close()
        let again = try open()
        #expect(again.ask(.records) == .records([better, other]))
        #expect(again.ask(.keep([], scored: row(2).id)) == .done)
        #expect(try again.list(MatchFilter(isUnscored: true)).isEmpty)
    }

    @Test func `lists are newest first and can be narrowed`() throws {
        let store = try open()
        store.keep(row(1, started: 10))
        store.keep(row(2, started: 30, game: "hangman", state: "drawing"))
        store.keep(row(3, started: 20), ended: 40)
        func numbers(_ filter: MatchFilter) throws -> [UInt8] { try store.list(filter).map { $0.id[0] } }
        #expect(try numbers(MatchFilter()) == [2, 3, 1])
        #expect(try numbers(MatchFilter(isUnfinished: true)) == [2, 1])
        #expect(try numbers(MatchFilter(state: "playing")) == [1])
        #expect(try numbers(MatchFilter(game: "snap")) == [3, 1])
        #expect(try numbers(MatchFilter(state: "ended", game: "hangman")) == [])
        #expect(try numbers(MatchFilter(limit: 1)) == [2])
        #expect(store.ask(.remove(match: row(2).id)) == .done)
        #expect(try numbers(MatchFilter()) == [3, 1])
        guard case .failed = store.ask(.remove(match: row(2).id)) else {
            Issue.record("a match that is not there was removed")
            return
        }
    }

    @Test func `a gap in a log is refused alone, and said`() throws {
        let store = try open()
        store.ask(.begin(row(1)))
        // Asked for at once, so that they may well be in one transaction.
        let tickets = (0..<3).map { _ in store.heard.ticket() }
        store.store.ask(.entries(match: row(1).id, from: 0, [[1]]), ticket: tickets[0])
        store.store.ask(.entries(match: row(1).id, from: 2, [[3]]), ticket: tickets[1])
        store.store.ask(.entries(match: row(1).id, from: 1, [[2]]), ticket: tickets[2])
        #expect(store.heard.answer(tickets[0]) == .done)
        guard case .failed = store.heard.answer(tickets[1]) else {
            Issue.record("a log with a gap was kept")
            return
        }
        #expect(store.heard.answer(tickets[2]) == .done)
        #expect(try store.load(row(1).id)?.entries == [[1], [2]])
        #expect(store.heard.messages.count == 1)
        #expect(store.heard.allStates.last == .ready)
    }

    @Test func `what was answered is in the kernel: a copy of the open files has all of it`() throws {
        let store = try open()
        store.ask(.begin(row(1)))
        for index in 0..<200 {
            #expect(store.ask(.entries(match: row(1).id, from: index, [[UInt8(index)]])) == .done)
        }
        let copy = try TemporaryFolder()
        for end in ["", "-wal"] {
            try FileManager.default.copyItem(
                atPath: path + end, toPath: "\(copy.path)/\(MatchStore.name)\(end)")
        }
        let crashed = try TestStore(copy.path)
        #expect(try crashed.load(row(1).id)?.entries == (0..<200).map { [UInt8($0)] })
        #expect(crashed.heard.messages.isEmpty)
    }

    @Test func `closing answers all that was asked for, and keeps it`() throws {
        let store = try open()
        store.store.ask(.begin(row(1)), ticket: 1_000)
        for index in 0..<500 {
            store.store.ask(
                .entries(match: row(1).id, from: index, [[1, 2]]), ticket: UInt64(1_001 + index))
        }
        store.store.close()
        #expect(store.heard.answered == 501)
        #expect(try open().load(row(1).id)?.entries.count == 500)
    }

    @Test func `a write-ahead log that has grown is carried over into the file`() throws {
        let store = try open(MatchStore.Options(flushInterval: 1_000_000, logBytesMax: 1 << 16))
        store.ask(.begin(row(1)))
        let deadline = Date(timeIntervalSinceNow: 30)
        for index in 0..<20 {
            store.ask(.entries(match: row(1).id, from: index, [[UInt8](repeating: 1, count: 10_000)]))
        }
        // Reading gives the thread its turns; nothing more is written.
        var size = 200_000
        while size > 1 << 16, Date() < deadline {
            #expect(try store.list().count == 1)
            size = try AtomicFile.size("\(path)-wal")
        }
        #expect(size <= 1 << 16)
        #expect(try store.load(row(1).id)?.entries.count == 20)
    }

    // MARK: What goes

    @Test func `ended matches beyond the number go, oldest end first, and never one that runs`() throws {
        let store = try open(MatchStore.Options(endedMax: 2))
        store.keep(row(1, started: 1))
        store.keep(row(2, started: 9), ended: 10)
        store.keep(row(3, started: 2), ended: 30)
        store.keep(row(4, started: 3), ended: 20)
        #expect(try store.list().map { $0.id[0] } == [4, 3, 1])
        #expect(try store.load(row(2).id) == nil)
    }

    @Test func `ended matches beyond the size go, and what is taken back of a log counts no more`() throws {
        let store = try open(MatchStore.Options(endedBytesMax: 1_010))
        store.keep(row(1, started: 1), bytes: 5_000)
        store.keep(row(2, started: 2), ended: 10, bytes: 600)
        store.keep(row(3, started: 3), bytes: 5_000)
        store.ask(.entries(match: row(3).id, from: 0, [[UInt8](repeating: 0, count: 400)]))
        store.ask(.describe(match: row(3).id, state: "ended", ended: 20, summary: []))
        #expect(try store.list().map { $0.id[0] } == [3, 2, 1])
        store.keep(row(4, started: 4), ended: 30, bytes: 100)
        #expect(try store.list().map { $0.id[0] } == [4, 3, 1])
    }

    @Test func `what is too much is also removed at the start`() throws {
        let store = try open()
        for number in 1...3 { store.keep(row(UInt8(number), started: number), ended: number) }
        store.store.close()
        #expect(try open(MatchStore.Options(endedMax: 1)).list().map { $0.id[0] } == [3])
    }
}
