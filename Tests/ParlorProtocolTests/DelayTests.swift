import ParlorGames
import Testing

@testable import ParlorProtocol

/// What was long on its way: nobody is blamed for it, nor waited for in vain.
struct DelayTests {
    /// A table where a guest goes first and has flipped; the links of the other guest are held back.
    private func flipped() throws -> (table: Machines, guest: Int, other: Int) {
        for seed in UInt64(1)...50 {
            var table = try Machines(seats: 3, seed: seed)
            table.begin()
            table.pass(milliseconds: 1_000)
            guard table.first > 0 else { continue }
            let guest = table.first
            table.feed(guest, .act(RequestID(rawValue: 7), ["do": "flip"]))
            table.settle { _, from, _ in from == 3 - guest }
            table.sent = []
            return (table, guest, 3 - guest)
        }
        throw Refusal(.badParams, "no seed lets a guest begin")
    }

    @Test func `that a link is missing counts once it was said a while ago`() throws {
        var (table, guest, other) = try flipped()
        for _ in 0..<4 {
            table.now = table.now + .milliseconds(Limits.linkMilliseconds / 4)
            table.feed(0, .deadlinePassed)
        }
        table.feed(guest, .deadlinePassed)
        table.settle { _, from, _ in from == other }
        #expect(table.machines[0].accepted.openDraw != nil, "said just now")
        table.now = table.now + .milliseconds(Limits.reportMilliseconds - 1)
        table.feed(0, .deadlinePassed)
        #expect(table.machines[0].log.state.seats[other].withheld == 0)
        table.now = table.now + .milliseconds(1)
        table.feed(0, .deadlinePassed)
        #expect(table.machines[0].log.state.seats[other].withheld == 1)
    }

    @Test func `a sequencer that ends its copy says so, and the others go on without it`() throws {
        var table = try Machines(seats: 3)
        table.begin()
        table.pass(milliseconds: 1_000)
        table.feed(0, .sequencerLost)
        #expect(table.machines[0].accepted.endedAlone)
        table.settle()
        table.pass(milliseconds: Limits.candidateMilliseconds)
        let sequencers = table.machines.map(\.log.state.sequencer)
        #expect(sequencers == [1, 1, 1])
        let misdeeds = table.machines.flatMap(\.misdeeds)
        #expect(misdeeds.isEmpty)
        let areOver = table.machines.map(\.isOverHere)
        #expect(areOver == [false, false, false])
    }

    /// Seat 0, long cut off, and what the others did meanwhile: the first entry of a new sequencer, and one
    /// that it made later.
    private func cutOff() throws -> (table: Machines, first: Entry, later: Entry) {
        var table = try Machines(seats: 3)
        table.begin()
        table.pass(milliseconds: 1_000)
        table.now = table.now + .seconds(6)
        for other in 1...2 {
            table.feed(0, .presence(seat: other, here: false))
            table.feed(other, .presence(seat: 0, here: false))
        }
        table.settle { _, from, to in from == 0 || to == 0 }
        table.sent = []
        try #require(table.machines[1].log.state.sequencer == 1)
        let log = table.machines[1].log
        let first = try #require(log.entries.first { $0.takesOver(1) })
        let proposal = Proposal(
            match: log.match, author: .sequencer, counter: 900, seenIndex: first.index, seenHash: first.hash,
            body: .left(seat: 2, reason: .kicked), signer: table.table.signers[1])
        let later = Entry(
            index: first.index + 1, previous: first.hash, time: first.time + 9_000, proposal: proposal,
            signer: table.table.signers[1])
        return (table, first, later)
    }

    /// Gives seat 0 what it missed, the first entry by itself, and looks whether it blames somebody.
    private func blames(_ table: inout Machines, _ first: Entry, _ later: Entry) -> Bool {
        table.feed(0, .received(.entries([first]), from: 1))
        table.feed(0, .received(.entries([later]), from: 1))
        table.now = table.now + .milliseconds(Limits.insistMilliseconds)
        table.feed(0, .deadlinePassed)
        return !table.machines[0].misdeeds.isEmpty
    }

    @Test func `what a new sequencer said first is as old as the silence before it`() throws {
        var (table, first, later) = try cutOff()
        table.now = table.now + .seconds(9)
        #expect(!blames(&table, first, later))
        #expect(table.machines[0].log.head == later.hash)
    }

    @Test func `a new sequencer that was heard all the time cannot put the clock forward`() throws {
        var (table, first, later) = try cutOff()
        for other in 1...2 { table.feed(0, .presence(seat: other, here: true)) }
        for _ in 0..<4 {
            table.now = table.now + .milliseconds(Limits.heardMilliseconds / 4)
            table.feed(0, .deadlinePassed)
        }
        #expect(blames(&table, first, later))
        #expect(table.machines[0].misdeeds.map(\.kind) == [.clock])
    }

    @Test func `a copy that was ended alone and goes on does not know where the clock stands`() throws {
        var (table, first, later) = try cutOff()
        for other in 1...2 { table.feed(0, .presence(seat: other, here: true)) }
        table.feed(0, .sequencerLost)
        table.now = table.now + .seconds(9)
        #expect(table.machines[0].accepted.endedAlone)
        #expect(!blames(&table, first, later))
        #expect(table.machines[0].log.head == later.hash)
    }
}
