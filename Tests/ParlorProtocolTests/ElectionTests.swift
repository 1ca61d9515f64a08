import ParlorGames
import Testing

@testable import ParlorProtocol

/// The rules of the hand-over, each by itself.
struct ElectionTests {
    private func playing(seats: Int) throws -> Machines {
        var table = try Machines(seats: seats)
        table.begin()
        table.pass(milliseconds: 1_000)
        return table
    }

    private func vote(_ seat: Int, for candidate: Int, in epoch: Int, _ table: Machines) -> Vote {
        Vote(
            match: table.table.genesis.match, seat: seat, epoch: epoch, candidate: candidate, lastEpoch: 0,
            length: table.machines[seat].log.entries.count, signer: table.table.signers[seat])
    }

    /// Makes a machine hold an entry that is not accepted, stored by some seats.
    private func hold(_ entry: Entry, by seats: SeatSet, _ machine: inout MatchMachine) throws {
        try machine.log.append(entry)
        machine.snapshots.append(machine.log.state)
        machine.storedBy.append(seats)
    }

    @Test func `what an earlier epoch left is accepted only with an entry of this one`() throws {
        let table = try playing(seats: 3)
        var machine = table.machines[1]
        let count = machine.log.entries.count
        try hold(table.entry(.left(seat: 2, reason: .kicked)), by: [0, 1, 2], &machine)
        let votes = [vote(0, for: 1, in: 1, table), vote(1, for: 1, in: 1, table)]
        let time = machine.log.entries.last?.time ?? 0
        let proposal = Proposal(
            match: machine.match, author: .sequencer, counter: 900, seenIndex: count,
            seenHash: machine.log.head, body: .sequencer(seat: 1, epoch: 1, clock: time, votes: votes),
            signer: table.table.signers[1])
        let takeOver = Entry(
            index: count + 1, previous: machine.log.head, time: time, proposal: proposal,
            signer: table.table.signers[1])
        try hold(takeOver, by: [1], &machine)
        machine.election.promised = 1
        #expect(machine.acceptable == nil)
        machine.storedBy[1] = [0, 1]
        #expect(machine.acceptable == 2)
    }

    @Test func `votes have to be enough before and after each entry that may be accepted`() throws {
        var table = try playing(seats: 4)
        // After it two of three are enough; before it two of four are not.
        try hold(table.entry(.left(seat: 3, reason: .kicked)), by: [1], &table.machines[1])
        table.feed(1, .presence(seat: 0, here: false))
        for other in 2...3 {
            let hearing = Hearing(seats: [1, 2, 3], isLeaderless: true)
            table.feed(1, .received(.hearing(hearing), from: other))
        }
        #expect(table.machines[1].election.candidacy?.epoch == 1)
        let count = table.machines[1].acceptedCount
        table.feed(1, .received(.vote(vote(2, for: 1, in: 1, table), accepted: count), from: 2))
        #expect(!table.machines[1].isSequencer)
        table.feed(1, .received(.vote(vote(3, for: 1, in: 1, table), accepted: count), from: 3))
        #expect(table.machines[1].isSequencer)
    }

    @Test func `a seat votes once an epoch, whoever asks`() throws {
        var table = try playing(seats: 4)
        table.feed(3, .presence(seat: 0, here: false))
        table.sent = []
        func votes() -> [Int] {
            table.sent.compactMap { if case .vote = $0.message { $0.to } else { nil } }
        }
        table.feed(3, .received(.ask(epoch: 1), from: 1))
        #expect(votes() == [1])
        table.feed(3, .received(.ask(epoch: 1), from: 2))
        #expect(votes() == [1])
        #expect(table.sent.contains { $0.message == .promised(epoch: 1) && $0.to == 2 })
        table.feed(3, .received(.ask(epoch: 2), from: 2))
        #expect(votes() == [1, 2])
    }

    @Test(arguments: [true, false])
    func `what a seat said beforehand counts for the entry that it stored and for no other`(isSame: Bool)
        throws
    {
        var table = try playing(seats: 3)
        let count = table.machines[0].log.entries.count
        let twin = table
        let proposal = table.proposal(LogTable.flip, by: table.first)
        let input: MatchMachine.Input =
            table.first == 0
            ? .act(RequestID(rawValue: 1), ["do": "flip"])
            : .received(.propose(proposal), from: table.first)
        var ahead = twin
        ahead.feed(0, input)
        let hash = try #require(ahead.machines[0].log.hash(at: count))
        let said = isSame ? hash : [UInt8](repeating: 9, count: 32)
        table.feed(
            0,
            .received(
                .stored(index: count, hash: said, stateHash: nil, accepted: count, epoch: 0), from: 1))
        table.feed(0, input)
        #expect(table.machines[0].log.hash(at: count) == hash)
        #expect((table.machines[0].acceptedCount > count) == isSame)
    }

    @Test func `a sequencer that orders nothing is left when another seat has left it`() throws {
        var table = try playing(seats: 3)
        let hearing = Hearing(seats: [0, 1, 2], isLeaderless: true)
        table.feed(1, .received(.hearing(hearing), from: 2))
        #expect(!table.machines[1].isLeaderless)
        for _ in 0..<11 {
            table.now = table.now + .seconds(1)
            table.feed(1, .deadlinePassed)
        }
        #expect(table.machines[1].isLeaderless)
    }

    @Test func `a sequencer that says the match is over is followed no longer`() throws {
        var table = try playing(seats: 3)
        table.feed(1, .received(.refuse(counter: 77, Refusal(.illegalMove, "no")), from: 0))
        #expect(!table.machines[1].isLeaderless)
        table.feed(1, .received(.refuse(counter: 77, Refusal(.matchEnded, "over")), from: 0))
        #expect(table.machines[1].isLeaderless)
    }
}
