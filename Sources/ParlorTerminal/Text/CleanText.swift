/// Makes text from other people fit to print: nothing in it can move the cursor, change the terminal or
/// turn the direction of what follows.
enum CleanText {
    /// How many marks one letter may carry.
    private static let marksMax = 4

    /// The text on one line, without control, bidirectional and other invisible formatting characters.
    static func line(_ text: String) -> String {
        var out = String.UnicodeScalarView()
        var marks = 0
        for scalar in text.unicodeScalars {
            switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator:
                if scalar == "\t" || scalar == "\n" || scalar == "\r" { out.append(" ") }
                marks = 0
            case .format:
                // Joiners make letters and emoji; all else of this kind is invisible or turns the text.
                if scalar == "\u{200D}" || scalar == "\u{200C}" { out.append(scalar) }
            case .surrogate, .privateUse, .unassigned: out.append("\u{FFFD}")
            case .nonspacingMark, .enclosingMark, .spacingMark:
                marks += 1
                if marks <= marksMax { out.append(scalar) }
            default:
                marks = 0
                out.append(scalar)
            }
        }
        return String(out)
    }

    /// A number from the daemon as a whole one; what is no sensible amount is shown as the nearest that is.
    static func whole(_ number: Double) -> Int {
        let most = 1e15
        return number.isNaN ? 0 : Int(min(max(number, -most), most).rounded())
    }

    /// Breaks a line at spaces so that each part fits; a word wider than that stays whole.
    static func wrapped(_ line: String, columns: Int) -> [String] {
        guard line.count > columns, columns > 0 else { return [line] }
        let words = line.split(separator: " ", omittingEmptySubsequences: false)
        var lines: [String] = []
        var current = String(words[0])
        for word in words.dropFirst() {
            if current.count + 1 + word.count > columns, current.contains(where: { $0 != " " }) {
                lines.append(current)
                current = String(word)
            } else {
                current += " " + word
            }
        }
        return lines + [current]
    }

    /// Text in columns, each as wide as its widest cell; the last column is not padded.
    static func columns(_ rows: [[String]]) -> [String] {
        let count = rows.map(\.count).max() ?? 0
        let widths = (0..<count).map { column in
            rows.map { column < $0.count ? $0[column].count : 0 }.max() ?? 0
        }
        return rows.map { row in
            var line = ""
            for (column, cell) in row.enumerated() {
                line += cell
                guard column < row.count - 1 else { break }
                line += String(repeating: " ", count: widths[column] - cell.count + 2)
            }
            while line.last == " " { line.removeLast() }
            return line
        }
    }
}
