internal import ParlorGames

// What a host decides about those who look on.
extension RoomHost {
    /// Says why a peer that has no seat may not watch, if it may not.
    func checkWatching(_ peer: PeerID) throws(RoomRefusal) {
        guard !state.banned.contains(peer) else {
            throw RoomRefusal(.banned, "the host of \(state.name) has banned you from it")
        }
        guard !state.isWatching(peer) else { return }
        guard state.watchable else {
            throw RoomRefusal(.notAllowed, "the host of \(state.name) lets nobody watch")
        }
        guard !state.locked else {
            throw RoomRefusal(.roomLocked, "the host of \(state.name) lets nobody in at the moment")
        }
        guard state.watchers.count < Limits.watchersMax else {
            throw RoomRefusal(
                .roomFull, "\(state.name) has \(Limits.watchersMax) watchers already, and takes no more")
        }
    }

    /// A watcher may leave, and nothing else.
    mutating func performForWatcher(_ peer: PeerID, _ request: RoomRequest) -> RoomRefusal? {
        guard request == .leave else { return .watching(state.name) }
        state.watchers.removeAll { $0.peer == peer }
        return nil
    }

    /// Lets watchers in from now on, or sends away those that are here and lets nobody watch.
    mutating func setWatchable(_ allowed: Bool, _ actions: inout [Action]) -> RoomRefusal? {
        state.watchable = allowed
        keepOptionOfWatching()
        guard !allowed else { return nil }
        for watcher in state.watchers {
            actions.append(.send(.closed(room: state.id, reason: "kicked"), to: watcher.peer))
        }
        state.watchers = []
        return nil
    }

    /// Lets the next match's option say what the room does; that of a match that is on stays what it was.
    mutating func keepOptionOfWatching() {
        guard state.isGathering, let declaration = Catalog.rules(state.game)?.declaration else { return }
        let given = state.options.values + [Value.Member("watchers", .bool(state.watchable))]
        if let options = try? GameOptions(declaration, given: given) { state.options = options }
    }

    /// Removes a watcher.
    mutating func kickWatcher(_ peer: PeerID, ban: Bool, _ actions: inout [Action]) -> RoomRefusal? {
        guard state.isWatching(peer) else {
            return RoomRefusal(.badParams, "nobody of that ID watches in \(state.name)")
        }
        if ban, let refusal = checkBan() { return refusal }
        if ban { state.banned.append(peer) }
        actions.append(.send(.closed(room: state.id, reason: "kicked"), to: peer))
        state.watchers.removeAll { $0.peer == peer }
        return nil
    }

    /// Keeps the watchers' places until they have found this host.
    mutating func awaitWatchers(at now: Tick) {
        guard !state.watchers.isEmpty else { return }
        awaited = (Set(state.watchers.map(\.peer)), now + Limits.watchSearchWait)
    }

    /// Removes the watchers that have not come in time.
    mutating func dropAwaited(at now: Tick) {
        guard let awaited, now >= awaited.until else { return }
        state.watchers.removeAll { awaited.peers.contains($0.peer) }
        self.awaited = nil
    }

    /// Says why nobody else can be kept out, if so.
    func checkBan() -> RoomRefusal? {
        guard state.banned.count >= Limits.bannedMax else { return nil }
        return RoomRefusal(
            .notAllowed, "\(state.name) keeps \(Limits.bannedMax) players out already; lock it instead")
    }
}

extension RoomRefusal {
    /// What a watcher is told that wants more than to look on.
    static func watching(_ room: String) -> RoomRefusal {
        RoomRefusal(
            .notAllowed, "you watch in \(room) and have no seat, so you can only look on; join it to play")
    }
}
