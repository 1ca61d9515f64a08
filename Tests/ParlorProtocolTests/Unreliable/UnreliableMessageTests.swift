import Testing

@testable import ParlorProtocol

@Suite struct UnreliableMessageTests {
    /// A fragment's head with the fields that a test does not care about.
    static func fragment(
        _ number: UInt64 = 1, sent: UInt64 = 1_000, timeToLive: UInt16 = 200, key: UInt32? = nil,
        index: UInt8 = 0, count: UInt8 = 1
    ) -> UnreliableMessage.Fragment {
        .init(number: number, sent: sent, timeToLive: timeToLive, key: key, index: index, count: count)
    }

    static let golden: [(name: String, message: UnreliableMessage, hex: String)] = [
        ("probe", .probe(token: 0x102), "01 0000000000000102"),
        ("answer", .answer(token: 0x102, clock: 1_000_000), "02 0000000000000102 00000000000f4240"),
        (
            "fragment", .fragment(fragment(7, sent: 1_000_000), content: [0x68, 0x69]),
            "03 0000000000000007 00000000000f4240 00c8 00 01 6869"
        ),
        (
            "keyed fragment", .fragment(fragment(8, sent: 1_000_000, key: 0x2A), content: [0x68, 0x69]),
            "04 0000000000000008 00000000000f4240 00c8 0000002a 00 01 6869"
        ),
        (
            "empty fragment", .fragment(fragment(.max, sent: 1 << 52, timeToLive: 10_000), content: []),
            "03 ffffffffffffffff 0010000000000000 2710 00 01"
        ),
    ]

    @Test func `messages have the documented bytes`() {
        for (name, message, hexBytes) in Self.golden {
            #expect(message.encoded() == bytes(hexBytes.filter { $0 != " " }), "\(name)")
            #expect(message.byteCount == message.encoded().count, "\(name)")
            #expect(UnreliableMessage(message.encoded()) == message, "\(name)")
        }
    }

    @Test func `a message has no other length`() {
        for (name, message, _) in Self.golden {
            let whole = message.encoded()
            for count in 0..<whole.count where UnreliableMessage(Array(whole[..<count])) != nil {
                guard case .fragment = message else {
                    Issue.record("\(name) of \(count) bytes")
                    continue
                }
                #expect(count >= whole.count - 2, "\(name) of \(count) bytes")
            }
            if case .fragment = message { continue }
            #expect(UnreliableMessage(whole + [0]) == nil, "\(name) and a byte")
        }
    }

    static let refused: [(name: String, bytes: [UInt8])] = {
        let full = [UInt8](repeating: 1, count: Limits.fragmentBytesMax)
        let wrong: [(String, UnreliableMessage.Fragment, [UInt8])] = [
            ("number 0", fragment(0), [1]), ("no time to live", fragment(timeToLive: 0), [1]),
            ("too long a life", fragment(timeToLive: 10_001), [1]),
            ("too late a clock", fragment(sent: 1 << 52 + 1), [1]),
            ("no pieces", fragment(count: 0), [1]), ("beyond the last", fragment(index: 1), [1]),
            ("sixteen pieces", fragment(index: 0, count: 16), full),
            ("a short piece before the last", fragment(count: 2), Array(full.dropLast())),
            ("a long piece before the last", fragment(count: 2), full + [1]),
            ("a long last piece", fragment(), full + [1]),
            ("an empty last piece", fragment(index: 1, count: 2), []),
            (
                "a message too long", fragment(index: 14, count: 15),
                [UInt8](repeating: 1, count: Limits.unreliableBytesMax - 14 * Limits.fragmentBytesMax + 1)
            ),
        ]
        return [("nothing", []), ("kind 0", [0]), ("kind 5", [5] + [UInt8](repeating: 0, count: 8))]
            + [("clock of an answer", [2] + [UInt8](repeating: 0, count: 8) + [0, 0x10, 0, 0, 0, 0, 0, 1])]
            + wrong.map { ($0, UnreliableMessage.fragment($1, content: $2).encoded()) }
    }()

    @Test func `what breaks a rule is no message`() {
        for (name, bytes) in Self.refused { #expect(UnreliableMessage(bytes) == nil, "\(name)") }
    }

    @Test func `the largest pieces are messages and fit a datagram`() {
        let full = [UInt8](repeating: 1, count: Limits.fragmentBytesMax)
        let first = UnreliableMessage.fragment(Self.fragment(key: 1, index: 0, count: 15), content: full)
        #expect(UnreliableMessage(first.encoded()) == first)
        #expect(first.encoded().count + 29 == Limits.datagramBytesMax)
        let rest = Limits.unreliableBytesMax - 14 * Limits.fragmentBytesMax
        let last = UnreliableMessage.fragment(
            Self.fragment(index: 14, count: 15), content: Array(full[..<rest]))
        #expect(UnreliableMessage(last.encoded()) == last)
    }

    @Test(arguments: UInt64(1)...50)
    func `any bytes are a message or none, and are what the message encodes to`(seed: UInt64) {
        var random = Seeded(seed: seed)
        for _ in 0..<300 {
            var bytes = random.bytes(Int.random(in: 0...60, using: &random))
            if !bytes.isEmpty { bytes[0] = UInt8.random(in: 0...5, using: &random) }
            if bytes.count > 30, random.oneIn(2) {
                for place in [1, 2, 3, 9, 10, 11, 17, 19, 23] { bytes[place] = 0 }
                (bytes[20], bytes[24]) = (1, 1)
            }
            guard let message = UnreliableMessage(bytes) else { continue }
            #expect(message.encoded() == bytes, "seed \(seed)")
        }
    }
}
