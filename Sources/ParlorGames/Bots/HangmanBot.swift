/// Plays Hangman: sets words from the list, and guesses by how common letters are, by the words that still
/// fit, or by the one or the other.
struct HangmanBot: BotPlayer {
    /// Milliseconds that it thinks about a word to set.
    static let wordWait = 2_000...5_000
    /// Letters of the words that it sets.
    static let wordLetters = 4...10
    /// The words that fit from which on it says the whole word.
    static let solvesAt = 1

    private let level: BotSkill
    private let words: WordList
    private var random: BotRandom
    private var next: BotPlan?
    /// What the plan was made for: as long as this stays, so does the plan.
    private var seen: Value?
    /// What was guessed of this word, folded, so that nothing is guessed twice.
    private var tried: Set<String> = []
    private var round = 0

    init(level: BotSkill, words: WordList, seed: UInt64) {
        self.level = level
        self.words = words
        random = BotRandom(seed: seed)
    }

    /// Milliseconds that it thinks about a guess.
    static func guessWait(_ level: BotSkill) -> ClosedRange<Int> {
        switch level {
        case .easy: 2_000...5_000
        case .normal: 1_500...4_000
        case .hard: 1_000...3_000
        }
    }

    mutating func plan(_ sight: BotSight) -> BotPlan? {
        let number = sight.view["round"]?.number ?? 0
        if number != round {
            round = number
            tried = []
            next = nil
        }
        let board = (sight.view["boards"]?.elements ?? []).first { board in
            board["seat"]?.number == sight.seat || board["seat"] == .null
        }
        let sign: Value = [
            "legal": .array(sight.legal), "mask": mask(sight, board), "bad": board?["bad"] ?? nil,
        ]
        guard sign != seen || next == nil else { return next }
        seen = sign
        next = nil
        if sight.may("word") {
            next = word().map { BotPlan($0, at: sight.now + random.number(Self.wordWait)) }
        } else if sight.may("guess"), let guess = guess(sight, board) {
            next = BotPlan(guess, at: sight.now + random.number(Self.guessWait(level)))
        }
        return next
    }

    mutating func didAct(_ action: Value, wasRefused: Bool) {
        next = nil
        if let text = action["letter"]?.text ?? action["word"]?.text { tried.insert(Text.folded(text)) }
    }

    // MARK: Words

    private mutating func word() -> Value? {
        let fitting = words.words.filter { Self.wordLetters.contains($0.count) }
        let all = fitting.isEmpty ? words.words : fitting
        return all.randomElement(using: &random).map { ["do": "word", "word": .string($0)] }
    }

    // MARK: Guesses

    private func mask(_ sight: BotSight, _ board: Value?) -> Value {
        board?["mask"] ?? sight.view["mask"] ?? ""
    }

    private mutating func guess(_ sight: BotSight, _ board: Value?) -> Value? {
        let mask = (mask(sight, board).text ?? "").split(separator: " ").map { String($0) }
        let wrong = Set((board?["wrong"]?.elements ?? []).compactMap { $0.text.map(Text.folded) })
        let shown = Set(mask.map(Text.folded))
        let known = shown.union(wrong).union(tried)
        let looksAtWords =
            switch level {
            case .easy: false
            case .normal: random.oneIn(2)
            case .hard: true
            }
        if looksAtWords {
            let fitting = candidates(mask, without: wrong.union(tried), shown)
            if (1...Self.solvesAt).contains(fitting.count), let word = fitting.first {
                return ["do": "solve", "word": .string(word)]
            }
            if let letter = mostFrequent(in: fitting, without: known) { return Self.letter(letter) }
        }
        return commonLetter(mask, without: known).map { Self.letter($0) }
    }

    private static func letter(_ letter: String) -> Value { ["do": "guess", "letter": .string(letter)] }

    /// The words of the list that can stand where the mask is.
    private func candidates(
        _ mask: [String], without absent: Set<String>, _ shown: Set<String>
    ) -> [String] {
        words.words.filter { word in
            guard word.utf8.count >= mask.count, !tried.contains(word) else { return false }
            let letters = word.map { Text.quicklyFolded($0) }
            guard letters.count == mask.count else { return false }
            return zip(letters, mask).allSatisfy { letter, place in
                switch place {
                case "_": !absent.contains(letter) && !shown.contains(letter) && letter != " "
                case "/": letter == " "
                default: letter == Text.folded(place)
                }
            }
        }
    }

    /// The letter that most of the words have.
    private func mostFrequent(in words: [String], without known: Set<String>) -> String? {
        var counts: [String: Int] = [:]
        for word in words {
            for letter in Set(word) where Text.isLetter(letter) {
                counts[Text.quicklyFolded(letter), default: 0] += 1
            }
        }
        // The order of a dictionary is not the same twice.
        return counts.filter { !known.contains($0.key) }
            .max { one, other in (one.value, other.key) < (other.value, one.key) }?.key
    }

    /// A letter that is common in the script of what shows of the word; one of the first few by chance.
    private mutating func commonLetter(_ mask: [String], without known: Set<String>) -> String? {
        let shown = Set(mask.map(Text.folded))
        let ordered = Self.alphabets.sorted { one, other in
            one.count { shown.contains(String($0)) } > other.count { shown.contains(String($0)) }
        }
        let isSure = ordered.first.map { $0.contains { shown.contains(String($0)) } } ?? false
        for alphabet in isSure ? ordered : Self.alphabets {
            let left = alphabet.map { String($0) }.filter { !known.contains($0) }
            if let letter = left.prefix(level == .easy ? 4 : 2).randomElement(using: &random) {
                return letter
            }
        }
        return nil
    }

    /// Letters by how common they are, a script a line.
    private static let alphabets = [
        "etaoinsrhldcumfpgwybvkxjqz", "оеаинтсрвлкмдпуяыьгзбчйхжшюцщэфъё", "αοιετσνηυρπκμλωδγχθφβξζψ",
    ]
}

extension Text {
    /// ``folded(_:)`` of a letter, without the way round for what is folded already.
    static func quicklyFolded(_ letter: Character) -> String {
        if let ascii = letter.asciiValue, (97...122).contains(ascii) { return String(letter) }
        return folded(String(letter))
    }
}
