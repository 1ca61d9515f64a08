/// Which way unreliable messages take.
public enum UnreliablePath: String, Hashable, Sendable {
    /// Datagrams beside the stream.
    case udp
    /// The link's own stream, because no datagrams get through, or none have yet.
    case stream
}

/// What has gone through the unreliable channel of a link.
public struct UnreliableStatistics: Hashable, Sendable {
    /// Messages that did not arrive, as far as this side knows.
    public struct Dropped: Hashable, Sendable {
        /// Before they were sent: their time to live was over.
        public internal(set) var expired: UInt64 = 0
        /// Before they were sent: too many waited, and these were the oldest.
        public internal(set) var crowdedOut: UInt64 = 0
        /// Before they were sent: a newer one had the same key.
        public internal(set) var superseded: UInt64 = 0
        /// When they arrived: their time to live was over.
        public internal(set) var late: UInt64 = 0
        /// When they arrived: a newer one of the same sequence, or the same one, had come before.
        public internal(set) var overtaken: UInt64 = 0
        /// Arrived in part.
        public internal(set) var incomplete: UInt64 = 0

        /// Those that were not sent.
        public var whileSending: UInt64 { expired + crowdedOut + superseded }
        /// Those that arrived in vain.
        public var whileReceiving: UInt64 { late + overtaken + incomplete }
    }

    /// Datagrams and frames that were not looked at.
    public struct Refused: Hashable, Sendable {
        /// They had another version or link ID, or a length that no datagram has.
        public internal(set) var notOurs: UInt64 = 0
        /// They had come before, or were too old to know.
        public internal(set) var replayed: UInt64 = 0
        /// They were not sealed by the peer.
        public internal(set) var forged: UInt64 = 0
        /// They were the peer's, and broke the rules.
        public internal(set) var malformed: UInt64 = 0
    }

    /// Which way messages take.
    public internal(set) var path = UnreliablePath.stream
    /// Messages of which the last piece has been sent.
    public internal(set) var sentMessages: UInt64 = 0
    /// Their bytes.
    public internal(set) var sentBytes: UInt64 = 0
    /// Messages received whole and in time.
    public internal(set) var receivedMessages: UInt64 = 0
    /// Their bytes.
    public internal(set) var receivedBytes: UInt64 = 0
    /// Messages that wait to be sent.
    public internal(set) var queuedMessages = 0
    /// Their bytes.
    public internal(set) var queuedBytes = 0
    /// Datagrams sent, probes among them.
    public internal(set) var sentDatagrams: UInt64 = 0
    /// Datagrams of the peer received.
    public internal(set) var receivedDatagrams: UInt64 = 0
    /// Pieces that took the stream, probes among them.
    public internal(set) var sentFrames: UInt64 = 0
    /// Pieces that came by the stream.
    public internal(set) var receivedFrames: UInt64 = 0
    /// How often the peer's address turned out to be another.
    public internal(set) var addressChanges: UInt64 = 0
    /// How long the last probes took to come back; `nil` before the first has.
    public internal(set) var roundTrips: LinkStatistics.RoundTrips?
    /// Messages that did not arrive.
    public internal(set) var dropped = Dropped()
    /// Datagrams and frames that were not looked at.
    public internal(set) var refused = Refused()

    /// Makes counters at zero.
    public init() {}
}
