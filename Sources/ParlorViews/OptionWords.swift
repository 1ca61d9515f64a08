internal import ParlorGames

/// What options of games are for.
public enum OptionWords {
    /// One line for people, with the unit; `nil` for an option that no game has.
    public static func summary(of name: String) -> String? {
        Catalog.declarations.flatMap(\.options).first { $0.name == name }?.summary
    }
}
