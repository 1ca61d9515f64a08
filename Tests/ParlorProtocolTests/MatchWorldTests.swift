import ParlorGames
import ParlorProtocol
import ParlorSim
import Testing

/// Whole matches by seed, with everything that may go wrong; the seed in a failure makes it happen again.
struct MatchWorldTests {
    private static let quick: [Value.Member] = [.init("grace_s", 10)]

    /// A table of a game over a network that depends on the seed.
    private func table(_ game: String, seed: UInt64) throws -> SimTable {
        var setup = SimTable.Setup(game: game, seats: 2 + Int(seed % 3))
        setup.options = Self.quick + (game == "snap" ? [.init("max_flips", 24)] : [.init("turn_s", 20)])
        setup.network = [.lan, .wifi, .badWifi, .congested][Int(seed / 3 % 4)]
        return try SimTable(setup, seed: seed)
    }

    /// Runs to the end and checks what must hold of those that stayed.
    private func finish(_ table: inout SimTable) {
        let over = table.run(forSeconds: 3_000)
        #expect(
            over, "the match does not end: \(table.machines.map { ($0.accepted.phase, $0.acceptedCount) })")
        for notice in table.notices.joined() {
            switch notice {
            case .violation(let text): Issue.record("violation: \(text)")
            case .desync(let seat, let entry): Issue.record("desync with seat \(seat) at \(entry)")
            default: break
            }
        }
        let here = table.machines.indices.filter { !table.gone.contains($0) }
        for seat in here {
            #expect(table.machines[seat].log.head == table.machines[here[0]].log.head, "seat \(seat)")
            #expect(
                table.machines[seat].accepted.hash == table.machines[here[0]].accepted.hash, "seat \(seat)")
        }
        #expect(table.unanswered.values.allSatisfy(table.gone.contains))
        #expect(table.strayAnswers == 0)
        #expect(table.spins == 0)
    }

    private static let worlds: [(String, UInt64)] = ["snap", "hangman"].flatMap { game in
        (UInt64(1)...30).map { (game, $0) }
    }

    @Test(arguments: worlds)
    func `guests vanish and come back, and all end alike`(game: String, seed: UInt64) throws {
        var random = SeededGenerator(seed: seed &* 77)
        var table = try table(game, seed: seed)
        let guests = table.machines.count - 1
        for round in 0..<3 {
            let seat = 1 + Int.random(in: 0..<guests, using: &random)
            // The first one within the draw or the first openings.
            let start =
                round == 0
                ? Int.random(in: 0...1_200, using: &random) : Int.random(in: 0...20_000, using: &random)
            table.vanish(seat, afterMilliseconds: start)
            table.comeBack(seat, afterMilliseconds: start + Int.random(in: 0...9_000, using: &random))
        }
        finish(&table)
        #expect(table.machines[0].accepted.outcomes?.contains(.timedOut) == false)
    }

    @Test(arguments: worlds)
    func `guests leave or are removed, and the others end alike`(game: String, seed: UInt64) throws {
        var random = SeededGenerator(seed: seed &* 78)
        var table = try table(game, seed: seed)
        for seat in table.machines.indices.dropFirst() where Bool.random(using: &random) {
            let delay = Int.random(in: 0...(seed % 2 == 0 ? 400 : 15_000), using: &random)
            if Bool.random(using: &random) {
                table.leave(seat, afterMilliseconds: delay)
            } else {
                table.kick(seat, afterMilliseconds: delay)
            }
        }
        finish(&table)
        let end = table.machines[0].accepted
        if end.phase == .ended, end.remaining.count < 2 { #expect(end.outcomes?.contains(.tied) == false) }
        if end.isCancelled { #expect(end.outcomes == []) }
    }

    @Test(arguments: worlds)
    func `a host that sleeps or is cut off for less than the grace goes on`(game: String, seed: UInt64) throws
    {
        var random = SeededGenerator(seed: seed &* 79)
        var table = try table(game, seed: seed)
        let start = Int.random(in: 0...(seed % 2 == 0 ? 1_000 : 12_000), using: &random)
        if Bool.random(using: &random) {
            table.vanish(0, afterMilliseconds: start)
        } else {
            table.isolate(0, afterMilliseconds: start)
        }
        table.comeBack(0, afterMilliseconds: start + Int.random(in: 0...9_000, using: &random))
        finish(&table)
        #expect(!table.machines[0].accepted.endedAlone)
    }

    @Test(arguments: worlds)
    func `a guest that lost everything but its identity goes on`(game: String, seed: UInt64) throws {
        var random = SeededGenerator(seed: seed &* 80)
        var table = try table(game, seed: seed)
        let seat = 1 + Int.random(in: 0..<table.machines.count - 1, using: &random)
        let start = Int.random(in: 0...(seed % 2 == 0 ? 1_500 : 12_000), using: &random)
        table.vanish(seat, afterMilliseconds: start)
        table.restart(seat, afterMilliseconds: start + Int.random(in: 0...5_000, using: &random))
        finish(&table)
        #expect(
            table.machines[0].accepted.seats[seat].status != .left
                || table.machines[0].accepted.draw.rounds.isEmpty)
    }

    @Test(arguments: UInt64(1)...20)
    func `a guest that never comes back has left after its grace`(seed: UInt64) throws {
        var table = try table(seed % 2 == 0 ? "snap" : "hangman", seed: seed)
        table.vanish(1, afterMilliseconds: 2_000)
        finish(&table)
        let end = table.machines[0].accepted
        #expect(end.seats[1].status == .left || end.outcomes != nil)
    }

    @Test(arguments: UInt64(1)...20)
    func `without a quorum nothing more is appended, and after the grace the host ends alone`(seed: UInt64)
        throws
    {
        var setup = SimTable.Setup(game: "snap", seats: 3 + Int(seed % 2))
        setup.options = Self.quick
        var table = try SimTable(setup, seed: seed)
        table.isolate(0, afterMilliseconds: 3_000)
        _ = table.run(forSeconds: 4)
        let stored = table.machines[0].log.entries.count
        _ = table.run(forSeconds: 8)
        let waiting = table.machines[0].log.entries.count
        #expect(waiting <= stored + 1)
        #expect(table.machines[0].acceptedCount <= stored)
        #expect(table.notices[0].contains(.paused))
        _ = table.run(forSeconds: 4)
        let end = table.machines[0].accepted
        #expect(end.endedAlone)
        #expect(end.outcomes?.first == .won)
        #expect(end.outcomes?.dropFirst().allSatisfy { $0 == .timedOut } == true)
        #expect(table.machines[0].log.entries.count <= waiting + 1)
        for guest in 1..<setup.seats {
            // The others have a quorum, and go on.
            #expect(table.machines[guest].accepted.epoch == 1)
            #expect(table.machines[guest].accepted.sequencer == 1)
            #expect(table.machines[guest].log.entries.count > stored)
        }
    }

    @Test(arguments: UInt64(1)...10)
    func `nobody is blamed for a host that slept`(seed: UInt64) throws {
        var setup = SimTable.Setup(game: "snap", seats: 3)
        setup.options = Self.quick + [.init("max_flips", 20)]
        var table = try SimTable(setup, seed: seed)
        for round in 0..<12 {
            table.vanish(0, afterMilliseconds: 1_000 + round * 8_000 + Int(seed) * 37)
            table.comeBack(0, afterMilliseconds: 1_000 + round * 8_000 + Int(seed) * 37 + 4_000)
        }
        finish(&table)
        #expect(table.machines[0].accepted.seats.allSatisfy { $0.withheld == 0 && $0.status == .active })
    }
}
