extension Limits {
    // MARK: Mesh

    /// Addresses at which one member of a room may be reached.
    public static let endpointsMax = 8
    /// From a new member to a pair without a direct link that counts as relayed.
    public static let meshRelayWait = Duration.seconds(2)
    /// How long a peer that enters the mesh of a room waits for the roster that names it.
    public static let meshRosterWait = Duration.seconds(3)
    /// Peers of one room that may wait for their roster.
    public static let meshWaitingMax = 64
    /// From a direct link that failed to the next try; doubled by each that fails.
    public static let meshRetryWait = Duration.seconds(1)
    /// The longest time between two tries.
    public static let meshRetryWaitMax = Duration.seconds(30)

    // MARK: Channels

    /// A reliable message of a program.
    public static let channelBytesMax = 1_024 * 1_024
    /// What surrounds a program's message on the wire, at most.
    public static let channelEnvelopeBytesMax = 128
    /// Reliable messages to one member that it has not acknowledged.
    public static let channelHeldBytesMax = 4 * 1_024 * 1_024
    /// What of them may be under way in one lane before the next is handed over.
    public static let channelWindowBytes = 128 * 1_024
    /// Reliable messages of one member that came before their turn, in one lane.
    public static let channelEarlyBytesMax = 4 * 1_024 * 1_024
    /// What each message counts for beside its bytes in these three.
    public static let channelHeldBytes = 64
    /// Reliable messages after which an acknowledgement is due at once.
    public static let channelAcknowledgeBytes = 32 * 1_024
    /// From the first message that is not acknowledged to its acknowledgement.
    public static let channelAcknowledgeWait = Duration.milliseconds(100)
    /// From the last sign of progress to sending again; doubled by each time without one.
    public static let channelResendWait = Duration.seconds(5)
    /// The longest time between two times.
    public static let channelResendWaitMax = Duration.seconds(30)
    /// What messages of programs leave free of a link, for rooms and matches.
    public static let channelReserveBytes = 512 * 1_024
    /// How long an unreliable message lives unless it says otherwise, in milliseconds.
    public static let channelTimeToLiveMilliseconds = Int(timeToLive / .milliseconds(1))
    /// The longest that one may live, in milliseconds.
    public static let channelTimeToLiveMillisecondsMax = Int(timeToLiveMax / .milliseconds(1))
    /// Keys of unreliable messages whose newest number is remembered, for one member.
    public static let channelKeysMax = 1_024
    /// Streams, numbers in them, and lives.
    public static let channelNumberMax = 1 << 62
    /// Unreliable messages that a host passes on from one member to another, a second.
    public static let relayUnreliableBytesMax = 4 * 1_024 * 1_024

    /// Stops a program whose limits of channels contradict each other; a part of ``check()``.
    static func checkChannels() {
        precondition(channelBytesMax + channelEnvelopeBytesMax <= messageBytesMax, "a message fits a lane")
        precondition(channelBytesMax <= channelHeldBytesMax, "a message fits an empty channel")
        precondition(channelAcknowledgeBytes * 4 <= channelWindowBytes, "acknowledgements keep a window open")
        let chunks = (messageBytesMax + chunkBytesMax - 1) / chunkBytesMax
        let underWay = channelWindowBytes + messageBytesMax + chunks * chunkHeldBytes
        precondition(
            underWay * (seatsMax - 1) + channelReserveBytes <= linkHeldBytesMax,
            "what all members send to one fits its link in one lane")
        precondition(
            channelWindowBytes + channelBytesMax <= channelEarlyBytesMax, "a window fits the receiver")
        precondition(meshRelayWait < meshRosterWait, "whoever waits for a roster is relayed by then")
        precondition(meshRetryWait < meshRetryWaitMax && channelResendWait < channelResendWaitMax, "growing")
    }
}
