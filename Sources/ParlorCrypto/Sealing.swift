internal import CSodium
internal import Synchronization

/// An X25519 key pair that lets two seats hide small texts from everybody else in a public log.
///
/// Sealing is libsodium's `crypto_box`: X25519, XSalsa20, Poly1305. The nonce is the caller's, so that
/// sealing stays a pure function; the same nonce must never seal two different plaintexts between the same
/// two keys.
public struct BoxKey: Sendable {
    /// Bytes of a public key.
    public static let publicKeyBytes = 32
    /// Bytes of a nonce.
    public static let nonceBytes = 24
    /// Bytes that sealing adds: the authenticator.
    public static let overheadBytes = 16

    /// The public half, 32 bytes.
    public let publicKey: [UInt8]
    private let secretKey: [UInt8]
    /// What it shares with others, worked out once for each: that takes longer than all the rest.
    private let shared = SharedKeys()

    /// Makes the key pair of a 32-byte seed.
    ///
    /// Corresponds to `crypto_box_seed_keypair(3)`.
    public init(seed: [UInt8]) {
        requireSodium()
        precondition(seed.count == 32, "an X25519 seed has 32 bytes, not \(seed.count)")
        var publicKey = [UInt8](repeating: 0, count: Self.publicKeyBytes)
        var secretKey = [UInt8](repeating: 0, count: 32)
        let status = unsafe crypto_box_seed_keypair(&publicKey, &secretKey, seed)
        precondition(status == 0, "crypto_box_seed_keypair refused a valid seed")
        self.publicKey = publicKey
        self.secretKey = secretKey
    }

    /// The nonce and the sealed plaintext for the holder of `other`; `nil` for a key that is none.
    public func seal(_ plaintext: [UInt8], to other: [UInt8], nonce: [UInt8]) -> [UInt8]? {
        guard nonce.count == Self.nonceBytes, let key = shared.key(of: secretKey, with: other) else {
            return nil
        }
        var sealed = [UInt8](repeating: 0, count: plaintext.count + Self.overheadBytes)
        let status = unsafe crypto_box_easy_afternm(
            &sealed, plaintext, UInt64(plaintext.count), nonce, key)
        return status == 0 ? nonce + sealed : nil
    }

    /// What `seal` of the holder of `other` was given for this key; `nil` when damaged or meant for another.
    public func open(_ sealed: [UInt8], from other: [UInt8]) -> [UInt8]? {
        guard sealed.count >= Self.nonceBytes + Self.overheadBytes,
            let key = shared.key(of: secretKey, with: other)
        else { return nil }
        let nonce = Array(sealed.prefix(Self.nonceBytes))
        let body = Array(sealed.dropFirst(Self.nonceBytes))
        var plaintext = [UInt8](repeating: 0, count: body.count - Self.overheadBytes)
        let status = unsafe crypto_box_open_easy_afternm(&plaintext, body, UInt64(body.count), nonce, key)
        return status == 0 ? plaintext : nil
    }
}

/// The keys that one secret key makes with the public keys of others, as they were asked for.
///
/// It only grows, and whoever comes second finds what the first one put there, from whatever thread.
private final class SharedKeys: Sendable {
    /// Others that are remembered; a match has four seats, and bots that change hands have new keys.
    private static let most = 64
    private let first = AtomicLazyReference<Link>()

    private final class Link: Sendable {
        let other: [UInt8]
        /// `nil` where the other key is none.
        let key: [UInt8]?
        let next = AtomicLazyReference<Link>()

        init(_ other: [UInt8], _ key: [UInt8]?) {
            self.other = other
            self.key = key
        }
    }

    /// The key for a secret and a public one; `nil` for a public key that is none.
    func key(of secret: [UInt8], with other: [UInt8]) -> [UInt8]? {
        var link = first.load() ?? first.storeIfNil(Self.link(secret, other))
        for _ in 0..<Self.most {
            if link.other == other { return link.key }
            link = link.next.load() ?? link.next.storeIfNil(Self.link(secret, other))
        }
        return Self.link(secret, other).key
    }

    /// Corresponds to `crypto_box_beforenm(3)`.
    private static func link(_ secret: [UInt8], _ other: [UInt8]) -> Link {
        guard other.count == BoxKey.publicKeyBytes else { return Link(other, nil) }
        var key = [UInt8](repeating: 0, count: Int(crypto_box_BEFORENMBYTES))
        let status = unsafe crypto_box_beforenm(&key, other, secret)
        return Link(other, status == 0 ? key : nil)
    }
}

/// Authenticated encryption under a shared key: libsodium's `crypto_secretbox` (XSalsa20, Poly1305).
public enum SecretBox {
    /// Bytes of a key.
    public static let keyBytes = 32
    /// Bytes of a nonce.
    public static let nonceBytes = 24
    /// Bytes that sealing adds: nonce and authenticator.
    public static let overheadBytes = 40

    /// The nonce and the sealed plaintext.
    ///
    /// The nonce must not repeat for another plaintext under the key.
    public static func seal(_ plaintext: [UInt8], key: [UInt8], nonce: [UInt8]) -> [UInt8] {
        requireSodium()
        precondition(
            key.count == keyBytes && nonce.count == nonceBytes, "wrong length of a secretbox key or nonce")
        var sealed = [UInt8](repeating: 0, count: plaintext.count + 16)
        let status = unsafe crypto_secretbox_easy(&sealed, plaintext, UInt64(plaintext.count), nonce, key)
        precondition(status == 0, "crypto_secretbox_easy failed")
        return nonce + sealed
    }

    /// What was sealed under the key; `nil` when it was damaged or the key is another.
    public static func open(_ sealed: [UInt8], key: [UInt8]) -> [UInt8]? {
        requireSodium()
        guard key.count == keyBytes, sealed.count >= overheadBytes else { return nil }
        let nonce = Array(sealed.prefix(nonceBytes))
        let body = Array(sealed.dropFirst(nonceBytes))
        var plaintext = [UInt8](repeating: 0, count: body.count - 16)
        let status = unsafe crypto_secretbox_open_easy(&plaintext, body, UInt64(body.count), nonce, key)
        return status == 0 ? plaintext : nil
    }
}
