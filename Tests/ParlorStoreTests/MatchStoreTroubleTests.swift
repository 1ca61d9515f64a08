import Foundation
import Testing

@testable import ParlorStore

@Suite struct MatchStoreTroubleTests {
    private let folder: TemporaryFolder
    private var path: String { "\(folder.path)/\(MatchStore.name)" }

    init() throws { folder = try TemporaryFolder() }

    private func open(_ options: MatchStore.Options = MatchStore.Options()) throws -> TestStore {
        try TestStore(folder.path, options)
    }

    private func content(_ name: String = MatchStore.name) throws -> Data {
        try Data(contentsOf: URL(filePath: "\(folder.path)/\(name)"))
    }

    private func isFailed(_ reply: StoreReply?) -> Bool { if case .failed = reply { true } else { false } }

    // MARK: Versions

    @Test func `an older file is copied, then brought up to date`() throws {
        let old = try open()
        old.keep(row(1), bytes: 3)
        old.store.close()
        var newer = MatchSchema.current
        newer.steps.append("ALTER TABLE matches ADD COLUMN note TEXT; UPDATE matches SET room = 'moved'")

        let store = try open(MatchStore.Options(schema: newer))
        #expect(try store.load(row(1).id)?.row.room == "moved")
        let backup = "\(MatchStore.name).version-\(MatchSchema.current.version)"
        #expect(try folder.names.contains(backup))
        #expect(store.heard.messages.count == 1)
        #expect(store.heard.messages.first?.contains(backup) ?? false)
        store.store.close()
        // The next start migrates nothing and says nothing.
        let next = try open(MatchStore.Options(schema: newer))
        #expect(try next.load(row(1).id)?.entries == [[7, 7, 7]])
        #expect(next.heard.messages.isEmpty)
        next.store.close()
        // The copy is a whole file of the old version.
        let elsewhere = try TemporaryFolder()
        try FileManager.default.copyItem(
            atPath: "\(folder.path)/\(backup)", toPath: "\(elsewhere.path)/\(MatchStore.name)")
        let before = try TestStore(elsewhere.path)
        #expect(try before.load(row(1).id)?.row.room == "Küche")
        #expect(try before.load(row(1).id)?.entries == [[7, 7, 7]])
    }

    @Test func `a file without records gets them, and keeps its matches`() throws {
        var first = MatchSchema.current
        first.steps = Array(first.steps.prefix(1))
        let old = try open(MatchStore.Options(schema: first))
        _ = old.ask(.begin(row(1)))
        old.store.close()
        let store = try open()
        #expect(try store.list().map(\.room) == ["Küche"])
        #expect(store.ask(.records) == .records([]))
        #expect(try folder.names.contains("\(MatchStore.name).version-1"))
    }

    @Test func `a step that fails leaves the file as it was`() throws {
        let old = try open()
        old.keep(row(1), bytes: 3)
        old.store.close()
        var broken = MatchSchema.current
        broken.steps.append("UPDATE matches SET room = 'moved'; ALTER TABLE nothing ADD COLUMN note TEXT")
        let store = try open(MatchStore.Options(schema: broken))
        #expect(store.heard.wait(for: .memory))
        #expect(isFailed(store.ask(.begin(row(2)))))
        store.store.close()
        let next = try open()
        #expect(try next.list().map(\.room) == ["Küche"])
        #expect(next.heard.messages.isEmpty)
    }

    @Test func `a newer file is not touched`() throws {
        var newer = MatchSchema.current
        newer.steps.append("ALTER TABLE matches ADD COLUMN note TEXT")
        let new = try open(MatchStore.Options(schema: newer))
        new.keep(row(1), bytes: 3)
        new.store.close()
        let (before, names) = (try content(), try folder.names)

        let store = try open()
        #expect(isFailed(store.ask(.begin(row(2)))))
        #expect(isFailed(store.ask(.list(MatchFilter()))))
        #expect(store.heard.allStates == [.memory])
        #expect(store.heard.messages.count == 1)
        #expect(store.heard.messages.first?.contains("newer version") ?? false)
        store.store.close()
        #expect(try content() == before)
        #expect(try folder.names.filter { !$0.hasSuffix("-shm") && !$0.hasSuffix("-wal") } == names)
        #expect(try open(MatchStore.Options(schema: newer)).list().count == 1)
    }

    @Test func `another program's database is not touched`() throws {
        let database = try Database(path)
        try database.execute("CREATE TABLE recipes (name TEXT)")
        let store = try open()
        #expect(store.heard.wait(for: .memory))
        #expect(store.heard.messages.first?.contains("another program's") ?? false)
        #expect(try database.rows("SELECT name FROM sqlite_schema") == [[.text("recipes")]])
    }

    // MARK: Damage

    private func damage(_ change: (inout Data) -> Void) throws {
        var bytes = try content()
        change(&bytes)
        try bytes.write(to: URL(filePath: path))
    }

    private func expectSetAside(_ damaged: Data) throws {
        let store = try open()
        #expect(try store.list().isEmpty)
        #expect(store.ask(.begin(row(9))) == .done)
        let aside = try #require(try folder.names.first { $0.contains(".damaged-") })
        #expect(aside.wholeMatch(of: /matches\.db\.damaged-\d{8}-\d{6}/) != nil)
        #expect(try content(aside) == damaged)
        #expect(store.heard.messages.count == 1)
        #expect(store.heard.messages.first?.contains(aside) ?? false)
        #expect(store.heard.allStates == [.ready])
        store.store.close()
        #expect(try open().list().count == 1)
    }

    @Test func `a file with a page of zeros is set aside`() throws {
        let store = try open()
        for number in 1...9 { store.keep(row(UInt8(number)), bytes: 3_000) }
        store.store.close()
        try damage { $0.replaceSubrange(4_096..<8_192, with: Data(count: 4_096)) }
        try expectSetAside(try content())
    }

    @Test func `a file that was cut off is set aside`() throws {
        let store = try open()
        for number in 1...9 { store.keep(row(UInt8(number)), bytes: 3_000) }
        store.store.close()
        try damage { $0.removeLast($0.count / 2) }
        try expectSetAside(try content())
    }

    @Test func `a file that is no database is set aside`() throws {
        _ = try folder.write(
            "something else, and long enough for a header of one hundred bytes, which "
                + "it has to be to count as one", to: MatchStore.name)
        try expectSetAside(try content())
    }

    @Test func `the write-ahead log goes with a damaged file`() throws {
        let store = try open()
        for number in 1...9 { store.keep(row(UInt8(number)), bytes: 3_000) }
        store.store.close()
        let running = try open()
        running.ask(.accepted(match: row(1).id, 1))
        let copy = try TemporaryFolder()
        let log = try content("\(MatchStore.name)-wal")
        // The log covers the page of the table of matches only.
        var bytes = try content()
        bytes.replaceSubrange(8_192..., with: Data(count: bytes.count - 8_192))
        try bytes.write(to: URL(filePath: "\(copy.path)/\(MatchStore.name)"))
        try log.write(to: URL(filePath: "\(copy.path)/\(MatchStore.name)-wal"))

        let next = try TestStore(copy.path)
        #expect(try next.list().isEmpty)
        let aside = try #require(try copy.names.first { $0.hasSuffix("-wal") && $0.contains(".damaged-") })
        #expect(try Data(contentsOf: URL(filePath: "\(copy.path)/\(aside)")) == log)
    }

    // MARK: A disk that takes nothing

    @Test func `a full disk is told once, stops nobody, and gets everything once it has room`() throws {
        let pages = Pages()
        let store = try open(MatchStore.Options(retryInterval: 2_000_000, pagesMax: pages.ask))
        store.keep(row(1), bytes: 10)
        pages.set(1)
        let large = [UInt8](repeating: 5, count: 60_000)
        for index in 1...20 {
            #expect(isFailed(store.ask(.entries(match: row(1).id, from: index, [large]))))
        }
        store.keep(row(2))
        pages.waitForTries(5)
        #expect(store.heard.allStates == [.ready, .failing])
        #expect(store.heard.messages.count == 1)
        // What was kept before can be read all the time.
        #expect(try store.load(row(1).id)?.entries.count == 1)
        pages.set(1_000_000)
        #expect(store.heard.wait(for: .ready))
        #expect(try store.load(row(1).id)?.entries.count == 21)
        #expect(try store.load(row(2).id) != nil)
        #expect(store.ask(.entries(match: row(1).id, from: 21, [[1]])) == .done)
        #expect(store.heard.allStates == [.ready, .failing, .ready])
        #expect(store.heard.messages.count == 1)
    }

    @Test func `a change that cannot be done does not hold up what waits for the disk`() throws {
        let pages = Pages()
        let store = try open(
            MatchStore.Options(retryInterval: 2_000_000, pagesMax: pages.ask))
        store.ask(.begin(row(1)))
        pages.set(1)
        let large = [UInt8](repeating: 5, count: 60_000)
        #expect(isFailed(store.ask(.entries(match: row(1).id, from: 0, [large]))))
        #expect(isFailed(store.ask(.entries(match: row(1).id, from: 5, [large]))))
        #expect(isFailed(store.ask(.entries(match: row(1).id, from: 1, [[1]]))))
        pages.set(1_000_000)
        #expect(store.heard.wait(for: .ready))
        #expect(try store.load(row(1).id)?.entries == [large, [1]])
    }

    @Test func `what waits for the disk is bounded, and the file stays a beginning of each log`() throws {
        let pages = Pages()
        let store = try open(
            MatchStore.Options(
                retryInterval: 2_000_000, waitingBytesMax: 100_000,
                pagesMax: pages.ask))
        store.keep(row(1), bytes: 10)
        pages.set(1)
        let large = [UInt8](repeating: 5, count: 60_000)
        for index in 1...3 { store.ask(.entries(match: row(1).id, from: index, [large])) }
        #expect(store.heard.allStates == [.ready, .failing, .memory])
        pages.set(1_000_000)
        #expect(isFailed(store.ask(.entries(match: row(1).id, from: 4, [large]))))
        store.store.close()
        #expect(try open().load(row(1).id)?.entries.count == 1)
    }

    @Test func `a folder that comes later gets what was kept meanwhile`() throws {
        let place = "\(folder.path)/later"
        let store = try TestStore(place, MatchStore.Options(retryInterval: 2_000_000))
        #expect(store.heard.wait(for: .failing))
        #expect(isFailed(store.ask(.begin(row(1)))))
        #expect(isFailed(store.ask(.load(match: row(1).id))))
        try Folders.makePrivate(place)
        #expect(store.heard.wait(for: .ready))
        #expect(try store.load(row(1).id) != nil)
        #expect(store.heard.messages.count == 1)
    }

    @Test func `a file that another program is writing to is waited for`() throws {
        let store = try open(MatchStore.Options(retryInterval: 2_000_000))
        store.ask(.begin(row(1)))
        let other = try Database(path)
        try other.execute("BEGIN IMMEDIATE")
        #expect(isFailed(store.ask(.accepted(match: row(1).id, 4))))
        try other.execute("COMMIT")
        #expect(store.heard.wait(for: .ready))
        #expect(try store.load(row(1).id)?.row.accepted == 4)
    }
}
