import Testing

@testable import ParlorProtocol

/// Two links and the stream between them, in virtual time: bytes are cut and delayed as the seed has it.
private struct World {
    /// One side: its link, its transport, what it has sent and received.
    struct Side {
        var link: Link
        var armed: Tick?
        /// Bytes on their way to the other side, with their arrival.
        var wire: [(at: Tick, bytes: [UInt8])] = []
        /// When the transport will have handed its bytes to the kernel.
        var drain: Tick?
        var sent = PerLane<[[UInt8]]>(repeating: [])
        var received = PerLane<[[UInt8]]>(repeating: [])
        var ends: [LinkEnd] = []
        var suspicions = 0
        var isEstablished = false
        var isClosed = false
    }

    var sides: [Side]
    var random: Seeded
    var now = Tick.zero

    init(seed: UInt64) {
        random = Seeded(seed: seed)
        let hello = { Hello(software: "1", name: "", games: [], linkID: $0) }
        sides = [
            Side(link: Link(role: .dialler, hello: hello(1))),
            Side(link: Link(role: .listener, hello: hello(2))),
        ]
        feed(.opened, to: 1)
        feed(.opened, to: 0)
    }

    mutating func feed(_ input: Link.Input, to side: Int) {
        let actions = sides[side].link.handle(input, at: now)
        perform(actions, of: side)
    }

    mutating func send(_ message: [UInt8], on lane: Lane, from side: Int) {
        guard let actions = try? sides[side].link.send(message, on: lane, at: now) else {
            #expect(!sides[side].isEstablished || !sides[side].ends.isEmpty, "an open link takes messages")
            return
        }
        sides[side].sent[lane].append(message)
        perform(actions, of: side)
    }

    mutating func perform(_ actions: [Link.Action], of side: Int) {
        #expect(sides[side].ends.isEmpty || actions.isEmpty, "actions after the end")
        for action in actions {
            switch action {
            case .write(let bytes): transmit(bytes, from: side)
            case .established: sides[side].isEstablished = true
            case .received(let lane, let message): sides[side].received[lane].append(message)
            case .clock, .alive: break
            case .suspect: sides[side].suspicions += 1
            case .arm(let tick):
                if let tick { #expect(tick > now, "a deadline in the past") }
                sides[side].armed = tick
            case .closeTransport: sides[side].isClosed = true
            case .ended(let end):
                #expect(action == actions.last)
                sides[side].ends.append(end)
            }
        }
    }

    private mutating func transmit(_ bytes: [UInt8], from side: Int) {
        var at = max(now, sides[side].wire.last?.at ?? now)
        var rest = bytes[...]
        while !rest.isEmpty {
            at = at + .microseconds(Int.random(in: 1...8_000, using: &random))
            let piece = rest.prefix(random.oneIn(3) ? Int.random(in: 1...9, using: &random) : 20_000)
            rest = rest.dropFirst(piece.count)
            sides[side].wire.append((at, Array(piece)))
        }
        sides[side].drain = at
    }

    /// Jumps to whatever happens next; says no when nothing does until the given tick.
    mutating func step(until end: Tick) -> Bool {
        var best: (at: Tick, act: (inout World) -> Void)?
        func offer(_ at: Tick?, _ act: @escaping (inout World) -> Void) {
            guard let at, at <= end, best.map({ at < $0.at }) ?? true else { return }
            best = (at, act)
        }
        for side in 0...1 {
            offer(sides[side].wire.first?.at) { world in
                let bytes = world.sides[side].wire.removeFirst().bytes
                world.feed(.bytes(bytes), to: 1 - side)
            }
            offer(sides[side].drain) { world in
                world.sides[side].drain = nil
                world.feed(.drained, to: side)
            }
            offer(sides[side].armed) { world in
                world.sides[side].armed = nil
                world.feed(.deadlinePassed, to: side)
            }
        }
        guard let best else { return false }
        now = max(now, best.at)
        best.act(&self)
        return true
    }

    mutating func run(for duration: Duration) {
        let end = now + duration
        while step(until: end) {}
        now = end
    }

    mutating func message() -> [UInt8] {
        switch Int.random(in: 0...9, using: &random) {
        case 0: return [UInt8](repeating: UInt8.random(in: 0...255, using: &random), count: 200_000)
        case 1: return random.bytes(16_384)
        case 2: return []
        default: return random.bytes(Int.random(in: 1...300, using: &random))
        }
    }
}

@Suite struct LinkWorldTests {
    @Test(arguments: UInt64(1)...25)
    func `messages arrive once, whole and in order, whatever the stream does`(seed: UInt64) {
        var world = World(seed: seed)
        world.run(for: .milliseconds(500))
        #expect(world.sides.allSatisfy { $0.isEstablished })
        for side in 0...1 { world.feed(.setPace(.match), to: side) }
        for _ in 0..<60 {
            let lane = Lane.allCases.randomElement(using: &world.random) ?? .game
            let message = world.message()
            world.send(message, on: lane, from: Int.random(in: 0...1, using: &world.random))
            if world.random.oneIn(2) { world.run(for: .milliseconds(5)) }
        }
        world.run(for: .seconds(20))
        for side in 0...1 {
            #expect(world.sides[1 - side].received == world.sides[side].sent)
            #expect(world.sides[side].link.statistics.heldBytes == 0)
            #expect(world.sides[side].ends.isEmpty)
            #expect(world.sides[side].suspicions == 0)
            #expect((world.sides[side].link.statistics.roundTrips?.count ?? 0) > 10)
        }
    }

    @Test(arguments: UInt64(1)...10)
    func `a small message overtakes a big one in a lower lane`(seed: UInt64) {
        var world = World(seed: seed)
        world.run(for: .milliseconds(500))
        world.send([UInt8](repeating: 1, count: 1_000_000), on: .bulk, from: 0)
        world.send([2], on: .control, from: 0)
        while world.sides[1].received[.control].isEmpty, world.step(until: .seconds(60)) {}
        #expect(world.sides[1].received[.bulk].isEmpty)
        #expect(world.sides[1].link.statistics.lanes[.bulk].receivedBytes <= 6 * 16_384)
    }

    @Test(arguments: UInt64(1)...10)
    func `a close brings what was queued and then the reason`(seed: UInt64) {
        var world = World(seed: seed)
        world.run(for: .milliseconds(500))
        let message = [UInt8](repeating: 1, count: 300_000)
        world.send(message, on: .game, from: 0)
        world.feed(.close(.replaced, detail: "enough"), to: 0)
        world.run(for: .seconds(4))
        #expect(world.sides[1].received[.game] == [message])
        #expect(
            world.sides[0].ends == [.init(who: .local, reason: .replaced, phase: .open, detail: "enough")])
        #expect(world.sides[1].ends == [.init(who: .peer, reason: .replaced, phase: .open, detail: "enough")])
        #expect(world.sides.allSatisfy { $0.isClosed && $0.armed == nil })
    }

    @Test(arguments: UInt64(1)...10)
    func `both sides of a cut stream give each other up and nobody hangs`(seed: UInt64) {
        var world = World(seed: seed)
        world.run(for: .milliseconds(500))
        for side in 0...1 { world.feed(.setPace(.match), to: side) }
        world.run(for: .seconds(2))
        let end = world.now + .seconds(7)
        while world.step(until: end) { for side in 0...1 { world.sides[side].wire = [] } }
        for side in 0...1 {
            #expect(world.sides[side].suspicions == 1)
            #expect(world.sides[side].ends.map(\.reason) == [.lost])
        }
    }

    @Test(arguments: UInt64(1)...30)
    func `frames in any order end the link at worst`(seed: UInt64) {
        var random = Seeded(seed: seed)
        for role in [Link.Role.dialler, .listener] {
            var link = Link(role: role, hello: FrameTests.hello)
            _ = link.handle(.opened, at: .zero)
            let welcome = Frame.welcome(Welcome(hello: FrameTests.hello, chosen: 1))
            if seed > 5 {
                _ = link.handle(
                    .bytes((role == .dialler ? welcome : .hello(FrameTests.hello)).encoded()), at: .zero)
            }
            var ends = 0
            for step in UInt64(0)..<60 {
                var frame = random.frame(bytesMax: 50)
                if frame.kind == .goodbye || frame.kind.rawValue < 4, random.oneIn(2) {
                    frame = .ping(token: step)
                }
                if frame.kind == .acknowledge { frame = .acknowledge(counts(0, 0, step / 3)) }
                if step.isMultiple(of: 3) {
                    _ = try? link.send(random.bytes(4), on: .bulk, at: .milliseconds(step))
                }
                let actions = link.handle(.bytes(frame.encoded()), at: .milliseconds(step))
                if ends > 0 { #expect(actions.isEmpty) }
                if actions.last?.end != nil { ends += 1 }
            }
            #expect(ends <= 1)
            #expect(link.isOpen == (ends == 0))
        }
    }

    @Test(arguments: UInt64(1)...40)
    func `damage on the stream ends the link with a reason and never traps`(seed: UInt64) {
        var world = World(seed: seed)
        world.run(for: .milliseconds(Int.random(in: 0...600, using: &world.random)))
        for _ in 0..<40 {
            let lane = Lane.allCases.randomElement(using: &world.random) ?? .game
            world.send(
                world.random.bytes(Int.random(in: 0...60, using: &world.random)), on: lane, from: 0)
            world.run(for: .milliseconds(1))
            if world.random.oneIn(2), let last = world.sides[0].wire.indices.last {
                let place = world.sides[0].wire[last].bytes.indices.randomElement(using: &world.random) ?? 0
                world.sides[0].wire[last].bytes[place] ^= UInt8.random(in: 1...255, using: &world.random)
            }
        }
        world.run(for: .seconds(30))
        for side in world.sides { #expect(side.ends.count <= 1) }
    }
}
