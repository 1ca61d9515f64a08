import ParlorGames
import Testing

@testable import ParlorProtocol

@Suite struct CBORTests {
    /// Examples of RFC 8949 appendix A, those that the subset has.
    static let golden: [(hex: String, item: CBOR)] = [
        ("00", .int(0)), ("01", .int(1)), ("0a", .int(10)), ("17", .int(23)), ("1818", .int(24)),
        ("1819", .int(25)),
        ("1864", .int(100)), ("1903e8", .int(1000)), ("1a000f4240", .int(1_000_000)),
        ("1b000000e8d4a51000", .int(1_000_000_000_000)), ("1b7fffffffffffffff", .int(.max)),
        ("3b7fffffffffffffff", .int(.min)), ("20", .int(-1)), ("29", .int(-10)), ("3863", .int(-100)),
        ("3903e7", .int(-1000)), ("f4", .bool(false)), ("f5", .bool(true)), ("f6", .null),
        ("40", .bytes([])), ("4401020304", .bytes([1, 2, 3, 4])), ("60", .text("")), ("6161", .text("a")),
        ("6449455446", .text("IETF")), ("62225c", .text("\"\\")), ("62c3bc", .text("\u{fc}")),
        ("63e6b0b4", .text("\u{6c34}")), ("64f0908591", .text("\u{10151}")), ("80", []),
        ("83010203", [.int(1), .int(2), .int(3)]),
        ("8301820203820405", [.int(1), [.int(2), .int(3)], [.int(4), .int(5)]]),
        (
            "98190102030405060708090a0b0c0d0e0f101112131415161718181819",
            .array((1...25).map { .int($0) })
        ),
        ("a0", [:]), ("a201020304", [1: .int(2), 3: .int(4)]),
        ("a301f5182af62040", [-1: .bytes([]), 42: .null, 1: .bool(true)]),
    ]

    @Test(arguments: golden)
    func `examples of the RFC hold both ways`(hex: String, item: CBOR) throws {
        #expect(item.encoded() == bytes(hex))
        #expect(try CBOR.decode(bytes(hex)) == item)
    }

    static let refused: [(hex: String, code: CBORError.Code, offset: Int)] = [
        ("", .truncated, 0), ("18", .truncated, 0), ("1900", .truncated, 0), ("4101ff", .trailing, 2),
        ("0000", .trailing, 1), ("1800", .notShortest, 0), ("1817", .notShortest, 0),
        ("190018", .notShortest, 0),
        ("1900ff", .notShortest, 0), ("1a0000ffff", .notShortest, 0), ("1b00000000ffffffff", .notShortest, 0),
        ("3817", .notShortest, 0), ("580161", .notShortest, 0), ("7817", .notShortest, 0),
        ("980101", .notShortest, 0), ("b8010101", .notShortest, 0), ("1b8000000000000000", .outOfRange, 0),
        ("3b8000000000000000", .outOfRange, 0), ("1c", .reserved, 0), ("5e", .reserved, 0),
        ("1f", .reserved, 0),
        ("3f", .reserved, 0), ("fc", .reserved, 0), ("5f4101ff", .indefinite, 0),
        ("7f6161ff", .indefinite, 0),
        ("9f01ff", .indefinite, 0), ("bf0102ff", .indefinite, 0), ("ff", .indefinite, 0),
        ("8101ff", .trailing, 2), ("81ff", .indefinite, 1), ("f93c00", .unsupported, 0),
        ("fa47c35000", .unsupported, 0), ("fb3ff199999999999a", .unsupported, 0), ("f7", .unsupported, 0),
        ("f0", .unsupported, 0), ("f8ff", .unsupported, 0),
        ("c074323031332d30332d32315432303a30343a30305a", .unsupported, 0),
        ("c249010000000000000000", .unsupported, 0), ("61ff", .notUTF8, 0), ("62c080", .notUTF8, 0),
        ("63eda080", .notUTF8, 0), ("64f4908080", .notUTF8, 0), ("61c3", .notUTF8, 0),
        ("a16161f5", .badKey, 1),
        ("a1f401", .badKey, 1), ("a14000", .badKey, 1), ("a203010102", .keyOrder, 3),
        ("a201010102", .keyOrder, 3),
        ("a220010001", .keyOrder, 3), ("a1", .truncated, 0), ("a101", .truncated, 0), ("8201", .truncated, 0),
        ("420a", .truncated, 0), ("5bffffffffffffffff00", .truncated, 0),
        ("7b7fffffffffffffff", .truncated, 0),
        ("9bffffffffffffffff", .truncated, 0), ("9a7fffffff00", .truncated, 0),
        ("bbffffffffffffffff", .truncated, 0),
        ("a2010203", .truncated, 0),
    ]

    @Test(arguments: refused)
    func `what is not the one encoding is refused with its place`(
        hex: String, code: CBORError.Code, offset: Int
    ) {
        let error = #expect(throws: CBORError.self) { try CBOR.decode(bytes(hex)) }
        #expect(error == CBORError(code: code, offset: offset))
    }

    @Test func `sixteen levels are read and the seventeenth is refused`() throws {
        let levels = [UInt8](repeating: 0x81, count: CBOR.depthMax)
        #expect(try CBOR.decode(levels + [0xF6]).encoded() == levels + [0xF6])
        let error = #expect(throws: CBORError.self) { try CBOR.decode(levels + [0x81, 0xF6]) }
        #expect(error == CBORError(code: .tooDeep, offset: 16))
        let maps = [UInt8](repeating: 0xA1, count: 1) + [0x01] + levels + [0xF6]
        #expect(throws: CBORError.self) { try CBOR.decode(maps) }
    }

    @Test(arguments: UInt64(1)...200)
    func `any item comes back as it went`(seed: UInt64) throws {
        var random = Seeded(seed: seed)
        let item = random.item(depth: 4)
        let encoded = item.encoded()
        let decoded = try CBOR.decode(encoded)
        #expect(decoded == item)
        #expect(decoded.encoded() == encoded)
        if let datum = item.datum { #expect(CBOR(datum) == item) }
    }

    @Test(arguments: UInt64(1)...200)
    func `damaged bytes never trap and what decodes encodes the same`(seed: UInt64) {
        var random = Seeded(seed: seed)
        let original = random.item(depth: 3).encoded()
        for _ in 0..<200 {
            var damaged = original
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let place = Int.random(in: 0...damaged.count, using: &random)
                switch Int.random(in: 0...2, using: &random) {
                case 0: damaged.insert(UInt8.random(in: 0...255, using: &random), at: place)
                case 1 where place < damaged.count: damaged.remove(at: place)
                default:
                    if place < damaged.count { damaged[place] = UInt8.random(in: 0...255, using: &random) }
                }
            }
            if let item = try? CBOR.decode(damaged) { #expect(item.encoded() == damaged) }
        }
    }

    @Test func `a map is asked by key and a datum has none`() {
        let map: CBOR = [2: .text("two"), 1: .int(1)]
        #expect(map[1]?.int == 1)
        #expect(map[2]?.text == "two")
        #expect(map[3] == nil)
        #expect(map.datum == nil)
        #expect(CBOR.array([map, .null]).datum == nil)
        #expect(
            CBOR(Datum.list([.none, .bool(true), .bytes([9]), .text("x")])).encoded()
                == bytes("84f6f541096178"))
    }
}
