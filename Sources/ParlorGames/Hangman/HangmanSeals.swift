/// The commitments of Hangman, and what travels sealed between setter and guesser.
///
/// H is the match's hash (BLAKE2b-256), `‖` joins fields as they are, numbers are single bytes, texts UTF-8.
struct HangmanSeals: Sendable {
    static let saltBytes = 16
    static let hashBytes = 32
    /// The position that stands for the whole word.
    static let wholeWord = 255
    private static let wordLabel = Array("parlor/hangman/1".utf8)
    private static let guessLabel = Array("parlor/hangman-guess/1".utf8)
    private static let answerLabel = Array("parlor/hangman-answer/1".utf8)
    private static let saltLabel = Array("parlor/hangman-salt/1".utf8)
    /// Bytes of the sealed word's plaintext: a length and the word, zeros after it.
    private static let wordPlainBytes = 1 + HangmanWord.bytesMost
    /// Other plaintexts are filled with zeros to a multiple of this, so that their length tells little.
    private static let block = 128

    let match: [UInt8]
    let round: Int
    let hash: HashFunction

    private func head(_ label: [UInt8], _ numbers: Int...) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(128)
        bytes += label
        bytes += match
        bytes.append(UInt8(truncatingIfNeeded: round))
        for number in numbers { bytes.append(UInt8(truncatingIfNeeded: number)) }
        return bytes
    }

    // MARK: Commitments

    /// H(`parlor/hangman/1` ‖ match ‖ round ‖ position ‖ salt ‖ letter); position 255 is the whole word.
    func letter(_ letter: String, at position: Int, salt: [UInt8]) -> [UInt8] {
        var input = head(Self.wordLabel, position)
        input += salt
        input += letter.utf8
        return hash(input)
    }

    /// H(`parlor/hangman-guess/1` ‖ match ‖ round ‖ guesser ‖ number ‖ kind ‖ salt ‖ text); kind 0 is a
    /// letter, 1 the whole word.
    func guess(_ guess: HangmanGuess, number: Int, by seat: Int) -> [UInt8] {
        var input = head(Self.guessLabel, seat, number, Int(guess.kind.rawValue))
        input += guess.salt
        input += guess.text.utf8
        return hash(input)
    }

    /// H(`parlor/hangman-answer/1` ‖ match ‖ round ‖ guesser ‖ number ‖ salt ‖ positions that opened,
    /// rising); the salt is that of the guess, zeros where the guess could not be read.
    func answer(_ positions: [Int], salt: [UInt8]?, number: Int, to seat: Int) -> [UInt8] {
        let salt = salt ?? [UInt8](repeating: 0, count: Self.saltBytes)
        return hash(
            head(Self.answerLabel, seat, number) + salt + positions.map { UInt8(truncatingIfNeeded: $0) })
    }

    // MARK: Salts

    /// The setter's salt for a position of a word; only the setter can compute it.
    func wordSalt(_ word: String, at position: Int, secrets: SeatSecrets) -> [UInt8] {
        let label =
            Self.saltLabel + [0, UInt8(truncatingIfNeeded: round), UInt8(truncatingIfNeeded: position)]
        return Array(secrets.derive(label + Array(word.utf8)).prefix(Self.saltBytes))
    }

    /// A guess with the salt that only the guesser can compute.
    func salted(_ kind: HangmanGuess.Kind, _ text: String, number: Int, secrets: SeatSecrets) -> HangmanGuess
    {
        let numbers = [1, UInt8(truncatingIfNeeded: round), UInt8(truncatingIfNeeded: number), kind.rawValue]
        let salt = secrets.derive(Self.saltLabel + numbers + Array(text.utf8)).prefix(Self.saltBytes)
        return HangmanGuess(kind: kind, text: text, salt: Array(salt))
    }

    // MARK: Plaintexts

    /// The word for the setter itself: length ‖ word ‖ zeros, 192 bytes.
    static func plain(word: String) -> [UInt8] {
        var plain = sized(word)
        plain += [UInt8](repeating: 0, count: max(0, wordPlainBytes - plain.count))
        return plain
    }

    /// The word in such a plaintext.
    static func word(in plain: [UInt8]) -> String? {
        var reader = HangmanReader(plain)
        return reader.text()
    }

    /// A guess for the setter: kind ‖ salt[16] ‖ length ‖ text ‖ zeros.
    static func plain(guess: HangmanGuess) -> [UInt8] {
        filled([guess.kind.rawValue] + guess.salt + sized(guess.text))
    }

    /// The guess in such a plaintext.
    static func guess(in plain: [UInt8]) -> HangmanGuess? {
        var reader = HangmanReader(plain)
        guard let kind = reader.byte().flatMap(HangmanGuess.Kind.init), let salt = reader.take(saltBytes),
            let text = reader.text()
        else { return nil }
        return HangmanGuess(kind: kind, text: text, salt: salt)
    }

    /// An answer for the guesser: kind ‖ length ‖ text of the guess ‖ count ‖ (position ‖ salt[16] ‖ length ‖
    /// letter) of each position that opened ‖ zeros.
    static func plain(answer guess: HangmanGuess?, openings: [HangmanOpening]) -> [UInt8] {
        var plain = [guess?.kind.rawValue ?? 0] + sized(guess?.text ?? "")
        plain.append(UInt8(truncatingIfNeeded: openings.count))
        for opening in openings {
            plain.append(UInt8(truncatingIfNeeded: opening.position))
            plain += opening.salt + sized(opening.letter)
        }
        return filled(plain)
    }

    /// What such a plaintext says: which guess it answers, and the letters that it opened.
    static func answer(
        in plain: [UInt8]
    ) -> (kind: HangmanGuess.Kind, text: String, openings: [HangmanOpening])? {
        var reader = HangmanReader(plain)
        guard let kind = reader.byte().flatMap(HangmanGuess.Kind.init), let text = reader.text(),
            let count = reader.byte()
        else { return nil }
        var openings: [HangmanOpening] = []
        for _ in 0..<count {
            guard let position = reader.byte(), let salt = reader.take(saltBytes), let letter = reader.text()
            else { return nil }
            openings.append(HangmanOpening(position: Int(position), salt: salt, letter: letter))
        }
        return (kind, text, openings)
    }

    private static func sized(_ text: String) -> [UInt8] {
        let bytes = Array(text.utf8.prefix(255))
        return [UInt8(truncatingIfNeeded: bytes.count)] + bytes
    }

    private static func filled(_ plain: [UInt8]) -> [UInt8] {
        plain + [UInt8](repeating: 0, count: (block - plain.count % block) % block)
    }
}

/// One position of the word, opened for a guesser.
struct HangmanOpening: Hashable, Sendable {
    let position: Int
    let salt: [UInt8]
    let letter: String
}

/// Reads a plaintext front to back; whatever is missing or no UTF-8 is `nil`.
private struct HangmanReader {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) { rest = bytes[...] }

    mutating func byte() -> UInt8? { rest.popFirst() }

    mutating func take(_ count: Int) -> [UInt8]? {
        guard rest.count >= count else { return nil }
        defer { rest = rest.dropFirst(count) }
        return Array(rest.prefix(count))
    }

    mutating func text() -> String? {
        guard let count = byte(), let bytes = take(Int(count)) else { return nil }
        return String(validating: bytes, as: UTF8.self)
    }
}
