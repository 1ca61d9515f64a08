public import ParlorGames

/// The bots that one peer plays in one match: what they make up their minds to do, and when.
///
/// A value without I/O, used beside the machine: whoever drives the machine lets this look at it after every
/// input, and feeds the machine what the bots do. Bots see the view of their own seat and nothing else.
public struct BotSeats: Sendable {
    /// What the driver has to do.
    public enum Wish: Hashable, Sendable {
        /// Feed the machine with ``MatchMachine/Input/actFor(_:seat:_:)``, and call
        /// ``answered(_:isDone:at:)`` when it replies.
        case act(seat: Int, Value)
        /// Ask the program that plays this bot, and call ``set(_:for:)`` with what it answers.
        case ask(BotSight)
    }

    private struct Bot: Sendable {
        /// `nil` for one that a program plays.
        var player: (any BotPlayer)?
        var plan: BotPlan?
        /// What was seen last: how much was accepted, and whether its last card showed.
        var seen: Sight?
        /// What it does at the moment.
        var doing: Value?
        var isAsking = false
        /// After a refusal: not before this.
        var againAt: Tick?
    }

    private struct Sight: Hashable, Sendable {
        let accepted: Int
        let isRevealed: Bool
    }

    private let levels: [Int: BotSkill]
    private let seed: UInt64
    private var external: Set<Int>
    private var bots: [Int: Bot] = [:]

    /// Makes the bots of a match.
    ///
    /// - Parameters:
    ///   - levels: How well each plays, by seat; `normal` where it says nothing.
    ///   - external: The seats that programs play.
    ///   - seed: Where their choices come from.
    public init(levels: [Int: BotSkill], external: Set<Int> = [], seed: UInt64) {
        self.levels = levels
        self.external = external
        self.seed = seed
    }

    /// When to look again though nothing happens; `nil`: not at all.
    public private(set) var next: Tick?

    /// Whether it has no bots to look after, nor looks again by itself.
    public var isIdle: Bool { bots.isEmpty && next == nil }

    /// Looks at the match after the machine has taken an input, or at ``next``, and says what the bots do
    /// now.
    public mutating func look(_ machine: MatchMachine, at now: Tick) -> [Wish] {
        next = nil
        let driven = machine.drivenBots
        guard !driven.isEmpty, machine.accepted.phase == .playing, let game = machine.accepted.game else {
            bots = [:]
            return []
        }
        bots = bots.filter { driven.contains($0.key) }
        var wishes: [Wish] = []
        let sight = Sight(accepted: machine.acceptedCount, isRevealed: machine.revealAt == nil)
        for seat in driven {
            var bot = bots[seat] ?? Bot(player: player(of: seat, in: machine.accepted))
            defer { bots[seat] = bot }
            guard bot.doing == nil else { continue }
            if let again = bot.againAt, again > now {
                note(again)
                continue
            }
            if bot.seen != sight || bot.againAt != nil, !bot.isAsking {
                bot.seen = sight
                bot.againAt = nil
                let time = machine.time(at: now)
                let secrets = machine.secrets(ofBot: seat)
                let shown = BotSight(
                    seat: seat, view: game.view(for: seat, secrets: secrets, at: time),
                    legal: game.legal(for: seat, secrets: secrets, at: time), now: time)
                if bot.player != nil {
                    bot.plan = bot.player?.plan(shown)
                } else {
                    bot.plan = nil
                    bot.isAsking = !shown.legal.isEmpty
                    if bot.isAsking { wishes.append(.ask(shown)) }
                }
            }
            guard let plan = bot.plan else { continue }
            let due = machine.clock.tick(at: plan.at)
            guard due <= now else {
                note(due)
                continue
            }
            bot.plan = nil
            bot.doing = plan.action
            wishes.append(.act(seat: seat, plan.action))
        }
        return wishes
    }

    private mutating func note(_ moment: Tick) { next = min(next ?? moment, moment) }

    private func player(of seat: Int, in match: MatchState) -> (any BotPlayer)? {
        guard !external.contains(seat) else { return nil }
        return Bots.player(
            of: match.genesis.game, level: levels[seat] ?? .normal, words: match.words,
            seed: seed &+ UInt64(seat) &* 0x5851_F42D)
    }

    /// What a bot did is in the log, or was refused.
    public mutating func answered(_ seat: Int, isDone: Bool, at now: Tick) {
        guard let action = bots[seat]?.doing else { return }
        bots[seat]?.doing = nil
        bots[seat]?.player?.didAct(action, wasRefused: !isDone)
        if !isDone { bots[seat]?.againAt = now + .milliseconds(Limits.botAgainMilliseconds) }
    }

    /// The program of a bot has answered; `nil`: it waits for the next change.
    public mutating func set(_ plan: BotPlan?, for seat: Int) {
        guard bots[seat]?.isAsking ?? false else { return }
        bots[seat]?.isAsking = false
        bots[seat]?.plan = plan
    }

    /// The program of a bot does not play any more: a mind of the bot's level does from here on.
    public mutating func takeBack(_ seat: Int) {
        external.remove(seat)
        bots[seat] = nil
    }
}
