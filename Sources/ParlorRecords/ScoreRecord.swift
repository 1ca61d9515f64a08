internal import ParlorCrypto
internal import ParlorGames
public import ParlorProtocol

/// What a score names as its proof.
public enum ScoreProof: Hashable, Sendable {
    /// The log of a match, by its ID and the hash of its last entry.
    case match(MatchID, head: [UInt8])
    /// A whole game of Lucky: what its match began with, the first element of the seat's chain, and the
    /// buttons pressed.
    case lucky(genesis: [UInt8], seed: [UInt8], presses: [Int])
}

/// Why a record is not taken.
public enum RecordFault: Error, Hashable, Sendable {
    /// The bytes are no record.
    case malformed
    /// A newer program wrote it; it can be kept and handed on, but not read.
    case newer(version: Int)
    /// There is no such board or achievement here.
    case unknown(String)
    /// The board takes no scores any more.
    case retired(String)
    /// The value is not one that there can be; the sentence says which there are.
    case outOfRange(String)
    /// The time is outside the board's windows, or too far ahead.
    case badTime
    /// The signature is not the player's.
    case badSignature
    /// The proof does not show what the record says; the sentence says why.
    case badProof(String)
    /// The log that it names is not here.
    case noLog(MatchID)

    /// What it is, for people.
    public var message: String {
        switch self {
        case .malformed: "it is no record"
        case .newer(let version): "a newer version of Parlor wrote it (data version \(version))"
        case .unknown(let id): "there is no '\(id)' here"
        case .retired(let id): "'\(id)' takes no scores any more"
        case .outOfRange(let why), .badProof(let why): why
        case .badTime: "its time is in none of the board's windows, or in the future"
        case .badSignature: "its player did not sign it"
        case .noLog(let match): "the log of match \(match), which is its proof, is not here"
        }
    }
}

/// A score, signed by its player, with its proof.
public struct ScoreRecord: Hashable, Sendable {
    /// The version of the bytes.
    static let version = 1
    private static let label = Array("parlor/score/1".utf8)

    /// The board's ID.
    public let board: String
    /// Whose it is.
    public let player: PeerID
    /// What the player was called then.
    public let name: String
    /// The score.
    public let value: Int64
    /// Whatever the game says beside it; see PROTOCOL.md.
    public let context: Int64
    /// When it was signed, in Unix milliseconds, as the player says.
    public let signedAt: Int64
    /// What shows it.
    public let proof: ScoreProof
    /// Ed25519 of the player over `parlor/score/1` ‖ the array of version and the members above.
    public let signature: [UInt8]
    /// BLAKE2b-256 of what is signed.
    public let id: [UInt8]

    /// Signs a score.
    public init(
        board: String, name: String, value: Int64, context: Int64, signedAt: Int64, proof: ScoreProof,
        signer: Signer
    ) {
        self.board = board
        player = signer.peer
        self.name = name
        self.value = value
        self.context = context
        self.signedAt = signedAt
        self.proof = proof
        let items = Self.items(board, signer.peer, name, value, context, signedAt, proof)
        let signed = Self.label + CBOR.array(items).encoded()
        signature = signer.sign(signed)
        id = Hash.blake2b256(signed)
    }

    /// The record as it is kept and handed on.
    public var encoded: [UInt8] { CBOR.array(items + [.bytes(signature)]).encoded() }

    /// Reads a record; its signature and proof are unchecked.
    ///
    /// - Throws: ``RecordFault`` `malformed` or `newer`.
    public init(decoding bytes: [UInt8]) throws(RecordFault) {
        guard bytes.count <= Limits.recordBytesMax, let items = (try? CBOR.decode(bytes))?.array,
            let version = items.first?.int
        else { throw .malformed }
        guard version <= Self.version else { throw .newer(version: version) }
        guard version == Self.version, items.count == 9, let board = items[1].text,
            (1...Limits.recordIDMax).contains(board.count),
            let player = items[2].bytes.flatMap({ PeerID(bytes: $0) }),
            let name = items[3].text, name.utf8.count <= Limits.nameBytesMax, let value = items[4].int,
            let context = items[5].int, let signedAt = items[6].int, signedAt >= 0,
            let proof = ScoreProof(cbor: items[7]), let signature = items[8].bytes, signature.count == 64
        else { throw .malformed }
        self.board = board
        self.player = player
        self.name = name
        self.value = Int64(value)
        self.context = Int64(context)
        self.signedAt = Int64(signedAt)
        self.proof = proof
        self.signature = signature
        id = Hash.blake2b256(Self.label + CBOR.array(Array(items.dropLast())).encoded())
    }

    /// Whether the player signed it.
    public func isSigned(_ signing: Signing) -> Bool {
        signing.verify(signature, Self.label + CBOR.array(items).encoded(), player)
    }

    private var items: [CBOR] { Self.items(board, player, name, value, context, signedAt, proof) }

    private static func items(
        _ board: String, _ player: PeerID, _ name: String, _ value: Int64, _ context: Int64,
        _ signedAt: Int64, _ proof: ScoreProof
    ) -> [CBOR] {
        [
            .int(version), .text(board), .bytes(player.bytes), .text(name), .int(Int(value)),
            .int(Int(context)), .int(Int(signedAt)), proof.cbor,
        ]
    }
}

extension ScoreProof {
    /// As it stands in a record: `[0, match, head]` or `[1, genesis, seed, presses]`, a byte a press.
    var cbor: CBOR {
        switch self {
        case .match(let match, let head): [.int(0), .bytes(match.bytes), .bytes(head)]
        case .lucky(let genesis, let seed, let presses):
            [
                .int(1), .bytes(genesis), .bytes(seed),
                .bytes(presses.map { UInt8(truncatingIfNeeded: $0) }),
            ]
        }
    }

    /// Reads a proof; `nil` when it is none.
    init?(cbor: CBOR) {
        guard let items = cbor.array, let kind = items.first?.int else { return nil }
        switch (kind, items.count) {
        case (0, 3):
            guard let match = items[1].bytes.flatMap({ MatchID(bytes: $0) }), let head = items[2].bytes,
                head.count == 32
            else { return nil }
            self = .match(match, head: head)
        case (1, 4):
            guard let genesis = items[1].bytes, let seed = items[2].bytes, seed.count == Chance.linkBytes,
                let presses = items[3].bytes, presses.count <= LuckyTable.pressesMost
            else { return nil }
            self = .lucky(genesis: genesis, seed: seed, presses: presses.map { Int($0) })
        default: return nil
        }
    }
}

extension ScoreProof {
    /// What proves the scores of an ended match: for Lucky the whole game, else the log by name.
    ///
    /// - Parameters:
    ///   - log: The match up to its end.
    ///   - seed: The first element of the own seat's chain; asked for where the game needs it.
    public init(_ log: MatchLog, seed: () -> [UInt8]?) {
        guard log.genesis.game == "lucky", let seed = seed() else {
            self = .match(log.match, head: log.head)
            return
        }
        let presses = log.entries.compactMap { entry in
            if case .move(let move) = entry.proposal.body {
                move.elements?.dropFirst().first?.number
            } else {
                nil
            }
        }
        self = .lucky(genesis: log.genesis.encoded, seed: seed, presses: presses)
    }
}
