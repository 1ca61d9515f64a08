internal import ParlorControl
internal import ParlorCrypto
internal import ParlorGames
internal import ParlorProtocol
internal import ParlorStore

/// A match as it can be read: its log as far as it is accepted, and what this peer may see.
struct MatchReading {
    /// The log up to the last accepted entry.
    let log: MatchLog
    /// The own seat; `nil` for a watcher.
    let seat: Int?
    /// The own seat's secrets; `nil` when there are none here.
    let secrets: SeatSecrets?
    /// The moment on the match clock; of one that is only on disk, its last.
    let time: Int
    /// Whether it waits for a sequencer or a quorum.
    let isWaiting: Bool

    /// Reads a match in memory.
    init(_ match: any MatchCopy) {
        log = match.acceptedLog
        seat = match.seat
        secrets = match.secrets
        time = match.time
        isWaiting = !match.isDone && (match as? MatchDriver)?.machine.isWaiting ?? false
    }

    /// Reads a match from disk, which this peer checked before it kept it.
    ///
    /// - Throws: ``LogFault`` when that is not so.
    init(
        _ stored: StoredMatch, words: WordLibrary, secrets: (MatchState, _ seat: Int) -> SeatSecrets?
    ) throws(LogFault) {
        let record = try stored.record
        guard let words = words.list(of: record.genesis) else {
            throw LogFault(.malformed, "its list of words is not here any more")
        }
        var log = MatchLog(record.genesis, words: words, signing: .checkedBefore)
        for entry in record.entries.prefix(record.acceptedCount) { try log.append(entry) }
        self.log = log
        seat = stored.row.seat < 0 ? nil : stored.row.seat
        self.secrets = seat.flatMap { [log] in secrets(log.state, $0) }
        time = log.entries.last?.time ?? 0
        isWaiting = false
    }
}

extension StoredMatch {
    /// The log as a text, as far as it is accepted.
    var text: String { LogText.write(genesis: row.genesis, entries: entries.prefix(row.accepted)) }

    /// What a machine needs to go on with the match.
    var record: MatchRecord {
        get throws(LogFault) {
            let genesis = try Genesis(decoding: row.genesis)
            var read: [Entry] = []
            for (index, bytes) in entries.enumerated() {
                guard let entry = Entry(decoding: bytes) else {
                    throw LogFault(.malformed, "entry \(index) cannot be read")
                }
                read.append(entry)
            }
            return MatchRecord(
                genesis, entries: read, acceptedCount: min(row.accepted, read.count),
                promisedEpoch: row.promised)
        }
    }
}

/// Matches that are only on disk, read when somebody asks, the last few kept.
final class StoredMatches {
    /// Matches kept in memory once they were read.
    static let keptMax = 4

    /// Why a match cannot be read.
    enum Failure: Error {
        /// There is none.
        case missing
        /// What is on disk is no log.
        case broken(LogFault)
    }

    private let book: RoomBook
    private var kept: [(match: MatchID, stored: StoredMatch, reading: MatchReading?)] = []

    init(_ book: RoomBook) { self.book = book }

    /// Gets a match from disk; calls back at once for one that is kept.
    func load(_ match: MatchID, done: @escaping (StoredMatch?) -> Void) {
        if let known = kept.first(where: { $0.match == match }) { return done(known.stored) }
        book.archive.load(match) { [weak self] found in
            if let self, let found { keep(match, found) }
            done(found)
        }
    }

    /// Reads a match from disk.
    func read(_ match: MatchID, done: @escaping (Result<MatchReading, Failure>) -> Void) {
        if let reading = kept.first(where: { $0.match == match })?.reading { return done(.success(reading)) }
        load(match) { [self] found in
            guard let found else { return done(.failure(.missing)) }
            do throws(LogFault) {
                let reading = try MatchReading(found, words: book.words, secrets: book.secrets)
                if let index = kept.firstIndex(where: { $0.match == match }) { kept[index].reading = reading }
                done(.success(reading))
            } catch {
                done(.failure(.broken(error)))
            }
        }
    }

    /// Forgets a match that is removed.
    func forget(_ match: MatchID) { kept.removeAll { $0.match == match } }

    /// Only what has ended stays as it is.
    private func keep(_ match: MatchID, _ stored: StoredMatch) {
        guard stored.row.ended != nil, book.match(match) == nil else { return }
        kept.removeAll { $0.match == match }
        kept.append((match, stored, nil))
        if kept.count > Self.keptMax { kept.removeFirst() }
    }
}

extension ControlMethods {
    /// Matches in one answer of `matches.list`, unless the request says how many.
    static let matchesListed = 100
    /// Matches in one answer of `matches.list`, whatever the request says.
    static let matchesListedMax = 1_000

    /// Tells which matches there are, newest first: `matches.list`.
    func listMatches(_ request: RPCRequest, _ answer: @escaping Answer) throws(RPCError) {
        let params = try request.params(as: MatchesListParams.self)
        guard params.limit ?? 1 > 0 else { throw RPCError(.badParams, "'limit' begins at 1.") }
        if let game = params.game, Catalog.rules(game) == nil {
            let known = Catalog.declarations.map(\.id).joined(separator: ", ")
            throw RPCError(.badParams, "There is no game '\(game)'; there are \(known).")
        }
        let limit = min(params.limit ?? Self.matchesListed, Self.matchesListedMax)
        // One in memory may be further than its row on disk, which then does not count.
        let filter = MatchFilter(
            state: params.state?.rawValue, game: params.game, limit: limit + RoomBook.matchesMax)
        book.archive.list(filter) { [book] rows in
            let live = book.matches.map { MatchSummary($0) }
            let inMemory = Set(live.map(\.id))
            let wanted = live.filter {
                params.state ?? $0.state == $0.state && params.game ?? $0.game == $0.game
            }
            let all = wanted.reversed() + rows.map { MatchSummary($0) }.filter { !inMemory.contains($0.id) }
            let newest = all.sorted { $0.started > $1.started }.prefix(limit)
            answer(.success(JSON(encoding: MatchesListInfo(matches: Array(newest)))))
        }
    }

    /// Removes a match that does not run: `matches.remove`.
    func removeMatch(_ request: RPCRequest, _ answer: @escaping Answer) throws(RPCError) {
        let id = try request.params(as: MatchesRemoveParams.self).match
        guard let match = MatchID(hex: id) else { throw Self.noMatch(id) }
        let isInMemory = book.copy(match) != nil
        if let running = book.copy(match), !running.isDone {
            throw RPCError(.notAllowed, "The match is running; leave its room first (parlor leave).")
        }
        book.forget(match)
        stored.forget(match)
        book.archive.ask(.remove(match: match.bytes)) { reply in
            if case .done = reply { return answer(.success([:])) }
            answer(isInMemory ? .success([:]) : .failure(Self.noMatch(id)))
        }
    }
}

extension MatchSummary {
    /// A match on disk.
    init(_ row: MatchRow) {
        let text = String(decoding: row.summary, as: UTF8.self)
        if let kept = try? JSON(parsing: text).decode(MatchSummary.self) {
            self = kept
        } else {
            self.init(
                id: Hex.encode(row.id), game: row.game, room: MatchRoomInfo(id: "", name: row.room),
                state: .playing, mySeat: row.seat < 0 ? nil : row.seat, seats: [], entries: 0,
                started: row.started)
        }
        state = ParlorControl.MatchState(rawValue: row.state) ?? state
        entries = min(row.accepted, row.entries)
        ended = row.ended
    }
}
