internal import Glibc
internal import ParlorControl
internal import ParlorProtocol

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
            if shown.map({ !RowText.looksAlike($0.rooms, list.rooms) }) ?? true {
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

    /// Whether two lists differ in nothing but the time that has passed.
    static func looksAlike(_ one: [RoomRowInfo], _ other: [RoomRowInfo]) -> Bool {
        one.map(\.id) == other.map(\.id) && one.map(timeless) == other.map(timeless)
    }

    private static func timeless(_ room: RoomRowInfo) -> [String] { cells(room, hasAge: false) }

    /// Why a room cannot be joined, and which side is the older one.
    private static func difference(_ room: RoomRowInfo) -> String {
        let own = Hello.ownProtocols
        if room.protocol < own.lowerBound {
            return "older Parlor (protocol \(room.protocol); here \(own.lowerBound))"
        }
        if room.protocol > own.upperBound {
            return "newer Parlor (protocol \(room.protocol); here \(own.upperBound))"
        }
        return "newer Parlor or another game than this one has"
    }

    private static func cells(_ room: RoomRowInfo) -> [String] { cells(room, hasAge: true) }

    private static func cells(_ room: RoomRowInfo, hasAge: Bool) -> [String] {
        var notes: [String] = []
        if room.own { notes.append("yours") }
        if !room.compatible { notes.append(difference(room)) }
        switch room.reachable {
        case .fresh: break
        case .cached:
            notes.append(hasAge ? "last heard \(CleanText.whole(room.ageS)) s ago" : "last heard")
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
            if let old, timeless(old) != timeless(room) { rows.append(["~"] + cells(room)) }
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
            return "Rooms near you cannot be found at the moment: \(why)\(known ? "" : ". \(next)")"
        }
        let places = discovery.interfaces.map(CleanText.line).joined(separator: ", ")
        let searched = places.isEmpty ? "no network interface" : places
        return "No room found; searched on \(searched). Full and running ones: parlor list --all. \(next). "
            + "Why one is missing: parlor doctor"
    }
}
