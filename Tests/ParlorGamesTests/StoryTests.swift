import Testing

@testable import ParlorGames

/// A table of Story that the test plays all seats of.
struct StoryTable {
    var game: Story
    var now = 1_000

    init(seats: Int = 2, first: Int = 0, options: [Value.Member] = []) throws {
        game = Story(try setup(Story.declaration, seats: seats, first: first, options: options))
    }

    mutating func append(_ text: String, by seat: Int) throws(Refusal) {
        let action: Value = ["do": "append", "text": .string(text)]
        let move = try game.move(for: action, by: seat, secrets: toySecrets(seat: seat), at: now)
        try game.apply(.move(seat: seat, move), at: now)
    }

    /// Writes so much of one letter, in turns of at most 250.
    mutating func fill(upTo bytes: Int) throws {
        while game.bytes < bytes {
            let count = min(250, bytes - game.bytes - 1)
            try append(String(repeating: "a", count: count), by: try #require(game.turn.first))
        }
    }

    var view: Value { game.view(for: nil, secrets: nil, at: now) }
    var utf8: [UInt8] { Array((view["text"]?.text ?? "").utf8) }
}

struct StoryTests {
    @Test func `a story begins and goes on by seat, and the view says who wrote which bytes`() throws {
        var table = try StoryTable(seats: 3, first: 1)
        #expect(table.view["text"] == "Once upon a time")
        #expect(table.view["bytes"] == 16)
        #expect(table.view["left"] == .some(nil))
        #expect(table.view["turn"] == 1)
        #expect(table.game.legal(for: 1, secrets: nil, at: 0) == [["do": "append", "text": nil]])
        #expect(table.game.legal(for: 0, secrets: nil, at: 0) == [])
        try table.append("an owl", by: 1)
        try table.append("sang: «é»", by: 2)
        try table.append(".", by: 0)
        #expect(table.utf8 == Array("Once upon a time an owl sang: «é» .".utf8))
        #expect(table.view["turn"] == 1)
        let authors = try #require(table.view["authors"]?.elements)
        #expect(authors.map { $0["seat"] } == [1, 2, 0])
        let written = authors.map { author in
            let (from, to) = (author["from"]?.number ?? 0, author["to"]?.number ?? 0)
            return String(decoding: table.utf8[from..<to], as: UTF8.self)
        }
        #expect(written == ["an owl", "sang: «é»", "."])
    }

    @Test func `a turn has one to 250 graphemes, however many bytes each has`() throws {
        var table = try StoryTable()
        let rocket = "👩‍🚀"  // one grapheme, 11 bytes
        #expect(rocket.count == 1)
        #expect(rocket.utf8.count == 11)
        try table.append(String(repeating: rocket, count: 250), by: 0)
        #expect(table.game.bytes == 16 + 1 + 2_750)
        for text in [String(repeating: "é", count: 251), String(repeating: "e\u{301}", count: 251), ""] {
            #expect(refusal { () throws(Refusal) in try table.append(text, by: 1) } == .illegalMove)
        }
        try table.append(String(repeating: "e\u{301}", count: 250), by: 1)
        // Kept as it came, not composed.
        #expect(table.utf8.suffix(3) == Array("e\u{301}".utf8)[...])
    }

    @Test func `a mark at the beginning of a turn stays that turn's own`() throws {
        var table = try StoryTable()
        try table.append("\u{301}x", by: 0)
        #expect(table.view["authors"]?.elements?.first?["from"] == 17)
        #expect(table.utf8.count == 16 + 1 + 3)
    }

    @Test(arguments: [
        "\u{0}", "a\u{7}", "a\tb", "a\nb", "a\r\nb", "\u{1b}[2J", "\u{7f}", "\u{85}", "\u{9f}", "\u{2028}",
        "\u{2029}", "\u{202e}abc", "\u{2066}a",
    ])
    func `control characters are refused`(text: String) throws {
        var table = try StoryTable()
        let before = bytes(table.game)
        #expect(refusal { () throws(Refusal) in try table.append(text, by: 0) } == .illegalMove)
        let move = Datum.list([.int(0), .text(text)])
        #expect(
            refusal { () throws(Refusal) in try table.game.apply(.move(seat: 0, move), at: 1) }
                == .illegalMove)
        #expect(bytes(table.game) == before)
    }

    @Test(arguments: [" ", "a b", "\u{a0}", "日本語", "🇪🇺", "👨‍👩‍👧‍👦", "ß", "\u{200d}", "\u{200f}שלום"])
    func `everything else is text`(text: String) throws {
        var table = try StoryTable()
        try table.append(text, by: 0)
        #expect(table.utf8 == Array(("Once upon a time " + text).utf8))
    }

    @Test func `the view says how many bytes are left above 3000, not at 3000`() throws {
        var table = try StoryTable()
        try table.fill(upTo: 3_000)
        #expect(table.view["bytes"] == 3_000)
        #expect(table.view["left"] == .some(nil))
        try table.fill(upTo: 3_002)
        #expect(table.view["left"] == 1_094)
    }

    @Test func `3800 bytes go on, one more ends it with a tie`() throws {
        var table = try StoryTable(seats: 3)
        try table.fill(upTo: 3_800)
        #expect(table.game.bytes == 3_800)
        #expect(table.game.outcomes == nil)
        var other = table
        try table.game.apply(.left(seat: try #require(table.game.turn.first)), at: 2_000)
        #expect(table.game.outcomes == nil)
        // 3,802 in any case: the space and a letter.
        try table.fill(upTo: 3_802)
        #expect(table.game.outcomes?.filter { $0 == .tied }.count == 2)
        #expect(table.game.outcomes?.filter { $0 == .quit }.count == 1)
        #expect(table.view["turn"] == .some(nil))
        #expect(refusal { () throws(Refusal) in try table.append("a", by: 0) } == .matchEnded)
        try other.fill(upTo: 3_802)
        #expect(other.game.outcomes == [.tied, .tied, .tied])
    }

    @Test func `a turn to 4096 is taken, one past it is refused with what is left`() throws {
        var table = try StoryTable()
        try table.fill(upTo: 3_799)
        let writer = try #require(table.game.turn.first)
        // 297 are left: a space, and 74 characters of four bytes.
        var other = table
        do throws(Refusal) {
            try table.append(String(repeating: "🦉", count: 74) + "x", by: writer)
            Issue.record("4,097 bytes")
        } catch {
            #expect(error.reason == .illegalMove)
            #expect(error.message.contains("297 bytes left"))
        }
        #expect(table.game.bytes == 3_799)
        try other.append(String(repeating: "🦉", count: 74), by: writer)
        #expect(other.game.bytes == 4_096)
        #expect(other.view["left"] == 0)
        #expect(other.game.outcomes == [.tied, .tied])
    }

    @Test func `who leaves is skipped, who is away is waited for, and the last one ends it`() throws {
        var table = try StoryTable(seats: 3)
        try table.append("a", by: 0)
        try table.game.apply(.away(seat: 1), at: 2_000)
        #expect(table.game.turn == [1])
        #expect(refusal { () throws(Refusal) in try table.append("b", by: 2) } == .notYourTurn)
        try table.game.apply(.left(seat: 1), at: 3_000)
        #expect(table.game.turn == [2])
        try table.append("b", by: 2)
        #expect(table.game.turn == [0])
        try table.append("c", by: 0)
        #expect(table.game.turn == [2])
        try table.append("d", by: 2)
        #expect(refusal { () throws(Refusal) in try table.append("c", by: 1) } == .notInMatch)
        try table.game.apply(.left(seat: 2), at: 4_000)
        #expect(table.game.outcomes == [.tied, .quit, .quit])
    }

    @Test func `turns that run out of time pass, and after two rounds of them it is over`() throws {
        var table = try StoryTable(seats: 2, options: [.init("turn_s", 5)])
        #expect(table.game.deadline == 6_000)
        try table.game.apply(.expired, at: 6_000)
        #expect(table.game.turn == [1])
        #expect(table.game.deadline == 11_000)
        table.now = 7_000
        try table.append("a", by: 1)
        for round in 1...4 {
            #expect(table.game.outcomes == nil, "\(round)")
            try table.game.apply(.expired, at: 7_000 + round * 5_000)
        }
        #expect(table.game.outcomes == [.tied, .tied])
    }

    @Test func `what is no turn is refused`() throws {
        let table = try StoryTable()
        let actions: [Value] = [
            ["do": "append"], ["do": "append", "text": 5], ["do": "place", "text": "a"],
            ["do": "place", "cell": 1], nil,
        ]
        for action in actions {
            let reason = refusal { () throws(Refusal) in
                _ = try table.game.move(for: action, by: 0, secrets: toySecrets(seat: 0), at: 1)
            }
            #expect(reason == .badParams)
        }
    }

    // MARK: Bots

    @Test(arguments: UInt64(1)...20) func `bots write a story to its end, each line a legal one`(seed: UInt64)
        throws
    {
        var table = try StoryTable(seats: 2)
        var bots = [StoryBot(seed: seed), StoryBot(seed: seed &+ 1_000)]
        var lines: [String] = []
        while let seat = table.game.turn.first {
            let sight = BotSight(
                seat: seat, view: table.view, legal: table.game.legal(for: seat, secrets: nil, at: table.now),
                now: table.now)
            let planned = bots[seat].plan(sight)
            let plan = try #require(planned)
            #expect(bots[seat].plan(sight) == plan)
            #expect(
                bots[1 - seat].plan(
                    BotSight(seat: 1 - seat, view: table.view, legal: [], now: table.now)) == nil)
            let line = try #require(plan.action["text"]?.text)
            table.now = plan.at
            try table.append(line, by: seat)
            bots[seat].didAct(plan.action, wasRefused: false)
            lines.append(line)
            try #require(lines.count < 500)
        }
        #expect(table.game.outcomes == [.tied, .tied])
        // Templates, not one line over and over.
        #expect(Set(lines).count > lines.count / 2, "\(lines)")
    }
}
