public import ParlorCrypto

/// How signatures are checked: Ed25519 in the product; the simulator may use something faster.
public struct Signing: Sendable {
    /// Whether the signature of the message is the peer's.
    public let verify: @Sendable (_ signature: [UInt8], _ message: [UInt8], _ peer: PeerID) -> Bool

    /// Makes a way of checking.
    public init(verify: @escaping @Sendable ([UInt8], [UInt8], PeerID) -> Bool) { self.verify = verify }

    /// Ed25519 (RFC 8032).
    public static let ed25519 = Signing { signature, message, peer in
        SigningKey.verify(signature, of: message, by: peer.bytes)
    }

    /// Takes every signature as good: for a log that this peer checked before it kept it.
    public static let checkedBefore = Signing { _, _, _ in true }

    /// For the simulator alone: BLAKE2b-256 keyed with the public key, twice.
    ///
    /// Anybody could make it.
    public static let standIn = Signing { signature, message, peer in
        signature == Self.standInSignature(message, peer)
    }

    static func standInSignature(_ message: [UInt8], _ peer: PeerID) -> [UInt8] {
        let half = Hash.keyed(message, key: peer.bytes)
        return half + half
    }
}

/// Signs for one peer.
public struct Signer: Sendable {
    /// Whose signatures these are.
    public let peer: PeerID
    /// The 64-byte signature of a message.
    public let sign: @Sendable (_ message: [UInt8]) -> [UInt8]

    /// Signs with an Ed25519 key (RFC 8032).
    public init(_ key: SigningKey) {
        guard let peer = PeerID(bytes: key.publicKey) else {
            preconditionFailure("an Ed25519 key has 32 bytes")
        }
        self.peer = peer
        sign = { key.sign($0) }
    }

    /// Signs with the simulator's stand-in.
    public init(standInFor peer: PeerID) {
        self.peer = peer
        sign = { Signing.standInSignature($0, peer) }
    }
}
