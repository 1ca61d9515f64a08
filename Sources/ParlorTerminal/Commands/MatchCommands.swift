internal import ParlorControl

extension Command {
    static let view = Command(
        name: "view", summary: "show the match as you see it",
        options: [
            OptionSpec("--match", "ID", "which match; otherwise the room's newest"), Context.roomOption,
        ],
        examples: ["parlor view", "parlor view --json"],
        run: { context throws(CommandFailure) in
            let client = try context.connect()
            let params = MatchParams(
                match: context.invocation.value("--match"), room: try context.room(client))
            let json = try context.call(client, .matchView, params)
            let match = try context.read(json, as: MatchInfo.self)
            context.show(json, MatchText.whole(match, plain: context.plain, atPrompt: true))
            return 0
        })

    static let act = Command(
        name: "act", summary: "do one thing in the match", operands: "JSON|WORDS", words: 1...256,
        options: [
            OptionSpec("--match", "ID", "which match; otherwise the room's newest"), Context.roomOption,
        ],
        details: [
            "WORDS: " + ActWords.usages.joined(separator: ", ") + ".",
            "JSON is an action as the game lists it: parlor view --json shows the legal ones.",
        ],
        examples: ["parlor act guess e", #"parlor act '{"do":"flip"}'"#],
        run: { context throws(CommandFailure) in
            let action = try ActWords.action(context.invocation.words)
            let client = try context.connect()
            let params = ActParams(
                match: context.invocation.value("--match"), room: try context.room(client), action: action)
            let json = try context.call(client, .matchAct, params)
            _ = try context.read(json, as: ActInfo.self)
            context.show(json, ["Done. See the table: parlor view"])
            return 0
        })
}
