/// Writes a line of a story from templates, the same way at every level.
struct StoryBot: BotPlayer {
    /// Milliseconds from its turn to its line: within the shortest time of a turn that there is.
    static let wait = 500...900
    /// Bytes of a story above which its lines look for an end.
    static let endsAbove = 3_400

    private var random: BotRandom
    /// How long the story is that it looks at, and what it will write.
    private var seen: Int?
    private var next: BotPlan?

    init(seed: UInt64) { random = BotRandom(seed: seed) }

    mutating func plan(_ sight: BotSight) -> BotPlan? {
        guard sight.may("append"), let bytes = sight.view["bytes"]?.number else {
            (seen, next) = (nil, nil)
            return nil
        }
        if seen != bytes || next == nil {
            seen = bytes
            let told = sight.view["text"]?.text ?? ""
            let most = (sight.view["left"]?.number ?? Story.bytesMost - bytes) - 1
            next = line(after: told, bytes: bytes, most: most).map {
                BotPlan(["do": "append", "text": .string($0)], at: sight.now + random.number(Self.wait))
            }
        }
        return next
    }

    mutating func didAct(_ action: Value, wasRefused: Bool) { next = nil }

    /// A line that fits, if possible one that the story does not have yet; `nil` where none fits.
    private mutating func line(after told: String, bytes: Int, most: Int) -> String? {
        for _ in 0..<8 {
            let line =
                parts(told, bytes: bytes).map { $0.randomElement(using: &random) ?? "" }.joined()
            if line.utf8.count <= most, !Self.holds(told, line) { return line }
        }
        return Self.short.first { $0.utf8.count <= most }
    }

    /// The parts of a template, and what each may be.
    private mutating func parts(_ told: String, bytes: Int) -> [[String]] {
        if told.utf8.count == Story.beginning.utf8.count {
            return [["there was ", "there lived ", "there sat "], Self.who, [" "], Self.place, ["."]]
        }
        if bytes > Self.endsAbove { return [Self.ends] }
        switch random.number(0...2) {
        case 0: return [Self.starts, Self.who, [" "], Self.deeds, [" "], Self.place, ["."]]
        case 1: return [["\u{201C}"], Self.sayings, ["\u{201D} said "], Self.who, ["."]]
        default: return [Self.starts, ["it "], Self.weather, [", and "], Self.who, [" "], Self.deeds, ["."]]
        }
    }

    private static func holds(_ text: String, _ part: String) -> Bool {
        let (text, part) = (Array(text.utf8), Array(part.utf8))
        guard text.count >= part.count else { return false }
        return (0...text.count - part.count).contains { text[$0..<$0 + part.count].elementsEqual(part) }
    }

    private static let who = [
        "a clock that would not strike", "a baker with one shoe", "an owl who could count",
        "the mayor's goose",
        "a very small giant", "the last tram driver", "a girl with a brass key", "an honest pirate",
        "somebody's grandmother", "a cat of no importance", "the lighthouse keeper", "a boy made of paper",
    ]
    private static let place = [
        "at the end of the pier", "under the town hall", "in a teapot", "behind the moon",
        "on the wrong side of the river", "in a house without doors", "where the road gave up",
        "at the top of the stairs", "between two Tuesdays", "in the quietest street of all",
    ]
    private static let deeds = [
        "lost a bet", "found a door", "told a lie that came true", "counted to nine and stopped",
        "planted a button", "opened the letter", "borrowed the weather", "sang to the kettle",
        "traded a name for a lantern", "went looking for the noise", "hid the map", "forgot to be afraid",
    ]
    private static let starts = [
        "Then ", "That night ", "Without a word ", "Nobody knows why, but ", "Meanwhile ", "A week later ",
        "Just then ", "Against all advice ",
    ]
    private static let weather = [
        "rained upwards", "snowed in one room only", "grew so quiet that the dust could be heard",
        "got dark twice", "smelled of oranges", "began to hum",
    ]
    private static let sayings = [
        "This is not my hat,", "We should have turned left,", "I have been here before,",
        "It was the cheese, of course,", "Somebody has to,", "Ask me again tomorrow,",
    ]
    private static let ends = [
        "And at last the clock struck, and all of them went home.",
        "So the key turned, and everything was where it had been all along.",
        "They laughed until morning, and that was nearly the end of it.",
        "And if nobody has stopped them, they are looking for it still.",
    ]
    private static let short = ["And so it went on.", "The end.", "So.", "."]
}
