internal import ParlorGames

// What follows of itself after each input: accepting, own duties, the sequencer's turn, the next deadline.
extension MatchMachine {
    /// Goes on until nothing more follows.
    mutating func progress(at now: Tick, _ actions: inout [Action]) {
        var goesOn = true
        while goesOn, !isStopped {
            accept(at: now, &actions)
            guard !isStopped else { break }
            reconsiderHeld(at: now, &actions)
            goesOn = elect(at: now, &actions)
            if doDuty(at: now, &actions) { goesOn = true }
            if isSequencer, sequence(at: now, &actions) { goesOn = true }
        }
        if acceptedCount > storedAccepted {
            storedAccepted = acceptedCount
            actions.append(.store(.accepted(acceptedCount)))
        }
        guard !isStopped else { return }  // by what it just sequenced
        let isLonely = isLonely
        lonelySince = isLonely ? lonelySince ?? now : nil
        if let since = election.leaderlessSince ?? lonelySince, now >= since + graceAlone {
            return endAlone(at: now, &actions)
        }
        report(at: now, &actions)
        tellPause(isLonely: isLonely, at: now, &actions)
        tellAbsent(&actions)
        if let revealAt, time(at: now) >= revealAt {
            self.revealAt = nil
            actions.append(.notice(.revealed))
        }
        armed = nextDeadline(at: now)
        actions.append(.arm(armed))
    }

    /// Whether this seat orders the entries and too few hear it to accept any.
    private var isLonely: Bool {
        guard isSequencer else { return false }
        return !accepted.isQuorum(present)
    }

    /// Says when the match waits, and when it goes on.
    private mutating func tellPause(isLonely: Bool, at now: Tick, _ actions: inout [Action]) {
        let pause = Duration.milliseconds(Limits.pausedMilliseconds)
        let isLate = unacceptedSince.map { now >= $0 + pause } ?? false
        let waits = isLeaderless || isLonely || isSequencer && isLate
        guard waits != isPaused else { return }
        isPaused = waits
        actions.append(.notice(waits ? .paused : .goesOn))
    }

    /// Says who is away while the match waits, when nobody can bring that into the log, and who is back.
    private mutating func tellAbsent(_ actions: inout [Action]) {
        for other in here.indices where accepted.isVoter(other) && other != seat {
            let isActive = accepted.seats[other].status == .active
            if isPaused, isActive, !here[other], !toldAway.contains(other) {
                toldAway.insert(other)
                actions.append(.notice(.away(seat: other, withheld: false)))
            } else if isActive, here[other], toldAway.contains(other) {
                toldAway.remove(other)
                actions.append(.notice(.back(seat: other)))
            }
        }
    }

    /// Whether what the log says of a seat has been told already, without the log.
    private mutating func isTold(_ notice: MatchNotice) -> Bool {
        switch notice {
        case .away(let other, withheld: false): return toldAway.contains(other)
        case .back(let other), .left(let other, _):
            toldAway.remove(other)
            return false
        case .away, .drawNumber, .drawDecided, .started, .changed, .revealed, .ended, .refused,
            .sequencerChanged, .paused, .goesOn, .fault, .desync, .violation:
            return false
        }
    }

    /// Accepts what a quorum has stored.
    private mutating func accept(at now: Tick, _ actions: inout [Action]) {
        while let count = acceptable {
            if let since = unacceptedSince, now > since + Limits.stallMax { heldUpUntil = time(at: now) }
            for _ in 0..<count where !isStopped { acceptNext(at: now, &actions) }
        }
        unacceptedSince = storedBy.isEmpty ? nil : unacceptedSince ?? now
    }

    /// How many of the entries that are not accepted a quorum has stored, in the epoch that this seat
    /// follows.
    ///
    /// What an earlier epoch left counts only together with an entry of this one, and enough are those only
    /// that are enough before each of the entries: one may say that a seat has left.
    var acceptable: Int? {
        guard tailEpoch == election.promised else { return nil }
        for place in storedBy.indices.reversed() {
            let isOfEpoch =
                election.confirmed == nil
                ? snapshots[place].epoch == log.state.epoch : place == storedBy.count - 1
            guard isOfEpoch else { return nil }
            let by = storedBy[place]
            if accepted.isQuorum(by), (0..<place).allSatisfy({ snapshots[$0].isQuorum(by) }) {
                return place + 1
            }
        }
        return nil
    }

    mutating func acceptNext(at now: Tick, _ actions: inout [Action]) {
        let entry = log.entries[acceptedCount]
        var before = snapshots.takeFirst()
        swap(&accepted, &before)
        _ = storedBy.takeFirst()
        acceptedCount += 1
        if case .seat(let author) = entry.proposal.author {
            settle(entry.proposal.counter, of: author, .success(entry.index), &actions)
        }
        MatchNotice.each(entry: entry, before: before, after: accepted) { notice in
            if !isTold(notice) { actions.append(.notice(notice)) }
        }
        switch entry.proposal.body {
        case .open(_, _, let revealAt): self.revealAt = revealAt
        case .draw(let draw, _, _): drawSince = (draw, now, false)
        default: noteShown(entry)
        }
        guard accepted.phase == .ended else { return }
        stop(&actions)
    }

    /// Notes what an accepted entry shows of a seat.
    mutating func noteShown(_ entry: Entry) {
        if case .fault(let seat, let kind, _) = entry.proposal.body { shown.append((seat, kind)) }
    }

    private mutating func stop(_ actions: inout [Action]) {
        isStopped = true
        for waiting in pending {
            guard let id = waiting.id else { continue }
            actions.append(.reply(id, .failure(.match(Refusal(.matchEnded, "the match is over")))))
        }
        pending = []
        queue = []
        arrivals = []
        window = nil
        actions.append(.arm(nil))
    }

    /// Ends this copy of the match without a quorum.
    mutating func endAlone(at now: Tick, _ actions: inout [Action]) {
        guard accepted.phase != .ended, accepted.seats[seat].status != .left else {
            return stop(&actions)
        }
        if log.entries.count > acceptedCount { election.forgotten = (tailEpoch, log.entries.count) }
        let ordered = isSequencer
        log.truncate(to: acceptedCount, state: accepted)
        beforeAlone = accepted
        snapshots = []
        storedBy = []
        held = nil
        counters[seat] = max(counters[seat], log.state.counter(of: .seat(seat))) + 1
        let body = EntryBody.end(
            outcomes: accepted.aloneOutcomes(for: seat), alone: true, stateHash: accepted.hash)
        let proposal = Proposal(
            match: match, author: .seat(seat), counter: counters[seat], seenIndex: acceptedCount - 1,
            seenHash: log.head,
            body: body, signer: signer)
        let entry = Entry(
            index: acceptedCount, previous: log.head, time: max(log.entries.last?.time ?? 0, time(at: now)),
            proposal: proposal, signer: signer)
        do { try log.append(entry) } catch {
            return violation("an end alone does not fit its own log: \(error.message)", &actions)
        }
        stored([seat])
        actions.append(.store(.entries(from: acceptedCount, [entry])))
        // Who hears it again need not wait to find out that it orders nothing more.
        if ordered { actions.append(.broadcast(.entries([entry]))) }
        acceptNext(at: now, &actions)
        storedAccepted = acceptedCount
        actions.append(.store(.accepted(acceptedCount)))
    }

    private func nextDeadline(at now: Tick) -> Tick {
        var next = NextDeadline(after: now)
        for waiting in pending { next.add(waiting.deadline) }
        if let revealAt { next.add(clock.tick(at: revealAt)) }
        if isSequencer {
            if let time = nextSequencerTime { next.add(clock.tick(at: time)) }
            if let unacceptedSince { next.add(unacceptedSince + graceAlone) }
        }
        if let since = election.leaderlessSince ?? lonelySince { next.add(since + graceAlone) }
        if isLeaderless, election.candidacy == nil, mayFindQuorum, let askTime { next.add(askTime) }
        if let candidacy = election.candidacy { next.add(candidacy.until) }
        if let held {
            next.add(held.since + .milliseconds(Limits.insistMilliseconds))
            if let time = held.entries.first?.time, clock.tick(at: time) > now {
                next.add(clock.tick(at: time))
            }
        }
        if let drawSince, !drawSince.isPassedOn, accepted.openDraw?.draw == drawSince.draw {
            next.add(drawSince.at + .milliseconds(Limits.linkReportMilliseconds))
        }
        return next.tick
    }
}

extension Array {
    /// The first element, taken out: mostly the only one, which costs less to take from the end.
    fileprivate mutating func takeFirst() -> Element { count == 1 ? removeLast() : removeFirst() }
}

/// The earliest of some moments, none of them later than the next look about.
private struct NextDeadline {
    private let now: Tick
    private let again: Tick
    private(set) var tick: Tick

    init(after now: Tick) {
        self.now = now
        // What is overdue and could not be done now is looked at again later, not over and over.
        again = now + .milliseconds(Limits.overdueMilliseconds)
        // Looking about now and then shows when this machine itself was held up.
        tick = now + .milliseconds(Limits.pulseMilliseconds)
    }

    mutating func add(_ moment: Tick) { tick = min(tick, moment > now ? moment : again) }
}
