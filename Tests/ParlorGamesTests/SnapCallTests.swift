import Testing

@testable import ParlorGames

/// Calls of one moment: who was first, who ties, and the pool.
@Suite("Snap, calls of one moment")
struct SnapCallTests {
    /// What a table of two looks like after a pair was turned: each has an open card of rank 6.
    private func pair(seats: Int = 2, cards: [String] = ["6S", "6H"]) throws -> SnapTable {
        var table = try SnapTable(seats: seats)
        for card in cards { try table.flip(card) }
        return table
    }

    /// Calls, pressed so long after the reveal, that wait; then all are judged, logged at one moment.
    private func call(
        _ table: inout SnapTable, _ presses: [(seat: Int, ms: Int)], pool: Set<Int> = [],
        bounds: [CallBounds]? = nil, error: Int = 0
    ) throws {
        let revealAt = table.view["reveal_at"]?.number ?? 0
        table.now = revealAt + (presses.map(\.ms).max() ?? 0) + 1
        for press in presses {
            let action: Value = [
                "do": pool.contains(press.seat) ? "pool" : "snap", "at": .int(revealAt + press.ms),
            ]
            try table.send(action, by: press.seat)
        }
        if let bounds {
            try table.game.apply(.judged(bounds), at: table.now)
        } else {
            try table.judge(delay: 200 - error, error: error)
        }
    }

    @Test func `a call waits, shows nothing, and holds up everything else of the game`() throws {
        var table = try pair()
        table.now += 300
        let before = table.view
        try table.send(["do": "snap"], by: 1)
        #expect(table.view == before)
        #expect(table.game.waitingCalls == [WaitingCall(seat: 1, time: table.now)])
        #expect(table.game.deadline == nil)
        let flip: Datum = .list([.int(0)])
        #expect(
            refusal { () throws(Refusal) in try table.game.apply(.move(seat: 0, flip), at: table.now) }
                == .illegalMove)
        #expect(
            refusal { () throws(Refusal) in try table.game.apply(.expired, at: table.now + 90_000) }
                == .illegalMove)
        // On the own screen a flip is in order: it waits.
        #expect(table.game.legal(for: 0, secrets: nil, at: table.now).first == ["do": "flip"])
        try table.judge()
        #expect(table.last == "took")
        #expect(table.game.waitingCalls == [])
        #expect(table.game.deadline != nil)
    }

    @Test func `a card that was to be turned waits for the calls`() throws {
        var table = try pair()
        try table.act(["do": "flip"], by: 0)
        let need = table.game.need
        table.now += 600
        try table.send(["do": "snap"], by: 1)
        #expect(table.game.need == need)
        let opening = Opening(draw: 3, choice: 0, links: [], revealAt: table.now)
        #expect(
            refusal { () throws(Refusal) in try table.game.apply(.opened(opening), at: table.now) }
                == .illegalMove)
        try table.judge()
        try table.open("2S")
        #expect(table.cards == [25, 27, 0])
    }

    @Test func `the earlier press wins, not the earlier arrival`() throws {
        var table = try pair()
        try call(&table, [(seat: 1, ms: 412), (seat: 0, ms: 398)])
        #expect(table.view["last"] == ["kind": "took", "seat": 0, "cards": 2, "reaction_ms": 398])
        #expect(table.results == ["0 took", "1 late"])
        #expect(table.cards == [27, 25, 0])
        // The one that was late has not spent its call.
        try table.act(["do": "snap"], by: 1)
        #expect(table.last == "late")
    }

    @Test func `a press is believed no further back than its message may have taken`() throws {
        var table = try pair()
        let reveal = table.view["reveal_at"]?.number ?? 0
        // Seat 1 claims 300 ms, but its call came at 460 and took 105 at most: 350 at the earliest.
        table.now = reveal + 460
        try table.send(["do": "snap", "at": .int(reveal + 300)], by: 1)
        try table.send(["do": "snap", "at": .int(reveal + 340)], by: 0)
        try table.game.apply(
            .judged([
                CallBounds(arrival: reveal + 460, delay: 105, error: 5),
                CallBounds(arrival: reveal + 341, delay: 0, error: 0),
            ]), at: table.now)
        #expect(table.view["last"] == ["kind": "took", "seat": 0, "cards": 2, "reaction_ms": 341])
        #expect(table.view["calls"]?.elements?.last?["reaction_ms"] == 350)
    }

    @Test func `a press is never later than its arrival`() throws {
        var table = try pair()
        let reveal = table.view["reveal_at"]?.number ?? 0
        table.now = reveal + 500
        try table.send(["do": "snap", "at": .int(reveal + 490)], by: 1)
        try table.game.apply(
            .judged([CallBounds(arrival: reveal + 350, delay: 0, error: 0)]), at: table.now)
        #expect(table.view["last"]?["reaction_ms"] == 350)
    }

    @Test func `bounds that nobody may believe are refused and change nothing`() throws {
        var table = try pair()
        table.now += 400
        try table.send(["do": "snap"], by: 1)
        let now = table.now
        let wrong: [[CallBounds]] = [
            [], [CallBounds(arrival: now + 1, delay: 0, error: 0)],
            [CallBounds(arrival: -1, delay: 0, error: 0)],
            [CallBounds(arrival: now, delay: 101, error: 100)],
            [CallBounds(arrival: now, delay: -1, error: 0)],
            [CallBounds(arrival: now, delay: 0, error: -1)],
            [CallBounds](repeating: CallBounds(arrival: now, delay: 0, error: 0), count: 2),
        ]
        for bounds in wrong {
            #expect(
                refusal { () throws(Refusal) in try table.game.apply(.judged(bounds), at: now) }
                    == .illegalMove, "\(bounds)")
        }
        #expect(table.game.waitingCalls.count == 1)
        try table.game.apply(.judged([CallBounds(arrival: now, delay: 100, error: 100)]), at: now)
        #expect(
            refusal { () throws(Refusal) in
                try table.game.apply(.judged([CallBounds(arrival: now, delay: 0, error: 0)]), at: now)
            } == .illegalMove)
    }

    @Test func `presses closer than the clocks' error tie, and the piles go to the pool as they lie`() throws
    {
        var table = try pair(cards: ["2S", "3S", "6S", "6H"])
        try call(&table, [(seat: 0, ms: 400), (seat: 1, ms: 390)], error: 11)
        #expect(table.view["last"] == ["kind": "tied", "seat": 1, "cards": 4, "reaction_ms": 390])
        #expect(table.results == ["1 tied", "0 tied"])
        #expect(table.view["pool"] == ["count": 4, "top": "6H"])
        #expect(table.cards == [24, 24, 4])
        #expect(table.game.isWholePack)
        // A call that tied is spent.
        #expect(refusal { () throws(Refusal) in try table.act(["do": "snap"], by: 0) } == .illegalMove)

        table = try pair(cards: ["2S", "3S", "6S", "6H"])
        try call(&table, [(seat: 0, ms: 400), (seat: 1, ms: 389)], error: 11)
        #expect(table.view["last"]?["kind"] == "took")
        #expect(table.cards == [24, 28, 0])
    }

    @Test func `with clocks that are exact only one millisecond ties`() throws {
        for (ms, kind) in [(300, "tied"), (301, "took")] {
            var table = try pair()
            try call(&table, [(seat: 0, ms: 300), (seat: 1, ms: ms)])
            #expect(table.last == kind)
        }
    }

    @Test func `of three presses only those near the first tie`() throws {
        var table = try pair(seats: 3)
        try call(&table, [(seat: 0, ms: 420), (seat: 1, ms: 409), (seat: 2, ms: 400)], error: 10)
        #expect(table.results == ["2 tied", "1 tied", "0 late"])
        #expect(table.view["pool"]?["count"] == 2)
    }

    @Test func `a press within 100 ms is a guess and loses to any real one`() throws {
        var table = try pair()
        try call(&table, [(seat: 1, ms: 99), (seat: 0, ms: 180)], error: 100)
        #expect(table.view["last"] == ["kind": "took", "seat": 0, "cards": 2, "reaction_ms": 180])
        #expect(table.results == ["0 took", "1 late"])
        table = try pair()
        try call(&table, [(seat: 1, ms: 100), (seat: 0, ms: 180)])
        #expect(table.view["last"]?["seat"] == 1)
        // Among guesses the first wins, and one alone does.
        table = try pair()
        try call(&table, [(seat: 1, ms: 20), (seat: 0, ms: 60)])
        #expect(table.view["last"]?["seat"] == 1)
        table = try pair()
        try call(&table, [(seat: 0, ms: 3)])
        #expect(table.view["last"] == ["kind": "took", "seat": 0, "cards": 2, "reaction_ms": 3])
    }

    @Test func `a guess that would have been wrong costs nothing when a real press took the pair`() throws {
        var table = try pair()
        try call(&table, [(seat: 1, ms: 50), (seat: 0, ms: 280)], pool: [1])
        #expect(table.results == ["0 took", "1 late"])
        #expect(table.cards == [27, 25, 0])
    }

    @Test func `one call a seat a flip, also while it waits`() throws {
        var table = try pair()
        table.now += 300
        try table.send(["do": "snap"], by: 1)
        for name in ["snap", "pool"] {
            #expect(
                refusal { () throws(Refusal) in try table.send(["do": .string(name)], by: 1) }
                    == .illegalMove)
        }
        try table.judge()
        #expect(refusal { () throws(Refusal) in try table.send(["do": "snap"], by: 1) } == .illegalMove)
        try table.flip("2S")
        try table.act(["do": "snap"], by: 1)
        #expect(table.last == "wrong")
    }

    @Test func `wrong calls of one moment all pay, in the order of their presses`() throws {
        var table = try pair(seats: 3, cards: ["2S", "3H", "4D"])
        try call(&table, [(seat: 2, ms: 300), (seat: 0, ms: 200)])
        #expect(table.results == ["0 wrong", "2 wrong"])
        #expect(table.view["last"] == ["kind": "wrong", "seat": 2, "cards": 2, "reaction_ms": 300])
        #expect(table.cards == [17, 19, 16, 0])
    }

    @Test func `a wrong call before the right one pays, one after it does not`() throws {
        var table = try pair(seats: 3)
        try call(&table, [(seat: 0, ms: 300), (seat: 1, ms: 200), (seat: 2, ms: 400)], pool: [1, 2])
        #expect(table.results == ["1 wrong", "0 took", "2 late"])
        #expect(table.view["last"]?["kind"] == "took")
        #expect(table.cards == [20, 14, 18, 0])
    }

    @Test func `a card like the pool's top, turned after the tie, lets anyone take the pool`() throws {
        var table = try pair(seats: 3, cards: ["9C", "6S", "6H"])
        try call(&table, [(seat: 0, ms: 300), (seat: 2, ms: 300)])
        #expect(table.view["pool"] == ["count": 2, "top": "6H"])
        try table.flip("QD")
        try table.act(["do": "pool"], by: 1)
        #expect(table.last == "wrong")
        #expect(table.view["pool"]?["count"] == 2)
        try table.flip("6D")
        #expect(table.game.showsPool)
        table.now += 240
        try table.act(["do": "pool"], by: 0)
        #expect(table.view["last"] == ["kind": "pooled", "seat": 0, "cards": 2, "reaction_ms": 240])
        #expect(table.view["pool"] == .null)
        #expect(table.game.isWholePack)
        try table.act(["do": "snap"], by: 2)
        #expect(table.last == "late")
    }

    @Test func `a card that lay there before the tie does not open the pool`() throws {
        var table = try pair(seats: 3, cards: ["6D", "6S", "6H"])
        try call(&table, [(seat: 0, ms: 300), (seat: 1, ms: 300)])
        // The newest card tied with the lowest partner; the other 6 still lies there.
        #expect(table.view["pool"]?["top"] == "6H")
        #expect(table.seat(1)["top"] == "6S")
        #expect(!table.game.showsPool)
        try table.flip("2S")
        #expect(!table.game.showsPool)
        try table.act(["do": "pool"], by: 0)
        #expect(table.last == "wrong")
        try table.flip("6C")
        #expect(table.game.showsPool)
    }

    @Test func `another tie adds to the pool, and its cards come up oldest first`() throws {
        var table = try pair()
        try call(&table, [(seat: 0, ms: 300), (seat: 1, ms: 300)])
        for card in ["8S", "2D", "9S", "9H"] { try table.flip(card) }
        try call(&table, [(seat: 0, ms: 300), (seat: 1, ms: 300)])
        #expect(table.view["pool"] == ["count": 6, "top": "9H"])
        try table.flip("9D")
        try table.act(["do": "pool"], by: 1)
        #expect(table.view["last"]?["cards"] == 6)
        var mine: [String?] = []
        while mine.count < 23 + 6 {
            let seat = table.game.turn[0]
            try table.flip()
            if seat == 1 { mine.append(table.seat(1)["top"]?.text) }
        }
        #expect(mine.suffix(6) == ["6S", "6H", "8S", "9S", "2D", "9H"])
    }

    @Test func `two calls of the pool at once tie and leave it where it is`() throws {
        var table = try pair()
        try call(&table, [(seat: 0, ms: 300), (seat: 1, ms: 300)])
        try table.flip("6D")
        try call(&table, [(seat: 0, ms: 300), (seat: 1, ms: 305)], pool: [0, 1], error: 10)
        #expect(table.view["last"] == ["kind": "tied", "seat": 0, "cards": 0, "reaction_ms": 300])
        #expect(table.view["pool"]?["count"] == 2)
        try table.flip("2D")
        try table.act(["do": "pool"], by: 1)
        #expect(table.last == "pooled")
    }

    @Test func `the pair and the pool at once go to those who called for them, if they tie`() throws {
        func table(_ error: Int) throws -> SnapTable {
            var table = try pair()
            try call(&table, [(seat: 0, ms: 300), (seat: 1, ms: 300)])
            for card in ["6D", "6C"] { try table.flip(card) }
            try call(&table, [(seat: 0, ms: 300), (seat: 1, ms: 305)], pool: [1], error: error)
            return table
        }
        let near = try table(10)
        #expect(near.results == ["1 pooled", "0 took"])
        #expect(near.view["last"]?["kind"] == "took")
        #expect(near.cards == [26, 26, 0])
        let far = try table(5)
        #expect(far.results == ["0 took", "1 late"])
        #expect(far.cards == [26, 24, 2])
    }

    @Test func `a leaver's call is off, the others' are judged by their entries`() throws {
        var table = try pair(seats: 3)
        let reveal = table.view["reveal_at"]?.number ?? 0
        table.now = reveal + 300
        try table.send(["do": "snap", "at": .int(reveal + 150)], by: 0)
        table.now += 20
        try table.send(["do": "snap", "at": .int(reveal + 200)], by: 1)
        try table.game.apply(.left(seat: 0), at: table.now)
        #expect(table.view["last"] == ["kind": "took", "seat": 1, "cards": 2, "reaction_ms": 320])
        #expect(table.game.waitingCalls == [])
        #expect(table.cards == [0, 27, 25, 0])
        #expect(table.game.isWholePack)
    }

    @Test func `one that leaves alone with its call leaves the pair to others`() throws {
        var table = try pair(seats: 3, cards: ["2S", "6S", "6H"])
        table.now += 300
        try table.send(["do": "snap"], by: 0)
        try table.game.apply(.left(seat: 0), at: table.now)
        #expect(table.last == "flip")
        try table.act(["do": "snap"], by: 1)
        #expect(table.last == "took")
    }

    @Test func `a seat that is away keeps the call it made`() throws {
        var table = try pair()
        table.now += 300
        try table.send(["do": "snap"], by: 1)
        try table.game.apply(.away(seat: 1), at: table.now)
        try table.judge()
        #expect(table.view["last"]?["seat"] == 1)
    }

    @Test func `whoever has all its cards in the pool is out, and they count for nobody`() throws {
        var table = try SnapTable(seats: 3, options: [.init("max_flips", 10_000)])
        while table.counts(0) != [0, 1] {
            if !table.game.showsPair { try table.act(["do": "snap"], by: 0) }
            guard table.counts(0) != [0, 1] else { break }
            // Every other rank in turn, so that no pair comes up.
            try table.flip(
                table.unseen.first { card in
                    !(0..<3).contains { table.seat($0)["top"]?.text?.first == card.first }
                })
        }
        let rank = table.seat(0)["top"]?.text?.first
        let twin = try #require(table.unseen.first { $0.first == rank })
        try table.flip(twin)
        try call(&table, [(seat: 1, ms: 300), (seat: 2, ms: 300)])
        #expect(table.last == "tied")
        #expect(table.seat(0) == ["closed": 0, "open": 0, "top": nil, "in": false])
        #expect(table.cards.reduce(0, +) == 52)
        #expect(refusal { () throws(Refusal) in try table.act(["do": "snap"], by: 0) } == .illegalMove)
        try table.game.apply(.left(seat: 1), at: table.now)
        #expect(table.game.outcomes == [.second, .quit, .first])
        #expect(table.game.isWholePack)
    }
}
