internal import ParlorControl

extension Command {
    static let leaderboard = Command(
        name: "leaderboard", summary: "the best scores, of one board or of each", operands: "[BOARD]",
        words: 0...1,
        options: [
            OptionSpec("--top", "N", "how many rows (10)"),
            OptionSpec("--around", "N", "my row with N on either side, in place of the best"),
            OptionSpec("--game", "G", choices: CommandTable.games, "only boards of this game"),
        ],
        details: [
            "Without BOARD: the boards there are, each with its best and my own row.",
            "Scores come from matches and games that have ended here; those that nobody",
            "else has seen are marked.",
        ],
        examples: ["parlor leaderboard", "parlor leaderboard lucky.hard --around 3"],
        run: { context throws(CommandFailure) in
            let client = try context.connect()
            guard let board = context.invocation.words.first else {
                return try RecordCommands(context, client).overview()
            }
            return try RecordCommands(context, client).leaderboard(board)
        })

    static let achievements = Command(
        name: "achievements", summary: "what I have achieved, and how far I am", operands: "[reset ID]",
        words: 0...2, choices: ["reset"],
        options: [OptionSpec("--yes", "with reset: yes, what was earned is lost for good")],
        details: ["reset begins one anew; its points and its count are gone."],
        examples: ["parlor achievements", "parlor achievements reset whole_pack --yes"],
        run: { context throws(CommandFailure) in
            let words = context.invocation.words
            let commands = RecordCommands(context, try context.connect())
            guard let verb = words.first else { return try commands.achievements() }
            guard verb == "reset", words.count == 2 else {
                throw .usage("parlor achievements takes 'reset ID' or nothing.")
            }
            guard context.invocation.has("--yes") else {
                throw .usage("What was earned would be lost for good. If that is meant, add --yes.")
            }
            return try commands.reset(words[1])
        })
}

/// Shows scores and achievements.
struct RecordCommands {
    private let context: Context
    private let client: ControlClient

    init(_ context: Context, _ client: ControlClient) {
        self.context = context
        self.client = client
    }

    func overview() throws(CommandFailure) -> Int32 {
        let params = BoardsParams(game: context.invocation.value("--game"))
        let json = try context.call(client, .scoresBoards, params)
        let found = try context.read(json, as: BoardsInfo.self)
        var rows = [["BOARD", "TITLE", "BEST", "MINE"]]
        for board in found.boards {
            let list = try context.read(
                context.call(client, .scoresList, ScoresParams(board: board.id, top: 1)), as: ScoresInfo.self)
            rows.append([
                CleanText.line(board.id), CleanText.line(board.title),
                list.rows.first.map(RecordText.best) ?? "-",
                list.mine.map { "\(CleanText.line($0.text)), rank \($0.rank) of \(list.total)" } ?? "-",
            ])
        }
        context.show(json, CleanText.columns(rows))
        if found.newer > 0 {
            context.talk("\(found.newer) records of a newer version of Parlor are kept and not shown.")
        }
        return 0
    }

    func leaderboard(_ board: String) throws(CommandFailure) -> Int32 {
        let invocation = context.invocation
        let params = ScoresParams(
            board: board, top: try invocation.number("--top"), around: try invocation.number("--around"))
        let json = try context.call(client, .scoresList, params)
        let found = try context.read(json, as: ScoresInfo.self)
        context.show(json, RecordText.board(found))
        return 0
    }

    func achievements() throws(CommandFailure) -> Int32 {
        let json = try client.call(.achievementsList, timeoutMs: context.timeoutMs)
        let found = try context.read(json, as: AchievementsInfo.self)
        context.show(json, RecordText.achievements(found))
        return 0
    }

    func reset(_ id: String) throws(CommandFailure) -> Int32 {
        let json = try context.call(client, .achievementsReset, ResetParams(id: id, confirm: true))
        _ = try context.read(json, as: AchievementsInfo.self)
        context.show(json, ["\(CleanText.line(id)) begins anew."])
        return 0
    }
}

/// Scores and achievements in words.
enum RecordText {
    static func best(_ row: ScoreRowInfo) -> String {
        "\(CleanText.line(row.text)), \(CleanText.line(row.player.name))"
    }

    static func board(_ info: ScoresInfo) -> [String] {
        let board = info.board
        var lines = [
            CleanText.line(board.title) + (board.unwitnessed ? " (unwitnessed: nobody else has seen it)" : "")
        ]
        guard info.total > 0 else { return lines + ["No scores yet."] }
        var shown = info.rows
        if let mine = info.mine, !shown.contains(where: { $0.player.id == mine.player.id }) {
            shown.append(mine)
        }
        lines += CleanText.columns(
            shown.map { row in
                let isMine = row.player.id == info.mine?.player.id
                return [
                    "\(isMine ? "*" : " ") \(row.rank)", CleanText.line(row.text),
                    CleanText.line(row.player.name) + (isMine ? " (you)" : ""), LocalTime.minute(row.time),
                ]
            })
        if info.total > shown.count { lines.append("\(info.total) players in all.") }
        return lines
    }

    static func achievements(_ info: AchievementsInfo) -> [String] {
        let rows = info.achievements.map { one in
            let state =
                one.percent == 100
                ? "earned" + (one.count > 1 ? " \(one.count) times" : "")
                : one.percent > 0 ? "\(one.percent) %" : ""
            return [
                CleanText.line(one.id), "\(one.points)", state,
                CleanText.line("\(one.title): \(one.summary)"),
            ]
        }
        var lines = CleanText.columns([["ID", "POINTS", "STATE", "WHAT"]] + rows)
        if info.hidden > 0 { lines.append("And \(info.hidden) hidden.") }
        lines.append("\(info.points) of \(info.pointsMax) points.")
        return lines
    }

    static func banner(_ one: AchievementInfo) -> String {
        let title = CleanText.line(one.title)
        return "Achievement: \(title) - \(CleanText.line(one.summary)) (\(one.points) points)"
    }
}
