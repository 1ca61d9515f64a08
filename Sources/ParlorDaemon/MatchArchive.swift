internal import ParlorControl
internal import ParlorNet
internal import ParlorProtocol
internal import ParlorStore

/// The matches on disk, for the loop: asks the store's thread, and calls back on the loop when it has
/// answered.
final class MatchArchive {
    /// How the store is.
    private(set) var state = StoreState.opening
    /// What is not as it should be, for a person.
    private(set) var detail: String?
    /// What happened as the file was opened, said as long as nothing else is to be: that it was set aside.
    private var notes: String?
    private let loop: EventLoop
    private let journal: EventJournal
    private var store: MatchStore?
    private var waiting: [UInt64: (StoreReply) -> Void] = [:]
    private var lastTicket: UInt64 = 0
    /// The newest matches that had not ended when this daemon started, for ``resume(_:)``.
    private var unfinished: [MatchID: StoredMatch] = [:]
    /// Called once, when the matches that had not ended are known, or cannot be.
    var looked: () -> Void = {}
    private var hasLooked = false

    init(loop: EventLoop, journal: EventJournal) {
        self.loop = loop
        self.journal = journal
    }

    /// How the store is, for `status`.
    var info: StoreInfo { StoreInfo(state: state.rawValue, detail: detail ?? notes) }

    /// Has the file opened; until it is, requests wait.
    ///
    /// - Parameter path: `data/matches.db`; its folder must exist.
    func open(_ path: String) {
        let (mailbox, inbox) = (loop.mailbox, ArchiveInbox(self))
        do throws(StoreError) {
            store = try MatchStore(
                path: path,
                report: { state, detail in mailbox.post { inbox.report(state, detail) } },
                reply: { ticket, reply in mailbox.post { inbox.reply(ticket, reply) } })
        } catch {
            report(.memory, "\(error). Matches are kept in memory only until the daemon starts again")
        }
    }

    /// Asks the store; `done` is called on the loop, not from inside this call unless there is no store.
    func ask(_ request: StoreRequest, done: @escaping (StoreReply) -> Void = { _ in }) {
        guard let store else { return done(.failed(detail ?? "there is no store")) }
        lastTicket += 1
        waiting[lastTicket] = done
        store.ask(request, ticket: lastTicket)
    }

    /// The matches on disk, newest first; none when they cannot be read.
    func list(_ filter: MatchFilter, done: @escaping ([MatchRow]) -> Void) {
        ask(.list(filter)) { reply in
            if case .matches(let rows) = reply { done(rows) } else { done([]) }
        }
    }

    /// The matches on disk that have not ended, newest first; for going on with them after a start.
    func unfinished(done: @escaping ([MatchRow]) -> Void) {
        list(MatchFilter(isUnfinished: true), done: done)
    }

    /// One match as it was last stored; `nil` when there is none or it cannot be read.
    func load(_ match: MatchID, done: @escaping (StoredMatch?) -> Void) {
        ask(.load(match: match.bytes)) { reply in
            if case .match(let found) = reply { done(found) } else { done(nil) }
        }
    }

    /// Hands out what was stored, before this daemon started, of a match that has not ended.
    ///
    /// It is read at the start, so that a match that comes up again goes on without waiting for the disk.
    /// - Returns: The match, once; `nil` when there is none.
    func resume(_ match: MatchID) -> StoredMatch? { unfinished.removeValue(forKey: match) }

    /// Whether ``resume(_:)`` has something of a match.
    func isUnfinished(_ match: MatchID) -> Bool { unfinished[match] != nil }

    private func lookForUnfinished() {
        list(MatchFilter(isUnfinished: true, limit: RoomBook.matchesMax)) { [weak self] rows in
            for row in rows {
                guard let match = MatchID(bytes: row.id) else { continue }
                self?.load(match) { self?.unfinished[match] = $0 }
            }
            // The store answers in order: this comes after all of them.
            self?.list(MatchFilter(limit: 1)) { _ in self?.looked() }
        }
    }

    /// Waits until everything is on the disk; nothing is kept afterwards.
    ///
    /// Called when the loop has stopped.
    func close() {
        store?.close()
        store = nil
        waiting = [:]
    }

    fileprivate func report(_ state: StoreState, _ detail: String?) {
        self.state = state
        self.detail = detail
        if state == .ready, let detail { notes = detail }
        if !hasLooked, state != .opening {
            hasLooked = true
            if state == .ready { lookForUnfinished() } else { looked() }
        }
        guard let detail else { return }
        Log.say(detail)
        journal.emit(
            .error,
            [JSON.Member("reason", .string("not-stored")), JSON.Member("message", .string(detail))])
    }

    fileprivate func reply(_ ticket: UInt64, _ reply: StoreReply) {
        waiting.removeValue(forKey: ticket)?(reply)
    }
}

/// Carries answers from the store's thread to the loop's: it is looked into on the loop's alone.
private final class ArchiveInbox: @unchecked Sendable {
    private weak var archive: MatchArchive?

    init(_ archive: MatchArchive) { self.archive = archive }

    func report(_ state: StoreState, _ detail: String?) { archive?.report(state, detail) }
    func reply(_ ticket: UInt64, _ reply: StoreReply) { archive?.reply(ticket, reply) }
}
