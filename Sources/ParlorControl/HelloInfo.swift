/// How many seats a game has.
public struct SeatsRange: Codable, Hashable, Sendable {
    /// The fewest.
    public var min: Int
    /// The most.
    public var max: Int

    /// Makes the value; the parameters are the members.
    public init(min: Int, max: Int) {
        self.min = min
        self.max = max
    }
}

/// An option of a game.
public struct OptionInfo: Codable, Hashable, Sendable {
    /// Its name, as in `--set NAME=VALUE`.
    public var name: String
    /// `int`, `bool` or `choice`.
    public var type: String
    /// The smallest value of an `int`.
    public var min: Int?
    /// The largest value of an `int`.
    public var max: Int?
    /// The values of a `choice`.
    public var choices: [String]?
    /// Its value when nobody sets it.
    public var `default`: JSON

    /// Makes the value; the parameters are the members.
    public init(
        name: String, type: String, min: Int? = nil, max: Int? = nil, choices: [String]? = nil,
        `default`: JSON
    ) {
        self.name = name
        self.type = type
        self.min = min
        self.max = max
        self.choices = choices
        self.default = `default`
    }
}

/// A game this daemon knows.
public struct GameInfo: Codable, Hashable, Sendable {
    /// Its ID, as in `parlor host ID`.
    public var id: String
    /// The version of its rules.
    public var rules: Int
    /// How many seats it has.
    public var seats: SeatsRange
    /// Its options.
    public var options: [OptionInfo]

    /// Makes the value; the parameters are the members.
    public init(id: String, rules: Int, seats: SeatsRange, options: [OptionInfo]) {
        self.id = id
        self.rules = rules
        self.seats = seats
        self.options = options
    }
}

/// The result of `hello`.
public struct HelloInfo: Codable, Hashable, Sendable {
    /// The version of this interface.
    public var api: Int
    /// The daemon's release.
    public var version: String
    /// The daemon's process.
    public var pid: Int
    /// Who I am.
    public var peer: PlayerInfo
    /// The games it knows.
    public var games: [GameInfo]

    /// Makes the value; the parameters are the members.
    public init(api: Int, version: String, pid: Int, peer: PlayerInfo, games: [GameInfo]) {
        self.api = api
        self.version = version
        self.pid = pid
        self.peer = peer
        self.games = games
    }
}
