internal import ParlorGames
internal import ParlorNet
internal import ParlorProtocol

/// Drives a watcher's copy of one match.
final class WatchedMatch: MatchCopy {
    /// What a match asks of its room.
    struct Handlers {
        /// Get a message to the host.
        var send: (MatchMessage) -> Void
        /// Something happened.
        var notice: (MatchNotice) -> Void
    }

    let room: RoomID
    let roomName: String
    let started = Calendar.unixMilliseconds()
    private(set) var ended: Int?
    private(set) var machine: MatchWatcher
    var handlers: Handlers?
    private let loop: EventLoop
    private var timer: LoopTimer?
    private let turnstile = Turnstile<MatchWatcher.Input>()

    init(_ genesis: Genesis, words: WordList, room: RoomState, loop: EventLoop) {
        machine = MatchWatcher(
            genesis, words: words, signing: .ed25519, now: Tick(nanoseconds: loop.now))
        self.room = room.id
        roomName = room.name
        self.loop = loop
        timer = loop.timer { [weak self] in self?.feed(.deadlinePassed) }
    }

    var log: MatchLog { machine.log }
    var acceptedCount: Int { machine.log.entries.count }
    var accepted: ParlorProtocol.MatchState { machine.log.state }
    var acceptedLog: MatchLog { machine.log }
    var seat: Int? { nil }
    var secrets: SeatSecrets? { nil }
    var time: Int { machine.time(at: Tick(nanoseconds: loop.now)) }
    var isDone: Bool { accepted.phase == .ended || timer == nil }
    var isLeft: Bool { accepted.phase != .ended && timer == nil }

    /// Feeds the machine one input after the other, each only when the actions of the one before are done.
    func feed(_ input: MatchWatcher.Input) {
        turnstile.pass(input) { input in
            let actions = machine.handle(input, at: Tick(nanoseconds: loop.now))
            ended = accepted.phase == .ended ? ended ?? Calendar.unixMilliseconds() : nil
            for action in actions { perform(action) }
        }
    }

    /// Nothing of it is on disk.
    func afterwards(_ body: @escaping () -> Void) { body() }

    private func perform(_ action: MatchWatcher.Action) {
        switch action {
        case .send(let message): handlers?.send(message)
        case .notice(let notice): handlers?.notice(notice)
        case .arm(let tick): timer?.set(at: tick?.nanoseconds)
        }
    }

    /// Lets go of the timer; the log stays readable.
    func retire() {
        timer?.close()
        timer = nil
        handlers = nil
    }
}
