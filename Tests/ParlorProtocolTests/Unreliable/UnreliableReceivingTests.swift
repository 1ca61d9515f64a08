import Testing

@testable import ParlorProtocol

/// What of a peer's messages is let through.
@Suite struct UnreliableReceivingTests {
    /// A channel that gets datagrams through; its peer's clock shows what ours does.
    private func open() -> UnreliableBench {
        var bench = UnreliableBench()
        bench.openPath()
        return bench
    }

    /// The content of a piece that is not the last.
    private let full = [UInt8](repeating: 7, count: Limits.fragmentBytesMax)

    private func piece(
        _ number: UInt64, sent: Tick = .milliseconds(10), timeToLive: UInt16 = 200, key: UInt32? = nil,
        index: UInt8 = 0, count: UInt8 = 1, _ content: [UInt8] = [1]
    ) -> UnreliableMessage {
        .fragment(
            .init(
                number: number, sent: sent.microseconds, timeToLive: timeToLive, key: key, index: index,
                count: count), content: content)
    }

    // MARK: Order

    @Test func `what is overtaken within its key is dropped, and no message comes twice`() {
        var bench = open()
        let at = Tick.milliseconds(10)
        #expect(bench.post(piece(5, [5]), at: at).received == [[5]])
        #expect(bench.post(piece(4, [4]), at: at).received == [])
        #expect(bench.post(piece(5, [5]), at: at).received == [])
        #expect(bench.post(piece(3, key: 1, [3]), at: at) == [.received([3], key: 1)])
        #expect(bench.post(piece(2, key: 1, [2]), at: at).received == [])
        #expect(bench.post(piece(2, key: 0, [2]), at: at) == [.received([2], key: 0)], "key 0 is one")
        #expect(bench.post(piece(6, [6]), at: at).received == [[6]])
        #expect(bench.channel.statistics.dropped.overtaken == 3)
        #expect(bench.channel.statistics.receivedMessages == 4)
        #expect(bench.channel.statistics.receivedBytes == 4)
    }

    @Test func `a forgotten key lets nothing through that may have come before`() {
        var bench = open()
        let at = Tick.milliseconds(10)
        let count = UInt64(Limits.unreliableKeysMax)
        for number in 1...count {
            #expect(bench.post(piece(number * 10, key: UInt32(number)), at: at).received.count == 1)
        }
        #expect(bench.post(piece(5, key: 1), at: at).received == [], "all are remembered")
        #expect(bench.post(piece(25, key: 1), at: at).received.count == 1)
        // Now 2 is the oldest; a new key takes its place, and messages up to its newest are gone.
        #expect(bench.post(piece(6, key: 9_999), at: at).received.count == 1, "before any was forgotten")
        #expect(bench.post(piece(20, key: 2), at: at).received == [])
        #expect(bench.post(piece(19, key: 8_888), at: at).received == [])
        #expect(bench.post(piece(26, key: 1), at: at).received.count == 1, "this one is remembered")
        #expect(bench.post(piece(21, key: 2), at: at).received.count == 1)
        #expect(bench.post(piece(5, key: 9_999), at: at).received == [])
    }

    // MARK: Time

    @Test func `a message older than its life and the clock's error is dropped`() throws {
        var bench = open()
        let error = try #require(bench.channel.clock.offset(at: .milliseconds(210))).error
        #expect(error > .milliseconds(1) && error < .microseconds(1_100))
        let sent = Tick.milliseconds(10)
        #expect(bench.post(piece(1, sent: sent), at: .milliseconds(210)).received.count == 1)
        #expect(bench.post(piece(2, sent: sent), at: .milliseconds(211)).received.count == 1)
        #expect(bench.post(piece(3, sent: sent), at: .microseconds(211_100)).received == [])
        #expect(bench.post(piece(4, sent: sent, timeToLive: 300), at: .milliseconds(250)).received.count == 1)
        #expect(bench.channel.statistics.dropped.late == 1)
        #expect(bench.post(piece(5, sent: .seconds(5)), at: .milliseconds(260)).received.count == 1, "early")
    }

    @Test func `a link without an answer takes what cannot be late`() {
        var bench = UnreliableBench()
        let anything = Tick.seconds(900)
        #expect(bench.post(piece(1, sent: anything), at: .milliseconds(200)).received.count == 1)
        #expect(bench.post(piece(2, sent: anything), at: .milliseconds(201)).received == [])
        #expect(
            bench.post(piece(3, sent: anything, timeToLive: 300), at: .milliseconds(300)).received.count == 1)
        _ = bench.feed(
            .clock(
                .init(sent: .milliseconds(300), received: .milliseconds(301), peerMicroseconds: 900_000_000)),
            at: .milliseconds(301))
        #expect(bench.post(piece(4, sent: anything), at: .milliseconds(400)).received.count == 1)
        #expect(bench.channel.statistics.dropped.late == 1)
    }

    @Test func `the link began when its first connection did`() {
        var channel = Unreliable()
        var peer = UnreliablePeer()
        _ = channel.handle(.began(UnreliablePeer.connection(start: .seconds(1))), at: .seconds(2))
        _ = channel.handle(.detached, at: .seconds(3))
        peer.cipher = UnreliablePeer().cipher
        _ = channel.handle(.began(UnreliablePeer.connection(start: .seconds(4))), at: .seconds(4))
        let message = piece(1, timeToLive: 3_050)
        #expect(
            channel.handle(peer.datagram(message), at: .milliseconds(4_050)).contains(
                .received([1], key: nil)))
        #expect(
            !channel.handle(peer.datagram(piece(2, timeToLive: 3_050)), at: .milliseconds(4_051))
                .contains(.received([1], key: nil)))
    }

    // MARK: Pieces

    @Test func `a message comes once all of its pieces have, in any order`() {
        var bench = open()
        let at = Tick.milliseconds(10)
        #expect(bench.post(piece(1, key: 3, index: 2, count: 3, [9]), at: at).received == [])
        #expect(bench.post(piece(1, key: 3, index: 0, count: 3, full), at: at).received == [])
        #expect(bench.post(piece(2, [2]), at: at).received == [[2]], "another key goes by")
        let other = [UInt8](repeating: 8, count: Limits.fragmentBytesMax)
        #expect(
            bench.post(piece(1, key: 3, index: 1, count: 3, other), at: at) == [
                .received(full + other + [9], key: 3)
            ])
        #expect(bench.post(piece(1, key: 3, index: 1, count: 3, other), at: at).received == [])
    }

    @Test func `pieces that contradict each other are dropped`() {
        var bench = open()
        let at = Tick.milliseconds(10)
        _ = bench.post(piece(1, index: 0, count: 2, full), at: at)
        let wrong = [
            piece(1, index: 0, count: 2, full), piece(1, key: 1, index: 1, count: 2),
            piece(1, index: 1, count: 3, full), piece(1, sent: .milliseconds(9), index: 1, count: 2),
            piece(1, timeToLive: 201, index: 1, count: 2),
        ]
        for piece in wrong { #expect(bench.post(piece, at: at).received == []) }
        #expect(bench.channel.statistics.refused.malformed == 5)
        #expect(bench.post(piece(1, index: 1, count: 2), at: at).received == [full + [1]])
    }

    @Test func `a message that misses a piece is dropped when it would be late`() {
        var bench = open()
        let first = bench.post(piece(1, index: 0, count: 2, full), at: .milliseconds(10))
        #expect(first == [], "the first probes' tick is nearer")
        #expect(bench.feed(.deadlinePassed, at: .milliseconds(102)).count == 1)
        _ = bench.feed(.deadlinePassed, at: .milliseconds(211))
        #expect(bench.channel.statistics.dropped.incomplete == 0)
        _ = bench.feed(.deadlinePassed, at: .milliseconds(212))
        #expect(bench.channel.statistics.dropped.incomplete == 1)
        #expect(bench.post(piece(1, index: 1, count: 2), at: .milliseconds(212)).received == [])
        #expect(bench.channel.statistics.dropped.whileReceiving == 1, "counted once")
    }

    @Test func `a piece that is late takes the others with it`() {
        var bench = open()
        _ = bench.post(piece(1, index: 0, count: 3, full), at: .milliseconds(210))
        #expect(bench.post(piece(1, index: 1, count: 3, full), at: .milliseconds(220)).received == [])
        #expect(bench.post(piece(1, index: 2, count: 3), at: .milliseconds(220)).received == [])
        #expect(bench.channel.statistics.dropped.late == 1)
        #expect(bench.channel.statistics.dropped.whileReceiving == 1)
    }

    @Test func `a newer whole message drops the older in pieces, of its key alone`() {
        var bench = open()
        let at = Tick.milliseconds(10)
        _ = bench.post(piece(1, index: 0, count: 2, full), at: at)
        _ = bench.post(piece(2, key: 4, index: 0, count: 2, full), at: at)
        _ = bench.post(piece(4, index: 0, count: 2, full), at: at)
        #expect(bench.post(piece(3), at: at).received.count == 1)
        #expect(bench.post(piece(1, index: 1, count: 2), at: at).received == [])
        #expect(bench.channel.statistics.dropped.overtaken == 1)
        #expect(bench.post(piece(2, key: 4, index: 1, count: 2), at: at).received.count == 1)
        #expect(bench.post(piece(4, index: 1, count: 2), at: at).received.count == 1)
    }

    @Test func `only so many messages wait for pieces, and the oldest goes`() {
        var bench = open()
        let at = Tick.milliseconds(10)
        let count = UInt64(Limits.reassembliesMax)
        func half(_ number: UInt64, _ index: UInt8) -> UnreliableMessage {
            piece(number, key: UInt32(number), index: index, count: 2, index == 0 ? full : [1])
        }
        for number in 2...count + 1 { _ = bench.post(half(number, 0), at: at) }
        #expect(bench.channel.statistics.dropped.incomplete == 0)
        _ = bench.post(half(1, 0), at: at)
        #expect(bench.channel.statistics.dropped.incomplete == 1, "the new one is the oldest")
        _ = bench.post(half(count + 2, 0), at: at)
        #expect(bench.channel.statistics.dropped.incomplete == 2)
        #expect(bench.post(half(2, 1), at: at).received == [], "all or nothing")
        #expect(bench.post(half(1, 1), at: at).received == [])
        #expect(bench.channel.statistics.dropped.incomplete == 2)
        for number in 3...count + 2 {
            #expect(bench.post(half(number, 1), at: at).received.count == 1, "\(number)")
        }
    }
}
