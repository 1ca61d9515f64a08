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
        /// The player of this seat does something; the answer comes as ``Action/reply(_:_:)``.
        case act(RequestID, Value)
        /// The player of this seat leaves the match.
        case leave(RequestID)
        /// A seat's link was lost or is here again.
        case presence(seat: Int, here: Bool)
        /// The host removes a seat; for the sequencer.
        case kick(seat: Int)
        /// The sequencer is gone for good and nobody takes over: this peer ends its copy alone.
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
    public internal(set) var accepted: MatchState
    /// How many entries are accepted.
    public internal(set) var acceptedCount = 0
    /// Half the largest round trip to any seat in milliseconds, as the links measure it; set by the driver.
    public var delay = 0

    let signer: Signer
    let identity: [UInt8]
    var vault: SeatVault
    /// The states after the entries that are stored and not accepted.
    var snapshots: [MatchState] = []
    /// Which seats have stored the entries that are not accepted.
    var storedBy: [Set<Int>] = []
    /// What seats said they have stored beyond the end of this log, by seat.
    var storedEarly: [Int: (index: Int, hash: [UInt8])] = [:]
    var stateHashes: [Int: [UInt8]] = [:]
    var pending: [PendingProposal] = []
    var counter = -1
    var sequencerCounter = -1
    /// Proposals that wait to be sequenced here.
    var queue: [Proposal] = []
    var kicks: [Int] = []
    var here: [Bool]
    /// Links of the joint draw that is on and of the next one: others may have seen it begin first.
    var links: [(draw: Int, link: SeatLink)] = []
    var linkSentFor = 0
    /// The count of entries at which an own duty was refused: it is tried again once there are more.
    var dutyRefusedAt: Int?
    var clock: MatchClock
    var revealAt: Int?
    var isStopped = false
    var unacceptedSince: Tick?
    /// What the driver was last asked for.
    var armed: Tick?
    /// The end of the last time in which nobody could answer: this machine slept, or entries lacked their
    /// quorum.
    var heldUpUntil = 0

    /// Makes the machine of a seat.
    ///
    /// - Parameters:
    ///   - genesis: What the match begins with.
    ///   - seat: This peer's seat.
    ///   - words: The agreed word list.
    ///   - signer: Signs for the peer of that seat.
    ///   - signing: How signatures are checked.
    ///   - identity: A secret of the peer that outlives its process; seals ``SeatVault``.
    ///   - secret: 32 unpredictable bytes, fresh for this match.
    ///   - now: The moment; the sequencer's match clock begins here.
    public init(
        _ genesis: Genesis, seat: Int, words: WordList, signer: Signer, signing: Signing, identity: [UInt8],
        secret: [UInt8], now: Tick
    ) {
        precondition(
            genesis.seats.indices.contains(seat), "no seat \(seat) in a match of \(genesis.seats.count)")
        self.seat = seat
        self.signer = signer
        self.identity = identity
        log = MatchLog(genesis, words: words, signing: signing)
        accepted = log.state
        vault = SeatVault(seat: seat, match: genesis.match, secret: secret)
        here = Array(repeating: true, count: genesis.seats.count)
        clock = MatchClock(startedAt: now)
    }

    /// Whether this peer orders the entries.
    public var isSequencer: Bool { log.state.sequencer == seat }
    /// The match's ID.
    public var match: MatchID { log.match }
    /// The moment on the match clock, milliseconds, as this peer estimates it.
    public func time(at now: Tick) -> Int { clock.time(at: now) }
    /// This seat's secrets for the game.
    public var secrets: SeatSecrets { vault.secrets(boxKeys: accepted.boxKeys) }

    /// Takes one input and says what to do, in order.
    public mutating func handle(_ input: Input, at now: Tick) -> [Action] {
        var actions: [Action] = []
        guard !isStopped else {
            refuseAfterEnd(input, &actions)
            return actions
        }
        if let armed, now > armed + Limits.stallMax { heldUpUntil = time(at: now) }
        switch input {
        case .begin:
            if !isSequencer { actions.append(.send(.want(from: 0), to: log.state.sequencer)) }
        case .received(let message, let sender): receive(message, from: sender, at: now, &actions)
        case .act(let id, let action): act(action, id, at: now, &actions)
        case .leave(let id): propose(.leave, for: id, at: now, &actions)
        case .presence(let seat, let here): setPresence(of: seat, here, at: now, &actions)
        case .kick(let seat): if isSequencer, here.indices.contains(seat) { kicks.append(seat) }
        case .sequencerLost: endAlone(at: now, &actions)
        case .deadlinePassed: expirePending(at: now, &actions)
        }
        progress(at: now, &actions)
        return actions
    }

    private mutating func refuseAfterEnd(_ input: Input, _ actions: inout [Action]) {
        switch input {
        case .act(let id, _), .leave(let id):
            actions.append(.reply(id, .failure(.match(Refusal(.matchEnded, "the match is over")))))
        case .received(let message, let sender): answerAfterEnd(message, from: sender, &actions)
        case .begin, .presence, .kick, .sequencerLost, .deadlinePassed: break
        }
    }

    /// Whoever lacks the last entries gets them also after the end.
    private mutating func answerAfterEnd(_ message: MatchMessage, from sender: Int, _ actions: inout [Action])
    {
        switch message {
        case .want(let index) where isSequencer: sendEntries(from: index, to: sender, &actions)
        case .propose(let proposal) where isSequencer && log.entries.count > 0:
            actions.append(
                .send(
                    .refuse(counter: proposal.counter, Refusal(.matchEnded, "the match is over")), to: sender)
            )
        case .stored(let index, let hash, let stateHash):
            compare(index: index, hash: hash, stateHash: stateHash, of: sender, &actions)
        case .genesis, .propose, .refuse, .entries, .link, .want: break
        }
    }

    private mutating func setPresence(of seat: Int, _ isHere: Bool, at now: Tick, _ actions: inout [Action]) {
        guard here.indices.contains(seat), seat != self.seat else { return }
        here[seat] = isHere
        guard isHere else { return }
        // What was sent last may be lost.
        if let stored = lastStored { actions.append(.send(stored, to: seat)) }
        guard seat == log.state.sequencer else { return }
        linkSentFor = 0
        actions.append(.send(.want(from: log.entries.count), to: seat))
        for waiting in pending { actions.append(.send(.propose(waiting.proposal), to: seat)) }
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
}

/// A peer's estimate of the match clock: the sequencer's milliseconds since the match began.
struct MatchClock: Sendable {
    /// Match time is the monotonic clock in milliseconds plus this.
    private var offset: Int

    init(startedAt tick: Tick) { offset = -Self.milliseconds(tick) }

    func time(at now: Tick) -> Int { max(0, Self.milliseconds(now) + offset) }

    func tick(at time: Int) -> Tick { Tick(nanoseconds: UInt64(max(0, time - offset)) * 1_000_000) }

    /// Takes an entry's time into account, which was true when the entry was made: the clock is not behind
    /// it.
    mutating func heard(_ time: Int, at now: Tick, isFirst: Bool) {
        let least = time - Self.milliseconds(now)
        offset = isFirst ? least : max(offset, least)
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
