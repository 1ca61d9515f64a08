public import ParlorGames

/// What every member of a room knows of it: enough for any of them to go on with it.
public struct RoomState: Hashable, Sendable {
    /// Where a room is.
    public enum Phase: Int, Hashable, Sendable, CaseIterable {
        /// Players come and go.
        case lobby = 0
        /// It is being drawn who goes first.
        case drawing = 1
        /// A match is on.
        case playing = 2
        /// A lobby with a score board.
        case finished = 3
    }

    /// Somebody in a seat.
    public struct Player: Hashable, Sendable {
        /// Who.
        public let peer: PeerID
        /// The name in this room.
        public let name: String
        /// Ready for the next match; a host always is.
        public internal(set) var ready: Bool
        /// Whether the link is lost.
        public internal(set) var away: Bool
        /// Matches won in this room.
        public internal(set) var wins: Int
        /// Whether the player has asked for a rematch.
        public internal(set) var rematch: Bool
        /// Where the peer may be reached, best first; at most ``Limits/endpointsMax``.
        public internal(set) var endpoints: [Endpoint]
        /// How well it plays, where it is a bot, which whoever hosts the room plays; `nil` for people.
        ///
        /// The ``peer`` of a bot is a number that nobody has the key of.
        public internal(set) var bot: BotSkill?

        /// Makes a bot.
        init(bot: BotSkill, peer: PeerID, name: String) {
            self.init(peer: peer, name: name, ready: true)
            self.bot = bot
        }

        init(peer: PeerID, name: String, ready: Bool = false, endpoints: [Endpoint] = []) {
            self.peer = peer
            self.name = name
            self.ready = ready
            self.endpoints = endpoints
            away = false
            wins = 0
            rematch = false
        }
    }

    /// Somebody who looks on and has no seat.
    public struct Watcher: Hashable, Sendable {
        /// Who.
        public let peer: PeerID
        /// The name in this room.
        public let name: String
    }

    /// The room's ID.
    public let id: RoomID
    /// The room's name.
    public internal(set) var name: String
    /// The game's ID.
    public let game: String
    /// Every option of the game.
    public internal(set) var options: GameOptions
    /// The seats by number, `nil` for an open one.
    public internal(set) var seats: [Player?]
    /// Where it is.
    public internal(set) var phase = Phase.lobby
    /// Whether the host lets nobody in.
    public internal(set) var locked = false
    /// Whether the room is not advertised.
    public let hidden: Bool
    /// Who may not come in again.
    public internal(set) var banned: [PeerID] = []
    /// The match that is on, or the last one.
    public internal(set) var match: MatchID?
    /// How often the room changed hands.
    public internal(set) var epoch = 0
    /// The seat of the host, which is never open; 0 until the room changes hands.
    public internal(set) var hostSeat = 0
    /// The code that lets people in; `nil` in a room that is open to everybody.
    public internal(set) var code: RoomCode?
    /// Who looks on, in the order in which they came; at most ``Limits/watchersMax``.
    public internal(set) var watchers: [Watcher] = []
    /// Whether the host lets watchers in; to begin with what the game's option `watchers` says.
    public internal(set) var watchable: Bool
    /// The list of words that is played with; `nil` for a game without words.
    public internal(set) var words: WordTerms?

    /// Opens a room with the host in seat 0.
    public init(
        id: RoomID, name: String, game: String, options: GameOptions, seats: Int, hidden: Bool, host: PeerID,
        hostName: String, hostEndpoints: [Endpoint] = [], code: RoomCode? = nil,
        words: WordTerms? = nil
    ) {
        self.id = id
        self.name = name
        self.game = game
        self.options = options
        self.hidden = hidden
        self.code = code
        self.words = words
        watchable = options.bool("watchers")
        let endpoints = Endpoint.roster(seen: nil, said: hostEndpoints)
        self.seats = [Player(peer: host, name: hostName, ready: true, endpoints: endpoints)]
        self.seats += Array(repeating: nil, count: max(0, min(seats, Limits.seatsMax) - 1))
    }

    /// The seat of a peer.
    public func seat(of peer: PeerID) -> Int? { seats.firstIndex { $0?.peer == peer } }
    /// Whether a peer looks on.
    public func isWatching(_ peer: PeerID) -> Bool { watchers.contains { $0.peer == peer } }
    /// The host.
    public var host: Player? { seats.indices.contains(hostSeat) ? seats[hostSeat] : nil }
    /// The seats of people; those of bots are as if nobody sat there.
    public var people: [Player?] { seats.map { $0?.bot == nil ? $0 : nil } }
    /// How many seats are taken.
    public var taken: Int { seats.count { $0 != nil } }
    /// Whether players may come, go and change things.
    public var isGathering: Bool { phase == .lobby || phase == .finished }
}

extension RoomState {
    /// The state as sent to the members: an array.
    public var cbor: CBOR {
        [
            .bytes(id.bytes), .text(name), .text(game),
            .array(options.values.map { [.text($0.name), Genesis.cbor($0.value)] }),
            .array(seats.map { $0.map(Self.cbor) ?? .null }), .int(phase.rawValue), .bool(locked),
            .bool(hidden),
            .array(banned.map { .bytes($0.bytes) }), match.map { .bytes($0.bytes) } ?? .null, .int(epoch),
            code.map { .text($0.text) } ?? .null, .int(hostSeat),
            .array(watchers.map { [.bytes($0.peer.bytes), .text($0.name)] }), .bool(watchable),
            words.map(\.cbor) ?? .null,
        ]
    }

    /// Reads a state; `nil` when it is none, or of a game that is not known here.
    public init?(cbor: CBOR) {
        guard let items = cbor.array, items.count == 16, let id = items[0].bytes.flatMap(RoomID.init(bytes:)),
            let name = items[1].text, name.utf8.count <= Limits.nameBytesMax, let game = items[2].text,
            let declaration = Catalog.rules(game)?.declaration,
            let given = items[3].array.flatMap(Genesis.options),
            let options = try? GameOptions(declaration, given: given), options.values == given,
            let seats = items[4].array.flatMap(Self.seats),
            let phase = items[5].int.flatMap(Phase.init(rawValue:)),
            let locked = items[6].bool, let hidden = items[7].bool,
            let banned = items[8].array.flatMap(Self.peers), banned.count <= Limits.bannedMax,
            items[9].isNull || items[9].bytes?.count == MatchID.byteCount, let epoch = items[10].int,
            epoch >= 0
        else { return nil }
        let code = items[11].text.flatMap(RoomCode.init(exactly:))
        guard items[11].isNull || code != nil, let hostSeat = items[12].int,
            seats.indices.contains(hostSeat), let host = seats[hostSeat], host.bot == nil,
            let watchers = items[13].array.flatMap({ Self.watchers($0, seats) }),
            let watchable = items[14].bool
        else { return nil }
        let words = WordTerms(cbor: items[15])
        guard words != nil || items[15].isNull else { return nil }
        self.id = id
        self.name = name
        self.game = game
        self.options = options
        self.hidden = hidden
        self.seats = seats
        self.phase = phase
        self.locked = locked
        self.banned = banned
        match = items[9].bytes.flatMap(MatchID.init(bytes:))
        self.epoch = epoch
        self.code = code
        self.hostSeat = hostSeat
        self.watchers = watchers
        self.watchable = watchable
        self.words = words
    }

    private static func cbor(_ player: Player) -> CBOR {
        [
            .bytes(player.peer.bytes), .text(player.name), .bool(player.ready), .bool(player.away),
            .int(player.wins), .bool(player.rematch), .array(player.endpoints.map(\.cbor)),
            player.bot.flatMap { BotSkill.allCases.firstIndex(of: $0) }.map { .int($0) } ?? .null,
        ]
    }

    private static func peers(_ list: [CBOR]) -> [PeerID]? {
        let peers = list.compactMap { $0.bytes.flatMap(PeerID.init(bytes:)) }
        return peers.count == list.count ? peers : nil
    }

    private static func watchers(_ list: [CBOR], _ seats: [Player?]) -> [Watcher]? {
        guard list.count <= Limits.watchersMax else { return nil }
        var watchers: [Watcher] = []
        for item in list {
            guard let items = item.array, items.count == 2,
                let peer = items[0].bytes.flatMap(PeerID.init(bytes:)), let name = items[1].text,
                (try? PlayerName(name))?.text.utf8.elementsEqual(name.utf8) ?? false,
                !watchers.contains(where: { $0.peer == peer }), !seats.contains(where: { $0?.peer == peer })
            else { return nil }
            watchers.append(Watcher(peer: peer, name: name))
        }
        return watchers
    }

    private static func seats(_ list: [CBOR]) -> [Player?]? {
        guard (1...Limits.seatsMax).contains(list.count) else { return nil }
        var seats: [Player?] = []
        for item in list {
            if item.isNull {
                seats.append(nil)
                continue
            }
            guard let items = item.array, items.count == 8,
                let peer = items[0].bytes.flatMap(PeerID.init(bytes:)),
                let name = items[1].text,
                (try? PlayerName(name))?.text.utf8.elementsEqual(name.utf8) ?? false,
                !seats.contains(where: { $0?.peer == peer }), let ready = items[2].bool,
                let away = items[3].bool, let wins = items[4].int, wins >= 0, let rematch = items[5].bool,
                let endpoints = Endpoint.list(cbor: items[6]), items[7].isNull || items[7].int != nil
            else { return nil }
            var player = Player(peer: peer, name: name, ready: ready, endpoints: endpoints)
            player.away = away
            player.wins = wins
            player.rematch = rematch
            if let level = items[7].int {
                guard BotSkill.allCases.indices.contains(level), endpoints.isEmpty else { return nil }
                player.bot = BotSkill.allCases[level]
            }
            seats.append(player)
        }
        return seats
    }
}
