import ParlorCrypto
import Testing

struct PacketKeyTests {
    /// RFC 8439 section 2.8.2.
    private static let key = PacketKey((0x80...0x9F).map { UInt8($0) })
    private static let nonce: [UInt8] = [7, 0, 0, 0, 0x40, 0x41, 0x42, 0x43, 0x44, 0x45, 0x46, 0x47]
    private static let additional: [UInt8] = [
        0x50, 0x51, 0x52, 0x53, 0xC0, 0xC1, 0xC2, 0xC3, 0xC4, 0xC5, 0xC6, 0xC7,
    ]
    private static let plaintext = Array(
        ("Ladies and Gentlemen of the class of '99: If I could offer you only one tip for the future, "
            + "sunscreen would be it.").utf8)
    private static let sealed = hex(
        "d31a8d34648e60db7b86afbc53ef7ec2a4aded51296e08fea9e2b5a736ee62d6"
            + "3dbea45e8ca9671282fafb69da92728b1a71de0a9e060b2905d6a5b67ecd3b36"
            + "92ddbd7f2d778b8c9803aee328091b58fab324e4fad675945585808b4831d7bc"
            + "3ff4def08e4b7a9de576d26586cec64b6116" + "1ae10b594f09e26a7e902ecbd0600691")

    @Test func `sealing matches the RFC`() {
        #expect(
            Self.key.seal(Self.plaintext, additional: Self.additional, nonce: Self.nonce) == Self.sealed)
        #expect(
            Self.key.open(Self.sealed, additional: Self.additional, nonce: Self.nonce) == Self.plaintext)
    }

    /// RFC 8439 appendix A.5.
    @Test func `opening matches the RFC`() {
        let key = PacketKey(hex("1c9240a5eb55d38af333888604f6b5f0473917c1402b80099dca5cbc207075c0"))
        let sealed = hex(
            "64a0861575861af460f062c79be643bd5e805cfd345cf389f108670ac76c8cb2"
                + "4c6cfc18755d43eea09ee94e382d26b0bdb7b73c321b0100d4f03b7f355894cf"
                + "332f830e710b97ce98c8a84abd0b948114ad176e008d33bd60f982b1ff37c855"
                + "9797a06ef4f0ef61c186324e2b3506383606907b6a7c02b0f9f6157b53c867e4"
                + "b9166c767b804d46a59b5216cde7a4e99040c5a40433225ee282a1b0a06c523e"
                + "af4534d7f83fa1155b0047718cbc546a0d072b04b3564eea1b422273f548271a"
                + "0bb2316053fa76991955ebd63159434ecebb4e466dae5a1073a6727627097a10"
                + "49e617d91d361094fa68f0ff77987130305beaba2eda04df997b714d6c6f2c29"
                + "a6ad5cb4022b02709b" + "eead9d67890cbb22392336fea1851f38")
        let opened = key.open(
            sealed, additional: hex("f33388860000000000004e91"), nonce: hex("000000000102030405060708"))
        #expect(opened.map { String(decoding: $0, as: UTF8.self) }?.hasPrefix("Internet-Drafts are") == true)
        #expect(opened?.count == 265)
    }

    @Test func `a packet is sealed where it stands, with its header's end as the nonce`() {
        let header = [9] + Self.nonce
        var packet = header + Self.plaintext
        Self.key.seal(packet: &packet, headerBytes: 13)
        #expect(packet == header + Self.key.seal(Self.plaintext, additional: header, nonce: Self.nonce))
        #expect(Self.key.open(packet: packet, headerBytes: 13) == Self.plaintext)
        var empty = header
        Self.key.seal(packet: &empty, headerBytes: 13)
        #expect(empty.count == 13 + PacketKey.tagBytes)
        #expect(Self.key.open(packet: empty, headerBytes: 13) == [])
    }

    @Test func `nothing changed, cut or sealed otherwise is opened`() {
        var packet = [9] + Self.nonce + [1, 2, 3]
        Self.key.seal(packet: &packet, headerBytes: 13)
        for place in packet.indices {
            for bit in 0..<8 {
                var changed = packet
                changed[place] ^= 1 << UInt8(bit)
                #expect(Self.key.open(packet: changed, headerBytes: 13) == nil, "bit \(bit) of \(place)")
            }
            #expect(Self.key.open(packet: Array(packet[..<place]), headerBytes: 13) == nil)
        }
        #expect(Self.key.open(packet: packet + [0], headerBytes: 13) == nil)
        #expect(Self.key.open(packet: packet, headerBytes: 12) == nil)
        let other = PacketKey([UInt8](repeating: 1, count: 32))
        #expect(other.open(packet: packet, headerBytes: 13) == nil)
        #expect(Self.key.open(Self.sealed, additional: [], nonce: Self.nonce) == nil)
        #expect(Self.key.open(Self.sealed, additional: Self.additional, nonce: []) == nil)
        #expect(Self.key.open([1], additional: [], nonce: Self.nonce) == nil)
    }
}

/// The bytes of a hexadecimal text.
private func hex(_ text: String) -> [UInt8] {
    let digits = Array(text.utf8).map { $0 < 58 ? $0 - 48 : $0 - 87 }
    return stride(from: 0, to: digits.count - 1, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
}
