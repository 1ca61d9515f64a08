import Testing

@testable import ParlorGames

/// A Snap table whose cards are picked by name: the test plays sequencer and fate.
struct SnapTable {
    var game: Snap
    var now = 1_000
    private(set) var unseen: [String] = "A23456789TJQK".flatMap { rank in "SHDC".map { "\(rank)\($0)" } }

    init(seats: Int = 2, players: [Int]? = nil, first: Int = 0, options: [Value.Member] = []) throws {
        game = Snap(
            try setup(Snap.declaration, seats: seats, players: players, first: first, options: options))
    }

    var view: Value { game.view(for: nil, secrets: nil, at: now) }
    func seat(_ seat: Int) -> Value { view["seats"]?.elements?[seat] ?? nil }
    func counts(_ seat: Int) -> [Int?] {
        [self.seat(seat)["closed"]?.number, self.seat(seat)["open"]?.number]
    }
    var last: String? { view["last"]?["kind"]?.text }

    /// Acts, and has a call judged by itself at once.
    mutating func act(_ action: Value, by seat: Int) throws(Refusal) {
        try send(action, by: seat)
        try judge()
    }

    /// Acts; a call waits.
    mutating func send(_ action: Value, by seat: Int) throws(Refusal) {
        let move = try game.move(for: action, by: seat, secrets: toySecrets(seat: seat), at: now)
        try game.apply(.move(seat: seat, move), at: now)
    }

    /// Judges the calls that wait, all of which came just when they were logged.
    mutating func judge(delay: Int = 150, error: Int = 0) throws(Refusal) {
        let waiting = game.waitingCalls
        guard !waiting.isEmpty else { return }
        let bounds = waiting.map { CallBounds(arrival: $0.time, delay: delay, error: error) }
        try game.apply(.judged(bounds), at: now)
    }

    /// Cards of each seat, closed and open together, and of the pool.
    var cards: [Int] {
        (0..<game.attendance.seats).map { counts($0).compactMap { $0 }.reduce(0, +) }
            + [view["pool"]?["count"]?.number ?? 0]
    }
    /// What came of each call since the last flip: who and what.
    var results: [String] {
        (view["calls"]?.elements ?? []).map {
            "\($0["seat"]?.number ?? -1) \($0["kind"]?.text ?? "?")"
        }
    }

    /// Opens what waits, at the first moment it may be; shows it `delay` later.
    mutating func open(_ name: String? = nil, delay: Int = 0) throws {
        let need = try #require(game.need)
        now = max(now, need.notBefore)
        var choice: Int?
        if let among = need.among {
            #expect(among == unseen.count)
            choice = name.flatMap { unseen.firstIndex(of: $0) } ?? 0
            unseen.remove(at: choice ?? 0)
        } else if unseen.count == 1 {
            unseen = []
        }
        try game.apply(.opened(Opening(draw: 1, choice: choice, links: [], revealAt: now + delay)), at: now)
    }

    /// The seat to flip flips, and the card named comes up.
    mutating func flip(_ name: String? = nil) throws {
        try act(["do": "flip"], by: game.turn[0])
        try open(name)
    }
}

@Suite("Snap, played by hand")
struct SnapTests {
    @Test func `the pack is dealt evenly from the first player on`() throws {
        let table = try SnapTable(seats: 3, first: 1)
        #expect((0..<3).map { table.counts($0) } == [[17, 0], [18, 0], [17, 0]])
        #expect(table.game.turn == [1])
        #expect(
            table.view == [
                "seats": [
                    ["closed": 17, "open": 0, "top": nil, "in": true],
                    ["closed": 18, "open": 0, "top": nil, "in": true],
                    ["closed": 17, "open": 0, "top": nil, "in": true],
                ], "turn": 1, "pair": nil, "pool": nil, "flips": 0, "reveal_at": 1_000, "last": nil,
                "calls": [],
            ])
    }

    @Test func `seats that left during the draw get no cards and have quit`() throws {
        let table = try SnapTable(seats: 4, players: [1, 3], first: 3)
        #expect((0..<4).map { table.counts($0) } == [[0, 0], [26, 0], [0, 0], [26, 0]])
        #expect(table.seat(0)["in"] == false)
        let alone = try SnapTable(seats: 3, players: [2], first: 2)
        #expect(alone.game.outcomes == [.quit, .quit, .first])
    }

    @Test func `a flip waits for its card and the turn passes at once`() throws {
        var table = try SnapTable()
        #expect(table.game.need == nil)
        try table.act(["do": "flip"], by: 0)
        #expect(table.game.need == GameNeed(among: 52, notBefore: 1_000))
        #expect(table.game.turn == [0])
        #expect(table.game.deadline == nil)
        try table.open("QS", delay: 40)
        #expect(table.game.turn == [1])
        try table.act(["do": "flip"], by: 1)
        #expect(table.game.need == GameNeed(among: 51, notBefore: 1_540))
        #expect(refusal { () throws(Refusal) in try table.act(["do": "flip"], by: 1) } == .illegalMove)
        #expect(refusal { () throws(Refusal) in try table.act(["do": "flip"], by: 0) } == .notYourTurn)
        let early = Opening(draw: 2, choice: 0, links: [], revealAt: 1_539)
        #expect(
            refusal { () throws(Refusal) in try table.game.apply(.opened(early), at: 1_539) } == .illegalMove)
    }

    @Test func `before its reveal a card shows nowhere`() throws {
        var table = try SnapTable()
        try table.flip("QS")
        try table.flip("7D")
        try table.act(["do": "flip"], by: 0)
        try table.open("7H", delay: 40)
        let hidden = table.view
        #expect(hidden["flips"] == 2)
        #expect(hidden["turn"] == 1)
        #expect(hidden["reveal_at"] == .int(table.now + 40))
        #expect(hidden["last"] == ["kind": "flip", "seat": 1, "cards": 1, "reaction_ms": nil])
        #expect(table.seat(0) == ["closed": 25, "open": 1, "top": "QS", "in": true])
        #expect(table.game.legal(for: 1, secrets: nil, at: table.now) == [["do": "snap"], ["do": "pool"]])
        table.now += 40
        #expect(table.view["flips"] == 3)
        #expect(table.view["last"]?["seat"] == 0)
        #expect(table.seat(0) == ["closed": 24, "open": 2, "top": "7H", "in": true])
        #expect(
            table.game.legal(for: 1, secrets: nil, at: table.now)
                == [["do": "flip"], ["do": "snap"], ["do": "pool"]])
        #expect(table.game.legal(for: 0, secrets: nil, at: table.now) == [["do": "snap"], ["do": "pool"]])
    }

    @Test func `a right call takes both piles, its own first, oldest card up first`() throws {
        var table = try SnapTable()
        for card in ["2S", "3S", "4S", "5S", "6S", "6H"] { try table.flip(card) }
        table.now += 212
        try table.act(["do": "snap"], by: 1)
        #expect(table.view["last"] == ["kind": "took", "seat": 1, "cards": 6, "reaction_ms": 212])
        #expect(table.counts(0) == [23, 0])
        #expect(table.counts(1) == [29, 0])
        #expect(table.game.turn == [0])
        for _ in 0..<23 { for _ in 0..<2 { try table.flip() } }
        var mine: [String?] = []
        for _ in 0..<6 {
            if table.game.turn == [0] { try table.flip() }
            try table.flip()
            mine.append(table.seat(1)["top"]?.text)
        }
        #expect(mine == ["3S", "5S", "6H", "2S", "4S", "6S"])
    }

    @Test func `of two pairs the one with the newest card goes, then the lowest seats`() throws {
        var table = try SnapTable(seats: 4)
        for card in ["KS", "7S", "KH", "7H"] { try table.flip(card) }
        try table.act(["do": "snap"], by: 0)
        #expect((0..<4).map { table.counts($0)[1] } == [1, 0, 1, 0])
        #expect(table.counts(0) == [14, 1])

        table = try SnapTable(seats: 4)
        for card in ["KS", "KH", "KD", "2H"] { try table.flip(card) }
        try table.act(["do": "snap"], by: 3)
        #expect((0..<4).map { table.counts($0)[1] } == [0, 0, 1, 1])

        table = try SnapTable(seats: 4)
        for card in ["KS", "KH", "KD"] { try table.flip(card) }
        try table.act(["do": "snap"], by: 3)
        #expect((0..<4).map { table.counts($0)[1] } == [0, 1, 0, 0])
    }

    @Test func `a caller outside the pair gets the piles clockwise from its seat`() throws {
        var table = try SnapTable(seats: 4)
        for card in ["KS", "2S", "3S", "KH"] { try table.flip(card) }
        try table.act(["do": "snap"], by: 2)
        #expect(table.view["last"]?["cards"] == 2)
        #expect(table.counts(2) == [14, 1])
        for _ in 0..<12 { for _ in 0..<4 { try table.flip() } }
        var tops: [String?] = []
        while tops.count < 2 {
            let seat = table.game.turn[0]
            try table.flip()
            if seat == 2 { tops.append(table.seat(2)["top"]?.text) }
        }
        #expect(tops == ["KH", "KS"])
    }

    @Test func `a wrong call pays one closed card to each other seat, clockwise`() throws {
        var table = try SnapTable(seats: 3)
        try table.act(["do": "snap"], by: 2)
        #expect(table.view["last"] == ["kind": "wrong", "seat": 2, "cards": 2, "reaction_ms": nil])
        #expect((0..<3).map { table.counts($0)[0] } == [19, 18, 15])
        #expect(refusal { () throws(Refusal) in try table.act(["do": "pool"], by: 2) } == .illegalMove)
        try table.flip("2S")
        try table.act(["do": "pool"], by: 2)
        #expect(table.last == "wrong")
        #expect(table.counts(2) == [13, 0])
    }

    @Test func `a call after the pair was taken is late, costs nothing and does not count`() throws {
        var table = try SnapTable(seats: 3)
        for card in ["6S", "6H"] { try table.flip(card) }
        try table.act(["do": "snap"], by: 2)
        for _ in 0..<2 {
            try table.act(["do": "snap"], by: 0)
            #expect(table.last == "late")
        }
        #expect(refusal { () throws(Refusal) in try table.act(["do": "snap"], by: 2) } == .illegalMove)
        #expect(table.counts(0) == [17, 0])
    }

    @Test func `a call for an earlier flip is late even where it would be wrong`() throws {
        var table = try SnapTable()
        for card in ["6S", "7H"] { try table.flip(card) }
        try table.game.apply(.move(seat: 0, .list([.int(1), .int(table.now), .int(1)])), at: table.now)
        #expect(table.last == "late")
        try table.act(["do": "snap"], by: 0)
        #expect(table.last == "wrong")
    }

    @Test func `a call before the card could be seen counts for nothing`() throws {
        var table = try SnapTable()
        try table.flip("QS")
        try table.act(["do": "flip"], by: 1)
        try table.open("QH", delay: 50)
        table.now += 49
        for flip in [1, 2] {
            try table.game.apply(
                .move(seat: 0, .list([.int(1), .int(table.now + 9), .int(flip)])), at: table.now)
            #expect(table.view["last"] == ["kind": "ignored", "seat": 0, "cards": 0, "reaction_ms": nil])
        }
        table.now += 1
        #expect(table.last == "ignored")
        try table.act(["do": "snap", "at": .int(table.now - 1)], by: 0)
        #expect(table.last == "ignored")
        try table.act(["do": "snap"], by: 0)
        #expect(table.last == "took")
    }

    @Test func `recycling waits until the card is needed and keeps the top card open`() throws {
        var table = try SnapTable(options: [.init("max_flips", 100)])
        for _ in 0..<26 {
            try table.flip()
            try table.flip()
        }
        #expect(table.counts(0) == [0, 26])
        let top = table.seat(0)["top"]
        try table.act(["do": "flip"], by: 0)
        #expect(table.game.need?.among == nil)
        #expect(table.counts(0) == [0, 26])
        try table.open(delay: 30)
        #expect(table.seat(0) == ["closed": 0, "open": 26, "top": top ?? nil, "in": true])
        table.now += 30
        #expect(table.seat(0) == ["closed": 24, "open": 2, "top": "AS", "in": true])
        #expect(table.last == "flip")
    }

    @Test func `the last unseen card needs no chance`() throws {
        var table = try SnapTable()
        for _ in 0..<51 { try table.flip() }
        try table.act(["do": "flip"], by: 1)
        #expect(table.game.need?.among == nil)
        try table.open()
        #expect(table.seat(1)["top"] == "KC")
    }

    @Test func `with max_flips the most cards win at once`() throws {
        var table = try SnapTable(options: [.init("max_flips", 10)])
        for _ in 0..<9 { try table.flip() }
        try table.act(["do": "snap"], by: 0)
        try table.flip()
        #expect(table.game.outcomes == [.lost, .won])
        #expect(table.game.turn == [])
        #expect(refusal { () throws(Refusal) in try table.act(["do": "snap"], by: 0) } == .matchEnded)
        #expect(table.game.legal(for: 0, secrets: nil, at: table.now) == [])
        var even = try SnapTable(seats: 4, options: [.init("max_flips", 10)])
        for _ in 0..<10 { try even.flip() }
        #expect(even.game.outcomes == [.tied, .tied, .tied, .tied])
    }

    @Test func `equal seats share a place`() throws {
        var table = try SnapTable(seats: 3, options: [.init("max_flips", 10)])
        try table.act(["do": "snap"], by: 1)
        for _ in 0..<10 { try table.flip() }
        #expect(table.game.outcomes == [.first, .third, .second])  // 19, 15, 18: the deal is uneven
        table = try SnapTable(seats: 4, options: [.init("max_flips", 10)])
        try table.act(["do": "snap"], by: 1)
        for _ in 0..<10 { try table.flip() }
        #expect(table.game.outcomes == [.first, .fourth, .first, .first])
    }

    @Test func `a leaver's cards go round clockwise and its flip is off`() throws {
        var table = try SnapTable(seats: 3)
        for card in ["6S", "7H", "8D"] { try table.flip(card) }
        try table.act(["do": "flip"], by: 0)
        try table.game.apply(.left(seat: 0), at: table.now)
        #expect(table.game.need == nil)
        #expect(table.game.turn == [1])
        #expect((0..<3).map { table.counts($0) } == [[0, 0], [25, 1], [25, 1]])
        #expect(table.seat(0)["in"] == false)
        #expect(refusal { () throws(Refusal) in try table.act(["do": "snap"], by: 0) } == .notInMatch)
        try table.game.apply(.left(seat: 2), at: table.now)
        #expect(table.game.outcomes == [.quit, .first, .quit])
    }

    @Test func `of two seats the one that stays has won`() throws {
        var table = try SnapTable()
        try table.game.apply(.left(seat: 0), at: table.now)
        #expect(table.game.outcomes == [.quit, .won])
        #expect(
            refusal { () throws(Refusal) in try table.game.apply(.left(seat: 1), at: 2_000) } == .matchEnded)
    }

    @Test func `a seat that is away is skipped, its open pile can be called`() throws {
        var table = try SnapTable(seats: 3)
        try table.flip("6S")
        try table.game.apply(.away(seat: 0), at: table.now)
        try table.flip("6H")
        try table.act(["do": "snap"], by: 2)
        #expect(table.last == "took")
        try table.flip("2H")
        #expect(table.game.turn == [1])
        try table.game.apply(.away(seat: 1), at: table.now)
        try table.game.apply(.away(seat: 2), at: table.now)
        #expect(table.game.turn == [])
        #expect(table.view["turn"] == .null)
        #expect(table.game.outcomes == nil)
        try table.game.apply(.back(seat: 0), at: table.now)
        #expect(table.game.turn == [0])
        #expect(
            refusal { () throws(Refusal) in try table.game.apply(.back(seat: 0), at: 9_000) } == .illegalMove)
    }

    @Test func `cards flip by themselves when the time is up`() throws {
        var table = try SnapTable(options: [.init("turn_s", 2)])
        #expect(table.game.deadline == 3_000)
        #expect(refusal { () throws(Refusal) in try table.game.apply(.expired, at: 2_999) } == .illegalMove)
        try table.game.apply(.expired, at: 3_000)
        table.now = 3_000
        try table.open("2S", delay: 100)
        #expect(table.game.deadline == 5_100)
        let auto = try SnapTable(options: [.init("auto_flip_ms", 700)])
        #expect(auto.game.deadline == 1_700)
        let off = try SnapTable(options: [.init("turn_s", 0)])
        #expect(off.game.deadline == nil)
    }

    @Test func `a seat with no closed and one open card is skipped but may call`() throws {
        var table = try SnapTable(seats: 3, options: [.init("max_flips", 10_000)])
        while table.counts(0) != [0, 1] {
            try table.act(["do": "snap"], by: 0)
            try table.flip()
        }
        #expect(table.game.turn != [0])
        for _ in 0..<6 {
            #expect(table.game.turn != [0])
            try table.flip()
        }
        #expect(table.game.legal(for: 0, secrets: nil, at: table.now) == [["do": "snap"], ["do": "pool"]])
        while Set((0..<3).map { table.seat($0)["top"]?.text?.first }).count < 3 { try table.flip() }
        try table.act(["do": "snap"], by: 0)
        #expect(table.view["last"] == ["kind": "wrong", "seat": 0, "cards": 0, "reaction_ms": 0])
        #expect(table.counts(0) == [0, 1])
    }

    @Test func `who owns the whole pack has won, the others by who went out last`() throws {
        var table = try SnapTable(seats: 4, options: [.init("max_flips", 10_000)])
        var out: [[Int]] = []
        while table.game.outcomes == nil {
            try table.flip()
            let ranks = (0..<4).compactMap { table.seat($0)["top"]?.text?.first }
            if Set(ranks).count < ranks.count { try table.act(["do": "snap"], by: 2) }
            let gone = [0, 1, 3].filter { table.seat($0)["in"] == false && !out.joined().contains($0) }
            if !gone.isEmpty { out.append(gone) }
        }
        #expect(out == [[0, 1], [3]])
        #expect(table.game.outcomes == [.third, .third, .first, .second])
        #expect(table.counts(2).compactMap { $0 }.reduce(0, +) == 52)
        #expect(table.seat(0) == ["closed": 0, "open": 0, "top": nil, "in": false])
    }

    @Test func `a penalty recycles too, and the top card stays`() throws {
        var table = try SnapTable()
        for card in ["7S", "7H", "7D", "7C"] { try table.flip(card) }
        for _ in 0..<24 {
            try table.flip(table.unseen.first)
            try table.flip(table.unseen.last)
        }
        let top = table.seat(0)["top"]
        try table.act(["do": "snap"], by: 0)
        #expect(table.last == "wrong")
        #expect(table.counts(0) == [24, 1])
        #expect(table.counts(1) == [1, 26])
        #expect(table.seat(0)["top"] == top)
    }

    @Test func `a flip that waits is off when its seat has lost all cards, not when it is away`() throws {
        var table = try SnapTable(options: [.init("max_flips", 100)])
        for _ in 0..<52 { try table.flip() }
        try table.act(["do": "flip"], by: 0)
        try table.game.apply(.away(seat: 0), at: table.now)
        #expect(table.game.need?.notBefore == table.now + 500)
        try table.act(["do": "snap"], by: 1)
        #expect(table.game.need == nil)
        #expect(table.game.outcomes == [.lost, .won])
        table = try SnapTable()
        try table.act(["do": "flip"], by: 0)
        try table.game.apply(.away(seat: 0), at: table.now)
        try table.open("2S")
        #expect(table.seat(0)["top"] == "2S")
    }

    @Test func `nobody sees less than the newest entry, even with a clock that is behind`() throws {
        var table = try SnapTable()
        try table.flip("QS")
        try table.act(["do": "flip"], by: 1)
        try table.open("QH", delay: 50)
        #expect(
            refusal { () throws(Refusal) in try table.game.apply(.left(seat: 9), at: table.now + 50) }
                == .notInMatch)
        #expect(table.counts(1) == [26, 0])
        table.now += 50
        try table.act(["do": "snap"], by: 0)
        table.now -= 20
        #expect(table.last == "took")
        #expect(table.counts(1) == [25, 0])
    }

    @Test func `whoever leaves before its card shows leaves nothing behind`() throws {
        var table = try SnapTable(seats: 3)
        for card in ["2S", "3S", "4S"] { try table.flip(card) }
        try table.act(["do": "flip"], by: 0)
        try table.open("QS", delay: 50)
        try table.game.apply(.left(seat: 0), at: table.now)
        #expect(table.seat(0) == ["closed": 0, "open": 0, "top": nil, "in": false])
        #expect(table.view["flips"] == 3)
        table.now += 50
        #expect(table.seat(0) == ["closed": 0, "open": 0, "top": nil, "in": false])
        #expect((1..<3).map { table.counts($0) } == [[25, 1], [25, 1]])
    }

    @Test func `actions that are none of Snap's are refused with what is possible`() throws {
        var table = try SnapTable()
        for action: Value in [
            nil, [], ["do": "dance"], ["do": 1], ["do": "snap", "at": "now"], ["do": "pool", "at": -1],
        ] {
            #expect(refusal { () throws(Refusal) in try table.act(action, by: 0) } == .badParams)
        }
        #expect(refusal { () throws(Refusal) in try table.act(["do": "snap"], by: 5) } == .notInMatch)
        let future: Datum = .list([.int(1), .int(1_000), .int(1)])
        #expect(
            refusal { () throws(Refusal) in try table.game.apply(.move(seat: 0, future), at: 1_000) }
                == .illegalMove)
    }
}
