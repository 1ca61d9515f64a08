internal import ParlorDiscovery
internal import ParlorNet
internal import ParlorProtocol

/// Dials peers that ask for it, and asks them to dial this one.
final class Knocks {
    /// What a peer answered; `nil`: nothing, in time or at all.
    typealias Answer = (outcome: KnockMessage.Outcome, address: SocketAddress?)?

    private struct Question {
        let peer: PeerID
        let isRepeated: Bool
        let timer: LoopTimer
        let done: (Answer) -> Void
    }

    private let loop: EventLoop
    private unowned let hub: LinkHub
    private var gate = KnockGate()
    private var questions: [Int: Question] = [:]
    /// Those that are asked again in a moment.
    private var waiting: [Int: Question] = [:]
    private var lastNumber = 0
    /// Connections being tried.
    private var tries: [ObjectIdentifier: KnockTry] = [:]

    init(loop: EventLoop, hub: LinkHub) {
        self.loop = loop
        self.hub = hub
    }

    private var now: Tick { Tick(nanoseconds: loop.now) }

    /// Whether the link to a peer is needed for an answer.
    func needs(_ peer: PeerID) -> Bool {
        questions.values.contains { $0.peer == peer } || waiting.values.contains { $0.peer == peer }
    }

    /// Asks a peer that has a link to dial this one; once more if it was asked a moment ago.
    func ask(_ peer: PeerID, done: @escaping (Answer) -> Void) { ask(peer, isRepeated: false, done) }

    private func ask(_ peer: PeerID, isRepeated: Bool, _ done: @escaping (Answer) -> Void) {
        guard let link = hub.link(to: peer), hub.port != 0 else { return done(nil) }
        lastNumber += 1
        let number = lastNumber
        let timer = loop.timer { [weak self] in self?.answered(number, nil) }
        questions[number] = Question(peer: peer, isRepeated: isRepeated, timer: timer, done: done)
        timer.set(at: (now + Limits.knockAnswerWait).nanoseconds)
        link.send(.knock(.ask(number: number, port: hub.port)))
    }

    func received(_ message: KnockMessage, from peer: PeerID) {
        switch message {
        case .ask(let number, let port): dial(peer, number, port)
        case .answer(let number, let outcome, let endpoint):
            guard questions[number]?.peer == peer else { return }
            answered(number, (outcome, SocketAddress(endpoint)))
        }
    }

    /// The link to a peer is gone, and with it its answer.
    func down(_ peer: PeerID) {
        for (number, question) in questions where question.peer == peer { answered(number, nil) }
    }

    private func answered(_ number: Int, _ answer: Answer) {
        guard let question = questions.removeValue(forKey: number) else { return }
        question.timer.close()
        guard answer?.outcome == .busy, !question.isRepeated else { return question.done(answer) }
        let wait = loop.timer { [weak self] in self?.askAgain(number) }
        waiting[number] = Question(peer: question.peer, isRepeated: true, timer: wait, done: question.done)
        wait.set(at: (now + Limits.knockInterval).nanoseconds)
    }

    private func askAgain(_ number: Int) {
        guard let question = waiting.removeValue(forKey: number) else { return }
        question.timer.close()
        ask(question.peer, isRepeated: true, question.done)
    }

    private func dial(_ peer: PeerID, _ number: Int, _ port: UInt16) {
        guard var address = hub.link(to: peer)?.remote else { return }
        address.port = port
        guard let endpoint = Endpoint(address) else { return }
        guard gate.asked(by: peer, at: now) else {
            hub.link(to: peer)?.send(.knock(.answer(number: number, .busy, endpoint)))
            return
        }
        knock(at: address) { [weak self] outcome in
            guard let self else { return }
            gate.ended(peer)
            hub.link(to: peer)?.send(.knock(.answer(number: number, outcome, endpoint)))
        }
    }

    /// Makes a connection and closes it again.
    func knock(at address: SocketAddress, done: @escaping (KnockMessage.Outcome) -> Void) {
        let attempt = KnockTry(loop: loop)
        tries[ObjectIdentifier(attempt)] = attempt
        attempt.done = { [weak self, unowned attempt] outcome in
            self?.tries[ObjectIdentifier(attempt)] = nil
            done(outcome)
        }
        attempt.start(address, until: now + Limits.knockWait)
    }
}

/// One connection that is only to be made.
private final class KnockTry {
    var done: ((KnockMessage.Outcome) -> Void)?
    private let loop: EventLoop
    private var attempt: ConnectAttempt?
    private var timer: LoopTimer?

    init(loop: EventLoop) { self.loop = loop }

    func start(_ address: SocketAddress, until deadline: Tick) {
        timer = loop.timer { [weak self] in self?.finish(.silent) }
        timer?.set(at: deadline.nanoseconds)
        do throws(NetError) {
            attempt = try TCPStream.connect(loop: loop, to: address) { [weak self] result in
                switch result {
                case .success(let stream):
                    stream.close(flushingFor: 0)
                    self?.finish(.reached)
                case .failure(let error):
                    switch error.code {
                    case .refused: self?.finish(.refused)
                    case .timedOut: self?.finish(.silent)
                    default: self?.finish(.failed)
                    }
                }
            }
        } catch {
            finish(.failed)
        }
    }

    private func finish(_ outcome: KnockMessage.Outcome) {
        guard let done else { return }
        self.done = nil
        timer?.close()
        attempt?.cancel()
        done(outcome)
    }
}
