public import ParlorGames

/// One seat's part in one match: proposes, stores, accepts, and, where it is the sequencer, orders.
///
/// A value without I/O: time and messages come in, actions go out in order. See PROTOCOL.md, "Match log".
public struct MatchMachine: Sendable {
    /// What may happen to it.
    public enum Input: Sendable {
        /// The match begins, or this peer has just learnt of it. Once, first.
        case begin
        /// A seat's machine sent something.
        case received(MatchMessage, from: Int)
        /// The same, as another seat passed it on: it may be that one's invention, so that what nobody signed
        /// is held against nobody.
        case relayed(MatchMessage, from: Int)
        /// The player of this seat does something; the answer comes as ``Action/reply(_:_:)``.
        case act(RequestID, Value)
        /// A bot that this peer drives does something; the answer comes as ``Action/reply(_:_:)``.
        case actFor(RequestID, seat: Int, Value)
        /// The player of this seat leaves the match.
        case leave(RequestID)
        /// A seat counts as lost, after ``Limits/lostWaitInMatch`` or its goodbye, or is here again.
        case presence(seat: Int, here: Bool)
        /// The host removes a seat; for the sequencer.
        case kick(seat: Int)
        /// The room is no more and nobody takes over: this peer ends its copy alone.
        case sequencerLost
        /// The moment of ``Action/arm(_:)`` has come. Called early it does no harm.
        case deadlinePassed
    }

    /// What the driver has to do.
    public enum Action: Hashable, Sendable {
        /// Send to one seat's machine.
        case send(MatchMessage, to: Int)
        /// Send to every other seat's machine.
        case broadcast(MatchMessage)
        /// Answer a request: the index of the entry, or why not.
        case reply(RequestID, Result<Int, MatchRefusal>)
        /// Write it down; what comes after may have to wait for that, see ``StoreStep``.
        case store(StoreStep)
        /// Show what happened.
        case notice(MatchNotice)
        /// Call with ``Input/deadlinePassed`` then; `nil`: not at all.
        case arm(Tick?)
    }

    /// This peer's seat.
    public let seat: Int
    /// The log as stored here; its last entries may not be accepted yet.
    public internal(set) var log: MatchLog
    /// The state after the last accepted entry: what may be shown.
    public internal(set) var accepted: MatchState {
        didSet { owesNothing = false }
    }
    /// How many entries are accepted.
    public internal(set) var acceptedCount = 0
    /// Half the largest round trip to any seat in milliseconds, as the links measure it; set by the driver.
    public var delay = 0

    /// What the links to the other seats say of their clocks, by seat, `nil` for one that is not known; set
    /// by the driver before each input.
    public var clocks: [SeatClock?] = []

    /// What hardly an input asks for more of: to grow a list of actions bit by bit costs more than to have
    /// this room from the start.
    private static let actionsMostly = 8

    let signer: Signer
    let identity: [UInt8]
    var vault: SeatVault
    /// The seats that bots play, whoever drives them.
    let bots: [Int]
    /// The vaults of the bots that this peer drives, or drove.
    var botVaults: [Int: SeatVault] = [:]
    /// The states after the entries that are stored and not accepted.
    var snapshots: [MatchState] = []
    /// Which seats have stored the entries that are not accepted.
    var storedBy: [SeatSet] = []
    /// What seats said they have stored beyond the end of this log, by seat.
    var storedEarly: [Int: (index: Int, hash: [UInt8])] = [:]
    var stateHashes: [Int: [UInt8]] = [:]
    var pending: [PendingProposal] = []
    /// The counters of the last proposals that were signed here, by seat.
    var counters: [Int]
    var sequencerCounter = -1
    /// Proposals that wait to be sequenced here.
    var queue: [Proposal] = []
    /// When calls came that are in the queue.
    var arrivals: [ArrivedCall] = []
    /// The calls that are gathered here, as the sequencer.
    var window: CallWindow?
    /// Where the sequencer of an epoch says that its match clock began, in microseconds of its monotonic
    /// clock.
    var sequencerZero: (seat: Int, epoch: Int, zero: Int)?
    var kicks: [Int] = []
    var here: [Bool]
    /// The seats that were told to be away while the match waits, which the log does not say.
    var toldAway = SeatSet()
    /// Since when each seat is heard without a break.
    var heardSince: [Tick]
    /// What each seat said last of whom it hears; `nil`: everybody.
    var reports: [Hearing?]
    /// When each seat said that.
    var reportedAt: [Tick]
    var lastReport: Hearing
    /// Links of the joint draw that is on and of the next one: others may have seen it begin first.
    var links: [(draw: Int, link: SeatLink, since: Tick)] = []
    var linkSentFor = 0
    /// When the joint draw that is on was accepted here, and whether its links were passed on.
    var drawSince: (draw: Int, at: Tick, isPassedOn: Bool)?
    /// Whether it is known that this peer's own seat owes nothing by what is accepted.
    var owesNothing = false
    /// The count of entries at which a duty of a seat was refused: it is tried again once there are more.
    var dutyRefusedAt: [Int: Int] = [:]
    var clock: MatchClock
    var revealAt: Int?
    var isStopped = false
    var unacceptedSince: Tick?
    /// Since when this sequencer hears too few for a quorum.
    var lonelySince: Tick?
    /// What the driver was last asked for.
    var armed: Tick?
    /// The end of the last time in which nobody could answer: this machine slept, or entries lacked their
    /// quorum.
    var heldUpUntil = 0
    var election: Election
    /// Seats that broke the protocol: their entries and votes count for nothing here any more.
    var distrusted = SeatSet()
    /// Where the log may begin to differ from that of others, as long as no other sequencer is followed.
    var forkedFrom: Int?
    /// What is to be shown in the log once somebody orders it.
    var misdeeds: [Misdeed] = []
    /// What stands in the log of it already.
    var shown: [(seat: Int, kind: Misdeed.Kind)] = []
    /// Entries of the sequencer that this seat does not store, for the moment.
    var held: HeldEntries?
    /// The state before this copy's end, where that was `alone`.
    var beforeAlone: MatchState?
    var isPaused = false
    /// Whether what is being taken in came by another seat.
    var isRelayed = false
    /// When the last entry was stored here.
    var storedAt: Tick
    var storedAccepted = 0
    /// How often each seat was sent what it lacks, in the second that began then.
    var answered: [Int: (count: Int, since: Tick)] = [:]

    /// Makes the machine of a seat that knows nothing but how the match begins.
    ///
    /// - Parameters:
    ///   - genesis: What the match begins with.
    ///   - seat: This peer's seat.
    ///   - words: The agreed word list.
    ///   - signer: Signs for the peer of that seat.
    ///   - signing: How signatures are checked.
    ///   - identity: A secret of the peer that outlives its process; seals ``SeatVault``.
    ///   - secret: 32 unpredictable bytes, fresh for this match.
    ///   - isNew: Whether the match begins only now. A peer that may have taken part before, and has lost
    ///     what it stored, says no: it votes and orders nothing until it has what the others have.
    ///   - now: The moment; the sequencer's match clock begins here.
    public init(
        _ genesis: Genesis, seat: Int, words: WordList, signer: Signer, signing: Signing, identity: [UInt8],
        secret: [UInt8], isNew: Bool = true, now: Tick
    ) {
        precondition(
            genesis.seats.indices.contains(seat), "no seat \(seat) in a match of \(genesis.seats.count)")
        self.seat = seat
        self.signer = signer
        self.identity = identity
        log = MatchLog(genesis, words: words, signing: signing)
        accepted = log.state
        vault = SeatVault(seat: seat, match: genesis.match, secret: secret)
        bots = genesis.seats.indices.filter { genesis.seats[$0].bot }
        counters = Array(repeating: -1, count: genesis.seats.count)
        here = Array(repeating: true, count: genesis.seats.count)
        // A match begins with everybody there, so that each is heard well from the start.
        let well = UInt64(Limits.heardMilliseconds) * 1_000_000
        let since = isNew ? Tick(nanoseconds: now.nanoseconds - min(now.nanoseconds, well)) : now
        heardSince = Array(repeating: since, count: genesis.seats.count)
        reports = Array(repeating: nil, count: genesis.seats.count)
        reportedAt = Array(repeating: now, count: genesis.seats.count)
        lastReport = Hearing(seats: Array(genesis.seats.indices))
        clock = MatchClock(startedAt: now)
        storedAt = now
        election = Election(isCaughtUp: isNew)
        if !isNew { clock.loosen(at: now) }
        openBotVaults()
    }

    /// Makes the machine of a seat that goes on from what its peer has stored.
    ///
    /// The parameters are those of ``init(_:seat:words:signer:signing:identity:secret:isNew:now:)``; the
    /// secret is used only where the log holds none of this seat.
    /// - Throws: ``LogFault`` when what is stored is no log.
    public init(
        _ record: MatchRecord, seat: Int, words: WordList, signer: Signer, signing: Signing,
        identity: [UInt8], secret: [UInt8], now: Tick
    ) throws(LogFault) {
        self.init(
            record.genesis, seat: seat, words: words, signer: signer, signing: signing, identity: identity,
            secret: secret, now: now)
        for entry in record.entries {
            try log.append(entry)
            if log.entries.count <= record.acceptedCount {
                if log.state.endedAlone { beforeAlone = accepted }
                accepted = log.state
                acceptedCount += 1
            } else {
                snapshots.append(log.state)
                storedBy.append([seat])
            }
            noteStateHash(at: entry.index)
        }
        storedAccepted = acceptedCount
        let sealed = log.state.seats[seat].vault
        if let old = SeatVault(seat: seat, match: match, sealed: sealed, identity: identity) { vault = old }
        botVaults = [:]
        openBotVaults()
        for seat in counters.indices {
            counters[seat] = log.state.counter(of: .seat(seat)) + Limits.counterGap
        }
        election.promised = max(record.promisedEpoch, log.state.epoch)
        isStopped = accepted.phase == .ended
        // What was acknowledged beyond such an end is not on the disk any more.
        if accepted.endedAlone { election.forgotten = (election.promised, .max) }
        if let open = accepted.openDraw { drawSince = (open.draw, now, false) }
        if let last = log.entries.last { clock.anchor(last.time, at: now) }
        clock.loosen(at: now)
    }

    /// Whether this peer orders the entries.
    public var isSequencer: Bool {
        log.state.sequencer == seat && election.promised == tailEpoch && !election.isDeposed
            && election.isCaughtUp
    }
    /// The match's ID.
    public var match: MatchID { log.match }
    /// The moment on the match clock, milliseconds, as this peer estimates it.
    public func time(at now: Tick) -> Int { clock.time(at: now) }
    /// This seat's secrets for the game.
    public var secrets: SeatSecrets { secrets(of: vault) }
    /// The bots that this peer plays at the moment, lowest first.
    public var drivenBots: [Int] {
        guard !bots.isEmpty, isSequencer, log.state.seats[seat].status != .left else { return [] }
        return accepted.bots(drivenBy: seat).filter {
            log.state.seats[$0].status != .left && log.state.seats[$0].driver == seat
        }
    }
    /// The secrets of a bot that this peer plays; `nil` for other seats.
    public func secrets(ofBot bot: Int) -> SeatSecrets? { botVaults[bot].map { secrets(of: $0) } }
    func secrets(of vault: SeatVault) -> SeatSecrets {
        vault.secrets(boxKeys: accepted.boxKeys, former: accepted.formerBoxKeys)
    }
    /// The vault of this seat, or of a bot that this peer plays.
    func vault(of seat: Int) -> SeatVault { seat == self.seat ? vault : botVaults[seat] ?? vault }
    /// Whether the match is over for this seat's player: it has ended here, or the seat has left it.
    public var isOverHere: Bool { accepted.phase == .ended || accepted.seats[seat].status == .left }
    /// Whether the match waits for a sequencer or a quorum.
    public var isWaiting: Bool { isPaused }

    /// Takes one input and says what to do, in order.
    public mutating func handle(_ input: Input, at now: Tick) -> [Action] {
        var actions: [Action] = []
        actions.reserveCapacity(Self.actionsMostly)
        guard !isStopped else {
            handleAfterEnd(input, at: now, &actions)
            return actions
        }
        alignClock()
        if let armed, now > armed + Limits.stallMax {
            heldUpUntil = time(at: now)
            for seat in heardSince.indices { heardSince[seat] = now }
        }
        switch input {
        case .begin: if !isSequencer { begin(&actions) }
        case .received(let message, let sender): receive(message, from: sender, at: now, &actions)
        case .relayed(let message, let sender):
            isRelayed = true
            receive(message, from: sender, at: now, &actions)
            isRelayed = false
        case .act(let id, let action): act(action, id, by: seat, at: now, &actions)
        case .actFor(let id, let bot, let action): act(action, id, by: bot, at: now, &actions)
        case .leave(let id): propose(.leave, by: seat, for: id, at: now, &actions)
        case .presence(let seat, let here): setPresence(of: seat, here, at: now, &actions)
        case .kick(let seat): if isSequencer, here.indices.contains(seat) { kicks.append(seat) }
        case .sequencerLost: endAlone(at: now, &actions)
        case .deadlinePassed: break
        }
        // With every input: where there are many, the deadline itself may never be called.
        expirePending(at: now, &actions)
        noticeIdle(at: now)
        guard !isStopped else { return actions }
        progress(at: now, &actions)
        return actions
    }

    /// Asks for what is missing.
    private func begin(_ actions: inout [Action]) {
        guard log.state.sequencer != seat else {
            return actions.append(.broadcast(.want(from: log.entries.count)))
        }
        actions.append(.send(.want(from: log.entries.count), to: log.state.sequencer))
    }

    private mutating func handleAfterEnd(_ input: Input, at now: Tick, _ actions: inout [Action]) {
        switch input {
        case .act(let id, _), .actFor(let id, _, _), .leave(let id):
            actions.append(.reply(id, .failure(.match(Refusal(.matchEnded, "the match is over")))))
        case .received(let message, let sender), .relayed(let message, let sender):
            guard isOther(sender) else { return }
            if case .entries(let entries) = message {
                takeAfterEnd(entries, from: sender, at: now, &actions)
            } else {
                answerAfterEnd(message, from: sender, at: now, &actions)
            }
        case .presence(let seat, let isHere): setPresence(of: seat, isHere, at: now, &actions)
        case .begin, .kick, .sequencerLost, .deadlinePassed: break
        }
    }

    /// The end may be this copy's alone, or come from a sequencer that made two logs.
    private mutating func takeAfterEnd(
        _ entries: [Entry], from sender: Int, at now: Tick, _ actions: inout [Action]
    ) {
        if let state = beforeAlone {
            return heal(entries, from: sender, before: state, at: now, &actions)
        }
        guard !distrusted.contains(sender), !takesProof(entries, at: now, &actions) else { return }
        let rest = Array(entries.drop { log.hash(at: $0.index) == $0.hash })
        guard let first = rest.first, log.entries.indices.contains(first.index),
            showTwo(log.entries[first.index], first, at: now, &actions)
        else { return }
        leaveFork(for: rest, from: sender, at: now, &actions)
        if !isStopped { progress(at: now, &actions) }
    }

    /// Whoever lacks the last entries gets them also after the end.
    private mutating func answerAfterEnd(
        _ message: MatchMessage, from sender: Int, at now: Tick, _ actions: inout [Action]
    ) {
        switch message {
        case .want(let index): answerWant(from: index, of: sender, at: now, &actions)
        case .propose(let proposal):
            let refusal = Refusal(.matchEnded, "the match is over")
            actions.append(.send(.refuse(counter: proposal.counter, refusal), to: sender))
        case .stored(let index, let hash, let stateHash, let count, _):
            compare(index: index, hash: hash, stateHash: stateHash, of: sender, &actions)
            if index < log.entries.count - 1 || count < acceptedCount, !accepted.endedAlone {
                sendStored(to: sender, &actions)
            }
            if beforeAlone == nil, log.hash(at: index) != hash { showOwn(index, to: sender, &actions) }
            if beforeAlone != nil, index >= acceptedCount - 1, log.hash(at: index) != hash {
                actions.append(.send(.want(from: acceptedCount - 1), to: sender))
            }
        case .ask, .hearing: if !accepted.endedAlone { sendStored(to: sender, &actions) }
        case .genesis:
            if beforeAlone != nil { actions.append(.send(.want(from: acceptedCount - 1), to: sender)) }
        case .refuse, .entries, .link, .vote, .promised, .clock: break
        }
    }

    private mutating func setPresence(of seat: Int, _ isHere: Bool, at now: Tick, _ actions: inout [Action]) {
        guard isOther(seat) else { return }
        if isHere { heardSince[seat] = now }
        if seat == log.state.sequencer { clock.loosen(at: now) }
        here[seat] = isHere
        answered[seat] = nil
        guard isHere else { return }
        if isSequencer { actions.append(.send(clockMessage, to: seat)) }
        guard beforeAlone == nil else {
            return actions.append(.send(.want(from: acceptedCount - 1), to: seat))
        }
        // What was sent last may be lost.
        sendStored(to: seat, &actions)
        guard !isStopped else { return }
        if lastReport != Hearing(seats: Array(here.indices)) {
            actions.append(.send(.hearing(lastReport), to: seat))
        }
        guard seat == log.state.sequencer else { return }
        linkSentFor = 0
        drawSince?.isPassedOn = false
        actions.append(.send(.want(from: log.entries.count), to: seat))
        for waiting in pending { actions.append(.send(.propose(waiting.proposal), to: seat)) }
    }

    /// Whether a seat is that of another peer; bots say nothing by themselves.
    func isOther(_ seat: Int) -> Bool {
        log.genesis.seats.indices.contains(seat) && seat != self.seat && !log.genesis.seats[seat].bot
    }

    func sendStored(to seat: Int, _ actions: inout [Action]) {
        if let stored = lastStored { actions.append(.send(stored, to: seat)) }
    }
}

/// Why a request to a match was not done.
public enum MatchRefusal: Error, Hashable, Sendable {
    /// The match or its game says why.
    case match(Refusal)
    /// The sequencer did not answer in time.
    case timedOut
    /// Too many actions wait already.
    case busy
}

/// A proposal of this seat that is neither in the log nor refused.
struct PendingProposal: Sendable {
    let proposal: Proposal
    /// Who waits for it; `nil` for what the machine owes by itself.
    let id: RequestID?
    let deadline: Tick

    /// Whether a seat made it, and with this counter.
    func isProposal(_ counter: Int, by seat: Int) -> Bool {
        proposal.author == .seat(seat) && proposal.counter == counter
    }
}

/// Entries that are not stored for the moment, because this seat knows better.
struct HeldEntries: Sendable {
    let entries: [Entry]
    let sender: Int
    let since: Tick
    /// Whether they came when they were made.
    let isLive: Bool
}

/// A peer's estimate of the match clock: the sequencer's milliseconds since the match began.
struct MatchClock: Sendable {
    /// Match time is the monotonic clock in milliseconds plus this.
    private var offset: Int
    /// How far the estimate was put forward since it was anchored, in milliseconds.
    private(set) var raised = 0
    /// Since when it is not known where the sequencer's clock stands; `nil` while it is.
    private var looseSince: Tick?
    private var hasHeard = false
    /// When the estimate was begun anew with an entry that may have been held up for long.
    private var looselyAnchoredAt: Tick?
    /// The same as the offset, by the clock of the link to the sequencer; `nil` where it says nothing.
    private var aligned: Int?
    /// What the clock of the link says, whether or not it fits the entries.
    private var said: Int?

    init(startedAt tick: Tick) { offset = -Self.milliseconds(tick) }

    func time(at now: Tick) -> Int { max(0, Self.milliseconds(now) + best) }

    func tick(at time: Int) -> Tick { Tick(nanoseconds: UInt64(max(0, time - best)) * 1_000_000) }

    /// The clock is not behind the times of entries, whatever the link says.
    private var best: Int { max(offset, aligned ?? offset) }

    /// When the match clock began, in microseconds on this machine's monotonic clock.
    var zeroMicroseconds: Int { -offset * 1_000 }

    /// Takes what the link to the sequencer says of the match clock, unless that cannot be.
    ///
    /// - Parameters:
    ///   - nanoseconds: Match time minus this machine's clock; `nil`: nothing is known.
    ///   - error: By how many milliseconds it may be wrong.
    ///   - delay: How many milliseconds an entry may have taken to come here.
    mutating func align(_ nanoseconds: Int64?, within error: Int, delay: Int) {
        said = nanoseconds.map { Int(clamping: $0 / 1_000_000 - ($0 % 1_000_000 < 0 ? 1 : 0)) }
        aligned = said.flatMap { said in
            // By the entries the clock may seem late by what they took to come, and no more.
            guard hasHeard, said >= offset - error else { return nil }
            guard looseSince != nil || said <= offset + delay + error + Limits.clockMarginMilliseconds else {
                return nil
            }
            return said
        }
    }

    /// Begins the estimate with an entry's time.
    mutating func anchor(_ time: Int, at now: Tick) {
        offset = time - Self.milliseconds(now)
        raised = 0
        hasHeard = true
        looseSince = nil
        looselyAnchoredAt = nil
    }

    /// Whether the estimate cannot be late any more by what held up the entry that it was begun with.
    func isFirm(at now: Tick) -> Bool {
        looselyAnchoredAt.map { now >= $0 + Limits.lostWaitInMatch * 2 } ?? true
    }

    /// The sequencer or this peer was gone: until entries come that are sure to be new, no estimate holds.
    mutating func loosen(at now: Tick) { looseSince = now }

    /// Takes an entry's time into account, which was true when the entry was made: the clock is not behind
    /// it.
    ///
    /// `isLive`: it came from the sequencer, and alone, so that it may be assumed to be new.
    mutating func heard(_ time: Int, isLive: Bool, at now: Tick) {
        let least = time - Self.milliseconds(now)
        guard hasHeard else {
            // It may have been held up, but the match is no younger than what this peer knows of it.
            (offset, hasHeard) = (max(least, offset), true)
            // An old one says nothing of where the clock stands.
            if !isLive { looseSince = looseSince ?? now }
            return
        }
        if let looseSince {
            // What was missed may come now; what comes alone and later is new.
            // It may still have been held up on its way, where the clock of the link knows better.
            if isLive, now >= looseSince + Limits.lostWaitInMatch {
                anchor(max(time, said.map { Self.milliseconds(now) + $0 } ?? time), at: now)
                if said == nil { looselyAnchoredAt = now }
                return
            }
        } else {
            raised += max(0, least - offset)
        }
        offset = max(offset, least)
    }

    /// How far a time lies ahead of the estimate, in milliseconds; negative behind it, 0 where there is none.
    func lead(of time: Int, at now: Tick) -> Int {
        hasHeard && looseSince == nil ? time - (Self.milliseconds(now) + offset) : 0
    }

    private static func milliseconds(_ tick: Tick) -> Int { Int(tick.nanoseconds / 1_000_000) }
}

extension MatchMachine {
    /// The log up to the last accepted entry.
    public var acceptedLog: MatchLog {
        var log = log
        log.truncate(to: acceptedCount, state: accepted)
        return log
    }
}
