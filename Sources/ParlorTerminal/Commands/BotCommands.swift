internal import Glibc
internal import ParlorControl

extension Command {
    static let bot = Command(
        name: "bot", summary: "add a bot to the room, or remove one (the host)",
        operands: "add|remove [SEAT]",
        words: 1...2, choices: ["add", "remove"],
        options: [BotOptions.level, BotOptions.program, Context.roomOption],
        details: [
            "SEAT is the number in the lobby, from 1; remove also takes the bot's name. Without",
            "it add takes the first open seat, and remove the last bot.",
        ],
        examples: ["parlor bot add --level hard", "parlor bot remove 3"],
        run: { context throws(CommandFailure) in
            let words = context.invocation.words
            let level = try BotOptions.level(context.invocation)
            let program = try BotOptions.program(context.invocation)
            let client = try context.connect()
            let room = try context.read(
                context.call(client, .roomGet, RoomParams(room: context.room(client))), as: RoomInfo.self)
            switch words[0] {
            case "add":
                let seat = try words.dropFirst().first.map { word throws(CommandFailure) in
                    guard let number = Int(word), number > 0 else {
                        throw .usage("bot add takes the number of a seat, not '\(CleanText.line(word))'.")
                    }
                    return try openSeat(number, in: room)
                }
                return try context.bot(
                    client, BotParams(room: room.id, op: .add, seat: seat, level: level, botCmd: program),
                    was: room)
            case "remove":
                guard level == nil, program == nil else {
                    throw .usage("--level and --bot-cmd are for bot add.")
                }
                let seat = try words.dropFirst().first.map { word throws(CommandFailure) in
                    try RoomText.seat(word, in: room).index
                }
                return try context.bot(
                    client, BotParams(room: room.id, op: .remove, seat: seat), was: room)
            default: throw .usage("bot takes add or remove, not '\(CleanText.line(words[0]))'.")
            }
        })

    static let play = Command(
        name: "play", summary: "play alone or against bots, without any network", operands: "GAME",
        words: 1...1, choices: CommandTable.games,
        options: [
            OptionSpec("--bots", "N", "how many bots play along; the fewest that the game needs otherwise"),
            BotOptions.level, BotOptions.program,
            OptionSpec("--seed", "N", "bots choose the same when they see the same"),
            OptionSpec("--set", "K=V", repeats: true, "set an option of the game"),
            OptionSpec("--detach", "begin and return; the daemon goes on"),
        ],
        details: ["Nobody sees the room or can come in. Leaving it ends the match."],
        examples: [
            "parlor play snap --bots 2 --level hard", "parlor play lucky --level easy",
        ],
        run: { context throws(CommandFailure) in
            let client = try context.connect()
            let params = try SoloOptions.params(context, client)
            if context.isInteractive, !context.invocation.has("--detach") {
                return try LineSession(context, client)
                    .run(.roomHost, JSON(encoding: params), startsAtOnce: true)
            }
            let opened = try context.read(context.call(client, .roomHost, params), as: RoomInfo.self)
            let json = try context.call(client, .roomStart, RoomParams(room: opened.id))
            let room = try context.read(json, as: RoomInfo.self)
            context.show(json, RoomText.lobby(room))
            context.talkOfStaying()
            return 0
        })
}

/// The index of the seat with a number from 1, where a bot can sit down.
private func openSeat(_ number: Int, in room: RoomInfo) throws(CommandFailure) -> Int {
    // During a match the daemon says why not.
    guard room.state == .lobby || room.state == .finished else { return number - 1 }
    guard let seat = room.seats.first(where: { $0.index == number - 1 }) else {
        throw CommandFailure(
            .notFound,
            "There is no seat \(number): \(CleanText.line(room.name)) has seats 1 to \(room.seats.count).")
    }
    guard seat.state == .open else {
        throw CommandFailure(.failed, "Seat \(number) is not open: \(RoomText.name(of: seat)) sits there.")
    }
    return seat.index
}

/// The options about bots that verbs share.
enum BotOptions {
    static let level = OptionSpec(
        "--level", "L", "how well they play, or how hard Lucky is: easy, normal or hard")
    static let program = OptionSpec("--bot-cmd", "PROGRAM", "a program that plays them; see parlor help bots")

    static func level(_ invocation: Invocation) throws(CommandFailure) -> BotLevel? {
        guard let word = invocation.value("--level") else { return nil }
        guard let level = BotLevel(rawValue: word) else {
            throw .usage("--level takes easy, normal or hard, not '\(CleanText.line(word))'.")
        }
        return level
    }

    /// The whole path of the program that is named: a file, or one that the shell would find.
    static func program(_ invocation: Invocation) throws(CommandFailure) -> String? {
        guard let name = invocation.value("--bot-cmd") else { return nil }
        guard !name.isEmpty, !name.utf8.contains(0) else { throw .usage("--bot-cmd needs a program.") }
        let folders = unsafe getenv("PATH").map { unsafe String(cString: $0) } ?? ""
        let tried =
            name.contains("/")
            ? [name]
            : folders.split(separator: ":", omittingEmptySubsequences: false)
                .map { "\($0.isEmpty ? "." : String($0))/\(name)" }
        for path in tried where unsafe isFile(path) && access(path, X_OK) == 0 {
            guard let whole = unsafe realpath(path, nil) else { continue }
            defer { unsafe free(whole) }
            return unsafe String(cString: whole)
        }
        throw .usage("--bot-cmd: there is no program '\(CleanText.line(name))' that can be run.")
    }

    /// A folder may be entered, which is no reason to try to run it.
    private static func isFile(_ path: String) -> Bool {
        var info = Glibc.stat()
        return unsafe stat(path, &info) == 0 && info.st_mode & S_IFMT == S_IFREG
    }
}

/// Reads the options of `play`.
enum SoloOptions {
    static func params(_ context: Context, _ client: ControlClient) throws(CommandFailure) -> HostParams {
        let invocation = context.invocation
        let game = invocation.words[0]
        let hello = try context.read(
            context.call(client, .hello, HelloParams(client: "parlor", api: ParlorVersion.api)),
            as: HelloInfo.self)
        let least = hello.games.first { $0.id == game }?.seats.min ?? 1
        let bots = try invocation.number("--bots") ?? max(0, least - 1)
        let level = try BotOptions.level(invocation)
        var options = try HostOptions.options(invocation.list("--set"))
        // Where nobody plays along, the level is the game's own.
        if bots == 0, let level, hasLevel(game, hello) {
            var given = options ?? [:]
            given["level"] = .string(level.rawValue)
            options = given
        }
        return HostParams(
            game: game, seats: bots + 1, bots: bots, botLevel: level,
            hidden: true, watchers: false, options: options,
            seed: try invocation.number("--seed"), botCmd: try BotOptions.program(invocation))
    }

    private static func hasLevel(_ game: String, _ hello: HelloInfo) -> Bool {
        hello.games.first { $0.id == game }?.options.contains { $0.name == "level" } ?? false
    }
}

extension Context {
    /// Adds or removes a bot and says which.
    func bot(
        _ client: ControlClient, _ params: BotParams, was before: RoomInfo
    ) throws(CommandFailure) -> Int32 {
        let json = try call(client, .roomBot, params)
        let room = try read(json, as: RoomInfo.self)
        let (from, to) = params.op == .add ? (before, room) : (room, before)
        let changed = to.seats.filter { seat in
            seat.state == .bot && !from.seats.contains { $0.index == seat.index && $0.state == .bot }
        }
        let names = changed.map(RoomText.name(of:)).joined(separator: ", ")
        let name = CleanText.line(room.name)
        show(
            json,
            [params.op == .add ? "\(names) sits down in \(name)." : "\(names) is out of \(name)."])
        return 0
    }
}
