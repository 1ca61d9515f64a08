public import ParlorGames
public import ParlorProtocol

/// A player of chance: does something that it may, now and then something that it may not.
public enum SimPlayer {
    /// What a player of a game does now; `nil`: nothing.
    ///
    /// Like ``action(legal:view:seat:words:random:)``, but looks at Snap itself instead of a view of it: a
    /// view is made for people and programs, and costs more than all the rest of a simulated match.
    /// - Parameters:
    ///   - seat: The player's seat.
    ///   - game: The game as accepted.
    ///   - secrets: That seat's secrets.
    ///   - time: The moment on the match clock.
    ///   - words: The list it takes words from.
    ///   - random: Where its choices come from.
    /// - Returns: Whether there is anything to do, and one action, not always a legal one.
    public static func turn(
        of seat: Int, in game: any GameRules, secrets: () -> SeatSecrets?, at time: Int, words: WordList,
        random: inout SeededGenerator
    ) -> (mayAct: Bool, action: Value?) {
        guard let snap = game as? Snap else {
            let secrets = secrets()
            let legal = game.legal(for: seat, secrets: secrets, at: time)
            return (
                !legal.isEmpty,
                action(
                    legal: legal, view: game.view(for: seat, secrets: secrets, at: time), seat: seat,
                    words: words, random: &random)
            )
        }
        if Int.random(in: 0..<50, using: &random) == 0 {
            return (true, nonsense.randomElement(using: &random))
        }
        guard snap.mayCall(seat) else { return (false, nil) }
        if snap.showsPool { return (true, poolCall) }
        if snap.showsPair || Int.random(in: 0..<60, using: &random) == 0 { return (true, snapCall) }
        return (true, snap.mayFlip(seat, at: time) ? flip : nil)
    }

    private static let snapCall: Value = ["do": "snap"]
    private static let poolCall: Value = ["do": "pool"]
    private static let flip: Value = ["do": "flip"]

    /// What a player does now; `nil`: nothing.
    ///
    /// - Parameters:
    ///   - legal: What it may do.
    ///   - view: What it sees; asked for only by games in which it matters.
    ///   - seat: Its seat.
    ///   - words: The list it takes words from.
    ///   - random: Where its choices come from.
    /// - Returns: One action, not always a legal one.
    public static func action(
        legal: [Value], view: @autoclosure () -> Value, seat: Int, words: WordList,
        random: inout SeededGenerator
    ) -> Value? {
        if Int.random(in: 0..<50, using: &random) == 0 { return nonsense.randomElement(using: &random) }
        let names = legal.compactMap { $0["do"]?.text }
        if names.contains("place") || names.contains("press") { return legal.randomElement(using: &random) }
        if names.contains("append") { return ["do": "append", "text": .string(line(&random))] }
        if names.contains("snap"), showsPair(view()) || Int.random(in: 0..<60, using: &random) == 0 {
            return ["do": "snap"]
        }
        if names.contains("flip") { return ["do": "flip"] }
        if names.contains("word") {
            return ["do": "word", "word": .string(words.words.randomElement(using: &random) ?? "")]
        }
        guard names.contains("guess") else { return nil }
        if Int.random(in: 0..<20, using: &random) == 0, let word = words.words.randomElement(using: &random) {
            return ["do": "solve", "word": .string(word)]
        }
        let letter = "abcdefghijklmnopqrstuvwxyz".randomElement(using: &random) ?? "e"
        return ["do": "guess", "letter": .string(String(letter))]
    }

    /// A turn of Story: mostly one that may be written, also of characters with many bytes.
    private static func line(_ random: inout SeededGenerator) -> String {
        let characters =
            ["ab c, ", "äßé. ", "日本語。", "👩‍🚀🇪🇺", "z\u{335}\u{301} "].randomElement(using: &random) ?? ""
        let count = Int.random(in: 1...255, using: &random)
        return String((0..<count).map { _ in characters.randomElement(using: &random) ?? "a" })
    }

    private static let nonsense: [Value] = [
        ["do": "flip"], ["do": "pool"], ["do": "guess", "letter": "ab"], ["do": "solve", "word": ""],
        ["do": 3],
        ["do": "word", "word": "zzqx"], [], "flip", ["do": "dance"], ["do": "guess", "letter": "e"],
    ]

    private static func showsPair(_ view: Value) -> Bool {
        let tops = (view["seats"]?.elements ?? []).compactMap { $0["top"]?.text?.first }
        return Set(tops).count < tops.count
    }
}
