/// How a message of an application travels.
public enum ChannelMode: String, WordEnum, Codable, Hashable, Sendable {
    case reliable
    case unreliable
}

/// Which reliable messages of an application go first.
public enum ChannelLane: String, WordEnum, Codable, Hashable, Sendable {
    /// Before those of `bulk`, beside the matches.
    case game
    /// When nothing else waits.
    case bulk
}

/// The way that messages to a member of a room take.
public enum ChannelPath: String, WordEnum, Codable, Hashable, Sendable {
    /// A link to the member.
    case direct
    /// The host passes them on.
    case relayed
    /// The same, while a link is being tried for the first time.
    case connecting
}

/// The result of `channel.send`.
public struct QueuedInfo: Codable, Hashable, Sendable {
    /// Bytes of reliable messages that wait for the receiver with the most of them or were not acknowledged
    /// by it, this message included; 0 for an unreliable one.
    public var queuedBytes: Int

    /// Makes the value; the parameters are the members.
    public init(queuedBytes: Int) {
        self.queuedBytes = queuedBytes
    }
}

/// One lane of a link in `channel.stats`.
public struct LaneInfo: Codable, Hashable, Sendable {
    /// The lane: `control`, `game` or `bulk`.
    public var lane: String
    /// Messages sent.
    public var sent: Int
    /// Messages received.
    public var received: Int
    /// Messages dropped: always 0, because a lane is reliable.
    public var dropped: Int
    /// Messages waiting to be sent.
    public var queued: Int
    /// Bytes of messages sent.
    public var sentBytes: Int
    /// Bytes of messages received.
    public var receivedBytes: Int
    /// Bytes of messages waiting to be sent.
    public var queuedBytes: Int
    /// Bytes of messages sent and not acknowledged.
    public var unacknowledgedBytes: Int

    /// Makes the value; the parameters are the members.
    public init(
        lane: String, sent: Int, received: Int, dropped: Int = 0, queued: Int, sentBytes: Int,
        receivedBytes: Int, queuedBytes: Int, unacknowledgedBytes: Int
    ) {
        self.lane = lane
        self.sent = sent
        self.received = received
        self.dropped = dropped
        self.queued = queued
        self.sentBytes = sentBytes
        self.receivedBytes = receivedBytes
        self.queuedBytes = queuedBytes
        self.unacknowledgedBytes = unacknowledgedBytes
    }
}

/// The unreliable channel of a link in `channel.stats`.
public struct UnreliableInfo: Codable, Hashable, Sendable {
    /// Messages sent.
    public var sent: Int
    /// Messages received.
    public var received: Int
    /// Messages dropped on this side.
    public var dropped: Int
    /// Messages waiting to be sent.
    public var queued: Int

    /// Makes the value; the parameters are the members.
    public init(sent: Int, received: Int, dropped: Int, queued: Int) {
        self.sent = sent
        self.received = received
        self.dropped = dropped
        self.queued = queued
    }
}

/// One link in `channel.stats`.
public struct ChannelLinkInfo: Codable, Hashable, Sendable {
    /// Who is at the other end.
    public var peer: PlayerInfo
    /// Round trips.
    public var rttMs: RttInfo
    /// Its lanes.
    public var lanes: [LaneInfo]
    /// Its unreliable channel.
    public var unreliable: UnreliableInfo

    /// Makes the value; the parameters are the members.
    public init(peer: PlayerInfo, rttMs: RttInfo, lanes: [LaneInfo], unreliable: UnreliableInfo) {
        self.peer = peer
        self.rttMs = rttMs
        self.lanes = lanes
        self.unreliable = unreliable
    }
}

/// The result of `channel.stats`.
public struct ChannelStatsInfo: Codable, Hashable, Sendable {
    /// All links.
    public var links: [ChannelLinkInfo]

    /// Makes the value; the parameters are the members.
    public init(links: [ChannelLinkInfo]) {
        self.links = links
    }
}
