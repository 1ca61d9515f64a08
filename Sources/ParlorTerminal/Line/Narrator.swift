internal import ParlorControl

/// Tells what happens in one room, line by line: what arrives goes in, lines to print come out.
///
/// Holds the newest room and match, and says only what is new about them. Does no I/O.
struct Narrator {
    /// Whether drawings are left out, for screen readers.
    let plain: Bool
    /// Whether to say what can be typed next; not where a match is only shown again.
    let hints: Bool
    private(set) var room: RoomInfo?
    private(set) var match: MatchInfo?
    /// Why seats were left, until the room shows them empty.
    private var leaving: [Int: String] = [:]
    private var lastHint = ""

    init(plain: Bool, hints: Bool = true) {
        self.plain = plain
        self.hints = hints
    }

    /// Takes the room as it is now.
    mutating func arrived(_ new: RoomInfo) -> [String] {
        guard let old = room, old.id == new.id else {
            room = new
            let isOn = new.state == .drawing || new.state == .playing
            return RoomText.lobby(new) + (new.role == .watcher && isOn ? [RoomHints.watcher] : hint(new))
        }
        room = new
        var lines: [String] = []
        for seat in new.seats {
            let before = old.seats.first { $0.index == seat.index }
            lines += changes(of: seat, from: before, in: new, calm: old.state == new.state)
        }
        for watcher in new.watchers where !old.watchers.contains(where: { $0.id == watcher.id }) {
            lines.append("\(CleanText.line(watcher.name)) watches.")
        }
        for watcher in old.watchers where !new.isHere(watcher) {
            lines.append("\(CleanText.line(watcher.name)) watches no more.")
        }
        if old.watchable != new.watchable, let watchable = new.watchable {
            lines.append(watchable ? "Others may watch now." : "Nobody may watch now.")
        }
        if old.host.id != new.host.id {
            lines.append(new.role == .host ? "You host now." : "\(CleanText.line(new.host.name)) hosts now.")
        }
        if old.locked != new.locked {
            lines.append(new.locked ? "The room is locked." : "The room is open again.")
        }
        if let code = new.code, old.code != code {
            lines.append("The room's code is \(CleanText.line(code)) now.")
        }
        lines += MatchText.options(new.options, since: old.options)
        if old.state != new.state, new.state == .drawing {
            lines.append("Drawing numbers for the first turn.")
        }
        return lines + hint(new)
    }

    /// Takes the match as it is now.
    mutating func arrived(_ new: MatchInfo) -> [String] {
        let old = match?.id == new.id ? match : nil
        match = new
        var lines = draw(new, after: old)
        for seat in new.seats {
            lines += MatchText.standing(seat, in: new, after: old?.seats.first { $0.index == seat.index })
        }
        if new.state != .drawing {
            lines += MatchText.news(new, after: old, plain: plain, hints: hints)
        }
        if new.state == .ended, old?.state != .ended {
            lines += ending(new)
            if let room { lines += hint(room) }
        }
        return lines
    }

    /// Whether a move is mine to make now, as far as this match was told.
    var isMyTurn: Bool {
        guard let match, match.state == .playing, let mine = match.mySeat, match.turn.contains(mine) else {
            return false
        }
        // In Snap the turn is named while the card before is still face down.
        return match.game != "snap" || match.allows("flip")
    }

    /// Takes an event; what follows from the room or the match themselves is told when those arrive.
    mutating func happened(_ event: EventInfo) -> [String] {
        let reason = event["reason"]?.text ?? ""
        let peer = event["peer"]?["name"]?.text.map(CleanText.line)
        switch event.known {
        case .say:
            let from = event["from"]
            let mine = from?["id"]?.text == me?.id
            let name = mine ? "you" : CleanText.line(from?["name"]?.text ?? "somebody")
            return ["\(name): \(CleanText.line(event["text"]?.text ?? ""))"]
        case .seatLeft:
            if let seat = event["seat"]?.integer { leaving[seat] = reason }
            return []
        case .roomClosed: return [closing(reason, isHere: event["here"]?.truth == true)]
        case .sequencerChanged where event["peer"]?["id"]?.text == me?.id && me != nil:
            return ["You keep the order of moves now."]
        case .sequencerChanged: return peer.map { ["\($0) keeps the order of moves now."] } ?? []
        case .matchChanged where event["what"]?.text == "paused": return [MatchText.waiting]
        case .matchChanged where event["what"]?.text == "resumed": return ["The match goes on."]
        case .linkSuspect: return peer.map { ["No answer from \($0), trying again..."] } ?? []
        case .linkResumed: return peer.map { ["\($0) answers again."] } ?? []
        case .error: return ["Trouble: \(CleanText.line(event["message"]?.text ?? reason))"]
        default: return []
        }
    }

    /// Answers a vote for a rematch; nothing when it was the last that lacked.
    func voted(_ room: RoomInfo) -> [String] {
        room.state == .finished
            ? ["You want a rematch. It starts as soon as everybody has typed rematch."] : []
    }

    /// What is on the table, as asked for.
    func table() -> [String] {
        guard let match else { return ["No match has begun."] }
        return MatchText.whole(match, plain: plain)
    }

    /// Who is here, as asked for.
    func who() -> [String] { room.map(RoomText.lobby) ?? [] }

    private var me: PlayerInfo? {
        guard let room else { return nil }
        return room.seats.first { $0.index == room.mySeat && room.mySeat != nil }?.player
    }

    private mutating func changes(
        of seat: SeatInfo, from before: SeatInfo?, in room: RoomInfo, calm: Bool
    ) -> [String] {
        let mine = seat.index == room.mySeat
        let name = mine ? "You" : RoomText.name(of: seat)
        let number = seat.index &+ 1
        let wasOpen = before == nil || before?.state == .open
        if let before, !wasOpen, seat.state == .open || seat.player?.id != before.player?.id {
            let gone = left(RoomText.name(of: before), leaving.removeValue(forKey: seat.index))
            return seat.state == .open ? [gone] : [gone, "\(name) took seat \(number)."]
        }
        if wasOpen, seat.state != .open { return ["\(name) took seat \(number)."] }
        guard let before, seat.state != .open else { return [] }
        if before.state != .away, seat.state == .away {
            return ["\(name) \(mine ? "are" : "is") away; the seat is kept."]
        }
        if before.state == .away, seat.state != .away {
            return ["\(name) \(mine ? "are" : "is") back."]
        }
        if !mine, seat.rematch == true, before.rematch != true { return ["\(name) wants a rematch."] }
        guard calm, before.ready != seat.ready, seat.player?.id != room.host.id else { return [] }
        if mine { return [seat.ready ? "You are ready." : "You are not ready any more."] }
        return [seat.ready ? "\(name) is ready." : "\(name) is not ready any more."]
    }

    private func left(_ name: String, _ reason: String?) -> String {
        switch reason.flatMap(LeaveReason.init(rawValue:)) {
        case .lost: "\(name) was lost: no answer for too long."
        case .kicked: "\(name) was removed."
        case .shuttingDown: "\(name)'s Parlor was shut down."
        case .protocolViolation: "\(name) was dropped for breaking the rules of the protocol."
        case .left, .hostClosed, .hostLost, nil: "\(name) left."
        }
    }

    /// Why a room is no more for this player; `isHere`: because of this machine's own daemon.
    private func closing(_ reason: String, isHere: Bool) -> String {
        let name = CleanText.line(room?.name ?? "the room")
        let host = CleanText.line(room?.host.name ?? "The host")
        return switch LeaveReason(rawValue: reason) {
        case .kicked where room?.role == .watcher:
            "You cannot watch \(name) any more: \(host) removed you, or lets nobody watch."
        case .kicked: "\(host) removed you from \(name)."
        case .hostClosed: "\(host) closed \(name)."
        case .hostLost, .lost: "\(host)'s machine stopped answering; \(name) is closed."
        case .shuttingDown where isHere: "Parlor was shut down on this machine, so \(name) is closed."
        case .shuttingDown: "\(host)'s Parlor was shut down, so \(name) is closed."
        case .protocolViolation: "\(name) is closed: somebody broke the rules of the protocol."
        case .left, nil: "You left \(name)."
        }
    }

    /// What to type next, when that is new.
    private mutating func hint(_ room: RoomInfo) -> [String] {
        guard room.state == .lobby || room.state == .finished else {
            lastHint = ""
            return []
        }
        // How the match ended is told first, to those who were in it.
        if isWaitingForEnd(room) { return [] }
        let hint = RoomHints.next(room)
        guard hint != lastHint else { return [] }
        lastHint = hint
        return [hint]
    }

    private func isWaitingForEnd(_ room: RoomInfo) -> Bool {
        guard let match, let last = room.match else { return false }
        return match.id != last || match.state != .ended
    }

    private func draw(_ new: MatchInfo, after old: MatchInfo?) -> [String] {
        guard let draw = new.draw else { return [] }
        let told = old?.draw?.rounds.count ?? 0
        var lines: [String] = []
        for (index, round) in draw.rounds.enumerated().dropFirst(told) {
            let numbers = round.map { "\(new.name($0.seat)) \($0.number)" }.joined(separator: ", ")
            lines.append((index == 0 ? "The draw: " : "A tie; again: ") + numbers + ".")
        }
        if let first = draw.first, old?.draw?.first == nil {
            lines.append(first == new.mySeat ? "You go first." : "\(new.startName(first)) goes first.")
        }
        return lines
    }

    private func ending(_ match: MatchInfo) -> [String] {
        let outcomes = match.seats.compactMap { seat in
            seat.outcome.map { "\(match.name(seat.index)) \(MatchText.words($0, isBot: seat.bot))" }
        }
        return ["The match is over: " + outcomes.joined(separator: ", ") + "."]
    }
}

extension RoomInfo {
    /// Whether somebody watches or has a seat.
    fileprivate func isHere(_ player: PlayerInfo) -> Bool {
        watchers.contains { $0.id == player.id } || seats.contains { $0.player?.id == player.id }
    }
}
