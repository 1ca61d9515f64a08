internal import ParlorControl
internal import ParlorProtocol
internal import ParlorViews

extension MatchInfo {
    /// What a seat is called in the middle of a sentence: `you`, or its player's name.
    func name(_ seat: Int) -> String { seat == mySeat ? "you" : playerName(seat) }

    /// What a seat is called at the beginning of a sentence.
    func startName(_ seat: Int) -> String { seat == mySeat ? "You" : playerName(seat) }

    private func playerName(_ seat: Int) -> String {
        guard let found = seats.first(where: { $0.index == seat }) else { return "Seat \(seat &+ 1)" }
        return CleanText.line(found.player.name)
    }

    /// `does` for others, `do` for me.
    func verb(_ seat: Int, _ theirs: String, _ mine: String) -> String {
        "\(startName(seat)) \(seat == mySeat ? mine : theirs)"
    }

    /// Whether an action of this name is legal for me now.
    func allows(_ action: String) -> Bool { legal.contains { $0["do"]?.text == action } }
}

/// A match in words.
enum MatchText {
    /// A game's name as it stands at the beginning of a line.
    static func title(_ game: String) -> String {
        guard game != "tictactoe" else { return "Tic Tac Toe" }
        let name = CleanText.line(game)
        return name.prefix(1).uppercased() + name.dropFirst()
    }

    /// What a match that waits says instead of whose turn it is.
    static let waiting =
        "The match waits: the machine that orders the moves is gone, or too few are left to go on without it."

    /// Everything there is to see.
    static func whole(_ match: MatchInfo, plain: Bool, atPrompt: Bool = false) -> [String] {
        guard match.state != .drawing else { return ["The seats draw numbers for the first turn."] }
        var lines = table(match, plain: plain)
        lines += match.seats.flatMap { standing($0, in: match) }
        if match.state == .ended {
            let outcomes = match.seats.compactMap { seat in
                seat.outcome.map { "\(match.name(seat.index)) \(words($0, isBot: seat.bot))" }
            }
            lines.append("Over: " + outcomes.joined(separator: ", ") + ".")
        } else if match.waiting == true {
            lines.append(waiting)
        } else {
            lines.append(atPrompt ? commands(match) : next(match))
        }
        return lines
    }

    /// What lies on the table.
    static func table(_ match: MatchInfo, plain: Bool) -> [String] {
        switch match.game {
        case "snap": SnapText.table(match)
        case "hangman": HangmanText.table(match, plain: plain)
        case "tictactoe": TicTacToeText.table(match, plain: plain)
        case "story": StoryText.table(match)
        case "lucky": LuckyText.table(match)
        default: [CleanText.line(match.game) + ": " + CleanText.line(match.view.encodedText)]
        }
    }

    /// What is new of how a seat stands in a match: that it is out of it and why, or close to it.
    ///
    /// `before` is the seat when it was last looked at; `nil` when it was not.
    static func standing(
        _ seat: MatchSeatInfo, in match: MatchInfo, after before: MatchSeatInfo? = nil
    ) -> [String] {
        typealias Departure = ParlorProtocol.MatchState.Seat.Departure
        let mine = seat.index == match.mySeat
        if seat.state == .left {
            let why = seat.why.flatMap(Departure.init(rawValue:))
            // Whoever left by itself knows, and at the end of a match the outcome says it to the others.
            guard before?.state != .left, why != .asked || !mine && match.state != .ended else { return [] }
            let because = why == .asked ? "" : why.map { ": " + $0.why(mine: mine) } ?? ""
            return ["\(match.verb(seat.index, "is", "are")) out of this match\(because)."]
        }
        guard let times = seat.withheld, times > before?.withheld ?? 0 else { return [] }
        let text = Departure.warning(mine ? nil : match.name(seat.index))
        return [text.prefix(1).uppercased() + text.dropFirst()]
    }

    /// What is new since the match was last looked at; everything when it was not.
    static func news(
        _ new: MatchInfo, after old: MatchInfo?, plain: Bool, hints: Bool = true
    ) -> [String] {
        let before = old?.state == .drawing ? nil : old
        var lines: [String]
        switch new.game {
        case "snap": lines = SnapText.news(new, after: before)
        case "hangman": lines = HangmanText.news(new, after: before, plain: plain)
        case "tictactoe": lines = TicTacToeText.news(new, after: before, plain: plain)
        case "story": lines = StoryText.news(new, after: before)
        case "lucky": lines = LuckyText.news(new, after: before)
        default:
            lines = before?.view == new.view ? [] : [CleanText.line(new.view.encodedText)]
        }
        if hints, new.state == .playing, before == nil || isNextNews(new, after: before, told: !lines.isEmpty)
        {
            lines.append(next(new))
        }
        return lines
    }

    /// In Snap the turn changes while a card is still face down; that is told with the card.
    private static func isNextNews(_ new: MatchInfo, after old: MatchInfo?, told: Bool) -> Bool {
        guard new.game == "snap" else { return old.map(next) != next(new) }
        return told || new.allows("flip") && old?.allows("flip") != true
    }

    /// Whose turn it is and which commands act, for somebody at a shell's prompt.
    static func commands(_ match: MatchInfo) -> String {
        let acts = ActWords.usages.filter { usage in
            match.allows(String(usage.prefix { $0 != " " }))
        }
        guard match.state == .playing, !acts.isEmpty else { return next(match) }
        return turn(match) + " Type " + acts.map { "parlor act \($0)" }.joined(separator: " or ") + "."
    }

    /// Whose turn it is and what I may type.
    static func next(_ match: MatchInfo) -> String {
        guard match.state == .playing else { return "The match is over." }
        switch match.game {
        case "snap": return SnapText.next(match)
        case "hangman": return HangmanText.next(match)
        case "tictactoe": return TicTacToeText.next(match)
        case "story": return StoryText.next(match)
        case "lucky": return LuckyText.next(match)
        default: return turn(match) + actions(match)
        }
    }

    static func turn(_ match: MatchInfo) -> String {
        if let mine = match.mySeat, match.turn.contains(mine) { return "Your turn." }
        guard let first = match.turn.first else { return "Nobody's turn." }
        return match.turn.count == 1
            ? "\(match.startName(first))'s turn."
            : "Turn: " + match.turn.map(match.name).joined(separator: ", ") + "."
    }

    private static func actions(_ match: MatchInfo) -> String {
        var names: [String] = []
        for action in match.legal {
            if let name = action["do"]?.text.map(CleanText.line), !names.contains(name) { names.append(name) }
        }
        return names.isEmpty ? "" : " You may: \(names.joined(separator: ", "))."
    }

    /// What the host has changed of a game's options, a sentence each, with what the option is for.
    ///
    /// Whether others may watch is told by itself.
    static func options(_ new: JSON, since old: JSON) -> [String] {
        guard old != new else { return [] }
        return (new.members ?? []).filter { $0.key != "watchers" && $0.value != old[$0.key] }.map { member in
            let name = CleanText.line(member.key)
            let value = CleanText.line(member.value.text ?? member.value.encodedText)
            let what = OptionWords.summary(of: member.key).map { ": \($0)" } ?? ""
            return "The host has set \(name) to \(value)\(what)."
        }
    }

    static func words(_ outcome: Outcome, isBot: Bool = false) -> String {
        switch outcome {
        case .quit where isBot: "stopped"
        case .won: "won"
        case .lost: "lost"
        case .tied: "tied"
        case .quit: "quit"
        case .timedOut: "ran out of time"
        case .first: "came first"
        case .second: "came second"
        case .third: "came third"
        case .fourth: "came fourth"
        }
    }
}
