public import ParlorProtocol

/// One peer on a ``SimNetwork``: drives the same machines as a daemon does, by the same rules, and decides as
/// little.
///
/// It dials, proves who it is, greets, takes links up again after they have lost their connection, and runs
/// the unreliable channel beside each link.
public struct SimNode: Sendable {
    /// What a node's user is told.
    public enum Notice: Hashable, Sendable {
        /// There is a new link to a node.
        case up(Int)
        /// A reliable message has come.
        case received([UInt8], Lane, from: Int)
        /// An unreliable message has come.
        case unreliable([UInt8], key: UInt32?, from: Int)
        /// A node is silent, or its connection broke.
        case suspect(Int)
        /// It is heard again.
        case alive(Int)
        /// It counts as lost.
        case lost(Int)
        /// There is no connection to it any more.
        case detached(Int)
        /// There is one again.
        case resumed(Int)
        /// The link is over.
        case ended(Int, LinkEnd)
    }

    /// What a timer is for.
    enum Purpose: Hashable, Sendable {
        case greeting(SimNetwork.StreamID)
        case patience(SimNetwork.StreamID)
        case link(Int, id: UInt32)
        case unreliable(Int, id: UInt32)
        case redial(Int)
    }

    /// A link and what belongs to it.
    struct Held: Sendable {
        var link: Link
        var unreliable = Unreliable()
        /// The stream that carries it; `nil` while there is none.
        var stream: SimNetwork.StreamID?
        var role: LinkRole
        var attachedAt: Tick
        let startedAt: Tick
    }

    /// The node's number in its network; the lower of two is the lower peer ID.
    public let number: Int
    var links: [Int: Held] = [:]
    var connections: [SimNetwork.StreamID: SimConnection] = [:]
    /// The dials under way.
    var dials: [Int: SimNetwork.StreamID] = [:]
    /// Nodes that are dialled until there is a link.
    var wanted: Set<Int> = []
    var random: SeededGenerator
    private var linkIDs: UInt32
    private var timers: [Int: Purpose] = [:]
    private var tokens: [Purpose: Int] = [:]
    private var lastToken = 0
    var notices: [Notice] = []

    /// Makes a node; its nonces and link IDs follow from the seed.
    public init(_ number: Int, seed: UInt64) {
        self.number = number
        random = SeededGenerator(seed: seed)
        linkIDs = UInt32(truncatingIfNeeded: random.next())
    }

    // MARK: What its user sees and does

    /// The link to a node; `nil` when there is none.
    public func link(to peer: Int) -> Link? { links[peer]?.link }

    /// The unreliable channel to a node; `nil` when there is no link.
    public func unreliable(to peer: Int) -> Unreliable? { links[peer]?.unreliable }

    /// Dials a node until there is a link to it.
    public mutating func connect(to peer: Int, _ network: inout SimNetwork) {
        wanted.insert(peer)
        if links[peer] == nil { dial(peer, &network) }
    }

    /// Sends a reliable message; `false` when there is no link or it takes none.
    public mutating func send(
        _ message: [UInt8], on lane: Lane, to peer: Int, _ network: inout SimNetwork
    ) -> Bool {
        let now = network.localTime(of: number)
        guard let actions = try? links[peer]?.link.send(message, on: lane, at: now) else { return false }
        perform(actions, peer, &network)
        return true
    }

    /// Sends an unreliable message; `false` when there is no link.
    public mutating func sendUnreliable(
        _ message: [UInt8], key: UInt32?, timeToLive: Duration, to peer: Int, _ network: inout SimNetwork
    ) -> Bool {
        let now = network.localTime(of: number)
        let actions = try? links[peer]?.unreliable.send(message, key: key, timeToLive: timeToLive, at: now)
        guard let actions else { return false }
        perform(actions, peer, &network)
        return true
    }

    /// Sets how lively the link to a node has to be.
    public mutating func setPace(_ pace: LinkPace, to peer: Int, _ network: inout SimNetwork) {
        feed(.setPace(pace), peer, &network)
    }

    /// Closes the link to a node, after what is queued.
    public mutating func close(_ peer: Int, _ reason: LinkReason, _ network: inout SimNetwork) {
        wanted.remove(peer)
        feed(.close(reason, detail: ""), peer, &network)
    }

    /// Takes what has been told since the last call.
    public mutating func takeNotices() -> [Notice] {
        defer { notices = [] }
        return notices
    }

    /// Lets something happen to the node.
    public mutating func handle(_ event: SimNetwork.Event, _ network: inout SimNetwork) {
        switch event {
        case .accepted(let id, _): accepted(id, &network)
        case .connected(let id): connected(id, &network)
        case .refused(let id): connectionEnded(id, "refused", &network)
        case .received(let id, let bytes): received(id, bytes, &network)
        case .drained(let id):
            guard let peer = peer(carriedBy: id) else { return }
            feed(.drained, peer, &network)
            feed(unreliable: .drained, peer, &network)
        case .ended(let id, let end): connectionEnded(id, "\(end)", &network)
        case .datagram(let bytes, let sender): datagram(bytes, from: sender, &network)
        case .woken(let token): woken(token, &network)
        }
    }

    // MARK: Timers

    mutating func arm(_ purpose: Purpose, _ tick: Tick?, _ network: inout SimNetwork) {
        if let old = tokens.removeValue(forKey: purpose) { timers[old] = nil }
        guard let tick else { return }
        lastToken += 1
        tokens[purpose] = lastToken
        timers[lastToken] = purpose
        network.wake(number, at: tick, token: lastToken)
    }

    private mutating func woken(_ token: Int, _ network: inout SimNetwork) {
        guard let purpose = timers.removeValue(forKey: token) else { return }
        tokens[purpose] = nil
        switch purpose {
        case .greeting(let id): greet(.deadlinePassed, id, &network)
        case .patience(let id): patienceEnded(id, &network)
        case .link(let peer, let id):
            if links[peer]?.link.ownID == id { feed(.deadlinePassed, peer, &network) }
        case .unreliable(let peer, let id):
            if links[peer]?.link.ownID == id { feed(unreliable: .deadlinePassed, peer, &network) }
        case .redial(let peer): redial(peer, &network)
        }
    }

    // MARK: Machines

    func peer(carriedBy id: SimNetwork.StreamID) -> Int? {
        links.first { $0.value.stream == id }?.key
    }

    mutating func newLinkID() -> UInt32 {
        linkIDs &+= 1
        return linkIDs
    }

    /// Feeds a link.
    mutating func feed(_ input: Link.Input, _ peer: Int, _ network: inout SimNetwork) {
        let now = network.localTime(of: number)
        guard let actions = links[peer]?.link.handle(input, at: now) else { return }
        perform(actions, peer, &network)
    }

    /// Feeds the unreliable channel of a link.
    mutating func feed(unreliable input: Unreliable.Input, _ peer: Int, _ network: inout SimNetwork) {
        let now = network.localTime(of: number)
        guard let actions = links[peer]?.unreliable.handle(input, at: now) else { return }
        perform(actions, peer, &network)
    }

    mutating func perform(_ actions: [Link.Action], _ peer: Int, _ network: inout SimNetwork) {
        for action in actions {
            switch action {
            case .write(let bytes):
                if let stream = links[peer]?.stream { network.write(bytes, to: stream, by: number) }
            case .received(let lane, let message): notices.append(.received(message, lane, from: peer))
            case .streamed(let datagram): feed(unreliable: .streamed(datagram), peer, &network)
            case .clock(let sample): feed(unreliable: .clock(sample), peer, &network)
            case .suspect: notices.append(.suspect(peer))
            case .alive: notices.append(.alive(peer))
            case .lost: notices.append(.lost(peer))
            case .detached:
                links[peer]?.stream = nil
                notices.append(.detached(peer))
                feed(unreliable: .detached, peer, &network)
                scheduleRedial(peer, &network)
            case .resumed: notices.append(.resumed(peer))
            case .arm(let tick):
                if let id = links[peer]?.link.ownID { arm(.link(peer, id: id), tick, &network) }
            case .closeTransport(let flush): drop(links[peer]?.stream, flush: flush, &network)
            case .ended(let end):
                forget(peer, &network)
                notices.append(.ended(peer, end))
            }
        }
    }

    mutating func perform(_ actions: [Unreliable.Action], _ peer: Int, _ network: inout SimNetwork) {
        for action in actions {
            switch action {
            case .sendDatagram(let bytes, let endpoint):
                network.send(bytes, from: number, to: Self.node(at: endpoint))
            case .sendStreamed(let bytes):
                let now = network.localTime(of: number)
                if let actions = links[peer]?.link.sendDatagram(bytes, at: now) {
                    perform(actions, peer, &network)
                } else {
                    feed(unreliable: .streamFull, peer, &network)
                }
            case .received(let message, let key):
                notices.append(.unreliable(message, key: key, from: peer))
            case .path: break
            case .arm(let tick):
                if let id = links[peer]?.link.ownID { arm(.unreliable(peer, id: id), tick, &network) }
            }
        }
    }

    private mutating func datagram(_ bytes: [UInt8], from sender: Int, _ network: inout SimNetwork) {
        guard let id = DatagramCipher.linkID(of: bytes),
            let peer = links.first(where: { $0.value.link.ownID == id })?.key
        else { return }
        feed(unreliable: .datagram(bytes, from: Self.endpoint(of: sender)), peer, &network)
    }

    /// Where a node takes datagrams.
    static func endpoint(of node: Int) -> Endpoint {
        guard let endpoint = Endpoint(address: [10, 0, 0, UInt8(node)], port: 27_720) else {
            preconditionFailure("four bytes")
        }
        return endpoint
    }

    private static func node(at endpoint: Endpoint) -> Int { Int(endpoint.address[3]) }
}
