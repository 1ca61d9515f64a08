/// Which seats of a match this peer can reach, and by whom where it has no link with them.
///
/// Does no I/O.
///
/// A peer whose link is silent or missing is asked for through every member that there is a link with, and
/// counts as here as long as it answers. One broken link between two peers so takes nobody out of a match.
public struct Reach: Sendable {
    /// How the link to a peer is doing.
    public enum Line: Hashable, Sendable {
        /// It carries what is said.
        case up
        /// Nothing is heard by it at the moment.
        case silent
        /// The peer counts as lost, or there is no link by which it takes messages of the match.
        case none
    }

    /// What may happen to it.
    public enum Input: Hashable, Sendable {
        /// The link to a peer is now like that.
        case line(PeerID, Line)
        /// What was sent last by the link to a peer may be lost: there is another, or it came back.
        case renewed(PeerID)
        /// A call of a peer came by a member.
        case hailed(PeerID, by: PeerID, isAnswer: Bool)
        /// The room has this host.
        case host(PeerID)
        /// The moment of ``Action/arm(_:)`` has come. Called early it does no harm.
        case deadlinePassed
    }

    /// What the driver has to do.
    public enum Action: Hashable, Sendable {
        /// Ask for a peer by a member that there is a link with, or answer it.
        case hail(PeerID, by: PeerID, isAnswer: Bool)
        /// Tell the match whether a peer is here; `true` also when what was sent to it last may be lost.
        case here(PeerID, Bool)
        /// Call with ``Input/deadlinePassed`` then; `nil`: not at all.
        case arm(Tick?)
    }

    private struct Other: Sendable {
        var line = Line.none
        /// When it was last heard through a member.
        var heard: [PeerID: Tick] = [:]
        /// Until when it counts as here without being heard: at first, and when its link has become silent.
        var trusted: Tick?
        var hailAt: Tick?
        var isHere = true
        var way: PeerID?
    }

    private let order: [PeerID]
    private var others: [PeerID: Other] = [:]
    private var host: PeerID?

    /// Begins with a match: everybody in it is here, until the contrary shows.
    ///
    /// - Parameters:
    ///   - peers: The other seats' peers in the order of the seats, and how the links to them are.
    ///   - host: The room's host.
    ///   - now: The moment.
    /// - Returns: The machine, and when it wants to be called.
    public static func begin(_ peers: [(PeerID, Line)], host: PeerID?, at now: Tick) -> (Reach, Action) {
        var reach = Reach(order: peers.map(\.0), host: host)
        for (peer, line) in peers {
            reach.others[peer] = Other(
                line: line, trusted: now + Limits.lostWaitInMatch,
                hailAt: line == .up ? nil : now + Limits.hailInterval)
        }
        for (peer, other) in reach.others {
            let way = reach.way(other, peer)
            reach.others[peer]?.way = way
        }
        return (reach, .arm(reach.nextDeadline))
    }

    private init(order: [PeerID], host: PeerID?) {
        self.order = order
        self.host = host
    }

    /// To whom to give what is for a peer: to itself, to a member that passes it on; `nil` when there is no
    /// way that works.
    public func way(to peer: PeerID) -> PeerID? { others[peer]?.way }

    /// Takes one input and says what to do, in order.
    public mutating func handle(_ input: Input, at now: Tick) -> [Action] {
        var actions: [Action] = []
        var isRenewed: PeerID?
        switch input {
        case .line(let peer, let line): set(peer, line, at: now)
        case .renewed(let peer): isRenewed = peer
        case .hailed(let peer, let member, let isAnswer):
            guard others[peer] != nil, peer != member, others[member] != nil else { break }
            others[peer]?.heard[member] = now
            if !isAnswer { actions.append(.hail(peer, by: member, isAnswer: true)) }
        case .host(let peer): host = peer
        case .deadlinePassed: break
        }
        for peer in order { settle(peer, isRenewed == peer, at: now, &actions) }
        actions.append(.arm(nextDeadline))
        return actions
    }

    private mutating func set(_ peer: PeerID, _ line: Line, at now: Tick) {
        guard var other = others[peer], other.line != line else { return }
        if line == .none, other.line != .none { other.trusted = nil }
        other.line = line
        other.hailAt = line == .up ? nil : min(other.hailAt ?? now, now)
        others[peer] = other
    }

    private mutating func settle(
        _ peer: PeerID, _ isRenewed: Bool, at now: Tick, _ actions: inout [Action]
    ) {
        guard var other = others[peer] else { return }
        other.heard = other.heard.filter { now < $0.value + Limits.lostWaitInMatch }
        if let trusted = other.trusted, trusted <= now { other.trusted = nil }
        let way = self.way(other, peer)
        let isHere = other.line != .none || !other.heard.isEmpty || other.trusted != nil
        let hasMoved = way != other.way && way != nil
        other.way = way
        if isHere != other.isHere || isHere && (hasMoved || isRenewed) {
            actions.append(.here(peer, isHere))
        }
        other.isHere = isHere
        if let hailAt = other.hailAt, hailAt <= now {
            other.hailAt = now + Limits.hailInterval
            for member in order where member != peer && others[member]?.line == .up {
                actions.append(.hail(peer, by: member, isAnswer: false))
            }
        }
        others[peer] = other
    }

    /// The link while it carries; else a member by which the peer is heard; else the link all the same, which
    /// may come back; else the member that is most likely to have one.
    private func way(_ other: Other, _ peer: PeerID) -> PeerID? {
        if other.line == .up { return peer }
        if let member = first(where: { other.heard[$0] != nil && others[$0]?.line == .up }) { return member }
        if other.line == .silent { return peer }
        return first { $0 != peer && others[$0]?.line == .up }
    }

    /// The host before the others, and these by their seats.
    private func first(where fits: (PeerID) -> Bool) -> PeerID? {
        if let host, others[host] != nil, fits(host) { return host }
        return order.first(where: fits)
    }

    private var nextDeadline: Tick? {
        others.values.flatMap { other in
            [other.hailAt, other.trusted] + other.heard.values.map { $0 + Limits.lostWaitInMatch }
        }.compactMap { $0 }.min()
    }
}
