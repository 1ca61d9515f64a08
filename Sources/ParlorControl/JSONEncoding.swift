extension JSON {
    /// Writes a typed value.
    ///
    /// Member names are the properties' names in snake_case, in the order in which they are declared;
    /// absent optionals are left out.
    public init(encoding value: some Encodable) {
        let node = JSONNode()
        do {
            try value.encode(to: JSONValueEncoder(node: node, codingPath: []))
        } catch {
            preconditionFailure("a type of the control socket cannot be written: \(error)")
        }
        self = node.json
    }
}

/// A place in the tree under construction.
final class JSONNode {
    enum Content {
        case empty
        case value(JSON)
        case list([JSONNode])
        case object([(key: String, node: JSONNode)])
    }

    var content = Content.empty

    var json: JSON {
        switch content {
        case .empty: [:]
        case .value(let value): value
        case .list(let nodes): .array(nodes.map(\.json))
        case .object(let members): .object(members.map { JSON.Member($0.key, $0.node.json) })
        }
    }

    func member(_ key: any CodingKey) -> JSONNode {
        let node = JSONNode()
        var members: [(key: String, node: JSONNode)] = []
        if case .object(let old) = content { members = old }
        content = .empty
        members.append((JSON.snakeCase(key.stringValue), node))
        content = .object(members)
        return node
    }

    func element() -> JSONNode {
        let node = JSONNode()
        var nodes: [JSONNode] = []
        if case .list(let old) = content { nodes = old }
        content = .empty
        nodes.append(node)
        content = .list(nodes)
        return node
    }

    var count: Int {
        guard case .list(let nodes) = content else { return 0 }
        return nodes.count
    }
}

/// Takes one value from `Encodable` into a node.
struct JSONValueEncoder: Encoder {
    let node: JSONNode
    let codingPath: [any CodingKey]
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        if case .empty = node.content { node.content = .object([]) }
        return KeyedEncodingContainer(JSONKeyedWriter(node: node, codingPath: codingPath))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        if case .empty = node.content { node.content = .list([]) }
        return JSONListWriter(node: node, codingPath: codingPath)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { self }
}

extension JSONValueEncoder: SingleValueEncodingContainer {
    func encodeNil() { node.content = .value(.null) }
    func encode(_ value: Bool) { node.content = .value(.bool(value)) }
    func encode(_ value: String) { node.content = .value(.string(value)) }
    func encode(_ value: Double) { node.content = .value(.double(value)) }
    func encode(_ value: Float) { node.content = .value(.double(Double(value))) }
    func encode(_ value: Int) { node.content = .value(.int(value)) }
    func encode(_ value: Int8) { whole(value) }
    func encode(_ value: Int16) { whole(value) }
    func encode(_ value: Int32) { whole(value) }
    func encode(_ value: Int64) { whole(value) }
    func encode(_ value: UInt) { whole(value) }
    func encode(_ value: UInt8) { whole(value) }
    func encode(_ value: UInt16) { whole(value) }
    func encode(_ value: UInt32) { whole(value) }
    func encode(_ value: UInt64) { whole(value) }
    func encode<Value: Encodable>(_ value: Value) throws { try value.encode(to: self) }

    private func whole(_ value: some BinaryInteger) {
        node.content = .value(Int(exactly: value).map { .int($0) } ?? .double(Double(value)))
    }
}

private struct JSONKeyedWriter<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let node: JSONNode
    let codingPath: [any CodingKey]

    private func encoder(_ key: any CodingKey) -> JSONValueEncoder {
        JSONValueEncoder(node: node.member(key), codingPath: codingPath + [key])
    }

    func encodeNil(forKey key: Key) { encoder(key).encodeNil() }
    func encode(_ value: Bool, forKey key: Key) { encoder(key).encode(value) }
    func encode(_ value: String, forKey key: Key) { encoder(key).encode(value) }
    func encode(_ value: Double, forKey key: Key) { encoder(key).encode(value) }
    func encode(_ value: Float, forKey key: Key) { encoder(key).encode(value) }
    func encode(_ value: Int, forKey key: Key) { encoder(key).encode(value) }
    func encode(_ value: Int8, forKey key: Key) { encoder(key).encode(value) }
    func encode(_ value: Int16, forKey key: Key) { encoder(key).encode(value) }
    func encode(_ value: Int32, forKey key: Key) { encoder(key).encode(value) }
    func encode(_ value: Int64, forKey key: Key) { encoder(key).encode(value) }
    func encode(_ value: UInt, forKey key: Key) { encoder(key).encode(value) }
    func encode(_ value: UInt8, forKey key: Key) { encoder(key).encode(value) }
    func encode(_ value: UInt16, forKey key: Key) { encoder(key).encode(value) }
    func encode(_ value: UInt32, forKey key: Key) { encoder(key).encode(value) }
    func encode(_ value: UInt64, forKey key: Key) { encoder(key).encode(value) }
    func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws { try encoder(key).encode(value) }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Nested> {
        encoder(key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        encoder(key).unkeyedContainer()
    }
    func superEncoder() -> any Encoder { encoder(JSONKey(stringValue: "super")) }
    func superEncoder(forKey key: Key) -> any Encoder { encoder(key) }
}

private struct JSONListWriter: UnkeyedEncodingContainer {
    let node: JSONNode
    let codingPath: [any CodingKey]
    var count: Int { node.count }

    private func encoder() -> JSONValueEncoder {
        JSONValueEncoder(node: node.element(), codingPath: codingPath + [JSONKey(intValue: count)])
    }

    func encodeNil() { encoder().encodeNil() }
    func encode(_ value: Bool) { encoder().encode(value) }
    func encode(_ value: String) { encoder().encode(value) }
    func encode(_ value: Double) { encoder().encode(value) }
    func encode(_ value: Float) { encoder().encode(value) }
    func encode(_ value: Int) { encoder().encode(value) }
    func encode(_ value: Int8) { encoder().encode(value) }
    func encode(_ value: Int16) { encoder().encode(value) }
    func encode(_ value: Int32) { encoder().encode(value) }
    func encode(_ value: Int64) { encoder().encode(value) }
    func encode(_ value: UInt) { encoder().encode(value) }
    func encode(_ value: UInt8) { encoder().encode(value) }
    func encode(_ value: UInt16) { encoder().encode(value) }
    func encode(_ value: UInt32) { encoder().encode(value) }
    func encode(_ value: UInt64) { encoder().encode(value) }
    func encode<Value: Encodable>(_ value: Value) throws { try encoder().encode(value) }

    func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
        encoder().container(keyedBy: type)
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { encoder().unkeyedContainer() }
    func superEncoder() -> any Encoder { encoder() }
}
