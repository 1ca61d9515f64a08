internal import ParlorNet
internal import ParlorProtocol

/// Drives the unreliable channel of one link: datagrams through the shared ports, or frames of the link's
/// stream.
final class LinkDatagrams {
    /// What the channel asks of its link.
    struct Handlers {
        /// Write a frame to the stream.
        ///
        /// One that is not taken is answered with ``LinkDatagrams/streamIsFull()``.
        var stream: ([UInt8]) -> Void
        /// A message has come.
        var received: ([UInt8]) -> Void
    }

    private enum Step {
        case input(Unreliable.Input)
        case message([UInt8], key: UInt32?, timeToLive: Duration)
    }

    private let peer: PeerID
    private let linkID: UInt32
    private let loop: EventLoop
    private let ports: DatagramPorts
    private let faults: FaultBook?
    private var handlers: Handlers?
    private var machine = Unreliable()
    private var timer: LoopTimer?
    /// Datagrams that `fault.set` holds back.
    private var held: [ObjectIdentifier: LoopTimer] = [:]
    /// Where this side of the link's connection is.
    private var local = SocketAddress.any(port: 0)
    private let turnstile = Turnstile<Step>()

    /// Makes the channel of a link that has no connection yet; what names `linkID` is its from now on.
    init(
        to peer: PeerID, linkID: UInt32, loop: EventLoop, ports: DatagramPorts, faults: FaultBook?,
        handlers: Handlers
    ) {
        self.peer = peer
        self.linkID = linkID
        self.loop = loop
        self.ports = ports
        self.faults = faults
        self.handlers = handlers
        timer = loop.timer { [weak self] in self?.feed(.deadlinePassed) }
        ports.register(linkID, of: self) { [weak self] datagram, source in
            self?.arrived(datagram, from: source)
        }
    }

    // MARK: How it is

    /// What has gone through the channel.
    var statistics: UnreliableStatistics { machine.statistics }
    /// Which way messages take.
    var path: UnreliablePath { machine.path }
    /// How far the peer's clock is from ours; `nil` before they have been compared.
    var clockOffset: ClockEstimate.Offset? { machine.clock.offset(at: now) }

    /// What calls of the peer's seat are judged by; `nil` before the clocks have been compared.
    var seatClock: SeatClock? {
        machine.clock.offset(at: now).map {
            SeatClock(delay: machine.delays.most(at: now), offset: $0.offset, error: $0.error)
        }
    }

    // MARK: What the link tells

    /// The link goes over this connection from now on.
    func began(_ connection: LinkConnection, _ hello: Hello) {
        local = connection.local
        let exported = connection.exporter(
            label: DatagramKeys.exporterLabel, count: DatagramKeys.exportedBytes)
        let remote = connection.remote
        let endpoint =
            hello.datagramPort == 0
            ? nil : Endpoint(address: remote.bytes, port: hello.datagramPort, scope: remote.scope)
        feed(
            .began(
                Unreliable.Connection(
                    keys: DatagramKeys(exported: exported, role: connection.role), ownLinkID: linkID,
                    peerLinkID: hello.linkID, peer: endpoint, start: connection.startedAt)))
    }

    /// There is no connection any more.
    func detached() { feed(.detached) }

    /// A frame for the channel has come by the stream.
    func streamed(_ frame: [UInt8]) { feed(.streamed(frame)) }

    /// The stream has not taken the last frame.
    func streamIsFull() { feed(.streamFull) }

    /// The stream has handed all it had to the kernel.
    func drained() { feed(.drained) }

    /// The two clocks have been compared.
    func compared(_ sample: Link.ClockSample) { feed(.clock(sample)) }

    /// Sends a message, or drops it when it is not worth sending any more.
    func send(_ message: [UInt8], key: UInt32?, timeToLive: Duration) throws(LinkSendError) {
        guard message.count <= Limits.unreliableBytesMax else { throw .messageTooLarge }
        pass(.message(message, key: key, timeToLive: timeToLive))
    }

    /// Ends the channel with its link.
    func close() {
        handlers = nil
        ports.forget(linkID, of: self)
        timer?.close()
        for timer in held.values { timer.close() }
        held = [:]
    }

    // MARK: The machine

    private var now: Tick { Tick(nanoseconds: loop.now) }

    private func feed(_ input: Unreliable.Input) { pass(.input(input)) }

    private func pass(_ step: Step) {
        turnstile.pass(step) { step in
            guard handlers != nil else { return }
            switch step {
            case .input(let input): perform(machine.handle(input, at: now))
            case .message(let bytes, let key, let timeToLive):
                let actions = try? machine.send(bytes, key: key, timeToLive: timeToLive, at: now)
                if let actions { perform(actions) }
            }
        }
    }

    private func perform(_ actions: [Unreliable.Action]) {
        for action in actions {
            switch action {
            case .sendDatagram(let datagram, let endpoint): send(datagram, to: endpoint)
            case .sendStreamed(let frame): handlers?.stream(frame)
            case .received(let message, _): handlers?.received(message)
            case .path: break  // shown when somebody asks
            case .arm(let tick): timer?.set(at: tick?.nanoseconds)
            }
        }
    }

    // MARK: Datagrams

    private func send(_ datagram: [UInt8], to endpoint: Endpoint) {
        guard let faults else { return ports.send(datagram, to: endpoint, from: local) }
        for (delay, copy) in faults.outgoing(peer, datagram, at: now) {
            after(delay) { [weak self] in
                guard let self else { return }
                ports.send(copy, to: endpoint, from: local)
            }
        }
    }

    private func arrived(_ datagram: [UInt8], from source: Endpoint) {
        guard let faults else { return feed(.datagram(datagram, from: source)) }
        for (delay, copy) in faults.incoming(peer, datagram, at: now) {
            after(delay) { [weak self] in self?.feed(.datagram(copy, from: source)) }
        }
    }

    /// Does something after what `fault.set` has asked for.
    private func after(_ delay: Duration, _ body: @escaping () -> Void) {
        guard delay > .zero else { return body() }
        var key: ObjectIdentifier?
        let timer = loop.timer { [weak self] in
            if let key { self?.held.removeValue(forKey: key)?.close() }
            body()
        }
        key = ObjectIdentifier(timer)
        held[ObjectIdentifier(timer)] = timer
        timer.set(at: (now + delay).nanoseconds)
    }
}
