internal import ParlorGames

// What follows of itself after each input: accepting, own duties, the sequencer's turn, the next deadline.
extension MatchMachine {
    /// Goes on until nothing more follows.
    mutating func progress(at now: Tick, _ actions: inout [Action]) {
        var goesOn = true
        while goesOn, !isStopped {
            accept(at: now, &actions)
            guard !isStopped else { return }
            goesOn = doDuty(at: now, &actions)
            if isSequencer, sequence(at: now, &actions) { goesOn = true }
        }
        guard !isStopped else { return }  // by what it just sequenced
        if let revealAt, time(at: now) >= revealAt {
            self.revealAt = nil
            actions.append(.notice(.revealed))
        }
        armed = nextDeadline(at: now)
        actions.append(.arm(armed))
    }

    /// Accepts what a quorum has stored.
    private mutating func accept(at now: Tick, _ actions: inout [Action]) {
        while let stored = storedBy.first, accepted.isQuorum(stored) {
            if let since = unacceptedSince, now > since + Limits.stallMax { heldUpUntil = time(at: now) }
            acceptNext(at: now, &actions)
        }
        unacceptedSince = storedBy.isEmpty ? nil : unacceptedSince ?? now
    }

    mutating func acceptNext(at now: Tick, _ actions: inout [Action]) {
        let before = accepted
        let entry = log.entries[acceptedCount]
        accepted = snapshots.removeFirst()
        storedBy.removeFirst()
        acceptedCount += 1
        if entry.proposal.author == .seat(seat) {
            settle(entry.proposal.counter, .success(entry.index), &actions)
        }
        tell(entry, before: before, &actions)
        if case .open(_, _, let revealAt) = entry.proposal.body { self.revealAt = revealAt }
        guard accepted.phase == .ended else { return }
        stop(&actions)
    }

    private mutating func stop(_ actions: inout [Action]) {
        isStopped = true
        for waiting in pending {
            guard let id = waiting.id else { continue }
            actions.append(.reply(id, .failure(.match(Refusal(.matchEnded, "the match is over")))))
        }
        pending = []
        queue = []
        actions.append(.arm(nil))
    }

    /// Says what an accepted entry means to those who watch.
    private func tell(_ entry: Entry, before: MatchState, _ actions: inout [Action]) {
        let after = accepted
        if after.draw.rounds.count > before.draw.rounds.count, let numbers = after.draw.rounds.last {
            let round = after.draw.rounds.count - 1
            for number in numbers {
                actions.append(.notice(.drawNumber(seat: number.seat, number: number.number, round: round)))
            }
        }
        if before.draw.first == nil, let first = after.draw.first {
            actions.append(.notice(.drawDecided(first: first)))
        }
        for seat in after.seats.indices where after.seats[seat].status != before.seats[seat].status {
            switch after.seats[seat].status {
            case .active: actions.append(.notice(.back(seat: seat)))
            case .away: actions.append(.notice(.away(seat: seat)))
            case .left:
                var reason: EntryBody.LeftReason?
                if case .left(_, let why) = entry.proposal.body { reason = why }
                actions.append(.notice(.left(seat: seat, reason)))
            }
        }
        if before.phase == .drawing, after.phase == .playing { actions.append(.notice(.started)) }
        actions.append(.notice(.changed(entry: entry.index, what: entry.proposal.body.word)))
        if let outcomes = after.outcomes { actions.append(.notice(.ended(outcomes))) }
    }

    /// Ends this copy of the match without a quorum.
    mutating func endAlone(at now: Tick, _ actions: inout [Action]) {
        guard accepted.phase != .ended, accepted.seats[seat].status != .left else {
            return stop(&actions)
        }
        log.truncate(to: acceptedCount, state: accepted)
        snapshots = []
        storedBy = []
        counter = max(counter, log.state.counter(of: .seat(seat))) + 1
        let body = EntryBody.end(
            outcomes: accepted.aloneOutcomes(for: seat), alone: true, stateHash: accepted.hash)
        let proposal = Proposal(
            match: match, author: .seat(seat), counter: counter, seenIndex: acceptedCount - 1,
            seenHash: log.head,
            body: body, signer: signer)
        let entry = Entry(
            index: acceptedCount, previous: log.head, time: max(log.entries.last?.time ?? 0, time(at: now)),
            proposal: proposal, signer: signer)
        do { try log.append(entry) } catch {
            return violation("an end alone does not fit its own log: \(error.message)", &actions)
        }
        stored([seat])
        acceptNext(at: now, &actions)
    }

    private func nextDeadline(at now: Tick) -> Tick? {
        var nearest = pending.map(\.deadline).min()
        if let revealAt { nearest = min(nearest ?? .distant, clock.tick(at: revealAt)) }
        if isSequencer, let time = nextSequencerTime {
            nearest = min(nearest ?? .distant, clock.tick(at: time))
        }
        if isSequencer, let unacceptedSince {
            nearest = min(nearest ?? .distant, unacceptedSince + graceAlone)
        }
        // What is overdue and could not be done now is looked at again later, not over and over.
        guard let nearest, nearest <= now else { return nearest }
        return now + .milliseconds(Limits.overdueMilliseconds)
    }
}

extension Tick {
    /// Later than any tick that is waited for.
    fileprivate static let distant = Tick(nanoseconds: .max)
}
