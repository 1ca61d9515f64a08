extension Limits {
    // MARK: Match

    /// Seats of a room and a match.
    public static let seatsMax = 4
    /// A player's name in a room, UTF-8.
    public static let playerNameBytesMax = 128
    /// An entry as written in a log.
    public static let entryBytesMax = 64 * 1_024
    /// The latest moment on a match clock, in milliseconds: far off, and no sum of times leaves 64 bits.
    public static let matchMillisecondsMax = 1 << 40
    /// The entries of one log.
    public static let entriesMax = 200_000
    /// The highest counter of a proposal.
    public static let counterMax = 1 << 40
    /// The highest number of a round of the draw: it is one byte.
    public static let drawRoundMax = 255
    /// How long a seat may take to commit, and to reveal, in milliseconds.
    public static let drawMilliseconds = 10_000
    /// How long a seat may take to give its link of a joint draw, in milliseconds.
    public static let linkMilliseconds = 2_000
    /// After which something overdue that could not be done is looked at again, in milliseconds.
    public static let overdueMilliseconds = 100
    /// How often a seat may withhold a link before it has left.
    public static let withheldMax = 2
    /// The most that a moment of showing may lie after its entry, in milliseconds.
    public static let revealDelayMilliseconds = 160
    /// What is added to the largest delay of a link for the moment of showing, in milliseconds.
    public static let revealMarginMilliseconds = 10
    /// How far before it came a call is believed to have been pressed, and how long calls are gathered, at
    /// most, in milliseconds.
    public static let callMilliseconds = 200
    /// How far from the start of a machine its match clock may have begun, in microseconds: some 30 years.
    public static let clockZeroMicrosecondsMax = 1_000_000_000_000_000
    /// How long an action waits for the sequencer, in milliseconds.
    public static let actMilliseconds = 10_000
    /// Actions of one seat that may wait for the sequencer at once.
    public static let actsMax = 32
    /// Moves in a row after which the sequencer does first what the game waits for.
    public static let movesBeforeGame = 8
    /// Entries after which peers compare the hashes of their states.
    public static let stateHashEntries = 16
    /// The most bytes of entries in one message, below ``messageBytesMax``.
    public static let entriesMessageBytesMax = 512 * 1_024

    // MARK: Hand-over

    /// The highest epoch of a match.
    public static let epochMax = 1 << 20
    /// How long a seat that asks for votes waits for them, and for the log it lacks, in milliseconds.
    public static let votesMilliseconds = 2_000
    /// How long a seat lets each present seat below it ask for votes first, in milliseconds.
    public static let candidateMilliseconds = 2_000
    /// How long a seat that has voted waits for the sequencer it voted for, in milliseconds.
    public static let voterMilliseconds = 3_000
    /// After which a joint draw that is not opened makes seats say which links they have, in milliseconds;
    /// well below ``linkMilliseconds``.
    public static let linkReportMilliseconds = 1_000
    /// How old a word about missing links must be to count, in milliseconds: a link may have come since, and
    /// the word that it did may be on its way.
    public static let reportMilliseconds = 500
    /// How long a seat must have been heard without a break for a word about its absence to be false.
    public static let heardMilliseconds = 2_000
    /// How long a sequencer may insist on an entry that this seat does not store, in milliseconds.
    public static let insistMilliseconds = 5_000
    /// How far beside the delay an entry's time may lie from this seat's own estimate, in milliseconds.
    public static let clockMarginMilliseconds = 500
    /// How often a second a seat is sent the entries that it lacks.
    public static let wantsMax = 16
    /// How often a machine looks about though nothing is due, in milliseconds.
    public static let pulseMilliseconds = 1_000
    /// After which a match that does not go on counts as paused, in milliseconds.
    public static let pausedMilliseconds = 1_000
    /// What a peer that begins again leaves free of its counters: proposals may be on their way.
    public static let counterGap = 1_000
    /// Pieces of evidence in one entry.
    public static let evidenceMax = 2
    /// One piece of evidence, as large as most entries.
    public static let evidenceBytesMax = 16 * 1_024
    /// Faults that one seat may bring into a log.
    public static let faultsMax = 8

    // MARK: Bots

    /// After which a bot whose action was refused looks at the match again, in milliseconds.
    public static let botAgainMilliseconds = 1_000
    /// How long a program that plays a bot may take for an answer, in milliseconds.
    public static let botAnswerMilliseconds = 5_000
    /// A line that such a program writes, its end not counted.
    public static let botLineBytesMax = 64 * 1_024
    /// How much later than it was asked a program may want an action done, in milliseconds.
    public static let botDelayMillisecondsMax = 60_000
}
