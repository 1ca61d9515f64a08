internal import ParlorProtocol

/// The faults that clients have asked for with `fault.set`: which peers' connections suffer what, and until
/// when.
///
/// Asked by whoever moves bytes and datagrams. It keeps no time of its own.
final class FaultBook {
    /// The longest stall, cut or half-open time, and the most delay.
    static let durationMax = Duration.seconds(600)

    /// Which way something travels.
    enum Direction: Int, CaseIterable {
        case out, into
    }

    /// What happens to the connection with a peer.
    struct Fault: Equatable {
        var conditions = NetworkConditions.none
        var directions = Set(Direction.allCases)
        /// Everything is held for so long, once.
        var stall = Duration.zero
        /// The connection is reset, and nothing gets through for so long.
        var cut = Duration.zero
        /// Bytes vanish for so long, and for good on connections on which some have.
        var halfOpen = Duration.zero
        var seed: UInt64 = 0
    }

    /// A fault in force, with the lines it acts on.
    private struct Rule {
        let fault: Fault
        let since: Tick
        var datagrams: [DatagramLine]
        /// Where the lines of streams take their seeds from.
        var seeds: SeededGenerator

        init(_ fault: Fault, since: Tick) {
            self.fault = fault
            self.since = since
            seeds = SeededGenerator(seed: fault.seed)
            datagrams = Direction.allCases.map { _ in DatagramLine(.none, seed: 0) }
            for direction in Direction.allCases {
                var line = DatagramLine(conditions(direction), seed: seeds.next())
                if fault.directions.contains(direction) {
                    line.stall(until: since + fault.stall)
                    line.cut(until: since + fault.halfOpen)
                }
                line.cut(until: since + fault.cut)
                datagrams[direction.rawValue] = line
            }
        }

        func conditions(_ direction: Direction) -> NetworkConditions {
            fault.directions.contains(direction) ? fault.conditions : .none
        }
    }

    private var rules: [PeerID: Rule] = [:]
    private var everybody: (fault: Fault, since: Tick)?
    private var listeners: [ObjectIdentifier: FaultStream] = [:]

    /// Sets what happens from now on to one peer's connections, or to all, in place of what was set.
    func set(_ fault: Fault, for peer: PeerID?, at now: Tick) {
        if let peer {
            rules[peer] = Rule(fault, since: now)
        } else {
            rules = [:]
            everybody = fault == Fault(seed: fault.seed) ? nil : (fault, now)
        }
        for stream in Array(listeners.values) where peer == nil || stream.peer == peer {
            stream.faultsChanged()
        }
    }

    /// Whether no connection with a peer may come about now.
    func isCut(_ peer: PeerID, at now: Tick) -> Bool {
        guard let rule = rule(for: peer) else { return false }
        return now < rule.since + rule.fault.cut
    }

    /// Whether bytes that travel now vanish.
    func isHalfOpen(_ peer: PeerID, _ direction: Direction, at now: Tick) -> Bool {
        guard let rule = rule(for: peer), rule.fault.directions.contains(direction) else { return false }
        return now < rule.since + rule.fault.halfOpen
    }

    /// What becomes of a datagram that is to be sent to a peer: each copy, with how long to keep it first.
    func outgoing(
        _ peer: PeerID, _ datagram: [UInt8], at now: Tick
    ) -> [(delay: Duration, datagram: [UInt8])] {
        pass(datagram, peer, .out, at: now)
    }

    /// What becomes of a datagram that has come from a peer: each copy, with how long to keep it first.
    func incoming(
        _ peer: PeerID, _ datagram: [UInt8], at now: Tick
    ) -> [(delay: Duration, datagram: [UInt8])] {
        pass(datagram, peer, .into, at: now)
    }

    /// A line for the bytes of a connection with a peer; `nil` when nothing happens to them.
    func line(_ peer: PeerID, _ direction: Direction) -> StreamLine? {
        guard let rule = rule(for: peer), rule.fault.directions.contains(direction) else { return nil }
        let seed = rules[peer]?.seeds.next() ?? 0
        var line = StreamLine(rule.conditions(direction), seed: seed)
        line.stall(until: rule.since + rule.fault.stall)
        return line
    }

    /// Notes a connection that is to hear of changes.
    func add(_ stream: FaultStream) { listeners[ObjectIdentifier(stream)] = stream }

    /// Forgets a connection.
    func remove(_ stream: FaultStream) { listeners[ObjectIdentifier(stream)] = nil }

    private func pass(
        _ datagram: [UInt8], _ peer: PeerID, _ direction: Direction, at now: Tick
    ) -> [(delay: Duration, datagram: [UInt8])] {
        guard rule(for: peer) != nil else { return [(.zero, datagram)] }
        let times = rules[peer]?.datagrams[direction.rawValue].send(byteCount: datagram.count, at: now)
        return (times ?? []).map { ($0 - now, datagram) }
    }

    /// The rule for a peer; what holds for all gives each its own lines.
    private func rule(for peer: PeerID) -> Rule? {
        if let rule = rules[peer] { return rule }
        guard let everybody else { return nil }
        let rule = Rule(everybody.fault, since: everybody.since)
        rules[peer] = rule
        return rule
    }
}
