import Testing

@testable import ParlorProtocol
@testable import ParlorSim

/// A room in a match, whose host is lost again and again: by seed, on links that break and come back.
struct RoomHandoverTests {
    private enum Part: Sendable {
        case host(RoomHost)
        case guest(RoomGuest)
    }

    private enum Event: Sendable {
        case message(RoomMessage, from: Int, to: Int, link: Int)
        case cut(Int, Int), mend(Int, Int), vote, ask(Int), wake(Int)
    }

    /// Two peers, the lower first.
    private struct Pair: Hashable, Sendable {
        let low: Int
        let high: Int
        init(_ one: Int, _ other: Int) { (low, high) = (min(one, other), max(one, other)) }
    }

    /// Peers that are in a match for four, and a stand-in for its votes: whoever has a link with so many that
    /// they are a quorum may be the next sequencer, each in an epoch of its own.
    private struct World {
        static let count = 4
        var parts: [Part] = []
        var queue = EventQueue<Event>()
        var random: SeededGenerator
        var now = second(0)
        /// The number of the link between two; none while it is broken.
        var links: [Pair: Int] = [:]
        var linkCount = 0
        var last: [[Int]: Tick] = [:]
        var sequencer = 0
        var epoch = 0
        var requests: UInt64 = 0
        var unanswered: Set<RequestID> = []
        var strayAnswers = 0
        var closed: [String] = []
        var handovers = 0

        init(seed: UInt64) throws {
            random = SeededGenerator(seed: seed)
            var room = try HostTable(joined: ["Bob", "Cid", "Dan"])
            room.play()
            parts = [.host(room.host)]
            for number in 1..<Self.count {
                parts.append(.guest(RoomGuest(room.state, me: peer(number), name: "Bob")))
            }
            for one in 0..<Self.count { for other in 0..<one { connect(Pair(one, other)) } }
        }

        func state(_ number: Int) -> RoomState {
            switch parts[number] {
            case .host(let host): host.state
            case .guest(let guest): guest.state
            }
        }

        func hostOf(_ number: Int) -> Int { Int(state(number).host?.peer.bytes[0] ?? 255) }

        mutating func connect(_ pair: Pair) {
            linkCount += 1
            links[pair] = linkCount
        }

        mutating func send(_ message: RoomMessage, from: Int, to: Int) {
            guard let link = links[Pair(from, to)] else { return }
            let at = max(
                last[[from, to]] ?? now, now + .milliseconds(Int.random(in: 1...300, using: &random)))
            last[[from, to]] = at
            queue.schedule(.message(message, from: from, to: to, link: link), at: at)
        }

        mutating func feedHost(_ number: Int, _ input: RoomHost.Input) {
            guard case .host(var host) = parts[number] else { return }
            let actions = host.handle(input, at: now)
            parts[number] = .host(host)
            perform(actions, number)
        }

        mutating func perform(_ actions: [RoomHost.Action], _ number: Int) {
            for action in actions {
                switch action {
                case .send(let message, let to): send(message, from: number, to: Int(to.bytes[0]))
                case .reply(let id, _): answered(id)
                case .yielded(let state):
                    parts[number] = .guest(RoomGuest(state, me: peer(number), name: "Bob"))
                    feedGuest(number, .linkBack)
                case .closed(let reason): closed.append(reason)
                case .arm(let tick): if let tick { queue.schedule(.wake(number), at: tick) }
                case .beginMatch, .notice, .kickFromMatch, .advertise, .makeCode: break
                }
            }
        }

        mutating func feedGuest(_ number: Int, _ input: RoomGuest.Input) {
            guard case .guest(var guest) = parts[number] else { return }
            let actions = guest.handle(input, at: now)
            parts[number] = .guest(guest)
            for action in actions {
                switch action {
                case .send(let message): send(message, from: number, to: hostOf(number))
                case .reply(let id, _): answered(id)
                case .closed(let reason): closed.append(reason)
                case .arm(let tick): if let tick { queue.schedule(.wake(number), at: tick) }
                case .notice, .hostChanged: break
                }
            }
        }

        mutating func answered(_ id: RequestID) { if unanswered.remove(id) == nil { strayAnswers += 1 } }

        mutating func happen(_ event: Event) {
            switch event {
            case .message(let message, let from, let to, let link):
                if links[Pair(from, to)] == link { receive(message, from: from, at: to) }
            case .cut(let one, let other):
                guard links.removeValue(forKey: Pair(one, other)) != nil else { return }
                for (number, peerNumber) in [(one, other), (other, one)] {
                    feedHost(number, .linkLost(peer(peerNumber)))
                    if hostOf(number) == peerNumber { feedGuest(number, .linkLost) }
                }
            case .mend(let one, let other):
                guard links[Pair(one, other)] == nil else { return }
                connect(Pair(one, other))
                for (number, peerNumber) in [(one, other), (other, one)] {
                    feedHost(number, .linkUp(peer(peerNumber)))
                    if hostOf(number) == peerNumber { feedGuest(number, .linkBack) }
                }
            case .vote: vote()
            case .ask(let number):
                requests += 1
                let id = RequestID(rawValue: requests)
                unanswered.insert(id)
                feedHost(number, .local(id, .say("hi")))
                feedGuest(number, .local(id, .say("hi")))
            case .wake(let number):
                feedHost(number, .deadlinePassed)
                feedGuest(number, .deadlinePassed)
            }
        }

        mutating func receive(_ message: RoomMessage, from: Int, at number: Int) {
            let sender = peer(from)
            switch (parts[number], message) {
            case (.host, .enter(let room, let purpose, let name, let endpoints)):
                feedHost(number, .entering(sender, purpose, name: name, room, endpoints: endpoints))
            case (.host, .request(_, let serial, let request)):
                feedHost(number, .request(sender, number: serial, request))
            case (.host, .state(let state, let left)):
                feedHost(number, .offered(state, left: left, from: sender))
            case (.host, _): break
            case (.guest, _) where hostOf(number) == from: feedGuest(number, .received(message))
            case (.guest, .state(let state, let left)):
                feedGuest(number, .offered(state, left: left, from: sender))
            case (.guest, _): break
            }
        }

        func linked(_ number: Int) -> Set<Int> {
            Set((0..<Self.count).filter { $0 == number || links[Pair($0, number)] != nil })
        }

        /// The lowest peer with a quorum takes over, where the sequencer has none.
        mutating func vote() {
            let isQuorum = { (peers: Set<Int>) in peers.count > 2 || peers.count == 2 && peers.contains(0) }
            guard !isQuorum(linked(sequencer)),
                let next = (0..<Self.count).first(where: { isQuorum(linked($0)) })
            else { return }
            epoch += 1
            sequencer = next
            handovers += 1
            guard case .guest(let guest) = parts[next] else {
                return feedHost(next, .reign(epoch: epoch))
            }
            let present = Set(linked(next).subtracting([next]).map(peer))
            let succession = RoomHost.succeeding(
                guest.state, me: peer(next), epoch: epoch, present: present, hostHasLeft: false, at: now)
            guard let succession else { return }
            parts[next] = .host(succession.host)
            perform(succession.actions, next)
            for (id, request) in guest.pending { feedHost(next, .local(id, request)) }
        }
    }

    @Test(arguments: UInt64(1)...200)
    func `in the end one peer hosts, the others are its guests, and every request has one answer`(
        seed: UInt64
    ) throws {
        var world = try World(seed: seed)
        let end = second(0) + .seconds(600)
        for _ in 0..<60 {
            let at = second(0) + .milliseconds(Int.random(in: 0...500_000, using: &world.random))
            let (one, other) = (Int(world.random.next() % 4), Int(world.random.next() % 4))
            switch world.random.next() % 4 {
            case 0: world.queue.schedule(.ask(one), at: at)
            case 1:
                // A whole peer for a while, or one link of it.
                let others = world.random.next() % 2 == 0 ? [other] : Array(0..<4)
                for peer in others where peer != one {
                    world.queue.schedule(.cut(one, peer), at: at)
                    let pause = Duration.milliseconds(Int.random(in: 100...60_000, using: &world.random))
                    world.queue.schedule(.mend(one, peer), at: at + pause)
                }
            default: world.queue.schedule(.vote, at: at)
            }
        }
        for one in 0..<4 { for other in 0..<one { world.queue.schedule(.mend(one, other), at: end) } }
        while let (at, event) = world.queue.next() {
            world.now = at
            world.happen(event)
        }
        let hosts = (0..<4).filter { if case .host = world.parts[$0] { true } else { false } }
        #expect(hosts.count == 1, "hosts \(hosts), epochs \((0..<4).map { world.state($0).epoch })")
        let host = try #require(hosts.first)
        for number in 0..<4 { #expect(world.state(number) == world.state(host), "peer \(number)") }
        #expect(world.state(host).seats.allSatisfy { $0?.away == false })
        #expect(host == world.sequencer)
        #expect(world.state(host).epoch == world.epoch)
        #expect(world.unanswered.isEmpty)
        #expect(world.strayAnswers == 0)
        #expect(world.closed.isEmpty)
    }

    @Test func `most of those seeds hand the room over`() throws {
        var world = try World(seed: 1)
        for peer in 1..<4 { world.happen(.cut(0, peer)) }
        world.happen(.vote)
        #expect(world.handovers == 1)
        #expect(world.hostOf(1) == 1)
    }
}
