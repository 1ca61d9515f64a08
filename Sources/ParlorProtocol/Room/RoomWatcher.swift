/// A room as a watcher has it: the host's word for what is, and a search for whoever hosts it when the host
/// is gone.
///
/// Does no I/O.
public struct RoomWatcher: Sendable {
    /// What may happen to it.
    public enum Input: Sendable {
        /// A peer sent something about the room.
        case received(RoomMessage, from: PeerID)
        /// This peer's player wants something; the answer comes as ``Action/reply(_:_:)``.
        case local(RequestID, RoomRequest)
        /// There is a link to a peer: a new one to the host, the one to the host again after
        /// ``unlinked(_:)``, or one to a member that ``Action/dial(_:_:)`` asked for.
        case linked(PeerID)
        /// A member that ``Action/dial(_:_:)`` asked for cannot be reached.
        case dialFailed(PeerID)
        /// The link to a peer has ended, and there is no other; or the peer is out of reach for so long that
        /// it counts as lost.
        case unlinked(PeerID)
        /// The moment of ``Action/arm(_:)`` has come.
        case deadlinePassed
    }

    /// What the driver has to do.
    public enum Action: Hashable, Sendable {
        /// Send to a peer that is linked.
        case send(RoomMessage, to: PeerID)
        /// Link with a member, and feed ``Input/linked(_:)`` or ``Input/dialFailed(_:)``.
        case dial(PeerID, [Endpoint])
        /// The link to a peer is not needed for this room any more.
        case release(PeerID)
        /// Another peer is the host now, from which matches come.
        case hostChanged
        /// Answer a request; `nil`: done.
        case reply(RequestID, RoomRefusal?)
        /// Show what happened.
        case notice(RoomNotice)
        /// The room is no more, or no more for this peer.
        case closed(reason: String)
        /// Call with ``Input/deadlinePassed`` then; `nil`: not at all.
        case arm(Tick?)
    }

    /// Looking for the host.
    private struct Search {
        /// When it is given up.
        let until: Tick
        /// Whom to ask yet in this round, and where.
        var candidates: [(peer: PeerID, endpoints: [Endpoint])]
        /// Who is asked now, and until when; `nil` between two rounds.
        var asked: (peer: PeerID, until: Tick)?
        /// When the next round begins.
        var nextRound: Tick
        /// Who was asked in this round.
        var tried: Set<PeerID> = []
    }

    /// The room, as a host last said.
    public private(set) var state: RoomState
    /// Who hosts it, as far as is known.
    public private(set) var host: PeerID
    private let me: PeerID
    private let name: String
    private var search: Search?
    private var isClosed = false

    /// Whether the host is gone and another, or the same again, is looked for.
    public var isSearching: Bool { search != nil }

    /// Begins with the state that the host sent first; `name` is what this peer asked to be called.
    public init(_ state: RoomState, host: PeerID, me: PeerID, name: String) {
        self.state = state
        self.host = host
        self.me = me
        self.name = name
    }

    /// Whether this room needs the link to a peer.
    public func needs(_ peer: PeerID) -> Bool {
        !isClosed && (peer == host || search?.asked?.peer == peer)
    }

    /// Takes one input and says what to do, in order.
    public mutating func handle(_ input: Input, at now: Tick) -> [Action] {
        var actions: [Action] = []
        guard !isClosed else {
            if case .local(let id, _) = input {
                actions.append(.reply(id, RoomRefusal(.roomClosed, "\(state.name) is closed")))
            }
            return actions
        }
        switch input {
        case .received(let message, let peer): receive(message, from: peer, at: now, &actions)
        case .local(let id, let request): ask(request, id, &actions)
        case .linked(let peer): linked(peer, at: now, &actions)
        case .dialFailed(let peer):
            if search?.asked?.peer == peer { askNext(at: now, &actions) }
        case .unlinked(let peer):
            if search?.asked?.peer == peer {
                askNext(at: now, &actions)
            } else if peer == host, search == nil {
                beginSearch(at: now, &actions)
            }
        case .deadlinePassed: lookOn(at: now, &actions)
        }
        if !isClosed { actions.append(.arm(deadline)) }
        return actions
    }

    private func enter(_ peer: PeerID) -> Action {
        .send(.enter(.id(state.id), purpose: .watch, name: name), to: peer)
    }

    // MARK: What arrives

    private mutating func receive(
        _ message: RoomMessage, from peer: PeerID, at now: Tick, _ actions: inout [Action]
    ) {
        guard peer == host || peer == search?.asked?.peer else { return }
        switch message {
        case .entered where peer == search?.asked?.peer:
            search = nil
            let before = host
            host = peer
            if before != peer { actions.append(.release(before)) }
            actions.append(.hostChanged)
        case .denied(_, let refusal) where peer == search?.asked?.peer:
            // Who is no host says so; any other word is a host's, and holds.
            let isHosts = refusal.reason != .noSuchRoom && refusal.reason != .ambiguous
            guard !isHosts else {
                return close(refusal.reason == .banned ? "kicked" : "host-closed", &actions)
            }
            giveUpAsked(&actions)
            askNext(at: now, &actions)
        case .elsewhere(let id, let host, let endpoints):
            if id == state.id { told(host, endpoints, at: now, &actions) }
        case .denied(.id(state.id), let refusal) where search == nil && refusal.reason == .noSuchRoom:
            beginSearch(at: now, &actions)
        case .state(let new, let left):
            guard search == nil, new.id == state.id, new.epoch >= state.epoch, new.isWatching(me)
            else { return }
            let notices = new.notices(since: state, left: left)
            state = new
            actions += notices.map { .notice($0) }
        case .closed(_, let reason):
            if search == nil { close(reason, &actions) }
        case .say(_, let from, let text):
            guard let seat = state.seat(of: from), let line = ChatLine(text) else { return }
            actions.append(.notice(.say(from: from, name: state.seats[seat]?.name ?? "", text: line.text)))
        case .enter, .entered, .denied, .request, .reply, .match, .relay, .relayed, .code, .channel,
            .channelRelay, .channelRelayed, .hail, .words, .knock, .turns:
            break
        }
    }

    private mutating func ask(_ request: RoomRequest, _ id: RequestID, _ actions: inout [Action]) {
        guard request == .leave else { return actions.append(.reply(id, .watching(state.name))) }
        if search == nil { actions.append(.send(.request(room: state.id, number: 1, .leave), to: host)) }
        actions.append(.reply(id, nil))
        close("left", &actions)
    }

    private mutating func close(_ reason: String, _ actions: inout [Action]) {
        isClosed = true
        actions.append(.arm(nil))
        actions.append(.closed(reason: reason))
    }

    // MARK: Looking for the host

    private var deadline: Tick? {
        guard let search else { return nil }
        return min(search.until, search.asked?.until ?? search.nextRound)
    }

    /// The members by seat, the host that was after the others: its link may yet be resumed by itself.
    private var members: [(peer: PeerID, endpoints: [Endpoint])] {
        let players = state.people.compactMap { $0 }.filter { $0.peer != me }
        return (players.filter { $0.peer != host } + players.filter { $0.peer == host })
            .map { ($0.peer, $0.endpoints) }
    }

    private mutating func linked(_ peer: PeerID, at now: Tick, _ actions: inout [Action]) {
        guard peer == host || peer == search?.asked?.peer else { return }
        if search != nil, peer != search?.asked?.peer {
            giveUpAsked(&actions)
            search?.candidates.removeAll { $0.peer == peer }
            search?.asked = (peer, now + Limits.watchAnswerWait)
            search?.tried.insert(peer)
        }
        actions.append(enter(peer))
    }

    private mutating func giveUpAsked(_ actions: inout [Action]) {
        guard let peer = search?.asked?.peer else { return }
        search?.asked = nil
        actions.append(.release(peer))
    }

    private mutating func beginSearch(at now: Tick, _ actions: inout [Action]) {
        search = Search(until: now + Limits.watchSearchWait, candidates: members, nextRound: now)
        askNext(at: now, &actions)
    }

    private mutating func askNext(at now: Tick, _ actions: inout [Action]) {
        guard search != nil else { return }
        guard let next = search?.candidates.first else {
            search?.asked = nil
            search?.nextRound = now + Limits.watchSearchPause
            return
        }
        search?.candidates.removeFirst()
        search?.tried.insert(next.peer)
        search?.asked = (next.peer, now + Limits.watchAnswerWait)
        actions.append(.dial(next.peer, next.endpoints))
    }

    private mutating func lookOn(at now: Tick, _ actions: inout [Action]) {
        guard let search else { return }
        if now >= search.until { return close("host-lost", &actions) }
        if let asked = search.asked {
            guard now >= asked.until else { return }
            giveUpAsked(&actions)
            return askNext(at: now, &actions)
        }
        guard now >= search.nextRound else { return }
        let round = members
        self.search?.candidates = round
        self.search?.tried = []
        askNext(at: now, &actions)
    }

    /// The peer that was asked, or has hosted the room, says that another hosts it now: that one is next,
    /// unless it was asked in this round.
    private mutating func told(
        _ peer: PeerID, _ endpoints: [Endpoint], at now: Tick, _ actions: inout [Action]
    ) {
        guard peer != me else { return }
        if search == nil {
            guard peer != host else { return }
            search = Search(until: now + Limits.watchSearchWait, candidates: members, nextRound: now)
        } else {
            giveUpAsked(&actions)
        }
        if let search, !search.tried.contains(peer) {
            self.search?.candidates.removeAll { $0.peer == peer }
            self.search?.candidates.insert((peer, endpoints), at: 0)
        }
        askNext(at: now, &actions)
    }
}
