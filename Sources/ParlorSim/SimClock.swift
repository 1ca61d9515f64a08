public import ParlorProtocol

/// A node's monotonic clock, as it differs from true time.
public struct SimClock: Hashable, Sendable {
    /// What it shows at true time zero.
    public var offset: Tick
    /// How many microseconds it gains in each true second; negative: loses.
    ///
    /// Crystals stay within 100.
    public var driftPartsPerMillion: Int64

    /// Makes a clock.
    public init(offset: Tick = Tick(nanoseconds: 0), driftPartsPerMillion: Int64 = 0) {
        precondition(abs(driftPartsPerMillion) < 1_000_000, "a clock goes forward")
        self.offset = offset
        self.driftPartsPerMillion = driftPartsPerMillion
    }

    /// What the clock shows at a true moment.
    public func local(at truth: Tick) -> Tick {
        let gained = Int64(truth.nanoseconds / 1_000) * driftPartsPerMillion / 1_000
        return offset + .nanoseconds(Int64(truth.nanoseconds)) + .nanoseconds(gained)
    }

    /// The first true moment at which the clock shows so much or more; zero when it always has.
    public func truth(at local: Tick) -> Tick {
        guard local > offset else { return Tick(nanoseconds: 0) }
        let elapsed = (local - offset).nanoseconds
        // Division may land a microsecond before the mark; step to it, so that no timer is early.
        var truth = Tick(nanoseconds: UInt64(elapsed))
        for _ in 0..<16 {
            let error = self.local(at: truth) - local
            guard error != .zero else { return truth }
            truth = truth + (.zero - error)
        }
        while self.local(at: truth) < local { truth = truth + .microseconds(1) }
        return truth
    }
}
