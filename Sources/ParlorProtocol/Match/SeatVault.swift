internal import ParlorCrypto
public import ParlorGames

/// Everything a seat hides in one match, out of one secret of 32 bytes.
///
/// The secret is random, made when the match begins, and sealed into the log for its owner: a machine that
/// has its identity and the log has all of it again.
public struct SeatVault: Sendable {
    /// Bytes of a secret.
    public static let secretBytes = 32
    /// Bytes of a sealed secret.
    static let sealedBytes = secretBytes + SecretBox.overheadBytes

    /// The seat.
    public let seat: Int
    private let core: Core

    /// What never changes, in one place: secrets are handed to the game after every entry.
    private final class Core: Sendable {
        let secret: [UInt8]
        let match: MatchID
        let boxKey: BoxKey
        /// Element 0 to the committed end, one after the other.
        let chain: [UInt8]

        init(_ secret: [UInt8], _ match: MatchID) {
            self.secret = secret
            self.match = match
            boxKey = BoxKey(seed: SeatVault.derive(secret, "parlor/seat-box/1"))
            chain = Chance.chain(
                from: SeatVault.derive(secret, "parlor/seat-chain/1"), hash: Hash.blake2b256)
        }

        func link(_ draw: Int) -> [UInt8] {
            let element = min(max(0, Chance.chainLinks - draw), Chance.chainLinks)
            return Array(chain[element * Chance.linkBytes..<(element + 1) * Chance.linkBytes])
        }

        func derive(_ label: [UInt8]) -> [UInt8] {
            SeatVault.derive(secret, "parlor/seat-game/1", label)
        }

        func seal(_ plaintext: [UInt8], to seat: Int, _ boxKeys: [[UInt8]]) -> [UInt8]? {
            guard boxKeys.indices.contains(seat) else { return nil }
            let context = [UInt8(truncatingIfNeeded: seat)] + plaintext
            let nonce = SeatVault.derive(secret, "parlor/seat-nonce/1", context).prefix(BoxKey.nonceBytes)
            return boxKey.seal(plaintext, to: boxKeys[seat], nonce: Array(nonce))
        }
    }

    /// Makes the vault of a seat.
    ///
    /// `secret` has ``secretBytes`` unpredictable bytes, fresh for this match.
    public init(seat: Int, match: MatchID, secret: [UInt8]) {
        precondition(secret.count == Self.secretBytes, "a seat's secret has 32 bytes, not \(secret.count)")
        self.seat = seat
        core = Core(secret, match)
    }

    /// Opens a vault that ``sealed(identity:)`` closed; `nil` when it is another's or damaged.
    public init?(seat: Int, match: MatchID, sealed: [UInt8], identity: [UInt8]) {
        guard let secret = SecretBox.open(sealed, key: Self.sealingKey(identity, match)),
            secret.count == Self.secretBytes
        else { return nil }
        self.init(seat: seat, match: match, secret: secret)
    }

    /// The secret, sealed so that only the holder of the identity's seed can open it.
    public func sealed(identity: [UInt8]) -> [UInt8] {
        let key = Self.sealingKey(identity, core.match)
        let nonce = Array(Hash.keyed(core.secret, key: key).prefix(24))
        return SecretBox.seal(core.secret, key: key, nonce: nonce)
    }

    /// The key others seal for this seat with.
    public var boxPublicKey: [UInt8] { core.boxKey.publicKey }

    /// The committed end of the seat's hash chain.
    public var chainEnd: [UInt8] { link(0) }

    /// The seat's link for a draw, from 1 to ``ParlorGames/Chance/chainLinks``; a draw out of that range gets
    /// an end.
    public func link(_ draw: Int) -> [UInt8] { core.link(draw) }

    /// The seat's nonce for a round of the draw.
    public func nonce(round: Int) -> [UInt8] {
        Self.derive(core.secret, "parlor/seat-draw/1", [UInt8(truncatingIfNeeded: round)])
    }

    /// A secret of 32 bytes for a bot that the peer of this seat plays.
    ///
    /// - Parameters:
    ///   - bot: The bot's seat.
    ///   - epoch: The epoch in which the peer begins to play it.
    /// - Returns: The same for the same seat, bot and epoch.
    public func secret(ofBot bot: Int, epoch: Int) -> [UInt8] {
        var context = [UInt8(truncatingIfNeeded: bot)]
        for shift in stride(from: 24, through: 0, by: -8) {
            context.append(UInt8(truncatingIfNeeded: epoch >> shift))
        }
        return Self.derive(core.secret, "parlor/seat-bot/1", context)
    }

    /// What the game may ask of the secrets.
    ///
    /// - Parameters:
    ///   - boxKeys: The seats' keys, empty where one gave none.
    ///   - former: Keys that seats had before, by seat, with which they may have sealed.
    /// - Returns: The secrets, as functions.
    public func secrets(boxKeys: [[UInt8]], former: [[[UInt8]]] = []) -> SeatSecrets {
        let core = core
        return SeatSecrets(
            seat: seat,
            derive: { core.derive($0) },
            seal: { core.seal($0, to: $1, boxKeys) },
            open: { sealed, other in
                guard boxKeys.indices.contains(other) else { return nil }
                if let opened = core.boxKey.open(sealed, from: boxKeys[other]) { return opened }
                guard former.indices.contains(other) else { return nil }
                for key in former[other].reversed() {
                    if let opened = core.boxKey.open(sealed, from: key) { return opened }
                }
                return nil
            },
            link: { core.link($0) })
    }

    private static func derive(_ secret: [UInt8], _ label: String, _ context: [UInt8] = []) -> [UInt8] {
        Hash.keyed(Array(label.utf8) + context, key: secret)
    }

    private static func sealingKey(_ identity: [UInt8], _ match: MatchID) -> [UInt8] {
        Hash.keyed(Array("parlor/vault/1".utf8) + match.bytes, key: identity)
    }
}
