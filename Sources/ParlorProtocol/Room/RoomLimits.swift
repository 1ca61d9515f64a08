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
    /// Lines of chat that one member may say in ``sayWindow``.
    public static let sayLinesMax = 10
    /// From a member's first line of chat on, ``sayLinesMax`` are counted together for so long.
    public static let sayWindow = Duration.seconds(10)
    /// The sentence that explains a refusal, UTF-8.
    public static let refusalBytesMax = 4 * 1_024
    /// Peers that a room keeps out.
    public static let bannedMax = 64
    /// How often a peer of a match without a working link is asked for through others.
    public static let hailInterval = Duration.seconds(1)
    /// How often somebody who looks for a room is sent on to another peer.
    public static let elsewhereMax = 4
    /// How long a room from before a restart is looked for.
    public static let reenterWait = Duration.seconds(30)
    /// From one try to reach a member of such a room to the next.
    public static let reenterInterval = Duration.seconds(1)
    /// How long a host that comes back dials its members before it advertises the room again.
    public static let returnWait = Duration.seconds(5)
}
