internal import ParlorControl

/// What to type next in a room where no match is on.
enum RoomHints {
    static func next(_ room: RoomInfo) -> String {
        switch room.state {
        case .lobby: lobby(room, again: false)
        case .finished: lobby(room, again: true)
        case .drawing, .playing:
            room.role == .watcher ? watcher : "Type table, say TEXT, leave or help."
        }
    }

    /// What a watcher may type, whatever goes on.
    static let watcher = "You watch and have no seat. Type table, who, leave or help."

    private static func lobby(_ room: RoomInfo, again: Bool) -> String {
        switch room.role {
        case .host:
            guard room.seats.contains(where: { $0.state != .open && $0.index != room.mySeat }) else {
                guard room.seats.count > 1 else {
                    return "Type \(again ? "rematch to play again" : "start"), leave or help."
                }
                return "Waiting for somebody to join. Type bot add to play with a bot, leave or help."
            }
            if again { return "Type rematch to play again, say TEXT, kick SEAT, leave or help." }
            let waiting = waitingFor(room)
            let state =
                if waiting.isEmpty {
                    "All are ready. "
                } else {
                    "Waiting for \(waiting.joined(separator: ", ")) to be ready. "
                }
            return state + "Type start, say TEXT, kick SEAT, leave or help."
        case .guest:
            let mine = room.seats.first { $0.index == room.mySeat }
            if let words = room.words, !words.here { return Self.words(room, words) }
            if again { return "Type rematch to play again, say TEXT, leave or help." }
            return mine?.ready == true
                ? "Waiting for the host to start. Type unready, say TEXT, leave or help."
                : "Type ready when you are, say TEXT, leave or help."
        case .watcher: return watcher
        }
    }

    /// What a guest is asked whose machine does not have the room's list of words.
    private static func words(_ room: RoomInfo, _ words: WordsInfo) -> String {
        let host = CleanText.line(room.host.name)
        return "\(host) plays with a list of words that is not on this machine (\(RoomText.list(words))). "
            + "Type accept to take it over and be ready, or ask \(host) for words=builtin."
    }

    /// Who is seated but away or not ready; the host and bots need not be.
    static func waitingFor(_ room: RoomInfo) -> [String] {
        room.seats.filter { seat in
            (seat.state == .away || seat.state == .taken && !seat.ready) && seat.player?.id != room.host.id
        }.map(RoomText.name(of:))
    }
}
