/// One direction of a TCP connection under ``NetworkConditions``: says when bytes arrive.
///
/// All of them do, in order; a lost packet shows as the time it takes to send it again.
///
/// A value without time or chance of its own: the same seed and the same calls give the same arrivals. It
/// holds no bytes; its user keeps them until they arrive. Used by the simulator and by injected faults.
public struct StreamLine: Sendable {
    /// What one packet carries: an Ethernet frame without the headers of IP and TCP.
    public static let segmentBytes = 1_460
    /// From a lost packet to its repetition, and doubled for each repetition that is lost too: the least
    /// that Linux waits (RFC 6298 gives a second, `TCP_RTO_MIN` is 200 ms).
    public static let retransmitWait = Duration.milliseconds(200)
    /// How often a packet is lost at most, so that every byte has a bound: 6.2 s in all.
    public static let retransmitsMax = 5

    /// Bytes that arrive together.
    public struct Piece: Hashable, Sendable {
        /// When they arrive.
        public let at: Tick
        /// How many they are.
        public let byteCount: Int
    }

    /// What happens to bytes from now on.
    public var conditions: NetworkConditions
    /// Whether bytes vanish and the connection is dead in this direction, though nobody is told.
    public private(set) var isHalfOpen = false
    private var random: SeededGenerator
    private var pacer = Pacer()
    private var lastArrival = Tick(nanoseconds: 0)
    private var stalledUntil = Tick(nanoseconds: 0)

    /// Makes a line; all chance follows from the seed.
    public init(_ conditions: NetworkConditions, seed: UInt64) {
        self.conditions = conditions
        random = SeededGenerator(seed: seed)
    }

    /// Nothing arrives before this moment; what is sent until then arrives at it, in order.
    public mutating func stall(until tick: Tick) { stalledUntil = max(stalledUntil, tick) }

    /// What is sent from now on never arrives, as over a router that has forgotten the connection; there is
    /// no way back, because a stream with a hole is none.
    public mutating func halfOpen() { isHalfOpen = true }

    /// Sends bytes.
    ///
    /// - Parameters:
    ///   - byteCount: How many.
    ///   - now: When they are sent; never goes back.
    /// - Returns: When they arrive, in pieces and in order; empty when they vanish.
    public mutating func send(byteCount: Int, at now: Tick) -> [Piece] {
        guard !isHalfOpen else { return [] }
        var pieces: [Piece] = []
        let travel = conditions.delay + random.duration(upTo: conditions.jitter)
        var rest = byteCount
        while rest > 0 {
            let count = min(rest, Self.segmentBytes)
            rest -= count
            pass(count, travel, at: now)
            if let last = pieces.last, last.at == lastArrival {
                pieces[pieces.count - 1] = Piece(at: last.at, byteCount: last.byteCount + count)
            } else {
                pieces.append(Piece(at: lastArrival, byteCount: count))
            }
        }
        return pieces
    }

    /// Sends bytes that one packet carries, at most ``segmentBytes``.
    ///
    /// - Parameters:
    ///   - byteCount: How many, at least one.
    ///   - now: When they are sent; never goes back.
    /// - Returns: When they arrive; `nil` when they vanish.
    public mutating func sendPacket(byteCount: Int, at now: Tick) -> Tick? {
        precondition((1...Self.segmentBytes).contains(byteCount), "\(byteCount) bytes are not one packet's")
        guard !isHalfOpen else { return nil }
        let travel = conditions.delay + random.duration(upTo: conditions.jitter)
        pass(byteCount, travel, at: now)
        return lastArrival
    }

    private mutating func pass(_ count: Int, _ travel: Duration, at now: Tick) {
        let departure = pacer.pass(count, bytesPerSecond: conditions.bytesPerSecond, at: now)
        lastArrival = max(lastArrival, departure + travel + delayOfSegment(), stalledUntil)
    }

    /// What losses, and being overtaken by later packets that then wait, cost one packet.
    private mutating func delayOfSegment() -> Duration {
        var delay = Duration.zero
        if conditions.reorder > 0, random.happens(conditions.reorder) {
            delay += random.duration(upTo: DatagramLine.holdMax)
        }
        guard conditions.loss > 0 else { return delay }
        var wait = Self.retransmitWait
        var losses = 0
        while losses < Self.retransmitsMax, random.happens(conditions.loss) {
            delay += wait
            wait = wait * 2
            losses += 1
        }
        return delay
    }
}
