import Testing

@testable import ParlorGames

@Suite("Hangman, played by hand")
struct HangmanTests {
    @Test func `a word is set, guessed letter by letter and opened`() throws {
        var table = try HangmanTable(first: 1)
        #expect(table.game.turn == [1])
        #expect(table.legal(1) == [["do": "word", "word": nil]])
        #expect(table.legal(0) == [])
        #expect(table.game.deadline == 91_000)
        try table.word("Garden", by: 1)
        #expect(table.game.turn == [0])
        #expect(table.legal(0) == [["do": "guess", "letter": nil], ["do": "solve", "word": nil]])
        try table.guess("eaq", by: 0)
        #expect(
            table.view(0) == [
                "round": 1, "setter": 1, "mask": "_ A _ _ E _", "length": 6,
                "boards": [
                    [
                        "seat": 0, "mask": "_ A _ _ E _", "found": 2, "wrong": ["Q"], "bad": 1,
                        "state": "guessing",
                        "score": 30,
                    ]
                ], "reveal": nil, "scores": [30, 0],
            ])
        #expect(table.view(1)["word"] == "Garden")
        #expect(table.view(1)["mask"] == "_ _ _ _ _ _")
        #expect(table.view(nil)["word"] == nil)
        #expect(
            table.board(0, seenBy: 1)
                == ["seat": 0, "found": 2, "wrong": [], "bad": 1, "state": "guessing", "score": 30])
        try table.act(["do": "solve", "word": "gARDEN"], by: 0)
        #expect(table.board(0)["state"] == "solved")
        #expect(table.board(0)["score"] == .int(30 + 10 + 20 + 30 + 40))
        #expect(table.view(0)["reveal"] == ["word": "Garden", "honest": true])
        #expect(table.view(0)["scores"] == [130, 0])
        #expect(table.view(0)["round"] == 2)
        #expect(table.view(0)["setter"] == 0)
        #expect(table.game.turn == [0])
        try table.word("tea", by: 0)
        #expect(table.view(1)["reveal"] == .null)
        try table.guess("qwzxvk", by: 1)
        #expect(table.game.outcomes == [.won, .lost])
        #expect(table.view(nil)["scores"] == [140, 0])
        #expect(table.view(1)["reveal"] == ["word": "tea", "honest": true])
        #expect(refusal { () throws(Refusal) in try table.guess("t", by: 1) } == .matchEnded)
    }

    @Test func `a word that does not qualify is refused with why, as often as it takes`() throws {
        var table = try HangmanTable()
        for word in [
            "", "x", "gar2den", "garden!", "pudding", String(repeating: "a", count: 33), "🎲🎲", "tea\ttea",
        ] {
            #expect(refusal { () throws(Refusal) in try table.word(word, by: 0) } == .wordInvalid, "\(word)")
        }
        #expect(refusal { () throws(Refusal) in try table.word("tea", by: 1) } == .notYourTurn)
        try table.word("  TEA ", by: 0)
        #expect(table.view(0)["word"] == "TEA")
        #expect(refusal { () throws(Refusal) in try table.word("tea", by: 0) } == .illegalMove)
        var free = try HangmanTable(options: [.init("any_word", true)])
        try free.word("x-ray o’clock", by: 0)
        #expect(free.view(1)["mask"] == "_ - _ _ _ / _ ’ _ _ _ _ _")
        #expect(free.view(1)["length"] == 10)
    }

    @Test func `case and accents are folded for guessing and shown as they are`() throws {
        var table = try HangmanTable(options: [.init("any_word", true)])
        try table.word("Cafe\u{301} Straße ıİς", by: 0)
        try table.guess("e", by: 1)
        #expect(table.view(1)["mask"] == "_ _ _ É / _ _ _ _ _ E / _ _ _")
        try table.guess("Ii", by: 1, refusedAt: 1)
        #expect(table.view(1)["mask"] == "_ _ _ É / _ _ _ _ _ E / I İ _")
        try table.guess("s", by: 1)
        #expect(table.view(1)["mask"] == "_ _ _ É / S _ _ _ ß E / I İ _")
        #expect(refusal { () throws(Refusal) in try table.guess("ß", by: 1) } == .illegalMove)
        try table.guess("Σ", by: 1)
        try table.act(["do": "solve", "word": "CAFE strase iiΣ"], by: 1)
        #expect(table.board(1)["state"] == "solved")
        #expect(table.view(1)["reveal"]?["honest"] == true)
    }

    @Test(arguments: [
        ("Ёлка", "елк", "Ё Л К А", 3), ("ΣΊΣΥΦΟΣ", "ςιυφο", "Σ Ί Σ Υ Φ Ο Σ", 5), ("日本", "日本", "日 本", 2),
        ("한글", "한글", "한 글", 2), ("שָׁלוֹם", "שלומ", "", 3), ("naïve", "naive", "N A Ï V E", 5),
        ("ångström", "angstrom", "Å N G S T R Ö M", 8), ("Đà Nẵng", "đang", "Đ À / N Ẵ N G", 4),
    ])
    func `words of any script are guessed by their letters`(
        word: String, letters: String, mask: String, rights: Int
    ) throws {
        var table = try HangmanTable(options: [.init("any_word", true)])
        try table.word(word, by: 0)
        for letter in letters where table.board(1)["state"] == "guessing" {
            try table.guess(String(letter), by: 1)
        }
        if word == "Ёлка" { try table.guess("а", by: 1) }
        if word == "שָׁלוֹם" { return }  // its last letter has a form of its own, which nothing folds
        #expect(table.view(1)["mask"] == .string(mask))
        #expect(table.board(1)["state"] == "solved")
        #expect(table.board(1)["bad"] == 0)
    }

    @Test(arguments: [
        ("", "type a word of 2 to 32 letters"), ("  ", "type a word of 2 to 32 letters"),
        ("a", "a word has 2 to 32 letters, and this has 1"),
        ("'-'", "a word has 2 to 32 letters, and this has none"),
        ("gar2den", "a word has letters, spaces, hyphens and apostrophes, not '2'"),
        ("tea🎲", "a word has letters, spaces, hyphens and apostrophes, not '🎲'"),
        ("te\u{202E}a", "a word has letters, spaces, hyphens and apostrophes, nothing else"),
        ("te\ta", "a word has letters, spaces, hyphens and apostrophes, nothing else"),
        (
            "a" + String(repeating: "-", count: 63) + "b",
            "a word has at most 32 letters and 64 characters in all"
        ),
        (String(repeating: "a", count: 33), "a word has 2 to 32 letters, and this has 33"),
        (String(repeating: "a", count: 5_000), "a word has at most 32 letters and 64 characters in all"),
        ("zzqx", "'zzqx' is not in the word list; choose a word that is"),
    ])
    func `why a word does not qualify is said`(word: String, why: String) throws {
        let table = try HangmanTable()
        do throws(Refusal) {
            _ = try table.game.move(
                for: ["do": "word", "word": .string(word)], by: 0, secrets: table.secrets[0], at: table.now)
            Issue.record("it was taken")
        } catch {
            #expect(error == Refusal(.wordInvalid, why))
        }
    }

    @Test func `a setter that is away while its word is drawn, or does not set it, loses its turn`() throws {
        for isAway in [true, false] {
            var table = try HangmanTable(seats: 3)
            table.silent = [0]
            table.now = 91_000
            try table.game.apply(.expired, at: table.now)
            #expect(table.game.deadline == nil)
            if isAway {
                try table.game.apply(.away(seat: 0), at: 92_000)
                #expect(table.game.deadline == 122_000)
                try table.game.apply(.expired, at: 122_000)
            } else {
                try table.game.apply(.opened(table.opening(try #require(table.game.need))), at: 93_000)
                #expect(table.game.deadline == 103_000)
                #expect(refusal { () throws(Refusal) in try table.game.apply(.expired, at: 102_999) } != nil)
                try table.game.apply(.expired, at: 103_000)
            }
            #expect(table.game.turn == [1])
            #expect(table.view(nil)["round"] == 2)
            #expect(table.view(nil)["scores"] == [0, 0, 0])
        }
    }

    @Test func `alone, being away waits for nothing but the own return`() throws {
        var table = try HangmanTable(seats: 1, options: [.init("turn_s", 5)], words: ["garden"])
        try table.game.apply(.away(seat: 0), at: 2_000)
        #expect(table.game.deadline == nil)
        #expect(table.game.need != nil)
        try table.game.apply(.back(seat: 0), at: 3_000)
        try table.work()
        #expect(table.game.deadline == 8_000)
        try table.game.apply(.away(seat: 0), at: 4_000)
        #expect(table.game.deadline == nil)
        try table.game.apply(.left(seat: 0), at: 5_000)
        #expect(table.game.outcomes == [.quit])
    }

    @Test func `the setter's time to answer begins with the word`() throws {
        var table = try HangmanTable()
        table.now = 5_000
        try table.word("garden", by: 0)
        #expect(table.game.since == 5_000)
    }

    @Test func `the letter ß answers to itself and to s, and hides no s`() throws {
        var table = try HangmanTable(options: [.init("any_word", true)])
        try table.word("straße", by: 0)
        try table.guess("ß", by: 1)
        #expect(table.view(1)["mask"] == "_ _ _ _ ß _")
        try table.guess("s", by: 1)
        #expect(table.view(1)["mask"] == "S _ _ _ ß _")
        try table.guess("trae", by: 1)
        #expect(table.board(1)["state"] == "solved")
    }

    @Test func `a repeat and anything that is no letter cost nothing`() throws {
        var table = try HangmanTable()
        try table.word("garden", by: 0)
        try table.guess("gq", by: 1)
        let before = bytes(table.game)
        for letter in ["g", "G", "Q", "1", "", "ga", "-"] {
            let action: Value = ["do": "guess", "letter": .string(letter)]
            #expect(
                refusal { () throws(Refusal) in try table.act(action, by: 1) } == .illegalMove, "\(letter)")
        }
        try table.act(["do": "solve", "word": "tea"], by: 1)
        #expect(table.board(1)["wrong"] == ["Q", "TEA"])
        #expect(
            refusal { () throws(Refusal) in try table.act(["do": "solve", "word": "Tea"], by: 1) }
                == .illegalMove)
        #expect(refusal { () throws(Refusal) in try table.guess("a", by: 0) } == .illegalMove)
        for action: Value in [
            nil, ["do": "guess"], ["do": "guess", "letter": 1], ["do": "solve"], ["do": "flip"],
        ] {
            #expect(refusal { () throws(Refusal) in try table.act(action, by: 1) } == .badParams)
        }
        #expect(before != bytes(table.game))
    }

    @Test func `a guess waits for the answer to the last one`() throws {
        var table = try HangmanTable()
        try table.word("garden", by: 0)
        table.silent = [0]
        try table.guess("g", by: 1)
        #expect(table.game.turn == [])
        #expect(table.legal(1) == [])
        #expect(refusal { () throws(Refusal) in try table.guess("a", by: 1) } == .illegalMove)
        table.silent = []
        try table.work()
        try table.guess("a", by: 1)
        #expect(table.board(1)["found"] == 2)
    }

    @Test func `a streak ends with a wrong letter, the sixth loses`() throws {
        var table = try HangmanTable(seats: 3)
        try table.word("garden", by: 0)
        try table.guess("gqaryu", by: 1)
        #expect(table.board(1)["score"] == .int(10 + 10 + 20))
        try table.guess("iop", by: 1)
        #expect(table.board(1)["state"] == "hanged")
        #expect(refusal { () throws(Refusal) in try table.guess("n", by: 1) } == .illegalMove)
        #expect(table.game.turn == [2])
        try table.act(["do": "solve", "word": "garden"], by: 2)
        #expect(table.view(nil)["scores"] == [10, 40, 210])
        #expect(table.game.turn == [1])
    }

    @Test func `the setter rotates by seat, each as often as the rounds say`() throws {
        var table = try HangmanTable(seats: 3, first: 2, options: [.init("rounds", 2)])
        var setters: [Int] = []
        while table.game.outcomes == nil {
            let setter = table.game.turn[0]
            setters.append(setter)
            try table.word("tea", by: setter)
            for seat in table.game.turn { try table.act(["do": "solve", "word": "tea"], by: seat) }
        }
        #expect(setters == [2, 0, 1, 2, 0, 1])
        #expect(table.game.outcomes == [.tied, .tied, .tied])
    }

    @Test func `after ninety seconds a word is drawn that only the setter's machine knows`() throws {
        var table = try HangmanTable(words: ["garden", "tea", "x1", "cup"])
        table.silent = [0, 1]
        table.now = 91_000
        try table.game.apply(.expired, at: 91_000)
        #expect(table.game.need == GameNeed(among: 3, keptBy: 0, notBefore: 91_000))
        #expect(refusal { () throws(Refusal) in try table.word("tea", by: 0) } == .illegalMove)
        table.silent = []
        try table.work()
        let word = try #require(table.view(0)["word"]?.text)
        #expect(["garden", "tea", "cup"].contains(word))
        #expect(table.game.duty(of: 0, secrets: table.secrets[0]) == nil)
        try table.guess("zqjkvx", by: 1)
        #expect(table.view(1)["reveal"] == ["word": .string(word), "honest": true])
        #expect(table.view(1)["scores"] == [0, 0])
    }

    @Test func `alone, a word of four to eight letters comes from the list`() throws {
        var table = try HangmanTable(seats: 1, words: ["tea", "garden", "incomprehensible"])
        try table.work()
        #expect(table.view(0)["length"] == 6)
        #expect(table.view(0)["word"] == nil)
        try table.guess("garden", by: 0)
        #expect(table.game.outcomes == [.won])
        #expect(table.view(0)["reveal"] == ["word": "garden", "honest": true])
        #expect(table.view(0)["scores"] == [210])
        var lost = try HangmanTable(seats: 1)
        try lost.work()
        try lost.guess("zqjkvx", by: 0)
        #expect(lost.game.outcomes == [.lost])
    }

    @Test func `a guesser out of time takes a bad guess`() throws {
        var table = try HangmanTable(options: [.init("turn_s", 5)])
        try table.word("garden", by: 0)
        #expect(table.game.deadline == 6_000)
        try table.guess("ga", by: 1)
        for _ in 0..<5 { try table.expire() }
        #expect(table.board(1)["bad"] == 5)
        try table.guess("r", by: 1)
        #expect(table.board(1)["score"] == .int(10 + 20 + 10))
        try table.expire()
        #expect(table.board(1)["state"] == "hanged")
        #expect(table.view(1)["reveal"]?["honest"] == true)
        #expect(table.view(1)["scores"] == [10, 40])
    }

    @Test func `a setter that leaves gives fifty to each who still guesses`() throws {
        var table = try HangmanTable(seats: 3)
        try table.word("garden", by: 0)
        try table.act(["do": "solve", "word": "garden"], by: 1)
        try table.game.apply(.left(seat: 0), at: table.now)
        #expect(table.view(nil)["scores"] == [0, 210, 50])
        #expect(table.view(nil)["reveal"] == .null)
        // Nobody guesses on the boards of a word that is gone.
        #expect(table.view(1)["boards"] == [])
        #expect(table.view(1)["mask"] == "")
        #expect(table.view(1)["length"] == 0)
        #expect(table.game.turn == [1])
        try table.game.apply(.left(seat: 2), at: table.now)
        #expect(table.game.outcomes == [.quit, .first, .quit])
    }

    @Test func `a setter that is away before its word is passed over, later it is waited for`() throws {
        var table = try HangmanTable(seats: 3)
        try table.game.apply(.away(seat: 0), at: 5_000)
        #expect(table.game.deadline == 35_000)
        try table.game.apply(.back(seat: 0), at: 6_000)
        #expect(table.game.deadline == 91_000)
        try table.game.apply(.away(seat: 0), at: 7_000)
        table.now = 37_000
        try table.expire()
        #expect(table.game.turn == [1])
        #expect(table.view(nil)["round"] == 2)
        try table.word("tea", by: 1)
        try table.game.apply(.away(seat: 1), at: table.now)
        table.silent = [1]
        try table.guess("t", by: 2)
        try table.game.apply(.left(seat: 0), at: table.now)
        #expect(table.game.deadline == nil)
        table.now += 50_000
        try table.game.apply(.back(seat: 1), at: table.now)
        #expect(table.game.deadline == table.now + 10_000)
    }

    @Test func `nobody waits for a guesser that is away`() throws {
        var table = try HangmanTable(seats: 3)
        try table.word("tea", by: 0)
        try table.game.apply(.away(seat: 2), at: table.now)
        try table.guess("tea", by: 1)
        #expect(table.view(nil)["reveal"]?["honest"] == true)
        #expect(table.view(nil)["scores"] == [0, 60, 0])
        var two = try HangmanTable()
        try two.word("tea", by: 0)
        try two.game.apply(.away(seat: 1), at: two.now)
        #expect(two.view(nil)["reveal"] == .null)
        #expect(two.game.deadline == nil)
        try two.game.apply(.back(seat: 1), at: 9_000)
        #expect(two.game.deadline == 69_000)
    }

    @Test func `the state holds no secret and a machine that starts again knows all it knew`() throws {
        var table = try HangmanTable()
        try table.word("garden", by: 0)
        try table.guess("gaq", by: 1)
        #expect(table.game.view(for: 1, secrets: nil, at: table.now)["mask"] == "_ _ _ _ _ _")
        #expect(table.game.view(for: 0, secrets: nil, at: table.now)["word"] == nil)
        #expect(table.game.view(for: 0, secrets: table.secrets[1], at: table.now)["word"] == nil)
        #expect(table.view(1)["mask"] == "G A _ _ _ _")
    }
}

extension HangmanTable {
    /// Guesses letters of which the one at a place must be refused.
    mutating func guess(_ letters: String, by seat: Int, refusedAt place: Int) throws {
        for (index, letter) in letters.enumerated() {
            let reason = refusal { () throws(Refusal) in try guess(String(letter), by: seat) }
            #expect((reason == nil) == (index != place))
        }
    }
}
