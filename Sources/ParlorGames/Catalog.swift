/// The games there are.
public enum Catalog {
    /// Every game's rules, in the order they are offered.
    public static let all: [any GameRules.Type] = [
        Snap.self, Hangman.self, TicTacToe.self, Story.self, Lucky.self,
    ]

    /// What every game says of itself, in the order they are offered.
    public static var declarations: [GameDeclaration] { all.map { $0.declaration } }

    /// The rules of a game by ID.
    public static func rules(_ id: String) -> (any GameRules.Type)? { all.first { $0.declaration.id == id } }
}
