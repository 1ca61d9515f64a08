/// How a link is doing.
public enum LinkState: String, WordEnum, Codable, Hashable, Sendable {
    case up
    case suspect
    case resuming
}

/// What a link runs over.
public enum LinkTransport: String, WordEnum, Codable, Hashable, Sendable {
    case tcp
    case tcpUdp = "tcp+udp"
}

/// Round trips of a link, in milliseconds.
public struct RttInfo: Codable, Hashable, Sendable {
    /// Half are faster.
    public var p50: Double
    /// All but one in a hundred are faster.
    public var p99: Double

    /// Makes the value; the parameters are the members.
    public init(p50: Double, p99: Double) {
        self.p50 = p50
        self.p99 = p99
    }
}

/// A link to another peer: `Link`.
public struct LinkInfo: Codable, Hashable, Sendable {
    /// Who is at the other end.
    public var peer: PlayerInfo
    /// How it is doing.
    public var state: LinkState
    /// What it runs over.
    public var transport: LinkTransport
    /// Round trips.
    public var rttMs: RttInfo
    /// How much the delay varies, in milliseconds.
    public var jitterMs: Double
    /// The other clock minus ours, in milliseconds.
    public var offsetMs: Double
    /// How far that may be off, in milliseconds.
    public var offsetErrorMs: Double
    /// Bytes waiting to be sent.
    public var queuedBytes: Int
    /// Messages sent.
    public var sent: Int
    /// Messages received.
    public var received: Int
    /// Messages dropped.
    public var dropped: Int
    /// Seconds since the link came up.
    public var sinceS: Double

    /// Makes the value; the parameters are the members.
    public init(
        peer: PlayerInfo, state: LinkState, transport: LinkTransport, rttMs: RttInfo, jitterMs: Double,
        offsetMs: Double, offsetErrorMs: Double, queuedBytes: Int, sent: Int, received: Int, dropped: Int,
        sinceS: Double
    ) {
        self.peer = peer
        self.state = state
        self.transport = transport
        self.rttMs = rttMs
        self.jitterMs = jitterMs
        self.offsetMs = offsetMs
        self.offsetErrorMs = offsetErrorMs
        self.queuedBytes = queuedBytes
        self.sent = sent
        self.received = received
        self.dropped = dropped
        self.sinceS = sinceS
    }
}

/// Where the daemon listens.
public struct EndpointInfo: Codable, Hashable, Sendable {
    /// An IP address.
    public var address: String
    /// The TCP port.
    public var port: Int

    /// Makes the value; the parameters are the members.
    public init(address: String, port: Int) {
        self.address = address
        self.port = port
    }
}

/// How discovery is doing.
public struct DiscoveryInfo: Codable, Hashable, Sendable {
    /// What does the work: `avahi`, `embedded` or `off`.
    public var backend: String
    /// A word: `running`, `searching`, `no-bus`, `no-daemon`, `failed` or `off`.
    public var state: String
    /// The same for people, with what to do.
    public var detail: String
    /// The network interfaces in use.
    public var interfaces: [String]
    /// What is likely to be in the way; absent when nothing is.
    public var findings: [FindingInfo]?

    /// Makes the value; the parameters are the members.
    public init(
        backend: String, state: String, detail: String, interfaces: [String], findings: [FindingInfo]? = nil
    ) {
        self.findings = findings
        self.backend = backend
        self.state = state
        self.detail = detail
        self.interfaces = interfaces
    }
}

/// How the store is doing.
public struct StoreInfo: Codable, Hashable, Sendable {
    /// `opening`, `ready`, `failing` (the disk takes nothing, tried again), or `memory` (nothing is kept).
    public var state: String
    /// What is not as it should be, and what to do; absent when all is well.
    public var detail: String?

    /// Makes the value; the parameters are the members.
    public init(state: String, detail: String? = nil) {
        self.state = state
        self.detail = detail
    }
}

/// A room from before the daemon's start that it looks for.
public struct ReentryInfo: Codable, Hashable, Sendable {
    /// 16 bytes in hex.
    public var id: String
    /// What the room was called.
    public var name: String

    /// Makes the value; the parameters are the members.
    public init(id: String, name: String) {
        self.id = id
        self.name = name
    }
}

/// The result of `status`.
public struct StatusInfo: Codable, Hashable, Sendable {
    /// The daemon's release.
    public var version: String
    /// The version of this interface.
    public var api: Int
    /// The daemon's process.
    public var pid: Int
    /// Seconds since it started.
    public var uptimeS: Double
    /// Who I am.
    public var peer: PlayerInfo
    /// Where it listens.
    public var endpoints: [EndpointInfo]
    /// The UDP port.
    public var udpPort: Int
    /// How discovery is doing.
    public var discovery: DiscoveryInfo
    /// The rooms I am in.
    public var rooms: [RoomInfo]
    /// Rooms from before the start that are being come back to; absent when there are none.
    public var reentering: [ReentryInfo]?
    /// The links to other peers.
    public var links: [LinkInfo]
    /// How the store is doing.
    public var store: StoreInfo

    /// Makes the value; the parameters are the members.
    public init(
        version: String, api: Int, pid: Int, uptimeS: Double, peer: PlayerInfo, endpoints: [EndpointInfo],
        udpPort: Int, discovery: DiscoveryInfo, rooms: [RoomInfo], reentering: [ReentryInfo]? = nil,
        links: [LinkInfo],
        store: StoreInfo
    ) {
        self.version = version
        self.api = api
        self.pid = pid
        self.uptimeS = uptimeS
        self.peer = peer
        self.endpoints = endpoints
        self.udpPort = udpPort
        self.discovery = discovery
        self.rooms = rooms
        self.reentering = reentering
        self.links = links
        self.store = store
    }
}
