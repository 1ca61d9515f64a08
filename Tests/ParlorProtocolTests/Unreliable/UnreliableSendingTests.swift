import Testing

@testable import ParlorProtocol

/// What becomes of messages that are sent.
@Suite struct UnreliableSendingTests {
    private func open() -> UnreliableBench {
        var bench = UnreliableBench()
        bench.openPath()
        return bench
    }

    /// A channel whose stream is full, before datagrams get through.
    private func stuck() -> UnreliableBench {
        var bench = UnreliableBench()
        _ = bench.feed(.streamFull, at: .milliseconds(1))
        return bench
    }

    @Test func `a long message goes out in pieces of one number, each but the last full`() throws {
        var bench = open()
        let message = (0..<Limits.unreliableBytesMax).map { UInt8(truncatingIfNeeded: $0 / 9) }
        let did = try bench.send(message, key: 4, at: .milliseconds(5))
        #expect(did.fragments.map(\.index) == (0..<15).map { UInt8($0) })
        #expect(Set(did.fragments.map(\.number)) == [1])
        var content: [UInt8] = []
        for case .posted(.fragment(let fragment, let piece), _) in did {
            #expect((fragment.count, fragment.key, fragment.sent) == (15, 4, 5_000))
            #expect(fragment.index == 14 || piece.count == Limits.fragmentBytesMax)
            content += piece
        }
        #expect(content == message)
        #expect(try bench.send([], at: .milliseconds(5)).fragments.map(\.number) == [2])
    }

    @Test func `no datagram is longer than it may be`() throws {
        var channel = Unreliable()
        var peer = UnreliablePeer()
        _ = channel.handle(.began(UnreliablePeer.connection()), at: .zero)
        _ = channel.handle(peer.datagram(.answer(token: 2, clock: 1)), at: .milliseconds(1))
        let message = [UInt8](repeating: 1, count: Limits.fragmentBytesMax)
        let actions = try channel.send(message, key: 1, at: .milliseconds(1))
        guard case .sendDatagram(let bytes, _)? = actions.first else {
            Issue.record("\(actions)")
            return
        }
        #expect(bytes.count == Limits.datagramBytesMax)
        #expect(DatagramCipher.linkID(of: bytes) == 7)
    }

    @Test func `a life is whole milliseconds within the limits`() throws {
        var bench = open()
        let lives: [(Duration, UInt16)] = [
            (.zero, 1), (.seconds(-1), 1), (.microseconds(1_999), 1), (.milliseconds(200), 200),
            (.seconds(10), 10_000), (.seconds(1_000_000_000_000), 10_000),
        ]
        for (life, milliseconds) in lives {
            let did = try bench.send([1], timeToLive: life, at: .milliseconds(5))
            #expect(did.fragments.map(\.timeToLive) == [milliseconds], "\(life)")
        }
    }

    // MARK: Pace

    @Test func `a burst goes out at once, the rest at its pace`() throws {
        var bench = open()
        var sent = 0
        for number in 0..<100 {
            let did = try bench.send([UInt8(number)], at: .milliseconds(10))
            sent += did.fragments.count
            if number == Limits.datagramBurstMax {
                #expect(did == [.arm(.milliseconds(11))], "the first that waits")
            }
        }
        #expect(sent == Limits.datagramBurstMax)
        #expect(bench.channel.statistics.queuedMessages == 36)
        #expect(bench.channel.statistics.queuedBytes == 36)
        let later = bench.feed(.deadlinePassed, at: .microseconds(10_100))
        #expect(later.fragments.map(\.number) == [65, 66, 67, 68, 69])
        #expect(bench.feed(.deadlinePassed, at: .microseconds(10_119)).fragments.count == 0)
        #expect(bench.feed(.deadlinePassed, at: .microseconds(10_120)).fragments.count == 1)
        #expect(bench.feed(.deadlinePassed, at: .milliseconds(12)).fragments.count == 30)
        #expect(bench.channel.statistics.queuedMessages == 0)
    }

    @Test func `a message that does not fit the burst waits whole or in part`() throws {
        var bench = open()
        for _ in 0..<60 { _ = try bench.send([1], at: .milliseconds(10)) }
        let message = [UInt8](repeating: 2, count: Limits.fragmentBytesMax * 6)
        #expect(try bench.send(message, at: .milliseconds(10)).fragments.map(\.index) == [0, 1, 2, 3])
        #expect(bench.channel.statistics.queuedMessages == 1)
        #expect(try bench.send([3], at: .milliseconds(10)).fragments.isEmpty)
        let rest = bench.feed(.deadlinePassed, at: .milliseconds(11)).fragments
        #expect(rest.map(\.index) == [4, 5, 0])
        #expect(rest.map(\.number) == [61, 61, 62])
    }

    // MARK: The stream

    @Test func `a full stream drops what waits too long, and takes the rest when it is drained`() throws {
        var bench = stuck()
        #expect(
            try bench.send([1], timeToLive: .milliseconds(40), at: .milliseconds(10)) == [
                .arm(.milliseconds(50))
            ])
        #expect(try bench.send([2], at: .milliseconds(20)) == [])
        let did = bench.feed(.drained, at: .milliseconds(60))
        #expect(did.fragments.map(\.number) == [1])
        #expect(did.fragments.map(\.sent) == [20_000])
        #expect(bench.channel.statistics.dropped.expired == 1)
    }

    @Test func `the stream is given so much until it is drained`() throws {
        var bench = UnreliableBench()
        var bytes = 0
        for _ in 0..<400 {
            for case .streamed(let message) in try bench.send(
                [UInt8](repeating: 1, count: 1_000), at: .milliseconds(1))
            {
                bytes += message.byteCount + Limits.frameHeaderBytes
            }
        }
        #expect((Limits.unreliableStreamBytesMax..<Limits.unreliableStreamBytesMax + 1_200).contains(bytes))
        #expect(bench.feed(.drained, at: .milliseconds(2)).fragments.count == 32)
    }

    // MARK: The queue

    @Test func `of those with one key that wait only the newest is kept, in the place of the first`() throws {
        var bench = stuck()
        for (content, key) in [(1, 7), (2, nil), (3, 7), (4, 8), (5, 7), (6, nil)] as [(UInt8, UInt32?)] {
            _ = try bench.send([content], key: key, at: .milliseconds(1))
        }
        #expect(bench.channel.statistics.dropped.superseded == 2)
        #expect(bench.channel.statistics.queuedMessages == 4)
        let sent = bench.feed(.drained, at: .milliseconds(2)).compactMap { did -> UInt8? in
            guard case .streamed(.fragment(_, let content)) = did else { return nil }
            return content.first
        }
        #expect(sent == [5, 2, 4, 6])
    }

    @Test func `a message that is partly sent is finished before the next of its key`() throws {
        var bench = open()
        for _ in 0..<60 { _ = try bench.send([1], at: .milliseconds(10)) }
        let message = [UInt8](repeating: 2, count: Limits.fragmentBytesMax * 6)
        _ = try bench.send(message, key: 9, at: .milliseconds(10))
        _ = try bench.send([3], key: 9, at: .milliseconds(10))
        _ = try bench.send([4], key: 9, at: .milliseconds(10))
        #expect(bench.channel.statistics.dropped.superseded == 1)
        let rest = bench.feed(.deadlinePassed, at: .milliseconds(11)).fragments
        #expect(rest.map(\.index) == [4, 5, 0])
    }

    @Test func `too many messages that wait drop the oldest`() throws {
        var bench = stuck()
        for number in 0..<Limits.unreliableQueueMax + 3 {
            _ = try bench.send([UInt8(truncatingIfNeeded: number)], at: .milliseconds(1))
        }
        #expect(bench.channel.statistics.dropped.crowdedOut == 3)
        #expect(bench.channel.statistics.queuedMessages == Limits.unreliableQueueMax)
        guard case .streamed(.fragment(_, let first))? = bench.feed(.drained, at: .milliseconds(2)).first
        else {
            Issue.record("nothing sent")
            return
        }
        #expect(first == [3])
    }

    @Test func `too many bytes that wait drop the oldest`() throws {
        var bench = stuck()
        let message = [UInt8](repeating: 1, count: 16_384)
        for _ in 0..<17 { _ = try bench.send(message, at: .milliseconds(1)) }
        #expect(bench.channel.statistics.dropped.crowdedOut == 1)
        #expect(bench.channel.statistics.queuedBytes == Limits.unreliableQueueBytesMax)
        _ = try bench.send([1], at: .milliseconds(1))
        #expect(bench.channel.statistics.queuedMessages == 16)
        #expect(bench.channel.statistics.dropped.whileSending == 2)
    }
}
