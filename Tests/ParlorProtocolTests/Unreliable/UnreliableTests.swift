import Testing

@testable import ParlorProtocol

/// Exact actions for exact inputs: which way messages take, probes, and what is sent.
@Suite struct UnreliableTests {
    private typealias Did = UnreliablePeer.Did
    private let elsewhere = Endpoint.known([10, 0, 0, 9], 5)

    private func piece(
        _ number: UInt64, sent: Tick, key: UInt32? = nil, index: UInt8 = 0, count: UInt8 = 1,
        _ content: [UInt8]
    ) -> UnreliableMessage {
        .fragment(
            UnreliableMessageTests.fragment(
                number, sent: sent.microseconds, key: key, index: index, count: count), content: content)
    }

    // MARK: Paths

    @Test func `a link begins on the stream, and probes both ways at once`() {
        var peer = UnreliablePeer()
        var channel = Unreliable()
        let did = peer.read(channel.handle(.began(UnreliablePeer.connection()), at: .zero))
        #expect(
            did == [.streamed(.probe(token: 1)), .posted(.probe(token: 2)), .arm(.milliseconds(100))])
        #expect(channel.path == .stream)
    }

    @Test func `a peer without datagrams is probed by the stream alone`() {
        var peer = UnreliablePeer()
        var channel = Unreliable()
        let did = peer.read(channel.handle(.began(UnreliablePeer.connection(to: nil)), at: .zero))
        #expect(did == [.streamed(.probe(token: 1))])
    }

    @Test func `an answered probe moves messages from the stream to datagrams`() throws {
        var bench = UnreliableBench()
        #expect(
            try bench.send([1], at: .milliseconds(1)) == [.streamed(piece(1, sent: .milliseconds(1), [1]))])
        let did = bench.post(.answer(token: 2, clock: 9_000_000), at: .milliseconds(2))
        #expect(did == [.path(.udp)])
        #expect(
            try bench.send([2], key: 5, at: .milliseconds(3)) == [
                .posted(piece(2, sent: .milliseconds(3), key: 5, [2]))
            ])
        let offset = try #require(bench.channel.clock.offset(at: .milliseconds(2)))
        #expect(abs((offset.offset - .milliseconds(8_999)).nanoseconds) < 10_000)
        let statistics = bench.channel.statistics
        #expect(statistics.path == .udp)
        #expect((statistics.sentMessages, statistics.sentBytes) == (2, 2))
        #expect((statistics.sentDatagrams, statistics.sentFrames, statistics.receivedDatagrams) == (2, 2, 1))
        #expect(statistics.roundTrips?.median == .milliseconds(2))
    }

    @Test func `an answer by the other way, an unknown one or a late one proves nothing`() {
        var bench = UnreliableBench()
        #expect(bench.post(.answer(token: 1, clock: 1), at: .milliseconds(2)) == [])
        #expect(
            bench.feed(.streamed(UnreliableMessage.answer(token: 2, clock: 1).encoded()), at: .zero) == [])
        #expect(bench.post(.answer(token: 9, clock: 1), at: .milliseconds(2)) == [])
        #expect(!bench.channel.clock.isKnown)
        #expect(
            bench.feed(.streamed(UnreliableMessage.answer(token: 1, clock: 1).encoded()), at: .zero) == [])
        #expect(bench.channel.clock.isKnown)
        let late = bench.post(.answer(token: 2, clock: 1), at: .milliseconds(3_000))
        #expect(!late.contains(.path(.udp)))
        #expect(bench.channel.path == .stream)
    }

    @Test func `what gets no answer is probed five times, then seldom`() throws {
        var bench = UnreliableBench()
        var probes: [UInt64] = []
        var at = Tick.milliseconds(100)
        while at < .seconds(60) {
            let did = bench.feed(.deadlinePassed, at: at)
            if did.contains(where: { if case .posted(.probe, _) = $0 { true } else { false } }) {
                probes.append(at.nanoseconds / 1_000_000)
            }
            guard case .arm(let next?) = try #require(did.last) else { break }
            #expect(next > at)
            at = next
        }
        #expect(probes == [100, 200, 300, 400, 15_400, 30_400, 45_400])
        _ = try bench.send([1], at: .milliseconds(46_000))
        let did = bench.feed(.deadlinePassed, at: .milliseconds(50_400))
        #expect(did.contains(.posted(.probe(token: 10))), "with messages, every five seconds")
    }

    @Test func `a probe is answered by the way it came`() {
        var bench = UnreliableBench()
        #expect(
            bench.post(.probe(token: 77), at: .milliseconds(5)) == [
                .posted(.answer(token: 77, clock: 5_000))
            ])
        #expect(
            bench.feed(.streamed(UnreliableMessage.probe(token: 78).encoded()), at: .milliseconds(6)) == [
                .streamed(.answer(token: 78, clock: 6_000))
            ])
        _ = bench.feed(.streamFull, at: .milliseconds(6))
        let full = bench.feed(
            .streamed(UnreliableMessage.probe(token: 79).encoded()), at: .milliseconds(6))
        #expect(full == [], "a full stream takes no answers")
        for token: UInt64 in 0..<100 { _ = bench.post(.probe(token: token), at: .milliseconds(6)) }
        #expect(bench.channel.statistics.sentDatagrams == 66, "more than a burst of answers is not sent")
    }

    @Test func `while messages flow a probe goes along each second`() throws {
        var bench = UnreliableBench()
        bench.openPath()
        #expect(!(try bench.send([1], at: .milliseconds(999))).contains(.posted(.probe(token: 3))))
        #expect(try bench.send([1], at: .milliseconds(1_000)).contains(.posted(.probe(token: 3))))
        _ = bench.post(.answer(token: 3, clock: 1), at: .milliseconds(1_001))
        #expect(
            bench.feed(.deadlinePassed, at: .milliseconds(2_000)) == [.arm(.milliseconds(16_000))],
            "no messages, no probe")
        #expect(bench.feed(.deadlinePassed, at: .milliseconds(16_000)).first == .posted(.probe(token: 4)))
    }

    @Test func `three seconds without an answer move messages back to the stream, and probes begin anew`()
        throws
    {
        var bench = UnreliableBench()
        bench.openPath()
        var log: [Did] = []
        for at in stride(from: UInt64(1_000), to: 5_000, by: 50) {
            log += try bench.send([1], at: .milliseconds(at))
            if log.contains(.path(.stream)) {
                #expect(at == 4_000)
                break
            }
        }
        let probes = log.filter { if case .posted(.probe, _) = $0 { true } else { false } }
        #expect(probes.count == 13, "every 250 ms, and once on giving up")
        #expect(
            try bench.send([1], at: .milliseconds(4_010)).first
                == .streamed(
                    piece(62, sent: .milliseconds(4_010), [1])))
        let again = bench.feed(.deadlinePassed, at: .milliseconds(4_100))
        guard case .posted(.probe(let token), _)? = again.first else {
            Issue.record("no probe: \(again)")
            return
        }
        #expect(bench.post(.answer(token: token, clock: 1), at: .milliseconds(4_110)).first == .path(.udp))
    }

    @Test func `a peer that is heard again is probed at once, at most each second`() {
        var bench = UnreliableBench()
        for at: UInt64 in [100, 200, 300, 400] { _ = bench.feed(.deadlinePassed, at: .milliseconds(at)) }
        let first = bench.post(.probe(token: 1), at: .milliseconds(3_000))
        #expect(first.contains(.posted(.probe(token: 7))))
        let second = bench.post(.probe(token: 2), at: .milliseconds(3_500))
        #expect(second == [.posted(.answer(token: 2, clock: 3_500_000))])
    }

    // MARK: Addresses

    @Test func `the newest datagram says where the peer is`() {
        var bench = UnreliableBench()
        bench.openPath()
        let old = bench.peer.datagram(.probe(token: 1))
        let moved = bench.post(.probe(token: 2), from: elsewhere, at: .milliseconds(5))
        #expect(
            moved == [
                .posted(.answer(token: 2, clock: 5_000), to: elsewhere),
                .posted(.probe(token: 3), to: elsewhere),
            ], "the new place is probed at once")
        let overtaken = bench.feed(old, at: .milliseconds(6))
        #expect(overtaken == [.posted(.answer(token: 1, clock: 6_000), to: elsewhere)])
        #expect(bench.channel.statistics.addressChanges == 1)
    }

    @Test func `nothing that is refused says where the peer is`() throws {
        var bench = UnreliableBench()
        bench.openPath()
        guard case .datagram(var bytes, _) = bench.peer.datagram(.probe(token: 1)) else { return }
        let good = bytes
        bytes[20] ^= 1
        #expect(bench.feed(.datagram(bytes, from: elsewhere), at: .milliseconds(5)) == [])
        #expect(bench.feed(.datagram(good, from: UnreliablePeer.home), at: .milliseconds(5)).count == 1)
        #expect(bench.feed(.datagram(good, from: elsewhere), at: .milliseconds(5)) == [])
        #expect(bench.feed(.datagram([1, 2, 3], from: elsewhere), at: .milliseconds(5)) == [])
        #expect(bench.post(.fragment(UnreliableMessageTests.fragment(0), content: []), at: .zero) == [])
        #expect(bench.feed(.streamed([]), at: .milliseconds(5)) == [])
        let refused = bench.channel.statistics.refused
        #expect((refused.forged, refused.replayed, refused.notOurs, refused.malformed) == (1, 1, 1, 2))
        guard case .posted(_, let endpoint)? = try bench.send([1], at: .milliseconds(6)).first else {
            Issue.record("nothing sent")
            return
        }
        #expect(endpoint == UnreliablePeer.home)
    }

    @Test func `a peer that named no port is reached once it sends`() {
        var bench = UnreliableBench(peer: nil)
        let did = bench.post(.probe(token: 1), from: elsewhere, at: .milliseconds(5))
        #expect(did.contains(.posted(.probe(token: 2), to: elsewhere)))
        #expect(bench.post(.answer(token: 2, clock: 1), at: .milliseconds(6)).contains(.path(.udp)))
    }

    // MARK: Connections

    @Test func `before the link is set up nothing is sent or taken`() {
        var channel = Unreliable()
        #expect(throws: LinkSendError.notOpen) { try channel.send([1], at: .zero) }
        #expect(channel.handle(.datagram([1], from: elsewhere), at: .zero) == [])
        #expect(channel.handle(.deadlinePassed, at: .zero) == [])
    }

    @Test func `a message beyond the limit is refused at once`() throws {
        var bench = UnreliableBench()
        let largest = [UInt8](repeating: 1, count: Limits.unreliableBytesMax)
        #expect(throws: LinkSendError.messageTooLarge) { try bench.send(largest + [1], at: .zero) }
        #expect(try bench.send(largest, at: .zero).fragments.count == 15)
        var channel = Unreliable()
        #expect(throws: LinkSendError.messageTooLarge) { try channel.send(largest + [1], at: .zero) }
    }

    @Test func `without a connection messages wait, and go on with the next one`() throws {
        var bench = UnreliableBench()
        bench.openPath()
        #expect(bench.feed(.detached, at: .milliseconds(10)) == [.path(.stream)])
        #expect(
            try bench.send([1], timeToLive: .milliseconds(50), at: .milliseconds(20)) == [
                .arm(.milliseconds(70))
            ])
        #expect(try bench.send([2], at: .milliseconds(20)) == [])
        #expect(bench.feed(.deadlinePassed, at: .milliseconds(70)) == [.arm(.milliseconds(220))])
        let fresh = (64..<128).map { UInt8($0) }
        bench.peer.cipher = DatagramCipher(
            keys: DatagramKeys(exported: fresh, role: .listener), ownLinkID: 8, peerLinkID: 3)
        let connection = Unreliable.Connection(
            keys: DatagramKeys(exported: fresh, role: .dialler), ownLinkID: 3, peerLinkID: 8,
            peer: UnreliablePeer.home, start: .milliseconds(90))
        let did = bench.feed(.began(connection), at: .milliseconds(100))
        #expect(
            did == [
                .streamed(.probe(token: 3)), .posted(.probe(token: 4)),
                .streamed(piece(1, sent: .milliseconds(20), [2])), .arm(.milliseconds(200)),
            ])
        #expect(bench.channel.statistics.dropped.expired == 1)
    }

    @Test func `a datagram on its way when the connection was lost still comes`() {
        var bench = UnreliableBench()
        bench.openPath()
        _ = bench.feed(.detached, at: .milliseconds(10))
        let did = bench.post(piece(1, sent: .milliseconds(5), [4]), at: .milliseconds(11))
        #expect(did == [.received([4], key: nil)])
        #expect(bench.post(.probe(token: 1), at: .milliseconds(12)) == [], "but nothing is answered")
    }
}
