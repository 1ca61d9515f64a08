import ParlorGames
import ParlorProtocol
import ParlorSim
import Testing

/// Matches whose sequencer goes, in virtual time; the seed in a failure makes it happen again.
struct HandOverTests {
    static let games = ["snap", "hangman"]
    static let worlds: [(String, UInt64)] = games.flatMap { game in (UInt64(1)...12).map { (game, $0) } }

    static func table(_ game: String, seats: Int, seed: UInt64, grace: Int = 20) throws -> SimTable {
        var setup = SimTable.Setup(game: game, seats: seats)
        setup.options = [.init("grace_s", .int(grace))]
        setup.options += game == "snap" ? [.init("max_flips", 24)] : [.init("turn_s", 20)]
        setup.network = [.lan, .wifi, .badWifi, .congested][Int(seed / 3 % 4)]
        return try SimTable(setup, seed: seed)
    }

    /// What must hold of those that are here when a match is over.
    static func expectAgreement(_ table: SimTable, _ what: String) {
        let here = table.machines.indices.filter { !table.gone.contains($0) }
        let regular = here.filter { !table.machines[$0].accepted.endedAlone }
        for seat in here {
            #expect(table.machines[seat].accepted.phase == .ended, "\(what), seat \(seat)")
        }
        for seat in regular.dropFirst() {
            #expect(
                table.machines[seat].log.head == table.machines[regular[0]].log.head, "\(what), seat \(seat)")
        }
        for (seat, notices) in table.notices.enumerated() {
            for notice in notices {
                switch notice {
                case .fault(let misdeed): Issue.record("\(what), seat \(seat): \(misdeed)")
                case .violation(let text): Issue.record("\(what), seat \(seat): \(text)")
                case .desync(let other, let entry):
                    Issue.record("\(what), seat \(seat): desync with \(other) at \(entry)")
                default: break
                }
            }
        }
        #expect(table.unanswered.values.allSatisfy(table.gone.contains), "\(what)")
        #expect(table.strayAnswers == 0, "\(what)")
        #expect(table.spins == 0, "\(what)")
        for seat in here { expectVerifies(table.machines[seat], "\(what), seat \(seat)") }
    }

    static func expectVerifies(_ machine: MatchMachine, _ what: String) {
        let words = machine.accepted.words
        do throws(LogTextFault) {
            _ = try LogText.read(LogText.write(machine.acceptedLog), words: { _ in words }, signing: .standIn)
        } catch {
            Issue.record("\(what): entry \(error.index): \(error.fault.message)")
        }
    }

    @Test(arguments: worlds)
    func `the host is gone for good, and the others end with what was agreed`(game: String, seed: UInt64)
        throws
    {
        var random = SeededGenerator(seed: seed &* 91)
        let seats = 3 + Int(seed % 2)
        var table = try Self.table(game, seats: seats, seed: seed)
        let at = Int.random(in: 0...(seed % 2 == 0 ? 1_500 : 15_000), using: &random)
        _ = table.run(forMilliseconds: at)
        let before = table.machines.map(\.acceptedLog)
        table.vanish(0, afterMilliseconds: 0)
        let over = table.run(forSeconds: 3_000)
        let what = "\(game), seed \(seed), at \(at) ms"
        #expect(over, "\(what)")
        Self.expectAgreement(table, what)
        for seat in 1..<seats {
            let end = table.machines[seat]
            #expect(end.accepted.outcomes?.count == seats || end.accepted.isCancelled, "\(what)")
            for log in before {
                #expect(end.log.entries.starts(with: log.entries), "\(what): what was accepted is lost")
            }
        }
        if table.machines[1].log.entries.count > before[1].entries.count + 3 {
            #expect(table.notices[1].contains(.sequencerChanged(seat: 1)), "\(what)")
        }
    }

    @Test(arguments: worlds)
    func `the host comes back after another took over, and plays on as a guest`(game: String, seed: UInt64)
        throws
    {
        var random = SeededGenerator(seed: seed &* 92)
        let seats = 3 + Int(seed % 2)
        var table = try Self.table(game, seats: seats, seed: seed)
        let at = Int.random(in: 0...(seed % 2 == 0 ? 1_500 : 15_000), using: &random)
        let away = Int.random(in: 0...15_000, using: &random)
        let what = "\(game), seed \(seed), gone from \(at) ms for \(away) ms"
        switch seed % 4 {
        case 0: table.vanish(0, afterMilliseconds: at)
        case 1, 2: table.isolate(0, afterMilliseconds: at)
        default:
            table.vanish(0, afterMilliseconds: at)
            table.crash(0, afterMilliseconds: at + away)
        }
        table.comeBack(0, afterMilliseconds: at + away)
        let over = table.run(forSeconds: 3_000)
        #expect(over, "\(what)")
        Self.expectAgreement(table, what)
        #expect(table.machines.allSatisfy { !$0.accepted.endedAlone }, "\(what)")
    }

    @Test(arguments: worlds)
    func `a host that leaves hands over, and the others play on`(game: String, seed: UInt64) throws {
        var table = try Self.table(game, seats: 3 + Int(seed % 2), seed: seed)
        table.leave(0, afterMilliseconds: 1_500 + Int(seed) * 200)
        let over = table.run(forSeconds: 3_000)
        #expect(over, "\(game), seed \(seed)")
        Self.expectAgreement(table, "\(game), seed \(seed)")
    }

    @Test(arguments: worlds)
    func `all machines crash now and then, one or more at a time, and nothing accepted is lost`(
        game: String, seed: UInt64
    ) throws {
        var random = SeededGenerator(seed: seed &* 93)
        let seats = 2 + Int(seed % 3)
        var table = try Self.table(game, seats: seats, seed: seed)
        for _ in 0..<6 {
            let seat = Int.random(in: 0..<seats, using: &random)
            let at = Int.random(in: 0...20_000, using: &random)
            table.vanish(seat, afterMilliseconds: at)
            table.crash(seat, afterMilliseconds: at + Int.random(in: 0...8_000, using: &random))
        }
        let over = table.run(forSeconds: 3_000)
        #expect(over, "\(game), seed \(seed)")
        Self.expectAgreement(table, "\(game), seed \(seed)")
    }
}
