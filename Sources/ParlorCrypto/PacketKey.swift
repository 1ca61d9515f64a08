internal import CSodium

/// A key that seals packets: ChaCha20 and Poly1305 with a nonce of 96 bits (RFC 8439).
///
/// A nonce must never seal two different packets under one key.
public struct PacketKey: Sendable {
    /// Bytes of a key.
    public static let keyBytes = 32
    /// Bytes of a nonce.
    public static let nonceBytes = 12
    /// Bytes that sealing adds: the authenticator.
    public static let tagBytes = 16

    private let key: [UInt8]

    /// Makes a key of its 32 bytes.
    public init(_ key: [UInt8]) {
        requireSodium()
        precondition(key.count == Self.keyBytes, "a packet key has 32 bytes, not \(key.count)")
        self.key = key
    }

    /// The sealed plaintext and its authenticator, which covers the additional bytes too.
    ///
    /// Corresponds to `crypto_aead_chacha20poly1305_ietf_encrypt(3)`.
    public func seal(_ plaintext: [UInt8], additional: [UInt8], nonce: [UInt8]) -> [UInt8] {
        precondition(nonce.count == Self.nonceBytes, "a packet nonce has 12 bytes, not \(nonce.count)")
        var sealed = [UInt8](repeating: 0, count: plaintext.count + Self.tagBytes)
        let status = unsafe crypto_aead_chacha20poly1305_ietf_encrypt(
            &sealed, nil, plaintext, UInt64(plaintext.count), additional, UInt64(additional.count), nil,
            nonce, key)
        precondition(status == 0, "crypto_aead_chacha20poly1305_ietf_encrypt failed")
        return sealed
    }

    /// What was sealed with the same additional bytes and nonce; `nil` when any of them was changed.
    ///
    /// Corresponds to `crypto_aead_chacha20poly1305_ietf_decrypt(3)`.
    public func open(_ sealed: [UInt8], additional: [UInt8], nonce: [UInt8]) -> [UInt8]? {
        guard sealed.count >= Self.tagBytes, nonce.count == Self.nonceBytes else { return nil }
        var plaintext = [UInt8](repeating: 0, count: sealed.count - Self.tagBytes)
        let status = unsafe crypto_aead_chacha20poly1305_ietf_decrypt(
            &plaintext, nil, nil, sealed, UInt64(sealed.count), additional, UInt64(additional.count), nonce,
            key)
        return status == 0 ? plaintext : nil
    }

    /// Seals what follows a packet's header where it stands, and appends the authenticator.
    ///
    /// The header is the additional bytes, and its last 12 bytes are the nonce. Allocates nothing when the
    /// packet has room for ``tagBytes`` more.
    public func seal(packet: inout [UInt8], headerBytes: Int) {
        precondition(
            headerBytes >= Self.nonceBytes && packet.count >= headerBytes,
            "a packet of \(packet.count) bytes with a header of \(headerBytes)")
        let plainBytes = packet.count - headerBytes
        for _ in 0..<Self.tagBytes { packet.append(0) }
        let status = unsafe packet.withUnsafeMutableBufferPointer { packet -> CInt in
            guard let header = packet.baseAddress else { return -1 }
            let body = unsafe header + headerBytes
            return unsafe crypto_aead_chacha20poly1305_ietf_encrypt(
                body, nil, body, UInt64(plainBytes), header, UInt64(headerBytes), nil,
                body - Self.nonceBytes, key)
        }
        precondition(status == 0, "crypto_aead_chacha20poly1305_ietf_encrypt failed")
    }

    /// What a packet held before it was sealed; `nil` when it was not, with this key, or was changed.
    ///
    /// Allocates the plaintext alone.
    public func open(packet: [UInt8], headerBytes: Int) -> [UInt8]? {
        let plainBytes = packet.count - headerBytes - Self.tagBytes
        guard headerBytes >= Self.nonceBytes, plainBytes >= 0 else { return nil }
        var status: CInt = -1
        let plaintext = unsafe [UInt8](unsafeUninitializedCapacity: plainBytes) { plaintext, count in
            unsafe packet.withUnsafeBufferPointer { packet in
                guard let header = packet.baseAddress else { return }
                let body = unsafe header + headerBytes
                status = unsafe crypto_aead_chacha20poly1305_ietf_decrypt(
                    plaintext.baseAddress, nil, nil, body, UInt64(plainBytes + Self.tagBytes), header,
                    UInt64(headerBytes), body - Self.nonceBytes, key)
            }
            count = status == 0 ? plainBytes : 0
        }
        return status == 0 ? plaintext : nil
    }
}
