internal import ParlorCrypto
public import ParlorGames
public import ParlorProtocol

/// A whole match in one process and in virtual time: a machine a seat, a network between them, players of
/// chance.
public struct SimTable: Sendable {
    /// How the table is set up.
    public struct Setup: Sendable {
        /// The game's ID.
        public var game: String
        /// How many people play.
        public var seats: Int
        /// How well each bot plays, in the seats after those of people; the first seat drives them first.
        public var bots: [BotSkill] = []
        /// Options given; the others are standard.
        public var options: [Value.Member] = []
        /// The word list.
        public var words = WordList(["apple", "banana", "cherry", "garden", "orange", "violin", "wizard"])
        /// What happens to messages on their way; they travel as a stream does, whole and in order between
        /// any two seats.
        public var network = NetworkConditions(delay: .milliseconds(1), jitter: .milliseconds(19))
        /// Ways between two guests, of which each message takes any, in order on each: a direct link and the
        /// host's relay.
        public var ways = 1
        /// Ed25519 when true, the stand-in otherwise.
        public var realSignatures = false

        /// Sets up a table of a game.
        public init(game: String, seats: Int) {
            self.game = game
            self.seats = seats
        }
    }

    /// What a message counts for on a slow line: about what most of them have.
    private static let messageBytes = 250

    private enum Event: Sendable {
        /// Apart, so that the queue's places stay small: a message is large.
        indirect case deliver(MatchMessage, from: Int, to: Int)
        case wake(Int, ticket: UInt64)
        case think(Int)
        case bots(Int, Tick)
        case vanish(Int)
        case isolate(Int)
        case comeBack(Int)
        case stall(Int, until: Tick)
        case cut(Int, until: Tick)
        case notice(Int, isHere: Bool)
        case restart(Int)
        case crash(Int)
        case leave(Int)
        case kick(Int)
    }

    /// The seats' machines.
    public private(set) var machines: [MatchMachine]
    /// What each seat has on its disk.
    public private(set) var records: [MatchRecord]
    /// What each seat was told, in order.
    public private(set) var notices: [[MatchNotice]]
    /// Refusals that players met, by reason.
    public private(set) var refusals: [String: Int] = [:]
    /// The moment.
    public private(set) var now = Tick(nanoseconds: 1_000_000_000)
    /// Seats whose machine is cut off for the moment.
    public private(set) var gone = SeatSet()
    /// Requests of players that have no answer yet, with their seats.
    public private(set) var unanswered: [RequestID: Int] = [:]
    /// Answers to requests that nobody waits for: none, unless a machine answers twice.
    public private(set) var strayAnswers = 0
    /// Deadlines that a machine asked for though they had passed: a driver would spin on them.
    public private(set) var spins = 0
    /// Those of ``gone`` whose machine is asleep as well.
    private var asleep = SeatSet()
    private let setup: Setup
    private let genesis: Genesis
    private let signers: [Signer]
    private let identities: [[UInt8]]
    private var queue = EventQueue<Event>()
    private var random: SeededGenerator
    /// For each seat to each other one, how messages travel.
    private var lines: [StreamLine]
    /// Until when each seat's connections are broken.
    private var cutUntil: [Tick]
    /// What each machine asked to be called at.
    private var alarms: [Alarm]
    private var thinking = SeatSet()
    /// The bots of each seat, for the time that it plays them, and when it looks at them next.
    private var bots: [(seats: BotSeats, next: Tick?)] = []
    private var botRequests: [RequestID: Int] = [:]
    private var requests: UInt64 = 0

    /// What the player of a seat signs with.
    public func signer(of seat: Int) -> Signer { signers[seat] }

    /// Sets a table; everything that happens follows from the seed.
    public init(_ setup: Setup, seed: UInt64) throws(Refusal) {
        guard let declaration = Catalog.rules(setup.game)?.declaration else {
            throw Refusal(.badParams, "there is no game '\(setup.game)'")
        }
        self.setup = setup
        var random = SeededGenerator(seed: seed)
        let keys = (0..<setup.seats).map { _ in SigningKey(seed: random.bytes(SigningKey.seedBytes)) }
        let signers = keys.map { key in
            setup.realSignatures ? Signer(key) : Signer(standInFor: Signer(key).peer)
        }
        let options = try GameOptions(declaration, given: setup.options)
        guard let room = RoomID(bytes: random.bytes(RoomID.byteCount)) else {
            preconditionFailure("16 bytes")
        }
        let genesis = Genesis(
            nonce: random.bytes(16), room: room, game: setup.game, rules: declaration.rules, options: options,
            seats: signers.enumerated().map { Genesis.Seat(peer: $1.peer, name: "player \($0)") }
                + setup.bots.indices.map {
                    Genesis.Seat(peer: signers[0].peer, name: "bot \($0)", bot: true)
                },
            words: setup.words.identity(Hash.blake2b256))
        self.genesis = genesis
        self.signers = signers
        let identities = signers.map { _ in random.bytes(32) }
        self.identities = identities
        let start = now
        machines = signers.indices.map { seat in
            MatchMachine(
                genesis, seat: seat, words: setup.words, signer: signers[seat],
                signing: setup.realSignatures ? .ed25519 : .standIn, identity: identities[seat],
                secret: random.bytes(SeatVault.secretBytes), now: start)
        }
        notices = Array(repeating: [], count: setup.seats)
        records = Array(repeating: MatchRecord(genesis), count: setup.seats)
        alarms = Array(repeating: Alarm(), count: setup.seats)
        cutUntil = Array(repeating: start, count: setup.seats)
        var chance = SeededGenerator(seed: ~seed)
        lines = (0..<setup.seats * setup.seats * max(1, setup.ways)).map { _ in
            StreamLine(setup.network, seed: chance.next())
        }
        self.random = random
        let levels = setup.bots.enumerated().map { (setup.seats + $0, $1) }
        bots = machines.indices.map { seat in
            let choices = seed &+ UInt64(seat)
            return (
                BotSeats(levels: Dictionary(uniqueKeysWithValues: levels), seed: choices),
                nil
            )
        }
        for seat in machines.indices { feed(.begin, to: seat) }
    }

    /// Cuts a seat off at a moment from now and puts its machine to sleep; the others notice at once.
    ///
    /// It keeps its state.
    public mutating func vanish(_ seat: Int, afterMilliseconds delay: Int) { schedule(.vanish(seat), delay) }

    /// Cuts a seat off at a moment from now; its machine goes on, and all notice at once.
    public mutating func isolate(_ seat: Int, afterMilliseconds delay: Int) {
        schedule(.isolate(seat), delay)
    }

    /// Connects a seat again at a moment from now.
    public mutating func comeBack(_ seat: Int, afterMilliseconds delay: Int) {
        schedule(.comeBack(seat), delay)
    }

    /// For so long, nothing that a seat sends or is sent arrives; then all of it does.
    ///
    /// Nobody notices a stall shorter than ``Limits/lostWaitInMatch``.
    public mutating func stall(_ seat: Int, afterMilliseconds delay: Int, forMilliseconds length: Int) {
        let end = now + .milliseconds(delay + length)
        schedule(.stall(seat, until: end), delay)
        tellLoss(of: seat, from: now + .milliseconds(delay), to: end)
    }

    /// A seat's connections break and stay broken for so long; what was under way is sent again when they
    /// are resumed.
    ///
    /// All notice after ``Limits/lostWaitInMatch``.
    public mutating func cut(_ seat: Int, afterMilliseconds delay: Int, forMilliseconds length: Int) {
        let end = now + .milliseconds(delay + length)
        schedule(.cut(seat, until: end), delay)
        tellLoss(of: seat, from: now + .milliseconds(delay), to: end)
    }

    private mutating func tellLoss(of seat: Int, from start: Tick, to end: Tick) {
        let noticed = start + Limits.lostWaitInMatch
        guard noticed < end else { return }
        queue.schedule(.notice(seat, isHere: false), at: noticed)
        queue.schedule(.notice(seat, isHere: true), at: end)
    }

    /// At a moment from now, a seat's machine is a new one, which knows no more than its identity.
    public mutating func restart(_ seat: Int, afterMilliseconds delay: Int) {
        schedule(.restart(seat), delay)
    }

    /// At a moment from now, a seat's machine is a new one, which has what the one before had stored.
    public mutating func crash(_ seat: Int, afterMilliseconds delay: Int) { schedule(.crash(seat), delay) }

    /// A player leaves for good at a moment from now.
    public mutating func leave(_ seat: Int, afterMilliseconds delay: Int = 0) {
        schedule(.leave(seat), delay)
    }

    /// The host removes a seat at a moment from now.
    public mutating func kick(_ seat: Int, afterMilliseconds delay: Int) { schedule(.kick(seat), delay) }

    private mutating func schedule(_ event: Event, _ milliseconds: Int) {
        queue.schedule(event, at: now + .milliseconds(milliseconds))
    }

    /// Runs until every seat that is here has ended, or so much time has passed.
    ///
    /// - Returns: Whether all ended.
    public mutating func run(forSeconds limit: Int) -> Bool { run(forMilliseconds: limit * 1_000) }

    /// Runs until every seat that is here has ended, or so much time has passed.
    ///
    /// - Returns: Whether all ended.
    public mutating func run(forMilliseconds limit: Int) -> Bool {
        let end = now + .milliseconds(limit)
        while !isOver, let (at, event) = queue.next(upTo: end) {
            now = at
            happen(event)
        }
        if !isOver { now = end }
        return isOver
    }

    private var isOver: Bool {
        machines.indices.allSatisfy { gone.contains($0) || machines[$0].accepted.phase == .ended }
    }

    private mutating func happen(_ event: Event) {
        switch event {
        case .deliver(let message, let sender, let receiver):
            let whole = max(cutUntil[sender], cutUntil[receiver])
            guard now >= whole else {
                queue.schedule(.deliver(message, from: sender, to: receiver), at: whole)
                return
            }
            if !gone.contains(sender), !gone.contains(receiver) {
                feed(.received(message, from: sender), to: receiver)
            }
        case .wake(let seat, let ticket):
            let (isDue, next) = alarms[seat].come(ticket)
            if let next { queue.schedule(.wake(seat, ticket: next.ticket), at: next.at, as: next.ticket) }
            if isDue { feed(.deadlinePassed, to: seat) }
        case .think(let seat):
            thinking.remove(seat)
            if !asleep.contains(seat) { think(seat) }
        case .bots(let seat, let tick):
            guard bots[seat].next == tick else { return }
            bots[seat].next = nil
            letBotsAct(of: seat)
        case .vanish(let seat):
            gone.insert(seat)
            asleep.insert(seat)
            tellPresence(of: seat, isHere: false)
        case .isolate(let seat):
            gone.insert(seat)
            tellPresence(of: seat, isHere: false)
        case .comeBack(let seat): comeBack(seat)
        case .stall(let seat, let end): stall(seat, until: end)
        case .cut(let seat, let end):
            cutUntil[seat] = max(cutUntil[seat], end)
            // What is sent meanwhile comes after what was under way.
            stall(seat, until: end + .nanoseconds(1))
        case .notice(let seat, let isHere):
            if !gone.contains(seat) { tellPresence(of: seat, isHere: isHere) }
        case .restart(let seat): restart(seat)
        case .crash(let seat): crash(seat)
        case .leave(let seat): if !asleep.contains(seat) { feed(.leave(request(of: seat)), to: seat) }
        case .kick(let seat): feed(.kick(seat: seat), to: 0)
        }
    }

    private mutating func tellPresence(of seat: Int, isHere: Bool) {
        for other in machines.indices where other != seat {
            feed(.presence(seat: seat, here: isHere && !gone.contains(other)), to: other)
            feed(.presence(seat: other, here: isHere && !gone.contains(other)), to: seat)
        }
    }

    private mutating func stall(_ seat: Int, until end: Tick) {
        for other in machines.indices {
            lines[seat * machines.count + other].stall(until: end)
            lines[other * machines.count + seat].stall(until: end)
        }
    }

    private mutating func comeBack(_ seat: Int) {
        guard gone.contains(seat) else { return }
        gone.remove(seat)
        asleep.remove(seat)
        bots[seat].next = nil
        tellPresence(of: seat, isHere: true)
        feed(.deadlinePassed, to: seat)
        considerThinking(seat)
    }

    private mutating func restart(_ seat: Int) {
        for (id, asker) in unanswered where asker == seat { unanswered[id] = nil }
        machines[seat] = MatchMachine(
            genesis, seat: seat, words: setup.words, signer: signers[seat],
            signing: setup.realSignatures ? .ed25519 : .standIn, identity: identities[seat],
            secret: random.bytes(SeatVault.secretBytes), isNew: false, now: now)
        records[seat] = MatchRecord(genesis)
        begin(seat)
    }

    private mutating func crash(_ seat: Int) {
        for (id, asker) in unanswered where asker == seat { unanswered[id] = nil }
        do {
            machines[seat] = try MatchMachine(
                records[seat], seat: seat, words: setup.words, signer: signers[seat],
                signing: setup.realSignatures ? .ed25519 : .standIn, identity: identities[seat],
                secret: random.bytes(SeatVault.secretBytes), now: now)
        } catch { preconditionFailure("what a machine stored is no log: \(error.message)") }
        begin(seat)
    }

    private mutating func begin(_ seat: Int) {
        notices[seat] = []
        alarms[seat] = Alarm()
        let wasGone = gone.contains(seat)
        comeBack(seat)
        feed(.begin, to: seat)
        // Its links are new ones, though nobody had missed it yet.
        if !wasGone { tellPresence(of: seat, isHere: true) }
    }

    private mutating func request(of seat: Int) -> RequestID {
        requests += 1
        let id = RequestID(rawValue: requests)
        unanswered[id] = seat
        return id
    }

    private mutating func feed(_ input: MatchMachine.Input, to seat: Int) {
        guard !asleep.contains(seat) else { return }
        machines[seat].delay = SimMatch.linkDelay
        let actions = machines[seat].handle(input, at: now)
        // By place: to switch over a copy of each takes half as much again.
        for place in actions.indices {
            switch actions[place] {
            case .send(let message, let receiver): send(message, from: seat, to: receiver)
            case .broadcast(let message):
                for receiver in machines.indices where receiver != seat {
                    send(message, from: seat, to: receiver)
                }
            case .reply(let id, let result):
                if !botRequests.isEmpty, let bot = botRequests.removeValue(forKey: id) {
                    let isDone = if case .success = result { true } else { false }
                    bots[seat].seats.answered(bot, isDone: isDone, at: now)
                }
                if unanswered.removeValue(forKey: id) == nil { strayAnswers += 1 }
                if case .failure(.match(let refusal)) = result {
                    refusals[refusal.reason.rawValue, default: 0] += 1
                }
            case .store(let step): records[seat].apply(step)
            case .notice(let notice):
                notices[seat].append(notice)
                considerThinking(seat)
            case .arm(let tick):
                if let tick, tick <= now { spins += 1 }
                arm(tick, of: seat)
            }
        }
        if !setup.bots.isEmpty { letBotsAct(of: seat) }
    }

    private mutating func arm(_ tick: Tick?, of seat: Int) {
        guard !alarms[seat].isSet(to: tick) else { return }
        let setting = tick.map { Alarm.Setting(tick: $0, at: max($0, now), ticket: queue.ticket()) }
        guard let next = alarms[seat].set(setting) else { return }
        queue.schedule(.wake(seat, ticket: next.ticket), at: next.at, as: next.ticket)
    }

    /// Lets a seat's bots look at the match and do what they want to do by now.
    private mutating func letBotsAct(of seat: Int) {
        guard !asleep.contains(seat), machines[seat].isSequencer || !bots[seat].seats.isIdle else { return }
        for case .act(let bot, let action) in bots[seat].seats.look(machines[seat], at: now) {
            let id = request(of: seat)
            botRequests[id] = bot
            feed(.actFor(id, seat: bot, action), to: seat)
        }
        guard let next = bots[seat].seats.next, next != bots[seat].next else { return }
        bots[seat].next = next
        queue.schedule(.bots(seat, next), at: max(next, now + .milliseconds(1)))
    }

    private mutating func send(_ message: MatchMessage, from sender: Int, to receiver: Int) {
        let isBetweenGuests = sender != 0 && receiver != 0 && setup.ways > 1
        let way = isBetweenGuests ? Int.random(in: 0..<setup.ways, using: &random) : 0
        let line = (way * machines.count + sender) * machines.count + receiver
        guard let arrival = lines[line].sendPacket(byteCount: Self.messageBytes, at: now) else { return }
        queue.schedule(.deliver(message, from: sender, to: receiver), at: arrival)
    }

    private mutating func considerThinking(_ seat: Int) {
        guard machines[seat].accepted.phase == .playing, !thinking.contains(seat) else { return }
        thinking.insert(seat)
        let pause = Int.random(in: 20...400, using: &random)
        queue.schedule(.think(seat), at: now + .milliseconds(pause))
    }

    private mutating func think(_ seat: Int) {
        guard machines[seat].accepted.phase == .playing, let game = machines[seat].accepted.game else {
            return
        }
        var chance = random
        let turn = SimPlayer.turn(
            of: seat, in: game, secrets: { machines[seat].secrets }, at: machines[seat].time(at: now),
            words: setup.words, random: &chance)
        random = chance
        guard let action = turn.action else {
            if turn.mayAct { considerThinking(seat) }
            return
        }
        feed(.act(request(of: seat), action), to: seat)
        considerThinking(seat)
    }
}
