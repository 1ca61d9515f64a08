/// The nine squares, row by row from the top left.
struct TicTacToeBoard: Hashable, Sendable {
    /// What a seat places.
    enum Mark: String, Hashable, Sendable {
        case cross = "X"
        case nought = "O"

        var other: Mark { self == .cross ? .nought : .cross }
    }

    static let cellCount = 9
    /// The squares of each line, from 0: rows, columns, diagonals.
    static let lines = [
        [0, 1, 2], [3, 4, 5], [6, 7, 8], [0, 3, 6], [1, 4, 7], [2, 5, 8], [0, 4, 8], [2, 4, 6],
    ]

    private(set) var cells: [Mark?] = Array(repeating: nil, count: cellCount)

    /// Sets a square, from 0.
    mutating func place(_ mark: Mark, at cell: Int) { cells[cell] = mark }

    /// The empty squares, from 0.
    var empty: [Int] { cells.indices.filter { cells[$0] == nil } }

    /// Whether no square is empty.
    var isFull: Bool { !cells.contains(nil) }

    /// The first line that one mark fills.
    var line: [Int]? {
        Self.lines.first { line in
            cells[line[0]] != nil && line.allSatisfy { cells[$0] == cells[line[0]] }
        }
    }

    /// Whose line it is.
    var winner: Mark? { line.flatMap { cells[$0[0]] } }
}
