internal import ParlorNet
internal import ParlorProtocol

/// Why a peer could not be reached.
struct DialFailure: Error {
    /// Whether the wrong peer answered, nobody answered in time, or everybody refused.
    enum Kind { case unreachable, identity, versions, timedOut, busy }
    let kind: Kind
    /// Each address with what happened there.
    let tries: [String]

    /// Whether other addresses could do better.
    var isAboutAddress: Bool {
        switch kind {
        case .unreachable, .identity: true
        case .versions, .timedOut, .busy: false
        }
    }
}

/// One attempt to reach a peer at several addresses, begun a moment after each other: the first that proves
/// to be the peer is greeted, the others are closed.
final class Dial {
    var done: ((Result<PeerLink, DialFailure>) -> Void)?
    private let loop: EventLoop
    private unowned let hub: LinkHub
    private let addresses: [SocketAddress]
    private var waiting: [SocketAddress]
    private let expected: PeerID?
    private var attempts: [(address: SocketAddress, attempt: ConnectAttempt)] = []
    /// Connections whose peer has not proved who it is.
    private var unproved: [LinkConnection] = []
    /// The connection that is being greeted.
    private var greeted: LinkConnection?
    private var tries: [String] = []
    private var kind = DialFailure.Kind.unreachable
    private var stagger: LoopTimer?
    private var deadline: LoopTimer?

    init(loop: EventLoop, hub: LinkHub, addresses: [SocketAddress], expected: PeerID?) {
        self.loop = loop
        self.hub = hub
        self.addresses = addresses
        waiting = addresses
        self.expected = expected
    }

    /// Begins; `wait` is what it may take in all.
    func start(wait: Duration) {
        deadline = loop.timer { [weak self] in self?.timeIsUp(wait) }
        deadline?.set(at: (now + wait).nanoseconds)
        stagger = loop.timer { [weak self] in self?.next() }
        next()
    }

    /// Whether the dial is for a peer, as far as it knows.
    func concerns(_ peer: PeerID) -> Bool { expected == peer || greeted?.proved == peer }

    /// Whether a hello is on its way to a peer.
    func hasGreeted(_ peer: PeerID) -> Bool { greeted?.proved == peer }

    /// There is a link to the peer, by this dial or otherwise.
    func won(_ link: PeerLink) { finish(.success(link)) }

    /// Gives up.
    func cancel() { finish(.failure(DialFailure(kind: .timedOut, tries: ["given up"]))) }

    private var now: Tick { Tick(nanoseconds: loop.now) }

    // MARK: Tries

    private func next() {
        guard done != nil, greeted == nil else { return }
        guard !waiting.isEmpty else { return finishIfNothingIsLeft() }
        let address = waiting.removeFirst()
        if !waiting.isEmpty { setStagger() }
        do {
            let attempt = try TCPStream.connect(loop: loop, to: address) { [weak self] result in
                self?.connected(address, result)
            }
            attempts.append((address, attempt))
        } catch {
            gaveUp(address, error.sentence)
        }
    }

    private func setStagger() { stagger?.set(at: (now + Limits.dialStagger).nanoseconds) }

    private func connected(_ address: SocketAddress, _ result: Result<TCPStream, NetError>) {
        attempts.removeAll { $0.address == address }
        switch result {
        case .success(let stream):
            guard done != nil else { return stream.close(flushingFor: 0) }
            let connection = hub.connection(
                stream, .dialler,
                LinkConnection.Handlers(
                    hello: { [weak self] connection, peer in self?.proved(connection, peer) },
                    done: { [weak self] connection, greeted in self?.welcomed(connection, greeted) },
                    ended: { [weak self] connection, end in self?.failed(connection, end) }))
            guard let connection else { return gaveUp(address, "no memory for a secure connection") }
            unproved.append(connection)
        case .failure(let error): gaveUp(address, error.sentence)
        }
    }

    /// Greets the first that is the right peer; others that were begun may have their turn if it fails.
    private func proved(_ connection: LinkConnection, _ peer: PeerID) -> Hello? {
        guard done != nil, greeted == nil else { return nil }
        guard peer != hub.me else {
            connection.rejection = "this is the peer itself"
            return nil
        }
        guard expected == nil || expected == peer else {
            kind = .identity
            connection.rejection = "another peer answered"
            return nil
        }
        if let link = hub.link(to: peer), link.isAttached {
            won(link)
            return nil
        }
        greeted = connection
        unproved.removeAll { $0 === connection }
        stagger?.set(at: nil)
        let others = unproved.map(\.remote) + attempts.map(\.address)
        waiting.insert(contentsOf: others, at: 0)
        abandonOthers()
        return hub.hello(to: peer)
    }

    private func welcomed(_ connection: LinkConnection, _ welcome: Greeted) {
        guard greeted === connection else { return connection.drop(flush: false) }
        greeted = nil
        guard let link = hub.carry(connection, welcome, dialled: addresses) else {
            return gaveUp(connection.remote, "the link ended meanwhile")
        }
        won(link)
    }

    private func failed(_ connection: LinkConnection, _ end: LinkEnd) {
        guard done != nil, greeted === connection || unproved.contains(where: { $0 === connection }) else {
            return
        }
        if greeted === connection { greeted = nil }
        unproved.removeAll { $0 === connection }
        let address = connection.remote
        let isOvertaken = end.who == .peer && end.reason == .replaced
        guard !connection.wasTurnedAway, !isOvertaken else { return turnedAway(address, end) }
        if end.reason == .noCommonVersion { kind = .versions }
        if end.reason == .busy { kind = .busy }
        gaveUp(address, end.detail.isEmpty ? end.reason.rawValue : end.detail)
    }

    /// A peer with too many callers hangs up at once, and has room again within seconds; one whose own dial
    /// stays will have a link soon.
    private func turnedAway(_ address: SocketAddress, _ end: LinkEnd) {
        if end.reason != .replaced { kind = .busy }
        note("\(address): \(end.detail.isEmpty ? end.reason.rawValue : end.detail)")
        waiting.append(address)
        setStagger()
    }

    private func gaveUp(_ address: SocketAddress, _ why: String) {
        note(why.contains("\(address)") ? why : "\(address): \(why)")
        if !waiting.isEmpty { next() } else { finishIfNothingIsLeft() }
    }

    private func note(_ text: String) {
        if !tries.contains(text) { tries.append(text) }
    }

    // MARK: Ends

    private func finishIfNothingIsLeft() {
        guard attempts.isEmpty, unproved.isEmpty, greeted == nil, waiting.isEmpty else { return }
        finish(.failure(DialFailure(kind: kind, tries: tries)))
    }

    private func timeIsUp(_ wait: Duration) {
        let open = attempts.map(\.address) + (unproved + [greeted].compactMap { $0 }).map(\.remote)
        for address in open { note("\(address): no answer within \(wait)") }
        if open.isEmpty { note("no answer within \(wait)") }
        finish(.failure(DialFailure(kind: kind == .busy ? .busy : .timedOut, tries: tries)))
    }

    /// Closes all but the connection that is being greeted.
    private func abandonOthers() {
        for (_, attempt) in attempts { attempt.cancel() }
        attempts = []
        let others = unproved
        unproved = []
        for connection in others { connection.close(.closed) }
    }

    private func finish(_ result: Result<PeerLink, DialFailure>) {
        guard let done else { return }
        self.done = nil
        stagger?.close()
        deadline?.close()
        abandonOthers()
        let left = greeted
        greeted = nil
        left?.close(.closed)
        done(result)
    }
}
