import Testing

@testable import ParlorGames

extension SnapTable {
    /// A table whose cards lie as the test says, tops first; what is named nowhere is in the pool.
    ///
    /// Nothing is left to chance: every card is known. Seat 0 is to flip, or the next that can.
    init(closed: [String], open: [String], first: Int = 0, options: [Value.Member] = []) throws {
        try self.init(seats: closed.count, first: first, options: options)
        game.piles = Piles()
        var rest = unseen
        for (seat, piles) in zip(closed, open).enumerated() {
            for (text, pile) in [(piles.0, PileID.closed(seat)), (piles.1, .open(seat))] {
                for name in text.split(separator: " ").map(String.init) {
                    game.piles.addBottom(Self.card(name), to: pile)
                    rest.removeAll { $0 == name }
                }
            }
        }
        for name in rest { game.piles.addBottom(Self.card(name), to: .pool) }
        game.settle(at: now)
    }

    private static func card(_ name: String) -> Card {
        let number = (0..<52).first { Card(number: UInt8($0)).name == name }
        return number.map { Card(number: UInt8($0)) } ?? .unknown
    }

    /// The names in a pile, top first.
    func names(_ pile: PileID) -> String {
        (0..<game.piles.count(pile)).map { game.piles[pile, $0].name ?? "??" }.joined(separator: " ")
    }
}

@Suite("Snap, edges")
struct SnapEdgeTests {
    @Test func `when nobody can flip the match ends, and the pool counts for nobody`() throws {
        var table = try SnapTable(closed: ["2S", ""], open: ["", "3H"])
        #expect(table.cards == [1, 1, 50])
        try table.flip()
        #expect(table.game.outcomes == [.tied, .tied])
        #expect(table.game.turn == [] && table.game.need == nil && table.game.deadline == nil)
        table = try SnapTable(closed: ["2S", "", ""], open: ["", "3H", "4H"])
        try table.flip()
        #expect(table.game.outcomes == [.tied, .tied, .tied])
        table = try SnapTable(closed: ["2S", ""], open: ["4S", "3H"])
        try table.flip()
        // With two open cards it may turn them over and go on.
        #expect(table.game.outcomes == nil)
        #expect(table.game.turn == [0])
    }

    @Test func `one that has turned its last card stays in until that is taken`() throws {
        var table = try SnapTable(closed: ["2S", "2H 5H 6H", "7H 8H"], open: ["", "", ""])
        try table.flip()
        #expect(table.seat(0) == ["closed": 0, "open": 1, "top": "2S", "in": true])
        try table.flip()
        try table.act(["do": "snap"], by: 2)
        #expect(table.last == "took")
        #expect(table.seat(0)["in"] == false)
        #expect(table.names(.closed(2)) == "7H 8H 2S 2H")
        #expect(table.game.turn == [2])
    }

    @Test func `a caller with one closed card pays the next seat only, and is out`() throws {
        var table = try SnapTable(closed: ["2S", "3H", "4H"], open: ["", "", ""])
        try table.act(["do": "snap"], by: 0)
        #expect(table.view["last"] == ["kind": "wrong", "seat": 0, "cards": 1, "reaction_ms": nil])
        #expect(table.names(.closed(1)) == "3H 2S")
        #expect(table.names(.closed(2)) == "4H")
        #expect(table.seat(0)["in"] == false)
        #expect(table.game.turn == [1])
    }

    @Test func `a caller with one open card pays nothing and stays in`() throws {
        var table = try SnapTable(closed: ["", "3H 5H", "4H"], open: ["2S", "", ""])
        #expect(table.game.turn == [1])
        try table.act(["do": "snap"], by: 0)
        #expect(table.view["last"] == ["kind": "wrong", "seat": 0, "cards": 0, "reaction_ms": nil])
        #expect(table.names(.open(0)) == "2S")
        #expect(table.seat(0)["in"] == true)
    }

    @Test func `a penalty turns the open pile over when the closed one runs out, and stops at its top`()
        throws
    {
        var table = try SnapTable(closed: ["KS", "3H", "4H", "5H"], open: ["2S 2H 2D", "", "", ""])
        try table.act(["do": "snap"], by: 0)
        #expect(table.view["last"]?["cards"] == 3)
        #expect((1...3).map { table.names(.closed($0)) } == ["3H KS", "4H 2D", "5H 2H"])
        #expect(table.names(.closed(0)) == "" && table.names(.open(0)) == "2S")
        table = try SnapTable(closed: ["KS", "3H", "4H", "5H"], open: ["2S 2H", "", "", ""])
        try table.act(["do": "snap"], by: 0)
        #expect(table.view["last"]?["cards"] == 2)
        #expect((1...3).map { table.names(.closed($0)) } == ["3H KS", "4H 2H", "5H"])
    }

    @Test func `those that leave at one moment leave their cards to the rest`() throws {
        var table = try SnapTable(closed: ["2S 3S", "4S 5S", "6S", "7S"], open: ["8S", "9S", "TS", "JS"])
        try table.act(["do": "flip"], by: 0)
        try table.game.apply(.left(seat: 0), at: table.now)
        #expect(table.names(.closed(1)) == "4S 5S 2S")
        #expect(table.names(.closed(2)) == "6S 3S")
        #expect(table.names(.closed(3)) == "7S 8S")
        #expect(table.game.need == nil && table.game.turn == [1])
        try table.game.apply(.left(seat: 1), at: table.now)
        #expect(table.names(.closed(2)) == "6S 3S 4S 2S")
        #expect(table.names(.closed(3)) == "7S 8S 5S 9S")
        #expect(table.game.turn == [2])
        try table.game.apply(.left(seat: 3), at: table.now)
        #expect(table.cards == [0, 0, 10, 0, 42])
        #expect(table.game.outcomes == [.quit, .quit, .first, .quit])
    }

    @Test func `a leaver that turned the newest card no longer says which pair counts`() throws {
        var table = try SnapTable(
            closed: ["2S", "3S", "4S", "QD"], open: ["KS", "KH", "QS", ""], first: 3)
        try table.flip()
        try table.game.apply(.left(seat: 3), at: table.now)
        try table.act(["do": "snap"], by: 2)
        // The queen is a closed card of another now; the kings are left.
        #expect(table.view["last"]?["cards"] == 2)
        #expect(table.names(.open(2)) == "QS")
    }

    @Test func `those that go out with one call share their place`() throws {
        var table = try SnapTable(closed: ["2S", "", "5H 6H"], open: ["", "2H", "7C"])
        try table.flip()
        try table.act(["do": "snap"], by: 2)
        #expect(table.game.outcomes == [.second, .second, .first])
    }

    @Test func `a tie of all their cards ends the match when one is left`() throws {
        var table = try SnapTable(closed: ["2S", "", "5H 6H"], open: ["", "2H", "7C"])
        try table.flip()
        table.now += 300
        try table.send(["do": "snap"], by: 0)
        try table.send(["do": "snap"], by: 1)
        try table.judge()
        #expect(table.last == "tied")
        #expect(table.cards == [0, 0, 3, 49])
        #expect(table.game.outcomes == [.second, .second, .first])
    }
}
