/// One way for datagrams under ``NetworkConditions``: says when each of them arrives, how often, or not at
/// all.
///
/// A value without time or chance of its own: the same seed and the same calls give the same arrivals. It
/// holds no datagram; its user keeps them until they arrive. Used by the simulator and by injected faults.
public struct DatagramLine: Sendable {
    /// The longest time that a held-back datagram waits while others overtake it.
    public static let holdMax = Duration.milliseconds(40)
    /// How long a datagram may wait for those before it on a slow line; one that would wait longer is lost.
    public static let queueWaitMax = Duration.milliseconds(500)

    /// What happens to datagrams from now on.
    public var conditions: NetworkConditions
    private var random: SeededGenerator
    private var pacer = Pacer()
    private var lastArrival = Tick(nanoseconds: 0)
    private var stalledUntil = Tick(nanoseconds: 0)
    private var cutUntil = Tick(nanoseconds: 0)

    /// Makes a line; all chance follows from the seed.
    public init(_ conditions: NetworkConditions, seed: UInt64) {
        self.conditions = conditions
        random = SeededGenerator(seed: seed)
    }

    /// Nothing arrives before this moment; what is sent until then arrives at it.
    public mutating func stall(until tick: Tick) { stalledUntil = max(stalledUntil, tick) }

    /// What is sent before this moment is lost.
    public mutating func cut(until tick: Tick) { cutUntil = max(cutUntil, tick) }

    /// Sends a datagram.
    ///
    /// Each one takes the same amount of chance, so that a change of one condition moves no other.
    ///
    /// - Parameters:
    ///   - byteCount: Its size, which matters when ``NetworkConditions/bytesPerSecond`` is set.
    ///   - now: When it is sent; never goes back.
    /// - Returns: When it arrives: nothing when it is lost, two moments when it arrives twice.
    public mutating func send(byteCount: Int, at now: Tick) -> [Tick] {
        let isLost = random.happens(conditions.loss)
        let isDouble = random.happens(conditions.duplicate)
        let isHeld = random.happens(conditions.reorder)
        let jitter = random.duration(upTo: conditions.jitter)
        let hold = random.duration(upTo: Self.holdMax)
        let echo = random.duration(upTo: conditions.jitter + Self.holdMax)
        guard now >= cutUntil, pacer.wait(at: now) <= Self.queueWaitMax else { return [] }
        let departure = pacer.pass(byteCount, bytesPerSecond: conditions.bytesPerSecond, at: now)
        guard !isLost else { return [] }
        // Jitter alone keeps the order, as one queue does; only what is held back is overtaken.
        let inOrder = max(departure + conditions.delay + jitter, lastArrival, stalledUntil)
        if !isHeld { lastArrival = inOrder }
        let arrival = isHeld ? inOrder + hold : inOrder
        return isDouble ? [arrival, arrival + echo] : [arrival]
    }
}
