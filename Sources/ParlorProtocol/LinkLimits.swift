extension Limits {
    // MARK: Link, coming back

    /// How long both sides keep a link that has no connection.
    public static let resumeWait = Duration.seconds(30)
    /// Between two tries to connect again, by the side that dialled last.
    public static let redialInterval = Duration.milliseconds(250)
    /// From the loss of a connection to the first try of the side that did not dial last.
    public static let redialOtherWait = Duration.seconds(1)
    /// How long a link is kept that nobody needs.
    public static let unusedWait = Duration.seconds(10)

    // MARK: Link, getting one

    /// Connections that may wait for their link, from all addresses.
    public static let strangersMax = 64
    /// Connections from one address that may wait for their link; from this machine, ``strangersMax`` may.
    public static let strangersOfAddressMax = 8
    /// How long two links of opposite directions count as dialled at the same time.
    public static let simultaneousWait = Duration.seconds(3)
    /// Between the starts of two tries to reach a peer, and before an address that turned the caller away is
    /// tried again.
    public static let dialStagger = Duration.milliseconds(250)
    /// What reaching a peer may take in all.
    public static let dialWait = Duration.seconds(5)

    /// Relates the numbers of links to each other; part of ``check()``.
    static func checkLinks() {
        precondition(
            lostWaitIdle < resumeWait && lostWaitInMatch < resumeWait, "a link outlives the loss of its peer")
        precondition(
            redialInterval * 2 < redialOtherWait, "who dialled last has had its try when the other begins")
        precondition(
            redialOtherWait + greetingWait < lostWaitInMatch, "both sides have dialled before a peer is lost")
        precondition(greetingWait < dialWait, "a dial outlasts a listener that says nothing")
        precondition(strangersOfAddressMax < strangersMax, "one address does not keep all others out")
    }
}
