internal import CSodium

/// An Ed25519 key pair (RFC 8032).
///
/// A peer's public key is its identity.
public struct SigningKey: Sendable {
    /// Bytes of the seed a key pair is made from.
    public static let seedBytes = 32
    /// Bytes of a public key.
    public static let publicKeyBytes = 32
    /// Bytes of a signature.
    public static let signatureBytes = 64

    /// The public half, 32 bytes.
    public let publicKey: [UInt8]
    private let secretKey: [UInt8]

    /// Makes the key pair of a 32-byte seed.
    ///
    /// Corresponds to `crypto_sign_seed_keypair(3)`.
    public init(seed: [UInt8]) {
        requireSodium()
        precondition(seed.count == Self.seedBytes, "an Ed25519 seed has 32 bytes, not \(seed.count)")
        var publicKey = [UInt8](repeating: 0, count: Self.publicKeyBytes)
        var secretKey = [UInt8](repeating: 0, count: 64)
        let status = unsafe crypto_sign_seed_keypair(&publicKey, &secretKey, seed)
        precondition(status == 0, "crypto_sign_seed_keypair refused a valid seed")
        self.publicKey = publicKey
        self.secretKey = secretKey
    }

    /// The 64-byte signature of a message.
    ///
    /// Corresponds to `crypto_sign_detached(3)`.
    public func sign(_ message: [UInt8]) -> [UInt8] {
        var signature = [UInt8](repeating: 0, count: Self.signatureBytes)
        let status = unsafe crypto_sign_detached(&signature, nil, message, UInt64(message.count), secretKey)
        precondition(status == 0, "crypto_sign_detached failed")
        return signature
    }

    /// Whether the signature of the message was made with the key.
    ///
    /// Corresponds to `crypto_sign_verify_detached(3)`, which refuses non-canonical signatures and keys of
    /// small order.
    public static func verify(_ signature: [UInt8], of message: [UInt8], by publicKey: [UInt8]) -> Bool {
        requireSodium()
        guard signature.count == signatureBytes, publicKey.count == publicKeyBytes else { return false }
        return unsafe crypto_sign_verify_detached(signature, message, UInt64(message.count), publicKey) == 0
    }
}
