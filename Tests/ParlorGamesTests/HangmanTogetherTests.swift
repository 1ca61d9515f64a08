import Testing

@testable import ParlorGames

@Suite("Hangman, all on one board")
struct HangmanTogetherTests {
    private func table(
        seats: Int = 3, first: Int = 0, turn: Int = 60, words: [String] = ["garden", "tea"],
        _ options: [Value.Member] = []
    ) throws -> HangmanTable {
        try HangmanTable(
            seats: seats, first: first,
            options: [.init("mode", "together"), .init("turn_s", .int(turn))] + options, words: words)
    }

    private func apply(_ move: HangmanMove, by seat: Int, to table: inout HangmanTable) throws(Refusal) {
        try table.game.apply(.move(seat: seat, move.datum(round: table.game.number)), at: table.now)
    }

    @Test func `guessers take turns and everybody sees all but the word`() throws {
        var table = try table(first: 1)
        try table.word("garden", by: 1)
        #expect(table.game.turn == [2])
        #expect(table.legal(2) == [["do": "guess", "letter": nil], ["do": "solve", "word": nil]])
        #expect(table.legal(0) == [])
        #expect(table.legal(1) == [])
        try table.guess("e", by: 2)
        #expect(table.game.turn == [0])
        try table.guess("q", by: 0)
        try table.guess("a", by: 2)
        try table.guess("r", by: 0)
        let seen: Value = [
            "round": 1, "setter": 1, "mask": "_ A R _ E _", "length": 6,
            "boards": [
                [
                    "seat": nil, "mask": "_ A R _ E _", "found": 3, "wrong": ["Q"], "bad": 1,
                    "state": "guessing", "score": 40, "last": ["seat": 0, "guess": "R", "opened": 1],
                ]
            ], "reveal": nil, "scores": [20, 0, 20],
        ]
        #expect(table.view(0) == seen)
        #expect(table.view(2) == seen)
        #expect(table.view(nil) == seen)
        #expect(table.view(1)["word"] == "garden")
        #expect(table.view(1)["mask"] == "_ A R _ E _")
        try table.act(["do": "solve", "word": "GARDEN"], by: 2)
        #expect(table.view(nil)["reveal"] == ["word": "garden", "honest": true])
        #expect(table.view(nil)["scores"] == [20, 0, 140])
        #expect(table.game.turn == [2])
        #expect(table.view(nil)["round"] == 2)
    }

    @Test func `out of turn, a repeat and a guess by the setter are refused, each saying why`() throws {
        var table = try table()
        try table.word("garden", by: 0)
        func why(_ action: Value, _ seat: Int) -> String {
            do { try table.act(action, by: seat) } catch {
                return "\(error.reason.rawValue): \(error.message)"
            }
            return ""
        }
        #expect(
            why(["do": "guess", "letter": "e"], 2) == "not-your-turn: it is another player's turn to guess")
        #expect(
            why(["do": "guess", "letter": "e"], 0) == "illegal-move: you set this word; the others guess")
        try table.guess("q", by: 1)
        try table.guess("e", by: 2)
        let before = bytes(table.game)
        for letter in ["Q", "é", "E"] {
            #expect(
                why(["do": "guess", "letter": .string(letter)], 1)
                    == "illegal-move: that was tried already; it costs nothing, try something else")
        }
        #expect(before == bytes(table.game))
        // Another client than this one is refused the same by everybody.
        let repeated = HangmanMove.call(.init(number: 3, kind: .letter, text: "Q"))
        #expect(refusal { () throws(Refusal) in try apply(repeated, by: 1, to: &table) } == .illegalMove)
        let sealed = HangmanMove.guess(
            .init(number: 3, commitment: Array(repeating: 1, count: 32), sealed: []))
        #expect(refusal { () throws(Refusal) in try apply(sealed, by: 1, to: &table) } == .illegalMove)
        for number in [0, 2, 4, Int.max] {
            let call = HangmanMove.call(.init(number: number, kind: .letter, text: "x"))
            #expect(refusal { () throws(Refusal) in try apply(call, by: 1, to: &table) } == .illegalMove)
        }
        for (kind, text) in [
            (0, "xy"), (0, "1"), (0, ""), (1, ""), (1, " tea"), (1, "e\u{301}t"), (2, "x"),
            (1, String(repeating: "x", count: 192)),
        ] {
            let datum: Datum = .list([.int(4), .int(1), .int(3), .int(kind), .text(text)])
            #expect(
                refusal { () throws(Refusal) in try table.game.apply(.move(seat: 1, datum), at: table.now) }
                    == .badParams, "\(text)")
        }
    }

    @Test func `in a race nobody guesses openly`() throws {
        var table = try HangmanTable()
        try table.word("garden", by: 0)
        let call = HangmanMove.call(.init(number: 1, kind: .letter, text: "x"))
        #expect(refusal { () throws(Refusal) in try apply(call, by: 1, to: &table) } == .illegalMove)
        table.silent = [0]
        try table.guess("g", by: 1)
        let hit = HangmanMove.hit(.init(number: 1, openings: []))
        #expect(refusal { () throws(Refusal) in try apply(hit, by: 0, to: &table) } == .illegalMove)
    }

    @Test func `time that runs out passes the turn and costs nothing`() throws {
        var table = try table(turn: 5)
        try table.word("garden", by: 0)
        #expect(table.game.deadline == 6_000)
        try table.guess("g", by: 1)
        try table.expire()
        #expect(table.game.turn == [1])
        #expect(table.board(1, seenBy: 1) == .null)
        #expect(table.view(nil)["boards"]?.elements?.first?["bad"] == 0)
        try table.guess("a", by: 1)
        #expect(table.view(nil)["scores"] == [0, 30, 0])
    }

    @Test func `a word that nobody guesses comes to an end all the same`() throws {
        var table = try table(turn: 5)
        try table.word("garden", by: 0)
        for _ in 0..<4 { try table.expire() }
        #expect(table.view(nil)["boards"]?.elements?.first?["bad"] == 0)
        try table.expire()
        #expect(table.view(nil)["boards"]?.elements?.first?["bad"] == 1)
        try table.guess("g", by: table.game.turn[0])
        for _ in 0..<8 { try table.expire() }
        #expect(table.view(nil)["reveal"] == .null)
        try table.expire()
        #expect(table.view(nil)["reveal"] == ["word": "garden", "honest": true])
        #expect(table.view(nil)["scores"] == [20, 0, 10])
    }

    @Test func `a guesser that is away is skipped, and guesses again once back`() throws {
        var table = try table(seats: 4)
        try table.word("garden", by: 0)
        #expect(table.game.turn == [1])
        try table.game.apply(.away(seat: 1), at: 2_000)
        #expect(table.game.turn == [2])
        #expect(table.game.deadline == 62_000)
        try table.guess("g", by: 2)
        try table.guess("a", by: 3)
        #expect(table.game.turn == [2])
        try table.game.apply(.back(seat: 1), at: 3_000)
        #expect(table.game.turn == [2])
        try table.guess("r", by: 2)
        try table.guess("d", by: 3)
        #expect(table.game.turn == [1])
        try table.game.apply(.left(seat: 1), at: 3_000)
        #expect(table.game.turn == [2])
    }

    @Test func `while all guessers are away nobody is to guess, and the first one back is`() throws {
        var table = try table()
        try table.word("garden", by: 0)
        try table.game.apply(.away(seat: 1), at: 2_000)
        try table.game.apply(.away(seat: 2), at: 2_000)
        #expect(table.game.turn == [])
        #expect(table.game.deadline == nil)
        #expect(table.game.outcomes == nil)
        try table.game.apply(.back(seat: 2), at: 9_000)
        #expect(table.game.turn == [2])
        #expect(table.game.deadline == 69_000)
    }

    @Test func `the guess of one who goes before the answer counts`() throws {
        for isAway in [true, false] {
            var table = try table()
            try table.word("garden", by: 0)
            table.silent = [0]
            try table.guess("g", by: 1)
            #expect(table.game.turn == [])
            try table.game.apply(isAway ? .away(seat: 1) : .left(seat: 1), at: 2_000)
            #expect(table.game.turn == [])
            table.silent = []
            try table.work()
            #expect(table.game.turn == [2])
            #expect(table.view(nil)["mask"] == "G _ _ _ _ _")
            #expect(table.view(nil)["scores"] == [0, 10, 0])
        }
    }

    @Test func `guessers wait for a setter that is away and share what one that leaves loses`() throws {
        var table = try table()
        try table.word("garden", by: 0)
        try table.guess("g", by: 1)
        try table.game.apply(.away(seat: 0), at: 2_000)
        table.silent = [0]
        try table.guess("a", by: 2)
        #expect(table.game.deadline == nil)
        try table.game.apply(.left(seat: 0), at: 3_000)
        #expect(table.view(nil)["scores"] == [0, 60, 50])
        #expect(table.view(nil)["reveal"] == .null)
        #expect(table.game.turn == [1])
    }

    @Test func `a hanged board is ten for the setter from each guesser`() throws {
        var table = try table(seats: 4)
        try table.word("garden", by: 0)
        for (index, letter) in "qwzxvk".enumerated() { try table.guess(String(letter), by: 1 + index % 3) }
        #expect(table.view(nil)["reveal"] == ["word": "garden", "honest": true])
        #expect(table.view(nil)["scores"] == [30, 0, 0, 0])
        #expect(table.view(nil)["boards"]?.elements?.first?["state"] == "hanged")
    }

    @Test func `alone on the board of all is a game alone`() throws {
        var table = try table(seats: 1, words: ["garden"])
        try table.work()
        #expect(table.game.turn == [0])
        try table.guess("gardex", by: 0, refusedAt: 9)
        #expect(table.view(0)["mask"] == "G A R D E _")
        try table.game.apply(.away(seat: 0), at: table.now)
        #expect(table.game.turn == [])
        try table.game.apply(.back(seat: 0), at: table.now)
        try table.guess("n", by: 0)
        #expect(table.game.outcomes == [.won])
    }

    // MARK: Setters that cheat

    /// A table where 1 has guessed, and the setter's machine is silent.
    private func asked(_ action: Value, word: String = "tatter") throws -> HangmanTable {
        var table = try table(words: ["garden", "tatter"])
        try table.word(word, by: 0)
        table.silent = [0]
        try table.act(action, by: 1)
        return table
    }

    private func answer(_ table: HangmanTable) throws -> HangmanMove.Hit {
        let datum = try #require(table.game.duty(of: 0, secrets: table.secrets[0]))
        guard case .hit(let hit) = try #require(HangmanMove.read(datum)).move else {
            throw Refusal(.badParams, "no answer")
        }
        return hit
    }

    @Test func `an answer that opens what the guess does not is refused`() throws {
        var table = try asked(["do": "guess", "letter": "t"])
        let honest = try answer(table).openings
        #expect(honest.map(\.position) == [0, 2, 3])
        let word = try HangmanWord("tatter")
        let others = table.game.openings(of: word, at: [1, 4], secrets: table.secrets[0])
        let salt = [UInt8](repeating: 3, count: 16)
        let forged: [[HangmanOpening]] = [
            honest.reversed(), honest + honest, [others[0]], honest + [others[1]],
            [HangmanOpening(position: 0, salt: salt, letter: "t")],
            [HangmanOpening(position: 0, salt: honest[0].salt, letter: "T")],
            [HangmanOpening(position: -1, salt: honest[0].salt, letter: "t")],
            [HangmanOpening(position: 6, salt: honest[0].salt, letter: "t")],
            [HangmanOpening(position: Int.max, salt: honest[0].salt, letter: "t")],
        ]
        let before = bytes(table.game)
        for openings in forged {
            let hit = HangmanMove.hit(.init(number: 1, openings: openings))
            #expect(
                refusal { () throws(Refusal) in try apply(hit, by: 0, to: &table) } == .illegalMove,
                "\(openings)")
        }
        for (seat, number) in [(1, 1), (2, 1), (0, 0), (0, 2)] {
            let hit = HangmanMove.hit(.init(number: number, openings: honest))
            #expect(refusal { () throws(Refusal) in try apply(hit, by: seat, to: &table) } == .illegalMove)
        }
        #expect(before == bytes(table.game))
        try apply(.hit(.init(number: 1, openings: honest)), by: 0, to: &table)
        let again = HangmanMove.hit(.init(number: 1, openings: honest))
        #expect(refusal { () throws(Refusal) in try apply(again, by: 0, to: &table) } == .illegalMove)
    }

    @Test func `a wrong word cannot be answered as the right one`() throws {
        var table = try asked(["do": "solve", "word": "tattoo"])
        let word = try HangmanWord("tatter")
        let all = table.game.openings(of: word, at: Array(0..<6), secrets: table.secrets[0])
        for openings in [all, Array(all.prefix(4))] {
            let hit = HangmanMove.hit(.init(number: 1, openings: openings))
            #expect(refusal { () throws(Refusal) in try apply(hit, by: 0, to: &table) } == .illegalMove)
        }
        try apply(.hit(try answer(table)), by: 0, to: &table)
        #expect(table.view(nil)["boards"]?.elements?.first?["wrong"] == ["TATTOO"])
    }

    @Test(arguments: [[], [0], [0, 2]])
    func `a hit that is kept back shows at the end, costs the setter the round and names it`(
        opened: [Int]
    ) throws {
        var table = try asked(["do": "guess", "letter": "t"])
        let openings = try answer(table).openings.filter { opened.contains($0.position) }
        try apply(.hit(.init(number: 1, openings: openings)), by: 0, to: &table)
        table.silent = []
        for letter in "qwzxvk" where table.view(nil)["round"] == 1 {
            try table.guess(String(letter), by: table.game.turn[0])
        }
        #expect(
            table.view(nil)["reveal"] == [
                "word": "tatter", "honest": false, "setter": 0, "why": "gave a false answer to guess 1",
            ])
        // The guess is worth what it was worth by the true word, whatever the answer said.
        #expect(table.view(nil)["scores"] == [0, 60, 50])
    }

    @Test func `a setter that does not answer or show its word in time loses the round`() throws {
        var table = try asked(["do": "guess", "letter": "t"])
        #expect(table.game.deadline == 11_000)
        try table.expire()
        #expect(
            table.view(nil)["reveal"] == [
                "word": nil, "honest": false, "setter": 0, "why": "did not answer a guess in time",
            ])
        #expect(table.view(nil)["scores"] == [0, 50, 50])
        table = try asked(["do": "solve", "word": "tatter"])
        try apply(.hit(try answer(table)), by: 0, to: &table)
        try table.expire()
        #expect(table.view(nil)["reveal"]?["why"] == "did not show the word in time")
        #expect(table.view(nil)["scores"] == [0, 100, 0])
    }
}
