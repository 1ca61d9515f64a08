import Testing

@testable import ParlorProtocol

/// Exact actions for exact inputs.
@Suite struct LinkTests {
    private func frames(_ frames: Frame...) -> [UInt8] { frames.flatMap { $0.encoded() } }

    // MARK: Beginning

    @Test func `a new link pings at once and reads what came behind the greeting`() {
        let rest = frames(.chunk(lane: .game, last: true, bytes: [1, 2]), .ping(token: 9))
        var link = Link(.between(1, 2, rest: rest), at: .milliseconds(5))
        #expect(link.isOpen && link.isAttached)
        #expect(
            link.handle(.began, at: .milliseconds(5)) == [
                .write(frames(.ping(token: 1))), .received(.game, [1, 2]),
                .write(frames(.pong(token: 9, clock: 5_000))), .arm(.milliseconds(105)),
            ])
    }

    @Test func `what is sent before the beginning goes out at once`() throws {
        var link = Link(.between(1, 2), at: .zero)
        #expect(
            try link.send([1], on: .game, at: .zero) == [
                .write(frames(.chunk(lane: .game, last: true, bytes: [1]))), .arm(.zero),
            ])
        #expect(link.handle(.began, at: .zero) == [.write(frames(.ping(token: 1)))])
        #expect(link.handle(.deadlinePassed, at: .zero) == [.arm(.seconds(1))])
    }

    // MARK: Messages

    @Test func `a message is one chunk or several of which only the last is short`() throws {
        var link = Link.open()
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
        var link = Link.open()
        let big = [UInt8](repeating: 7, count: 100_000)
        let first = try link.send(big, on: .bulk, at: .zero)
        #expect(written(first) == 4 * (16_384 + 6))
        #expect(try link.send([2], on: .game, at: .zero).isEmpty)
        #expect(try link.send([1], on: .control, at: .zero).isEmpty)
        #expect(link.statistics.lanes[.bulk].queuedBytes == 100_000 - 4 * 16_384)
        let small = frames(
            .chunk(lane: .control, last: true, bytes: [1]), .chunk(lane: .game, last: true, bytes: [2]))
        #expect(link.handle(.drained, at: .zero) == [.write(small)])
        let rest = frames(
            .chunk(lane: .bulk, last: false, bytes: Array(big[..<16_384])),
            .chunk(lane: .bulk, last: false, bytes: Array(big[..<16_384])),
            .chunk(lane: .bulk, last: true, bytes: Array(big[..<(100_000 - 6 * 16_384)])))
        #expect(
            link.handle(.bytes(frames(.acknowledge(counts(0, 0, 4)))), at: .zero) == [.write(rest)])
        #expect(link.handle(.drained, at: .zero).isEmpty)
    }

    @Test func `the bulk lane waits for the peer, and the lanes above do not`() throws {
        var link = Link.open()
        let big = [UInt8](repeating: 7, count: 200_000)
        let full = Frame.chunk(lane: .bulk, last: false, bytes: Array(big[..<16_384]))
        #expect(try link.send(big, on: .bulk, at: .zero) == [.write(frames(full, full, full, full))])
        #expect(link.handle(.drained, at: .zero).isEmpty, "four chunks are not acknowledged")
        #expect(
            try link.send([1], on: .game, at: .zero)
                == [.write(frames(.chunk(lane: .game, last: true, bytes: [1])))])
        #expect(
            link.handle(.bytes(frames(.acknowledge(counts(0, 1, 1)))), at: .zero) == [.write(frames(full))])
        #expect(
            link.handle(.bytes(frames(.acknowledge(counts(0, 1, 3)))), at: .zero)
                == [.write(frames(full, full))])
    }

    @Test func `messages that are taken together are written together`() throws {
        var link = Link.open()
        try link.enqueue([1], on: .game, at: .zero)
        try link.enqueue([2], on: .control, at: .zero)
        #expect(link.statistics.lanes[.game].queuedMessages == 1)
        #expect(
            link.handle(.flush, at: .zero) == [
                .write(
                    frames(
                        .chunk(lane: .control, last: true, bytes: [2]),
                        .chunk(lane: .game, last: true, bytes: [1])))
            ])
        #expect(link.handle(.flush, at: .zero).isEmpty)
        #expect(throws: LinkSendError.messageTooLarge) {
            try link.enqueue([UInt8](repeating: 0, count: 1_048_577), on: .bulk, at: .zero)
        }
        #expect(link.handle(.flush, at: .zero).isEmpty)
    }

    @Test func `messages arrive whole and are acknowledged within a tenth of a second`() {
        var link = Link.open()
        let input = frames(
            .chunk(lane: .game, last: true, bytes: [1]), .chunk(lane: .bulk, last: true, bytes: [6]))
        #expect(
            link.handle(.bytes(input), at: .milliseconds(10)) == [
                .received(.game, [1]), .received(.bulk, [6]), .arm(.milliseconds(110)),
            ])
        #expect(
            link.handle(.deadlinePassed, at: .milliseconds(110)) == [
                .write(frames(.acknowledge(counts(0, 1, 1)))), .arm(.seconds(1)),
            ])
    }

    @Test func `sixteen kibibytes are acknowledged at once, chunks of other messages between them`() {
        var link = Link.open()
        let part = [UInt8](repeating: 5, count: 16_384)
        let input = frames(
            .chunk(lane: .bulk, last: false, bytes: part), .chunk(lane: .game, last: true, bytes: [1]),
            .chunk(lane: .bulk, last: true, bytes: [6]))
        #expect(
            link.handle(.bytes(input), at: .milliseconds(10)) == [
                .received(.game, [1]), .received(.bulk, part + [6]),
                .write(frames(.acknowledge(counts(0, 1, 2)))),
            ])
        let small = frames(.chunk(lane: .game, last: true, bytes: [UInt8](repeating: 1, count: 5_000)))
        for _ in 1...3 { #expect(written(link.handle(.bytes(small), at: .milliseconds(11))) == 0) }
        #expect(
            link.handle(.bytes(small), at: .milliseconds(11)).last
                == .write(frames(.acknowledge(counts(0, 5, 2)))))
    }

    @Test func `an acknowledgement waits for the transport without a deadline in the past`() throws {
        var link = Link.open()
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
        var link = Link.open()
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
            var link = Link.open()
            _ = try link.send([1], on: .game, at: .zero)
            #expect(link.handle(.bytes(frames(.acknowledge(counts(0, 1, 0)))), at: .zero).isEmpty)
            let actions = link.handle(.bytes(frames(.acknowledge(count))), at: .zero)
            #expect(actions.last?.end?.reason == .protocolViolation)
        }
        var link = Link.open()
        _ = try link.send([1], on: .game, at: .zero)
        _ = link.handle(.bytes(frames(.acknowledge(counts(0, 1, 0)))), at: .zero)
        let actions = link.handle(.bytes(frames(.acknowledge(counts(0, 0, 0)))), at: .zero)
        #expect(actions.last?.end?.reason == .protocolViolation)
    }

    @Test func `a message of more than a mebibyte is a violation`() {
        var link = Link.open()
        let chunk = frames(.chunk(lane: .bulk, last: false, bytes: [UInt8](repeating: 1, count: 16_384)))
        for _ in 1...64 { #expect(link.handle(.bytes(chunk), at: .zero).allSatisfy { $0.end == nil }) }
        let actions = link.handle(.bytes(chunk), at: .zero)
        #expect(actions.last?.end?.reason == .protocolViolation)
    }

    @Test func `an empty chunk ends no message that has begun`() {
        var link = Link.open()
        let chunk = Frame.chunk(lane: .bulk, last: false, bytes: [UInt8](repeating: 1, count: 16_384))
        let empty = Frame.chunk(lane: .bulk, last: true, bytes: [])
        #expect(link.handle(.bytes(frames(empty)), at: .zero).first == .received(.bulk, []))
        let actions = link.handle(.bytes(frames(chunk, empty)), at: .zero)
        #expect(actions.last?.end?.detail == "an empty chunk after others")
    }

    @Test func `a peer that acknowledges nothing for ten seconds while the link is full is left`() throws {
        var link = Link.open()
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

extension Greeted {
    /// What two hellos without much in them lead to.
    static func between(
        _ own: UInt32, _ peer: UInt32, resumed: PerLane<UInt64>? = nil, rest: [UInt8] = []
    ) -> Greeted {
        let hello = { Hello(software: "1", name: "", games: [], linkID: $0) }
        return Greeted(
            role: .dialler, own: hello(own), peer: hello(peer), chosen: 1, resumed: resumed, rest: rest)
    }
}

extension Link {
    /// A link that has begun at tick zero, with its first ping gone.
    static func open() -> Link {
        var link = Link(.between(1, 2), at: .zero)
        _ = link.handle(.began, at: .zero)
        _ = link.handle(.drained, at: .zero)
        return link
    }
}

extension Link.Action {
    /// How the link ended, if this says so.
    var end: LinkEnd? {
        guard case .ended(let end) = self else { return nil }
        return end
    }
}
