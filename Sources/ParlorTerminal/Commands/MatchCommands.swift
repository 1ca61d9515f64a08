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
            let words = context.invocation.words
            // What can be seen to be right or wrong by itself needs no daemon.
            if ActWords.isKnown(words) { _ = try ActWords.action(words) }
            let client = try context.connect()
            let (match, room) = (context.invocation.value("--match"), try context.room(client))
            var game: String?
            if !ActWords.isKnown(words) {
                let json = try context.call(client, .matchView, MatchParams(match: match, room: room))
                game = try context.read(json, as: MatchInfo.self).game
            }
            let params = ActParams(
                match: match, room: room, action: try ActWords.action(words, game: game))
            let json = try context.call(client, .matchAct, params)
            _ = try context.read(json, as: ActInfo.self)
            context.show(json, ["Done. See the table: parlor view"])
            return 0
        })
}
