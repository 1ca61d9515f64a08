extension Limits {
    // MARK: Watchers

    /// Watchers of a room.
    public static let watchersMax = 8
    /// Entries in one message to a watcher, in bytes; more only where one entry has more.
    public static let watchBatchBytesMax = 64 * 1_024
    /// Between two messages that bring a watcher entries which it was sent before.
    public static let watchAgainWait = Duration.seconds(1)
    /// What a link to a watcher may hold before the host sends it no more entries for the moment.
    public static let watchHeldBytesMax = 1_024 * 1_024
    /// Peers of whom a host remembers, for as long as a match is the newest, what they were sent of it.
    public static let watchRecordsMax = 64
    /// After which a watcher that has asked for entries and got no answer asks again.
    public static let watchAskWait = Duration.seconds(2)
    /// After which a watcher of a match that goes on, and of which it hears nothing, asks for entries.
    public static let watchIdleWait = Duration.seconds(5)
    /// How long a watcher looks for whoever hosts the room after its link to the host has ended.
    public static let watchSearchWait = Duration.seconds(15)
    /// Between two rounds of asking all members for the host.
    public static let watchSearchPause = Duration.seconds(1)
    /// How long a watcher waits for one member's answer, from the dial on.
    public static let watchAnswerWait = Duration.seconds(6)

    /// Stops a program whose limits contradict each other.
    static func checkWatchers() {
        precondition(watchBatchBytesMax <= entriesMessageBytesMax, "a watcher's batch is a message")
        precondition(watchAgainWait < watchAskWait, "a watcher that asks again is answered")
        precondition(watchAnswerWait < watchSearchWait, "more than one member can be asked")
    }
}
