/// How far a match is.
public enum MatchState: String, WordEnum, Codable, Hashable, Sendable {
    case drawing
    case playing
    case ended
}

/// Whether a seat still plays.
public enum MatchSeatState: String, WordEnum, Codable, Hashable, Sendable {
    case active
    case away
    case left
}

/// How a match ended for a seat.
public enum Outcome: String, WordEnum, Codable, Hashable, Sendable {
    case won
    case lost
    case tied
    case quit
    case timedOut = "timed-out"
    case first
    case second
    case third
    case fourth
}

/// One seat's number in a round of the draw.
public struct DrawNumber: Codable, Hashable, Sendable {
    /// The seat.
    public var seat: Int
    /// What it drew.
    public var number: Int

    /// Makes the value; the parameters are the members.
    public init(seat: Int, number: Int) {
        self.seat = seat
        self.number = number
    }
}

/// The draw for the first turn.
public struct DrawInfo: Codable, Hashable, Sendable {
    /// The rounds that counted, oldest first; a tie makes another.
    public var rounds: [[DrawNumber]]
    /// The seat that goes first; `null` until it is decided.
    @OrNull public var first: Int?

    /// Makes the value; the parameters are the members.
    public init(rounds: [[DrawNumber]], first: Int? = nil) {
        self.rounds = rounds
        self.first = first
    }
}

/// A seat of a match.
public struct MatchSeatInfo: Codable, Hashable, Sendable {
    /// Which seat, from 0.
    public var index: Int
    /// Who sits there.
    public var player: PlayerInfo
    /// Whether the host's daemon plays this seat.
    public var bot: Bool
    /// Whether it still plays.
    public var state: MatchSeatState
    /// Why it has left, as a stable word; absent while it has not.
    public var why: String?
    /// How often it kept its part of a draw to itself; absent when it did not.
    public var withheld: Int?
    /// How it ended; absent while the seat plays.
    public var outcome: Outcome?

    /// Makes the value; the parameters are the members.
    public init(
        index: Int, player: PlayerInfo, bot: Bool = false, state: MatchSeatState = .active,
        why: String? = nil, withheld: Int? = nil, outcome: Outcome? = nil
    ) {
        self.index = index
        self.player = player
        self.bot = bot
        self.state = state
        self.why = why
        self.withheld = withheld
        self.outcome = outcome
    }
}

/// A match as I see it: `Match`.
public struct MatchInfo: Codable, Hashable, Sendable {
    /// 16 bytes in hex.
    public var id: String
    /// The game's ID.
    public var game: String
    /// The room's ID.
    public var room: String
    /// How far the match is.
    public var state: MatchState
    /// My seat; `null` for a watcher.
    @OrNull public var mySeat: Int?
    /// The seats that may act now.
    public var turn: [Int]
    /// The match clock at the moment of the answer, in milliseconds.
    public var nowMs: Int
    /// The draw; absent in a match for one.
    public var draw: DrawInfo?
    /// When the turn runs out, on the match clock; absent without a limit.
    public var deadlineMs: Int?
    /// True while the match waits: the peer that orders the moves is gone, or too few are there.
    ///
    /// Absent otherwise.
    public var waiting: Bool?
    /// The seats of the match, in order.
    public var seats: [MatchSeatInfo]
    /// The game as I may see it; the game defines its members.
    public var view: JSON
    /// What I may do now; `null` inside an action marks a value of my choice.
    public var legal: [JSON]
    /// How many entries the log has.
    public var entries: Int
    /// The hash of the log's last entry, in hex.
    public var head: String
    /// The hash of the game's state, in hex.
    public var stateHash: String

    /// Makes the value; the parameters are the members.
    public init(
        id: String, game: String, room: String, state: MatchState, mySeat: Int? = nil, turn: [Int],
        nowMs: Int, draw: DrawInfo? = nil, deadlineMs: Int? = nil, seats: [MatchSeatInfo], view: JSON,
        legal: [JSON], entries: Int, head: String, stateHash: String
    ) {
        self.id = id
        self.game = game
        self.room = room
        self.state = state
        self.mySeat = mySeat
        self.turn = turn
        self.nowMs = nowMs
        self.draw = draw
        self.deadlineMs = deadlineMs
        self.seats = seats
        self.view = view
        self.legal = legal
        self.entries = entries
        self.head = head
        self.stateHash = stateHash
    }
}

/// A room that a match was played in, as `{id,name}`.
public struct MatchRoomInfo: Codable, Hashable, Sendable {
    /// 16 bytes in hex.
    public var id: String
    /// What the room was called; empty where that is forgotten.
    public var name: String

    /// Makes the value; the parameters are the members.
    public init(id: String, name: String) {
        self.id = id
        self.name = name
    }
}

/// A seat of a row of `matches.list`.
public struct MatchPlayerInfo: Codable, Hashable, Sendable {
    /// Which seat, from 0.
    public var index: Int
    /// Who sat there.
    public var player: PlayerInfo
    /// Whether a program played this seat.
    public var bot: Bool
    /// How it ended; absent while the match goes on.
    public var outcome: Outcome?

    /// Makes the value; the parameters are the members.
    public init(index: Int, player: PlayerInfo, bot: Bool, outcome: Outcome? = nil) {
        self.index = index
        self.player = player
        self.bot = bot
        self.outcome = outcome
    }
}

/// A row of `matches.list`.
public struct MatchSummary: Codable, Hashable, Sendable {
    /// 16 bytes in hex.
    public var id: String
    /// The game's ID.
    public var game: String
    /// The room it was played in.
    public var room: MatchRoomInfo
    /// How far the match is.
    public var state: MatchState
    /// My seat; `null` for a watcher.
    @OrNull public var mySeat: Int?
    /// The seats of the match, in order.
    public var seats: [MatchPlayerInfo]
    /// How many entries the log has.
    public var entries: Int
    /// When it started, in Unix milliseconds.
    public var started: Int
    /// When it ended, in Unix milliseconds; absent while it goes on.
    public var ended: Int?
    /// True when one seat ended it by itself; absent otherwise.
    public var alone: Bool?
    /// True when this peer left it before its end, so that it goes on elsewhere, if at all; absent otherwise.
    public var left: Bool?
    /// How it ended, seat by seat; empty while it goes on.
    public var outcomes: [Outcome]

    /// Makes the value; the parameters are the members.
    public init(
        id: String, game: String, room: MatchRoomInfo, state: MatchState, mySeat: Int?,
        seats: [MatchPlayerInfo], entries: Int, started: Int, ended: Int? = nil, alone: Bool? = nil,
        left: Bool? = nil, outcomes: [Outcome] = []
    ) {
        self.id = id
        self.game = game
        self.room = room
        self.state = state
        self.mySeat = mySeat
        self.seats = seats
        self.entries = entries
        self.started = started
        self.ended = ended
        self.alone = alone
        self.left = left
        self.outcomes = outcomes
    }
}

/// The result of `matches.list`.
public struct MatchesListInfo: Codable, Hashable, Sendable {
    /// The matches, newest first.
    public var matches: [MatchSummary]

    /// Makes the value; the parameters are the members.
    public init(matches: [MatchSummary]) {
        self.matches = matches
    }
}
