/// How much of the host's links to members the others may fill with what the host relays.
///
/// A member that keeps to PROTOCOL.md, "Channels", never meets a closed gate with a reliable message. One
/// that does not loses its own messages, and nobody else's.
public struct RelayGate: Sendable {
    private struct Way: Hashable {
        let from: PeerID
        let to: PeerID
        let lane: Lane
    }

    /// What was let through one way and is not acknowledged by the receiver's link.
    private struct UnderWay {
        var messages = Queue<(end: UInt64, bytes: Int)>()
        var bytes = 0
    }

    private struct Bucket {
        var bytes: Int
        var at: Tick
    }

    private var underWay: [Way: UnderWay] = [:]
    private var buckets: [Way: Bucket] = [:]

    /// Makes a gate that has let nothing through.
    public init() {}

    /// Whether a reliable message or an acknowledgement goes through now.
    ///
    /// - Parameters:
    ///   - count: Its bytes, no more than the lane will count for it: what seems never to arrive would keep
    ///     the gate closed.
    ///   - from: Who sends it.
    ///   - to: Who is to get it.
    ///   - lane: The lane of the receiver's link that it takes.
    ///   - counters: What has gone through that lane.
    /// - Returns: Whether it goes through; it counts as under way then.
    public mutating func takes(
        reliable count: Int, from: PeerID, to: PeerID, lane: Lane, counters: LinkStatistics.Lane
    ) -> Bool {
        let way = Way(from: from, to: to, lane: lane)
        var load = underWay[way] ?? UnderWay()
        let arrived = counters.sentBytes - min(counters.sentBytes, UInt64(counters.unacknowledgedBytes))
        while let first = load.messages.first, first.end <= arrived {
            load.bytes -= first.bytes
            _ = load.messages.popFirst()
        }
        let isOpen = load.bytes < Limits.channelWindowBytes
        if isOpen {
            let end = counters.sentBytes + UInt64(counters.queuedBytes + count)
            load.messages.append((end, ChannelOrder.cost(count)))
            load.bytes += ChannelOrder.cost(count)
        }
        underWay[way] = load
        return isOpen
    }

    /// Whether an unreliable message goes through now.
    public mutating func takes(unreliable count: Int, from: PeerID, to: PeerID, at now: Tick) -> Bool {
        let way = Way(from: from, to: to, lane: .bulk)
        let most = Limits.relayUnreliableBytesMax
        var bucket = buckets[way] ?? Bucket(bytes: most, at: now)
        let passed = min(max(0, (now - bucket.at).nanoseconds), 1_000_000_000)
        bucket.bytes = min(most, bucket.bytes + Int(passed) / 1_000 * most / 1_000_000)
        bucket.at = now
        let isOpen = bucket.bytes >= ChannelOrder.cost(count)
        if isOpen { bucket.bytes -= ChannelOrder.cost(count) }
        buckets[way] = bucket
        return isOpen
    }

    /// A member has another link, or none, so that nothing is under way to it.
    public mutating func forget(_ peer: PeerID) {
        for way in underWay.keys where way.to == peer { underWay[way] = nil }
        for way in buckets.keys where way.from == peer || way.to == peer { buckets[way] = nil }
    }
}
