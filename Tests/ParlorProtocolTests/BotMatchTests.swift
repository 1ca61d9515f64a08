import ParlorGames
import ParlorSim
import Testing

@testable import ParlorProtocol

/// Bots beside the machine that plays them, and whole matches with them in virtual time.
struct BotMatchTests {
    private static func setup(_ game: String, people: Int, bots: [BotSkill]) -> SimTable.Setup {
        var setup = SimTable.Setup(game: game, seats: people)
        setup.bots = bots
        setup.options = [.init("grace_s", 20)]
        setup.options += game == "snap" ? [.init("max_flips", 30)] : [.init("turn_s", 20)]
        return setup
    }

    static let worlds: [(String, UInt64)] = ["snap", "hangman", "story"].flatMap { game in
        (UInt64(1)...6).map { (game, $0) }
    }

    @Test(arguments: zip(BotSkill.allCases, UInt64(1)...3))
    func `a bot plays Tic Tac Toe to the end, and a hard one does not lose`(skill: BotSkill, seed: UInt64)
        throws
    {
        for number in seed * 100..<seed * 100 + 4 {
            var table = try SimTable(Self.setup("tictactoe", people: 1, bots: [skill]), seed: number)
            let isOver = table.run(forSeconds: 3_000)
            #expect(isOver, "seed \(number)")
            HandOverTests.expectAgreement(table, "seed \(number)")
            let outcomes = try #require(table.machines[0].accepted.outcomes)
            #expect(skill != .hard || outcomes[1] != .lost, "seed \(number): \(outcomes)")
        }
    }

    /// How many moves each seat has in a log.
    private static func moves(_ log: MatchLog) -> [Int] {
        var counts = Array(repeating: 0, count: log.genesis.seats.count)
        for entry in log.entries {
            if case .move = entry.proposal.body, case .seat(let seat) = entry.proposal.author {
                counts[seat] += 1
            }
        }
        return counts
    }

    @Test(arguments: worlds)
    func `bots play to the end with people`(game: String, seed: UInt64) throws {
        let bots: [BotSkill] = seed % 2 == 0 ? [.easy, .hard] : [.normal]
        var table = try SimTable(
            Self.setup(game, people: 1 + Int(seed % 2), bots: bots), seed: seed)
        let isOver = table.run(forSeconds: 3_000)
        #expect(isOver, "\(game), seed \(seed)")
        HandOverTests.expectAgreement(table, "\(game), seed \(seed)")
        let moves = Self.moves(table.machines[0].log)
        #expect(moves.allSatisfy { $0 > 0 }, "\(game), seed \(seed): \(moves)")
        #expect(!table.machines[0].accepted.endedAlone)
    }

    @Test(arguments: worlds)
    func `when their driver dies, whoever orders the entries next plays them on`(game: String, seed: UInt64)
        throws
    {
        var table = try SimTable(Self.setup(game, people: 3, bots: [.normal]), seed: seed)
        var random = SeededGenerator(seed: seed &* 77)
        _ = table.run(forMilliseconds: Int.random(in: 0...(seed % 2 == 0 ? 400 : 6_000), using: &random))
        table.vanish(0, afterMilliseconds: 0)
        let isOver = table.run(forSeconds: 3_000)
        let what = "\(game), seed \(seed)"
        #expect(isOver, "\(what)")
        HandOverTests.expectAgreement(table, what)
        let log = table.machines[1].log
        let takeOver = try #require(
            log.entries.firstIndex {
                if case .driver(3, _, _, _, _) = $0.proposal.body { true } else { false }
            }, "\(what)")
        guard case .sequencer = log.entries[takeOver - 1].proposal.body else {
            return #expect(Bool(false), "\(what): the bot is taken over first of all")
        }
        let isPlayedOn = log.entries[takeOver...].contains { $0.proposal.author == .seat(3) }
        #expect(isPlayedOn, "\(what)")
        #expect(log.state.seats[3].driver == log.state.sequencer, "\(what)")
        #expect(log.state.seats[3].status == .active, "\(what)")
    }

    @Test func `a driver that begins again from its disk plays its bots on with the same secrets`() throws {
        var table = try SimTable(Self.setup("hangman", people: 2, bots: [.hard]), seed: 4)
        _ = table.run(forMilliseconds: 3_000)
        let before = try #require(table.machines[0].secrets(ofBot: 2)).link(9)
        table.crash(0, afterMilliseconds: 0)
        _ = table.run(forMilliseconds: 100)
        #expect(table.machines[0].secrets(ofBot: 2)?.link(9) == before)
        table.restart(0, afterMilliseconds: 0)
        _ = table.run(forMilliseconds: 2_000)
        #expect(table.machines[0].secrets(ofBot: 2)?.link(9) == before)
        let isOver = table.run(forSeconds: 3_000)
        #expect(isOver)
        HandOverTests.expectAgreement(table, "seed 4")
        #expect(!table.machines[0].log.entries.contains { $0.proposal.body.word == "driver" })
    }

    @Test func `a driver that leaves leaves its bots to the next`() throws {
        var table = try SimTable(Self.setup("snap", people: 2, bots: [.normal, .easy]), seed: 5)
        _ = table.run(forMilliseconds: 2_000)
        table.leave(0)
        let isOver = table.run(forSeconds: 3_000)
        #expect(isOver)
        let log = table.machines[1].log
        #expect(log.entries.count { $0.proposal.body.word == "driver" } == 2)
        let outcomes = try #require(log.state.outcomes)
        #expect(outcomes[0] == .quit)
        #expect(outcomes.dropFirst().allSatisfy { $0 != .quit })
    }

    @Test func `only whoever drives a bot acts for it`() throws {
        var table = try SimTable(Self.setup("snap", people: 2, bots: [.normal]), seed: 6)
        _ = table.run(forMilliseconds: 1_000)
        var (host, guest) = (table.machines[0], table.machines[1])
        #expect(host.drivenBots == [2])
        #expect(guest.drivenBots == [])
        let id = RequestID(rawValue: 900)
        for seat in [0, 2] {
            let actions = guest.handle(.actFor(id, seat: seat, ["do": "snap"]), at: table.now)
            guard case .reply(id, .failure(.match(let refusal))) = actions.first else {
                return #expect(Bool(false))
            }
            #expect(refusal.reason == .notInMatch)
        }
        let actions = host.handle(.actFor(id, seat: 1, ["do": "snap"]), at: table.now)
        guard case .reply(id, .failure(.match(let refusal))) = actions.first else {
            return #expect(Bool(false))
        }
        #expect(refusal.reason == .notInMatch)
    }

    /// A table of one person and a bot that is played from outside.
    private func external(seed: UInt64) throws -> (machine: MatchMachine, bots: BotSeats, now: Tick) {
        for seed in seed..<seed + 40 {
            var table = try Machines("snap", seats: 1, bots: 1, seed: seed)
            table.begin()
            guard table.machines[0].accepted.game?.turn == [1] else { continue }
            return (
                table.machines[0], BotSeats(levels: [1: .hard], external: [1], seed: 1),
                table.now
            )
        }
        throw Refusal(.badParams, "no seed lets the bot begin")
    }

    @Test func `a program is asked once for each change, and its answer is done when it is due`() throws {
        var (machine, bots, now) = try external(seed: 1)
        let wishes = bots.look(machine, at: now)
        guard case .ask(let sight) = wishes.first, wishes.count == 1 else { return #expect(Bool(false)) }
        #expect(sight.seat == 1)
        #expect(sight.legal.first == ["do": "flip"])
        #expect(bots.look(machine, at: now).isEmpty)
        bots.set(BotPlan(["do": "flip"], at: sight.now + 300), for: 1)
        #expect(bots.look(machine, at: now).isEmpty)
        let due = try #require(bots.next)
        #expect(due - now == .milliseconds(300))
        #expect(bots.look(machine, at: due) == [.act(seat: 1, ["do": "flip"])])
        #expect(bots.look(machine, at: due).isEmpty)
        // Refused, it is asked again, but not at once.
        bots.answered(1, isDone: false, at: due)
        #expect(bots.look(machine, at: due).isEmpty)
        let again = due + .milliseconds(Limits.botAgainMilliseconds)
        #expect(bots.next == again)
        guard case .ask = bots.look(machine, at: again).first else { return #expect(Bool(false)) }
        // A bot's own mind takes over in the middle of a question.
        bots.takeBack(1)
        _ = machine.handle(.deadlinePassed, at: again)
        #expect(bots.look(machine, at: again).isEmpty)
        #expect(bots.next.map { $0 <= again + .seconds(1) } ?? false)
    }
}
