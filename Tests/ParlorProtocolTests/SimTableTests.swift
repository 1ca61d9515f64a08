import ParlorGames
import ParlorProtocol
import ParlorSim
import Testing

/// Whole matches in virtual time; the seed in a failure makes it happen again.
struct SimTableTests {
    private func table(
        _ game: String, seats: Int, _ options: [Value.Member] = [], seed: UInt64
    ) throws -> SimTable {
        var setup = SimTable.Setup(game: game, seats: seats)
        setup.options = options
        return try SimTable(setup, seed: seed)
    }

    @Test(arguments: UInt64(1)...40)
    func `a Snap match ends the same for all seats`(seed: UInt64) throws {
        var table = try table("snap", seats: 2 + Int(seed % 3), [Value.Member("max_flips", 60)], seed: seed)
        let over = table.run(forSeconds: 600)
        #expect(over)
        try expectAgreement(table)
    }

    @Test(arguments: UInt64(1)...40)
    func `messages between guests may overtake each other by another way`(seed: UInt64) throws {
        let game = seed.isMultiple(of: 2) ? "snap" : "hangman"
        var setup = SimTable.Setup(game: game, seats: 3 + Int(seed / 2 % 2))
        if game == "snap" { setup.options = [Value.Member("max_flips", 60)] }
        setup.ways = 2
        setup.network = NetworkConditions(delay: .milliseconds(1), jitter: .milliseconds(400))
        var table = try SimTable(setup, seed: seed)
        let over = table.run(forSeconds: 3_000)
        #expect(over)
        try expectAgreement(table)
    }

    @Test func `a match with real signatures reads back from its text`() throws {
        var setup = SimTable.Setup(game: "snap", seats: 3)
        setup.options = [Value.Member("max_flips", 20)]
        setup.realSignatures = true
        var table = try SimTable(setup, seed: 7)
        let over = table.run(forSeconds: 600)
        #expect(over)
        let text = LogText.write(table.machines[1].log)
        let log = try LogText.read(text, words: { _ in setup.words }, signing: .ed25519)
        #expect(log.head == table.machines[0].log.head)
        #expect(log.state.outcomes == table.machines[0].accepted.outcomes)
    }

    @Test(arguments: UInt64(1)...20)
    func `a guest that vanishes for good has left after its grace and the others end`(seed: UInt64) throws {
        let options = [Value.Member("max_flips", 40), Value.Member("grace_s", 10)]
        var table = try table("snap", seats: 2 + Int(seed % 3), options, seed: seed)
        table.vanish(1, afterMilliseconds: Int(seed) * 700)
        let over = table.run(forSeconds: 600)
        #expect(over)
        #expect(table.machines[0].accepted.outcomes != nil)
        let isAway = table.notices[0].contains { if case .away(seat: 1, _) = $0 { true } else { false } }
        if seed > 2 { #expect(isAway) }
        expectNoFaults(table)
    }

    @Test(arguments: UInt64(1)...20)
    func `a guest that comes back within its grace plays on`(seed: UInt64) throws {
        let options = [Value.Member("max_flips", 60), Value.Member("grace_s", 30)]
        var table = try table("snap", seats: 2 + Int(seed % 3), options, seed: seed)
        table.vanish(1, afterMilliseconds: 2_000 + Int(seed) * 300)
        table.comeBack(1, afterMilliseconds: 8_000 + Int(seed) * 300)
        let over = table.run(forSeconds: 900)
        #expect(over)
        try expectAgreement(table)
        #expect(table.notices[0].contains(.back(seat: 1)))
    }

    @Test(arguments: UInt64(1)...10)
    func `a seat that leaves is out and the others end`(seed: UInt64) throws {
        var table = try table("snap", seats: 3, [Value.Member("max_flips", 30)], seed: seed)
        _ = table.run(forSeconds: Int(seed))
        table.leave(2)
        let over = table.run(forSeconds: 600)
        #expect(over)
        try expectAgreement(table)
        #expect(table.machines[0].accepted.seats[2].status == .left)
    }

    @Test(arguments: UInt64(1)...20)
    func `during the draw a seat that vanishes is out and the others draw again`(seed: UInt64) throws {
        let options = [Value.Member("max_flips", 20), Value.Member("grace_s", 10)]
        var table = try table("snap", seats: 4, options, seed: seed)
        table.vanish(3, afterMilliseconds: Int(seed) * 8)
        let over = table.run(forSeconds: 900)
        #expect(over)
        #expect(table.machines[0].accepted.draw.first != nil)
        expectNoFaults(table)
    }

    private static let networks: [(String, NetworkConditions)] = [
        ("loopback", .loopback), ("lan", .lan), ("wifi", .wifi), ("bad wifi", .badWifi),
        ("congested", .congested),
    ]
    private static let overNetworks = ["snap", "hangman", "tictactoe", "story"].flatMap { game in
        networks.flatMap { network in (UInt64(1)...4).map { (game, network.0, network.1, $0) } }
    }

    /// A table over a network, with a match that takes a while.
    private func table(_ game: String, over network: NetworkConditions, seed: UInt64) throws -> SimTable {
        var setup = SimTable.Setup(game: game, seats: game == "tictactoe" ? 2 : 2 + Int(seed % 3))
        setup.options = game == "snap" ? [.init("max_flips", 30)] : [.init("turn_s", 20)]
        setup.network = network
        return try SimTable(setup, seed: seed)
    }

    @Test(arguments: SimTableTests.overNetworks.indices)
    func `matches end the same over every network, with stalls and cuts that nobody counts`(index: Int) throws
    {
        let (game, name, network, seed) = Self.overNetworks[index]
        var table = try table(game, over: network, seed: seed)
        let seats = table.machines.count
        table.stall(Int(seed) % seats, afterMilliseconds: 700, forMilliseconds: 900)
        table.cut(Int(seed + 1) % seats, afterMilliseconds: 3_000, forMilliseconds: 1_500)
        table.cut(0, afterMilliseconds: 7_000, forMilliseconds: 900)
        let over = table.run(forSeconds: 3_000)
        #expect(over, "\(game) over \(name), seed \(seed)")
        try expectAgreement(table)
        let away = table.notices.joined().filter { if case .away = $0 { true } else { false } }
        #expect(away.isEmpty, "\(game) over \(name), seed \(seed): \(away)")
        for state in table.machines.map(\.accepted) {
            #expect(state.seats.allSatisfy { $0.withheld == 0 }, "\(game) over \(name), seed \(seed)")
        }
    }

    @Test(arguments: SimTableTests.overNetworks.indices)
    func `a cut of 10 s makes a seat away, and then it plays on`(index: Int) throws {
        let (game, name, network, seed) = Self.overNetworks[index]
        var table = try table(game, over: network, seed: seed)
        table.cut(1, afterMilliseconds: 1_500 + Int(seed) * 400, forMilliseconds: 10_000)
        let over = table.run(forSeconds: 3_000)
        #expect(over, "\(game) over \(name), seed \(seed)")
        try expectAgreement(table)
        #expect(table.machines[0].accepted.outcomes?.contains(.timedOut) == false, "\(game) over \(name)")
    }

    private func expectAgreement(_ table: SimTable) throws {
        let first = table.machines[0]
        for machine in table.machines {
            #expect(machine.log.head == first.log.head)
            #expect(machine.accepted.hash == first.accepted.hash)
            #expect(machine.accepted.outcomes?.count == table.machines.count)
        }
        expectNoFaults(table)
    }

    private func expectNoFaults(_ table: SimTable) {
        #expect(table.spins == 0)
        for notice in table.notices.joined() {
            switch notice {
            case .violation(let text): Issue.record("violation: \(text)")
            case .desync(let seat, let entry): Issue.record("desync with seat \(seat) at \(entry)")
            default: break
            }
        }
    }
}
