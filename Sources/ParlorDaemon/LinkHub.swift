internal import ParlorCrypto
internal import ParlorNet
internal import ParlorProtocol

/// All links of this daemon: takes and makes them, at most one a peer, connects them again when their
/// connection is lost, and hands their messages on.
final class LinkHub {
    /// What the hub tells the daemon.
    struct Handlers {
        /// There is a new link.
        ///
        /// Where it takes another's place, ``down`` has just been called with that.
        var up: (PeerLink, PeerID) -> Void
        var received: (PeerID, RoomMessage) -> Void
        /// A message of the unreliable channel.
        var unreliable: (PeerID, [UInt8]) -> Void = { _, _ in }
        /// The peer is silent, or its connection broke; or it is heard again.
        var liveness: (PeerID, _ isSuspect: Bool) -> Void
        /// The peer has been out of reach for so long that it counts as lost; the link may be resumed yet.
        var lost: (PeerID) -> Void = { _ in }
        /// The peer has a connection again, after losing it and perhaps after ``lost``; nothing is missing.
        var resumed: (PeerID) -> Void = { _ in }
        /// The link has ended for good.
        var down: (PeerLink, PeerID, LinkEnd) -> Void
        /// Whether anybody needs the link to a peer.
        var isNeeded: (PeerID) -> Bool = { _ in true }
    }

    /// What goes on to connect a link again.
    private struct Redial {
        let timer: LoopTimer
        var dial: Dial?
    }

    let me: PeerID
    private let loop: EventLoop
    private let context: TLSContext
    private let software: String
    private let name: () -> String
    private let games: [Hello.Game]
    var handlers: Handlers?
    /// What `fault.set` asks for; `nil` where that is not allowed.
    var faults: FaultBook?
    private var listeners: [TCPListener] = []
    private let ports = DatagramPorts()
    /// Connections of others that carry no link yet.
    private var strangers: [ObjectIdentifier: LinkConnection] = [:]
    private var links: [PeerID: PeerLink] = [:]
    private var dials: [ObjectIdentifier: Dial] = [:]
    private var redials: [PeerID: Redial] = [:]
    private var needs: LoopTimer?
    /// How long a link is kept that nobody needs; tests have less patience.
    var unusedWait = Limits.unusedWait
    private var linkIDs: UInt32
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
        // Somewhere else after each start, so that nobody takes a new link for one of before.
        linkIDs = Entropy.bytes(4).reduce(0) { $0 << 8 | UInt32($1) }
        needs = loop.timer { [weak self] in self?.lookForUnneeded() }
    }

    /// The peers that have a link, lowest ID first.
    var peers: [(PeerID, PeerLink)] { links.sorted { $0.key < $1.key } }

    /// The link to a peer; `nil` when there is none.
    func link(to peer: PeerID) -> PeerLink? { links[peer] }

    private var now: Tick { Tick(nanoseconds: loop.now) }

    private func hello(linkID: UInt32, resume: Hello.Resume? = nil) -> Hello {
        Hello(
            software: software, name: name(), games: games, linkID: linkID, datagramPort: port,
            listenPort: port, resume: resume)
    }

    private func newLinkID() -> UInt32 {
        linkIDs &+= 1
        return linkIDs
    }

    // MARK: Listening

    /// Listens on an address, by TCP and UDP; all addresses share the port of the first.
    func listen(on address: SocketAddress, dualStack: Bool) throws(NetError) {
        let twin = try TwinPort(
            loop: loop, on: address, dualStack: dualStack, datagramBytesMax: Limits.datagramBytesMax)
        ports.add(twin.datagrams)
        let listener = twin.listener
        listener.onAccept = { [weak self] stream in self?.accept(stream) }
        listeners.append(listener)
        addresses.append(listener.address)
        port = listener.port
    }

    /// Takes no more links.
    func stopListening() {
        for listener in listeners { listener.close() }
        listeners = []
        ports.close()
        addresses = []
    }

    private func accept(_ stream: TCPStream) {
        let fromThere = strangers.values.count { $0.remote.host == stream.remote.host }
        let most = stream.remote.isLoopback ? Limits.strangersMax : Limits.strangersOfAddressMax
        guard !isStopping, strangers.count < Limits.strangersMax, fromThere < most else {
            return stream.close(flushingFor: 0)
        }
        let stranger = connection(
            stream, .listener,
            LinkConnection.Handlers(
                hello: { [weak self] _, peer in
                    guard let self, peer != me else { return nil }
                    return hello(linkID: 0)
                },
                asked: { [weak self] connection, hello in self?.asked(connection, hello) },
                done: { [weak self] connection, greeted in
                    self?.strangers[ObjectIdentifier(connection)] = nil
                    _ = self?.carry(connection, greeted, dialled: [])
                },
                ended: { [weak self] connection, _ in self?.strangers[ObjectIdentifier(connection)] = nil }))
        if let stranger { strangers[ObjectIdentifier(stranger)] = stranger }
    }

    /// Begins TLS on a connection; `nil` when there is no memory for it.
    func connection(
        _ stream: TCPStream, _ role: LinkRole, _ handlers: LinkConnection.Handlers
    ) -> LinkConnection? {
        do {
            let secure = try SecureStream(
                stream, context: context, role: role == .dialler ? .client : .server)
            return LinkConnection(secure, loop: loop, role: role, faults: faults, handlers: handlers)
        } catch {
            stream.close(flushingFor: 0)
            return nil
        }
    }

    /// A peer wants a link, or its link back.
    private func asked(_ connection: LinkConnection, _ hello: Hello) {
        guard let peer = connection.proved else { return }
        let link = links[peer]
        guard !isStopping else { return connection.refuse(.closed) }
        guard !isOutdone(peer), link?.isOutdated(hello) != true else { return connection.refuse(.replaced) }
        if let link, let received = link.received(resumedBy: hello) {
            return connection.answer(self.hello(linkID: link.id), received: received)
        }
        connection.answer(self.hello(linkID: newLinkID()), received: nil)
    }

    /// Whether a peer's dial gives way to this side's: of two at the same time the lower peer's stays.
    private func isOutdone(_ peer: PeerID) -> Bool {
        guard me < peer else { return false }
        if dials.values.contains(where: { $0.hasGreeted(peer) }) { return true }
        guard let link = links[peer], link.role == .dialler, link.isAttached else { return false }
        return now - link.attachedAt < Limits.simultaneousWait
    }

    // MARK: The life of a link

    /// What to say to a peer that has been reached; a link that lost its connection is resumed.
    func hello(to peer: PeerID) -> Hello {
        guard let link = links[peer], link.isOpen else { return hello(linkID: newLinkID()) }
        return hello(linkID: link.id, resume: link.resume)
    }

    /// Gives a connection to the link that it is for: to the one it resumes, or to a new one.
    func carry(_ connection: LinkConnection, _ greeted: Greeted, dialled: [SocketAddress]) -> PeerLink? {
        guard let peer = connection.proved else { return nil }
        let old = links[peer]
        if greeted.resumed != nil {
            guard let old else {
                connection.drop(flush: false)
                return nil
            }
            old.attach(connection, greeted)
            found(old)
            return old
        }
        let link = PeerLink(
            connection, greeted, peer: peer, dialled: dialled, loop: loop, ports: ports, faults: faults,
            handlers: linkHandlers)
        links[peer] = link
        if greeted.own.resume != nil { old?.peerForgot() } else { old?.giveWay() }
        handlers?.up(link, peer)
        look(after: link)
        found(link)
        link.begin()
        return link
    }

    private var linkHandlers: PeerLink.Handlers {
        PeerLink.Handlers(
            received: { [weak self] link, message in self?.handlers?.received(link.peer, message) },
            unreliable: { [weak self] link, message in self?.handlers?.unreliable(link.peer, message) },
            liveness: { [weak self] link, isSuspect in self?.handlers?.liveness(link.peer, isSuspect) },
            lost: { [weak self] link in self?.handlers?.lost(link.peer) },
            detached: { [weak self] link in self?.detached(link) },
            resumed: { [weak self] link in self?.handlers?.resumed(link.peer) },
            ended: { [weak self] link, end in self?.ended(link, end) })
    }

    private func ended(_ link: PeerLink, _ end: LinkEnd) {
        if links[link.peer] === link {
            links[link.peer] = nil
            stopRedialling(link.peer)
        }
        handlers?.down(link, link.peer, end)
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
        for connection in strangers.values { connection.close(reason) }
        for link in links.values { link.close(reason) }
    }

    /// Whether nothing is connected any more.
    var isQuiet: Bool { links.isEmpty && strangers.isEmpty }

    // MARK: Links without use

    /// Notes that a link is new, which somebody has to need soon.
    private func look(after link: PeerLink) {
        link.unusedSince = now
        if links.count == 1 { needs?.set(at: (now + unusedWait).nanoseconds) }
    }

    /// Closes links that nobody has needed for long, and looks again when the next may have to go.
    private func lookForUnneeded() {
        var next = now + unusedWait
        for (peer, link) in links {
            guard handlers?.isNeeded(peer) == false else {
                link.unusedSince = nil
                continue
            }
            let since = link.unusedSince ?? now
            link.unusedSince = since
            if now >= since + unusedWait {
                link.close(.closed, detail: "nobody needs the link")
            } else {
                next = min(next, since + unusedWait)
            }
        }
        needs?.set(at: links.isEmpty ? nil : next.nanoseconds)
    }

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
        if let expected, let link = links[expected], link.isAttached { return done(.success(link)) }
        newDial(addresses, expected, done).start(wait: Limits.dialWait)
    }

    private func newDial(
        _ addresses: [SocketAddress], _ expected: PeerID?,
        _ done: @escaping (Result<PeerLink, DialFailure>) -> Void
    ) -> Dial {
        let dial = Dial(loop: loop, hub: self, addresses: addresses, expected: expected)
        dials[ObjectIdentifier(dial)] = dial
        dial.done = { [weak self, unowned dial] result in
            self?.dials[ObjectIdentifier(dial)] = nil
            done(result)
        }
        return dial
    }

    /// There is a connection to a peer: whoever dials it is done.
    private func found(_ link: PeerLink) {
        stopRedialling(link.peer)
        for dial in dials.values where dial.concerns(link.peer) { dial.won(link) }
    }

    /// A link has lost its connection: who dialled last tries at once to make another, the other a little
    /// later.
    private func detached(_ link: PeerLink) {
        guard !isStopping, links[link.peer] === link else { return }
        stopRedialling(link.peer)
        let timer = loop.timer { [weak self, weak link] in if let link { self?.redial(link) } }
        redials[link.peer] = Redial(timer: timer)
        timer.set(at: link.role == .dialler ? loop.now : (now + Limits.redialOtherWait).nanoseconds)
    }

    private func redial(_ link: PeerLink) {
        let addresses = link.addresses
        guard links[link.peer] === link, link.isOpen, !link.isAttached, !addresses.isEmpty else { return }
        let dial = newDial(addresses, link.peer) { [weak self, weak link] result in
            guard let self, let link, case .failure = result else { return }
            redials[link.peer]?.timer.set(at: (now + Limits.redialInterval).nanoseconds)
        }
        redials[link.peer]?.dial = dial
        dial.start(wait: Limits.greetingWait)
    }

    private func stopRedialling(_ peer: PeerID) {
        guard let redial = redials.removeValue(forKey: peer) else { return }
        redial.timer.close()
        redial.dial?.cancel()
    }
}
