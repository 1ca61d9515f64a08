/// A person or bot as `{id,name}`, the form that also names peers, hosts and watchers.
public struct PlayerInfo: Codable, Hashable, Sendable {
    /// The peer's public key, 32 bytes in hex.
    public var id: String
    /// What the player is called here; not yet cleaned of control characters.
    public var name: String

    /// Makes the value; the parameters are the members.
    public init(id: String, name: String) {
        self.id = id
        self.name = name
    }
}
