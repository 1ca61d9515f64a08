internal import Glibc
internal import ParlorControl
internal import ParlorDiscovery
internal import ParlorGames
internal import ParlorNet
internal import ParlorProtocol
internal import ParlorViews

extension ControlMethods {
    /// How long a join may take unless said otherwise: the dial, then the answer of the host.
    static let joinWait = Limits.dialWait + .seconds(1)
    /// How long a join looks for its room unless said otherwise: what a daemon that has just started needs.
    static let searchMilliseconds = 2_000
    /// The longest wait that a request may ask for.
    static let waitMillisecondsMax = 600_000

    // MARK: Hosting

    /// Opens a room: `room.host`.
    func host(_ request: RPCRequest, _ answer: Answer) throws(RPCError) {
        let params = try request.params(as: HostParams.self)
        guard let declaration = Catalog.rules(params.game)?.declaration else {
            let games = Catalog.declarations.map(\.id).joined(separator: ", ")
            throw RPCError(.badParams, "There is no game '\(params.game)'; there are \(games).")
        }
        let code = try code(params.code) ?? (params.private ?? false ? .random() : nil)
        guard book.rooms.count < RoomBook.roomsMax else {
            throw RPCError(.busy, "This daemon is in \(RoomBook.roomsMax) rooms, and in no more.")
        }
        let (seats, bots) = try seats(params, declaration)
        var options = try options(declaration, params.options)
        if let watchers = params.watchers {
            options = try self.options(declaration, options, watchers: watchers)
        }
        let name = try roomName(params.name, declaration)
        guard let id = RoomID(bytes: daemon.entropy(RoomID.byteCount)) else {
            preconditionFailure("a room ID has \(RoomID.byteCount) bytes")
        }
        var state = RoomState(
            id: id, name: name, game: declaration.id, options: options, seats: seats,
            hidden: params.hidden ?? false, host: book.me, hostName: daemon.profile.name,
            hostEndpoints: book.hub.ownEndpoints, code: code,
            words: try words(declaration, options.word("words")))
        state.seatBots(bots, params.botLevel?.skill ?? .normal)
        let program = try botProgram(params.botCmd)
        let room = book.host(state)
        room.play(bots: state, by: program)
        room.botSeed = params.seed.map { UInt64(bitPattern: Int64($0)) }
        answer(.success(JSON(encoding: info(room))))
    }

    /// How many seats a room has, and how many of them bots.
    private func seats(
        _ params: HostParams, _ declaration: GameDeclaration
    ) throws(RPCError) -> (seats: Int, bots: Int) {
        let seats = params.seats ?? declaration.seats.upperBound
        guard declaration.seats.contains(seats) else {
            throw RPCError(
                .badParams,
                "\(declaration.title) has \(declaration.seats.lowerBound) to "
                    + "\(declaration.seats.upperBound) seats, not \(seats).")
        }
        let bots = params.bots ?? 0
        guard (0..<seats).contains(bots) else {
            throw RPCError(
                .badParams, "'bots' can be 0 to \(seats - 1) in a room of \(seats) seats, not \(bots).")
        }
        return (seats, bots)
    }

    /// Adds a bot or removes one: `room.bot`.
    func bot(_ request: RPCRequest, _ answer: @escaping Answer) throws(RPCError) {
        let params = try request.params(as: BotParams.self)
        let room = try room(params.room)
        switch params.op {
        case .add:
            let program = try botProgram(params.botCmd)
            let before = room.state
            room.request(.addBot(seat: params.seat, params.level?.skill ?? .normal)) { [self] refusal in
                if refusal == nil { room.play(bots: room.state, since: before, by: program) }
                answer(refusal.map { .failure(RPCError($0)) } ?? .success(JSON(encoding: info(room))))
            }
        case .remove: ask(room, .removeBot(seat: params.seat), answer)
        }
    }

    /// The program that is to play bots; `nil` where none is named.
    private func botProgram(_ path: String?) throws(RPCError) -> String? {
        guard let path else { return nil }
        guard path.hasPrefix("/"), !path.utf8.contains(0) else {
            throw RPCError(.badParams, "'bot_cmd' must be the whole path of a program, from '/'.")
        }
        var info = Glibc.stat()
        guard unsafe stat(path, &info) == 0, info.st_mode & S_IFMT == S_IFREG,
            unsafe access(path, X_OK) == 0
        else {
            throw RPCError(.badParams, "'bot_cmd': there is no program \(path) that can be run.")
        }
        return path
    }

    /// The list of words that an option means; `nil` for a game without words.
    private func words(_ declaration: GameDeclaration, _ choice: String) throws(RPCError) -> WordTerms? {
        guard declaration.needsWords else { return nil }
        guard choice == "system" else { return WordLibrary.builtinTerms }
        do throws(RoomRefusal) { return try book.words.system() } catch { throw RPCError(error) }
    }

    /// Says that the player is ready, or not: `room.ready`.
    func ready(_ request: RPCRequest, _ answer: @escaping Answer) throws(RPCError) {
        let params = try request.params(as: ReadyParams.self)
        let room = try room(params.room)
        guard params.acceptWords ?? false, let joined = room.joined else {
            return ask(room, .ready(params.ready), answer)
        }
        joined.acceptWords { [self] refusal in
            if let refusal { return answer(.failure(RPCError(refusal))) }
            ask(room, .ready(params.ready), answer)
        }
    }

    /// Reads a code as it was typed; `nil` for none.
    private func code(_ typed: String?) throws(RPCError) -> RoomCode? {
        guard let typed else { return nil }
        do throws(RoomRefusal) { return try RoomCode(typed) } catch { throw RPCError(error) }
    }

    private func options(_ declaration: GameDeclaration, _ given: JSON?) throws(RPCError) -> GameOptions {
        do throws(Refusal) {
            return try GameOptions(declaration, given: try members(given))
        } catch {
            throw RPCError(error)
        }
    }

    /// The options with another word about watchers.
    private func options(
        _ declaration: GameDeclaration, _ given: GameOptions, watchers: Bool
    ) throws(RPCError) -> GameOptions {
        do throws(Refusal) {
            let all = given.values + [Value.Member("watchers", .bool(watchers))]
            return try GameOptions(declaration, given: all)
        } catch {
            throw RPCError(error)
        }
    }

    private func members(_ json: JSON?) throws(Refusal) -> [Value.Member] {
        guard let json, !json.isNull else { return [] }
        guard let members = json.members else { throw Refusal(.badParams, "'options' must be an object") }
        return members.map { Value.Member($0.key, Value($0.value)) }
    }

    private func roomName(_ asked: String?, _ declaration: GameDeclaration) throws(RPCError) -> String {
        guard let asked else {
            let standard = "\(daemon.profile.name)'s \(declaration.title)"
            return InstanceName.cut(standard)?.text ?? declaration.title
        }
        do throws(InstanceNameError) {
            return try InstanceName(asked).text
        } catch {
            throw RPCError(.nameInvalid, "This is no name for a room: \(error).")
        }
    }

    /// Changes options: `room.set`.
    func set(_ request: RPCRequest, _ answer: @escaping Answer) throws(RPCError) {
        let params = try request.params(as: RoomSetParams.self)
        let room = try room(params.room)
        guard let hosted = room.hosted else {
            throw RPCError(
                .notHost, "Only the host, \(room.state.host?.name ?? "another"), may change options.")
        }
        let given: [Value.Member]
        do throws(Refusal) { given = try members(params.options) } catch { throw RPCError(error) }
        let choice = given.last { $0.name == "words" }?.value.text
        let declaration = Catalog.rules(room.state.game)?.declaration
        var terms: WordTerms?
        if let choice, let declaration { terms = try words(declaration, choice) }
        hosted.set(given, words: terms) { [self] refusal in
            answer(refusal.map { .failure(RPCError($0)) } ?? .success(JSON(encoding: info(room))))
        }
    }

    /// Removes a seat or a watcher: `room.kick`.
    func kick(_ request: RPCRequest, _ answer: @escaping Answer) throws(RPCError) {
        let params = try request.params(as: KickParams.self)
        let ban = params.ban ?? false
        switch (params.seat, params.watcher) {
        case (let seat?, nil): ask(try room(params.room), .kick(seat: seat, ban: ban), answer)
        case (nil, let watcher?):
            guard let peer = PeerID(hex: watcher) else {
                throw RPCError(.badParams, "'watcher' must be the ID of a peer: 64 hexadecimal digits.")
            }
            ask(try room(params.room), .kickWatcher(peer, ban: ban), answer)
        default: throw RPCError(.badParams, "Give either 'seat' or 'watcher'.")
        }
    }

    /// Leaves a room: `room.leave`.
    func leave(
        _ request: RPCRequest, _ client: ControlClient, _ answer: @escaping Answer
    ) throws(RPCError) {
        let params = try request.params(as: LeaveParams.self)
        let room = try room(params.room)
        let isDetached = params.detach ?? false
        if isDetached { client.stays.remove("\(room.id)") }
        if params.unlessShared ?? isDetached, daemon.isShared("\(room.id)", besides: client) {
            return answer(.success(JSON(encoding: LeaveInfo(shared: true))))
        }
        room.leave { refusal in
            answer(refusal.map { .failure(RPCError($0)) } ?? .success(JSON(encoding: LeaveInfo())))
        }
    }

    /// Answers who enters a room, and notes whether that client stays in it.
    func entering(
        _ request: RPCRequest, _ client: ControlClient, _ answer: @escaping Answer
    ) -> Answer {
        guard request.params["stay"]?.truth == true else { return answer }
        return { [daemon, weak client] result in
            answer(
                result.map { json in
                    guard let client, let id = json["id"]?.text else { return json }
                    var room = json
                    if daemon.isShared(id, besides: client) { room["shared"] = true }
                    client.stays.insert(id)
                    return room
                })
        }
    }

    // MARK: Finding

    /// Lists the rooms near: `rooms.list`.
    func listRooms(_ request: RPCRequest, _ answer: @escaping Answer) throws(RPCError) {
        let params = try request.params(as: RoomsListParams.self)
        guard (0...Self.waitMillisecondsMax).contains(params.waitMs ?? 0) else {
            throw RPCError(.badParams, "'wait_ms' must be between 0 and \(Self.waitMillisecondsMax).")
        }
        let list = { [self] in
            rows.filter { row in
                let isOpen = !row.own && row.state == .lobby && row.reachable != .unreachable
                return (params.all ?? false || isOpen || !row.compatible)
                    && params.game.map { row.game == $0 } ?? true
            }
        }
        daemon.waitForRooms(milliseconds: params.waitMs ?? 0, until: { !list().isEmpty }) { [self] in
            answer(
                .success(JSON(encoding: RoomsListInfo(searching: book.discovery.isSearching, rooms: list()))))
        }
    }

    /// The rooms near, and the own ones that no record came back of.
    var rows: [RoomRowInfo] { book.near.map { row($0) } }

    /// A row of the list.
    func row(_ room: DiscoveredRoom) -> RoomRowInfo {
        let record = room.record
        let id = Hex.encode(record.roomID)
        let isOwn = record.hostID == book.me.bytes
        let newest = Int(record.protocols.upperBound)
        let speaks =
            newest >= Hello.ownProtocols.lowerBound
            && Int(record.protocols.lowerBound) <= Hello.ownProtocols.upperBound
        let age =
            Double(daemon.now.nanoseconds &- min(room.lastHeard, daemon.now.nanoseconds)) / 1_000_000_000
        return RoomRowInfo(
            id: id, name: record.name, game: record.game,
            host: PlayerInfo(id: Hex.encode(record.hostID), name: record.hostName), seats: record.seats,
            taken: record.taken, state: rowState(record.state), locked: record.locked,
            code: record.codeNeeded,
            protocol: newest,
            compatible: speaks && record.textVersion <= RoomRecord.textVersion
                && Catalog.rules(record.game) != nil,
            reachable: reachability(room.reachability),
            endpoints: room.endpoints.compactMap { SocketAddress($0)?.description },
            ageS: (age * 10).rounded() / 10, own: isOwn,
            known: PeerID(bytes: record.hostID).map { book.hasMet($0) } ?? false)
    }

    private func rowState(_ state: RoomRecord.State) -> RowState {
        switch state {
        case .lobby: .lobby
        case .playing: .playing
        case .full: .full
        }
    }

    private func reachability(_ reachability: ParlorDiscovery.Reachability) -> ParlorControl.Reachability {
        switch reachability {
        case .fresh: .fresh
        case .cached: .cached
        case .unreachable: .unreachable
        }
    }

    // MARK: Joining

    /// Joins a room: `room.join`.
    func join(_ request: RPCRequest, _ answer: @escaping Answer) throws(RPCError) {
        let params = try request.params(as: JoinParams.self)
        guard (0...Self.waitMillisecondsMax).contains(params.timeoutMs ?? 0) else {
            throw RPCError(.badParams, "'timeout_ms' must be between 0 and \(Self.waitMillisecondsMax).")
        }
        do throws(RoomRefusal) {
            if let name = params.name { _ = try PlayerName(name) }
        } catch {
            throw RPCError(error)
        }
        let code = try code(params.code)
        if let text = params.room, params.address == nil {
            // Who watches may still take a seat.
            let mine = rooms(named: text).filter { $0.role != .watcher || params.watch ?? false }
            // A room near that is called just so is meant rather than one of mine that only begins so.
            let isMine = mine.count == 1 && ("\(mine[0].id)" == text || mine[0].state.name == text)
            let isNear = book.discovery.rooms.contains { $0.record.name == text }
            if mine.count == 1, isMine || !isNear {
                return answer(.success(JSON(encoding: info(mine[0]))))
            }
        }
        if let address = params.address { return try join(at: address, params, code, answer) }
        let wait = params.timeoutMs ?? Self.searchMilliseconds
        let watch = params.watch ?? false
        let isNear = { [self] in !candidates(params.room, hasCode: code != nil, watch: watch).isEmpty }
        daemon.waitForRooms(milliseconds: wait, until: isNear) { [self] in
            do throws(RPCError) {
                join(try candidate(params.room, hasCode: code != nil, watch: watch), params, code, answer)
            } catch {
                answer(.failure(error))
            }
        }
    }

    private func wait(_ params: JoinParams) -> Duration {
        params.timeoutMs.map { max(.milliseconds($0), .milliseconds(100)) } ?? Self.joinWait
    }

    private func join(
        _ room: DiscoveredRoom, _ params: JoinParams, _ code: RoomCode?, _ answer: @escaping Answer
    ) {
        let row = row(room)
        guard row.compatible, let id = RoomID(bytes: room.record.roomID),
            let host = PeerID(bytes: room.record.hostID)
        else {
            let isOlder = row.protocol < Hello.ownProtocols.lowerBound
            let text =
                Catalog.rules(row.game) == nil
                ? "\(row.name) plays '\(row.game)', which this version does not have."
                : "\(row.name) runs \(isOlder ? "an older" : "a newer") Parlor (protocol \(row.protocol)); "
                    + "this one speaks \(Hello.ownProtocols.upperBound). The older must be updated."
            return answer(.failure(RPCError(.versionMismatch, text)))
        }
        let addresses = book.discovery.addresses(of: room.record.roomID)
        guard !addresses.isEmpty else {
            return answer(.failure(RPCError(.unreachable, "No address of \(row.name)'s host is known yet.")))
        }
        let wish = JoinWish(
            reference: .id(id), addresses: addresses, host: host, row: room, code: code,
            watch: params.watch ?? false, name: params.name, wait: wait(params))
        book.join(wish) { [self] result in answer(result.map { JSON(encoding: info($0)) }) }
    }

    private func join(
        at text: String, _ params: JoinParams, _ code: RoomCode?, _ answer: @escaping Answer
    ) throws(RPCError) {
        let reference: RoomReference =
            params.room.map { room in RoomID(hex: room).map { .id($0) } ?? .name(room) } ?? .only
        var wish = JoinWish(
            reference: reference, addresses: [], host: nil, row: nil, code: code,
            watch: params.watch ?? false, name: params.name, wait: wait(params))
        if var address = SocketAddress(text) {
            if address.port == 0 { address.port = Daemon.ports.lowerBound }
            wish.addresses = [address]
            return book.join(wish) { [self] result in answer(result.map { JSON(encoding: info($0)) }) }
        }
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard (1...2).contains(parts.count), !parts[0].isEmpty,
            let port = parts.count == 2 ? UInt16(parts[1]) : Daemon.ports.lowerBound
        else { throw RPCError(.badParams, "'address' must be HOST or HOST:PORT, not '\(text)'.") }
        daemon.loop.resolve(host: String(parts[0]), port: port) { [self] result in
            switch result {
            case .success(let addresses):
                wish.addresses = addresses
                book.join(wish) { [self] result in answer(result.map { JSON(encoding: info($0)) }) }
            case .failure(let error): answer(.failure(RPCError(.unreachable, error.sentence)))
            }
        }
    }

    /// The rooms near that a text can mean; an exact one alone where there is one.
    ///
    /// For `nil` all open ones, or those that want a code when there is one; to watch, whatever goes on in
    /// them.
    private func candidates(_ text: String?, hasCode: Bool, watch: Bool) -> [DiscoveredRoom] {
        let all = book.near.filter { $0.record.hostID != book.me.bytes }
        // A room that its host has just closed is still near for a moment when the next of that name is.
        let others = all.filter { room in
            !all.contains {
                $0.record.hostID == room.record.hostID && $0.record.name == room.record.name
                    && $0.firstHeard > room.firstHeard
            }
        }
        guard let text else {
            let open = others.filter { room in
                (watch || room.record.state == .lobby) && !room.record.locked && row(room).compatible
                    && RoomID(bytes: room.record.roomID).flatMap(book.room) == nil
            }
            let fitting = open.filter { $0.record.codeNeeded == hasCode }
            return fitting.isEmpty && !hasCode ? open : fitting
        }
        let exact = others.filter { Hex.encode($0.record.roomID) == text || $0.record.name == text }
        if !exact.isEmpty { return exact }
        let start = text.lowercased()
        return others.filter {
            Hex.encode($0.record.roomID).hasPrefix(start) || $0.record.name.lowercased().hasPrefix(start)
        }
    }

    private func candidate(_ text: String?, hasCode: Bool, watch: Bool) throws(RPCError) -> DiscoveredRoom {
        let found = candidates(text, hasCode: hasCode, watch: watch)
        guard found.count < 2 else {
            let names = found.map { room in
                let row = row(room)
                return "\(row.name) of \(row.host.name) (\(row.id.prefix(8)))"
            }
            throw RPCError(
                .ambiguous,
                "Several rooms are meant: \(names.joined(separator: ", ")). "
                    + "Say which, by more of its name or by what is in parentheses.")
        }
        guard let room = found.first else {
            let wanted = hasCode ? "No room that wants a code is near." : "No open room is near."
            let what = text.map { "No room '\($0)' is near." } ?? wanted
            throw RPCError(.noSuchRoom, "\(what) \(book.discovery.advice)")
        }
        return room
    }
}

extension Room {
    /// Has the bots of a room that were not there before played by a program, or by themselves.
    func play(
        bots state: ParlorProtocol.RoomState, since before: ParlorProtocol.RoomState? = nil,
        by program: String?
    ) {
        for bot in state.seats.compactMap({ $0 }) where bot.bot != nil && before?.seat(of: bot.peer) == nil {
            botPrograms[bot.peer] = program
        }
    }
}
