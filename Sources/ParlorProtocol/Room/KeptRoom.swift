/// What a daemon keeps of a room it sits in, so that after a restart it finds back into it.
public struct KeptRoom: Hashable, Sendable {
    private static let version = 1

    /// The room as it was known last: who is in it, where they can be reached, who hosts it, its match.
    public let state: RoomState
    /// What this peer asked to be called there.
    public let name: String

    /// Makes what is kept; the parameters are the members.
    public init(_ state: RoomState, name: String) {
        self.state = state
        self.name = name
    }

    /// As written: deterministic CBOR, an array of the format's version, the state and the name.
    public var encoded: [UInt8] {
        let all: CBOR = [.int(Self.version), state.cbor, .text(name)]
        return all.encoded()
    }

    /// Reads what was kept; `nil` when it is nothing that this version wrote.
    public init?(decoding bytes: [UInt8]) {
        guard let items = try? CBOR.decode(bytes).array, items.count == 3,
            items[0].int == Self.version, let state = RoomState(cbor: items[1]), let name = items[2].text
        else { return nil }
        self.init(state, name: name)
    }
}
