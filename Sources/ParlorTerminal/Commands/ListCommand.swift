internal import Glibc
internal import ParlorControl

extension Command {
    static let list = Command(
        name: "list", summary: "show the rooms near me",
        options: [
            OptionSpec("--game", "G", choices: CommandTable.games, "only rooms of this game"),
            OptionSpec("--all", "also own, playing, full and unreachable rooms"),
            OptionSpec("--watch", "go on, and print the list again when it changes"),
            OptionSpec("--wait", "S", "wait so long for a first room"),
            OptionSpec("--fail-empty", "exit with 5 when there is no room"),
        ],
        examples: ["parlor list", "parlor list --game snap --wait 5 --json"],
        run: { context throws(CommandFailure) in try ListCommand(context).run() })
}

/// Lists rooms, once or for as long as wanted.
struct ListCommand {
    private let context: Context
    private let params: RoomsListParams

    /// How long the search may go on before the list is said to be empty, in milliseconds.
    static let verdictMs = 1_500

    init(_ context: Context) throws(CommandFailure) {
        self.context = context
        let invocation = context.invocation
        params = RoomsListParams(
            game: invocation.value("--game"), all: invocation.has("--all") ? true : nil,
            waitMs: try invocation.milliseconds("--wait") ?? Self.verdictMs)
    }

    func run() throws(CommandFailure) -> Int32 {
        let client = try context.connect()
        if context.invocation.has("--watch") { return try watch(client) }
        let json = try context.call(client, .roomsList, params, waitMs: params.waitMs ?? 0)
        let list = try context.read(json, as: RoomsListInfo.self)
        context.show(json, list.rooms.isEmpty ? [] : RowText.table(list.rooms))
        guard list.rooms.isEmpty else { return 0 }
        let status = try client.call(.status, timeoutMs: context.timeoutMs)
        context.talk(try RowText.whyEmpty(context.read(status, as: StatusInfo.self).discovery))
        return context.invocation.has("--fail-empty") ? Reason.nothingFound.exitCode : 0
    }

    private func watch(_ client: ControlClient) throws(CommandFailure) -> Int32 {
        let types: [EventType] = [.roomFound, .roomChanged, .roomLost, .discoveryChanged]
        let subscribe = SubscribeParams(types: types.map(\.rawValue))
        _ = try context.call(client, .eventsSubscribe, subscribe)
        let deadline = Deadline(afterMs: try context.invocation.milliseconds("--timeout"))
        var shown: RoomsListInfo?
        var now = params
        while true {
            let json = try context.call(client, .roomsList, now, waitMs: now.waitMs ?? 0)
            let list = try context.read(json, as: RoomsListInfo.self)
            if shown.map({ RowText.table($0.rooms) != RowText.table(list.rooms) }) ?? true {
                context.show(json, RowText.watched(list.rooms, after: shown?.rooms))
                shown = list
            }
            now.waitMs = 0
            guard try !client.nextEvents(until: deadline).isEmpty else { return Reason.timedOut.exitCode }
        }
    }
}

/// Rooms as rows of text.
enum RowText {
    static func table(_ rooms: [RoomRowInfo]) -> [String] {
        CleanText.columns([["NAME", "GAME", "SEATS", "STATE", "HOST", "NOTE"]] + rooms.map(cells))
    }

    private static func cells(_ room: RoomRowInfo) -> [String] {
        var notes: [String] = []
        if room.own { notes.append("yours") }
        if !room.compatible { notes.append("speaks protocol \(room.protocol), which this Parlor does not") }
        switch room.reachable {
        case .fresh: break
        case .cached: notes.append("last heard \(CleanText.whole(room.ageS)) s ago")
        case .unreachable: notes.append("not reachable")
        }
        if room.locked { notes.append("locked") }
        let state =
            switch room.state {
            case .lobby: room.code ? "code" : "open"
            case .playing: "playing"
            case .full: "full"
            }
        return [
            CleanText.line(room.name), CleanText.line(room.game), "\(room.taken)/\(room.seats)", state,
            CleanText.line(room.host.name), notes.joined(separator: "; "),
        ]
    }

    /// For `--watch`: the whole table first, then only what came, changed or went.
    static func watched(_ rooms: [RoomRowInfo], after before: [RoomRowInfo]?) -> [String] {
        guard let before else { return table(rooms) }
        var rows: [[String]] = []
        for room in rooms {
            let old = before.first { $0.id == room.id }
            if old == nil { rows.append(["+"] + cells(room)) }
            if let old, cells(old) != cells(room) { rows.append(["~"] + cells(room)) }
        }
        for room in before where !rooms.contains(where: { $0.id == room.id }) {
            rows.append(["-"] + cells(room))
        }
        return CleanText.columns(rows)
    }

    static func whyEmpty(_ discovery: DiscoveryInfo) -> String {
        let next = "Open one: parlor host snap. Join by address: parlor join --address HOST:PORT"
        let detail = CleanText.line(discovery.detail)
        guard discovery.state == "running" else {
            let why = detail.isEmpty ? "discovery is \(discovery.state)" : detail
            let known = why.contains("parlor join --address")
            return "Rooms near you cannot be found: \(why)\(known ? "" : ". \(next)")"
        }
        let places = discovery.interfaces.map(CleanText.line).joined(separator: ", ")
        let searched = places.isEmpty ? "no network interface" : places
        return "No room found; searched on \(searched). Full and running ones: parlor list --all. \(next)"
    }
}
