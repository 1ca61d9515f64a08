extension Limits {
    // MARK: Datagrams, sizes

    /// A whole datagram.
    ///
    /// With the headers of UDP and IPv6 (48 bytes) it fits the least that an IPv6 network carries whole.
    public static let datagramBytesMax = 1_200
    /// The least that an IPv6 network carries whole (RFC 8200 section 5).
    static let networkBytesMin = 1_280
    /// What the UDP and IPv6 headers take.
    static let networkHeaderBytes = 48
    /// What precedes the sealed part of a datagram: version, link ID, counter.
    public static let datagramHeaderBytes = 13
    /// What sealing adds to a datagram.
    public static let datagramTagBytes = 16
    /// Counters below the newest one that a receiver still tells apart.
    public static let replayWindow = 1_024
    /// The user's part of an unreliable message.
    public static let unreliableUserBytesMax = 16 * 1_024
    /// What an unreliable message may have beside the user's part.
    public static let unreliableEnvelopeBytesMax = 96
    /// An unreliable message.
    public static let unreliableBytesMax = unreliableUserBytesMax + unreliableEnvelopeBytesMax
    /// What precedes the content of a fragment with a key.
    static let fragmentHeaderBytesMax = 25
    /// The content of a fragment; each but the last of a message has exactly this much.
    public static let fragmentBytesMax = 1_146
    /// Fragments of one message.
    public static let fragmentsMax = (unreliableBytesMax + fragmentBytesMax - 1) / fragmentBytesMax

    // MARK: Datagrams, queues

    /// Messages of a link that wait to be sent over the unreliable channel.
    public static let unreliableQueueMax = 256
    /// Their bytes.
    public static let unreliableQueueBytesMax = 256 * 1_024
    /// Messages of which a receiver holds some fragments and waits for the others.
    public static let reassembliesMax = 16
    /// Keys of which a receiver remembers the newest message.
    public static let unreliableKeysMax = 256
    /// Datagrams that may go out at once.
    public static let datagramBurstMax = 64
    /// Between two datagrams, once a burst is over.
    public static let datagramInterval = Duration.microseconds(20)
    /// From a burst to the next look at what waits.
    public static let paceWait = Duration.milliseconds(1)
    /// What is handed to the stream before that has handed all of it to the kernel.
    public static let unreliableStreamBytesMax = 32 * 1_024
    /// Probes that may be waiting for their answer.
    public static let probesOutMax = 16

    // MARK: Datagrams, times

    /// How long a message lives unless its sender says otherwise.
    public static let timeToLive = Duration.milliseconds(200)
    /// The longest that a message may live.
    public static let timeToLiveMax = Duration.seconds(10)
    /// From the first probe to the others of a link that was just set up.
    public static let probeRetry = Duration.milliseconds(100)
    /// Probes that follow each other closely when datagrams are first tried.
    static let probesFirst = 5
    /// Between two probes while datagrams get through and are used.
    public static let probeInterval = Duration.seconds(1)
    /// Between two probes while the last one has not been answered.
    public static let probeIntervalUnanswered = Duration.milliseconds(250)
    /// Between two probes while messages take the stream.
    public static let probeIntervalBlocked = Duration.seconds(5)
    /// Between two probes while there are no messages; short enough for what a firewall remembers.
    public static let probeIntervalIdle = Duration.seconds(15)
    /// From the first of some unanswered probes until messages take the stream.
    public static let probeWait = Duration.seconds(3)
    /// How far two clocks drift apart, in millionths.
    public static let clockDriftMax = 200
    /// The latest time that a peer's clock may show, in microseconds.
    public static let clockMicrosecondsMax: UInt64 = 1 << 52
    /// For how long a delay counts as seen lately, at least.
    public static let delayMemory = Duration.seconds(10)

    /// Stops a program whose limits of datagrams contradict each other.
    static func checkDatagrams() {
        precondition(
            datagramBytesMax + networkHeaderBytes <= networkBytesMin, "a datagram is never cut on its way")
        precondition(
            datagramHeaderBytes + fragmentHeaderBytesMax + fragmentBytesMax + datagramTagBytes
                <= datagramBytesMax, "a full fragment fits its datagram")
        precondition(fragmentsMax <= 16, "a message's fragments fit a mask of 16 bits")
        precondition(fragmentsMax <= datagramBurstMax, "a message goes out in one go")
        precondition(unreliableBytesMax * 4 <= unreliableQueueBytesMax, "several large messages may wait")
        precondition(
            unreliableBytesMax + fragmentsMax * (fragmentHeaderBytesMax + frameHeaderBytes)
                <= unreliableStreamBytesMax, "a message goes into the stream in one go")
        precondition(datagramBytesMax <= chunkBytesMax, "what a datagram holds fits a frame")
        precondition(datagramBurstMax < replayWindow, "a burst that is reordered fits the window")
        precondition(timeToLive <= timeToLiveMax, "the usual life is a possible one")
        precondition(timeToLiveMax <= .milliseconds(Int(UInt16.max)), "a life fits its two bytes")
        precondition(probeIntervalUnanswered * 4 <= probeWait, "some lost probes do not stop datagrams")
        precondition(probeRetry * probesFirst <= .seconds(1), "what is tried is tried within a second")
    }
}
