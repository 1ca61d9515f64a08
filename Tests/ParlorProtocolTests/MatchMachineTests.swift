import ParlorGames
import Testing

@testable import ParlorProtocol

/// One seat's machine: exact actions where they can be written down, else what follows of them.
struct MatchMachineTests {
    private static let flip: Value = ["do": "flip"]
    private static let id = RequestID(rawValue: 1)

    private func playing(_ game: String = "snap", seats: Int = 2, seed: UInt64 = 1) throws -> Machines {
        var table = try Machines(game, seats: seats, seed: seed)
        table.begin()
        #expect(table.machines.allSatisfy { $0.accepted.phase == .playing })
        return table
    }

    /// A table at which a guest is to flip.
    private func guestFirst(seats: Int = 2) throws -> (Machines, Int) {
        for seed in UInt64(1)...50 {
            let table = try playing(seats: seats, seed: seed)
            if table.first > 0 { return (table, table.first) }
        }
        throw Refusal(.badParams, "no seed lets a guest begin")
    }

    @Test(arguments: 1...4)
    func `machines draw and begin by themselves`(seats: Int) throws {
        let table = try playing("hangman", seats: seats)
        for machine in table.machines {
            #expect(machine.log.head == table.machines[0].log.head)
            #expect(machine.acceptedCount == machine.log.entries.count)
        }
        for notices in table.notices { #expect(notices.count { $0 == .started } == 1) }
    }

    @Test func `a guest begins by asking for what it lacks, and gives its chain`() throws {
        var table = try Machines()
        let actions = table.feed(1, .begin)
        #expect(actions.first == .send(.want(from: 0), to: 0))
        guard case .send(.propose(let proposal), 0) = actions[1] else { return #expect(Bool(false)) }
        #expect(proposal.body.word == "chain")
        #expect(actions.dropFirst(2) == [.arm(second(1))])
    }

    // MARK: Acting

    @Test func `what a guest does goes to the host and is answered with its entry`() throws {
        var (table, guest) = try guestFirst()
        let actions = table.feed(guest, .act(Self.id, Self.flip))
        guard case .send(.propose(let proposal), 0) = actions[0] else { return #expect(Bool(false)) }
        #expect(proposal.body == LogTable.flip)
        #expect(proposal.author == .seat(guest))
        #expect(actions.dropFirst() == [.arm(second(1))])
        let index = table.machines[0].log.entries.count
        table.settle()
        #expect(table.answers(1) == [.success(index)])
        #expect(table.notices[guest].contains(.changed(entry: index, what: "move")))
        #expect(table.notices[0].contains(.changed(entry: index, what: "move")))
    }

    @Test func `what the game forbids is refused at once`() throws {
        var (table, guest) = try guestFirst()
        let actions = table.feed(0, .act(Self.id, Self.flip))
        guard case .reply(Self.id, .failure(.match(let refusal))) = actions[0] else {
            return #expect(Bool(false))
        }
        #expect(refusal.reason == .notYourTurn)
        table.feed(guest, .act(Self.id, ["do": "dance"]))
        #expect(table.replies.count == 2)
    }

    @Test func `before the game nothing can be done`() throws {
        var table = try Machines()
        let actions = table.feed(0, .act(Self.id, Self.flip))
        #expect(
            actions.first
                == .reply(
                    Self.id, .failure(.match(Refusal(.illegalMove, "it is still being drawn who begins")))))
    }

    @Test func `the host refuses to its author what the rules forbid`() throws {
        var (table, guest) = try guestFirst(seats: 3)
        let other = 3 - guest
        let count = table.machines[0].log.entries.count
        let actions = table.feed(
            0, .received(.propose(table.proposal(LogTable.flip, by: other)), from: other))
        #expect(
            actions.first
                == .send(
                    .refuse(counter: 100, Refusal(.notYourTurn, "it is not your turn to flip")), to: other))
        #expect(table.machines[0].log.entries.count == count)
        // The author's word for another is not even refused.
        let foreign = table.proposal(LogTable.flip, by: guest)
        let ignored = table.feed(0, .received(.propose(foreign), from: other))
        #expect(ignored.allSatisfy { if case .arm = $0 { true } else { false } })
        #expect(table.machines[0].log.entries.count == count)
    }

    @Test func `a guest whose proposal is refused is told, once`() throws {
        var (table, guest) = try guestFirst()
        table.feed(guest, .act(Self.id, Self.flip))
        guard case .propose(let proposal)? = table.sent.first?.message else { return #expect(Bool(false)) }
        table.sent = []
        let refusal = Refusal(.illegalMove, "no")
        let message = MatchMessage.refuse(counter: proposal.counter, refusal)
        table.feed(guest, .received(message, from: 0))
        table.feed(guest, .received(message, from: 0))
        #expect(table.answers(1) == [.failure(.match(refusal))])
    }

    @Test func `a host that does not answer within 10 s: timed out, once, also when it answers later`() throws
    {
        var (table, guest) = try guestFirst()
        table.feed(guest, .act(Self.id, Self.flip))
        let late = table.sent
        table.sent = []
        table.now = second(9)
        table.feed(guest, .deadlinePassed)
        #expect(table.replies.isEmpty)
        table.now = second(10)
        #expect(table.feed(guest, .deadlinePassed).first == .reply(Self.id, .failure(.timedOut)))
        table.sent = late
        table.settle()
        #expect(table.answers(1) == [.failure(.timedOut)])
        #expect(table.notices[guest].last.map { if case .changed = $0 { true } else { false } } == true)
    }

    @Test func `only so many actions wait, and there is always room to leave`() throws {
        var (table, guest) = try guestFirst()
        for number in 1...UInt64(Limits.actsMax) {
            table.feed(guest, .act(RequestID(rawValue: number), Self.flip))
        }
        #expect(table.replies.isEmpty)
        table.feed(guest, .act(RequestID(rawValue: 90), Self.flip))
        #expect(table.answers(90) == [.failure(.busy)])
        table.feed(guest, .leave(RequestID(rawValue: 91)))
        table.settle()
        for number in [UInt64(91)] + Array(1...UInt64(Limits.actsMax)) {
            #expect(table.answers(number).count == 1)
        }
        #expect(table.machines[0].accepted.seats[guest].status == .left)
    }

    @Test func `the same proposal again is one entry`() throws {
        var (table, guest) = try guestFirst()
        let proposal = table.proposal(LogTable.flip, by: guest)
        for _ in 0..<3 { table.feed(0, .received(.propose(proposal), from: guest)) }
        table.settle()
        table.feed(0, .received(.propose(proposal), from: guest))
        #expect(table.sent.allSatisfy { if case .refuse = $0.message { false } else { true } })
        table.settle()
        #expect(table.machines[0].log.entries.count { $0.proposal == proposal } == 1)
        // An older one that was never logged is refused, not dropped.
        let stale = table.proposal(LogTable.flip, by: guest, counter: 99)
        let actions = table.feed(0, .received(.propose(stale), from: guest))
        guard case .send(.refuse(99, _), guest) = actions[0] else { return #expect(Bool(false)) }
    }

    @Test func `when the host is back, all that waits is said again`() throws {
        var (table, guest) = try guestFirst()
        table.feed(guest, .act(Self.id, Self.flip))
        let proposal = table.sent[0].message
        table.sent = []
        let alone = Hearing(seats: [guest], isLeaderless: true)
        #expect(
            table.feed(guest, .presence(seat: 0, here: false)) == [
                .broadcast(.hearing(alone)), .notice(.paused), .notice(.away(seat: 0, withheld: false)),
                .arm(second(1)),
            ])
        table.sent = []
        let count = table.machines[guest].log.entries.count
        let head = table.machines[guest].log.head
        let actions = table.feed(guest, .presence(seat: 0, here: true))
        guard case .send(.stored(count - 1, head, _, count, 0), 0) = actions[0] else {
            return #expect(Bool(false))
        }
        #expect(
            actions.dropFirst() == [
                .send(.hearing(alone), to: 0), .send(.want(from: count), to: 0), .send(proposal, to: 0),
                .broadcast(.hearing(Hearing(seats: [0, 1]))), .notice(.goesOn), .notice(.back(seat: 0)),
                .arm(second(1)),
            ])
        table.settle()
        #expect(table.answers(1).count == 1)
    }

    @Test func `what a seat owes and was refused for an old state, it does again`() throws {
        var table = try Machines(seats: 4)
        for seat in table.machines.indices { table.feed(seat, .begin) }
        // Seat 3 leaves while seat 1's commitment is on its way: the others have to draw again.
        table.settle { message, from, _ in
            if case .propose(let proposal) = message {
                from == 1 && proposal.body.word == "commit"
            } else {
                false
            }
        }
        let commit = table.sent
        #expect(commit.count == 1)
        table.sent = []
        table.feed(3, .leave(Self.id))
        table.settle()
        #expect(table.machines[1].accepted.draw.round == 1)
        table.sent = commit
        table.settle()
        #expect(table.machines[0].accepted.phase == .playing)
        #expect(table.machines[0].accepted.remaining == [0, 1, 2])
    }

    // MARK: Storing and accepting

    @Test func `an entry that does not follow is asked for`() throws {
        var (table, guest) = try guestFirst(seats: 3)
        table.feed(guest, .act(Self.id, Self.flip))
        table.settle { message, from, to in
            if case .entries = message { from == 0 && to == 3 - guest } else { false }
        }
        #expect(table.sent.count >= 2)
        let other = 3 - guest
        let count = table.machines[other].log.entries.count
        let last = table.sent[table.sent.count - 1].message
        table.sent = []
        let actions = table.feed(other, .received(last, from: 0))
        #expect(actions.first == .send(.want(from: count), to: 0))
        table.settle()
        #expect(table.machines[other].log.head == table.machines[0].log.head)
    }

    @Test func `what others pass on is taken with the sequencer's signature alone`() throws {
        let (table, guest) = try guestFirst(seats: 3)
        let other = 3 - guest
        let count = table.machines[other].log.entries.count
        let proposal = table.proposal(LogTable.flip, by: guest)
        for signer in [guest, 0] {
            let entry = Entry(
                index: count, previous: table.machines[0].log.head, time: 0, proposal: proposal,
                signer: table.table.signers[signer])
            var copy = table
            copy.feed(other, .received(.entries([entry]), from: guest))
            #expect(copy.machines[other].log.entries.count == (signer == 0 ? count + 1 : count))
            #expect(copy.machines[other].distrusted == (signer == 0 ? [] : [guest]))
        }
    }

    @Test func `a host with two entries at one index is left, with the proof`() throws {
        var (table, guest) = try guestFirst()
        table.feed(guest, .act(Self.id, Self.flip))
        table.sent = []
        let one = table.entry(.away(seat: 0), time: 100)
        let other = table.entry(.away(seat: 0), time: 101)
        table.feed(guest, .received(.entries([one]), from: 0))
        #expect(table.notices[guest].contains(.changed(entry: one.index, what: "away")))
        let actions = table.feed(guest, .received(.entries([other]), from: 0))
        let misdeed = Misdeed(
            seat: 0, .twoEntries, index: one.index, "seat 0 signed two entries \(one.index)",
            evidence: [one.encoded, other.encoded])
        #expect(actions.first == .notice(.fault(misdeed)))
        #expect(table.answers(1).count == 1)
        table.feed(guest, .act(RequestID(rawValue: 2), Self.flip))
        #expect(table.answers(2).count == 1)
        // Nobody else is there to go on with.
        #expect(actions.contains(.notice(.ended([.timedOut, .won]))))
        #expect(table.machines[guest].log.entries.dropLast().last == one)
    }

    @Test func `a host with an illegal entry is left`() throws {
        let (table, guest) = try guestFirst(seats: 3)
        let head = table.machines[guest].log.head
        for body in [EntryBody.back(seat: 0), .expire, .leave] {
            var copy = table
            let entry = copy.entry(body)
            let actions = copy.feed(guest, .received(.entries([entry]), from: 0))
            guard case .notice(.fault(let misdeed)) = actions[0] else { return #expect(Bool(false)) }
            #expect(misdeed.kind == .illegalEntry)
            #expect(misdeed.seat == 0)
            #expect(misdeed.evidence == [entry.encoded])
            #expect(copy.machines[guest].log.head == head)
            #expect(copy.machines[guest].accepted.phase == .playing)
        }
    }

    @Test func `another state of the same log is said aloud, and the match goes on`() throws {
        var (table, guest) = try guestFirst()
        while table.machines[0].log.entries.count < Limits.stateHashEntries {
            let seat = table.machines[0].accepted.game?.turn.first ?? 0
            table.feed(seat, .act(Self.id, Self.flip))
            table.pass(milliseconds: 1_000)
        }
        let index = Limits.stateHashEntries - 1
        let hash = try #require(table.machines[guest].log.hash(at: index))
        let wrong = [UInt8](repeating: 0, count: 32)
        let other = MatchMessage.stored(
            index: index, hash: hash, stateHash: wrong, accepted: 0, epoch: 0)
        let actions = table.feed(guest, .received(other, from: 0))
        #expect(actions.first == .notice(.desync(seat: 0, entry: index)))
        #expect(table.machines[guest].accepted.phase == .playing)
        let good = table.machines[0].stateHashes[index]
        let same = MatchMessage.stored(index: index, hash: hash, stateHash: good, accepted: 0, epoch: 0)
        let notices = table.feed(guest, .received(same, from: 0)).filter {
            if case .notice = $0 { true } else { false }
        }
        #expect(notices.isEmpty)
    }

    @Test func `a seat that says it stored another entry does not count, and ends nothing`() throws {
        var (table, guest) = try guestFirst(seats: 3)
        let other = 3 - guest
        table.feed(guest, .act(Self.id, Self.flip))
        table.settle { _, from, _ in from == 0 }
        let index = table.machines[0].log.entries.count - 1
        #expect(table.machines[0].acceptedCount == index)
        let wrong = [UInt8](repeating: 0, count: 32)
        let actions = table.feed(
            0,
            .received(.stored(index: index, hash: wrong, stateHash: nil, accepted: 0, epoch: 0), from: other))
        #expect(actions.first == .notice(.desync(seat: other, entry: index)))
        #expect(table.machines[0].acceptedCount == index)
        table.settle()
        #expect(table.machines[0].acceptedCount > index)
    }

    @Test(arguments: [false, true])
    func `what others said they stored counts for all entries before, when those arrive`(
        isOlderWordLast: Bool
    ) throws {
        var table = try playing(seats: 4)
        let seat = try #require(table.machines[0].accepted.game?.turn.first)
        let late = seat == 3 ? 2 : 3
        table.feed(seat, .act(RequestID(rawValue: 2), Self.flip))
        table.settle { message, _, to in
            if case .entries = message { to == late } else { false }
        }
        let held = table.sent
        #expect(held.count >= 2)
        table.sent = []
        let first = table.machines[late].log.entries.count
        let hash = try #require(table.machines[0].log.hash(at: first))
        for other in 1...3 where other != late && isOlderWordLast {
            let word = MatchMessage.stored(
                index: first, hash: hash, stateHash: nil, accepted: 0, epoch: 0)
            table.feed(late, .received(word, from: other))
        }
        for message in held { table.feed(late, .received(message.message, from: message.from)) }
        #expect(table.machines[late].acceptedCount == table.machines[late].log.entries.count)
        #expect(table.machines[late].log.head == table.machines[0].log.head)
    }

    @Test func `in a match of three an entry of the host waits for a second seat`() throws {
        var table = try playing(seats: 3)
        let count = table.machines[0].log.entries.count
        table.feed(0, .presence(seat: 1, here: false))
        // As long as another seat hears it, it is not away.
        #expect(table.machines[0].log.entries.count == count)
        table.feed(2, .presence(seat: 1, here: false))
        table.settle { _, from, to in from == 1 || to == 1 }
        #expect(table.machines[0].accepted.seats[1].status == .away)
        #expect(table.notices[2].contains(.away(seat: 1, withheld: false)))
    }

    @Test func `without a quorum the host appends nothing more and ends alone after the grace`() throws {
        var table = try playing(seats: 3)
        table.feed(0, .presence(seat: 1, here: false))
        table.feed(0, .presence(seat: 2, here: false))
        table.sent = []
        table.feed(0, .leave(Self.id))
        let count = table.machines[0].log.entries.count
        let grace = table.table.genesis.options.int("grace_s")
        table.now = table.now + .seconds(grace - 1)
        table.feed(0, .deadlinePassed)
        #expect(table.machines[0].log.entries.count == count)
        #expect(table.machines[0].accepted.phase == .playing)
        table.now = table.now + .seconds(1)
        let actions = table.feed(0, .deadlinePassed)
        #expect(actions.contains(.notice(.ended([.won, .timedOut, .timedOut]))))
        #expect(actions.last == .arm(nil))
        #expect(table.machines[0].log.entries.count == count)  // the end in place of what was not accepted
        #expect(table.answers(1).count == 1)
        let text = LogText.write(table.machines[0].log)
        let words = table.machines[0].accepted.words
        #expect(try LogText.read(text, words: { _ in words }, signing: .standIn).state.endedAlone)
    }

    @Test func `a guest whose host is gone for good ends its copy alone`() throws {
        var (table, guest) = try guestFirst()
        table.feed(guest, .act(Self.id, Self.flip))
        let actions = table.feed(guest, .sequencerLost)
        #expect(actions.contains(.notice(.ended([.timedOut, .won]))))
        #expect(table.answers(1).count == 1)
        #expect(table.feed(guest, .sequencerLost).isEmpty)
        let count = table.machines[guest].log.entries.count
        #expect(
            table.feed(guest, .presence(seat: 0, here: true)) == [.send(.want(from: count - 1), to: 0)])
    }

    @Test func `a host that ended its copy alone ends nobody else's`() throws {
        var table = try playing(seats: 3)
        for guest in 1...2 { table.feed(0, .presence(seat: guest, here: false)) }
        table.feed(0, .kick(seat: 2))
        let entry = try #require(table.machines[0].log.entries.last)
        #expect(table.machines[0].acceptedCount == entry.index)
        table.feed(1, .received(.entries([entry]), from: 0))
        #expect(table.machines[1].acceptedCount == entry.index + 1)
        table.now = table.now + .seconds(table.table.genesis.options.int("grace_s"))
        table.feed(0, .deadlinePassed)
        let end = try #require(table.machines[0].log.entries.last)
        #expect(end.index == entry.index)
        let actions = table.feed(1, .received(.entries([end]), from: 0))
        #expect(actions.contains(.notice(.paused)))
        #expect(table.machines[1].acceptedCount == entry.index + 1)
        #expect(table.machines[1].accepted.phase == .playing)
    }

    // MARK: After the end

    @Test func `after the end everything is answered`() throws {
        var (table, guest) = try guestFirst()
        table.feed(guest, .leave(Self.id))
        table.settle { message, _, to in
            if case .entries = message { to == guest } else { false }
        }
        #expect(table.machines[0].accepted.phase == .ended)
        #expect(table.machines[guest].accepted.phase == .playing)
        table.sent = []
        table.feed(0, .received(.want(from: table.machines[guest].log.entries.count), from: guest))
        table.settle()
        #expect(table.machines[guest].accepted.phase == .ended)
        #expect(table.machines[guest].log.head == table.machines[0].log.head)
        let over = Refusal(.matchEnded, "the match is over")
        for seat in 0...1 {
            #expect(
                table.feed(seat, .act(RequestID(rawValue: 8), Self.flip)) == [
                    .reply(RequestID(rawValue: 8), .failure(.match(over)))
                ])
            #expect(
                table.feed(seat, .leave(RequestID(rawValue: 9))) == [
                    .reply(RequestID(rawValue: 9), .failure(.match(over)))
                ])
            #expect(table.feed(seat, .deadlinePassed).isEmpty)
            #expect(table.feed(seat, .kick(seat: 1)).isEmpty)
        }
        let proposal = table.proposal(LogTable.flip, by: guest)
        #expect(
            table.feed(0, .received(.propose(proposal), from: guest)) == [
                .send(.refuse(counter: 100, over), to: guest)
            ])
    }

    // MARK: Joint draws

    @Test func `a link of the next draw does not push out those of this one`() throws {
        var (table, guest) = try guestFirst(seats: 3)
        let other = 3 - guest
        table.feed(guest, .act(Self.id, Self.flip))
        table.settle { message, from, _ in
            if case .link = message { from == other } else { false }
        }
        #expect(table.machines[0].accepted.openDraw != nil)
        let next = table.machines[0].accepted.lastDraw + 1
        let early = table.machines[guest].secrets.link(next)
        table.feed(0, .received(.link(draw: next, SeatLink(seat: guest, link: early)), from: guest))
        table.settle()
        #expect(table.machines[0].accepted.openDraw == nil)
        #expect(table.machines[0].accepted.seats.allSatisfy { $0.withheld == 0 })
        #expect(table.machines[0].log.entries.last?.proposal.body.word == "open")
    }

    @Test func `a link that is no seat's or of no chain is nothing`() throws {
        var (table, guest) = try guestFirst(seats: 3)
        table.feed(guest, .act(Self.id, Self.flip))
        table.settle { message, _, _ in if case .link = message { true } else { false } }
        table.sent = []
        let draw = table.machines[0].accepted.lastDraw
        let wrong = [
            SeatLink(seat: 1, link: [UInt8](repeating: 0, count: 32)), SeatLink(seat: 9, link: []),
            SeatLink(seat: -1, link: []), SeatLink(seat: 2, link: table.machines[1].secrets.link(draw)),
        ]
        for link in wrong {
            for number in [draw, 0, -1, .max] {
                table.feed(0, .received(.link(draw: number, link), from: guest))
            }
        }
        #expect(table.machines[0].links.isEmpty)
        #expect(
            table.notices[0].filter { if case .fault = $0 { true } else { false } }.count == 1,
            "named, once")
        // Whoever holds a link passes it on.
        for seat in 1...2 {
            let link = SeatLink(seat: seat, link: table.machines[seat].secrets.link(draw))
            table.feed(0, .received(.link(draw: draw, link), from: 1))
        }
        table.settle()
        #expect(table.machines[0].accepted.openDraw == nil)
    }

    @Test func `a seat without its link for 2 s is away until it is heard again`() throws {
        var (table, guest) = try guestFirst(seats: 3)
        let other = 3 - guest
        table.feed(guest, .act(Self.id, Self.flip))
        table.settle { _, from, _ in from == other }
        table.sent = []
        for _ in 0..<2 {
            table.now = table.now + .milliseconds(Limits.linkMilliseconds / 2)
            for seat in [guest, 0] { table.feed(seat, .deadlinePassed) }
            table.settle { _, from, _ in from == other }
        }
        #expect(table.machines[0].accepted.seats[other].status == .away)
        #expect(table.machines[0].accepted.seats[other].withheld == 1)
        #expect(table.machines[0].accepted.openDraw == nil)
        table.settle()
        #expect(table.machines[0].accepted.seats[other].status == .active)
    }

    // MARK: Removing

    @Test func `only the sequencer removes a seat`() throws {
        var table = try playing(seats: 3)
        table.feed(1, .kick(seat: 2))
        table.feed(0, .kick(seat: 9))
        table.feed(0, .kick(seat: -1))
        table.settle()
        #expect(table.machines[0].accepted.remaining == [0, 1, 2])
        table.feed(0, .kick(seat: 2))
        table.settle()
        #expect(table.machines[1].accepted.remaining == [0, 1])
        #expect(table.notices[1].contains(.left(seat: 2, .kicked)))
        table.feed(2, .act(Self.id, Self.flip))
        #expect(table.answers(1) == [.failure(.match(Refusal(.notInMatch, "your seat has left this match")))])
    }

    // MARK: A machine that lost everything

    @Test func `a new machine of a seat has the old one's secrets out of the log`() throws {
        var (table, guest) = try guestFirst()
        let old = table.machines[guest].secrets
        table.machines[guest] = table.machine(guest, secret: 99, isNew: false)
        #expect(table.machines[guest].secrets.link(7) != old.link(7))
        table.feed(guest, .begin)
        table.settle()
        #expect(table.machines[guest].log.head == table.machines[0].log.head)
        #expect(table.machines[guest].secrets.link(7) == old.link(7))
        table.feed(guest, .act(Self.id, Self.flip))
        table.settle()
        #expect(table.answers(1).map { (try? $0.get()) != nil } == [true])
        table.pass(milliseconds: 1_000)
        #expect(table.machines[0].log.entries.last?.proposal.body.word == "open")
    }

    @Test func `a setter that lost everything answers for the word it had set`() throws {
        for seed in UInt64(1)...50 {
            var table = try playing("hangman", seed: seed)
            guard table.first == 1 else { continue }
            table.feed(1, .act(Self.id, ["do": "word", "word": "garden"]))
            table.settle()
            table.machines[1] = table.machine(1, secret: 99, isNew: false)
            table.feed(1, .begin)
            table.settle()
            for (number, letter) in ["g", "z", "a"].enumerated() {
                table.feed(
                    0,
                    .act(
                        RequestID(rawValue: 20 + UInt64(number)), ["do": "guess", "letter": .string(letter)]))
                table.settle()
            }
            let host = table.machines[0]
            let view = host.accepted.game?.view(for: 0, secrets: host.secrets, at: 0)
            let board = view?["boards"]?.elements?.first
            #expect(board?["mask"] == "G A _ _ _ _")
            #expect(board?["bad"] == 1)
            return
        }
        Issue.record("no seed lets the guest set first")
    }

    @Test func `what has waited too long is answered with whatever comes next`() throws {
        var table = try Machines()
        table.feed(1, .begin)
        table.feed(1, .leave(RequestID(rawValue: 1)))
        // Its deadline has passed when something else happens, before anybody said so.
        table.now = second(11)
        let actions = table.feed(1, .presence(seat: 0, here: false))
        #expect(actions.contains(.reply(RequestID(rawValue: 1), .failure(.timedOut))))
        let armed = actions.compactMap { action -> Tick? in
            if case .arm(let tick) = action { tick } else { nil }
        }
        #expect(armed.allSatisfy { $0 > table.now } && armed.count == 1)
    }
}
