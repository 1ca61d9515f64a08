import ParlorProtocol
import Testing

/// What a seeded line does to packets and bytes.
struct ImpairmentTests {
    private static func millisecond(_ count: Int) -> Tick {
        Tick(nanoseconds: 0) + .milliseconds(count)
    }

    private static let rough = NetworkConditions(
        delay: .milliseconds(20), jitter: .milliseconds(30), loss: 0.1, duplicate: 0.05, reorder: 0.08)

    /// A datagram each millisecond; the arrivals of each.
    private func arrivals(_ line: inout DatagramLine, count: Int) -> [[Tick]] {
        (0..<count).map { line.send(byteCount: 100, at: Self.millisecond($0)) }
    }

    @Test func `a seed says what happens to every datagram and another seed says something else`() {
        var lines = [7, 7, 8].map { DatagramLine(Self.rough, seed: $0) }
        let runs = lines.indices.map { arrivals(&lines[$0], count: 300) }
        #expect(runs[0] == runs[1])
        #expect(runs[0] != runs[2])
    }

    @Test(arguments: UInt64(1)...5)
    func `datagrams are lost, doubled and overtaken as often as said and within their times`(seed: UInt64) {
        var line = DatagramLine(Self.rough, seed: seed)
        let count = 20_000
        let runs = arrivals(&line, count: count)
        let part = { (matching: ([Tick]) -> Bool) in Double(runs.count(where: matching)) / Double(count) }
        #expect(abs(part(\.isEmpty) - 0.1) < 0.01)
        #expect(abs(part { $0.count == 2 } - 0.05 * 0.9) < 0.01)
        let first = runs.compactMap(\.first)
        let overtaken = zip(first, first.dropFirst()).count { $0 > $1 }
        #expect((0.03...0.09).contains(Double(overtaken) / Double(first.count)))
        for (sent, run) in runs.enumerated() {
            for at in run {
                let travel = at - Self.millisecond(sent)
                #expect(travel >= .milliseconds(20) && travel <= .milliseconds(20 + 30 + 40 + 30 + 40))
            }
        }
    }

    @Test func `without anything set a datagram arrives when it is sent`() {
        var line = DatagramLine(.none, seed: 1)
        #expect(arrivals(&line, count: 3) == (0..<3).map { [Self.millisecond($0)] })
    }

    @Test func `jitter alone keeps the order of datagrams`() {
        var line = DatagramLine(NetworkConditions(jitter: .milliseconds(50)), seed: 3)
        let all = arrivals(&line, count: 500).joined()
        #expect(all.count == 500)
        #expect(zip(all, all.dropFirst()).allSatisfy { $0 <= $1 })
    }

    @Test func `a stall holds datagrams until its end and a cut loses them`() {
        var line = DatagramLine(.none, seed: 1)
        line.stall(until: Self.millisecond(2))
        #expect(
            arrivals(&line, count: 4).map { $0.map(\.microseconds) } == [[2_000], [2_000], [2_000], [3_000]])
        line = DatagramLine(.none, seed: 1)
        line.cut(until: Self.millisecond(2))
        #expect(arrivals(&line, count: 4).map(\.count) == [0, 0, 1, 1])
    }

    @Test func `a slow line takes its time a datagram and drops what would wait too long`() {
        var line = DatagramLine(NetworkConditions(bytesPerSecond: 10_000), seed: 1)
        let runs = (0..<60).map { _ in line.send(byteCount: 100, at: Self.millisecond(0)) }
        #expect(runs[0] == [Self.millisecond(10)])
        #expect(runs[50] == [Self.millisecond(510)])
        let late = runs[51...].count { !$0.isEmpty }
        #expect(late == 0)
        #expect(line.send(byteCount: 100, at: Self.millisecond(200)) == [Self.millisecond(520)])
    }

    @Test(arguments: UInt64(1)...10)
    func `a stream brings every byte in order and within its bound`(seed: UInt64) {
        var line = StreamLine(Self.rough, seed: seed)
        let bound = Duration.milliseconds(20 + 30 + 40 + 6_200)
        var last = Tick(nanoseconds: 0)
        var slow = 0
        for step in 0..<2_000 {
            let now = Self.millisecond(step * 10)
            let pieces = line.send(byteCount: 1 + step % 5_000, at: now)
            let sum = pieces.reduce(0) { $0 + $1.byteCount }
            #expect(sum == 1 + step % 5_000)
            for piece in pieces {
                #expect(piece.at >= last && piece.at - now >= .milliseconds(20))
                #expect(piece.at - now <= bound)
                if piece.at - now >= .milliseconds(220) { slow += 1 }
                last = piece.at
            }
        }
        #expect(slow > 100, "losses take time")
    }

    @Test func `a packet arrives when the same bytes of a stream do`() {
        var stream = StreamLine(Self.rough, seed: 7)
        var packets = stream
        for step in 0..<500 {
            let now = Self.millisecond(step * 3)
            let count = [1, 250, StreamLine.segmentBytes][step % 3]
            if step == 200 {
                stream.stall(until: Self.millisecond(1_000))
                packets.stall(until: Self.millisecond(1_000))
            }
            let arrival = packets.sendPacket(byteCount: count, at: now)
            #expect(stream.send(byteCount: count, at: now).map(\.at) == [arrival])
        }
        packets.halfOpen()
        #expect(packets.sendPacket(byteCount: 1, at: Self.millisecond(2_000)) == nil)
    }

    @Test func `a lossless stream takes its delay, and a slow one its rate`() {
        var line = StreamLine(
            NetworkConditions(delay: .milliseconds(5), bytesPerSecond: 146_000), seed: 1)
        let pieces = line.send(byteCount: 3_000, at: Self.millisecond(0))
        #expect(pieces.map(\.byteCount) == [1_460, 1_460, 80])
        #expect(pieces.map(\.at.microseconds) == [15_000, 25_000, 25_547])
    }

    @Test func `a stalled stream goes on at its end and a half-open one never`() {
        var line = StreamLine(.none, seed: 1)
        line.stall(until: Self.millisecond(800))
        #expect(line.send(byteCount: 5, at: Self.millisecond(1)).map(\.at) == [Self.millisecond(800)])
        #expect(line.send(byteCount: 5, at: Self.millisecond(900)).map(\.at) == [Self.millisecond(900)])
        line.halfOpen()
        #expect(line.send(byteCount: 5, at: Self.millisecond(901)).isEmpty)
        #expect(line.isHalfOpen)
    }

    @Test func `a generator's durations stay within their bound and reach both ends`() {
        var random = SeededGenerator(seed: 1)
        let drawn = (0..<200).map { _ in random.duration(upTo: .nanoseconds(3)).nanoseconds }
        #expect(Set(drawn) == [0, 1, 2, 3])
        #expect(random.duration(upTo: .zero) == .zero)
        #expect((0..<100).allSatisfy { _ in !random.happens(0) && random.happens(1) })
    }
}
