public import ParlorProtocol

/// Peers that are linked over a simulated network, and their time.
public struct SimWorld: Sendable {
    /// What one happening led to.
    public struct Step: Sendable {
        /// Whose it was; ``SimNetwork/world`` for what the user scheduled.
        public let node: Int
        /// What happened.
        public let event: SimNetwork.Event?
        /// What the node told its user then.
        public let notices: [SimNode.Notice]
    }

    /// The network; faults are put in here.
    public var network: SimNetwork
    /// The peers, by number.
    public private(set) var nodes: [SimNode]
    private var pending: [Step] = []

    /// Makes peers without links; everything follows from the seed.
    public init(nodes count: Int, conditions: NetworkConditions, seed: UInt64) {
        network = SimNetwork(nodes: count, conditions: conditions, seed: seed)
        var random = SeededGenerator(seed: ~seed)
        nodes = (0..<count).map { SimNode($0, seed: random.next()) }
    }

    /// True time.
    public var now: Tick { network.now }

    /// Lets a peer do something.
    public mutating func act<Result>(
        _ node: Int, _ body: (inout SimNode, inout SimNetwork) -> Result
    ) -> Result {
        let result = body(&nodes[node], &network)
        let notices = nodes[node].takeNotices()
        if !notices.isEmpty { pending.append(Step(node: node, event: nil, notices: notices)) }
        return result
    }

    /// Lets the next thing happen, unless it lies after a moment.
    public mutating func step(upTo end: Tick) -> Step? {
        if !pending.isEmpty { return pending.removeFirst() }
        guard let happening = network.next(upTo: end) else { return nil }
        guard happening.node != SimNetwork.world else {
            return Step(node: happening.node, event: happening.event, notices: [])
        }
        nodes[happening.node].handle(happening.event, &network)
        return Step(
            node: happening.node, event: happening.event, notices: nodes[happening.node].takeNotices())
    }
}
