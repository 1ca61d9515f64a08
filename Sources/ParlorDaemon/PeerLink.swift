internal import ParlorNet
internal import ParlorProtocol

/// The link to a peer, however many connections carry it one after the other: feeds its ``Link`` machine and
/// carries out what that asks.
final class PeerLink {
    /// What a link tells its hub.
    struct Handlers {
        var received: (PeerLink, RoomMessage) -> Void
        /// A message of the unreliable channel.
        var unreliable: (PeerLink, [UInt8]) -> Void
        var liveness: (PeerLink, _ isSuspect: Bool) -> Void
        /// Nothing has been heard of the peer for so long that it counts as lost.
        var lost: (PeerLink) -> Void
        /// There is no connection any more.
        var detached: (PeerLink) -> Void
        /// There is a connection again.
        var resumed: (PeerLink) -> Void
        /// The link has ended for good.
        var ended: (PeerLink, LinkEnd) -> Void
    }

    let peer: PeerID
    let startedAt: Tick
    /// What the peer said of itself last.
    private(set) var hello: Hello
    /// Where the peer is, or was last.
    private(set) var remote: SocketAddress
    /// Which side of the last connection this is.
    private(set) var role: LinkRole
    /// When the last connection took the link up.
    private(set) var attachedAt: Tick
    /// Since when the hub knows of nobody who needs the link.
    var unusedSince: Tick?
    private(set) var isSuspect = false
    /// Key material of the connection on which the link was set up, for proofs of room codes.
    let codeSession: [UInt8]
    /// Whether this side was the TLS client of that connection, whoever comes into whose room.
    let isClient: Bool
    /// Whether the peer counts as lost.
    private(set) var isLost = false
    /// The connection that carries the link; `nil` while there is none.
    private(set) var connection: LinkConnection?
    private let loop: EventLoop
    private let handlers: Handlers
    private var machine: Link
    private var timer: LoopTimer?
    private var isEnded = false
    private var isFlushDue = false
    private let turnstile = Turnstile<Step>()
    private var datagrams: LinkDatagrams?
    private let dialled: [SocketAddress]

    private enum Step {
        case input(Link.Input)
        /// A frame of the unreliable channel, which the stream takes now or never.
        case frame([UInt8])
        case attach(LinkConnection, Greeted)
    }

    /// Makes a new link of its first connection; ``begin()`` sets it going.
    ///
    /// `dialled` is where else the peer may be reached.
    init(
        _ connection: LinkConnection, _ greeted: Greeted, peer: PeerID, dialled: [SocketAddress],
        loop: EventLoop, ports: DatagramPorts, faults: FaultBook?, handlers: Handlers
    ) {
        self.peer = peer
        self.loop = loop
        self.handlers = handlers
        self.dialled = dialled
        startedAt = Tick(nanoseconds: loop.now)
        attachedAt = startedAt
        role = greeted.role
        remote = connection.remote
        hello = greeted.peer
        isClient = greeted.role == .dialler
        codeSession = connection.exporter(
            label: CodeChannel.exporterLabel, count: CodeChannel.sessionBytes)
        machine = Link(greeted, at: startedAt)
        timer = loop.timer { [weak self] in self?.feed(.deadlinePassed) }
        datagrams = LinkDatagrams(
            to: peer, linkID: machine.ownID, loop: loop, ports: ports, faults: faults,
            handlers: LinkDatagrams.Handlers(
                stream: { [weak self] frame in self?.take(.frame(frame)) },
                received: { [weak self] message in
                    guard let self else { return }
                    self.handlers.unreliable(self, message)
                }))
        carry(connection)
    }

    /// Lets messages through, from the first on.
    func begin() {
        feed(.began)
        if let connection { datagrams?.began(connection, hello) }
    }

    // MARK: How it is

    /// Whether messages can be sent: also without a connection, when they wait for one.
    var isOpen: Bool { machine.isOpen }
    /// Whether there is a connection.
    var isAttached: Bool { machine.isAttached }
    /// The link's ID of this side's choosing.
    var id: UInt32 { machine.ownID }
    /// What went through it.
    var statistics: LinkStatistics { machine.statistics }
    /// What went through its unreliable channel.
    var unreliable: UnreliableStatistics { datagrams?.statistics ?? UnreliableStatistics() }
    /// How far the peer's clock is from ours; `nil` before they have been compared.
    var clockOffset: ClockEstimate.Offset? { datagrams?.clockOffset }
    /// What calls of the peer's seat are judged by; `nil` before the clocks have been compared.
    var seatClock: SeatClock? { datagrams?.seatClock }
    /// Half the median round trip in milliseconds, rounded up.
    var delayMilliseconds: Int {
        guard let median = machine.statistics.roundTrips?.median else { return 0 }
        return Int((median.nanoseconds / 2 + 999_999) / 1_000_000)
    }

    /// Where to look for the peer when there is no connection, best first; empty when it takes none.
    var addresses: [SocketAddress] {
        guard role == .listener else { return [remote] + dialled.filter { $0 != remote } }
        guard hello.listenPort != 0 else { return [] }
        var address = remote
        address.port = hello.listenPort
        return [address]
    }

    // MARK: Messages

    /// Sends a message; `false` when the link is not open or full.
    @discardableResult
    func send(_ message: RoomMessage) -> Bool {
        do { try machine.enqueue(message.encoded, on: message.lane, at: now) } catch { return false }
        if !isFlushDue {
            isFlushDue = true
            // What is sent in one turn of the loop is written together.
            loop.atTurnEnd { [weak self] in
                self?.isFlushDue = false
                self?.feed(.flush)
            }
        }
        return true
    }

    /// Sends a message that may be dropped, but never arrives late.
    ///
    /// - Parameters:
    ///   - message: At most ``Limits/unreliableBytesMax`` bytes.
    ///   - key: What the message is about: of those that wait, only the newest about it is kept.
    ///   - timeToLive: How long it is worth sending.
    /// - Throws: ``LinkSendError`` when it is not taken at all.
    func sendUnreliable(_ message: [UInt8], key: UInt32?, timeToLive: Duration) throws(LinkSendError) {
        guard machine.isOpen, let datagrams else { throw .notOpen }
        try datagrams.send(message, key: key, timeToLive: timeToLive)
    }

    /// How lively the link has to be.
    func setPace(_ pace: LinkPace) { feed(.setPace(pace)) }

    // MARK: Coming back, and ends

    /// What a dialler says to resume the link.
    var resume: Hello.Resume { machine.resume }

    /// What to answer to a hello that resumes the link; `nil` when it does not.
    func received(resumedBy hello: Hello) -> PerLane<UInt64>? { machine.received(resumedBy: hello) }

    /// Whether a hello was sent before what has come of the peer since.
    func isOutdated(_ hello: Hello) -> Bool { machine.isOutdated(hello) }

    /// Goes on with another connection, in place of the one there is.
    func attach(_ connection: LinkConnection, _ greeted: Greeted) { take(.attach(connection, greeted)) }

    /// Says goodbye after what is queued.
    func close(_ reason: LinkReason, detail: String = "") { feed(.close(reason, detail: detail)) }

    /// Ends at once, because another link has taken its place.
    func giveWay() {
        close(.replaced)
        guard !isEnded else { return }
        let old = connection
        feed(.transportEnded(""))
        old?.drop(flush: false)
    }

    /// Ends at once, because the peer does not know the link any more.
    func peerForgot() { feed(.forgotten) }

    private var now: Tick { Tick(nanoseconds: loop.now) }

    private func carry(_ connection: LinkConnection) {
        self.connection = connection
        connection.carry(
            bytes: { [weak self] bytes in self?.feed(.bytes(bytes)) },
            drained: { [weak self] in
                self?.feed(.drained)
                self?.datagrams?.drained()
            },
            ended: { [weak self] end in self?.feed(.transportEnded(end)) })
    }

    private func feed(_ input: Link.Input) { take(.input(input)) }

    private func take(_ step: Step) {
        turnstile.pass(step) { step in
            guard !isEnded else { return }
            switch step {
            case .input(let input): perform(machine.handle(input, at: now))
            case .frame(let frame):
                if let actions = machine.sendDatagram(frame, at: now) {
                    perform(actions)
                } else {
                    datagrams?.streamIsFull()
                }
            case .attach(let new, let greeted):
                guard machine.isOpen else { return new.drop(flush: false) }
                connection?.drop(flush: false)
                carry(new)
                (role, remote, hello, attachedAt) = (greeted.role, new.remote, greeted.peer, now)
                perform(machine.handle(.attached(greeted), at: now))
                datagrams?.began(new, greeted.peer)
            }
        }
    }

    private func perform(_ actions: [Link.Action]) {
        var isReadable = true
        for action in actions {
            switch action {
            case .write(let bytes): connection?.send(bytes)
            case .received(_, let bytes):
                guard isReadable else { break }
                guard let message = RoomMessage(decoding: bytes) else {
                    isReadable = false
                    close(.protocolViolation, detail: "a message cannot be read")
                    break
                }
                handlers.received(self, message)
            case .streamed(let frame): datagrams?.streamed(frame)
            case .clock(let sample): datagrams?.compared(sample)
            case .suspect, .alive:
                isSuspect = action == .suspect
                handlers.liveness(self, isSuspect)
            case .lost:
                isLost = true
                handlers.lost(self)
            case .detached:
                connection = nil
                datagrams?.detached()
                handlers.detached(self)
            case .resumed:
                (isSuspect, isLost) = (false, false)
                handlers.resumed(self)
            case .arm(let tick): timer?.set(at: tick?.nanoseconds)
            case .closeTransport(let flush):
                connection?.drop(flush: flush)
                connection = nil
            case .ended(let end):
                isEnded = true
                connection = nil
                timer?.close()
                datagrams?.close()
                handlers.ended(self, end)
            }
        }
    }
}
