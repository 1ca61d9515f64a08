/// Every bound of the protocol, with its unit, checked before anything is allocated or waited for.
public enum Limits {
    // MARK: Link, sizes

    /// What precedes each frame: one byte of kind, three of length.
    public static let frameHeaderBytes = 4
    /// What precedes the content of a chunk: one byte of lane, one of flags.
    public static let chunkHeaderBytes = 2
    /// The content of one chunk.
    public static let chunkBytesMax = 16 * 1_024
    /// What follows a frame's header.
    public static let framePayloadBytesMax = chunkBytesMax + 64
    /// A message of a reliable lane: a program's of 1 MiB, and what surrounds it.
    public static let messageBytesMax = 1_024 * 1_024 + 256
    /// What a link holds of messages: queued, or sent and not acknowledged.
    public static let linkHeldBytesMax = 4 * 1_024 * 1_024
    /// What each chunk counts for beside its content against ``linkHeldBytesMax``.
    public static let chunkHeldBytes = 64
    /// What a link hands to its transport before that has taken all of it.
    public static let linkWindowBytes = 64 * 1_024
    /// What a link reads until it is set up.
    public static let greetingBytesMax = 8 * 1_024
    /// Content of chunks after which an acknowledgement is due at once.
    public static let acknowledgeBytes = 16 * 1_024
    /// What of the bulk lane may be sent and not acknowledged: as much may stand in front of a message of the
    /// lanes above, in the buffers of both kernels, where no order of lanes helps.
    public static let bulkWindowBytes = 64 * 1_024

    // MARK: Link, times

    /// From an open transport to a link that is set up.
    public static let greetingWait = Duration.seconds(3)
    /// From a close with messages still queued to the end.
    public static let closeWait = Duration.seconds(2)
    /// From the first chunk that is not acknowledged to its acknowledgement.
    public static let acknowledgeWait = Duration.milliseconds(100)
    /// Between two pings, in a match.
    public static let pingIntervalInMatch = Duration.milliseconds(150)
    /// Between two pings, outside of a match.
    public static let pingIntervalIdle = Duration.seconds(1)
    /// From the last byte to a suspect peer, in a match.
    public static let suspectWaitInMatch = Duration.seconds(1)
    /// From the last byte to a suspect peer, outside of a match.
    public static let suspectWaitIdle = Duration.seconds(3)
    /// From the last byte to a lost peer, in a match.
    public static let lostWaitInMatch = Duration.seconds(5)
    /// From the last byte to a lost peer, outside of a match.
    public static let lostWaitIdle = Duration.seconds(10)
    /// How late a deadline may be noticed before the delay counts as our own stall.
    public static let stallMax = Duration.milliseconds(500)
    /// How long a full link may go without an acknowledgement.
    public static let fullWait = Duration.seconds(10)

    // MARK: Handshake

    /// A peer's or player's name, UTF-8.
    public static let nameBytesMax = 128
    /// A software version, UTF-8.
    public static let softwareBytesMax = 64
    /// A reason, ASCII.
    public static let reasonBytesMax = 32
    /// What explains a reason to a person, UTF-8.
    public static let detailBytesMax = 256
    /// The name of a game, UTF-8.
    public static let gameIDBytesMax = 64
    /// Games that a peer offers.
    public static let gamesMax = 64

    // MARK: Statistics

    /// Round trips kept for the statistics.
    public static let roundTripsMax = 64
    /// Pings that may be waiting for their pong.
    public static let pingsOutMax = 128

    /// Stops a program whose limits contradict each other; called first thing by the daemon, and by a test.
    public static func check() {
        precondition(chunkHeaderBytes + chunkBytesMax <= framePayloadBytesMax, "a full chunk fits its frame")
        precondition(framePayloadBytesMax < 1 << 24, "a frame's length fits its three bytes")
        precondition(greetingBytesMax <= framePayloadBytesMax, "a greeting is a frame")
        let chunks = (messageBytesMax + chunkBytesMax - 1) / chunkBytesMax
        precondition(
            messageBytesMax + chunks * chunkHeldBytes <= linkHeldBytesMax, "a message fits an empty link")
        precondition(
            acknowledgeBytes * 4 <= linkHeldBytesMax, "acknowledgements come long before a link is full")
        precondition(
            acknowledgeBytes + chunkBytesMax <= bulkWindowBytes,
            "the bulk lane is acknowledged before its window is full")
        precondition(pingIntervalInMatch * 4 <= suspectWaitInMatch, "three late pings raise no suspicion")
        precondition(pingIntervalIdle * 2 <= suspectWaitIdle, "one late ping raises no suspicion")
        precondition(
            suspectWaitInMatch < lostWaitInMatch && suspectWaitIdle < lostWaitIdle, "first suspect, then lost"
        )
        precondition(stallMax < suspectWaitInMatch, "a stall is noticed before it is blamed on a peer")
        let handshake =
            nameBytesMax + softwareBytesMax + gamesMax * (gameIDBytesMax + 16) + reasonBytesMax
            + detailBytesMax + 128
        checkLinks()
        precondition(frameHeaderBytes + handshake <= greetingBytesMax, "the largest hello fits the greeting")
        checkDatagrams()
        checkChannels()
        checkCodes()
        checkKnocks()
        checkWatchers()
        checkTurns()
    }
}
