internal import ParlorControl
internal import ParlorNet
internal import ParlorProtocol

/// Drives the ``Reach`` of one match: tells its machine which seats are here, and knows the way to each.
final class RoomReach {
    private unowned let room: Room
    private unowned let match: MatchDriver
    private var machine: Reach
    private var timer: LoopTimer?
    private let turnstile = Turnstile<Reach.Input>()

    init(_ room: Room, _ match: MatchDriver) {
        self.room = room
        self.match = match
        let peers = match.machine.accepted.genesis.seats.filter { !$0.bot && $0.peer != room.me }.map(\.peer)
        let begin: Reach.Action
        (machine, begin) = Reach.begin(
            peers.map { ($0, room.line(to: $0)) }, host: room.part.host, at: room.now)
        timer = room.context.loop.timer { [weak self] in self?.feed(.deadlinePassed) }
        perform(begin)
    }

    /// To whom to give what is for a peer; `nil` when there is no way that works.
    func way(to peer: PeerID) -> PeerID? { machine.way(to: peer) }

    /// Feeds the machine, and carries out what it asks before the next input.
    func feed(_ input: Reach.Input) {
        guard timer != nil else { return }
        turnstile.pass(input) { input in
            for action in machine.handle(input, at: room.now) { perform(action) }
        }
    }

    private func perform(_ action: Reach.Action) {
        switch action {
        case .hail(let peer, let member, let isAnswer):
            let hail = RoomMessage.hail(room: room.id, from: room.me, to: peer, isAnswer: isAnswer)
            room.context.hub.link(to: member)?.send(hail)
        case .here(let peer, let isHere):
            guard let seat = match.machine.accepted.genesis.seat(of: peer) else { return }
            match.feed(.presence(seat: seat, here: isHere))
        case .arm(let tick): timer?.set(at: tick?.nanoseconds)
        }
    }

    /// Ends with the match.
    func close() {
        timer?.close()
        timer = nil
    }
}

// Messages of a match take the same ways whoever hosts the room.
extension Room {
    /// How the link to a peer is doing, as far as messages of the match go.
    func line(to peer: PeerID) -> Reach.Line {
        guard part.isDirect(peer), let link = context.hub.link(to: peer), !link.isLost else { return .none }
        return link.isSuspect ? .silent : .up
    }

    /// Gets a message to another seat's machine.
    func send(_ message: MatchMessage, to seat: Int) {
        // Who watches gets accepted entries only, though it may have had a seat.
        guard let match, let peer = peer(of: seat), !state.isWatching(peer) else { return }
        let way = way(to: peer) ?? peer
        let direct = RoomMessage.match(room: id, match: match.match, message)
        context.hub.link(to: way)?
            .send(way == peer ? direct : .relay(room: id, match: match.match, to: seat, message))
    }

    /// Who has a seat of the match that is on, or was last.
    func peer(of seat: Int) -> PeerID? {
        guard let seats = match?.machine.accepted.genesis.seats, seats.indices.contains(seat) else {
            return nil
        }
        return seats[seat].peer
    }

    /// A member or another peer sent something about the room.
    func received(_ message: RoomMessage, from peer: PeerID) {
        if let watched { return watched.received(message, from: peer) }
        if state.isWatching(peer) { return received(message, fromWatcher: peer) }
        switch message {
        case .match(_, _, .genesis): part.received(message, from: peer)
        case .match(_, let id, let message):
            guard let match, match.match == id, let seat = seat(of: peer) else { return }
            match.feed(.received(message, from: seat))
        case .relay(_, let id, let target, let message):
            guard let match, match.match == id, let seat = seat(of: peer), target != seat,
                let receiver = self.peer(of: target)
            else { return }
            guard receiver != me else { return match.feed(.received(message, from: seat)) }
            context.hub.link(to: receiver)?.send(.relayed(room: self.id, match: id, from: seat, message))
        case .relayed(_, let id, let seat, let message):
            guard let match, match.match == id, self.seat(of: peer) != nil, seat != match.machine.seat else {
                return
            }
            match.feed(.relayed(message, from: seat))
        case .hail(_, let sender, let receiver, let isAnswer): hailed(sender, receiver, isAnswer, by: peer)
        case .enter, .entered, .denied, .state, .request, .reply, .closed, .say, .code, .channel,
            .channelRelay, .channelRelayed, .elsewhere, .words, .knock, .turns:
            part.received(message, from: peer)
        }
    }

    /// A watcher takes no part in the match, though it may have had a seat.
    private func received(_ message: RoomMessage, fromWatcher peer: PeerID) {
        switch message {
        case .match(_, let id, let message):
            guard let match, match.match == id else { return }
            hosted?.receivedFromWatcher(message, match, peer)
        case .relay, .relayed, .hail: break
        case .enter, .entered, .denied, .state, .request, .reply, .closed, .say, .code, .channel,
            .channelRelay, .channelRelayed, .elsewhere, .words, .knock, .turns:
            part.received(message, from: peer)
        }
    }

    private func hailed(_ sender: PeerID, _ receiver: PeerID, _ isAnswer: Bool, by peer: PeerID) {
        guard seat(of: sender) != nil, seat(of: receiver) != nil, seat(of: peer) != nil else { return }
        if receiver == me {
            reachFeed(.hailed(sender, by: peer, isAnswer: isAnswer))
        } else if sender == peer, line(to: receiver) == .up {
            context.hub.link(to: receiver)?
                .send(.hail(room: id, from: sender, to: receiver, isAnswer: isAnswer))
        }
    }

    private func seat(of peer: PeerID) -> Int? { match?.machine.accepted.genesis.seat(of: peer) }
}
