public import ParlorProtocol

/// How fast somebody presses a key after a card has shown.
public enum Reaction: Hashable, Sendable {
    /// A person: log-normal, with its median and the standard deviation of its logarithm.
    ///
    /// Seeing whether two things are the same and answering with one key takes adults some 350 to 450 ms,
    /// with a long tail to the right (R. D. Luce, Response Times, 1986, on choice reactions). The numbers
    /// taken here, ``person``, are a choice within that, not a measurement.
    case logNormal(medianMs: Double, sigma: Double)
    /// A bot: anywhere in the range, in milliseconds.
    case uniform(ClosedRange<Int>)
    /// Never.
    case never

    /// A person: median 400 ms, two thirds between 310 and 515 ms.
    public static let person = Reaction.logNormal(medianMs: 400, sigma: 0.25)
    /// The bots, by level.
    public static let easyBot = Reaction.uniform(500...2_500)
    /// The bots, by level.
    public static let normalBot = Reaction.uniform(350...1_200)
    /// The bots, by level.
    public static let hardBot = Reaction.uniform(250...700)

    /// How long it takes this time; `nil`: it is not done.
    public func draw(_ random: inout SeededGenerator) -> Duration? {
        switch self {
        case .never: return nil
        case .uniform(let range):
            return .milliseconds(range.lowerBound)
                + random.duration(upTo: .milliseconds(range.upperBound - range.lowerBound))
        case .logNormal(let median, let sigma):
            // The sum of twelve even numbers is as good as normal here, and the same on every machine.
            var normal = -6.0
            for _ in 0..<12 { normal += Double(random.next() >> 11) * 0x1p-53 }
            return .nanoseconds(Int64(median * Self.exponential(sigma * normal) * 1_000_000))
        }
    }
}

extension Reaction {
    /// e to so much, for numbers near 0.
    private static func exponential(_ power: Double) -> Double {
        var term = 1.0
        var sum = 1.0
        for step in 1...24 {
            term *= power / Double(step)
            sum += term
        }
        return sum
    }
}

extension Tick {
    /// The moment so much earlier.
    static func - (tick: Tick, duration: Duration) -> Tick { tick + (.zero - duration) }
}
