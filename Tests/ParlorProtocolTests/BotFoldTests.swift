import ParlorCrypto
import ParlorGames
import Testing

@testable import ParlorProtocol

/// What a log may say of bots and for them.
struct BotFoldTests {
    /// A match of three people and a bot in seat 3, in which seat 1 orders the entries since epoch 1.
    private func handedOver(flipped: Bool = true, seed: UInt64 = 1) throws -> LogTable {
        var table = try LogTable(seats: 3, bots: 1, seed: seed)
        try table.chains()
        if flipped { try table.drawOut() }
        try handOver(&table, to: 1, epoch: 1)
        return table
    }

    private func handOver(_ table: inout LogTable, to seat: Int, epoch: Int) throws {
        let votes = [0, 1, 2].map { voter in
            Vote(
                match: table.genesis.match, seat: voter, epoch: epoch, candidate: seat,
                lastEpoch: table.state.epoch, length: table.log.entries.count, signer: table.signers[voter])
        }
        let body = EntryBody.sequencer(seat: seat, epoch: epoch, clock: table.time, votes: votes)
        let proposal = Proposal(
            match: table.genesis.match, author: .sequencer, counter: table.state.sequencerCounter + 1,
            seenIndex: table.log.entries.count - 1, seenHash: table.log.head, body: body,
            signer: table.signers[seat])
        try table.log.append(table.entry(proposal, signer: table.signers[seat]))
        _ = table.proposal(.expire, by: .sequencer)  // that counter is used up
    }

    private func driver(_ table: LogTable, bot: Int, peer: PeerID? = nil) -> EntryBody {
        let vault = SeatVault(seat: bot, match: table.genesis.match, secret: [UInt8](repeating: 9, count: 32))
        return .driver(
            seat: bot, peer: peer ?? table.signers[table.state.sequencer].peer, end: vault.chainEnd,
            boxKey: vault.boxPublicKey, vault: vault.sealed(identity: table.identities[0]))
    }

    @Test func `a bot signs with its driver's key, and counts for no quorum`() throws {
        var table = try LogTable(seats: 2, bots: 2)
        #expect(table.genesis.people == [0, 1])
        #expect(table.state.voters == [0, 1])
        #expect(table.state.bots(drivenBy: 0) == [2, 3])
        #expect(table.state.bots(drivenBy: 1) == [])
        try table.chains()
        #expect(table.state.isQuorum([0]))
        #expect(!table.state.isQuorum([1, 2, 3]))
        let commit = table.proposal(table.commit(2), by: .seat(2))
        #expect(commit.isSigned(by: table.signers[0].peer, .standIn))
        try table.log.append(table.entry(commit))
        // Another's signature does not count for it.
        let forged = Proposal(
            match: table.genesis.match, author: .seat(3), counter: 50, seenIndex: -1,
            seenHash: table.genesis.hash, body: table.commit(3), signer: table.signers[1])
        let forgery = table.entry(forged)
        let fault = #expect(throws: LogFault.self) { try table.log.append(forgery) }
        #expect(fault?.rule == .signature)
    }

    @Test func `a bot needs a driver that plays`() throws {
        let people = try LogTable(seats: 2).genesis
        let genesis = Genesis(
            nonce: people.nonce, room: people.room, game: people.game, rules: people.rules,
            options: people.options,
            seats: [people.seats[0], .init(peer: peer(7), name: "bot", bot: true)], words: people.words)
        let fault = #expect(throws: LogFault.self) { try Genesis(decoding: genesis.encoded) }
        #expect(fault?.rule == .malformed)
    }

    @Test func `nobody says of a bot what is said of people`() throws {
        var table = try LogTable(seats: 2, bots: 1)
        try table.chains()
        #expect(table.fault(.away(seat: 2))?.rule == .illegal)
        #expect(table.fault(.leave, by: .seat(2))?.rule == .illegal)
        #expect(table.fault(.fault(seat: 1, kind: .clock, evidence: []), by: .seat(2))?.rule == .illegal)
        #expect(table.fault(.fault(seat: 2, kind: .clock, evidence: []), by: .seat(1))?.rule == .illegal)
        table.time = 60_000
        #expect(table.fault(.left(seat: 2, reason: .draw))?.rule == .illegal)
        let alone = EntryBody.end(
            outcomes: table.state.aloneOutcomes(for: 2), alone: true, stateHash: table.state.hash)
        #expect(table.fault(alone, by: .seat(2))?.rule == .illegal)
        // The host may remove it.
        try table.append(.left(seat: 2, reason: .kicked))
        #expect(table.state.remaining == [0, 1])
    }

    @Test func `a bot that reveals something else does not save its driver`() throws {
        var table = try LogTable(seats: 2, bots: 1)
        try table.chains()
        for seat in 0...2 { try table.append(table.commit(seat), by: .seat(seat)) }
        let lie = EntryBody.reveal(round: 0, nonce: [UInt8](repeating: 1, count: 32))
        #expect(table.fault(lie, by: .seat(2))?.rule == .illegal)
        try table.append(table.reveal(2), by: .seat(2))
        try table.append(lie, by: .seat(1))
        #expect(table.state.seats[1].status == .left)
    }

    @Test func `a joint draw begins with the links of all seats that the sequencer drives`() throws {
        var table = try LogTable.flipped(seats: 2, bots: 2)
        let links = [0, 2, 3].map { table.vaults[$0].link(1) }
        #expect(table.beginDraw() == .draw(draw: 1, seats: [0, 1, 2, 3], links: links))
        for wrong in [[links[0]], [links[0], links[1]], [links[1], links[0], links[2]], links + [links[0]]] {
            #expect(table.fault(.draw(draw: 1, seats: [0, 1, 2, 3], links: wrong))?.rule == .illegal)
        }
        try table.append(table.beginDraw())
        table.time += Limits.linkMilliseconds
        for seat in [0, 2, 3] {
            #expect(table.fault(.withheld(draw: 1, seat: seat))?.rule == .illegal)
        }
        try table.append(.open(draw: 1, links: [table.link(1)], revealAt: table.time))
        #expect(table.state.openDraw == nil)
    }

    @Test func `only the sequencer takes a bot over, and only from another`() throws {
        var early = try LogTable(seats: 3, bots: 1)
        try early.chains()
        #expect(early.fault(driver(early, bot: 3))?.rule == .illegal)
        var table = try handedOver()
        #expect(table.fault(driver(table, bot: 2))?.rule == .illegal)
        #expect(table.fault(driver(table, bot: 3, peer: table.signers[2].peer))?.rule == .illegal)
        #expect(table.fault(driver(table, bot: 3), by: .seat(1))?.rule == .illegal)
        let before = table.state
        try table.append(driver(table, bot: 3))
        #expect(table.state.hash != before.hash)
        #expect(table.state.seats[3].driver == 1)
        #expect(table.state.peer(of: 3) == table.signers[1].peer)
        #expect(table.state.bots(drivenBy: 1) == [3])
        #expect(table.state.formerBoxKeys[3] == [before.boxKeys[3]])
        #expect(table.fault(driver(table, bot: 3))?.rule == .illegal)
    }

    @Test func `no draw begins before the bots are taken over`() throws {
        var table = try handedOver()
        let first = try #require(table.state.draw.first)
        if first == 3 { try table.append(driver(table, bot: 3)) }
        try table.append(LogTable.flip, by: .seat(first))
        if first != 3 {
            let links = [table.vaults[1].link(1)]
            let fault = table.fault(.draw(draw: 1, seats: [0, 1, 2, 3], links: links))
            #expect(fault?.message == "the sequencer has to take the bots over first")
            try table.append(driver(table, bot: 3))
        }
        let bot = SeatVault(seat: 3, match: table.genesis.match, secret: [UInt8](repeating: 9, count: 32))
        try table.append(
            .draw(draw: 1, seats: [0, 1, 2, 3], links: [table.vaults[1].link(1), bot.link(1)]))
        #expect(table.state.openDraw?.draw == 1)
    }

    @Test func `a joint draw that began with a bot's link goes on with it`() throws {
        var table = try LogTable.flipped(seats: 3, bots: 1)
        try table.append(table.beginDraw())
        try handOver(&table, to: 1, epoch: 1)
        try table.append(driver(table, bot: 3))
        #expect(table.state.openDraw?.links.map(\.seat) == [0, 3])
        try table.append(.open(draw: 1, links: [table.link(1), table.link(2)], revealAt: table.time))
        #expect(table.state.openDraw == nil)
    }

    @Test func `a draw of who goes first begins again when a bot in it is taken over`() throws {
        var table = try LogTable(seats: 3, bots: 1)
        try table.chains()
        for seat in 0...3 { try table.append(table.commit(seat), by: .seat(seat)) }
        try table.append(table.reveal(1), by: .seat(1))
        try handOver(&table, to: 1, epoch: 1)
        #expect(table.state.draw.round == 0)
        try table.append(driver(table, bot: 3))
        #expect(table.state.draw.round == 1)
        #expect(table.state.draw.owing == [0, 1, 2, 3])
    }

    @Test func `bots do not go on among themselves`() throws {
        var table = try LogTable(seats: 2, bots: 2)
        try table.chains()
        try table.drawOut()
        try table.append(.leave, by: .seat(1))
        #expect(table.state.remaining == [0, 2, 3])
        try table.append(.leave, by: .seat(0))
        let outcomes = try #require(table.state.dueOutcomes)
        #expect(outcomes.prefix(2) == [.quit, .quit])
        #expect(table.state.voters.isEmpty)
        var drawing = try LogTable(seats: 1, bots: 3)
        try drawing.append(.leave, by: .seat(0))
        #expect(drawing.state.isCancelled)
    }

    @Test func `a word that a bot has set counts as that of a setter that vanished`() throws {
        for seed in UInt64(1)...60 {
            var table = try LogTable("hangman", seats: 3, bots: 1, seed: seed)
            try table.chains()
            try table.drawOut()
            guard table.state.draw.first == 3, let game = table.state.game else { continue }
            let secrets = table.vaults[3].secrets(boxKeys: table.state.boxKeys)
            let word = try game.move(
                for: ["do": "word", "word": "apple"], by: 3, secrets: secrets, at: table.time)
            try table.append(.move(word), by: .seat(3))
            #expect(table.state.game?.turn == [0, 1, 2])
            try handOver(&table, to: 1, epoch: 1)
            try table.append(driver(table, bot: 3))
            let view = try #require(table.state.game).view(for: 0, secrets: nil, at: table.time)
            #expect(view["round"] == 2)
            #expect(view["scores"] == [50, 50, 50, 0])
            #expect(table.state.seats[3].status == .active)
            return
        }
        Issue.record("no seed lets the bot begin")
    }

    @Test func `what was sealed with a bot's former key can still be opened`() throws {
        let match = try LogTable().genesis.match
        let vaults = (0..<3).map {
            SeatVault(seat: $0, match: match, secret: [UInt8](repeating: UInt8($0), count: 32))
        }
        let keys = vaults.map(\.boxPublicKey)
        let sealed = try #require(vaults[1].secrets(boxKeys: keys).seal([1, 2, 3], 0))
        let after = [keys[0], keys[2], []]
        #expect(vaults[0].secrets(boxKeys: after).open(sealed, 1) == nil)
        #expect(vaults[0].secrets(boxKeys: after, former: [[], [keys[1]], []]).open(sealed, 1) == [1, 2, 3])
    }

    @Test func `a bot's secret is another for each seat and epoch`() throws {
        let match = try LogTable().genesis.match
        let vault = SeatVault(seat: 0, match: match, secret: [UInt8](repeating: 5, count: 32))
        let all = [(1, 0), (2, 0), (1, 1), (1, 256)].map { vault.secret(ofBot: $0, epoch: $1) }
        #expect(Set(all).count == 4)
        #expect(all[0] == vault.secret(ofBot: 1, epoch: 0))
    }
}
