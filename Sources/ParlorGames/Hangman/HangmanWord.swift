/// A word to guess, grapheme by grapheme, in normalization form C.
struct HangmanWord: Hashable, Sendable {
    /// How many letters a word has.
    static let letters = 2...32
    /// Bytes of UTF-8 that a word has at most.
    static let bytesMost = 191
    /// Positions that a word has at most, letters and others.
    static let positionsMost = 64
    /// What may stand between letters, shown from the start.
    static let shown: [String] = [" ", "-", "'", "\u{2019}"]

    let text: String
    /// One grapheme a position.
    let graphemes: [String]
    /// Which positions are letters.
    let isLetter: [Bool]
    /// What each position answers to; empty where it is no letter.
    private let keys: [[String]]

    var length: Int { isLetter.count { $0 } }

    /// Reads a word.
    ///
    /// - Throws: ``Refusal`` `word-invalid`, saying which characters or how many letters are possible.
    init(_ typed: String) throws(Refusal) {
        guard typed.utf8.count <= 4 * Self.bytesMost else { throw Self.tooLong }
        text = Text.nfc(HangmanWord.trimmed(typed))
        guard !text.isEmpty else { throw Refusal(.wordInvalid, "type a word of 2 to 32 letters") }
        guard text.utf8.count <= Self.bytesMost else { throw Self.tooLong }
        graphemes = text.map { String($0) }
        isLetter = text.map { Text.isLetter($0) }
        for (grapheme, isLetter) in zip(graphemes, isLetter) where !isLetter {
            guard Self.shown.contains(grapheme) else { throw Self.strange(grapheme) }
        }
        keys = zip(graphemes, isLetter).map { $1 ? Self.keys($0) : [] }
        let count = isLetter.count { $0 }
        guard Self.letters.contains(count) else {
            throw Refusal(
                .wordInvalid, "a word has 2 to 32 letters, and this has \(count == 0 ? "none" : "\(count)")")
        }
        guard graphemes.count <= Self.positionsMost else { throw Self.tooLong }
    }

    /// Refuses a character, which is named where it can be seen.
    private static func strange(_ grapheme: String) -> Refusal {
        let canBeShown =
            grapheme.utf8.count <= 32
            && !grapheme.unicodeScalars.contains {
                Text.isControlOrInvisible($0) || $0.properties.isWhitespace
            }
        let what = canBeShown ? "not '\(grapheme)'" : "nothing else"
        return Refusal(.wordInvalid, "a word has letters, spaces, hyphens and apostrophes, \(what)")
    }

    /// How many letters a text has that qualifies as it is written, quickly for ASCII; `nil` for other texts.
    static func letterCount(_ text: String) -> Int? {
        var count = 0
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): count += 1
            case UInt8(ascii: "'"), UInt8(ascii: "-"): break
            default:
                guard let word = try? HangmanWord(text), word.text == text else { return nil }
                return word.length
            }
        }
        return letters.contains(count) && text.utf8.count <= positionsMost ? count : nil
    }

    /// Whether the list has the word, in lower case or folded.
    func isIn(_ words: WordList) -> Bool {
        let plain = Self.plain(text)
        return words.contains(Text.lower(plain)) || words.contains(Text.folded(plain))
    }

    /// Whether a position is a letter that answers to a guess, folded.
    func answers(_ position: Int, to folded: String) -> Bool { keys[position].contains(folded) }

    /// How many different letters stand at these positions.
    func differentLetters(at positions: [Int]) -> Int { Set(positions.compactMap { keys[$0].first }).count }

    /// Whether another text is this word but for case, accents and the kind of apostrophe.
    func isSolved(by typed: String) -> Bool {
        let other = Self.plain(Text.nfc(Self.trimmed(typed))).map { String($0) }
        guard other.count == graphemes.count else { return false }
        return graphemes.indices.allSatisfy { position in
            isLetter[position]
                ? answers(position, to: Text.folded(other[position]))
                : Self.plain(graphemes[position]) == other[position]
        }
    }

    /// The folded letters that a letter answers to.
    static func keys(_ letter: String) -> [String] {
        let folded = Text.folded(letter)
        return folded == "ß" ? ["ß", "s"] : [folded]
    }

    /// The text with every apostrophe the plain one.
    static func plain(_ text: String) -> String {
        Text.isASCII(text) ? text : String(text.map { $0 == "\u{2019}" ? "'" : $0 })
    }

    static func trimmed(_ text: String) -> String {
        guard let first = text.firstIndex(where: { $0 != " " }),
            let last = text.lastIndex(where: { $0 != " " })
        else { return "" }
        return String(text[first...last])
    }

    private static let tooLong = Refusal(
        .wordInvalid, "a word has at most 32 letters and 64 characters in all")
}

/// A letter or a whole word, as a guesser typed it.
struct HangmanGuess: Hashable, Sendable {
    enum Kind: UInt8, Sendable {
        case letter = 0
        case solve = 1
    }
    let kind: Kind
    /// In normalization form C.
    let text: String
    /// 16 bytes.
    let salt: [UInt8]

    static func key(_ kind: Kind, _ text: String) -> String {
        "\(kind.rawValue)\(Text.folded(HangmanWord.plain(text)))"
    }
}

/// What a guess opened.
struct HangmanHit: Hashable, Sendable {
    /// Positions that opened, rising; none for a bad guess.
    var positions: [Int] = []
    /// How many different letters that were.
    var rights = 0
}

/// One guesser's board with the word known: what the setter's machine answers, and what everybody checks at
/// the end.
struct HangmanReplay: Sendable {
    let word: HangmanWord
    private var isOpen: [Bool]

    init(_ word: HangmanWord) {
        self.word = word
        isOpen = word.isLetter.map { !$0 }
    }

    /// Letters open so far.
    var found: Int { zip(isOpen, word.isLetter).count { $0 && $1 } }

    /// Takes a guess; `nil` is one that could not be read, which is a bad guess, as is one that opens
    /// nothing.
    mutating func take(_ guess: HangmanGuess?) -> HangmanHit {
        guard let guess else { return HangmanHit() }
        let hidden = isOpen.indices.filter { !isOpen[$0] }
        var hit = HangmanHit()
        switch guess.kind {
        case .letter:
            guard guess.text.count == 1 else { return hit }
            let folded = Text.folded(guess.text)
            hit.positions = hidden.filter { word.answers($0, to: folded) }
            hit.rights = hit.positions.isEmpty ? 0 : 1
        case .solve:
            guard word.isSolved(by: guess.text) else { return hit }
            hit = HangmanHit(positions: hidden, rights: word.differentLetters(at: hidden))
        }
        for position in hit.positions { isOpen[position] = true }
        return hit
    }
}
