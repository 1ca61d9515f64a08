/// Guesses which name somebody meant.
enum Likeness {
    /// `, perhaps you mean X` where one of the names is close, else which names there are.
    static func hint(for text: String, among names: [String]) -> String {
        var unique: [String] = []
        for name in names where !unique.contains(name) { unique.append(name) }
        let best = unique.min { distance(text, $0) < distance(text, $1) }
        if let best, distance(text, best) <= max(1, best.utf8.count / 3) {
            return ", perhaps you mean \(best)"
        }
        return ", possible is \(unique.joined(separator: ", "))"
    }

    /// How many letters must be added, removed, replaced or swapped with their neighbour; case counts for
    /// nothing.
    static func distance(_ left: String, _ right: String) -> Int {
        let a = Array(left.lowercased().unicodeScalars)
        let b = Array(right.lowercased().unicodeScalars)
        var rows = [Array(0...b.count)]
        for i in 0..<a.count {
            var row = [i + 1]
            for j in 0..<b.count {
                var least = min(rows[i][j] + (a[i] == b[j] ? 0 : 1), rows[i][j + 1] + 1, row[j] + 1)
                if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] {
                    least = min(least, rows[i - 1][j - 1] + 1)
                }
                row.append(least)
            }
            rows.append(row)
        }
        return rows[a.count][b.count]
    }
}
