public import ParlorGames

/// A match as a watcher has it: a copy of the accepted entries, each of which it checks by itself.
///
/// A value without I/O. It has no seat, no key and no secret, stores nothing for anybody's quorum, and says
/// nothing but which entries it lacks. See PROTOCOL.md, "Watchers".
public struct MatchWatcher: Sendable {
    /// What may happen to it.
    public enum Input: Sendable {
        /// The match is known. Once, first.
        case begin
        /// Whoever hosts the room sent something.
        case received(MatchMessage)
        /// There is a new link to the host, or another host.
        case linkBack
        /// The moment of ``Action/arm(_:)`` has come. Called early it does no harm.
        case deadlinePassed
    }

    /// What the driver has to do.
    public enum Action: Hashable, Sendable {
        /// Send to the host.
        case send(MatchMessage)
        /// Show what happened.
        case notice(MatchNotice)
        /// Call with ``Input/deadlinePassed`` then; `nil`: not at all.
        case arm(Tick?)
    }

    /// The copy: accepted entries only, all of them checked.
    public private(set) var log: MatchLog
    /// What is wrong with the first entry that could not be taken; nothing is taken after it.
    public private(set) var fault: MatchFault?
    private var clock: MatchClock
    /// The state before an end that a seat made alone, which a longer log may yet replace.
    private var beforeAlone: MatchState?
    private var revealAt: Int?
    /// Whether a question for entries has no answer yet.
    private var isAsking = false
    /// When it is asked again.
    private var askAt: Tick?

    /// Makes the copy, without entries.
    ///
    /// - Parameters:
    ///   - genesis: What the match begins with, as the host says.
    ///   - words: The agreed word list.
    ///   - signing: How signatures are checked.
    ///   - now: The moment.
    public init(_ genesis: Genesis, words: WordList, signing: Signing, now: Tick) {
        log = MatchLog(genesis, words: words, signing: signing)
        clock = MatchClock(startedAt: now)
    }

    /// The match's ID.
    public var match: MatchID { log.match }
    /// The moment on the match clock, milliseconds, as this peer estimates it.
    public func time(at now: Tick) -> Int { clock.time(at: now) }

    /// Takes one input and says what to do, in order.
    public mutating func handle(_ input: Input, at now: Tick) -> [Action] {
        var actions: [Action] = []
        guard fault == nil else { return actions }
        switch input {
        case .begin, .linkBack, .received(.genesis): ask(at: now, &actions)
        case .received(.entries(let entries)): take(entries, at: now, &actions)
        case .received(.propose), .received(.refuse), .received(.stored), .received(.link), .received(.want),
            .received(.ask), .received(.vote), .received(.hearing), .received(.promised),
            .received(.clock):
            break
        case .deadlinePassed: if let askAt, askAt <= now { ask(at: now, &actions) }
        }
        if let revealAt, time(at: now) >= revealAt {
            self.revealAt = nil
            if fault == nil { actions.append(.notice(.revealed)) }
        }
        let reveal = revealAt.map { clock.tick(at: $0) }
        actions.append(.arm(fault == nil ? [reveal, askAt].compactMap { $0 }.min() : nil))
        return actions
    }

    private mutating func ask(at now: Tick, _ actions: inout [Action]) {
        isAsking = true
        askAt = now + Limits.watchAskWait
        actions.append(.send(.want(from: lacking)))
    }

    /// The first entry that it lacks.
    ///
    /// An end alone may have been put in the place of another entry.
    private var lacking: Int { beforeAlone == nil ? log.entries.count : log.entries.count - 1 }

    private mutating func take(_ entries: [Entry], at now: Tick, _ actions: inout [Action]) {
        let before = log.entries.count
        for entry in entries {
            guard entry.index <= log.entries.count else { break }
            if log.hash(at: entry.index) == entry.hash { continue }
            if entry.index < log.entries.count, !giveWay(to: entry, &actions) {
                if fault != nil { return }
                continue
            }
            let goesOn = log.entries.count < before && log.entries.count == entry.index
            guard append(entry, at: now, &actions) else { return }
            if goesOn { actions.append(.notice(.goesOn)) }
        }
        let isBehind = entries.first.map { $0.index > log.entries.count } ?? false
        if isBehind || isAsking && log.entries.count > before && log.state.phase != .ended {
            return ask(at: now, &actions)
        }
        isAsking = false
        // After an end there is nothing more, unless a seat made it alone.
        askAt = log.state.phase == .ended && beforeAlone == nil ? nil : now + Limits.watchIdleWait
    }

    /// Whether the copy has made room for an entry with an index that it has another one for.
    ///
    /// An end that a seat made alone never was an entry of the others, and tells nothing about them.
    private mutating func giveWay(to entry: Entry, _ actions: inout [Action]) -> Bool {
        if case .end(_, alone: true, _) = entry.proposal.body { return false }
        if entry.index == log.entries.count - 1, let state = beforeAlone {
            log.truncate(to: entry.index, state: state)
            beforeAlone = nil
            return true
        }
        stop(entry, .fork, "there are two entries \(entry.index)", &actions)
        return false
    }

    private mutating func append(_ entry: Entry, at now: Tick, _ actions: inout [Action]) -> Bool {
        let before = log.state
        do {
            try log.append(entry)
        } catch {
            stop(entry, error.rule, error.message, &actions)
            return false
        }
        clock.heard(entry.time, isLive: false, at: now)
        if log.state.endedAlone { beforeAlone = before }
        if case .open(_, _, let revealAt) = entry.proposal.body { self.revealAt = revealAt }
        MatchNotice.each(entry: entry, before: before, after: log.state) { actions.append(.notice($0)) }
        return true
    }

    private mutating func stop(
        _ entry: Entry, _ rule: LogFault.Rule, _ message: String, _ actions: inout [Action]
    ) {
        let fault = MatchFault(
            index: entry.index, rule: rule, author: entry.proposal.author, message: message, entry: entry)
        self.fault = fault
        askAt = nil
        revealAt = nil
        actions.append(.notice(.violation(fault.sentence(log.genesis))))
    }
}

/// An entry that a copy of a match could not take.
public struct MatchFault: Hashable, Sendable {
    /// Its place in the log.
    public let index: Int
    /// Which rule it breaks.
    public let rule: LogFault.Rule
    /// Who wrote it, as it says.
    public let author: Author
    /// What is wrong with it, for people.
    public let message: String
    /// The entry itself: the evidence.
    public let entry: Entry

    /// What is wrong, with entry, rule and author, for people.
    func sentence(_ genesis: Genesis) -> String {
        let who =
            switch author {
            case .seat(let seat):
                genesis.seats.indices.contains(seat)
                    ? "\(genesis.seats[seat].name) (seat \(seat))" : "seat \(seat)"
            case .sequencer: "the sequencer"
            }
        return "entry \(index), '\(entry.proposal.body.word)' by \(who), breaks the rule '\(rule.rawValue)': "
            + message
    }
}
