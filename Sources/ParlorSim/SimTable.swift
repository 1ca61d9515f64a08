internal import ParlorCrypto
public import ParlorGames
public import ParlorProtocol

/// A whole match in one process and in virtual time: a machine a seat, a network between them, players of chance.
public struct SimTable: Sendable {
    /// How the table is set up.
    public struct Setup: Sendable {
        /// The game's ID.
        public var game: String
        /// How many seats play.
        public var seats: Int
        /// Options given; the others are standard.
        public var options: [Value.Member] = []
        /// The word list.
        public var words = WordList(["apple", "banana", "cherry", "garden", "orange", "violin", "wizard"])
        /// One-way delays of messages, in milliseconds; order is kept between any two seats.
        public var delays: ClosedRange<Int> = 1...20
        /// Ed25519 when true, the stand-in otherwise.
        public var realSignatures = false

        /// Sets up a table of a game.
        public init(game: String, seats: Int) {
            self.game = game
            self.seats = seats
        }
    }

    private enum Event: Sendable {
        case deliver(MatchMessage, from: Int, to: Int)
        case wake(Int)
        case think(Int)
        case vanish(Int)
        case comeBack(Int)
        case notice(Int, isHere: Bool)
    }

    /// The seats' machines.
    public private(set) var machines: [MatchMachine]
    /// What each seat was told, in order.
    public private(set) var notices: [[MatchNotice]]
    /// Refusals that players met, by reason.
    public private(set) var refusals: [String: Int] = [:]
    /// The moment.
    public private(set) var now = Tick(nanoseconds: 1_000_000_000)
    /// Seats whose machine is cut off for the moment.
    public private(set) var gone: Set<Int> = []
    private let setup: Setup
    private var queue = EventQueue<Event>()
    private var random: SeededGenerator
    private var lastDelivery: [Tick]
    private var thinking: Set<Int> = []
    private var requests: UInt64 = 0

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
            seats: signers.enumerated().map { Genesis.Seat(peer: $1.peer, name: "player \($0)") },
            words: setup.words.identity(Hash.blake2b256))
        let start = now
        machines = signers.enumerated().map { seat, signer in
            MatchMachine(
                genesis, seat: seat, words: setup.words, signer: signer,
                signing: setup.realSignatures ? .ed25519 : .standIn, identity: random.bytes(32),
                secret: random.bytes(SeatVault.secretBytes), now: start)
        }
        notices = Array(repeating: [], count: setup.seats)
        lastDelivery = Array(repeating: start, count: setup.seats * setup.seats)
        self.random = random
        for seat in machines.indices { feed(.begin, to: seat) }
    }

    /// Cuts a seat off at a moment from now; the others notice at once.
    ///
    /// It keeps its state.
    public mutating func vanish(_ seat: Int, afterMilliseconds delay: Int) {
        queue.schedule(.vanish(seat), at: now + .milliseconds(delay))
    }

    /// Connects a seat again at a moment from now.
    public mutating func comeBack(_ seat: Int, afterMilliseconds delay: Int) {
        queue.schedule(.comeBack(seat), at: now + .milliseconds(delay))
    }

    /// A player leaves for good.
    public mutating func leave(_ seat: Int) {
        requests += 1
        feed(.leave(RequestID(rawValue: requests)), to: seat)
    }

    /// Runs until every seat that is here has ended, or so much time has passed.
    ///
    /// - Returns: Whether all ended.
    public mutating func run(forSeconds limit: Int) -> Bool {
        let end = now + .seconds(limit)
        while !isOver, let (at, event) = queue.next(), at <= end {
            now = at
            happen(event)
        }
        return isOver
    }

    private var isOver: Bool {
        machines.indices.allSatisfy { gone.contains($0) || machines[$0].accepted.phase == .ended }
    }

    private mutating func happen(_ event: Event) {
        switch event {
        case .deliver(let message, let sender, let receiver):
            if !gone.contains(sender), !gone.contains(receiver) {
                feed(.received(message, from: sender), to: receiver)
            }
        case .wake(let seat): if !gone.contains(seat) { feed(.deadlinePassed, to: seat) }
        case .think(let seat):
            thinking.remove(seat)
            if !gone.contains(seat) { think(seat) }
        case .vanish(let seat):
            gone.insert(seat)
            for other in machines.indices where other != seat {
                queue.schedule(.notice(seat, isHere: false), at: now)
                feed(.presence(seat: seat, here: false), to: other)
            }
        case .comeBack(let seat):
            gone.remove(seat)
            for other in machines.indices where other != seat {
                feed(.presence(seat: seat, here: true), to: other)
                feed(.presence(seat: other, here: true), to: seat)
            }
            feed(.deadlinePassed, to: seat)
        case .notice: break
        }
    }

    private mutating func feed(_ input: MatchMachine.Input, to seat: Int) {
        guard !gone.contains(seat) else { return }
        for action in machines[seat].handle(input, at: now) {
            switch action {
            case .send(let message, let receiver): send(message, from: seat, to: receiver)
            case .broadcast(let message):
                for receiver in machines.indices where receiver != seat {
                    send(message, from: seat, to: receiver)
                }
            case .reply(_, .failure(.match(let refusal))): refusals[refusal.reason.rawValue, default: 0] += 1
            case .reply: break
            case .notice(let notice):
                notices[seat].append(notice)
                considerThinking(seat)
            case .arm(let tick): if let tick { queue.schedule(.wake(seat), at: max(tick, now)) }
            }
        }
    }

    private mutating func send(_ message: MatchMessage, from sender: Int, to receiver: Int) {
        let delay = Int.random(in: setup.delays, using: &random)
        let pair = sender * machines.count + receiver
        lastDelivery[pair] = max(lastDelivery[pair], now + .milliseconds(delay))
        queue.schedule(.deliver(message, from: sender, to: receiver), at: lastDelivery[pair])
    }

    private mutating func considerThinking(_ seat: Int) {
        guard machines[seat].accepted.phase == .playing, !thinking.contains(seat) else { return }
        thinking.insert(seat)
        let pause = Int.random(in: 20...400, using: &random)
        queue.schedule(.think(seat), at: now + .milliseconds(pause))
    }

    private mutating func think(_ seat: Int) {
        let machine = machines[seat]
        guard let game = machine.accepted.game, machine.accepted.phase == .playing else { return }
        let time = machine.time(at: now)
        let secrets = machine.secrets
        let legal = game.legal(for: seat, secrets: secrets, at: time)
        let view = game.view(for: seat, secrets: secrets, at: time)
        guard
            let action = SimPlayer.action(
                legal: legal, view: view, seat: seat, words: setup.words, random: &random)
        else {
            if !legal.isEmpty { considerThinking(seat) }
            return
        }
        requests += 1
        feed(.act(RequestID(rawValue: requests), action), to: seat)
        considerThinking(seat)
    }
}
