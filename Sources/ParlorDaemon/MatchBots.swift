internal import ParlorGames
internal import ParlorNet
internal import ParlorProtocol

/// Plays the bots of one match, by themselves or by programs, for as long as this peer orders its entries.
final class MatchBots {
    private unowned let match: MatchDriver
    private let make: () -> (seats: BotSeats, programs: [Int: String])
    private var seats: BotSeats?
    private var paths: [Int: String] = [:]
    private var programs: [Int: BotProgram] = [:]
    private let loop: EventLoop
    private let requests: RequestNumbers
    private var timer: LoopTimer?
    /// The bots that wait for an answer of the machine.
    private var waiting: [RequestID: Int] = [:]

    /// Makes the bots of a match; ``look()`` lets them play.
    init(
        _ make: @escaping () -> (seats: BotSeats, programs: [Int: String]), match: MatchDriver,
        loop: EventLoop, requests: RequestNumbers
    ) {
        self.make = make
        self.match = match
        self.loop = loop
        self.requests = requests
        timer = loop.timer { [weak self] in self?.look() }
    }

    /// Lets the bots look at the match, and do what they want to do by now.
    func look() {
        guard timer != nil else { return }
        if match.machine.drivenBots.isEmpty || match.isOver {
            stopPrograms()
        } else if seats == nil {
            (seats, paths) = make()
        }
        for wish in seats?.look(match.machine, at: match.now) ?? [] {
            switch wish {
            case .act(let seat, let action):
                let id = requests.next()
                waiting[id] = seat
                match.feed(.actFor(id, seat: seat, action))
            case .ask(let sight): ask(sight)
            }
        }
        timer?.set(at: seats?.next?.nanoseconds)
    }

    /// Takes the machine's answer to what a bot did; whether it was for one.
    func answered(_ id: RequestID, _ result: Result<Int, MatchRefusal>) -> Bool {
        guard let seat = waiting.removeValue(forKey: id) else { return false }
        let isDone = if case .success = result { true } else { false }
        seats?.answered(seat, isDone: isDone, at: match.now)
        look()
        return true
    }

    // MARK: Programs

    private func ask(_ sight: BotSight) {
        guard let path = paths[sight.seat] else { return takeBack(sight.seat, nil) }
        if let program = programs[sight.seat] { return program.ask(sight) }
        do throws(NetError) {
            let program = try BotProgram(
                path, match: match.match, game: match.accepted.genesis.game, loop: loop)
            program.answered = { [weak self] plan in
                self?.seats?.set(plan, for: sight.seat)
                self?.look()
            }
            program.failed = { [weak self] why in self?.takeBack(sight.seat, why) }
            programs[sight.seat] = program
            program.ask(sight)
        } catch {
            takeBack(sight.seat, error.sentence)
        }
    }

    /// A mind of the bot's level goes on where its program does not.
    private func takeBack(_ seat: Int, _ why: String?) {
        programs[seat] = nil
        seats?.takeBack(seat)
        if let why { match.handlers?.botFailed(seat, why) }
        loop.atTurnEnd { [weak self] in self?.look() }
    }

    private func stopPrograms() {
        for program in programs.values { program.stop() }
        programs = [:]
    }

    /// Plays no more.
    func stop() {
        timer?.close()
        timer = nil
        stopPrograms()
        waiting = [:]
    }
}
