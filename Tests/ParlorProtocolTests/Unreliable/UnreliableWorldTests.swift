import ParlorSim
import Testing

@testable import ParlorProtocol

/// What the network does to what two channels send each other.
private struct Weather {
    var loss = 0
    var duplicates = 0
    var delayMost = 1
    /// Datagrams get through only outside of this time, in milliseconds.
    var blocked: Range<UInt64> = 0..<0
    /// The stream takes nothing in this time, in milliseconds.
    var stalled: Range<UInt64> = 0..<0
    var hasDatagrams = true
    /// When the connection is lost, and comes back half a second later, in milliseconds.
    var cut: UInt64?

    init(_ random: inout Seeded) {
        loss = [0, 5, 25, 60].randomElement(using: &random) ?? 0
        duplicates = [0, 10, 50].randomElement(using: &random) ?? 0
        delayMost = [1, 20, 150, 300].randomElement(using: &random) ?? 1
        if random.oneIn(3) { blocked = 3_000..<UInt64.random(in: 4_000...9_000, using: &random) }
        if random.oneIn(3) { stalled = 2_000..<UInt64.random(in: 2_500...6_000, using: &random) }
        hasDatagrams = !random.oneIn(6)
        if random.oneIn(3) { cut = UInt64.random(in: 500...9_000, using: &random) }
    }
}

/// Two channels with clocks of their own and the network between them, in virtual time.
private struct World {
    enum Event {
        case datagram([UInt8], to: Int)
        case frame([UInt8], to: Int, connection: Int)
        case deadline(Int, Tick)
        case drained(Int)
        case send(Int)
        case began(Int)
        case lost
    }

    /// What is known of a message beside the channels.
    struct Message {
        let key: UInt32?
        let sent: Tick
        let timeToLive: Duration
        let bytes: [UInt8]
    }

    struct Side {
        var channel = Unreliable()
        /// What its clock is ahead of the world's, and by how many millionths it runs fast.
        let ahead: Int64
        let fast: Int64
        var sent: [Message] = []
        var received: Set<Int> = []
        var newest: [UInt32?: Int] = [:]
        var frameArrives = Tick.zero
        var pathChanges = 0
    }

    static let end = Tick.seconds(11)
    let seed: UInt64
    var random: Seeded
    let weather: Weather
    var sides: [Side]
    var events = EventQueue<Event>()
    var now = Tick.zero
    var connection = 0
    var isConnected = false

    init(seed: UInt64) {
        self.seed = seed
        random = Seeded(seed: seed)
        weather = Weather(&random)
        sides = []
        for _ in 0..<2 {
            let ahead = Int64.random(in: 0...1_000_000_000_000, using: &random)
            sides.append(Side(ahead: ahead, fast: Int64.random(in: -100...100, using: &random)))
        }
        events.schedule(.began(0), at: .milliseconds(1))
        for side in 0..<2 { events.schedule(.send(side), at: .milliseconds(30)) }
        if let cut = weather.cut { events.schedule(.lost, at: .milliseconds(cut)) }
    }

    func clock(of side: Int, at tick: Tick) -> Tick {
        let drift = Int64(tick.nanoseconds / 1_000_000) * sides[side].fast
        return Tick(nanoseconds: UInt64(Int64(tick.nanoseconds) + sides[side].ahead + drift))
    }

    /// The world's time when a side's clock shows a tick, or a little later.
    func moment(of tick: Tick, on side: Int) -> Tick {
        let late = tick.nanoseconds - min(tick.nanoseconds, clock(of: side, at: now).nanoseconds)
        return Tick(nanoseconds: now.nanoseconds + late + late / 5_000 + 1)
    }

    mutating func run() {
        while let (at, event) = events.next(upTo: .seconds(40)) {
            now = at
            perform(event)
        }
    }

    mutating func perform(_ event: Event) {
        switch event {
        case .began(let count): begin(count)
        case .lost:
            isConnected = false
            for side in 0..<2 { feed(.detached, to: side) }
            let next = connection + 1
            events.schedule(.began(next), at: now + .milliseconds(500))
        case .datagram(let bytes, let side): feed(.datagram(bytes, from: place(1 - side)), to: side)
        case .frame(let bytes, let side, let number):
            if isConnected, number == connection { feed(.streamed(bytes), to: side) }
        case .deadline(let side, let tick):
            if clock(of: side, at: now) >= tick { feed(.deadlinePassed, to: side) }
        case .drained(let side): feed(.drained, to: side)
        case .send(let side): send(from: side)
        }
    }

    private func place(_ side: Int) -> Endpoint { .known([10, 0, 0, UInt8(side)], 9) }

    private mutating func begin(_ count: Int) {
        connection = count
        isConnected = true
        let exported = (0..<64).map { UInt8($0 + count) }
        for side in 0..<2 {
            let keys = DatagramKeys(exported: exported, role: side == 0 ? .dialler : .listener)
            sides[side].frameArrives = now
            feed(
                .began(
                    .init(
                        keys: keys, ownLinkID: UInt32(side), peerLinkID: UInt32(1 - side),
                        peer: weather.hasDatagrams ? place(1 - side) : nil,
                        start: clock(of: side, at: now))), to: side)
        }
    }

    private mutating func send(from side: Int) {
        let isBurst = random.oneIn(40)
        for _ in 0..<(isBurst ? Int.random(in: 1...300, using: &random) : 1) {
            let number = sides[side].sent.count
            let long =
                random.oneIn(10)
                ? Int.random(in: 0...16_440, using: &random) : Int.random(in: 0...80, using: &random)
            let bytes =
                number.bigEndianBytes + [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: long)
            let message = Message(
                key: random.oneIn(2) ? nil : UInt32.random(in: 0...5, using: &random), sent: now,
                timeToLive: .milliseconds(Int.random(in: 1...400, using: &random)), bytes: bytes)
            sides[side].sent.append(message)
            do {
                let actions = try sides[side].channel.send(
                    bytes, key: message.key, timeToLive: message.timeToLive, at: clock(of: side, at: now))
                perform(actions, of: side)
            } catch { Issue.record("seed \(seed): \(error)") }
        }
        let pause = random.oneIn(30) ? 2_000 : Int.random(in: 1...60, using: &random)
        if now < Self.end { events.schedule(.send(side), at: now + .milliseconds(pause)) }
    }

    mutating func feed(_ input: Unreliable.Input, to side: Int) {
        perform(sides[side].channel.handle(input, at: clock(of: side, at: now)), of: side)
    }

    mutating func perform(_ actions: [Unreliable.Action], of side: Int) {
        for action in actions {
            switch action {
            case .sendDatagram(let bytes, _): post(bytes, to: 1 - side)
            case .sendStreamed(let bytes): write(bytes, from: side)
            case .received(let bytes, let key): received(bytes, key: key, by: side)
            case .path: sides[side].pathChanges += 1
            case .arm(let tick?): events.schedule(.deadline(side, tick), at: moment(of: tick, on: side))
            case .arm(nil): break
            }
        }
    }

    private mutating func post(_ bytes: [UInt8], to side: Int) {
        #expect(bytes.count <= Limits.datagramBytesMax)
        guard !weather.blocked.contains(now.nanoseconds / 1_000_000) else { return }
        for copy in 0..<2 {
            if copy == 1, Int.random(in: 0..<100, using: &random) >= weather.duplicates { break }
            if Int.random(in: 0..<100, using: &random) < weather.loss { continue }
            let delay = Int.random(in: 50...weather.delayMost * 1_000, using: &random)
            events.schedule(.datagram(bytes, to: side), at: now + .microseconds(delay))
        }
    }

    private mutating func write(_ bytes: [UInt8], from side: Int) {
        let stalled = weather.stalled.contains(now.nanoseconds / 1_000_000)
        let drains = stalled ? Tick.milliseconds(weather.stalled.upperBound) : now + .microseconds(100)
        let delay = Int.random(in: 50...weather.delayMost * 1_000, using: &random)
        let arrives = max(drains + .microseconds(delay), sides[side].frameArrives)
        sides[side].frameArrives = arrives
        events.schedule(.drained(side), at: drains)
        events.schedule(.frame(bytes, to: 1 - side, connection: connection), at: arrives)
    }

    /// Never in part, changed, twice, out of order within its key, or late.
    private mutating func received(_ bytes: [UInt8], key: UInt32?, by side: Int) {
        let number = bytes.prefix(8).reduce(0) { $0 << 8 | Int($1) }
        guard number < sides[1 - side].sent.count else {
            Issue.record("seed \(seed): message \(number) was not sent")
            return
        }
        let message = sides[1 - side].sent[number]
        #expect(message.bytes == bytes, "seed \(seed): \(number) changed")
        #expect(message.key == key, "seed \(seed): \(number) has another key")
        #expect(sides[side].received.insert(number).inserted, "seed \(seed): \(number) twice")
        #expect(sides[side].newest[key].map { $0 < number } ?? true, "seed \(seed): \(number) overtaken")
        sides[side].newest[key] = number
        let error = sides[side].channel.clock.offset(at: clock(of: side, at: now))?.error ?? .zero
        let allowed = message.timeToLive + error * 2 + .microseconds(50)
        #expect(
            now - message.sent <= allowed, "seed \(seed): \(number) late by \(now - message.sent - allowed)")
    }
}

extension Int {
    fileprivate var bigEndianBytes: [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: self >> (56 - 8 * $0)) }
    }
}

@Suite struct UnreliableWorldTests {
    @Test(arguments: UInt64(1)...60)
    func `nothing is late, twice, out of order or in part, and queues drain`(seed: UInt64) {
        var world = World(seed: seed)
        world.run()
        for side in world.sides {
            let statistics = side.channel.statistics
            #expect(statistics.queuedMessages == 0 && statistics.queuedBytes == 0, "seed \(seed)")
            #expect(
                Int(statistics.sentMessages + statistics.dropped.whileSending) == side.sent.count,
                "seed \(seed): each is sent or counted")
            #expect(Int(statistics.receivedMessages) == side.received.count, "seed \(seed)")
            #expect(!side.received.isEmpty, "seed \(seed): something comes")
            #expect(statistics.refused.forged == 0 || world.weather.cut != nil, "seed \(seed)")
            #expect(statistics.refused.malformed == 0, "seed \(seed)")
            if !world.weather.hasDatagrams {
                #expect(side.pathChanges == 0, "seed \(seed): no datagrams")
            } else if world.weather.loss < 60 {
                #expect(side.channel.path == .udp, "seed \(seed): datagrams are found in the end")
            }
        }
    }

    @Test(arguments: UInt64(1)...5)
    func `on a quiet network everything that is sent arrives`(seed: UInt64) throws {
        var random = Seeded(seed: seed)
        var here = UnreliableBench()
        here.openPath()
        var there = Unreliable()
        let keys = DatagramKeys(exported: UnreliablePeer.exported, role: .listener)
        let connection = Unreliable.Connection(
            keys: keys, ownLinkID: 7, peerLinkID: 2, peer: nil, start: .zero)
        _ = there.handle(.began(connection), at: .zero)
        for step in UInt64(1)...50 {
            let now = Tick.milliseconds(step * 10)
            let length = Int.random(in: 0...Limits.unreliableBytesMax, using: &random)
            let message = [UInt8](repeating: UInt8(step), count: length)
            var came: [Unreliable.Action] = []
            for action in try here.channel.send(message, timeToLive: .seconds(5), at: now) {
                guard case .sendDatagram(let bytes, _) = action else { continue }
                came += there.handle(.datagram(bytes, from: UnreliablePeer.home), at: now)
            }
            #expect(came.contains(.received(message, key: nil)), "seed \(seed), step \(step)")
        }
        #expect(there.statistics.receivedMessages == 50)
    }
}
