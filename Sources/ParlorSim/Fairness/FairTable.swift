internal import ParlorCrypto
internal import ParlorGames
internal import ParlorProtocol

/// A table of Snap in virtual time that shows who wins a pair.
///
/// Machines whose clocks differ, links with delays that compare those clocks as real ones do, and players who
/// press some time after their screen shows a pair.
///
/// Seat 0 hosts. Everything follows from the seed.
public struct FairTable: Sendable {
    /// A seat: how far it is from the middle of the network, and who sits there.
    public struct Chair: Sendable {
        /// One way from the machine to the middle.
        public var delay: Duration
        /// How much longer it may take.
        public var jitter: Duration
        /// Who sits there.
        public var player: Reaction
        /// By how many milliseconds its daemon says that a key was pressed earlier.
        public var lie: Int

        /// Puts up a chair.
        public init(
            delayMs: Int, jitterMs: Int = 0, player: Reaction = .never, lieMs: Int = 0
        ) {
            delay = .milliseconds(delayMs)
            jitter = .milliseconds(jitterMs)
            self.player = player
            lie = lieMs
        }
    }

    /// What came of the pairs.
    public struct Tally: Hashable, Sendable {
        /// Pairs that a seat took, by seat.
        public var wins = [0, 0, 0, 0]
        /// Pairs that were tied.
        public var ties = 0
        /// Calls that were judged, by seat.
        public var calls = [0, 0, 0, 0]
        /// By how many milliseconds a seat's press counted as earlier than it was, in all.
        public var gain = [0, 0, 0, 0]
        /// The same, at most; negative for one that always counted as later.
        public var mostGain = [Int.min, Int.min, Int.min, Int.min]
        /// The largest error of a clock that a call was judged with, by seat, in milliseconds.
        public var error = [0, 0, 0, 0]

        /// Pairs that were called.
        public var pairs: Int { wins.reduce(0, +) + ties }

        /// What a seat won of the pairs that one of two won, in per cent.
        public func share(of seat: Int, against other: Int) -> Double {
            100 * Double(wins[seat]) / Double(max(1, wins[seat] + wins[other]))
        }

        /// The mean by which a seat's presses counted as earlier than they were, in milliseconds.
        public func meanGain(of seat: Int) -> Double { Double(gain[seat]) / Double(max(1, calls[seat])) }
    }

    private enum Event: Sendable {
        case deliver(MatchMessage, from: Int, to: Int)
        case wake(Int, Tick)
        case compare(Int)
        case flip(Int, flips: Int)
        case press(Int, flips: Int)
    }

    private static let messageBytes = 250
    private static let compareEvery = Duration.milliseconds(150)

    /// What came of it so far.
    public private(set) var tally = Tally()
    private let chairs: [Chair]
    private var machines: [MatchMachine] = []
    private var now = Tick(nanoseconds: 100_000_000_000)
    private var queue = EventQueue<Event>()
    private var random: SeededGenerator
    private var lines: [StreamLine]
    private var armed: [Tick?]
    /// By how much each machine's clock is ahead of the first one's.
    private let skews: [Duration]
    private var clocks: [ClockEstimate]
    private var delays: [MostDelay]
    /// The flip that each player has thought about.
    private var seen: [Int]
    /// When each seat really pressed for the flip that is on, on the host's match clock.
    private var presses: [Int?]
    private var judgedEntries = 0
    private var requests: UInt64 = 0

    /// Sets a table.
    public init(_ chairs: [Chair], seed: UInt64) {
        precondition((2...4).contains(chairs.count), "two to four chairs, not \(chairs.count)")
        var random = SeededGenerator(seed: seed)
        self.chairs = chairs
        let count = chairs.count
        lines = (0..<count * count).map { index in
            let (one, other) = (chairs[index / count], chairs[index % count])
            return StreamLine(
                NetworkConditions(delay: one.delay + other.delay, jitter: one.jitter + other.jitter),
                seed: random.next())
        }
        skews = (0..<count).map { $0 == 0 ? .zero : random.duration(upTo: .seconds(10_000)) }
        armed = Array(repeating: nil, count: count)
        clocks = Array(repeating: ClockEstimate(), count: count * count)
        delays = Array(repeating: MostDelay(), count: count * count)
        seen = Array(repeating: -1, count: count)
        presses = Array(repeating: nil, count: count)
        self.random = random
        for _ in 0..<20 {
            for seat in chairs.indices { compare(seat) }
            now = now + Self.compareEvery
        }
        for seat in chairs.indices { queue.schedule(.compare(seat), at: now) }
        deal()
    }

    /// Plays match after match until so many pairs were called.
    public mutating func run(pairs: Int) {
        while tally.pairs < pairs, let (at, event) = queue.next() {
            now = at
            happen(event)
            if machines.allSatisfy({ $0.accepted.phase == .ended }) { deal() }
        }
    }

    /// Begins a match.
    private mutating func deal() {
        let signers = chairs.map { _ in Signer(standInFor: PeerID(checked: random.bytes(PeerID.byteCount))) }
        guard let options = try? GameOptions(Snap.declaration, given: [.init("max_flips", 200)]) else {
            preconditionFailure("Snap has the option max_flips")
        }
        let genesis = Genesis(
            nonce: random.bytes(16), room: RoomID(checked: random.bytes(RoomID.byteCount)), game: "snap",
            rules: Snap.declaration.rules, options: options,
            seats: signers.enumerated().map { Genesis.Seat(peer: $1.peer, name: "player \($0)") },
            words: SimMatch.words.identity(Hash.blake2b256))
        machines = []
        for seat in chairs.indices {
            machines.append(
                MatchMachine(
                    genesis, seat: seat, words: SimMatch.words, signer: signers[seat], signing: .standIn,
                    identity: random.bytes(32), secret: random.bytes(SeatVault.secretBytes),
                    now: now + skews[seat]))
        }
        judgedEntries = 0
        for seat in chairs.indices {
            (seen[seat], presses[seat], armed[seat]) = (-1, nil, nil)
        }
        for seat in chairs.indices { feed(.begin, to: seat) }
    }

    private mutating func happen(_ event: Event) {
        switch event {
        case .deliver(let message, let sender, let receiver):
            feed(.received(message, from: sender), to: receiver)
        case .wake(let seat, let tick):
            guard armed[seat] == tick else { return }
            armed[seat] = nil
            feed(.deadlinePassed, to: seat)
        case .compare(let seat):
            compare(seat)
            queue.schedule(.compare(seat), at: now + Self.compareEvery)
        case .flip(let seat, let flips):
            guard game(of: seat)?.flips == flips else { return }
            act(["do": "flip"], by: seat)
        case .press(let seat, let flips): press(seat, flips: flips)
        }
    }

    // MARK: Machines

    private mutating func feed(_ input: MatchMachine.Input, to seat: Int) {
        let moment = now + skews[seat]
        machines[seat].clocks = chairs.indices.map { other in
            let link = seat * chairs.count + other
            guard other != seat, let offset = clocks[link].offset(at: moment) else { return nil }
            return SeatClock(
                delay: delays[link].most(at: moment), offset: offset.offset, error: offset.error)
        }
        let actions = machines[seat].handle(input, at: moment)
        let match = machines[seat].match
        for action in actions {
            switch action {
            case .send(let message, let receiver): send(message, from: seat, to: receiver)
            case .broadcast(let message):
                for receiver in chairs.indices where receiver != seat {
                    send(message, from: seat, to: receiver)
                }
            case .arm(let tick):
                armed[seat] = tick
                if let tick { queue.schedule(.wake(seat, tick), at: max(now, tick - skews[seat])) }
            case .reply, .store, .notice: break
            }
        }
        guard machines[seat].match == match else { return }
        look(seat, at: moment)
        if seat == 0 { count() }
    }

    private mutating func send(_ message: MatchMessage, from sender: Int, to receiver: Int) {
        for piece in lines[sender * chairs.count + receiver].send(byteCount: Self.messageBytes, at: now) {
            queue.schedule(.deliver(message, from: sender, to: receiver), at: piece.at)
        }
    }

    /// A machine asks the others what their clocks show, as links do with their pings.
    private mutating func compare(_ seat: Int) {
        for other in chairs.indices where other != seat {
            let link = seat * chairs.count + other
            let way = lines[link].conditions
            let there = now + way.delay + random.duration(upTo: way.jitter)
            let back = there + way.delay + random.duration(upTo: way.jitter)
            let received = back + skews[seat]
            clocks[link].add(
                Link.ClockSample(
                    sent: now + skews[seat], received: received,
                    peerMicroseconds: (there + skews[other]).microseconds))
            if let shown = clocks[link].tick(
                ofPeerMicroseconds: (there + skews[other]).microseconds, at: received)
            {
                delays[link].add(max(.zero, received - shown), at: received)
            }
        }
    }

    // MARK: Players

    private func game(of seat: Int) -> Snap? { machines[seat].accepted.game as? Snap }

    private mutating func act(_ action: Value, by seat: Int) {
        requests += 1
        feed(.act(RequestID(rawValue: requests), action), to: seat)
    }

    /// A player looks at its screen, and will do something about a card that is new there.
    private mutating func look(_ seat: Int, at moment: Tick) {
        guard machines[seat].accepted.phase == .playing, let game = game(of: seat) else { return }
        let flips = game.flips
        guard flips > seen[seat], flips == 0 || machines[seat].time(at: moment) >= game.revealAt
        else { return }
        seen[seat] = flips
        if flips > 0, seat == 0 { presses = presses.map { _ in nil } }
        if game.turn.first == seat {
            let pause = Int.random(in: 400...1_400, using: &random)
            queue.schedule(.flip(seat, flips: flips), at: now + .milliseconds(pause))
        }
        if game.showsPair, let wait = chairs[seat].player.draw(&random) {
            queue.schedule(.press(seat, flips: flips), at: now + wait)
        }
    }

    private mutating func press(_ seat: Int, flips: Int) {
        // Whoever sees that the pair is gone, or another card, lets go.
        guard let game = game(of: seat), game.flips == flips, game.showsPair else { return }
        presses[seat] = machines[0].time(at: now)
        var action: Value = ["do": "snap"]
        if chairs[seat].lie > 0 {
            let claim = machines[seat].time(at: now + skews[seat]) - chairs[seat].lie
            action = ["do": "snap", "at": .int(max(claim, game.revealAt + 100))]
        }
        act(action, by: seat)
    }

    /// Counts what the host has judged since the last time.
    private mutating func count() {
        let log = machines[0].log
        while judgedEntries < machines[0].acceptedCount {
            let entry = log.entries[judgedEntries]
            judgedEntries += 1
            guard case .judge(let bounds) = entry.proposal.body, let game = game(of: 0) else { continue }
            count(game, Array(zip(callers(before: entry.index), bounds)))
        }
    }

    /// The seats whose calls an entry judges.
    private func callers(before index: Int) -> [Int] {
        var seats: [Int] = []
        for entry in machines[0].log.entries[..<index].reversed() {
            guard case .move(let move) = entry.proposal.body, case .seat(let seat) = entry.proposal.author,
                game(of: 0)?.isCall(move) ?? false
            else { break }
            seats.insert(seat, at: 0)
        }
        return seats
    }

    private mutating func count(_ game: Snap, _ calls: [(seat: Int, bounds: CallBounds)]) {
        for (seat, bounds) in calls { tally.error[seat] = max(tally.error[seat], bounds.error) }
        let view = game.view(for: nil, secrets: nil, at: .max)
        var isTied = false
        for result in view["calls"]?.elements ?? [] {
            guard let seat = result["seat"]?.number, let kind = result["kind"]?.text,
                calls.contains(where: { $0.seat == seat })
            else { continue }
            if kind == "took" { tally.wins[seat] += 1 }
            if kind == "tied" { isTied = true }
            guard let reaction = result["reaction_ms"]?.number, let pressed = presses[seat] else { continue }
            let gain = pressed - game.revealAt - reaction
            tally.calls[seat] += 1
            tally.gain[seat] += gain
            tally.mostGain[seat] = max(tally.mostGain[seat], gain)
        }
        if isTied { tally.ties += 1 }
    }
}
