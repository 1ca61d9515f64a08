import ParlorCrypto
import ParlorProtocol
import Testing

@testable import ParlorGames

@Suite struct HangmanGoldenTests {
    private let match = Hash.blake2b256([9]).prefix(16).map { $0 }
    private let salt = Hash.blake2b256([8]).prefix(16).map { $0 }

    private func seals(_ round: Int) -> HangmanSeals {
        HangmanSeals(match: match, round: round, hash: Hash.blake2b256)
    }

    @Test func `the golden commitments and plaintexts of Hangman are what is computed`() throws {
        try Golden.check("hangman-seals", commitments() + plaintexts())
    }

    private func commitments() -> [GoldenVector] {
        let context: [Value.Member] = [.init("match", Meaning.of(match))]
        var vectors: [GoldenVector] = []
        for (round, position, letter) in [(1, 0, "g"), (5, 63, "é"), (1, 255, "garden path")] {
            vectors.append(
                .init(
                    name: position == 255 ? "a whole word" : "a letter", kind: "hangman-letter",
                    bytes: seals(round).letter(letter, at: position, salt: salt),
                    meaning: .object(
                        context + [
                            .init("round", .int(round)), .init("position", .int(position)),
                            .init("salt", Meaning.of(salt)), .init("letter", .string(letter)),
                        ])))
        }
        for (kind, text, number) in [(HangmanGuess.Kind.letter, "e", 1), (.solve, "Gärten", 38)] {
            let guess = HangmanGuess(kind: kind, text: text, salt: salt)
            vectors.append(
                .init(
                    name: "a guess", kind: "hangman-guess",
                    bytes: seals(2).guess(guess, number: number, by: 3),
                    meaning: .object(
                        context + [
                            .init("round", 2), .init("guesser", 3), .init("number", .int(number)),
                            .init("kind", .int(Int(kind.rawValue))), .init("salt", Meaning.of(salt)),
                            .init("text", .string(text)),
                        ])))
        }
        for (positions, salt) in [([], salt), ([0, 5, 63], salt), ([], nil)] as [([Int], [UInt8]?)] {
            vectors.append(
                .init(
                    name: "an answer", kind: "hangman-answer",
                    bytes: seals(2).answer(positions, salt: salt, number: 4, to: 1),
                    meaning: .object(
                        context + [
                            .init("round", 2), .init("guesser", 1), .init("number", 4),
                            .init("salt", Meaning.of(salt)),
                            .init("positions", .array(positions.map { .int($0) })),
                        ])))
        }
        return vectors
    }

    private func plaintexts() -> [GoldenVector] {
        let openings = [
            HangmanOpening(position: 2, salt: salt, letter: "é"),
            HangmanOpening(position: 40, salt: salt, letter: "e"),
        ]
        let guess = HangmanGuess(kind: .letter, text: "e", salt: salt)
        let solve = HangmanGuess(kind: .solve, text: String(repeating: "ab ", count: 60), salt: salt)
        func meaning(_ guess: HangmanGuess) -> Value {
            [
                "kind": .int(Int(guess.kind.rawValue)), "salt": Meaning.of(guess.salt),
                "text": .string(guess.text),
            ]
        }
        func answer(_ guess: HangmanGuess?, _ openings: [HangmanOpening]) -> GoldenVector {
            GoldenVector(
                name: "an answer, not sealed yet", kind: "hangman-plain-answer",
                bytes: HangmanSeals.plain(answer: guess, openings: openings),
                meaning: [
                    "kind": .int(Int(guess?.kind.rawValue ?? 0)), "text": .string(guess?.text ?? ""),
                    "openings": .array(
                        openings.map { [.int($0.position), Meaning.of($0.salt), .string($0.letter)] }),
                ])
        }
        return [
            .init(
                name: "a word, not sealed yet", kind: "hangman-plain-word",
                bytes: HangmanSeals.plain(word: "garden-pàth"), meaning: ["word": "garden-pàth"]),
            .init(
                name: "a guess, not sealed yet", kind: "hangman-plain-guess",
                bytes: HangmanSeals.plain(guess: guess), meaning: meaning(guess)),
            .init(
                name: "a long guess, not sealed yet", kind: "hangman-plain-guess",
                bytes: HangmanSeals.plain(guess: solve), meaning: meaning(solve)),
            answer(guess, openings), answer(solve, []), answer(nil, []),
        ]
    }
}
