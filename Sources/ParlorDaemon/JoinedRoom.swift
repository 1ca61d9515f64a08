internal import ParlorControl
internal import ParlorCrypto
internal import ParlorGames
internal import ParlorProtocol

/// A room of another peer in which this daemon has a seat.
final class JoinedRoom: Room {
    let host: PeerID
    private var machine: RoomGuest
    private let mesh: RoomMesh
    private let turnstile = Turnstile<RoomGuest.Input>()

    /// Comes in, with the state that the host sent first.
    init(_ state: RoomState, host: PeerID, name: String, context: RoomContext) {
        self.host = host
        machine = RoomGuest(
            state, me: context.signer.peer, name: name, endpoints: context.hub.ownEndpoints)
        mesh = RoomMesh(state.id, host: host, context: context)
        super.init(context)
        mesh.pathChanged = { [weak self] peer, path in self?.pathChanged(peer, path) }
    }

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
    override var isHost: Bool { false }

    override func ask(_ id: RequestID, _ request: RoomRequest) { feed(.local(id, request)) }
    override func deadlinePassed() { feed(.deadlinePassed) }

    /// The host or another guest sent something.
    func received(_ message: RoomMessage, from peer: PeerID) {
        guard peer == host else { return receivedFromGuest(message, peer) }
        switch message {
        case .match(_, let id, .genesis(let bytes)): learn(bytes, id)
        case .match(_, let id, let message):
            guard let match, match.match == id, let seat = match.machine.accepted.genesis.seat(of: peer)
            else { return }
            match.feed(.received(message, from: seat))
        case .relayed(_, let id, let seat, let message):
            guard let match, match.match == id else { return }
            match.feed(.received(message, from: seat))
        case .channel(_, let body): channels.received(body, from: peer, isRelayed: false)
        case .channelRelayed(_, let sender, let body):
            if sender != host { channels.received(body, from: sender, isRelayed: true) }
        case .enter, .entered, .denied, .state, .request, .reply, .closed, .say, .relay, .code,
            .channelRelay:
            feed(.received(message))
        }
    }

    private func receivedFromGuest(_ message: RoomMessage, _ peer: PeerID) {
        switch message {
        case .enter: mesh.feed(.entering(peer))
        case .entered: mesh.feed(.entered(peer))
        case .denied: mesh.feed(.denied(peer))
        case .match(_, _, .genesis): break  // the host's to send
        case .match(_, let id, let message):
            guard let match, match.match == id, let seat = match.machine.accepted.genesis.seat(of: peer)
            else { return }
            match.feed(.received(message, from: seat))
        case .channel(_, let body): channels.received(body, from: peer, isRelayed: false)
        case .state, .request, .reply, .closed, .say, .relay, .relayed, .code, .channelRelay, .channelRelayed:
            break
        }
    }

    /// There is a link to a peer, or another one in place of the one there was.
    func up(_ peer: PeerID) {
        guard peer == host else { return mesh.feed(.linkUp(peer)) }
        feed(.linkBack)
        hostWayChanged()
    }

    /// A peer is out of reach.
    func lost(_ peer: PeerID) {
        guard peer == host else { return mesh.feed(.linkLost(peer)) }
        match?.feed(.presence(seat: 0, here: false))
        feed(.linkLost)
    }

    /// A peer has a connection again, and nothing was missed.
    func resumed(_ peer: PeerID) {
        guard peer == host else { return mesh.feed(.linkResumed(peer)) }
        feed(.linkResumed)
        match?.feed(.presence(seat: 0, here: true))
    }

    /// The link to a peer has ended.
    func down(_ peer: PeerID, _ end: LinkEnd) {
        guard peer == host else {
            if context.hub.link(to: peer) == nil { mesh.feed(.linkDown(peer)) }
            return
        }
        down(end)
    }

    /// What the host had still to pass on may be lost.
    private func hostWayChanged() {
        for player in state.seats.compactMap({ $0 }) where mesh.path(to: player.peer) != .direct {
            channels.wayChanged(to: player.peer)
        }
    }

    private func pathChanged(_ peer: PeerID, _ path: Mesh.Path) {
        if path == .direct { joinPace(peer) }
        channels.wayChanged(to: peer)
        if let match, let seat = match.machine.accepted.genesis.seat(of: peer) {
            match.feed(.presence(seat: seat, here: true))  // what was sent last may be lost
        }
        emit(.roomUpdated)
    }

    private func seatsChanged() {
        channels.setMembers(state.seats)
        mesh.setMembers(state.seats, me: me)
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
        match?.feed(.presence(seat: 0, here: false))
        // A new link has taken its place already, and will be announced.
        guard context.hub.link(to: host) == nil else { return }
        let isShuttingDown = end.who == .peer && end.reason.rawValue == "shutting-down"
        feed(.hostGone(reason: isShuttingDown ? "shutting-down" : "host-lost"))
    }

    override func send(_ message: MatchMessage, to seat: Int) {
        guard let match else { return }
        let seats = match.machine.accepted.genesis.seats
        if seats.indices.contains(seat), mesh.path(to: seats[seat].peer) == .direct {
            context.hub.link(to: seats[seat].peer)?.send(.match(room: id, match: match.match, message))
            return
        }
        guard let link = context.hub.link(to: host) else { return }
        let isHosts = match.machine.accepted.genesis.seat(of: host) == seat
        link.send(
            isHosts
                ? .match(room: id, match: match.match, message)
                : .relay(room: id, match: match.match, to: seat, message))
    }

    private func learn(_ bytes: [UInt8], _ id: MatchID) {
        guard let genesis = try? Genesis(decoding: bytes), genesis.match == id, genesis.room == self.id,
            let seat = genesis.seat(of: me), isFair(genesis)
        else { return }
        if let match, match.match == id {
            context.hub.link(to: host)?.setPace(.match)
            return match.feed(.presence(seat: 0, here: true))
        }
        // A host that begins another match has given this one up.
        if let match, !match.isOver { match.feed(.sequencerLost) }
        begin(genesis, seat: seat)
    }

    /// Whether a match is the one this room is about: its game, its host in the first seat, the word list
    /// known here.
    private func isFair(_ genesis: Genesis) -> Bool {
        let needsWords = Catalog.rules(genesis.game)?.declaration.needsWords ?? true
        let words = needsWords ? WordList.builtin.identity(Hash.blake2b256) : nil
        return genesis.game == state.game && genesis.seats[0].peer == host && genesis.words == words
    }

    private func feed(_ input: RoomGuest.Input) {
        turnstile.pass(input) { input in
            let before = state.seats
            let actions = machine.handle(input, at: now)
            if state.seats != before { seatsChanged() }
            for action in actions { perform(action) }
        }
    }

    private func perform(_ action: RoomGuest.Action) {
        switch action {
        case .send(let message): context.hub.link(to: host)?.send(message)
        case .reply(let id, let refusal): reply(id, refusal)
        case .notice(let notice): tell(notice)
        case .closed(let reason): close(reason)
        case .arm(let tick): arm(tick)
        }
    }

    /// Ends because this daemon ends.
    ///
    /// The match goes on without it, so it is not ended here.
    func shutDown(_ reason: String) {
        match?.retire()
        close(reason)
    }

    override func close(_ reason: String) {
        guard !isClosed else { return }
        mesh.close()
        super.close(reason)
    }
}
