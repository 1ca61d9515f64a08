import Testing

@testable import ParlorGames

/// A game of Lucky.
struct LuckyGame {
    var game: Lucky
    let secrets = toySecrets(seat: 0)

    init(_ level: LuckyLevel, match: UInt8 = 7) throws {
        let base = try setup(Lucky.declaration, seats: 1, options: [.init("level", .string(level.rawValue))])
        game = Lucky(
            GameSetup(
                match: [UInt8](repeating: match, count: 16), seats: 1, players: [0], first: 0,
                options: base.options, words: base.words, chainEnds: base.chainEnds, startedAt: 0,
                hash: toyHash))
    }

    mutating func press(_ button: Int) throws(Refusal) {
        let move = try game.move(
            for: ["do": "press", "button": .int(button)], by: 0, secrets: secrets, at: 0)
        try game.apply(.move(seat: 0, move), at: 0)
    }

    var view: Value { game.view(for: 0, secrets: nil, at: 0) }
}

struct LuckyTests {
    @Test(arguments: zip(LuckyLevel.allCases, [1, 2, 3]))
    func `killers are as many as the level says, distinct, and every set is as likely`(
        level: LuckyLevel, killers: Int
    ) throws {
        var counts: [[Int]: Int] = [:]
        var presses = 0
        for match in UInt8.min...UInt8.max {
            for button in 1...4 {
                var game = try LuckyGame(level, match: match)
                while game.game.outcomes == nil {
                    try game.press(button)
                    let drawn = game.view["killers"]?.elements?.compactMap(\.number) ?? []
                    #expect(Set(drawn).count == killers && drawn == drawn.sorted())
                    let areButtons = drawn.allSatisfy { (1...4).contains($0) }
                    #expect(areButtons)
                    // Counted for one button alone: the same match draws the same for each.
                    if button == 1 { counts[drawn, default: 0] += 1 }
                    if button == 1 { presses += 1 }
                }
            }
        }
        let sets = LuckyTable.sets(of: killers).count
        #expect(counts.count == sets)
        for (set, count) in counts {
            // Five times the square root of what is expected.
            let expected = presses / sets
            #expect(
                (count - expected) * (count - expected) <= 25 * expected, "\(set): \(count) of \(presses)")
        }
    }

    @Test func `safe presses score, a killer ends it, and the view says so`() throws {
        var game = try LuckyGame(.normal)
        #expect(game.view["level"] == "normal")
        #expect(game.view["score"] == 0)
        #expect(game.view["pressed"] == [])
        #expect(game.view["over"] == false)
        #expect(
            game.game.legal(for: 0, secrets: nil, at: 0)
                == (1...4).map { ["do": "press", "button": .int($0)] })
        var pressed: [Value] = []
        while game.game.outcomes == nil {
            let button = pressed.count % 4 + 1
            try game.press(button)
            if game.view["over"] == false { pressed.append(.int(button)) }
            #expect(game.view["pressed"] == .array(pressed))
            #expect(game.view["score"] == .int(pressed.count))
        }
        #expect(game.view["over"] == true)
        #expect(game.game.outcomes == [.lost])
        #expect(game.game.legal(for: 0, secrets: nil, at: 0) == [])
        #expect(refusal { () throws(Refusal) in try game.press(1) } == .matchEnded)
    }

    @Test func `the seed and the presses are the whole game`() throws {
        for match in UInt8(0)..<40 {
            let level = LuckyLevel.allCases[Int(match) % 3]
            var game = try LuckyGame(level, match: match)
            var presses: [Int] = []
            while game.game.outcomes == nil {
                presses.append((presses.count * 3 + Int(match)) % 4 + 1)
                try game.press(presses[presses.count - 1])
            }
            let proof = LuckyProof(
                match: [UInt8](repeating: match, count: 16), seed: game.secrets.link(LuckyTable.pressesMost),
                level: level, presses: presses)
            let table = try #require(proof.replayed(hash: toyHash))
            #expect(table == game.game.table)
            #expect(table.isOver && table.score == presses.count - 1)
            // Nothing follows the end.
            let longer = LuckyProof(
                match: proof.match, seed: proof.seed, level: level, presses: presses + [1])
            #expect(longer.replayed(hash: toyHash) == nil)
            // Buttons that there are not, and another seed.
            let wrong = LuckyProof(match: proof.match, seed: proof.seed, level: level, presses: [5])
            #expect(wrong.replayed(hash: toyHash) == nil)
        }
    }

    @Test func `a link of another press or another chain is refused`() throws {
        var game = try LuckyGame(.easy)
        let before = bytes(game.game)
        for link in [game.secrets.link(2), toySecrets(seat: 1).link(1), [], [UInt8](repeating: 0, count: 32)]
        {
            let move = Datum.list([.int(0), .int(1), .bytes(link)])
            #expect(
                refusal { () throws(Refusal) in try game.game.apply(.move(seat: 0, move), at: 0) }
                    == .illegalMove)
        }
        for button in [0, 5, Int.min] {
            let move = Datum.list([.int(0), .int(button), .bytes(game.secrets.link(1))])
            #expect(
                refusal { () throws(Refusal) in try game.game.apply(.move(seat: 0, move), at: 0) }
                    == .badParams)
            #expect(refusal { () throws(Refusal) in try game.press(button) } == .badParams)
        }
        #expect(bytes(game.game) == before)
    }

    @Test func `all four buttons count once each was safe`() {
        var table = LuckyTable(level: .easy)
        // A link that draws a killer that the button is not.
        func press(_ button: Int) {
            for try_ in UInt8.min...UInt8.max {
                var next = table
                next.press(button, link: [UInt8](repeating: try_, count: 32), match: [], hash: toyHash)
                guard !next.isOver else { continue }
                table = next
                return
            }
        }
        for button in [1, 2, 2, 4] { press(button) }
        #expect(!table.hasAllButtons)
        press(3)
        #expect(table.hasAllButtons)
        #expect(table.score == 5)
    }

    @Test func `a chain that is spent ends the game`() {
        var table = LuckyTable(level: .easy)
        for draw in 1...LuckyTable.pressesMost {
            let link = [UInt8](repeating: UInt8(draw % 256), count: 32)
            // Whichever button is safe.
            for button in 1...4 {
                var next = table
                next.press(button, link: link, match: [], hash: toyHash)
                guard next.score > table.score else { continue }
                table = next
                break
            }
            #expect(table.isOver == (draw == LuckyTable.pressesMost))
        }
        #expect(table.score == LuckyTable.pressesMost)
        #expect(table.presses == LuckyTable.pressesMost)
    }

    @Test func `who leaves has quit`() throws {
        var game = try LuckyGame(.hard)
        try game.game.apply(.left(seat: 0), at: 0)
        #expect(game.game.outcomes == [.quit])
        #expect(refusal { () throws(Refusal) in try game.press(1) } == .matchEnded)
    }
}
