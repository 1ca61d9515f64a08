public import ParlorGames

/// A room as its host keeps it: who sits where, who may come, when a match begins.
///
/// Does no I/O.
///
/// The host alone decides who gets a seat, one input after the other, so that three open seats seat three.
public struct RoomHost: Sendable {
    /// What may happen to it.
    public enum Input: Sendable {
        /// A peer wants to come in, and may be reached at these endpoints.
        case entering(
            PeerID, RoomMessage.Purpose, name: String, RoomReference, endpoints: [Endpoint] = [])
        /// The same, by a peer that has a code.
        case proving(PeerID, RoomMessage.Purpose, name: String, RoomReference, CodeOffer)
        /// A peer whose ``proving(_:_:name:_:_:)`` was answered with a share has sent its tag.
        case confirming(PeerID, tag: [UInt8])
        /// The code that ``Action/makeCode`` asked for.
        case newCode(RoomCode)
        /// A member wants something.
        case request(PeerID, number: Int, RoomRequest)
        /// The host's own player wants something; the answer comes as ``Action/reply(_:_:)``.
        case local(RequestID, RoomRequest)
        /// The host's own player changes options.
        case setOptions(RequestID, [Value.Member])
        /// The link was lost of a member, or of a peer for which ``isTrying(_:)`` holds.
        case linkLost(PeerID)
        /// The link to a member goes on, and no message is missing.
        case linkResumed(PeerID)
        /// There is a new link to a peer, which has not entered by it yet.
        case linkUp(PeerID)
        /// A peer that is a member says that it hosts the room, and why players left it.
        case offered(RoomState, left: [RoomDeparture], from: PeerID)
        /// This peer is the sequencer again, by this epoch of the match.
        case reign(epoch: Int)
        /// The room is taken up again after a restart: its watchers have to enter anew.
        case awaitWatchers
        /// A member said goodbye, for a reason as in ``RoomDeparture``.
        case gone(PeerID, reason: String)
        /// The match that ``Action/beginMatch`` asked for exists.
        case matchBegan(MatchID)
        /// It is drawn who goes first.
        case matchPlaying
        /// The match is over; no outcomes when it was cancelled.
        case matchEnded([Outcome])
        /// The name was taken on the network: the room goes on under this one.
        case renamed(String)
        /// The room closes, for a reason as in `room.closed`.
        case close(reason: String)
        /// The moment of ``Action/arm(_:)`` has come.
        case deadlinePassed
    }

    /// What the driver has to do.
    public enum Action: Hashable, Sendable {
        /// Send to a peer.
        case send(RoomMessage, to: PeerID)
        /// Answer a request; `nil`: done.
        case reply(RequestID, RoomRefusal?)
        /// Show what happened.
        case notice(RoomNotice)
        /// Make a match of the seats as they are now, and feed ``Input/matchBegan(_:)``.
        case beginMatch
        /// The seat has left the match.
        case kickFromMatch(seat: Int)
        /// Another peer hosts the room, which this one goes on in as a guest: nothing is done any more.
        case yielded(RoomState)
        /// What is advertised has changed.
        case advertise
        /// Too many wrong codes were tried: make one by chance, and feed ``Input/newCode(_:)``.
        case makeCode
        /// The room is no more.
        case closed(reason: String)
        /// Call with ``Input/deadlinePassed`` then; `nil`: not at all.
        case arm(Tick?)
    }

    /// The room.
    public internal(set) var state: RoomState
    let me: PeerID
    private var awaySince: [PeerID: Tick] = [:]
    /// Who had a seat when the last match began, or when the room was taken over.
    public internal(set) var players: Set<PeerID>
    /// Watchers of the host before that have not come here yet, and how long they have time to.
    var awaited: (peers: Set<PeerID>, until: Tick)?
    private var hasYielded = false
    private var departures: [RoomDeparture] = []
    /// Who got a seat by the input that is being handled, and the tag that answers its proof of the code.
    private var admitted: PeerID?
    private var admittedTag: [UInt8]?
    /// Who tries the code at the moment; at most ``Limits/codeTriesMax``, and the members.
    private var codeTries: [PeerID: CodeTry] = [:]
    private var tries = CodeTries()
    var chatPace = ChatPace()
    /// Whether another code cannot wait for the tries under way.
    private var isCodeOverdue = false
    private var awaitsCode = false
    private var closeReason: String?
    private var isClosed: Bool { closeReason != nil }

    /// Opens a room, or takes up one that this peer has hosted before.
    public init(_ state: RoomState, me: PeerID) {
        precondition(state.host?.peer == me, "a room is hosted by the peer in its host's seat")
        self.state = state
        self.me = me
        players = Set(state.seats.compactMap { $0?.peer })
    }

    /// Takes one input and says what to do, in order.
    public mutating func handle(_ input: Input, at now: Tick) -> [Action] {
        var actions: [Action] = []
        if isClosed {
            refuseAfterClose(input, &actions)
            return actions
        }
        guard !hasYielded else { return [] }
        if case .offered(let new, _, let sender) = input, yields(to: new, of: sender) {
            hasYielded = true
            return [.arm(nil), .yielded(new)]
        }
        let before = state
        departures = []
        admitted = nil
        admittedTag = nil
        freeSeats(at: now)
        dropAwaited(at: now)
        var answers: [Action] = []
        switch input {
        case .entering(let peer, let purpose, let name, let reference, let endpoints):
            enter(peer, purpose, name, reference, &answers)
            if admitted == peer, let seat = state.seat(of: peer) { state.seats[seat]?.endpoints = endpoints }
        case .proving(let peer, let purpose, let name, let reference, let offer):
            prove(peer, (purpose, name, reference), offer, at: now, &answers)
        case .confirming(let peer, let tag): confirm(peer, tag, &answers)
        case .newCode(let code): replaceCode(code, &actions)
        case .request(let peer, let number, let request):
            let refusal = perform(request, by: peer, at: now, &actions)
            answers.append(.send(.reply(room: state.id, number: number, refusal), to: peer))
        case .local(let id, let request):
            answers.append(.reply(id, perform(request, by: me, at: now, &actions)))
        case .setOptions(let id, let given): answers.append(.reply(id, setOptions(given, &actions)))
        case .linkLost(let peer): lose(peer, at: now)
        case .linkResumed(let peer): regain(peer)
        case .linkUp, .offered: break
        case .reign(let epoch): state.epoch = max(state.epoch, epoch)
        case .awaitWatchers: awaitWatchers(at: now)
        case .gone(let peer, let reason):
            // By the link that has ended an awaited watcher only asked who hosts the room.
            if !(awaited?.peers.contains(peer) ?? false) { remove(peer, reason: reason) }
        case .matchBegan(let match):
            state.match = match
            state.phase = .drawing
        case .matchPlaying: if state.phase == .drawing { state.phase = .playing }
        case .matchEnded(let outcomes): endMatch(outcomes, at: now)
        case .renamed(let name): state.name = name
        case .close(let reason): close(reason, &actions)
        case .deadlinePassed: break
        }
        beginIfAllVoted(&actions)
        askForCodeIfDue(&actions)
        spread(since: before, &actions)
        sayWhoHosts(after: input, since: before, &actions)
        if let admitted { admit(admitted, &actions) }
        actions += answers
        if let closeReason {
            actions.append(.closed(reason: closeReason))
            actions.append(.arm(nil))
            return actions
        }
        actions.append(.arm(deadline))
        return actions
    }

    /// When somebody may have to be removed.
    var deadline: Tick? {
        let seats = state.isGathering ? awaySince.values.map { $0 + seatWait } : []
        return (seats + [awaited?.until].compactMap { $0 }).min()
    }

    private var seatWait: Duration { .seconds(Limits.lobbySeatSeconds) }

    private func refuseAfterClose(_ input: Input, _ actions: inout [Action]) {
        let refusal = RoomRefusal(.roomClosed, "\(state.name) is closed")
        switch input {
        case .entering(let peer, _, _, let reference, _),
            .proving(let peer, _, _, let reference, _):
            actions.append(.send(.denied(reference, refusal), to: peer))
        case .request(let peer, let number, _):
            actions.append(.send(.reply(room: state.id, number: number, refusal), to: peer))
        case .local(let id, _), .setOptions(let id, _): actions.append(.reply(id, refusal))
        case .confirming(let peer, _): actions.append(.send(.denied(.id(state.id), refusal), to: peer))
        case .newCode, .linkLost, .linkResumed, .linkUp, .offered, .reign, .awaitWatchers, .gone, .matchBegan,
            .matchPlaying,
            .matchEnded, .renamed, .close, .deadlinePassed:
            break
        }
    }

    /// Tells members and watchers of the screen what changed.
    mutating func spread(since before: RoomState, _ actions: inout [Action]) {
        guard state != before, !isClosed else { return }
        for peer in audience where peer != admitted {
            actions.append(.send(.state(state, left: departures), to: peer))
        }
        for notice in state.notices(since: before, left: departures) { actions.append(.notice(notice)) }
        actions.append(.advertise)
    }

    /// Those in the other seats that can be reached, and the watchers.
    var audience: [PeerID] {
        state.seats.compactMap { $0 }.filter { $0.peer != me && !$0.away }.map(\.peer)
            + state.watchers.map(\.peer)
    }

    // MARK: Coming and going

    private mutating func enter(
        _ peer: PeerID, _ purpose: RoomMessage.Purpose, _ name: String, _ reference: RoomReference,
        _ answers: inout [Action]
    ) {
        if let seat = state.seat(of: peer), purpose != .mesh {
            state.seats[seat]?.away = false
            awaySince[peer] = nil
            admitted = peer
            return
        }
        do throws(RoomRefusal) {
            let seat = try place(for: peer, purpose)
            let name = try PlayerName(name).text
            // A watcher has shown that it knows the code.
            guard state.code == nil || admittedTag != nil || state.isWatching(peer) else {
                throw RoomRefusal(
                    .codeNeeded,
                    "\(state.name) wants a code: ask \(hostName) for it (\(Limits.codeCharacters) characters)"
                )
            }
            awaited?.peers.remove(peer)
            if let seat {
                state.watchers.removeAll { $0.peer == peer }
                state.seats[seat] = RoomState.Player(peer: peer, name: state.uniqueName(name))
            } else if !state.isWatching(peer) {
                state.watchers.append(RoomState.Watcher(peer: peer, name: state.uniqueName(name)))
            }
            admitted = peer
        } catch {
            answers.append(.send(.denied(reference, error), to: peer))
        }
    }

    private func admit(_ peer: PeerID, _ actions: inout [Action]) {
        let seat = state.seat(of: peer)
        guard seat != nil || state.isWatching(peer) else { return }
        let entered: RoomMessage =
            admittedTag.map { .code(.admitted(room: state.id, seat: seat, tag: $0)) }
            ?? .entered(room: state.id, seat: seat)
        actions.append(.send(entered, to: peer))
        actions.append(.send(.state(state, left: []), to: peer))
    }

    /// Where a peer that is new here may be: an open seat, or `nil` for a place to watch from.
    private func place(for peer: PeerID, _ purpose: RoomMessage.Purpose) throws(RoomRefusal) -> Int? {
        switch purpose {
        case .join: return try openSeat(for: peer)
        case .watch:
            try checkWatching(peer)
            return nil
        case .mesh: throw RoomRefusal(.notAllowed, "this is the host of \(state.name), not a guest of it")
        }
    }

    private func openSeat(for peer: PeerID) throws(RoomRefusal) -> Int {
        guard !state.banned.contains(peer) else {
            throw RoomRefusal(.banned, "the host of \(state.name) has banned you from it")
        }
        let seat = state.seats.firstIndex { $0 == nil }
        guard state.isGathering else {
            throw seat == nil
                ? full
                : RoomRefusal(.roomClosed, "a match is on in \(state.name): nobody can join until it is over")
        }
        guard !state.locked else {
            throw RoomRefusal(.roomLocked, "the host of \(state.name) lets nobody in at the moment")
        }
        guard let seat else { throw full }
        return seat
    }

    private var full: RoomRefusal {
        RoomRefusal(.roomFull, "\(state.name) is full (\(state.taken) of \(state.seats.count))")
    }

    mutating func lose(_ peer: PeerID, at now: Tick) {
        codeTries[peer] = nil
        guard let seat = state.seat(of: peer), peer != me else { return }
        state.seats[seat]?.away = true
        state.seats[seat]?.ready = false
        state.seats[seat]?.rematch = false
        awaySince[peer] = awaySince[peer] ?? now
    }

    mutating func regain(_ peer: PeerID) {
        guard let seat = state.seat(of: peer) else { return }
        state.seats[seat]?.away = false
        awaySince[peer] = nil
    }

    mutating func remove(_ peer: PeerID, reason: String) {
        codeTries[peer] = nil
        state.watchers.removeAll { $0.peer == peer }
        guard let seat = state.seat(of: peer), peer != me else { return }
        departures.append(RoomDeparture(seat: seat, peer: peer, reason: reason))
        state.seats[seat] = nil
        awaySince[peer] = nil
    }

    private mutating func freeSeats(at now: Tick) {
        guard state.isGathering else { return }
        for player in state.seats.compactMap({ $0 }) {
            guard let since = awaySince[player.peer], since + seatWait <= now else { continue }
            remove(player.peer, reason: "lost")
        }
    }

    private mutating func close(_ reason: String, _ actions: inout [Action]) {
        closeReason = reason
        for peer in audience { actions.append(.send(.closed(room: state.id, reason: reason), to: peer)) }
    }

    private var hostName: String { state.host?.name ?? "the host" }

    // MARK: The code

    /// Whether a peer has been sent the host's share and has not confirmed yet.
    public func isTrying(_ peer: PeerID) -> Bool { codeTries[peer] != nil }

    /// Answers a peer's share with the host's, unless it could not come in with the right code either.
    ///
    /// A try that is under way already has been used.
    private mutating func prove(
        _ peer: PeerID, _ entering: (purpose: RoomMessage.Purpose, name: String, reference: RoomReference),
        _ offer: CodeOffer, at now: Tick, _ answers: inout [Action]
    ) {
        codeTries[peer] = nil
        do throws(RoomRefusal) {
            let isStranger = state.seat(of: peer) == nil
            if isStranger {
                _ = try place(for: peer, entering.purpose)
                _ = try PlayerName(entering.name)
            }
            guard let code = state.code else {
                throw RoomRefusal(.wrongCode, "\(state.name) has no code: join it without one")
            }
            if isStranger { try checkTries(of: offer.address, at: now) }
            guard
                let attempt = CodeTry(
                    code, room: state.id, guest: peer, host: me, offer, entering: entering,
                    counts: isStranger)
            else { throw RoomRefusal(.badParams, "that is no share of CPace") }
            if isStranger { tries.begin(offer.address, at: now) }
            codeTries[peer] = attempt
            let share = CodeMessage.share(room: state.id, entering.reference, share: attempt.share)
            answers.append(.send(.code(share), to: peer))
        } catch {
            answers.append(.send(.denied(entering.reference, error), to: peer))
        }
    }

    private mutating func checkTries(of address: String, at now: Tick) throws(RoomRefusal) {
        guard !tries.areUsedUp else {
            isCodeOverdue = true
            throw RoomRefusal(
                .tooManyTries,
                "Too many wrong codes were tried for \(state.name): it gets another code. "
                    + "Ask \(hostName) for that")
        }
        guard let wait = tries.wait(of: address, at: now) else { return }
        let seconds = (wait.nanoseconds + 999_999_999) / 1_000_000_000
        throw RoomRefusal(
            .tooManyTries,
            "Too many wrong codes for \(state.name) came from your address. Try again in \(seconds) s")
    }

    /// Lets a peer in whose tag is right, if there is a seat still.
    private mutating func confirm(_ peer: PeerID, _ tag: [UInt8], _ answers: inout [Action]) {
        guard let attempt = codeTries.removeValue(forKey: peer) else {
            let refusal = RoomRefusal(.wrongCode, "The code of \(state.name) is another now. \(readAgain)")
            return answers.append(.send(.denied(.id(state.id), refusal), to: peer))
        }
        guard let answer = attempt.answer(to: tag) else {
            return answers.append(.send(.denied(attempt.reference, wrong(attempt)), to: peer))
        }
        if attempt.counts { tries.takeBack(attempt.address) }
        admittedTag = answer
        enter(peer, attempt.purpose, attempt.name, attempt.reference, &answers)
    }

    private func wrong(_ attempt: CodeTry) -> RoomRefusal {
        let text = "That code is not right for \(state.name)."
        guard attempt.counts else {
            return RoomRefusal(.wrongCode, "\(text) You have a seat there: join without a code")
        }
        let left = tries.left(to: attempt.address)
        let more =
            left == 0
            ? "From now on one try a minute is possible."
            : "\(left) \(left == 1 ? "try" : "tries") left, then one a minute."
        return RoomRefusal(.wrongCode, "\(text) \(more) \(readAgain)")
    }

    private var readAgain: String {
        "Ask \(hostName) to read it again (\(Limits.codeCharacters) characters)"
    }

    /// Whoever tries at the moment may have the right code, and is waited for until the next one comes.
    private mutating func askForCodeIfDue(_ actions: inout [Action]) {
        guard !isClosed, !awaitsCode, tries.areUsedUp,
            isCodeOverdue || codeTries.values.allSatisfy({ !$0.counts })
        else { return }
        awaitsCode = true
        actions.append(.makeCode)
    }

    private mutating func replaceCode(_ code: RoomCode, _ actions: inout [Action]) {
        guard awaitsCode else { return }
        awaitsCode = false
        isCodeOverdue = false
        state.code = code
        codeTries = [:]
        tries.restart()
        actions.append(.notice(.codeReplaced))
    }

    // MARK: What members want

    private mutating func perform(
        _ request: RoomRequest, by peer: PeerID, at now: Tick, _ actions: inout [Action]
    ) -> RoomRefusal? {
        guard let seat = state.seat(of: peer) else {
            if state.isWatching(peer) { return performForWatcher(peer, request) }
            return RoomRefusal(.notInRoom, "you are not in \(state.name)")
        }
        switch request {
        case .ready(let ready):
            guard state.isGathering else { return RoomRefusal(.busy, "a match is on in \(state.name)") }
            if peer != me { state.seats[seat]?.ready = ready }
            return nil
        case .start: return peer == me ? start(&actions) : notHost("start a match")
        case .rematch: return rematch(seat)
        case .lock(let locked):
            guard peer == me else { return notHost("lock the room") }
            state.locked = locked
            return nil
        case .kick(let target, let ban):
            return peer == me ? kick(target, ban: ban, &actions) : notHost("remove players")
        case .watchers(let allowed):
            return peer == me ? setWatchable(allowed, &actions) : notHost("say who may watch")
        case .kickWatcher(let target, let ban):
            return peer == me ? kickWatcher(target, ban: ban, &actions) : notHost("remove watchers")
        case .say(let text): return say(text, by: peer, seat, at: now, &actions)
        case .leave:
            if peer == me {
                close("host-closed", &actions)
            } else {
                remove(peer, reason: "left")
            }
            return nil
        }
    }

    private func notHost(_ what: String) -> RoomRefusal {
        RoomRefusal(.notHost, "only the host, \(state.host?.name ?? "somebody else"), may \(what)")
    }

    /// How many players a match needs; one alone only in a room that has no place for another.
    private var least: Int {
        let least = Catalog.rules(state.game)?.declaration.seats.lowerBound ?? Limits.seatsMax
        return max(least, min(state.seats.count, 2))
    }

    private mutating func start(_ actions: inout [Action]) -> RoomRefusal? {
        guard state.isGathering else { return RoomRefusal(.busy, "a match is on in \(state.name)") }
        guard state.taken >= least else {
            return RoomRefusal(
                .notEnoughPlayers,
                "\(state.game) needs at least \(least) players; only \(state.taken) "
                    + "\(state.taken == 1 ? "is" : "are") here")
        }
        let waiting = state.seats.compactMap { $0 }.filter { $0.peer != me && (!$0.ready || $0.away) }
        guard waiting.isEmpty else {
            return RoomRefusal(.notReady, "not ready yet: \(waiting.map(\.name).joined(separator: ", "))")
        }
        begin(&actions)
        return nil
    }

    private mutating func begin(_ actions: inout [Action]) {
        // The first seat of a match is its first sequencer.
        let others = state.seats.indices.filter { $0 != state.hostSeat }.compactMap { state.seats[$0] }
        let players = [state.seats[state.hostSeat]] + others
        self.players = Set(players.compactMap { $0?.peer })
        state.seats = players + Array(repeating: nil, count: state.seats.count - players.count)
        state.hostSeat = 0
        state.phase = .drawing
        for seat in state.seats.indices { state.seats[seat]?.rematch = false }
        actions.append(.beginMatch)
    }

    private mutating func rematch(_ seat: Int) -> RoomRefusal? {
        guard state.phase == .finished else {
            return RoomRefusal(.notAllowed, "there is no finished match in \(state.name) to play again")
        }
        guard state.taken >= least else {
            return RoomRefusal(.notEnoughPlayers, "\(state.game) needs at least \(least) players")
        }
        state.seats[seat]?.rematch = true
        return nil
    }

    /// The last vote that lacked may have come, or whoever had not voted may have gone.
    private mutating func beginIfAllVoted(_ actions: inout [Action]) {
        guard !isClosed, state.phase == .finished, state.taken >= least,
            state.seats.compactMap({ $0 }).allSatisfy({ $0.rematch && !$0.away })
        else { return }
        begin(&actions)
    }

    private mutating func kick(_ seat: Int, ban: Bool, _ actions: inout [Action]) -> RoomRefusal? {
        guard state.seats.indices.contains(seat), let player = state.seats[seat] else {
            return RoomRefusal(.badParams, "nobody sits in seat \(seat)")
        }
        guard player.peer != me else {
            return RoomRefusal(.notAllowed, "the host cannot remove itself; leave closes the room")
        }
        if ban, let refusal = checkBan() { return refusal }
        if !state.isGathering { actions.append(.kickFromMatch(seat: seat)) }
        if ban { state.banned.append(player.peer) }
        actions.append(.send(.closed(room: state.id, reason: "kicked"), to: player.peer))
        remove(player.peer, reason: "kicked")
        return nil
    }

    private mutating func setOptions(_ given: [Value.Member], _ actions: inout [Action]) -> RoomRefusal? {
        guard state.isGathering else { return RoomRefusal(.busy, "a match is on in \(state.name)") }
        guard let declaration = Catalog.rules(state.game)?.declaration else {
            return RoomRefusal(.badParams, "the game '\(state.game)' is not known here")
        }
        do throws(Refusal) {
            let kept = state.options.values.filter { old in !given.contains { $0.name == old.name } }
            state.options = try GameOptions(declaration, given: kept + given)
            let isAboutWatching = given.contains { $0.name == "watchers" }
            return isAboutWatching ? setWatchable(state.options.bool("watchers"), &actions) : nil
        } catch {
            return RoomRefusal(.badParams, error.message)
        }
    }

    // MARK: Matches

    private mutating func endMatch(_ outcomes: [Outcome], at now: Tick) {
        guard !state.isGathering else { return }
        state.phase = outcomes.isEmpty ? .lobby : .finished
        keepOptionOfWatching()
        for seat in state.seats.indices {
            guard let player = state.seats[seat] else { continue }
            state.seats[seat]?.ready = player.peer == me
            state.seats[seat]?.rematch = false
            if player.away { awaySince[player.peer] = now }
            if outcomes.indices.contains(seat), outcomes[seat] == .won || outcomes[seat] == .first {
                state.seats[seat]?.wins += 1
            }
        }
    }
}

extension RoomState {
    /// The name, or the name with the first free number behind it.
    func uniqueName(_ name: String) -> String {
        let taken = seats.compactMap { $0?.name } + watchers.map(\.name)
        guard taken.contains(name) else { return name }
        for number in 2...(taken.count + 2) {
            let suffix = " \(number)"
            let numbered = PlayerName.cut(name, for: suffix) + suffix
            if !taken.contains(numbered) { return numbered }
        }
        return name
    }
}
