internal import ParlorNet
internal import ParlorProtocol

/// Drives one ``Link`` over TLS as the daemon does, for raw messages instead of those of rooms.
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
    /// Called with each message.
    var onMessage: ((Lane, [UInt8]) -> Void)?
    /// Called when there may be room for more messages.
    var onRoom: (() -> Void)?
    /// Called at the end.
    var onEnd: ((LinkEnd) -> Void)?

    private let loop: EventLoop
    private let stream: SecureStream
    private var machine: Link
    private var timer: LoopTimer?
    private var waiting: [Step] = []
    private var isBusy = false

    private enum Step {
        case input(Link.Input)
        case message(Lane, [UInt8])
    }

    init(_ tcp: TCPStream, _ loop: EventLoop, _ context: TLSContext, _ role: Link.Role) throws(NetError) {
        self.loop = loop
        stream = try SecureStream(tcp, context: context, role: role == .dialler ? .client : .server)
        let hello = Hello(software: "parlor-bench", name: "bench", games: [], linkID: 1)
        machine = Link(role: role, hello: hello)
        timer = loop.timer { [weak self] in self?.take(.input(.deadlinePassed)) }
        // The handlers keep this object alive until the stream has ended.
        stream.onReady = { _ in self.take(.input(.opened)) }
        stream.onBytes = { bytes in
            self.take(.input(.bytes(bytes)))
            self.onRoom?()
        }
        stream.onDrained = {
            self.take(.input(.drained))
            self.onRoom?()
        }
        stream.onClosed = { end in self.take(.input(.transportEnded("\(end)"))) }
    }

    var statistics: LinkStatistics { machine.statistics }

    /// Whether a message of so many bytes would be taken.
    func hasRoom(_ count: Int) -> Bool { (try? machine.check(messageBytes: count)) != nil }

    func send(_ message: [UInt8], on lane: Lane = .game) { take(.message(lane, message)) }

    func close() { take(.input(.close(.closed, detail: ""))) }

    private func take(_ step: Step) {
        waiting.append(step)
        guard !isBusy else { return }
        isBusy = true
        while !waiting.isEmpty {
            let now = Tick(nanoseconds: loop.now)
            switch waiting.removeFirst() {
            case .input(let input): perform(machine.handle(input, at: now))
            case .message(let lane, let bytes):
                if let actions = try? machine.send(bytes, on: lane, at: now) { perform(actions) }
            }
        }
        isBusy = false
    }

    private func perform(_ actions: [Link.Action]) {
        for action in actions {
            switch action {
            case .write(let bytes): stream.send(bytes)
            case .established: onOpen?()
            case .received(let lane, let bytes): onMessage?(lane, bytes)
            case .clock, .suspect, .alive: break
            case .arm(let tick): timer?.set(at: tick?.nanoseconds)
            case .closeTransport(let flush):
                stream.close(flushingFor: flush ? UInt64(Limits.closeWait.nanoseconds) : 0)
            case .ended(let end):
                timer?.close()
                onEnd?(end)
                (onOpen, onMessage, onRoom, onEnd) = (nil, nil, nil, nil)
            }
        }
    }
}
