import ParlorProtocol
import Testing

@testable import ParlorRecords

struct ScoreBookTests {
    private func book(_ records: [ScoreRecord]) throws -> ScoreBook {
        var book = ScoreBook(Boards.registry)
        for record in records { _ = try book.merge(record) }
        return book
    }

    // MARK: Which one stands

    @Test func `of a player the best stands, by the board's order`() throws {
        var book = try book([
            Boards.score("high", by: 1, 5), Boards.score("high", by: 1, 9), Boards.score("high", by: 1, 7),
            Boards.score("low", by: 1, 150), Boards.score("low", by: 1, 120), Boards.score("low", by: 1, 190),
        ])
        #expect(book.leaderboard("high").top(9).map(\.record.value) == [9])
        #expect(book.leaderboard("low").top(9).map(\.record.value) == [120])
        let made1 = try book.merge(Boards.score("high", by: 1, 9))
        #expect(made1 == false, "the same changes nothing")
    }

    @Test func `where the latest stands, its signed time counts, whatever came first`() throws {
        for times in [[10, 20, 15], [20, 10, 15], [15, 20, 10]] as [[Int64]] {
            var book = try book(times.map { Boards.score("latest", by: 1, 100 - $0, at: $0) })
            #expect(book.leaderboard("latest").top(1).map(\.record.value) == [80])
        }
    }

    @Test func `equal scores keep the earlier date`() throws {
        var book = try book([Boards.score("high", by: 1, 5, at: 30), Boards.score("high", by: 1, 5, at: 20)])
        #expect(book.leaderboard("high").top(1).map(\.record.signedAt) == [20])
    }

    @Test func `the ends of the numbers are scores like others`() throws {
        let values: [Int64] = [.min, -1, 0, 1, .max]
        var book = try book(values.enumerated().map { Boards.score("high", by: $0, $1) })
        #expect(book.leaderboard("high").top(9).map(\.record.value) == values.reversed())
        for value in values {
            let record = Boards.score("high", by: 1, value, context: value)
            #expect(try ScoreRecord(decoding: record.encoded) == record)
        }
    }

    // MARK: Merging

    @Test(arguments: UInt64(1)...40)
    func `whatever the order, and however often, the same stands`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let records = (0..<60).map { _ in
            let board = ["high", "low", "latest", "daily"].randomElement(using: &random) ?? "high"
            return Boards.score(
                board, by: Int.random(in: 1...5, using: &random), Int64.random(in: 100...104, using: &random),
                at: 1_000 + Int64.random(in: 0...3, using: &random) * 100,
                context: Int64.random(in: 0...2, using: &random))
        }
        let once = try book(records)
        let shuffled = try book(records.shuffled(using: &random) + records.shuffled(using: &random))
        #expect(once == shuffled, "seed \(seed): commutative and idempotent")
        #expect(once.encoded == shuffled.encoded, "seed \(seed): to the same bytes")
        // In two groups that met among themselves first.
        let parts = [Array(records.prefix(30)), Array(records.suffix(40))]
        var both = try book(parts[0])
        for bytes in try book(parts[1]).encoded { _ = try both.merge(ScoreRecord(decoding: bytes)) }
        #expect(both.encoded == once.encoded, "seed \(seed): associative")
        #expect(once.count <= records.count)
    }

    // MARK: Ranks

    @Test func `equal scores share a rank and the next one counts them`() throws {
        var book = try book([
            Boards.score("high", by: 1, 7, at: 30), Boards.score("high", by: 2, 9),
            Boards.score("high", by: 3, 7, at: 20),
            Boards.score("high", by: 4, 3), Boards.score("high", by: 5, 9, at: 900),
        ])
        let rows = book.leaderboard("high").top(9)
        #expect(rows.map(\.rank) == [1, 1, 3, 3, 5])
        #expect(rows.map(\.record.name) == ["player 5", "player 2", "player 3", "player 1", "player 4"])
        // From the middle, too.
        let around = book.leaderboard("high").around(People.quick(1).peer, 1)
        #expect(around.map(\.rank) == [3, 3, 5])
        #expect(around.map(\.record.name) == ["player 3", "player 1", "player 4"])
    }

    @Test func `equal scores of one date stand by ID, the same everywhere`() throws {
        let records = (1...6).map { Boards.score("high", by: $0, 7) }
        var one = try book(records)
        var other = try book(records.reversed())
        let rows = one.leaderboard("high").top(9)
        #expect(rows == other.leaderboard("high").top(9))
        #expect(rows.map(\.rank) == [1, 1, 1, 1, 1, 1])
        #expect(rows.map(\.record.id) == records.map(\.id).sorted { $0.lexicographicallyPrecedes($1) })
    }

    @Test func `around me is cut at the ends, and there without me nothing`() throws {
        var book = try book((1...10).map { Boards.score("high", by: $0, Int64(100 - $0)) })
        let board = book.leaderboard("high")
        func names(_ player: Int, _ count: Int) -> [Int] {
            board.around(People.quick(player).peer, count).map { Int(100 - $0.record.value) }
        }
        #expect(names(1, 2) == [1, 2, 3])
        #expect(names(5, 2) == [3, 4, 5, 6, 7])
        #expect(names(10, 2) == [8, 9, 10])
        #expect(names(5, 0) == [5])
        #expect(names(5, .max) == Array(1...10))
        #expect(names(11, 3).isEmpty)
        #expect(board.row(of: People.quick(4).peer)?.rank == 4)
        #expect(board.row(of: People.quick(11).peer) == nil)
        #expect(board.total == 10)
        #expect(board.top(3).count == 3)
        #expect(board.top(0).isEmpty)
    }

    // MARK: Windows

    @Test func `windows are half-open, with gaps between them`() throws {
        let recurrence = Recurrence(start: 1_000, length: 60, interval: 100)
        #expect(recurrence.window(at: 999) == nil)
        #expect(recurrence.window(at: 1_000) == 1_000)
        #expect(recurrence.window(at: 1_059) == 1_000)
        #expect(recurrence.window(at: 1_060) == nil)
        #expect(recurrence.window(at: 1_099) == nil)
        #expect(recurrence.window(at: 1_100) == 1_100)
        #expect(recurrence.window(at: .max) != recurrence.window(at: 0))
        #expect(recurrence.window(at: .min) == nil)
        var book = try book([
            Boards.score("daily", by: 1, 5, at: 1_000), Boards.score("daily", by: 1, 3, at: 1_100),
            Boards.score("daily", by: 2, 4, at: 1_159),
        ])
        #expect(book.windows(of: "daily") == [1_100, 1_000])
        #expect(book.leaderboard("daily", window: 1_000).top(9).map(\.record.value) == [5])
        #expect(book.leaderboard("daily", window: 1_100).top(9).map(\.record.value) == [4, 3])
        #expect(throws: RecordFault.badTime) {
            _ = try book.merge(Boards.score("daily", by: 1, 5, at: 1_060))
        }
    }

    @Test func `the weeks of the product begin on Mondays, and know no leap second`() throws {
        let weekly = try #require(Registry.standard.board("hangman.alone.weekly")?.recurrence)
        // 2026-01-05T00:00:00Z and 2026-11-30T00:00:00Z, by the calendar; Unix time has no leap seconds.
        #expect(weekly.start == 1_767_571_200_000)
        #expect(weekly.window(at: 1_795_996_800_000) == 1_795_996_800_000)
        #expect(weekly.window(at: 1_795_996_799_999) == 1_795_392_000_000)
    }

    // MARK: How scores read

    @Test func `scores are written with their unit`() {
        func board(_ format: ScoreFormat) -> Board {
            Board(
                id: "b", game: "g", title: "", format: format, unit: "flip", units: "flips", order: .highLow)
        }
        #expect(board(.integer).text(of: 1) == "1 flip")
        #expect(board(.integer).text(of: -3) == "-3 flips")
        #expect(board(.decimals(2)).text(of: 1_234) == "12.34 flips")
        #expect(board(.decimals(2)).text(of: -5) == "-0.05 flips")
        #expect(board(.time).text(of: 62_345) == "1:02.345")
        #expect(board(.money("EUR")).text(of: 199) == "1.99 EUR")
        #expect(board(.integer).text(of: .min) == "-9223372036854775808 flips")
        #expect(board(.decimals(3)).text(of: .min) == "-9223372036854775.808 flips")
    }

    // MARK: Registration

    @Test func `what cannot be registered is named, with its limit`() {
        func fault(_ boards: [Board], _ achievements: [Achievement] = []) -> String? {
            do { _ = try Registry(boards: boards, achievements: achievements) } catch { return error.message }
            return nil
        }
        func board(_ id: String, _ game: String = "g") -> Board {
            Board(id: id, game: game, title: "", unit: "", units: "", order: .highLow)
        }
        func one(_ id: String, _ points: Int, _ game: String = "g") -> Achievement {
            Achievement(id: id, game: game, title: "", summary: "", points: points)
        }
        let hundred = (1...100).map { board("b\($0)") }
        #expect(fault(hundred) == nil)
        #expect(fault(hundred + [board("x")])?.contains("more than 100 boards") ?? false)
        #expect(fault(hundred + [board("x", "other")]) == nil)
        #expect(fault([board("a"), board("a")])?.contains("two boards 'a'") ?? false)
        #expect(fault([board(String(repeating: "x", count: 100))]) == nil)
        #expect(fault([board(String(repeating: "x", count: 101))])?.contains("1 to 100 characters") ?? false)
        #expect(fault([board("")]) != nil)
        #expect(fault([], [one("a", 100)]) == nil)
        #expect(fault([], [one("a", 101)])?.contains("101 points") ?? false)
        #expect(fault([], [one("a", -1)]) != nil)
        let ten = (1...10).map { one("a\($0)", 100) }
        #expect(fault([], ten) == nil)
        #expect(fault([], ten + [one("x", 1)])?.contains("1001 points together") ?? false)
        #expect(
            fault([], (1...101).map { one("a\($0)", 0) })?.contains("more than 100 achievements") ?? false)
    }

    @Test func `each game that can be won or lost has a board, and all points fit`() {
        let registry = Registry.standard
        #expect(Set(registry.boards.map(\.game)) == ["snap", "hangman", "tictactoe", "story", "lucky"])
        #expect(Set(registry.achievements.map(\.game)) == ["snap", "hangman", "tictactoe", "story", "lucky"])
        #expect(registry.achievements.reduce(0) { $0 + $1.points } <= 1_000)
        for (id, points) in [
            ("all_four_buttons.easy", 100), ("all_four_buttons.normal", 100), ("all_four_buttons.hard", 100),
            ("no_mistakes_small_word", 50),
        ] {
            #expect(registry.achievement(id)?.points == points)
        }
        for board in ["lucky.easy", "lucky.normal", "lucky.hard"] {
            #expect(registry.board(board)?.isUnwitnessed == true)
        }
    }
}
