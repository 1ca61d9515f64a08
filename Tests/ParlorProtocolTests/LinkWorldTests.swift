import Testing

@testable import ParlorProtocol

@Suite struct LinkWorldTests {
    @Test(arguments: UInt64(1)...25)
    func `messages arrive once, whole and in order, whatever the stream does`(seed: UInt64) {
        var world = LinkWorld(seed: seed)
        world.run(for: .milliseconds(500))
        #expect(world.sides.allSatisfy { $0.link?.isAttached == true })
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
            #expect(world.sides[side].link?.statistics.heldBytes == 0)
            #expect(world.sides[side].ends.isEmpty)
            #expect(world.sides[side].suspicions == 0)
            #expect((world.sides[side].link?.statistics.roundTrips?.count ?? 0) > 10)
        }
    }

    @Test(arguments: UInt64(1)...10)
    func `a small message overtakes a big one in a lower lane`(seed: UInt64) {
        var world = LinkWorld(seed: seed)
        world.run(for: .milliseconds(500))
        world.send([UInt8](repeating: 1, count: 1_000_000), on: .bulk, from: 0)
        world.send([2], on: .control, from: 0)
        while world.sides[1].received[.control].isEmpty, world.step(until: .seconds(60)) {}
        #expect(world.sides[1].received[.bulk].isEmpty)
        #expect((world.sides[1].link?.statistics.lanes[.bulk].receivedBytes ?? .max) <= 6 * 16_384)
    }

    @Test(arguments: UInt64(1)...10)
    func `a close brings what was queued and then the reason`(seed: UInt64) {
        var world = LinkWorld(seed: seed)
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
        var world = LinkWorld(seed: seed)
        world.run(for: .milliseconds(500))
        for side in 0...1 { world.feed(.setPace(.match), to: side) }
        world.run(for: .seconds(2))
        world.redials = false
        var end = world.now + .seconds(7)
        while world.step(until: end) { for side in 0...1 { world.connections[0].wires[side] = [] } }
        for side in 0...1 {
            #expect(world.sides[side].suspicions == 1 && world.sides[side].losses == 1)
            #expect(world.sides[side].ends.isEmpty)
        }
        end = world.now + .seconds(31)
        while world.step(until: end) {}
        for side in 0...1 {
            #expect(world.sides[side].losses == 1)
            #expect(world.sides[side].ends.map(\.reason) == [.lost])
            #expect(world.sides[side].armed == nil)
        }
    }

    @Test(arguments: UInt64(1)...40)
    func `connections are cut again and again, and every message arrives once and in order`(seed: UInt64) {
        var world = LinkWorld(seed: seed)
        world.run(for: .milliseconds(500))
        if seed.isMultiple(of: 2) { for side in 0...1 { world.feed(.setPace(.match), to: side) } }
        var cuts = 0
        for _ in 0..<120 {
            let lane = Lane.allCases.randomElement(using: &world.random) ?? .game
            let message = world.message()
            world.send(message, on: lane, from: Int.random(in: 0...1, using: &world.random))
            if world.random.oneIn(3) { world.run(for: .milliseconds(20)) }
            if world.random.oneIn(20) { world.run(for: .milliseconds(900)) }
            if world.random.oneIn(4) {
                world.cut()
                cuts += 1
            }
        }
        world.run(for: .seconds(40))
        #expect(cuts > 10)
        for side in 0...1 {
            #expect(world.sides[side].ends.isEmpty, "seed \(seed)")
            let arrived = world.sides[1 - side].received == world.sides[side].sent
            #expect(arrived, "seed \(seed)")
            let statistics = world.sides[side].link?.statistics
            let isAttached = world.sides[side].link?.isAttached
            #expect(isAttached == true && statistics?.heldBytes == 0, "seed \(seed)")
            #expect(statistics?.resumes ?? 0 > 2)
            for lane in Lane.allCases {
                let lane = statistics?.lanes[lane] ?? .init()
                #expect(lane.queuedBytes == 0 && lane.queuedMessages == 0 && lane.unacknowledgedBytes == 0)
            }
            let sent = Lane.allCases.map { UInt64(world.sides[side].sent[$0].count) }
            #expect(Lane.allCases.map { statistics?.lanes[$0].sentMessages ?? 0 } == sent)
        }
    }

    @Test(arguments: UInt64(1)...30)
    func `frames in any order end the link at worst`(seed: UInt64) {
        var random = Seeded(seed: seed)
        for _ in 0..<2 {
            var link = Link.open()
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
                if random.oneIn(10) { _ = link.handle(.transportEnded(""), at: .milliseconds(step)) }
                if random.oneIn(5) {
                    let resumed = random.oneIn(4) ? counts(0, 0, step) : counts(0, 0, step / 3)
                    let actions = link.handle(
                        .attached(.between(1, 2, resumed: resumed)), at: .milliseconds(step))
                    if actions.last?.end != nil { ends += 1 }
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
        var world = LinkWorld(seed: seed)
        world.run(for: .milliseconds(Int.random(in: 0...600, using: &world.random)))
        for _ in 0..<40 {
            let lane = Lane.allCases.randomElement(using: &world.random) ?? .game
            world.send(
                world.random.bytes(Int.random(in: 0...60, using: &world.random)), on: lane, from: 0)
            world.run(for: .milliseconds(1))
            let id = world.connections.count - 1
            if world.random.oneIn(2), let last = world.connections[id].wires[0].indices.last {
                let wire = world.connections[id].wires[0][last].bytes
                let place = wire.indices.randomElement(using: &world.random) ?? 0
                world.connections[id].wires[0][last].bytes[place] ^= UInt8.random(
                    in: 1...255, using: &world.random)
            }
        }
        world.run(for: .seconds(30))
        for side in world.sides { #expect(side.ends.count <= 1) }
        #expect(world.sides.allSatisfy { $0.link?.isOpen != true || $0.ends.isEmpty })
    }
}
