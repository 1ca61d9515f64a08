internal import ParlorControl

/// Story in words.
enum StoryText {
    /// Columns that the text is broken at.
    private static let columns = 78

    static func table(_ match: MatchInfo) -> [String] {
        CleanText.wrapped(CleanText.line(match.view["text"]?.text ?? ""), columns: columns) + [
            size(match.view)
        ]
    }

    static func news(_ new: MatchInfo, after old: MatchInfo?) -> [String] {
        let told = old?.view["authors"]?.elements?.count ?? 0
        let parts = Array((new.view["authors"]?.elements ?? []).dropFirst(told))
        // Whoever comes late, or missed much, gets all of it.
        guard old != nil, parts.count <= 3 else { return table(new) }
        var lines = parts.flatMap { part in
            CleanText.wrapped(
                (part["seat"]?.integer.map(new.startName) ?? "Somebody") + ": "
                    + text(of: part, in: new.view),
                columns: columns)
        }
        if !parts.isEmpty, new.view["left"]?.integer != nil { lines.append(size(new.view)) }
        return lines
    }

    static func next(_ match: MatchInfo) -> String {
        guard match.allows("append") else { return MatchText.turn(match) }
        return "Your turn: type what comes next."
    }

    /// What one turn wrote, by its bytes in the whole text.
    private static func text(of part: JSON, in view: JSON) -> String {
        let bytes = Array((view["text"]?.text ?? "").utf8)
        guard let from = part["from"]?.integer, let to = part["to"]?.integer, 0 <= from, from <= to,
            to <= bytes.count
        else { return "" }
        return CleanText.line(String(decoding: bytes[from..<to], as: UTF8.self))
    }

    private static func size(_ view: JSON) -> String {
        let bytes = view["bytes"]?.integer ?? 0
        guard let left = view["left"]?.integer else { return "(\(bytes) bytes)" }
        return "(\(bytes) bytes; \(left) left, and past 3800 it is over)"
    }
}
