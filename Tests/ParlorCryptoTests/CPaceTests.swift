import Testing

@testable import ParlorCrypto

/// The bytes of a hexadecimal text.
private func hex(_ text: String) -> [UInt8] {
    let digits = text.compactMap { $0.hexDigitValue.map(UInt8.init) }
    return stride(from: 0, to: digits.count - 1, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
}

/// What the draft gives as examples: draft-irtf-cfrg-cpace-21, appendices A.1, A.3 and B.3.
private enum Draft {
    static let password = Array("Password".utf8)
    static let channel = hex("0b415f696e69746961746f720b425f726573706f6e646572")
    static let session = hex("7e4b4791d6a8ef019b936c79fb7f2c57")
    static let hashed = hex(
        "da6d3ddc8802fca9058755ffd3ebde08a9c2c74945901a258482a288b6663af0"
            + "6bf645c93cd1c51512307199c80e84908916d983b34af77205f90851a657ee27")
    static let generator = hex("222b6b195fe84b1652badb6f6a3ae3d24341e7306967f0b8115b40d5698c7e56")
    static let initiatorScalar = hex("da3d23700a9e5699258aef94dc060dfda5ebb61f02a5ea77fad53f4ff0976d08")
    static let initiatorShare = hex("d6bac480f2c386c394efc7c47adb9925dcd2630b64f240c50f8d0eec482b9157")
    static let responderScalar = hex("d2316b454718c35362d83d69df6320f38578ed5984651435e2949762d900b80d")
    static let responderShare = hex("3ea7e0b19560d7c0b0f5734f63b955286dfa8232b5ebe63324e2d9e7433f7258")
    static let product = hex("80b69a8a76457ab6a4d7f887a4bf6b55a2f80ac19c333f917a05fc9887c8b40f")
    static let transcript = hex(
        "20d6bac480f2c386c394efc7c47adb9925dcd2630b64f240c50f8d0eec482b915703414461"
            + "203ea7e0b19560d7c0b0f5734f63b955286dfa8232b5ebe63324e2d9e7433f725803414462")
    static let sessionKey = hex(
        "b69effbf61b51d56401c0f65601abe428de8206feaaf0e32198896dcae7b35cd"
            + "2b38950a39dfd5d4a79164614c2984f7daa460b588c1e80c3fa2068af7900447")
    static let scalar = hex("7cd0e075fa7955ba52c02759a6c90dbbfc10e6d40aea8d283e407d88cf538a05")
    static let element = hex("2c3c6b8c4f3800e7aef6864025b4ed79bd599117e427c41bd47d93d654b4a51c")
    static let multiple = hex("7c13645fe790a468f62c39beb7388e541d8405d1ade69d1778c5fe3e7f6b600e")
    static let noElement = hex("2b3c6b8c4f3800e7aef6864025b4ed79bd599117e427c41bd47d93d654b4a51c")
    static let neutral = [UInt8](repeating: 0, count: 32)

    static let initiator = CPaceSide(share: initiatorShare, data: Array("ADa".utf8))
    static let responder = CPaceSide(share: responderShare, data: Array("ADb".utf8))
}

@Suite struct CPaceTests {
    @Test func `strings are joined as in the draft`() {
        #expect(CPace.prependLength([]) == [0])
        #expect(CPace.prependLength(Array("1234".utf8)) == hex("0431323334"))
        let short = [UInt8](0..<127)
        #expect(CPace.prependLength(short) == [127] + short)
        let long = [UInt8](0..<128)
        #expect(CPace.prependLength(long) == [0x80, 0x01] + long)
        let longer = CPace.prependLength([UInt8](repeating: 7, count: 300))
        #expect(Array(longer.prefix(3)) == [0xAC, 0x02, 7])
        let joined = CPace.join(Array("1234".utf8), Array("5".utf8), [], Array("6789".utf8))
        #expect(joined == hex("04313233340135000436373839"))
        let transcript = CPace.transcript(
            CPaceSide(share: Array("123".utf8), data: Array("PartyA".utf8)),
            CPaceSide(share: Array("234".utf8), data: Array("PartyB".utf8)))
        #expect(transcript == hex("03313233065061727479410332333406506172747942"))
    }

    @Test func `the generator is the draft's`() {
        let string = CPace.generatorString(
            password: Draft.password, channel: Draft.channel, session: Draft.session)
        let start = hex("11435061636552697374726574746f3235350850617373776f726464")
        #expect(string.count == 170)
        #expect(string.prefix(28) == start[...])
        #expect(string.dropFirst(28).prefix(100).allSatisfy { $0 == 0 })
        let rest: [UInt8] = [24] + Draft.channel + [16] + Draft.session
        #expect(Array(string.dropFirst(128)) == rest)
        #expect(CPace.sha512(string) == Draft.hashed)
        let generator = CPace.generator(
            password: Draft.password, channel: Draft.channel, session: Draft.session)
        #expect(generator == Draft.generator)
    }

    @Test func `shares, the product and the session key are the draft's`() {
        #expect(CPace.multiply(Draft.generator, by: Draft.initiatorScalar) == Draft.initiatorShare)
        #expect(CPace.multiply(Draft.generator, by: Draft.responderScalar) == Draft.responderShare)
        #expect(CPace.multiply(Draft.responderShare, by: Draft.initiatorScalar) == Draft.product)
        #expect(CPace.multiply(Draft.initiatorShare, by: Draft.responderScalar) == Draft.product)
        #expect(CPace.transcript(Draft.initiator, Draft.responder) == Draft.transcript)
        let key = CPace.sessionKey(
            product: Draft.product, session: Draft.session, initiator: Draft.initiator,
            responder: Draft.responder)
        #expect(key == Draft.sessionKey)
    }

    @Test func `multiplying gives the draft's results, and none for what is no element`() {
        #expect(CPace.multiply(Draft.element, by: Draft.scalar) == Draft.multiple)
        #expect(CPace.multiply(Draft.noElement, by: Draft.scalar) == nil)
        #expect(CPace.multiply(Draft.neutral, by: Draft.scalar) == nil)
        #expect(CPace.multiply([], by: Draft.scalar) == nil)
        #expect(CPace.multiply(Draft.element + [0], by: Draft.scalar) == nil)
        // An element has one encoding: not the same number plus 2^255 - 19, not with a high bit set.
        #expect(
            CPace.multiply(hex("ed" + String(repeating: "ff", count: 30) + "7f"), by: Draft.scalar) == nil)
        var high = Draft.element
        high[31] |= 0x80
        #expect(CPace.multiply(high, by: Draft.scalar) == nil)
    }

    @Test func `a scalar is the entropy below 2^252`() {
        #expect(CPace.scalar(from: Draft.scalar) == Draft.scalar)
        let full = CPace.scalar(from: [UInt8](repeating: 0xFF, count: 32))
        var most = [UInt8](repeating: 0xFF, count: 32)
        most[31] = 0x0F
        #expect(full == most)
    }

    private func exchange(_ password: String, _ entropy: [UInt8], channel: [UInt8] = Draft.channel)
        -> CPaceExchange
    {
        CPaceExchange(
            password: Array(password.utf8), channel: channel, session: Draft.session, entropy: entropy)
    }

    @Test func `both sides of a run come to the tags that the draft's key makes`() throws {
        let one = exchange("Password", Draft.initiatorScalar)
        let two = exchange("Password", Draft.responderScalar)
        #expect(one.share == Draft.initiatorShare)
        #expect(two.share == Draft.responderShare)
        let ofOne = try #require(one.tags(initiatorData: Draft.initiator.data, responder: Draft.responder))
        let ofTwo = try #require(two.tags(initiator: Draft.initiator, responderData: Draft.responder.data))
        let key = CPace.confirmationKey(session: Draft.session, sessionKey: Draft.sessionKey)
        #expect(ofOne.ofInitiator == CPace.tag(of: Draft.initiator, key: key))
        #expect(ofOne.ofResponder == CPace.tag(of: Draft.responder, key: key))
        #expect(ofTwo.isInitiators(ofOne.ofInitiator))
        #expect(ofOne.isResponders(ofTwo.ofResponder))
        // Neither tag stands for the other, and none that is cut or changed stands for anything.
        #expect(!ofTwo.isInitiators(ofOne.ofResponder))
        #expect(!ofTwo.isInitiators([]))
        #expect(!ofTwo.isInitiators(Array(ofOne.ofInitiator.dropLast())))
        var changed = ofOne.ofInitiator
        changed[63] ^= 1
        #expect(!ofTwo.isInitiators(changed))
    }

    @Test func `a tag is HMAC-SHA-512 of what was sent`() {
        let side = CPaceSide(share: Array("Hi There".utf8), data: [])
        // As Python's hmac.new(bytes(range(64)), b"\x08Hi There\x00", "sha512") has it.
        let expected = hex(
            "b8d249502b39fb3550a755d17ed649517a95ad27a751efcce1106686869c463f"
                + "dfdf17b9fdcaa3705468708a027a4ae3677a3831a552fde7f1740b429e21edad")
        #expect(CPace.tag(of: side, key: Array(0..<64)) == expected)
    }

    @Test func `another code, channel, session, share or data gives other tags`() throws {
        let honest = exchange("Password", Draft.initiatorScalar)
        let tags = try #require(
            honest.tags(initiatorData: Draft.initiator.data, responder: Draft.responder))
        let others = [
            exchange("Passwore", Draft.responderScalar),
            exchange("Password", Draft.responderScalar, channel: Array(Draft.channel.reversed())),
            CPaceExchange(
                password: Draft.password, channel: Draft.channel, session: Array(Draft.session.reversed()),
                entropy: Draft.responderScalar),
            exchange("Password", Draft.scalar),
        ]
        for other in others {
            let theirs = try #require(
                other.tags(initiator: Draft.initiator, responderData: Draft.responder.data))
            #expect(!theirs.isInitiators(tags.ofInitiator))
            #expect(!tags.isResponders(theirs.ofResponder))
        }
        let same = exchange("Password", Draft.responderScalar)
        let elsewhere = try #require(same.tags(initiator: Draft.initiator, responderData: []))
        #expect(!elsewhere.isInitiators(tags.ofInitiator))
    }

    @Test func `a share that is no element, or the neutral one, ends the run`() {
        let honest = exchange("Password", Draft.initiatorScalar)
        for share in [Draft.noElement, Draft.neutral, []] {
            #expect(honest.tags(initiatorData: [], responder: CPaceSide(share: share, data: [])) == nil)
            #expect(honest.tags(initiator: CPaceSide(share: share, data: []), responderData: []) == nil)
        }
    }
}
