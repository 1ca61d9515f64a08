import Foundation
import Testing

@testable import ParlorStore

/// What a store has reported and answered, with a bell for whoever waits.
final class Heard: @unchecked Sendable {
    private let condition = NSCondition()
    private var states: [StoreState] = []
    private var lines: [String] = []
    private var replies: [UInt64: StoreReply] = [:]
    private var last: UInt64 = 0

    var messages: [String] { locked { lines } }
    var allStates: [StoreState] { locked { states } }
    var answered: Int { locked { replies.count } }

    func report(_ state: StoreState, _ message: String?) {
        change {
            states.append(state)
            if let message { lines.append(message) }
        }
    }

    func reply(_ ticket: UInt64, _ reply: StoreReply) {
        change {
            if replies[ticket] != nil { Issue.record("ticket \(ticket) was answered twice") }
            replies[ticket] = reply
        }
    }

    func ticket() -> UInt64 {
        locked {
            last += 1
            return last
        }
    }

    /// The answer to a ticket; waits for it, generously.
    func answer(_ ticket: UInt64) -> StoreReply? {
        wait { self.replies[ticket] != nil }
        return locked { replies[ticket] }
    }

    /// Waits until a state is the newest one.
    func wait(for state: StoreState) -> Bool { wait { self.states.last == state } }

    @discardableResult private func wait(until isThere: () -> Bool) -> Bool {
        condition.lock()
        defer { condition.unlock() }
        let deadline = Date(timeIntervalSinceNow: 30)
        while !isThere() { guard condition.wait(until: deadline) else { return isThere() } }
        return true
    }

    private func locked<Answer>(_ body: () -> Answer) -> Answer {
        condition.lock()
        defer { condition.unlock() }
        return body()
    }

    private func change(_ body: () -> Void) {
        locked(body)
        condition.broadcast()
    }
}

/// The pages that a file may have, and how often a store has asked.
final class Pages: @unchecked Sendable {
    private let condition = NSCondition()
    private var most = 1_000_000
    private var asked = 0

    /// What the store asks.
    func ask() -> Int {
        condition.lock()
        defer { condition.unlock() }
        asked += 1
        condition.broadcast()
        return most
    }

    /// Fills the disk, or gives it room.
    func set(_ pages: Int) {
        condition.lock()
        defer { condition.unlock() }
        most = pages
    }

    /// Waits until the store has asked some times more.
    func waitForTries(_ count: Int) {
        condition.lock()
        defer { condition.unlock() }
        let (wanted, deadline) = (asked + count, Date(timeIntervalSinceNow: 30))
        while asked < wanted { guard condition.wait(until: deadline) else { return } }
    }
}

/// A store with what it said.
final class TestStore {
    let store: MatchStore
    let heard = Heard()

    init(_ folder: String, _ options: MatchStore.Options = MatchStore.Options()) throws {
        store = try MatchStore(
            path: "\(folder)/\(MatchStore.name)", options: options, report: heard.report,
            reply: heard.reply)
    }

    deinit { store.close() }

    /// Asks and waits for the answer.
    @discardableResult func ask(_ request: StoreRequest) -> StoreReply? {
        let ticket = heard.ticket()
        store.ask(request, ticket: ticket)
        return heard.answer(ticket)
    }

    func list(_ filter: MatchFilter = MatchFilter()) throws -> [MatchRow] {
        guard case .matches(let rows) = ask(.list(filter)) else { throw Missing() }
        return rows
    }

    func load(_ match: [UInt8]) throws -> StoredMatch? {
        guard case .match(let match) = ask(.load(match: match)) else { throw Missing() }
        return match
    }

    /// Begins a match and ends it at a moment, with so many bytes of entries.
    func keep(_ row: MatchRow, ended: Int? = nil, bytes: Int = 0) {
        ask(.begin(row))
        if bytes > 0 { ask(.entries(match: row.id, from: 0, [[UInt8](repeating: 7, count: bytes)])) }
        if let ended { ask(.describe(match: row.id, state: "ended", ended: ended, summary: [])) }
    }

    struct Missing: Error {}
}

/// A row for tests.
func row(_ number: UInt8, started: Int = 0, game: String = "snap", state: String = "playing") -> MatchRow {
    MatchRow(
        id: [UInt8](repeating: number, count: 16), genesis: [number, 0, 255], seat: 1, started: started,
        state: state, game: game, room: "Küche", summary: Array("{}".utf8))
}
