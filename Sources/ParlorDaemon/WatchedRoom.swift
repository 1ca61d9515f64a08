internal import ParlorControl
internal import ParlorGames
internal import ParlorNet
internal import ParlorProtocol

/// What this daemon does in a room of another peer in which it looks on.
final class WatchedRoom: RoomPart {
    private var machine: RoomWatcher
    private var watched: WatchedMatch?
    private let asked: String
    /// The list of words that is on its way here.
    private var order: WordsOrder?
    private var isHostOnLoopback: Bool
    private let turnstile = Turnstile<RoomWatcher.Input>()

    /// Begins with the state that the host sent first.
    init(_ state: RoomState, host: PeerID, name: String, room: Room) {
        asked = name
        isHostOnLoopback = room.context.hub.link(to: host)?.remote.isLoopback ?? false
        machine = RoomWatcher(state, host: host, me: room.me, name: name)
        super.init(room)
    }

    override var state: RoomState { machine.state }
    override var host: PeerID { machine.host }
    override var name: String { asked }
    override var role: RoomRole { .watcher }
    override var copy: (any MatchCopy)? { watched }
    override var lively: [PeerID] { [host] }
    override func ask(_ id: RequestID, _ request: RoomRequest) { feed(.local(id, request)) }
    override func deadlinePassed() { feed(.deadlinePassed) }
    override func send(_ body: ChannelBody, to peer: PeerID) {}
    override func path(to peer: PeerID) -> ChannelPath? { nil }
    override func isDirect(_ peer: PeerID) -> Bool { false }
    override func sequencerChanged(to peer: PeerID) {}

    /// Whether the room needs the link to a peer.
    func needs(_ peer: PeerID) -> Bool { machine.needs(peer) }

    override func received(_ message: RoomMessage, from peer: PeerID) {
        switch message {
        case .match(_, let id, let inner):
            guard peer == host, !machine.isSearching else { return }
            if case .genesis(let bytes) = inner { return learn(bytes, id) }
            guard let watched, watched.match == id else { return }
            watched.feed(.received(inner))
        case .words(_, let message):
            if peer == host { order?.received(message) }
        case .enter, .entered, .denied, .state, .request, .reply, .closed, .say, .relay, .relayed, .code,
            .channel, .channelRelay, .channelRelayed, .elsewhere, .hail, .knock, .turns:
            feed(.received(message, from: peer))
        }
    }

    override func up(_ peer: PeerID) {
        if peer == host { feed(.linked(peer)) }
    }

    override func lost(_ peer: PeerID) { feed(.unlinked(peer)) }

    override func resumed(_ peer: PeerID) {
        if machine.isSearching, peer == host { feed(.linked(peer)) }
    }

    override func down(_ peer: PeerID, _ end: LinkEnd) {
        if context.hub.link(to: peer) == nil { feed(.unlinked(peer)) }
    }

    private func learn(_ bytes: [UInt8], _ id: MatchID) {
        guard let genesis = try? Genesis(decoding: bytes), genesis.match == id, genesis.room == self.id,
            isFair(genesis)
        else { return }
        guard context.words.list(of: genesis) != nil else { return fetchWords(for: bytes, id) }
        if let watched, watched.match == id {
            watched.feed(.linkBack)
        } else {
            watched?.retire()
            begin(genesis)
        }
        // The genesis of a match that is over comes to those who come in after it.
        if !state.isGathering || state.match != id { room.setPace(.match) }
    }

    /// Takes the list of words over from the host, to check the match with.
    private func fetchWords(for genesis: [UInt8], _ id: MatchID) {
        guard let words = state.words else { return }
        order?.end(nil)
        order = WordsOrder(
            words, library: context.words, loop: context.loop,
            send: { [weak self] message in
                guard let self else { return }
                context.hub.link(to: host)?.send(.words(room: self.id, message))
            },
            done: { [weak self] refusal in
                guard let self, !isRetired, context.words.list(words.hash) != nil else {
                    if let refusal { self?.room.emitProblem(refusal.reason.rawValue, refusal.message) }
                    return
                }
                learn(genesis, id)
            })
        order?.ask()
    }

    private func begin(_ genesis: Genesis) {
        guard let words = context.words.list(of: genesis) else { return }
        let match = WatchedMatch(genesis, words: words, room: state, loop: context.loop)
        match.handlers = WatchedMatch.Handlers(
            send: { [weak self, weak match] message in
                guard let self, let match else { return }
                context.hub.link(to: host)?.send(.match(room: id, match: match.match, message))
            },
            notice: { [weak self, weak match] notice in
                guard let self, let match else { return }
                room.happened(notice, match)
            })
        watched = match
        context.keep(match)
        match.feed(.begin)
    }

    /// Whether a match is of this room's game and list of words.
    private func isFair(_ genesis: Genesis) -> Bool {
        genesis.game == state.game && genesis.words == state.words?.hash
    }

    override func matchNotice(_ notice: MatchNotice) {
        // Nothing more can be believed of a host that sends what breaks the rules.
        if case .violation = notice { context.loop.atTurnEnd { [weak self] in self?.stop() } }
    }

    private func stop() {
        guard !isClosed else { return }
        context.hub.link(to: host)?.send(.request(room: id, number: 1, .leave))
        room.close("protocol-violation")
    }

    private func feed(_ input: RoomWatcher.Input) {
        guard !isRetired else { return }
        turnstile.pass(input) { input in
            guard !isRetired else { return }
            for action in machine.handle(input, at: now) { perform(action) }
        }
    }

    private func perform(_ action: RoomWatcher.Action) {
        switch action {
        case .send(let message, let peer): context.hub.link(to: peer)?.send(message)
        case .dial(let peer, let endpoints): dial(peer, endpoints)
        case .release(let peer): context.release(peer)
        case .hostChanged: watched?.feed(.linkBack)
        case .reply(let id, let refusal): reply(id, refusal)
        case .notice(let notice): tell(notice)
        case .closed(let reason): room.close(reason)
        case .arm(let tick): arm(tick)
        }
    }

    private func dial(_ peer: PeerID, _ endpoints: [Endpoint]) {
        if let link = context.hub.link(to: host) { isHostOnLoopback = link.remote.isLoopback }
        let addresses = SocketAddress.dialled(endpoints, withLoopback: isHostOnLoopback)
        context.hub.dial(addresses, expected: peer) { [weak self, context] result in
            guard let self, !isClosed else { return context.release(peer) }
            switch result {
            case .success: feed(.linked(peer))
            case .failure: feed(.dialFailed(peer))
            }
        }
    }

    override func retire() {
        super.retire()
        order?.end(nil)
        watched?.retire()
    }
}
