internal import ParlorControl
internal import ParlorCrypto
internal import ParlorGames
internal import ParlorNet
internal import ParlorProtocol

/// A room that this daemon hosts.
final class HostedRoom: Room {
    private var machine: RoomHost
    private var gate = RelayGate()
    private let turnstile = Turnstile<RoomHost.Input>()

    init(_ state: RoomState, context: RoomContext) {
        machine = RoomHost(state, me: context.signer.peer)
        super.init(context)
    }

    override var state: RoomState { machine.state }
    override var isHost: Bool { true }

    override func ask(_ id: RequestID, _ request: RoomRequest) { feed(.local(id, request)) }
    override func deadlinePassed() { feed(.deadlinePassed) }

    /// Changes options of the game.
    func set(_ options: [Value.Member], done: @escaping (RoomRefusal?) -> Void) {
        feed(.setOptions(wait(done), options))
    }

    /// A peer wants to come in.
    func entering(
        _ peer: PeerID, _ purpose: RoomMessage.Purpose, name: String, _ reference: RoomReference,
        endpoints: [Endpoint]
    ) {
        let known = context.hub.endpoints(of: peer, said: endpoints)
        feed(.entering(peer, purpose, name: name, reference, endpoints: known))
        gate.forget(peer)
        channels.wayChanged(to: peer)
        catchUp(peer)
    }

    /// A peer wants to come in and has a code.
    func proving(
        _ peer: PeerID, _ purpose: RoomMessage.Purpose, name: String, _ reference: RoomReference,
        share: [UInt8]
    ) {
        guard let link = context.hub.link(to: peer) else { return }
        let offer = CodeOffer(
            share: share, channel: link.codeChannel(me: me), address: link.remote.host,
            entropy: Entropy.bytes(CodeProof.entropyBytes))
        feed(.proving(peer, purpose, name: name, reference, offer))
    }

    /// Tells a peer that has a seat in the match that is on about it.
    private func catchUp(_ peer: PeerID) {
        // Who was removed has a seat in the match's genesis still, but none in the room.
        guard state.seat(of: peer) != nil, let match, !match.isOver,
            let seat = match.machine.accepted.genesis.seat(of: peer)
        else { return }
        send(.genesis(match.machine.accepted.genesis.encoded), to: seat)
        context.hub.link(to: peer)?.setPace(.match)
        match.feed(.presence(seat: seat, here: true))
    }

    /// A member sent something.
    func received(_ message: RoomMessage, from peer: PeerID) {
        switch message {
        case .request(_, let number, let request): feed(.request(peer, number: number, request))
        case .match(_, let id, let message):
            guard let match, match.match == id, let seat = match.machine.accepted.genesis.seat(of: peer)
            else { return }
            match.feed(.received(message, from: seat))
        case .relay(_, let id, let target, let message):
            guard let match, match.match == id, let seat = match.machine.accepted.genesis.seat(of: peer),
                target != seat, let receiver = self.peer(of: target)
            else { return }
            guard receiver != me else { return match.feed(.received(message, from: seat)) }
            context.hub.link(to: receiver)?.send(.relayed(room: self.id, match: id, from: seat, message))
        case .channel(_, let body): channels.received(body, from: peer, isRelayed: false)
        case .channelRelay(_, let target, let body): relay(body, from: peer, to: target)
        case .code(.confirm(_, let tag)):
            feed(.confirming(peer, tag: tag))
            catchUp(peer)
        case .enter, .entered, .denied, .state, .reply, .closed, .say, .relayed, .code, .channelRelayed: break
        }
    }

    /// Passes a program's message on to another member, as far as that harms nobody else.
    private func relay(_ body: ChannelBody, from sender: PeerID, to receiver: PeerID) {
        guard sender != receiver, receiver != me, state.seat(of: sender) != nil,
            state.seat(of: receiver) != nil, let link = context.hub.link(to: receiver)
        else { return }
        let count = body.data.count
        let isOpen =
            if case .unreliable = body {
                gate.takes(
                    unreliable: count + Limits.channelEnvelopeBytesMax, from: sender, to: receiver, at: now)
            } else {
                // What the link would not take must not count as under way: it would be so for ever.
                link.hasRoom(for: body)
                    && gate.takes(
                        reliable: count, from: sender, to: receiver, lane: body.lane,
                        counters: link.statistics.lanes[body.lane])
            }
        guard isOpen else { return }
        link.send(.channelRelayed(room: id, from: sender, body), carrying: body, of: sender, legs: 2)
    }

    override func send(_ body: ChannelBody, to peer: PeerID) {
        context.hub.link(to: peer)?.send(.channel(room: id, body), carrying: body, of: me, legs: 1)
    }

    override func path(to peer: PeerID) -> ChannelPath? {
        context.hub.link(to: peer).flatMap { $0.isLost ? nil : .direct }
    }

    /// A member is out of reach.
    func lost(_ peer: PeerID) {
        feed(.linkLost(peer))
        guard let match, let seat = match.machine.accepted.genesis.seat(of: peer) else { return }
        match.feed(.presence(seat: seat, here: false))
    }

    /// A member has a connection again, and has missed nothing.
    func resumed(_ peer: PeerID) {
        feed(.linkResumed(peer))
        guard state.seat(of: peer) != nil, let match, !match.isOver,
            let seat = match.machine.accepted.genesis.seat(of: peer)
        else { return }
        match.feed(.presence(seat: seat, here: true))
    }

    /// A member's link has ended.
    func down(_ peer: PeerID, _ end: LinkEnd) {
        if machine.isTrying(peer) { feed(.linkLost(peer)) }
        guard state.seat(of: peer) != nil || match?.machine.accepted.genesis.seat(of: peer) != nil else {
            return
        }
        gate.forget(peer)
        let saidGoodbye = end.who == .peer && end.reason != .lost
        if saidGoodbye, state.isGathering {
            feed(.gone(peer, reason: end.reason.rawValue == "shutting-down" ? "shutting-down" : "left"))
        } else {
            feed(.linkLost(peer))
        }
        guard let match, let seat = match.machine.accepted.genesis.seat(of: peer) else { return }
        match.feed(.presence(seat: seat, here: false))
    }

    /// The room had to take another name on the network.
    func rename(_ name: String) { feed(.renamed(name)) }

    /// Closes the room for everybody.
    func shutDown(_ reason: String) { feed(.close(reason: reason)) }

    override func send(_ message: MatchMessage, to seat: Int) {
        guard let match, let peer = peer(of: seat) else { return }
        context.hub.link(to: peer)?.send(.match(room: id, match: match.match, message))
    }

    private func peer(of seat: Int) -> PeerID? {
        guard let seats = match?.machine.accepted.genesis.seats, seats.indices.contains(seat) else {
            return nil
        }
        return seats[seat].peer
    }

    override func matchNotice(_ notice: MatchNotice) {
        switch notice {
        case .started: feed(.matchPlaying)
        case .ended(let outcomes): feed(.matchEnded(outcomes))
        case .violation: feed(.matchEnded([]))
        case .drawNumber, .drawDecided, .changed, .revealed, .away, .back, .left, .refused, .desync,
            .sequencerChanged, .paused, .goesOn, .fault:
            break
        }
    }

    private func feed(_ input: RoomHost.Input) {
        turnstile.pass(input) { input in
            let before = state.seats
            let actions = machine.handle(input, at: now)
            if state.seats != before { channels.setMembers(state.seats) }
            for action in actions { perform(action) }
        }
    }

    private func perform(_ action: RoomHost.Action) {
        switch action {
        case .send(let message, let peer): context.hub.link(to: peer)?.send(message)
        case .reply(let id, let refusal): reply(id, refusal)
        case .notice(let notice): tell(notice)
        case .beginMatch: beginMatch()
        case .kickFromMatch(let seat): match?.feed(.kick(seat: seat))
        case .advertise: context.advertise(self)
        case .makeCode: feed(.newCode(.random()))
        case .closed(let reason): close(reason)
        case .arm(let tick): arm(tick)
        }
    }

    private func beginMatch() {
        let players = state.seats.compactMap { $0 }
        guard let declaration = Catalog.rules(state.game)?.declaration else {
            preconditionFailure("a room is opened for a game of the catalog")
        }
        let genesis = Genesis(
            nonce: Entropy.bytes(16), room: id, game: state.game, rules: declaration.rules,
            options: state.options,
            seats: players.map { Genesis.Seat(peer: $0.peer, name: $0.name) },
            words: declaration.needsWords ? WordList.builtin.identity(Hash.blake2b256) : nil)
        feed(.matchBegan(genesis.match))
        for player in players where player.peer != me {
            context.hub.link(to: player.peer)?.send(
                .match(room: id, match: genesis.match, .genesis(genesis.encoded)))
        }
        begin(genesis, seat: 0)
    }
}

extension PeerLink {
    /// What binds proofs of room codes to this link.
    func codeChannel(me: PeerID) -> CodeChannel {
        CodeChannel(session: codeSession, client: isClient ? me : peer, server: isClient ? peer : me)
    }
}

extension RoomCode {
    /// A code by chance.
    static func random() -> RoomCode {
        while true {
            if let code = RoomCode(entropy: Entropy.bytes(entropyBytes)) { return code }
        }
    }
}
