import ParlorGames
import ParlorProtocol

extension FuzzTarget {
    /// A host, five guests and the links between them: what happens next is what the bytes say, and all
    /// messages are valid.
    static let room = FuzzTarget(name: "room") { bytes in
        var input = FuzzInput(bytes)
        var table = RoomTable(game: input.flag() ? "snap" : "hangman", seats: 2 + input.number(below: 3))
        input.steps(upTo: 300) { table.happen(&$0) }
        table.settle()
    }
}

private struct RoomTable {
    /// A guest and its link to the host.
    struct Guest {
        var machine: RoomGuest?
        var armed: Tick?
        var isClosed = false
        var isLinked = false
        var toHost: [[UInt8]] = []
        var toGuest: [[UInt8]] = []
    }

    private var host: RoomHost
    private var guests: [Guest]
    private var hostArmed: Tick?
    private var hostClosed = false
    private var matchAsked = false
    private var unanswered: Set<RequestID> = []
    private var requests: UInt64 = 0
    private var now = Tick(nanoseconds: 1_000_000_000)

    static let guestCount = 5
    static let names = ["Bob", "bob", "", "Ann", " \u{202E}", String(repeating: "ß", count: 32)]

    private static func peer(_ number: Int) -> PeerID {
        guard let peer = PeerID(bytes: Array(repeating: UInt8(number), count: PeerID.byteCount)) else {
            preconditionFailure("a peer's ID has its size")
        }
        return peer
    }

    init(game: String, seats: Int) {
        guard let room = RoomID(bytes: Array(repeating: 9, count: RoomID.byteCount)),
            let declaration = Catalog.rules(game)?.declaration,
            let options = try? GameOptions(declaration, given: [])
        else { preconditionFailure("\(game) is a game") }
        let state = RoomState(
            id: room, name: "Attic", game: game, options: options, seats: seats, hidden: false,
            host: Self.peer(0), hostName: "Ann")
        host = RoomHost(state, me: Self.peer(0))
        guests = Array(repeating: Guest(), count: Self.guestCount)
    }

    // MARK: What may happen

    mutating func happen(_ input: inout FuzzInput) {
        let operation = input.byte()
        let guest = Int(operation >> 4) % Self.guestCount
        switch operation & 15 {
        case 0: enter(guest, input.pick(Self.names), input.number(below: 8) == 7 ? .watch : .join)
        case 1, 2: deliverToHost(guest)
        case 3, 4: deliverToGuest(guest)
        case 5: deliverAll()
        case 6, 7: ask(guest, request(&input))
        case 8, 9: askHost(request(&input))
        case 10: input.flag() ? cut(guest) : linkBack(guest)
        case 11: pass(.milliseconds(100 * input.number(below: 256)))
        case 12: changeMatch(&input)
        case 13: setOptions(&input)
        case 14:
            // A link without a room behind it, or a request that its guest has forgotten.
            let request = request(&input)
            guard request != .leave || guests[guest].isClosed else { return }
            feedHost(.request(Self.peer(guest + 1), number: 1_000, request))
        default: changeHost(&input)
        }
        check()
    }

    private mutating func request(_ input: inout FuzzInput) -> RoomRequest {
        switch input.number(below: 16) {
        case 0...4: .ready(true)
        case 5: .ready(false)
        case 6, 7: .start
        case 8...10: .rematch
        case 11: .lock(input.flag())
        case 12: .kick(seat: input.number(below: 6) - 1, ban: input.flag())
        case 13: .say(["hi", "", "\u{202E}", "e\u{301}"][input.number(below: 4)])
        case 14:
            input.flag()
                ? .addBot(seat: input.flag() ? nil : input.number(below: 6) - 1, .normal)
                : .removeBot(seat: nil)
        default: input.number(below: 4) == 3 ? .leave : .ready(true)
        }
    }

    private mutating func enter(_ guest: Int, _ name: String, _ purpose: RoomMessage.Purpose) {
        // Again only once nothing of the time before is on its way.
        guard guests[guest].machine == nil || guests[guest].isClosed,
            guests[guest].toHost.isEmpty, guests[guest].toGuest.isEmpty
        else { return }
        guests[guest] = Guest(isLinked: true)
        send(.enter(.only, purpose: purpose, name: name), from: guest)
    }

    private mutating func ask(_ guest: Int, _ request: RoomRequest) {
        guard guests[guest].machine != nil else { return }
        feedGuest(guest, .local(newRequest(), request))
    }

    private mutating func askHost(_ request: RoomRequest) {
        if request == .leave, requests % 4 != 0 { return }
        feedHost(.local(newRequest(), request))
    }

    private mutating func newRequest() -> RequestID {
        requests += 1
        let id = RequestID(rawValue: requests)
        unanswered.insert(id)
        return id
    }

    private mutating func cut(_ guest: Int) {
        guard guests[guest].isLinked else { return }
        guests[guest].isLinked = false
        guests[guest].toHost = []
        guests[guest].toGuest = []
        feedHost(.linkLost(Self.peer(guest + 1)))
        feedGuest(guest, .linkLost)
    }

    /// A guest's daemon ends the link and says so.
    private mutating func goodbye(_ guest: Int) {
        guard guests[guest].isLinked else { return }
        feedHost(
            host.state.isGathering
                ? .gone(Self.peer(guest + 1), reason: "left") : .linkLost(Self.peer(guest + 1)))
        feedGuest(guest, .hostGone(reason: "left"))
        // In a match it would wait for the next host; whoever asked goes with the daemon.
        for waiting in guests[guest].machine?.pending ?? [] { unanswered.remove(waiting.id) }
        guests[guest] = Guest(isClosed: true)
    }

    private mutating func linkBack(_ guest: Int) {
        guard let machine = guests[guest].machine, machine.isHostLost, !guests[guest].isClosed else { return }
        guests[guest].isLinked = true
        feedGuest(guest, .linkBack)
    }

    private mutating func changeMatch(_ input: inout FuzzInput) {
        switch input.number(below: 4) {
        case 0:
            guard matchAsked, let match = MatchID(bytes: Array(repeating: 8, count: MatchID.byteCount)) else {
                return
            }
            matchAsked = false
            feedHost(.matchBegan(match))
        case 1: feedHost(.matchPlaying)
        case 2: feedHost(.matchEnded([.first, .second, .third, .fourth]))
        default: feedHost(.matchEnded([]))
        }
    }

    private mutating func setOptions(_ input: inout FuzzInput) {
        let name = input.pick(["max_flips", "turn_s", "grace_s", "rounds", "nothing"])
        feedHost(.setOptions(newRequest(), [Value.Member(name, .int(input.number(below: 65_536)))]))
    }

    private mutating func changeHost(_ input: inout FuzzInput) {
        switch input.number(below: 16) {
        case 0...5: feedHost(.renamed(input.pick(["Attic", "Cellar", ""])))
        case 6...11: goodbye(input.number(below: Self.guestCount))
        case 12: feedHost(.close(reason: "host-closed"))
        default: feedHost(.deadlinePassed)
        }
    }

    // MARK: The end

    /// Connects everybody again and lets everything arrive; then all agree and nobody waits.
    mutating func settle() {
        for _ in 0..<2 {
            for guest in guests.indices { linkBack(guest) }
            deliverAll()
        }
        for guest in guests.indices where !hostClosed {
            guard let machine = guests[guest].machine, !guests[guest].isClosed, guests[guest].isLinked else {
                continue
            }
            demand(machine.state == host.state, "guest \(guest) has another state")
        }
        pass(.seconds(60))
        demand(unanswered.isEmpty, "\(unanswered.count) requests have no answer")
    }

    private func check() {
        let state = host.state
        let players = state.seats.compactMap { $0 }
        demand(state.host?.peer == Self.peer(0), "the host has lost its seat")
        demand(Set(players.map(\.peer)).count == players.count, "a peer sits twice")
        demand(Set(players.map(\.name)).count == players.count, "two have one name")
        demand(players.allSatisfy { !state.banned.contains($0.peer) }, "somebody banned sits")
        demand(RoomState(cbor: state.cbor) == state, "written and read, the state differs")
    }

    // MARK: Carrying out

    private mutating func deliverToHost(_ guest: Int) {
        guard !guests[guest].toHost.isEmpty else { return }
        let bytes = guests[guest].toHost.removeFirst()
        switch RoomMessage(decoding: bytes) {
        case .enter(let room, let purpose, let name, let endpoints):
            feedHost(.entering(Self.peer(guest + 1), purpose, name: name, room, endpoints: endpoints))
        case .request(_, let number, let request):
            feedHost(.request(Self.peer(guest + 1), number: number, request))
        case let message: demand(false, "a guest sent \(String(describing: message))")
        }
    }

    private mutating func deliverToGuest(_ guest: Int) {
        guard !guests[guest].toGuest.isEmpty else { return }
        guard let message = RoomMessage(decoding: guests[guest].toGuest.removeFirst()) else {
            return demand(false, "the host sent what nobody can read")
        }
        if guests[guest].machine == nil {
            let me = Self.peer(guest + 1)
            if case .state(let state, _) = message, state.seat(of: me) != nil, !guests[guest].isClosed {
                guests[guest].machine = RoomGuest(state, me: me, name: "Bob")
            }
        } else {
            feedGuest(guest, .received(message))
        }
    }

    private mutating func deliverAll() {
        for _ in 0..<2_000 where guests.contains(where: { !$0.toHost.isEmpty || !$0.toGuest.isEmpty }) {
            for guest in guests.indices {
                deliverToHost(guest)
                deliverToGuest(guest)
            }
        }
    }

    private mutating func pass(_ duration: Duration) {
        let end = now + duration
        for _ in 0..<1_000 {
            var due: (at: Tick, guest: Int?)? = hostArmed.map { ($0, nil) }
            for guest in guests.indices {
                if let at = guests[guest].armed, due.map({ at < $0.at }) ?? true { due = (at, guest) }
            }
            guard let due, due.at <= end else { break }
            now = max(now, due.at)
            if let guest = due.guest {
                guests[guest].armed = nil
                feedGuest(guest, .deadlinePassed)
            } else {
                hostArmed = nil
                feedHost(.deadlinePassed)
            }
        }
        now = end
    }

    private mutating func feedHost(_ input: RoomHost.Input) {
        let actions = host.handle(input, at: now)
        var answers = 0
        for action in actions {
            switch action {
            case .send(let message, let to):
                let guest = Int(to.bytes[0]) - 1
                switch message {
                case .entered, .denied, .reply: answers += 1
                default: break
                }
                if guests.indices.contains(guest), guests[guest].isLinked {
                    guests[guest].toGuest.append(message.encoded)
                }
            case .reply(let id, _):
                demand(unanswered.remove(id) != nil, "an answer that nobody waits for")
                answers += 1
            case .arm(let tick): hostArmed = tick
            case .beginMatch: matchAsked = true
            case .makeCode: demand(false, "a room without a code wants another")
            case .closed: hostClosed = true
            case .yielded: demand(false, "a host yields to nobody")
            case .notice, .kickFromMatch, .advertise: break
            }
        }
        switch input {
        case .entering, .request, .local, .setOptions: demand(answers == 1, "\(answers) answers to \(input)")
        default: demand(answers == 0, "\(answers) answers to \(input)")
        }
    }

    private mutating func feedGuest(_ guest: Int, _ input: RoomGuest.Input) {
        for action in guests[guest].machine?.handle(input, at: now) ?? [] {
            switch action {
            case .send(let message): send(message, from: guest)
            case .reply(let id, _): demand(unanswered.remove(id) != nil, "an answer that nobody waits for")
            case .closed: guests[guest].isClosed = true
            case .arm(let tick): guests[guest].armed = tick
            case .hostChanged: demand(false, "a room changes hands outside of a match")
            case .notice: break
            }
        }
    }

    private mutating func send(_ message: RoomMessage, from guest: Int) {
        if guests[guest].isLinked { guests[guest].toHost.append(message.encoded) }
    }
}
