internal import ParlorControl

/// Snap in words.
///
/// Names all cards and never says that two match: seeing it is the game.
enum SnapText {
    /// `queen of spades` for `QS`.
    static func card(_ short: String) -> String {
        let ranks: [Character: String] = [
            "A": "ace", "T": "10", "J": "jack", "Q": "queen", "K": "king",
        ]
        let suits: [Character: String] = ["S": "spades", "H": "hearts", "D": "diamonds", "C": "clubs"]
        guard short.count == 2, let rank = short.first, let suit = short.last.flatMap({ suits[$0] }) else {
            return CleanText.line(short)
        }
        return "\(ranks[rank] ?? String(rank)) of \(suit)"
    }

    /// The piles, one line a seat.
    static func table(_ match: MatchInfo) -> [String] {
        let seats = match.view["seats"]?.elements ?? []
        var rows: [[String]] = []
        for (index, seat) in seats.enumerated() {
            let top = seat["top"]?.text.map(card) ?? "nothing face up"
            let closed = seat["closed"]?.integer ?? 0
            let open = seat["open"]?.integer ?? 0
            let state = seat["in"]?.truth == false ? "out" : "\(closed) face down, \(open) face up"
            rows.append(["  \(match.startName(index))", top, state])
        }
        var lines = CleanText.columns(rows)
        if let pool = match.view["pool"], let top = pool["top"]?.text {
            lines.append("  In the pool: \(pool["count"]?.integer ?? 0) cards, on top \(card(top)).")
        }
        return lines
    }

    static func news(_ new: MatchInfo, after old: MatchInfo?) -> [String] {
        guard let old else {
            let isNew = new.view["flips"]?.integer ?? 0 == 0
            return [isNew ? "The cards are dealt." : "The match is under way. On the table:"] + table(new)
        }
        var lines: [String] = []
        let last = new.view["last"] ?? .null
        if last != old.view["last"] ?? .null { lines += called(new, last) }
        if new.view["flips"] != old.view["flips"] {
            let flipper = last["kind"] == "flip" ? last["seat"]?.integer : old.view["turn"]?.integer
            lines += flipped(new, by: flipper)
        } else if !lines.isEmpty,
            ["took", "pooled", "tied", "wrong"].contains(last["kind"]?.text)
        {
            lines.append(counts(new))
        }
        return lines
    }

    private static func called(_ match: MatchInfo, _ last: JSON) -> [String] {
        guard let seat = last["seat"]?.integer, let kind = last["kind"]?.text else { return [] }
        let cards = last["cards"]?.integer ?? 0
        let amount = cards == 1 ? "1 card" : "\(cards) cards"
        let time = last["reaction_ms"]?.number.map { " (\(CleanText.whole($0)) ms)" } ?? ""
        let others = slower(match, than: seat)
        switch kind {
        case "took": return ["\(match.startName(seat)) called snap and took \(amount)\(time)\(others)."]
        case "wrong": return ["\(match.startName(seat)) called snap wrongly; it cost \(amount)."]
        case "late": return ["\(match.startName(seat)) called too late; nothing happens."]
        case "tied" where cards == 0: return ["A tie\(tied(match)): the pool stays where it is."]
        case "tied":
            return [
                "A tie\(tied(match)): both piles go to the pool, \(amount). p takes it when a card like its "
                    + "top comes."
            ]
        case "pooled": return ["\(match.startName(seat)) took the pool, \(amount)\(time)\(others)."]
        case "ignored":
            return ["\(match.startName(seat)) called before the card could be seen; it does not count."]
        default: return []
        }
    }

    /// Whose calls came too late for this flip, and by how much: `, before you (412 ms)`.
    private static func slower(_ match: MatchInfo, than winner: Int) -> String {
        let late = calls(match, "late").filter { $0.seat != winner }
        return late.isEmpty ? "" : ", before " + late.map(\.text).joined(separator: " and ")
    }

    private static func tied(_ match: MatchInfo) -> String {
        let names = calls(match, "tied").map(\.text)
        return names.isEmpty ? "" : " between " + names.joined(separator: " and ")
    }

    /// What came of calls of the newest flip in one way: who, and how fast.
    private static func calls(_ match: MatchInfo, _ kind: String) -> [(seat: Int, text: String)] {
        (match.view["calls"]?.elements ?? []).compactMap { call in
            guard call["kind"]?.text == kind, let seat = call["seat"]?.integer else { return nil }
            let time = call["reaction_ms"]?.number.map { " (\(CleanText.whole($0)) ms)" } ?? ""
            return (seat, match.name(seat) + time)
        }
    }

    private static func flipped(_ match: MatchInfo, by seat: Int?) -> [String] {
        let tops = (match.view["seats"]?.elements ?? []).map { $0["top"]?.text }
        var text = ""
        if let seat, tops.indices.contains(seat), let top = tops[seat] {
            text = "\(match.startName(seat)) flipped: \(card(top))."
        }
        let others = tops.enumerated().compactMap { index, top in
            index == seat ? nil : top.map { "\(match.name(index)) \(card($0))" }
        }
        if !others.isEmpty { text += " On top: " + others.joined(separator: ", ") + "." }
        return text.isEmpty ? [] : [String(text.drop { $0 == " " })]
    }

    private static func counts(_ match: MatchInfo) -> String {
        let seats = match.view["seats"]?.elements ?? []
        let parts = seats.enumerated().map { index, seat in
            let closed = seat["closed"]?.integer ?? 0
            return "\(match.name(index)) \(closed &+ (seat["open"]?.integer ?? 0))"
        }
        var line = "Cards: " + parts.joined(separator: ", ") + "."
        if let pool = match.view["pool"], let top = pool["top"]?.text {
            line += " In the pool: \(pool["count"]?.integer ?? 0), on top \(card(top))."
        }
        return line
    }

    static func next(_ match: MatchInfo) -> String {
        var hints: [String] = []
        if match.allows("flip") { hints.append("Enter flips") }
        if match.allows("snap") { hints.append("s calls snap") }
        if match.allows("pool"), match.view["pool"]?["count"]?.integer ?? 0 > 0 {
            hints.append("p takes the pool")
        }
        let what = hints.isEmpty ? "" : " " + hints.joined(separator: ", ") + "."
        return MatchText.turn(match) + what
    }
}
