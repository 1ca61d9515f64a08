internal import Glibc
internal import ParlorControl

/// Line mode: stays in one room, prints what happens and takes what is typed.
///
/// One thread and one `poll` over keyboard, daemon and signals. Everything that decides is in
/// ``Narrator`` and ``LineInput``; this only moves bytes and calls.
final class LineSession {
    private enum Pending {
        case room
        case match
        case command
        case rematch
        case banners
    }

    private let context: Context
    private let client: ControlClient
    private var narrator: Narrator
    private var roomID = ""
    private var pending: [Int: Pending] = [:]
    /// What must be asked again once the answer under way has come.
    private var staleRoom = false
    private var staleMatch = false
    private var wantsBanners = false
    private let keyboard = Keyboard()
    private var typed = LineEditor()
    private var asksToLeave = false
    /// Whether it was asked if the room is to be left in other terminals as well.
    private var asksForAll = false
    private var exit: Int32?
    /// Whether the bell rings when my turn comes.
    private var rings = true
    private var quietSince = ContinuousClock.now

    /// How long the bell has been quiet before it rings again: a quick game shall not clatter.
    private static let quiet = Duration.seconds(5)

    /// How long leaving may take before the program ends without the answer, in milliseconds.
    private static let leaveMsMax = 3_000

    init(_ context: Context, _ client: ControlClient) {
        self.context = context
        self.client = client
        narrator = Narrator(plain: context.plain)
    }

    /// Enters a room with `room.host` or `room.join` and stays until it ends; returns the exit code.
    ///
    /// `startsAtOnce`: begins a match without being told to.
    func run(_ method: Method, _ params: JSON, startsAtOnce: Bool = false) throws(CommandFailure) -> Int32 {
        _ = try client.call(.eventsSubscribe, timeoutMs: context.timeoutMs)
        var params = params
        params["stay"] = true
        let json =
            if method == .roomJoin {
                try context.join(client, params)
            } else {
                try client.call(method, params, timeoutMs: context.timeoutMs)
            }
        let room = try context.read(json, as: RoomInfo.self)
        roomID = room.id
        let signals = try Interrupts.asPipe()
        keyboard.on()
        defer { keyboard.off() }
        tell(narrator.arrived(room))
        if room.shared == true { tell([Self.isShared(room.name)]) }
        if method == .roomHost { try tellAmber(room) }
        if room.match != nil { staleMatch = true }
        if startsAtOnce { try send(.roomStart, ["room": .string(roomID)], .command) }
        // What came between the two calls may already be in the room, but the match is not.
        for event in client.takeEvents() { take(event) }
        while exit == nil {
            do throws(CommandFailure) {
                try refresh()
                try wait(signals)
            } catch {
                throw withWayBack(error)
            }
        }
        return exit ?? 0
    }

    /// The seat of a player whose daemon went away in a match is kept, also that of the host.
    private func withWayBack(_ error: CommandFailure) -> CommandFailure {
        guard error.reason == .noDaemon, let room = narrator.room, room.role != .watcher,
            room.seats.count > 1,
            room.state == .playing || room.state == .drawing
        else { return error }
        return CommandFailure(
            error.reason, error.message + ". Back to your seat: parlor join '\(CleanText.line(room.name))'")
    }

    private static func isShared(_ room: String) -> String {
        "You are in \(CleanText.line(room)) in another terminal too: both play as the same player. "
            + "Ctrl-D closes this one alone."
    }

    /// What may keep guests away.
    private func tellAmber(_ room: RoomInfo) throws(CommandFailure) {
        let json = try client.call(.status, timeoutMs: context.timeoutMs)
        tell(DoctorText.lobby(try context.read(json, as: StatusInfo.self), room))
    }

    private func tell(_ lines: [String]) {
        let columns = Output.columns
        let wrapped = lines.flatMap { CleanText.wrapped($0, columns: columns) }
        Output.bytes(Array(typed.above(wrapped, columns: columns).utf8))
    }

    private func wait(_ signals: CInt) throws(CommandFailure) {
        var entries = [
            pollfd(fd: 0, events: Int16(POLLIN), revents: 0),
            pollfd(fd: client.descriptor, events: Int16(POLLIN), revents: 0),
            pollfd(fd: signals, events: Int16(POLLIN), revents: 0),
        ]
        guard unsafe poll(&entries, nfds_t(entries.count), -1) > 0 else { return }
        if entries[2].revents != 0 { try readSignals(signals) }
        if entries[1].revents != 0 { try readDaemon() }
        if entries[0].revents != 0, exit == nil { try readKeyboard() }
    }

    private func readSignals(_ descriptor: CInt) throws(CommandFailure) {
        var bytes = [UInt8](repeating: 0, count: 16)
        let count = unsafe read(descriptor, &bytes, bytes.count)
        for byte in bytes.prefix(max(0, count)) {
            if CInt(byte) == SIGTSTP {
                keyboard.suspend()
                Output.bytes(Array(typed.text.utf8))
            } else if CInt(byte) == SIGINT, !asksToLeave {
                asksToLeave = true
                typed.clear()
                let name = CleanText.line(narrator.room?.name ?? "the room")
                tell(["", "Leave \(name)? Press Ctrl-C again or type leave."])
            } else {
                try leaveNow(exit: CInt(byte) == SIGQUIT ? Interrupts.quitCode : Interrupts.exitCode)
            }
        }
    }

    private func readDaemon() throws(CommandFailure) {
        for message in try client.receive() {
            switch message {
            case .event(let event): take(event)
            case .response(let response): try take(response)
            case .other: break
            }
        }
    }

    private func readKeyboard() throws(CommandFailure) {
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = unsafe read(0, &bytes, bytes.count)
        if count < 0, errno == EINTR || errno == EAGAIN { return }
        guard count > 0 else { return try leaveNow(exit: 0) }
        for outcome in typed.take(bytes[..<count]) where exit == nil {
            switch outcome {
            case .show(let text): Output.bytes(Array(text.utf8))
            case .line(let line): try enter(line)
            case .end: try leaveNow(exit: 0)
            }
        }
    }

    private func enter(_ line: String) throws(CommandFailure) {
        let isAsked = asksForAll
        (asksToLeave, asksForAll) = (false, false)
        guard let room = narrator.room else { return }
        switch LineInput(room: room, match: narrator.match).intent(line) {
        case .call(.roomRematch, let params): try send(.roomRematch, params, .rematch)
        case .call(let method, let params): try send(method, params, .command)
        case .act(let action): try send(.matchAct, ["room": .string(roomID), "action": action], .command)
        case .leave: try isAsked ? leaveNow(exit: 0, fromAll: true) : leaveIfAlone()
        case .help: tell(LineHelp.all)
        case .who: tell(narrator.who())
        case .table: tell(narrator.table())
        case .bell(let rings):
            self.rings = rings
            tell([rings ? "The bell rings when your turn comes." : "The bell is silent."])
        case .explain(let text): tell([text])
        }
    }

    private func send(_ method: Method, _ params: JSON, _ purpose: Pending) throws(CommandFailure) {
        pending[try client.send(method.rawValue, params)] = purpose
    }

    /// Asks for what changed, but never twice at once.
    private func refresh() throws(CommandFailure) {
        let asked = pending.values
        let asksRoom = asked.contains { if case .room = $0 { true } else { false } }
        let asksMatch = asked.contains { if case .match = $0 { true } else { false } }
        if staleRoom, !asksRoom {
            staleRoom = false
            try send(.roomGet, ["room": .string(roomID)], .room)
        }
        if wantsBanners {
            wantsBanners = false
            try send(.achievementsBanners, [:], .banners)
        }
        if staleMatch, !asksMatch {
            staleMatch = false
            try send(.matchView, ["room": .string(roomID)], .match)
        }
    }

    private func take(_ event: EventInfo) {
        let isHere = event["room"] == .string(roomID)
        switch event.known {
        case .linkSuspect, .linkResumed, .error:
            guard event["room"] == nil || isHere else { return }
            tell(narrator.happened(event))
        case .roomClosed where isHere:
            tell(narrator.happened(event))
            let closed = event["reason"]?.text.flatMap(LeaveReason.init(rawValue:))
            exit = closed == .hostClosed || closed == .left ? 0 : 1
        case .achievementEarned: wantsBanners = true
        case .roomFound, .roomChanged, .roomLost, .linkUp, .linkLost, .discoveryChanged, .message, nil: return
        default:
            guard isHere else { return }
            tell(narrator.happened(event))
            staleRoom = true
            if event["match"] != nil { staleMatch = true }
        }
    }

    private func take(_ response: RPCResponse) throws(CommandFailure) {
        guard case .int(let id) = response.id, let purpose = pending.removeValue(forKey: id) else { return }
        switch (purpose, response.result) {
        case (.room, .success(let json)):
            let room = try context.read(json, as: RoomInfo.self)
            tell(narrator.arrived(room))
            if room.match != narrator.match?.id { staleMatch = true }
        case (.match, .success(let json)):
            let wasMine = narrator.isMyTurn
            tell(narrator.arrived(try context.read(json, as: MatchInfo.self)))
            if narrator.isMyTurn, !wasMine { ring() }
        case (.command, .success): staleRoom = true
        case (.rematch, .success(let json)):
            staleRoom = true
            tell(narrator.voted(try context.read(json, as: RoomInfo.self)))
        case (.command, .failure(let error)), (.rematch, .failure(let error)):
            tell(["No: " + CleanText.line(error.message)])
        case (.banners, .success(let json)):
            let earned = try context.read(json, as: BannersInfo.self).banners
            tell(earned.map(RecordText.banner))
        case (.room, .failure), (.match, .failure), (.banners, .failure): break
        }
    }

    /// Rings the terminal's bell, but not over and over.
    private func ring() {
        let now = ContinuousClock.now
        if rings, now - quietSince >= Self.quiet { Output.bytes([0x07]) }
        quietSince = now
    }

    /// Leaves the room and ends, unless another terminal is in it as well: then it asks first.
    private func leaveIfAlone() throws(CommandFailure) {
        guard try leave(LeaveParams(room: roomID, unlessShared: true)) else { return }
        // What was under way may have been answered meanwhile.
        pending = [:]
        (staleRoom, staleMatch) = (true, true)
        for event in client.takeEvents() { take(event) }
        asksForAll = true
        let name = CleanText.line(narrator.room?.name ?? "The room")
        tell([
            "\(name) is open in another terminal of yours, which would lose it too. Type leave again to "
                + "leave in both; Ctrl-D closes this one alone."
        ])
    }

    /// Leaves the room and ends, at the latest when the daemon takes too long to answer.
    ///
    /// The room stays where another terminal is in it, unless it is left in all.
    private func leaveNow(exit code: Int32, fromAll: Bool = false) throws(CommandFailure) {
        do throws(CommandFailure) {
            if try leave(LeaveParams(room: roomID, detach: fromAll ? nil : true)) {
                tell([
                    "\(CleanText.line(narrator.room?.name ?? "The room")) stays open in your other terminal."
                ])
            }
        } catch {
            guard code != 0 else { throw error }
        }
        exit = code
    }

    /// Leaves the room; true where it is not left because another terminal is in it.
    private func leave(_ params: LeaveParams) throws(CommandFailure) -> Bool {
        do {
            let json = try client.call(.roomLeave, JSON(encoding: params), timeoutMs: Self.leaveMsMax)
            if try context.read(json, as: LeaveInfo.self).shared == true { return true }
            tell(["You left \(CleanText.line(narrator.room?.name ?? "the room"))."])
        } catch {
            // A room that is gone already needs no leaving.
            guard error.reason == .notInRoom || error.reason == .noSuchRoom else { throw error }
        }
        exit = 0
        return false
    }
}
