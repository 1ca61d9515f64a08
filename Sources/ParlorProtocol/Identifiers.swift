/// A name of fixed length that is unique by chance or by cryptography: bytes, shown as lower-case hexadecimal.
public protocol Identifier: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// How many bytes it has.
    static var byteCount: Int { get }
    /// Its bytes.
    var bytes: [UInt8] { get }
    /// Makes one of bytes whose count is right; called by ``init(bytes:)`` alone.
    init(checked bytes: [UInt8])
}

extension Identifier {
    /// Makes one of bytes; `nil` unless there are ``byteCount``.
    public init?(bytes: [UInt8]) {
        guard bytes.count == Self.byteCount else { return nil }
        self.init(checked: bytes)
    }

    /// Reads one written as two hexadecimal digits a byte.
    public init?(hex: String) {
        guard let bytes = [UInt8](hex: hex) else { return nil }
        self.init(bytes: bytes)
    }

    /// Two hexadecimal digits a byte.
    public var description: String { bytes.hex }

    /// Whether one is before another, byte by byte; between peers it decides whose dial stays.
    public static func < (left: Self, right: Self) -> Bool {
        left.bytes.lexicographicallyPrecedes(right.bytes)
    }
}

/// Who a peer is: its Ed25519 public key, the key of its TLS certificate.
public struct PeerID: Identifier {
    /// An Ed25519 public key has 32 bytes.
    public static let byteCount = 32
    /// The public key.
    public let bytes: [UInt8]

    /// Makes an ID of a key of the right length.
    public init(checked bytes: [UInt8]) { self.bytes = bytes }
}

/// Which room: 16 random bytes, chosen by the peer that opened it.
public struct RoomID: Identifier {
    /// A room's ID has 16 bytes.
    public static let byteCount = 16
    /// The ID.
    public let bytes: [UInt8]

    /// Makes an ID of bytes of the right length.
    public init(checked bytes: [UInt8]) { self.bytes = bytes }
}

/// Which match: the first 16 bytes of its genesis' hash.
public struct MatchID: Identifier {
    /// A match's ID has 16 bytes.
    public static let byteCount = 16
    /// The ID.
    public let bytes: [UInt8]

    /// Makes an ID of bytes of the right length.
    public init(checked bytes: [UInt8]) { self.bytes = bytes }
}

extension [UInt8] {
    /// Two lower-case hexadecimal digits a byte.
    var hex: String {
        let digits = Array<UInt8>("0123456789abcdef".utf8)
        var out: [UInt8] = []
        out.reserveCapacity(count * 2)
        for byte in self {
            out.append(digits[Int(byte >> 4)])
            out.append(digits[Int(byte & 15)])
        }
        return String(decoding: out, as: UTF8.self)
    }

    /// Reads pairs of hexadecimal digits; `nil` when there is anything else in the text.
    init?(hex: String) {
        let digits = Array<UInt8>(hex.utf8)
        guard digits.count.isMultiple(of: 2) else { return nil }
        self = []
        for place in stride(from: 0, to: digits.count, by: 2) {
            guard let high = digits[place].hexDigit, let low = digits[place + 1].hexDigit else { return nil }
            append(high << 4 | low)
        }
    }
}

extension UInt8 {
    /// What an ASCII hexadecimal digit stands for.
    fileprivate var hexDigit: UInt8? {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
