internal import ParlorControl

/// Matches by turns in words.
enum TurnText {
    /// A row for each match: those that wait for me first, those that are over last.
    static func table(_ matches: [TurnInfo]) -> [String] {
        let digits = SummaryText.digits(toTellApart: matches.map(\.id))
        let order: [[TurnMatchState]] = [[.yours], [.invited], [.theirs, .asked, .offered], [.ended]]
        return CleanText.columns(
            [["ID", "GAME", "STATE", "CHANGED", "MOVES", "PLAYERS"]]
                + order.flatMap { states in matches.filter { states.contains($0.state) } }.map { match in
                    [
                        CleanText.line(String(match.id.prefix(digits))), CleanText.line(match.game),
                        standing(match), LocalTime.minute(match.changed), "\(match.moves)", seats(match),
                    ]
                })
    }

    private static func standing(_ match: TurnInfo) -> String {
        guard match.state == .ended, match.turn != nil else { return match.state.rawValue }
        return hasDeclined(match) ? "you declined" : "you left"
    }

    private static func hasDeclined(_ match: TurnInfo) -> Bool {
        match.seats.contains { $0.index == match.mySeat && $0.status == .declined }
    }

    private static func name(_ match: TurnInfo, _ seat: TurnSeatInfo) -> String {
        guard let player = seat.player else { return match.turn == nil ? "nobody" : "the open seat" }
        if seat.index == match.mySeat { return "you" }
        return player.name.isEmpty ? CleanText.line(String(player.id.prefix(8))) : CleanText.line(player.name)
    }

    /// Who plays, and how it stands or ended for each; an open seat does nothing.
    private static func seats(_ match: TurnInfo) -> String {
        var words = match.seats.filter { $0.player != nil }.map { seat(match, $0) }
        let open = match.seats.count - words.count
        if open > 0 {
            let seats = open == 1 ? "seat" : "seats"
            words.append(
                match.turn == nil
                    ? "nobody took " + (open == 1 ? "the seat" : "\(open) seats") : "\(open) open \(seats)")
        }
        return words.joined(separator: ", ")
    }

    private static func seat(_ match: TurnInfo, _ seat: TurnSeatInfo) -> String {
        let name = name(match, seat)
        if seat.status == .declined { return name + " declined" }
        if let outcome = seat.outcome { return name + " " + MatchText.words(outcome) }
        return seat.status == .invited ? name + " invited" : name
    }

    static func whole(_ match: TurnInfo, plain: Bool) -> [String] {
        let table = MatchInfo(
            id: match.id, game: match.game, room: "", state: .playing, mySeat: match.mySeat, turn: [],
            nowMs: 0,
            seats: match.seats.map { seat in
                MatchSeatInfo(
                    index: seat.index,
                    player: PlayerInfo(id: seat.player?.id ?? "", name: name(match, seat)))
            },
            view: match.view, legal: [], entries: match.moves, head: match.head, stateHash: "")
        var lines = MatchText.table(table, plain: plain)
        let id = CleanText.line(String(match.id.prefix(8)))
        if let turn = turn(match) { lines.append(turn) }
        lines.append("Match \(id)" + (match.turn == nil ? " is over: " : ": ") + seats(match) + ".")
        if match.turnS > 0, match.turn != nil {
            let limit = "A turn may take \(LocalTime.span(match.turnS * 1_000))"
            lines.append(
                limit + (match.waitedS.map { "; this one is \(LocalTime.span($0 * 1_000)) old." } ?? "."))
        }
        for double in match.doubles where match.seats.indices.contains(double.seat) {
            lines.append(
                "\(name(match, match.seats[double.seat])) signed two moves for one turn: that is proven, and "
                    + "the seat is out.")
        }
        if match.state == .ended, match.turn != nil {
            lines.append("You have \(hasDeclined(match) ? "declined" : "left"); the others play on.")
        }
        if let next = next(match, id) { lines.append(next) }
        return lines
    }

    /// Whose turn it is; `nil` when the match is over.
    private static func turn(_ match: TurnInfo) -> String? {
        guard let turn = match.turn, match.seats.indices.contains(turn) else { return nil }
        if turn == match.mySeat { return "Your turn." }
        let seat = match.seats[turn]
        guard seat.player != nil else { return "The match waits for somebody to take the open seat." }
        return name(match, seat) + "'s turn."
    }

    private static func next(_ match: TurnInfo, _ id: String) -> String? {
        switch match.state {
        case .invited:
            return "You are invited: parlor turn accept \(id), or decline, or play at once in your turn."
        case .asked: return "You have asked for a seat; who made the match gives it."
        case .offered: return "There is an open seat: parlor turn take \(id)"
        case .theirs, .ended: return nil
        case .yours:
            let acts = ActWords.usages(of: match.game).map { "parlor turn play \(id) \($0)" }
            return acts.joined(separator: " or ")
        }
    }

    /// Who hears of a reminder, and when.
    static func reminded(_ match: TurnInfo) -> String? {
        guard let turn = match.turn, match.seats.indices.contains(turn) else { return nil }
        return "\(name(match, match.seats[turn])) is told as soon as your machines meet, or over others that "
            + "carry the match."
    }

    /// That nothing in the list is as it was asked for; `count` are listed without that.
    static func none(_ params: TurnsListParams, of count: Int) -> String {
        let game = params.game.map { " of " + MatchText.title($0) } ?? ""
        if params.state == .offered {
            return "Nobody offers a match\(game) by turns. Offer one: parlor turn new "
                + "\(params.game ?? "tictactoe") --auto"
        }
        guard count > 0 else { return "No matches by turns. Begin one: parlor turn new tictactoe --auto" }
        let how: String? =
            switch params.state {
            case .invited: "is an invitation without your answer"
            case .asked: "waits for a seat that you asked for"
            case .yours: "waits for your move"
            case .theirs: "waits for another's move"
            case .ended: "is over for you"
            case .offered, nil: nil
            }
        let which = params.game.map { " is one of " + MatchText.title($0) }
        let rest = [which, how.map { (which == nil ? " " : " that ") + $0 }].compactMap(\.self).joined()
        return "None of your \(count == 1 ? "matches by turns (1)" : "\(count) matches by turns")\(rest)."
    }
}
