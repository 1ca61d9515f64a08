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

    /// For the simulator alone: a quick sum over key and message, which tells any two apart that nobody
    /// chose to be alike.
    ///
    /// Anybody could make it.
    public static let standIn = Signing { signature, message, peer in
        let sum = Self.sum(message, peer)
        return unsafe signature.withUnsafeBytes { bytes in
            bytes.count == 64
                && (0..<8).allSatisfy { place in
                    let word = unsafe bytes.loadUnaligned(fromByteOffset: place * 8, as: UInt64.self)
                    return UInt64(littleEndian: word) == Self.word(place, sum)
                }
        }
    }

    static func standInSignature(_ message: [UInt8], _ peer: PeerID) -> [UInt8] {
        let sum = sum(message, peer)
        var signature = blank
        unsafe signature.withUnsafeMutableBytes { bytes in
            for place in 0..<8 {
                let word = word(place, sum).littleEndian
                unsafe bytes.storeBytes(of: word, toByteOffset: place * 8, as: UInt64.self)
            }
        }
        return signature
    }

    /// To copy this takes a third of what it takes to make such an array.
    private static let blank = [UInt8](repeating: 0, count: 64)

    private static func sum(_ message: [UInt8], _ peer: PeerID) -> UInt64 {
        var sum = UInt64(truncatingIfNeeded: message.count)
        mix(peer.bytes, into: &sum)
        mix(message, into: &sum)
        return sum
    }

    private static func word(_ place: Int, _ sum: UInt64) -> UInt64 {
        fold(sum &+ UInt64(place), 0x9E37_79B9_7F4A_7C15)
    }

    private static func mix(_ bytes: [UInt8], into sum: inout UInt64) {
        unsafe bytes.withUnsafeBytes { bytes in
            var place = 0
            while place + 8 <= bytes.count {
                let word = unsafe bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self)
                sum = fold(sum ^ word, 0xA076_1D64_78BD_642F)
                place += 8
            }
            while place < bytes.count {
                sum = fold(sum ^ UInt64(unsafe bytes[place]), 0xE703_7ED1_A0B4_28DB)
                place += 1
            }
        }
    }

    /// The two halves of a product, one over the other; of 0 too.
    private static func fold(_ one: UInt64, _ other: UInt64) -> UInt64 {
        let product = (one &+ 0x8EBC_6AF0_9C88_C6E3).multipliedFullWidth(by: other)
        return product.high ^ product.low
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
