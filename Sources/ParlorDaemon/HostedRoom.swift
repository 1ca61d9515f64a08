internal import ParlorControl
internal import ParlorCrypto
internal import ParlorGames
internal import ParlorNet
internal import ParlorProtocol

/// What this daemon does in a room that it hosts.
final class HostedRoom: RoomPart {
    private var machine: RoomHost
    private var gate = RelayGate()
    /// What watchers were sent of the newest match.
    private var watchFeed = WatchFeed()
    private let turnstile = Turnstile<RoomHost.Input>()

    /// Opens a room, or takes one up again as this daemon had hosted it.
    init(_ state: RoomState, _ room: Room) {
        machine = RoomHost(state, me: room.me)
        super.init(room)
    }

    /// Takes over what another peer has hosted; ``takeOver(_:_:)`` follows at once.
    init(_ machine: RoomHost, _ room: Room) {
        self.machine = machine
        super.init(room)
    }

    override var state: RoomState { machine.state }
    override var role: RoomRole { .host }
    override var lively: [PeerID] { super.lively + state.watchers.map(\.peer) }
    override var host: PeerID { me }
    override var name: String { state.host?.name ?? "" }

    override func ask(_ id: RequestID, _ request: RoomRequest) { feed(.local(id, request)) }
    override func deadlinePassed() { feed(.deadlinePassed) }

    /// Does what a new host has to do first, then what its own player had asked the old one for.
    func takeOver(_ actions: [RoomHost.Action], _ pending: [(id: RequestID, request: RoomRequest)]) {
        channels.setMembers(state.people)
        for action in actions { perform(action) }
        if let accepted = match?.machine.accepted {
            if accepted.phase != .drawing { feed(.matchPlaying) }
            if let outcomes = accepted.outcomes { feed(.matchEnded(outcomes)) }
        }
        for (id, request) in pending { ask(id, request) }
        for player in state.seats.compactMap({ $0 }) where player.peer != me && player.away {
            dial(player.peer)
        }
    }

    /// Takes a room up again after a restart: nobody is here yet.
    func comeBack() {
        for player in state.people.compactMap({ $0 }) where player.peer != me {
            feed(.linkLost(player.peer))
            dial(player.peer)
        }
        feed(.awaitWatchers)
    }

    /// Changes options of the game, and the list of words with them where `words` is not `nil`.
    func set(_ options: [Value.Member], words: WordTerms?, done: @escaping (RoomRefusal?) -> Void) {
        var answer: RoomRefusal?? = RoomRefusal(.roomClosed, "\(state.name) is closed")
        feed(.setOptions(wait { answer = $0 }, options))
        if let words, answer == .some(nil) { feed(.wordsChosen(words)) }
        done(answer ?? nil)
    }

    /// Sends a member or watcher a piece of the room's list of words.
    private func sendWords(_ hash: [UInt8], from: Int, to peer: PeerID) {
        guard hash == state.words?.hash, state.seat(of: peer) != nil || state.isWatching(peer),
            let link = context.hub.link(to: peer), hasRoomForWatching(link),
            let bytes = context.words.joined(hash), from <= bytes.count
        else { return }
        let data = Array(bytes[from...].prefix(Limits.wordsPieceBytesMax))
        link.send(.words(room: id, .piece(hash: hash, from: from, data: data)))
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

    /// Tells a peer that has a seat in the match that is on, or that watches, about it.
    private func catchUp(_ peer: PeerID) {
        guard !state.isWatching(peer) else { return show(match, to: peer) }
        // Who was removed has a seat in the match's genesis still, but none in the room.
        guard state.seat(of: peer) != nil, let match, !match.isOver,
            match.machine.accepted.genesis.seat(of: peer) != nil
        else { return }
        context.hub.link(to: peer)?
            .send(.match(room: id, match: match.match, .genesis(match.machine.accepted.genesis.encoded)))
        context.hub.link(to: peer)?.setPace(.match)
        room.lineChanged(to: peer)
        room.reachFeed(.renewed(peer))
    }

    /// Tells a watcher about the newest match, also when it is over.
    private func show(_ match: MatchDriver?, to peer: PeerID) {
        guard let match else { return }
        let link = context.hub.link(to: peer)
        watchFeed.began(peer)
        if !match.isOver { link?.setPace(.match) }
        link?.send(.match(room: id, match: match.match, .genesis(match.log.genesis.encoded)))
    }

    /// Sends watchers what was accepted.
    private func feedWatchers() {
        guard let match else { return }
        let accepted = match.log.entries.prefix(match.acceptedCount)
        for watcher in state.watchers {
            guard let link = context.hub.link(to: watcher.peer), hasRoomForWatching(link),
                let message = watchFeed.grown(for: watcher.peer, accepted)
            else { continue }
            link.send(.match(room: id, match: match.match, message))
        }
    }

    /// A watcher may ask for entries, and say nothing else about a match.
    func receivedFromWatcher(_ message: MatchMessage, _ match: MatchDriver, _ peer: PeerID) {
        guard case .want(let index) = message, let link = context.hub.link(to: peer),
            hasRoomForWatching(link)
        else { return }
        let accepted = match.log.entries.prefix(match.acceptedCount)
        guard let answer = watchFeed.wanted(from: index, by: peer, accepted, at: now) else { return }
        link.send(.match(room: id, match: match.match, answer))
    }

    /// Whether a link has room for what a watcher is sent: it lags behind rather than fill the link.
    private func hasRoomForWatching(_ link: PeerLink) -> Bool {
        link.isOpen && link.statistics.heldBytes < Limits.watchHeldBytesMax
    }

    override func received(_ message: RoomMessage, from peer: PeerID) {
        switch message {
        case .request(_, let number, let request): feed(.request(peer, number: number, request))
        case .state(let state, let left): feed(.offered(state, left: left, from: peer))
        case .channel(_, let body): channels.received(body, from: peer, isRelayed: false)
        case .channelRelay(_, let target, let body): relay(body, from: peer, to: target)
        case .words(_, .want(let hash, let from)): sendWords(hash, from: from, to: peer)
        case .code(.confirm(_, let tag)):
            feed(.confirming(peer, tag: tag))
            catchUp(peer)
        case .enter, .entered, .denied, .reply, .closed, .say, .match, .relay, .relayed, .code,
            .channelRelayed, .elsewhere, .hail, .words, .knock, .turns:
            break
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

    override func isDirect(_ peer: PeerID) -> Bool {
        state.seats.contains { $0?.peer == peer && $0?.away == false }
    }

    override func up(_ peer: PeerID) { feed(.linkUp(peer)) }

    override func lost(_ peer: PeerID) { feed(.linkLost(peer)) }

    override func resumed(_ peer: PeerID) { feed(.linkResumed(peer)) }

    override func down(_ peer: PeerID, _ end: LinkEnd) {
        if machine.isTrying(peer) { feed(.linkLost(peer)) }
        if state.isWatching(peer), context.hub.link(to: peer) == nil { feed(.gone(peer, reason: "lost")) }
        guard state.seat(of: peer) != nil else { return }
        gate.forget(peer)
        let saidGoodbye = end.who == .peer && end.reason != .lost
        if saidGoodbye, state.isGathering {
            feed(.gone(peer, reason: end.reason.rawValue == "shutting-down" ? "shutting-down" : "left"))
        } else {
            feed(.linkLost(peer))
        }
    }

    /// Whether a peer was in the room's last match, or is in the room.
    func hasPlayedWith(_ peer: PeerID) -> Bool {
        machine.players.contains(peer) || state.seat(of: peer) != nil
    }

    /// The room had to take another name on the network.
    func rename(_ name: String) { feed(.renamed(name)) }

    /// Closes the room for everybody.
    func shutDown(_ reason: String) { feed(.close(reason: reason)) }

    override func matchNotice(_ notice: MatchNotice) {
        switch notice {
        case .started: feed(.matchPlaying)
        case .ended(let outcomes): feed(.matchEnded(outcomes))
        case .violation: feed(.matchEnded([]))
        case .changed: feedWatchers()
        case .drawNumber, .drawDecided, .revealed, .away, .back, .left, .refused, .desync,
            .sequencerChanged, .paused, .goesOn, .fault:
            break
        }
    }

    override func sequencerChanged(to peer: PeerID) {
        // A host that has lost its match to another finds out who hosts the room by a link.
        if peer == me { feed(.reign(epoch: match?.machine.accepted.epoch ?? 0)) } else { dial(peer) }
    }

    private func feed(_ input: RoomHost.Input) {
        guard !isRetired else { return }
        turnstile.pass(input) { input in
            guard !isRetired else { return }
            let before = state
            let actions = machine.handle(input, at: now)
            if state.seats != before.seats { channels.setMembers(state.people) }
            for action in actions { perform(action) }
            guard state != before else { return }
            room.linesChanged()
            context.changed(room)
        }
    }

    private func perform(_ action: RoomHost.Action) {
        switch action {
        case .send(let message, let peer): context.hub.link(to: peer)?.send(message)
        case .reply(let id, let refusal): reply(id, refusal)
        case .notice(let notice): tell(notice)
        case .beginMatch: beginMatch()
        case .kickFromMatch(let seat): match?.feed(.kick(seat: seat))
        case .advertise: context.advertise(room)
        case .yielded(let state): room.yield(to: state)
        case .makeCode: feed(.newCode(.random()))
        case .closed(let reason): room.close(reason)
        case .arm(let tick): arm(tick)
        }
    }

    private func beginMatch() {
        let players = state.seats.compactMap { $0 }
        guard let declaration = Catalog.rules(state.game)?.declaration else {
            preconditionFailure("a room is opened for a game of the catalog")
        }
        if let words = state.words, context.words.list(words.hash) == nil {
            feed(.matchEnded([]))
            return room.emitProblem(
                "not-found", "the list of words of \(state.name) is not here any more; set words again")
        }
        let genesis = Genesis(
            nonce: Entropy.bytes(16), room: id, game: state.game, rules: declaration.rules,
            options: state.options,
            seats: players.map {
                Genesis.Seat(peer: state.driver(of: $0), name: $0.name, bot: $0.bot != nil)
            },
            words: state.words?.hash)
        feed(.matchBegan(genesis.match))
        for player in players where player.peer != me && player.bot == nil {
            context.hub.link(to: player.peer)?.send(
                .match(room: id, match: genesis.match, .genesis(genesis.encoded)))
        }
        watchFeed = WatchFeed()
        room.begin(genesis, seat: 0, isNew: true)
        for watcher in state.watchers { show(match, to: watcher.peer) }
    }
}

// Rooms that change hands.
extension Room {
    /// Hosts the room from now on, in whose match this peer has become the sequencer.
    func takeOver() {
        guard let joined, let match else { return }
        let genesis = match.machine.accepted.genesis
        let present = state.seats.compactMap { $0?.peer }
            .filter { peer in context.hub.link(to: peer).map { !$0.isLost } ?? false }
        let hasLeft =
            genesis.seat(of: joined.host).map { match.machine.accepted.seats[$0].status == .left } ?? true
        let succession = RoomHost.succeeding(
            state, me: me, epoch: match.machine.accepted.epoch, present: Set(present), hostHasLeft: hasLeft,
            at: now)
        guard let succession else { return }
        let pending = joined.pending
        let hosted = HostedRoom(succession.host, self)
        change(to: hosted)
        hosted.takeOver(succession.actions, pending)
    }

    /// Goes on as a guest, because another peer hosts the room by now; sends those who watch to that one.
    func yield(to state: RoomState) {
        let watchers = self.state.watchers
        let joined = JoinedRoom(
            state, name: self.state.host?.name ?? "", endpoints: context.hub.ownEndpoints, room: self)
        change(to: joined)
        joined.meet()
        joined.comeIn()
        context.yielded(self)
        emit(.roomUpdated)
        guard let host = state.host else { return }
        let endpoints = context.hub.endpoints(of: host.peer, said: host.endpoints)
        for watcher in watchers {
            context.hub.link(to: watcher.peer)?
                .send(.elsewhere(room: id, host: host.peer, endpoints: endpoints))
        }
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
