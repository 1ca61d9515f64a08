internal import ParlorControl
internal import ParlorProtocol
internal import ParlorViews

/// What a match comes to: counts of what happened, words that were set, how it ended.
struct MatchDigest {
    private var script: ReplayScript
    private var last: ReplayScript.Moment?
    private var counts: [String: Int] = [:]
    private var words: [String] = []
    private let plain: Bool

    init(plain: Bool) {
        self.plain = plain
        script = ReplayScript(plain: plain)
    }

    /// Takes the log with one entry more.
    mutating func next(_ log: MatchLog) {
        if let entry = log.entries.last { count(entry) }
        for moment in script.next(log) { take(moment) }
    }

    private mutating func count(_ entry: Entry) {
        switch entry.proposal.body {
        case .away, .withheld, .left, .leave: counts[entry.proposal.body.word, default: 0] += 1
        default: break
        }
    }

    private mutating func take(_ moment: ReplayScript.Moment) {
        let view = moment.match.view
        let before = last?.match.view ?? .null
        if let kind = view["last"]?["kind"]?.text, view["last"] != before["last"] {
            counts[kind, default: 0] += 1
        }
        if let reveal = view["reveal"], !reveal.isNull, reveal != before["reveal"] {
            let word = CleanText.line(reveal["word"]?.text ?? "?")
            words.append(reveal["honest"]?.truth == false ? "\(word) (not answered honestly)" : word)
        }
        last = moment
    }

    /// The same for programs.
    func json(_ row: MatchSummary?, _ verdict: VerifyInfo) -> JSON {
        var members: [JSON.Member] = []
        if let row { members.append(.init("match", JSON(encoding: row))) }
        if let draw = last?.match.draw { members.append(.init("draw", JSON(encoding: draw))) }
        members.append(.init("words", .array(words.map { .string($0) })))
        members.append(.init("view", last?.match.view ?? .null))
        members.append(.init("verify", JSON(encoding: verdict)))
        return .object(members)
    }

    /// The match in a few lines.
    func lines(_ row: MatchSummary?, _ verdict: VerifyInfo) -> [String] {
        let id = CleanText.line(verdict.match ?? row?.id ?? "?")
        var lines = ["\(MatchText.title(verdict.game ?? row?.game ?? "?")), match \(id)"]
        if let row {
            let room = row.room.name.isEmpty ? "" : " in \(CleanText.line(row.room.name))"
            let length = row.ended.map { ", took \(LocalTime.span($0 - row.started))" } ?? ""
            lines.append("Started \(LocalTime.minute(row.started))\(room)\(length).")
        }
        let seats = verdict.seats ?? []
        lines += CleanText.columns(
            seats.map { seat in
                [
                    "  Seat \(seat.index + 1)", CleanText.line(seat.player.name) + (seat.bot ? " (bot)" : ""),
                    seat.outcome.map { MatchText.words($0, isBot: seat.bot) }
                        ?? (seat.state == .active ? "" : seat.state.rawValue),
                ]
            })
        if let match = last?.match {
            lines += draw(match)
            if match.state != .drawing { lines += happened(match) }
        }
        lines.append(VerdictText.headline(verdict))
        return lines
    }

    private func draw(_ match: MatchInfo) -> [String] {
        guard let draw = match.draw, !draw.rounds.isEmpty else { return [] }
        let rounds = draw.rounds.map { round in
            round.map { "\(match.name($0.seat)) \($0.number)" }.joined(separator: ", ")
        }
        let first = draw.first.map { ". \(match.startName($0)) went first." } ?? "."
        return ["The draw: " + rounds.joined(separator: "; again: ") + first]
    }

    private func happened(_ match: MatchInfo) -> [String] {
        var parts: [String] = []
        func add(_ number: Int, _ one: String, _ more: String) {
            if number > 0 { parts.append("\(number) \(number == 1 ? one : more)") }
        }
        if match.game == "snap" {
            add(match.view["flips"]?.integer ?? 0, "card turned", "cards turned")
            add(counts["took"] ?? 0, "pair taken", "pairs taken")
            add(counts["wrong"] ?? 0, "wrong call", "wrong calls")
        }
        add(counts["away"] ?? 0, "time somebody was away", "times somebody was away")
        add(counts["withheld"] ?? 0, "link withheld", "links withheld")
        add((counts["left"] ?? 0) + (counts["leave"] ?? 0), "player left", "players left")
        var lines = parts.isEmpty ? [] : ["What happened: " + parts.joined(separator: ", ") + "."]
        if !words.isEmpty { lines.append("Words: " + words.joined(separator: ", ") + ".") }
        if let scores = match.view["scores"]?.elements, !scores.isEmpty {
            let points = scores.enumerated().map { "\(match.name($0)) \($1.integer ?? 0)" }
            lines.append("Points: " + points.joined(separator: ", ") + ".")
        }
        return lines
    }
}
