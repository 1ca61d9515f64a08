/// What a room is doing.
public enum RoomState: String, WordEnum, Codable, Hashable, Sendable {
    case lobby
    case drawing
    case playing
    case finished
}

/// What I am in a room.
public enum RoomRole: String, WordEnum, Codable, Hashable, Sendable {
    case host
    case guest
    case watcher
}

/// Who holds a seat.
public enum SeatState: String, WordEnum, Codable, Hashable, Sendable {
    case open
    case taken
    case bot
    case away
}

/// A seat of a room.
public struct SeatInfo: Codable, Hashable, Sendable {
    /// Which seat, from 0.
    public var index: Int
    /// Who holds it.
    public var state: SeatState
    /// Who sits there; absent when the seat is open.
    public var player: PlayerInfo?
    /// Whether the player has said to be ready; always false for an open seat.
    public var ready: Bool
    /// The round trip to the player in milliseconds; absent for oneself, bots and before it is measured.
    public var rttMs: Double?
    /// Matches won in this room.
    public var wins: Int
    /// True once the player has asked for a rematch; absent otherwise.
    public var rematch: Bool?
    /// The way that messages to the player take; absent for oneself and where nobody can be reached.
    public var path: ChannelPath?
    /// How well a bot plays; absent for people.
    public var level: BotLevel?

    /// Makes the value; the parameters are the members.
    public init(
        index: Int, state: SeatState, player: PlayerInfo? = nil, ready: Bool = false, rttMs: Double? = nil,
        wins: Int = 0, rematch: Bool? = nil, path: ChannelPath? = nil, level: BotLevel? = nil
    ) {
        self.level = level
        self.index = index
        self.state = state
        self.player = player
        self.ready = ready
        self.rttMs = rttMs
        self.wins = wins
        self.rematch = rematch
        self.path = path
    }
}

/// The list of words of a room.
public struct WordsInfo: Codable, Hashable, Sendable {
    /// BLAKE2b-256 of its words joined by line feeds, in hex.
    public var hash: String
    /// How many words it has.
    public var count: Int
    /// Bytes of its words joined by line feeds.
    public var bytes: Int
    /// Whether this machine has it; nobody is ready without.
    public var here: Bool

    /// Makes the value; the parameters are the members.
    public init(hash: String, count: Int, bytes: Int, here: Bool) {
        self.hash = hash
        self.count = count
        self.bytes = bytes
        self.here = here
    }
}

/// A room I am in: `Room`.
public struct RoomInfo: Codable, Hashable, Sendable {
    /// 16 bytes in hex.
    public var id: String
    /// What the room is called.
    public var name: String
    /// The game's ID.
    public var game: String
    /// What the room is doing.
    public var state: RoomState
    /// What I am here.
    public var role: RoomRole
    /// My seat; `null` for a watcher.
    @OrNull public var mySeat: Int?
    /// Who opened the room or took it over.
    public var host: PlayerInfo
    /// The code that lets people in; absent when the room is open to everybody.
    public var code: String?
    /// Whether the host lets nobody in.
    public var locked: Bool
    /// Whether the room is left out of discovery.
    public var hidden: Bool
    /// Where the host listens, each as ADDRESS:PORT.
    public var endpoints: [String]
    /// The game's options, an object of name and value.
    public var options: JSON
    /// All seats, in order.
    public var seats: [SeatInfo]
    /// Who watches.
    public var watchers: [PlayerInfo]
    /// Whether the host lets others watch.
    public var watchable: Bool?
    /// The list of words that is played with; absent for a game without words.
    public var words: WordsInfo?
    /// The room's newest match; absent before the first.
    public var match: String?
    /// True, when the room is entered to stay, if another connection of the daemon stays in it already.
    ///
    /// Absent otherwise.
    public var shared: Bool?

    /// Makes the value; the parameters are the members.
    public init(
        id: String, name: String, game: String, state: RoomState, role: RoomRole, mySeat: Int? = nil,
        host: PlayerInfo, code: String? = nil, locked: Bool = false, hidden: Bool = false,
        endpoints: [String] = [], options: JSON = [:], seats: [SeatInfo], watchers: [PlayerInfo] = [],
        watchable: Bool? = nil, words: WordsInfo? = nil, match: String? = nil
    ) {
        self.id = id
        self.name = name
        self.game = game
        self.state = state
        self.role = role
        self.mySeat = mySeat
        self.host = host
        self.code = code
        self.locked = locked
        self.hidden = hidden
        self.endpoints = endpoints
        self.options = options
        self.seats = seats
        self.watchers = watchers
        self.watchable = watchable
        self.words = words
        self.match = match
    }
}
