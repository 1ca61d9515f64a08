extension Limits {
    // MARK: Room

    /// How long a guest's seat is kept in a lobby after its link was lost, in seconds.
    public static let lobbySeatSeconds = 30
    /// How long a guest in a lobby waits for a lost host to come back.
    public static let hostLostWait = Duration.seconds(3)
    /// How long a request of a member waits for the host, in seconds.
    public static let roomRequestSeconds = 5
    /// A line of chat, in graphemes.
    public static let sayGraphemesMax = 500
    /// A line of chat, UTF-8.
    public static let sayBytesMax = 8 * 1_024
    /// The sentence that explains a refusal, UTF-8.
    public static let refusalBytesMax = 4 * 1_024
    /// Peers that a room keeps out.
    public static let bannedMax = 64
}
