/// Why a TXT record cannot be written or read.
public enum RoomTextError: Error, Hashable, Sendable, CustomStringConvertible {
    /// An ID has the wrong length or is missing; the key it belongs to.
    case badIdentifier(key: String)
    /// One string is longer than ``RoomText/stringBytesMax``; which, and how long.
    case stringTooLong(key: String, bytes: Int)
    /// All strings together are longer than ``RoomText/bytesMax``.
    case tooLong(bytes: Int)

    /// One sentence for a person.
    public var description: String {
        switch self {
        case .badIdentifier(let key): "the record has no usable `\(key)`"
        case .stringTooLong(let key, let bytes):
            "`\(key)` takes \(bytes) bytes in the record, at most \(RoomText.stringBytesMax) fit"
        case .tooLong(let bytes):
            "the record takes \(bytes) bytes, at most \(RoomText.bytesMax) are announced"
        }
    }
}

/// Limits of a room's TXT record.
public enum RoomText {
    /// Bytes of one `key=value` string.
    ///
    /// Avahi cuts longer ones without a word.
    public static let stringBytesMax = 255
    /// Bytes of all strings, each counted with its length byte, so that the record stays within one small
    /// packet.
    public static let bytesMax = 400
    /// Bytes of the host's display name in the record.
    public static let hostNameBytesMax = 40
    /// Bytes of a name that is shown, whatever a record says.
    static let shownBytesMax = 63
    /// Seats that a record may claim.
    static let seatsMax = 99
}

extension RoomRecord {
    /// The strings of the TXT record, `txtvers` first (RFC 6763, 6.7).
    ///
    /// - Throws: ``RoomTextError`` when an ID has the wrong length, or the strings are over the limits.
    public func txt() throws(RoomTextError) -> [[UInt8]] {
        guard roomID.count == Self.roomIDBytes else { throw .badIdentifier(key: "id") }
        guard hostID.count == Self.hostIDBytes else { throw .badIdentifier(key: "k") }
        let pairs = [
            ("txtvers", String(textVersion)),
            ("id", Hex.text(roomID)),
            ("k", Hex.text(hostID)),
            ("pv", "\(protocols.lowerBound)-\(protocols.upperBound)"),
            ("g", game),
            ("n", String(taken)),
            ("m", String(seats)),
            ("st", state.rawValue),
            ("lock", locked ? "1" : "0"),
            ("code", codeNeeded ? "1" : "0"),
            ("e", String(epoch)),
            ("h", ShownText.cut(ShownText.cleaned(hostName), toBytes: RoomText.hostNameBytesMax)),
        ]
        var strings: [[UInt8]] = []
        var total = 0
        for (key, value) in pairs {
            let string = Array("\(key)=\(value)".utf8)
            guard string.count <= RoomText.stringBytesMax else {
                throw .stringTooLong(key: key, bytes: string.count)
            }
            total += 1 + string.count
            strings.append(string)
        }
        guard total <= RoomText.bytesMax else { throw .tooLong(bytes: total) }
        return strings
    }

    /// Reads what somebody announced.
    ///
    /// Unknown keys are skipped; of a key given twice the first counts; what is missing or makes no sense is
    /// taken as its default, so that a room is shown rather than not. A record of a higher `txtvers` need not
    /// have IDs that this code understands: it gets some made from its name, and the row shows that its host
    /// is newer.
    /// - Parameters:
    ///   - name: The instance's name, as the network has it.
    ///   - txt: The strings of the TXT record; any bytes.
    ///   - port: The port of the SRV record.
    /// - Throws: ``RoomTextError/badIdentifier(key:)`` when a record of this version names no room or no
    ///   host.
    public init(name: String, txt: [[UInt8]], port: UInt16) throws(RoomTextError) {
        let values = Self.values(of: txt)
        let version = values["txtvers"].flatMap { Self.number($0, in: 0...65_535) } ?? Self.textVersion
        self.init(
            roomID: values["id"].flatMap { Hex.bytes($0, count: Self.roomIDBytes) } ?? [],
            hostID: values["k"].flatMap { Hex.bytes($0, count: Self.hostIDBytes) } ?? [],
            name: Self.shown(name, bytesMax: RoomText.shownBytesMax),
            game: Self.shown(values["g"], bytesMax: RoomText.shownBytesMax),
            taken: values["n"].flatMap { Self.number($0, in: 0...RoomText.seatsMax) } ?? 0,
            seats: values["m"].flatMap { Self.number($0, in: 0...RoomText.seatsMax) } ?? 0,
            state: values["st"].flatMap { State(rawValue: Self.text($0)) } ?? .lobby,
            locked: values["lock"] == [0x31],
            codeNeeded: values["code"] == [0x31],
            epoch: values["e"].flatMap { UInt64(Self.text($0)) } ?? 0,
            hostName: Self.shown(values["h"], bytesMax: RoomText.hostNameBytesMax),
            protocols: values["pv"].flatMap(Self.range) ?? 1...1,
            port: port)
        textVersion = version
        if version > Self.textVersion {
            if roomID.isEmpty { roomID = Self.standIn(for: name, count: Self.roomIDBytes) }
            if hostID.isEmpty { hostID = Self.standIn(for: name, count: Self.hostIDBytes) }
        }
        guard !roomID.isEmpty else { throw .badIdentifier(key: "id") }
        guard !hostID.isEmpty else { throw .badIdentifier(key: "k") }
    }

    /// Splits the strings at their first `=`; keys are compared without case (RFC 6763, 6.4).
    private static func values(of txt: [[UInt8]]) -> [String: [UInt8]] {
        var values: [String: [UInt8]] = [:]
        for string in txt {
            guard let equals = string.firstIndex(of: 0x3D), equals > 0 else { continue }
            let key = text(string[..<equals]).lowercased()
            if values[key] == nil { values[key] = Array(string[(equals + 1)...]) }
        }
        return values
    }

    private static func text(_ bytes: some Collection<UInt8>) -> String {
        String(decoding: bytes, as: UTF8.self)
    }

    private static func shown(_ bytes: [UInt8]?, bytesMax: Int) -> String {
        shown(text(bytes ?? []), bytesMax: bytesMax)
    }

    private static func shown(_ text: String, bytesMax: Int) -> String {
        ShownText.cut(ShownText.cleaned(text), toBytes: bytesMax)
    }

    private static func number(_ bytes: [UInt8], in range: ClosedRange<Int>) -> Int? {
        guard let value = Int(text(bytes)), range.contains(value) else { return nil }
        return value
    }

    /// `2-5`, or `2` for a range of one.
    private static func range(_ bytes: [UInt8]) -> ClosedRange<UInt16>? {
        let bounds = text(bytes).split(separator: "-", omittingEmptySubsequences: false).map { UInt16($0) }
        guard (1...2).contains(bounds.count), let low = bounds[0], let high = bounds[bounds.count - 1],
            low <= high
        else { return nil }
        return low...high
    }

    /// An ID for a record that has none which can be read: the name, hashed (FNV-1a) and stretched.
    private static func standIn(for name: String, count: Int) -> [UInt8] {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in name.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        return (0..<count).map { index in
            hash = (hash ^ UInt64(index)) &* 0x100_0000_01B3
            return UInt8(truncatingIfNeeded: hash >> 56)
        }
    }
}

/// Bytes as lower-case hexadecimal digits and back.
enum Hex {
    private static let digits = Array("0123456789abcdef".utf8)

    static func text(_ bytes: [UInt8]) -> String {
        let pairs = bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
        return String(decoding: pairs, as: UTF8.self)
    }

    /// `nil` unless there are exactly twice `count` digits; either case is read.
    static func bytes(_ text: [UInt8], count: Int) -> [UInt8]? {
        guard text.count == 2 * count else { return nil }
        var bytes: [UInt8] = []
        for index in stride(from: 0, to: text.count, by: 2) {
            guard let high = value(text[index]), let low = value(text[index + 1]) else { return nil }
            bytes.append(high << 4 | low)
        }
        return bytes
    }

    private static func value(_ digit: UInt8) -> UInt8? {
        switch digit {
        case 0x30...0x39: digit - 0x30
        case 0x61...0x66: digit - 0x61 + 10
        case 0x41...0x46: digit - 0x41 + 10
        default: nil
        }
    }
}
