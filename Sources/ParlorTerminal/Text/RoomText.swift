internal import ParlorControl

/// A room in words.
enum RoomText {
    /// The lobby: what is played where, who sits there, how to get in.
    static func lobby(_ room: RoomInfo) -> [String] {
        var lines = [title(room)]
        lines += CleanText.columns(
            room.seats.map { ["  Seat \($0.index &+ 1)", who($0, in: room), note($0, in: room)] })
        if !room.watchers.isEmpty {
            lines.append(
                "  Watching: " + room.watchers.map { CleanText.line($0.name) }.joined(separator: ", "))
        }
        if let words = room.words, room.options["words"]?.text != "builtin" || !words.here {
            lines.append("  Words: \(list(words))" + (words.here ? "" : ", not on this machine"))
        }
        let isOpen = !room.hidden || room.seats.contains { $0.state == .open }
        if room.role == .host, isOpen, let endpoint = room.endpoints.first {
            let code = room.code.map { " --code \(CleanText.line($0))" } ?? ""
            lines.append("  Others get in with: parlor join --address \(CleanText.line(endpoint))\(code)")
        }
        return lines
    }

    static func title(_ room: RoomInfo) -> String {
        let host = room.role == .host ? "you" : CleanText.line(room.host.name)
        var text =
            "\(CleanText.line(room.name)): \(CleanText.line(room.game)), hosted by \(host), "
            + "\(state(room.state))"
        if let code = room.code { text += ", code \(CleanText.line(code))" }
        if room.role == .watcher { text += ", you watch" }
        if room.locked { text += ", locked" }
        if room.hidden { text += ", hidden" }
        return text
    }

    /// A list of words: how many, and the beginning of its hash, by which two lists are told apart.
    static func list(_ words: WordsInfo) -> String {
        "\(words.count) words, hash \(CleanText.line(String(words.hash.prefix(8))))"
    }

    static func state(_ state: RoomState) -> String {
        switch state {
        case .lobby: "waiting to start"
        case .drawing: "drawing for the first turn"
        case .playing: "playing"
        case .finished: "between matches"
        }
    }

    private static func who(_ seat: SeatInfo, in room: RoomInfo) -> String {
        guard seat.state != .open else { return "(open)" }
        return name(of: seat) + (seat.index == room.mySeat ? " (you)" : "")
    }

    private static func note(_ seat: SeatInfo, in room: RoomInfo) -> String {
        guard seat.state != .open else { return "" }
        var notes: [String] = []
        if let player = seat.player, player.id == room.host.id, seat.state != .bot {
            notes.append("host")
        } else if seat.state == .away {
            notes.append("away, seat kept")
        } else if seat.state == .bot {
            notes.append("bot")
        } else if room.state == .lobby || room.state == .finished {
            notes.append(seat.ready ? "ready" : "not ready")
        }
        if seat.path == .relayed { notes.append("relayed through the host: no direct link to you") }
        if let rtt = seat.rttMs { notes.append("\(CleanText.whole(rtt)) ms") }
        if seat.wins > 0 { notes.append(seat.wins == 1 ? "1 win" : "\(seat.wins) wins") }
        return notes.joined(separator: ", ")
    }

    /// The name of who sits there, or the seat's number.
    static func name(of seat: SeatInfo) -> String {
        seat.player.map { CleanText.line($0.name) } ?? "Seat \(seat.index &+ 1)"
    }

    /// The watcher that a name or the beginning of a peer ID means, unless a seat has that name.
    static func watcher(_ word: String, in room: RoomInfo) -> PlayerInfo? {
        guard !room.seats.contains(where: { $0.player?.name == word }), Int(word) == nil else { return nil }
        let named = room.watchers.filter { $0.name == word }
        let meant = named.isEmpty ? room.watchers.filter { word.count >= 8 && $0.id.hasPrefix(word) } : named
        return meant.count == 1 ? meant[0] : nil
    }

    /// The seat that a number from 1 or a name means.
    static func seat(_ word: String, in room: RoomInfo) throws(CommandFailure) -> SeatInfo {
        let taken = room.seats.filter { $0.state != .open }
        let named = taken.filter { $0.player?.name == word }
        if named.count == 1 { return named[0] }
        if let number = Int(word), let seat = taken.first(where: { $0.index == number &- 1 }) { return seat }
        let loose = taken.filter { $0.player?.name.lowercased() == word.lowercased() }
        if loose.count == 1 { return loose[0] }
        let list = taken.map { "\($0.index &+ 1) \(name(of: $0))" }.joined(separator: ", ")
        throw CommandFailure(.notFound, "Nobody called '\(CleanText.line(word))' sits here. Seats: \(list).")
    }
}
