import ParlorCrypto
import ParlorGames
import ParlorProtocol
import ParlorSim
import Testing

@testable import ParlorRecords

struct ScoreCheckTests {
    /// A record that says what an ended match gives a seat, signed with that seat's key.
    private func record(
        _ table: SimTable, seat: Int = 0, board: String? = nil, value: Int64? = nil,
        at time: Int64 = 2_000_000_000_000,
        signer: Signer? = nil, proof: ScoreProof? = nil
    ) throws -> ScoreRecord {
        let log = table.machines[seat].log
        let claim = try #require(
            Claims(log.state, seat: seat).scores.first { board == nil || $0.board == board })
        let seed = table.machines[seat].secrets.link(LuckyTable.pressesMost)
        return ScoreRecord(
            board: board ?? claim.board, name: "Ann", value: value ?? claim.value, context: claim.context,
            signedAt: time, proof: proof ?? ScoreProof(log) { seed },
            signer: signer ?? table.signer(of: seat))
    }

    private func fault(
        _ record: ScoreRecord, _ registry: Registry = .standard, at now: Int64 = 2_000_000_000_000,
        log: MatchLog? = nil
    ) -> RecordFault? {
        do throws(RecordFault) {
            try ScoreCheck.check(record, registry, at: now) { $0 == log?.match ? log : nil }
        } catch {
            return error
        }
        return nil
    }

    private func isBadProof(_ fault: RecordFault?) -> Bool {
        if case .badProof = fault { true } else { false }
    }

    /// A table at which a seat has something to record.
    private func table(_ game: String, seats: Int, _ options: [Value.Member] = [], seat: Int? = nil) throws
        -> (SimTable, Int)
    {
        for seed in UInt64(1)...60 {
            let table = try played(game, seats: seats, options, seed: seed)
            for seat in 0..<seats where !Claims(table.machines[0].log.state, seat: seat).scores.isEmpty {
                return (table, seat)
            }
        }
        throw Refusal(.illegalMove, "no table of \(game) gives anybody a score")
    }

    // MARK: Lucky

    @Test(arguments: LuckyLevel.allCases) func `a game of Lucky is its own proof`(level: LuckyLevel) throws {
        let (table, _) = try table("lucky", seats: 1, [.init("level", .string(level.rawValue))])
        let good = try record(table)
        #expect(good.board == "lucky.\(level.rawValue)")
        #expect(fault(good) == nil)
        #expect(try ScoreRecord(decoding: good.encoded) == good)
        // Another value, another board, another player's key, other presses.
        #expect(try isBadProof(fault(record(table, value: good.value + 1))))
        let other = level == .hard ? "lucky.easy" : "lucky.hard"
        let claimed = ScoreRecord(
            board: other, name: "", value: good.value, context: good.context, signedAt: good.signedAt,
            proof: good.proof, signer: table.signer(of: 0))
        #expect(isBadProof(fault(claimed)))
        #expect(try isBadProof(fault(record(table, signer: People.signer(5)))))
        guard case .lucky(let genesis, let seed, let presses) = good.proof else {
            Issue.record("no proof of Lucky")
            return
        }
        #expect(presses.count == Int(good.context))
        for (seed, presses) in [
            (seed, presses + [1]), (seed, Array(presses.dropLast())), (seed, presses.dropLast() + [5]),
            (Hash.blake2b256(seed), presses),
        ] {
            let proof = ScoreProof.lucky(genesis: genesis, seed: seed, presses: presses)
            let forged = try record(table, proof: proof)
            // Another seed may give the same by chance, but hardly the same and an end with the last press.
            #expect(isBadProof(fault(forged)) || forged.proof != good.proof && presses.count == 1)
        }
        #expect(
            try isBadProof(fault(record(table, proof: .lucky(genesis: [1], seed: seed, presses: presses)))))
    }

    @Test func `hard games feed the day's board too`() throws {
        let (table, _) = try table("lucky", seats: 1, [.init("level", "hard")])
        #expect(try fault(record(table, board: "lucky.hard.daily")) == nil)
        let before = try record(table, board: "lucky.hard.daily", at: 1_767_571_199_999)
        #expect(fault(before) == .badTime)
    }

    // MARK: Matches

    @Test func `a match proves what it gives its player and nothing else`() throws {
        let (table, seat) = try table("tictactoe", seats: 2)
        let log = table.machines[0].log
        let good = try record(table, seat: seat)
        #expect(good.board == "tictactoe.marks")
        #expect((3...5).contains(good.value))
        #expect(fault(good, log: log) == nil)
        #expect(fault(good) == .noLog(log.match))
        #expect(try isBadProof(fault(record(table, seat: seat, value: good.value == 3 ? 4 : 3), log: log)))
        // The loser, a stranger, and a head that is not the log's.
        #expect(
            try isBadProof(fault(record(table, seat: seat, signer: table.signer(of: 1 - seat)), log: log)))
        #expect(try isBadProof(fault(record(table, seat: seat, signer: People.signer(7)), log: log)))
        let other = ScoreProof.match(log.match, head: Hash.blake2b256([1]))
        #expect(try isBadProof(fault(record(table, seat: seat, proof: other), log: log)))
        // A log that is not at its end.
        var cut = MatchLog(
            log.genesis, words: SimTable.Setup(game: "snap", seats: 2).words, signing: .checkedBefore)
        for entry in log.entries.dropLast() { try cut.append(entry) }
        let early = ScoreProof.match(log.match, head: cut.head)
        #expect(try isBadProof(fault(record(table, seat: seat, proof: early), log: cut)))
    }

    @Test func `a story to its end counts for all who wrote it`() throws {
        let (table, _) = try table("story", seats: 3)
        let log = table.machines[0].log
        for seat in 0..<3 {
            let good = try record(table, seat: seat)
            #expect(good.board == "story.bytes" && (3_801...4_096).contains(good.value))
            #expect(fault(good, log: log) == nil)
            #expect(Claims(log.state, seat: seat).progress.contains { $0.achievement == "the_end" })
        }
    }

    @Test func `hangman alone counts, and with words that others choose it does not`() throws {
        let (table, _) = try table("hangman", seats: 1)
        let good = try record(table)
        #expect(good.board == "hangman.alone")
        #expect(fault(good, log: table.machines[0].log) == nil)
        let rounds = try played("hangman", seats: 1, [.init("rounds", 2)], seed: 1)
        #expect(Claims(rounds.machines[0].log.state, seat: 0).scores.isEmpty)
        for seed in UInt64(1)...6 {
            let others = try played("hangman", seats: 2, seed: seed)
            #expect(Claims(others.machines[0].log.state, seat: 0).scores.isEmpty)
        }
    }

    @Test func `nothing comes of bots alone, of quitting, or of a match without its end`() throws {
        let bots = try played("tictactoe", seats: 1, bots: [.easy], seed: 3)
        for seat in -1...2 {
            let claims = Claims(bots.machines[0].log.state, seat: seat)
            #expect(claims.scores.isEmpty && claims.progress.isEmpty)
        }
        var table = try SimTable(SimTable.Setup(game: "tictactoe", seats: 2), seed: 3)
        _ = table.run(forMilliseconds: 500)
        #expect(Claims(table.machines[0].log.state, seat: 0).scores.isEmpty)
        table.leave(1)
        _ = table.run(forSeconds: 100)
        let state = table.machines[0].log.state
        #expect(state.outcomes == [.won, .quit])
        #expect(Claims(state, seat: 0).scores.isEmpty, "a line wins, not that the other left")
        #expect(Claims(state, seat: 1).scores.isEmpty)
    }

    @Test func `matches of Snap are counted, ten for all of it`() throws {
        let table = try played("snap", seats: 2, [.init("max_flips", 12)], seed: 4)
        let claims = Claims(table.machines[0].log.state, seat: 0)
        #expect(claims.progress == [.init(achievement: "ten_matches", step: 10)])
        #expect(claims.scores.isEmpty, "nobody has the whole pack after twelve flips")
    }

    @Test func `the whole pack is won by calls, not by who leaves`() throws {
        var table = try SimTable(SimTable.Setup(game: "snap", seats: 2), seed: 4)
        _ = table.run(forSeconds: 20)
        table.leave(1)
        _ = table.run(forSeconds: 100)
        let state = table.machines[0].log.state
        #expect(state.outcomes == [.won, .quit])
        let claims = Claims(state, seat: 0)
        #expect(claims.scores.isEmpty)
        #expect(claims.progress == [.init(achievement: "ten_matches", step: 10)])
        let whole = try #require(
            try (UInt64(1)...20).lazy.compactMap { seed -> Claims? in
                let state = try played("snap", seats: 2, [.init("max_flips", 10_000)], seed: seed)
                    .machines[0].log.state
                return (0...1).map { Claims(state, seat: $0) }.first { !$0.scores.isEmpty }
            }.first)
        #expect(whole.scores.map(\.board) == ["snap.whole_pack"])
        #expect(whole.progress.last == .init(achievement: "whole_pack", step: 100))
    }

    // MARK: Everything else that can be wrong

    @Test func `values, boards, times and signatures are checked before proofs`() {
        func made(_ board: String, _ value: Int64, at time: Int64 = 1_000) -> RecordFault? {
            do throws(RecordFault) {
                try ScoreCheck.check(
                    Boards.score(board, by: 1, value, at: time), Boards.registry, at: 5_000, signing: .standIn
                ) { _ in nil }
            } catch {
                return error
            }
            return nil
        }
        #expect(made("none", 1) == .unknown("none"))
        #expect(made("retired", 1) == .retired("retired"))
        for value: Int64 in [99, 201, .min, .max] {
            #expect(made("low", value) == .outOfRange("low takes 100 to 200, not \(value)"))
        }
        for value: Int64 in [100, 200] {
            guard case .noLog = made("low", value) else {
                Issue.record("\(value) is in range")
                return
            }
        }
        #expect(made("daily", 1, at: 1_060) == .badTime)
        #expect(made("high", 1, at: 5_000 + 86_400_001) == .badTime)
        guard case .noLog = made("high", 1, at: 5_000 + 86_400_000) else {
            Issue.record("a day ahead is taken")
            return
        }
        #expect(fault(Boards.score("high", by: 1, 1), Boards.registry) == .badSignature)
    }

    @Test func `bytes that are no record are refused, those of a newer version as such`() throws {
        let record = Boards.score("high", by: 1, 5)
        let bytes = record.encoded
        #expect(try ScoreRecord(decoding: bytes) == record)
        for length in 0..<bytes.count {
            #expect(throws: RecordFault.malformed) {
                _ = try ScoreRecord(decoding: Array(bytes.prefix(length)))
            }
        }
        #expect(throws: RecordFault.malformed) { _ = try ScoreRecord(decoding: bytes + [0]) }
        #expect(throws: RecordFault.malformed) {
            _ = try ScoreRecord(decoding: [UInt8](repeating: 0, count: Limits.recordBytesMax + 1))
        }
        var newer = bytes
        newer[1] = 2
        #expect(throws: RecordFault.newer(version: 2)) { _ = try ScoreRecord(decoding: newer) }
        var signed = 0
        for place in bytes.indices {
            var wrong = bytes
            wrong[place] ^= 1
            if let read = try? ScoreRecord(decoding: wrong), read.isSigned(.standIn) { signed += 1 }
        }
        #expect(signed == 0)
    }
}
