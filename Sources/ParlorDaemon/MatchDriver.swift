internal import ParlorControl
internal import ParlorCrypto
internal import ParlorGames
internal import ParlorNet
internal import ParlorProtocol
internal import ParlorStore
internal import ParlorViews

/// Drives one match: feeds its machine, keeps who waits for an answer, keeps the match on disk, and tells
/// what happens.
final class MatchDriver {
    /// What a match asks of its room.
    struct Handlers {
        /// Get a message to another seat's machine.
        var send: (MatchMessage, _ seat: Int) -> Void
        /// Something happened.
        var notice: (MatchNotice) -> Void
        /// The program that played a bot does not any more, for this reason.
        var botFailed: (_ seat: Int, String) -> Void
    }

    let room: RoomID
    /// What the room was called when the match began.
    let roomName: String
    /// When it began here, in Unix milliseconds.
    let started: Int
    /// When it ended here, in Unix milliseconds; `nil` while it has not.
    private(set) var ended: Int?
    private(set) var machine: MatchMachine
    /// What is on disk of the match, or soon will be: enough to go on with it.
    private(set) var record: MatchRecord
    /// The highest delay of a link to another seat in milliseconds; asked before each input.
    var delay: () -> Int = { 0 }
    /// What the link to each seat says of its clock; asked before each input.
    var clocks: () -> [SeatClock?] = { [] }
    var handlers: Handlers?
    /// The bots that this peer plays, while it orders the entries; `nil` where none are.
    private var bots: MatchBots?
    private let loop: EventLoop
    private let requests: RequestNumbers
    private let archive: MatchArchive
    private var timer: LoopTimer?
    private var waiting: [RequestID: (Result<Int, MatchRefusal>) -> Void] = [:]
    private let turnstile = Turnstile<MatchMachine.Input>()
    private lazy var line = StoredLine<MatchMachine.Action> { [weak self] in self?.perform($0) }
    /// Whether this peer has left the match, or the room that it is played in, for good.
    private var isLeftBehind = false
    /// What the list of matches was last told.
    private var described: MatchState.Phase

    /// Drives a machine, and keeps its match from now on.
    ///
    /// - Parameters:
    ///   - machine: The machine, before its first input.
    ///   - record: What it was made from; `nil` for a match of which nothing is known yet.
    ///   - room: The room's ID.
    ///   - roomName: The room's name, for lists.
    ///   - started: When the match began here, in Unix milliseconds.
    ///   - context: What the rooms of this daemon share.
    init(
        _ machine: MatchMachine, record: MatchRecord?, room: RoomID, roomName: String,
        started: Int = Calendar.unixMilliseconds(), context: RoomContext
    ) {
        self.machine = machine
        self.record = record ?? MatchRecord(machine.accepted.genesis)
        self.room = room
        self.roomName = roomName
        self.started = started
        loop = context.loop
        requests = context.requests
        archive = context.archive
        described = machine.accepted.phase
        timer = loop.timer { [weak self] in self?.feed(.deadlinePassed) }
        archive.ask(.begin(row))
    }

    /// Whether there is an end entry.
    var isOver: Bool { machine.accepted.phase == .ended }
    /// Whether nothing feeds it any more.
    var isRetired: Bool { timer == nil }
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
            machine.clocks = clocks()
            let actions = machine.handle(input, at: now)
            for action in actions { queue(action) }
            describe()
            line.advance()
        }
        bots?.look()
    }

    /// Plays the bots of the match from now on, whenever that is this peer's part.
    ///
    /// - Parameter make: Says, when this peer has to play them first, how they play, and which of them
    ///   programs play, by seat.
    func play(_ make: @escaping () -> (seats: BotSeats, programs: [Int: String])) {
        guard machine.accepted.genesis.seats.contains(where: \.bot) else { return }
        bots = MatchBots(make, match: self, loop: loop, requests: requests)
    }

    /// Calls the body when what the match has done so far is on disk, sent and told.
    func afterwards(_ body: @escaping () -> Void) { line.afterwards(body) }

    // MARK: On disk

    /// Puts an action into the line; a write begins at once, and what comes after it waits where it must.
    private func queue(_ action: MatchMachine.Action) {
        guard case .store(let step) = action else { return line.add(action) }
        record.apply(step)
        let id = match.bytes
        switch step {
        case .entries(let index, let entries):
            write(.entries(match: id, from: index, entries.map(\.encoded)))
        case .accepted(let count): archive.ask(.accepted(match: id, count))
        case .promise(let epoch): write(.promise(match: id, epoch: epoch))
        }
    }

    private func write(_ request: StoreRequest) {
        line.write { done in archive.ask(request) { _ in done() } }
    }

    /// Tells the list of matches when the match has got further.
    private func describe() {
        let phase = machine.accepted.phase
        guard phase != described else { return }
        described = phase
        ended = phase == .ended ? Calendar.unixMilliseconds() : nil
        tellList()
    }

    /// Tells the list of matches that this peer takes part no more, for as far as it has got.
    func leaveBehind() {
        guard !isOver else { return }
        isLeftBehind = true
        tellList()
    }

    private func tellList() {
        let row = row
        archive.ask(.describe(match: row.id, state: row.state, ended: row.ended, summary: row.summary))
    }

    /// The match as the store keeps it, without its entries.
    private var row: MatchRow {
        let state = machine.accepted
        return MatchRow(
            id: match.bytes, genesis: state.genesis.encoded, seat: machine.seat, started: started,
            ended: ended, state: ParlorControl.MatchState(state.phase).rawValue, game: state.genesis.game,
            room: roomName, summary: JSON(encoding: summary).encoded())
    }

    /// Whether it goes on, if at all, without this peer.
    var isLeft: Bool { !isOver && (isLeftBehind || machine.accepted.seats[machine.seat].status == .left) }

    /// The match as a row of `matches.list`.
    var summary: MatchSummary { MatchSummary(self) }

    // MARK: Actions

    private func perform(_ action: MatchMachine.Action) {
        switch action {
        case .send(let message, let seat): handlers?.send(message, seat)
        case .broadcast(let message):
            for seat in machine.accepted.genesis.people where seat != machine.seat {
                handlers?.send(message, seat)
            }
        case .reply(let id, let result):
            if bots?.answered(id, result) ?? false { return }
            waiting.removeValue(forKey: id)?(result)
        case .store: break  // begun when it came into the line
        case .notice(let notice): handlers?.notice(notice)
        case .arm(let tick): timer?.set(at: tick?.nanoseconds)
        }
    }

    /// Lets go of the timer; the log stays readable.
    func retire() {
        line.finish()
        timer?.close()
        timer = nil
        bots?.stop()
        bots = nil
        handlers = nil
        for done in waiting.values { done(.failure(.match(Refusal(.matchEnded, "the match is over")))) }
        waiting = [:]
    }
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
