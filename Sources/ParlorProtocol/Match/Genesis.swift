internal import ParlorCrypto
public import ParlorGames

/// What a match begins with: who sits where, the game, its options.
///
/// Its hash is what the first entry refers to, and its first 16 bytes are the match's ID.
public struct Genesis: Hashable, Sendable {
    /// One seat of a match, by position: seat 0 is the host's.
    public struct Seat: Hashable, Sendable {
        /// Whose signature counts for the seat; for a bot, that of the peer that drives it.
        public let peer: PeerID
        /// The player's name in the room, for people.
        public let name: String
        /// Whether a program plays it.
        public let bot: Bool

        /// Makes a seat.
        public init(peer: PeerID, name: String, bot: Bool = false) {
            self.peer = peer
            self.name = name
            self.bot = bot
        }
    }

    /// 16 random bytes, so that no two matches are the same.
    public let nonce: [UInt8]
    /// The room it is played in.
    public let room: RoomID
    /// The game's ID.
    public let game: String
    /// The version of the game's rules.
    public let rules: Int
    /// Every option of the game, in the order of its declaration.
    public let options: GameOptions
    /// The seats, 1 to 4.
    public let seats: [Seat]
    /// The hash of the agreed word list; `nil` for games without one.
    public let words: [UInt8]?
    /// The genesis as it is hashed and sent.
    public let encoded: [UInt8]
    /// BLAKE2b-256(`parlor/genesis/1` ‖ encoded).
    public let hash: [UInt8]

    /// The match's ID: the first 16 bytes of ``hash``.
    public let match: MatchID

    /// Makes a genesis.
    public init(
        nonce: [UInt8], room: RoomID, game: String, rules: Int, options: GameOptions, seats: [Seat],
        words: [UInt8]?
    ) {
        self.nonce = nonce
        self.room = room
        self.game = game
        self.rules = rules
        self.options = options
        self.seats = seats
        self.words = words
        let body: CBOR = [
            .int(1), .bytes(nonce), .bytes(room.bytes), .text(game), .int(rules),
            .array(options.values.map { [.text($0.name), Self.cbor($0.value)] }),
            .array(seats.map { [.bytes($0.peer.bytes), .text($0.name), .bool($0.bot)] }),
            words.map { .bytes($0) } ?? .null,
        ]
        encoded = body.encoded()
        hash = Hash.blake2b256(Array("parlor/genesis/1".utf8) + encoded)
        match = MatchID(checked: Array(hash.prefix(MatchID.byteCount)))
    }

    /// Reads a genesis.
    ///
    /// - Throws: ``LogFault`` `malformed` when it is none, or names an option that is not known here;
    ///   `version` when a newer program wrote it, or for a game that is not known here.
    public init(decoding bytes: [UInt8]) throws(LogFault) {
        let items = (try? CBOR.decode(bytes))?.array
        if let version = items?.first?.int, version > 1 {
            throw LogFault(.version, "the match is of version \(version), which a newer Parlor plays")
        }
        guard let body = items, body.count == 8, body[0].int == 1,
            let nonce = body[1].bytes, nonce.count == 16,
            let room = body[2].bytes.flatMap(RoomID.init(bytes:)),
            let game = body[3].text, let rules = body[4].int, let options = body[5].array,
            let seats = body[6].array, (1...Limits.seatsMax).contains(seats.count)
        else { throw LogFault(.malformed, "the first entry of the log cannot be read") }
        guard let declaration = Catalog.rules(game)?.declaration, declaration.rules == rules else {
            throw LogFault(.version, "the game '\(game)' with rules \(rules) is not known to this Parlor")
        }
        guard let given = Self.options(options) else {
            throw LogFault(.malformed, "an option cannot be read")
        }
        var places: [Seat] = []
        for seat in seats {
            guard let seat = seat.array, seat.count == 3,
                let peer = seat[0].bytes.flatMap(PeerID.init(bytes:)),
                let name = seat[1].text, name.utf8.count <= Limits.playerNameBytesMax, let bot = seat[2].bool
            else { throw LogFault(.malformed, "a seat cannot be read") }
            guard bot || !places.contains(where: { $0.peer == peer && !$0.bot }) else {
                throw LogFault(.malformed, "one player has two seats")
            }
            places.append(Seat(peer: peer, name: name, bot: bot))
        }
        guard places.allSatisfy({ seat in places.contains { $0.peer == seat.peer && !$0.bot } }) else {
            throw LogFault(.malformed, "a bot is driven by nobody who plays")
        }
        let words = body[7].bytes
        guard declaration.seats.contains(places.count) || places.count == 1, words != nil || body[7].isNull,
            words?.count ?? Hash.byteCount == Hash.byteCount,
            let filled = try? GameOptions(declaration, given: given)
        else { throw LogFault(.malformed, "seats, options or word list do not fit the game") }
        self.init(
            nonce: nonce, room: room, game: game, rules: rules, options: filled, seats: places, words: words)
        guard encoded == bytes else {
            throw LogFault(.malformed, "the first entry is not written canonically")
        }
    }

    /// The seat of a peer; `nil` for one that has none.
    public func seat(of peer: PeerID) -> Int? { seats.firstIndex { $0.peer == peer && !$0.bot } }

    /// The seats of people, lowest first.
    public var people: [Int] { seats.indices.filter { !seats[$0].bot } }

    /// The seat whose peer plays a seat when the match begins: itself, or that of a bot's driver.
    func driver(of seat: Int) -> Int { seats[seat].bot ? self.seat(of: seats[seat].peer) ?? 0 : seat }

    /// Reads a list of pairs of option name and value; `nil` when it is none.
    static func options(_ list: [CBOR]) -> [Value.Member]? {
        var given: [Value.Member] = []
        for option in list {
            guard let pair = option.array, pair.count == 2, let name = pair[0].text,
                let value = value(pair[1])
            else { return nil }
            given.append(Value.Member(name, value))
        }
        return given
    }

    /// An option's value as it is written.
    static func cbor(_ value: Value) -> CBOR {
        switch value {
        case .int(let number): .int(number)
        case .bool(let truth): .bool(truth)
        case .string(let text): .text(text)
        case .null, .array, .object: .null  // no option takes these
        }
    }

    private static func value(_ cbor: CBOR) -> Value? {
        switch cbor {
        case .int(let number): .int(number)
        case .bool(let truth): .bool(truth)
        case .text(let text): .string(text)
        case .bytes, .array, .map, .null: nil
        }
    }
}

/// What is wrong with a log, or with an entry that somebody wants in it.
public struct LogFault: Error, Hashable, Sendable {
    /// Which rule broke.
    public enum Rule: String, Hashable, Sendable {
        /// The bytes are no entry.
        case malformed
        /// An entry does not follow the one before it.
        case chain
        /// A signature is not its author's.
        case signature
        /// A counter or a time went backwards.
        case order
        /// A proposal names an entry that is not in this log.
        case fork
        /// The rules of the match or the game do not allow it.
        case illegal
        /// Something follows the end, or the end is missing.
        case incomplete
        /// It was written by a newer program, or for a game that is not known here.
        case version
    }
    /// Which rule broke.
    public let rule: Rule
    /// What happened, for people.
    public let message: String
    /// The game's or the match's own reason, for the author of a refused proposal.
    public let refusal: Refusal?

    /// Makes a fault.
    public init(_ rule: Rule, _ message: String, refusal: Refusal? = nil) {
        self.rule = rule
        self.message = message
        self.refusal = refusal
    }

    /// Makes the fault of a refused move.
    public init(_ refusal: Refusal) { self.init(.illegal, refusal.message, refusal: refusal) }
}
