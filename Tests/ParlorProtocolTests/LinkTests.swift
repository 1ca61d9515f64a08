import Testing

@testable import ParlorProtocol

/// Exact actions for exact inputs.
@Suite struct LinkTests {
    let ann = Hello(software: "1.0", name: "Ann", games: [.init(id: "snap", rules: 1)], linkID: 1)
    let bob = Hello(software: "1.1", name: "Bob", games: [], linkID: 2)

    private func frames(_ frames: Frame...) -> [UInt8] { frames.flatMap { $0.encoded() } }

    /// A link that is set up and has told the driver so, at tick zero.
    private func openLink(_ role: Link.Role = .dialler) -> Link {
        var link = Link(role: role, hello: ann)
        _ = link.handle(.opened, at: .zero)
        let greeting =
            role == .dialler ? frames(.welcome(Welcome(hello: bob, chosen: 1))) : frames(.hello(bob))
        _ = link.handle(.bytes(greeting), at: .zero)
        _ = link.handle(.drained, at: .zero)
        return link
    }

    // MARK: Greeting

    @Test func `a dialler says hello and is set up by a welcome`() {
        var link = Link(role: .dialler, hello: ann)
        #expect(link.handle(.opened, at: .zero) == [.write(frames(.hello(ann))), .arm(.seconds(3))])
        #expect(
            link.handle(.bytes(frames(.welcome(Welcome(hello: bob, chosen: 1)))), at: .milliseconds(5)) == [
                .established(.init(hello: bob, chosen: 1)), .arm(.milliseconds(1_005)),
            ])
        #expect(link.isOpen)
    }

    @Test func `a listener answers a hello with a welcome`() {
        var link = Link(role: .listener, hello: bob)
        #expect(link.handle(.opened, at: .zero) == [.arm(.seconds(3))])
        #expect(
            link.handle(.bytes(frames(.hello(ann))), at: .zero) == [
                .write(frames(.welcome(Welcome(hello: bob, chosen: 1)))),
                .established(.init(hello: ann, chosen: 1)),
                .arm(.seconds(1)),
            ])
    }

    @Test func `the newest common version is chosen`() {
        let older = Hello(protocols: 1...4, software: "1", name: "", games: [], linkID: 3)
        let newer = Hello(protocols: 3...9, software: "2", name: "", games: [], linkID: 4)
        #expect(older.newestCommon(with: newer) == 4)
        #expect(newer.newestCommon(with: older) == 4)
        #expect(ann.newestCommon(with: newer) == nil)
    }

    @Test func `without a common version both sides learn which is older`() {
        let newer = Hello(protocols: 3...9, software: "2.0", name: "", games: [], linkID: 4)
        var link = Link(role: .listener, hello: newer)
        _ = link.handle(.opened, at: .zero)
        let detail = "the peer is older: it has 1.0, this is 2.0"
        let refusal = LinkRefusal(reason: .noCommonVersion, detail: detail, protocols: 3...9, software: "2.0")
        #expect(
            link.handle(.bytes(frames(.hello(ann))), at: .zero) == [
                .write(frames(.refuse(refusal))), .arm(nil), .closeTransport(flush: true),
                .ended(LinkEnd(who: .local, reason: .noCommonVersion, phase: .greeting, detail: detail)),
            ])
        var dialler = Link(role: .dialler, hello: ann)
        _ = dialler.handle(.opened, at: .zero)
        #expect(
            dialler.handle(.bytes(frames(.refuse(refusal))), at: .zero) == [
                .arm(nil), .closeTransport(flush: false),
                .ended(
                    LinkEnd(
                        who: .peer, reason: .noCommonVersion, phase: .greeting,
                        detail: detail + "; this is older: it has 1.0, the peer 2.0")),
            ])
    }

    @Test func `a welcome to a version that was not offered is a violation`() {
        var link = Link(role: .dialler, hello: ann)
        _ = link.handle(.opened, at: .zero)
        let actions = link.handle(.bytes(frames(.welcome(Welcome(hello: bob, chosen: 2)))), at: .zero)
        #expect(actions.last?.end?.reason == .protocolViolation)
    }

    @Test(arguments: [Link.Role.dialler, .listener])
    func `anything but a greeting first is a violation`(role: Link.Role) {
        let own: Frame = role == .dialler ? .hello(bob) : .welcome(Welcome(hello: bob, chosen: 1))
        for frame in [own, .ping(token: 1), .chunk(lane: .game, last: true, bytes: [1]), .datagram([])] {
            var link = Link(role: role, hello: ann)
            _ = link.handle(.opened, at: .zero)
            let actions = link.handle(.bytes(frame.encoded()), at: .zero)
            #expect(actions.last?.end?.reason == .protocolViolation)
            #expect(actions.contains(.closeTransport(flush: true)))
            #expect(link.handle(.bytes(frame.encoded()), at: .zero).isEmpty)
        }
    }

    @Test(arguments: [Link.Role.dialler, .listener])
    func `a greeting that does not come in three seconds ends the link`(role: Link.Role) {
        var link = Link(role: role, hello: ann)
        _ = link.handle(.opened, at: .zero)
        #expect(link.handle(.deadlinePassed, at: .milliseconds(2_999)) == [.arm(.seconds(3))])
        let actions = link.handle(.deadlinePassed, at: .seconds(3))
        #expect(actions.last?.end?.reason == .greetingTimeout)
        #expect(actions.last?.end?.phase == .greeting)
        #expect(actions.dropLast().last == .closeTransport(flush: true))
    }

    @Test func `a stall of our own gives the greeting its time anew`() {
        var link = Link(role: .listener, hello: ann)
        _ = link.handle(.opened, at: .zero)
        #expect(link.handle(.deadlinePassed, at: .milliseconds(3_501)) == [.arm(.milliseconds(6_501))])
        #expect(link.handle(.bytes(frames(.hello(bob))), at: .milliseconds(3_502)).count == 3)
    }

    @Test func `a listener that closes before the greeting refuses`() {
        var link = Link(role: .listener, hello: bob)
        _ = link.handle(.opened, at: .zero)
        let refusal = LinkRefusal(reason: .busy, detail: "", protocols: 1...1, software: "1.1")
        #expect(
            link.handle(.close(.busy, detail: ""), at: .zero) == [
                .write(frames(.refuse(refusal))), .arm(nil), .closeTransport(flush: true),
                .ended(LinkEnd(who: .local, reason: .busy, phase: .greeting, detail: "")),
            ])
    }

    @Test func `garbage and too large a greeting end the link`() {
        for garbage in [bytes("474554202f20"), bytes("01002000"), bytes("0100000100")] {
            var link = Link(role: .listener, hello: ann)
            _ = link.handle(.opened, at: .zero)
            let actions = link.handle(.bytes(garbage), at: .zero)
            #expect(actions.last?.end?.reason == .protocolViolation)
            #expect(actions.last?.end?.who == .local)
        }
    }

    // MARK: Messages

    @Test func `a message is one chunk or several of which only the last is short`() throws {
        var link = openLink()
        #expect(
            try link.send([1, 2], on: .game, at: .zero) == [
                .write(frames(.chunk(lane: .game, last: true, bytes: [1, 2])))
            ])
        let big = [UInt8](repeating: 7, count: 20_000)
        #expect(
            try link.send(big, on: .bulk, at: .zero) == [
                .write(
                    frames(
                        .chunk(lane: .bulk, last: false, bytes: Array(big[..<16_384])),
                        .chunk(lane: .bulk, last: true, bytes: Array(big[16_384...]))))
            ])
        #expect(
            try link.send([], on: .control, at: .zero) == [
                .write(frames(.chunk(lane: .control, last: true, bytes: [])))
            ])
        #expect(link.statistics.lanes[.bulk].sentBytes == 20_000)
    }

    @Test func `what waits for the transport goes out by lane, and a big message steps aside`() throws {
        var link = openLink()
        let big = [UInt8](repeating: 7, count: 100_000)
        let first = try link.send(big, on: .bulk, at: .zero)
        #expect(written(first) == 4 * (16_384 + 6))
        #expect(try link.send([2], on: .game, at: .zero).isEmpty)
        #expect(try link.send([1], on: .control, at: .zero).isEmpty)
        #expect(link.statistics.lanes[.bulk].queuedBytes == 100_000 - 4 * 16_384)
        let rest = frames(
            .chunk(lane: .control, last: true, bytes: [1]), .chunk(lane: .game, last: true, bytes: [2]),
            .chunk(lane: .bulk, last: false, bytes: Array(big[..<16_384])),
            .chunk(lane: .bulk, last: false, bytes: Array(big[..<16_384])),
            .chunk(lane: .bulk, last: true, bytes: Array(big[..<(100_000 - 6 * 16_384)])))
        #expect(link.handle(.drained, at: .zero) == [.write(rest)])
        #expect(link.handle(.drained, at: .zero).isEmpty)
    }

    @Test func `messages arrive whole and are acknowledged within a tenth of a second`() {
        var link = openLink()
        let part = [UInt8](repeating: 5, count: 16_384)
        let input = frames(
            .chunk(lane: .bulk, last: false, bytes: part), .chunk(lane: .game, last: true, bytes: [1]),
            .chunk(lane: .bulk, last: true, bytes: [6]))
        #expect(
            link.handle(.bytes(input), at: .milliseconds(10)) == [
                .received(.game, [1]), .received(.bulk, part + [6]), .arm(.milliseconds(110)),
            ])
        #expect(
            link.handle(.deadlinePassed, at: .milliseconds(110)) == [
                .write(frames(.acknowledge(counts(0, 1, 2)))), .arm(.seconds(1)),
            ])
    }

    @Test func `sixty-four kibibytes are acknowledged at once`() {
        var link = openLink()
        let message = frames(.chunk(lane: .game, last: true, bytes: [UInt8](repeating: 1, count: 16_384)))
        for _ in 1...3 { #expect(written(link.handle(.bytes(message), at: .milliseconds(1))) == 0) }
        #expect(
            link.handle(.bytes(message), at: .milliseconds(1)).last
                == .write(frames(.acknowledge(counts(0, 4, 0)))))
    }

    @Test func `an acknowledgement waits for the transport without a deadline in the past`() throws {
        var link = openLink()
        _ = try link.send([UInt8](repeating: 0, count: 1_000_000), on: .bulk, at: .zero)
        _ = link.handle(.bytes(frames(.chunk(lane: .game, last: true, bytes: [1]))), at: .zero)
        #expect(link.handle(.deadlinePassed, at: .milliseconds(100)) == [.arm(.seconds(1))])
        let actions = link.handle(.drained, at: .milliseconds(200))
        guard case .write(let bytes) = actions.first else {
            Issue.record("nothing written")
            return
        }
        #expect(bytes.starts(with: frames(.acknowledge(counts(0, 1, 0)))))
    }

    @Test func `over the limit is an error and changes nothing`() throws {
        var link = Link(role: .dialler, hello: ann)
        #expect(throws: LinkSendError.notOpen) { try link.send([1], on: .game, at: .zero) }
        link = openLink()
        let tooLarge = [UInt8](repeating: 0, count: 1_048_577)
        #expect(throws: LinkSendError.messageTooLarge) { try link.send(tooLarge, on: .bulk, at: .zero) }
        for _ in 1...3 { _ = try link.send(Array(tooLarge.dropFirst()), on: .bulk, at: .zero) }
        #expect(throws: LinkSendError.queueFull) {
            try link.send(Array(tooLarge.dropFirst()), on: .game, at: .zero)
        }
        #expect(throws: LinkSendError.queueFull) { try link.check(messageBytes: 1_048_576) }
        try link.check(messageBytes: 100)
        #expect(link.statistics.heldBytes == 3 * (1_048_576 + 64 * 64))
        for _ in 1...60 { _ = link.handle(.drained, at: .zero) }
        _ = link.handle(.bytes(frames(.acknowledge(counts(0, 0, 100)))), at: .zero)
        #expect(link.statistics.heldBytes == 3 * (1_048_576 + 64 * 64) - 100 * (16_384 + 64))
        _ = try link.send(Array(tooLarge.dropFirst()), on: .game, at: .zero)
    }

    @Test func `an acknowledgement of what was never sent is a violation`() throws {
        for count in [counts(0, 2, 0), counts(0, 0, 1), counts(.max, 1, 0)] {
            var link = openLink()
            _ = try link.send([1], on: .game, at: .zero)
            #expect(link.handle(.bytes(frames(.acknowledge(counts(0, 1, 0)))), at: .zero).isEmpty)
            let actions = link.handle(.bytes(frames(.acknowledge(count))), at: .zero)
            #expect(actions.last?.end?.reason == .protocolViolation)
        }
        var link = openLink()
        _ = try link.send([1], on: .game, at: .zero)
        _ = link.handle(.bytes(frames(.acknowledge(counts(0, 1, 0)))), at: .zero)
        let actions = link.handle(.bytes(frames(.acknowledge(counts(0, 0, 0)))), at: .zero)
        #expect(actions.last?.end?.reason == .protocolViolation)
    }

    @Test func `a message of more than a mebibyte is a violation`() {
        var link = openLink()
        let chunk = frames(.chunk(lane: .bulk, last: false, bytes: [UInt8](repeating: 1, count: 16_384)))
        for _ in 1...64 { #expect(link.handle(.bytes(chunk), at: .zero).allSatisfy { $0.end == nil }) }
        let actions = link.handle(.bytes(chunk), at: .zero)
        #expect(actions.last?.end?.reason == .protocolViolation)
    }

    @Test func `an empty chunk ends no message that has begun`() {
        var link = openLink()
        let chunk = Frame.chunk(lane: .bulk, last: false, bytes: [UInt8](repeating: 1, count: 16_384))
        let empty = Frame.chunk(lane: .bulk, last: true, bytes: [])
        #expect(link.handle(.bytes(frames(empty)), at: .zero).first == .received(.bulk, []))
        let actions = link.handle(.bytes(frames(chunk, empty)), at: .zero)
        #expect(actions.last?.end?.detail == "an empty chunk after others")
    }

    @Test func `a peer that acknowledges nothing for ten seconds while the link is full is left`() throws {
        var link = openLink()
        let large = [UInt8](repeating: 0, count: 1_048_576)
        for _ in 1...3 { _ = try link.send(large, on: .bulk, at: .zero) }
        let pong = frames(.pong(token: 99, clock: 0))
        for second in UInt64(1)...9 {
            _ = link.handle(.bytes(pong), at: .seconds(second))
            #expect(link.handle(.deadlinePassed, at: .seconds(second)).allSatisfy { $0.end == nil })
        }
        _ = link.handle(.bytes(pong), at: .milliseconds(9_900))
        #expect(link.handle(.deadlinePassed, at: .seconds(10)).last?.end?.reason == .stuck)
    }

    private func written(_ actions: [Link.Action]) -> Int {
        actions.reduce(0) { sum, action in
            guard case .write(let bytes) = action else { return sum }
            return sum + bytes.count
        }
    }
}

extension Tick {
    static let zero = Tick(nanoseconds: 0)
    static func seconds(_ seconds: UInt64) -> Tick { Tick(nanoseconds: seconds * 1_000_000_000) }
    static func milliseconds(_ milliseconds: UInt64) -> Tick { Tick(nanoseconds: milliseconds * 1_000_000) }
}

extension Link.Action {
    /// How the link ended, if this says so.
    var end: LinkEnd? {
        guard case .ended(let end) = self else { return nil }
        return end
    }
}
