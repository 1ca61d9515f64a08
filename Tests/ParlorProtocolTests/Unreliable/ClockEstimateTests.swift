import Testing

@testable import ParlorProtocol

@Suite struct ClockEstimateTests {
    private func sample(_ sent: UInt64, _ received: UInt64, _ peer: UInt64) -> Link.ClockSample {
        .init(sent: .milliseconds(sent), received: .milliseconds(received), peerMicroseconds: peer * 1_000)
    }

    @Test func `an answer says the offset to half of its round trip`() throws {
        var clock = ClockEstimate()
        #expect(clock.offset(at: .seconds(1)) == nil)
        #expect(clock.tick(ofPeerMicroseconds: 5, at: .seconds(1)) == nil)
        #expect(clock.peerMicroseconds(of: .seconds(1), at: .seconds(1)) == nil)
        clock.add(sample(1_000, 1_010, 500_005))
        let offset = try #require(clock.offset(at: .milliseconds(1_010)))
        #expect(abs(offset.offset.nanoseconds - 499_000_000_000) < 1_000)
        #expect((5_000_000...5_005_000).contains(offset.error.nanoseconds))
        let tick = try #require(clock.tick(ofPeerMicroseconds: 500_005_000, at: .milliseconds(1_010)))
        #expect(abs((tick - .milliseconds(1_005)).nanoseconds) < 1_000)
        let there = try #require(clock.peerMicroseconds(of: .milliseconds(1_005), at: .milliseconds(1_010)))
        #expect(abs(Int(there) - 500_005_000) <= 1)
    }

    @Test func `the error grows with the age and shrinks with a better answer`() throws {
        var clock = ClockEstimate()
        clock.add(sample(0, 2, 1))
        let early = try #require(clock.offset(at: .milliseconds(2)))
        let late = try #require(clock.offset(at: .milliseconds(10_002)))
        #expect(late.error - early.error == .milliseconds(2))  // 200 millionths of 10 s
        clock.add(sample(10_000, 10_100, 10_050))
        let after = try #require(clock.offset(at: .milliseconds(10_100)))
        #expect(after.error < late.error + .microseconds(100), "a slow answer makes it no worse")
        clock.add(sample(10_200, 10_201, 10_200))
        #expect(try #require(clock.offset(at: .milliseconds(10_201))).error < .milliseconds(1))
    }

    @Test func `a machine that was suspended is believed at once`() throws {
        var clock = ClockEstimate()
        clock.add(sample(0, 2, 1))
        clock.add(sample(5_000, 5_020, 2_010))
        let offset = try #require(clock.offset(at: .milliseconds(5_020)))
        #expect(abs((offset.offset + .seconds(3)).nanoseconds) < 10_000)
        #expect(offset.error >= .milliseconds(10))
    }

    @Test func `what cannot be is ignored`() {
        var clock = ClockEstimate()
        clock.add(sample(2, 1, 1))
        clock.add(.init(sent: .zero, received: .seconds(1), peerMicroseconds: 1 << 52 + 1))
        clock.add(.init(sent: .zero, received: Tick(nanoseconds: .max), peerMicroseconds: 1))
        #expect(!clock.isKnown)
        clock.add(.init(sent: .zero, received: .zero, peerMicroseconds: 1 << 52))
        #expect(clock.isKnown)
        #expect(clock.tick(ofPeerMicroseconds: .max, at: .zero) != nil)
        #expect(clock.peerMicroseconds(of: Tick(nanoseconds: .max), at: Tick(nanoseconds: .max)) != nil)
    }

    /// Two clocks that drift apart within the bound, answers that take unequally long there and back.
    @Test(arguments: UInt64(1)...200)
    func `the true offset is always within the bound`(seed: UInt64) throws {
        var random = Seeded(seed: seed)
        var clock = ClockEstimate()
        var now: Int64 = Int64.random(in: 1...1_000_000_000_000, using: &random)
        var offset = Int64.random(in: -now...2_000_000_000_000, using: &random)
        var drift = Int64.random(in: -200...200, using: &random)
        let slowest: Int64 = random.oneIn(2) ? 100_000 : random.oneIn(2) ? 5_000_000 : 400_000_000
        func pass(_ step: Int64) {
            now += step
            offset += step / 1_000_000 * drift
        }
        for _ in 0..<200 {
            if random.oneIn(5) { drift = Int64.random(in: -200...200, using: &random) }
            pass(Int64.random(in: 0...3_000_000_000, using: &random))
            let sent = now
            pass(Int64.random(in: 20_000...slowest, using: &random))
            let peer = now + offset
            pass(Int64.random(in: 20_000...slowest, using: &random) * (random.oneIn(4) ? 10 : 1))
            clock.add(
                .init(
                    sent: Tick(nanoseconds: UInt64(sent)), received: Tick(nanoseconds: UInt64(now)),
                    peerMicroseconds: UInt64(max(0, peer)) / 1_000))
            pass(Int64.random(in: 0...1_000_000_000, using: &random))
            guard peer > 0 else { continue }
            let known = try #require(clock.offset(at: Tick(nanoseconds: UInt64(now))))
            let wrong = abs(known.offset.nanoseconds - offset)
            #expect(wrong <= known.error.nanoseconds, "seed \(seed)")
            let allowed: Int64 = slowest * 11 / 2 + 610_000  // and what has drifted since the answer
            #expect(known.error.nanoseconds <= allowed, "seed \(seed)")
        }
    }

    // MARK: Delays

    @Test func `the most delay lately bounds what a peer may claim`() {
        var delays = MostDelay()
        #expect(delays.most(at: .seconds(1)) == .zero)
        delays.add(.milliseconds(30), at: .seconds(1))
        delays.add(.milliseconds(10), at: .seconds(2))
        #expect(delays.most(at: .seconds(10)) == .milliseconds(30))
        let arrival = Tick.seconds(5)
        let error = Duration.milliseconds(2)
        #expect(delays.believed(.milliseconds(4_990), arrival: arrival, error: error) == .milliseconds(4_990))
        #expect(delays.believed(.seconds(1), arrival: arrival, error: error) == .milliseconds(4_968))
        #expect(delays.believed(.seconds(9), arrival: arrival, error: error) == arrival)
        delays.add(.milliseconds(5), at: .seconds(11))
        #expect(delays.most(at: .seconds(12)) == .milliseconds(30))
        delays.add(.milliseconds(6), at: .seconds(21))
        #expect(delays.most(at: .seconds(22)) == .milliseconds(6))
        #expect(delays.most(at: .seconds(31)) == .milliseconds(6))
        #expect(delays.most(at: .seconds(41)) == .zero)
        delays.add(.milliseconds(1), at: .seconds(60))
        #expect(delays.most(at: .seconds(60)) == .milliseconds(1))
    }
}
