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
    private let hello: Hello
    private var greeting: Greeting
    private var machine: Link?
    private var timer: LoopTimer?
    private var waiting: [Step] = []
    private var isBusy = false

    private enum Step {
        case greeting(Greeting.Input)
        case bytes([UInt8])
        case input(Link.Input)
        case message(Lane, [UInt8])
    }

    init(_ tcp: TCPStream, _ loop: EventLoop, _ context: TLSContext, _ role: LinkRole) throws(NetError) {
        self.loop = loop
        stream = try SecureStream(tcp, context: context, role: role == .dialler ? .client : .server)
        hello = Hello(software: "parlor-bench", name: "bench", games: [], linkID: 1)
        greeting = Greeting(role: role, hello: hello)
        timer = loop.timer { [weak self] in self?.take(.input(.deadlinePassed)) }
        // The handlers keep this object alive until the stream has ended.
        stream.onReady = { _ in self.take(.greeting(.opened)) }
        stream.onBytes = { bytes in
            self.take(.bytes(bytes))
            self.onRoom?()
        }
        stream.onDrained = {
            self.take(.input(.drained))
            self.onRoom?()
        }
        stream.onClosed = { end in self.take(.input(.transportEnded("\(end)"))) }
    }

    /// What has gone through the link, once it is open.
    var statistics: LinkStatistics {
        guard let machine else { preconditionFailure("a link that is not set up") }
        return machine.statistics
    }

    /// Whether a message of so many bytes would be taken.
    func hasRoom(_ count: Int) -> Bool {
        guard let machine else { return false }
        return (try? machine.check(messageBytes: count)) != nil
    }

    func send(_ message: [UInt8], on lane: Lane = .game) { take(.message(lane, message)) }

    func close() { take(.input(.close(.closed, detail: ""))) }

    private func take(_ step: Step) {
        waiting.append(step)
        guard !isBusy else { return }
        isBusy = true
        while !waiting.isEmpty {
            let now = Tick(nanoseconds: loop.now)
            switch waiting.removeFirst() {
            case .greeting(let input): greet(greeting.handle(input, at: now))
            case .bytes(let bytes):
                if let actions = machine?.handle(.bytes(bytes), at: now) {
                    perform(actions)
                } else {
                    greet(greeting.handle(.bytes(bytes), at: now))
                }
            case .input(let input):
                if let actions = machine?.handle(input, at: now) { perform(actions) }
            case .message(let lane, let bytes):
                if let actions = try? machine?.send(bytes, on: lane, at: now) { perform(actions) }
            }
        }
        isBusy = false
    }

    private func greet(_ actions: [Greeting.Action]) {
        for action in actions {
            switch action {
            case .write(let bytes): stream.send(bytes)
            case .asked: take(.greeting(.answer(hello, received: nil)))
            case .done(let greeted):
                machine = Link(greeted, at: Tick(nanoseconds: loop.now))
                take(.input(.began))
                onOpen?()
            case .arm: break
            case .closeTransport(let flush): close(flush: flush)
            case .ended(let end): onEnd?(end)
            }
        }
    }

    private func close(flush: Bool) {
        stream.close(flushingFor: flush ? UInt64(Limits.closeWait.nanoseconds) : 0)
    }

    private func perform(_ actions: [Link.Action]) {
        for action in actions {
            switch action {
            case .write(let bytes): stream.send(bytes)
            case .received(let lane, let bytes): onMessage?(lane, bytes)
            case .clock, .suspect, .alive, .streamed, .lost, .detached, .resumed: break
            case .arm(let tick): timer?.set(at: tick?.nanoseconds)
            case .closeTransport(let flush): close(flush: flush)
            case .ended(let end):
                timer?.close()
                onEnd?(end)
                (onOpen, onMessage, onRoom, onEnd) = (nil, nil, nil, nil)
            }
        }
    }
}
