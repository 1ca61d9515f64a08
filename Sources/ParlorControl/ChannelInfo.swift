/// How a message of an application travels.
public enum ChannelMode: String, WordEnum, Codable, Hashable, Sendable {
    case reliable
    case unreliable
}

/// The result of `channel.send`.
public struct QueuedInfo: Codable, Hashable, Sendable {
    /// Bytes waiting to be sent, this message included.
    public var queuedBytes: Int

    /// Makes the value; the parameters are the members.
    public init(queuedBytes: Int) {
        self.queuedBytes = queuedBytes
    }
}

/// One lane of a link in `channel.stats`.
public struct LaneInfo: Codable, Hashable, Sendable {
    /// The lane's name.
    public var name: String
    /// Messages sent.
    public var sent: Int
    /// Messages received.
    public var received: Int
    /// Messages dropped.
    public var dropped: Int
    /// Bytes waiting to be sent.
    public var queuedBytes: Int

    /// Makes the value; the parameters are the members.
    public init(name: String, sent: Int, received: Int, dropped: Int, queuedBytes: Int) {
        self.name = name
        self.sent = sent
        self.received = received
        self.dropped = dropped
        self.queuedBytes = queuedBytes
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

    /// Makes the value; the parameters are the members.
    public init(peer: PlayerInfo, rttMs: RttInfo, lanes: [LaneInfo]) {
        self.peer = peer
        self.rttMs = rttMs
        self.lanes = lanes
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
