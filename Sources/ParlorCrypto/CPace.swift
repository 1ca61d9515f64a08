internal import CSodium

/// The functions of CPace, by which two peers find out whether they know the same short code.
///
/// draft-irtf-cfrg-cpace-21, cipher suite CPACE-RISTR255-SHA512 with an initiator and a responder. Whoever
/// listens learns nothing about the code; whoever plays one of the two can try one code a run. Everything
/// here is a pure function; ``CPaceExchange`` puts them together.
public enum CPace {
    /// Bytes of a share, which is an encoded element of ristretto255.
    public static let shareBytes = 32
    /// Bytes of what a secret scalar is made from.
    public static let entropyBytes = 32
    /// Bytes of a tag by which one side shows that it has the same key.
    public static let tagBytes = 64

    /// The domain of the suite's group.
    static let domain = Array("CPaceRistretto255".utf8)
    /// The input block of SHA-512.
    static let blockBytes = 128

    /// The bytes behind their length in LEB128: `prepend_len`.
    static func prependLength(_ bytes: [UInt8]) -> [UInt8] {
        var length = bytes.count
        var result: [UInt8] = []
        while length >= 0x80 {
            result.append(UInt8(length & 0x7F) | 0x80)
            length >>= 7
        }
        result.append(UInt8(length))
        return result + bytes
    }

    /// Several strings, each behind its length: `lv_cat`.
    static func join(_ strings: [UInt8]...) -> [UInt8] { strings.flatMap(prependLength) }

    /// What the generator is hashed from: `generator_string`.
    ///
    /// The zeros between fill the hash's first block, so that its work does not tell the code's length.
    static func generatorString(password: [UInt8], channel: [UInt8], session: [UInt8]) -> [UInt8] {
        let used = prependLength(password).count + prependLength(domain).count
        let zeros = [UInt8](repeating: 0, count: max(0, blockBytes - 1 - used))
        return join(domain, password, zeros, channel, session)
    }

    /// The generator of the group that only those with the same inputs find, encoded: `calculate_generator`.
    ///
    /// Corresponds to `crypto_core_ristretto255_from_hash(3)`.
    static func generator(password: [UInt8], channel: [UInt8], session: [UInt8]) -> [UInt8] {
        var string = generatorString(password: password, channel: channel, session: session)
        var hash = sha512(string)
        var element = [UInt8](repeating: 0, count: shareBytes)
        let status = unsafe crypto_core_ristretto255_from_hash(&element, hash)
        precondition(status == 0, "crypto_core_ristretto255_from_hash failed")
        Secret.wipe(&string)
        Secret.wipe(&hash)
        return element
    }

    /// A scalar from 32 random bytes, little-endian, below 2^252: `sample_scalar`.
    static func scalar(from entropy: [UInt8]) -> [UInt8] {
        precondition(entropy.count == entropyBytes, "a scalar is made from \(entropyBytes) bytes")
        var scalar = entropy
        scalar[31] &= 0x0F
        return scalar
    }

    /// The element times the scalar: `scalar_mult_vfy`.
    ///
    /// Corresponds to `crypto_scalarmult_ristretto255(3)`.
    /// - Returns: `nil` where the bytes encode no element, and where the result is the neutral element: then
    ///   the run has to be given up.
    static func multiply(_ element: [UInt8], by scalar: [UInt8]) -> [UInt8]? {
        requireSodium()
        // RFC 9496 refuses a set highest bit; libsodium 1.0.18 overlooks it.
        guard element.count == shareBytes, element[31] & 0x80 == 0, scalar.count == 32 else { return nil }
        var product = [UInt8](repeating: 0, count: shareBytes)
        guard unsafe crypto_scalarmult_ristretto255(&product, scalar, element) == 0 else { return nil }
        return product
    }

    /// What both sides sent, the initiator first: `transcript_ir`.
    static func transcript(_ initiator: CPaceSide, _ responder: CPaceSide) -> [UInt8] {
        initiator.sent + responder.sent
    }

    /// The intermediate session key, 64 bytes.
    static func sessionKey(
        product: [UInt8], session: [UInt8], initiator: CPaceSide, responder: CPaceSide
    ) -> [UInt8] {
        var input = join(domain + Array("_ISK".utf8), session, product)
        input += transcript(initiator, responder)
        defer { Secret.wipe(&input) }
        return sha512(input)
    }

    /// The key of the tags, 64 bytes.
    static func confirmationKey(session: [UInt8], sessionKey: [UInt8]) -> [UInt8] {
        var input = Array("CPaceMac".utf8) + session + sessionKey
        defer { Secret.wipe(&input) }
        return sha512(input)
    }

    /// The tag that a side sends over what it has sent before: HMAC-SHA-512 (RFC 2104).
    ///
    /// Corresponds to `crypto_auth_hmacsha512_init(3)` and what follows it.
    static func tag(of side: CPaceSide, key: [UInt8]) -> [UInt8] {
        requireSodium()
        var state = crypto_auth_hmacsha512_state()
        var tag = [UInt8](repeating: 0, count: tagBytes)
        let sent = side.sent
        unsafe crypto_auth_hmacsha512_init(&state, key, key.count)
        unsafe crypto_auth_hmacsha512_update(&state, sent, UInt64(sent.count))
        unsafe crypto_auth_hmacsha512_final(&state, &tag)
        return tag
    }

    /// SHA-512 (RFC 6234); corresponds to `crypto_hash_sha512(3)`.
    static func sha512(_ bytes: [UInt8]) -> [UInt8] {
        requireSodium()
        var hash = [UInt8](repeating: 0, count: 64)
        unsafe crypto_hash_sha512(&hash, bytes, UInt64(bytes.count))
        return hash
    }
}

/// What one side of a run says to the other, and what goes with it.
public struct CPaceSide: Hashable, Sendable {
    /// The public share, ``CPace/shareBytes`` bytes.
    public let share: [UInt8]
    /// What both know that this side stands for: ADa of the initiator, ADb of the responder.
    public let data: [UInt8]

    /// Makes a side; the parameters are the members.
    public init(share: [UInt8], data: [UInt8]) {
        self.share = share
        self.data = data
    }

    var sent: [UInt8] { CPace.join(share, data) }
}

/// Two tags that only those who used the same code can make.
public struct CPaceTags: Sendable {
    private let initiator: [UInt8]
    private let responder: [UInt8]

    init(session: [UInt8], product: [UInt8], initiator: CPaceSide, responder: CPaceSide) {
        var sessionKey = CPace.sessionKey(
            product: product, session: session, initiator: initiator, responder: responder)
        var key = CPace.confirmationKey(session: session, sessionKey: sessionKey)
        self.initiator = CPace.tag(of: initiator, key: key)
        self.responder = CPace.tag(of: responder, key: key)
        Secret.wipe(&sessionKey)
        Secret.wipe(&key)
    }

    /// The tag by which the initiator shows that it has the code.
    public var ofInitiator: [UInt8] { initiator }
    /// The tag by which the responder shows that it has the code.
    ///
    /// To be sent only after ``isInitiators(_:)`` has said yes.
    public var ofResponder: [UInt8] { responder }

    /// Whether a tag is the initiator's; takes as long for a wrong one as for the right one.
    public func isInitiators(_ tag: [UInt8]) -> Bool { Self.isSame(tag, initiator) }
    /// Whether a tag is the responder's; takes as long for a wrong one as for the right one.
    public func isResponders(_ tag: [UInt8]) -> Bool { Self.isSame(tag, responder) }

    /// Corresponds to `sodium_memcmp(3)`.
    private static func isSame(_ one: [UInt8], _ other: [UInt8]) -> Bool {
        guard one.count == other.count else { return false }
        return unsafe sodium_memcmp(one, other, one.count) == 0
    }
}

/// One side's part in one run of CPace.
///
/// Make it, send ``share``, and feed the other side's to ``tags(initiatorData:responder:)`` or
/// ``tags(initiator:responderData:)``. Used once: another run needs other entropy.
public struct CPaceExchange: Sendable {
    /// What to send to the other side.
    public let share: [UInt8]
    private let session: [UInt8]
    private let scalar: Secret

    /// Begins a run.
    ///
    /// - Parameters:
    ///   - password: The code, in the one way to write it that both know.
    ///   - channel: CI, by which a run belongs to two peers.
    ///   - session: The session ID, different for each connection.
    ///   - entropy: ``CPace/entropyBytes`` random bytes, never used for another run.
    public init(password: [UInt8], channel: [UInt8], session: [UInt8], entropy: [UInt8]) {
        var generator = CPace.generator(password: password, channel: channel, session: session)
        var scalar = CPace.scalar(from: entropy)
        // No generator is the neutral element and no scalar is 0, but for odds of 1 in 2^252.
        let share = CPace.multiply(generator, by: scalar)
        self.share = share ?? [UInt8](repeating: 0, count: CPace.shareBytes)
        self.session = session
        Secret.wipe(&generator)
        self.scalar = Secret(taking: &scalar)
    }

    /// The tags as the initiator has them, who sent its share with `initiatorData`.
    ///
    /// `nil` when the responder's share is none; the run has to be given up.
    public func tags(initiatorData: [UInt8], responder: CPaceSide) -> CPaceTags? {
        tags(CPaceSide(share: share, data: initiatorData), responder, other: responder.share)
    }

    /// The tags as the responder has them, who answers with `responderData`.
    ///
    /// `nil` when the initiator's share is none; the run has to be given up.
    public func tags(initiator: CPaceSide, responderData: [UInt8]) -> CPaceTags? {
        tags(initiator, CPaceSide(share: share, data: responderData), other: initiator.share)
    }

    private func tags(_ initiator: CPaceSide, _ responder: CPaceSide, other: [UInt8]) -> CPaceTags? {
        guard var product = scalar.reveal({ CPace.multiply(other, by: $0) }) else { return nil }
        defer { Secret.wipe(&product) }
        return CPaceTags(session: session, product: product, initiator: initiator, responder: responder)
    }
}
