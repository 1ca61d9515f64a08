/// What people and scripts see: the shape of JSON, with members in the order they were written.
///
/// Views, legal actions and typed actions are values. What a log holds is a ``Datum`` instead.
public indirect enum Value: Hashable, Sendable {
    /// JSON `null`.
    case null
    /// JSON `true` or `false`.
    case bool(Bool)
    /// A whole number; Parlor's interfaces have no fractions.
    case int(Int)
    /// A string.
    case string(String)
    /// A list.
    case array([Value])
    /// An object; names are unique.
    case object([Member])

    /// One member of an object.
    public struct Member: Hashable, Sendable {
        /// The member's name.
        public let name: String
        /// The member's value.
        public let value: Value

        /// Makes a member.
        public init(_ name: String, _ value: Value) {
            self.name = name
            self.value = value
        }
    }

    /// The member of an object by name; `nil` where there is none or this is no object.
    public subscript(name: String) -> Value? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.name == name }?.value
    }

    /// The text of a string.
    public var text: String? {
        guard case .string(let text) = self else { return nil }
        return text
    }

    /// The number of an int.
    public var number: Int? {
        guard case .int(let number) = self else { return nil }
        return number
    }

    /// The elements of an array.
    public var elements: [Value]? {
        guard case .array(let elements) = self else { return nil }
        return elements
    }

    /// The truth of a bool.
    public var truth: Bool? {
        guard case .bool(let truth) = self else { return nil }
        return truth
    }
}

extension Value: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByNilLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    /// Makes a string.
    public init(stringLiteral text: String) { self = .string(text) }
    /// Makes an int.
    public init(integerLiteral number: Int) { self = .int(number) }
    /// Makes a bool.
    public init(booleanLiteral truth: Bool) { self = .bool(truth) }
    /// Makes a null.
    public init(nilLiteral: ()) { self = .null }
    /// Makes an array.
    public init(arrayLiteral elements: Value...) { self = .array(elements) }
    /// Makes an object, members in the order written.
    public init(dictionaryLiteral members: (String, Value)...) {
        self = .object(members.map { Member($0.0, $0.1) })
    }
}
