import Testing

@testable import ParlorGames

/// What bots make up their minds to do, from what they see alone.
struct BotTests {
    // MARK: Snap

    private func table(
        _ tops: [String?], flips: Int, legal: [Value] = [["do": "snap"], ["do": "pool"]],
        pool: String? = nil, kind: String = "flip", now: Int = 10_000
    ) -> BotSight {
        let seats: [Value] = tops.map { top in
            ["closed": 10, "open": 1, "top": top.map { .string($0) } ?? nil, "in": true]
        }
        let pooled: Value = pool.map { ["count": 3, "top": .string($0)] } ?? nil
        return BotSight(
            seat: 1,
            view: [
                "seats": .array(seats), "flips": .int(flips), "pool": pooled,
                "last": ["kind": .string(kind)],
            ], legal: legal, now: now)
    }

    private static let mayFlip: [Value] = [["do": "flip"], ["do": "snap"], ["do": "pool"]]

    @Test(arguments: BotSkill.allCases)
    func `a bot calls a pair within the time of its level`(skill: BotSkill) {
        let range = [
            BotSkill.easy: 500...2_500, .normal: 350...1_200, .hard: 250...700,
        ][skill]
        var waits: [Int] = []
        for seed in UInt64(0)..<400 {
            var bot = SnapBot(level: skill, seed: seed)
            guard let plan = bot.plan(table(["7H", "7D"], flips: 2)) else {
                Issue.record("seed \(seed): it sees no pair")
                continue
            }
            #expect(plan.action == ["do": "snap"])
            waits.append(plan.at - 10_000)
            // Asked again, it stays with its plan.
            #expect(bot.plan(table(["7H", "7D"], flips: 2, now: 10_100)) == plan)
        }
        let (least, most) = (waits.min() ?? 0, waits.max() ?? 0)
        #expect(range?.contains(least) ?? false, "\(skill): \(least)")
        #expect(range?.contains(most) ?? false, "\(skill): \(most)")
        // All of the range is used.
        let width = (range?.upperBound ?? 0) - (range?.lowerBound ?? 0)
        #expect(most - least > width * 9 / 10, "\(skill): \(least) to \(most)")
    }

    @Test func `a bot flips within a second of its turn`() {
        var waits: [Int] = []
        for seed in UInt64(0)..<400 {
            var bot = SnapBot(level: .normal, seed: seed)
            let sight = table([nil, nil], flips: 0, legal: Self.mayFlip, kind: "none")
            guard let plan = bot.plan(sight), plan.action == ["do": "flip"] else {
                Issue.record("seed \(seed): it does not flip")
                continue
            }
            waits.append(plan.at - 10_000)
        }
        #expect(waits.allSatisfy { (0...1_000).contains($0) })
        #expect((waits.max() ?? 0) - (waits.min() ?? 0) > 900)
    }

    @Test(arguments: [(BotSkill.easy, 31), (.normal, 60), (.hard, 0)])
    func `a bot calls without a pair as seldom as its level says`(skill: BotSkill, times: Int) {
        let flips = 20_000
        var bot = SnapBot(level: skill, seed: 9)
        var calls = 0
        for flip in 1...flips {
            let sight = table(["7H", "8D"], flips: flip)
            guard let plan = bot.plan(sight) else { continue }
            #expect(plan.action == ["do": "snap"])
            calls += 1
            bot.didAct(plan.action, wasRefused: false)
            #expect(bot.plan(sight) == nil, "one call a flip")
        }
        let expected = times == 0 ? 0 : flips / times
        // Within five times the square root: less than one in a million is beyond.
        #expect(abs(calls - expected) * abs(calls - expected) <= 25 * expected, "\(calls) calls")
    }

    @Test func `the next flip cancels a call, and so does who is quicker`() {
        var bot = SnapBot(level: .easy, seed: 3)
        let call = bot.plan(table(["7H", "7D"], flips: 2))
        #expect(call?.action == ["do": "snap"])
        #expect(bot.plan(table(["9H", "7D"], flips: 3, kind: "took")) == nil)
        let again = bot.plan(table(["9H", "9D"], flips: 4, now: 12_000))
        #expect(again.map { $0.at >= 12_500 } ?? false)
        #expect(bot.plan(table([nil, nil], flips: 4, kind: "took", now: 12_100)) == nil)
    }

    @Test func `the next flip also cancels a call without a pair`() {
        var bot = SnapBot(level: .easy, seed: 3)
        var flip = 1
        while bot.plan(table(["7H", "8D"], flips: flip)) == nil, flip < 1_000 { flip += 1 }
        #expect(flip < 1_000)
        let seen = table(["7H", "2D"], flips: flip + 1, legal: [])
        #expect(bot.plan(seen) == nil)
    }

    @Test func `a bot that sees a pair calls before it flips`() {
        var bot = SnapBot(level: .hard, seed: 3)
        let call = bot.plan(table(["7H", "7D"], flips: 2, legal: Self.mayFlip))
        #expect(call?.action == ["do": "snap"])
        bot.didAct(["do": "snap"], wasRefused: false)
        let flip = bot.plan(table([nil, nil], flips: 2, legal: Self.mayFlip, kind: "took", now: 11_000))
        #expect(flip?.action == ["do": "flip"])
    }

    @Test func `a bot calls the pool, and nothing once it is out`() {
        var bot = SnapBot(level: .hard, seed: 3)
        #expect(bot.plan(table(["9H", "7D"], flips: 2, pool: "7S"))?.action == ["do": "pool"])
        var other = SnapBot(level: .hard, seed: 3)
        #expect(other.plan(table(["7H", "7D"], flips: 2, legal: [])) == nil)
    }

    // MARK: Hangman

    private func board(
        mask: String, wrong: [String] = [], bad: Int = 0, legal: [Value]? = nil, round: Int = 1
    ) -> BotSight {
        let board: Value = [
            "seat": 1, "mask": .string(mask), "found": 0, "bad": .int(bad),
            "wrong": .array(wrong.map { .string($0) }), "state": "guessing",
        ]
        return BotSight(
            seat: 1, view: ["round": .int(round), "setter": 0, "mask": "", "boards": [board]],
            legal: legal ?? [["do": "guess", "letter": nil], ["do": "solve", "word": nil]], now: 5_000)
    }

    private static let words = WordList(["apple", "angle", "ample", "banana", "garden", "house"])

    @Test func `a bot sets a word of the list`() {
        for seed in UInt64(1)...20 {
            var bot = HangmanBot(level: .easy, words: Self.words, seed: seed)
            let plan = bot.plan(board(mask: "", legal: [["do": "word", "word": nil]]))
            #expect(plan?.action["word"]?.text.map { Self.words.words.contains($0) } ?? false)
            #expect((7_000...10_000).contains(plan?.at ?? 0))
        }
    }

    @Test func `a hard bot guesses what most words have, and says the only word that fits`() {
        var bot = HangmanBot(level: .hard, words: Self.words, seed: 1)
        // apple, angle, ample and house fit five letters: all have an e.
        #expect(bot.plan(board(mask: "_ _ _ _ _"))?.action == ["do": "guess", "letter": "e"])
        bot.didAct(["do": "guess", "letter": "e"], wasRefused: false)
        #expect(
            bot.plan(board(mask: "A _ _ _ E", wrong: ["P"], bad: 1))?.action
                == ["do": "solve", "word": "angle"])
    }

    @Test func `a letter that shows elsewhere in the mask is not behind a gap`() {
        var bot = HangmanBot(level: .hard, words: WordList(["abba", "abca"]), seed: 1)
        // The second b of abba would show.
        #expect(bot.plan(board(mask: "A B _ A"))?.action == ["do": "solve", "word": "abca"])
    }

    @Test(arguments: BotSkill.allCases)
    func `no bot guesses anything twice, whatever the word`(skill: BotSkill) {
        for seed in UInt64(1)...20 {
            var bot = HangmanBot(level: skill, words: Self.words, seed: seed)
            var guessed: Set<String> = []
            for turn in 0..<26 {
                // Nothing tells it what came of its guesses: a bot that was taken over.
                guard let plan = bot.plan(board(mask: "_ _ _ _ _ _ _", bad: turn % 7)) else { break }
                let text = plan.action["letter"]?.text ?? plan.action["word"]?.text ?? ""
                #expect(!text.isEmpty)
                #expect(guessed.insert(text).inserted, "seed \(seed): \(text)")
                bot.didAct(plan.action, wasRefused: false)
            }
            #expect(guessed.count == 26)
        }
    }

    @Test func `a bot guesses letters of the script that it sees`() {
        var bot = HangmanBot(level: .hard, words: Self.words, seed: 2)
        let letter = bot.plan(board(mask: "М О _ _ _ А"))?.action["letter"]?.text ?? ""
        #expect("еинтсрвл".contains(letter), "\(letter)")
    }

    @Test(arguments: [(BotSkill.easy, BotSkill.hard)])
    func `a harder bot needs fewer bad guesses`(easy: BotSkill, hard: BotSkill) {
        #expect(misses(hard) < misses(easy))
    }

    /// Bad guesses of a bot for the words of the list, with no end to them.
    private func misses(_ skill: BotSkill) -> Int {
        var bad = 0
        for word in WordList.builtin.words.prefix(4_000).enumerated().filter({ $0.offset % 200 == 0 }) {
            var bot = HangmanBot(level: skill, words: .builtin, seed: UInt64(word.offset))
            let letters = word.element.map { String($0) }
            var (shown, wrong): (Set<String>, [String]) = ([], [])
            while !letters.allSatisfy({ shown.contains($0) }) {
                let mask = letters.map { shown.contains($0) ? $0.uppercased() : "_" }
                let sight = board(
                    mask: mask.joined(separator: " "), wrong: wrong.map { $0.uppercased() },
                    bad: wrong.count)
                guard let action = bot.plan(sight)?.action else { break }
                bot.didAct(action, wasRefused: false)
                if action["word"]?.text == word.element { break }
                let letter = action["letter"]?.text ?? "?"
                if letters.contains(letter) { shown.insert(letter) } else { wrong.append(letter) }
            }
            bad += wrong.count
        }
        return bad
    }

    @Test func `the same seed and sights give the same plans, and every game has its bot`() {
        for game in Catalog.declarations where game.seats.upperBound > 1 {
            #expect(Bots.player(of: game.id, level: .normal, words: Self.words, seed: 1) != nil)
        }
        #expect(Bots.player(of: "lucky", level: .hard, words: Self.words, seed: 1) == nil)
        #expect(Bots.player(of: "chess", level: .hard, words: Self.words, seed: 1) == nil)
        var (one, other) = (SnapBot(level: .easy, seed: 5), SnapBot(level: .easy, seed: 5))
        for flip in 1...200 {
            let sight = table(["7H", flip % 3 == 0 ? "7D" : "8D"], flips: flip)
            #expect(one.plan(sight) == other.plan(sight))
        }
    }
}
