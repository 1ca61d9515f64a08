internal import ParlorCrypto
internal import ParlorNet
internal import ParlorProtocol

/// All links of this daemon: takes and makes them, at most one a peer, and hands their messages on.
final class LinkHub {
    /// Strangers, not yet welcomed, that may be connected at once.
    static let strangersMax = 64
    /// The same from one address that is not this machine's.
    static let strangersOfAddressMax = 8
    /// How long two links of opposite directions count as dialled at the same time.
    static let simultaneousWait = Duration.seconds(3)

    /// What the hub tells the daemon.
    struct Handlers {
        var up: (PeerLink, PeerID) -> Void
        var received: (PeerID, RoomMessage) -> Void
        /// A message of the unreliable channel.
        var unreliable: (PeerID, [UInt8]) -> Void = { _, _ in }
        var liveness: (PeerID, _ isSuspect: Bool) -> Void
        /// The peer has no link any more.
        var down: (PeerLink, PeerID, LinkEnd) -> Void
    }

    let me: PeerID
    private let loop: EventLoop
    private let context: TLSContext
    private let name: () -> String
    private let games: [Hello.Game]
    var handlers: Handlers?
    private var listeners: [TCPListener] = []
    /// Links that are not set up yet, and those being replaced.
    private var strangers: [ObjectIdentifier: PeerLink] = [:]
    private var links: [PeerID: PeerLink] = [:]
    private var dials: [ObjectIdentifier: Dial] = [:]
    private var linkIDs: UInt32 = 0
    private(set) var port: UInt16 = 0
    private(set) var addresses: [SocketAddress] = []
    private var isStopping = false

    init(
        loop: EventLoop, seed: [UInt8], software: String, name: @escaping () -> String, games: [Hello.Game]
    ) throws(NetError) {
        self.loop = loop
        context = try TLSContext(seed: seed)
        me = Signer(SigningKey(seed: seed)).peer
        self.software = software
        self.name = name
        self.games = games
    }

    private let software: String

    /// The peers that have a link, lowest ID first.
    var peers: [(PeerID, PeerLink)] { links.sorted { $0.key < $1.key } }

    /// The link to a peer; `nil` when there is none.
    func link(to peer: PeerID) -> PeerLink? { links[peer] }

    // MARK: Listening

    /// Listens on an address; all addresses share the port of the first.
    func listen(on address: SocketAddress, dualStack: Bool) throws(NetError) {
        let listener = try TCPListener(loop: loop, on: address, dualStack: dualStack)
        listener.onAccept = { [weak self] stream in self?.accept(stream) }
        listeners.append(listener)
        addresses.append(listener.address)
        port = listener.port
    }

    /// Takes no more links.
    func stopListening() {
        for listener in listeners { listener.close() }
        listeners = []
        addresses = []
    }

    private func accept(_ stream: TCPStream) {
        let fromThere = strangers.values.count { $0.remote.host == stream.remote.host }
        let most = stream.remote.isLoopback ? Self.strangersMax : Self.strangersOfAddressMax
        guard !isStopping, strangers.count < Self.strangersMax, fromThere < most else {
            return stream.close(flushingFor: 0)
        }
        _ = begin(stream, role: .listener, expected: nil, dial: nil)
    }

    fileprivate func begin(
        _ stream: TCPStream, role: Link.Role, expected: PeerID?, dial: Dial?
    ) -> PeerLink? {
        let secure: SecureStream
        do {
            secure = try SecureStream(stream, context: context, role: role == .dialler ? .client : .server)
        } catch {
            stream.close(flushingFor: 0)
            return nil
        }
        linkIDs &+= 1
        let hello = Hello(
            software: software, name: name(), games: games, linkID: linkIDs, listenPort: port)
        let link = PeerLink(
            secure, loop: loop, role: role, hello: hello, expected: expected,
            handlers: PeerLink.Handlers(
                established: { [weak self] link in self?.established(link, dial) },
                received: { [weak self] link, message in self?.received(link, message) },
                liveness: { [weak self] link, isSuspect in
                    guard let peer = link.peer, self?.links[peer] === link else { return }
                    self?.handlers?.liveness(peer, isSuspect)
                },
                ended: { [weak self] link, end in self?.ended(link, end, dial) }))
        strangers[ObjectIdentifier(link)] = link
        return link
    }

    // MARK: The life of a link

    private func established(_ link: PeerLink, _ dial: Dial?) {
        guard let peer = link.peer else { return }
        guard peer != me else { return link.close(.closed, detail: "this is the peer itself") }
        if let old = links[peer], old !== link {
            guard isKept(link, over: old, peer) else {
                link.close(.replaced)
                dial?.won(old)
                return
            }
            strangers[ObjectIdentifier(old)] = old
            links[peer] = link
            old.close(.replaced)
        }
        strangers[ObjectIdentifier(link)] = nil
        links[peer] = link
        handlers?.up(link, peer)
        dial?.won(link)
    }

    /// Of two links dialled from both sides at the same time the lower peer's stays; otherwise the newer one.
    private func isKept(_ new: PeerLink, over old: PeerLink, _ peer: PeerID) -> Bool {
        let now = Tick(nanoseconds: loop.now)
        guard new.role != old.role, old.isOpen, now - old.startedAt < Self.simultaneousWait else {
            return true
        }
        return (new.role == .dialler) == (me < peer)
    }

    private func received(_ link: PeerLink, _ message: RoomMessage) {
        guard let peer = link.peer else { return }
        handlers?.received(peer, message)
    }

    private func ended(_ link: PeerLink, _ end: LinkEnd, _ dial: Dial?) {
        strangers[ObjectIdentifier(link)] = nil
        if let peer = link.peer, links[peer] === link {
            links[peer] = nil
            handlers?.down(link, peer, end)
        }
        dial?.failed(link, end)
    }

    /// Closes the link to a peer that nobody needs any more.
    func close(_ peer: PeerID, _ reason: LinkReason, detail: String = "") {
        links[peer]?.close(reason, detail: detail)
    }

    /// Says goodbye to everybody.
    func stop(_ reason: LinkReason) {
        isStopping = true
        stopListening()
        for dial in dials.values { dial.cancel() }
        dials = [:]
        for link in Array(links.values) + Array(strangers.values) { link.close(reason) }
    }

    /// Whether nothing is connected any more.
    var isQuiet: Bool { links.isEmpty && strangers.isEmpty }

    // MARK: Dialling

    /// Connects to a peer, or uses the link there is.
    ///
    /// - Parameters:
    ///   - addresses: Where it may be, best first.
    ///   - expected: Who it must be; `nil` for whoever is there.
    ///   - done: Called once, with the link or with what was tried.
    func dial(
        _ addresses: [SocketAddress], expected: PeerID?,
        done: @escaping (Result<PeerLink, DialFailure>) -> Void
    ) {
        guard !isStopping else {
            return done(.failure(DialFailure(kind: .unreachable, tries: ["this daemon is stopping"])))
        }
        if let expected, let link = links[expected], link.isOpen { return done(.success(link)) }
        let dial = Dial(loop: loop, hub: self, addresses: addresses, expected: expected)
        dials[ObjectIdentifier(dial)] = dial
        dial.done = { [weak self, unowned dial] result in
            self?.dials[ObjectIdentifier(dial)] = nil
            done(result)
        }
        dial.start()
    }
}

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

/// One attempt to reach a peer at several addresses: the first link that is set up wins.
final class Dial {
    /// Between the starts of two tries, and before an address that turned the caller away is tried again.
    static let stagger = Duration.milliseconds(250)
    /// In all.
    static let wait = Duration.seconds(5)

    fileprivate var done: ((Result<PeerLink, DialFailure>) -> Void)?
    private let loop: EventLoop
    private unowned let hub: LinkHub
    private var waiting: [SocketAddress]
    private let expected: PeerID?
    private var attempts: [ConnectAttempt] = []
    private var links: [PeerLink] = []
    private var underWay = 0
    private var tries: [String] = []
    private var kind = DialFailure.Kind.unreachable
    private var stagger: LoopTimer?
    private var deadline: LoopTimer?

    fileprivate init(loop: EventLoop, hub: LinkHub, addresses: [SocketAddress], expected: PeerID?) {
        self.loop = loop
        self.hub = hub
        waiting = addresses
        self.expected = expected
    }

    fileprivate func start() {
        deadline = loop.timer { [weak self] in self?.timeIsUp() }
        deadline?.set(at: (Tick(nanoseconds: loop.now) + Self.wait).nanoseconds)
        stagger = loop.timer { [weak self] in self?.next() }
        next()
    }

    private func next() {
        guard done != nil else { return }
        guard !waiting.isEmpty else { return finishIfNothingIsLeft() }
        let address = waiting.removeFirst()
        if !waiting.isEmpty { stagger?.set(at: (Tick(nanoseconds: loop.now) + Self.stagger).nanoseconds) }
        underWay += 1
        do {
            attempts.append(
                try TCPStream.connect(loop: loop, to: address) { [weak self] result in
                    self?.connected(address, result)
                })
        } catch {
            gaveUp(address, error.sentence)
        }
    }

    private func connected(_ address: SocketAddress, _ result: Result<TCPStream, NetError>) {
        switch result {
        case .success(let stream):
            guard done != nil else { return stream.close(flushingFor: 0) }
            guard let link = hub.begin(stream, role: .dialler, expected: expected, dial: self) else {
                return gaveUp(address, "no memory for a secure connection")
            }
            links.append(link)
        case .failure(let error): gaveUp(address, error.sentence)
        }
    }

    fileprivate func won(_ link: PeerLink) {
        guard done != nil else { return }
        finish(.success(link), keeping: link)
    }

    fileprivate func failed(_ link: PeerLink, _ end: LinkEnd) {
        guard done != nil else { return }
        let address = link.remote
        guard !link.wasTurnedAway else { return turnedAway(address, end) }
        if end.reason == .noCommonVersion { kind = .versions }
        if end.reason == .busy { kind = .busy }
        if let expected, let other = links.first(where: { $0.remote == address })?.proved, other != expected {
            kind = .identity
        }
        gaveUp(address, end.detail.isEmpty ? end.reason.rawValue : end.detail)
    }

    /// A peer with too many callers hangs up at once, and has room again within seconds.
    private func turnedAway(_ address: SocketAddress, _ end: LinkEnd) {
        kind = .busy
        underWay -= 1
        let said = "\(address): \(end.detail)"
        if !tries.contains(said) { tries.append(said) }
        waiting.append(address)
        stagger?.set(at: (Tick(nanoseconds: loop.now) + Self.stagger).nanoseconds)
    }

    private func gaveUp(_ address: SocketAddress, _ why: String) {
        underWay -= 1
        tries.append(why.contains("\(address)") ? why : "\(address): \(why)")
        if !waiting.isEmpty { next() } else { finishIfNothingIsLeft() }
    }

    private func finishIfNothingIsLeft() {
        guard underWay == 0, waiting.isEmpty else { return }
        finish(.failure(DialFailure(kind: kind, tries: tries)), keeping: nil)
    }

    private func timeIsUp() {
        tries.append("no answer within \(Self.wait)")
        finish(.failure(DialFailure(kind: kind == .busy ? .busy : .timedOut, tries: tries)), keeping: nil)
    }

    fileprivate func cancel() {
        finish(.failure(DialFailure(kind: .timedOut, tries: ["given up"])), keeping: nil)
    }

    private func finish(_ result: Result<PeerLink, DialFailure>, keeping kept: PeerLink?) {
        guard let done else { return }
        self.done = nil
        stagger?.close()
        deadline?.close()
        for attempt in attempts { attempt.cancel() }
        for link in links where link !== kept { link.close(.closed) }
        done(result)
    }
}
