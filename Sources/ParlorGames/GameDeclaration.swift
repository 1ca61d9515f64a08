/// What a game says of itself.
public struct GameDeclaration: Hashable, Sendable {
    /// Stable name: `snap`, `hangman`.
    public let id: String
    /// For people: `Snap`.
    public let title: String
    /// Version of the rules; peers with different ones cannot play together.
    public let rules: Int
    /// How many can play.
    public let seats: ClosedRange<Int>
    /// The options, in the order they are written in a match's first entry.
    public let options: [OptionDeclaration]
    /// Whether all seats must have the same word list.
    public let needsWords: Bool

    /// Makes a declaration.
    public init(
        id: String, title: String, rules: Int, seats: ClosedRange<Int>, options: [OptionDeclaration],
        needsWords: Bool = false
    ) {
        self.needsWords = needsWords
        self.id = id
        self.title = title
        self.rules = rules
        self.seats = seats
        self.options = options
    }
}

/// One option of a game.
public struct OptionDeclaration: Hashable, Sendable {
    /// What values the option takes.
    public enum Kind: Hashable, Sendable {
        /// A whole number in the range, or zero where `orZero`.
        case int(ClosedRange<Int>, orZero: Bool)
        /// `true` or `false`.
        case bool
        /// One of these words.
        case word([String])
    }
    /// Stable name: `max_flips`.
    public let name: String
    /// What values it takes.
    public let kind: Kind
    /// The value where none is given.
    public let standard: Value
    /// One line for people, with the unit.
    public let summary: String

    /// Makes an option.
    public init(_ name: String, _ kind: Kind, standard: Value, _ summary: String) {
        self.name = name
        self.kind = kind
        self.standard = standard
        self.summary = summary
    }

    /// What is possible, for messages: `10-10000`, `true or false`, `race or together`.
    public var possible: String {
        switch kind {
        case .int(let range, let orZero):
            (orZero && !range.contains(0) ? "0 or " : "") + "\(range.lowerBound)-\(range.upperBound)"
        case .bool: "true or false"
        case .word(let words): words.joined(separator: " or ")
        }
    }

    /// Whether the option takes this value.
    public func takes(_ value: Value) -> Bool {
        switch (kind, value) {
        case (.int(let range, let orZero), .int(let number)): range.contains(number) || orZero && number == 0
        case (.bool, .bool): true
        case (.word(let words), .string(let word)): words.contains(word)
        case (.int, _), (.bool, _), (.word, _): false
        }
    }
}

/// Every option of a game with a value that the game takes.
public struct GameOptions: Hashable, Sendable {
    /// The game's options in order, each with its value.
    public let values: [Value.Member]

    /// Fills in the values given, the standard ones otherwise.
    ///
    /// - Throws: ``Refusal`` `bad-params` for an unknown name or a value out of range; the message lists what
    ///   is possible.
    public init(_ declaration: GameDeclaration, given: [Value.Member] = []) throws(Refusal) {
        for member in given {
            guard let option = declaration.options.first(where: { $0.name == member.name }) else {
                let names = declaration.options.map(\.name).joined(separator: ", ")
                throw Refusal(.badParams, "\(declaration.id) has no option '\(member.name)'; it has \(names)")
            }
            guard option.takes(member.value) else {
                throw Refusal(
                    .badParams, "option '\(option.name)' of \(declaration.id) takes \(option.possible)")
            }
        }
        values = declaration.options.map { option in
            given.last { $0.name == option.name } ?? Value.Member(option.name, option.standard)
        }
    }

    /// The number of an option that takes numbers; 0 where the game has no such option.
    public func int(_ name: String) -> Int { value(name)?.number ?? 0 }
    /// The truth of an option that takes one; false where the game has no such option.
    public func bool(_ name: String) -> Bool { value(name)?.truth ?? false }
    /// The word of an option that takes words; empty where the game has no such option.
    public func word(_ name: String) -> String { value(name)?.text ?? "" }

    private func value(_ name: String) -> Value? { values.first { $0.name == name }?.value }
}
