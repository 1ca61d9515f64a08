extension CBOR {
    /// Reads the one item that the bytes are.
    ///
    /// Nothing is allocated on the word of a length: a declared length larger than what is left is refused at
    /// once.
    /// - Parameter bytes: The whole encoding and nothing else.
    /// - Returns: The item; ``encoded()`` gives the same bytes again.
    /// - Throws: ``CBORError`` when the bytes are not exactly one deterministic item.
    public static func decode(_ bytes: [UInt8]) throws(CBORError) -> CBOR {
        var reader = CBORReader(bytes: bytes)
        let item = try reader.item(depth: 0)
        guard reader.position == bytes.count else {
            throw CBORError(code: .trailing, offset: reader.position)
        }
        return item
    }

    /// The item's one deterministic encoding.
    public func encoded() -> [UInt8] {
        var out: [UInt8] = []
        encode(into: &out)
        return out
    }

    /// Appends the item's encoding to a buffer.
    ///
    /// A map whose keys are out of order is a programmer's error; a dictionary literal puts them in order.
    public func encode(into out: inout [UInt8]) {
        switch self {
        case .int(let number): Self.encode(int: number, into: &out)
        case .bytes(let bytes): Self.encode(bytes: bytes, into: &out)
        case .text(let text):
            Self.encode(head: .text, UInt(text.utf8.count), into: &out)
            out.append(contentsOf: text.utf8)
        case .array(let items):
            Self.encodeArrayHead(items.count, into: &out)
            for item in items { item.encode(into: &out) }
        case .map(let entries):
            Self.encode(head: .map, UInt(entries.count), into: &out)
            var last: UInt?
            for entry in entries {
                precondition(last.map { $0 < entry.rank } ?? true, "map keys out of order at \(entry.key)")
                last = entry.rank
                Self.encode(int: entry.key, into: &out)
                entry.value.encode(into: &out)
            }
        case .bool(false): out.append(0xF4)
        case .bool(true): out.append(0xF5)
        case .null: out.append(0xF6)
        }
    }

    /// Appends the encoding of a whole number, without making an item of it.
    static func encode(int number: Int, into out: inout [UInt8]) {
        if number >= 0 {
            encode(head: .unsigned, UInt(number), into: &out)
        } else {
            encode(head: .negative, UInt(~number), into: &out)
        }
    }

    /// Appends the encoding of a byte string, without making an item of it.
    static func encode(bytes: [UInt8], into out: inout [UInt8]) {
        encode(head: .bytes, UInt(bytes.count), into: &out)
        out.append(contentsOf: bytes)
    }

    /// Appends the head of a list; the encodings of so many items must follow.
    static func encodeArrayHead(_ count: Int, into out: inout [UInt8]) {
        encode(head: .array, UInt(count), into: &out)
    }

    /// The major types, the upper three bits of an item's first byte.
    enum Major: UInt8 {
        case unsigned = 0
        case negative = 1
        case bytes = 2
        case text = 3
        case array = 4
        case map = 5
        case tag = 6
        case simple = 7
    }

    private static func encode(head major: Major, _ argument: UInt, into out: inout [UInt8]) {
        let top = major.rawValue << 5
        switch argument {
        case ..<24:
            out.append(top | UInt8(argument))
        case ...0xFF:
            out.append(top | 24)
            out.append(UInt8(argument))
        case ...0xFFFF:
            out.append(top | 25)
            out.appendBigEndian(argument, bytes: 2)
        case ...0xFFFF_FFFF:
            out.append(top | 26)
            out.appendBigEndian(argument, bytes: 4)
        default:
            out.append(top | 27)
            out.appendBigEndian(argument, bytes: 8)
        }
    }
}

extension [UInt8] {
    /// Appends the low bytes of a number, the most significant first.
    mutating func appendBigEndian(_ number: UInt, bytes: Int) {
        var shift = bytes * 8
        while shift > 0 {
            shift -= 8
            append(UInt8(truncatingIfNeeded: number >> UInt(shift)))
        }
    }
}

/// Reads items off the front of a buffer.
private struct CBORReader {
    let bytes: [UInt8]
    var position = 0

    private var left: Int { bytes.count - position }

    /// Items reserved ahead of reading; a longer list grows as its elements really arrive.
    private static let reservedItemsMax = 64

    mutating func item(depth: Int) throws(CBORError) -> CBOR {
        let start = position
        guard left > 0, let major = CBOR.Major(rawValue: bytes[position] >> 5) else {
            throw CBORError(code: .truncated, offset: start)
        }
        switch major {
        case .unsigned:
            return .int(try signed(try argument(), at: start))
        case .negative:
            return .int(~(try signed(try argument(), at: start)))
        case .bytes:
            return .bytes(Array(try content(at: start)))
        case .text:
            guard let text = String(validating: try content(at: start), as: UTF8.self) else {
                throw CBORError(code: .notUTF8, offset: start)
            }
            return .text(text)
        case .array:
            return .array(try elements(at: start, depth: depth))
        case .map:
            return .map(try entries(at: start, depth: depth))
        case .tag:
            throw CBORError(code: .unsupported, offset: start)
        case .simple:
            return try simple()
        }
    }

    private mutating func elements(at start: Int, depth: Int) throws(CBORError) -> [CBOR] {
        let count = try count(ofAtLeast: 1, at: start, depth: depth)
        var items: [CBOR] = []
        items.reserveCapacity(min(count, Self.reservedItemsMax))
        for _ in 0..<count { items.append(try item(depth: depth + 1)) }
        return items
    }

    private mutating func entries(at start: Int, depth: Int) throws(CBORError) -> [CBOR.Entry] {
        let count = try count(ofAtLeast: 2, at: start, depth: depth)
        var entries: [CBOR.Entry] = []
        entries.reserveCapacity(min(count, Self.reservedItemsMax))
        for _ in 0..<count {
            let keyStart = position
            guard left > 0 else { throw CBORError(code: .truncated, offset: keyStart) }
            guard bytes[keyStart] >> 5 <= CBOR.Major.negative.rawValue,
                case .int(let key) = try item(depth: depth + 1)
            else { throw CBORError(code: .badKey, offset: keyStart) }
            let entry = CBOR.Entry(key, try item(depth: depth + 1))
            if let last = entries.last, last.rank >= entry.rank {
                throw CBORError(code: .keyOrder, offset: keyStart)
            }
            entries.append(entry)
        }
        return entries
    }

    /// Reads how many elements follow, each of which takes at least so many bytes.
    private mutating func count(ofAtLeast size: Int, at start: Int, depth: Int) throws(CBORError) -> Int {
        let argument = try argument()
        guard argument <= UInt(left / size) else { throw CBORError(code: .truncated, offset: start) }
        guard depth < CBOR.depthMax else { throw CBORError(code: .tooDeep, offset: start) }
        return Int(argument)
    }

    private mutating func content(at start: Int) throws(CBORError) -> ArraySlice<UInt8> {
        let length = try argument()
        guard length <= UInt(left) else { throw CBORError(code: .truncated, offset: start) }
        defer { position += Int(length) }
        return bytes[position..<position + Int(length)]
    }

    private func signed(_ argument: UInt, at start: Int) throws(CBORError) -> Int {
        guard let number = Int(exactly: argument) else { throw CBORError(code: .outOfRange, offset: start) }
        return number
    }

    private mutating func simple() throws(CBORError) -> CBOR {
        let start = position
        let first = bytes[start]
        position += 1
        switch first {
        case 0xF4: return .bool(false)
        case 0xF5: return .bool(true)
        case 0xF6: return .null
        case 0xFC...0xFE: throw CBORError(code: .reserved, offset: start)
        case 0xFF: throw CBORError(code: .indefinite, offset: start)
        default: throw CBORError(code: .unsupported, offset: start)
        }
    }

    /// Reads an item's first byte and the number that follows it.
    private mutating func argument() throws(CBORError) -> UInt {
        let start = position
        let low = bytes[start] & 0x1F
        position += 1
        let width: Int
        switch low {
        case ..<24: return UInt(low)
        case 24...27: width = 1 << Int(low - 24)
        case 28...30: throw CBORError(code: .reserved, offset: start)
        default:
            let indefinite = bytes[start] >> 5 >= CBOR.Major.bytes.rawValue
            throw CBORError(code: indefinite ? .indefinite : .reserved, offset: start)
        }
        guard left >= width else { throw CBORError(code: .truncated, offset: start) }
        var number: UInt = 0
        for byte in bytes[position..<position + width] { number = number << 8 | UInt(byte) }
        position += width
        let least: UInt = width == 1 ? 24 : 1 << UInt(width * 4)
        guard number >= least else { throw CBORError(code: .notShortest, offset: start) }
        return number
    }
}
