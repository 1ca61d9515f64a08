internal import ParlorNet
internal import ParlorProtocol

/// One connection to a peer: feeds its ``Link`` machine and carries out what that asks.
final class PeerLink {
    /// What a link tells its hub.
    struct Handlers {
        var established: (PeerLink) -> Void
        var received: (PeerLink, RoomMessage) -> Void
        var liveness: (PeerLink, _ isSuspect: Bool) -> Void
        var ended: (PeerLink, LinkEnd) -> Void
    }

    let remote: SocketAddress
    let role: Link.Role
    let startedAt: Tick
    /// The key that the peer has proved; `nil` before.
    private(set) var peer: PeerID?
    /// The key that was proved, also where it is not the one expected.
    private(set) var proved: PeerID?
    private(set) var hello: Hello?
    /// Whether the other side hung up before TLS was set up, as one with too many callers does.
    private(set) var wasTurnedAway = false
    private(set) var isSuspect = false
    /// Key material of the TLS connection on which the link was set up, for proofs of room codes.
    private(set) var codeSession: [UInt8] = []
    private let stream: SecureStream
    private let loop: EventLoop
    private let expected: PeerID?
    private let handlers: Handlers
    private var machine: Link
    private var timer: LoopTimer?
    private var handshakeTimer: LoopTimer?
    private var isEnded = false
    private let turnstile = Turnstile<Step>()

    private enum Step {
        case input(Link.Input)
        case message(Lane, [UInt8])
    }

    /// Begins the handshake on a connection.
    init(
        _ stream: SecureStream, loop: EventLoop, role: Link.Role, hello: Hello, expected: PeerID?,
        handlers: Handlers
    ) {
        self.stream = stream
        self.loop = loop
        self.role = role
        self.expected = expected
        self.handlers = handlers
        remote = stream.tcp.remote
        startedAt = Tick(nanoseconds: loop.now)
        machine = Link(role: role, hello: hello)
        timer = loop.timer { [weak self] in self?.feed(.deadlinePassed) }
        handshakeTimer = loop.timer { [weak self] in self?.stream.close(flushingFor: 0) }
        handshakeTimer?.set(at: (startedAt + Limits.greetingWait).nanoseconds)
        stream.onReady = { [weak self] key in self?.ready(key) }
        stream.onBytes = { [weak self] bytes in self?.feed(.bytes(bytes)) }
        stream.onDrained = { [weak self] in self?.feed(.drained) }
        stream.onClosed = { [weak self] end in self?.transportEnded(end) }
    }

    /// Whether this side was the client of that TLS connection, whoever comes into whose room.
    var isClient: Bool { role == .dialler }
    /// Whether messages can be sent.
    var isOpen: Bool { machine.isOpen }
    /// What went through it.
    var statistics: LinkStatistics { machine.statistics }
    /// Half the median round trip in milliseconds, rounded up.
    var delayMilliseconds: Int {
        guard let median = machine.statistics.roundTrips?.median else { return 0 }
        return Int((median.nanoseconds / 2 + 999_999) / 1_000_000)
    }

    /// Sends a message; `false` when the link is not open or full.
    @discardableResult
    func send(_ message: RoomMessage) -> Bool {
        let bytes = message.encoded
        do { try machine.check(messageBytes: bytes.count) } catch { return false }
        take(.message(message.lane, bytes))
        return true
    }

    /// Sends a message that may be dropped, but never arrives late.
    ///
    /// - Parameters:
    ///   - message: At most ``Limits/chunkBytesMax`` bytes.
    ///   - key: What the message is about: of those that wait, only the newest about it is kept.
    ///   - timeToLive: How long it is worth sending.
    /// - Throws: ``LinkSendError`` when it is not taken at all.
    func sendUnreliable(_ message: [UInt8], key: UInt32?, timeToLive: Duration) throws(LinkSendError) {
        throw .notOpen
    }

    /// Says goodbye after what is queued.
    func close(_ reason: LinkReason, detail: String = "") {
        if peer == nil { return stream.close(flushingFor: 0) }
        feed(.close(reason, detail: detail))
    }

    /// How lively the link has to be.
    func setPace(_ pace: LinkPace) { feed(.setPace(pace)) }

    private var now: Tick { Tick(nanoseconds: loop.now) }

    private func ready(_ key: [UInt8]) {
        proved = PeerID(bytes: key)
        guard let id = proved, expected == nil || expected == id else { return stream.close(flushingFor: 0) }
        peer = id
        codeSession = stream.exporter(label: CodeChannel.exporterLabel, count: CodeChannel.sessionBytes)
        feed(.opened)
    }

    private func transportEnded(_ end: StreamEnd) {
        wasTurnedAway = proved == nil && (end == .hungUp || end == .reset)
        feed(.transportEnded("\(end)"))
    }

    private func feed(_ input: Link.Input) { take(.input(input)) }

    private func take(_ step: Step) {
        turnstile.pass(step) { step in
            guard !isEnded else { return }
            switch step {
            case .input(let input): perform(machine.handle(input, at: now))
            case .message(let lane, let bytes):
                if let actions = try? machine.send(bytes, on: lane, at: now) { perform(actions) }
            }
        }
    }

    private func perform(_ actions: [Link.Action]) {
        for action in actions {
            switch action {
            case .write(let bytes): stream.send(bytes)
            case .established(let peerHello):
                hello = peerHello.hello
                handshakeTimer?.set(at: nil)
                handlers.established(self)
            case .received(_, let bytes):
                guard let message = RoomMessage(decoding: bytes) else {
                    close(.protocolViolation, detail: "a message cannot be read")
                    return
                }
                handlers.received(self, message)
            case .clock: break
            case .suspect, .alive:
                isSuspect = action == .suspect
                handlers.liveness(self, isSuspect)
            case .arm(let tick): timer?.set(at: tick?.nanoseconds)
            case .closeTransport(let flush):
                stream.close(flushingFor: flush ? UInt64(Limits.closeWait.nanoseconds) : 0)
            case .ended(let end):
                isEnded = true
                timer?.close()
                handshakeTimer?.close()
                handlers.ended(self, end)
            }
        }
    }
}
