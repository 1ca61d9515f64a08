internal import ParlorControl
internal import ParlorCrypto
internal import ParlorDiscovery
internal import ParlorNet
internal import ParlorProtocol

/// What somebody wants to join.
struct JoinWish {
    /// Which room, at a peer that is reached by address.
    var reference: RoomReference
    /// Where, best first.
    var addresses: [SocketAddress]
    /// Who it has to be; `nil` for whoever answers.
    var host: PeerID?
    /// The row the addresses are from.
    var row: DiscoveredRoom?
    /// The code that whoever has it may come in with.
    var code: RoomCode?
    /// Whether to look on without a seat.
    var watch = false
    /// What to be called there.
    var name: String?
    /// How long it may take.
    var wait: Duration
    /// Whether it is asked again soon, so that the link is kept where the room is not known.
    var isRepeated = false
}

/// One way into a room: dial, enter, wait for the seat and the room's state.
final class Join {
    var done: ((Result<Room, RPCError>) -> Void)?
    private var wish: JoinWish
    /// How often this has been sent on to another peer.
    private var hops = 0
    private unowned let book: RoomBook
    private var timer: LoopTimer?
    private let loop: EventLoop
    private var host: PeerID?
    private var entered: RoomID?
    /// The seat it got; `nil` to watch.
    private var seat: Int?
    /// The proof of the wish's code, and the room that answered it.
    private var proof: CodeProof?
    private var proved: RoomID?
    private var name = ""
    private var addresses: [SocketAddress]
    /// When the addresses are looked up again after a dial that failed, and until when.
    private var again: LoopTimer?
    private let againUntil: Tick
    /// Why the last dial failed, while other addresses may turn up.
    private var failure: DialFailure?

    /// How long a room whose addresses did not work may be announced with others.
    static let againWait = Duration.milliseconds(1_500)
    /// How often it is looked whether it is.
    static let againInterval = Duration.milliseconds(50)

    init(_ wish: JoinWish, book: RoomBook, loop: EventLoop) {
        self.wish = wish
        self.book = book
        self.loop = loop
        addresses = wish.addresses
        againUntil = Tick(nanoseconds: loop.now) + Self.againWait
    }

    /// Whether it tries a code where another wish would.
    func triesCode(like other: JoinWish) -> Bool {
        wish.code != nil && other.code != nil
            && (wish.host != nil && wish.host == other.host || wish.addresses == other.addresses)
    }

    func start(name: String) {
        self.name = name
        timer = loop.timer { [weak self] in
            self?.finish(.failure(RPCError(.timedOut, "the room's host did not let you in in time")))
        }
        timer?.set(at: (Tick(nanoseconds: loop.now) + wish.wait).nanoseconds)
        again = loop.timer { [weak self] in self?.lookAgain() }
        dial()
    }

    private func dial() {
        book.hub.dial(addresses, expected: wish.host) { [weak self] result in self?.dialled(result) }
    }

    private func dialled(_ result: Result<PeerLink, DialFailure>) {
        guard done != nil else { return }
        switch result {
        case .success(let link):
            host = link.peer
            enter(link)
        case .failure(let failure):
            self.failure = failure
            if failure.kind == .identity, let row = wish.row { book.discovery.resolveAgain(row) }
            lookAgain()
        }
    }

    private var purpose: RoomMessage.Purpose { wish.watch ? .watch : .join }

    private func enter(_ link: PeerLink) {
        let endpoints = wish.watch ? [] : book.hub.ownEndpoints
        guard let code = wish.code else {
            link.send(
                .enter(wish.reference, purpose: purpose, name: name, endpoints: endpoints))
            return
        }
        let proof = CodeProof(
            code, channel: link.codeChannel(me: book.me), me: book.me, host: link.peer,
            entropy: Entropy.bytes(CodeProof.entropyBytes))
        self.proof = proof
        link.send(.code(.prove(wish.reference, purpose: purpose, name: name, share: proof.share)))
    }

    /// After a dial that failed: a record of the room's name from before may have told old addresses, so
    /// those that are announced by now are tried too.
    private func lookAgain() {
        guard let failure, done != nil else { return }
        let now = Tick(nanoseconds: loop.now)
        guard let row = wish.row, failure.isAboutAddress, now < againUntil else { return giveUp(failure) }
        let announced = book.discovery.addresses(of: row.record.roomID)
        guard announced.isEmpty || announced == addresses else {
            addresses = announced
            self.failure = nil
            return dial()
        }
        again?.set(at: (now + Self.againInterval).nanoseconds)
    }

    private func giveUp(_ failure: DialFailure) {
        if let row = wish.row, failure.kind == .unreachable || failure.kind == .timedOut {
            book.discovery.markUnreachable(row)
        }
        finish(.failure(RPCError(failure)))
    }

    func received(_ message: RoomMessage, from peer: PeerID) {
        guard peer == host else { return }
        switch message {
        case .entered(let room, let seat):
            guard entered == nil, isMeant(room) else { return }
            // A host that lets somebody in by itself has not shown that it knows the code.
            guard proof == nil else { return book.room(room) == nil ? refuseHost() : () }
            isIn(room, seat)
        case .code(let message): received(message, from: peer)
        case .state(let state, _):
            guard state.id == entered, state.host?.peer == peer else { return }
            finish(
                .success(
                    seat == nil
                        ? book.watching(state, host: peer, name: name)
                        : book.joined(state, host: peer, name: name)))
        case .denied(let reference, let refusal):
            guard reference == wish.reference || proved.map({ reference == .id($0) }) ?? false else { return }
            finish(.failure(RPCError(refusal)))
            if !wish.isRepeated { book.release(peer) }
        case .elsewhere(let room, let host, let endpoints): goOn(room, host, endpoints, from: peer)
        case .enter, .request, .reply, .closed, .say, .match, .relay, .relayed, .channel, .channelRelay,
            .channelRelayed, .hail, .words, .knock, .turns:
            break
        }
    }

    /// Asks another peer, which hosts the room by now.
    private func goOn(_ room: RoomID, _ host: PeerID, _ endpoints: [Endpoint], from peer: PeerID) {
        guard entered == nil, isMeant(room) else { return }
        guard hops < Limits.elsewhereMax, host != book.me, host != peer else {
            return finish(.failure(RPCError(.noSuchRoom, "nobody knows who hosts the room")))
        }
        hops += 1
        let isOnLoopback = book.hub.link(to: peer)?.remote.isLoopback ?? false
        (proof, proved, self.host) = (nil, nil, nil)
        wish.reference = .id(room)
        wish.host = host
        wish.row = nil
        addresses = SocketAddress.dialled(endpoints, withLoopback: isOnLoopback)
        dial()
    }

    private func received(_ message: CodeMessage, from peer: PeerID) {
        switch message {
        case .share(let room, let reference, let share):
            guard proved == nil, reference == wish.reference, isMeant(room) else { return }
            proved = room
            guard let tag = proof?.confirm(hostShare: share, room: room) else { return refuseHost() }
            book.hub.link(to: peer)?.send(.code(.confirm(room: room, tag: tag)))
        case .admitted(let room, let seat, let tag):
            guard entered == nil, room == proved else { return }
            guard proof?.isHosts(tag) ?? false else { return refuseHost() }
            isIn(room, seat)
        case .prove, .confirm: break
        }
    }

    /// The host has let this peer in; who asked for a seat must have got one.
    private func isIn(_ room: RoomID, _ seat: Int?) {
        guard seat != nil || wish.watch else {
            return finish(
                .failure(RPCError(.notAllowed, "the room's host let you watch, and gave you no seat")))
        }
        entered = room
        self.seat = seat
    }

    /// Goes away from a host that does not know the code: it is not the one that gave it out.
    private func refuseHost() {
        finish(
            .failure(
                RPCError(
                    .identityMismatch,
                    "Whoever answered does not know that code, so it is not the host who gave it to you. "
                        + "Do not type it there again.")))
        if let host { book.release(host) }
    }

    private func isMeant(_ room: RoomID) -> Bool {
        if case .id(let id) = wish.reference { return id == room }
        return true
    }

    func down(_ peer: PeerID, _ end: LinkEnd) {
        guard peer == host else { return }
        if end.reason == .replaced, hops < Limits.elsewhereMax {
            // Both sides dialled at once, or this daemon did twice: the other link is as good.
            hops += 1
            (proof, proved, entered, host) = (nil, nil, nil, nil)
            wish.host = peer
            return dial()
        }
        let why = end.detail.isEmpty ? end.reason.rawValue : end.detail
        finish(.failure(RPCError(.unreachable, "the link to the room's host was lost: \(why)")))
    }

    private func finish(_ result: Result<Room, RPCError>) {
        guard let done else { return }
        self.done = nil
        timer?.close()
        again?.close()
        done(result)
    }
}
