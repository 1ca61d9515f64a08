import ParlorCrypto
import ParlorGames
import ParlorProtocol
import ParlorSim

@testable import ParlorRecords

/// People with keys, by number.
enum People {
    static func signer(_ number: Int) -> Signer {
        Signer(SigningKey(seed: Hash.blake2b256([UInt8(truncatingIfNeeded: number), UInt8(number >> 8)])))
    }

    /// One whose signatures are quick.
    static func quick(_ number: Int) -> Signer {
        Signer(
            standInFor: PeerID(
                checked: Hash.blake2b256([9, UInt8(truncatingIfNeeded: number), UInt8(number >> 8)])))
    }
}

/// Boards of every kind, for tests.
enum Boards {
    static let high = Board(
        id: "high", game: "g", title: "High", unit: "point", units: "points", order: .highLow)
    static let low = Board(
        id: "low", game: "g", title: "Low", format: .time, unit: "", units: "", order: .lowHigh,
        range: 100...200)
    static let latest = Board(
        id: "latest", game: "g", title: "Latest", unit: "", units: "", order: .highLow, keeps: .latest)
    static let daily = Board(
        id: "daily", game: "g", title: "Daily", unit: "", units: "", order: .highLow,
        recurrence: Recurrence(start: 1_000, length: 60, interval: 100))
    static let retired = Board(
        id: "retired", game: "g", title: "Old", unit: "", units: "", order: .highLow, isRetired: true)

    static let registry: Registry = {
        do {
            return try Registry(
                boards: [high, low, latest, daily, retired],
                achievements: [
                    Achievement(id: "one", game: "g", title: "One", summary: "one", points: 30),
                    Achievement(
                        id: "again", game: "g", title: "Again", summary: "again", points: 20,
                        isRepeatable: true),
                    Achievement(
                        id: "secret", game: "g", title: "Secret", summary: "secret", points: 50,
                        isHidden: true),
                ])
        } catch {
            preconditionFailure("\(error)")
        }
    }()

    static func score(
        _ board: String, by player: Int, _ value: Int64, at time: Int64 = 1_000, context: Int64 = 0
    ) -> ScoreRecord {
        ScoreRecord(
            board: board, name: "player \(player)", value: value, context: context, signedAt: time,
            proof: .match(
                MatchID(checked: Array(repeating: 7, count: 16)), head: Array(repeating: 1, count: 32)),
            signer: People.quick(player))
    }
}

/// An ended match of the simulator, with real signatures.
func played(
    _ game: String, seats: Int = 2, bots: [BotSkill] = [], _ options: [Value.Member] = [], seed: UInt64
) throws -> SimTable {
    var setup = SimTable.Setup(game: game, seats: seats)
    setup.options = options
    setup.bots = bots
    setup.realSignatures = true
    var table = try SimTable(setup, seed: seed)
    guard table.run(forSeconds: 3_000) else { preconditionFailure("\(game), seed \(seed): no end") }
    return table
}
