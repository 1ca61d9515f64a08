/// A JSON value is not what a type asks for.
public struct JSONTypeError: Error, Hashable, Sendable {
    /// The member at fault and what is wrong with it, without a full stop; for people.
    public let message: String
}

extension JSON {
    /// Reads a typed value.
    ///
    /// Member names are the properties' names in snake_case.
    ///
    /// Strict: a whole number is not a string, `1.0` is not a whole number, and a missing or `null`
    /// member is taken only for an optional. Members the type does not have are ignored.
    public func decode<Value: Decodable>(_ type: Value.Type) throws(JSONTypeError) -> Value {
        do {
            return try JSONValueDecoder(value: self, codingPath: []).decoded(type)
        } catch let error as DecodingError {
            throw JSONTypeError(message: JSON.describe(error))
        } catch {
            throw JSONTypeError(message: "\(error)")
        }
    }

    private static func describe(_ error: DecodingError) -> String {
        switch error {
        case .keyNotFound(let key, let context): "'\(name(context.codingPath + [key]))' is missing"
        case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context):
            "'\(name(context.codingPath))' \(context.debugDescription)"
        @unknown default: "\(error)"
        }
    }

    private static func name(_ path: [any CodingKey]) -> String {
        guard !path.isEmpty else { return "the value" }
        var text = ""
        for key in path {
            if let index = key.intValue {
                text += "[\(index)]"
            } else {
                text += (text.isEmpty ? "" : ".") + snakeCase(key.stringValue)
            }
        }
        return text
    }

    /// `uptimeS` becomes `uptime_s`.
    static func snakeCase(_ name: String) -> String {
        var out: [UInt8] = []
        for byte in name.utf8 {
            if (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) {
                out.append(UInt8(ascii: "_"))
                out.append(byte | 0x20)
            } else {
                out.append(byte)
            }
        }
        return String(decoding: out, as: UTF8.self)
    }
}

extension JSON: Codable {
    /// Takes any value as it is.
    ///
    /// Works with ``decode(_:)`` only.
    public init(from decoder: any Decoder) throws {
        guard let decoder = decoder as? JSONValueDecoder else {
            let context = DecodingError.Context(
                codingPath: decoder.codingPath, debugDescription: "is read by JSON.decode")
            throw DecodingError.dataCorrupted(context)
        }
        self = decoder.value
    }

    /// Gives the value as it is.
    ///
    /// Works with ``init(encoding:)`` only.
    public func encode(to encoder: any Encoder) throws {
        guard let encoder = encoder as? JSONValueEncoder else {
            let context = EncodingError.Context(
                codingPath: encoder.codingPath, debugDescription: "is written by JSON(encoding:)")
            throw EncodingError.invalidValue(self, context)
        }
        encoder.node.content = .value(self)
    }
}

/// A name or an index on the way to a value.
struct JSONKey: CodingKey {
    let stringValue: String
    let intValue: Int?

    init(stringValue: String) {
        self.stringValue = stringValue
        intValue = nil
    }

    init(intValue: Int) {
        stringValue = String(intValue)
        self.intValue = intValue
    }
}

/// An enumeration that is written as one of a few words, which a message can list.
protocol WordEnum: CaseIterable, RawRepresentable, Decodable where RawValue == String {}

extension WordEnum {
    static var words: [String] { allCases.map(\.rawValue) }
}

/// Hands one value of a tree to `Decodable`.
struct JSONValueDecoder: Decoder {
    let value: JSON
    let codingPath: [any CodingKey]
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func mismatch(_ type: Any.Type, _ wanted: String) -> DecodingError {
        let context = DecodingError.Context(
            codingPath: codingPath, debugDescription: "must be \(wanted), not \(value.kindName)")
        return DecodingError.typeMismatch(type, context)
    }

    func decoded<Value: Decodable>(_ type: Value.Type) throws -> Value {
        do {
            return try Value(from: self)
        } catch let error as DecodingError {
            guard case .dataCorrupted(let context) = error, context.codingPath.count == codingPath.count,
                let words = (type as? any WordEnum.Type)?.words
            else { throw error }
            let wanted = "must be one of " + words.joined(separator: ", ")
            throw DecodingError.dataCorrupted(.init(codingPath: codingPath, debugDescription: wanted))
        }
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        guard let members = value.members else { throw mismatch([String: JSON].self, "an object") }
        return KeyedDecodingContainer(JSONKeyedReader(members: members, codingPath: codingPath))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard let elements = value.elements else { throw mismatch([JSON].self, "a list") }
        return JSONListReader(elements: elements, codingPath: codingPath)
    }

    func singleValueContainer() -> any SingleValueDecodingContainer { self }
}

extension JSONValueDecoder: SingleValueDecodingContainer {
    func decodeNil() -> Bool { value.isNull }

    func decode(_ type: Bool.Type) throws -> Bool {
        guard let truth = value.truth else { throw mismatch(type, "true or false") }
        return truth
    }

    func decode(_ type: String.Type) throws -> String {
        guard let text = value.text else { throw mismatch(type, "a string") }
        return text
    }

    func decode(_ type: Double.Type) throws -> Double {
        guard let number = value.number else { throw mismatch(type, "a number") }
        return number
    }

    func decode(_ type: Float.Type) throws -> Float { Float(try decode(Double.self)) }
    func decode(_ type: Int.Type) throws -> Int { try whole(type) }
    func decode(_ type: Int8.Type) throws -> Int8 { try whole(type) }
    func decode(_ type: Int16.Type) throws -> Int16 { try whole(type) }
    func decode(_ type: Int32.Type) throws -> Int32 { try whole(type) }
    func decode(_ type: Int64.Type) throws -> Int64 { try whole(type) }
    func decode(_ type: UInt.Type) throws -> UInt { try whole(type) }
    func decode(_ type: UInt8.Type) throws -> UInt8 { try whole(type) }
    func decode(_ type: UInt16.Type) throws -> UInt16 { try whole(type) }
    func decode(_ type: UInt32.Type) throws -> UInt32 { try whole(type) }
    func decode(_ type: UInt64.Type) throws -> UInt64 { try whole(type) }
    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try decoded(type) }

    private func whole<Whole: FixedWidthInteger>(_ type: Whole.Type) throws -> Whole {
        guard let integer = value.integer else {
            guard let number = value.number else { throw mismatch(type, "a whole number") }
            // One that is too large for a whole number here was read as a number with an exponent.
            let isWhole = number == number.rounded() && number.magnitude >= Double(Int.max)
            let range = isWhole ? " between \(Whole.min) and \(Whole.max)" : ""
            let context = DecodingError.Context(
                codingPath: codingPath,
                debugDescription: "must be a whole number\(range), not \(number)")
            throw DecodingError.typeMismatch(type, context)
        }
        guard let result = Whole(exactly: integer) else {
            let context = DecodingError.Context(
                codingPath: codingPath, debugDescription: "must be between \(Whole.min) and \(Whole.max)")
            throw DecodingError.dataCorrupted(context)
        }
        return result
    }
}

private struct JSONKeyedReader<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let members: [JSON.Member]
    let codingPath: [any CodingKey]

    var allKeys: [Key] { members.compactMap { Key(stringValue: $0.key) } }

    private func find(_ key: any CodingKey) -> JSON? {
        let name = JSON.snakeCase(key.stringValue)
        return members.first { $0.key == name }?.value
    }

    private func decoder(_ key: any CodingKey) throws -> JSONValueDecoder {
        guard let value = find(key) else {
            let context = DecodingError.Context(codingPath: codingPath, debugDescription: "is missing")
            throw DecodingError.keyNotFound(key, context)
        }
        return JSONValueDecoder(value: value, codingPath: codingPath + [key])
    }

    func contains(_ key: Key) -> Bool { find(key) != nil }
    func decodeNil(forKey key: Key) throws -> Bool { find(key)?.isNull ?? true }
    func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { try decoder(key).decode(type) }
    func decode(_ type: String.Type, forKey key: Key) throws -> String { try decoder(key).decode(type) }
    func decode(_ type: Double.Type, forKey key: Key) throws -> Double { try decoder(key).decode(type) }
    func decode(_ type: Float.Type, forKey key: Key) throws -> Float { try decoder(key).decode(type) }
    func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try decoder(key).decode(type) }
    func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 { try decoder(key).decode(type) }
    func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 { try decoder(key).decode(type) }
    func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 { try decoder(key).decode(type) }
    func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 { try decoder(key).decode(type) }
    func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt { try decoder(key).decode(type) }
    func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 { try decoder(key).decode(type) }
    func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 { try decoder(key).decode(type) }
    func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 { try decoder(key).decode(type) }
    func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 { try decoder(key).decode(type) }
    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        try decoder(key).decoded(type)
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> {
        try decoder(key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try decoder(key).unkeyedContainer()
    }

    func superDecoder() throws -> any Decoder { try decoder(JSONKey(stringValue: "super")) }
    func superDecoder(forKey key: Key) throws -> any Decoder { try decoder(key) }
}

private struct JSONListReader: UnkeyedDecodingContainer {
    let elements: [JSON]
    let codingPath: [any CodingKey]
    var currentIndex = 0

    init(elements: [JSON], codingPath: [any CodingKey]) {
        self.elements = elements
        self.codingPath = codingPath
    }

    var count: Int? { elements.count }
    var isAtEnd: Bool { currentIndex >= elements.count }

    private mutating func take() throws -> JSONValueDecoder {
        let path = codingPath + [JSONKey(intValue: currentIndex)]
        guard currentIndex < elements.count else {
            let context = DecodingError.Context(codingPath: path, debugDescription: "is missing")
            throw DecodingError.valueNotFound(JSON.self, context)
        }
        defer { currentIndex += 1 }
        return JSONValueDecoder(value: elements[currentIndex], codingPath: path)
    }

    mutating func decodeNil() throws -> Bool {
        guard !isAtEnd, elements[currentIndex].isNull else { return false }
        currentIndex += 1
        return true
    }

    mutating func decode(_ type: Bool.Type) throws -> Bool { try take().decode(type) }
    mutating func decode(_ type: String.Type) throws -> String { try take().decode(type) }
    mutating func decode(_ type: Double.Type) throws -> Double { try take().decode(type) }
    mutating func decode(_ type: Float.Type) throws -> Float { try take().decode(type) }
    mutating func decode(_ type: Int.Type) throws -> Int { try take().decode(type) }
    mutating func decode(_ type: Int8.Type) throws -> Int8 { try take().decode(type) }
    mutating func decode(_ type: Int16.Type) throws -> Int16 { try take().decode(type) }
    mutating func decode(_ type: Int32.Type) throws -> Int32 { try take().decode(type) }
    mutating func decode(_ type: Int64.Type) throws -> Int64 { try take().decode(type) }
    mutating func decode(_ type: UInt.Type) throws -> UInt { try take().decode(type) }
    mutating func decode(_ type: UInt8.Type) throws -> UInt8 { try take().decode(type) }
    mutating func decode(_ type: UInt16.Type) throws -> UInt16 { try take().decode(type) }
    mutating func decode(_ type: UInt32.Type) throws -> UInt32 { try take().decode(type) }
    mutating func decode(_ type: UInt64.Type) throws -> UInt64 { try take().decode(type) }
    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try take().decoded(type) }

    mutating func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type
    ) throws -> KeyedDecodingContainer<Nested> {
        try take().container(keyedBy: type)
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try take().unkeyedContainer()
    }
    mutating func superDecoder() throws -> any Decoder { try take() }
}
