import ParlorGames
import ParlorProtocol
import ParlorSim
import Testing

/// Whole matches with everything that may go wrong, by seed.
///
/// `parlor-sim --replay SEED --kind KIND` shows one.
struct SimMatchTests {
    private static let kinds = SimScript.Kind.allCases.filter { $0 != .lie }.flatMap { kind in
        (UInt64(1)...2).map { (kind, $0) }
    }
    private static let lies = SimLie.allCases.flatMap { lie in
        (UInt64(1)...2).map { (lie, $0) }
    }

    /// Seeds in which something did not hold once.
    private static let mended: [(SimScript.Kind, UInt64)] = [
        (.cut, 1_148), (.cut, 1_123), (.cut, 1_101), (.crash, 1_009), (.crash, 1_025), (.crash, 1_072),
        (.host, 1_023), (.host, 1_055), (.fresh, 1_009), (.fresh, 1_021), (.partition, 1_018),
        (.partition, 1_122), (.partition, 506_824), (.mixed, 1_044), (.mixed, 1_016), (.doze, 10_081),
        (.mixed, 602_316), (.mixed, 544_688),
    ]

    private static let mendedLies: [(SimLie, UInt64)] = [
        (.twoEntries, 1_004), (.twoEntries, 1_021), (.twoEntries, 1_027), (.twoEntries, 1_051),
        (.twoEntries, 1_565), (.twoEntries, 2_287), (.falseWithheld, 1_001), (.falseWithheld, 1_004),
        (.falseWithheld, 1_011), (.falseWithheld, 1_039), (.illegalEntry, 614_309),
    ]

    private func play(_ script: SimScript) throws -> SimMatch {
        var match = try SimMatch(script)
        match.run()
        for violation in match.witness.violations {
            Issue.record(
                """
                \(violation.invariant): \(violation.text); see it with \
                parlor-sim --replay \(script.seed) --kind \(script.word)
                """)
        }
        return match
    }

    private static let withBots = (UInt64(1)...24).map { $0 }

    @Test(arguments: withBots)
    func `what must hold does with bots, whatever goes wrong`(seed: UInt64) throws {
        let script = SimScript(seed: seed, kind: seed % 3 == 0 ? .host : nil, withBots: true)
        #expect(script.bots > 0 || script.seats == Limits.seatsMax)
        let match = try play(script)
        #expect(!match.witness.log.isEmpty)
    }

    @Test(arguments: kinds + mended)
    func `what must hold does, whatever goes wrong`(kind: SimScript.Kind, seed: UInt64) throws {
        let match = try play(SimScript(seed: seed, kind: kind))
        #expect(!match.witness.log.isEmpty)
    }

    @Test(arguments: lies + mendedLies)
    func `what must hold does, whoever lies`(lie: SimLie, seed: UInt64) throws {
        let match = try play(SimScript(seed: seed, kind: .lie, lie: lie))
        #expect(match.script.lie == lie)
    }

    private static let turns = ["tictactoe", "story"].flatMap { game in
        SimScript.Kind.allCases.flatMap { kind in (UInt64(1)...2).map { (game, kind, $0) } }
    }

    @Test(arguments: turns)
    func `what must hold does in games by turns, whatever goes wrong`(
        game: String, kind: SimScript.Kind, seed: UInt64
    ) throws {
        let script = SimScript(seed: seed, game: game, kind: kind)
        #expect(script.game == game)
        #expect(game != "tictactoe" || script.seats == 2 && script.liar != 0)
        let match = try play(script)
        #expect(!match.witness.log.isEmpty)
    }

    @Test func `a script gives the same match again, to the last line`() throws {
        for seed in UInt64(1)...8 {
            let script = SimScript(seed: seed)
            var one = try SimMatch(script, isTraced: true)
            var other = try SimMatch(script, isTraced: true)
            one.run()
            other.run()
            #expect(one.trace == other.trace, "seed \(seed)")
            #expect(one.trace?.count ?? 0 > 20, "seed \(seed)")
        }
    }

    @Test func `seeds give matches of both games, all sizes and every kind`() {
        let scripts = (UInt64(1)...400).map { SimScript(seed: $0) }
        #expect(Set(scripts.map(\.game)) == ["snap", "hangman"])
        #expect(Set(scripts.map(\.seats)) == [2, 3, 4])
        #expect(Set(scripts.map(\.kind)) == Set(SimScript.Kind.allCases))
        #expect(Set(scripts.compactMap(\.lie)) == Set(SimLie.allCases))
        // A liar that is a quorum by itself proves nothing.
        #expect(scripts.allSatisfy { $0.seats > 2 || $0.liar != 0 })
    }

    @Test func `a killed process begins again from what it had stored`() throws {
        var script = SimScript(seed: 5, game: "snap", kind: .calm)
        script.seats = 3
        script.faults = [.init(.after(milliseconds: 900), .crash(1, backAfter: 700))]
        script.storeDelay = .milliseconds(20)
        var match = try SimMatch(script, isTraced: true)
        match.run()
        #expect(match.witness.violations.isEmpty)
        let lines = match.trace ?? []
        #expect(lines.contains { $0.contains("seat 1 is killed") })
        #expect(lines.contains { $0.contains("seat 1 begins again") })
        let after = lines.drop { !$0.contains("seat 1 begins again") }
        #expect(!after.contains { $0.contains("1 → 0  want from 0") })
    }

    @Test func `a dead host is replaced, and the trace says by whom`() throws {
        var script = SimScript(seed: 5, game: "snap", kind: .calm)
        script.seats = 3
        script.faults = [.init(.after(milliseconds: 2_000), .crash(0, backAfter: nil))]
        var match = try SimMatch(script, isTraced: true)
        match.run()
        #expect(match.witness.violations.isEmpty)
        #expect(match.trace?.contains { $0.hasSuffix("seat 2 follows seat 1") } == true)
    }

    /// Seat 0 is killed while it sleeps, and sleeps again before it would have woken: each is over in time.
    @Test func `who is killed asleep is heard again when it begins again`() throws {
        var script = SimScript(seed: 5, game: "snap", kind: .calm)
        script.seats = 2
        script.faults = [
            .init(.after(milliseconds: 800), .doze(0, milliseconds: 6_000)),
            .init(.after(milliseconds: 1_000), .crash(0, backAfter: 500)),
            .init(.after(milliseconds: 3_000), .doze(0, milliseconds: 4_000)),
            .init(.after(milliseconds: 3_500), .doze(0, milliseconds: 200)),
        ]
        var match = try SimMatch(script, isTraced: true)
        match.run()
        #expect(match.witness.violations.isEmpty)
        let lines = match.trace ?? []
        #expect(lines.filter { $0.contains("seat 0 wakes up") }.count == 1)
        #expect(lines.last { $0.contains("seat 1:") }?.contains("alone") == false, "\(lines.suffix(3))")
    }
}
