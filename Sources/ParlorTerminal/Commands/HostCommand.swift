internal import ParlorControl

extension Command {
    static let host = Command(
        name: "host", summary: "open a room for a game; on a terminal stay and play", operands: "GAME",
        words: 1...1,
        choices: CommandTable.games,
        options: [
            OptionSpec("--name", "R", "what the room is called"),
            OptionSpec("--seats", "N", "how many seats"),
            OptionSpec("--bots", "N[:LEVEL]", "seat N bots that play easy, normal or hard"),
            BotOptions.program,
            OptionSpec("--code", "C", "let in only who has this code, 4 characters"),
            OptionSpec("--private", "the same with a code made up for you"),
            OptionSpec("--hidden", "do not show the room to the network"),
            OptionSpec("--no-watchers", "let nobody watch"),
            OptionSpec("--set", "K=V", repeats: true, "set an option of the game"),
            OptionSpec("--detach", "open the room and return; the daemon goes on"),
        ],
        details: [
            "GAME is \(CommandTable.games.joined(separator: " or ")); rules and options: parlor help games"
        ],
        examples: [
            "parlor host hangman --name Kitchen --set rounds=2 --detach", "parlor host snap --private",
        ],
        run: { context throws(CommandFailure) in
            let params = try HostOptions.params(context.invocation)
            let client = try context.connect()
            if context.isInteractive, !context.invocation.has("--detach") {
                return try LineSession(context, client).run(.roomHost, JSON(encoding: params))
            }
            let json = try context.call(client, .roomHost, params)
            let room = try context.read(json, as: RoomInfo.self)
            context.show(json, RoomText.lobby(room))
            let status = try client.call(.status, timeoutMs: context.timeoutMs)
            for line in DoctorText.lobby(try context.read(status, as: StatusInfo.self), room) {
                context.talk(line)
            }
            context.talkOfStaying()
            return 0
        })
}

/// Reads the options of `host`.
enum HostOptions {
    static func params(_ invocation: Invocation) throws(CommandFailure) -> HostParams {
        if invocation.has("--code"), invocation.has("--private") {
            throw .usage(
                "--code and --private exclude each other: --private makes the code up. Leave one out.")
        }
        let bots = try invocation.value("--bots").map(bots)
        return HostParams(
            game: invocation.words[0], name: invocation.value("--name"),
            seats: try invocation.number("--seats"),
            bots: bots?.count, botLevel: bots?.level, code: invocation.value("--code"),
            private: invocation.has("--private") ? true : nil,
            hidden: invocation.has("--hidden") ? true : nil,
            watchers: invocation.has("--no-watchers") ? false : nil,
            options: try options(invocation.list("--set")), botCmd: try BotOptions.program(invocation))
    }

    /// Reads `N` or `N:LEVEL`.
    static func bots(_ text: String) throws(CommandFailure) -> (count: Int, level: BotLevel?) {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard let count = Int(parts[0]), count >= 0 else { throw wrongBots(text) }
        guard parts.count == 2 else { return (count, nil) }
        guard let level = BotLevel(rawValue: String(parts[1])) else { throw wrongBots(text) }
        return (count, level)
    }

    private static func wrongBots(_ text: String) -> CommandFailure {
        .usage(
            "--bots takes a number and maybe a level, as in --bots 2:hard (easy, normal, hard), "
                + "not '\(CleanText.line(text))'."
        )
    }

    /// Reads `K=V` pairs: whole numbers, `true` and `false` by their type, all else as text.
    static func options(_ pairs: [String]) throws(CommandFailure) -> JSON? {
        var options: JSON = [:]
        for pair in pairs {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, !parts[0].isEmpty else {
                throw .usage("--set takes NAME=VALUE, as in --set turn_s=30, not '\(CleanText.line(pair))'.")
            }
            let text = String(parts[1])
            options[String(parts[0])] =
                switch text {
                case "true": true
                case "false": false
                default: Int(text).map { .int($0) } ?? .string(text)
                }
        }
        return pairs.isEmpty ? nil : options
    }
}
