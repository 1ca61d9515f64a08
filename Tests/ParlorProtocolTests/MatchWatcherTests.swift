import ParlorCrypto
import ParlorGames
import ParlorSim
import Testing

@testable import ParlorProtocol

/// Exact actions of a watcher's copy, and what it takes and does not take.
struct MatchWatcherTests {
    private func watcher(_ table: LogTable) -> MatchWatcher {
        MatchWatcher(table.genesis, words: table.state.words, signing: .standIn, now: second(0))
    }

    /// A copy that has these entries and has been told that there are no more.
    private func caughtUp(_ table: LogTable) -> MatchWatcher {
        var copy = watcher(table)
        _ = copy.handle(.begin, at: second(0))
        _ = copy.handle(.received(.entries(table.log.entries)), at: second(0))
        _ = copy.handle(.received(.entries([])), at: second(0))
        return copy
    }

    /// A match that was played to its end by chance.
    private func played(_ game: String, seats: Int, seed: UInt64) throws -> SimTable {
        var setup = SimTable.Setup(game: game, seats: seats)
        if game == "snap" { setup.options = [Value.Member("max_flips", 40)] }
        var table = try SimTable(setup, seed: seed)
        let over = table.run(forSeconds: 900)
        try #require(over)
        return table
    }

    private let idle = second(0) + Limits.watchIdleWait
    private let asked = second(0) + Limits.watchAskWait

    @Test func `it asks from the beginning, goes on until there is no more, then waits`() throws {
        var table = try LogTable()
        try table.append(table.chain(0), by: .host)
        try table.append(table.chain(1), by: .guest)
        var copy = watcher(table)
        #expect(copy.handle(.begin, at: second(0)) == [.send(.want(from: 0)), .arm(asked)])
        #expect(
            copy.handle(.received(.entries(table.log.entries)), at: second(0)) == [
                .notice(.changed(entry: 0, what: "chain")), .notice(.changed(entry: 1, what: "chain")),
                .send(.want(from: 2)), .arm(asked),
            ])
        #expect(copy.handle(.received(.entries([])), at: second(0)) == [.arm(idle)])
        #expect(copy.log.head == table.log.head)
        try table.append(table.commit(0), by: .host)
        let next = RoomEntry.last(table)
        #expect(
            copy.handle(.received(.entries([next])), at: second(0))
                == [.notice(.changed(entry: 2, what: "commit")), .arm(idle)])
        #expect(copy.handle(.received(.entries([next])), at: second(0)) == [.arm(idle)])
        #expect(copy.handle(.linkBack, at: second(0)) == [.send(.want(from: 3)), .arm(asked)])
    }

    @Test func `no answer, a gap and silence make it ask again`() throws {
        var table = try LogTable()
        try table.chains()
        var copy = watcher(table)
        _ = copy.handle(.begin, at: second(0))
        #expect(copy.handle(.deadlinePassed, at: second(1)) == [.arm(asked)])
        #expect(
            copy.handle(.deadlinePassed, at: asked) == [
                .send(.want(from: 0)), .arm(asked + Limits.watchAskWait),
            ])
        #expect(
            copy.handle(.received(.entries([table.log.entries[1]])), at: second(3)) == [
                .send(.want(from: 0)), .arm(second(3) + Limits.watchAskWait),
            ])
        var other = caughtUp(table)
        #expect(other.handle(.deadlinePassed, at: idle).first == .send(.want(from: 2)))
    }

    @Test func `what only seats have to do with is nothing to it`() throws {
        let table = try LogTable.flipped(seats: 2)
        var copy = caughtUp(table)
        let proposal = table.log.entries[0].proposal
        for message: MatchMessage in [
            .propose(proposal), .refuse(counter: 1, Refusal(.notYourTurn, "no")), .want(from: 0),
            .stored(index: 0, hash: table.log.head, stateHash: nil, accepted: 1, epoch: 0), .ask(epoch: 1),
            .promised(epoch: 1), .hearing(Hearing(seats: [0, 1])),
            .link(draw: 1, SeatLink(seat: 1, link: table.log.head)),
        ] {
            #expect(copy.handle(.received(message), at: second(0)) == [.arm(idle)])
        }
        #expect(copy.log.head == table.log.head && copy.fault == nil)
    }

    @Test func `a card is told to be shown when its moment has come`() throws {
        var table = try LogTable.flipped(seats: 2)
        try table.append(table.beginDraw())
        var copy = caughtUp(table)
        let now = second(0)
        let shown = copy.time(at: now) + 100
        try table.append(.open(draw: 1, links: [table.link(1)], revealAt: shown))
        let actions = copy.handle(.received(.entries([RoomEntry.last(table)])), at: now)
        let index = table.log.entries.count - 1
        #expect(actions.first == .notice(.changed(entry: index, what: "open")))
        #expect(actions.last == .arm(now + .milliseconds(100)))
        #expect(
            copy.handle(.deadlinePassed, at: now + .milliseconds(100)) == [.notice(.revealed), .arm(idle)])
    }

    // MARK: What is wrong

    @Test func `an entry with any byte changed is not taken, and stops the copy if it can be read`() throws {
        var table = try LogTable()
        try table.chains()
        try table.append(table.commit(0), by: .host)
        let good = RoomEntry.last(table)
        var before = table
        before.log.truncate(to: 2, state: try state(table, count: 2))
        var unreadable = 0
        for place in good.encoded.indices {
            var bytes = good.encoded
            bytes[place] ^= 1
            var copy = caughtUp(before)
            let head = copy.log.head
            guard let entry = Entry(decoding: bytes) else {
                unreadable += 1
                continue
            }
            let actions = copy.handle(.received(.entries([entry])), at: second(0))
            #expect(copy.log.head == head && copy.log.entries.count == 2, "byte \(place)")
            // An index further on is a gap, and asked for.
            guard entry.index <= 2 else {
                #expect(actions.first == .send(.want(from: 2)))
                continue
            }
            let fault = try #require(copy.fault, "byte \(place)")
            #expect(fault.entry == entry && fault.index == entry.index)
            #expect(actions.count == 2 && actions.last == .arm(nil))
            #expect(copy.handle(.received(.entries([good])), at: second(0)) == [])
            #expect(copy.handle(.begin, at: second(0)) == [])
        }
        #expect(unreadable < good.encoded.count / 2)
    }

    private func state(_ table: LogTable, count: Int) throws -> MatchState {
        var log = MatchLog(table.genesis, words: table.state.words, signing: .standIn)
        for entry in table.log.entries.prefix(count) { try log.append(entry) }
        return log.state
    }

    @Test func `a fault names entry, author and rule`() throws {
        var table = try LogTable()
        try table.chains()
        var copy = caughtUp(table)
        let move = table.entry(table.proposal(LogTable.flip, by: .guest))
        let actions = copy.handle(.received(.entries([move])), at: second(0))
        #expect(
            actions == [
                .notice(
                    .violation(
                        "entry 2, 'move' by player 1 (seat 1), breaks the rule 'illegal': "
                            + "the draw is still on"
                    )),
                .arm(nil),
            ])
        #expect(copy.fault?.rule == .illegal && copy.fault?.author == .guest && copy.fault?.index == 2)
        var forged = caughtUp(table)
        let expire = table.entry(table.proposal(.expire, by: .sequencer), signer: table.signers[1])
        _ = forged.handle(.received(.entries([expire])), at: second(0))
        #expect(forged.fault?.rule == .signature && forged.fault?.author == .sequencer)
    }

    @Test func `another entry in the place of an accepted one is said to be two`() throws {
        var table = try LogTable()
        try table.chains()
        var other = table
        try table.append(table.commit(0), by: .host)
        try other.append(other.commit(1), by: .guest)
        var copy = caughtUp(table)
        let actions = copy.handle(.received(.entries([RoomEntry.last(other)])), at: second(0))
        #expect(
            actions.first
                == .notice(
                    .violation(
                        "entry 2, 'commit' by player 1 (seat 1), breaks the rule 'fork': "
                            + "there are two entries 2")))
        #expect(copy.log.head == table.log.head)
    }

    @Test func `an end alone gives way to a longer log, and a longer log not to it`() throws {
        var table = try LogTable()
        try table.chains()
        try table.drawOut()
        var alone = table
        try alone.append(
            .end(
                outcomes: alone.state.aloneOutcomes(for: 1), alone: true, stateHash: alone.state.hash),
            by: .guest)
        try table.append(LogTable.flip, by: .seat(table.state.draw.first ?? 0))
        let (end, flip) = (RoomEntry.last(alone), RoomEntry.last(table))

        var copy = caughtUp(alone)
        #expect(copy.log.state.phase == .ended && copy.log.state.endedAlone)
        #expect(copy.handle(.linkBack, at: second(0)).first == .send(.want(from: end.index)))
        #expect(
            copy.handle(.received(.entries([flip])), at: second(0)).prefix(2)
                == [.notice(.changed(entry: flip.index, what: "move")), .notice(.goesOn)])
        #expect(copy.log.head == table.log.head && copy.log.state.phase == .playing && copy.fault == nil)

        var longer = caughtUp(table)
        #expect(longer.handle(.received(.entries([end])), at: second(0)) == [.arm(idle)])
        #expect(longer.log.head == table.log.head && longer.fault == nil)
    }

    // MARK: Whole matches

    @Test(arguments: UInt64(1)...12)
    func `a watcher sees of a whole match what its seats see`(seed: UInt64) throws {
        let table = try played(seed % 2 == 0 ? "snap" : "hangman", seats: 2 + Int(seed % 3), seed: seed)
        let host = table.machines[0]
        let words = host.log.state.words
        var copy = MatchWatcher(host.log.genesis, words: words, signing: .standIn, now: second(0))
        var notices: [MatchNotice] = []
        for entry in host.log.entries {
            for case .notice(let notice) in copy.handle(.received(.entries([entry])), at: second(0)) {
                notices.append(notice)
            }
        }
        #expect(copy.fault == nil && copy.log.head == host.log.head)
        #expect(copy.log.state.hash == host.accepted.hash)
        #expect(
            notices.filter { $0 != .revealed }
                == table.notices[0].filter { notice in
                    switch notice {
                    case .revealed, .refused, .desync, .violation: false
                    default: true
                    }
                }, "seed \(seed)")
    }

    @Test(arguments: UInt64(1)...12)
    func `links of cards that are not turned are in nothing that a watcher gets`(seed: UInt64) throws {
        let table = try played("snap", seats: 2 + Int(seed % 3), seed: seed)
        var sent: [[UInt8]] = []
        var checked = 0
        for entry in table.machines[0].log.entries {
            // The sequencer's own link comes as the draw is begun; the others' as it is opened.
            if case .open(_, let links, _) = entry.proposal.body {
                for link in links {
                    checked += 1
                    #expect(!sent.contains { $0.contains(link.link) }, "seed \(seed), entry \(entry.index)")
                }
            }
            sent.append(MatchMessage.entries([entry]).cbor.encoded())
        }
        #expect(checked > 20)
        #expect(
            sent.contains { $0.contains(table.machines[0].log.entries[0].hash) }, "what is there is found")
    }

    @Test(arguments: UInt64(1)...12)
    func `the word of Hangman is in nothing that a watcher gets before all see it`(seed: UInt64) throws {
        let table = try played("hangman", seats: 2 + Int(seed % 3), seed: seed)
        let log = table.machines[0].log
        var copy = MatchWatcher(log.genesis, words: log.state.words, signing: .standIn, now: second(0))
        // What was sent and told since the round began.
        var told = ""
        var (words, round) = (0, 1)
        for entry in log.entries {
            let sent = String(decoding: MatchMessage.entries([entry]).cbor.encoded(), as: UTF8.self)
            let actions = copy.handle(.received(.entries([entry])), at: second(0))
            let view = copy.log.state.game?.view(for: nil, secrets: nil, at: 0) ?? .null
            let isOver = copy.log.state.game?.outcomes != nil
            if let now = view["round"]?.number, now != round || isOver,
                let word = view["reveal"]?["word"]?.text
            {
                let isTold = told.contains(word.lowercased())
                #expect(!isTold, "seed \(seed), '\(word)' of round \(round)")
                words += 1
                told = ""
                round = now
                if isOver { break }
            } else {
                told += "\(sent) \(actions) \(view["mask"] ?? .null) \(view["boards"] ?? .null)".lowercased()
            }
        }
        #expect(words == log.genesis.seats.count, "every seat set a word")
    }
}

/// Entries of tables.
private enum RoomEntry {
    static func last(_ table: LogTable) -> Entry {
        guard let entry = table.log.entries.last else { preconditionFailure("the table has entries") }
        return entry
    }
}
