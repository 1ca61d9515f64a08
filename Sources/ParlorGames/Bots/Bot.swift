/// How well a bot plays; the raw values are those of the control interface.
public enum BotSkill: String, Hashable, Sendable, CaseIterable {
    /// Slow, and wrong now and then.
    case easy
    /// As most people do.
    case normal
    /// Quick and never wrong.
    case hard
}

/// What a bot is shown when it has to make up its mind: the view of its own seat and nothing else.
public struct BotSight: Hashable, Sendable {
    /// Its seat.
    public let seat: Int
    /// The game as it sees it.
    public let view: Value
    /// What it may do.
    public let legal: [Value]
    /// The moment on the match clock, milliseconds.
    public let now: Int

    /// Makes what a bot is shown; the parameters are the members.
    public init(seat: Int, view: Value, legal: [Value], now: Int) {
        self.seat = seat
        self.view = view
        self.legal = legal
        self.now = now
    }

    /// Whether an action of this name is among the legal ones.
    func may(_ name: String) -> Bool { legal.contains { $0["do"]?.text == name } }
}

/// What a bot is about to do.
public struct BotPlan: Hashable, Sendable {
    /// The action, as a player would type it.
    public let action: Value
    /// When, in milliseconds on the match clock; at once where that has passed.
    public let at: Int

    /// Makes a plan.
    public init(_ action: Value, at moment: Int) {
        self.action = action
        at = moment
    }
}

/// The mind of a bot in one game: a value without clock, chance or I/O of its own.
///
/// Whoever drives the bot asks it when the match begins, whenever what it sees may have changed, and after
/// what it did; what it answers takes the place of what it had planned before.
public protocol BotPlayer: Sendable {
    /// Makes up its mind; `nil`: it waits until something changes.
    ///
    /// Called with ``BotSight/now`` never decreasing. Called again though nothing has changed, it must stay
    /// with its plan.
    mutating func plan(_ sight: BotSight) -> BotPlan?

    /// What it planned was done, or was refused.
    mutating func didAct(_ action: Value, wasRefused: Bool)
}

/// The bots there are.
public enum Bots {
    /// Makes the mind of a bot.
    ///
    /// - Parameters:
    ///   - game: The game's ID.
    ///   - level: How well it plays.
    ///   - words: The agreed word list.
    ///   - seed: Where its choices come from: the same seed and the same sights give the same plans.
    /// - Returns: The mind; `nil` for a game that no bot can play.
    public static func player(
        of game: String, level: BotSkill, words: WordList, seed: UInt64
    ) -> (any BotPlayer)? {
        switch game {
        case Snap.declaration.id: SnapBot(level: level, seed: seed)
        case Hangman.declaration.id: HangmanBot(level: level, words: words, seed: seed)
        case TicTacToe.declaration.id: TicTacToeBot(level: level, seed: seed)
        case Story.declaration.id: StoryBot(seed: seed)
        default: nil
        }
    }

    /// Names for bots, in the order in which they are given out.
    public static let names = [
        "Bot Ray", "Bot Ada", "Bot Kit", "Bot Ivy", "Bot Max", "Bot Zoe", "Bot Gus", "Bot Fay",
    ]
}

/// Numbers by chance from a seed, for bots (SplitMix64).
struct BotRandom: RandomNumberGenerator, Sendable {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = state
        word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
        return word ^ (word >> 31)
    }

    /// A number of the range.
    mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &self) }

    /// Whether something happens that does once in so many times.
    mutating func oneIn(_ times: Int) -> Bool { number(1...max(1, times)) == 1 }
}
