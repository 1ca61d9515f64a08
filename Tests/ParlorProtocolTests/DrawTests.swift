import ParlorCrypto
import ParlorGames
import ParlorSim
import Testing

@testable import ParlorProtocol

/// Who goes first.
struct DrawTests {
    @Test(arguments: [2, 4], UInt64(1)...3)
    func `numbers are uniform`(seats: Int, seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var counts = Array(repeating: 0, count: 100)
        let draws = 10_000
        for draw in 0..<draws {
            let nonces = (0..<seats).map { _ in random.bytes(32) }
            let seat = draw % seats
            let number = Draw.number(match: matchID, round: draw % 3, seat: seat, nonces: nonces)
            #expect((0..<1_000).contains(number))
            counts[number / 10] += 1
        }
        let expected = Double(draws) / 100
        let chiSquare = counts.reduce(0.0) {
            $0 + (Double($1) - expected) * (Double($1) - expected) / expected
        }
        #expect(chiSquare < 148.2)  // 99 degrees of freedom, exceeded once in 1,000 times
        #expect(chiSquare > 60)
    }

    @Test func `every seat's number depends on every seat's nonce`() {
        var random = SeededGenerator(seed: 4)
        let nonces = (0..<3).map { _ in random.bytes(32) }
        let numbers = (0..<3).map { Draw.number(match: matchID, round: 0, seat: $0, nonces: nonces) }
        for changed in 0..<3 {
            var others = nonces
            others[changed] = random.bytes(32)
            for seat in 0..<3 {
                #expect(Draw.number(match: matchID, round: 0, seat: seat, nonces: others) != numbers[seat])
            }
        }
    }

    @Test func `a number is what the document says`() {
        let nonces = [[UInt8](repeating: 1, count: 32), [UInt8](repeating: 2, count: 32)]
        let content = Array("parlor/draw-number/1".utf8) + matchID.bytes + [0, 1, 0] + nonces[0] + nonces[1]
        let value = Hash.blake2b256(content).prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        #expect(Draw.number(match: matchID, round: 0, seat: 1, nonces: nonces) == Int(value % 1_000))
    }

    // MARK: In a log

    /// A table whose seats 0 and 1 tie in round 0, found by trying seeds.
    private func tied(seats: Int) throws -> LogTable {
        for seed in UInt64(1)...20_000 {
            let table = try quick(seats: seats, seed: seed)
            let nonces = (0..<seats).map { table.nonces[$0] }
            let numbers = (0..<seats).map {
                Draw.number(match: table.match, round: 0, seat: $0, nonces: nonces)
            }
            if numbers[0] == numbers[1], numbers.max() == numbers[0] {
                return try LogTable(seats: seats, seed: seed)
            }
        }
        throw LogFault(.illegal, "no seed ties")
    }

    /// What decides the numbers of ``LogTable`` with a seed, without its hash chains.
    private func quick(seats: Int, seed: UInt64) throws -> (match: MatchID, nonces: [[UInt8]]) {
        var random = SeededGenerator(seed: seed)
        let options = try GameOptions(Snap.declaration)
        let genesis = Genesis(
            nonce: random.bytes(16), room: roomID, game: "snap", rules: 1, options: options,
            seats: (0..<seats).map { .init(peer: peer($0 + 1), name: "player \($0)") },
            words: WordList(["apple", "garden"]).identity(Hash.blake2b256))
        let nonces = (0..<seats).map { _ in
            Hash.keyed(Array("parlor/seat-draw/1".utf8) + [0], key: random.bytes(32))
        }
        return (genesis.match, nonces)
    }

    @Test func `those that tie at the top draw another round`() throws {
        var table = try tied(seats: 3)
        try table.chains()
        for seat in 0..<3 { try table.append(table.commit(seat), by: .seat(seat)) }
        #expect(table.state.draw.isRevealing)
        for seat in 0..<3 { try table.append(table.reveal(seat), by: .seat(seat)) }
        #expect(table.state.phase == .drawing)
        #expect(table.state.draw.round == 1)
        #expect(table.state.draw.seats == [0, 1])
        #expect(table.state.draw.owing == [0, 1])
        #expect(table.fault(table.commit(2), by: .seat(2))?.rule == .illegal)
        try table.drawOut()
        #expect(table.state.draw.rounds.map { $0.map(\.seat) }.prefix(2) == [[0, 1, 2], [0, 1]])
        #expect(table.state.draw.first.map([0, 1].contains) == true)
        #expect(table.state.phase == .playing)
    }

    @Test func `when a tied seat leaves, all the others draw again, from the beginning`() throws {
        var table = try tied(seats: 3)
        try table.chains()
        for seat in 0..<3 { try table.append(table.commit(seat), by: .seat(seat)) }
        for seat in 0..<3 { try table.append(table.reveal(seat), by: .seat(seat)) }
        try table.append(.leave, by: .seat(1))
        #expect(table.state.draw.seats == [0, 2])
        #expect(table.state.draw.rounds.isEmpty)
        try table.drawOut()
        #expect(table.state.draw.rounds.first?.map(\.seat) == [0, 2])
    }

    @Test func `who reveals another nonce has left, and the others draw again`() throws {
        var table = try LogTable(seats: 3)
        try table.chains()
        for seat in 0..<3 { try table.append(table.commit(seat), by: .seat(seat)) }
        try table.append(table.reveal(0), by: .host)
        try table.append(.reveal(round: 0, nonce: [UInt8](repeating: 0, count: 32)), by: .guest)
        #expect(table.state.seats.map(\.status) == [.active, .left, .active])
        #expect(table.state.seats[1].departure == .falseDraw)
        #expect(table.state.draw.round == 1)
        #expect(table.state.draw.seats == [0, 2])
        #expect(
            table.fault(.reveal(round: 0, nonce: table.vaults[2].nonce(round: 0)), by: .seat(2))?.rule
                == .illegal)
        try table.drawOut()
        #expect(table.state.draw.first.map([0, 2].contains) == true)
        #expect(table.state.game != nil)
    }

    @Test func `who is silent for 10 s may be said to have left, not sooner, and only who owes`() throws {
        var table = try LogTable(seats: 3)
        try table.chains()
        try table.append(table.commit(0), by: .host)
        table.time = Limits.drawMilliseconds - 1
        #expect(table.fault(.left(seat: 1, reason: .draw))?.rule == .illegal)
        table.time += 1
        #expect(table.fault(.left(seat: 0, reason: .draw))?.rule == .illegal)
        try table.append(.left(seat: 1, reason: .draw))
        #expect(table.state.seats[1].departure == .noDraw)
        for seat in [0, 2] { try table.append(table.commit(seat), by: .seat(seat)) }
        try table.append(table.reveal(0), by: .host)
        table.time += Limits.drawMilliseconds - 1
        #expect(table.fault(.left(seat: 2, reason: .draw))?.rule == .illegal)
        table.time += 1
        try table.append(.left(seat: 2, reason: .draw))
        #expect(table.state.isCancelled)
    }

    @Test(arguments: ["snap", "hangman"])
    func `with one seat left of several the match is cancelled, without outcomes`(game: String) throws {
        var table = try LogTable(game, seats: 2)
        try table.append(table.chain(0), by: .host)
        try table.append(.leave, by: .guest)
        #expect(table.state.isCancelled)
        #expect(table.state.dueOutcomes == [])
        #expect(
            table.fault(.end(outcomes: [.won, .quit], alone: false, stateHash: table.state.hash))?.rule
                == .illegal)
        try table.append(.end(outcomes: [], alone: false, stateHash: table.state.hash))
        #expect(table.state.phase == .ended)
        #expect(table.state.outcomes == [])
    }

    @Test func `one alone goes first without drawing`() throws {
        var table = try LogTable("hangman", seats: 1)
        #expect(table.state.draw.first == 0)
        #expect(table.state.phase == .drawing)
        try table.chains()
        #expect(table.state.phase == .playing)
        #expect(table.state.draw.rounds.isEmpty)
    }

    @Test func `nonces are not shown before all have committed`() throws {
        var table = try LogTable(seats: 2)
        try table.chains()
        try table.append(table.commit(0), by: .host)
        #expect(table.fault(table.reveal(0), by: .host)?.rule == .illegal)
        #expect(table.fault(table.commit(0), by: .host)?.rule == .illegal)
        try table.append(table.commit(1), by: .guest)
        #expect(table.fault(table.commit(1), by: .guest)?.rule == .illegal)
        try table.append(table.reveal(1), by: .guest)
        #expect(table.fault(table.reveal(1), by: .guest)?.rule == .illegal)
        #expect(table.state.draw.owing == [0])
    }
}
