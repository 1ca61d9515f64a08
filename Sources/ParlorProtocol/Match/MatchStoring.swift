internal import ParlorGames

// Taking entries from others: checked, stored, and said to be.
extension MatchMachine {
    /// Takes entries that a seat sent: the sequencer's next ones, or what is missing here.
    mutating func store(_ entries: [Entry], from sender: Int, at now: Tick, _ actions: inout [Action]) {
        guard !distrusted.contains(sender), !takesProof(entries, at: now, &actions) else { return }
        let rest = Array(
            entries.drop { $0.index < log.entries.count && log.hash(at: $0.index) == $0.hash })
        guard let first = rest.first else {
            if entries.last.map({ $0.index >= acceptedCount }) ?? false { sayStored(&actions) }
            return
        }
        if isOwnEnd(first, of: sender) { return }
        guard first.index <= log.entries.count else {
            actions.append(.send(.want(from: wantedFrom), to: sender))
            return
        }
        if first.index < log.entries.count {
            replace(with: rest, from: sender, at: now, &actions)
        } else {
            extend(with: rest, from: sender, at: now, &actions)
        }
    }

    /// Whether an entry ends the copy of the seat that sent it, which says nothing about the others.
    private mutating func isOwnEnd(_ entry: Entry, of sender: Int) -> Bool {
        guard entry.isAloneEnd else { return false }
        election.ended.insert(sender)
        return true
    }

    /// Appends what follows the last entry.
    private mutating func extend(
        with entries: [Entry], from sender: Int, at now: Tick, _ actions: inout [Action]
    ) {
        let start = log.entries.count
        let before = log.state.sequencer
        let epochBefore = log.state.epoch
        for (place, entry) in entries.enumerated() {
            guard !isOwnEnd(entry, of: sender), mayStore(entries[place...], from: sender, &actions) else {
                break
            }
            let isLive = sender == log.state.sequencer && entries.count == 1
            if objection(to: entry, isLive: isLive, at: now) != nil {
                hold(Array(entries[place...]), from: sender, isLive: isLive, at: now)
                break
            }
            do { try log.append(entry) } catch {
                failed(entry, error, from: sender, at: now, &actions)
                break
            }
            // What comes first after a silence may be as old as that.
            let isHeardWell = now >= heardSince[sender] + .milliseconds(Limits.heardMilliseconds)
            let isFirst = entry.takesOver(sender) && entries.count == 1 && isHeardWell
            heardTime(of: entry, isLive: isLive || isFirst, at: now)
            stored([seat, log.state.sequencer])
        }
        guard !isStopped, log.entries.count > start else { return }
        storedAt = now
        actions.append(.store(.entries(from: start, Array(log.entries[start...]))))
        finishStoring(from: sender, before: (before, epochBefore), &actions)
    }

    /// What follows once entries are stored.
    mutating func finishStoring(
        from sender: Int, before: (sequencer: Int, epoch: Int), _ actions: inout [Action]
    ) {
        let hasAll = election.forgotten.map { (tailEpoch, log.entries.count) >= $0 }
        if hasAll ?? false || sender == log.state.sequencer {
            election.isCaughtUp = true
            election.forgotten = nil
        }
        if log.state.epoch != before.epoch { sequencerChanged(&actions) }
        sayStored(&actions)
        for (other, early) in storedEarly where early.index < log.entries.count {
            // It stored another entry there, before this seat had one.
            if log.hash(at: early.index) != early.hash { showOwn(early.index, to: other, &actions) }
            storedEarly[other] = nil
        }
    }

    /// Whether the first of these entries may be stored after what this seat has promised.
    ///
    /// It may where the others lead to an epoch that was voted for: who won it again also sends what it had
    /// ordered before.
    private func mayStore(
        _ entries: ArraySlice<Entry>, from sender: Int, _ actions: inout [Action]
    ) -> Bool {
        var epoch = log.state.epoch
        for entry in entries {
            if case .sequencer(_, let next, _, _) = entry.proposal.body { epoch = max(epoch, next) }
        }
        guard epoch < election.promised, sender == log.state.sequencer else { return true }
        actions.append(.send(.promised(epoch: election.promised), to: sender))
        return false
    }

    /// Takes another end of the log in place of what is not accepted, if it is of a later epoch.
    private mutating func replace(
        with entries: [Entry], from sender: Int, at now: Tick, _ actions: inout [Action]
    ) {
        guard let first = entries.first else { return }
        if showTwo(log.entries[first.index], first, at: now, &actions) {
            guard !isStopped else { return }
            return leaveFork(for: entries, from: sender, at: now, &actions)
        }
        guard first.index >= acceptedCount else {
            // Whoever ordered it has not heard that others did, or it was long on its way. That two logs
            // differ shows in what each says it has stored.
            if election.promised > 0 {
                actions.append(.send(.promised(epoch: election.promised), to: sender))
            }
            sendStored(to: sender, &actions)
            return
        }
        let kept = first.index - acceptedCount
        var other = log
        other.truncate(to: first.index, state: kept == 0 ? accepted : snapshots[kept - 1])
        var states: [MatchState] = []
        for entry in entries {
            if isOwnEnd(entry, of: sender) { break }
            do { try other.append(entry) } catch {
                failed(entry, error, from: sender, at: now, &actions)
                break
            }
            states.append(other.state)
        }
        let isFollowed = other.state.epoch >= election.promised || sender != other.state.sequencer
        guard !isStopped, other.state.epoch > tailEpoch, isFollowed else { return }
        let before = (log.state.sequencer, log.state.epoch)
        log = other
        election.confirmed = nil
        snapshots.removeSubrange(kept...)
        storedBy.removeSubrange(kept...)
        take(states, from: first.index, at: now, &actions)
        finishStoring(from: sender, before: before, &actions)
    }

    /// The log from an index on is another: these are the states after each of its entries.
    mutating func take(_ states: [MatchState], from start: Int, at now: Tick, _ actions: inout [Action]) {
        stateHashes = stateHashes.filter { $0.key < start }
        for (place, state) in states.enumerated() {
            let entry = log.entries[start + place]
            heardTime(of: entry, isLive: false, at: now)
            snapshots.append(state)
            noteStored(entry, by: [seat, state.sequencer])
        }
        storedAt = now
        actions.append(.store(.entries(from: start, Array(log.entries[start...]))))
    }

    /// Notes that the last entry of the log is stored by these seats, and what others said beforehand.
    mutating func stored(_ seats: SeatSet) {
        guard let entry = log.entries.last else { return }
        snapshots.append(log.state)
        noteStored(entry, by: seats)
    }

    /// Notes that an entry, after which the last snapshot is, is stored by these seats.
    private mutating func noteStored(_ entry: Entry, by seats: SeatSet) {
        storedBy.append(seats)
        noteStateHash(at: entry.index)
        for (seat, early) in storedEarly where early.index == entry.index && early.hash == entry.hash {
            for place in storedBy.indices { storedBy[place].insert(seat) }
            storedEarly[seat] = nil
        }
        noteSecret(in: entry)
    }

    /// Notes the hash of the state after an entry, which is the last that is stored or accepted.
    mutating func noteStateHash(at index: Int) {
        let last = snapshots.count - 1
        let isEnd = (last < 0 ? accepted.phase : snapshots[last].phase) == .ended
        guard isEnd || (index + 1).isMultiple(of: Limits.stateHashEntries) else { return }
        stateHashes[index] = last < 0 ? accepted.hash : snapshots[last].hash
        stateHashes[index - 4 * Limits.stateHashEntries] = nil
    }

    private mutating func heardTime(of entry: Entry, isLive: Bool, at now: Tick) {
        if case .sequencer = entry.proposal.body {
            clock.anchor(entry.time, at: now)
            if !isLive { clock.loosen(at: now) }
        } else {
            clock.heard(entry.time, isLive: isLive, at: now)
        }
    }

    /// Goes on where this copy was ended alone, because others did.
    mutating func heal(
        _ entries: [Entry], from sender: Int, before state: MatchState, at now: Tick,
        _ actions: inout [Action]
    ) {
        let place = acceptedCount - 1
        let rest = entries.drop { $0.index < place && log.hash(at: $0.index) == $0.hash }
        guard let first = rest.first, first.index == place, !first.isAloneEnd, !distrusted.contains(sender)
        else {
            if let first = rest.first, first.index > place {
                actions.append(.send(.want(from: place), to: sender))
            }
            return
        }
        var other = log
        other.truncate(to: place, state: state)
        let ended = other
        do { try other.append(first) } catch { return }
        log = ended
        accepted = state
        acceptedCount = place
        storedAccepted = min(storedAccepted, place)
        beforeAlone = nil
        stateHashes = stateHashes.filter { $0.key < place }
        isStopped = false
        if election.forgotten != nil { election.isCaughtUp = false }
        // It has not listened since: what comes now may be old.
        clock.loosen(at: now)
        for seat in heardSince.indices { heardSince[seat] = now }
        // Its grace begins again: it ended for want of others, who are here now.
        election.leaderlessSince = nil
        unacceptedSince = nil
        actions.append(.notice(.goesOn))
        store(Array(rest), from: sender, at: now, &actions)
        progress(at: now, &actions)
    }

    // MARK: What this seat knows better

    private mutating func hold(
        _ entries: [Entry], from sender: Int, isLive: Bool, at now: Tick
    ) {
        let isSame = held?.entries.first?.hash == entries.first?.hash
        held = HeldEntries(
            entries: entries, sender: sender, since: isSame ? held?.since ?? now : now,
            isLive: isLive)
    }

    /// Looks again at entries that were not stored; a sequencer that insists on them for long is left.
    mutating func reconsiderHeld(at now: Tick, _ actions: inout [Action]) {
        guard let held, let first = held.entries.first else { return }
        guard first.index >= log.entries.count else { return self.held = nil }
        guard first.index == log.entries.count, first.previous == log.head else { return }
        guard let misdeed = objection(to: first, isLive: held.isLive, at: now) else {
            self.held = nil
            return store(held.entries, from: held.sender, at: now, &actions)
        }
        if now >= held.since + .milliseconds(Limits.insistMilliseconds) {
            self.held = nil
            distrust(misdeed, at: now, &actions)
        }
    }

    /// What the sequencer does wrong by an entry, as far as this seat knows better; `nil`: nothing.
    func objection(to entry: Entry, isLive: Bool, at now: Tick) -> Misdeed? {
        let sequencer = log.state.sequencer
        // What this seat ordered itself, before its copy was ended, it may not order otherwise.
        guard sequencer != seat else { return nil }
        // What a quorum has stored is so; another entry in its place says nothing for it.
        let others =
            storedEarly.isEmpty
            ? []
            : storedEarly.filter { _, early in
                early.index > entry.index || early.index == entry.index && early.hash == entry.hash
            }.map(\.key).filter { $0 != sequencer }
        if !others.isEmpty, log.state.isQuorum(SeatSet(others + [sequencer])) { return nil }
        if let text = timeObjection(to: entry, isLive: isLive, at: now) {
            return Misdeed(
                seat: sequencer, .clock, index: entry.index, text, evidence: [entry.encoded])
        }
        let claim: (seat: Int, word: String)? =
            switch entry.proposal.body {
            case .away(let seat): (seat, "away")
            case .left(let seat, .grace): (seat, "left")
            case .withheld(_, let seat): (seat, "withheld")
            default: nil
            }
        // Where the sequencer is a quorum by itself, nobody's word is needed for what it says.
        guard let claim, claim.seat != sequencer, !log.state.isQuorum([sequencer]),
            knowsBetter(entry, of: claim.seat, at: now)
        else { return nil }
        return Misdeed(
            seat: sequencer, .falseStatus, index: entry.index,
            "seat \(sequencer) says '\(claim.word)' of seat \(claim.seat), which did its part",
            evidence: [entry.encoded])
    }

    private func knowsBetter(_ entry: Entry, of other: Int, at now: Tick) -> Bool {
        let long = Duration.milliseconds(Limits.heardMilliseconds)
        if case .withheld(let draw, _) = entry.proposal.body {
            // By the time that the entry says it was passed on as well.
            let known = Duration.milliseconds(Limits.linkReportMilliseconds + Limits.clockMarginMilliseconds)
            let then = clock.tick(at: entry.time)
            return links.contains { $0.draw == draw && $0.link.seat == other && then >= $0.since + known }
        }
        // Who is told that it is away itself has heard the sequencer all the time.
        let heard = other == seat ? log.state.sequencer : other
        // What was so when the entry was made may have been over when it came.
        let then = min(now, clock.tick(at: entry.time))
        return log.genesis.seats.indices.contains(heard) && here[heard] && then >= heardSince[heard] + long
    }

    private func timeObjection(to entry: Entry, isLive: Bool, at now: Tick) -> String? {
        let margin = delay + Limits.clockMarginMilliseconds
        let lead = clock.lead(of: entry.time, at: now)
        let late = Int(Limits.lostWaitInMatch.nanoseconds / 1_000_000) + margin
        // A first estimate may be behind by the delay of the first entry; beyond that it is no estimate.
        if lead > margin && clock.isFirm(at: now) || lead > 0 && clock.raised + lead > late {
            return "the time of entry \(entry.index) is \(lead) ms ahead"
        }
        // Twice the wait: a duration times a number takes longer than all the rest here.
        let isWatched =
            now >= heardSince[log.state.sequencer] + Limits.lostWaitInMatch + Limits.lostWaitInMatch
        if isLive, isWatched, time(at: now) >= heldUpUntil + 2 * late, lead < -late {
            return "the time of entry \(entry.index) is \(-lead) ms behind"
        }
        return nil
    }
}
