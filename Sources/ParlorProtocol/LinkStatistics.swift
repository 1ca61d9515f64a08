/// What has gone through a link, and how fast.
public struct LinkStatistics: Hashable, Sendable {
    /// What has gone through one lane.
    public struct Lane: Hashable, Sendable {
        /// Messages of which the last chunk has been handed to the transport, once or more often.
        public internal(set) var sentMessages: UInt64 = 0
        /// Bytes of messages that have been handed to the transport, once or more often.
        public internal(set) var sentBytes: UInt64 = 0
        /// Whole messages received.
        public internal(set) var receivedMessages: UInt64 = 0
        /// Bytes of messages received.
        public internal(set) var receivedBytes: UInt64 = 0
        /// Messages that wait to be sent, or whose rest does.
        public internal(set) var queuedMessages = 0
        /// Bytes of messages that wait to be sent.
        public internal(set) var queuedBytes = 0
        /// Bytes of messages that have been sent and not acknowledged.
        public internal(set) var unacknowledgedBytes = 0

        /// Makes counters at zero.
        public init() {}
    }

    /// How long the last pings took to come back.
    public struct RoundTrips: Hashable, Sendable {
        /// How many the figures are drawn from, at most ``Limits/roundTripsMax``.
        public let count: Int
        /// Half of them took no longer.
        public let median: Duration
        /// Ninety-nine of a hundred took no longer.
        public let p99: Duration
        /// By how much one differs from the one before, on average.
        public let jitter: Duration
    }

    /// The last pings; `nil` before the first has come back.
    public let roundTrips: RoundTrips?
    /// Each lane.
    public let lanes: PerLane<Lane>
    /// What counts against ``Limits/linkHeldBytesMax``.
    public let heldBytes: Int
    /// Bytes handed to the transport, frames and all.
    public let writtenBytes: UInt64
    /// Bytes that came from the transport.
    public let readBytes: UInt64
    /// Datagrams that were to take the stream and found no room in it.
    public let datagramsDropped: UInt64
    /// How often another connection took up the link.
    public let resumes: Int
}

/// The last round trips of a link.
struct RoundTripLog: Sendable {
    private var samples: [Duration] = []
    private var oldest = 0

    mutating func add(_ sample: Duration) {
        if samples.count < Limits.roundTripsMax {
            samples.append(sample)
        } else {
            samples[oldest] = sample
            oldest = (oldest + 1) % samples.count
        }
    }

    var summary: LinkStatistics.RoundTrips? {
        guard !samples.isEmpty else { return nil }
        let sorted = samples.sorted()
        let inOrder = samples[oldest...] + samples[..<oldest]
        let steps = zip(inOrder, inOrder.dropFirst()).map { $0 < $1 ? $1 - $0 : $0 - $1 }
        return LinkStatistics.RoundTrips(
            count: samples.count,
            median: sorted[(sorted.count - 1) / 2],
            p99: sorted[(sorted.count * 99 + 99) / 100 - 1],
            jitter: steps.isEmpty ? .zero : steps.reduce(.zero, +) / steps.count)
    }
}
