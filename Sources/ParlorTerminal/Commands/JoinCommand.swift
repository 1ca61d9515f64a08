internal import ParlorControl

extension Command {
    static let join = Command(
        name: "join", summary: "join a room; on a terminal stay and play", operands: "[ROOM]", words: 0...1,
        options: [
            OptionSpec("--address", "HOST:PORT", "go straight to a host, without discovery"),
            OptionSpec("--code", "C", "the code the host gave you"),
            OptionSpec("--name", "N", "what you want to be called in this room"),
            OptionSpec("--watch", "look on without a seat, also while a match is on"),
            OptionSpec("--wait", "S", "wait so long for the room to appear"),
            OptionSpec("--quick", "take the first open room without asking"),
            OptionSpec("--detach", "take the seat and return; the daemon goes on"),
        ],
        details: [
            "ROOM is a room's name, its id, or the start of either.",
            "Without ROOM, the only open room near is meant; with several you are asked.",
            "With a code but without ROOM, the only room near that wants one is meant.",
        ],
        examples: ["parlor join Kitchen --code k7px", "parlor join --address 192.168.1.20:27720 --detach"],
        run: { context throws(CommandFailure) in try JoinCommand(context: context).run() })
}

/// Finds out which room is meant, and joins it.
struct JoinCommand {
    let context: Context

    func run() throws(CommandFailure) -> Int32 {
        let invocation = context.invocation
        let waitMs = try invocation.milliseconds("--wait")
        var params = JoinParams(
            room: invocation.words.first, address: invocation.value("--address"),
            code: invocation.value("--code"),
            name: invocation.value("--name"), watch: invocation.has("--watch") ? true : nil, timeoutMs: waitMs
        )
        let client = try context.connect()
        if params.room == nil, params.address == nil, params.code == nil {
            params.room = try choose(client, waitMs: waitMs)
        }
        if context.isInteractive, !invocation.has("--detach") {
            return try LineSession(context, client).run(.roomJoin, JSON(encoding: params))
        }
        let json = try context.join(client, JSON(encoding: params), waitMs: waitMs ?? 0)
        let room = try context.read(json, as: RoomInfo.self)
        context.show(json, RoomText.lobby(room))
        context.talkOfStaying()
        return 0
    }

    /// The ID of the room to join when none was named.
    private func choose(_ client: ControlClient, waitMs: Int?) throws(CommandFailure) -> String {
        let watch = context.invocation.has("--watch")
        let search = RoomsListParams(all: watch ? true : nil, waitMs: waitMs ?? ListCommand.verdictMs)
        let json = try context.call(client, .roomsList, search, waitMs: search.waitMs ?? 0)
        let rooms = try context.read(json, as: RoomsListInfo.self).rooms.filter {
            $0.compatible && !$0.locked && (!watch || !$0.own && $0.reachable != .unreachable)
        }
        let open = context.invocation.has("--quick") ? rooms.filter { !$0.code }.prefix(1) : rooms[...]
        if open.count == 1, let only = open.first { return only.id }
        guard !open.isEmpty else {
            let status = try client.call(.status, timeoutMs: context.timeoutMs)
            let why = try RowText.whyEmpty(context.read(status, as: StatusInfo.self).discovery)
            throw CommandFailure(waitMs == nil ? .nothingFound : .timedOut, why)
        }
        guard context.isInteractive else {
            let names = open.map { CleanText.line($0.name) }.joined(separator: ", ")
            throw CommandFailure(.ambiguous, "Several rooms are open: \(names). Name one: parlor join ROOM")
        }
        return try ask(Array(open))
    }

    private func ask(_ rooms: [RoomRowInfo]) throws(CommandFailure) -> String {
        for (index, line) in RowText.table(rooms).enumerated() {
            Output.line(index == 0 ? "    \(line)" : "\(index)   \(line)")
        }
        while true {
            Output.line("Which one? Type its number, or nothing to give up.")
            guard let answer = readLine(), !answer.isEmpty else {
                throw CommandFailure(.interrupted, "No room chosen. Name one: parlor join ROOM")
            }
            if let number = Int(answer), rooms.indices.contains(number - 1) { return rooms[number - 1].id }
            Output.line("There is no number \(CleanText.line(answer)).")
        }
    }
}

extension Context {
    /// Joins, and asks for the room's code on a terminal as often as the one given is not right.
    func join(_ client: ControlClient, _ params: JSON, waitMs: Int = 0) throws(CommandFailure) -> JSON {
        var params = params
        var hasAsked = false
        while true {
            do throws(CommandFailure) {
                return try client.call(.roomJoin, params, timeoutMs: timeoutMs + waitMs)
            } catch {
                let isAboutCode = error.reason == .codeNeeded || error.reason == .wrongCode
                guard isInteractive, isAboutCode || hasAsked && error.reason == .badParams else {
                    throw error
                }
                Output.line(error.said.hasSuffix(".") ? error.said : error.said + ".")
                Output.line("Type the code, or nothing to give up.")
                guard let code = readLine(), !code.isEmpty else { throw error }
                params["code"] = .string(code)
                hasAsked = true
            }
        }
    }
}
