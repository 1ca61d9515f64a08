/// What a seat logs in Hangman, as lists; the second element is the round, from 1.
///
/// - word, by the setter: `[0, round, positions, whole, sealed, draw]`: positions is a list with the 32-byte
///   commitment of each letter and the text of each character that is shown; whole is the commitment of the
///   word; sealed is the word for the setter itself; draw is the number of the draw of a fallback word, else
///   null.
/// - guess, by a guesser: `[1, round, number, commitment, sealed]`: number counts the seat's guesses of the
///   round from 1; sealed is the guess for the setter.
/// - answer, by the setter: `[2, round, guesser, number, found, bad, rights, commitment, sealed]`: found is
///   how many letters are open after it; rights how many different letters this guess found; sealed is the
///   openings for the guesser.
/// - open, by the setter: `[3, round, word, salt, salts, guesses, link]`: salt is that of the whole word,
///   salts those of the letters one after the other, 16 bytes each; guesses is a list with every answered
///   guess, lowest seat first, then by number: `[kind, salt, text]`, or null where it could not be read; link
///   is the setter's link of a fallback word's draw, else null. On the board of all there are no guesses in
///   it.
/// - call, by a guesser on the board of all: `[4, round, number, kind, text]`: a guess in clear.
/// - hit, by the setter, to a call: `[5, round, number, openings]`: openings is a list with every position
///   that opened, rising: `[position, salt, letter]`; none for a bad guess.
enum HangmanMove: Hashable, Sendable {
    struct Word: Hashable, Sendable {
        let positions: [HangmanPosition]
        let whole: [UInt8]
        let sealed: [UInt8]
        let draw: Int?
    }
    struct Guess: Hashable, Sendable {
        let number: Int
        let commitment: [UInt8]
        let sealed: [UInt8]
    }
    struct Answer: Hashable, Sendable {
        let guesser: Int
        let number: Int
        let found: Int
        let isBad: Bool
        let rights: Int
        let commitment: [UInt8]
        let sealed: [UInt8]
    }
    struct Open: Hashable, Sendable {
        let word: String
        let salt: [UInt8]
        let salts: [UInt8]
        let guesses: [HangmanGuess?]
        let link: [UInt8]?
    }
    struct Call: Hashable, Sendable {
        let number: Int
        let kind: HangmanGuess.Kind
        let text: String
    }
    struct Hit: Hashable, Sendable {
        let number: Int
        let openings: [HangmanOpening]
    }
    case word(Word)
    case guess(Guess)
    case answer(Answer)
    case open(Open)
    case call(Call)
    case hit(Hit)

    /// Bytes that anything sealed has at most.
    static let sealedMost = 2_048
    /// Guesses that a round has at most: of three boards, each a letter or one of six pictures.
    static let guessesMost = 3 * (HangmanWord.letters.upperBound + Hangman.badMost)

    /// Reads what a log holds; `nil` for anything that is no move.
    static func read(_ datum: Datum) -> (round: Int, move: HangmanMove)? {
        guard let parts = datum.elements, parts.count >= 2, let tag = parts[0].number,
            let round = parts[1].number
        else { return nil }
        let move: HangmanMove?
        switch (tag, parts.count) {
        case (0, 6): move = word(parts)
        case (1, 5): move = guess(parts)
        case (2, 9): move = answer(parts)
        case (3, 7): move = open(parts)
        case (4, 5): move = call(parts)
        case (5, 4): move = hit(parts)
        default: move = nil
        }
        return move.map { (round, $0) }
    }

    /// What the log will hold.
    func datum(round: Int) -> Datum {
        switch self {
        case .word(let word):
            .list([
                .int(0), .int(round), .list(word.positions.map(\.datum)), .bytes(word.whole),
                .bytes(word.sealed),
                word.draw.map { .int($0) } ?? .none,
            ])
        case .guess(let guess):
            .list([.int(1), .int(round), .int(guess.number), .bytes(guess.commitment), .bytes(guess.sealed)])
        case .answer(let answer):
            .list([
                .int(2), .int(round), .int(answer.guesser), .int(answer.number), .int(answer.found),
                .bool(answer.isBad), .int(answer.rights), .bytes(answer.commitment), .bytes(answer.sealed),
            ])
        case .open(let open):
            .list([
                .int(3), .int(round), .text(open.word), .bytes(open.salt), .bytes(open.salts),
                .list(open.guesses.map(Self.datum)), open.link.map { .bytes($0) } ?? .none,
            ])
        case .call(let call):
            .list([
                .int(4), .int(round), .int(call.number), .int(Int(call.kind.rawValue)), .text(call.text),
            ])
        case .hit(let hit):
            .list([
                .int(5), .int(round), .int(hit.number),
                .list(
                    hit.openings.map { .list([.int($0.position), .bytes($0.salt), .text($0.letter)]) }),
            ])
        }
    }

    private static func datum(_ guess: HangmanGuess?) -> Datum {
        guard let guess else { return .none }
        return .list([.int(Int(guess.kind.rawValue)), .bytes(guess.salt), .text(guess.text)])
    }

    private static func word(_ parts: [Datum]) -> HangmanMove? {
        guard let list = parts[2].elements, list.count <= HangmanWord.positionsMost,
            let whole = hash(parts[3]), let sealed = sealed(parts[4])
        else { return nil }
        let positions = list.compactMap(HangmanPosition.init)
        let letters = positions.count { $0.commitment != nil }
        guard positions.count == list.count, HangmanWord.letters.contains(letters) else { return nil }
        var draw: Int?
        if parts[5] != .none {
            guard let number = parts[5].number else { return nil }
            draw = number
        }
        return .word(Word(positions: positions, whole: whole, sealed: sealed, draw: draw))
    }

    private static func guess(_ parts: [Datum]) -> HangmanMove? {
        guard let number = parts[2].number, let commitment = hash(parts[3]), let sealed = sealed(parts[4])
        else { return nil }
        return .guess(Guess(number: number, commitment: commitment, sealed: sealed))
    }

    private static func answer(_ parts: [Datum]) -> HangmanMove? {
        guard let guesser = parts[2].number, let number = parts[3].number, let found = parts[4].number,
            let isBad = parts[5].truth, let rights = parts[6].number, let commitment = hash(parts[7]),
            let sealed = sealed(parts[8])
        else { return nil }
        return .answer(
            Answer(
                guesser: guesser, number: number, found: found, isBad: isBad, rights: rights,
                commitment: commitment, sealed: sealed))
    }

    private static func open(_ parts: [Datum]) -> HangmanMove? {
        guard let word = parts[2].string, word.utf8.count <= HangmanWord.bytesMost,
            let salt = parts[3].octets, salt.count == HangmanSeals.saltBytes,
            let salts = parts[4].octets,
            salts.count <= HangmanSeals.saltBytes * HangmanWord.letters.upperBound,
            let list = parts[5].elements, list.count <= guessesMost
        else { return nil }
        var guesses: [HangmanGuess?] = []
        for item in list {
            guard item != .none else {
                guesses.append(nil)
                continue
            }
            guard let guess = clearGuess(item) else { return nil }
            guesses.append(guess)
        }
        var link: [UInt8]?
        if parts[6] != .none {
            guard let bytes = parts[6].octets, bytes.count == Chance.linkBytes else { return nil }
            link = bytes
        }
        return .open(Open(word: word, salt: salt, salts: salts, guesses: guesses, link: link))
    }

    private static func call(_ parts: [Datum]) -> HangmanMove? {
        guard let number = parts[2].number,
            let kind = parts[3].number.flatMap({ UInt8(exactly: $0) }).flatMap(HangmanGuess.Kind.init),
            let text = parts[4].string, !text.isEmpty, text.utf8.count <= HangmanWord.bytesMost,
            Text.nfc(text).utf8.elementsEqual(text.utf8),
            HangmanWord.trimmed(text).utf8.count == text.utf8.count
        else { return nil }
        if kind == .letter {
            guard let letter = text.first, text.count == 1, Text.isLetter(letter) else { return nil }
        }
        return .call(Call(number: number, kind: kind, text: text))
    }

    private static func hit(_ parts: [Datum]) -> HangmanMove? {
        guard let number = parts[2].number, let list = parts[3].elements,
            list.count <= HangmanWord.letters.upperBound
        else { return nil }
        let openings = list.compactMap { item -> HangmanOpening? in
            guard let parts = item.elements, parts.count == 3, let position = parts[0].number,
                let salt = parts[1].octets, salt.count == HangmanSeals.saltBytes,
                let letter = parts[2].string, letter.utf8.count <= HangmanWord.bytesMost
            else { return nil }
            return HangmanOpening(position: position, salt: salt, letter: letter)
        }
        guard openings.count == list.count else { return nil }
        return .hit(Hit(number: number, openings: openings))
    }

    private static func clearGuess(_ datum: Datum) -> HangmanGuess? {
        guard let parts = datum.elements, parts.count == 3,
            let kind = parts[0].number.flatMap({ UInt8(exactly: $0) }).flatMap(HangmanGuess.Kind.init),
            let salt = parts[1].octets, salt.count == HangmanSeals.saltBytes,
            let text = parts[2].string, text.utf8.count <= 255
        else { return nil }
        return HangmanGuess(kind: kind, text: text, salt: salt)
    }

    private static func hash(_ datum: Datum) -> [UInt8]? {
        datum.octets.flatMap { $0.count == HangmanSeals.hashBytes ? $0 : nil }
    }

    private static func sealed(_ datum: Datum) -> [UInt8]? {
        datum.octets.flatMap { $0.count <= sealedMost ? $0 : nil }
    }
}

/// One position of a word as everybody sees it.
enum HangmanPosition: Hashable, Sendable {
    /// A letter, committed to.
    case letter(commitment: [UInt8])
    /// A space, hyphen or apostrophe.
    case shown(String)

    init?(_ datum: Datum) {
        switch datum {
        case .bytes(let bytes) where bytes.count == HangmanSeals.hashBytes: self = .letter(commitment: bytes)
        case .text(let text) where HangmanWord.shown.contains(text): self = .shown(text)
        default: return nil
        }
    }

    var datum: Datum {
        switch self {
        case .letter(let commitment): .bytes(commitment)
        case .shown(let text): .text(text)
        }
    }

    var commitment: [UInt8]? {
        guard case .letter(let commitment) = self else { return nil }
        return commitment
    }
}
