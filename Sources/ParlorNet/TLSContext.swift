import COpenSSL
import Glibc

/// What all secure connections of one peer share: its key, its certificate and what it agrees to.
///
/// TLS 1.3 only (RFC 8446), X25519, Ed25519 on both sides, one application protocol, no resumption of any
/// kind. There is no authority and no name: a certificate is its owner's statement of a public key, and
/// whoever uses a connection compares that key with the one expected.
@safe public final class TLSContext {
    /// The application protocol both sides must name (RFC 7301).
    public static let applicationProtocol = "parlor/1"
    /// How many bytes a private seed and a public key have (RFC 8032).
    public static let keyBytes = 32
    /// What a peer's certificates may weigh together; one of ours weighs about 250 bytes.
    static let certificateBytesMax = 4_096

    /// Our own public key, 32 bytes.
    public let publicKey: [UInt8]

    /// What this peer speaks; see ``applicationProtocol``.
    let protocolName: [UInt8]
    let raw: OpaquePointer
    /// How OpenSSL reads and writes: straight from and to the connection below it.
    let transport: OpaquePointer

    /// Makes the context of a peer.
    ///
    /// The certificate depends on the seed alone: its dates are fixed, so the same seed always shows the same
    /// one.
    /// - Parameters:
    ///   - seed: The private Ed25519 seed, 32 bytes.
    ///   - applicationProtocol: What to speak; something else only to try how a stranger is treated.
    /// - Throws: ``NetError`` with ``NetError/Code/badKey`` when the seed has another length, or
    ///   ``NetError/Code/failed`` when OpenSSL cannot do what is asked.
    public init(
        seed: [UInt8], applicationProtocol: String = TLSContext.applicationProtocol
    ) throws(NetError) {
        defer { TLSFailure.clear() }
        guard seed.count == Self.keyBytes,
            let key = unsafe EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, nil, seed, seed.count)
        else { throw NetError(code: .badKey, sentence: "an Ed25519 seed has \(Self.keyBytes) bytes") }
        defer { unsafe EVP_PKEY_free(key) }
        guard let context = unsafe SSL_CTX_new(TLS_method()) else { throw Self.failure("a TLS context") }
        guard let transport = unsafe Self.makeTransport() else {
            unsafe SSL_CTX_free(context)
            throw Self.failure("a TLS transport")
        }
        protocolName = Array(applicationProtocol.utf8)
        unsafe raw = context
        unsafe self.transport = transport
        publicKey = unsafe Self.publicKey(of: key) ?? []
        // From here on deinit frees what was made.
        guard publicKey.count == Self.keyBytes, agree() else {
            throw Self.failure("a TLS context")
        }
        guard let certificate = unsafe Self.certificate(for: key) else { throw Self.failure("a certificate") }
        defer { unsafe X509_free(certificate) }
        guard unsafe SSL_CTX_use_certificate(context, certificate) == 1,
            unsafe SSL_CTX_use_PrivateKey(context, key) == 1
        else { throw Self.failure("a certificate") }
    }

    deinit {
        unsafe SSL_CTX_free(raw)
        unsafe BIO_meth_free(transport)
    }

    /// The raw public key when `key` is an Ed25519 key.
    @unsafe static func publicKey(of key: OpaquePointer?) -> [UInt8]? {
        guard let key = unsafe key, unsafe EVP_PKEY_get_id(key) == EVP_PKEY_ED25519 else { return nil }
        var bytes = [UInt8](repeating: 0, count: keyBytes)
        var count = bytes.count
        guard unsafe EVP_PKEY_get_raw_public_key(key, &bytes, &count) == 1, count == keyBytes else {
            return nil
        }
        return bytes
    }

    private static func failure(_ what: String) -> NetError {
        NetError(code: .failed, sentence: "OpenSSL cannot make \(what): \(TLSFailure.takeText())")
    }

    private static func makeTransport() -> OpaquePointer? {
        guard let method = unsafe BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "parlor") else {
            return nil
        }
        unsafe BIO_meth_set_read_ex(method, parlorNetTransportRead)
        unsafe BIO_meth_set_write_ex(method, parlorNetTransportWrite)
        unsafe BIO_meth_set_ctrl(method, parlorNetTransportControl)
        return unsafe method
    }

    /// Narrows what may be negotiated to the one thing Parlor speaks.
    private func agree() -> Bool {
        guard unsafe parlor_ssl_ctx_only_tls13(raw) == 1,
            unsafe parlor_ssl_ctx_set_groups(raw, "X25519") == 1,
            unsafe parlor_ssl_ctx_set_signature_algorithms(raw, "ed25519") == 1
        else { return false }
        unsafe parlor_ssl_ctx_forget_sessions(raw)
        unsafe parlor_ssl_ctx_set_modes(raw)
        unsafe parlor_ssl_ctx_set_certificate_bytes_max(raw, Self.certificateBytesMax)
        unsafe SSL_CTX_set_verify(raw, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nil)
        unsafe SSL_CTX_set_cert_verify_callback(raw, parlorNetCertificateShown, nil)
        unsafe SSL_CTX_set_client_hello_cb(raw, parlorNetClientHello, nil)
        // Streams hold this object for as long as OpenSSL may call on their behalf.
        unsafe SSL_CTX_set_alpn_select_cb(
            raw, parlorNetProtocolsOffered, Unmanaged.passUnretained(self).toOpaque())
        guard (1...255).contains(protocolName.count) else { return false }
        let offer = [UInt8(protocolName.count)] + protocolName
        return unsafe SSL_CTX_set_alpn_protos(raw, offer, UInt32(offer.count)) == 0
    }

    /// A certificate that says nothing but the key, signed with it; good from 1970 to the end of 9999.
    @unsafe private static func certificate(for key: OpaquePointer) -> OpaquePointer? {
        guard let certificate = unsafe X509_new() else { return nil }
        let name = unsafe X509_get_subject_name(certificate)
        let isMade =
            unsafe X509_set_version(certificate, Int(X509_VERSION_3)) == 1
            && ASN1_INTEGER_set(X509_get_serialNumber(certificate), 1) == 1
            && ASN1_TIME_set_string(X509_getm_notBefore(certificate), "19700101000000Z") == 1
            && ASN1_TIME_set_string(X509_getm_notAfter(certificate), "99991231235959Z") == 1
            && X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, "parlor", -1, -1, 0) == 1
            && X509_set_issuer_name(certificate, name) == 1
            && X509_set_pubkey(certificate, key) == 1
            && X509_sign(certificate, key, nil) > 0
        if isMade { return unsafe certificate }
        unsafe X509_free(certificate)
        return nil
    }
}

/// OpenSSL's queue of errors, which all connections of a thread share.
///
/// It is empty between our calls: whatever may have put something there empties it afterwards, so that the
/// many calls that succeed need not, and no connection's failure is read as another's.
enum TLSFailure {
    /// Empties the queue; after each call that may have failed.
    static func clear() { ERR_clear_error() }

    /// What went wrong first, for a person; empties the queue.
    static func takeText() -> String {
        let code = ERR_get_error()
        clear()
        guard code != 0, let reason = unsafe ERR_reason_error_string(code) else { return "no reason given" }
        return unsafe String(cString: reason)
    }
}

/// Called by OpenSSL in place of building a chain: any Ed25519 key will do here, TLS itself checks that the
/// peer has the private half, and who it is is judged after the handshake.
@c func parlorNetCertificateShown(_ store: OpaquePointer?, _: UnsafeMutableRawPointer?) -> Int32 {
    let certificate = unsafe X509_STORE_CTX_get0_cert(store)
    let isGood = unsafe certificate != nil && TLSContext.publicKey(of: X509_get0_pubkey(certificate)) != nil
    unsafe X509_STORE_CTX_set_error(store, isGood ? X509_V_OK : X509_V_ERR_CERT_REJECTED)
    return isGood ? 1 : 0
}

/// Called by OpenSSL on the server with the first message of a client: one that names no protocol is refused.
@c func parlorNetClientHello(
    _ ssl: OpaquePointer?, _ alert: UnsafeMutablePointer<Int32>?, _: UnsafeMutableRawPointer?
) -> Int32 {
    if unsafe parlor_ssl_client_hello_has_alpn(ssl) == 1 { return SSL_CLIENT_HELLO_SUCCESS }
    unsafe alert?.pointee = SSL_AD_NO_APPLICATION_PROTOCOL
    return SSL_CLIENT_HELLO_ERROR
}

/// Called by OpenSSL on the server with the protocols a client offers, each led by its length.
@c func parlorNetProtocolsOffered(
    _: OpaquePointer?, _ chosen: UnsafeMutablePointer<UnsafePointer<UInt8>?>?,
    _ chosenCount: UnsafeMutablePointer<UInt8>?, _ offer: UnsafePointer<UInt8>?, _ offerCount: UInt32,
    _ context: UnsafeMutableRawPointer?
) -> Int32 {
    guard let offer = unsafe offer, let context = unsafe context else { return SSL_TLSEXT_ERR_ALERT_FATAL }
    let wanted = unsafe Unmanaged<TLSContext>.fromOpaque(context).takeUnretainedValue().protocolName
    let end = Int(offerCount)
    var at = 0
    while at < end {
        let count = unsafe Int(offer[at])
        guard at + 1 + count <= end else { break }
        let name = unsafe UnsafeBufferPointer(start: offer + at + 1, count: count)
        if unsafe name.elementsEqual(wanted) {
            unsafe chosen?.pointee = name.baseAddress
            unsafe chosenCount?.pointee = UInt8(count)
            return SSL_TLSEXT_ERR_OK
        }
        at += 1 + count
    }
    return SSL_TLSEXT_ERR_ALERT_FATAL
}
