internal import ParlorControl
internal import ParlorCrypto
internal import ParlorGames
internal import ParlorNet
internal import ParlorProtocol
internal import ParlorViews

/// What the rooms of one daemon share.
struct RoomContext {
    let loop: EventLoop
    let hub: LinkHub
    let journal: EventJournal
    let requests: RequestNumbers
    let archive: MatchArchive
    /// The lists of words on this machine.
    let words: WordLibrary
    let identity: [UInt8]
    let signer: Signer
    /// Says that what is advertised of a hosted room has changed.
    let advertise: (Room) -> Void
    /// Says that a room that was hosted here is hosted by another peer now, and this daemon its guest.
    let yielded: (Room) -> Void
    /// Says that what is kept of a room for the next start may have changed.
    let changed: (Room) -> Void
    /// Says that a room is no more, so that nothing refers to it any longer.
    let closed: (Room) -> Void
    /// Makes a match of a room go on that this daemon has stored; `nil` where it has none.
    let resume: (MatchID, RoomState) -> MatchDriver?
    /// Keeps a match that was begun.
    let keep: (any MatchCopy) -> Void
    /// Takes what a match that has ended gives.
    let ended: (any MatchCopy) -> Void
    /// Closes the link to a peer unless a room needs it.
    let release: (PeerID) -> Void
}

/// A room this daemon is in, whoever hosts it.
///
/// Its ``part`` says what this daemon does in it, and changes when the room changes hands.
final class Room {
    let context: RoomContext
    private var current: RoomPart?
    private(set) var match: MatchDriver?
    private(set) var isClosed = false
    /// Whether its host has closed it for everybody.
    private(set) var isClosedByHost = false
    let channels: RoomChannels
    private var waiting: [RequestID: (RoomRefusal?) -> Void] = [:]
    private var timer: LoopTimer?
    private var reach: RoomReach?
    /// Where the choices of bots come from; by chance where it is not set.
    var botSeed: UInt64?
    /// The programs that play bots here, by the number that the room has for the bot; forgotten with the
    /// daemon.
    var botPrograms: [PeerID: String] = [:]

    /// Makes a room with what this daemon does in it.
    init(_ context: RoomContext, part: (Room) -> RoomPart) {
        self.context = context
        let journal = context.journal
        channels = RoomChannels(
            loop: context.loop, me: context.signer.peer, backlog: { journal.backlog })
        timer = context.loop.timer { [weak self] in self?.part.deadlinePassed() }
        channels.handlers = RoomChannels.Handlers(
            send: { [weak self] body, peer in self?.part.send(body, to: peer) },
            message: { [weak self] peer, data, mode, isRelayed in
                self?.tell(message: data, from: peer, mode, isRelayed)
            })
        current = part(self)
    }

    /// What this daemon does in the room.
    var part: RoomPart {
        guard let current else { preconditionFailure("a room has its part as soon as it is made") }
        return current
    }
    /// The same where it hosts the room.
    var hosted: HostedRoom? { part as? HostedRoom }
    /// The same where it is a guest.
    var joined: JoinedRoom? { part as? JoinedRoom }
    /// The same where it looks on.
    var watched: WatchedRoom? { part as? WatchedRoom }

    /// Does something else in the room from now on.
    func change(to part: RoomPart) {
        current?.retire()
        current = part
        for player in state.people.compactMap({ $0 }) { channels.wayChanged(to: player.peer) }
        reach?.feed(.host(part.host))
        linesChanged()
        context.changed(self)
    }

    /// The room as it is now.
    var state: RoomState { part.state }
    /// Whether this daemon hosts it.
    var isHost: Bool { part is HostedRoom }
    /// What this daemon is in it.
    var role: RoomRole { part.role }
    /// The newest match, as this daemon has it; `nil` before the first.
    var copy: (any MatchCopy)? { part.copy ?? match }
    /// The way that messages to a member take; `nil` when it cannot be reached.
    func path(to peer: PeerID) -> ChannelPath? { part.path(to: peer) }

    // MARK: Common to all

    var id: RoomID { state.id }
    var me: PeerID { context.signer.peer }
    var mySeat: Int? { state.seat(of: me) }
    var now: Tick { Tick(nanoseconds: context.loop.now) }

    /// Does what the own player wants.
    func request(_ request: RoomRequest, done: @escaping (RoomRefusal?) -> Void) {
        let id = context.requests.next()
        waiting[id] = done
        part.ask(id, request)
    }

    /// Remembers who waits for an answer that the machine gives to this ID.
    func wait(_ done: @escaping (RoomRefusal?) -> Void) -> RequestID {
        let id = context.requests.next()
        waiting[id] = done
        return id
    }

    /// Answers whoever waits.
    func reply(_ id: RequestID, _ refusal: RoomRefusal?) { waiting.removeValue(forKey: id)?(refusal) }

    /// Sets or clears the moment of ``deadlinePassed()``.
    func arm(_ tick: Tick?) { timer?.set(at: tick?.nanoseconds) }

    /// Leaves the match that is on, if it is, then the room.
    func leave(done: @escaping (RoomRefusal?) -> Void) {
        guard let match, !match.isOver, match.machine.accepted.seats[match.machine.seat].status != .left
        else {
            return request(.leave, done: done)
        }
        // What the match still has to send goes first.
        match.leave { [self] _ in context.loop.atTurnEnd { [self] in request(.leave, done: done) } }
    }

    /// The room is no more for this daemon; `isLeft` unless a match that is on goes on without it, to be come
    /// back to.
    func close(_ reason: String, isLeft: Bool = true) {
        guard !isClosed else { return }
        isClosed = true
        isClosedByHost = reason == "host-closed"
        part.retire()
        reach?.close()
        if isLeft, !isHost, reason != "left", reason != "kicked" { match?.feed(.sequencerLost) }
        // A host that ends comes back to a match that is on.
        if isLeft, !isHost || reason != "shutting-down" { match?.leaveBehind() }
        match?.retire()
        channels.close()
        timer?.close()
        let refusal = RoomRefusal(.roomClosed, "\(state.name) is closed")
        let left = waiting.values
        waiting = [:]
        for done in left { done(refusal) }
        var fields = [JSON.Member("reason", .string(reason))]
        if !isLeft || isHost, reason == "shutting-down" { fields.append(JSON.Member("here", .bool(true))) }
        emit(.roomClosed, fields)
        context.closed(self)
    }

    /// Begins a match, or takes part in one that is on; goes on from what is stored of it here.
    ///
    /// Where nothing is though it is not new, this peer may have taken part before.
    func begin(_ genesis: Genesis, seat: Int, isNew: Bool) {
        if let driver = context.resume(genesis.match, state) { return take(driver) }
        guard let words = context.words.list(of: genesis) else { return }
        let machine = MatchMachine(
            genesis, seat: seat, words: words, signer: context.signer, signing: .ed25519,
            identity: context.identity, secret: Entropy.bytes(SeatVault.secretBytes), isNew: isNew,
            now: now)
        let driver = MatchDriver(
            machine, record: nil, room: id, roomName: state.name, context: context)
        context.keep(driver)
        take(driver)
    }

    /// Takes part in a match with a machine that was made for it or read back.
    func take(_ driver: MatchDriver) {
        match?.retire()
        driver.delay = { [weak self] in self?.delay() ?? 0 }
        driver.clocks = { [weak self, weak driver] in
            guard let self, let driver else { return [] }
            return driver.machine.accepted.genesis.seats.map { self.context.hub.link(to: $0.peer)?.seatClock }
        }
        driver.handlers = MatchDriver.Handlers(
            send: { [weak self] message, seat in self?.send(message, to: seat) },
            notice: { [weak self, weak driver] notice in
                guard let self, let driver else { return }
                self.happened(notice, driver)
            },
            botFailed: { [weak self] seat, why in self?.botFailed(seat, why) })
        driver.play { [weak self] in self?.bots ?? (BotSeats(levels: [:], seed: 0), [:]) }
        match = driver
        reach?.close()
        reach = RoomReach(self, driver)
        setPace(.match)
        driver.feed(.begin)
    }

    /// The bots of the match, and the programs that play some of them.
    private var bots: (seats: BotSeats, programs: [Int: String]) {
        var levels: [Int: BotSkill] = [:]
        var programs: [Int: String] = [:]
        for (seat, player) in state.seats.enumerated() {
            guard let player, let skill = player.bot else { continue }
            levels[seat] = skill
            programs[seat] = botPrograms[player.peer]
        }
        let chance = Entropy.bytes(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        let seats = BotSeats(levels: levels, external: Set(programs.keys), seed: botSeed ?? chance)
        return (seats, programs)
    }

    private func botFailed(_ seat: Int, _ why: String) {
        guard let match else { return }
        let name = match.accepted.genesis.seats[seat].name
        let text = "\(name) plays on by itself: \(why)"
        Log.say("\(state.name): \(text)")
        let fields = [JSON.Member("match", .string("\(match.match)")), JSON.Member("seat", .int(seat))]
        emit(.error, fields + reasonFields("bot-failed", text))
    }

    /// The way to a peer of the match; `nil` when none works.
    func way(to peer: PeerID) -> PeerID? { reach?.way(to: peer) }

    /// Says what has become of the ways to peers of the match.
    func reachFeed(_ input: Reach.Input) { reach?.feed(input) }

    /// A link is another now, in whatever way.
    func lineChanged(to peer: PeerID) { reach?.feed(.line(peer, line(to: peer))) }

    /// Links may be others now: that of a host or a member counts only while it is here.
    func linesChanged() {
        for seat in match?.machine.accepted.genesis.seats ?? [] { lineChanged(to: seat.peer) }
    }

    /// The match has another sequencer, and the room another host with it.
    private func sequencerChanged(to seat: Int) {
        guard let match, let peer = peer(of: seat), !match.isOver else { return }
        part.sequencerChanged(to: peer)
    }

    /// A link to a member has come up: it has to be as lively as the others.
    func joinPace(_ peer: PeerID) {
        if let match, !match.isOver { context.hub.link(to: peer)?.setPace(.match) }
    }

    private func delay() -> Int {
        state.seats.compactMap { $0 }.compactMap { context.hub.link(to: $0.peer)?.delayMilliseconds }.max()
            ?? 0
    }

    /// Makes links as lively as a match needs them, or as calm as they are outside of one.
    func setPace(_ pace: LinkPace) {
        for peer in part.lively { context.hub.link(to: peer)?.setPace(pace) }
    }

    /// Something happened in the newest match.
    func happened(_ notice: MatchNotice, _ driver: any MatchCopy) {
        if case .ended = notice { setPace(.idle) }
        part.matchNotice(notice)
        tell(notice, driver)
        if case .ended = notice { context.ended(driver) }
        if case .sequencerChanged(let seat) = notice { sequencerChanged(to: seat) }
    }

    // MARK: Events

    /// Tells subscribers something about this room.
    func emit(_ type: EventType, _ fields: [JSON.Member] = []) {
        context.journal.emit(type, [JSON.Member("room", .string("\(id)"))] + fields)
    }

    /// Tells subscribers what went wrong.
    func emitProblem(_ reason: String, _ message: String) { emit(.error, reasonFields(reason, message)) }

    /// Tells subscribers what happened in the room.
    func tell(_ notice: RoomNotice) {
        switch notice {
        case .seatTaken(let seat): emit(.seatTaken, seatFields(seat))
        case .seatLeft(let departure):
            emit(
                .seatLeft,
                [JSON.Member("seat", .int(departure.seat)), JSON.Member("reason", .string(departure.reason))])
        case .seatAway(let seat): emit(.seatAway, seatFields(seat))
        case .seatBack(let seat): emit(.seatBack, seatFields(seat))
        case .seatReady(let seat, let ready):
            emit(.seatReady, seatFields(seat) + [JSON.Member("ready", .bool(ready))])
        case .updated: emit(.roomUpdated)
        case .codeReplaced:
            let text =
                "\(Limits.codeTriesMax) wrong codes were tried for \(state.name): it has another code now, "
                + (state.code?.text ?? "")
            emit(.error, reasonFields("too-many-tries", text))
        case .say(let from, let name, let text):
            let player = PlayerInfo(id: "\(from)", name: name)
            emit(.say, [JSON.Member("from", JSON(encoding: player)), JSON.Member("text", .string(text))])
        }
    }

    private func tell(message data: [UInt8], from peer: PeerID, _ mode: ChannelMode, _ isRelayed: Bool) {
        let name = state.seats.compactMap { $0 }.first { $0.peer == peer }?.name ?? ""
        var fields = [
            JSON.Member("from", JSON(encoding: PlayerInfo(id: "\(peer)", name: name))),
            JSON.Member("mode", .string(mode.rawValue)), JSON.Member("data", .string(Base64.encode(data))),
        ]
        if isRelayed { fields.append(JSON.Member("relayed", .bool(true))) }
        emit(.message, fields)
    }

    private func seatFields(_ seat: Int) -> [JSON.Member] {
        var fields = [JSON.Member("seat", .int(seat))]
        if let player = state.seats.indices.contains(seat) ? state.seats[seat] : nil {
            fields.append(
                JSON.Member("player", JSON(encoding: PlayerInfo(player, in: state))))
        }
        return fields
    }

    private func tell(_ notice: MatchNotice, _ driver: any MatchCopy) {
        let match = [JSON.Member("match", .string("\(driver.match)"))]
        switch notice {
        case .drawNumber(let seat, let number, let round):
            emit(
                .drawNumber,
                match + [
                    JSON.Member("seat", .int(seat)), JSON.Member("number", .int(number)),
                    JSON.Member("round", .int(round)),
                ])
        case .drawDecided(let first): emit(.drawDecided, match + [JSON.Member("first", .int(first))])
        case .started: emit(.matchStarted, match)
        case .changed(let entry, let what):
            // What "reveal" says outside is that a card shows; the entry of that name belongs to the draw.
            let word = what == "reveal" ? "draw-reveal" : what
            emit(.matchChanged, match + changeFields(driver, entry: entry, what: word))
        case .revealed:
            emit(
                .matchChanged,
                match + standFields(driver, what: "reveal"))
        case .away(let seat, withheld: false): emit(.seatAway, match + seatFields(seat))
        case .away(let seat, withheld: true):
            let text = ParlorProtocol.MatchState.Seat.Departure.warning(name(seat, driver))
            emit(.seatAway, match + seatFields(seat) + whyFields("withheld", text))
        case .back(let seat): emit(.seatBack, match + seatFields(seat))
        case .left(let seat, let departure):
            let reason = JSON.Member("reason", .string(LeaveReason(departure).rawValue))
            let text = "\(name(seat, driver)) is out of this match: \(departure.why(mine: false))"
            emit(
                .seatLeft, match + seatFields(seat) + [reason] + whyFields(departure.rawValue, text))
        case .ended(let outcomes):
            emit(
                .matchEnded, match + [JSON.Member("outcomes", .array(outcomes.map { .string($0.rawValue) }))])
        case .refused(let refusal):
            emit(.matchRefused, match + reasonFields(refusal.reason.rawValue, refusal.message))
        case .sequencerChanged(let seat):
            let player = driver.accepted.genesis.seats[seat]
            let info = PlayerInfo(id: "\(player.peer)", name: player.name)
            emit(.sequencerChanged, match + [JSON.Member("peer", JSON(encoding: info))])
        case .paused: emit(.matchChanged, match + standFields(driver, what: "paused"))
        case .goesOn: emit(.matchChanged, match + standFields(driver, what: "resumed"))
        case .fault(let misdeed):
            let fields = [
                JSON.Member("seat", .int(misdeed.seat)), JSON.Member("kind", .string(misdeed.kind.word)),
            ]
            emit(.error, match + reasonFields("protocol-violation", misdeed.message) + fields)
        case .desync(let seat, let entry):
            let text = "seat \(seat) has another state than this machine after entry \(entry) of the same log"
            emit(.error, match + reasonFields("desync", text))
        case .violation(let text): emit(.error, match + reasonFields("protocol-violation", text))
        }
    }

    private func name(_ seat: Int, _ driver: any MatchCopy) -> String {
        driver.accepted.genesis.seats[seat].name
    }

    /// What has become of a seat in a match: a stable word, and a text for people.
    private func whyFields(_ why: String, _ message: String) -> [JSON.Member] {
        [JSON.Member("why", .string(why)), JSON.Member("message", .string(message))]
    }

    private func reasonFields(_ reason: String, _ message: String) -> [JSON.Member] {
        [JSON.Member("reason", .string(reason)), JSON.Member("message", .string(message))]
    }

    private func standFields(_ driver: any MatchCopy, what: String) -> [JSON.Member] {
        changeFields(driver, entry: driver.acceptedCount - 1, what: what)
    }

    private func changeFields(_ driver: any MatchCopy, entry: Int, what: String) -> [JSON.Member] {
        let turn = driver.accepted.game?.turn ?? []
        return [
            JSON.Member("entry", .int(entry)), JSON.Member("turn", .array(turn.map { .int($0) })),
            JSON.Member("what", .string(what)),
        ]
    }
}
