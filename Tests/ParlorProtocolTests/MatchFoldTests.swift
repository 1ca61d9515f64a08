import ParlorGames
import Testing

@testable import ParlorProtocol

/// Who may say what in a log, and when.
///
/// ``LogTable/fault(_:by:)`` also checks that a refused entry changes nothing.
struct MatchFoldTests {
    private let hash = [UInt8](repeating: 5, count: 32)

    private func playing(seats: Int = 3, options: [Value.Member] = []) throws -> LogTable {
        var table = try LogTable(seats: seats, options: options)
        try table.chains()
        try table.drawOut()
        return table
    }

    // MARK: Who says what

    @Test func `what is the sequencer's to say, no seat says, and the other way round`() throws {
        for var table in [try LogTable(seats: 3), try playing()] {
            let sequencers: [EntryBody] = [
                .draw(draw: 1, seats: [0, 1, 2], links: [hash]), .open(draw: 0, links: [], revealAt: 0),
                .expire,
                .away(seat: 1), .back(seat: 1), .left(seat: 1, reason: .kicked), .withheld(draw: 1, seat: 1),
                .end(outcomes: [], alone: false, stateHash: table.state.hash),
            ]
            for body in sequencers {
                for author in [Author.host, .guest] {
                    #expect(table.fault(body, by: author)?.rule == .illegal, "\(body.word)")
                }
            }
            let seats = [table.chain(1), table.commit(1), table.reveal(1), LogTable.flip, .leave]
            for body in seats { #expect(table.fault(body)?.rule == .illegal, "\(body.word)") }
        }
    }

    @Test func `a seat that the match does not have says nothing`() throws {
        var table = try LogTable(seats: 2)
        #expect(table.fault(.leave, by: .seat(2))?.rule == .malformed)
        #expect(table.fault(.leave, by: .seat(3))?.rule == .malformed)
        for body in [
            EntryBody.away(seat: 2), .back(seat: 3), .left(seat: 2, reason: .kicked),
            .withheld(draw: 1, seat: 3),
        ] {
            #expect(table.fault(body)?.rule == .illegal)
        }
    }

    @Test func `a chain comes once and first`() throws {
        var table = try LogTable(seats: 2)
        #expect(table.fault(table.commit(0), by: .host)?.rule == .illegal)
        try table.append(table.chain(0), by: .host)
        #expect(table.fault(table.chain(0), by: .host)?.rule == .illegal)
        try table.append(table.commit(0), by: .host)
        #expect(table.fault(LogTable.flip, by: .host)?.refusal?.reason == .illegalMove)
    }

    @Test func `before the game nothing of it can be said`() throws {
        var table = try LogTable(seats: 2)
        let bodies: [EntryBody] = [
            .draw(draw: 1, seats: [0, 1], links: [table.vaults[0].link(1)]),
            .open(draw: 0, links: [], revealAt: 0),
            .expire, .withheld(draw: 0, seat: 1), .left(seat: 1, reason: .grace),
            .end(outcomes: [.won, .lost], alone: false, stateHash: table.state.hash),
        ]
        for body in bodies { #expect(table.fault(body)?.rule == .illegal, "\(body.word)") }
        table.time = 1_000_000
        #expect(table.fault(.expire)?.rule == .illegal)
    }

    @Test func `a move is the game's to judge`() throws {
        var table = try playing()
        let first = table.state.draw.first ?? 0
        #expect(table.fault(LogTable.flip, by: .seat((first + 1) % 3))?.refusal?.reason == .notYourTurn)
        #expect(table.fault(.move(.none), by: .seat(first))?.refusal?.reason == .badParams)
        #expect(table.fault(table.commit(first), by: .seat(first))?.rule == .illegal)
        try table.append(LogTable.flip, by: .seat(first))
        #expect(table.fault(LogTable.flip, by: .seat(first))?.refusal?.reason == .illegalMove)
    }

    // MARK: Comings and goings

    @Test func `away, back and left in their order`() throws {
        var table = try playing(options: [.init("grace_s", 10)])
        #expect(table.fault(.back(seat: 1))?.rule == .illegal)
        #expect(table.fault(.left(seat: 1, reason: .grace))?.rule == .illegal)
        #expect(table.fault(.left(seat: 1, reason: .draw))?.rule == .illegal)
        table.time = 5_000
        try table.append(.away(seat: 1))
        #expect(table.fault(.away(seat: 1))?.rule == .illegal)
        #expect(table.fault(LogTable.flip, by: .guest)?.rule == .illegal)
        table.time = 14_999
        #expect(table.fault(.left(seat: 1, reason: .grace))?.rule == .illegal)
        try table.append(.back(seat: 1))
        #expect(table.state.seats[1].status == .active)
        try table.append(.away(seat: 1))
        table.time = 24_998
        #expect(table.fault(.left(seat: 1, reason: .grace))?.rule == .illegal)
        table.time = 24_999
        try table.append(.left(seat: 1, reason: .grace))
        #expect(table.state.seats[1].departure == .away)
        for body in [EntryBody.away(seat: 1), .back(seat: 1), .left(seat: 1, reason: .kicked)] {
            #expect(table.fault(body)?.rule == .illegal)
        }
        for body in [EntryBody.leave, LogTable.flip] {
            #expect(table.fault(body, by: .guest)?.refusal?.reason == .notInMatch)
        }
    }

    @Test func `a seat that is away can leave`() throws {
        var table = try playing()
        try table.append(.away(seat: 1))
        try table.append(.leave, by: .guest)
        #expect(table.state.seats[1].status == .left)
        #expect(table.state.remaining == [0, 2])
        try table.append(.left(seat: 2, reason: .kicked))
        #expect(table.state.seats.map(\.departure) == [nil, .asked, .kicked])
        #expect(table.state.dueOutcomes == [.first, .quit, .quit])
    }

    // MARK: Chance

    @Test func `a draw begins when it is needed, with the links of all that are here`() throws {
        var idle = try playing()
        #expect(
            idle.fault(.draw(draw: 1, seats: [0, 1, 2], links: [idle.vaults[0].link(1)]))?.rule == .illegal)
        var table = try LogTable.flipped()
        let own = table.vaults[0].link(1)
        let wrong: [EntryBody] = [
            .draw(draw: 0, seats: [0, 1, 2], links: [table.vaults[0].link(0)]),
            .draw(draw: 2, seats: [0, 1, 2], links: [table.vaults[0].link(2)]),
            .draw(draw: 1, seats: [0, 1], links: [own]), .draw(draw: 1, seats: [0, 2, 1], links: [own]),
            .draw(draw: 1, seats: [1, 2], links: []), .draw(draw: 1, seats: [0, 1, 2], links: []),
            .draw(draw: 1, seats: [0, 1, 2], links: [table.vaults[0].link(2)]),
            .draw(draw: 1, seats: [0, 1, 2], links: [table.vaults[1].link(1)]),
            .draw(draw: .max, seats: [0, 1, 2], links: [own]),
            .draw(draw: -1, seats: [0, 1, 2], links: [own]),
            .open(draw: 0, links: [], revealAt: 0), .open(draw: 1, links: [], revealAt: 0),
        ]
        for body in wrong { #expect(table.fault(body)?.rule == .illegal, "\(body)") }
        try table.append(table.beginDraw())
        #expect(
            table.fault(.draw(draw: 2, seats: [0, 1, 2], links: [table.vaults[0].link(2)]))?.rule == .illegal)
    }

    @Test func `a draw opens with all links, each of its chain, shown soon`() throws {
        var table = try LogTable.flipped()
        try table.append(table.beginDraw())
        let good = [table.link(1), table.link(2)]
        let far = Limits.revealDelayMilliseconds + 1
        let wrong: [EntryBody] = [
            .open(draw: 1, links: [], revealAt: 0), .open(draw: 1, links: [table.link(1)], revealAt: 0),
            .open(draw: 1, links: [table.link(1), table.link(1)], revealAt: 0),
            .open(draw: 1, links: [table.link(0)] + good, revealAt: 0),
            .open(draw: 2, links: good, revealAt: 0),
            .open(draw: 0, links: [], revealAt: 0), .open(draw: 1, links: good, revealAt: far),
            .open(draw: 1, links: good, revealAt: -1),
            .open(draw: 1, links: [.init(seat: 1, link: hash), table.link(2)], revealAt: 0),
            .open(draw: 1, links: [.init(seat: 1, link: []), table.link(2)], revealAt: 0),
            .open(
                draw: 1, links: [.init(seat: 1, link: table.vaults[1].link(2)), table.link(2)], revealAt: 0),
        ]
        for body in wrong { #expect(table.fault(body)?.rule == .illegal, "\(body)") }
        try table.append(.open(draw: 1, links: good, revealAt: far - 1))
        #expect(table.state.openDraw == nil)
        #expect(table.fault(.open(draw: 1, links: good, revealAt: 0))?.rule == .illegal)
    }

    @Test func `a link withheld once is away, twice is out`() throws {
        var table = try LogTable.flipped()
        try table.append(table.beginDraw())
        table.time += Limits.linkMilliseconds - 1
        #expect(table.fault(.withheld(draw: 1, seat: 1))?.rule == .illegal)
        table.time += 1
        for (draw, seat) in [(2, 1), (0, 1), (1, 0), (1, 3)] {
            #expect(table.fault(.withheld(draw: draw, seat: seat))?.rule == .illegal)
        }
        try table.append(.withheld(draw: 1, seat: 1))
        #expect(table.state.seats[1].status == .away)
        #expect(table.state.seats[1].departure == nil)
        #expect(table.state.openDraw?.seats == [0, 2])
        #expect(table.fault(.withheld(draw: 1, seat: 1))?.rule == .illegal)
        if table.state.need == nil {  // it was the seat to flip that is away now: the next one flips
            let next = table.state.game?.turn.first ?? 0
            try table.append(LogTable.flip, by: .seat(next))
        }
        try table.append(.back(seat: 1))
        if table.state.openDraw != nil {
            try table.append(.open(draw: 1, links: [table.link(2)], revealAt: table.time))
        }
        try flipAgain(&table)
        table.time += Limits.linkMilliseconds
        try table.append(.withheld(draw: table.state.lastDraw, seat: 1))
        #expect(table.state.seats[1].status == .left)
        #expect(table.state.seats[1].withheld == 2)
        #expect(table.state.seats[1].departure == .withheld)
    }

    /// Goes on until a draw is open that needs the link of seat 1.
    private func flipAgain(_ table: inout LogTable) throws {
        table.time += 1_000
        if table.state.need == nil {
            try table.append(LogTable.flip, by: .seat(table.state.game?.turn.first ?? 0))
        }
        if table.state.openDraw == nil { try table.append(table.beginDraw()) }
        #expect(table.state.openDraw?.seats == [0, 1, 2])
    }

    @Test func `time runs out when the game says so`() throws {
        var table = try playing()
        #expect(table.fault(.expire)?.rule == .illegal)
        let deadline = try #require(table.state.game?.deadline)
        table.time = deadline - 1
        #expect(table.fault(.expire)?.rule == .illegal)
        table.time = deadline
        try table.append(.expire)
        #expect(table.state.need != nil)
    }

    // MARK: The end

    @Test func `the end comes when it is due, with outcomes and state as they are`() throws {
        var table = try playing(seats: 2)
        #expect(
            table.fault(.end(outcomes: [.won, .lost], alone: false, stateHash: table.state.hash))?.rule
                == .illegal)
        try table.append(.leave, by: .guest)
        let due = try #require(table.state.dueOutcomes)
        #expect(due == [.won, .quit])
        for outcomes in [[.lost, .quit], [.won], [], [Outcome.won, .lost]] {
            #expect(
                table.fault(.end(outcomes: outcomes, alone: false, stateHash: table.state.hash))?.rule
                    == .illegal)
        }
        #expect(table.fault(.end(outcomes: due, alone: false, stateHash: hash))?.rule == .illegal)
        #expect(table.fault(.end(outcomes: due, alone: true, stateHash: table.state.hash))?.rule == .illegal)
        try table.append(.end(outcomes: due, alone: false, stateHash: table.state.hash))
        #expect(table.state.outcomes == due)
        #expect(!table.state.endedAlone)
        let after: [(EntryBody, Author)] = [
            (.leave, .host), (LogTable.flip, .host), (.expire, .sequencer), (.away(seat: 0), .sequencer),
            (.end(outcomes: due, alone: false, stateHash: table.state.hash), .sequencer),
            (.end(outcomes: due, alone: true, stateHash: table.state.hash), .host),
        ]
        for (body, author) in after {
            #expect(table.fault(body, by: author)?.rule == .incomplete, "\(body.word)")
        }
    }

    @Test func `a seat ends its own copy alone, as the rules say who won`() throws {
        var table = try playing()
        try table.append(.leave, by: .seat(2))
        let own: [Outcome] = [.timedOut, .won, .quit]
        #expect(table.state.aloneOutcomes(for: 1) == own)
        #expect(
            table.fault(
                .end(outcomes: [.won, .won, .quit], alone: true, stateHash: table.state.hash), by: .guest)?
                .rule == .illegal)
        #expect(table.fault(.end(outcomes: own, alone: true, stateHash: hash), by: .guest)?.rule == .illegal)
        #expect(
            table.fault(
                .end(outcomes: table.state.aloneOutcomes(for: 2), alone: true, stateHash: table.state.hash),
                by: .seat(2))?.rule == .illegal)
        let end = EntryBody.end(outcomes: own, alone: true, stateHash: table.state.hash)
        let signedByHost = table.entry(table.proposal(end, by: .guest))
        #expect(throws: LogFault.self) { try table.log.append(signedByHost) }
        try table.append(end, by: .guest)
        #expect(table.state.endedAlone)
        #expect(table.state.outcomes == own)
    }

    // MARK: Signatures, counters, ancestors

    /// The rule that an entry breaks; the log must stay what it was.
    private func rule(_ entry: Entry, _ table: LogTable) -> LogFault.Rule? {
        var log = table.log
        do { try log.append(entry) } catch {
            #expect(log.head == table.log.head)
            #expect(log.state.hash == table.state.hash)
            return error.rule
        }
        return nil
    }

    @Test func `an entry must follow, in order, signed by the sequencer`() throws {
        var table = try LogTable(seats: 2)
        table.time = 100
        try table.append(table.chain(0), by: .host)
        let proposal = table.proposal(table.chain(1), by: .guest)
        let good = table.entry(proposal)
        #expect(rule(good, table) == nil)
        let signer = table.signers[0]
        func entry(_ index: Int, _ previous: [UInt8], _ time: Int) -> Entry {
            Entry(index: index, previous: previous, time: time, proposal: proposal, signer: signer)
        }
        #expect(rule(entry(0, table.log.head, 100), table) == .chain)
        #expect(rule(entry(2, table.log.head, 100), table) == .chain)
        #expect(rule(entry(.max, table.log.head, 100), table) == .chain)
        #expect(rule(entry(1, table.genesis.hash, 100), table) == .chain)
        #expect(rule(entry(1, table.log.head, 99), table) == .order)
        #expect(rule(entry(1, table.log.head, Limits.matchMillisecondsMax + 1), table) == .order)
        #expect(rule(entry(1, table.log.head, .max), table) == .order)
        #expect(rule(entry(1, table.log.head, Limits.matchMillisecondsMax), table) == nil)
        #expect(rule(table.entry(proposal, signer: table.signers[1]), table) == .signature)
    }

    @Test func `a proposal must be its author's, of this match, newer than its last`() throws {
        var table = try LogTable(seats: 2)
        try table.append(table.chain(0), by: .host)
        func proposal(
            match: MatchID? = nil, _ author: Author = .guest, _ counter: Int = 7, seen: Int = 0,
            _ hash: [UInt8]? = nil, signer: Int = 1
        ) -> Entry {
            table.entry(
                Proposal(
                    match: match ?? table.genesis.match, author: author, counter: counter, seenIndex: seen,
                    seenHash: hash ?? table.log.hash(at: seen) ?? self.hash, body: table.chain(1),
                    signer: table.signers[signer]))
        }
        #expect(rule(proposal(), table) == nil)
        #expect(rule(proposal(match: matchID), table) == .malformed)
        #expect(rule(proposal(signer: 0), table) == .signature)
        #expect(rule(proposal(seen: -1), table) == nil)
        #expect(rule(proposal(seen: -1, table.log.head), table) == .fork)
        #expect(rule(proposal(seen: 0, hash), table) == .fork)
        #expect(rule(proposal(seen: 1), table) == .fork)
        #expect(rule(proposal(seen: .max), table) == .fork)
        try table.log.append(proposal())
        #expect(rule(proposal(.guest, 7), table) == .order)
        #expect(rule(proposal(.guest, 6), table) == .order)
        #expect(rule(proposal(.guest, -1), table) == .order)
        #expect(rule(proposal(.guest, 9), table) == .illegal)  // gaps are allowed, a second chain is not
        #expect(rule(proposal(.seat(3), 9), table) == .malformed)
    }

    @Test func `a changed signature or content shows`() throws {
        var table = try LogTable(seats: 2)
        let entry = table.entry(table.proposal(table.chain(0), by: .host))
        var seen = 0
        for place in stride(from: 0, to: entry.encoded.count, by: 3) {
            var bytes = entry.encoded
            bytes[place] ^= 1
            guard let changed = Entry(decoding: bytes) else { continue }
            seen += 1
            #expect(rule(changed, table) != nil, "byte \(place)")
        }
        #expect(seen > 50)
    }

    // MARK: Quorum

    @Test(arguments: [
        // Voters, who stored it, whether that is enough.
        ([0], [0], true), ([0], [], false), ([0, 1], [0], true), ([0, 1], [1], false),
        ([0, 1], [0, 1], true),
        ([0, 1, 2], [0], false), ([0, 1, 2], [0, 1], true), ([0, 1, 2], [1, 2], true),
        ([0, 1, 2], [2], false),
        ([0, 1, 2, 3], [0, 1], true), ([0, 1, 2, 3], [0, 3], true), ([0, 1, 2, 3], [1, 2], false),
        ([0, 1, 2, 3], [1, 2, 3], true), ([0, 1, 2, 3], [0], false), ([1, 2], [1], true),
        ([1, 2], [2], false),
        ([1, 2], [0], false), ([1, 2], [0, 2], false), ([1, 3], [0, 2, 3], false), ([2, 3], [2, 0], true),
        ([1, 2, 3], [0, 1], false), ([1, 2, 3], [1, 3], true), ([3], [0, 1, 2], false), ([3], [3], true),
    ])
    func `a quorum is more than half, or half with the lowest`(voters: [Int], stored: [Int], enough: Bool)
        throws
    {
        var state = MatchState(try LogTable(seats: 4).genesis, words: WordList([]))
        for seat in 0..<4 where !voters.contains(seat) { state.seats[seat].status = .left }
        #expect(state.voters == voters)
        #expect(state.isQuorum(SeatSet(stored)) == enough)
        for seat in voters { state.seats[seat].status = .away }  // away still votes
        #expect(state.isQuorum(SeatSet(stored)) == enough)
    }

    // MARK: Export

    @Test func `a log reads back, and no byte of its text can be changed`() throws {
        var table = try playing(seats: 2)
        try table.append(.leave, by: .guest)
        let incomplete = LogText.write(table.log)
        let words = table.state.words
        #expect {
            _ = try LogText.read(incomplete, words: { _ in words }, signing: .standIn)
        } throws: { ($0 as? LogTextFault)?.fault.rule == .incomplete }
        let due = table.state.dueOutcomes ?? []
        try table.append(.end(outcomes: due, alone: false, stateHash: table.state.hash))
        let text = LogText.write(table.log)
        #expect(try LogText.read(text, words: { _ in words }, signing: .standIn).head == table.log.head)
        #expect(throws: LogTextFault.self) { try LogText.read(text, words: { _ in nil }, signing: .standIn) }
        let bytes = Array(text.utf8)
        for place in stride(from: 0, to: bytes.count, by: 41) {
            for change in [UInt8(ascii: "0"), UInt8(ascii: "f"), UInt8(ascii: "A"), 10]
            where bytes[place] != change {
                var other = bytes
                other[place] = change
                #expect(throws: LogTextFault.self, "byte \(place)") {
                    try LogText.read(
                        String(decoding: other, as: UTF8.self), words: { _ in words }, signing: .standIn)
                }
            }
        }
    }
}
