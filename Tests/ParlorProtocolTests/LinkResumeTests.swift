import Testing

@testable import ParlorProtocol

/// A link that loses its connection and goes on with another: exact actions for exact inputs.
@Suite struct LinkResumeTests {
    private func frames(_ frames: Frame...) -> [UInt8] { frames.flatMap { $0.encoded() } }
    private func chunk(_ lane: Lane, _ bytes: [UInt8], last: Bool = true) -> Frame {
        .chunk(lane: lane, last: last, bytes: bytes)
    }
    private func back(_ control: UInt64, _ game: UInt64, _ bulk: UInt64, rest: [UInt8] = []) -> Link.Input {
        .attached(.between(1, 2, resumed: counts(control, game, bulk), rest: rest))
    }
    private let big = (0..<40_000).map { UInt8(truncatingIfNeeded: $0 / 3) }

    /// A link whose connection was cut at tick zero.
    private func cut() -> Link {
        var link = Link.open()
        _ = link.handle(.transportEnded("reset"), at: .zero)
        return link
    }

    // MARK: Losing a connection

    @Test func `a connection that ends without a goodbye makes the peer suspect, and the link waits`() {
        var link = Link.open()
        #expect(link.handle(.transportEnded("reset"), at: .milliseconds(10)) == [.suspect, .detached])
        #expect(link.isOpen && !link.isAttached)
        #expect(link.handle(.transportEnded("again"), at: .milliseconds(20)).isEmpty)
        #expect(link.handle(.bytes([1, 2, 3]), at: .milliseconds(20)).isEmpty)
        #expect(link.handle(.drained, at: .milliseconds(20)).isEmpty)
        #expect(link.handle(.setPace(.match), at: .milliseconds(20)).isEmpty)
    }

    @Test func `a suspect peer whose connection ends is not suspect twice`() {
        var link = Link.open()
        _ = link.handle(.setPace(.match), at: .zero)
        #expect(waited(&link, from: .zero, for: .suspect) == .seconds(1))
        #expect(link.handle(.transportEnded("reset"), at: .milliseconds(1_100)) == [.detached])
    }

    @Test func `silence loses the peer, then the connection`() {
        var link = Link.open()
        _ = link.handle(.setPace(.match), at: .zero)
        #expect(waited(&link, from: .zero, for: .suspect) == .seconds(1))
        for quarter in UInt64(5)...19 { _ = link.handle(.deadlinePassed, at: .milliseconds(quarter * 250)) }
        #expect(
            link.handle(.deadlinePassed, at: .seconds(5)) == [
                .lost, .closeTransport(flush: false), .detached, .arm(.seconds(35)),
            ])
        #expect(
            link.handle(.deadlinePassed, at: .seconds(35)) == [
                .ended(
                    LinkEnd(
                        who: .network, reason: .lost, phase: .open,
                        detail: "no bytes for 5.0 seconds, and the link was not resumed within 30.0 seconds"))
            ])
    }

    @Test func `a peer without a connection is lost by its last byte, and given up by the connection's end`()
    {
        var link = Link.open()
        _ = link.handle(.bytes(frames(.pong(token: 1, clock: 0))), at: .milliseconds(500))
        _ = link.handle(.setPace(.match), at: .milliseconds(500))
        #expect(link.handle(.transportEnded("reset"), at: .milliseconds(1_000)) == [.suspect, .detached])
        _ = link.handle(.deadlinePassed, at: .milliseconds(1_000))
        #expect(link.handle(.deadlinePassed, at: .milliseconds(5_499)) == [.arm(.milliseconds(5_500))])
        #expect(link.handle(.deadlinePassed, at: .milliseconds(5_500)) == [.lost, .arm(.seconds(31))])
        #expect(link.handle(.deadlinePassed, at: .milliseconds(30_999)) == [.arm(.seconds(31))])
        let end = link.handle(.deadlinePassed, at: .seconds(31))
        #expect(end.count == 1 && end.last?.end?.reason == .lost && end.last?.end?.who == .network)
        #expect(!link.isOpen)
        #expect(throws: LinkSendError.notOpen) { try link.send([1], on: .game, at: .seconds(31)) }
    }

    @Test func `a stall of our own is not blamed on a peer without a connection`() {
        var link = cut()
        _ = link.handle(.deadlinePassed, at: .zero)
        #expect(link.handle(.deadlinePassed, at: .seconds(60)) == [.arm(.seconds(70))])
        #expect(link.handle(.deadlinePassed, at: .seconds(70)) == [.lost, .arm(.seconds(90))])
        #expect(link.handle(.deadlinePassed, at: .milliseconds(90_501)) == [.arm(.milliseconds(120_501))])
        #expect(link.handle(.deadlinePassed, at: .milliseconds(120_501)).last?.end?.reason == .lost)
    }

    @Test func `a connection that ended while this side stood still does not lose the peer`() {
        var link = Link.open()
        #expect(link.handle(.transportEnded("reset"), at: .seconds(60)) == [.suspect, .detached])
        var prompt = Link.open()
        _ = prompt.handle(.setPace(.match), at: .zero)
        #expect(waited(&prompt, from: .zero, for: .suspect) == .seconds(1))
        for tenth in UInt64(11)...49 { _ = prompt.handle(.deadlinePassed, at: .milliseconds(tenth * 100)) }
        #expect(prompt.handle(.transportEnded("reset"), at: .milliseconds(5_001)) == [.lost, .detached])
    }

    @Test func `a close without a connection ends at once`() throws {
        var link = cut()
        _ = try link.send([1], on: .game, at: .zero)
        let end = LinkEnd(who: .local, reason: .closed, phase: .open, detail: "enough")
        #expect(link.handle(.close(.closed, detail: "enough"), at: .seconds(1)) == [.arm(nil), .ended(end)])
        #expect(link.handle(back(0, 0, 0), at: .seconds(2)).isEmpty)
    }

    @Test func `a peer that does not know the link has lost it`() {
        let end = LinkEnd(
            who: .network, reason: .lost, phase: .open, detail: "the peer does not know the link any more")
        var link = cut()
        #expect(link.handle(.forgotten, at: .seconds(1)) == [.arm(nil), .ended(end)])
        var open = Link.open()
        #expect(
            open.handle(.forgotten, at: .seconds(1)) == [
                .arm(nil), .closeTransport(flush: false), .ended(end),
            ])
    }

    // MARK: What a hello says

    @Test func `a hello names the peer's link and what has come, and is known by it`() {
        var link = cut()
        #expect(link.resume == .init(link: 2, received: counts(0, 0, 0)))
        link = Link.open()
        let input = frames(
            chunk(.bulk, Array(big[..<16_384]), last: false), chunk(.game, [1]), chunk(.game, [2]))
        _ = link.handle(.bytes(input), at: .zero)
        _ = link.handle(.transportEnded(""), at: .zero)
        #expect(link.resume == .init(link: 2, received: counts(0, 2, 1)))
        func hello(_ id: UInt32, _ resume: Hello.Resume?) -> Hello {
            Hello(software: "", name: "", games: [], linkID: id, resume: resume)
        }
        let none = counts(0, 0, 0)
        #expect(link.received(resumedBy: hello(2, .init(link: 1, received: none))) == counts(0, 2, 1))
        #expect(link.received(resumedBy: hello(2, nil)) == nil)
        #expect(link.received(resumedBy: hello(3, .init(link: 1, received: none))) == nil)
        #expect(link.received(resumedBy: hello(2, .init(link: 2, received: none))) == nil)
        _ = link.handle(.close(.closed, detail: ""), at: .zero)
        #expect(link.received(resumedBy: hello(2, .init(link: 1, received: none))) == nil)
    }

    @Test func `a hello from before an acknowledgement is outdated`() throws {
        var link = Link.open()
        _ = try link.send([1], on: .game, at: .zero)
        _ = try link.send([2], on: .game, at: .zero)
        _ = link.handle(.bytes(frames(.acknowledge(counts(0, 1, 0)))), at: .zero)
        func isOutdated(_ id: UInt32, _ received: PerLane<UInt64>) -> Bool {
            link.isOutdated(
                Hello(
                    software: "", name: "", games: [], linkID: 2, resume: .init(link: id, received: received))
            )
        }
        #expect(isOutdated(1, counts(0, 0, 0)))
        #expect(!isOutdated(1, counts(0, 1, 0)) && !isOutdated(1, counts(0, 2, 0)))
        #expect(!isOutdated(9, counts(0, 0, 0)))
        #expect(!link.isOutdated(Hello(software: "", name: "", games: [], linkID: 2)))
    }

    // MARK: Going on

    @Test func `what was queued without a connection goes out with the next, after a ping`() throws {
        var link = cut()
        #expect(try link.send([1], on: .game, at: .zero).isEmpty)
        #expect(try link.send([2], on: .control, at: .zero).isEmpty)
        #expect(
            link.handle(back(0, 0, 0), at: .milliseconds(400)) == [
                .resumed, .write(frames(.ping(token: 2))),
                .write(frames(chunk(.control, [2]), chunk(.game, [1]))),
            ])
        #expect(link.isAttached)
        #expect(link.statistics.resumes == 1)
        #expect(link.statistics.lanes[.game].sentMessages == 1)
    }

    @Test func `what the peer has not received is sent again, from the chunk after the last it has`() throws {
        var link = Link.open()
        _ = try link.send(big, on: .bulk, at: .zero)
        _ = try link.send([1], on: .game, at: .zero)
        _ = link.handle(.transportEnded("reset"), at: .zero)
        _ = try link.send([9], on: .game, at: .zero)
        let held = 3 * 64 + 40_000 + 2 * 65
        #expect(link.statistics.heldBytes == held)
        let actions = link.handle(back(0, 1, 2), at: .seconds(1))
        #expect(
            actions == [
                .resumed, .write(frames(.ping(token: 2))),
                .write(frames(chunk(.game, [9]), chunk(.bulk, Array(big[32_768...])))),
            ])
        let statistics = link.statistics
        #expect(statistics.heldBytes == held - 2 * (16_384 + 64) - 65)
        #expect(statistics.lanes[.bulk].sentMessages == 1 && statistics.lanes[.bulk].sentBytes == 40_000)
        #expect(statistics.lanes[.bulk].unacknowledgedBytes == 40_000 - 32_768)
        #expect(statistics.lanes[.bulk].queuedBytes == 0 && statistics.lanes[.game].queuedMessages == 0)
        _ = link.handle(.bytes(frames(.acknowledge(counts(0, 2, 3)))), at: .seconds(1))
        #expect(link.statistics.heldBytes == 0)
    }

    @Test func `nothing is sent again that the peer has acknowledged or received`() throws {
        var link = Link.open()
        _ = try link.send([1], on: .game, at: .zero)
        _ = try link.send([2], on: .game, at: .zero)
        _ = try link.send([3], on: .game, at: .zero)
        _ = link.handle(.bytes(frames(.acknowledge(counts(0, 1, 0)))), at: .zero)
        _ = link.handle(.transportEnded("reset"), at: .zero)
        #expect(
            link.handle(back(0, 3, 0), at: .zero) == [.resumed, .write(frames(.ping(token: 2)))])
        #expect(link.statistics.heldBytes == 0)
    }

    @Test func `the same is sent again as often as it takes`() throws {
        var link = Link.open()
        _ = try link.send(big, on: .bulk, at: .zero)
        for time in 1...5 {
            _ = link.handle(.transportEnded("reset"), at: .zero)
            let actions = link.handle(back(0, 0, 1), at: .zero)
            let rest = frames(
                chunk(.bulk, Array(big[16_384..<32_768]), last: false), chunk(.bulk, Array(big[32_768...])))
            #expect(actions.last == .write(rest), "time \(time)")
        }
        #expect(link.statistics.lanes[.bulk].sentBytes == 40_000)
        #expect(link.statistics.lanes[.bulk].sentMessages == 1)
        #expect(link.statistics.resumes == 5)
    }

    @Test func `a message that was cut between two chunks arrives whole`() {
        var link = Link.open()
        let first = frames(chunk(.bulk, Array(big[..<16_384]), last: false))
        let second = frames(chunk(.bulk, Array(big[16_384..<32_768]), last: false))
        _ = link.handle(.bytes(first + second.dropLast()), at: .zero)
        _ = link.handle(.transportEnded("reset"), at: .milliseconds(50))
        #expect(link.resume.received == counts(0, 0, 1))
        let rest = second + frames(chunk(.bulk, Array(big[32_768...])))
        #expect(
            link.handle(back(0, 0, 0, rest: rest), at: .milliseconds(60)) == [
                .resumed, .write(frames(.ping(token: 2))), .received(.bulk, big),
                .write(frames(.acknowledge(counts(0, 0, 3)))),
            ])
    }

    @Test func `an acknowledgement that was due before is not, because the greeting has said it`() {
        var link = Link.open()
        _ = link.handle(.bytes(frames(chunk(.game, [1]))), at: .zero)
        _ = link.handle(.transportEnded("reset"), at: .milliseconds(50))
        _ = link.handle(back(0, 0, 0), at: .milliseconds(60))
        #expect(link.handle(.deadlinePassed, at: .milliseconds(100)) == [.arm(.milliseconds(1_060))])
    }

    @Test func `a connection replaces one that still looks alive`() throws {
        var link = Link.open()
        _ = try link.send([UInt8](repeating: 3, count: 100_000), on: .bulk, at: .zero)
        let written = try link.send([1], on: .game, at: .zero)
        #expect(written.isEmpty, "the transport is full")
        let actions = link.handle(back(0, 0, 3), at: .seconds(1))
        let rest = [UInt8](repeating: 3, count: 100_000 - 6 * 16_384)
        let full = Frame.chunk(lane: .bulk, last: false, bytes: [UInt8](repeating: 3, count: 16_384))
        #expect(
            actions == [
                .write(frames(.ping(token: 2))),
                .write(frames(chunk(.game, [1]), full, full, full, chunk(.bulk, rest))),
            ])
        #expect(link.statistics.resumes == 1)
    }

    @Test func `a suspect peer that comes with another connection is alive`() {
        var link = Link.open()
        _ = link.handle(.setPace(.match), at: .zero)
        #expect(waited(&link, from: .zero, for: .suspect) == .seconds(1))
        #expect(link.handle(back(0, 0, 0), at: .milliseconds(1_300)).first == .alive)
    }

    @Test func `a lost peer that comes back is there as before`() throws {
        var link = Link.open()
        _ = link.handle(.setPace(.match), at: .zero)
        #expect(waited(&link, from: .zero, for: .lost) == .seconds(5))
        #expect(waited(&link, from: .seconds(5), for: .lost, until: .seconds(20)) == nil, "once")
        #expect(
            link.handle(back(0, 0, 0), at: .seconds(20)).first == .resumed)
        #expect(waited(&link, from: .seconds(20), for: .suspect) == .seconds(21))
        #expect(waited(&link, from: .seconds(21), for: .lost) == .seconds(25))
    }

    @Test func `counts that cannot be end the link`() throws {
        for wrong in [back(0, 0, 0), back(0, 3, 0), back(1, 1, 0), back(0, 1, UInt64(Int.max))] {
            var link = Link.open()
            _ = try link.send([1], on: .game, at: .zero)
            _ = try link.send([2], on: .game, at: .zero)
            _ = link.handle(.bytes(frames(.acknowledge(counts(0, 1, 0)))), at: .zero)
            _ = link.handle(.transportEnded("reset"), at: .zero)
            let actions = link.handle(wrong, at: .zero)
            #expect(actions.last?.end?.reason == .protocolViolation)
            #expect(actions.last?.end?.who == .local)
            #expect(actions.contains(.closeTransport(flush: true)))
        }
    }

    @Test func `after a resume only what was sent again can be acknowledged`() throws {
        var link = Link.open()
        for byte in UInt8(1)...3 { _ = try link.send([byte], on: .game, at: .zero) }
        _ = link.handle(.transportEnded("reset"), at: .zero)
        _ = link.handle(back(0, 2, 0), at: .zero)
        #expect(link.handle(.bytes(frames(.acknowledge(counts(0, 3, 0)))), at: .zero).isEmpty)
        #expect(link.statistics.heldBytes == 0)
        let actions = link.handle(.bytes(frames(.acknowledge(counts(0, 4, 0)))), at: .zero)
        #expect(actions.last?.end?.reason == .protocolViolation)
    }

    @Test func `garbage behind the greeting ends the link`() {
        var link = cut()
        #expect(
            link.handle(back(0, 0, 0, rest: [0, 0, 0, 0]), at: .zero).last?.end?.reason == .protocolViolation)
    }

    // MARK: Full

    @Test func `the bound holds without a connection, and nobody is stuck without one`() throws {
        var link = cut()
        let large = [UInt8](repeating: 0, count: 1_048_576)
        for _ in 1...3 { _ = try link.send(large, on: .bulk, at: .zero) }
        #expect(throws: LinkSendError.queueFull) { try link.send(large, on: .bulk, at: .zero) }
        for second in UInt64(1)...29 {
            #expect(link.handle(.deadlinePassed, at: .seconds(second)).allSatisfy { $0.end == nil })
        }
        _ = link.handle(back(0, 0, 0), at: .seconds(29))
        let pong = frames(.pong(token: 99, clock: 0))
        for second in UInt64(30)...38 {
            _ = link.handle(.bytes(pong), at: .seconds(second))
            #expect(link.handle(.deadlinePassed, at: .seconds(second)).allSatisfy { $0.end == nil })
        }
        _ = link.handle(.bytes(pong), at: .milliseconds(38_900))
        #expect(link.handle(.deadlinePassed, at: .seconds(39)).last?.end?.reason == .stuck)
    }

    /// Lets a link's deadlines pass as they come, and says when it takes an action.
    private func waited(
        _ link: inout Link, from now: Tick, for action: Link.Action, until end: Tick = .seconds(60)
    ) -> Tick? {
        var at = now
        while at <= end {
            let actions = link.handle(.deadlinePassed, at: at)
            if link.isAttached { _ = link.handle(.drained, at: at) }
            if actions.contains(action) { return at }
            guard case .arm(let next?) = actions.last else { return nil }
            at = next
        }
        return nil
    }
}
