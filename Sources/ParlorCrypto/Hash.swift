internal import CSodium

/// Readies libsodium once, whoever comes first.
///
/// Corresponds to `sodium_init(3)`.
private let sodiumReady: Bool = sodium_init() >= 0

/// Stops when libsodium could not be readied: nothing here may run without it.
@inline(__always)
func requireSodium() {
    precondition(sodiumReady, "libsodium cannot find a source of randomness")
}

/// BLAKE2b-256 (RFC 7693), the only hash of Parlor.
public enum Hash {
    /// Bytes of a hash.
    public static let byteCount = 32

    /// BLAKE2b-256 of the bytes.
    ///
    /// Corresponds to `crypto_generichash(3)`.
    @Sendable
    public static func blake2b256(_ bytes: [UInt8]) -> [UInt8] {
        keyed(bytes, key: [])
    }

    /// To copy this takes a third of what it takes to make such an array.
    private static let blank = [UInt8](repeating: 0, count: byteCount)

    /// BLAKE2b-256 of the bytes under a key of at most 64 bytes (none: unkeyed).
    public static func keyed(_ bytes: [UInt8], key: [UInt8]) -> [UInt8] {
        requireSodium()
        precondition(key.count <= Int(crypto_generichash_KEYBYTES_MAX), "a BLAKE2b key has at most 64 bytes")
        var hash = blank
        let status = unsafe crypto_generichash(&hash, byteCount, bytes, UInt64(bytes.count), key, key.count)
        precondition(status == 0, "crypto_generichash refused valid lengths")
        return hash
    }
}

/// The system's randomness.
///
/// Only drivers ask for it; machines are given what they need.
public enum Entropy {
    /// This many unpredictable bytes.
    ///
    /// Corresponds to `randombytes_buf(3)`.
    public static func bytes(_ count: Int) -> [UInt8] {
        requireSodium()
        var bytes = [UInt8](repeating: 0, count: count)
        unsafe randombytes_buf(&bytes, count)
        return bytes
    }
}
