internal import ParlorControl
internal import ParlorCrypto
internal import ParlorGames
internal import ParlorNet
internal import ParlorProtocol

/// Drives one match: feeds its machine, keeps who waits for an answer, and tells what happens.
final class MatchDriver {
    /// What a match asks of its room.
    struct Handlers {
        /// Get a message to another seat's machine.
        var send: (MatchMessage, _ seat: Int) -> Void
        /// Something happened.
        var notice: (MatchNotice) -> Void
    }

    let room: RoomID
    private(set) var machine: MatchMachine
    /// The highest delay of a link to another seat in milliseconds; asked before each input.
    var delay: () -> Int = { 0 }
    var handlers: Handlers?
    private let loop: EventLoop
    private let requests: RequestNumbers
    private var timer: LoopTimer?
    private var waiting: [RequestID: (Result<Int, MatchRefusal>) -> Void] = [:]
    private let turnstile = Turnstile<MatchMachine.Input>()

    init(_ machine: MatchMachine, room: RoomID, loop: EventLoop, requests: RequestNumbers) {
        self.machine = machine
        self.room = room
        self.loop = loop
        self.requests = requests
        timer = loop.timer { [weak self] in self?.feed(.deadlinePassed) }
    }

    /// The match's ID.
    var match: MatchID { machine.match }
    /// Whether there is an end entry.
    var isOver: Bool { machine.accepted.phase == .ended }
    /// The moment.
    var now: Tick { Tick(nanoseconds: loop.now) }

    /// Does what the player of this seat wants.
    func act(_ action: Value, done: @escaping (Result<Int, MatchRefusal>) -> Void) {
        let id = requests.next()
        waiting[id] = done
        feed(.act(id, action))
    }

    /// Leaves the match.
    func leave(done: @escaping (Result<Int, MatchRefusal>) -> Void) {
        let id = requests.next()
        waiting[id] = done
        feed(.leave(id))
    }

    /// Feeds the machine one input after the other, each only when the actions of the one before are done.
    func feed(_ input: MatchMachine.Input) {
        turnstile.pass(input) { input in
            machine.delay = delay()
            for action in machine.handle(input, at: now) { perform(action) }
        }
    }

    private func perform(_ action: MatchMachine.Action) {
        switch action {
        case .send(let message, let seat): handlers?.send(message, seat)
        case .broadcast(let message):
            for seat in machine.accepted.genesis.seats.indices where seat != machine.seat {
                handlers?.send(message, seat)
            }
        case .reply(let id, let result): waiting.removeValue(forKey: id)?(result)
        case .store: break  // nothing outlives this process yet
        case .notice(let notice): handlers?.notice(notice)
        case .arm(let tick): timer?.set(at: tick?.nanoseconds)
        }
    }

    /// Lets go of the timer; the log stays readable.
    func retire() {
        timer?.close()
        timer = nil
        handlers = nil
        for done in waiting.values { done(.failure(.match(Refusal(.matchEnded, "the match is over")))) }
        waiting = [:]
    }

    /// The log up to the last accepted entry as a text.
    var text: String { LogText.write(machine.acceptedLog) }
}

/// Numbers for requests of one daemon.
final class RequestNumbers {
    private var last: UInt64 = 0

    /// A number not used before.
    func next() -> RequestID {
        last += 1
        return RequestID(rawValue: last)
    }
}
