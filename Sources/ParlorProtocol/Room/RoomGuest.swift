/// A room as a guest has it: the host's word for what is.
///
/// Does no I/O.
public struct RoomGuest: Sendable {
    /// What may happen to it.
    public enum Input: Sendable {
        /// The host sent something about the room.
        case received(RoomMessage)
        /// Another member says that it hosts the room, and why players left it.
        case offered(RoomState, left: [RoomDeparture], from: PeerID)
        /// This peer's player wants something; the answer comes as ``Action/reply(_:_:)``.
        case local(RequestID, RoomRequest)
        /// The host is out of reach; its link may be resumed.
        case linkLost
        /// The link to the host goes on, and no message is missing.
        case linkResumed
        /// There is a new link to the host, which knows nothing of the one before.
        case linkBack
        /// The host said goodbye, for a reason as in `room.closed`.
        case hostGone(reason: String)
        /// The match that is on is over for this seat.
        case matchOver
        /// The moment of ``Action/arm(_:)`` has come.
        case deadlinePassed
    }

    /// What the driver has to do.
    public enum Action: Hashable, Sendable {
        /// Send to the host.
        case send(RoomMessage)
        /// Answer a request; `nil`: done.
        case reply(RequestID, RoomRefusal?)
        /// Another peer is the host from now on: what is sent goes to it.
        case hostChanged(PeerID)
        /// Show what happened.
        case notice(RoomNotice)
        /// The room is no more, or no more for this peer.
        case closed(reason: String)
        /// Call with ``Input/deadlinePassed`` then; `nil`: not at all.
        case arm(Tick?)
    }

    /// The room, as the host last said.
    public private(set) var state: RoomState
    /// Whether the host is out of reach at the moment.
    public private(set) var isHostLost = false
    /// Whether the match that the state tells of is over, whatever the host has said last.
    private var isMatchOver = false
    /// Why the host has gone in the middle of a match.
    private var goneReason: String?
    /// When a room without a match is given up, because its host does not come back.
    private var givesUpAt: Tick?
    private let me: PeerID
    private let name: String
    private let endpoints: [Endpoint]
    private var waiting: [(number: Int, id: RequestID, request: RoomRequest, deadline: Tick)] = []
    private var number = 0
    private var isClosed = false

    /// Begins with the state that the host sent first.
    ///
    /// `name` is what this peer asked to be called, `endpoints` where it may be reached.
    public init(_ state: RoomState, me: PeerID, name: String, endpoints: [Endpoint] = []) {
        self.state = state
        self.me = me
        self.name = name
        self.endpoints = endpoints
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
        case .received(let message): receive(message, &actions)
        case .local(let id, let request): ask(request, id, at: now, &actions)
        case .linkLost:
            isHostLost = true
            if !isInMatch { givesUpAt = now + Limits.hostLostWait }
        case .linkResumed: hostIsBack()
        case .linkBack:
            hostIsBack()
            enter(&actions)
        case .offered(let new, let left, let sender): follow(new, left, of: sender, &actions)
        case .hostGone(let reason):
            lose(reason, &actions)
        case .matchOver:
            isMatchOver = true
            if let goneReason {
                close(goneReason, &actions)
            } else if isHostLost {
                givesUpAt = now + Limits.hostLostWait
            }
        case .deadlinePassed: expire(at: now, &actions)
        }
        if !isClosed { actions.append(.arm(nextDeadline)) }
        return actions
    }

    private var nextDeadline: Tick? { (waiting.map(\.deadline) + [givesUpAt].compactMap { $0 }).min() }

    /// What waits for the host's answer: who takes the room over does it, first things first.
    public var pending: [(id: RequestID, request: RoomRequest)] { waiting.map { ($0.id, $0.request) } }

    private var isInMatch: Bool { !state.isGathering && !isMatchOver }

    /// Comes in by another link, or to another host, and asks again what waits.
    private func enter(_ actions: inout [Action]) {
        actions.append(.send(.enter(.id(state.id), purpose: .join, name: name, endpoints: endpoints)))
        for wait in waiting {
            actions.append(.send(.request(room: state.id, number: wait.number, wait.request)))
        }
    }

    /// Takes a member for the host, if that may be.
    private mutating func follow(
        _ new: RoomState, _ left: [RoomDeparture], of sender: PeerID, _ actions: inout [Action]
    ) {
        guard let host = state.host?.peer, new.id == state.id, new.seat(of: me) != nil, sender != host,
            new.host?.peer == sender, state.seat(of: sender) != nil, isInMatch,
            new.epoch > state.epoch || new.epoch == state.epoch && new.epoch > 0 && sender < host
        else { return }
        hostIsBack()
        actions.append(.hostChanged(sender))
        take(new, left, &actions)
        enter(&actions)
    }

    private mutating func take(_ new: RoomState, _ left: [RoomDeparture], _ actions: inout [Action]) {
        let notices = new.notices(since: state, left: left)
        if new.match != state.match || new.isGathering { isMatchOver = false }
        state = new
        actions += notices.map { .notice($0) }
    }

    /// The host has gone for good: that ends the room, or in a match only this host's part in it, for the
    /// match has its next sequencer, and the room its next host.
    private mutating func lose(_ reason: String, _ actions: inout [Action]) {
        guard isInMatch else { return close(reason, &actions) }
        isHostLost = true
        goneReason = reason
    }

    private mutating func hostIsBack() {
        goneReason = nil
        isHostLost = false
        givesUpAt = nil
    }

    private mutating func receive(_ message: RoomMessage, _ actions: inout [Action]) {
        switch message {
        case .state(let new, let left):
            guard new.id == state.id, new.seat(of: me) != nil, new.host?.peer == state.host?.peer else {
                return
            }
            take(new, left, &actions)
        case .reply(_, let number, let refusal):
            guard let index = waiting.firstIndex(where: { $0.number == number }) else { return }
            let wait = waiting.remove(at: index)
            actions.append(.reply(wait.id, refusal))
            if refusal == nil, wait.request == .leave { close("left", &actions) }
        case .closed(_, let reason) where reason == "kicked": close(reason, &actions)
        case .closed(_, let reason): lose(reason, &actions)
        // These answer a code that was typed for a room that one is in already.
        case .denied(_, let refusal) where refusal.reason == .wrongCode || refusal.reason == .tooManyTries:
            break
        // The late answer to an `enter` of the mesh: it was a guest then, and hosts the room now.
        case .denied(_, let refusal) where refusal.reason == .notInRoom: break
        // A host that was killed and comes back has forgotten the room, which goes on without it.
        case .denied(_, let refusal) where refusal.reason == .noSuchRoom && isInMatch:
            lose("host-closed", &actions)
        case .denied(_, let refusal):
            close(refusal.reason == .banned ? "kicked" : "host-closed", &actions)
        case .say(_, let from, let text):
            guard let seat = state.seat(of: from), let line = ChatLine(text) else { return }
            actions.append(.notice(.say(from: from, name: state.seats[seat]?.name ?? "", text: line.text)))
        case .enter, .entered, .request, .match, .relay, .relayed, .code, .channel, .channelRelay,
            .channelRelayed, .elsewhere, .hail, .words, .knock, .turns:
            break
        }
    }

    private mutating func ask(
        _ request: RoomRequest, _ id: RequestID, at now: Tick, _ actions: inout [Action]
    ) {
        if request == .leave, isHostLost {
            actions.append(.reply(id, nil))
            return close("left", &actions)
        }
        // The last place is kept for leaving.
        guard waiting.count < (request == .leave ? Limits.actsMax : Limits.actsMax - 1) else {
            actions.append(.reply(id, RoomRefusal(.busy, "too many requests wait for the host already")))
            return
        }
        number += 1
        waiting.append((number, id, request, now + .seconds(Limits.roomRequestSeconds)))
        actions.append(.send(.request(room: state.id, number: number, request)))
    }

    private mutating func expire(at now: Tick, _ actions: inout [Action]) {
        let late = waiting.filter { $0.deadline <= now }
        waiting.removeAll { $0.deadline <= now }
        for wait in late {
            let refusal = RoomRefusal(.timedOut, "the host of \(state.name) does not answer")
            actions.append(.reply(wait.id, wait.request == .leave ? nil : refusal))
        }
        if late.contains(where: { $0.request == .leave }) { return close("left", &actions) }
        if let givesUpAt, givesUpAt <= now { close("host-lost", &actions) }
    }

    private mutating func close(_ reason: String, _ actions: inout [Action]) {
        isClosed = true
        for wait in waiting {
            let isLeave = wait.request == .leave
            actions.append(
                .reply(wait.id, isLeave ? nil : RoomRefusal(.roomClosed, "\(state.name) is closed")))
        }
        waiting = []
        actions.append(.arm(nil))
        actions.append(.closed(reason: reason))
    }
}
