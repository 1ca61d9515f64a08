/// How a match by turns stands, as its player sees it.
public enum TurnMatchState: String, WordEnum, Codable, Hashable, Sendable {
    /// I am asked to take part, and have not answered.
    case invited
    /// I have asked for an open seat, and have no answer.
    case asked
    /// It is my turn.
    case yours
    /// It is another's turn.
    case theirs
    /// It is over, for me or for all.
    case ended
    /// I have no seat in it: it has an open one.
    case offered
}

/// How a seat of a match by turns stands.
public enum TurnSeatStatus: String, WordEnum, Codable, Hashable, Sendable {
    case unknown
    case invited
    case declined
    case active
    case done
}

/// A seat of a match by turns.
public struct TurnSeatInfo: Codable, Hashable, Sendable {
    /// Which seat, from 0; seats play in this order.
    public var index: Int
    /// Who has it; null while it is open.
    @OrNull public var player: PlayerInfo?
    /// How it stands.
    public var status: TurnSeatStatus
    /// How it ended; absent while it plays.
    public var outcome: Outcome?
    /// Its moves so far.
    public var moves: Int

    /// Makes the value; the parameters are the members.
    public init(index: Int, player: PlayerInfo?, status: TurnSeatStatus, outcome: Outcome? = nil, moves: Int)
    {
        self.index = index
        self.player = player
        self.status = status
        self.outcome = outcome
        self.moves = moves
    }
}

/// Two moves that a seat signed for one turn.
public struct TurnDoubleInfo: Codable, Hashable, Sendable {
    /// Which seat.
    public var seat: Int
    /// The signed move that holds, in hexadecimal digits.
    public var held: String
    /// The other one.
    public var other: String

    /// Makes the value; the parameters are the members.
    public init(seat: Int, held: String, other: String) {
        self.seat = seat
        self.held = held
        self.other = other
    }
}

/// A match by turns as I see it: `Turn`.
public struct TurnInfo: Codable, Hashable, Sendable {
    /// 16 bytes in hex.
    public var id: String
    /// The game's ID.
    public var game: String
    /// How it stands for me.
    public var state: TurnMatchState
    /// My seat; null without one.
    @OrNull public var mySeat: Int?
    /// The seat whose turn it is; null when the match is over.
    @OrNull public var turn: Int?
    /// When it was made, by its creator's clock, in Unix milliseconds.
    public var created: Int
    /// When it changed here last, in Unix milliseconds.
    public var changed: Int
    /// Seconds for a turn; 0 for no limit.
    public var turnS: Int
    /// Seconds that the turn is old by this daemon's clock; absent without a limit or a turn.
    public var waitedS: Int?
    /// The match that it is the rematch of; absent for none.
    public var after: String?
    /// The seats, in the order of play.
    public var seats: [TurnSeatInfo]
    /// The game as everybody sees it; the game defines its members.
    public var view: JSON
    /// What I may do now; null inside an action marks a value of my choice.
    public var legal: [JSON]
    /// Moves and passes so far.
    public var moves: Int
    /// The seats that have voted to pass over the seat whose turn it is.
    public var votes: [Int]
    /// Double moves that were found.
    public var doubles: [TurnDoubleInfo]
    /// Bytes of the match.
    public var bytes: Int
    /// Bytes that my moves may still take.
    public var left: Int
    /// The hash that the next move names, in hex.
    public var head: String

    /// Makes the value; the parameters are the members.
    public init(
        id: String, game: String, state: TurnMatchState, mySeat: Int?, turn: Int?, created: Int, changed: Int,
        turnS: Int, waitedS: Int? = nil, after: String?, seats: [TurnSeatInfo], view: JSON, legal: [JSON],
        moves: Int,
        votes: [Int],
        doubles: [TurnDoubleInfo], bytes: Int, left: Int, head: String
    ) {
        self.id = id
        self.game = game
        self.state = state
        self.mySeat = mySeat
        self.turn = turn
        self.created = created
        self.changed = changed
        self.turnS = turnS
        self.waitedS = waitedS
        self.after = after
        self.seats = seats
        self.view = view
        self.legal = legal
        self.moves = moves
        self.votes = votes
        self.doubles = doubles
        self.bytes = bytes
        self.left = left
        self.head = head
    }
}

/// The result of `turns.list`.
public struct TurnsListInfo: Codable, Hashable, Sendable {
    /// The matches, the one last changed first.
    public var matches: [TurnInfo]
    /// Matches carried for others: how many.
    public var carried: Int
    /// Their bytes.
    public var carriedBytes: Int

    /// Makes the value; the parameters are the members.
    public init(matches: [TurnInfo], carried: Int, carriedBytes: Int) {
        self.matches = matches
        self.carried = carried
        self.carriedBytes = carriedBytes
    }
}

/// The result of `turns.peers`: peers that were met, who can be asked to play.
public struct TurnPeersInfo: Codable, Hashable, Sendable {
    /// One peer.
    public struct Peer: Codable, Hashable, Sendable {
        /// Who it is.
        public var player: PlayerInfo
        /// When it was met last, in Unix milliseconds.
        public var seen: Int
        /// Whether it is linked now.
        public var linked: Bool

        /// Makes the value; the parameters are the members.
        public init(player: PlayerInfo, seen: Int, linked: Bool) {
            self.player = player
            self.seen = seen
            self.linked = linked
        }
    }
    /// The peers, the one last met first.
    public var peers: [Peer]

    /// Makes the value; the parameters are the members.
    public init(peers: [Peer]) { self.peers = peers }
}

/// Parameters of `turns.new`.
public struct TurnNewParams: Codable, Hashable, Sendable {
    /// The game's ID.
    public var game: String
    /// Who is asked to play, in the order of play: names of peers met before, or IDs or beginnings of IDs.
    public var with: [String]?
    /// Seats that anybody may take.
    public var open: Int?
    /// Whether to take an open seat that somebody near offers, and to offer one only where there is none.
    public var auto: Bool?
    /// Seconds for a turn; absent: no limit.
    public var turnS: Int?

    /// Makes the value; the parameters are the members.
    public init(game: String, with: [String]? = nil, open: Int? = nil, auto: Bool? = nil, turnS: Int? = nil) {
        self.game = game
        self.with = with
        self.open = open
        self.auto = auto
        self.turnS = turnS
    }
}

/// Parameters of `turns.list`.
public struct TurnsListParams: Codable, Hashable, Sendable {
    /// Only those that stand like this; `offered` are others' matches with an open seat.
    public var state: TurnMatchState?
    /// Only those of this game.
    public var game: String?

    /// Makes the value; the parameters are the members.
    public init(state: TurnMatchState? = nil, game: String? = nil) {
        self.state = state
        self.game = game
    }
}

/// Parameters of the methods about one match by turns.
public struct TurnParams: Codable, Hashable, Sendable {
    /// The match's ID, or the beginning of one that means no other.
    public var match: String

    /// Makes the value; the parameters are the members.
    public init(match: String) { self.match = match }
}

/// Parameters of `turns.play`.
public struct TurnPlayParams: Codable, Hashable, Sendable {
    /// The match's ID, or the beginning of one that means no other.
    public var match: String
    /// What to do.
    public var action: JSON

    /// Makes the value; the parameters are the members.
    public init(match: String, action: JSON) {
        self.match = match
        self.action = action
    }
}

/// Parameters of `turns.sync`.
public struct TurnSyncParams: Codable, Hashable, Sendable {
    /// Where a peer is, `HOST:PORT`; absent: all that were met and have to be told something.
    public var address: String?

    /// Makes the value; the parameters are the members.
    public init(address: String? = nil) { self.address = address }
}
