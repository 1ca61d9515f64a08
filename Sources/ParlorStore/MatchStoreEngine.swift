/// What the store's thread does: opens the file, carries requests out in groups, flushes, and tries again.
///
/// Confined to its thread.
final class MatchStoreEngine {
    private typealias Asked = (request: StoreRequest, ticket: UInt64)

    private let path: String
    private let options: MatchStore.Options
    private let report: @Sendable (StoreState, String?) -> Void
    private let reply: @Sendable (_ ticket: UInt64, StoreReply) -> Void
    private var database: Database?
    private var state = StoreState.opening
    /// Why nothing is kept until the next start; `nil` while something is.
    private var refusal: String?
    /// Changes that the disk has not taken yet, oldest first.
    private var waiting: [StoreRequest] = []
    private var waitingBytes = 0
    /// Why the disk takes nothing; `nil` while it does.
    private var failure: String?
    private var retryAt: UInt64?
    private var flushAt: UInt64?

    init(
        path: String, options: MatchStore.Options, report: @escaping @Sendable (StoreState, String?) -> Void,
        reply: @escaping @Sendable (_ ticket: UInt64, StoreReply) -> Void
    ) {
        self.path = path
        self.options = options
        self.report = report
        self.reply = reply
    }

    /// The thread's life: until the queue is closed and empty.
    func run(_ queue: WorkQueue<(request: StoreRequest, ticket: UInt64)>) {
        tryOpening()
        while true {
            let (work, isClosed) = queue.take(until: [retryAt, flushAt].compactMap { $0 }.min())
            if !work.isEmpty { handle(work) }
            if let due = retryAt, isClosed || Clock.now >= due { tryAgain() }
            if let due = flushAt, isClosed || Clock.now >= due { flush() }
            guard !isClosed else { break }
        }
        database = nil
    }

    // MARK: Opening

    private func tryOpening() {
        let opening = MatchFileOpening(path: path, schema: options.schema)
        do throws(MatchFileOpening.Failure) {
            let (opened, notes) = try opening.open()
            database = opened
            failure = nil
            retryAt = nil
            tell(.ready, notes)
            prune()
        } catch {
            switch error {
            case .refused(let reason): refuse(reason)
            case .passing(let reason): fail(reason)
            }
        }
    }

    // MARK: Requests

    private func handle(_ work: [Asked]) {
        if let refusal { return answer(work, .failed(refusal)) }
        guard let failure else { return commit(work) }
        // What is on disk can still be read.
        for asked in work where asked.request.isRead {
            let read = database.flatMap { try? MatchTables(database: $0).perform(asked.request) }
            reply(asked.ticket, read ?? .failed(failure))
        }
        hold(work, failure)
    }

    /// Carries requests out in one transaction, and answers them when the kernel has it.
    private func commit(_ work: [Asked]) {
        guard let database else { return answer(work, .failed(refusal ?? failure ?? "the file is closed")) }
        var replies: [StoreReply] = []
        do throws(DatabaseError) {
            try limitPages(database)
            try database.transaction { () throws(DatabaseError) in
                for asked in work {
                    replies.append(try MatchTables(database: database).perform(asked.request))
                }
            }
        } catch {
            return failed(work, error)
        }
        for (asked, answer) in zip(work, replies) { reply(asked.ticket, answer) }
        noteChange(work.map(\.request))
    }

    private func noteChange(_ requests: [StoreRequest]) {
        guard requests.contains(where: { !$0.isRead }) else { return }
        if flushAt == nil { flushAt = Clock.now + options.flushInterval }
        if requests.contains(where: \.endsMatch) { prune() }
    }

    private func failed(_ work: [Asked], _ error: DatabaseError) {
        switch error.kind {
        case .passing:
            fail("\(path): \(error.message)")
            for asked in work where asked.request.isRead { reply(asked.ticket, .failed(error.message)) }
            hold(work, error.message)
        case .damaged:
            refuse(
                "\(path): \(error.message). The file is damaged; it will be set aside at the next start")
            answer(work, .failed(error.message))
        case .wrong where work.count > 1:
            // One of them cannot be done; the others can.
            for asked in work {
                if refusal == nil, failure == nil { commit([asked]) } else { handle([asked]) }
            }
        case .wrong:
            reportLost(error)
            answer(work, .failed(error.message))
        }
    }

    private func reportLost(_ error: DatabaseError) {
        report(state, "\(path): a change was not kept: \(error.message)")
    }

    /// Reports a state unless it is what was reported last and there is nothing to say about it.
    private func tell(_ next: StoreState, _ message: String?) {
        guard next != state || message != nil else { return }
        state = next
        report(next, message)
    }

    private func answer(_ work: [Asked], _ answer: StoreReply) {
        for asked in work { reply(asked.ticket, answer) }
    }

    // MARK: Trouble

    /// Nothing is kept until the next start.
    private func refuse(_ reason: String) {
        refusal = reason
        database = nil
        waiting = []
        waitingBytes = 0
        retryAt = nil
        flushAt = nil
        tell(.memory, "\(reason). Matches are kept in memory only until the daemon starts again")
    }

    /// The disk takes nothing for now.
    private func fail(_ reason: String) {
        if failure == nil {
            tell(
                .failing,
                "\(reason). Matches go on, and are kept in memory until the disk takes them; that is tried "
                    + "again and again")
        }
        failure = reason
        retryAt = Clock.now + options.retryInterval
    }

    /// Keeps changes until the disk takes them, and lets those who wait for them go on.
    private func hold(_ work: [Asked], _ reason: String) {
        for asked in work where !asked.request.isRead {
            waiting.append(asked.request)
            waitingBytes += asked.request.byteCount
            reply(asked.ticket, .failed(reason))
        }
        guard waitingBytes > options.waitingBytesMax else { return }
        refuse("\(path): \(reason), and more than \(options.waitingBytesMax) bytes wait for the disk")
    }

    private func tryAgain() {
        if database == nil { tryOpening() }
        guard let database, refusal == nil else { return }
        let requests = waiting
        do throws(DatabaseError) {
            try limitPages(database)
            try database.transaction { () throws(DatabaseError) in
                for request in requests { _ = try MatchTables(database: database).perform(request) }
            }
        } catch {
            switch error.kind {
            case .passing: return fail(error.message)
            case .damaged: return failed([], error)
            case .wrong: guard writeOneByOne(requests, database) else { return }
            }
        }
        waiting = []
        waitingBytes = 0
        failure = nil
        retryAt = nil
        tell(.ready, nil)
        noteChange(requests)
    }

    /// Writes what can be written where one of the changes cannot be; returns whether the disk took them.
    private func writeOneByOne(_ requests: [StoreRequest], _ database: Database) -> Bool {
        for (index, request) in requests.enumerated() {
            do throws(DatabaseError) {
                try database.transaction { () throws(DatabaseError) in
                    _ = try MatchTables(database: database).perform(request)
                }
            } catch {
                guard error.kind == .wrong else {
                    waiting = Array(requests[index...])
                    waitingBytes = waiting.reduce(0) { $0 + $1.byteCount }
                    if error.kind == .damaged { failed([], error) } else { fail(error.message) }
                    return false
                }
                reportLost(error)
            }
        }
        return true
    }

    private func limitPages(_ database: Database) throws(DatabaseError) {
        guard let pages = options.pagesMax?() else { return }
        _ = try database.rows("PRAGMA max_page_count = \(pages)")
    }

    // MARK: Upkeep

    /// Brings what is new onto the disk.
    ///
    /// The descriptor is another one than SQLite's, which is harmless for this file: SQLite's locks are on
    /// the other two.
    private func flush() {
        flushAt = nil
        do throws(StoreError) {
            try AtomicFile.flush("\(path)-wal")
        } catch {
            guard error.code != .notFound else { return }
            return fail("\(error)")
        }
        guard let size = try? AtomicFile.size("\(path)-wal"), size > options.logBytesMax else { return }
        // Whoever reads the file meanwhile makes this do less; the next time does the rest.
        _ = try? database?.rows("PRAGMA wal_checkpoint(TRUNCATE)")
    }

    private func prune() {
        guard let database else { return }
        // What fails here is done after the next match.
        try? database.transaction { () throws(DatabaseError) in
            try MatchTables(database: database)
                .prune(countMax: options.endedMax, bytesMax: options.endedBytesMax)
        }
    }
}

extension StoreRequest {
    /// Whether a match more has ended by it.
    fileprivate var endsMatch: Bool {
        switch self {
        case .describe(_, _, let ended, _): ended != nil
        case .begin(let row): row.ended != nil
        case .entries, .accepted, .promise, .remove, .list, .load, .keep, .records, .turns: false
        }
    }
}
