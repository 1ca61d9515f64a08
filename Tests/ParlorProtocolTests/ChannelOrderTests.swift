import ParlorSim
import Testing

@testable import ParlorProtocol

/// The channel to one member: exact answers, and a world in which messages get lost and overtake each other.
struct ChannelOrderTests {
    private let start = second(0)

    private func body(_ number: Int, stream: Int = 7, _ lane: Lane = .bulk, bytes: Int = 1) -> ChannelBody {
        .reliable(
            lane: lane, stream: stream, number: number,
            data: Array(repeating: UInt8(truncatingIfNeeded: number), count: bytes))
    }

    private func message(_ number: Int, bytes: Int = 1) -> [UInt8] {
        Array(repeating: UInt8(truncatingIfNeeded: number), count: bytes)
    }

    private func acknowledge(
        _ number: Int, stream: Int = 7, _ lane: Lane = .bulk, life: Int = 100
    ) -> ChannelBody {
        .acknowledge(lane: lane, stream: stream, number: number, life: life)
    }

    @Test func `a message is numbered, acknowledged and forgotten`() {
        var order = ChannelOrder(life: 7)
        let resend = start + Limits.channelResendWait
        #expect(order.handle(.send(.bulk, message(1)), at: start) == [.send(body(1)), .arm(resend)])
        #expect(order.handle(.send(.bulk, message(2)), at: start) == [.send(body(2)), .arm(resend)])
        #expect(order.handle(.send(.game, message(1)), at: start) == [.send(body(1, .game)), .arm(resend)])
        #expect(order.heldBytes == 3 * (1 + Limits.channelHeldBytes))
        let later = start + .seconds(1)
        #expect(
            order.handle(.received(acknowledge(1), isRelayed: false), at: later) == [.arm(resend)],
            "the other lane's deadline is nearer")
        #expect(
            order.handle(.received(acknowledge(1, .game), isRelayed: false), at: later)
                == [.arm(later + Limits.channelResendWait)])
        #expect(order.handle(.received(acknowledge(2), isRelayed: true), at: later) == [.arm(nil)])
        #expect(order.heldBytes == 0)
        // What was acknowledged, what never was sent, and another stream change nothing.
        for stale in [acknowledge(1), acknowledge(3), acknowledge(2, stream: 6), acknowledge(2, life: 99)] {
            #expect(order.handle(.received(stale, isRelayed: false), at: later) == [.arm(nil)])
        }
    }

    @Test func `what comes early waits, what came before is not given twice`() {
        var order = ChannelOrder(life: 100)
        let by = start + Limits.channelAcknowledgeWait
        #expect(order.handle(.received(body(2), isRelayed: true), at: start) == [.arm(by)])
        #expect(order.handle(.received(body(3), isRelayed: false), at: start) == [.arm(by)])
        #expect(order.handle(.received(body(3), isRelayed: true), at: start) == [.arm(by)])
        #expect(
            order.handle(.received(body(1), isRelayed: false), at: start) == [
                .deliver(message(1), isReliable: true, isRelayed: false),
                .deliver(message(2), isReliable: true, isRelayed: true),
                .deliver(message(3), isReliable: true, isRelayed: false), .arm(by),
            ])
        #expect(order.handle(.received(body(2), isRelayed: false), at: start) == [.arm(by)])
        #expect(order.handle(.deadlinePassed, at: start) == [.arm(by)])
        #expect(order.handle(.deadlinePassed, at: by) == [.send(acknowledge(3)), .arm(nil)])
        // Each lane is in order by itself.
        #expect(
            order.handle(.received(body(1, .game), isRelayed: false), at: by).first
                == .deliver(message(1), isReliable: true, isRelayed: false))
    }

    @Test func `many bytes are acknowledged at once, and only so much is under way`() {
        let bytes = 16 * 1_024
        var (sender, receiver) = (ChannelOrder(life: 7), ChannelOrder(life: 100))
        var sent: [ChannelBody] = []
        for number in 1...20 {
            for case .send(let body) in sender.handle(.send(.bulk, message(number, bytes: bytes)), at: start)
            {
                sent.append(body)
            }
        }
        #expect(sent == (1...8).map { body($0, bytes: bytes) }, "the eighth fills the window")
        #expect(
            receiver.handle(.received(sent[0], isRelayed: false), at: start).count == 2, "not due yet")
        let second = receiver.handle(.received(sent[1], isRelayed: false), at: start)
        #expect(second.contains(.send(acknowledge(2))))
        let next = sender.handle(.received(acknowledge(2), isRelayed: false), at: start)
        #expect(next.dropLast() == [.send(body(9, bytes: bytes)), .send(body(10, bytes: bytes))])
    }

    @Test func `a full channel refuses, and what is refused is not sent`() throws {
        var order = ChannelOrder(life: 7)
        #expect(throws: ChannelOrder.Refusal.messageTooLarge) { try order.check(Limits.channelBytesMax + 1) }
        for _ in 0..<3 {
            try order.check(Limits.channelBytesMax)
            _ = order.handle(.send(.bulk, Array(repeating: 0, count: Limits.channelBytesMax)), at: start)
        }
        #expect(throws: ChannelOrder.Refusal.queueFull) { try order.check(Limits.channelBytesMax) }
        let left = Limits.channelHeldBytesMax - order.heldBytes - Limits.channelHeldBytes
        try order.check(left)
        #expect(throws: ChannelOrder.Refusal.queueFull) { try order.check(left + 1) }
        _ = order.handle(.received(acknowledge(1), isRelayed: false), at: start)
        try order.check(Limits.channelBytesMax)
    }

    @Test func `another way, or a long silence, sends again what was not acknowledged`() {
        var order = ChannelOrder(life: 7)
        for number in 1...3 { _ = order.handle(.send(.bulk, message(number)), at: start) }
        _ = order.handle(.received(acknowledge(1), isRelayed: false), at: start)
        let again: [ChannelOrder.Action] = [.send(body(2)), .send(body(3))]
        var now = start + .seconds(1)
        #expect(order.handle(.wayChanged, at: now) == again + [.arm(now + .seconds(5))])
        for wait in [5, 10, 20, 30, 30] {
            now = now + .seconds(wait)
            #expect(order.handle(.deadlinePassed, at: now + .milliseconds(-1)).count == 1, "not yet")
            let actions = order.handle(.deadlinePassed, at: now)
            #expect(actions.dropLast() == again[...], "after \(wait) s")
        }
        _ = order.handle(.received(acknowledge(2), isRelayed: false), at: now)
        #expect(order.handle(.deadlinePassed, at: now + .seconds(5)).first == .send(body(3)))
    }

    @Test func `a member that forgot what it had gets the rest in a new stream`() {
        var order = ChannelOrder(life: 7)
        for number in 1...3 { _ = order.handle(.send(.bulk, message(number)), at: start) }
        _ = order.handle(.send(.game, message(9)), at: start)
        _ = order.handle(.received(acknowledge(1), isRelayed: false), at: start)
        let actions = order.handle(.received(acknowledge(0, life: 101), isRelayed: false), at: start)
        #expect(
            actions.dropLast() == [
                .send(.reliable(lane: .game, stream: 8, number: 1, data: message(9))),
                .send(.reliable(lane: .bulk, stream: 8, number: 1, data: message(2))),
                .send(.reliable(lane: .bulk, stream: 8, number: 2, data: message(3))),
            ])
        // The word of its former life comes late.
        #expect(order.handle(.received(acknowledge(2), isRelayed: false), at: start).count == 1)
    }

    @Test func `a sender whose clock went back begins behind what the member remembers`() {
        var receiver = ChannelOrder(life: 100)
        _ = receiver.handle(.received(body(1, stream: 9), isRelayed: false), at: start)
        let told = receiver.handle(.received(body(1, stream: 7), isRelayed: false), at: start)
        #expect(told == [.send(acknowledge(1, stream: 9)), .arm(nil)])
        var sender = ChannelOrder(life: 7)
        _ = sender.handle(.send(.bulk, message(1)), at: start)
        let again = sender.handle(.received(acknowledge(1, stream: 9), isRelayed: false), at: start)
        #expect(again.first == .send(body(1, stream: 10)))
        #expect(
            receiver.handle(.received(body(1, stream: 10), isRelayed: false), at: start).first
                == .deliver(message(1), isReliable: true, isRelayed: false))
    }

    @Test func `a stream that cannot rise any more does no harm`() {
        var sender = ChannelOrder(life: 7)
        _ = sender.handle(.send(.bulk, message(1)), at: start)
        for life in 0..<3 {
            let word = acknowledge(0, stream: Limits.channelNumberMax, life: life)
            for case .send(let body) in sender.handle(.received(word, isRelayed: false), at: start) {
                #expect(ChannelBody(cbor: body.cbor) == body)
            }
        }
    }

    @Test func `what comes early is bounded`() {
        var order = ChannelOrder(life: 100)
        for number in 2...6 {
            _ = order.handle(
                .received(body(number, bytes: Limits.channelBytesMax), isRelayed: true), at: start)
        }
        let given = order.handle(.received(body(1), isRelayed: true), at: start).count { action in
            if case .deliver = action { true } else { false }
        }
        #expect(given == 4, "the first and what fits 4 MiB")
    }

    @Test func `of what is about the same only newer unreliable messages are given`() {
        var (sender, receiver) = (ChannelOrder(life: 7), ChannelOrder(life: 100))
        var sent: [ChannelBody] = []
        for (place, key) in [UInt32?.some(1), 1, 2, nil, nil, 1].enumerated() {
            let input = ChannelOrder.Input.sendUnreliable([UInt8(place)], key: key, milliseconds: 200)
            for case .send(let body) in sender.handle(input, at: start) { sent.append(body) }
        }
        var given: [UInt8] = []
        for place in [1, 0, 1, 4, 3, 2, 5] {
            for case .deliver(let data, false, true) in receiver.handle(
                .received(sent[place], isRelayed: true), at: start)
            { given += data }
        }
        #expect(given == [1, 4, 3, 2, 5])
        // A sender that starts again is newer than it was.
        var later = ChannelOrder(life: 8)
        for case .send(let body) in later.handle(.sendUnreliable([9], key: 1, milliseconds: 1), at: start) {
            #expect(receiver.handle(.received(body, isRelayed: false), at: start).count == 2)
        }
        for key in 10...UInt32(9 + Limits.channelKeysMax) {
            let body = ChannelBody.unreliable(number: 1, key: key, milliseconds: 1, data: [])
            _ = receiver.handle(.received(body, isRelayed: false), at: start)
        }
        let forgotten = ChannelBody.unreliable(number: 1, key: 1, milliseconds: 1, data: [])
        #expect(receiver.handle(.received(forgotten, isRelayed: false), at: start).count == 2)
    }

    // MARK: A world

    private enum Event {
        case send(Int)
        case deliver(ChannelBody, to: Int)
        case wake(Int, Tick)
        case change
        case restart
    }

    /// Two members between whom messages take two ways, each in order, and are lost when the way changes, by
    /// a full relay now and then, and with a member that starts again.
    private struct World {
        var queue = EventQueue<Event>()
        var random: SeededGenerator
        var now = second(0)
        var orders = [ChannelOrder(life: 1), ChannelOrder(life: 1)]
        var way = 0
        var changes = 0
        var lastDelivery: [Int: Tick] = [:]
        var armed: [Tick?] = [nil, nil]
        var next = [0, 0]
        var sent: [[(Lane, Int)]] = [[], []]
        var got: [[(Lane, Int)]] = [[], []]
        /// Where each life of the second member began, in what the first had sent.
        var lives = 1

        mutating func feed(_ input: ChannelOrder.Input, _ side: Int) {
            for action in orders[side].handle(input, at: now) {
                switch action {
                case .send(let body): carry(body, to: 1 - side)
                case .deliver(let data, _, _):
                    let number = data.prefix(3).reduce(0) { $0 << 8 | Int($1) }
                    got[side].append((data[3] == 1 ? .game : .bulk, number))
                case .arm(let tick):
                    guard armed[side] != tick else { continue }
                    armed[side] = tick
                    if let tick { queue.schedule(.wake(side, tick), at: max(tick, now)) }
                }
            }
        }

        mutating func carry(_ body: ChannelBody, to side: Int) {
            if way == 1, Int.random(in: 0..<8, using: &random) == 0 { return }
            let key = changes << 1 | side
            let delay = Duration.milliseconds(Int.random(in: 1...(way == 0 ? 20 : 300), using: &random))
            let at = max(lastDelivery[key] ?? now, now + delay)
            lastDelivery[key] = at
            // What was under way when the way changes may arrive still.
            queue.schedule(.deliver(body, to: side), at: at)
        }

        mutating func happen(_ event: Event) {
            switch event {
            case .send(let side):
                let bytes = Int.random(in: 0..<20, using: &random) == 0 ? 200_000 : 4
                guard (try? orders[side].check(bytes)) != nil else { return }
                let lane: Lane = Bool.random(using: &random) ? .game : .bulk
                let number = next[side]
                next[side] += 1
                sent[side].append((lane, number))
                var data = [UInt8](repeating: 0, count: bytes)
                for place in 0..<3 { data[place] = UInt8(truncatingIfNeeded: number >> (16 - 8 * place)) }
                data[3] = lane == .game ? 1 : 2
                feed(.send(lane, data), side)
            case .deliver(let body, let side): feed(.received(body, isRelayed: way == 1), side)
            case .wake(let side, let tick):
                guard armed[side] == tick else { return }
                armed[side] = nil
                feed(.deadlinePassed, side)
            case .change:
                way = 1 - way
                changes += 1
                for side in 0...1 { feed(.wayChanged, side) }
            case .restart:
                lives += 1
                orders[1] = ChannelOrder(life: lives * 1_000)
                got[1] = []
                sent[1] = []
                got[0] = []
                armed[1] = nil
            }
        }
    }

    private func run(seed: UInt64, restarts: Bool) -> World {
        var world = World(random: SeededGenerator(seed: seed))
        for _ in 0..<400 {
            let at = world.now + .milliseconds(Int.random(in: 0...20_000, using: &world.random))
            let side = Int.random(in: 0...1, using: &world.random)
            let dice = Int.random(in: 0..<20, using: &world.random)
            world.queue.schedule(dice == 0 ? .change : .send(side), at: at)
        }
        if restarts { world.queue.schedule(.restart, at: world.now + .seconds(10)) }
        while let (at, event) = world.queue.next(upTo: second(3_600)) {
            world.now = at
            world.happen(event)
        }
        return world
    }

    @Test(arguments: UInt64(1)...100)
    func `everything arrives, once and in order in each lane, whichever way it takes`(seed: UInt64) {
        let world = run(seed: seed, restarts: false)
        for side in 0...1 {
            for lane in [Lane.game, .bulk] {
                let sent = world.sent[side].filter { $0.0 == lane }.map(\.1)
                #expect(world.got[1 - side].filter { $0.0 == lane }.map(\.1) == sent, "from \(side), \(lane)")
                #expect(!sent.isEmpty)
            }
            #expect(world.orders[side].heldBytes == 0)
            #expect(world.armed[side] == nil, "nothing is waited for")
        }
    }

    @Test(arguments: UInt64(1)...100)
    func `a member that starts again hears all that it had not acknowledged, and is heard`(seed: UInt64) {
        let world = run(seed: seed, restarts: true)
        for lane in [Lane.game, .bulk] {
            let sent = world.sent[0].filter { $0.0 == lane }.map(\.1)
            let got = world.got[1].filter { $0.0 == lane }.map(\.1)
            #expect(got == Array(sent.suffix(got.count)), "an end of what was sent, without a gap")
            let back = world.sent[1].filter { $0.0 == lane }.map(\.1)
            #expect(!back.isEmpty && !got.isEmpty)
            #expect(world.got[0].filter { $0.0 == lane }.map(\.1).suffix(back.count) == back[...])
        }
        #expect(world.orders[0].heldBytes == 0 && world.orders[1].heldBytes == 0)
    }
}
