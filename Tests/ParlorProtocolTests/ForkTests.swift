import ParlorGames
import Testing

@testable import ParlorProtocol

/// A sequencer that signs two entries with one index, or does not go on: exact, seat by seat.
struct ForkTests {
    /// A match that is played, and two entries of the host for one place in it.
    private func forked(seats: Int = 3) throws -> (Machines, Entry, Entry) {
        var table = try Machines(seats: seats)
        table.begin()
        table.pass(milliseconds: 1_000)
        let log = table.machines[0].log
        let proposal = table.proposal(LogTable.flip, by: table.first)
        func entry(_ later: Int) -> Entry {
            Entry(
                index: log.entries.count, previous: log.head,
                time: table.machines[0].time(at: table.now) + later, proposal: proposal,
                signer: table.table.signers[0])
        }
        return (table, entry(0), entry(1))
    }

    private func faults(_ table: Machines, _ seat: Int) -> [Misdeed.Kind] {
        table.notices[seat].compactMap { if case .fault(let misdeed) = $0 { misdeed.kind } else { nil } }
    }

    @Test func `seats that accepted different entries go on with one log, and who made two is out`() throws {
        var (table, one, other) = try forked()
        table.feed(1, .received(.entries([one]), from: 0))
        table.feed(2, .received(.entries([other]), from: 0))
        #expect(table.machines[1].acceptedLog.head == one.hash)
        #expect(table.machines[2].acceptedLog.head == other.hash)
        #expect(table.records[2].acceptedCount == other.index + 1)
        table.settle { _, from, to in from == 0 || to == 0 }
        for seat in 1...2 {
            #expect(faults(table, seat) == [.twoEntries])
            #expect(table.machines[seat].accepted.sequencer == 1)
            #expect(table.machines[seat].accepted.seats[0].status == .left)
            // What is on disk is what is shown.
            let restored = try table.restored(seat)
            #expect(restored.acceptedLog.head == table.machines[seat].acceptedLog.head)
        }
        #expect(table.machines[1].acceptedLog.head == table.machines[2].acceptedLog.head)
        #expect(table.machines[2].acceptedLog.entries.contains(one))
    }

    @Test func `nothing of the dropped log counts on disk before the other one is accepted`() throws {
        var (table, one, other) = try forked()
        table.feed(1, .received(.entries([one]), from: 0))
        table.feed(2, .received(.entries([other]), from: 0))
        var record = table.records[2]
        var steps: [StoreStep] = []
        while !table.sent.isEmpty {
            let next = table.sent.removeFirst()
            guard next.from != 0, next.to != 0 else { continue }
            let actions = table.machines[next.to].handle(
                .received(next.message, from: next.from), at: table.now)
            for action in actions {
                switch action {
                case .send(let message, let to): table.sent.append((message, next.to, to))
                case .broadcast(let message):
                    for to in 0...2 where to != next.to { table.sent.append((message, next.to, to)) }
                case .store(let step): if next.to == 2 { steps.append(step) }
                case .reply, .notice, .arm: break
                }
            }
        }
        #expect(steps.contains { if case .entries(one.index, _) = $0 { true } else { false } })
        for step in steps {
            record.apply(step)
            let known = Set(record.entries.prefix(record.acceptedCount))
            // Killed in between it must not take for accepted what is only stored.
            if record.entries.contains(one) { break }
            #expect(!known.contains(one))
        }
        #expect(record.acceptedCount <= one.index)
    }

    @Test func `what was asked after an entry that is no more is asked again`() throws {
        var (table, one, other) = try forked()
        table.feed(1, .received(.entries([one]), from: 0))
        table.feed(2, .received(.entries([other]), from: 0))
        table.feed(2, .leave(RequestID(rawValue: 5)))
        table.settle { _, from, to in from == 0 || to == 0 }
        guard case .success(let index)? = table.answers(5).first else {
            Issue.record("seat 2 could not leave: \(table.answers(5))")
            return
        }
        #expect(index > one.index)
        #expect(table.machines[1].accepted.seats[2].status == .left)
    }

    @Test func `two entries that somebody passes on convince who has neither`() throws {
        var (table, one, other) = try forked(seats: 4)
        let stranger = Entry(
            index: one.index, previous: one.previous, time: one.time + 2, proposal: one.proposal,
            signer: table.table.signers[1])
        table.feed(3, .received(.entries([one, stranger]), from: 1))
        #expect(faults(table, 3).isEmpty)
        table.feed(1, .received(.entries([one]), from: 0))
        table.sent = []
        table.feed(1, .received(.entries([other]), from: 0))
        #expect(faults(table, 1) == [.twoEntries])
        let proof = MatchMessage.entries([one, other])
        for seat in [2, 3] {
            #expect(table.sent.contains { $0.message == proof && $0.from == 1 && $0.to == seat })
        }
        table.feed(2, .received(proof, from: 1))
        #expect(faults(table, 2) == [.twoEntries])
        #expect(table.machines[2].isLeaderless)
    }

    @Test func `who still follows a proven liar is sent the proof`() throws {
        var (table, one, other) = try forked()
        table.feed(1, .received(.entries([one]), from: 0))
        table.feed(1, .received(.entries([other]), from: 0))
        table.sent = []
        table.feed(1, .received(.hearing(Hearing(seats: [0, 1, 2], isLeaderless: true)), from: 2))
        #expect(!table.sent.contains { $0.message == .entries([one, other]) })
        table.feed(1, .received(.hearing(Hearing(seats: [0, 1, 2])), from: 2))
        #expect(table.sent.contains { $0.message == .entries([one, other]) && $0.to == 2 })
    }

    @Test func `of two seats the guest ends its copy at once when the host makes two`() throws {
        var (table, one, other) = try forked(seats: 2)
        table.feed(1, .received(.entries([one]), from: 0))
        table.feed(1, .received(.entries([other]), from: 0))
        #expect(faults(table, 1) == [.twoEntries])
        #expect(table.machines[1].accepted.endedAlone)
        #expect(table.machines[1].accepted.outcomes == [.timedOut, .won])
    }

    @Test func `of two ends of one place both seats keep the same`() throws {
        var table = try Machines(seats: 3)
        table.begin()
        table.pass(milliseconds: 1_000)
        for seat in 1...2 { table.machines[seat].election.votedFor = nil }
        let leaving = table.entry(.left(seat: 0, reason: .kicked))
        let second = Proposal(
            match: leaving.proposal.match, author: .seat(1), counter: 300,
            seenIndex: leaving.index - 1, seenHash: leaving.previous, body: .leave,
            signer: table.table.signers[1])
        var log = table.machines[0].log
        try log.append(leaving)
        try log.append(
            Entry(
                index: log.entries.count, previous: log.head, time: leaving.time, proposal: second,
                signer: table.table.signers[0]))
        let outcomes = try #require(log.state.dueOutcomes)
        let ends = (0...1).map { later in
            let proposal = Proposal(
                match: log.match, author: .sequencer, counter: 400, seenIndex: leaving.index - 1,
                seenHash: leaving.previous,
                body: .end(outcomes: outcomes, alone: false, stateHash: log.state.hash),
                signer: table.table.signers[0])
            return Entry(
                index: log.entries.count, previous: log.head, time: leaving.time + later,
                proposal: proposal, signer: table.table.signers[0])
        }
        let before = Array(log.entries.dropFirst(leaving.index))
        table.feed(1, .received(.entries(before + [ends[0]]), from: 0))
        table.feed(2, .received(.entries(before + [ends[1]]), from: 0))
        table.settle { _, from, to in from == 0 || to == 0 }
        for seat in 1...2 {
            #expect(table.machines[seat].accepted.phase == .ended)
            #expect(!table.machines[seat].accepted.endedAlone)
            #expect(faults(table, seat) == [.twoEntries])
        }
        let kept = ends.min { $0.hash.lexicographicallyPrecedes($1.hash) }
        #expect(table.machines[1].acceptedLog.head == kept?.hash)
        #expect(table.machines[2].acceptedLog.head == kept?.hash)
    }

    // MARK: Sequencers that do too little, too soon, or late

    @Test func `a sequencer that lets a deadline pass is followed no longer`() throws {
        var table = try Machines(seats: 3)
        table.begin()
        table.pass(milliseconds: 1_000)
        let deadline = try #require(table.machines[1].accepted.game?.deadline)
        let wait = deadline - table.machines[1].time(at: table.now) + Limits.actMilliseconds
        for second in 0...(wait / 1_000 + 1) {
            #expect(table.machines[1].accepted.sequencer == 0, "after \(second) s")
            table.now = table.now + .seconds(1)
            for guest in 1...2 {
                table.feed(guest, .received(.hearing(Hearing(seats: [0, 1, 2])), from: 0))
                table.feed(guest, .deadlinePassed)
            }
            table.settle { _, from, to in from == 0 || to == 0 }
        }
        #expect(table.machines[1].accepted.sequencer == 1)
        #expect(faults(table, 1).isEmpty)
    }

    @Test(arguments: [20, 300])
    func `a link that a seat has is not withheld by an entry that is dated ahead`(late: Int) throws {
        var table = try Machines(seats: 3)
        table.begin()
        for _ in 0..<12 { table.pass(milliseconds: 1_000) }
        table.feed(table.first, .act(RequestID(rawValue: 1), ["do": "flip"]))
        table.settle { message, _, _ in if case .link = message { true } else { false } }
        table.sent = []
        let open = try #require(table.machines[1].accepted.openDraw)
        table.now = table.now + .milliseconds(late)
        let link = SeatLink(seat: 2, link: table.machines[2].vault.link(open.draw))
        table.feed(1, .received(.link(draw: open.draw, link), from: 2))
        let time = open.since + Limits.linkMilliseconds
        let entry = table.entry(.withheld(draw: open.draw, seat: 2), time: time)
        table.feed(1, .received(.entries([entry]), from: 0))
        for _ in 0..<52 {
            table.now = table.now + .milliseconds(100)
            table.feed(1, .deadlinePassed)
        }
        #expect(!table.machines[1].log.entries.contains(entry))
        #expect(faults(table, 1) == [.falseStatus])
    }

    @Test func `a new sequencer waits for the links of a draw that is on as long as the one before`() throws {
        var table = try LogTable.flipped(seats: 3)
        try table.append(table.beginDraw())
        let begun = table.time
        table.time = begun + Limits.linkMilliseconds
        let count = table.log.entries.count
        let votes = (1...2).map { seat in
            Vote(
                match: table.genesis.match, seat: seat, epoch: 1, candidate: 1, lastEpoch: 0, length: count,
                signer: table.signers[seat])
        }
        func sequencers(_ body: EntryBody, counter: Int, at time: Int) -> Entry {
            let proposal = Proposal(
                match: table.genesis.match, author: .sequencer, counter: counter,
                seenIndex: table.log.entries.count - 1, seenHash: table.log.head, body: body,
                signer: table.signers[1])
            return table.entry(proposal, at: time, signer: table.signers[1])
        }
        let clock = table.time
        try table.log.append(
            sequencers(.sequencer(seat: 1, epoch: 1, clock: clock, votes: votes), counter: 900, at: clock))
        let withheld = EntryBody.withheld(draw: 1, seat: 2)
        let late = clock + Limits.linkMilliseconds
        #expect(throws: LogFault.self) {
            try table.log.append(sequencers(withheld, counter: 901, at: late - 1))
        }
        try table.log.append(sequencers(withheld, counter: 901, at: late))
        #expect(table.state.seats[2].status == .away)
    }

    @Test func `what was so when the entry was made is no lie`() throws {
        var table = try Machines(seats: 3)
        table.begin()
        table.pass(milliseconds: 1_000)
        for _ in 0..<9 { table.pass(milliseconds: 1_000) }
        let now = table.machines[1].time(at: table.now)
        for isHere in [false, true] { table.feed(1, .presence(seat: 2, here: isHere)) }
        for _ in 0..<4 {
            table.now = table.now + .seconds(1)
            table.feed(1, .deadlinePassed)
        }
        let late = table.entry(.away(seat: 2), time: now + 4_000)
        table.feed(1, .received(.entries([late]), from: 0))
        #expect(!table.machines[1].log.entries.contains(late))
        table.machines[1].held = nil
        let old = table.entry(.away(seat: 2), time: now)
        table.feed(1, .received(.entries([old]), from: 0))
        #expect(table.machines[1].log.entries.contains(old))
    }

    @Test func `an old entry that comes first says nothing of where the clock stands`() {
        let now = second(20)
        var clock = MatchClock(startedAt: second(10))
        clock.heard(200, isLive: false, at: now)
        #expect(clock.lead(of: 9_000, at: now) == 0)
        var live = MatchClock(startedAt: second(10))
        live.heard(10_200, isLive: true, at: now)
        #expect(live.lead(of: 19_000, at: now) == 8_800)
    }

    @Test func `a first entry that was held up does not put the clock back before the match`() {
        let now = second(20)
        var clock = MatchClock(startedAt: second(15))
        clock.heard(200, isLive: true, at: now)
        #expect(clock.time(at: now) == 5_000)
        #expect(clock.lead(of: 5_000, at: now) == 0)
    }

    @Test func `who has stored the end and not accepted it is told that others have`() throws {
        var table = try Machines(seats: 2)
        table.begin()
        table.feed(1, .leave(RequestID(rawValue: 1)))
        table.settle()
        let log = table.machines[0].log
        #expect(log.state.phase == .ended)
        table.sent = []
        func said(accepted count: Int) -> MatchMessage {
            .stored(
                index: log.entries.count - 1, hash: log.head, stateHash: nil, accepted: count, epoch: 0)
        }
        table.feed(0, .received(said(accepted: log.entries.count), from: 1))
        #expect(table.sent.isEmpty)
        table.feed(0, .received(said(accepted: log.entries.count - 1), from: 1))
        #expect(table.sent.count == 1)
    }
}
