internal import ParlorControl
internal import ParlorCrypto
internal import ParlorDiscovery
internal import ParlorGames
internal import ParlorNet
internal import ParlorProtocol
internal import ParlorStore

/// All rooms this daemon is in, and the matches it has seen.
final class RoomBook {
    /// Matches whose logs are kept in memory.
    static let matchesMax = 64
    /// Peers that are remembered as met before.
    static let metMax = 4_096
    /// Rooms this daemon may be in.
    static let roomsMax = 256
    /// Rooms that are remembered as closed by their host.
    static let closedMax = 64

    private(set) var rooms: [Room] = []
    /// The last rooms that this daemon saw closed by their host, itself or another, the last one last.
    private var closedRooms: [[UInt8]] = []
    private(set) var matches: [any MatchCopy] = []
    /// Rooms from before the start that are to be looked for.
    private var fromBefore: [KeptRoom] = []
    /// Rooms from before the start that are being looked for.
    private(set) var reentries: [Reentry] = []
    /// Where the rooms this daemon is in are kept for the next start; set before ``reenter()``.
    var disk: RoomsOnDisk?
    /// Rooms that this daemon has taken up again as their host, and does not announce yet.
    private var returning: [RoomID: LoopTimer] = [:]
    private var isStopping = false
    let hub: LinkHub
    let discovery: DiscoveryService
    let loop: EventLoop
    let knocks: Knocks
    private let journal: EventJournal
    /// The matches on disk.
    let archive: MatchArchive
    /// The lists of words on this machine.
    let words: WordLibrary
    /// Scores and achievements.
    let records: RecordKeeper
    /// Matches by turns.
    let turns: TurnKeeper
    private let requests = RequestNumbers()
    private let identity: [UInt8]
    private let signer: Signer
    private let name: () -> String
    private var joins: [ObjectIdentifier: Join] = [:]
    private var announced: Set<RoomID> = []
    private var met: Set<PeerID> = []
    private lazy var callers = MeshCallers(loop: loop) { [weak self] peer, room in
        let refusal = RoomRefusal(.notInRoom, "this peer is not in the room")
        self?.hub.link(to: peer)?.send(.denied(.id(room), refusal))
    }

    init(
        loop: EventLoop, hub: LinkHub, discovery: DiscoveryService, journal: EventJournal,
        archive: MatchArchive, words: WordLibrary, seed: [UInt8], name: @escaping () -> String
    ) {
        self.loop = loop
        self.hub = hub
        self.discovery = discovery
        knocks = Knocks(loop: loop, hub: hub)
        self.journal = journal
        self.archive = archive
        self.words = words
        self.name = name
        // The seed itself signs; what seals is derived, so that neither use says anything about the other.
        identity = Hash.keyed(Array("parlor/identity-secret/1".utf8), key: seed)
        let signer = Signer(SigningKey(seed: seed))
        self.signer = signer
        records = RecordKeeper(loop: loop, archive: archive, journal: journal, signer: signer, name: name)
        turns = TurnKeeper(
            loop: loop, hub: hub, archive: archive, journal: journal, signer: signer, name: name)
        turns.announced = { [weak discovery] peer in
            let room = discovery?.rooms.first { $0.record.hostID == peer.bytes }
            return room.flatMap { discovery?.addresses(of: $0.record.roomID) } ?? []
        }
        discovery.seen = { [weak self] record in self?.seen(record) }
        discovery.renamed = { [weak self] id, name in self?.renamed(id, name) }
        hub.handlers = LinkHub.Handlers(
            up: { [weak self] _, peer in self?.up(peer) },
            received: { [weak self] peer, message in self?.received(message, from: peer) },
            unreliable: { [weak self] peer, bytes in self?.receivedUnreliable(bytes, from: peer) },
            liveness: { [weak self] peer, isSuspect in self?.liveness(peer, isSuspect) },
            lost: { [weak self] peer in self?.lost(peer) },
            resumed: { [weak self] peer in self?.resumed(peer) },
            down: { [weak self] link, peer, end in self?.down(link, peer, end) },
            isNeeded: { [weak self] peer in self?.isNeeded(peer) ?? false })
    }

    var me: PeerID { signer.peer }

    private var context: RoomContext {
        RoomContext(
            loop: loop, hub: hub, journal: journal, requests: requests, archive: archive, words: words,
            identity: identity, signer: signer,
            advertise: { [weak self] room in self?.advertise(room) },
            yielded: { [weak self] room in self?.yielded(room) },
            changed: { [weak self] room in self?.remember(room) },
            closed: { [weak self] room in self?.closed(room) },
            resume: { [weak self] match, room in self?.resume(match, room) },
            keep: { [weak self] match in self?.keep(match) },
            ended: { [weak self] match in
                self?.records.ended(MatchReading(match), at: match.ended ?? Calendar.unixMilliseconds())
            },
            release: { [weak self] peer in self?.release(peer) })
    }

    /// The room with an ID; `nil` when this daemon is not in it.
    func room(_ id: RoomID) -> Room? { rooms.first { $0.id == id } }

    /// The match with an ID that this daemon watches, or has a seat in; `nil` when its log is not in memory.
    func copy(_ id: MatchID) -> (any MatchCopy)? { matches.last { $0.match == id } }

    /// The same where it has a seat.
    func match(_ id: MatchID) -> MatchDriver? { copy(id) as? MatchDriver }

    // MARK: Hosting

    /// Opens a room.
    func host(_ state: RoomState) -> Room {
        let room = Room(context) { HostedRoom(state, $0) }
        rooms.append(room)
        remember(room)
        advertise(room)
        room.emit(.roomOpened)
        return room
    }

    /// Announces a hosted room, unless it is hidden, or what changed of it.
    private func advertise(_ room: Room) {
        guard !room.state.hidden, !room.isClosed, room.isHost, returning[room.id] == nil else { return }
        let state = room.state
        let record = RoomRecord(
            roomID: state.id.bytes, hostID: me.bytes, name: state.name, game: state.game, taken: state.taken,
            seats: state.seats.count,
            state: !state.isGathering ? .playing : state.taken == state.seats.count ? .full : .lobby,
            locked: state.locked, codeNeeded: state.code != nil, epoch: UInt64(max(0, state.epoch)),
            hostName: state.host?.name ?? "",
            protocols: UInt16(Hello.ownProtocols.lowerBound)...UInt16(Hello.ownProtocols.upperBound),
            port: hub.port)
        discovery.publish(record, isNew: announced.insert(state.id).inserted)
    }

    private func renamed(_ id: [UInt8], _ name: String) {
        rooms.first { $0.id.bytes == id }?.hosted?.rename(name)
    }

    private func withdraw(_ room: Room) {
        returning.removeValue(forKey: room.id)?.close()
        if announced.remove(room.id) != nil { discovery.withdraw(room.id.bytes) }
    }

    /// A room is announced: where that is one hosted here, by a member that has taken it over meanwhile, this
    /// daemon says no more that it hosts it, and asks there.
    private func seen(_ record: RoomRecord) {
        if let host = PeerID(bytes: record.hostID), host != me { turns.sighted(host) }
        guard let id = RoomID(bytes: record.roomID), let host = PeerID(bytes: record.hostID), host != me,
            let room = room(id), let hosted = room.hosted, record.epoch > UInt64(hosted.state.epoch),
            hosted.hasPlayedWith(host)
        else { return }
        withdraw(room)
        hub.dial(discovery.addresses(of: record.roomID), expected: host) { _ in }
    }

    // MARK: Coming back after a restart

    private func remember(_ room: Room) {
        guard !room.isClosed, room.watched == nil else { return }
        disk?.set(room.id, KeptRoom(room.state, name: room.part.name))
    }

    /// Reads which rooms this daemon was in when it ended, before it comes into others.
    func findRooms() {
        for (id, kept) in disk?.load() ?? [] {
            if let kept, kept.state.id == id, kept.state.seat(of: me) != nil {
                fromBefore.append(kept)
            } else {
                disk?.remove(id)
            }
        }
    }

    /// Looks for the rooms that this daemon was in when it ended, but for those it has come into meanwhile.
    func reenter() {
        let all = fromBefore
        fromBefore = []
        for kept in all where room(kept.state.id) == nil {
            let id = kept.state.id
            let (state, isMine) = (kept.state, kept.state.host?.peer == me)
            if isMine, state.isGathering {
                disk?.remove(id)  // its guests have been told that the host is lost
            } else if isMine, let match = state.match.flatMap({ resume($0, state) }) {
                comeBack(state, match)
            } else {
                let reentry = Reentry(kept, book: self)
                reentries.append(reentry)
                reentry.start()
            }
        }
    }

    /// Hosts a room again in which a match goes on, unless a member says that it does.
    private func comeBack(_ state: RoomState, _ match: MatchDriver) {
        let room = Room(context) { HostedRoom(state, $0) }
        rooms.append(room)
        let timer = loop.timer { [weak self] in
            self?.returning.removeValue(forKey: state.id)?.close()
            self?.advertise(room)
        }
        returning[state.id] = timer
        timer.set(at: (Tick(nanoseconds: loop.now) + Limits.returnWait).nanoseconds)
        room.emit(.roomOpened)
        room.hosted?.comeBack()
        room.take(match)
    }

    /// A room from before is found, or given up.
    func ended(_ reentry: Reentry, isFound: Bool) {
        reentries.removeAll { $0 === reentry }
        if !isFound { disk?.remove(reentry.id) }
    }

    // MARK: Joining

    /// Comes into a room of another peer.
    func join(_ wish: JoinWish, done: @escaping (Result<Room, RPCError>) -> Void) {
        // A host has one try of a peer under way; a second one would spoil the first.
        guard !joins.values.contains(where: { $0.triesCode(like: wish) }) else {
            return done(.failure(RPCError(.busy, "a code is being tried for that room already")))
        }
        let join = Join(wish, book: self, loop: loop)
        joins[ObjectIdentifier(join)] = join
        join.done = { [weak self, unowned join] result in
            self?.joins[ObjectIdentifier(join)] = nil
            done(result)
        }
        join.start(name: wish.name ?? name())
    }

    /// A room has let this daemon in.
    func joined(_ state: RoomState, host: PeerID, name: String) -> Room {
        let known = room(state.id)
        if let known, known.watched == nil { return known }
        let endpoints = hub.ownEndpoints
        let part = { JoinedRoom(state, name: name, endpoints: endpoints, room: $0) }
        let room = known ?? Room(context, part: part)
        if known == nil {
            rooms.append(room)
            remember(room)
        } else {
            // Who watched has a seat now.
            room.change(to: part(room))
        }
        room.emit(.roomOpened)
        room.joined?.meet()
        // Also of a match that ended while this daemon was away: its end is asked for.
        if let id = state.match, !state.isGathering || archive.isUnfinished(id), let match = resume(id, state)
        {
            room.take(match)
        }
        takeCallers(room)
        return room
    }

    /// This daemon has hosted a room, and is a guest of it from now on.
    private func yielded(_ room: Room) {
        withdraw(room)
        takeCallers(room)
    }

    /// Hears those who entered the mesh of a room before this daemon was a guest of it.
    private func takeCallers(_ room: Room) {
        for peer in callers.take(room.id) {
            room.received(.enter(.id(room.id), purpose: .mesh, name: ""), from: peer)
        }
    }

    /// A room lets this daemon look on.
    func watching(_ state: RoomState, host: PeerID, name: String) -> Room {
        if let room = room(state.id) { return room }
        let room = Room(context) { WatchedRoom(state, host: host, name: name, room: $0) }
        rooms.append(room)
        room.emit(.roomOpened)
        return room
    }

    // MARK: Links

    private func up(_ peer: PeerID) {
        if met.count < Self.metMax { met.insert(peer) }
        journal.emit(.linkUp, peerFields(peer))
        turns.up(peer)
        for room in rooms {
            room.part.up(peer)
            room.lineChanged(to: peer)
        }
    }

    /// The rooms near, but for those that are known to be closed, whose records outlive them for seconds.
    var near: [DiscoveredRoom] { discovery.rooms.filter { !closedRooms.contains($0.record.roomID) } }

    /// Whether this daemon has had a link with a peer since it started.
    func hasMet(_ peer: PeerID) -> Bool { met.contains(peer) }

    private func liveness(_ peer: PeerID, _ isSuspect: Bool) {
        journal.emit(isSuspect ? .linkSuspect : .linkResumed, peerFields(peer))
        for room in rooms { room.lineChanged(to: peer) }
    }

    private func lost(_ peer: PeerID) {
        journal.emit(.linkLost, peerFields(peer) + [JSON.Member("reason", .string("lost"))])
        for room in rooms {
            room.part.lost(peer)
            room.lineChanged(to: peer)
        }
    }

    private func resumed(_ peer: PeerID) {
        journal.emit(.linkResumed, peerFields(peer))
        for room in rooms {
            room.part.resumed(peer)
            room.lineChanged(to: peer)
            room.reachFeed(.renewed(peer))
        }
    }

    private func down(_ link: PeerLink, _ peer: PeerID, _ end: LinkEnd) {
        let reason = JSON.Member("reason", .string(end.reason.rawValue))
        // The link is out of the hub already, so its greeting has to say who that was.
        let name = VisibleText.strip(link.hello.name)
        if !link.isLost { journal.emit(.linkLost, peerFields(peer, name) + [reason]) }
        callers.forget(peer)
        if hub.link(to: peer) == nil {
            knocks.down(peer)
            turns.down(peer)
        }
        for join in joins.values { join.down(peer, end) }
        for room in rooms {
            room.part.down(peer, end)
            room.lineChanged(to: peer)
        }
    }

    /// The fields of an event about a peer.
    func peerFields(_ peer: PeerID) -> [JSON.Member] { peerFields(peer, nameOf(peer)) }

    private func peerFields(_ peer: PeerID, _ name: String) -> [JSON.Member] {
        [JSON.Member("peer", JSON(encoding: PlayerInfo(id: "\(peer)", name: name)))]
    }

    /// What a peer is called, as far as it is known.
    func nameOf(_ peer: PeerID) -> String {
        if peer == me { return name() }
        if let hello = hub.link(to: peer)?.hello { return VisibleText.strip(hello.name) }
        let players = rooms.flatMap { $0.state.seats.compactMap { $0 } }
        return players.first { $0.peer == peer }?.name ?? ""
    }

    private func received(_ message: RoomMessage, from peer: PeerID) {
        switch message {
        case .enter(.id(let id), .mesh, _, _):
            if rooms.contains(where: { $0.id == id && $0.role == .guest }) {
                deliver(message, id, from: peer)
            } else {
                callers.wait(peer, for: id)
            }
        case .enter(let reference, let purpose, let name, let endpoints):
            hosted(reference, for: peer)?
                .entering(peer, purpose, name: name, reference, endpoints: endpoints)
        case .code(let code): received(code, message, from: peer)
        case .knock(let knock): knocks.received(knock, from: peer)
        case .turns(let message): turns.received(message, from: peer)
        case .entered(let id, _):
            for join in joins.values where !isGuest(peer, of: id) { join.received(message, from: peer) }
            if isGuest(peer, of: id) || room(id)?.watched != nil { deliver(message, id, from: peer) }
        case .denied(.id(let id), _) where isGuest(peer, of: id): deliver(message, id, from: peer)
        case .denied(let reference, _):
            for join in joins.values { join.received(message, from: peer) }
            // A host that came back without the room turns its members away.
            if case .id(let id) = reference { deliver(message, id, from: peer) }
        case .state(let state, _):
            for join in joins.values { join.received(message, from: peer) }
            deliver(message, state.id, from: peer)
        case .request(let id, let number, _):
            guard room(id)?.isHost ?? false else {
                let refusal = RoomRefusal(.noSuchRoom, "the room is not here, or no longer")
                hub.link(to: peer)?.send(.reply(room: id, number: number, refusal))
                return
            }
            deliver(message, id, from: peer)
        case .elsewhere(let id, _, _):
            for join in joins.values { join.received(message, from: peer) }
            deliver(message, id, from: peer)
        case .hail(let id, _, _, _), .words(let id, _): deliver(message, id, from: peer)
        case .reply(let id, _, _), .closed(let id, _), .say(let id, _, _), .match(let id, _, _),
            .relay(let id, _, _, _), .relayed(let id, _, _, _), .channel(let id, _),
            .channelRelay(let id, _, _), .channelRelayed(let id, _, _):
            deliver(message, id, from: peer)
        }
    }

    /// Whether a peer is another guest of a room that this daemon has joined.
    private func isGuest(_ peer: PeerID, of id: RoomID) -> Bool {
        (room(id)?.joined).map { $0.host != peer } ?? false
    }

    /// A message of the unreliable channel: only programs' are sent that way.
    private func receivedUnreliable(_ bytes: [UInt8], from peer: PeerID) {
        guard let message = RoomMessage(decoding: bytes) else { return }
        switch message {
        case .channel(let id, .unreliable), .channelRelay(let id, _, .unreliable),
            .channelRelayed(let id, _, .unreliable):
            deliver(message, id, from: peer)
        case .channel, .channelRelay, .channelRelayed, .enter, .entered, .denied, .state, .request, .reply,
            .closed, .say, .match, .relay, .relayed, .code, .elsewhere, .hail, .words, .knock, .turns:
            break
        }
    }

    private func deliver(_ message: RoomMessage, _ id: RoomID, from peer: PeerID) {
        room(id)?.received(message, from: peer)
    }

    private func received(_ code: CodeMessage, _ message: RoomMessage, from peer: PeerID) {
        switch code {
        case .prove(let reference, let purpose, let name, let share):
            hosted(reference, for: peer)?.proving(peer, purpose, name: name, reference, share: share)
        case .confirm(let id, _): hosted(.id(id), for: peer)?.received(message, from: peer)
        case .share, .admitted: for join in joins.values { join.received(message, from: peer) }
        }
    }

    /// The hosted room that a peer wants to come into; `nil` when it has been told that there is none, or who
    /// hosts it.
    private func hosted(_ reference: RoomReference, for peer: PeerID) -> HostedRoom? {
        let meant =
            switch reference {
            case .only: rooms
            case .id(let id): rooms.filter { $0.id == id }
            case .name(let name): rooms.filter { $0.state.name == name }
            }
        let hosted = meant.compactMap(\.hosted)
        guard hosted.count < 2 else {
            let names = hosted.map(\.state.name).joined(separator: ", ")
            hub.link(to: peer)?.send(
                .denied(reference, RoomRefusal(.ambiguous, "there are several rooms: \(names)")))
            return nil
        }
        if let room = hosted.first { return room }
        // Whoever hosts a room as far as this guest knows does not ask a guest for it.
        guard meant.count == 1, let host = meant[0].state.host, host.peer != peer else {
            hub.link(to: peer)?.send(
                .denied(reference, RoomRefusal(.noSuchRoom, "the room is not here, or no longer")))
            return nil
        }
        let endpoints = hub.endpoints(of: host.peer, said: host.endpoints)
        hub.link(to: peer)?.send(.elsewhere(room: meant[0].id, host: host.peer, endpoints: endpoints))
        return nil
    }

    // MARK: Ends

    private func closed(_ room: Room) {
        rooms.removeAll { $0 === room }
        if room.isClosedByHost {
            closedRooms.append(room.id.bytes)
            if closedRooms.count > Self.closedMax { closedRooms.removeFirst() }
        }
        withdraw(room)
        // A match that goes on without this daemon is come back to.
        if !isStopping || room.state.isGathering || room.match?.isOver ?? true { disk?.remove(room.id) }
        if let watched = room.watched { release(watched.host) }
        guard let joined = room.joined else { return }
        for peer in Set([joined.host] + joined.state.seats.compactMap { $0?.peer }) { release(peer) }
    }

    /// Closes the link to a peer unless a room needs it.
    func release(_ peer: PeerID) {
        if !isNeeded(peer) { hub.close(peer, .closed) }
    }

    /// Whether a room needs the link to a peer, or may soon.
    private func isNeeded(_ peer: PeerID) -> Bool {
        !joins.isEmpty || knocks.needs(peer) || reentries.contains { $0.kept.state.seat(of: peer) != nil }
            || rooms.contains { room in
                if let watched = room.watched { return watched.needs(peer) }
                if room.isHost, room.state.isWatching(peer) { return true }
                return room.part.host == peer || room.state.seat(of: peer) != nil
            }
    }

    /// This peer's secrets in a match, out of its log; `nil` when it has none there.
    func secrets(in state: MatchState, seat: Int) -> SeatSecrets? {
        guard state.seats.indices.contains(seat) else { return nil }
        let vault = SeatVault(
            seat: seat, match: state.genesis.match, sealed: state.seats[seat].vault, identity: identity)
        return vault?.secrets(boxKeys: state.boxKeys, former: state.formerBoxKeys)
    }

    /// Forgets a match that is over.
    func forget(_ id: MatchID) { matches.removeAll { $0.match == id && $0.isDone } }

    /// Makes a match of a room go on that this daemon has stored; `nil` where it has none.
    private func resume(_ id: MatchID, _ room: RoomState) -> MatchDriver? {
        guard let (record, started) = known(id), let seat = record.genesis.seat(of: me),
            let words = words.list(of: record.genesis),
            let machine = try? MatchMachine(
                record, seat: seat, words: words, signer: signer, signing: .ed25519, identity: identity,
                secret: Entropy.bytes(SeatVault.secretBytes), now: Tick(nanoseconds: loop.now))
        else { return nil }
        let driver = MatchDriver(
            machine, record: record, room: room.id, roomName: room.name, started: started, context: context)
        keep(driver)
        return driver
    }

    private func known(_ id: MatchID) -> (record: MatchRecord, started: Int)? {
        if let match = match(id) { return (match.record, match.started) }
        guard let stored = archive.resume(id), let record = try? stored.record else { return nil }
        return (record, stored.row.started)
    }

    private func keep(_ match: any MatchCopy) {
        matches.removeAll { $0.match == match.match }
        matches.append(match)
        if matches.count > Self.matchesMax, let old = matches.firstIndex(where: { $0.isDone }) {
            matches.remove(at: old)
        }
    }

    /// Closes all rooms and says goodbye to everybody, because the daemon ends.
    func shutDown() {
        let reason = "shutting-down"
        isStopping = true
        for reentry in reentries { reentry.stop() }
        for timer in returning.values { timer.close() }
        returning = [:]
        for room in rooms { room.hosted?.shutDown(reason) }
        hub.stop(LinkReason(rawValue: reason) ?? .closed)
        for room in rooms { room.joined?.shutDown(reason) }
        for room in rooms where room.watched != nil { room.close(reason, isLeft: false) }
    }
}
