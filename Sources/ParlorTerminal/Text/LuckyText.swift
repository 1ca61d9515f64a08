internal import ParlorControl

/// Lucky in words.
enum LuckyText {
    static func table(_ match: MatchInfo) -> [String] {
        let level = CleanText.line(match.view["level"]?.text ?? "")
        let pressed = safe(match).map(String.init).joined(separator: " ")
        return [
            "Four buttons, level \(level): \(points(match))."
                + (pressed.isEmpty ? "" : " Pressed: \(pressed).")
        ]
    }

    static func news(_ new: MatchInfo, after old: MatchInfo?) -> [String] {
        guard let old else { return table(new) }
        var lines = safe(new).dropFirst(safe(old).count).map { "Button \($0) was safe." }
        if !lines.isEmpty { lines[lines.count - 1] += " \(points(new))." }
        if new.view["over"]?.truth == true, old.view["over"]?.truth != true {
            let killers = (new.view["killers"]?.elements ?? []).compactMap { $0.integer.map(String.init) }
            let which = killers.isEmpty ? "" : " It was \(killers.joined(separator: " and "))."
            lines.append("That was the end of it.\(which) You have \(points(new)).")
        }
        return lines
    }

    static func next(_ match: MatchInfo) -> String { "Press a button: type 1, 2, 3 or 4." }

    private static func safe(_ match: MatchInfo) -> [Int] {
        (match.view["pressed"]?.elements ?? []).compactMap(\.integer)
    }

    private static func points(_ match: MatchInfo) -> String {
        let score = match.view["score"]?.integer ?? 0
        return score == 1 ? "1 point" : "\(score) points"
    }
}
