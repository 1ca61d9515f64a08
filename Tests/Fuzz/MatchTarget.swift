import ParlorCrypto
import ParlorGames
import ParlorProtocol
import ParlorSim

extension FuzzTarget {
    /// A table of machines and the links between them: what happens next is what the bytes say, and all
    /// messages are valid.
    static let match = FuzzTarget(name: "match") { bytes in
        var input = FuzzInput(bytes)
        let game = input.flag() ? "snap" : "hangman"
        guard var table = MatchTable(game: game, seats: 2 + input.number(below: 3)) else { return }
        input.steps(upTo: 400) { table.happen(&$0) }
        table.settle()
    }
}

private struct MatchTable {
    private let genesis: Genesis
    private var machines: [MatchMachine] = []
    /// What each seat has on its disk.
    private var records: [MatchRecord] = []
    private var armed: [Tick?]
    /// Messages on their way from a seat to a seat.
    private var wires: [[[UInt8]]]
    private var isCut: [Bool]
    private var isAlone: [Bool]
    private var unanswered: [RequestID: Int] = [:]
    private var requests: UInt64 = 0
    private var now = Tick(nanoseconds: 1_000_000_000)
    /// When nothing was on its way last.
    private var emptied = Tick(nanoseconds: 1_000_000_000)

    init?(game: String, seats: Int) {
        let quick: [Value.Member] =
            game == "snap"
            ? [.init("grace_s", .int(10)), .init("max_flips", .int(20))]
            : [.init("grace_s", .int(10)), .init("turn_s", .int(20))]
        guard let declaration = Catalog.rules(game)?.declaration, declaration.seats.contains(seats),
            let options = try? GameOptions(declaration, given: quick),
            let room = RoomID(bytes: Array(repeating: 9, count: RoomID.byteCount))
        else { return nil }
        genesis = Genesis(
            nonce: Array(repeating: 7, count: 16), room: room, game: game, rules: declaration.rules,
            options: options,
            seats: (0..<seats).map { Genesis.Seat(peer: Self.peer($0), name: "player \($0)") },
            words: Words.few.identity(Hash.blake2b256))
        armed = Array(repeating: nil, count: seats)
        wires = Array(repeating: [], count: seats * seats)
        isCut = Array(repeating: false, count: seats)
        isAlone = isCut
        records = Array(repeating: MatchRecord(genesis), count: seats)
        machines = (0..<seats).map { machine($0, secret: UInt8($0)) }
        for seat in 0..<seats { feed(.begin, to: seat) }
    }

    private static func peer(_ seat: Int) -> PeerID {
        guard let peer = PeerID(bytes: Array(repeating: UInt8(seat + 1), count: PeerID.byteCount)) else {
            preconditionFailure("a peer's ID has its size")
        }
        return peer
    }

    private func machine(_ seat: Int, secret: UInt8) -> MatchMachine {
        MatchMachine(
            genesis, seat: seat, words: Words.few, signer: Signer(standInFor: Self.peer(seat)),
            signing: .standIn, identity: Array(repeating: UInt8(seat + 100), count: 32),
            secret: Array(repeating: secret, count: SeatVault.secretBytes), now: now)
    }

    // MARK: What may happen

    mutating func happen(_ input: inout FuzzInput) {
        let operation = input.byte()
        let seat = Int(operation >> 4) % machines.count
        switch operation & 15 {
        case 0, 1: deliver(seat * machines.count + input.number(below: machines.count))
        case 2, 3, 4: deliverAll()
        case 5: pass(.milliseconds(input.number(below: 256)))
        case 6: pass(.milliseconds(100 * input.number(below: 256)))
        case 7, 8, 9, 10: act(seat, &input)
        case 11: isCut[seat] ? connect(seat) : cut(seat)
        case 12: if input.number(below: 8) == 7 { feed(.leave(newRequest(of: seat)), to: seat) }
        case 13: if input.number(below: 8) == 7 { feed(.kick(seat: seat), to: 0) }
        case 14: if seat > 0 { restart(seat, secret: input.byte()) }
        default:
            switch input.number(below: 8) {
            case 7 where seat > 0: loseSequencer(seat)
            case 6: feed(.received(.want(from: input.number(below: 256)), from: seat), to: 0)
            case 5: feed(.received(.genesis([]), from: 0), to: seat)
            default: feed(.deadlinePassed, to: seat)
            }
        }
        check()
    }

    private mutating func act(_ seat: Int, _ input: inout FuzzInput) {
        let machine = machines[seat]
        let time = machine.time(at: now)
        var random = SeededGenerator(seed: UInt64(input.byte()))
        guard let game = machine.accepted.game else {
            return feed(.act(newRequest(of: seat), ["do": "flip"]), to: seat)
        }
        let legal = game.legal(for: seat, secrets: machine.secrets, at: time)
        let view = game.view(for: seat, secrets: machine.secrets, at: time)
        let action = SimPlayer.action(
            legal: legal, view: view, seat: seat, words: Words.few, random: &random)
        feed(.act(newRequest(of: seat), action ?? ["do": "snap"]), to: seat)
    }

    private mutating func newRequest(of seat: Int) -> RequestID {
        requests += 1
        let id = RequestID(rawValue: requests)
        unanswered[id] = seat
        return id
    }

    private mutating func cut(_ seat: Int) {
        isCut[seat] = true
        for other in machines.indices where other != seat {
            wires[seat * machines.count + other] = []
            wires[other * machines.count + seat] = []
            tell(seat, other, isHere: false)
        }
    }

    private mutating func connect(_ seat: Int) {
        isCut[seat] = false
        for other in machines.indices where other != seat { tell(seat, other, isHere: !isCut[other]) }
    }

    private mutating func tell(_ seat: Int, _ other: Int, isHere: Bool) {
        feed(.presence(seat: seat, here: isHere), to: other)
        feed(.presence(seat: other, here: isHere), to: seat)
    }

    /// A guest's daemon is killed and started again: it knows what it had stored.
    private mutating func restart(_ seat: Int, secret: UInt8) {
        guard !isAlone[seat] else { return }
        if !isCut[seat] { cut(seat) }
        for (id, asker) in unanswered where asker == seat { unanswered[id] = nil }
        let record = records[seat]
        do {
            machines[seat] = try MatchMachine(
                record, seat: seat, words: Words.few, signer: Signer(standInFor: Self.peer(seat)),
                signing: .standIn, identity: Array(repeating: UInt8(seat + 100), count: 32),
                secret: Array(repeating: secret, count: SeatVault.secretBytes), now: now)
        } catch { demand(false, "what seat \(seat) stored is no log: \(error.message)") }
        armed[seat] = nil
        connect(seat)
        feed(.begin, to: seat)
    }

    private mutating func loseSequencer(_ seat: Int) {
        if !isCut[seat] { cut(seat) }
        isAlone[seat] = true
        feed(.sequencerLost, to: seat)
    }

    // MARK: The end

    /// Connects all that have not given the match up and lets time pass: they agree, and nobody waits.
    mutating func settle() {
        for seat in machines.indices where isCut[seat] && !isAlone[seat] { connect(seat) }
        for _ in 0..<12 {
            deliverAll()
            pass(.milliseconds(250))
        }
        deliverAll()
        pass(.seconds(Limits.actMilliseconds / 1_000 + 1))
        deliverAll()
        check()
        demand(unanswered.isEmpty, "\(unanswered.count) requests have no answer")
        let host = machines[0]
        // Where the order changed hands, or somebody waited for too long, some may still be on their way.
        guard machines.allSatisfy({ !$0.accepted.endedAlone && $0.accepted.epoch == 0 }) else { return }
        for seat in machines.indices where !isAlone[seat] && !machines[seat].accepted.endedAlone {
            let behind = host.acceptedCount - machines[seat].acceptedCount
            if behind == 0 {
                demand(machines[seat].accepted.hash == host.accepted.hash, "two states of one log differ")
            }
            demand(
                behind <= 1 || host.accepted.seats[seat].status == .left, "seat \(seat) is \(behind) behind")
        }
    }

    /// What one has accepted, none contradicts.
    private func check() {
        guard let longest = machines.max(by: { $0.acceptedCount < $1.acceptedCount }) else { return }
        for machine in machines where !machine.accepted.endedAlone && !longest.accepted.endedAlone {
            let last = machine.acceptedCount - 1
            demand(
                machine.log.hash(at: last) == longest.log.hash(at: last),
                "seats \(machine.seat) and \(longest.seat) have different entries \(last)")
        }
    }

    // MARK: Carrying out

    private mutating func deliver(_ place: Int) {
        guard !wires[place].isEmpty else { return }
        let bytes = wires[place].removeFirst()
        guard let message = (try? CBOR.decode(bytes)).flatMap(MatchMessage.init(cbor:)) else {
            return demand(false, "a machine sent what none can read")
        }
        feed(.received(message, from: place / machines.count), to: place % machines.count)
    }

    private mutating func deliverAll() {
        for _ in 0..<400 where wires.contains(where: { !$0.isEmpty }) {
            for place in wires.indices { deliver(place) }
        }
        emptied = now
    }

    /// Lets time pass; what was sent waits meanwhile, though not for so long that the link would be lost.
    private mutating func pass(_ duration: Duration) {
        let end = now + duration
        for _ in 0..<2_000 {
            let due = armed.indices.compactMap { seat in armed[seat].map { (at: $0, seat: seat) } }
                .min { $0.at < $1.at }
            let late = emptied + Limits.lostWaitInMatch * 0.8
            if late <= end, due.map({ late <= $0.at }) ?? true {
                now = max(now, late)
                deliverAll()
                continue
            }
            guard let due, due.at <= end else { break }
            now = max(now, due.at)
            armed[due.seat] = nil
            feed(.deadlinePassed, to: due.seat)
        }
        now = end
    }

    private mutating func feed(_ input: MatchMachine.Input, to seat: Int) {
        for action in machines[seat].handle(input, at: now) {
            switch action {
            case .send(let message, let receiver): send(message, from: seat, to: receiver)
            case .broadcast(let message):
                for receiver in machines.indices where receiver != seat {
                    send(message, from: seat, to: receiver)
                }
            case .reply(let id, _):
                demand(unanswered.removeValue(forKey: id) != nil, "an answer that nobody waits for")
            case .notice(.violation(let text)): demand(false, "violation: \(text)")
            case .notice(.desync(let other, let entry)):
                demand(false, "seat \(other) and \(seat) differ at \(entry)")
            case .notice: break
            case .store(let step): records[seat].apply(step)
            case .arm(let tick):
                if let tick { demand(tick > now, "a deadline that has passed: a driver would spin") }
                armed[seat] = tick
            }
        }
    }

    private mutating func send(_ message: MatchMessage, from sender: Int, to receiver: Int) {
        guard !isCut[sender], !isCut[receiver], receiver != sender else { return }
        wires[sender * machines.count + receiver].append(message.cbor.encoded())
    }
}
