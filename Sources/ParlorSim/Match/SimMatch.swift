internal import ParlorCrypto
public import ParlorGames
public import ParlorProtocol

/// One match in virtual time as a script says: machines with what they have stored, the network between them,
/// players of chance, everything that goes wrong, and a witness of what must hold.
///
/// A value: the same script gives the same match, to the byte.
public struct SimMatch: Sendable {
    /// A seat's process and its player; its machine is in ``machines``, what it has stored in ``records``.
    struct Peer: Sendable {
        /// Whether the process runs; without it the machine is one that was.
        var isRunning = true
        /// What is being written, in order, each with its number and the moment when it is done.
        var writing: [(step: StoreStep, number: Int, done: Tick)] = []
        var writes = 0
        /// What waits, each until the writes up to a number are done.
        var waiting: [(action: MatchMachine.Action, number: Int)] = []
        var isAsleep = false
        /// When its messages were held up last.
        var stalledUntil: Tick?
        /// When it wakes up, while it sleeps.
        var sleepsUntil = Tick(nanoseconds: 0)
        /// Which process this is: words and deadlines of an earlier one mean nothing.
        var life = 0
        /// How many actions were carried out.
        var actions = 0
        var alarm = Alarm()
        var isThinking = false
        /// The bots that it plays while it orders the entries.
        var bots: BotSeats?
        /// When it looks at them next.
        var botsAt: Tick?
        /// Until when something is wrong with it, or was a moment ago.
        var troubledUntil = Tick(nanoseconds: 0)

        var isAwake: Bool { isRunning && !isAsleep }
    }

    /// What joins two seats.
    struct Wire: Sendable {
        /// How many things keep it broken.
        var breaks = 0
        var brokenSince = Tick(nanoseconds: 0)
        /// Whether both ends were told that it is lost.
        var isNoticed = false
        /// Whether both ends have to be told when it is mended, though not that it is lost.
        var isNews = false
        /// Which connection this is; what was under way on an earlier one is lost.
        var link = 0
        /// What came while it was broken, to be sent again, in order.
        var held: [(MatchMessage, from: Int, to: Int)] = []
    }

    enum Event: Sendable {
        /// Apart, so that the queue's places stay small: a message is large.
        indirect case deliver(MatchMessage, from: Int, to: Int, link: Int)
        case wake(Int, ticket: UInt64, life: Int)
        case written(Int, life: Int)
        case think(Int, life: Int)
        case bots(Int, Tick, life: Int)
        indirect case fault(SimScript.Deed)
        case lose(Int, Int, since: Tick)
        case heal([(Int, Int)])
        case restart(Int, isFresh: Bool)
        case wakeUp(Int)
    }

    /// What a message counts for on a slow line: about what most of them have.
    private static let messageBytes = 250
    /// What machines are told of the delay of their links, in milliseconds: what most messages take.
    static let linkDelay = 20
    /// How long after a trouble a seat may still be said to be away for it.
    static let excuse = Duration.seconds(16)
    /// How long the match goes on after the last fault, so that what can be mended is.
    private static let mending = Duration.seconds(40)
    /// How long it goes on after its end, where seats may find out only then that they have two logs.
    private static let comparing = Duration.seconds(5)

    /// What is to happen.
    public let script: SimScript
    /// What must hold, and whether it did.
    public internal(set) var witness: SimWitness
    /// What happened, a line each; `nil` where nobody reads it.
    public internal(set) var trace: [String]?
    /// The moment.
    public internal(set) var now = Tick(nanoseconds: 10_000_000_000)
    var peers: [Peer]
    /// The machine of each seat.
    ///
    /// Not within something else, nor optional: what is read of one would be read of a copy, which takes
    /// longer than all that a machine does.
    var machines: [MatchMachine] = []
    var records: [MatchRecord]
    var wires: [Wire]
    var queue = EventQueue<Event>()
    var random: SeededGenerator
    var liar: SimLiar?
    let genesis: Genesis
    let signers: [Signer]
    private let identities: [[UInt8]]
    /// For each seat to each other one, how messages travel.
    private var lines: [StreamLine]
    private var requests: UInt64 = 0
    /// The bots that wait for an answer of their driver's machine.
    var botRequests: [RequestID: Int] = [:]
    private var lastFault = Tick(nanoseconds: 0)
    private var overSince: Tick?
    private let start: Tick
    /// Faults that wait for a seat's actions.
    private var pendingFaults: [SimScript.Fault] = []

    /// The words of simulated Hangman.
    public static let words = WordList([
        "apple", "banana", "cherry", "garden", "orange", "violin", "wizard",
    ])

    /// Sets the table.
    ///
    /// - Throws: ``ParlorGames/Refusal`` for a game or an option that there is not.
    public init(_ script: SimScript, isTraced: Bool = false) throws(Refusal) {
        guard let declaration = Catalog.rules(script.game)?.declaration else {
            throw Refusal(.badParams, "there is no game '\(script.game)'")
        }
        self.script = script
        var random = SeededGenerator(seed: script.seed)
        signers = (0..<script.seats).map { _ in
            Signer(standInFor: PeerID(checked: random.bytes(PeerID.byteCount)))
        }
        identities = signers.map { _ in random.bytes(32) }
        genesis = Genesis(
            nonce: random.bytes(16), room: RoomID(checked: random.bytes(RoomID.byteCount)), game: script.game,
            rules: declaration.rules, options: try GameOptions(declaration, given: script.options),
            seats: signers.enumerated().map { Genesis.Seat(peer: $1.peer, name: "player \($0)") }
                + (0..<script.bots).map { [host = signers[0].peer] in
                    Genesis.Seat(peer: host, name: "bot \($0)", bot: true)
                },
            words: Self.words.identity(Hash.blake2b256))
        witness = SimWitness(
            liars: Set([script.liar].compactMap { $0 }), mayFork: script.lie == .twoEntries)
        if let seat = script.liar, let lie = script.lie {
            liar = SimLiar(seat: seat, lie: lie, signer: signers[seat], seed: random.next())
        }
        trace = isTraced ? [] : nil
        start = now
        peers = Array(repeating: Peer(), count: script.seats)
        records = Array(repeating: MatchRecord(genesis), count: script.seats)
        wires = Array(repeating: Wire(), count: script.seats * script.seats)
        lines = (0..<script.seats * script.seats).map { _ in
            StreamLine(script.network, seed: random.next())
        }
        self.random = random
        for fault in script.faults {
            switch fault.moment {
            case .after(let milliseconds):
                queue.schedule(.fault(fault.deed), at: now + .milliseconds(milliseconds))
                lastFault = max(lastFault, now + .milliseconds(milliseconds))
            case .actions: pendingFaults.append(fault)
            }
        }
        for seat in peers.indices { machines.append(machine(of: seat, isNew: true)) }
        for seat in peers.indices where script.bots > 0 { peers[seat].bots = newBots(of: seat) }
        say {
            "\(script.game), \(script.seats) seats, \(script.bots) bots, \(script.networkName) network, "
                + script.word
        }
        for seat in peers.indices { feed(.begin, to: seat) }
    }

    private mutating func machine(of seat: Int, isNew: Bool) -> MatchMachine {
        MatchMachine(
            genesis, seat: seat, words: Self.words, signer: signers[seat], signing: .standIn,
            identity: identities[seat], secret: random.bytes(SeatVault.secretBytes), isNew: isNew, now: now)
    }

    // MARK: Running

    /// Plays the match until all that are there have ended, or so much time has passed, and tells the
    /// witness.
    public mutating func run(forSeconds limit: Int = 1_800) {
        let end = now + .seconds(limit)
        while goesOn, let (at, event) = queue.next(upTo: end) {
            now = at
            witness.now = at
            happen(event)
        }
        finish()
    }

    private var goesOn: Bool {
        mutating get {
            guard isOver else {
                overSince = nil
                return true
            }
            overSince = overSince ?? now
            return liar?.lie == .twoEntries && now < (overSince ?? now) + Self.comparing
        }
    }

    private var isOver: Bool {
        guard now >= lastFault + Self.mending || lastFault.nanoseconds == 0 else { return false }
        return peers.indices.allSatisfy { seat in
            guard peers[seat].isRunning, witness.isHonest(seat) else { return true }
            return machines[seat].isOverHere && peers[seat].writing.isEmpty
        }
    }

    private mutating func happen(_ event: Event) {
        switch event {
        case .deliver(let message, let sender, let receiver, let link):
            deliver(message, from: sender, to: receiver, link: link)
        case .wake(let seat, let ticket, let life):
            guard peers[seat].life == life else { return }
            let (isDue, next) = peers[seat].alarm.come(ticket)
            if let next { schedule(next, of: seat) }
            if isDue { feed(.deadlinePassed, to: seat) }
        case .written(let seat, let life): if peers[seat].life == life { written(seat) }
        case .think(let seat, let life):
            guard peers[seat].life == life else { return }
            peers[seat].isThinking = false
            think(seat)
        case .bots(let seat, let tick, let life):
            guard peers[seat].life == life, peers[seat].botsAt == tick else { return }
            peers[seat].botsAt = nil
            letBotsAct(of: seat)
        case .fault(let deed): happen(deed)
        case .lose(let one, let other, let since): lose(one, other, since: since)
        case .heal(let pairs): for pair in pairs { mend(pair.0, pair.1) }
        case .restart(let seat, let isFresh): restart(seat, isFresh: isFresh)
        case .wakeUp(let seat): wakeUp(seat)
        }
    }

    /// Gives a machine an input and carries out what it asks for.
    mutating func feed(_ input: MatchMachine.Input, to seat: Int) {
        let moment = clock(of: seat)
        guard peers[seat].isAwake else { return }
        machines[seat].delay = Self.linkDelay
        carryOut(machines[seat].handle(input, at: moment), of: seat)
        if script.bots > 0 { letBotsAct(of: seat) }
    }

    /// The moment as a seat's clock shows it.
    mutating func clock(of seat: Int) -> Tick { liar?.clock(of: seat, at: now) ?? now }

    /// Carries actions out in order, as far as nothing has to be written first; a write begins at once.
    private mutating func carryOut(_ actions: [MatchMachine.Action], of seat: Int) {
        let life = peers[seat].life
        for action in actions {
            if case .store(let step) = action, script.storeDelay > .zero { write(step, of: seat) }
            if peers[seat].writing.isEmpty {
                perform(action, of: seat)
            } else {
                peers[seat].waiting.append((action, peers[seat].writes))
            }
            guard peers[seat].life == life else { return }  // it was killed between two of them
        }
    }

    private mutating func perform(_ action: MatchMachine.Action, of seat: Int) {
        peers[seat].actions += 1
        switch action {
        case .send(let message, let receiver): send(message, from: seat, to: receiver)
        case .broadcast(let message):
            for receiver in peers.indices where receiver != seat { send(message, from: seat, to: receiver) }
        case .reply(let id, let result): answer(id, result, of: seat)
        case .store(let step): if script.storeDelay == .zero { records[seat].apply(step) }
        case .notice(let notice): show(notice, to: seat)
        case .arm(let tick): arm(tick, of: seat)
        }
        if !pendingFaults.isEmpty { strike(seat) }
    }

    // MARK: Disks

    /// Begins to write; one write is done after the other.
    private mutating func write(_ step: StoreStep, of seat: Int) {
        let before = peers[seat].writing.last?.done ?? now
        let done = max(before, now + random.duration(upTo: script.storeDelay))
        peers[seat].writes += 1
        peers[seat].writing.append((step, peers[seat].writes, done))
        queue.schedule(.written(seat, life: peers[seat].life), at: done)
    }

    private mutating func written(_ seat: Int) {
        guard !peers[seat].writing.isEmpty else { return }
        let (step, number, _) = peers[seat].writing.removeFirst()
        records[seat].apply(step)
        let life = peers[seat].life
        while let (action, after) = peers[seat].waiting.first, after <= number {
            peers[seat].waiting.removeFirst()
            perform(action, of: seat)
            guard peers[seat].life == life else { return }
        }
    }

    private mutating func arm(_ tick: Tick?, of seat: Int) {
        guard !peers[seat].alarm.isSet(to: tick) else { return }
        guard let tick else {
            _ = peers[seat].alarm.set(nil)
            return
        }
        let moment = clock(of: seat)
        if tick <= moment, script.storeDelay == .zero, witness.isHonest(seat) {
            witness.report(.health, "seat \(seat) asks to be called at a moment that has passed")
        }
        let wait = tick > moment ? tick - moment : .zero
        let setting = Alarm.Setting(tick: tick, at: now + wait, ticket: queue.ticket())
        if let next = peers[seat].alarm.set(setting) { schedule(next, of: seat) }
    }

    private mutating func schedule(_ wake: Alarm.Setting, of seat: Int) {
        let event = Event.wake(seat, ticket: wake.ticket, life: peers[seat].life)
        queue.schedule(event, at: wake.at, as: wake.ticket)
    }

    private mutating func strike(_ seat: Int) {
        guard
            let index = pendingFaults.firstIndex(where: {
                if case .actions(let count, let whose) = $0.moment {
                    whose == seat && peers[seat].actions >= count
                } else {
                    false
                }
            })
        else { return }
        happen(pendingFaults.remove(at: index).deed)
    }

    // MARK: Players

    mutating func considerThinking(_ seat: Int) {
        guard peers[seat].isRunning, machines[seat].accepted.phase == .playing, !peers[seat].isThinking
        else { return }
        peers[seat].isThinking = true
        let pause = Int.random(in: 20...400, using: &random)
        queue.schedule(.think(seat, life: peers[seat].life), at: now + .milliseconds(pause))
    }

    private mutating func think(_ seat: Int) {
        let moment = clock(of: seat)
        guard peers[seat].isAwake, machines[seat].accepted.phase == .playing,
            let game = machines[seat].accepted.game
        else { return }
        var chance = random
        let turn = SimPlayer.turn(
            of: seat, in: game, secrets: { machines[seat].secrets }, at: machines[seat].time(at: moment),
            words: Self.words, random: &chance)
        random = chance
        if let action = turn.action {
            feedRequest(of: seat) { .act($0, action) }
            considerThinking(seat)
        } else if turn.mayAct {
            considerThinking(seat)
        }
    }

    mutating func feedRequest(
        of seat: Int, forBot bot: Int? = nil, _ input: (RequestID) -> MatchMachine.Input
    ) {
        guard peers[seat].isAwake else { return }
        requests += 1
        let id = RequestID(rawValue: requests)
        witness.asked(id, by: seat)
        botRequests[id] = bot
        feed(input(id), to: seat)
    }

    private mutating func answer(_ id: RequestID, _ result: Result<Int, MatchRefusal>, of seat: Int) {
        if let bot = botRequests.removeValue(forKey: id) {
            let isDone = if case .success = result { true } else { false }
            let moment = clock(of: seat)
            peers[seat].bots?.answered(bot, isDone: isDone, at: moment)
        }
        switch result {
        case .success(let index):
            if peers[seat].isRunning, let hash = machines[seat].log.hash(at: index) {
                witness.shown(hash, at: index, by: seat)
            }
            witness.answered(id, index: index)
        case .failure(let refusal):
            witness.answered(id, index: nil)
            say { "seat \(seat) is refused: \(refusal)" }
        }
    }

    // MARK: Messages

    mutating func send(_ message: MatchMessage, from sender: Int, to receiver: Int) {
        guard sender == liar?.seat else { return put(message, from: sender, to: receiver) }
        let machine = running(sender)
        let told = liar?.tell(message, to: receiver, machine: machine, &witness) ?? []
        if told != [message] { say { "*** seat \(sender) lies to seat \(receiver)" } }
        for message in told { put(message, from: sender, to: receiver) }
    }

    private mutating func put(_ message: MatchMessage, from sender: Int, to receiver: Int) {
        guard peers.indices.contains(receiver), receiver != sender else { return }
        let link = wires[wireIndex(sender, receiver)].link
        let line = sender * peers.count + receiver
        guard let arrival = lines[line].sendPacket(byteCount: Self.messageBytes, at: now) else { return }
        queue.schedule(.deliver(message, from: sender, to: receiver, link: link), at: arrival)
    }

    private mutating func deliver(_ message: MatchMessage, from sender: Int, to receiver: Int, link: Int) {
        let index = wireIndex(sender, receiver)
        guard wires[index].link == link else { return }
        guard wires[index].breaks == 0 else {
            wires[index].held.append((message, sender, receiver))
            return
        }
        receive(message, from: sender, at: receiver)
    }

    func wireIndex(_ one: Int, _ other: Int) -> Int { min(one, other) * peers.count + max(one, other) }

    mutating func receive(_ message: MatchMessage, from sender: Int, at receiver: Int) {
        if receiver == liar?.seat {
            let machine = running(receiver)
            let answers = liar?.answer(message, from: sender, machine: machine) ?? []
            for answer in answers { put(answer, from: receiver, to: sender) }
        } else if sender == liar?.seat {
            noteLie(message, to: receiver)
        }
        var message = message
        if script.writesBytes {
            guard let cbor = try? CBOR.decode(message.cbor.encoded()), let same = MatchMessage(cbor: cbor),
                same == message
            else { return witness.report(.health, "a message is not read as it was written: \(message)") }
            message = same
        }
        say { "\(sender) → \(receiver)  \(SimTrace.describe(message))" }
        feed(.received(message, from: sender), to: receiver)
    }

    mutating func stall(_ seat: Int, until end: Tick) {
        for other in peers.indices {
            lines[seat * peers.count + other].stall(until: end)
            lines[other * peers.count + seat].stall(until: end)
        }
    }

    /// A fault lasts until then: the match is not over before what it broke could be mended.
    mutating func trouble(_ seats: [Int], until end: Tick) {
        lastFault = max(lastFault, end)
        for seat in seats { peers[seat].troubledUntil = max(peers[seat].troubledUntil, end + Self.excuse) }
    }

    mutating func begin(_ seat: Int, isFresh: Bool) {
        if isFresh { records[seat] = MatchRecord(genesis) }
        peers[seat].writing = []
        peers[seat].waiting = []
        peers[seat].alarm = Alarm()
        peers[seat].isThinking = false
        if isFresh {
            machines[seat] = machine(of: seat, isNew: false)
        } else {
            let secret = random.bytes(SeatVault.secretBytes)
            do throws(LogFault) {
                machines[seat] = try MatchMachine(
                    records[seat], seat: seat, words: Self.words, signer: signers[seat],
                    signing: .standIn, identity: identities[seat], secret: secret, now: now)
            } catch {
                return witness.report(
                    .health, "seat \(seat) cannot read what it stored: \(error.message)")
            }
        }
        peers[seat].isRunning = true
        feed(.begin, to: seat)
        considerThinking(seat)
    }

    /// The machine of a seat whose process runs.
    private func running(_ seat: Int) -> MatchMachine? { peers[seat].isRunning ? machines[seat] : nil }

    /// Adds a line to the trace.
    mutating func say(_ line: () -> String) {
        guard trace != nil else { return }
        trace?.append("\(SimTrace.time(now - start))  \(line())")
    }
}
