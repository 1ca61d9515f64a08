/// The options that every game has.
enum CommonOptions {
    /// Declares them, with the game's own standard for the time of a turn.
    static func declarations(turnSeconds: Int) -> [OptionDeclaration] {
        [
            OptionDeclaration(
                "grace_s", .int(10...120, orZero: false), standard: 120,
                "seconds that a seat may be away before it has left"),
            OptionDeclaration(
                "turn_s", .int(0...300, orZero: true), standard: .int(turnSeconds),
                "seconds for a turn; 0 is no limit"),
            OptionDeclaration("watchers", .bool, standard: true, "whether others may watch"),
        ]
    }
}
