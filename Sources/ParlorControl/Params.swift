/// Parameters of `hello`.
public struct HelloParams: Codable, Hashable, Sendable {
    /// The client's name and version.
    public var client: String
    /// The version it was written for.
    public var api: Int

    /// Makes the value; the parameters are the members.
    public init(client: String, api: Int) {
        self.client = client
        self.api = api
    }
}

/// Parameters of `events.subscribe`.
public struct SubscribeParams: Codable, Hashable, Sendable {
    /// Only these types; absent: all.
    public var types: [String]?
    /// Also the kept events after this number.
    public var since: Int?

    /// Makes the value; the parameters are the members.
    public init(types: [String]? = nil, since: Int? = nil) {
        self.types = types
        self.since = since
    }
}

/// The result of `events.subscribe`.
public struct SubscribeInfo: Codable, Hashable, Sendable {
    /// The number of the newest event.
    public var seq: Int
    /// True when `since` is older than what is kept.
    public var missed: Bool?

    /// Makes the value; the parameters are the members.
    public init(seq: Int, missed: Bool? = nil) {
        self.seq = seq
        self.missed = missed
    }
}

/// Parameters of `match.view`.
public struct MatchParams: Codable, Hashable, Sendable {
    /// The match's ID; absent: the room's newest.
    public var match: String?
    /// The room's ID; absent: the only one I am in.
    public var room: String?

    /// Makes the value; the parameters are the members.
    public init(match: String? = nil, room: String? = nil) {
        self.match = match
        self.room = room
    }
}

/// Parameters of `match.act`.
public struct ActParams: Codable, Hashable, Sendable {
    /// The match's ID; absent: the room's newest.
    public var match: String?
    /// The room's ID; absent: the only one I am in.
    public var room: String?
    /// What to do, an object with `do`.
    public var action: JSON

    /// Makes the value; the parameters are the members.
    public init(match: String? = nil, room: String? = nil, action: JSON) {
        self.match = match
        self.room = room
        self.action = action
    }
}

/// Parameters of `match.log`.
public struct LogParams: Codable, Hashable, Sendable {
    /// The match's ID.
    public var match: String
    /// The first entry wanted.
    public var from: Int?
    /// The most entries wanted.
    public var limit: Int?
    /// Whether genesis and entries are wanted as they are written in the log, too.
    public var raw: Bool?

    /// Makes the value; the parameters are the members.
    public init(match: String, from: Int? = nil, limit: Int? = nil, raw: Bool? = nil) {
        self.match = match
        self.from = from
        self.limit = limit
        self.raw = raw
    }
}

/// Parameters of `match.export`.
public struct ExportParams: Codable, Hashable, Sendable {
    /// The match's ID.
    public var match: String

    /// Makes the value; the parameters are the members.
    public init(match: String) {
        self.match = match
    }
}

/// Parameters of `match.verify`: one of the two.
public struct VerifyParams: Codable, Hashable, Sendable {
    /// The match's ID.
    public var match: String?
    /// A whole match as `match.export` gave it.
    public var text: String?

    /// Makes the value; the parameters are the members.
    public init(match: String? = nil, text: String? = nil) {
        self.match = match
        self.text = text
    }
}

/// Parameters of `matches.list`.
public struct MatchesListParams: Codable, Hashable, Sendable {
    /// Only matches this far.
    public var state: MatchState?
    /// Only matches of this game.
    public var game: String?
    /// The most matches wanted, the newest.
    public var limit: Int?

    /// Makes the value; the parameters are the members.
    public init(state: MatchState? = nil, game: String? = nil, limit: Int? = nil) {
        self.state = state
        self.game = game
        self.limit = limit
    }
}

/// Parameters of `matches.remove`.
public struct MatchesRemoveParams: Codable, Hashable, Sendable {
    /// The match's ID.
    public var match: String

    /// Makes the value; the parameters are the members.
    public init(match: String) {
        self.match = match
    }
}

/// Parameters of `channel.send`.
public struct ChannelSendParams: Codable, Hashable, Sendable {
    /// The room's ID; absent: the only one I am in.
    public var room: String?
    /// Peer IDs; absent: everybody in the room.
    public var to: [String]?
    /// How it travels.
    public var mode: ChannelMode
    /// The bytes in base64.
    public var data: String
    /// For a reliable message which lane it takes; absent: `bulk`.
    public var lane: ChannelLane?
    /// For an unreliable message what it is about, 0 to 2^32-1: of those that wait, only the newest about it
    /// is kept.
    public var key: Int?
    /// For an unreliable message how long it is worth sending, in milliseconds; absent: 200.
    public var ttlMs: Int?

    /// Makes the value; the parameters are the members.
    public init(
        room: String? = nil, to: [String]? = nil, mode: ChannelMode, data: String, lane: ChannelLane? = nil,
        key: Int? = nil, ttlMs: Int? = nil
    ) {
        self.room = room
        self.to = to
        self.mode = mode
        self.data = data
        self.lane = lane
        self.key = key
        self.ttlMs = ttlMs
    }
}

/// Parameters of `profile.set`.
public struct ProfileSetParams: Codable, Hashable, Sendable {
    /// What I want to be called.
    public var name: String

    /// Makes the value; the parameters are the members.
    public init(name: String) {
        self.name = name
    }
}
