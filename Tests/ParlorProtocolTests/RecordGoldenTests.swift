import ParlorCrypto
import ParlorGames
import ParlorProtocol
import Testing

@testable import ParlorRecords

/// Records as bytes, for implementations in other languages.
struct RecordGoldenTests {
    /// As PROTOCOL.md has them.
    static let limits: [(String, String)] = [
        ("ID of a board or an achievement", "\(Limits.recordIDMax) characters"),
        ("boards of a game, achievements of a game", "\(Limits.boardsMax)"),
        ("points of an achievement", "\(Limits.achievementPointsMax)"),
        ("points of all achievements", "\(Limits.pointsMax)"),
        ("a record", "\(Limits.recordBytesMax) bytes"),
        ("a record's time ahead of the clock", "\(Limits.recordAheadMillisecondsMax) ms"),
        ("rows of a leaderboard in one answer", "\(Limits.leaderboardRowsMax)"),
    ]

    private let signer = Signer(SigningKey(seed: (0..<32).map { $0 }))

    private func score(_ name: String, _ record: ScoreRecord, _ proof: Value) -> GoldenVector {
        GoldenVector(
            name: name, kind: "score-record", bytes: record.encoded,
            meaning: [
                "board": .string(record.board), "player": Meaning.of(record.player.bytes),
                "name": .string(record.name), "value": .int(Int(record.value)),
                "context": .int(Int(record.context)), "time": .int(Int(record.signedAt)), "proof": proof,
                "id": Meaning.of(record.id),
            ])
    }

    /// The score of the golden log of Lucky, whose proof is the whole game.
    private func lucky() throws -> GoldenVector {
        let log = try LogText.read(try Golden.text("lucky.log"), words: { _ in .builtin }, signing: .ed25519)
        let secret = try Golden.secrets(of: "lucky")[0]
        let seed = SeatVault(seat: 0, match: log.match, secret: secret.secret)
            .secrets(boxKeys: log.state.boxKeys, former: log.state.formerBoxKeys).link(Chance.chainLinks)
        let claim = try #require(Claims(log.state, seat: 0).scores.first)
        let record = ScoreRecord(
            board: claim.board, name: "player 0", value: claim.value, context: claim.context,
            signedAt: 1_795_996_800_000, proof: ScoreProof(log) { seed }, signer: signer)
        guard case .lucky(let genesis, let first, let presses) = record.proof else {
            throw RecordFault.malformed
        }
        return score(
            "lucky", record,
            [
                "genesis": Meaning.of(genesis), "seed": Meaning.of(first),
                "presses": .array(presses.map { .int($0) }), "level": "easy",
            ])
    }

    @Test func `records are as they were written down`() throws {
        let match = ScoreProof.match(
            MatchID(checked: (0..<16).map { $0 }), head: (0..<32).map { 255 - $0 })
        let proof: Value = [
            "match": Meaning.of((0..<16).map { $0 }), "head": Meaning.of((0..<32).map { 255 - $0 }),
        ]
        let values: [(String, Int64)] = [("a score", 3), ("the least", .min), ("the most", .max)]
        var vectors = values.map { name, value in
            score(
                name,
                ScoreRecord(
                    board: "tictactoe.marks", name: "Zoë", value: value, context: 1,
                    signedAt: 1_767_571_200_000, proof: match, signer: signer), proof)
        }
        vectors.append(try lucky())
        for (name, percent, count) in [("begun", 30, 0), ("earned", 100, 2)] {
            let record = AchievementRecord(
                achievement: "three_in_a_line", generation: 1, percent: percent, count: count,
                signedAt: 1_767_571_200_000, signer: signer)
            vectors.append(
                GoldenVector(
                    name: name, kind: "achievement-record", bytes: record.encoded,
                    meaning: [
                        "achievement": "three_in_a_line", "player": Meaning.of(record.player.bytes),
                        "generation": 1, "percent": .int(percent), "count": .int(count),
                        "time": 1_767_571_200_000, "id": Meaning.of(record.id),
                    ]))
        }
        try Golden.check("records", vectors)
    }
}
