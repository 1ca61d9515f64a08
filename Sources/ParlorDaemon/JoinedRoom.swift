internal import ParlorControl
internal import ParlorCrypto
internal import ParlorGames
internal import ParlorProtocol

/// A room of another peer in which this daemon has a seat.
final class JoinedRoom: Room {
    let host: PeerID
    private var machine: RoomGuest
    private let turnstile = Turnstile<RoomGuest.Input>()

    /// Comes in, with the state that the host sent first.
    init(_ state: RoomState, host: PeerID, name: String, context: RoomContext) {
        self.host = host
        machine = RoomGuest(state, me: context.signer.peer, name: name)
        super.init(context)
    }

    override var state: RoomState { machine.state }
    override var isHost: Bool { false }

    override func ask(_ id: RequestID, _ request: RoomRequest) { feed(.local(id, request)) }
    override func deadlinePassed() { feed(.deadlinePassed) }

    /// The host sent something.
    func received(_ message: RoomMessage, from peer: PeerID) {
        guard peer == host else { return }
        switch message {
        case .match(_, let id, .genesis(let bytes)): learn(bytes, id)
        case .match(_, let id, let message):
            guard let match, match.match == id, let seat = match.machine.accepted.genesis.seat(of: peer)
            else { return }
            match.feed(.received(message, from: seat))
        case .relayed(_, let id, let seat, let message):
            guard let match, match.match == id else { return }
            match.feed(.received(message, from: seat))
        case .enter, .entered, .denied, .state, .request, .reply, .closed, .say, .relay, .code:
            feed(.received(message))
        }
    }

    /// The host is out of reach.
    func lost() {
        match?.feed(.presence(seat: 0, here: false))
        feed(.linkLost)
    }

    /// The host has a connection again, and nothing was missed.
    func resumed() {
        feed(.linkResumed)
        match?.feed(.presence(seat: 0, here: true))
    }

    /// There is a new link to the host in place of the one there was.
    func hostIsNew() { feed(.linkBack) }

    /// The link to the host has ended.
    func down(_ end: LinkEnd) {
        guard !isClosed else { return }
        match?.feed(.presence(seat: 0, here: false))
        // A new link has taken its place already, and will be announced.
        guard context.hub.link(to: host) == nil else { return }
        let isShuttingDown = end.who == .peer && end.reason.rawValue == "shutting-down"
        feed(.hostGone(reason: isShuttingDown ? "shutting-down" : "host-lost"))
    }

    override func send(_ message: MatchMessage, to seat: Int) {
        guard let match, let link = context.hub.link(to: host) else { return }
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
            for action in machine.handle(input, at: now) { perform(action) }
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
}
