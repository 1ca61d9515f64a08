internal import ParlorControl

/// Actions typed as words: `guess e` for `{"do":"guess","letter":"e"}`.
enum ActWords {
    private enum Operand {
        case none
        case text(String)
        /// What it is in the action and in words, and which there are.
        case number(String, of: String, ClosedRange<Int>)
    }

    /// The command that an action was typed for: mistakes are answered with what works there.
    struct Place {
        let act: String
        let view: String
        let example: String

        static let room = Place(act: "parlor act", view: "parlor view", example: #"{"do":"flip"}"#)

        static func turn(_ match: String) -> Place {
            Place(
                act: "parlor turn play \(match)", view: "parlor turn show \(match)",
                example: #"{"do":"place","cell":5}"#)
        }
    }

    private static let table: [(game: String, word: String, operand: Operand)] = [
        ("snap", "flip", .none), ("snap", "snap", .none), ("snap", "pool", .none),
        ("hangman", "guess", .text("letter")), ("hangman", "word", .text("word")),
        ("hangman", "solve", .text("word")), ("tictactoe", "place", .number("cell", of: "square", 1...9)),
        ("lucky", "press", .number("button", of: "button", 1...4)), ("story", "append", .text("text")),
    ]

    /// How each is written, for help.
    static var usages: [String] { usages(of: nil) }

    /// How those of one game are written; all of them for a game that has none here.
    static func usages(of game: String?) -> [String] {
        let own = table.filter { $0.game == game }
        return (own.isEmpty ? table : own).map { row in
            switch row.operand {
            case .none: row.word
            case .text(let name), .number(let name, _, _): "\(row.word) \(name.uppercased())"
            }
        }
    }

    /// Whether words are an action of some game, or meant to be one in JSON.
    static func isKnown(_ words: [String]) -> Bool {
        words.first.map { $0.hasPrefix("{") || isAction($0) } ?? false
    }

    /// Reads an action: one word that is a JSON object, or words of the table.
    ///
    /// `game` is the one that is played, where that is known: a mistake is answered with its actions.
    static func action(
        _ words: [String], game: String? = nil, at place: Place = .room
    ) throws(CommandFailure) -> JSON {
        let first = words.first ?? ""
        if first.hasPrefix("{") { return try object(words.joined(separator: " "), at: place) }
        guard let row = table.first(where: { $0.word == first && (game ?? $0.game) == $0.game }) else {
            let known = usages(of: game).joined(separator: ", ")
            let whose = game.map { " of " + MatchText.title($0) } ?? ""
            throw .usage(
                "'\(CleanText.line(first))' is no action\(whose). Actions: \(known), or JSON; see "
                    + "\(place.view) --json")
        }
        let rest = words.dropFirst().joined(separator: " ")
        switch row.operand {
        case .none:
            guard rest.isEmpty else { throw .usage("\(first) takes nothing: \(place.act) \(first)") }
            return ["do": .string(first)]
        case .text(let name):
            guard !rest.isEmpty else {
                throw .usage("\(first) needs more: \(place.act) \(first) \(name.uppercased())")
            }
            return .object([.init("do", .string(first)), .init(name, .string(rest))])
        case .number(let name, let kind, let range):
            guard let number = Int(rest), range.contains(number) else {
                throw .usage(
                    "\(first) takes a \(kind) from \(range.lowerBound) to \(range.upperBound): "
                        + "\(place.act) \(first) \(name.uppercased())")
            }
            return .object([.init("do", .string(first)), .init(name, .int(number))])
        }
    }

    /// Whether a typed line starts with the name of an action.
    static func isAction(_ word: String) -> Bool { table.contains { $0.word == word } }

    private static func object(_ text: String, at place: Place) throws(CommandFailure) -> JSON {
        do {
            return try JSON(parsing: text)
        } catch {
            throw .usage(
                "The action is not JSON: \(error.message) (byte \(error.offset)). As in: \(place.act) "
                    + "'\(place.example)'")
        }
    }
}
