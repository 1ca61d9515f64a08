/// Plays Tic Tac Toe: easy by chance, normal with an eye on the next line, hard without ever losing.
struct TicTacToeBot: BotPlayer {
    /// Milliseconds from its turn to its mark: within the shortest time of a turn that there is.
    static let wait = 400...900

    private let level: BotSkill
    private var random: BotRandom
    /// The board that it looks at, and what it will do about it.
    private var seen: Value?
    private var next: BotPlan?

    init(level: BotSkill, seed: UInt64) {
        self.level = level
        random = BotRandom(seed: seed)
    }

    mutating func plan(_ sight: BotSight) -> BotPlan? {
        guard sight.may("place"), let cells = sight.view["cells"] else {
            (seen, next) = (nil, nil)
            return nil
        }
        if seen != cells || next == nil {
            seen = cells
            next = choose(cells.elements ?? [], mark: sight.view["mark"]?.text).map {
                BotPlan(["do": "place", "cell": .int($0 + 1)], at: sight.now + random.number(Self.wait))
            }
        }
        return next
    }

    mutating func didAct(_ action: Value, wasRefused: Bool) { next = nil }

    private mutating func choose(_ cells: [Value], mark: String?) -> Int? {
        guard cells.count == TicTacToeBoard.cellCount,
            let mark = mark.flatMap(TicTacToeBoard.Mark.init(rawValue:))
        else { return nil }
        var board = TicTacToeBoard()
        for (index, cell) in cells.enumerated() {
            if let mark = cell.text.flatMap(TicTacToeBoard.Mark.init(rawValue:)) {
                board.place(mark, at: index)
            }
        }
        return moves(on: board, mark).randomElement(using: &random)
    }

    /// The squares it chooses among.
    private func moves(on board: TicTacToeBoard, _ mark: TicTacToeBoard.Mark) -> [Int] {
        switch level {
        case .easy: return board.empty
        case .normal:
            for mark in [mark, mark.other] {
                let winning = board.empty.filter { Self.after($0, mark, on: board).winner == mark }
                if !winning.isEmpty { return winning }
            }
            return board.empty
        case .hard: return TicTacToeSearch.best(on: board, for: mark)
        }
    }

    private static func after(_ cell: Int, _ mark: TicTacToeBoard.Mark, on board: TicTacToeBoard)
        -> TicTacToeBoard
    {
        var board = board
        board.place(mark, at: cell)
        return board
    }
}

/// Looks at every game that can follow from a board.
struct TicTacToeSearch {
    private var known: [TicTacToeBoard: Int] = [:]

    /// The squares that are best for the mark to move, all that are equally good.
    ///
    /// A quicker win is better than a later one, and a later loss better than a quick one.
    static func best(on board: TicTacToeBoard, for mark: TicTacToeBoard.Mark) -> [Int] {
        // Every first square is a draw; there is nothing to look for.
        guard board.empty.count < TicTacToeBoard.cellCount else { return board.empty }
        var search = TicTacToeSearch()
        let values = board.empty.map { cell in
            var next = board
            next.place(mark, at: cell)
            return -search.value(of: next, for: mark.other)
        }
        guard let most = values.max() else { return [] }
        return zip(board.empty, values).filter { $0.1 == most }.map { $0.0 }
    }

    /// What a board is worth to the mark to move: above 0 it wins, below it loses.
    private mutating func value(of board: TicTacToeBoard, for mark: TicTacToeBoard.Mark) -> Int {
        if let value = known[board] { return value }
        let empty = board.empty
        var best = 0
        if board.winner != nil {
            best = -1 - empty.count
        } else if !empty.isEmpty {
            best = Int.min
            for cell in empty {
                var next = board
                next.place(mark, at: cell)
                best = max(best, -value(of: next, for: mark.other))
            }
        }
        known[board] = best
        return best
    }
}
