import ParlorControl
import ParlorProtocol
import Testing

@testable import ParlorDaemon

/// What `fault.set` asks for, and what becomes of bytes and datagrams then.
struct FaultTests {
    private static func peer(_ number: UInt8) throws -> PeerID {
        try #require(PeerID(bytes: [UInt8](repeating: number, count: 32)))
    }

    private func second(_ count: Int) -> Tick { Tick(nanoseconds: 0) + .seconds(count) }

    @Test func `what is asked for is read with its units`() throws {
        let fault = try FaultBook.Fault(
            FaultParams(
                direction: .in, loss: 0.25, delayMs: 200, jitterMs: 0.5, duplicate: 1, reorder: 0.1,
                rate: 1_000, stallMs: 800, cutMs: 10_000, halfOpenMs: 8_000, seed: -1))
        let conditions = NetworkConditions(
            delay: .milliseconds(200), jitter: .microseconds(500), loss: 0.25, duplicate: 1, reorder: 0.1,
            bytesPerSecond: 1_000)
        let expected = FaultBook.Fault(
            conditions: conditions, directions: [.into], stall: .milliseconds(800), cut: .seconds(10),
            halfOpen: .seconds(8), seed: .max)
        #expect(fault == expected)
        #expect(try FaultBook.Fault(FaultParams()) == FaultBook.Fault())
        #expect(try FaultBook.Fault(FaultParams(direction: .out)).directions == [.out])
    }

    @Test(arguments: [
        (FaultParams(loss: 1.5), "'loss' takes a part from 0 to 1"),
        (FaultParams(reorder: -0.1), "'reorder' takes a part from 0 to 1"),
        (FaultParams(delayMs: -1), "'delay_ms' takes milliseconds from 0 to 600000"),
        (FaultParams(cutMs: 600_001), "'cut_ms' takes milliseconds from 0 to 600000"),
        (FaultParams(halfOpenMs: .max), "'half_open_ms' takes milliseconds from 0 to 600000"),
        (FaultParams(rate: -1), "'rate' takes bytes a second"),
    ])
    func `what cannot be is refused with what can`(params: FaultParams, part: String) {
        let error = #expect(throws: RPCError.self) { try FaultBook.Fault(params) }
        #expect(error?.reason == .badParams)
        #expect(error?.message.contains(part) ?? false, "\(error?.message ?? "none")")
    }

    // MARK: Datagrams

    @Test func `without faults datagrams pass at once`() throws {
        let book = FaultBook()
        let passed = book.outgoing(try Self.peer(1), [1], at: second(1))
        #expect(passed.map(\.delay) == [.zero])
        #expect(passed.map(\.datagram) == [[1]])
        #expect(!book.isCut(try Self.peer(1), at: second(1)))
        #expect(book.line(try Self.peer(1), .out) == nil)
    }

    @Test func `a fault acts on its peer and direction, and the next one replaces it`() throws {
        let book = FaultBook()
        let (one, other) = (try Self.peer(1), try Self.peer(2))
        var fault = FaultBook.Fault()
        fault.conditions.delay = .milliseconds(200)
        fault.directions = [.out]
        book.set(fault, for: one, at: second(1))
        #expect(book.outgoing(one, [1], at: second(2)).map(\.delay) == [.milliseconds(200)])
        #expect(book.incoming(one, [1], at: second(2)).map(\.delay) == [.zero])
        #expect(book.outgoing(other, [1], at: second(2)).map(\.delay) == [.zero])
        fault.conditions.delay = .milliseconds(50)
        book.set(fault, for: nil, at: second(3))
        #expect(book.outgoing(one, [1], at: second(4)).map(\.delay) == [.milliseconds(50)])
        #expect(book.outgoing(other, [1], at: second(4)).map(\.delay) == [.milliseconds(50)])
        book.set(FaultBook.Fault(), for: one, at: second(5))
        #expect(book.outgoing(one, [1], at: second(6)).map(\.delay) == [.zero])
        #expect(book.outgoing(other, [1], at: second(6)).map(\.delay) == [.milliseconds(50)])
        book.set(FaultBook.Fault(seed: 4), for: nil, at: second(7))
        #expect(book.outgoing(other, [1], at: second(8)).map(\.delay) == [.zero])
    }

    @Test func `a seed says which datagrams are lost`() throws {
        var fault = FaultBook.Fault()
        fault.conditions.loss = 0.5
        let runs = try [3, 3, 4].map { (seed: UInt64) in
            let book = FaultBook()
            fault.seed = seed
            book.set(fault, for: nil, at: second(0))
            return try (0..<100).map { book.outgoing(try Self.peer(1), [], at: second($0)).count }
        }
        #expect(runs[0] == runs[1])
        #expect(runs[0] != runs[2])
        #expect((30...70).contains(runs[0].reduce(0, +)))
    }

    @Test func `a stall holds, a cut and a half-open time drop, each until its end`() throws {
        let peer = try Self.peer(1)
        let book = FaultBook()
        book.set(FaultBook.Fault(directions: [.into], stall: .seconds(2)), for: peer, at: second(10))
        #expect(book.incoming(peer, [1], at: second(11)).map(\.delay) == [.seconds(1)])
        #expect(book.incoming(peer, [1], at: second(13)).map(\.delay) == [.zero])
        #expect(book.outgoing(peer, [1], at: second(11)).map(\.delay) == [.zero])
        book.set(FaultBook.Fault(directions: [.into], halfOpen: .seconds(2)), for: peer, at: second(20))
        #expect(book.incoming(peer, [1], at: second(21)).isEmpty)
        #expect(book.incoming(peer, [1], at: second(22)).count == 1)
        #expect(book.outgoing(peer, [1], at: second(21)).count == 1)
        book.set(FaultBook.Fault(directions: [.into], cut: .seconds(2)), for: peer, at: second(30))
        #expect(book.outgoing(peer, [1], at: second(31)).isEmpty)
        #expect(book.isCut(peer, at: second(31)))
        #expect(!book.isCut(try Self.peer(2), at: second(31)))
        #expect(!book.isCut(peer, at: second(32)))
        #expect(book.outgoing(peer, [1], at: second(32)).count == 1)
    }

    // MARK: Streams

    /// A connection under faults, with a clock by hand.
    private final class Wire {
        let book: FaultBook
        let peer: PeerID
        var now = Tick(nanoseconds: 0)
        var out: [HeldStream.Part] = []
        var into: [HeldStream.Part] = []
        var armed: Tick?
        var cuts = 0
        private(set) var stream: FaultStream?

        init(_ book: FaultBook, _ peer: PeerID) {
            self.book = book
            self.peer = peer
            stream = FaultStream(
                book, peer: peer, clock: { [unowned self] in now },
                handlers: FaultStream.Handlers(
                    out: { [unowned self] in out.append($0) }, into: { [unowned self] in into.append($0) },
                    cut: { [unowned self] in cuts += 1 }, arm: { [unowned self] in armed = $0 },
                    closed: { [unowned self] in armed = nil }))
        }

        func set(_ fault: FaultBook.Fault, ofAll: Bool = false) {
            book.set(fault, for: ofAll ? nil : peer, at: now)
        }

        func pass(to tick: Tick) {
            while let armed, armed <= tick {
                now = armed
                stream?.timePassed()
            }
            now = tick
        }
    }

    private func wire() throws -> Wire { Wire(FaultBook(), try Self.peer(1)) }

    @Test func `without faults bytes pass at once`() throws {
        let wire = try wire()
        wire.stream?.send(.bytes([1]))
        wire.stream?.receive(.bytes([2]))
        wire.stream?.receive(.end)
        #expect(wire.out == [.bytes([1])])
        #expect(wire.into == [.bytes([2]), .end])
        #expect(wire.armed == nil)
    }

    @Test func `delayed bytes and the end behind them arrive in order`() throws {
        let wire = try wire()
        var fault = FaultBook.Fault()
        fault.conditions.delay = .seconds(1)
        wire.set(fault)
        wire.stream?.send(.bytes([1]))
        wire.stream?.send(.bytes([2]))
        wire.stream?.send(.end)
        #expect(wire.stream?.isHoldingBack == true)
        wire.pass(to: second(1) + .nanoseconds(-1))
        #expect(wire.out.isEmpty)
        wire.pass(to: second(1))
        #expect(wire.out == [.bytes([1]), .bytes([2]), .end])
        #expect(wire.stream?.isHoldingBack == false)
        #expect(wire.armed == nil)
    }

    @Test func `a connection is closed behind what it holds, or without it after a while`() throws {
        let wire = try wire()
        wire.set(FaultBook.Fault(stall: .seconds(1)))
        wire.stream?.send(.bytes([1]))
        wire.stream?.finish(within: .seconds(2))
        wire.pass(to: second(9))
        #expect(wire.out == [.bytes([1]), .end])
        let other = try self.wire()
        other.set(FaultBook.Fault(stall: .seconds(100)))
        other.stream?.send(.bytes([1]))
        other.stream?.finish(within: .seconds(2))
        other.pass(to: second(2) + .nanoseconds(-1))
        #expect(other.out.isEmpty)
        other.pass(to: second(9))
        #expect(other.out == [.end])
        #expect(other.armed == nil)
    }

    @Test(arguments: [true, false])
    func `faults that are taken back let go of what they hold, before what comes next`(ofAll: Bool) throws {
        let wire = try wire()
        wire.set(FaultBook.Fault(stall: .seconds(100)), ofAll: ofAll)
        wire.stream?.receive(.bytes([1]))
        wire.pass(to: second(5))
        #expect(wire.into.isEmpty)
        wire.set(FaultBook.Fault(), ofAll: ofAll)
        #expect(wire.into == [.bytes([1])])
        wire.stream?.receive(.bytes([2]))
        #expect(wire.into == [.bytes([1]), .bytes([2])])
    }

    @Test func `a stall ends by itself, and a new connection suffers its rest`() throws {
        let first = try wire()
        first.set(FaultBook.Fault(directions: [.out], stall: .seconds(4)))
        first.stream?.send(.bytes([1]))
        first.stream?.receive(.bytes([2]))
        #expect(first.into == [.bytes([2])])
        let second = Wire(first.book, first.peer)
        second.now = self.second(1)
        second.stream?.send(.bytes([3]))
        for wire in [first, second] {
            wire.pass(to: self.second(4) + .nanoseconds(-1))
            #expect(wire.out.isEmpty)
            wire.pass(to: self.second(4))
        }
        #expect(first.out == [.bytes([1])])
        #expect(second.out == [.bytes([3])])
    }

    @Test func `a connection that swallowed bytes stays dead and a new one lives`() throws {
        let old = try wire()
        old.set(FaultBook.Fault(directions: [.out], halfOpen: .seconds(8)))
        old.stream?.send(.bytes([1]))
        old.pass(to: second(9))
        old.stream?.send(.bytes([2]))
        old.set(FaultBook.Fault())
        old.stream?.send(.bytes([3]))
        old.stream?.receive(.bytes([4]))
        old.stream?.send(.end)
        #expect(old.out == [.end])
        #expect(old.into == [.bytes([4])])
        let new = Wire(old.book, old.peer)
        new.now = second(9)
        new.stream?.send(.bytes([5]))
        #expect(new.out == [.bytes([5])])
    }

    @Test func `an idle connection outlives a half-open time`() throws {
        let wire = try wire()
        wire.set(FaultBook.Fault(halfOpen: .seconds(8)))
        wire.pass(to: second(8))
        wire.stream?.send(.bytes([1]))
        #expect(wire.out == [.bytes([1])])
    }

    @Test func `a cut resets the connection once and nothing more comes of it`() throws {
        let wire = try wire()
        var fault = FaultBook.Fault()
        fault.conditions.delay = .seconds(1)
        wire.set(fault)
        wire.stream?.receive(.bytes([1]))
        wire.set(FaultBook.Fault(cut: .seconds(10)))
        #expect(wire.cuts == 1)
        #expect(wire.armed == nil)
        wire.set(FaultBook.Fault(cut: .seconds(20)))
        wire.stream?.receive(.bytes([2]))
        wire.stream?.send(.bytes([3]))
        #expect(wire.cuts == 1)
        #expect(wire.into.isEmpty && wire.out.isEmpty)
    }
}
