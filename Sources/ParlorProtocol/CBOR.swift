public import ParlorGames

/// One item of deterministic CBOR (RFC 8949 section 4.2.1), restricted to what Parlor's bodies use.
///
/// There is exactly one encoding of each item, so equal bytes mean equal items and a signature over the bytes
/// is a signature over the item. Comparing two items compares texts as Swift does, by canonical equivalence;
/// where the bytes matter, compare ``encoded()``.
public enum CBOR: Hashable, Sendable {
    /// A whole number, major types 0 and 1, within the range of 64 signed bits.
    case int(Int)
    /// A byte string, major type 2.
    case bytes([UInt8])
    /// A text string, major type 3.
    case text(String)
    /// A list, major type 4.
    case array([CBOR])
    /// A map, major type 5: keys are whole numbers, each once, in the order of their encodings.
    case map([Entry])
    /// False or true, simple values 20 and 21.
    case bool(Bool)
    /// Nothing, simple value 22.
    case null

    /// One key of a map and what it stands for.
    public struct Entry: Hashable, Sendable {
        /// The key.
        public let key: Int
        /// What the key stands for.
        public let value: CBOR

        /// Makes an entry.
        public init(_ key: Int, _ value: CBOR) {
            self.key = key
            self.value = value
        }

        /// Where the key comes in a map: by its encoding, so 0, 1, 2 and on, then -1, -2 and on.
        var rank: UInt { key >= 0 ? UInt(key) : UInt(~key) | (1 << 63) }
    }

    /// How deep lists and maps may lie in one another.
    public static let depthMax = 16

    /// The number of an int.
    public var int: Int? {
        guard case .int(let int) = self else { return nil }
        return int
    }

    /// The content of a byte string.
    public var bytes: [UInt8]? {
        guard case .bytes(let bytes) = self else { return nil }
        return bytes
    }

    /// The content of a text string.
    public var text: String? {
        guard case .text(let text) = self else { return nil }
        return text
    }

    /// The elements of a list.
    public var array: [CBOR]? {
        guard case .array(let array) = self else { return nil }
        return array
    }

    /// The truth of a bool.
    public var bool: Bool? {
        guard case .bool(let bool) = self else { return nil }
        return bool
    }

    /// Whether this is null.
    public var isNull: Bool { self == .null }

    /// What a map holds under a key; `nil` where it holds nothing or this is no map.
    public subscript(key: Int) -> CBOR? {
        guard case .map(let entries) = self else { return nil }
        return entries.first { $0.key == key }?.value
    }
}

extension CBOR: ExpressibleByDictionaryLiteral {
    /// Makes a map, its entries put in the order that the encoding asks for.
    ///
    /// A key given twice is a programmer's error.
    public init(dictionaryLiteral entries: (Int, CBOR)...) {
        self = .map(entries.map { Entry($0.0, $0.1) }.sorted { $0.rank < $1.rank })
    }
}

extension CBOR: ExpressibleByArrayLiteral {
    /// Makes a list.
    public init(arrayLiteral elements: CBOR...) {
        self = .array(elements)
    }
}

extension CBOR {
    /// The item of a game's datum: a list becomes an array, nothing becomes null.
    public init(_ datum: Datum) {
        switch datum {
        case .none: self = .null
        case .bool(let truth): self = .bool(truth)
        case .int(let number): self = .int(number)
        case .bytes(let octets): self = .bytes(octets)
        case .text(let string): self = .text(string)
        case .list(let elements): self = .array(elements.map { CBOR($0) })
        }
    }

    /// The datum of an item; `nil` where a map is in it, because a datum has none.
    public var datum: Datum? {
        switch self {
        case .null: return Datum.none
        case .bool(let truth): return .bool(truth)
        case .int(let number): return .int(number)
        case .bytes(let octets): return .bytes(octets)
        case .text(let string): return .text(string)
        case .map: return nil
        case .array(let items):
            var elements: [Datum] = []
            elements.reserveCapacity(items.count)
            for item in items {
                guard let element = item.datum else { return nil }
                elements.append(element)
            }
            return .list(elements)
        }
    }
}

/// Why bytes are no deterministic CBOR item, and where.
public struct CBORError: Error, Hashable, Sendable {
    /// What is wrong.
    public enum Code: String, Hashable, Sendable {
        /// The input ends within the item, or a declared length is larger than what is left.
        case truncated
        /// Bytes follow the item.
        case trailing
        /// A number or a length is written longer than it needs to be.
        case notShortest = "not-shortest"
        /// An item of indefinite length, or a break without one.
        case indefinite
        /// A float, a tag, undefined or another simple value: Parlor's bodies have none.
        case unsupported
        /// The head of an item that RFC 8949 reserves.
        case reserved
        /// A number outside 64 signed bits.
        case outOfRange = "out-of-range"
        /// A text string that is not UTF-8.
        case notUTF8 = "not-utf-8"
        /// A map key that is no whole number.
        case badKey = "bad-key"
        /// A map whose keys are not in order, or hold one twice.
        case keyOrder = "key-order"
        /// Lists and maps lie deeper in one another than ``CBOR/depthMax``.
        case tooDeep = "too-deep"
    }

    /// What is wrong.
    public let code: Code
    /// The offset of the item at fault, in bytes from the start.
    public let offset: Int
}
