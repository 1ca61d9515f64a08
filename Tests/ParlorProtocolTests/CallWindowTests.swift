import ParlorGames
import Testing

@testable import ParlorProtocol

/// How machines gather calls of Snap: windows, bounds, clocks.
struct CallWindowTests {
    private static let snap: Value = ["do": "snap"]

    /// Machines of a match whose first card shows; the clocks of the links say this to everybody.
    private func table(seats: Int = 3, delay: Int = 30, error: Int = 10) throws -> Machines {
        var table = try Machines(seats: seats)
        for seat in table.machines.indices {
            table.machines[seat].clocks = (0..<seats).map { other in
                other == seat
                    ? nil
                    : SeatClock(
                        delay: .milliseconds(delay), offset: .zero, error: .milliseconds(error))
            }
        }
        table.begin()
        try #require(table.machines[0].accepted.phase == .playing)
        let first = table.first
        table.feed(first, .act(RequestID(rawValue: 1), ["do": "flip"]))
        table.settle()
        try #require((table.machines[0].accepted.game as? Snap)?.flips == 1)
        table.pass(milliseconds: 400)
        return table
    }

    private func words(_ table: Machines) -> [String] {
        table.machines[0].log.entries.map(\.proposal.body.word)
    }

    private func judged(_ table: Machines) -> [CallBounds]? {
        guard let entry = table.machines[0].log.entries.last, case .judge(let calls) = entry.proposal.body
        else { return nil }
        return calls
    }

    @Test func `a card shows when every seat may know of it, and 10 ms later`() throws {
        // Of two seats the lower is a quorum by itself; of three none is.
        for (seats, delay, shows) in [
            (2, 30, 40), (2, 149, 159), (2, 190, 160), (3, 30, 70), (3, 74, 158), (3, 76, 160),
        ] {
            let table = try table(seats: seats, delay: delay, error: 1)
            guard
                let entry = table.machines[0].log.entries.last(where: { $0.proposal.body.word == "open" }),
                case .open(_, _, let revealAt) = entry.proposal.body
            else {
                Issue.record("nothing was opened")
                return
            }
            #expect(revealAt - entry.time == shows, "\(seats) seats, \(delay) ms")
        }
    }

    @Test func `a call is answered at once and judged when the window closes`() throws {
        var table = try table()
        let came = table.machines[0].time(at: table.now)
        table.feed(1, .act(RequestID(rawValue: 2), Self.snap))
        table.settle()
        #expect(table.answers(2).count == 1)
        #expect(words(table).last == "move")
        table.pass(milliseconds: 39)
        #expect(words(table).last == "move")
        table.pass(milliseconds: 1)
        #expect(judged(table) == [CallBounds(arrival: came, delay: 30, error: 10)])
        #expect(table.machines[2].accepted.hash == table.machines[0].accepted.hash)
    }

    @Test func `no window is longer than 200 ms, whatever the links say`() throws {
        var table = try table(delay: 900, error: 120)
        let came = table.machines[0].time(at: table.now)
        table.feed(1, .act(RequestID(rawValue: 2), Self.snap))
        table.settle()
        table.pass(milliseconds: 199)
        #expect(words(table).last == "move")
        table.pass(milliseconds: 1)
        #expect(judged(table) == [CallBounds(arrival: came, delay: 80, error: 120)])
    }

    @Test func `while it is open nothing else is appended, and afterwards in the order it came`() throws {
        var table = try table()
        let flipper = try #require(table.machines[0].accepted.game?.turn.first)
        let caller = (flipper + 1) % 3
        table.feed(caller, .act(RequestID(rawValue: 2), Self.snap))
        table.settle()
        table.feed(flipper, .act(RequestID(rawValue: 3), ["do": "flip"]))
        table.feed((flipper + 2) % 3, .leave(RequestID(rawValue: 4)))
        table.settle()
        #expect(table.answers(3).isEmpty && table.answers(4).isEmpty)
        let count = words(table).count
        table.pass(milliseconds: 40)
        #expect(Array(words(table)[count...].prefix(3)) == ["judge", "move", "leave"])
    }

    @Test func `calls that came in time are in it, later ones are not`() throws {
        var table = try table()
        let came = table.machines[0].time(at: table.now)
        table.feed(1, .act(RequestID(rawValue: 2), Self.snap))
        table.settle()
        table.pass(milliseconds: 25)
        table.feed(2, .act(RequestID(rawValue: 3), Self.snap))
        table.settle()
        table.pass(milliseconds: 15)
        #expect(judged(table)?.map(\.arrival) == [came, came + 25])
        // There was no pair: a call of this flip that comes now opens a window of its own.
        table.feed(0, .act(RequestID(rawValue: 4), Self.snap))
        table.settle()
        #expect(words(table).last == "move")
        table.pass(milliseconds: 40)
        #expect(judged(table) == [CallBounds(arrival: came + 40, delay: 0, error: 0)])
    }

    @Test func `a call that waits for a quorum came when it came`() throws {
        var table = try table()
        let came = table.machines[0].time(at: table.now)
        // What guests say is held up, so that nothing more can be appended after the first call.
        table.feed(1, .act(RequestID(rawValue: 2), Self.snap))
        table.settle { message, _, to in
            if case .stored = message { to == 0 } else { false }
        }
        table.now = table.now + .milliseconds(10)
        table.feed(2, .act(RequestID(rawValue: 3), Self.snap))
        table.settle { message, _, to in
            if case .stored = message { to == 0 } else { false }
        }
        #expect(words(table).count { $0 == "move" } == 2)
        table.now = table.now + .milliseconds(25)
        table.settle()
        table.pass(milliseconds: 5)
        #expect(judged(table)?.map(\.arrival) == [came, came + 10])
    }

    @Test func `a call of an earlier card does not count as one that waits`() throws {
        var table = try table()
        table.feed(1, .act(RequestID(rawValue: 2), Self.snap))
        table.settle()
        let call = try #require(table.machines[0].log.entries.last)
        // As it is for a seat that takes over now, which knows of no arrival.
        table.machines[0].window = CallWindow(until: call.time + 40)
        table.now = table.now + .milliseconds(10)
        let log = table.machines[0].log
        let late = Proposal(
            match: table.machines[2].match, author: .seat(2), counter: 100,
            seenIndex: log.entries.count - 1, seenHash: log.head,
            body: .move(.list([.int(1), .int(0), .int(0)])), signer: table.machines[2].signer)
        table.feed(0, .received(.propose(late), from: 2))
        table.settle()
        #expect(words(table).suffix(2) == ["move", "move"])
        table.pass(milliseconds: 30)
        #expect(judged(table) == [CallBounds(arrival: call.time, delay: 30, error: 10)])
    }

    @Test func `a call goes to all seats`() throws {
        var table = try table()
        let actions = table.feed(1, .act(RequestID(rawValue: 2), Self.snap))
        #expect(
            actions.contains {
                if case .broadcast(.propose) = $0 { true } else { false }
            })
        let flips = table.feed(2, .act(RequestID(rawValue: 3), ["do": "flip"]))
        #expect(
            !flips.contains {
                if case .broadcast(.propose) = $0 { true } else { false }
            })
    }

    @Test func `with calls an opening without links waits as long as a window`() throws {
        var table = try Machines(seats: 2)
        table.machines[0].clocks = [
            nil, SeatClock(delay: .milliseconds(30), offset: .zero, error: .milliseconds(10)),
        ]
        table.begin()
        for flip in 1...53 {
            let seat = try #require(table.machines[0].accepted.game?.turn.first)
            table.feed(seat, .act(RequestID(rawValue: UInt64(flip)), ["do": "flip"]))
            table.settle()
            table.pass(milliseconds: 1_000)
        }
        #expect((table.machines[0].accepted.game as? Snap)?.flips == 53)
        let seat = try #require(table.machines[0].accepted.game?.turn.first)
        let shown = (table.machines[0].accepted.game as? Snap)?.revealAt ?? 0
        table.now = table.machines[0].clock.tick(at: shown + 100)
        table.feed(seat, .act(RequestID(rawValue: 99), ["do": "flip"]))
        table.settle()
        for time in [500, 539, 540] {
            table.now = table.machines[0].clock.tick(at: shown + time)
            for seat in 0..<2 { table.feed(seat, .deadlinePassed) }
            table.settle()
            #expect((table.machines[0].accepted.game as? Snap)?.flips == (time < 540 ? 53 : 54))
        }
    }

    @Test func `a card that needs no draw shows at its moment too, however long ago the last draw was`()
        throws
    {
        var table = try Machines(seats: 2)
        table.begin()
        for flip in 1...54 {
            let seat = try #require(table.machines[0].accepted.game?.turn.first)
            for machine in table.machines.indices { table.machines[machine].delay = 60 }
            table.feed(seat, .act(RequestID(rawValue: UInt64(flip)), ["do": "flip"]))
            table.settle()
            guard flip == 54 else {
                table.pass(milliseconds: 3_000)
                continue
            }
            let revealAt = (table.machines[0].accepted.game as? Snap)?.revealAt ?? 0
            for machine in table.machines {
                #expect(machine.armed == machine.clock.tick(at: revealAt), "seat \(machine.seat)")
            }
        }
    }

    // MARK: The clock

    /// A guest whose clock is a minute ahead of the host's, and whose messages from there take 80 ms.
    private func guest(told zeroOff: Int = 0) throws -> (guest: MatchMachine, host: Tick, ahead: Duration) {
        let table = try LogTable(seats: 2)
        let ahead = Duration.seconds(60)
        let start = second(100)
        // The genesis took as long as the first entry.
        let now = start + .milliseconds(80)
        var guest = MatchMachine(
            table.genesis, seat: 1, words: WordList(["apple", "garden"]), signer: table.signers[1],
            signing: .standIn, identity: table.identities[1], secret: [UInt8](repeating: 1, count: 32),
            now: now + ahead)
        guest.clocks = [
            SeatClock(delay: .milliseconds(80), offset: .zero - ahead, error: .milliseconds(3)), nil,
        ]
        var log = table
        try log.append(log.chain(0), by: .host)
        let entry = log.log.entries[0]
        _ = guest.handle(.received(.entries([entry]), from: 0), at: now + ahead)
        #expect(guest.time(at: now + ahead) == entry.time)
        let zero = Int(start.microseconds) - entry.time * 1_000 + zeroOff
        _ = guest.handle(.received(.clock(epoch: 0, zero: zero), from: 0), at: now + ahead)
        _ = guest.handle(.deadlinePassed, at: now + ahead)
        return (guest, now, ahead)
    }

    @Test func `what the sequencer says of its clock takes the delay out of the estimate`() throws {
        let (guest, now, ahead) = try guest()
        let time = guest.log.entries[0].time
        #expect(guest.time(at: now + ahead) == time + 80)
        #expect(guest.time(at: now + ahead + .milliseconds(7)) == time + 87)
    }

    @Test(arguments: [-584_000, 84_000])
    func `a clock that cannot be is not believed`(zeroOff: Int) throws {
        let (guest, now, ahead) = try guest(told: zeroOff)
        #expect(guest.time(at: now + ahead) == guest.log.entries[0].time)
    }

    @Test func `nobody but the sequencer of the epoch says where its clock stands`() throws {
        var table = try Machines(seats: 3)
        table.begin()
        let before = table.machines[2].sequencerZero?.zero
        #expect(before != nil)
        table.feed(2, .received(.clock(epoch: 0, zero: 5), from: 1))
        table.feed(2, .received(.clock(epoch: 1, zero: 5), from: 0))
        table.feed(2, .relayed(.clock(epoch: 0, zero: 5), from: 0))
        #expect(table.machines[2].sequencerZero?.zero == before)
    }
}
