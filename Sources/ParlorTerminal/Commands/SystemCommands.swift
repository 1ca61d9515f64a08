internal import Glibc
internal import ParlorControl

extension Command {
    static let status = Command(
        name: "status", summary: "show how the daemon, the network and my rooms are",
        examples: ["parlor status", "parlor status --json --no-start"],
        run: { context throws(CommandFailure) in
            let client = try context.connect()
            let json = try client.call(.status, timeoutMs: context.timeoutMs)
            let status = try context.read(json, as: StatusInfo.self)
            context.show(json, StatusText.lines(status))
            return 0
        })

    static let events = Command(
        name: "events", summary: "print events as they happen, until interrupted",
        options: [
            OptionSpec(
                "--type", "T", repeats: true, choices: EventType.allCases.map(\.rawValue),
                "only events of this type"),
            OptionSpec("--since", "N", "first the kept events after number N"),
        ],
        examples: ["parlor events", "parlor events --type seat.taken --type say --json"],
        run: { context throws(CommandFailure) in
            let types = context.invocation.list("--type")
            let since = try context.invocation.number("--since")
            let limitMs = try context.invocation.milliseconds("--timeout")
            let client = try context.connect()
            let params = SubscribeParams(types: types.isEmpty ? nil : types, since: since)
            let json = try context.call(client, .eventsSubscribe, params)
            if try context.read(json, as: SubscribeInfo.self).missed == true {
                context.talk("Some events after number \(since ?? 0) are no longer kept.")
            }
            let deadline = Deadline(afterMs: limitMs)
            while true {
                let events = try client.nextEvents(until: deadline)
                guard !events.isEmpty else { return Reason.timedOut.exitCode }
                for event in events { context.show(event.json, [EventText.line(event)]) }
                try Output.check()
            }
        })

    static let rpc = Command(
        name: "rpc", summary: "make one raw JSON-RPC call and print the result", operands: "METHOD [JSON]",
        words: 1...2, choices: Method.allCases.map(\.rawValue),
        details: ["For JSON, - reads it from standard input."],
        examples: [
            "parlor rpc status", #"parlor rpc channel.send '{"mode":"reliable","data":"aGVsbG8="}'"#,
        ],
        run: { context throws(CommandFailure) in
            let text = context.invocation.words.count == 2 ? context.invocation.words[1] : "{}"
            let params = try rawParams(text == "-" ? standardInput() : text)
            let client = try context.connect()
            let json = try client.call(context.invocation.words[0], params, timeoutMs: context.timeoutMs)
            Output.line(json.encodedText)
            return 0
        })

    /// What comes from standard input, as far as it may be one line of the control socket.
    private static func standardInput() throws(CommandFailure) -> String {
        var bytes: [UInt8] = []
        guard let input = InputFile.open("-") else { return "" }
        while let piece = try input.read() {
            bytes += piece
            guard bytes.count <= LineFramer.lineBytesMax else {
                throw CommandFailure(
                    .messageTooLarge, "The parameters are longer than \(LineFramer.lineBytesMax) bytes.")
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func rawParams(_ text: String) throws(CommandFailure) -> JSON {
        do {
            return try JSON(parsing: text)
        } catch {
            let what = "\(error.message) (byte \(error.offset))"
            throw .usage("The parameters are not JSON: \(what). Usage: parlor rpc METHOD [JSON]")
        }
    }

    static let profile = Command(
        name: "profile", summary: "show or change what you are called", operands: "[get | set NAME]",
        words: 0...2,
        choices: ["get", "set"], examples: ["parlor profile", "parlor profile set mia"],
        run: { context throws(CommandFailure) in
            let words = context.invocation.words
            let wants: (method: Method, params: JSON)
            switch (words.first ?? "get", words.count) {
            case ("get", 0...1): wants = (.profileGet, [:])
            case ("set", 2): wants = (.profileSet, JSON(encoding: ProfileSetParams(name: words[1])))
            default:
                throw .usage(
                    "parlor profile takes nothing, get, or set NAME. Usage: "
                        + "\(context.invocation.command.usage)"
                )
            }
            let client = try context.connect()
            let json = try client.call(wants.method, wants.params, timeoutMs: context.timeoutMs)
            let player = try context.read(json, as: PlayerInfo.self)
            context.show(
                json, ["Playing as \(CleanText.line(player.name)) (\(CleanText.line(player.id).prefix(16)))"])
            return 0
        })

    static let version = Command(
        name: "version", summary: "print the version", examples: ["parlor version", "parlor version --json"],
        run: { context throws(CommandFailure) in
            let json: JSON = ["version": .string(ParlorVersion.current), "api": .int(ParlorVersion.api)]
            context.show(json, ["parlor \(ParlorVersion.current) (api \(ParlorVersion.api))"])
            return 0
        })

    static let help = Command(
        name: "help", summary: "explain a verb or a topic", operands: "[TOPIC]", words: 0...1,
        choices: Help.topics.map(\.name), examples: ["parlor help", "parlor help exit-codes"],
        run: { context throws(CommandFailure) in
            let lines = try Help.lines(on: context.invocation.words.first)
            context.show(["text": .string(lines.joined(separator: "\n"))], lines)
            return 0
        })

    static let completion = Command(
        name: "completion", summary: "print a completion script for a shell", operands: "SHELL", words: 1...1,
        choices: Completion.shells,
        examples: [
            "parlor completion bash > ~/.local/share/bash-completion/completions/parlor",
            "parlor completion fish > ~/.config/fish/completions/parlor.fish",
        ],
        run: { context throws(CommandFailure) in
            let script = try Completion.script(for: context.invocation.words[0], CommandTable.all)
            context.show(["text": .string(script)], [script])
            return 0
        })
}
