internal import ParlorControl
internal import ParlorGames
internal import ParlorProtocol

/// What this daemon does in a room of another peer, in which it has a seat.
final class JoinedRoom: RoomPart {
    private var machine: RoomGuest
    private let mesh: RoomMesh
    private let turnstile = Turnstile<RoomGuest.Input>()
    private let asked: String
    /// The list of words that is on its way here.
    private var order: WordsOrder?
    /// The match that was on when this peer came in.
    private let underWay: MatchID?

    /// Comes in, with the state that the host sent first.
    init(_ state: RoomState, name: String, endpoints: [Endpoint], room: Room) {
        asked = name
        underWay = state.isGathering ? nil : state.match
        machine = RoomGuest(state, me: room.me, name: name, endpoints: endpoints)
        mesh = RoomMesh(state.id, host: state.host?.peer ?? room.me, context: room.context)
        super.init(room)
        mesh.pathChanged = { [weak self] peer, path in self?.pathChanged(peer, path) }
    }

    override var role: RoomRole { .guest }
    override var name: String { asked }
    override var host: PeerID {
        guard let host = machine.state.host else { preconditionFailure("the host's seat is never open") }
        return host.peer
    }
    /// What the own player has asked the host for, without an answer yet.
    var pending: [(id: RequestID, request: RoomRequest)] { machine.pending }

    /// Comes in at a host that has not let this peer in by the link there is.
    func comeIn() { feed(.linkBack) }

    /// Links with the other guests; once, when the room is in the book.
    func meet() {
        seatsChanged()
        // Who came in by a code has not yet said where it can be reached.
        let endpoints = context.hub.ownEndpoints
        guard let seat = mySeat, state.seats[seat]?.endpoints.isEmpty ?? false, !endpoints.isEmpty else {
            return
        }
        let enter = RoomMessage.enter(
            .id(id), purpose: .join, name: state.seats[seat]?.name ?? "", endpoints: endpoints)
        context.hub.link(to: host)?.send(enter)
    }

    override var state: RoomState { machine.state }

    override func ask(_ id: RequestID, _ request: RoomRequest) {
        if request == .ready(true) || request == .rematch, let words = state.words {
            guard context.words.list(words.hash) != nil else {
                return reply(id, WordsText.consent(state, words))
            }
            feed(.local(context.requests.next(), .takeWords(words.hash)))
        }
        feed(.local(id, request))
    }

    /// Takes the room's list of words over from the host, as its player has agreed to; at once where it is
    /// here.
    func acceptWords(done: @escaping (RoomRefusal?) -> Void) {
        guard let words = state.words, context.words.list(words.hash) == nil else { return done(nil) }
        order?.end(RoomRefusal(.busy, "the list of words was asked for once more"))
        order = WordsOrder(
            words, library: context.words, loop: context.loop,
            send: { [weak self] message in
                guard let self else { return }
                context.hub.link(to: host)?.send(.words(room: id, message))
            }, done: done)
        order?.ask()
    }
    override func deadlinePassed() { feed(.deadlinePassed) }

    override func received(_ message: RoomMessage, from peer: PeerID) {
        guard peer == host else { return receivedFromGuest(message, peer) }
        switch message {
        case .match(_, let id, .genesis(let bytes)): learn(bytes, id)
        case .channel(_, let body): channels.received(body, from: peer, isRelayed: false)
        case .channelRelayed(_, let sender, let body):
            if sender != host { channels.received(body, from: sender, isRelayed: true) }
        case .words(_, let message): order?.received(message)
        case .enter, .entered, .denied, .state, .request, .reply, .closed, .say, .match, .relay, .relayed,
            .code, .channelRelay, .elsewhere, .hail, .knock, .turns:
            feed(.received(message))
        }
    }

    private func receivedFromGuest(_ message: RoomMessage, _ peer: PeerID) {
        switch message {
        case .enter: mesh.feed(.entering(peer))
        case .entered: mesh.feed(.entered(peer))
        case .denied: mesh.feed(.denied(peer))
        case .state(let state, let left): feed(.offered(state, left: left, from: peer))
        case .channel(_, let body): channels.received(body, from: peer, isRelayed: false)
        case .request, .reply, .closed, .say, .match, .relay, .relayed, .code, .channelRelay, .channelRelayed,
            .elsewhere, .hail, .words, .knock, .turns:
            break
        }
    }

    override func up(_ peer: PeerID) {
        guard peer == host else { return mesh.feed(.linkUp(peer)) }
        comeIn()
        hostWayChanged()
        room.lineChanged(to: peer)
        room.reachFeed(.renewed(peer))
    }

    override func lost(_ peer: PeerID) {
        guard peer == host else { return mesh.feed(.linkLost(peer)) }
        feed(.linkLost)
    }

    override func resumed(_ peer: PeerID) {
        guard peer == host else { return mesh.feed(.linkResumed(peer)) }
        feed(.linkResumed)
        room.lineChanged(to: peer)
        room.reachFeed(.renewed(peer))
    }

    override func down(_ peer: PeerID, _ end: LinkEnd) {
        guard peer == host else {
            if context.hub.link(to: peer) == nil { mesh.feed(.linkDown(peer)) }
            return
        }
        down(end)
    }

    /// What the host had still to pass on may be lost.
    private func hostWayChanged() {
        for player in state.people.compactMap({ $0 }) where mesh.path(to: player.peer) != .direct {
            channels.wayChanged(to: player.peer)
        }
    }

    private func pathChanged(_ peer: PeerID, _ path: Mesh.Path) {
        if path == .direct { room.joinPace(peer) }
        channels.wayChanged(to: peer)
        room.lineChanged(to: peer)
        if path == .direct { room.reachFeed(.renewed(peer)) }
        room.emit(.roomUpdated)
    }

    private func seatsChanged() {
        channels.setMembers(state.people)
        mesh.setMembers(state.people, me: me)
    }

    override func path(to peer: PeerID) -> ChannelPath? {
        guard peer != host else { return machine.isHostLost ? nil : .direct }
        return mesh.path(to: peer).flatMap { ChannelPath(rawValue: $0.rawValue) }
    }

    override func send(_ body: ChannelBody, to peer: PeerID) {
        let isDirect = peer == host || mesh.path(to: peer) == .direct
        if isDirect {
            context.hub.link(to: peer)?.send(.channel(room: id, body), carrying: body, of: me, legs: 1)
        } else {
            context.hub.link(to: host)?
                .send(.channelRelay(room: id, to: peer, body), carrying: body, of: me, legs: 2)
        }
    }

    /// The link to the host has ended.
    private func down(_ end: LinkEnd) {
        guard !isClosed else { return }
        // A new link has taken its place already, and will be announced.
        guard context.hub.link(to: host) == nil else { return }
        let isShuttingDown = end.who == .peer && end.reason.rawValue == "shutting-down"
        feed(.hostGone(reason: isShuttingDown ? "shutting-down" : "host-lost"))
    }

    override func isDirect(_ peer: PeerID) -> Bool {
        peer == host ? !machine.isHostLost : mesh.path(to: peer) == .direct
    }

    override func matchNotice(_ notice: MatchNotice) {
        if case .ended = notice { feed(.matchOver) }
    }

    override func sequencerChanged(to peer: PeerID) {
        if peer == me { room.takeOver() } else if peer != host { dial(peer) }
    }

    private func learn(_ bytes: [UInt8], _ id: MatchID) {
        guard let genesis = try? Genesis(decoding: bytes), genesis.match == id, genesis.room == self.id,
            let seat = genesis.seat(of: me), isFair(genesis)
        else { return }
        guard context.words.list(of: genesis) != nil else {
            return room.emitProblem(
                "words-differ", "the list of words of this match is not here, so that you cannot take part")
        }
        if let match, match.match == id {
            context.hub.link(to: host)?.setPace(.match)
            room.lineChanged(to: host)
            return room.reachFeed(.renewed(host))
        }
        // A host that begins another match has given this one up.
        if let match, !match.isOver { match.feed(.sequencerLost) }
        room.begin(genesis, seat: seat, isNew: id != underWay)
    }

    /// Whether a match is the one this room is about: its game, its list of words, and in the first seat its
    /// host, or who was that when the match began.
    private func isFair(_ genesis: Genesis) -> Bool {
        let isHosts = genesis.seats[0].peer == host || state.epoch > 0 && genesis.match == state.match
        return genesis.game == state.game && isHosts && genesis.words == state.words?.hash
    }

    private func feed(_ input: RoomGuest.Input) {
        guard !isRetired else { return }
        turnstile.pass(input) { input in
            guard !isRetired else { return }
            let (before, host, wasLost) = (state, self.host, machine.isHostLost)
            let actions = machine.handle(input, at: now)
            if self.host != host { hostChanged(from: host) }
            if state.seats != before.seats { seatsChanged() }
            for action in actions { perform(action) }
            if machine.isHostLost != wasLost { room.linesChanged() }
            if state != before { context.changed(room) }
        }
    }

    /// The old host is a guest like others from now on, if it comes back at all.
    private func hostChanged(from old: PeerID) {
        mesh.host = host
        if let link = context.hub.link(to: old) {
            mesh.feed(.linkUp(old))
            if link.isLost { mesh.feed(.linkLost(old)) }
        }
        seatsChanged()
    }

    private func perform(_ action: RoomGuest.Action) {
        switch action {
        case .send(let message): context.hub.link(to: host)?.send(message)
        case .reply(let id, let refusal): reply(id, refusal)
        case .hostChanged(let peer):
            room.reachFeed(.host(peer))
            hostWayChanged()
            room.linesChanged()
        case .notice(let notice): tell(notice)
        case .closed(let reason): room.close(reason)
        case .arm(let tick): arm(tick)
        }
    }

    /// Ends because this daemon ends.
    ///
    /// The match goes on without it, so it is not ended here.
    func shutDown(_ reason: String) {
        match?.retire()
        room.close(reason, isLeft: false)
    }

    override func retire() {
        super.retire()
        order?.end(RoomRefusal(.roomClosed, "\(state.name) is closed"))
        mesh.close()
    }
}
