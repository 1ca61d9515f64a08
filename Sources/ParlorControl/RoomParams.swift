/// How well a bot plays.
public enum BotLevel: String, WordEnum, Codable, Hashable, Sendable {
    case easy
    case normal
    case hard
}

/// What `room.bot` does.
public enum BotOperation: String, WordEnum, Codable, Hashable, Sendable {
    case add
    case remove
}

/// Parameters of `rooms.list`.
public struct RoomsListParams: Codable, Hashable, Sendable {
    /// Only rooms of this game.
    public var game: String?
    /// Also own, playing, full and unreachable rooms.
    public var all: Bool?
    /// How long to wait for a first room, in milliseconds.
    public var waitMs: Int?

    /// Makes the value; the parameters are the members.
    public init(game: String? = nil, all: Bool? = nil, waitMs: Int? = nil) {
        self.game = game
        self.all = all
        self.waitMs = waitMs
    }
}

/// Parameters of `room.host`.
public struct HostParams: Codable, Hashable, Sendable {
    /// The game's ID.
    public var game: String
    /// The room's name.
    public var name: String?
    /// How many seats.
    public var seats: Int?
    /// How many bots to seat.
    public var bots: Int?
    /// How well they play.
    public var botLevel: BotLevel?
    /// The code that lets people in.
    public var code: String?
    /// Make a code.
    public var `private`: Bool?
    /// Do not advertise.
    public var hidden: Bool?
    /// Whether others may watch; absent: what the game's option `watchers` says.
    public var watchers: Bool?
    /// The game's options, an object of name and value.
    public var options: JSON?
    /// Where the choices of bots come from; absent: by chance.
    public var seed: Int?
    /// The whole path of a program that plays the bots.
    public var botCmd: String?
    /// Whether this connection stays in the room, as a terminal does: see ``LeaveParams/unlessShared``.
    public var stay: Bool?

    /// Makes the value; the parameters are the members.
    public init(
        game: String, name: String? = nil, seats: Int? = nil, bots: Int? = nil, botLevel: BotLevel? = nil,
        code: String? = nil, `private`: Bool? = nil, hidden: Bool? = nil, watchers: Bool? = nil,
        options: JSON? = nil, seed: Int? = nil, botCmd: String? = nil, stay: Bool? = nil
    ) {
        self.stay = stay
        self.seed = seed
        self.botCmd = botCmd
        self.game = game
        self.name = name
        self.seats = seats
        self.bots = bots
        self.botLevel = botLevel
        self.code = code
        self.private = `private`
        self.hidden = hidden
        self.watchers = watchers
        self.options = options
    }
}

/// Parameters of `room.join`.
public struct JoinParams: Codable, Hashable, Sendable {
    /// A name, an ID or a unique prefix of either.
    public var room: String?
    /// HOST:PORT, needing no discovery.
    public var address: String?
    /// The room's code.
    public var code: String?
    /// What I want to be called in this room.
    public var name: String?
    /// Take no seat.
    public var watch: Bool?
    /// How long to try, in milliseconds.
    public var timeoutMs: Int?
    /// Whether this connection stays in the room, as a terminal does: see ``LeaveParams/unlessShared``.
    public var stay: Bool?

    /// Makes the value; the parameters are the members.
    public init(
        room: String? = nil, address: String? = nil, code: String? = nil, name: String? = nil,
        watch: Bool? = nil, timeoutMs: Int? = nil, stay: Bool? = nil
    ) {
        self.stay = stay
        self.room = room
        self.address = address
        self.code = code
        self.name = name
        self.watch = watch
        self.timeoutMs = timeoutMs
    }
}

/// Parameters of `room.leave`.
public struct LeaveParams: Codable, Hashable, Sendable {
    /// The room's ID; absent: the only one I am in.
    public var room: String?
    /// Do not leave while another connection of this daemon stays in the room; see ``LeaveInfo``.
    public var unlessShared: Bool?
    /// The same, and this connection stays there no more in any case.
    public var detach: Bool?

    /// Makes the value; the parameters are the members.
    public init(room: String? = nil, unlessShared: Bool? = nil, detach: Bool? = nil) {
        self.room = room
        self.unlessShared = unlessShared
        self.detach = detach
    }
}

/// The result of `room.leave`.
public struct LeaveInfo: Codable, Hashable, Sendable {
    /// True when the room was not left, because another connection stays in it; absent otherwise.
    public var shared: Bool?

    /// Makes the value; the parameters are the members.
    public init(shared: Bool? = nil) {
        self.shared = shared
    }
}

/// Parameters of `room.get`, `room.start` and `room.rematch`.
public struct RoomParams: Codable, Hashable, Sendable {
    /// The room's ID; absent: the only one I am in.
    public var room: String?

    /// Makes the value; the parameters are the members.
    public init(room: String? = nil) {
        self.room = room
    }
}

/// Parameters of `room.ready`.
public struct ReadyParams: Codable, Hashable, Sendable {
    /// The room's ID; absent: the only one I am in.
    public var room: String?
    /// Whether I am ready.
    public var ready: Bool
    /// Also take the room's list of words over, where it is not here.
    public var acceptWords: Bool?

    /// Makes the value; the parameters are the members.
    public init(room: String? = nil, ready: Bool, acceptWords: Bool? = nil) {
        self.room = room
        self.ready = ready
        self.acceptWords = acceptWords
    }
}

/// Parameters of `room.lock`.
public struct LockParams: Codable, Hashable, Sendable {
    /// The room's ID; absent: the only one I am in.
    public var room: String?
    /// Whether to let nobody in.
    public var locked: Bool

    /// Makes the value; the parameters are the members.
    public init(room: String? = nil, locked: Bool) {
        self.room = room
        self.locked = locked
    }
}

/// Parameters of `room.kick`.
public struct KickParams: Codable, Hashable, Sendable {
    /// The room's ID; absent: the only one I am in.
    public var room: String?
    /// The seat to remove; or else ``watcher``.
    public var seat: Int?
    /// The peer ID of the watcher to remove.
    public var watcher: String?
    /// Also refuse that peer from now on.
    public var ban: Bool?

    /// Makes the value; the parameters are the members.
    public init(room: String? = nil, seat: Int? = nil, watcher: String? = nil, ban: Bool? = nil) {
        self.room = room
        self.seat = seat
        self.watcher = watcher
        self.ban = ban
    }
}

/// Parameters of `room.watchers`.
public struct WatchersParams: Codable, Hashable, Sendable {
    /// The room's ID; absent: the only one I am in.
    public var room: String?
    /// Whether others may watch; false also sends away those who do.
    public var allowed: Bool

    /// Makes the value; the parameters are the members.
    public init(room: String? = nil, allowed: Bool) {
        self.room = room
        self.allowed = allowed
    }
}

/// Parameters of `room.bot`.
public struct BotParams: Codable, Hashable, Sendable {
    /// The room's ID; absent: the only one I am in.
    public var room: String?
    /// Add or remove.
    public var op: BotOperation
    /// Which seat; absent: the first that fits.
    public var seat: Int?
    /// How well the bot plays.
    public var level: BotLevel?
    /// The whole path of a program that plays the bot.
    public var botCmd: String?

    /// Makes the value; the parameters are the members.
    public init(
        room: String? = nil, op: BotOperation, seat: Int? = nil, level: BotLevel? = nil,
        botCmd: String? = nil
    ) {
        self.botCmd = botCmd
        self.room = room
        self.op = op
        self.seat = seat
        self.level = level
    }
}

/// Parameters of `room.say`.
public struct SayParams: Codable, Hashable, Sendable {
    /// The room's ID; absent: the only one I am in.
    public var room: String?
    /// What to say.
    public var text: String

    /// Makes the value; the parameters are the members.
    public init(room: String? = nil, text: String) {
        self.room = room
        self.text = text
    }
}

/// Parameters of `room.set`.
public struct RoomSetParams: Codable, Hashable, Sendable {
    /// The room's ID; absent: the only one I am in.
    public var room: String?
    /// The options to change, an object of name and value.
    public var options: JSON

    /// Makes the value; the parameters are the members.
    public init(room: String? = nil, options: JSON) {
        self.room = room
        self.options = options
    }
}
