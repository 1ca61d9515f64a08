import ParlorGames
import Testing

@testable import ParlorProtocol

/// What seats do when another breaks the protocol: exact, seat by seat.
struct MisdeedTests {
    private func playing(seats: Int = 3) throws -> Machines {
        var table = try Machines(seats: seats)
        table.begin()
        // Everybody has been heard for long enough to know better.
        for _ in 0..<12 { table.pass(milliseconds: 1_000) }
        return table
    }

    private func faults(_ table: Machines, _ seat: Int) -> [Misdeed] {
        table.notices[seat].compactMap { if case .fault(let misdeed) = $0 { misdeed } else { nil } }
    }

    /// Hands an entry of the host, which its own machine knows nothing of, to the guests.
    private func insist(_ body: EntryBody, _ table: inout Machines, time: Int? = nil) -> Entry {
        let entry = table.entry(body, time: time ?? table.machines[0].time(at: table.now))
        for guest in table.machines.indices.dropFirst() {
            table.feed(guest, .received(.entries([entry]), from: 0))
        }
        return entry
    }

    @Test func `a seat that others hear is not away, and a host that insists is left`() throws {
        var table = try playing()
        let count = table.machines[1].log.entries.count
        let entry = insist(.away(seat: 2), &table)
        #expect(table.machines[1].log.entries.count == count)
        #expect(table.machines[2].log.entries.count == count)
        table.sent = []
        for _ in 0..<4 {
            table.now = table.now + .seconds(1)
            for guest in 1...2 { table.feed(guest, .deadlinePassed) }
        }
        #expect(faults(table, 1).isEmpty)
        for _ in 0..<2 {
            table.now = table.now + .seconds(1)
            for guest in 1...2 { table.feed(guest, .deadlinePassed) }
        }
        for guest in 1...2 {
            let misdeed = try #require(faults(table, guest).first)
            #expect(misdeed.seat == 0)
            #expect(misdeed.kind == .falseStatus)
            #expect(misdeed.evidence == [entry.encoded])
        }
        // They go on without it, and keep what shows it in the log.
        table.settle { _, from, _ in from == 0 }
        for _ in 0..<4 {
            table.now = table.now + .seconds(1)
            for guest in 1...2 { table.feed(guest, .deadlinePassed) }
            table.settle { _, from, _ in from == 0 }
        }
        #expect(table.machines[1].accepted.sequencer == 1)
        #expect(table.machines[1].accepted.seats[2].status == .active)
        let shown = table.machines[2].log.entries.contains {
            $0.proposal.body == .fault(seat: 0, kind: .falseStatus, evidence: [entry.encoded])
        }
        #expect(shown)
    }

    @Test func `what a quorum has stored is so, whoever hears the seat`() throws {
        var table = try playing(seats: 4)
        let count = table.machines[1].log.entries.count
        let entry = insist(.away(seat: 3), &table)
        #expect(table.machines[1].log.entries.count == count)
        let word = MatchMessage.stored(
            index: entry.index, hash: entry.hash, stateHash: nil, accepted: count, epoch: 0)
        table.feed(1, .received(word, from: 2))
        #expect(table.machines[1].log.entries.last == entry)
        #expect(faults(table, 1).isEmpty)
    }

    @Test func `a seat that came back a moment ago may still be said to be away`() throws {
        var table = try playing()
        for guest in 1...2 { table.feed(guest, .presence(seat: 3 - guest, here: false)) }
        for guest in 1...2 { table.feed(guest, .presence(seat: 3 - guest, here: true)) }
        let entry = insist(.away(seat: 2), &table)
        #expect(table.machines[1].log.entries.last == entry)
    }

    @Test func `a time ahead is stored when it has come`() throws {
        var table = try playing()
        let count = table.machines[1].log.entries.count
        let ahead = table.machines[1].time(at: table.now) + 2_000
        let entry = insist(.left(seat: 2, reason: .kicked), &table, time: ahead)
        #expect(table.machines[1].log.entries.count == count)
        table.now = table.now + .milliseconds(1_400)
        table.feed(1, .deadlinePassed)
        #expect(table.machines[1].log.entries.count == count)
        table.now = table.now + .milliseconds(200)
        table.feed(1, .deadlinePassed)
        #expect(table.machines[1].log.entries.last == entry)
        #expect(faults(table, 1).isEmpty)
    }

    @Test func `a host whose clock is far ahead is left`() throws {
        var table = try playing()
        let ahead = table.machines[1].time(at: table.now) + 60_000
        let entry = insist(.left(seat: 2, reason: .kicked), &table, time: ahead)
        for _ in 0..<6 {
            table.now = table.now + .seconds(1)
            table.feed(1, .deadlinePassed)
        }
        let misdeed = try #require(faults(table, 1).first)
        #expect(misdeed.kind == .clock)
        #expect(misdeed.index == entry.index)
        #expect(!table.machines[1].log.entries.contains(entry))
    }

    @Test func `a link that a seat has is not withheld`() throws {
        var table = try playing()
        let first = table.first
        table.feed(first, .act(RequestID(rawValue: 1), ["do": "flip"]))
        let (giver, other) = (2, 1)
        table.settle { message, from, to in
            if case .link(_, let link) = message {
                from == giver && to == 0 && link.seat == giver
            } else {
                false
            }
        }
        table.sent = []
        guard table.machines[other].accepted.openDraw != nil else {
            Issue.record("no joint draw is on")
            return
        }
        let draw = table.machines[other].accepted.lastDraw
        table.now = table.now + .milliseconds(Limits.linkMilliseconds + 100)
        let count = table.machines[other].log.entries.count
        let entry = table.entry(
            .withheld(draw: draw, seat: giver), time: table.machines[0].time(at: table.now))
        table.feed(other, .received(.entries([entry]), from: 0))
        #expect(table.machines[other].log.entries.count == count)
        let objection = table.machines[other].objection(to: entry, isLive: true, at: table.now)
        #expect(objection?.kind == .falseStatus)
    }

    @Test func `an end alone is not taken over, also behind entries that are missing`() throws {
        var table = try playing(seats: 3)
        let missing = table.entry(.left(seat: 2, reason: .kicked))
        var other = table.machines[1].log
        try other.append(missing)
        let outcomes = other.state.aloneOutcomes(for: 1)
        let proposal = Proposal(
            match: other.match, author: .seat(1), counter: 300, seenIndex: missing.index,
            seenHash: other.head,
            body: .end(outcomes: outcomes, alone: true, stateHash: other.state.hash),
            signer: table.table.signers[1])
        let end = Entry(
            index: other.entries.count, previous: other.head, time: missing.time, proposal: proposal,
            signer: table.table.signers[1])
        try other.append(end)
        table.feed(0, .received(.want(from: 0), from: 2))
        table.feed(2, .received(.entries([missing, end]), from: 1))
        #expect(table.machines[2].log.entries.last == missing)
        #expect(table.machines[2].accepted.phase == .playing)
    }

    @Test func `what nobody signed and another passed on is held against nobody`() throws {
        var table = try playing()
        let count = table.machines[2].log.entries.count
        let proposal = table.proposal(LogTable.flip, by: 1)
        let forged = Entry(
            index: count, previous: table.machines[2].log.head, time: table.machines[2].time(at: table.now),
            proposal: proposal, signer: Signer(standInFor: peer(99)))
        let unsigned = Proposal(
            match: proposal.match, author: .seat(2), counter: 500, seenIndex: proposal.seenIndex,
            seenHash: proposal.seenHash, body: .leave, signer: table.table.signers[1])
        let link = MatchMessage.link(
            draw: table.machines[2].accepted.lastDraw + 1, SeatLink(seat: 1, link: forged.hash))
        var direct = table
        for (message, receiver, label) in [
            (MatchMessage.entries([forged]), 2, 0), (.propose(unsigned), 0, 2), (link, 2, 1),
        ] {
            table.feed(receiver, .relayed(message, from: label))
            direct.feed(receiver, .received(message, from: label))
        }
        for seat in [0, 2] {
            #expect(faults(table, seat).isEmpty)
            #expect(table.machines[seat].distrusted.isEmpty)
        }
        #expect(table.machines[0].accepted.seats[2].status == .active)
        // Over their own links the same things have an author.
        #expect(faults(direct, 0).map(\.seat) == [2])
        #expect(Set(faults(direct, 2).map(\.seat)) == [0, 1])
    }

    @Test func `a proof of two entries puts their signer out, and a false one is refused`() throws {
        var table = try LogTable(seats: 3)
        try table.chains()
        try table.drawOut()
        let one = table.entry(table.proposal(.away(seat: 1), by: .sequencer), at: 5)
        let other = table.entry(table.proposal(.away(seat: 2), by: .sequencer), at: 5)
        let proof = EntryBody.fault(seat: 0, kind: .twoEntries, evidence: [one.encoded, other.encoded])
        for wrong in [
            EntryBody.fault(seat: 0, kind: .twoEntries, evidence: [one.encoded, one.encoded]),
            .fault(seat: 2, kind: .twoEntries, evidence: [one.encoded, other.encoded]),
            .fault(seat: 0, kind: .twoEntries, evidence: [one.encoded]),
            .fault(seat: 0, kind: .illegalEntry, evidence: [one.encoded]),
            .fault(seat: 1, kind: .clock, evidence: []),
        ] {
            #expect(table.fault(wrong, by: .seat(1)) != nil)
        }
        try table.append(proof, by: .seat(1))
        #expect(table.state.seats[0].status == .left)
    }

    @Test func `a proof of an illegal entry puts its signer out`() throws {
        var table = try LogTable(seats: 3)
        try table.chains()
        try table.drawOut()
        let illegal = table.entry(table.proposal(.back(seat: 1), by: .sequencer), at: 5)
        try table.append(.fault(seat: 0, kind: .illegalEntry, evidence: [illegal.encoded]), by: .seat(2))
        #expect(table.state.seats[0].status == .left)
        #expect(table.state.seats[2].faults == 1)
    }

    @Test func `a take-over needs votes that are signed, enough, and of seats with no longer logs`() throws {
        var table = try LogTable(seats: 3)
        try table.chains()
        let match = table.genesis.match
        func vote(_ seat: Int, length: Int, epoch: Int = 1, signer: Int? = nil) -> Vote {
            Vote(
                match: match, seat: seat, epoch: epoch, candidate: 1, lastEpoch: 0, length: length,
                signer: table.signers[signer ?? seat])
        }
        let count = table.log.entries.count
        func append(_ votes: [Vote], epoch: Int = 1, clock: Int = 0) -> LogFault? {
            var copy = table
            let proposal = Proposal(
                match: match, author: .sequencer, counter: 900, seenIndex: count - 1, seenHash: copy.log.head,
                body: .sequencer(seat: 1, epoch: epoch, clock: clock, votes: votes), signer: copy.signers[1])
            do { try copy.log.append(copy.entry(proposal, signer: copy.signers[1])) } catch { return error }
            return nil
        }
        let good = [vote(1, length: count), vote(2, length: count - 1)]
        #expect(append(good) == nil)
        #expect(append([vote(1, length: count)])?.rule == .illegal)
        #expect(append([good[1], good[0]])?.rule == .illegal)
        #expect(append([good[0], good[0]])?.rule == .illegal)
        #expect(append([good[0], vote(2, length: count, signer: 0)])?.rule == .signature)
        #expect(append([good[0], vote(2, length: count + 1)])?.rule == .illegal)
        #expect(append([good[0], vote(2, length: count, epoch: 2)])?.rule == .signature)
        #expect(append(good, clock: 1)?.rule == .illegal)
    }

    @Test func `a sequencer whose copy has ended goes on from what it had signed`() throws {
        var table = try Machines(seats: 3)
        table.begin()
        table.feed(1, .presence(seat: 2, here: false))
        table.settle()
        table.feed(0, .presence(seat: 2, here: false))
        // The first seat signs that the last is away, and nobody's answer reaches it.
        let signed = try #require(table.machines[0].log.entries.last)
        #expect(signed.proposal.body == .away(seat: 2))
        #expect(table.machines[0].acceptedCount == signed.index)
        table.sent = []
        table.feed(0, .presence(seat: 1, here: false))
        for _ in 0..<3 {
            table.now = table.now + .seconds(61)
            table.feed(0, .deadlinePassed)
        }
        #expect(table.machines[0].accepted.endedAlone)
        // By now it hears the seat that it said was away, and may not say otherwise all the same.
        for seat in 1...2 { table.feed(0, .presence(seat: seat, here: true)) }
        table.now = table.now + .seconds(3)
        table.feed(0, .received(.entries([signed]), from: 1))
        #expect(!table.machines[0].accepted.endedAlone)
        #expect(table.machines[0].log.entries.last == signed)
    }

    @Test func `what a seat acknowledged before its copy ended binds it when it goes on`() throws {
        var table = try Machines(seats: 4)
        table.begin()
        /// Time goes by for some, who hear only one another; `stored` may reach the one sequencer alone.
        func pass(_ seats: [Int], seconds: Int, tellingOnly sequencer: Int? = nil) {
            for seat in seats {
                for other in 0..<4 where other != seat {
                    table.feed(seat, .presence(seat: other, here: seats.contains(other)))
                }
            }
            for _ in 0..<seconds {
                table.now = table.now + .seconds(1)
                for seat in seats { table.feed(seat, .deadlinePassed) }
                table.settle { message, from, to in
                    let isStored = if case .stored = message { sequencer != nil } else { false }
                    return !seats.contains(from) || !seats.contains(to) || isStored && to != sequencer
                }
                table.sent = []
            }
        }
        pass([0], seconds: 1)
        let count = table.machines[0].acceptedCount
        table.feed(0, .act(RequestID(rawValue: 1), ["do": "snap"]))
        #expect(table.machines[0].log.entries.count == count + 1, "what the first host ordered last")
        pass([1, 2, 3], seconds: 12, tellingOnly: 1)
        #expect(table.machines[1].log.entries[count].takesOver(1))
        #expect(table.machines[1].acceptedCount > count, "a quorum has stored another entry in its place")
        #expect(table.machines[2].acceptedCount == count)
        pass([2], seconds: 130)
        #expect(table.machines[2].accepted.endedAlone)
        table.machines[0] = try table.restored(0)
        table.feed(0, .begin)
        pass([0, 2], seconds: 30)
        #expect(table.machines[0].acceptedCount == count, "these two cannot know")
        pass([0, 1, 2], seconds: 60)
        for seat in [0, 2] {
            #expect(table.machines[seat].log.hash(at: count) == table.machines[1].log.hash(at: count))
        }
    }
}
