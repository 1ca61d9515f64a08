internal import ParlorCrypto
internal import ParlorGames

/// What a match by turns begins with: the game and who sits where, signed by who made it.
///
/// Its hash is the first parent of the chain of moves; the hash's first 16 bytes are the match's ID.
public struct TurnGenesis: Hashable, Sendable {
    /// One seat: a named peer's, or open to whom the creator gives it.
    public struct Seat: Hashable, Sendable {
        /// Whose seat it is; `nil` for an open one.
        public let peer: PeerID?
        /// What the creator calls the player; empty for an open seat.
        public let name: String

        /// Makes a seat of a player.
        public init(peer: PeerID, name: String) {
            self.peer = peer
            self.name = name
        }

        /// Makes an open seat.
        public init() {
            peer = nil
            name = ""
        }
    }

    /// The version of the data, of genesis and items alike.
    public static let version = 1
    /// The games that can be played by turns: nothing in them is hidden, left to chance or to be quick about.
    public static let games = [TicTacToe.declaration.id, Story.declaration.id]
    private static let label = Array("parlor/turn-genesis/1".utf8)
    private static let hashLabel = Array("parlor/turn-genesis-hash/1".utf8)

    /// 16 random bytes, so that no two matches are the same.
    public let nonce: [UInt8]
    /// The game's ID.
    public let game: String
    /// The version of the game's rules.
    public let rules: Int
    /// The seats in the order of play; the first is the creator's.
    public let seats: [Seat]
    /// Seconds that a turn may take before the others can pass over a seat; 0 for no limit.
    public let turnSeconds: Int
    /// The match that this is the rematch of.
    public let after: MatchID?
    /// When it was made, by the creator's clock, in Unix milliseconds.
    public let time: Int
    /// The genesis as it is hashed, kept and sent.
    public let encoded: [UInt8]
    /// BLAKE2b-256(`parlor/turn-genesis-hash/1` ‖ encoded).
    public let hash: [UInt8]
    /// The first 16 bytes of ``hash``.
    public let match: MatchID

    /// Makes and signs the genesis of a new match; the first seat must be the signer's.
    public init(
        nonce: [UInt8], game: String, rules: Int, seats: [Seat], turnSeconds: Int = 0, after: MatchID? = nil,
        time: Int, signer: Signer
    ) {
        precondition(seats.first?.peer == signer.peer, "the first seat is the creator's")
        let body = Self.body(nonce, game, rules, seats, turnSeconds, after, time)
        let signature = signer.sign(Self.label + CBOR.array(body).encoded())
        self.init(nonce, game, rules, seats, turnSeconds, after, time, signature)
    }

    private init(
        _ nonce: [UInt8], _ game: String, _ rules: Int, _ seats: [Seat], _ turnSeconds: Int,
        _ after: MatchID?, _ time: Int, _ signature: [UInt8]
    ) {
        self.nonce = nonce
        self.game = game
        self.rules = rules
        self.seats = seats
        self.turnSeconds = turnSeconds
        self.after = after
        self.time = time
        let body = Self.body(nonce, game, rules, seats, turnSeconds, after, time)
        encoded = CBOR.array(body + [.bytes(signature)]).encoded()
        hash = Hash.blake2b256(Self.hashLabel + encoded)
        match = MatchID(checked: Array(hash.prefix(MatchID.byteCount)))
    }

    private static func body(
        _ nonce: [UInt8], _ game: String, _ rules: Int, _ seats: [Seat], _ turnSeconds: Int,
        _ after: MatchID?, _ time: Int
    ) -> [CBOR] {
        [
            .int(version), .bytes(nonce), .text(game), .int(rules),
            .array(seats.map { [$0.peer.map { .bytes($0.bytes) } ?? .null, .text($0.name)] }),
            .int(turnSeconds), after.map { .bytes($0.bytes) } ?? .null, .int(time),
        ]
    }

    /// Reads a genesis and checks its signature.
    ///
    /// - Throws: ``TurnFault``: `version` for data or rules of a version that is not known here, otherwise
    ///   `malformed` or `signature`.
    public init(decoding bytes: [UInt8], _ signing: Signing) throws(TurnFault) {
        guard bytes.count <= Limits.turnGenesisBytesMax, let items = try? CBOR.decode(bytes).array,
            let version = items.first?.int
        else { throw .malformed }
        guard version == Self.version else { throw .version }
        guard items.count == 9, let nonce = items[1].bytes, nonce.count == 16, let game = items[2].text,
            let rules = items[3].int, let list = items[4].array, let turnSeconds = items[5].int,
            (0...Limits.turnSecondsMax).contains(turnSeconds), let time = items[7].int, time >= 0,
            let signature = items[8].bytes, signature.count == 64
        else { throw .malformed }
        guard Self.games.contains(game), let declaration = Catalog.rules(game)?.declaration,
            declaration.rules == rules
        else { throw .version }
        let seats = list.compactMap(Self.seat)
        let peers = seats.compactMap(\.peer)
        guard seats.count == list.count, declaration.seats.contains(seats.count),
            let creator = seats[0].peer, Set(peers).count == peers.count
        else { throw .malformed }
        let after = items[6].bytes.flatMap(MatchID.init(bytes:))
        guard after != nil || items[6].isNull else { throw .malformed }
        guard signing.verify(signature, Self.label + CBOR.array(Array(items.dropLast())).encoded(), creator)
        else { throw .signature }
        self.init(nonce, game, rules, seats, turnSeconds, after, time, signature)
    }

    private static func seat(_ item: CBOR) -> Seat? {
        guard let pair = item.array, pair.count == 2, let name = pair[1].text,
            name.utf8.count <= Limits.playerNameBytesMax
        else { return nil }
        if pair[0].isNull { return name.isEmpty ? Seat() : nil }
        return pair[0].bytes.flatMap(PeerID.init(bytes:)).map { Seat(peer: $0, name: name) }
    }

    /// Who made the match, and has the first seat.
    public var creator: PeerID { seats[0].peer ?? PeerID(checked: [UInt8](repeating: 0, count: 32)) }
}

/// Why data of a match by turns is not taken.
public enum TurnFault: Error, Hashable, Sendable {
    /// The bytes are nothing of the kind, or belong to another match.
    case malformed
    /// A version that is not known here.
    case version
    /// A signature is not its author's.
    case signature
    /// The author has no seat in the match.
    case stranger
    /// There is no room for it in the match.
    case full
}
