internal import ParlorNet
internal import ParlorProtocol

/// Drives one ``Link`` and its ``Unreliable`` channel over TLS and datagrams as the daemon does, for raw
/// messages instead of those of rooms, and without coming back after a lost connection.
final class BenchLink {
    /// Kinds of message, by their first byte.
    enum Kind {
        /// Comes back as it is.
        static let echo: UInt8 = 0
        /// Is taken and forgotten.
        static let count: UInt8 = 1
    }

    /// Called once messages can be sent.
    var onOpen: (() -> Void)?
    /// Called with each message of the lanes.
    var onMessage: ((Lane, [UInt8]) -> Void)?
    /// Called with each message of the unreliable channel.
    var onUnreliable: (([UInt8]) -> Void)?
    /// Called when unreliable messages take another way.
    var onPath: ((UnreliablePath) -> Void)?
    /// Called when there may be room for more messages.
    var onRoom: (() -> Void)?
    /// Called at the end.
    var onEnd: (() -> Void)?

    private let loop: EventLoop
    private let stream: SecureStream
    private let socket: DatagramSocket?
    private let id: UInt32
    private let role: LinkRole
    private let startedAt: Tick
    private var greeting: Greeting
    private var machine: Link?
    private var unreliable = Unreliable()
    private var timer: LoopTimer?
    private var unreliableTimer: LoopTimer?
    private var waiting: [Step] = []
    private var isBusy = false
    private var isFlushDue = false

    private enum Step {
        case greeting(Greeting.Input)
        case link(Link.Input)
        case unreliable(Unreliable.Input)
        case unreliableMessage([UInt8])
    }

    /// Begins on a connection; `id` is the link's among those of the socket.
    init(
        _ tcp: TCPStream, _ loop: EventLoop, _ context: TLSContext, _ role: LinkRole, id: UInt32,
        socket: DatagramSocket?
    ) throws(NetError) {
        self.loop = loop
        self.role = role
        self.id = id
        self.socket = socket
        startedAt = Tick(nanoseconds: loop.now)
        stream = try SecureStream(tcp, context: context, role: role == .dialler ? .client : .server)
        greeting = Greeting(role: role, hello: Self.hello(id, socket))
        timer = loop.timer { [weak self] in self?.deadlinePassed() }
        unreliableTimer = loop.timer { [weak self] in self?.take(.unreliable(.deadlinePassed)) }
        // The handlers keep this object alive until the stream has ended.
        stream.onReady = { _ in self.take(.greeting(.opened)) }
        stream.onBytes = { bytes in
            self.take(self.machine == nil ? .greeting(.bytes(bytes)) : .link(.bytes(bytes)))
            self.onRoom?()
        }
        stream.onDrained = {
            guard self.machine != nil else { return }
            self.take(.link(.drained))
            self.onRoom?()
        }
        stream.onClosed = { end in
            self.take(
                self.machine == nil ? .greeting(.transportEnded("\(end)")) : .link(.transportEnded("\(end)")))
        }
    }

    private static func hello(_ id: UInt32, _ socket: DatagramSocket?) -> Hello {
        Hello(
            software: "parlor-bench", name: "bench", games: [], linkID: id, datagramPort: socket?.port ?? 0)
    }

    /// What has gone through the lanes.
    var statistics: LinkStatistics? { machine?.statistics }

    /// Whether a message of so many bytes would be taken.
    func hasRoom(_ count: Int) -> Bool { (try? machine?.check(messageBytes: count)) != nil }

    /// Sends a message; `false` when there is no room for it.
    @discardableResult
    func send(_ message: [UInt8], on lane: Lane = .game) -> Bool {
        do { try machine?.enqueue(message, on: lane, at: Tick(nanoseconds: loop.now)) } catch { return false }
        if !isFlushDue {
            isFlushDue = true
            loop.atTurnEnd { [self] in
                isFlushDue = false
                take(.link(.flush))
            }
        }
        return true
    }

    func sendUnreliable(_ message: [UInt8]) { take(.unreliableMessage(message)) }

    /// Takes a datagram that names this link.
    func received(_ datagram: [UInt8], from source: SocketAddress) {
        guard let endpoint = Endpoint(address: source.bytes, port: source.port, scope: source.scope) else {
            return
        }
        take(.unreliable(.datagram(datagram, from: endpoint)))
    }

    func close() { take(.link(.close(.closed, detail: ""))) }

    private func deadlinePassed() {
        take(machine == nil ? .greeting(.deadlinePassed) : .link(.deadlinePassed))
    }

    private func take(_ step: Step) {
        guard !isBusy else { return waiting.append(step) }
        isBusy = true
        carryOut(step)
        while !waiting.isEmpty { carryOut(waiting.removeFirst()) }
        isBusy = false
    }

    private func carryOut(_ step: Step) {
        let now = Tick(nanoseconds: loop.now)
        switch step {
        case .greeting(let input): perform(greeting.handle(input, at: now), at: now)
        case .link(let input): if let actions = machine?.handle(input, at: now) { perform(actions) }
        case .unreliable(let input): perform(unreliable.handle(input, at: now))
        case .unreliableMessage(let bytes):
            if let actions = try? unreliable.send(bytes, at: now) { perform(actions) }
        }
    }

    private func perform(_ actions: [Greeting.Action], at now: Tick) {
        for action in actions {
            switch action {
            case .write(let bytes): stream.send(bytes)
            case .asked: waiting.append(.greeting(.answer(Self.hello(id, socket), received: nil)))
            case .done(let greeted): begin(greeted, at: now)
            case .arm(let tick): timer?.set(at: tick?.nanoseconds)
            case .closeTransport(let flush): closeTransport(flush)
            case .ended: ended()
            }
        }
    }

    private func begin(_ greeted: Greeted, at now: Tick) {
        machine = Link(greeted, at: now)
        waiting.append(.link(.began))
        let exported = stream.exporter(
            label: DatagramKeys.exporterLabel, count: DatagramKeys.exportedBytes)
        let port = greeted.peer.datagramPort
        let peer = port == 0 ? nil : Endpoint(address: stream.tcp.remote.bytes, port: port)
        waiting.append(
            .unreliable(
                .began(
                    Unreliable.Connection(
                        keys: DatagramKeys(exported: exported, role: role), ownLinkID: id,
                        peerLinkID: greeted.peer.linkID, peer: peer, start: startedAt))))
        loop.atTurnEnd { [self] in onOpen?() }
    }

    private func perform(_ actions: [Link.Action]) {
        for action in actions {
            switch action {
            case .write(let bytes): stream.send(bytes)
            case .received(let lane, let bytes): onMessage?(lane, bytes)
            case .streamed(let datagram): waiting.append(.unreliable(.streamed(datagram)))
            case .clock(let sample): waiting.append(.unreliable(.clock(sample)))
            case .suspect, .alive, .lost, .resumed: break
            case .detached: ended()
            case .arm(let tick): timer?.set(at: tick?.nanoseconds)
            case .closeTransport(let flush): closeTransport(flush)
            case .ended: ended()
            }
        }
    }

    private func perform(_ actions: [Unreliable.Action]) {
        for action in actions {
            switch action {
            case .sendDatagram(let bytes, let endpoint):
                if let peer = SocketAddress(bytes: endpoint.address, port: endpoint.port) {
                    socket?.send(bytes, to: peer)
                }
            case .sendStreamed(let bytes):
                let now = Tick(nanoseconds: loop.now)
                guard let actions = machine?.sendDatagram(bytes, at: now) else {
                    waiting.append(.unreliable(.streamFull))
                    break
                }
                perform(actions)
            case .received(let bytes, _): onUnreliable?(bytes)
            case .path(let path): onPath?(path)
            case .arm(let tick): unreliableTimer?.set(at: tick?.nanoseconds)
            }
        }
    }

    private func closeTransport(_ flush: Bool) {
        stream.close(flushingFor: flush ? UInt64(Limits.closeWait.nanoseconds) : 0)
    }

    private func ended() {
        timer?.close()
        unreliableTimer?.close()
        let last = onEnd
        (onOpen, onMessage, onUnreliable, onPath, onRoom, onEnd) = (nil, nil, nil, nil, nil, nil)
        last?()
    }
}
