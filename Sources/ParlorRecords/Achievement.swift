internal import ParlorCrypto
public import ParlorProtocol

/// Something to be proud of.
public struct Achievement: Hashable, Sendable {
    /// Stable name, at most ``ParlorProtocol/Limits/recordIDMax`` characters.
    public let id: String
    /// The game's ID.
    public let game: String
    /// For people.
    public let title: String
    /// What to do for it, for people.
    public let summary: String
    /// What it is worth, once.
    public let points: Int
    /// Whether it is shown only once it is earned; until then it counts as one of the hidden.
    public let isHidden: Bool
    /// Whether it is counted how often it was earned.
    public let isRepeatable: Bool

    /// Makes one; the parameters are the members.
    public init(
        id: String, game: String, title: String, summary: String, points: Int, isHidden: Bool = false,
        isRepeatable: Bool = false
    ) {
        self.id = id
        self.game = game
        self.title = title
        self.summary = summary
        self.points = points
        self.isHidden = isHidden
        self.isRepeatable = isRepeatable
    }
}

/// How far a player is with an achievement, signed by the player.
public struct AchievementRecord: Hashable, Sendable {
    static let version = 1
    private static let label = Array("parlor/achievement/1".utf8)

    /// The achievement's ID.
    public let achievement: String
    /// Whose it is.
    public let player: PeerID
    /// How often it was begun anew.
    public let generation: Int
    /// How far it is, 0 to 100; 100 is earned.
    public let percent: Int
    /// How often it was earned in this generation; more than once for a repeatable one alone.
    public let count: Int
    /// When it was signed, in Unix milliseconds, as the player says.
    public let signedAt: Int64
    /// Ed25519 of the player over `parlor/achievement/1` ‖ the array of version and the members above.
    public let signature: [UInt8]
    /// BLAKE2b-256 of what is signed.
    public let id: [UInt8]

    /// Signs how far it is.
    init(
        achievement: String, generation: Int, percent: Int, count: Int, signedAt: Int64, signer: Signer
    ) {
        self.achievement = achievement
        player = signer.peer
        self.generation = generation
        self.percent = percent
        self.count = count
        self.signedAt = signedAt
        let signed =
            Self.label
            + CBOR.array(Self.items(achievement, signer.peer, generation, percent, count, signedAt)).encoded()
        signature = signer.sign(signed)
        id = Hash.blake2b256(signed)
    }

    /// Whether it is earned.
    public var isEarned: Bool { percent == 100 }

    /// The record as it is kept and handed on.
    public var encoded: [UInt8] { CBOR.array(items + [.bytes(signature)]).encoded() }

    /// Reads a record; its signature is unchecked.
    ///
    /// - Throws: ``RecordFault`` `malformed` or `newer`.
    public init(decoding bytes: [UInt8]) throws(RecordFault) {
        guard bytes.count <= Limits.recordBytesMax, let items = (try? CBOR.decode(bytes))?.array,
            let version = items.first?.int
        else { throw .malformed }
        guard version <= Self.version else { throw .newer(version: version) }
        guard version == Self.version, items.count == 8, let achievement = items[1].text,
            (1...Limits.recordIDMax).contains(achievement.count),
            let player = items[2].bytes.flatMap({ PeerID(bytes: $0) }), let generation = items[3].int,
            generation >= 0, let percent = items[4].int, (0...100).contains(percent),
            let count = items[5].int, percent == 100 ? count >= 1 : count == 0, let signedAt = items[6].int,
            signedAt >= 0, let signature = items[7].bytes, signature.count == 64
        else { throw .malformed }
        self.achievement = achievement
        self.player = player
        self.generation = generation
        self.percent = percent
        self.count = count
        self.signedAt = Int64(signedAt)
        self.signature = signature
        id = Hash.blake2b256(Self.label + CBOR.array(Array(items.dropLast())).encoded())
    }

    /// Whether the player signed it.
    public func isSigned(_ signing: Signing) -> Bool {
        signing.verify(signature, Self.label + CBOR.array(items).encoded(), player)
    }

    /// Whether this one stands where the other does, too: the later generation, then the higher percent, then
    /// the higher count; of two that are alike the earlier, then the smaller ID.
    func stands(before other: AchievementRecord) -> Bool {
        let (mine, theirs) = ([generation, percent, count], [other.generation, other.percent, other.count])
        if mine != theirs { return theirs.lexicographicallyPrecedes(mine) }
        if signedAt != other.signedAt { return signedAt < other.signedAt }
        return id.lexicographicallyPrecedes(other.id)
    }

    private var items: [CBOR] {
        Self.items(achievement, player, generation, percent, count, signedAt)
    }

    private static func items(
        _ achievement: String, _ player: PeerID, _ generation: Int, _ percent: Int, _ count: Int,
        _ signedAt: Int64
    ) -> [CBOR] {
        [
            .int(version), .text(achievement), .bytes(player.bytes), .int(generation), .int(percent),
            .int(count), .int(Int(signedAt)),
        ]
    }
}
