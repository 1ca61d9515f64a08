import Testing

@testable import ParlorGames

/// A table of Tic Tac Toe that the test plays all seats of.
struct TicTacToeTable {
    var game: TicTacToe
    var now = 1_000

    init(first: Int = 0, options: [Value.Member] = []) throws {
        game = TicTacToe(try setup(TicTacToe.declaration, seats: 2, first: first, options: options))
    }

    mutating func place(_ cell: Int, by seat: Int) throws(Refusal) {
        let action: Value = ["do": "place", "cell": .int(cell)]
        let move = try game.move(for: action, by: seat, secrets: toySecrets(seat: seat), at: now)
        try game.apply(.move(seat: seat, move), at: now)
    }

    /// Places marks in turn, X first.
    mutating func place(_ cells: [Int]) throws {
        for cell in cells { try place(cell, by: try #require(game.turn.first)) }
    }

    func view(_ seat: Int?) -> Value { game.view(for: seat, secrets: nil, at: now) }
}

struct TicTacToeTests {
    @Test func `the winner of the draw is X and begins, and the view is as it is written down`() throws {
        var table = try TicTacToeTable(first: 1)
        #expect(table.view(1)["mark"] == "X")
        #expect(table.view(0)["mark"] == "O")
        #expect(table.view(nil)["mark"] == .some(nil))
        #expect(table.view(0)["turn"] == 1)
        #expect(table.game.turn == [1])
        #expect(table.game.legal(for: 0, secrets: nil, at: 0) == [])
        #expect(
            table.game.legal(for: 1, secrets: nil, at: 0)
                == (1...9).map { ["do": "place", "cell": .int($0)] })
        try table.place([5, 1])
        #expect(table.view(0)["cells"] == ["O", "", "", "", "X", "", "", "", ""])
        #expect(table.game.legal(for: 1, secrets: nil, at: 0).count == 7)
        #expect(table.game.outcomes == nil)
    }

    @Test func `a taken square, a wrong turn and no square are refused, and change nothing`() throws {
        var table = try TicTacToeTable()
        try table.place([5])
        let before = bytes(table.game)
        do throws(Refusal) {
            try table.place(5, by: 1)
            Issue.record("a taken square")
        } catch {
            #expect(error.reason == .illegalMove)
            #expect(error.message.contains("pick an empty square"))
        }
        #expect(refusal { () throws(Refusal) in try table.place(1, by: 0) } == .notYourTurn)
        for cell in [0, 10, -1, Int.max] {
            #expect(refusal { () throws(Refusal) in try table.place(cell, by: 1) } == .badParams)
            let move = Datum.list([.int(0), .int(cell)])
            #expect(
                refusal { () throws(Refusal) in try table.game.apply(.move(seat: 1, move), at: 1) }
                    == .badParams)
        }
        let actions: [Value] = [["do": "place"], ["do": "place", "cell": "5"], ["do": "flip"], [], nil]
        for action in actions {
            let reason = refusal { () throws(Refusal) in
                _ = try table.game.move(for: action, by: 1, secrets: toySecrets(seat: 1), at: 1)
            }
            #expect(reason == .badParams)
        }
        #expect(bytes(table.game) == before)
    }

    private static let lines = [
        [0, 1, 2], [3, 4, 5], [6, 7, 8], [0, 3, 6], [1, 4, 7], [2, 5, 8], [0, 4, 8], [2, 4, 6],
    ]

    @Test(arguments: lines) func `each line wins`(line: [Int]) throws {
        var table = try TicTacToeTable()
        let others = (0..<9).filter { !line.contains($0) }
        // Two of the others never make a line with what is placed.
        for (mine, theirs) in zip(line, others) {
            try table.place([mine + 1])
            if table.game.outcomes == nil { try table.place([theirs + 1]) }
        }
        #expect(table.game.outcomes == [.won, .lost])
        #expect(table.view(nil)["line"] == .array(line.map { .int($0 + 1) }))
        #expect(table.view(0)["turn"] == .some(nil))
        #expect(table.game.turn == [])
        #expect(refusal { () throws(Refusal) in try table.place(9, by: 1) } == .matchEnded)
    }

    @Test func `nine marks without a line are a tie, and a line with the ninth mark wins`() throws {
        var table = try TicTacToeTable(first: 1)
        try table.place([1, 2, 3, 5, 4, 6, 8, 7, 9])
        #expect(table.game.outcomes == [.tied, .tied])
        var last = try TicTacToeTable(first: 1)
        try last.place([1, 2, 3, 4, 6, 8, 5, 7, 9])
        #expect(last.game.outcomes == [.lost, .won])
    }

    @Test func `who leaves has quit and the other has won, also when both leave`() throws {
        var table = try TicTacToeTable()
        try table.place([1])
        try table.game.apply(.left(seat: 0), at: 5_000)
        #expect(table.game.outcomes == [.quit, .won])
        #expect(
            refusal { () throws(Refusal) in try table.game.apply(.left(seat: 1), at: 5_000) } == .matchEnded)
    }

    @Test func `time that runs out loses, and none runs while the seat to move is away`() throws {
        var table = try TicTacToeTable(options: [.init("turn_s", 10)])
        #expect(table.game.deadline == 11_000)
        try table.game.apply(.away(seat: 0), at: 4_000)
        #expect(table.game.deadline == nil)
        #expect(table.game.turn == [0])
        #expect(refusal { () throws(Refusal) in try table.game.apply(.expired, at: 90_000) } == .illegalMove)
        try table.game.apply(.back(seat: 0), at: 60_000)
        #expect(table.game.deadline == 70_000)
        // That of the other is not counted anew when this one goes and comes.
        table.now = 61_000
        try table.place([1])
        try table.game.apply(.away(seat: 0), at: 62_000)
        try table.game.apply(.back(seat: 0), at: 63_000)
        #expect(table.game.deadline == 71_000)
        #expect(refusal { () throws(Refusal) in try table.game.apply(.expired, at: 70_999) } == .illegalMove)
        try table.game.apply(.expired, at: 71_000)
        #expect(table.game.outcomes == [.won, .timedOut])
        #expect(try TicTacToeTable().game.deadline == nil)
    }

    // MARK: Bots

    private func sight(_ board: TicTacToeBoard, _ mark: TicTacToeBoard.Mark) -> BotSight {
        BotSight(
            seat: 0,
            view: [
                "cells": .array(board.cells.map { .string($0?.rawValue ?? "") }),
                "mark": .string(mark.rawValue),
            ], legal: board.empty.map { ["do": "place", "cell": .int($0 + 1)] }, now: 1_000)
    }

    /// Every game that can follow when one side takes any of the best squares and the other any square.
    private func outcomes(
        _ board: TicTacToeBoard, toMove: TicTacToeBoard.Mark, bot: TicTacToeBoard.Mark,
        known: inout [TicTacToeBoard: Set<String>], best: inout [TicTacToeBoard: [Int]]
    ) -> Set<String> {
        if let winner = board.winner { return [winner == bot ? "won" : "lost"] }
        if board.isFull { return ["tied"] }
        if let found = known[board] { return found }
        var found: Set<String> = []
        let cells = toMove == bot ? TicTacToeSearch.best(on: board, for: bot) : board.empty
        if toMove == bot { best[board] = cells }
        for cell in cells {
            var next = board
            next.place(toMove, at: cell)
            found.formUnion(outcomes(next, toMove: toMove.other, bot: bot, known: &known, best: &best))
        }
        known[board] = found
        return found
    }

    @Test(arguments: [TicTacToeBoard.Mark.cross, .nought])
    func `a hard bot never loses, whatever the other does`(bot: TicTacToeBoard.Mark) {
        var known: [TicTacToeBoard: Set<String>] = [:]
        var best: [TicTacToeBoard: [Int]] = [:]
        let all = outcomes(TicTacToeBoard(), toMove: .cross, bot: bot, known: &known, best: &best)
        #expect(all == ["won", "tied"])
        // What it plans is one of these squares, on every board that it can come to.
        for (board, cells) in best {
            var mind = TicTacToeBot(level: .hard, seed: UInt64(truncatingIfNeeded: board.hashValue))
            let cell = mind.plan(sight(board, bot))?.action["cell"]?.number
            #expect(cell.map { cells.contains($0 - 1) } ?? false)
        }
        #expect(best.count > 50)
    }

    @Test(arguments: BotSkill.allCases)
    func `a bot places on an empty square at its turn, and stays with its plan`(skill: BotSkill) {
        var board = TicTacToeBoard()
        for (index, cell) in [4, 0, 8].enumerated() {
            board.place(index % 2 == 0 ? .cross : .nought, at: cell)
        }
        for seed in UInt64(1)...100 {
            var bot = TicTacToeBot(level: skill, seed: seed)
            guard let plan = bot.plan(sight(board, .nought)), let cell = plan.action["cell"]?.number else {
                Issue.record("seed \(seed): no plan")
                continue
            }
            #expect(board.empty.contains(cell - 1))
            #expect((1_400...1_900).contains(plan.at))
            #expect(bot.plan(sight(board, .nought)) == plan)
            let waiting = BotSight(seat: 0, view: ["cells": []], legal: [], now: 1_000)
            #expect(bot.plan(waiting) == nil)
        }
    }

    @Test func `a normal bot takes the line that it has, and spoils the other's`() {
        var board = TicTacToeBoard()
        for (cell, mark) in [(0, TicTacToeBoard.Mark.cross), (1, .cross), (3, .nought), (4, .nought)] {
            board.place(mark, at: cell)
        }
        for seed in UInt64(1)...20 {
            var cross = TicTacToeBot(level: .normal, seed: seed)
            #expect(cross.plan(sight(board, .cross))?.action["cell"] == 3)
            var nought = TicTacToeBot(level: .normal, seed: seed)
            #expect(nought.plan(sight(board, .nought))?.action["cell"] == 6)
            var other = TicTacToeBoard()
            for (cell, mark) in [(0, TicTacToeBoard.Mark.cross), (4, .nought), (6, .cross)] {
                other.place(mark, at: cell)
            }
            var spoiler = TicTacToeBot(level: .normal, seed: seed)
            #expect(spoiler.plan(sight(other, .nought))?.action["cell"] == 4)
        }
    }
}
