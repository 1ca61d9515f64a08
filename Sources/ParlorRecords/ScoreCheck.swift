internal import ParlorCrypto
internal import ParlorGames
public import ParlorProtocol

/// Whether a record may be taken, from whoever it comes.
public enum ScoreCheck {
    /// Checks a score: its board, range, time, signature and proof.
    ///
    /// The cheap things come first, and nothing is looked up for a record that its player did not sign.
    /// - Parameters:
    ///   - record: The record.
    ///   - registry: The boards there are.
    ///   - now: The time here, in Unix milliseconds.
    ///   - signing: How signatures are checked.
    ///   - log: Finds the log of a match that was itself checked, as far as it goes.
    /// - Throws: ``RecordFault``, which says what does not hold.
    public static func check(
        _ record: ScoreRecord, _ registry: Registry = .standard, at now: Int64, signing: Signing = .ed25519,
        log: (MatchID) -> MatchLog?
    ) throws(RecordFault) {
        guard let board = registry.board(record.board) else { throw .unknown(record.board) }
        guard !board.isRetired else { throw .retired(record.board) }
        if let range = board.range, !range.contains(record.value) {
            throw .outOfRange(
                "\(board.id) takes \(range.lowerBound) to \(range.upperBound), not \(record.value)")
        }
        guard record.signedAt <= now + Int64(Limits.recordAheadMillisecondsMax),
            board.recurrence.map({ $0.window(at: record.signedAt) != nil }) ?? true
        else { throw .badTime }
        guard record.isSigned(signing) else { throw .badSignature }
        switch record.proof {
        case .match(let match, let head):
            guard let log = log(match) else { throw .noLog(match) }
            try check(record, log, head: head)
        case .lucky(let genesis, let seed, let presses):
            try check(record, genesis: genesis, seed: seed, presses: presses)
        }
    }

    private static func check(_ record: ScoreRecord, _ log: MatchLog, head: [UInt8]) throws(RecordFault) {
        guard log.head == head else { throw .badProof("the log of its match ends otherwise") }
        let claims = log.genesis.seats.indices.filter { log.genesis.seats[$0].peer == record.player }
            .flatMap { Claims(log.state, seat: $0).scores }
        guard claims.contains(where: { isSame($0, record) }) else {
            throw .badProof("its match does not give its player that score")
        }
    }

    private static func check(
        _ record: ScoreRecord, genesis bytes: [UInt8], seed: [UInt8], presses: [Int]
    ) throws(RecordFault) {
        guard let genesis = try? Genesis(decoding: bytes), genesis.game == "lucky",
            genesis.seats.map(\.peer) == [record.player],
            let level = LuckyLevel(rawValue: genesis.options.word("level")),
            let table = LuckyProof(match: genesis.match.bytes, seed: seed, level: level, presses: presses)
                .replayed(hash: Hash.blake2b256), table.isOver
        else { throw .badProof("its game of Lucky was not played to an end like that") }
        let boards = ["lucky.\(level.rawValue)", "lucky.\(level.rawValue).daily"]
        guard boards.contains(record.board), record.value == Int64(table.score),
            record.context == Int64(table.presses)
        else { throw .badProof("its game of Lucky gives \(table.score), not what it says") }
    }

    private static func isSame(_ claim: Claims.Score, _ record: ScoreRecord) -> Bool {
        claim.board == record.board && claim.value == record.value && claim.context == record.context
    }

    /// Checks an achievement's record of somebody else: there is such a one, its time, and its signature.
    ///
    /// Progress has no proof; it is its player's word.
    /// - Throws: ``RecordFault``, which says what does not hold.
    public static func check(
        _ record: AchievementRecord, _ registry: Registry = .standard, at now: Int64,
        signing: Signing = .ed25519
    ) throws(RecordFault) {
        guard let declared = registry.achievement(record.achievement) else {
            throw .unknown(record.achievement)
        }
        guard record.count <= 1 || declared.isRepeatable else {
            throw .outOfRange("\(record.achievement) is earned once")
        }
        guard record.signedAt <= now + Int64(Limits.recordAheadMillisecondsMax) else { throw .badTime }
        guard record.isSigned(signing) else { throw .badSignature }
    }
}
