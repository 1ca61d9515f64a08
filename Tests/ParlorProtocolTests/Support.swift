import ParlorProtocol

/// The bytes of a hexadecimal text.
func bytes(_ hex: String) -> [UInt8] {
    var bytes: [UInt8] = []
    var high: UInt8?
    for digit in hex {
        let value = UInt8(digit.hexDigitValue ?? 0)
        if let upper = high {
            bytes.append(upper << 4 | value)
            high = nil
        } else {
            high = value
        }
    }
    return bytes
}

/// The hexadecimal text of bytes.
func hex(_ bytes: [UInt8]) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
}

/// A generator whose whole run follows from its seed (SplitMix64).
struct Seeded: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// Bytes of any content.
    mutating func bytes(_ count: Int) -> [UInt8] {
        (0..<count).map { _ in UInt8.random(in: 0...255, using: &self) }
    }

    /// True once in so many times.
    mutating func oneIn(_ times: Int) -> Bool { Int.random(in: 0..<times, using: &self) == 0 }

    /// An item of any shape, at most so deep.
    mutating func item(depth: Int) -> CBOR {
        switch Int.random(in: 0...(depth > 0 ? 7 : 5), using: &self) {
        case 0: return .null
        case 1: return .bool(Bool.random(using: &self))
        case 2: return .int(Int.random(in: -40...300, using: &self))
        case 3:
            return .int(
                Int.random(in: Int.min...Int.max, using: &self) >> Int.random(in: 0...60, using: &self))
        case 4: return .bytes(bytes(Int.random(in: 0...30, using: &self)))
        case 5: return .text(String("aé水😀\u{301}\0".shuffled(using: &self).prefix(4)))
        case 6: return .array((0..<Int.random(in: 0...30, using: &self)).map { _ in item(depth: depth - 1) })
        default:
            let keys = Set(
                (0..<Int.random(in: 0...6, using: &self)).map { _ in Int.random(in: -30...300, using: &self) }
            )
            let ordered = keys.filter { $0 >= 0 }.sorted() + keys.filter { $0 < 0 }.sorted(by: >)
            return .map(ordered.map { .init($0, item(depth: depth - 1)) })
        }
    }
}
