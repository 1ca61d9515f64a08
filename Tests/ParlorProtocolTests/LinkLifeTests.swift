import Testing

@testable import ParlorProtocol

/// Liveness, statistics and closing, to the tick.
@Suite struct LinkLifeTests {
    private func frames(_ frames: Frame...) -> [UInt8] { frames.flatMap { $0.encoded() } }

    // MARK: Pings

    @Test func `an idle link pings once a second and a match seven times`() {
        var link = Link.open()
        #expect(
            link.handle(.deadlinePassed, at: .seconds(1)) == [
                .write(frames(.ping(token: 2))), .arm(.seconds(2)),
            ])
        _ = link.handle(.drained, at: .seconds(1))
        #expect(
            link.handle(.setPace(.match), at: .milliseconds(1_200)) == [
                .write(frames(.ping(token: 3))), .arm(.milliseconds(1_350)),
            ])
        #expect(
            link.handle(.deadlinePassed, at: .milliseconds(1_350)) == [
                .write(frames(.ping(token: 4))), .arm(.milliseconds(1_500)),
            ])
        #expect(link.handle(.setPace(.match), at: .milliseconds(1_360)).isEmpty)
    }

    @Test func `a ping is answered with the clock`() {
        var link = Link.open()
        #expect(
            link.handle(.bytes(frames(.ping(token: 77))), at: .milliseconds(3)) == [
                .write(frames(.pong(token: 77, clock: 3_000)))
            ])
    }

    @Test func `a pong gives a round trip and a clock sample, a made-up one nothing`() {
        var link = Link.open()
        _ = link.handle(.deadlinePassed, at: .seconds(1))
        _ = link.handle(.deadlinePassed, at: .seconds(2))
        #expect(link.handle(.bytes(frames(.pong(token: 9, clock: 5))), at: .seconds(2)).isEmpty)
        var fresh = Link.open()
        for second in UInt64(1)...3 {
            _ = fresh.handle(.deadlinePassed, at: .seconds(second))
            let back = Tick.seconds(second) + .milliseconds(Int(second * second))
            #expect(
                fresh.handle(.bytes(frames(.pong(token: second + 1, clock: 5))), at: back) == [
                    .clock(.init(sent: .seconds(second), received: back, peerMicroseconds: 5))
                ])
        }
        let trips = fresh.statistics.roundTrips
        #expect(trips?.count == 3)
        #expect(trips?.median == .milliseconds(4))
        #expect(trips?.p99 == .milliseconds(9))
        #expect(trips?.jitter == .milliseconds(4))
    }

    @Test func `statistics keep the last sixty-four round trips`() {
        var log = RoundTripLog()
        for sample in 1...100 { log.add(.milliseconds(sample)) }
        #expect(log.summary?.count == 64)
        #expect(log.summary?.median == .milliseconds(68))
        #expect(log.summary?.p99 == .milliseconds(100))
        #expect(log.summary?.jitter == .milliseconds(1))
        #expect(RoundTripLog().summary == nil)
    }

    @Test func `a full transport is given neither pings nor pongs`() throws {
        var link = Link.open()
        _ = try link.send([UInt8](repeating: 0, count: 1_000_000), on: .bulk, at: .zero)
        #expect(link.handle(.bytes(frames(.ping(token: 77))), at: .milliseconds(3)).isEmpty)
        #expect(link.handle(.deadlinePassed, at: .seconds(1)) == [.arm(.seconds(2))])
    }

    // MARK: Silence

    /// Lets a link's deadlines pass as they come until something is said about the peer.
    private func waited(_ link: inout Link, from now: Tick) -> (Link.Action, Tick)? {
        var at = now
        while at < now + .seconds(20) {
            let actions = link.handle(.deadlinePassed, at: at)
            _ = link.handle(.drained, at: at)
            if let word = actions.first(where: { $0 == .suspect || $0 == .lost || $0.end != nil }) {
                return (word, at)
            }
            guard case .arm(let next?) = actions.last else { return nil }
            at = next
        }
        return nil
    }

    @Test(arguments: [(LinkPace.match, UInt64(1), UInt64(5)), (.idle, 3, 10)])
    func `silence is suspect, then lost`(pace: LinkPace, suspect: UInt64, lost: UInt64) throws {
        var link = Link.open()
        _ = link.handle(.setPace(pace), at: .zero)
        let first = try #require(waited(&link, from: .zero))
        #expect(first == (.suspect, .seconds(suspect)))
        let second = try #require(waited(&link, from: first.1))
        #expect(second == (.lost, .seconds(lost)))
        #expect(link.isOpen && !link.isAttached)
    }

    @Test func `a suspect peer that is heard is alive, and suspect again only after new silence`() throws {
        var link = Link.open()
        _ = link.handle(.setPace(.match), at: .zero)
        _ = waited(&link, from: .zero)
        #expect(link.handle(.bytes([7]), at: .milliseconds(1_500)) == [.alive])
        #expect(link.handle(.bytes([0]), at: .milliseconds(1_501)).isEmpty)
        let next = try #require(waited(&link, from: .milliseconds(1_501)))
        #expect(next == (.suspect, .milliseconds(2_501)))
    }

    @Test func `a stall of our own is not blamed on the peer`() throws {
        var link = Link.open()
        _ = link.handle(.setPace(.match), at: .zero)
        let late = link.handle(.deadlinePassed, at: .seconds(30))
        #expect(late.allSatisfy { $0 != .suspect && $0.end == nil })
        _ = link.handle(.drained, at: .seconds(30))
        let next = try #require(waited(&link, from: .seconds(30)))
        #expect(next == (.suspect, .seconds(31)))
    }

    @Test func `a match counts silence from its start`() throws {
        var link = Link.open()
        _ = link.handle(.setPace(.match), at: .milliseconds(2_900))
        let next = try #require(waited(&link, from: .milliseconds(2_900)))
        #expect(next == (.suspect, .milliseconds(3_900)))
    }

    // MARK: Closing

    @Test func `a close says why and ends`() {
        var link = Link.open()
        let goodbye = Frame.goodbye(Goodbye(reason: .replaced, detail: "newer", phase: .open))
        let end = LinkEnd(who: .local, reason: .replaced, phase: .open, detail: "newer")
        #expect(
            link.handle(.close(.replaced, detail: "newer"), at: .zero) == [
                .write(frames(goodbye)), .arm(nil), .closeTransport(flush: true), .ended(end),
            ])
        for input in [
            Link.Input.began, .attached(.between(1, 2, resumed: counts(0, 0, 0))), .forgotten, .bytes([1]),
            .drained, .setPace(.match), .close(.closed, detail: ""),
            .transportEnded(""), .deadlinePassed,
        ] {
            #expect(link.handle(input, at: .seconds(9)).isEmpty)
        }
        #expect(throws: LinkSendError.notOpen) { try link.send([1], on: .game, at: .zero) }
    }

    @Test func `a close sends what is queued first`() throws {
        var link = Link.open()
        _ = try link.send([UInt8](repeating: 0, count: 100_000), on: .bulk, at: .zero)
        #expect(link.handle(.close(.closed, detail: ""), at: .zero).isEmpty)
        #expect(throws: LinkSendError.notOpen) { try link.send([1], on: .game, at: .zero) }
        #expect(link.handle(.bytes(frames(.ping(token: 1))), at: .zero).isEmpty)
        #expect(link.handle(.drained, at: .milliseconds(1)).isEmpty, "the bulk lane waits for the peer")
        let actions = link.handle(
            .bytes(frames(.acknowledge(counts(0, 0, 4)))), at: .milliseconds(2))
        #expect(actions.count == 5)
        #expect(actions.last?.end == LinkEnd(who: .local, reason: .closed, phase: .open, detail: ""))
    }

    @Test func `a close waits two seconds for the queue`() throws {
        var link = Link.open()
        _ = try link.send([UInt8](repeating: 0, count: 100_000), on: .bulk, at: .zero)
        _ = link.handle(.close(.closed, detail: ""), at: .seconds(1))
        #expect(link.handle(.deadlinePassed, at: .seconds(1)) == [.arm(.seconds(3))])
        #expect(
            link.handle(.deadlinePassed, at: .seconds(3)) == [
                .closeTransport(flush: false),
                .ended(LinkEnd(who: .local, reason: .closed, phase: .closing, detail: "")),
            ])
    }

    @Test func `the peer's goodbye ends the link with the peer's words`() {
        var link = Link.open()
        let goodbye = frames(.goodbye(Goodbye(reason: .closed, detail: "bye", phase: .open)))
        let chunk = frames(.chunk(lane: .control, last: true, bytes: [1]))
        #expect(
            link.handle(.bytes(chunk + goodbye + chunk + bytes("ffffffff")), at: .zero) == [
                .received(.control, [1]), .arm(nil), .closeTransport(flush: false),
                .ended(LinkEnd(who: .peer, reason: .closed, phase: .open, detail: "bye")),
            ])
    }

    @Test func `a closing link whose transport ends has ended`() throws {
        var link = Link.open()
        _ = try link.send([UInt8](repeating: 0, count: 100_000), on: .bulk, at: .zero)
        _ = link.handle(.close(.closed, detail: ""), at: .zero)
        #expect(
            link.handle(.transportEnded("connection reset"), at: .zero) == [
                .arm(nil), .ended(LinkEnd(who: .local, reason: .closed, phase: .closing, detail: "")),
            ])
    }

    @Test func `a stall of our own gives a close its time anew`() throws {
        var link = Link.open()
        _ = try link.send([UInt8](repeating: 0, count: 100_000), on: .bulk, at: .zero)
        _ = link.handle(.close(.closed, detail: ""), at: .zero)
        _ = link.handle(.deadlinePassed, at: .seconds(1))
        #expect(link.handle(.deadlinePassed, at: .milliseconds(2_501)) == [.arm(.milliseconds(4_501))])
        #expect(link.handle(.deadlinePassed, at: .milliseconds(4_501)).last?.end?.phase == .closing)
    }

    // MARK: Datagrams

    @Test func `a datagram on the stream is handed on`() {
        var link = Link.open()
        #expect(link.handle(.bytes(frames(.datagram([1, 2]))), at: .zero) == [.streamed([1, 2])])
    }

    @Test func `a datagram takes the stream at once or not at all`() throws {
        var link = Link.open()
        #expect(link.sendDatagram([3], at: .zero) == [.write(frames(.datagram([3])))])
        _ = try link.send([UInt8](repeating: 0, count: 100_000), on: .bulk, at: .zero)
        #expect(link.sendDatagram([4], at: .zero) == nil)
        _ = link.handle(.drained, at: .zero)
        _ = link.handle(.drained, at: .zero)
        #expect(link.sendDatagram([5], at: .zero) == [.write(frames(.datagram([5])))])
        #expect(link.statistics.datagramsDropped == 1)
        _ = link.handle(.transportEnded(""), at: .zero)
        #expect(link.sendDatagram([6], at: .zero) == nil)
        #expect(link.statistics.datagramsDropped == 2)
    }

    // MARK: Values

    @Test func `ticks add and subtract and stay at their ends`() {
        #expect(Tick.seconds(2) + .milliseconds(-500) == .milliseconds(1_500))
        #expect(Tick.zero + .seconds(-1) == .zero)
        #expect(Tick(nanoseconds: .max) + .seconds(1) == Tick(nanoseconds: .max))
        #expect(Tick.seconds(1) - .seconds(3) == .seconds(-2))
        #expect(Duration.seconds(Int64.max).nanoseconds == .max)
        #expect(Tick.milliseconds(1_005).description == "1.005000000 s")
    }

    @Test func `identifiers are read and written as hexadecimal`() {
        let text = String(repeating: "0aFf", count: 16)
        #expect(PeerID(hex: text)?.description == text.lowercased())
        #expect(PeerID(hex: String(text.dropLast())) == nil)
        #expect(PeerID(hex: String(text.dropLast(2))) == nil)
        #expect(RoomID(hex: "000102030405060708090a0b0c0d0e0f")?.bytes == Array(0...15))
        #expect(MatchID(hex: "zz0102030405060708090a0b0c0d0e0f") == nil)
        #expect(MatchID(bytes: [1]) == nil)
    }

    @Test(arguments: UInt64(1)...20)
    func `a queue gives back what went in, in order`(seed: UInt64) {
        var random = Seeded(seed: seed)
        var queue = Queue<Int>()
        var model: [Int] = []
        for step in 0..<1_000 {
            if random.oneIn(step < 500 ? 3 : 2) {
                #expect(queue.popFirst() == (model.isEmpty ? nil : model.removeFirst()))
            } else {
                queue.append(step)
                model.append(step)
            }
            let place = Int.random(in: 0...queue.count, using: &random)
            #expect(queue[place] == (place < model.count ? model[place] : nil))
            #expect(
                queue.count == model.count && queue.first == model.first && queue.isEmpty == model.isEmpty)
        }
    }

    @Test func `reasons are words`() {
        #expect(LinkReason(rawValue: "room-full")?.description == "room-full")
        for word in ["", "Room", "a b", "ä", String(repeating: "a", count: 33)] {
            #expect(LinkReason(rawValue: word) == nil)
        }
    }
}
