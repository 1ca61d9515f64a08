/// How a guest comes to direct links with the other guests of its room, and which way messages to them take
/// meanwhile.
///
/// Does no I/O.
///
/// The roster, as the host tells it, says who may come in. Both sides of each pair dial; each sends `enter`
/// over the link that results, and the pair is direct for whoever has seen that the other knows it as a
/// member. Until then, and whenever the direct link is lost, the host relays.
public struct Mesh: Sendable {
    /// Another guest of the room.
    public struct Member: Hashable, Sendable {
        /// Who.
        public let peer: PeerID
        /// Its seat.
        public let seat: Int
        /// Whether the host has lost it.
        public let isAway: Bool
        /// Where it may be reached, best first.
        public let endpoints: [Endpoint]

        /// Makes a member; the parameters are the members.
        public init(peer: PeerID, seat: Int, isAway: Bool = false, endpoints: [Endpoint]) {
            self.peer = peer
            self.seat = seat
            self.isAway = isAway
            self.endpoints = endpoints
        }
    }

    /// The way that messages to a member take.
    public enum Path: String, Hashable, Sendable {
        /// The link to the member.
        case direct
        /// The host, because there is no such link.
        case relayed
        /// The host, while the first try to link is under way.
        case connecting
    }

    /// What may happen to it.
    public enum Input: Hashable, Sendable {
        /// The other guests, as the host's last word has them.
        case roster([Member])
        /// There is a link to a peer, or another one.
        case linkUp(PeerID)
        /// The link to a peer is lost and may come back.
        case linkLost(PeerID)
        /// It came back, with nothing lost.
        case linkResumed(PeerID)
        /// The link to a peer is no more.
        case linkDown(PeerID)
        /// A peer enters the mesh.
        case entering(PeerID)
        /// A peer has let this one in.
        case entered(PeerID)
        /// A peer does not know this one as a member.
        case denied(PeerID)
        /// What ``Action/dial(_:_:)`` asked for is there, new or not.
        case dialled(PeerID)
        /// What ``Action/dial(_:_:)`` asked for came to nothing.
        case dialFailed(PeerID)
        /// The moment of ``Action/arm(_:)`` has come. Called early it does no harm.
        case deadlinePassed
    }

    /// What the driver has to do.
    public enum Action: Hashable, Sendable {
        /// Dial a peer, unless there is a link, and feed ``Input/dialled(_:)`` or ``Input/dialFailed(_:)``.
        case dial(PeerID, [Endpoint])
        /// Send over the link to a peer.
        case send(RoomMessage, to: PeerID)
        /// Messages to a member take another way from now on.
        case path(PeerID, Path)
        /// Call with ``Input/deadlinePassed`` then; `nil`: not at all.
        case arm(Tick?)
    }

    /// What is known of one pair.
    private struct Pair: Sendable {
        var member: Member
        var isLinked = false
        /// The link is lost and may come back.
        var isSuspended = false
        /// The member has shown that it knows this peer as one.
        var isMutual = false
        var isDialling = false
        var path = Path.connecting
        /// When it counts as relayed.
        var relayAt: Tick?
        /// When to dial, or to enter, again.
        var retryAt: Tick?
        /// When it was tried last.
        var triedAt: Tick?
        var wait = Limits.meshRetryWait

        init(_ member: Member) { self.member = member }
    }

    private let room: RoomID
    private let me: PeerID
    private var pairs: [PeerID: Pair] = [:]
    /// Peers that have a link and are no members, and those of them whose link is lost and may come back.
    private var linked: Set<PeerID> = []
    private var suspended: Set<PeerID> = []
    /// Those that want in, and until when they wait for their roster.
    private var waiting: [PeerID: Tick] = [:]

    /// Makes the mesh of a room, which has no members yet; `me` is this peer.
    public init(room: RoomID, me: PeerID) {
        self.room = room
        self.me = me
    }

    /// The way that messages to a member take; `nil` for a peer that is none.
    public func path(to peer: PeerID) -> Path? { pairs[peer]?.path }

    /// Takes one input and says what to do, in order.
    public mutating func handle(_ input: Input, at now: Tick) -> [Action] {
        var actions: [Action] = []
        switch input {
        case .roster(let members): setRoster(members, at: now, &actions)
        case .linkUp(let peer): linkUp(peer, at: now)
        case .linkLost(let peer): setSuspended(peer, true)
        case .linkResumed(let peer): setSuspended(peer, false)
        case .linkDown(let peer): linkDown(peer, at: now)
        case .entering(let peer): enter(peer, at: now, &actions)
        case .entered(let peer): change(peer) { $0.isMutual = $0.isLinked }
        case .denied(let peer): change(peer) { $0.isMutual = false }
        case .dialled(let peer):
            change(peer) { $0.isDialling = false }
            if !(pairs[peer]?.isLinked ?? true) { linkUp(peer, at: now) }
        case .dialFailed(let peer):
            change(peer) { pair in
                pair.isDialling = false
                if !pair.isLinked { Self.retryLater(&pair, at: now) }
            }
        case .deadlinePassed: break
        }
        expire(at: now, &actions)
        settle(&actions)
        actions.append(.arm(nextDeadline))
        return actions
    }

    private mutating func change(_ peer: PeerID, _ body: (inout Pair) -> Void) {
        guard var pair = pairs[peer] else { return }
        body(&pair)
        pairs[peer] = pair
    }

    private var nextDeadline: Tick? {
        (pairs.values.flatMap { [$0.relayAt, $0.retryAt] }.compactMap { $0 } + waiting.values).min()
    }

    // MARK: Members

    private mutating func setRoster(_ members: [Member], at now: Tick, _ actions: inout [Action]) {
        for peer in pairs.keys.sorted() where !members.contains(where: { $0.peer == peer }) {
            if let pair = pairs.removeValue(forKey: peer), pair.isLinked {
                linked.insert(peer)
                if pair.isSuspended { suspended.insert(peer) }
            }
        }
        for member in members {
            guard var pair = pairs[member.peer] else {
                admit(member, at: now, &actions)
                continue
            }
            let isNews = member.endpoints != pair.member.endpoints || pair.member.isAway && !member.isAway
            pair.member = member
            if isNews, pair.path != .direct {
                pair.wait = Limits.meshRetryWait
                // A member whose endpoints change all the time makes nobody dial all the time.
                pair.retryAt = pair.triedAt.map { max(now, $0 + Limits.meshRetryWait) } ?? now
            }
            pairs[member.peer] = pair
        }
    }

    private mutating func admit(_ member: Member, at now: Tick, _ actions: inout [Action]) {
        var pair = Pair(member)
        pair.relayAt = now + Limits.meshRelayWait
        pair.isLinked = linked.remove(member.peer) != nil
        // Of two dials at once one is in vain, so one side lets the other go first.
        pair.retryAt = pair.isLinked || me < member.peer ? now : now + Limits.meshDialWait
        pair.isSuspended = suspended.remove(member.peer) != nil
        pairs[member.peer] = pair
        if waiting.removeValue(forKey: member.peer) != nil { enter(member.peer, at: now, &actions) }
    }

    /// A peer wants in: a member at once, another when the roster names it in time.
    private mutating func enter(_ peer: PeerID, at now: Tick, _ actions: inout [Action]) {
        guard var pair = pairs[peer] else {
            guard waiting.count < Limits.meshWaitingMax else { return deny(peer, &actions) }
            waiting[peer] = waiting[peer] ?? now + Limits.meshRosterWait
            linked.insert(peer)
            return
        }
        pair.isLinked = true
        pair.isMutual = true
        pairs[peer] = pair
        actions.append(.send(.entered(room: room, seat: pair.member.seat), to: peer))
    }

    private func deny(_ peer: PeerID, _ actions: inout [Action]) {
        let refusal = RoomRefusal(.notInRoom, "you are not in the room, as far as this guest knows")
        actions.append(.send(.denied(.id(room), refusal), to: peer))
    }

    // MARK: Links

    private mutating func setSuspended(_ peer: PeerID, _ isSuspended: Bool) {
        if pairs[peer] != nil {
            change(peer) { $0.isSuspended = isSuspended }
        } else if isSuspended {
            suspended.insert(peer)
        } else {
            suspended.remove(peer)
        }
    }

    private mutating func linkUp(_ peer: PeerID, at now: Tick) {
        suspended.remove(peer)
        guard var pair = pairs[peer] else {
            linked.insert(peer)
            return
        }
        pair.isLinked = true
        pair.isSuspended = false
        pair.isMutual = false
        pair.isDialling = false
        pair.retryAt = now
        pairs[peer] = pair
    }

    private mutating func linkDown(_ peer: PeerID, at now: Tick) {
        linked.remove(peer)
        suspended.remove(peer)
        waiting[peer] = nil
        change(peer) { pair in
            pair.isLinked = false
            pair.isSuspended = false
            pair.isMutual = false
            pair.wait = Limits.meshRetryWait
            Self.retryLater(&pair, at: now)
        }
    }

    private static func retryLater(_ pair: inout Pair, at now: Tick) {
        pair.retryAt = now + pair.wait
        pair.wait = min(pair.wait * 2, Limits.meshRetryWaitMax)
    }

    private mutating func expire(at now: Tick, _ actions: inout [Action]) {
        for peer in waiting.keys.sorted() where waiting[peer] ?? now <= now {
            waiting[peer] = nil
            deny(peer, &actions)
        }
        let room = room
        for peer in pairs.keys.sorted() {
            change(peer) { pair in
                if let relayAt = pair.relayAt, relayAt <= now {
                    pair.relayAt = nil
                    pair.path = .relayed
                    actions.append(.path(peer, .relayed))
                }
                guard let retryAt = pair.retryAt, retryAt <= now else { return }
                pair.retryAt = nil
                pair.triedAt = now
                if pair.isLinked {
                    guard !pair.isMutual else { return }
                    let enter = RoomMessage.enter(.id(room), purpose: .mesh, name: "", endpoints: [])
                    actions.append(.send(enter, to: peer))
                    Self.retryLater(&pair, at: now)
                } else if !pair.isDialling {
                    pair.isDialling = true
                    actions.append(.dial(peer, pair.member.endpoints))
                }
            }
        }
    }

    /// Says which paths have changed.
    private mutating func settle(_ actions: inout [Action]) {
        for peer in pairs.keys.sorted() {
            change(peer) { pair in
                let isDirect = pair.isLinked && pair.isMutual && !pair.isSuspended
                guard isDirect != (pair.path == .direct) else { return }
                pair.path = isDirect ? .direct : .relayed
                pair.relayAt = nil
                if isDirect {
                    pair.retryAt = nil
                    pair.wait = Limits.meshRetryWait
                }
                actions.append(.path(peer, pair.path))
            }
        }
    }
}
