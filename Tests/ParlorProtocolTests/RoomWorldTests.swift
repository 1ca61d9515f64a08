import ParlorGames
import Testing

@testable import ParlorProtocol
@testable import ParlorSim

/// Rooms by seed: whatever happens, the rules of a room hold.
struct RoomWorldTests {
    @Test(arguments: UInt64(1)...100)
    func `no input breaks a room`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var room = try HostTable(seats: 2 + Int(seed % 3))
        var banned: Set<PeerID> = []
        for _ in 0..<300 {
            let before = room.state
            room.now = room.now + .milliseconds(Int.random(in: 0...3_000, using: &random))
            let input = try randomInput(room.state, &random)
            let actions = room.feed(input)
            expectOneAnswer(to: input, actions)
            try expectRules(room.state, after: before)
            if case .local(_, .kick(let seat, true)) = input, before.seats.indices.contains(seat), seat > 0,
                let player = before.seats[seat], room.state.banned.contains(player.peer)
            {
                banned.insert(player.peer)
            }
            #expect(banned.isDisjoint(with: room.state.seats.compactMap { $0?.peer }))
            #expect((room.state == before) == !actions.contains(.advertise))
        }
    }

    private func randomInput(_ state: RoomState, _ random: inout SeededGenerator) throws -> RoomHost.Input {
        let who = peer(Int.random(in: 0...7, using: &random))
        let id = RequestID(rawValue: random.next())
        switch Int.random(in: 0..<16, using: &random) {
        case 0...3:
            let name = ["Bob", "bob", "", "Ann", String(repeating: "ß", count: 32)].randomElement(
                using: &random)
            let purpose: RoomMessage.Purpose = random.next() % 8 == 0 ? .watch : .join
            return .entering(who == peer(0) ? peer(8) : who, purpose, name: name ?? "", .only)
        case 4...7: return .request(who == peer(0) ? peer(8) : who, number: 3, request(&random))
        case 8...10: return .local(id, request(&random))
        case 11: return random.next() % 2 == 0 ? .linkLost(who) : .linkResumed(who)
        case 12: return .gone(who, reason: "left")
        case 13:
            if state.phase == .drawing { return .matchBegan(matchID) }
            return .setOptions(id, [.init("max_flips", .int(Int.random(in: 0...40, using: &random)))])
        case 14: return .matchPlaying
        default:
            guard !state.isGathering else { return .deadlinePassed }
            return .matchEnded(random.next() % 4 == 0 ? [] : [.first, .second, .third, .fourth])
        }
    }

    private func request(_ random: inout SeededGenerator) -> RoomRequest {
        switch Int.random(in: 0..<16, using: &random) {
        case 0...3: .ready(random.next() % 3 > 0)
        case 4...7: .start
        case 8...10: .rematch
        case 11: .lock(random.next() % 4 == 0)
        case 12: .kick(seat: Int.random(in: -1...4, using: &random), ban: random.next() % 4 == 0)
        case 13: .say(["hi", "", "\u{202E}"].randomElement(using: &random) ?? "")
        case 14: .ready(true)
        default: random.next() % 8 == 0 ? .say("bye") : .rematch
        }
    }

    private func expectOneAnswer(to input: RoomHost.Input, _ actions: [RoomHost.Action]) {
        let answers = actions.count { action in
            switch (input, action) {
            case (.local(let asked, _), .reply(let id, _)), (.setOptions(let asked, _), .reply(let id, _)):
                id == asked
            case (.request(let asker, _, _), .send(.reply, let to)): to == asker
            case (.entering(let asker, _, _, _, _), .send(.entered, let to)): to == asker
            case (.entering(let asker, _, _, _, _), .send(.denied, let to)): to == asker
            default: false
            }
        }
        switch input {
        case .local, .setOptions, .request, .entering: #expect(answers == 1)
        default: #expect(answers == 0)
        }
        if case .arm = actions.last {} else { #expect(Bool(false), "every input ends with a deadline") }
    }

    private func expectRules(_ state: RoomState, after before: RoomState) throws {
        let players = state.seats.compactMap { $0 }
        #expect(state.seats[0]?.peer == peer(0))
        #expect(state.seats[0]?.ready == true)
        #expect(state.seats.count == before.seats.count)
        #expect(Set(players.map(\.peer)).count == players.count)
        #expect(Set(players.map(\.name)).count == players.count)
        #expect(!state.isGathering || before.isGathering || players.allSatisfy { !$0.rematch })
        #expect(RoomState(cbor: try CBOR.decode(state.cbor.encoded())) == state)
        switch (before.phase, state.phase) {
        case (.lobby, .lobby), (.lobby, .drawing), (.drawing, .drawing), (.drawing, .playing),
            (.drawing, .lobby), (.drawing, .finished), (.playing, .playing), (.playing, .finished),
            (.playing, .lobby), (.finished, .finished), (.finished, .drawing):
            break
        default: #expect(Bool(false), "\(before.phase) became \(state.phase)")
        }
        if before.isGathering, state.phase == .drawing {
            #expect(players.count >= 2)
            #expect(state.seats.prefix(players.count).allSatisfy { $0 != nil })
            #expect(players.allSatisfy { !$0.away })
        }
    }

    // MARK: Host and guests

    private enum Event: Sendable {
        case toHost(RoomMessage, from: Int, link: Int)
        case toGuest(RoomMessage, to: Int, link: Int)
        case step, cut(Int), back(Int), wakeHost, wakeGuest(Int)
    }

    /// A host, guests, and links between them that break and come back.
    private struct World {
        var host: RoomHost
        var guests: [Int: RoomGuest] = [:]
        var closed: Set<Int> = []
        var unanswered: Set<RequestID> = []
        var strayAnswers = 0
        var queue = EventQueue<Event>()
        var random: SeededGenerator
        var now = second(0)
        /// Number of the link to each guest; 0 for none.
        var links: [Int: Int] = [:]
        var linkCount = 0
        var last: [Int: Tick] = [:]
        var requests: UInt64 = 0

        init(seed: UInt64) throws {
            random = SeededGenerator(seed: seed)
            host = RoomHost(try roomState(seats: 4), me: peer(0))
            for number in 1...5 {
                connect(number)
                toHost(.enter(.only, purpose: .join, name: "Bob"), from: number)
            }
        }

        mutating func connect(_ number: Int) {
            linkCount += 1
            links[number] = linkCount
        }

        mutating func arrival(_ lane: Int) -> Tick {
            let at = max(last[lane] ?? now, now + .milliseconds(Int.random(in: 1...300, using: &random)))
            last[lane] = at
            return at
        }

        mutating func toHost(_ message: RoomMessage, from number: Int) {
            guard let link = links[number], link > 0 else { return }
            queue.schedule(.toHost(message, from: number, link: link), at: arrival(number))
        }

        mutating func toGuest(_ message: RoomMessage, _ number: Int) {
            guard let link = links[number], link > 0 else { return }
            queue.schedule(.toGuest(message, to: number, link: link), at: arrival(-number))
        }

        mutating func feedHost(_ input: RoomHost.Input) {
            for action in host.handle(input, at: now) {
                switch action {
                case .send(let message, let to): toGuest(message, Int(to.bytes[0]))
                case .reply(let id, _): if unanswered.remove(id) == nil { strayAnswers += 1 }
                case .arm(let tick): if let tick { queue.schedule(.wakeHost, at: tick) }
                case .beginMatch, .notice, .kickFromMatch, .advertise, .makeCode, .closed, .yielded: break
                }
            }
        }

        mutating func feedGuest(_ number: Int, _ input: RoomGuest.Input) {
            for action in guests[number]?.handle(input, at: now) ?? [] {
                switch action {
                case .send(let message): toHost(message, from: number)
                case .reply(let id, _): if unanswered.remove(id) == nil { strayAnswers += 1 }
                case .closed: closed.insert(number)
                case .arm(let tick): if let tick { queue.schedule(.wakeGuest(number), at: tick) }
                case .notice, .hostChanged: break
                }
            }
        }

        mutating func happen(_ event: Event) {
            switch event {
            case .toHost(let message, let from, let link):
                guard links[from] == link else { return }
                switch message {
                case .enter(let room, let purpose, let name, let endpoints):
                    feedHost(.entering(peer(from), purpose, name: name, room, endpoints: endpoints))
                case .request(_, let number, let request):
                    feedHost(.request(peer(from), number: number, request))
                default: break
                }
            case .toGuest(let message, let to, let link):
                guard links[to] == link else { return }
                if guests[to] == nil, case .state(let state, _) = message, state.seat(of: peer(to)) != nil {
                    guests[to] = RoomGuest(state, me: peer(to), name: "Bob")
                } else {
                    feedGuest(to, .received(message))
                }
            case .step: step()
            case .cut(let number):
                guard links[number] ?? 0 > 0 else { return }
                links[number] = 0
                feedHost(.linkLost(peer(number)))
                feedGuest(number, .linkLost)
                let pause = Int.random(in: 50...7_000, using: &random)
                queue.schedule(.back(number), at: now + .milliseconds(pause))
            case .back(let number):
                guard guests[number]?.isHostLost ?? false, !closed.contains(number) else { return }
                connect(number)
                feedGuest(number, .linkBack)
            case .wakeHost: feedHost(.deadlinePassed)
            case .wakeGuest(let number): feedGuest(number, .deadlinePassed)
            }
        }

        mutating func step() {
            requests += 1
            let id = RequestID(rawValue: requests)
            let number = Int.random(in: 0...5, using: &random)
            let request: RoomRequest =
                switch Int.random(in: 0..<12, using: &random) {
                case 0...4: .ready(true)
                case 5, 6: .start
                case 7: .rematch
                case 8: .say("hi")
                case 9: .kick(seat: Int.random(in: 1...3, using: &random), ban: false)
                case 10: .lock(random.next() % 4 == 0)
                default: random.next() % 6 == 0 && number > 0 ? .leave : .ready(false)
                }
            if !host.state.isGathering, random.next() % 3 == 0 { feedHost(.matchEnded([.won])) }
            if number == 0 {
                unanswered.insert(id)
                feedHost(.local(id, request))
            } else if guests[number] != nil {
                unanswered.insert(id)
                feedGuest(number, .local(id, request))
            }
        }
    }

    @Test(arguments: UInt64(1)...100)
    func `all guests end with the host's state, and every request has one answer`(seed: UInt64) throws {
        var world = try World(seed: seed)
        for _ in 0..<80 {
            let at = world.now + .milliseconds(Int.random(in: 0...20_000, using: &world.random))
            let number = Int.random(in: 1...5, using: &world.random)
            world.queue.schedule(
                Int.random(in: 0..<6, using: &world.random) == 0 ? .cut(number) : .step, at: at)
        }
        while let (at, event) = world.queue.next() {
            world.now = at
            world.happen(event)
        }
        #expect(world.unanswered.isEmpty)
        #expect(world.strayAnswers == 0)
        for (number, guest) in world.guests where !world.closed.contains(number) {
            #expect(guest.state == world.host.state, "guest \(number)")
        }
        #expect(!world.guests.isEmpty)
        for player in world.host.state.seats.dropFirst().compactMap({ $0 }) {
            #expect(!world.closed.contains(Int(player.peer.bytes[0])))
        }
    }
}
