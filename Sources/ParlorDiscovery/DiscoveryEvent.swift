/// Whether a room can be expected to answer.
public enum Reachability: String, Sendable {
    /// Heard on the network since discovery runs.
    case fresh
    /// Known from a cache only, or from before the network changed.
    case cached
    /// A dial was refused or timed out, or its address cannot be found.
    case unreachable
}

/// One address at which a room's host was announced.
public struct RoomEndpoint: Hashable, Sendable {
    /// The address in numbers: `192.168.1.7`, `fe80::1`.
    public let address: String
    /// The TCP port.
    public let port: UInt16
    /// The interface on which it was heard (`if_nametoindex`).
    public let interface: UInt32
    /// What `sin6_scope_id` has to be: the interface for a link-local IPv6 address, else 0.
    public let scope: UInt32

    /// Makes an endpoint; the scope follows from the address.
    public init(address: String, port: UInt16, interface: UInt32) {
        self.address = address
        self.port = port
        self.interface = interface
        scope = Self.isLinkLocal(address) ? interface : 0
    }

    /// `fe80::/10`: the first ten bits are 1111 1110 10.
    private static func isLinkLocal(_ address: String) -> Bool {
        guard let end = address.firstIndex(of: ":"), let group = UInt16(address[..<end], radix: 16) else {
            return false
        }
        return group & 0xFFC0 == 0xFE80
    }
}

/// A room as the network shows it.
public struct DiscoveredRoom: Equatable, Sendable {
    /// What it says of itself.
    public let record: RoomRecord
    /// All addresses at which it was announced, in a stable order.
    ///
    /// Empty while none is known.
    public let endpoints: [RoomEndpoint]
    /// Whether it can be expected to answer.
    public let reachability: Reachability
    /// When it was first heard, monotonic nanoseconds.
    public let firstHeard: UInt64
    /// When it was last heard, monotonic nanoseconds.
    public let lastHeard: UInt64

    /// Makes a room; for backends and tests.
    public init(
        record: RoomRecord, endpoints: [RoomEndpoint], reachability: Reachability, firstHeard: UInt64,
        lastHeard: UInt64
    ) {
        self.record = record
        self.endpoints = endpoints
        self.reachability = reachability
        self.firstHeard = firstHeard
        self.lastHeard = lastHeard
    }
}

/// How discovery is doing, for `status` and `discovery.changed`.
public struct DiscoveryState: Equatable, Sendable {
    /// What does the work.
    public enum Backend: String, Sendable {
        /// The system's Avahi daemon.
        case avahi
        /// The responder of this process.
        case embedded
        /// Nothing.
        case off
    }

    /// One word for programs.
    public enum Word: String, Sendable {
        /// Not there yet: the daemon is being asked or is claiming its host name.
        case searching
        /// Rooms are announced and found.
        case running
        /// No system bus answers.
        case noBus = "no-bus"
        /// The bus answers, but no Avahi daemon is on it.
        case noDaemon = "no-daemon"
        /// The responder of this process cannot use the network.
        case failed
        /// Switched off.
        case off
    }

    /// What does the work.
    public let backend: Backend
    /// One word for programs.
    public let word: Word
    /// For a person: what happened, what still works, the next command.
    public let detail: String
    /// Names of the interfaces on which rooms are announced and looked for.
    public let interfaces: [String]
    /// Whether the responder of this process takes over in a moment, because the daemon is missing.
    public let isFallingBack: Bool

    /// Makes a state.
    public init(
        backend: Backend, word: Word, detail: String, interfaces: [String], isFallingBack: Bool = false
    ) {
        self.backend = backend
        self.word = word
        self.detail = detail
        self.interfaces = interfaces
        self.isFallingBack = isFallingBack
    }
}

/// What a backend reports, in the order in which it happened.
public enum DiscoveryEvent: Equatable, Sendable {
    /// Discovery is doing better or worse. Sent once a change, not once a retry.
    case state(DiscoveryState)
    /// A room appeared.
    case found(DiscoveredRoom)
    /// Something of a room is different: its record, its addresses, its reachability.
    case changed(DiscoveredRoom)
    /// A room is gone; as it was last known.
    case lost(DiscoveredRoom)
    /// A room of mine is on the network under this name.
    case published(roomID: [UInt8], name: String)
    /// The name was taken: a room of mine goes on under another.
    case renamed(roomID: [UInt8], name: String)
    /// A room of mine cannot be announced; for a person, why.
    case failed(roomID: [UInt8], text: String)
}
