import Testing

@testable import ParlorGames

@Suite("Hangman, setters that cheat")
struct HangmanCheatTests {
    /// A table where seat 0 has set a word and its machine does nothing by itself.
    private func table(_ word: String = "garden", seats: Int = 2) throws -> HangmanTable {
        var table = try HangmanTable(seats: seats, options: [.init("any_word", false)])
        try table.word(word, by: 0)
        table.silent = [0]
        return table
    }

    private func duty(_ table: HangmanTable) throws -> (round: Int, move: HangmanMove) {
        let datum = try #require(table.game.duty(of: 0, secrets: table.secrets[0]))
        return try #require(HangmanMove.read(datum))
    }

    private func apply(_ move: HangmanMove, to table: inout HangmanTable) throws(Refusal) {
        try table.game.apply(.move(seat: 0, move.datum(round: table.game.number)), at: table.now)
    }

    @Test func `a false answer is found out when the word is opened`() throws {
        var table = try table()
        for letter in "garden" {
            try table.guess(String(letter), by: 1)
            guard case .answer(var answer) = try duty(table).move else {
                throw Refusal(.badParams, "no answer")
            }
            answer = HangmanMove.Answer(
                guesser: 1, number: answer.number, found: 0, isBad: true, rights: 0,
                commitment: answer.commitment, sealed: answer.sealed)
            try apply(.answer(answer), to: &table)
        }
        #expect(table.board(1)["state"] == "hanged")
        try apply(try duty(table).move, to: &table)
        #expect(
            table.view(1)["reveal"] == [
                "word": "garden", "honest": false, "setter": 0, "why": "gave a false answer to guess 1",
            ])
        // What the letters are worth by the true word, and fifty for the word that was not found.
        #expect(table.view(1)["scores"] == [0, 260])
        #expect(table.game.turn == [1])
    }

    @Test func `a word outside the list is found out`() throws {
        var table = try HangmanTable()
        var free = try HangmanTable(options: [.init("any_word", true)])
        let action: Value = ["do": "word", "word": "zzzz"]
        let move = try free.game.move(for: action, by: 0, secrets: table.secrets[0], at: table.now)
        try free.game.apply(.move(seat: 0, move), at: table.now)
        try table.game.apply(.move(seat: 0, move), at: table.now)
        try table.guess("garden", by: 1)
        #expect(
            table.view(1)["reveal"] == [
                "word": "zzzz", "honest": false, "setter": 0, "why": "set a word that is not in the list",
            ])
        #expect(table.view(1)["scores"] == [0, 50])
    }

    @Test func `an opening that fits no commitment loses the round`() throws {
        for place in 0..<5 {
            var table = try table()
            try table.guess("g", by: 1)
            try apply(try duty(table).move, to: &table)
            try table.act(["do": "solve", "word": "garden"], by: 1)
            try apply(try duty(table).move, to: &table)
            guard case .open(let open) = try duty(table).move else { throw Refusal(.badParams, "no opening") }
            let other = HangmanGuess(kind: .letter, text: "x", salt: Array(repeating: 0, count: 16))
            let forged = HangmanMove.Open(
                word: place == 0 ? "barden" : open.word,
                salt: place == 1 ? Array(repeating: 9, count: 16) : open.salt,
                salts: place == 2 ? Array(repeating: 9, count: 96) : open.salts,
                guesses: place == 3 ? [other, other] : place == 4 ? [] : open.guesses, link: nil)
            try apply(.open(forged), to: &table)
            #expect(table.view(1)["reveal"]?["honest"] == false, "\(place)")
            #expect(table.view(1)["scores"] == [0, 210], "\(place)")
        }
    }

    @Test func `a setter that does not answer or open in ten seconds loses the round`() throws {
        var table = try table(seats: 3)
        try table.guess("q", by: 1)
        #expect(table.game.deadline == 11_000)
        try table.expire()
        #expect(
            table.view(1)["reveal"] == [
                "word": nil, "honest": false, "setter": 0, "why": "did not answer a guess in time",
            ])
        #expect(table.view(1)["scores"] == [0, 50, 50])
        table = try self.table()
        try table.act(["do": "solve", "word": "garden"], by: 1)
        try apply(try duty(table).move, to: &table)
        #expect(table.game.deadline == 11_000)
        #expect(refusal { () throws(Refusal) in try table.game.apply(.expired, at: 10_999) } == .illegalMove)
        try table.expire()
        #expect(
            table.view(1)["reveal"] == [
                "word": nil, "honest": false, "setter": 0, "why": "did not show the word in time",
            ])
        #expect(table.view(1)["scores"] == [0, 210])
    }

    @Test func `an answer that contradicts itself is refused`() throws {
        var table = try table()
        try table.guess("g", by: 1)
        let hash = [UInt8](repeating: 1, count: 32)
        for (found, isBad, rights) in [
            (1, true, 0), (0, false, 1), (1, false, 0), (7, false, 1), (1, false, 2), (-1, true, 0),
        ] {
            let answer = HangmanMove.Answer(
                guesser: 1, number: 1, found: found, isBad: isBad, rights: rights, commitment: hash,
                sealed: [])
            #expect(refusal { () throws(Refusal) in try apply(.answer(answer), to: &table) } == .illegalMove)
        }
        for (guesser, number) in [(0, 1), (2, 1), (1, 2), (Int.max, Int.min)] {
            let answer = HangmanMove.Answer(
                guesser: guesser, number: number, found: 0, isBad: true, rights: 0, commitment: hash,
                sealed: [])
            #expect(refusal { () throws(Refusal) in try apply(.answer(answer), to: &table) } == .illegalMove)
        }
    }

    @Test func `a guess that cannot be read is a bad guess`() throws {
        var table = try HangmanTable()
        try table.word("garden", by: 0)
        let hash = [UInt8](repeating: 1, count: 32)
        for number in 1...6 {
            let sealed: [UInt8] =
                number % 2 == 0 ? [] : [0xEE, 1, 0, 0] + Array(repeating: 65, count: 16) + [1, 103]
            let guess = HangmanMove.guess(.init(number: number, commitment: hash, sealed: sealed))
            try table.game.apply(.move(seat: 1, guess.datum(round: 1)), at: table.now)
            try table.work()
        }
        #expect(table.board(1)["state"] == "hanged")
        #expect(table.view(1)["reveal"] == ["word": "garden", "honest": true])
        // Nobody can tell whose fault it is, so the setter has nothing from it.
        #expect(table.view(1)["scores"] == [0, 0])
    }

    @Test func `a setter that says of guesses that it cannot read them gains nothing`() throws {
        var table = try table(seats: 3)
        for letter in "garden" {
            try table.guess(String(letter), by: 1)
            guard case .answer(let answer) = try duty(table).move else { return }
            let seals = HangmanSeals(match: table.game.match, round: 1, hash: toyHash)
            let deaf = HangmanMove.Answer(
                guesser: 1, number: answer.number, found: 0, isBad: true, rights: 0,
                commitment: seals.answer([], salt: nil, number: answer.number, to: 1), sealed: [])
            try apply(.answer(deaf), to: &table)
        }
        for letter in "qwzxvk" {
            try table.guess(String(letter), by: 2)
            try apply(try duty(table).move, to: &table)
        }
        guard case .open(let open) = try duty(table).move else { return }
        let guesses = open.guesses.enumerated().map { $0 < 6 ? nil : $1 }
        let deaf = HangmanMove.Open(
            word: open.word, salt: open.salt, salts: open.salts, guesses: guesses, link: nil)
        try apply(.open(deaf), to: &table)
        #expect(table.view(1)["reveal"] == ["word": "garden", "honest": true])
        #expect(table.view(1)["scores"] == [10, 0, 0])
    }

    @Test func `a setter that gives a friend more than the guesses are worth is found out`() throws {
        var table = try HangmanTable(seats: 3, options: [.init("any_word", true)])
        try table.word("banana", by: 0)
        table.silent = [0]
        // The friend's one letter opens three positions, and the answer says that it were three letters.
        try table.guess("a", by: 1)
        guard case .answer(let answer) = try duty(table).move else { return }
        #expect(answer.found == 3)
        let generous = HangmanMove.Answer(
            guesser: 1, number: 1, found: 3, isBad: false, rights: 3, commitment: answer.commitment,
            sealed: answer.sealed)
        try apply(.answer(generous), to: &table)
        #expect(table.view(nil)["scores"] == [0, 60, 0])
        table.silent = []
        try table.act(["do": "solve", "word": "banana"], by: 1)
        #expect(table.view(nil)["scores"] == [0, 150, 0])
        try table.guess("bqan", by: 2)
        #expect(
            table.view(nil)["reveal"] == [
                "word": "banana", "honest": false, "setter": 0, "why": "gave a false answer to guess 1",
            ])
        #expect(table.view(nil)["scores"] == [0, 60, 40])
        #expect(table.board(1, seenBy: nil)["score"] == 60)
    }

    @Test func `by the true word, too, time that ran out ends a streak`() throws {
        var table = try HangmanTable(options: [.init("any_word", true), .init("turn_s", 5)])
        try table.word("banana", by: 0)
        try table.guess("ba", by: 1)
        try table.expire()
        table.silent = [0]
        try table.guess("n", by: 1)
        guard case .answer(let answer) = try duty(table).move else { return }
        let generous = HangmanMove.Answer(
            guesser: 1, number: 3, found: 6, isBad: false, rights: 2, commitment: answer.commitment,
            sealed: answer.sealed)
        try apply(.answer(generous), to: &table)
        #expect(table.view(nil)["scores"] == [0, 60])
        table.silent = []
        try table.work()
        #expect(table.view(nil)["reveal"]?["why"] == "gave a false answer to guess 3")
        #expect(table.view(nil)["scores"] == [0, 40])
    }

    @Test func `a drawn word that is not the chosen one is found out`() throws {
        for word in ["garden", "tea"] {
            var table = try HangmanTable()
            table.silent = [0]
            try table.expire()
            #expect(table.game.phase != .choosing)
            let free = try HangmanTable()
            let datum = try free.game.move(
                for: ["do": "word", "word": .string(word)], by: 0, secrets: table.secrets[0], at: 1_000)
            guard case .word(let set) = try #require(HangmanMove.read(datum)).move else { return }
            try apply(.word(set), to: &table, refused: true)
            let drawn = HangmanMove.Word(
                positions: set.positions, whole: set.whole, sealed: set.sealed, draw: 3)
            try apply(.word(drawn), to: &table)
            let truth = try #require(table.game.played?.draw).draw
            #expect(truth == 3)
            table.silent = []
            try table.guess("zqjkvx", by: 1)
            let opening = try #require(table.game.played?.draw)
            let chosen = table.game.drawnWord(opening, link: table.secrets[0].link(3), of: 0)
            #expect(table.view(1)["reveal"]?["honest"] == .bool(chosen == word))
        }
    }

    private func apply(_ move: HangmanMove, to table: inout HangmanTable, refused: Bool) throws {
        #expect(refusal { () throws(Refusal) in try apply(move, to: &table) } == .illegalMove)
    }

    @Test(arguments: ["guess", "commitment", "none"]) func `one answer of many that is false is enough`(
        lie: String
    ) throws {
        var table = try table()
        try table.guess("g", by: 1)
        guard case .answer(let first) = try duty(table).move else { return }
        let isCommitmentFalse = lie == "commitment"
        let bad = HangmanSeals(match: table.game.match, round: 1, hash: toyHash)
            .answer([], salt: self.salt(of: table), number: 1, to: 1)
        let answer = HangmanMove.Answer(
            guesser: 1, number: 1, found: lie == "guess" ? 0 : 1, isBad: lie == "guess",
            rights: lie == "guess" ? 0 : 1,
            commitment: isCommitmentFalse || lie == "guess" ? bad : first.commitment, sealed: first.sealed)
        try apply(.answer(answer), to: &table)
        for letter in ["x", "q", "z", "y", "w", "v"] where table.game.turn == [1] {
            try table.guess(letter, by: 1)
            guard case .answer(let next) = try duty(table).move else { return }
            let consistent = HangmanMove.Answer(
                guesser: 1, number: next.number, found: answer.found, isBad: true, rights: 0,
                commitment: next.commitment, sealed: next.sealed)
            try apply(.answer(consistent), to: &table)
        }
        guard case .open(let open) = try duty(table).move else { return }
        var guesses = open.guesses
        if lie == "guess", let real = guesses[0] {  // the setter claims that another letter was guessed
            guesses[0] = HangmanGuess(kind: .letter, text: "k", salt: real.salt)
        }
        let forged = HangmanMove.Open(
            word: open.word, salt: open.salt, salts: open.salts, guesses: guesses, link: open.link)
        try apply(.open(forged), to: &table)
        #expect(table.view(1)["reveal"]?["honest"] == .bool(lie == "none"))
    }

    /// The salt of seat 1's first guess, as the setter reads it.
    private func salt(of table: HangmanTable) -> [UInt8]? {
        let sealed = table.game.played?.boards.first?.guesses.first?.sealed ?? []
        return table.secrets[0].open(sealed, 1).flatMap(HangmanSeals.guess)?.salt
    }

    @Test func `a guesser believes no letter and no guess that fits no commitment`() throws {
        var table = try table()
        try table.guess("q", by: 1)
        guard case .answer(let honest) = try duty(table).move else { return }
        let echo = HangmanGuess(kind: .letter, text: "k", salt: [])
        let opening = HangmanOpening(position: 0, salt: Array(repeating: 1, count: 16), letter: "q")
        let mine = HangmanGuess(kind: .letter, text: "q", salt: [])
        for plain in [
            HangmanSeals.plain(answer: echo, openings: []),
            HangmanSeals.plain(answer: mine, openings: [opening]),
            [], [0, 9, 9], [7],
        ] {
            var copy = table
            let answer = HangmanMove.Answer(
                guesser: 1, number: 1, found: 0, isBad: true, rights: 0, commitment: honest.commitment,
                sealed: table.secrets[0].seal(plain, 1) ?? [])
            try apply(.answer(answer), to: &copy)
            #expect(copy.view(1)["mask"] == "_ _ _ _ _ _")
            let wrong = copy.board(1)["wrong"]
            #expect(wrong == [] || wrong == ["Q"])
            #expect(copy.board(1)["bad"] == 1)
        }
    }

    @Test func `moves of another round are refused`() throws {
        var table = try table()
        try table.guess("g", by: 1)
        let datum = try duty(table).move.datum(round: 2)
        #expect(
            refusal { () throws(Refusal) in try table.game.apply(.move(seat: 0, datum), at: 2_000) }
                == .illegalMove)
    }
}
