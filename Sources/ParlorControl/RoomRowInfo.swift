/// What a room in the list is doing.
public enum RowState: String, WordEnum, Codable, Hashable, Sendable {
    case lobby
    case playing
    case full
}

/// How sure it is that a listed room can be reached.
public enum Reachability: String, WordEnum, Codable, Hashable, Sendable {
    case fresh
    case cached
    case unreachable
}

/// A room that discovery found: `RoomRow`.
public struct RoomRowInfo: Codable, Hashable, Sendable {
    /// 16 bytes in hex.
    public var id: String
    /// What the room is called.
    public var name: String
    /// The game's ID.
    public var game: String
    /// Who hosts.
    public var host: PlayerInfo
    /// How many seats there are.
    public var seats: Int
    /// How many of them are taken.
    public var taken: Int
    /// What the room is doing.
    public var state: RowState
    /// Whether the host lets nobody in.
    public var locked: Bool
    /// Whether a code is needed.
    public var code: Bool
    /// The newest protocol version the host speaks.
    public var `protocol`: Int
    /// Whether this daemon speaks one of the host's versions.
    public var compatible: Bool
    /// How sure it is that the room can be reached.
    public var reachable: Reachability
    /// Where the host listens, each as ADDRESS:PORT.
    public var endpoints: [String]
    /// Seconds since the room was last heard of.
    public var ageS: Double
    /// Whether this daemon hosts it.
    public var own: Bool
    /// Whether the host was met before.
    public var known: Bool

    /// Makes the value; the parameters are the members.
    public init(
        id: String, name: String, game: String, host: PlayerInfo, seats: Int, taken: Int, state: RowState,
        locked: Bool = false, code: Bool = false, `protocol`: Int, compatible: Bool, reachable: Reachability,
        endpoints: [String] = [], ageS: Double, own: Bool = false, known: Bool = false
    ) {
        self.id = id
        self.name = name
        self.game = game
        self.host = host
        self.seats = seats
        self.taken = taken
        self.state = state
        self.locked = locked
        self.code = code
        self.protocol = `protocol`
        self.compatible = compatible
        self.reachable = reachable
        self.endpoints = endpoints
        self.ageS = ageS
        self.own = own
        self.known = known
    }
}

/// The result of `rooms.list`.
public struct RoomsListInfo: Codable, Hashable, Sendable {
    /// Whether browsing works; false when there is no discovery.
    public var searching: Bool
    /// The rooms, in a stable order.
    public var rooms: [RoomRowInfo]

    /// Makes the value; the parameters are the members.
    public init(searching: Bool, rooms: [RoomRowInfo]) {
        self.searching = searching
        self.rooms = rooms
    }
}
