internal import ParlorControl

/// Tic Tac Toe in words and ASCII.
enum TicTacToeText {
    static func table(_ match: MatchInfo, plain: Bool) -> [String] {
        board(match, plain: plain) + players(match)
    }

    static func news(_ new: MatchInfo, after old: MatchInfo?, plain: Bool) -> [String] {
        guard let old else { return table(new, plain: plain) }
        let (cells, before) = (cells(new), cells(old))
        var lines: [String] = []
        for (cell, mark) in cells.enumerated() where !mark.isEmpty && before.dropFirst(cell).first != mark {
            guard let seat = marks(new).firstIndex(of: mark) else { continue }
            lines.append("\(new.startName(seat)) placed \(CleanText.line(mark)) on \(cell + 1).")
        }
        if !lines.isEmpty { lines += board(new, plain: plain) }
        if let line = new.view["line"]?.elements, old.view["line"]?.elements == nil {
            lines.append(
                "In a line: " + line.compactMap { $0.integer.map(String.init) }.joined(separator: " ") + ".")
        }
        return lines
    }

    static func next(_ match: MatchInfo) -> String {
        guard match.allows("place") else { return MatchText.turn(match) }
        return "Your turn: type the number of an empty square."
    }

    private static func cells(_ match: MatchInfo) -> [String] {
        (match.view["cells"]?.elements ?? []).map { $0.text ?? "" }
    }

    private static func marks(_ match: MatchInfo) -> [String] {
        (match.view["marks"]?.elements ?? []).compactMap(\.text)
    }

    /// The squares, those that are empty by their numbers; for screen readers a row a line.
    private static func board(_ match: MatchInfo, plain: Bool) -> [String] {
        let cells = cells(match).enumerated().map { number, mark in
            mark.isEmpty ? "\(number + 1)" : CleanText.line(mark)
        }
        guard cells.count == 9 else { return [] }
        let rows = [0, 3, 6].map { Array(cells[$0..<$0 + 3]) }
        guard !plain else {
            return rows.enumerated().map { "Row \($0 + 1): " + $1.joined(separator: ", ") + "." }
        }
        let drawn = rows.map { "  " + $0.joined(separator: " | ") }
        return [drawn[0], " ---+---+---", drawn[1], " ---+---+---", drawn[2]]
    }

    private static func players(_ match: MatchInfo) -> [String] {
        let parts = marks(match).enumerated().map { seat, mark in
            "\(match.name(seat)) \(seat == match.mySeat ? "are" : "is") \(CleanText.line(mark))"
        }
        guard let first = parts.first else { return [] }
        let line = ([first] + parts.dropFirst()).joined(separator: ", ") + "."
        return [line.prefix(1).uppercased() + line.dropFirst()]
    }
}
