internal import ParlorControl
internal import ParlorCrypto
internal import ParlorNet
internal import ParlorProtocol
internal import ParlorStore

/// Keeps the matches by turns: has what is signed here on disk before anybody is told, talks to the peers
/// that come into reach, and looks for those that have to be told something.
final class TurnKeeper {
    /// How soon, and how often, an exchange is made again whose link ended within it.
    static let retryWait = Duration.seconds(1)
    static let retriesMax = 3
    /// How many of the peers that were met last are dialled when the player wants an exchange now.
    static let syncDialsMax = 16
    /// What became of something that the player wanted.
    typealias Done = (Result<MatchID, RPCError>) -> Void

    private(set) var shelf: TurnShelf
    /// Peers that were met, the one last met first.
    private(set) var peers: [TurnPeerRow] = []
    /// When matches changed here last, in Unix milliseconds.
    private(set) var changed: [MatchID: Int] = [:]
    private let loop: EventLoop
    private let hub: LinkHub
    private let archive: MatchArchive
    let journal: EventJournal
    let signer: Signer
    let name: () -> String
    /// What subscribers have been told of a match.
    var told: [MatchID: TurnState] = [:]
    /// Since when it has been the turn that it is.
    private var since: [MatchID: (head: [UInt8], at: Int)] = [:]
    /// What waits for the disk, by match: a match does one thing at a time, so that no turn is signed twice.
    private var writing: [MatchID: [() -> Void]] = [:]
    /// Matches whose last own item is perhaps not on disk: nobody is told of it.
    private var unstored: Set<MatchID> = []
    /// When a peer is dialled again whose link ended within an exchange, and how often that was done.
    private var retryAt: [PeerID: Tick] = [:]
    private var retries: [PeerID: Int] = [:]
    /// Where rooms of a peer are announced.
    var announced: (PeerID) -> [SocketAddress] = { _ in [] }
    private var lastDial: [PeerID: Tick] = [:]
    private var isLoaded = false
    private var timer: LoopTimer?
    private var waiting: [() -> Void] = []

    init(
        loop: EventLoop, hub: LinkHub, archive: MatchArchive, journal: EventJournal, signer: Signer,
        name: @escaping () -> String
    ) {
        self.loop = loop
        self.hub = hub
        self.archive = archive
        self.journal = journal
        self.signer = signer
        self.name = name
        shelf = TurnShelf(me: signer.peer, signing: .ed25519)
    }

    var me: PeerID { signer.peer }
    private var now: Tick { Tick(nanoseconds: loop.now) }

    // MARK: Starting

    /// Reads what is on disk; called once the store was opened, or cannot be.
    func load() {
        timer = loop.timer { [weak self] in self?.timePassed() }
        archive.ask(.turns(.all)) { [weak self] reply in
            guard let self else { return }
            if case .turns(let matches, let peers) = reply {
                take(peers)
                for row in matches { take(row) }
            }
            isLoaded = true
            for (peer, _) in hub.peers { up(peer) }
            for next in waiting { next() }
            waiting = []
            timePassed()
        }
    }

    /// Calls `body` once what is on disk has been read.
    func whenLoaded(_ body: @escaping () -> Void) { if isLoaded { body() } else { waiting.append(body) } }

    private func take(_ rows: [TurnPeerRow]) {
        peers = Array(rows.prefix(Limits.turnPeersMax))
        for row in peers { if let peer = PeerID(bytes: row.peer) { shelf.restore(met: peer) } }
    }

    private func take(_ row: TurnRow) {
        guard let match = MatchID(bytes: row.match) else { return }
        guard !row.genesis.isEmpty else { return shelf.restore(forgotten: match) }
        // What was checked before it was kept is not checked again.
        do throws(TurnFault) {
            let genesis = try TurnGenesis(decoding: row.genesis, .checkedBefore)
            let items = row.items.compactMap { try? TurnItem(decoding: $0, .checkedBefore) }
            shelf.restore(genesis, items, isRemoved: row.isRemoved)
            changed[match] = row.changed
            if let state = shelf.copy(match)?.state {
                told[match] = state
                since[match] = (state.head, row.changed)
            }
        } catch {
            Log.say("a match by turns is not shown: \(error)")
        }
    }

    /// Whether nobody has to be told anything.
    var isIdle: Bool { shelf.unreached.isEmpty && shelf.deadline == nil }

    /// Lets go of the timer.
    func close() {
        timer?.close()
        timer = nil
    }

    // MARK: Own doings

    /// Makes a match.
    func create(_ genesis: TurnGenesis, done: @escaping Done) {
        write(genesis, [], done: done)
    }

    /// Does something in a match, when what was done in it before is on disk.
    ///
    /// - Parameters:
    ///   - match: Which match.
    ///   - peer: One that is told at once, because it waits for it.
    ///   - done: Called once, with the match or the refusal.
    ///   - body: Says what is to be signed, or refuses.
    func act(
        _ match: MatchID, to peer: PeerID? = nil, done: @escaping Done = { _ in },
        _ body: @escaping (TurnActs) throws(TurnRefusal) -> TurnItem.Body?
    ) {
        if writing[match] != nil {
            writing[match]?.append { [weak self] in self?.act(match, to: peer, done: done, body) }
            return
        }
        guard let copy = shelf.copy(match) else {
            return done(.failure(ControlMethods.noMatch("\(match)")))
        }
        do throws(TurnRefusal) {
            guard let body = try body(TurnActs(copy, me: me)) else { return done(.success(match)) }
            let item = TurnItem(
                match: match, body: body, time: Calendar.unixMilliseconds(), signer: signer)
            write(copy.match.genesis, [item], to: peer, done: done)
        } catch {
            done(.failure(RPCError(error)))
        }
    }

    /// Has it on disk, then says it to others, then answers.
    private func write(
        _ genesis: TurnGenesis, _ items: [TurnItem], to peer: PeerID? = nil, done: @escaping Done
    ) {
        guard archive.state == .ready else {
            return done(
                .failure(
                    RPCError(
                        .notAllowed, "Nothing can be kept on disk now, so nothing is signed: see status.")))
        }
        let match = genesis.match
        writing[match] = []
        let request = keep(genesis, items)
        archive.ask(request) { [weak self] reply in
            guard let self else { return }
            let isStored = if case .done = reply { true } else { false }
            if isStored { unstored.remove(match) } else { unstored.insert(match) }
            // Signed is signed: another item in its place would be a second one.
            shelf.add(genesis, items)
            noteChange(match)
            let queued = writing.removeValue(forKey: match) ?? []
            if isStored { perform(shelf.tell(match, to: peer, at: now)) }
            done(
                isStored
                    ? .success(match)
                    : .failure(RPCError(.notAllowed, "It is not on disk, and nobody is told until it is.")))
            tell(match)
            reach()
            for next in queued { next() }
        }
    }

    private func keep(_ genesis: TurnGenesis, _ items: [TurnItem]) -> StoreRequest {
        .turns(
            .keep(
                match: genesis.match.bytes, genesis: genesis.encoded,
                items: items.map { TurnStoreRequest.Item(hash: $0.hash, bytes: $0.encoded) },
                changed: Calendar.unixMilliseconds()))
    }

    private func noteChange(_ match: MatchID) {
        let moment = Calendar.unixMilliseconds()
        changed[match] = moment
        guard let head = shelf.copy(match)?.state.head else { return }
        if since[match]?.head != head { since[match] = (head, moment) }
    }

    /// How many seconds it has been the turn that it is, by this machine's clock.
    func waited(_ match: MatchID) -> Int {
        guard let since = since[match] else { return 0 }
        return max(0, Calendar.unixMilliseconds() - since.at) / 1_000
    }

    /// Removes a match from what is shown here.
    func remove(_ match: MatchID, done: @escaping Done) {
        guard let copy = shelf.copy(match) else { return done(.failure(ControlMethods.noMatch("\(match)"))) }
        do throws(TurnRefusal) { try TurnActs(copy, me: me).checkRemoval() } catch {
            return done(.failure(RPCError(error)))
        }
        archive.ask(.turns(.remove(match: match.bytes))) { [weak self] _ in
            self?.shelf.remove(match)
            done(.success(match))
        }
    }

    // MARK: Peers

    /// There is a link to a peer.
    func up(_ peer: PeerID) {
        guard isLoaded else { return }
        remember(peer)
        perform(shelf.up(peer, at: now))
        reach()
    }

    /// A room of a peer is announced: it is there, and is told what it lacks.
    func sighted(_ peer: PeerID) {
        guard isLoaded, hub.link(to: peer) == nil, shelf.playsWith(peer) || shelf.unreached.contains(peer)
        else { return }
        dial(peer)
    }

    /// The link to a peer has ended; where that cut an exchange off, it is made again soon.
    func down(_ peer: PeerID) {
        shelf.down(peer)
        guard isLoaded, shelf.unreached.contains(peer), retries[peer, default: 0] < Self.retriesMax else {
            return
        }
        retries[peer, default: 0] += 1
        retryAt[peer] = now + Self.retryWait
        reach()
    }

    private func remember(_ peer: PeerID) {
        guard let link = hub.link(to: peer) else { return }
        let address = link.addresses.first
        let row = TurnPeerRow(
            peer: peer.bytes, name: VisibleText.strip(link.hello.name), address: address?.bytes ?? [],
            port: Int(address?.port ?? 0), seen: Calendar.unixMilliseconds())
        peers.removeAll { $0.peer == row.peer }
        peers.insert(row, at: 0)
        if peers.count > Limits.turnPeersMax { peers.removeLast() }
        archive.ask(.turns(.peer(row)))
    }

    /// A linked peer said something about matches by turns.
    func received(_ message: TurnMessage, from peer: PeerID) {
        guard isLoaded else { return }
        perform(shelf.received(message, from: peer, at: now))
        reach()
    }

    private func timePassed() {
        perform(shelf.timePassed(at: now))
        reach()
    }

    /// Dials the peers that have to be told something, each at most once in ``Limits/turnSyncInterval``.
    func reach() {
        for peer in shelf.unreached { dial(peer) }
        let next = shelf.unreached.compactMap { nextDial($0) }.min()
        timer?.set(at: [next, shelf.deadline].compactMap { $0 }.min()?.nanoseconds)
    }

    /// Exchanges now, because the player wants to, with all that are linked and with those that were met
    /// last; calls `done` once each has been reached or cannot be.
    func exchange(done: @escaping () -> Void) {
        var waiting = 1
        let settle = {
            waiting -= 1
            if waiting == 0 { done() }
        }
        let known = Set(shelf.unreached).union(
            peers.prefix(Self.syncDialsMax).compactMap { PeerID(bytes: $0.peer) })
        for (peer, _) in hub.peers { up(peer) }
        for peer in known.sorted() where hub.link(to: peer) == nil {
            let addresses = addresses(of: peer)
            guard !addresses.isEmpty else { continue }
            lastDial[peer] = now
            waiting += 1
            hub.dial(addresses, expected: peer) { _ in settle() }
        }
        settle()
    }

    /// When a peer may be dialled next; `nil` for at once.
    private func nextDial(_ peer: PeerID) -> Tick? {
        if let retry = retryAt[peer] { return retry }
        let dial = lastDial[peer].map { $0 + Limits.turnSyncInterval }
        return [dial, shelf.nextSync(with: peer)].compactMap { $0 }.max()
    }

    private func dial(_ peer: PeerID) {
        if let next = nextDial(peer), now < next { return }
        lastDial[peer] = now
        if retryAt.removeValue(forKey: peer) == nil { retries[peer] = nil }
        let addresses = addresses(of: peer)
        guard !addresses.isEmpty else { return }
        hub.dial(addresses, expected: peer) { _ in }
    }

    /// Where a peer may be: where a room of its is announced, or where it was met last.
    private func addresses(of peer: PeerID) -> [SocketAddress] {
        let announced = announced(peer)
        guard announced.isEmpty else { return announced }
        guard let row = peers.first(where: { $0.peer == peer.bytes }), row.port > 0 else { return [] }
        return [SocketAddress(bytes: row.address, port: UInt16(truncatingIfNeeded: row.port))].compactMap {
            $0
        }
    }

    // MARK: What the shelf asks for

    private func perform(_ actions: [TurnShelf.Action]) {
        for action in actions {
            switch action {
            case .send(let peer, let message):
                if isHeld(message) { continue }
                hub.link(to: peer)?.send(.turns(message))
            case .keep(let match, let items, let isNew):
                guard let genesis = shelf.copy(match)?.match.genesis else { continue }
                archive.ask(keep(genesis, items))
                noteChange(match)
                tell(match, items, isNew: isNew)
                if isNew { yieldRematch(to: match) }
            case .drop(let match):
                archive.ask(.turns(.drop(match: match.bytes)))
                (told[match], since[match], changed[match]) = (nil, nil, nil)
            case .asked(let match, let take, let peer):
                act(match, to: peer) { acts throws(TurnRefusal) in acts.grant(take) }
            }
        }
    }

    /// Both players may have begun a rematch before they met: the one of the lower ID is played, and who
    /// made the other one, of which nobody else has taken any notice, gives it up.
    private func yieldRematch(to match: MatchID) {
        guard let copy = shelf.copy(match), let before = copy.match.genesis.after,
            let mine = copy.state.seat(of: me), copy.state.seats[mine].status == .invited,
            let own = shelf.own.first(where: { own in
                let genesis = own.match.genesis
                return genesis.after == before && genesis.creator == me && genesis.match > match
                    && own.state.outcomes == nil && own.state.steps.isEmpty
                    && own.state.seats.dropFirst().allSatisfy {
                        $0.status == .invited || $0.status == .unknown
                    }
            })
        else { return }
        let given = own.match.genesis.match
        act(
            given,
            done: { [weak self] result in
                guard let self, case .success = result else { return }
                remove(given) { _ in }
                let name = name()
                act(match) { acts throws(TurnRefusal) in try acts.accept(name: name) }
            },
            { acts throws(TurnRefusal) in try acts.quit() })
    }

    /// Whether a message tells what is perhaps not on disk.
    private func isHeld(_ message: TurnMessage) -> Bool {
        switch message {
        case .heads(let heads): heads.contains { unstored.contains($0.match) }
        case .items(let match, _, _): unstored.contains(match)
        case .want: false
        }
    }
}

extension RPCError {
    /// Says why something is not done in a match by turns.
    init(_ refusal: TurnRefusal) {
        self.init(Reason(rawValue: refusal.reason.rawValue) ?? .notAllowed, refusal.message)
    }
}
