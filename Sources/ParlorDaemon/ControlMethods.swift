internal import Glibc
internal import ParlorControl
internal import ParlorDiscovery
internal import ParlorGames
internal import ParlorNet
internal import ParlorProtocol

/// Carries out what comes over the control socket.
final class ControlMethods {
    /// Answers a request, once.
    typealias Answer = (Result<JSON, RPCError>) -> Void

    let daemon: Daemon
    let book: RoomBook
    let stored: StoredMatches

    init(_ daemon: Daemon) {
        self.daemon = daemon
        book = daemon.book
        stored = StoredMatches(daemon.book)
    }

    /// Carries a request out.
    func handle(_ request: RPCRequest, _ client: ControlClient, _ answer: @escaping Answer) {
        guard let method = Method(rawValue: request.method) else {
            return answer(.failure(RPCError(.unknownMethod, "There is no method '\(request.method)'.")))
        }
        guard method.isAboutRooms else { return carryOut(method, request, client, answer) }
        daemon.whenSettled { [self] in carryOut(method, request, client, answer) }
    }

    private func carryOut(
        _ method: Method, _ request: RPCRequest, _ client: ControlClient, _ answer: @escaping Answer
    ) {
        do throws(RPCError) {
            try perform(method, request, client, answer)
        } catch {
            answer(.failure(error))
        }
    }

    private func perform(
        _ method: Method, _ request: RPCRequest, _ client: ControlClient, _ answer: @escaping Answer
    ) throws(RPCError) {
        switch method {
        case .hello: try hello(request, answer)
        case .status: answer(.success(JSON(encoding: status)))
        case .doctor: try diagnose(request, answer)
        case .eventsSubscribe: try subscribe(request, client, answer)
        case .roomsList: try listRooms(request, answer)
        case .roomHost: try host(request, entering(request, client, answer))
        case .roomJoin: try join(request, entering(request, client, answer))
        case .roomGet: answer(.success(JSON(encoding: info(try room(request)))))
        case .roomLeave: try leave(request, client, answer)
        case .roomReady: try ready(request, answer)
        case .roomStart: ask(try room(request), .start, answer)
        case .roomRematch: ask(try room(request), .rematch, answer)
        case .roomLock:
            let params = try request.params(as: LockParams.self)
            ask(try room(params.room), .lock(params.locked), answer)
        case .roomKick: try kick(request, answer)
        case .roomWatchers:
            let params = try request.params(as: WatchersParams.self)
            ask(try room(params.room), .watchers(params.allowed), answer)
        case .roomSay:
            let params = try request.params(as: SayParams.self)
            ask(try room(params.room), .say(params.text), answer)
        case .roomSet: try set(request, answer)
        case .matchView: try view(request, answer)
        case .matchAct: try act(request, answer)
        case .matchLog: try log(request, answer)
        case .matchExport: try export(request, answer)
        case .matchVerify: try verify(request, answer)
        case .profileGet: answer(.success(JSON(encoding: daemon.profile)))
        case .profileSet: try setProfile(request, answer)
        case .shutdown:
            answer(.success([:]))
            daemon.stop()
        case .faultSet: try setFaults(request, answer)
        case .channelSend: try sendMessage(request, answer)
        case .channelStats: answer(.success(JSON(encoding: channelStats)))
        case .matchesList: try listMatches(request, answer)
        case .matchesRemove: try removeMatch(request, answer)
        case .roomBot: try bot(request, answer)
        case .scoresBoards: try boards(request, answer)
        case .scoresList: try scores(request, answer)
        case .scoresExport: try exportScores(request, answer)
        case .scoresMerge: try mergeScores(request, answer)
        case .achievementsList: answer(.success(JSON(encoding: achievementsInfo)))
        case .achievementsBanners: banners(answer)
        case .achievementsReset: try resetAchievement(request, answer)
        case .turnsNew, .turnsList, .turnsGet, .turnsPlay, .turnsAccept, .turnsDecline, .turnsQuit,
            .turnsRemove, .turnsRemind, .turnsRematch, .turnsSkip, .turnsTake, .turnsPeers, .turnsSync:
            turns(method, request, answer)
        }
    }

    // MARK: The daemon

    private func hello(_ request: RPCRequest, _ answer: Answer) throws(RPCError) {
        let params = try request.params(as: HelloParams.self)
        guard params.api == ParlorVersion.api else {
            throw RPCError(
                .versionMismatch,
                "The client speaks version \(params.api) of this interface, the daemon \(ParlorVersion.api).")
        }
        answer(
            .success(
                JSON(
                    encoding: HelloInfo(
                        api: ParlorVersion.api, version: ParlorVersion.current, pid: Int(getpid()),
                        peer: daemon.profile, games: Catalog.declarations.map { GameInfo($0) }))))
    }

    private var status: StatusInfo {
        let state = book.discovery.state
        return StatusInfo(
            version: ParlorVersion.current, api: ParlorVersion.api, pid: Int(getpid()),
            uptimeS: daemon.uptimeSeconds, peer: daemon.profile,
            endpoints: book.hub.addresses.map { EndpointInfo(address: $0.host, port: Int($0.port)) },
            udpPort: Int(book.hub.port),
            discovery: DiscoveryInfo(
                backend: state.backend.rawValue, state: state.word.rawValue, detail: state.detail,
                interfaces: state.interfaces, findings: amber),
            rooms: book.rooms.map { info($0) }, reentering: reentering,
            links: book.hub.peers.map { info($0, $1) }, store: book.archive.info)
    }

    private var reentering: [ReentryInfo]? {
        let all = book.reentries.map { ReentryInfo(id: "\($0.id)", name: $0.kept.state.name) }
        return all.isEmpty ? nil : all
    }

    private func subscribe(_ request: RPCRequest, _ client: ControlClient, _ answer: Answer) throws(RPCError)
    {
        let params = try request.params(as: SubscribeParams.self)
        let types = params.types.map(Set.init)
        if let types, let unknown = types.first(where: { EventType(rawValue: $0) == nil }) {
            let known = EventType.allCases.map(\.rawValue).joined(separator: ", ")
            throw RPCError(.badParams, "There is no event '\(unknown)'; there are \(known).")
        }
        // The answer comes before the first event.
        let journal = daemon.journal
        let missed = params.since.map { journal.hasMissed(since: $0) } ?? false
        answer(.success(JSON(encoding: SubscribeInfo(seq: journal.last, missed: missed ? true : nil))))
        journal.subscribe(
            client, since: params.since, backlog: { [weak client] in client?.queuedBytes ?? 0 }
        ) { [weak client] event in
            guard types?.contains(event.type) ?? true else { return }
            client?.send(event.notification)
        }
    }

    private func setProfile(_ request: RPCRequest, _ answer: Answer) throws(RPCError) {
        let params = try request.params(as: ProfileSetParams.self)
        let name: PlayerName
        do throws(RoomRefusal) { name = try PlayerName(params.name) } catch { throw RPCError(error) }
        try daemon.setName(name.text)
        answer(.success(JSON(encoding: daemon.profile)))
    }

    // MARK: Rooms that are meant

    /// The room a request means; the only one where it names none.
    func room(_ request: RPCRequest) throws(RPCError) -> Room {
        try room(try request.params(as: RoomParams.self).room)
    }

    /// The room with an ID, a name or the unique beginning of one; the only one for `nil`.
    func room(_ text: String?) throws(RPCError) -> Room {
        guard let text else {
            guard book.rooms.count < 2 else {
                throw RPCError(.ambiguous, "You are in several rooms: \(names(book.rooms)). Say which.")
            }
            guard let room = book.rooms.first else {
                if let returning = book.reentries.first {
                    throw RPCError(
                        .notInRoom,
                        "Parlor is still coming back to \(returning.kept.state.name), where it was before; "
                            + "you are in no other room. See how it goes: parlor status")
                }
                throw RPCError(
                    .notInRoom,
                    "You are in no room. Host one (parlor host hangman) or join one (parlor join). "
                        + "What was played: parlor matches.")
            }
            return room
        }
        let found = rooms(named: text)
        guard found.count < 2 else {
            throw RPCError(.ambiguous, "Several of your rooms are meant: \(names(found)).")
        }
        guard let room = found.first else { throw RPCError(.notInRoom, "You are not in a room '\(text)'.") }
        return room
    }

    /// The rooms this daemon is in that a text can mean; an exact one alone where there is one.
    func rooms(named text: String) -> [Room] {
        let exact = book.rooms.filter { "\($0.id)" == text || $0.state.name == text }
        if !exact.isEmpty { return exact }
        let start = text.lowercased()
        return book.rooms.filter {
            "\($0.id)".hasPrefix(start) || $0.state.name.lowercased().hasPrefix(start)
        }
    }

    private func names(_ rooms: [Room]) -> String { rooms.map(\.state.name).joined(separator: ", ") }

    /// Asks for something of a room, and answers with the room as it then is.
    func ask(_ room: Room, _ request: RoomRequest, _ answer: @escaping Answer) {
        room.request(request) { [self] refusal in
            answer(refusal.map { .failure(RPCError($0)) } ?? .success(JSON(encoding: info(room))))
        }
    }
}

extension Method {
    /// Whether the answer depends on the rooms and matches from before the daemon's start.
    fileprivate var isAboutRooms: Bool {
        switch self {
        case .hello, .doctor, .eventsSubscribe, .roomsList, .profileGet, .profileSet, .faultSet, .shutdown:
            false
        case .scoresBoards, .scoresList, .scoresExport, .scoresMerge, .achievementsList,
            .achievementsBanners, .achievementsReset:
            false
        case .turnsNew, .turnsList, .turnsGet, .turnsPlay, .turnsAccept, .turnsDecline, .turnsQuit,
            .turnsRemove, .turnsRemind, .turnsRematch, .turnsSkip, .turnsTake, .turnsPeers, .turnsSync:
            false
        // Who joins at once comes into the room before this daemon looks for it by itself.
        case .roomJoin: false
        case .status, .roomHost, .roomGet, .roomLeave, .roomReady, .roomStart, .roomRematch,
            .roomLock, .roomKick, .roomWatchers, .roomBot, .roomSay, .roomSet, .matchView, .matchAct,
            .matchLog, .matchExport, .matchVerify, .matchesList, .matchesRemove, .channelSend,
            .channelStats:
            true
        }
    }
}
