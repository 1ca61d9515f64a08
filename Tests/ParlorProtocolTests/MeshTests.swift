import ParlorSim
import Testing

@testable import ParlorProtocol

/// Direct links between guests: exact answers, and a world of four guests.
struct MeshTests {
    private let start = second(0)
    private let place = Endpoint(address: [192, 0, 2, 1], port: 5).map { [$0] } ?? []
    private let enter = RoomMessage.enter(.id(roomID), purpose: .mesh, name: "", endpoints: [])

    private func member(_ number: Int, isAway: Bool = false, at endpoints: [Endpoint]? = nil) -> Mesh.Member {
        Mesh.Member(peer: peer(number), seat: number, isAway: isAway, endpoints: endpoints ?? place)
    }

    private func denied(_ number: Int) -> Mesh.Action {
        let refusal = RoomRefusal(.notInRoom, "you are not in the room, as far as this guest knows")
        return .send(.denied(.id(roomID), refusal), to: peer(number))
    }

    @Test func `a new member is dialled, entered and direct`() {
        var mesh = Mesh(room: roomID, me: peer(1))
        #expect(
            mesh.handle(.roster([member(2)]), at: start) == [
                .dial(peer(2), place), .arm(start + Limits.meshRelayWait),
            ])
        #expect(mesh.path(to: peer(2)) == .connecting)
        #expect(mesh.path(to: peer(3)) == nil)
        #expect(
            mesh.handle(.linkUp(peer(2)), at: start) == [
                .send(enter, to: peer(2)), .arm(start + Limits.meshRetryWait),
            ])
        #expect(mesh.handle(.dialled(peer(2)), at: start) == [.arm(start + Limits.meshRetryWait)])
        #expect(mesh.path(to: peer(2)) == .connecting)
        #expect(mesh.handle(.entered(peer(2)), at: start) == [.path(peer(2), .direct), .arm(nil)])
        #expect(mesh.path(to: peer(2)) == .direct)
        // Its own enter is answered, and changes nothing.
        #expect(
            mesh.handle(.entering(peer(2)), at: start) == [
                .send(.entered(room: roomID, seat: 2), to: peer(2)), .arm(nil),
            ])
    }

    @Test func `of two new members the one with the lower peer ID dials first`() {
        var mesh = Mesh(room: roomID, me: peer(3))
        let later = start + Limits.meshDialWait
        #expect(mesh.handle(.roster([member(2)]), at: start) == [.arm(later)])
        #expect(
            mesh.handle(.deadlinePassed, at: later) == [
                .dial(peer(2), place), .arm(start + Limits.meshRelayWait),
            ])
        // Not when the other one has come by then.
        var other = Mesh(room: roomID, me: peer(3))
        _ = other.handle(.roster([member(2)]), at: start)
        _ = other.handle(.linkUp(peer(2)), at: start)
        #expect(other.handle(.entered(peer(2)), at: start).first == .path(peer(2), .direct))
        #expect(other.handle(.deadlinePassed, at: later) == [.arm(nil)])
    }

    @Test func `whoever enters is known to know this peer`() {
        var mesh = Mesh(room: roomID, me: peer(1))
        _ = mesh.handle(.roster([member(2)]), at: start)
        #expect(
            mesh.handle(.entering(peer(2)), at: start) == [
                .send(.entered(room: roomID, seat: 2), to: peer(2)), .path(peer(2), .direct), .arm(nil),
            ])
    }

    @Test func `a link that there is already is entered at once`() {
        var mesh = Mesh(room: roomID, me: peer(1))
        #expect(mesh.handle(.linkUp(peer(2)), at: start) == [.arm(nil)])
        #expect(
            mesh.handle(.roster([member(2)]), at: start) == [
                .send(enter, to: peer(2)), .arm(start + Limits.meshRetryWait),
            ])
        var other = Mesh(room: roomID, me: peer(1))
        _ = other.handle(.roster([member(2)]), at: start)
        #expect(other.handle(.dialled(peer(2)), at: start).first == .send(enter, to: peer(2)))
    }

    @Test func `without a link the pair is relayed, and dialled at growing intervals`() {
        var mesh = Mesh(room: roomID, me: peer(1))
        _ = mesh.handle(.roster([member(2)]), at: start)
        let relayAt = start + .seconds(2)
        #expect(mesh.handle(.deadlinePassed, at: relayAt + .milliseconds(-1)) == [.arm(relayAt)])
        #expect(mesh.handle(.deadlinePassed, at: relayAt) == [.path(peer(2), .relayed), .arm(nil)])
        var now = relayAt
        for wait in [1, 2, 4, 8, 16, 30, 30] {
            #expect(mesh.handle(.dialFailed(peer(2)), at: now) == [.arm(now + .seconds(wait))])
            now = now + .seconds(wait)
            #expect(mesh.handle(.deadlinePassed, at: now) == [.dial(peer(2), place), .arm(nil)])
        }
        _ = mesh.handle(.linkUp(peer(2)), at: now)
        #expect(mesh.handle(.entered(peer(2)), at: now) == [.path(peer(2), .direct), .arm(nil)])
        // A late word of a dial changes nothing.
        #expect(mesh.handle(.dialFailed(peer(2)), at: now) == [.arm(nil)])
    }

    @Test func `a lost link is relayed until it is resumed, one that is no more is dialled again`() {
        var mesh = Mesh(room: roomID, me: peer(1))
        _ = mesh.handle(.roster([member(2)]), at: start)
        _ = mesh.handle(.linkUp(peer(2)), at: start)
        _ = mesh.handle(.entered(peer(2)), at: start)
        #expect(mesh.handle(.linkLost(peer(2)), at: start) == [.path(peer(2), .relayed), .arm(nil)])
        #expect(mesh.handle(.linkResumed(peer(2)), at: start) == [.path(peer(2), .direct), .arm(nil)])
        _ = mesh.handle(.dialled(peer(2)), at: start)
        let again = start + Limits.meshRetryWait
        #expect(mesh.handle(.linkDown(peer(2)), at: start) == [.path(peer(2), .relayed), .arm(again)])
        #expect(mesh.handle(.deadlinePassed, at: again) == [.dial(peer(2), place), .arm(nil)])
        // A link that takes another's place knows nothing of the room.
        _ = mesh.handle(.linkUp(peer(2)), at: again)
        _ = mesh.handle(.entered(peer(2)), at: again)
        #expect(
            mesh.handle(.linkUp(peer(2)), at: again).prefix(2) == [
                .send(enter, to: peer(2)), .path(peer(2), .relayed),
            ])
    }

    @Test func `an unknown peer waits for its roster, for so long`() {
        var mesh = Mesh(room: roomID, me: peer(1))
        let until = start + Limits.meshRosterWait
        #expect(mesh.handle(.entering(peer(2)), at: start) == [.arm(until)])
        #expect(mesh.handle(.entering(peer(3)), at: start) == [.arm(until)])
        let now = start + .seconds(1)
        let admitted = mesh.handle(.roster([member(3)]), at: now)
        #expect(
            admitted.dropLast() == [
                .send(.entered(room: roomID, seat: 3), to: peer(3)), .path(peer(3), .direct),
            ])
        #expect(mesh.handle(.deadlinePassed, at: until) == [denied(2), .arm(nil)])
        #expect(mesh.handle(.deadlinePassed, at: until + .seconds(9)) == [.arm(nil)])
        // Nobody is turned away whose link has gone meanwhile.
        _ = mesh.handle(.entering(peer(2)), at: until)
        #expect(mesh.handle(.linkDown(peer(2)), at: until) == [.arm(nil)])
        for number in 10..<(10 + Limits.meshWaitingMax) {
            _ = mesh.handle(.entering(peer(number)), at: until)
        }
        #expect(mesh.handle(.entering(peer(99)), at: until).first == denied(99), "enough wait")
    }

    @Test func `who is denied enters again later`() {
        var mesh = Mesh(room: roomID, me: peer(1))
        _ = mesh.handle(.linkUp(peer(2)), at: start)
        _ = mesh.handle(.roster([member(2)]), at: start)
        _ = mesh.handle(.denied(peer(2)), at: start)
        #expect(mesh.handle(.deadlinePassed, at: start + .seconds(1)).first == .send(enter, to: peer(2)))
    }

    @Test func `leaving the roster ends the part of the link in the room`() {
        var mesh = Mesh(room: roomID, me: peer(1))
        _ = mesh.handle(.roster([member(2), member(3)]), at: start)
        _ = mesh.handle(.linkUp(peer(2)), at: start)
        _ = mesh.handle(.entered(peer(2)), at: start)
        #expect(
            mesh.handle(.roster([member(3)]), at: start) == [
                .arm(start + Limits.meshRelayWait)
            ])
        #expect(mesh.path(to: peer(2)) == nil)
        #expect(mesh.handle(.entering(peer(2)), at: start).count == 1, "it is unknown again")
        // Coming back it uses the link there is.
        _ = mesh.handle(.roster([member(3)]), at: start)
        #expect(mesh.handle(.roster([member(2), member(3)]), at: start).contains(.path(peer(2), .direct)))
    }

    @Test func `a member with other endpoints, or back again, is dialled anew`() throws {
        var mesh = Mesh(room: roomID, me: peer(1))
        _ = mesh.handle(.roster([member(2)]), at: start)
        _ = mesh.handle(.dialFailed(peer(2)), at: start)
        let other = [try #require(Endpoint(address: [192, 0, 2, 9], port: 1))]
        #expect(mesh.handle(.roster([member(2, at: other)]), at: start) == [.arm(start + .seconds(1))])
        let now = start + .seconds(1)
        #expect(mesh.handle(.deadlinePassed, at: now).first == .dial(peer(2), other))
        _ = mesh.handle(.dialFailed(peer(2)), at: now)
        let later = now + .milliseconds(999)
        #expect(mesh.handle(.roster([member(2, isAway: true, at: other)]), at: later).dropLast().isEmpty)
        #expect(mesh.handle(.roster([member(2, at: other)]), at: later).dropLast().isEmpty)
        let wait = second(2)
        #expect(
            mesh.handle(.deadlinePassed, at: wait) == [
                .path(peer(2), .relayed), .dial(peer(2), other), .arm(nil),
            ])
        _ = mesh.handle(.dialFailed(peer(2)), at: wait)
        #expect(mesh.handle(.roster([member(2)]), at: wait + .seconds(20)).first == .dial(peer(2), place))
    }

    @Test func `a roster names each endpoint once, the seen one first, and not too many`() throws {
        let many = try (1...9).map {
            try #require(Endpoint(address: [10, 0, 0, UInt8($0)], port: 7, scope: 3))
        }
        let seen = try #require(Endpoint(address: [10, 0, 0, 2], port: 7))
        let list = Endpoint.roster(seen: seen, said: many)
        #expect(list.count == Limits.endpointsMax)
        #expect(list.map { $0.address[3] } == [2, 1, 3, 4, 5, 6, 7, 8])
        #expect(list.allSatisfy { $0.scope == 0 })
        let none = try #require(Endpoint(address: [10, 0, 0, 2], port: 0))
        #expect(Endpoint.roster(seen: none, said: []).isEmpty)
    }

    // MARK: A world

    private enum Event {
        case roster(Int)
        case receive(RoomMessage, from: Int, to: Int, link: Int)
        case dialEnds(from: Int, to: Int)
        case wake(Int, Tick)
        case cut(Int, Int)
        case suspend(Int, Int)
        case change(Int)
    }

    /// Guests of one room, with links that come up, are lost and cut, and rosters that come at any time.
    private struct World {
        var queue = EventQueue<Event>()
        var random: SeededGenerator
        var now = second(0)
        var meshes: [Mesh]
        var roster: Set<Int> = []
        /// The link of each pair, lower number first; 0: none.
        var links: [[Int]: Int] = [:]
        var linkCount = 0
        var suspended: Set<[Int]> = []
        var armed: [Tick?]
        var changes: [[Int]: Int] = [:]
        let count = 4

        init(seed: UInt64) {
            random = SeededGenerator(seed: seed)
            meshes = (0..<count).map { Mesh(room: roomID, me: peer($0)) }
            armed = Array(repeating: nil, count: count)
        }

        func pair(_ one: Int, _ other: Int) -> [Int] { [min(one, other), max(one, other)] }

        mutating func feed(_ input: Mesh.Input, _ guest: Int) {
            for action in meshes[guest].handle(input, at: now) {
                switch action {
                case .dial(let other, _):
                    let delay = Duration.milliseconds(Int.random(in: 1...5_000, using: &random))
                    queue.schedule(.dialEnds(from: guest, to: number(other)), at: now + delay)
                case .send(let message, let other):
                    guard let link = links[pair(guest, number(other))], link > 0 else { continue }
                    let delay = Duration.milliseconds(Int.random(in: 1...50, using: &random))
                    queue.schedule(
                        .receive(message, from: guest, to: number(other), link: link), at: now + delay)
                case .path(let other, _): changes[[guest, number(other)], default: 0] += 1
                case .arm(let tick):
                    guard armed[guest] != tick else { continue }
                    armed[guest] = tick
                    if let tick { queue.schedule(.wake(guest, tick), at: max(tick, now)) }
                }
            }
        }

        func number(_ id: PeerID) -> Int { Int(id.bytes[0]) }

        mutating func happen(_ event: Event) {
            switch event {
            case .roster(let guest):
                let members = roster.sorted().filter { $0 != guest }.map {
                    Mesh.Member(peer: peer($0), seat: $0, endpoints: [])
                }
                feed(.roster(roster.contains(guest) ? members : []), guest)
            case .receive(let message, let sender, let receiver, let link):
                guard links[pair(sender, receiver)] == link else { return }
                switch message {
                case .enter: feed(.entering(peer(sender)), receiver)
                case .entered: feed(.entered(peer(sender)), receiver)
                case .denied: feed(.denied(peer(sender)), receiver)
                default: Issue.record("\(message)")
                }
            case .dialEnds(let dialler, let other):
                if links[pair(dialler, other)] ?? 0 > 0 { return feed(.dialled(peer(other)), dialler) }
                guard Int.random(in: 0..<3, using: &random) > 0 else {
                    return feed(.dialFailed(peer(other)), dialler)
                }
                linkCount += 1
                links[pair(dialler, other)] = linkCount
                feed(.linkUp(peer(other)), dialler)
                feed(.linkUp(peer(dialler)), other)
                feed(.dialled(peer(other)), dialler)
            case .wake(let guest, let tick):
                guard armed[guest] == tick else { return }
                armed[guest] = nil
                feed(.deadlinePassed, guest)
            case .cut(let one, let other):
                guard links[pair(one, other)] ?? 0 > 0 else { return }
                links[pair(one, other)] = 0
                suspended.remove(pair(one, other))
                feed(.linkDown(peer(other)), one)
                feed(.linkDown(peer(one)), other)
            case .suspend(let one, let other):
                guard links[pair(one, other)] ?? 0 > 0 else { return }
                let isLost = suspended.insert(pair(one, other)).inserted
                if !isLost { suspended.remove(pair(one, other)) }
                feed(isLost ? .linkLost(peer(other)) : .linkResumed(peer(other)), one)
                feed(isLost ? .linkLost(peer(one)) : .linkResumed(peer(one)), other)
            case .change(let guest):
                if roster.remove(guest) == nil { roster.insert(guest) }
                spread()
            }
        }

        /// The host tells everybody, sooner or later.
        mutating func spread() {
            for guest in 0..<count {
                let delay = Duration.milliseconds(Int.random(in: 1...2_000, using: &random))
                queue.schedule(.roster(guest), at: now + delay)
            }
        }
    }

    @Test(arguments: UInt64(1)...100)
    func `in the end every pair of members is direct, and nobody else is anything`(seed: UInt64) {
        var world = World(seed: seed)
        for guest in 0..<world.count { world.happen(.change(guest)) }
        for _ in 0..<60 {
            let at = world.now + .milliseconds(Int.random(in: 0...60_000, using: &world.random))
            let one = Int.random(in: 0..<world.count, using: &world.random)
            let other = (one + Int.random(in: 1..<world.count, using: &world.random)) % world.count
            let event: Event =
                switch Int.random(in: 0..<4, using: &world.random) {
                case 0: .cut(one, other)
                case 1, 2: .suspend(one, other)
                default: .change(one)
                }
            world.queue.schedule(event, at: at)
        }
        func run(until end: Tick) {
            while let (at, event) = world.queue.next(upTo: end) {
                world.now = at
                world.happen(event)
                for one in 0..<world.count {
                    for other in 0..<world.count where world.meshes[one].path(to: peer(other)) == .direct {
                        let pair = world.pair(one, other)
                        let isUp = world.links[pair] ?? 0 > 0 && !world.suspended.contains(pair)
                        #expect(isUp, "direct without a link")
                    }
                }
            }
        }
        run(until: second(62))
        for pair in world.suspended { world.happen(.suspend(pair[0], pair[1])) }
        world.spread()
        run(until: second(1_000))
        for one in 0..<world.count {
            for other in 0..<world.count where other != one {
                let areMembers = world.roster.contains(one) && world.roster.contains(other)
                #expect(
                    world.meshes[one].path(to: peer(other)) == (areMembers ? .direct : nil),
                    "\(one) to \(other)")
            }
            #expect(world.armed[one] == nil, "nothing is waited for")
        }
    }

    // MARK: The host's gate

    @Test func `a sender that keeps to the window passes the gate, one that floods is held back alone`() {
        var (gate, counters) = (RelayGate(), LinkStatistics.Lane())
        let count = 16 * 1_024
        func takes(_ sender: Int, _ lane: Lane = .bulk) -> Bool {
            let isOpen = gate.takes(
                reliable: count, from: peer(sender), to: peer(3), lane: lane, counters: counters)
            if isOpen { counters.queuedBytes += count }
            return isOpen
        }
        let taken = (0..<50).count { _ in takes(1) }
        #expect(taken == 8)
        #expect(takes(2), "another sender")
        #expect(takes(1, .game), "another lane")
        // Six messages have been sent, two of them acknowledged.
        counters.queuedBytes -= 6 * count
        counters.sentBytes = UInt64(6 * count)
        counters.unacknowledgedBytes = 6 * count
        #expect(!takes(1), "sent is not acknowledged")
        counters.unacknowledgedBytes = 4 * count
        #expect((0..<50).count { _ in takes(1) } == 2)
        gate.forget(peer(3))
        counters = LinkStatistics.Lane()
        #expect((0..<50).count { _ in takes(1) } == 8, "another link")
    }

    @Test func `a message larger than the window opens the gate again when it has arrived`() {
        var (gate, counters) = (RelayGate(), LinkStatistics.Lane())
        let (count, envelope) = (Limits.channelBytesMax, 70)
        func takes(_ count: Int) -> Bool {
            gate.takes(reliable: count, from: peer(1), to: peer(3), lane: .bulk, counters: counters)
        }
        #expect(takes(count))
        counters.sentBytes = UInt64(count + envelope)
        counters.unacknowledgedBytes = Limits.chunkBytesMax
        #expect(!takes(5))
        counters.unacknowledgedBytes = 0
        #expect(takes(5))
    }

    @Test func `unreliable messages pass the gate at a bounded rate`() {
        var gate = RelayGate()
        func takes(_ sender: Int, at now: Tick) -> Int {
            (0..<1_000).count { _ in
                gate.takes(unreliable: 16_320, from: peer(sender), to: peer(3), at: now)
            }
        }
        #expect(takes(1, at: start) == 256)
        #expect(takes(1, at: start) == 0)
        #expect(takes(2, at: start) == 256)
        #expect(takes(1, at: start + .milliseconds(500)) == 128)
        #expect(takes(1, at: start + .seconds(9)) == 256)
    }
}
