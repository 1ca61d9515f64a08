internal import ParlorControl

/// Hangman in words and ASCII.
enum HangmanText {
    /// Bad guesses that lose a round.
    private static let badMax = 6

    static func table(_ match: MatchInfo, plain: Bool) -> [String] {
        var lines: [String] = []
        if let word = match.view["word"]?.text { lines.append("Your word: \(CleanText.line(word))") }
        let boards = match.view["boards"]?.elements ?? []
        for board in boards { lines += show(board, match, plain: plain) }
        if let scores = scores(match) { lines.append(scores) }
        return lines
    }

    static func news(_ new: MatchInfo, after old: MatchInfo?, plain: Bool) -> [String] {
        var lines: [String] = []
        let view = new.view
        let before = old?.view ?? .null
        let isNewRound = old == nil || view["round"] != before["round"] || view["setter"] != before["setter"]
        if let reveal = view["reveal"], !reveal.isNull, reveal != before["reveal"] {
            lines += revealed(reveal, new)
        } else if isWordGone(view, after: before, new) {
            lines.append("The round is over: its setter is gone, and the word with it.")
        }
        let setter = view["setter"]?.integer
        let mask = guessedMask(view)
        if isNewRound, new.state == .playing, let setter, mask == nil {
            lines.append("\(new.verb(setter, "sets", "set")) the word of this round.")
        }
        let hadMask = !isNewRound && guessedMask(before) != nil
        if let mask, !hadMask, new.state == .playing {
            let length = view["length"]?.integer ?? 0
            let who = setter.map { setter in new.startName(setter) } ?? "The list"
            lines.append("\(who) set a word of \(length) letters: \(CleanText.line(mask))")
        }
        let boards = view["boards"]?.elements ?? []
        let oldBoards = isNewRound ? [] : before["boards"]?.elements ?? []
        for (index, board) in boards.enumerated() where hadMask {
            let earlier = oldBoards.indices.contains(index) ? oldBoards[index] : nil
            if board != earlier { lines += changed(board, after: earlier, new, plain: plain) }
        }
        if view["scores"] != before["scores"], new.state == .ended || isNewRound && old != nil,
            let scores = scores(new)
        {
            lines.append(scores)
        }
        return lines
    }

    /// The mask while a word is being guessed; boards and mask of the last word stay until the next is set.
    private static func guessedMask(_ view: JSON) -> String? {
        guard view["reveal"]?.isNull ?? true, let mask = view["mask"]?.text, !mask.isEmpty else { return nil }
        return mask
    }

    /// Whether a word that was being guessed never will be: its setter has left, and nobody else has it.
    private static func isWordGone(_ view: JSON, after before: JSON, _ match: MatchInfo) -> Bool {
        guard guessedMask(before) != nil, let setter = before["setter"]?.integer,
            view["reveal"]?.isNull ?? true
        else { return false }
        let hasLeft = match.seats.contains { $0.index == setter && $0.state == .left }
        return view["round"] != before["round"] || match.state == .ended && hasLeft
    }

    private static func revealed(_ reveal: JSON, _ match: MatchInfo) -> [String] {
        let word = reveal["word"]?.text.map(CleanText.line)
        var lines = [word.map { "The word was: \($0)" } ?? "Nobody knows the word."]
        if reveal["honest"]?.truth == false {
            let setter = reveal["setter"]?.integer.map(match.startName) ?? "Its setter"
            let why = reveal["why"]?.text.map(CleanText.line) ?? "did not answer honestly"
            lines.append("\(setter) \(why), and so lost the round.")
        }
        return lines
    }

    /// Whether a wrong guess more was made by nobody: a turn has run out.
    private static func isTimeUp(_ board: JSON, after earlier: JSON) -> Bool {
        (board["bad"]?.integer ?? 0) > (earlier["bad"]?.integer ?? 0) && board["last"] == earlier["last"]
            && board["wrong"] == earlier["wrong"] && board["mask"]?.text != nil
    }

    private static func changed(
        _ board: JSON, after earlier: JSON?, _ match: MatchInfo, plain: Bool
    ) -> [String] {
        let seat = board["seat"]?.integer
        var lines: [String] = []
        if let earlier, isTimeUp(board, after: earlier) {
            // On one board a turn that runs out passes on; it costs a guess once nobody guesses at all.
            lines.append("Time is up\(seat == nil ? " for everybody" : ""), which counts as a wrong guess.")
        } else if let last = board["last"], let who = last["seat"]?.integer, let guess = last["guess"]?.text {
            let opened = last["opened"]?.integer ?? 0
            let what = opened == 0 ? "no" : opened == 1 ? "1 letter" : "\(opened) letters"
            lines.append("\(match.startName(who)) guessed \(CleanText.line(guess)): \(what).")
        }
        if board["mask"]?.text != nil,
            seat == nil || seat == match.mySeat || match.mySeat == match.view["setter"]?.integer
        {
            lines += show(board, match, plain: plain)
        } else {
            lines.append(summary(board, match))
        }
        switch board["state"]?.text {
        case "solved": lines.append(seat.map { "\(match.startName($0)) solved it." } ?? "Solved.")
        case "hanged": lines.append(seat.map { "\(match.verb($0, "is", "are")) hanged." } ?? "Hanged.")
        default: break
        }
        return lines
    }

    private static func summary(_ board: JSON, _ match: MatchInfo) -> String {
        let who = board["seat"]?.integer.map(match.startName) ?? "Together"
        let length = match.view["length"]?.integer ?? 0
        return
            "\(who): \(board["found"]?.integer ?? 0) of \(length) found, "
            + "\(board["bad"]?.integer ?? 0) of \(badMax) wrong."
    }

    private static func show(_ board: JSON, _ match: MatchInfo, plain: Bool) -> [String] {
        guard let mask = board["mask"]?.text ?? sharedMask(board, match) else {
            return [summary(board, match)]
        }
        let bad = board["bad"]?.integer ?? 0
        let wrong = (board["wrong"]?.elements ?? []).compactMap { $0.text.map(CleanText.line) }.joined(
            separator: " ")
        let letters = wrong.isEmpty ? "" : ": " + wrong
        let who = board["seat"]?.integer.map(match.startName) ?? "Together"
        let text = [
            CleanText.line(mask), "wrong \(bad) of \(badMax)\(letters)",
            "\(who): \(board["score"]?.integer ?? 0) points",
        ]
        guard !plain else { return [text.joined(separator: ". ") + "."] }
        let picture = gallows(bad)
        return picture.indices.map { row in
            let beside = row >= 1 && row <= text.count ? "    " + text[row - 1] : ""
            return picture[row] + beside
        }
    }

    /// In `together` the one board has the round's mask.
    private static func sharedMask(_ board: JSON, _ match: MatchInfo) -> String? {
        board["seat"]?.integer == nil ? match.view["mask"]?.text : nil
    }

    /// The picture after so many bad guesses; all lines have one width.
    static func gallows(_ bad: Int) -> [String] {
        func part(_ from: Int, _ drawn: Character) -> Character { bad >= from ? drawn : " " }
        return [
            "  +---+ ",
            "  |   \(part(1, "O")) ",
            "  |  \(part(3, "/"))\(part(2, "|"))\(part(4, "\\"))",
            "  |  \(part(5, "/")) \(part(6, "\\"))",
            " ===    ",
        ]
    }

    private static func scores(_ match: MatchInfo) -> String? {
        guard let scores = match.view["scores"]?.elements, !scores.isEmpty else { return nil }
        let parts = scores.enumerated().map { "\(match.name($0)) \($1.integer ?? 0)" }
        return "Points: " + parts.joined(separator: ", ") + "."
    }

    static func next(_ match: MatchInfo) -> String {
        if match.allows("word") {
            return
                "Type your word and press Enter; only you see it. who, table, help and say TEXT stay "
                + "commands; word WORD sets one of these (word table)."
        }
        if match.allows("guess") { return "Type a letter, or the whole word once you are sure." }
        let setter = match.view["setter"]?.integer
        // Until the next word is set the view has the boards of the last one.
        if let setter, match.turn.contains(setter) { return "Waiting for the word of \(match.name(setter))." }
        guard guessedMask(match.view) != nil else { return "Waiting for a word from the list." }
        let isTogether = match.view["boards"]?.elements?.contains { $0["seat"]?.integer == nil } ?? false
        let names = match.turn.map(match.name).joined(separator: ", ")
        let others = match.turn.isEmpty ? "Waiting for the others." : "Waiting for \(names)."
        guard let setter, setter == match.mySeat else {
            return isTogether && !match.turn.isEmpty ? "Waiting for \(names) to guess." : others
        }
        return isTogether && !match.turn.isEmpty
            ? "\(names) guesses your word." : "The others guess your word."
    }
}
