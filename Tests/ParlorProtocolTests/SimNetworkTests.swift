import ParlorProtocol
import ParlorSim
import Testing

/// The simulated network by itself.
struct SimNetworkTests {
    private typealias Event = SimNetwork.Event

    /// Runs for so long and says what happened to whom.
    private func run(
        _ network: inout SimNetwork, milliseconds: Int
    ) -> [(node: Int, event: SimNetwork.Event)] {
        let end = network.now + .milliseconds(milliseconds)
        var all: [(Int, SimNetwork.Event)] = []
        while let next = network.next(upTo: end) { all.append((next.node, next.event)) }
        #expect(network.now == end)
        return all
    }

    private func events(_ all: [(node: Int, event: SimNetwork.Event)], of node: Int) -> [SimNetwork.Event] {
        all.filter { $0.node == node }.map(\.event)
    }

    private func bytes(_ events: [SimNetwork.Event]) -> [UInt8] {
        events.flatMap { event in if case .received(_, let bytes) = event { bytes } else { [UInt8]() } }
    }

    /// Two nodes with a stream from 0 to 1.
    private func joined(
        _ conditions: NetworkConditions = .none, seed: UInt64 = 1
    ) -> (SimNetwork, SimNetwork.StreamID) {
        var network = SimNetwork(nodes: 2, conditions: conditions, seed: seed)
        let stream = network.connect(0, to: 1)
        _ = run(&network, milliseconds: 20_000)
        return (network, stream)
    }

    @Test func `a stream is connected, carries bytes both ways, and is closed`() {
        var network = SimNetwork(
            nodes: 2, conditions: NetworkConditions(delay: .milliseconds(10)), seed: 1)
        let stream = network.connect(0, to: 1)
        #expect(events(run(&network, milliseconds: 15), of: 1) == [.accepted(stream, from: 0)])
        #expect(events(run(&network, milliseconds: 5), of: 0) == [.connected(stream)])
        network.write([1, 2], to: stream, by: 0)
        network.write([3], to: stream, by: 1)
        let all = run(&network, milliseconds: 10)
        #expect(events(all, of: 0) == [.drained(stream), .received(stream, [3])])
        #expect(events(all, of: 1) == [.drained(stream), .received(stream, [1, 2])])
        network.write([4], to: stream, by: 0)
        network.close(stream, by: 0, flush: true)
        network.write([5], to: stream, by: 0)
        #expect(
            events(run(&network, milliseconds: 10), of: 1)
                == [.received(stream, [4]), .ended(stream, .closed)])
        network.write([6], to: stream, by: 1)
        #expect(run(&network, milliseconds: 1_000).isEmpty)
        #expect(network.nodes(of: stream) == nil)
    }

    @Test func `nobody listens, and then somebody does`() {
        var network = SimNetwork(nodes: 2, seed: 1)
        network.setListening(false, at: 1)
        let refused = network.connect(0, to: 1)
        #expect(run(&network, milliseconds: 5).map(\.event) == [.refused(refused)])
        network.setListening(true, at: 1)
        let taken = network.connect(0, to: 1)
        #expect(
            run(&network, milliseconds: 5).map(\.event) == [.accepted(taken, from: 0), .connected(taken)])
    }

    @Test func `a close without flush resets, and a cut tells both`() {
        let delay = NetworkConditions(delay: .milliseconds(10))
        var (network, stream) = joined(delay)
        network.close(stream, by: 0, flush: false)
        #expect(events(run(&network, milliseconds: 10), of: 1) == [.ended(stream, .reset)])
        (network, stream) = joined(delay)
        network.write([1], to: stream, by: 0)
        network.cut(stream)
        let all = run(&network, milliseconds: 1_000)
        #expect(events(all, of: 0).last == .ended(stream, .reset))
        #expect(events(all, of: 1) == [.ended(stream, .reset)])
        (network, stream) = joined(delay)
        network.cutStreams(between: 1, 0)
        #expect(
            run(&network, milliseconds: 0).map(\.event) == [.ended(stream, .reset), .ended(stream, .reset)])
    }

    @Test func `a half-open stream swallows one direction and fills its buffer`() {
        var (network, stream) = joined()
        network.halfOpen(from: 0, to: 1)
        network.write([1], to: stream, by: 0)
        network.write([2], to: stream, by: 1)
        var all = run(&network, milliseconds: 1_000)
        #expect(events(all, of: 0) == [.drained(stream), .received(stream, [2])])
        #expect(events(all, of: 1) == [.drained(stream)])
        network.write([UInt8](repeating: 0, count: SimNetwork.bufferBytes), to: stream, by: 0)
        network.close(stream, by: 0, flush: true)
        all = run(&network, milliseconds: 10_000)
        #expect(all.isEmpty)
    }

    @Test func `what is beyond the kernel's buffer is drained when the other side has it`() {
        var (network, stream) = joined(NetworkConditions(bytesPerSecond: 1_024 * 1_024))
        network.write([UInt8](repeating: 0, count: SimNetwork.bufferBytes * 2), to: stream, by: 0)
        let early = run(&network, milliseconds: 60)
        #expect(!early.contains { $0.event == .drained(stream) })
        let late = run(&network, milliseconds: 5)
        #expect(late.contains { $0.event == .drained(stream) })
    }

    @Test func `a stall holds a direction and not the other`() {
        var (network, stream) = joined()
        network.stall(from: 0, to: 1, until: network.now + .milliseconds(800))
        network.write([1], to: stream, by: 0)
        network.write([2], to: stream, by: 1)
        network.send([3], from: 0, to: 1)
        var all = run(&network, milliseconds: 799)
        #expect(bytes(events(all, of: 0)) == [2])
        #expect(events(all, of: 1) == [.drained(stream)])
        all = run(&network, milliseconds: 1)
        #expect(Set(events(all, of: 1)) == [.received(stream, [1]), .datagram([3], from: 0)])
    }

    @Test func `a partition loses datagrams, and streams and dials go on after it`() {
        var network = SimNetwork(nodes: 3, seed: 1)
        let stream = network.connect(0, to: 1)
        _ = run(&network, milliseconds: 100)
        network.partition([[0], [1, 2]])
        network.send([9], from: 0, to: 1)
        network.send([8], from: 2, to: 1)
        for byte in 0..<5 { network.write([UInt8(byte)], to: stream, by: 0) }
        let dialled = network.connect(0, to: 2)
        var all = run(&network, milliseconds: 4_500)
        #expect(events(all, of: 1) == [.datagram([8], from: 2)])
        #expect(events(all, of: 2).isEmpty)
        network.heal()
        network.write([5], to: stream, by: 0)
        all = run(&network, milliseconds: 3_000)
        #expect(bytes(events(all, of: 1)) == [0, 1, 2, 3, 4, 5])
        #expect(events(all, of: 2) == [.accepted(dialled, from: 0)])
        #expect(events(all, of: 0).contains(.connected(dialled)))
    }

    @Test func `a frozen node sees everything afterwards, in order`() {
        var (network, stream) = joined()
        network.freeze(1, for: .milliseconds(100))
        network.wake(1, at: network.localTime(of: 1) + .milliseconds(50), token: 7)
        network.write([1], to: stream, by: 0)
        network.close(stream, by: 0, flush: true)
        #expect(events(run(&network, milliseconds: 99), of: 1).isEmpty)
        network.send([2], from: 0, to: 1)
        let late = events(run(&network, milliseconds: 1), of: 1)
        #expect(
            late == [
                .received(stream, [1]), .ended(stream, .closed), .datagram([2], from: 0), .woken(7),
            ]
                || late == [
                    .received(stream, [1]), .ended(stream, .closed), .woken(7), .datagram([2], from: 0),
                ])
    }

    @Test func `clocks are offset and drift, and timers go by them`() {
        var network = SimNetwork(nodes: 2, seed: 1)
        let clock = SimClock(offset: Tick(nanoseconds: 5_000_000_000), driftPartsPerMillion: 1_000)
        network.setClock(clock, of: 1)
        network.wake(1, at: network.localTime(of: 1) + .milliseconds(1_001), token: 1)
        network.wake(0, at: network.localTime(of: 0) + .milliseconds(1_001), token: 2)
        #expect(run(&network, milliseconds: 999).isEmpty)
        #expect(run(&network, milliseconds: 1).map(\.event) == [.woken(1)])
        #expect(network.localTime(of: 1) == Tick(nanoseconds: 6_001_000_000))
        #expect(run(&network, milliseconds: 1).map(\.event) == [.woken(2)])
    }

    @Test(arguments: [-300, -1, 0, 1, 87, 100_000] as [Int64])
    func `the moment of a clock's reading is the first that shows it`(drift: Int64) {
        let clock = SimClock(offset: Tick(nanoseconds: 12_345), driftPartsPerMillion: drift)
        var random = SeededGenerator(seed: 3)
        for _ in 0..<500 {
            let local = clock.offset + random.duration(upTo: .seconds(100_000))
            let truth = clock.truth(at: local)
            #expect(clock.local(at: truth) >= local)
            #expect(clock.local(at: truth + .microseconds(-2)) < local || truth.nanoseconds < 2_000)
        }
        #expect(clock.truth(at: Tick(nanoseconds: 0)) == Tick(nanoseconds: 0))
    }

    @Test(arguments: UInt64(1)...40)
    func `streams keep their order and lose nothing unless they are reset`(seed: UInt64) {
        var random = SeededGenerator(seed: seed &* 31)
        let presets: [NetworkConditions] = [.loopback, .lan, .wifi, .badWifi, .congested]
        var network = SimNetwork(nodes: 3, conditions: presets[Int(seed % 5)], seed: seed)
        var sent: [SimNetwork.StreamID: [UInt8]] = [:]
        var received: [SimNetwork.StreamID: [UInt8]] = [:]
        var resets: Set<SimNetwork.StreamID> = []
        for node in 0..<3 { _ = network.connect(node, to: (node + 1) % 3) }
        for step in 0..<60 { network.schedule(step, at: network.now + .milliseconds(step * 150)) }
        while let next = network.next(upTo: network.now + .seconds(60)) {
            switch next.event {
            case .connected(let stream): sent[stream] = []
            case .received(let stream, let bytes): received[stream, default: []] += bytes
            case .ended(let stream, .reset): resets.insert(stream)
            case .woken:
                switch Int.random(in: 0..<12, using: &random) {
                case 0: network.partition([[Int.random(in: 0..<3, using: &random)]])
                case 1, 2: network.heal()
                case 3: network.stall(from: 0, to: 1, until: network.now + .milliseconds(700))
                case 4: network.freeze(1, for: .milliseconds(300))
                case 5 where seed % 4 == 0: network.cutStreams(between: 0, 1)
                default:
                    for stream in sent.keys.sorted() where !resets.contains(stream) {
                        guard let dialler = network.nodes(of: stream)?.dialler else { continue }
                        let bytes = random.bytes(Int.random(in: 1...4_000, using: &random))
                        network.write(bytes, to: stream, by: dialler)
                        sent[stream]? += bytes
                    }
                }
            default: break
            }
        }
        network.heal()
        while let next = network.next(upTo: network.now + .seconds(60)) {
            if case .received(let stream, let bytes) = next.event { received[stream, default: []] += bytes }
        }
        for (stream, bytes) in sent {
            let got = received[stream] ?? []
            if resets.contains(stream) {
                #expect(bytes.starts(with: got))
            } else {
                #expect(got == bytes, "\(got.count) of \(bytes.count) bytes")
            }
        }
        #expect(received.values.contains { $0.count > 1_000 })
    }
}
