internal import ParlorControl

/// Finding the room that a verb means.
extension Context {
    static let roomOption = OptionSpec("--room", "ROOM", "which of my rooms: name, id or the start of either")

    /// The ID of the room named with `--room`; `nil` when none was named, so that the daemon decides.
    func room(_ client: ControlClient) throws(CommandFailure) -> String? {
        guard let wanted = invocation.value("--room") else { return nil }
        let json = try client.call(.status, timeoutMs: timeoutMs)
        let rooms = try read(json, as: StatusInfo.self).rooms
        let found = Self.matching(wanted, rooms)
        if found.count == 1 { return found[0].id }
        let names = (found.isEmpty ? rooms : found).map { CleanText.line($0.name) }.joined(separator: ", ")
        let said = CleanText.line(wanted)
        guard found.isEmpty else {
            throw CommandFailure(
                .ambiguous, "'\(said)' could be any of: \(names). Use the id: parlor status --json")
        }
        let mine = names.isEmpty ? "You are in no room." : "You are in: \(names)."
        throw CommandFailure(
            .noSuchRoom, "You are in no room '\(said)'. \(mine) See what is near: parlor list --all")
    }

    /// The rooms with this name or ID, or else those whose name or ID starts so.
    static func matching(_ wanted: String, _ rooms: [RoomInfo]) -> [RoomInfo] {
        let exact = rooms.filter { $0.name == wanted || $0.id == wanted }
        if !exact.isEmpty { return exact }
        let lower = wanted.lowercased()
        return rooms.filter { $0.name.lowercased().hasPrefix(lower) || $0.id.hasPrefix(lower) }
    }

    /// Makes one call about a room and prints the room.
    func roomCall(
        _ method: Method, _ params: (String?) -> some Encodable, say done: (RoomInfo) -> [String]
    ) throws(CommandFailure) -> Int32 {
        let client = try connect()
        let json = try call(client, method, params(room(client)))
        let room = try read(json, as: RoomInfo.self)
        show(json, done(room))
        return 0
    }
}
