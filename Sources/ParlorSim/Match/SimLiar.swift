internal import ParlorGames
internal import ParlorProtocol

/// A lying seat: its machine is honest, and this stands between the machine and the network.
struct SimLiar: Sendable {
    let seat: Int
    let lie: SimLie
    private let signer: Signer
    private var random: SeededGenerator
    /// How many messages were sent, and after how many the lie begins.
    private var sent = 0
    private let beginsAfter: Int
    private var begunAt: Tick?
    private var start: Tick?
    /// What was sent, for replays.
    private var earlier: [MatchMessage] = []
    /// What stands in the place of an entry, for all who get it.
    private var made: Entry?
    /// Seats that get the one of two entries and not the other.
    private let others: Int
    private let clockKind: Int

    init(seat: Int, lie: SimLie, signer: Signer, seed: UInt64) {
        self.seat = seat
        self.lie = lie
        self.signer = signer
        random = SeededGenerator(seed: seed)
        beginsAfter = Int.random(in: 0...150, using: &random)
        others = Int.random(in: 1...14, using: &random)
        clockKind = Int.random(in: 0..<4, using: &random)
    }

    /// Whether an entry is one that this made up, and that honest seats can tell to be a lie.
    func isSeen(_ entry: Entry) -> Bool { lie != .twoEntries && entry.hash == made?.hash }

    /// The moment as a seat's clock shows it: it jumps, or goes too fast or too slow.
    mutating func clock(of seat: Int, at now: Tick) -> Tick {
        guard seat == self.seat, lie == .clock else { return now }
        start = start ?? now
        guard sent > beginsAfter else { return now }
        let begun = begunAt ?? now
        begunAt = begun
        switch clockKind {
        case 0: return now + .seconds(3)
        case 1: return now + .seconds(20)
        case 2: return now + (now - begun) / 2
        default: return begun + (now - begun) / 2
        }
    }

    /// What is said to a message beside what the machine says.
    mutating func answer(_ message: MatchMessage, from sender: Int, machine: MatchMachine?) -> [MatchMessage]
    {
        guard lie == .doubleVote, case .ask(let epoch) = message, let machine else { return [] }
        let vote = Vote(
            match: machine.match, seat: seat, epoch: epoch, candidate: sender,
            lastEpoch: machine.log.state.epoch,
            length: machine.log.entries.count, signer: signer)
        return [.vote(vote, accepted: machine.acceptedCount)]
    }

    /// What is sent in the place of a message.
    mutating func tell(
        _ message: MatchMessage, to receiver: Int, machine: MatchMachine?, _ witness: inout SimWitness
    ) -> [MatchMessage] {
        sent += 1
        guard sent > beginsAfter, let machine else { return [message] }
        switch lie {
        case .illegalEntry, .forgedSignature, .falseAway, .falseWithheld, .twoEntries:
            return tellEntries(message, to: receiver, machine, &witness)
        case .falseOpening: return [opening(message, &witness)]
        case .wrongLink:
            guard case .link(let draw, let link) = message, link.seat == seat else { return [message] }
            return [.link(draw: draw, SeatLink(seat: seat, link: random.bytes(32)))]
        case .withheldLink:
            if case .link(_, let link) = message, link.seat == seat { return [] }
            return [message]
        case .replay:
            earlier.append(message)
            guard Int.random(in: 0..<3, using: &random) == 0 else { return [message] }
            return [message, earlier.randomElement(using: &random) ?? message]
        case .wrongState:
            guard case .stored(let index, let hash, let state, let accepted, let epoch) = message,
                Bool.random(using: &random)
            else { return [message] }
            let isState = state != nil
            return [
                .stored(
                    index: index, hash: isState ? hash : random.bytes(32),
                    stateHash: isState ? random.bytes(32) : nil, accepted: accepted, epoch: epoch)
            ]
        case .clock, .doubleVote: return [message]
        }
    }

    // MARK: Entries

    private mutating func tellEntries(
        _ message: MatchMessage, to receiver: Int, _ machine: MatchMachine, _ witness: inout SimWitness
    ) -> [MatchMessage] {
        guard machine.log.state.sequencer == seat else { return tellAsGuest(message, machine, &witness) }
        switch message {
        case .entries(let entries):
            guard let last = entries.last else { return [message] }
            if made == nil, entries.count == 1, last.index == machine.log.entries.count - 1 {
                make(inPlaceOf: last, machine, &witness)
            }
            guard let made, last.index >= made.index else { return [message] }
            if lie == .twoEntries {
                return last.index == made.index && others >> receiver & 1 == 1
                    ? [.entries([made])] : [message]
            }
            // It insists on what it made up, and says nothing of what its machine holds.
            return [.entries([made])]
        case .stored(let index, _, _, _, _):
            guard let made, index >= made.index, lie != .twoEntries else { return [message] }
            return []
        default: return [message]
        }
    }

    /// Makes an entry up that stands where the machine put another.
    private mutating func make(inPlaceOf entry: Entry, _ machine: MatchMachine, _ witness: inout SimWitness) {
        guard let before = machine.log.prefix(entry.index) else { return }
        let state = before.state
        // The last one: the first may be the host, which is dead, and then it is no lie.
        let victim = state.seats.indices.last { $0 != seat && state.seats[$0].status == .active } ?? seat
        var time = entry.time
        var author = Author.sequencer
        var body: EntryBody
        switch lie {
        case .twoEntries:
            made = Entry(
                index: entry.index, previous: entry.previous, time: entry.time + 1, proposal: entry.proposal,
                signer: signer)
            return
        case .falseAway: body = .away(seat: victim)
        case .falseWithheld:
            guard let open = state.openDraw, let late = open.seats.last(where: { $0 != seat }) else {
                return
            }
            time = max(time, open.since + Limits.linkMilliseconds)
            body = .withheld(draw: open.draw, seat: late)
        case .forgedSignature:
            author = .seat(victim)
            body = .leave
        default:
            let wins: [Outcome] = state.seats.indices.map { $0 == seat ? .first : .second }
            let bodies: [EntryBody] = [
                .expire, .open(draw: 0, links: [], revealAt: time), .left(seat: victim, reason: .grace),
                .end(outcomes: wins, alone: false, stateHash: state.hash), .back(seat: victim), .leave,
            ]
            body = bodies.randomElement(using: &random) ?? .expire
        }
        let proposal = Proposal(
            match: machine.match, author: author, counter: state.counter(of: author) + 1,
            seenIndex: entry.index - 1, seenHash: entry.previous, body: body, signer: signer)
        let lie = Entry(
            index: entry.index, previous: entry.previous, time: time, proposal: proposal, signer: signer)
        var log = before
        let isLegal = (try? log.append(lie)) != nil
        // What the rules forbid must be forbidden; what others know better must be a thing that rules allow.
        guard isLegal == (self.lie == .falseAway || self.lie == .falseWithheld) else { return }
        made = lie
        witness.invented(lie.hash)
    }

    /// Not the sequencer, it can do no more than ask for what it may not, or send entries as if it were.
    private mutating func tellAsGuest(
        _ message: MatchMessage, _ machine: MatchMachine, _ witness: inout SimWitness
    ) -> [MatchMessage] {
        switch (lie, message) {
        case (.illegalEntry, .propose(let proposal)):
            guard case .move = proposal.body else { return [message] }
            let moves: [Datum] = [
                .list([.int(0)]), .list([.int(1), .int(0), .int(0)]), .none, .list([.int(9), .bytes([1])]),
            ]
            return [
                .propose(signed(proposal, body: .move(moves.randomElement(using: &random) ?? .none)))
            ]
        case (.forgedSignature, .stored):
            guard made == nil else { return [message] }
            let victim = (0..<machine.log.genesis.seats.count).first { $0 != seat } ?? seat
            let proposal = Proposal(
                match: machine.match, author: .seat(victim),
                counter: machine.log.state.counter(of: .seat(victim)) + 1,
                seenIndex: machine.log.entries.count - 1, seenHash: machine.log.head, body: .leave,
                signer: signer)
            let entry = Entry(
                index: machine.log.entries.count, previous: machine.log.head,
                time: machine.log.entries.last?.time ?? 0, proposal: proposal, signer: signer)
            made = entry
            witness.invented(entry.hash)
            return [message, .propose(proposal), .entries([entry])]
        default: return [message]
        }
    }

    private func signed(_ proposal: Proposal, body: EntryBody) -> Proposal {
        Proposal(
            match: proposal.match, author: proposal.author, counter: proposal.counter,
            seenIndex: proposal.seenIndex, seenHash: proposal.seenHash, body: body, signer: signer)
    }

    // MARK: Openings

    private mutating func opening(_ message: MatchMessage, _ witness: inout SimWitness) -> MatchMessage {
        guard case .propose(let proposal) = message else { return message }
        switch proposal.body {
        case .reveal(let round, _):
            return .propose(signed(proposal, body: .reveal(round: round, nonce: random.bytes(32))))
        case .move(let datum): return .propose(signed(proposal, body: .move(garbled(datum))))
        default: return message
        }
    }

    /// A move in which one of the bytes is another.
    private mutating func garbled(_ datum: Datum) -> Datum {
        switch datum {
        case .bytes(var bytes) where !bytes.isEmpty:
            bytes[Int.random(in: bytes.indices, using: &random)] ^= 1
            return .bytes(bytes)
        case .list(let elements): return .list(elements.map { garbled($0) })
        default: return datum
        }
    }
}
