extension Limits {
    // MARK: Matches by turns

    /// Genesis and items of one match by turns.
    public static let turnMatchBytesMax = 64 * 1_024
    /// The genesis of one.
    public static let turnGenesisBytesMax = 2 * 1_024
    /// One item of one.
    public static let turnItemBytesMax = 5 * 1_024
    /// What moves leave of an author's bytes, for leaving and the like.
    public static let turnReservedBytes = 1_024
    /// Matches by turns with a seat of this peer, those that it has asked for a seat in too.
    public static let turnMatchesMax = 1_000
    /// How many of those others may have begun, so that nobody's invitations take the room for own ones.
    public static let turnInvitationsMax = 500
    /// Bytes of the matches that a peer carries for others, in all.
    public static let turnCarriedBytesMax = 16 * 1_024 * 1_024
    /// Matches that a peer carries for others, in all.
    public static let turnCarriedMax = 4_096
    /// Heads of matches by turns in one message.
    public static let turnHeadsMax = 256
    /// From one exchange of a pair of peers to the next, where neither has just come into sight, and between
    /// two tries to reach a peer that is told something.
    public static let turnSyncInterval = Duration.seconds(60)
    /// After the last heads of a pair, from which on heads begin an exchange and are no part of one.
    public static let turnAnswerInterval = Duration.seconds(1)
    /// The longest time limit of a match by turns, in seconds: 30 days.
    public static let turnSecondsMax = 30 * 24 * 60 * 60
    /// Peers met before, whose names and addresses are kept.
    public static let turnPeersMax = 1_024

    /// Bytes that the items of each author may have, in a match with so many seats.
    static func turnBytesOfAuthor(seats: Int) -> Int { (turnMatchBytesMax - turnGenesisBytesMax) / seats }

    /// Stops a program whose limits of matches by turns contradict each other.
    static func checkTurns() {
        precondition(
            turnMatchBytesMax + turnGenesisBytesMax < messageBytesMax, "a match fits one message")
        precondition(
            turnItemBytesMax * 2 + turnReservedBytes <= turnBytesOfAuthor(seats: seatsMax),
            "an author has room for items")
        precondition(turnHeadsMax * 256 <= messageBytesMax, "so many heads fit one message")
        precondition(turnInvitationsMax < turnMatchesMax, "invitations leave room for own matches")
        precondition(turnMatchBytesMax <= turnCarriedBytesMax, "one match can be carried")
    }
}
