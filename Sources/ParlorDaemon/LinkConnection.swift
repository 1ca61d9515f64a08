internal import ParlorNet
internal import ParlorProtocol

/// One connection to a peer: TLS, then the ``Greeting``, then the bytes of the link that it carries.
final class LinkConnection {
    /// What a connection asks and tells until it carries a link.
    struct Handlers {
        /// The peer has proved its key: what a dialler says, or a listener that refuses; `nil` drops the
        /// connection.
        var hello: (LinkConnection, PeerID) -> Hello?
        /// A dialler wants a link: ``LinkConnection/answer(_:received:)`` or ``LinkConnection/refuse(_:)``.
        var asked: (LinkConnection, Hello) -> Void = { connection, _ in connection.refuse(.closed) }
        /// The connection carries a link: ``LinkConnection/carry(bytes:drained:ended:)``.
        var done: (LinkConnection, Greeted) -> Void
        /// The connection has ended before.
        var ended: (LinkConnection, LinkEnd) -> Void
    }

    let role: LinkRole
    let remote: SocketAddress
    /// The key that the peer has proved; `nil` before.
    private(set) var proved: PeerID?
    /// Whether the other side hung up before TLS was set up, as one with too many callers does.
    private(set) var wasTurnedAway = false
    /// Why whoever made it does not want it, for a person.
    var rejection: String?
    /// What the link wants to hear of the connection that carries it.
    private struct Carrier {
        var bytes: ([UInt8]) -> Void
        var drained: () -> Void
        var ended: (String) -> Void
    }

    private let stream: SecureStream
    private let loop: EventLoop
    private var carrier: Carrier?
    /// What `fault.set` does to the connection; `nil` in a daemon that allows no faults.
    private let faults: FaultBook?
    private var faulty: FaultStream?
    private let handlers: Handlers
    private var greeting: Greeting?
    private var isOver = false
    private var streamEnd: StreamEnd?
    private var timer: LoopTimer?
    /// Ends the wait for TLS and greeting together.
    private var patience: LoopTimer?
    private var patienceEnds: Tick
    /// When it was dialled or accepted.
    let startedAt: Tick
    private let turnstile = Turnstile<Greeting.Input>()

    /// Begins the handshake on a connection.
    init(
        _ stream: SecureStream, loop: EventLoop, role: LinkRole, faults: FaultBook? = nil, handlers: Handlers
    ) {
        self.stream = stream
        self.loop = loop
        self.role = role
        self.faults = faults
        self.handlers = handlers
        remote = stream.tcp.remote
        startedAt = Tick(nanoseconds: loop.now)
        patienceEnds = startedAt + Limits.greetingWait
        timer = loop.timer { [weak self] in self?.feed(.deadlinePassed) }
        patience = loop.timer { [weak self] in self?.timeIsUp() }
        patience?.set(at: patienceEnds.nanoseconds)
        stream.onReady = { [weak self] key in self?.ready(key) }
        stream.onBytes = { [weak self] bytes in self?.read(bytes) }
        stream.onDrained = { [weak self] in self?.drained() }
        stream.onClosed = { [weak self] end in self?.streamEnded(end) }
    }

    private var now: Tick { Tick(nanoseconds: loop.now) }

    /// Where this side is.
    var local: SocketAddress { stream.tcp.local }

    /// Key material of this connection, from when the peer has proved its key; see ``SecureStream``.
    func exporter(label: String, count: Int) -> [UInt8] { stream.exporter(label: label, count: count) }

    // MARK: For whoever decides

    /// Welcomes the peer that asked.
    func answer(_ hello: Hello, received: PerLane<UInt64>?) { feed(.answer(hello, received: received)) }

    /// Turns the peer away that asked.
    func refuse(_ reason: LinkReason, detail: String = "") { feed(.refuse(reason, detail: detail)) }

    /// Ends a connection that does not carry a link yet, saying why where that can be said.
    func close(_ reason: LinkReason, detail: String = "") {
        if greeting != nil { return feed(.close(reason, detail: detail)) }
        over()
        closeStream(flush: false)
    }

    /// Hands the stream to the link that it carries from here on.
    func carry(
        bytes: @escaping ([UInt8]) -> Void, drained: @escaping () -> Void, ended: @escaping (String) -> Void
    ) {
        carrier = Carrier(bytes: bytes, drained: drained, ended: ended)
    }

    /// Writes bytes of the link, or of the greeting before.
    func send(_ bytes: [UInt8]) {
        if let faulty { faulty.send(.bytes(bytes)) } else { stream.send(bytes) }
    }

    /// Ends a connection that carries a link; nothing of it is heard any more.
    func drop(flush: Bool) {
        stream.onBytes = nil
        stream.onDrained = nil
        stream.onClosed = nil
        closeStream(flush: flush)
    }

    // MARK: The stream

    private func closeStream(flush: Bool) {
        if flush, let faulty { return faulty.finish(within: Limits.closeWait) }
        faulty?.close()
        faulty = nil
        stream.close(flushingFor: flush ? UInt64(Limits.closeWait.nanoseconds) : 0)
    }

    private func read(_ bytes: [UInt8]) {
        if let faulty { faulty.receive(.bytes(bytes)) } else { take(bytes) }
    }

    private func take(_ bytes: [UInt8]) {
        if let carrier { carrier.bytes(bytes) } else { feed(.bytes(bytes)) }
    }

    private func drained() {
        if faulty?.isHoldingBack != true { carrier?.drained() }
    }

    private func streamEnded(_ end: StreamEnd) {
        guard let faulty else { return transportEnded(end) }
        streamEnd = end
        faulty.receive(.end)
    }

    /// Puts what `fault.set` asks for between the stream and the link; `false` where that lets no connection
    /// with this peer come about.
    private func beginFaults(_ peer: PeerID) -> Bool {
        guard let faults else { return true }
        guard !faults.isCut(peer, at: now) else {
            rejection = "cut by fault.set"
            return false
        }
        var timer: LoopTimer?
        let faulty = FaultStream(
            faults, peer: peer, clock: { [loop] in Tick(nanoseconds: loop.now) },
            handlers: FaultStream.Handlers(
                out: { [stream] part in
                    switch part {
                    case .bytes(let bytes): stream.send(bytes)
                    case .end: stream.close(flushingFor: UInt64(Limits.closeWait.nanoseconds))
                    }
                },
                into: { [weak self] part in
                    switch part {
                    case .bytes(let bytes): self?.take(bytes)
                    case .end: self?.faultsEnded()
                    }
                },
                cut: { [weak self, stream] in
                    self?.faulty = nil
                    stream.close(flushingFor: 0)
                },
                arm: { tick in timer?.set(at: tick?.nanoseconds) }, closed: { timer?.close() }))
        timer = loop.timer { [weak faulty] in faulty?.timePassed() }
        self.faulty = faulty
        return true
    }

    private func faultsEnded() {
        faulty?.close()
        faulty = nil
        if let streamEnd { transportEnded(streamEnd) }
    }

    // MARK: The life of a connection

    private func ready(_ key: [UInt8]) {
        guard !isOver, let peer = PeerID(bytes: key) else { return stream.close(flushingFor: 0) }
        proved = peer
        guard beginFaults(peer), let hello = handlers.hello(self, peer) else {
            return stream.close(flushingFor: 0)
        }
        greeting = Greeting(role: role, hello: hello)
        feed(.opened)
    }

    /// TLS and greeting together took too long, unless this side stood still meanwhile.
    private func timeIsUp() {
        if now > patienceEnds + Limits.stallMax {
            patienceEnds = now + Limits.greetingWait
            patience?.set(at: patienceEnds.nanoseconds)
        } else if greeting != nil {
            feed(.close(.greetingTimeout, detail: "no greeting within \(Limits.greetingWait)"))
        } else {
            stream.close(flushingFor: 0)
        }
    }

    private func transportEnded(_ end: StreamEnd) {
        if let carrier { return carrier.ended("\(end)") }
        guard !isOver else { return }
        wasTurnedAway = proved == nil && (end == .hungUp || end == .reset)
        if greeting != nil { return feed(.transportEnded("\(end)")) }
        over()
        handlers.ended(
            self, LinkEnd(who: .network, reason: .lost, phase: .connecting, detail: rejection ?? "\(end)"))
    }

    private func feed(_ input: Greeting.Input) {
        turnstile.pass(input) { input in
            guard !isOver, let actions = greeting?.handle(input, at: now) else { return }
            for action in actions { perform(action) }
        }
    }

    private func perform(_ action: Greeting.Action) {
        switch action {
        case .write(let bytes): send(bytes)
        case .asked(let hello): handlers.asked(self, hello)
        case .arm(let tick): timer?.set(at: tick?.nanoseconds)
        case .closeTransport(let flush): closeStream(flush: flush)
        case .done(let greeted):
            over()
            handlers.done(self, greeted)
        case .ended(let end):
            over()
            handlers.ended(self, end)
        }
    }

    private func over() {
        isOver = true
        timer?.close()
        patience?.close()
    }
}
