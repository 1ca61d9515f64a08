internal import ParlorControl

/// Actions typed as words: `guess e` for `{"do":"guess","letter":"e"}`.
enum ActWords {
    private enum Operand {
        case none
        case text(String)
        case number(String)
    }

    private static let table: [(word: String, operand: Operand)] = [
        ("flip", .none), ("snap", .none), ("pool", .none), ("guess", .text("letter")),
        ("word", .text("word")),
        ("solve", .text("word")), ("place", .number("cell")), ("press", .number("button")),
        ("append", .text("text")),
    ]

    /// How each is written, for help.
    static var usages: [String] {
        table.map { row in
            switch row.operand {
            case .none: row.word
            case .text(let name), .number(let name): "\(row.word) \(name.uppercased())"
            }
        }
    }

    /// Reads an action: one word that is a JSON object, or words of the table.
    static func action(_ words: [String]) throws(CommandFailure) -> JSON {
        let first = words.first ?? ""
        if first.hasPrefix("{") { return try object(words.joined(separator: " ")) }
        guard let row = table.first(where: { $0.word == first }) else {
            let known = usages.joined(separator: ", ")
            throw .usage(
                "'\(CleanText.line(first))' is no action. Actions: \(known), or JSON; see parlor view --json")
        }
        let rest = words.dropFirst().joined(separator: " ")
        switch row.operand {
        case .none:
            guard rest.isEmpty else { throw .usage("\(first) takes nothing: parlor act \(first)") }
            return ["do": .string(first)]
        case .text(let name):
            guard !rest.isEmpty else {
                throw .usage("\(first) needs more: parlor act \(first) \(name.uppercased())")
            }
            return .object([.init("do", .string(first)), .init(name, .string(rest))])
        case .number(let name):
            guard let number = Int(rest) else {
                throw .usage("\(first) needs a number: parlor act \(first) \(name.uppercased())")
            }
            return .object([.init("do", .string(first)), .init(name, .int(number))])
        }
    }

    /// Whether a typed line starts with the name of an action.
    static func isAction(_ word: String) -> Bool { table.contains { $0.word == word } }

    private static func object(_ text: String) throws(CommandFailure) -> JSON {
        do {
            return try JSON(parsing: text)
        } catch {
            throw .usage(
                "The action is not JSON: \(error.message) (byte \(error.offset)). As in: parlor "
                    + "act '{\"do\":\"flip\"}'"
            )
        }
    }
}
