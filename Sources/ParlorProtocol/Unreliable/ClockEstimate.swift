/// How far a peer's monotonic clock is from ours, and how sure that is.
///
/// Each answer of the peer tells its clock at a moment between two of ours, so the offset lies between two
/// bounds. What several answers allow is what all of them allow, each widened by what the clocks may have
/// drifted since (``Limits/clockDriftMax``). The answer with the shortest round trip counts most by itself,
/// and none needs to be kept. An answer that contradicts the ones before means that a machine was suspended:
/// they are forgotten.
public struct ClockEstimate: Hashable, Sendable {
    /// The peer's clock minus ours, and by how much that may be wrong.
    public struct Offset: Hashable, Sendable {
        /// The peer's clock minus ours.
        public let offset: Duration
        /// The true offset differs from this one by no more.
        public let error: Duration
    }

    /// What the offset lies between, in nanoseconds, at a moment.
    private struct Bounds: Hashable, Sendable {
        var least: Int64
        var most: Int64
        var at: Tick

        /// The bounds at another moment.
        func moved(to tick: Tick) -> Bounds {
            let age = tick >= at ? (tick - at).nanoseconds : (at - tick).nanoseconds
            let drift = age / 1_000_000 * Int64(Limits.clockDriftMax) + Int64(Limits.clockDriftMax)
            return Bounds(least: least - drift, most: most + drift, at: tick)
        }
    }

    private var bounds: Bounds?

    /// Makes an estimate that knows nothing.
    public init() {}

    /// Whether an answer has come.
    public var isKnown: Bool { bounds != nil }

    /// Takes an answer into account.
    ///
    /// One that cannot be (it came before it was asked for, or shows a time beyond
    /// ``Limits/clockMicrosecondsMax``) is ignored.
    public mutating func add(_ sample: Link.ClockSample) {
        guard sample.sent <= sample.received, sample.peerMicroseconds <= Limits.clockMicrosecondsMax,
            sample.received.nanoseconds <= Limits.clockMicrosecondsMax * 1_000
        else { return }
        let peer = Int64(sample.peerMicroseconds) * 1_000
        let asked = Int64(sample.sent.nanoseconds)
        let answered = Int64(sample.received.nanoseconds)
        let seen = Bounds(least: peer - answered, most: peer + 999 - asked, at: sample.sent)
            .moved(to: sample.received)
        guard let old = bounds?.moved(to: sample.received) else {
            bounds = seen
            return
        }
        let both = Bounds(
            least: max(old.least, seen.least), most: min(old.most, seen.most), at: sample.received)
        bounds = both.least <= both.most ? both : seen
    }

    /// The offset as far as it is known at a moment; `nil` before the first answer.
    public func offset(at now: Tick) -> Offset? {
        guard let bounds = bounds?.moved(to: now) else { return nil }
        let width = bounds.most - bounds.least
        return Offset(
            offset: .nanoseconds(bounds.least + width / 2), error: .nanoseconds(width - width / 2))
    }

    /// When the peer's clock showed a time, by ours; `nil` before the first answer.
    ///
    /// It is wrong by no more than the error of ``offset(at:)`` and a microsecond.
    public func tick(ofPeerMicroseconds time: UInt64, at now: Tick) -> Tick? {
        guard let offset = offset(at: now) else { return nil }
        let local = Int64(min(time, Limits.clockMicrosecondsMax)) * 1_000 - offset.offset.nanoseconds
        return Tick(nanoseconds: UInt64(max(0, local)))
    }

    /// What the peer's clock showed at a moment of ours, in microseconds; `nil` before the first answer.
    public func peerMicroseconds(of tick: Tick, at now: Tick) -> UInt64? {
        guard let offset = offset(at: now) else { return nil }
        let local = Int64(min(tick.nanoseconds, Limits.clockMicrosecondsMax * 1_000))
        return UInt64(max(0, local + offset.offset.nanoseconds)) / 1_000
    }
}

/// The most delay of a peer's messages seen lately, by which its claims of time are judged.
///
/// Remembers for ``Limits/delayMemory`` at least, and for twice as long at most.
public struct MostDelay: Hashable, Sendable {
    private var current = Duration.zero
    private var previous = Duration.zero
    private var since: Tick?

    /// Makes one that has seen no delay.
    public init() {}

    /// Notes the delay of a message that has come now.
    public mutating func add(_ delay: Duration, at now: Tick) {
        let began = since ?? now
        if since == nil || now - began >= Limits.delayMemory {
            previous = now - began >= Limits.delayMemory * 2 ? .zero : current
            current = .zero
            since = now
        }
        current = max(current, delay)
    }

    /// The most delay seen lately.
    public func most(at now: Tick) -> Duration {
        guard let since else { return .zero }
        let age = now - since
        if age >= Limits.delayMemory * 2 { return .zero }
        return age >= Limits.delayMemory ? current : max(current, previous)
    }

    /// What of a peer's claim is believed: never earlier than the arrival minus the most delay and the
    /// clock's error, never later than the arrival.
    ///
    /// - Parameters:
    ///   - claim: The time that the peer claims, by our clock.
    ///   - arrival: When the claim came.
    ///   - error: By how much the conversion of the claim may be wrong.
    /// - Returns: The claim, or the nearest time that is believed.
    public func believed(_ claim: Tick, arrival: Tick, error: Duration) -> Tick {
        max(arrival + (.zero - most(at: arrival) - error), min(claim, arrival))
    }
}
