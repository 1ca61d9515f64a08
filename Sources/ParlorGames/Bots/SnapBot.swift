/// Plays Snap: flips when it is its turn, calls when it sees a pair, now and then when there is none.
struct SnapBot: BotPlayer {
    /// Milliseconds from its turn to its flip.
    static let flipWait = 0...1_000

    private let level: BotSkill
    private var random: BotRandom
    /// The number of the flip that it looks at; -1 before it has seen any table.
    private var flips = -1
    /// What it will do.
    private var next: BotPlan?
    /// Whether that answers a pair that it saw.
    private var isForPair = false
    /// Whether it has called for this flip, or lets it be.
    private var isDone = false

    init(level: BotSkill, seed: UInt64) {
        self.level = level
        random = BotRandom(seed: seed)
    }

    /// Milliseconds from seeing a pair to calling it.
    static func reaction(_ level: BotSkill) -> ClosedRange<Int> {
        switch level {
        case .easy: 500...2_500
        case .normal: 350...1_200
        case .hard: 250...700
        }
    }

    /// Of how many flips without a pair it calls one; `nil`: never.
    static func falseCalls(_ level: BotSkill) -> Int? {
        switch level {
        case .easy: 31
        case .normal: 60
        case .hard: nil
        }
    }

    mutating func plan(_ sight: BotSight) -> BotPlan? {
        let shown = sight.view["flips"]?.number ?? 0
        if shown != flips {
            // Whatever it had in mind was about the cards before.
            flips = shown
            next = nil
            isDone = false
        }
        let call = Self.call(for: sight)
        if let plan = next, plan.action["do"]?.text != "flip" {
            // Somebody else was quicker.
            if isForPair, call == nil { next = nil }
        } else if !isDone {
            consider(call, sight)
        }
        if next == nil, sight.may("flip") {
            next = BotPlan(["do": "flip"], at: sight.now + random.number(Self.flipWait))
        } else if next?.action["do"]?.text == "flip", !sight.may("flip") {
            next = nil
        }
        return next
    }

    /// Looks at the cards of a flip once, and at a pair whenever there is one.
    private mutating func consider(_ call: Value?, _ sight: BotSight) {
        if let call {
            isForPair = true
            isDone = true
            next = BotPlan(call, at: sight.now + random.number(Self.reaction(level)))
        } else if flips > 0, sight.view["last"]?["kind"]?.text == "flip" {
            isDone = true
            guard let times = Self.falseCalls(level), random.oneIn(times), sight.may("snap") else { return }
            isForPair = false
            next = BotPlan(["do": "snap"], at: sight.now + random.number(Self.reaction(level)))
        }
    }

    mutating func didAct(_ action: Value, wasRefused: Bool) { next = nil }

    /// The call that is right now; `nil` where there is none, or the bot may not call.
    private static func call(for sight: BotSight) -> Value? {
        guard sight.may("snap") else { return nil }
        let ranks = (sight.view["seats"]?.elements ?? []).compactMap { $0["top"]?.text?.first }
        if Set(ranks).count < ranks.count { return ["do": "snap"] }
        guard sight.may("pool"), let pool = sight.view["pool"]?["top"]?.text?.first, ranks.contains(pool)
        else { return nil }
        return ["do": "pool"]
    }
}
