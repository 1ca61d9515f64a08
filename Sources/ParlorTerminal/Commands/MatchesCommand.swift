internal import ParlorControl

extension Command {
    static let matches = Command(
        name: "matches", summary: "list the matches that are kept here", operands: "[remove ID]",
        words: 0...2, choices: ["remove"],
        options: [
            OptionSpec(
                "--state", "S", choices: ["drawing", "playing", "ended"],
                "only matches this far: drawing, playing or ended"),
            OptionSpec("--game", "G", choices: CommandTable.games, "only matches of this game"),
        ],
        details: [
            "An ID may be cut short as long as it means one match only.",
            "remove forgets a match that is over; nobody else's copy is touched.",
        ],
        examples: ["parlor matches --state ended --game snap", "parlor matches remove 0123abcd"],
        run: { context throws(CommandFailure) in
            let words = context.invocation.words
            guard let verb = words.first else { return try MatchesCommand(context).list() }
            guard verb == "remove", words.count == 2 else {
                throw .usage(
                    "parlor matches takes 'remove ID' or nothing. Usage: \(context.invocation.command.usage)")
            }
            return try MatchesCommand(context).remove(words[1])
        })
}

/// Lists and forgets matches.
struct MatchesCommand {
    private let context: Context

    init(_ context: Context) { self.context = context }

    func list() throws(CommandFailure) -> Int32 {
        var params = MatchesListParams(game: context.invocation.value("--game"))
        if let word = context.invocation.value("--state") {
            guard let state = MatchState(rawValue: word) else {
                throw .usage("--state is drawing, playing or ended, not '\(CleanText.line(word))'.")
            }
            params.state = state
        }
        let client = try context.connect()
        let json = try context.call(client, .matchesList, params)
        let list = try context.read(json, as: MatchesListInfo.self)
        context.show(json, list.matches.isEmpty ? [] : SummaryText.table(list.matches))
        if list.matches.isEmpty { context.talk("No matches. Play one: parlor host snap") }
        return 0
    }

    func remove(_ word: String) throws(CommandFailure) -> Int32 {
        let start = try MatchTarget.readID(word)
        let client = try context.connect()
        let id = try MatchTarget.whole(start, context, client)
        let json = try context.call(client, .matchesRemove, MatchesRemoveParams(match: id))
        context.show(json, ["Match \(CleanText.line(id)) is forgotten here."])
        return 0
    }
}

/// Matches as rows of text.
enum SummaryText {
    /// Digits of an ID that are shown; more where that many do not tell matches apart.
    private static let idDigitsLeast = 8

    static func table(_ matches: [MatchSummary]) -> [String] {
        let digits = digits(toTellApart: matches.map(\.id))
        return CleanText.columns(
            [["ID", "GAME", "STATE", "STARTED", "ENTRIES", "PLAYERS"]]
                + matches.map { match in
                    [
                        CleanText.line(String(match.id.prefix(digits))), CleanText.line(match.game),
                        state(match), LocalTime.minute(match.started), "\(match.entries)", players(match),
                    ]
                })
    }

    static func digits(toTellApart ids: [String]) -> Int {
        let most = ids.map(\.count).max() ?? 0
        let all = Set(ids).count
        return (idDigitsLeast..<max(idDigitsLeast + 1, most)).first { digits in
            Set(ids.map { $0.prefix(digits) }).count == all
        } ?? most
    }

    private static func state(_ match: MatchSummary) -> String {
        if match.left == true, match.state != .ended { return "left" }
        return match.alone == true ? "ended alone" : match.state.rawValue
    }

    private static func players(_ match: MatchSummary) -> String {
        match.seats.map { seat in
            let name = seat.index == match.mySeat ? "you" : CleanText.line(seat.player.name)
            return name + (seat.outcome.map { " " + MatchText.words($0, isBot: seat.bot) } ?? "")
        }
        .joined(separator: ", ")
    }
}
