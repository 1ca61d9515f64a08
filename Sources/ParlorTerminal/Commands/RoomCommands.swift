internal import ParlorControl

extension Command {
    static let ready = Command(
        name: "ready", summary: "say that you are ready to play",
        options: [
            OptionSpec("--not", "take it back"),
            OptionSpec("--accept-words", "also take over the room's list of words, where it is not here"),
            Context.roomOption,
        ],
        examples: ["parlor ready", "parlor ready --not"],
        run: { context throws(CommandFailure) in
            let ready = !context.invocation.has("--not")
            return try context.roomCall(.roomReady) {
                ReadyParams(
                    room: $0, ready: ready,
                    acceptWords: context.invocation.has("--accept-words") ? true : nil)
            } say: { room in
                [ready ? "You are ready in \(CleanText.line(room.name))." : "You are not ready any more."]
            }
        })

    static let start = Command(
        name: "start", summary: "start the match (the host)", options: [Context.roomOption],
        examples: ["parlor start", "parlor start --room Kitchen"],
        run: { context throws(CommandFailure) in
            try context.roomCall(.roomStart) {
                RoomParams(room: $0)
            } say: { room in
                ["The match in \(CleanText.line(room.name)) starts. See it: parlor view"]
            }
        })

    static let leave = Command(
        name: "leave", summary: "leave a room; a host closes it", options: [Context.roomOption],
        examples: ["parlor leave", "parlor leave --room Kitchen"],
        run: { context throws(CommandFailure) in
            let client = try context.connect()
            let json = try context.call(client, .roomLeave, RoomParams(room: context.room(client)))
            context.show(json, ["You left."])
            return 0
        })

    static let rematch = Command(
        name: "rematch", summary: "vote to play again", options: [Context.roomOption],
        examples: ["parlor rematch", "parlor rematch --room Kitchen"],
        run: { context throws(CommandFailure) in
            try context.roomCall(.roomRematch) {
                RoomParams(room: $0)
            } say: { room in
                let starts = room.state == .drawing || room.state == .playing
                return [starts ? "The next match starts." : "You want to play again; the others are asked."]
            }
        })

    static let kick = Command(
        name: "kick", summary: "remove somebody from the room (the host)", operands: "SEAT|NAME",
        words: 1...1,
        options: [OptionSpec("--ban", "and refuse them from now on"), Context.roomOption],
        details: ["SEAT is the number in the lobby, from 1; NAME may also be that of a watcher."],
        examples: ["parlor kick Tom", "parlor kick 2 --ban"],
        run: { context throws(CommandFailure) in
            let client = try context.connect()
            let id = try context.room(client)
            let room = try context.read(
                context.call(client, .roomGet, RoomParams(room: id)), as: RoomInfo.self)
            let ban = context.invocation.has("--ban") ? true : nil
            if let watcher = RoomText.watcher(context.invocation.words[0], in: room) {
                let params = KickParams(room: room.id, watcher: watcher.id, ban: ban)
                let json = try context.call(client, .roomKick, params)
                context.show(
                    json, ["\(CleanText.line(watcher.name)) is out of \(CleanText.line(room.name))."])
                return 0
            }
            let seat = try RoomText.seat(context.invocation.words[0], in: room)
            let json = try context.call(
                client, .roomKick, KickParams(room: room.id, seat: seat.index, ban: ban))
            context.show(json, ["\(RoomText.name(of: seat)) is out of \(CleanText.line(room.name))."])
            return 0
        })

    static let lock = Command(
        name: "lock", summary: "let nobody else in (the host)",
        options: [OptionSpec("--off", "let people in again"), Context.roomOption],
        examples: ["parlor lock", "parlor lock --off"],
        run: { context throws(CommandFailure) in
            let locked = !context.invocation.has("--off")
            return try context.roomCall(.roomLock) {
                LockParams(room: $0, locked: locked)
            } say: { room in
                ["\(CleanText.line(room.name)) is \(locked ? "locked" : "open again")."]
            }
        })

    static let watchers = Command(
        name: "watchers", summary: "let others watch, or nobody (the host)", operands: "on|off",
        words: 1...1, choices: ["on", "off"], options: [Context.roomOption],
        details: ["off also sends away those who watch. join --watch is how to watch."],
        examples: ["parlor watchers off", "parlor watchers on --room Kitchen"],
        run: { context throws(CommandFailure) in
            let word = context.invocation.words[0]
            guard word == "on" || word == "off" else {
                throw .usage("watchers takes on or off, not '\(CleanText.line(word))'.")
            }
            return try context.roomCall(.roomWatchers) {
                WatchersParams(room: $0, allowed: word == "on")
            } say: { room in
                let name = CleanText.line(room.name)
                return [word == "on" ? "Others may watch in \(name)." : "Nobody may watch in \(name)."]
            }
        })

    static let say = Command(
        name: "say", summary: "say something to everybody in the room", operands: "TEXT", words: 1...256,
        options: [Context.roomOption],
        examples: ["parlor say hello", "parlor say 'shall we start?' --room Kitchen"],
        run: { context throws(CommandFailure) in
            let text = context.invocation.words.joined(separator: " ")
            return try context.roomCall(.roomSay) {
                SayParams(room: $0, text: text)
            } say: { _ in
                []
            }
        })
}
