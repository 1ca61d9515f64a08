/// Who a peer is: its Ed25519 public key, the key of its TLS certificate.
public struct PeerID: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// How long a peer ID is.
    public static let byteCount = 32

    /// The public key's bytes.
    public let bytes: [UInt8]

    /// Makes an ID of a public key; `nil` unless it has ``byteCount`` bytes.
    public init?(bytes: [UInt8]) {
        guard bytes.count == Self.byteCount else { return nil }
        self.bytes = bytes
    }

    /// Reads an ID written as 64 hexadecimal digits.
    public init?(hex: String) {
        guard let bytes = [UInt8](hex: hex) else { return nil }
        self.init(bytes: bytes)
    }

    /// The ID as 64 hexadecimal digits.
    public var description: String { bytes.hex }

    /// Whether one ID is before another, byte by byte; decides between two simultaneous dials.
    public static func < (left: PeerID, right: PeerID) -> Bool {
        left.bytes.lexicographicallyPrecedes(right.bytes)
    }
}

/// Which room: 16 random bytes, chosen by the peer that opened it.
public struct RoomID: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// How long a room ID is.
    public static let byteCount = 16

    /// The ID's bytes.
    public let bytes: [UInt8]

    /// Makes an ID; `nil` unless it has ``byteCount`` bytes.
    public init?(bytes: [UInt8]) {
        guard bytes.count == Self.byteCount else { return nil }
        self.bytes = bytes
    }

    /// Reads an ID written as 32 hexadecimal digits.
    public init?(hex: String) {
        guard let bytes = [UInt8](hex: hex) else { return nil }
        self.init(bytes: bytes)
    }

    /// The ID as 32 hexadecimal digits.
    public var description: String { bytes.hex }

    /// Whether one ID is before another, byte by byte.
    public static func < (left: RoomID, right: RoomID) -> Bool {
        left.bytes.lexicographicallyPrecedes(right.bytes)
    }
}

/// Which match: the first 16 bytes of its genesis' hash.
public struct MatchID: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// How long a match ID is.
    public static let byteCount = 16

    /// The ID's bytes.
    public let bytes: [UInt8]

    /// Makes an ID; `nil` unless it has ``byteCount`` bytes.
    public init?(bytes: [UInt8]) {
        guard bytes.count == Self.byteCount else { return nil }
        self.bytes = bytes
    }

    /// Reads an ID written as 32 hexadecimal digits.
    public init?(hex: String) {
        guard let bytes = [UInt8](hex: hex) else { return nil }
        self.init(bytes: bytes)
    }

    /// The ID as 32 hexadecimal digits.
    public var description: String { bytes.hex }

    /// Whether one ID is before another, byte by byte.
    public static func < (left: MatchID, right: MatchID) -> Bool {
        left.bytes.lexicographicallyPrecedes(right.bytes)
    }
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
