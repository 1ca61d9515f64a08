/// What a log holds of a game: positional lists of numbers, bytes and texts, written as deterministic CBOR
/// (RFC 8949 section 4.2.1) by ParlorProtocol.
public enum Datum: Hashable, Sendable {
    /// Nothing (CBOR null).
    case none
    /// A truth value.
    case bool(Bool)
    /// A whole number.
    case int(Int)
    /// A byte string.
    case bytes([UInt8])
    /// A text string, UTF-8.
    case text(String)
    /// A list; what each position means is the reader's to know.
    case list([Datum])

    /// The number of an int.
    public var number: Int? {
        guard case .int(let number) = self else { return nil }
        return number
    }

    /// The bytes of a byte string.
    public var octets: [UInt8]? {
        guard case .bytes(let octets) = self else { return nil }
        return octets
    }

    /// The text of a text string.
    public var string: String? {
        guard case .text(let string) = self else { return nil }
        return string
    }

    /// The elements of a list.
    public var elements: [Datum]? {
        guard case .list(let elements) = self else { return nil }
        return elements
    }

    /// The truth of a bool.
    public var truth: Bool? {
        guard case .bool(let truth) = self else { return nil }
        return truth
    }
}
