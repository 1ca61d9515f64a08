/// A JSON value whose object members keep the order in which they were written.
///
/// Two objects are equal when they have the same members in the same order. Objects read by
/// ``init(parsing:)`` never have two members of one name.
public enum JSON: Hashable, Sendable {
    case null
    case bool(Bool)
    /// A number written without fraction or exponent that fits 64 bits.
    case int(Int)
    /// Any other number. Always finite when parsed.
    case double(Double)
    case string(String)
    case array([JSON])
    case object([Member])

    /// One name and value of an object.
    public struct Member: Hashable, Sendable {
        /// The member's name.
        public var key: String
        /// What stands under the name.
        public var value: JSON

        /// Makes a member; nothing checks that its object has no other of the same name.
        public init(_ key: String, _ value: JSON) {
            self.key = key
            self.value = value
        }
    }

    /// The value of a member of an object; `nil` when this is no object or has no such member.
    ///
    /// Setting appends a new member or replaces in place; `nil` removes. Setting on anything but an
    /// object makes it an object first.
    public subscript(key: String) -> JSON? {
        get { members?.first { $0.key == key }?.value }
        set {
            var list = members ?? []
            let found = list.firstIndex { $0.key == key }
            switch (found, newValue) {
            case (let index?, let value?): list[index].value = value
            case (let index?, nil): list.remove(at: index)
            case (nil, let value?): list.append(Member(key, value))
            case (nil, nil): break
            }
            self = .object(list)
        }
    }

    /// The value of an element of an array; `nil` when this is no array or is too short.
    public subscript(index: Int) -> JSON? {
        guard case .array(let list) = self, list.indices.contains(index) else { return nil }
        return list[index]
    }

    /// The members, when this is an object.
    public var members: [Member]? {
        guard case .object(let list) = self else { return nil }
        return list
    }

    /// The elements, when this is an array.
    public var elements: [JSON]? {
        guard case .array(let list) = self else { return nil }
        return list
    }

    /// The text, when this is a string.
    public var text: String? {
        guard case .string(let value) = self else { return nil }
        return value
    }

    /// The number, when this is a whole number.
    public var integer: Int? {
        guard case .int(let value) = self else { return nil }
        return value
    }

    /// The number, when this is any number.
    public var number: Double? {
        switch self {
        case .int(let value): Double(value)
        case .double(let value): value
        case .null, .bool, .string, .array, .object: nil
        }
    }

    /// The truth value, when this is one.
    public var truth: Bool? {
        guard case .bool(let value) = self else { return nil }
        return value
    }

    /// Whether this is `null`.
    public var isNull: Bool { self == .null }

    /// The name of the type, with its article, for messages to people.
    public var kindName: String {
        switch self {
        case .null: "null"
        case .bool: "a truth value"
        case .int: "a whole number"
        case .double: "a number"
        case .string: "a string"
        case .array: "a list"
        case .object: "an object"
        }
    }
}

extension JSON: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral {
    /// Makes a string.
    public init(stringLiteral value: String) { self = .string(value) }
    /// Makes a whole number.
    public init(integerLiteral value: Int) { self = .int(value) }
    /// Makes a truth value.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
}

extension JSON: ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral {
    /// Makes a list.
    public init(arrayLiteral elements: JSON...) { self = .array(elements) }
    /// Makes an object with the members in the order written.
    public init(dictionaryLiteral elements: (String, JSON)...) {
        self = .object(elements.map { Member($0.0, $0.1) })
    }
}
