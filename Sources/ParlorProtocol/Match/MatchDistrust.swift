internal import ParlorGames

// Entries of a sequencer that signed two with one index: with it in every quorum, honest seats may have
// accepted both. They find out by telling each other what they stored; then the log of the next sequencer
// holds for all. See PROTOCOL.md, "Two logs".
extension MatchMachine {
    /// Where the entries begin that the sequencer of the last accepted entry ordered.
    var epochStart: Int {
        let last = log.entries.prefix(acceptedCount).lastIndex { entry in
            if case .sequencer = entry.proposal.body { true } else { false }
        }
        return last ?? 0
    }

    /// From where on the entries of a longer or later log are wanted.
    var wantedFrom: Int { min(acceptedCount, forkedFrom ?? acceptedCount) }

    /// Another end of the log, whose first entry has the same sequencer's signature as this log's.
    ///
    /// It is taken if a quorum has gone on with it, or if it has ended and this one has not.
    mutating func leaveFork(
        for entries: [Entry], from sender: Int, at now: Tick, _ actions: inout [Action]
    ) {
        guard let first = entries.first, let last = entries.last else { return }
        let isLater = entries.contains { entry in
            if case .sequencer(_, let epoch, _, _) = entry.proposal.body { epoch > tailEpoch } else { false }
        }
        guard isLater || isEnd(last), var other = log.prefix(first.index) else { return }
        let start = other.state
        var states: [MatchState] = []
        for entry in entries {
            guard !entry.isAloneEnd else { break }
            do { try other.append(entry) } catch {
                failed(entry, error, from: sender, at: now, &actions)
                break
            }
            states.append(other.state)
        }
        guard !isAfterEndAlone, isBetter(other, at: first.index, from: sender) else { return }
        let before = (log.state.sequencer, log.state.epoch)
        let isStored = first.index >= acceptedCount
        log = other
        election.confirmed = nil
        if isStored {
            snapshots.removeSubrange((first.index - acceptedCount)...)
            storedBy.removeSubrange((first.index - acceptedCount)...)
        } else {
            takeBack(to: first.index, start, at: now, &actions)
        }
        take(states, from: first.index, at: now, &actions)
        proposeAgain(from: first.index)
        finishStoring(from: sender, before: before, &actions)
    }

    private var isAfterEndAlone: Bool { isStopped && accepted.endedAlone }

    private func isEnd(_ entry: Entry) -> Bool {
        if case .end(_, alone: false, _) = entry.proposal.body { true } else { false }
    }

    /// Whether another log holds instead of this one from an index on.
    private func isBetter(_ other: MatchLog, at index: Int, from sender: Int) -> Bool {
        guard other.state.epoch == tailEpoch else {
            let isFollowed = other.state.epoch >= election.promised || sender != other.state.sequencer
            return other.state.epoch > tailEpoch && isFollowed
        }
        guard other.state.phase == .ended else { return false }
        // Of two that have ended neither can go on: any rule will do that everybody can follow.
        return log.state.phase != .ended
            || other.entries[index].hash.lexicographicallyPrecedes(log.entries[index].hash)
    }

    /// What was accepted from an index on is so no longer.
    private mutating func takeBack(
        to count: Int, _ state: MatchState, at now: Tick, _ actions: inout [Action]
    ) {
        accepted = state
        acceptedCount = count
        snapshots = []
        storedBy = []
        storedAccepted = count
        revealAt = nil
        drawSince = state.openDraw.map { ($0.draw, now, false) }
        linkSentFor = 0
        held = nil
        dutyRefusedAt = [:]
        shown = []
        for entry in log.entries.prefix(count) { noteShown(entry) }
        isStopped = false
        unacceptedSince = nil
        election.leaderlessSince = nil
        actions.append(.notice(.goesOn))
    }

    /// What this seat proposed after an entry that is no more is signed anew, for the next sequencer.
    private mutating func proposeAgain(from index: Int) {
        for place in pending.indices where pending[place].proposal.seenIndex >= index {
            let old = pending[place]
            guard case .seat(let author) = old.proposal.author else { continue }
            counters[author] += 1
            let proposal = Proposal(
                match: match, author: .seat(author), counter: counters[author], seenIndex: acceptedCount - 1,
                seenHash: log.hash(at: acceptedCount - 1) ?? log.genesis.hash, body: old.proposal.body,
                signer: signer)
            pending[place] = PendingProposal(proposal: proposal, id: old.id, deadline: old.deadline)
        }
    }
}

// MARK: - Who broke the protocol

extension MatchMachine {
    /// An entry does not fit the log.
    mutating func failed(
        _ entry: Entry, _ fault: LogFault, from sender: Int, at now: Tick, _ actions: inout [Action]
    ) {
        guard fault.rule != .chain else {
            // It continues another log than this one, which may have ended differently.
            if entry.index == log.entries.count, entry.index == acceptedCount { forkedFrom = epochStart }
            actions.append(.send(.want(from: wantedFrom), to: sender))
            return
        }
        guard let signer = log.signer(of: entry), let author = log.genesis.seat(of: signer) else {
            guard !isRelayed else { return }
            let text = "seat \(sender) sent entry \(entry.index) without the sequencer's signature"
            distrust(
                Misdeed(
                    seat: sender, .forgedSignature, index: entry.index, text, evidence: [entry.encoded]),
                at: now, &actions)
            return
        }
        distrust(
            Misdeed(
                seat: author, .illegalEntry, index: entry.index, fault.message, evidence: [entry.encoded]),
            at: now, &actions)
    }

    /// Whether one seat signed both of two entries with one index, which proves that it lies.
    ///
    /// Then that is named, spread, and the seat trusted no longer.
    mutating func showTwo(_ one: Entry, _ other: Entry, at now: Tick, _ actions: inout [Action]) -> Bool {
        guard let peer = log.signer(of: one), peer == log.signer(of: other),
            let author = log.genesis.seat(of: peer), author != seat, !one.isAloneEnd, !other.isAloneEnd
        else { return false }
        let isNew = distrust(
            Misdeed(
                seat: author, .twoEntries, index: one.index,
                "seat \(author) signed two entries \(one.index)",
                evidence: [one.encoded, other.encoded]), at: now, &actions)
        guard isNew else { return true }
        if author == log.state.sequencer { forkedFrom = epochStart }
        return true
    }

    /// Takes two entries of one index, as whoever has both passes them on.
    mutating func takesProof(_ entries: [Entry], at now: Tick, _ actions: inout [Action]) -> Bool {
        guard entries.count == 2, entries[0].index == entries[1].index, entries[0].hash != entries[1].hash
        else { return false }
        return showTwo(entries[0], entries[1], at: now, &actions)
    }

    /// Names what a seat did, and trusts it no longer to order entries; where no quorum is left without it,
    /// this copy ends.
    ///
    /// Returns whether it was not named for this before.
    @discardableResult
    mutating func distrust(_ misdeed: Misdeed, at now: Tick, _ actions: inout [Action]) -> Bool {
        let isNew = blame(misdeed, &actions)
        if isNew, let proof = proof(of: misdeed) { actions.append(.broadcast(proof)) }
        guard !distrusted.contains(misdeed.seat) else { return isNew }
        distrusted.insert(misdeed.seat)
        guard !isStopped else { return isNew }
        if !accepted.isQuorum(seats { !distrusted.contains($0) }) { endAlone(at: now, &actions) }
        return isNew
    }

    /// The entries that show what a seat did, where they alone convince whoever has the log.
    private func proof(of misdeed: Misdeed) -> MatchMessage? {
        guard misdeed.kind.isProvable else { return nil }
        return .entries(misdeed.evidence.compactMap(Entry.init(decoding:)))
    }

    /// A seat follows the sequencer: it may not know what this one does.
    func passProofOn(to other: Int, _ actions: inout [Action]) {
        let sequencer = log.state.sequencer
        guard distrusted.contains(sequencer), other != sequencer,
            let proof = misdeeds.lazy.filter({ $0.seat == sequencer }).compactMap(proof).first
        else { return }
        actions.append(.send(proof, to: other))
    }

    /// Names what a seat did, once for each kind of thing, and will show it in the log; returns whether that
    /// is new.
    @discardableResult
    mutating func blame(_ misdeed: Misdeed, _ actions: inout [Action]) -> Bool {
        guard accuse(misdeed) else { return false }
        actions.append(.notice(.fault(misdeed)))
        return true
    }

    /// Will show in the log what a seat did; returns whether that is new.
    @discardableResult
    mutating func accuse(_ misdeed: Misdeed) -> Bool {
        guard !misdeeds.contains(where: { $0.seat == misdeed.seat && $0.kind == misdeed.kind }) else {
            return false
        }
        misdeeds.append(misdeed)
        return true
    }

    /// What this seat has to show in the log, as far as nobody has shown it and it fits an entry.
    var nextAccusation: EntryBody? {
        guard !misdeeds.isEmpty, !isLeaderless, accepted.seats[seat].faults < Limits.faultsMax,
            let misdeed = misdeeds.first(where: { !isShown($0) })
        else { return nil }
        let fits = misdeed.evidence.allSatisfy { $0.count <= Limits.evidenceBytesMax }
        guard fits || !misdeed.kind.isProvable else { return nil }
        return .fault(seat: misdeed.seat, kind: misdeed.kind, evidence: fits ? misdeed.evidence : [])
    }

    private func isShown(_ misdeed: Misdeed) -> Bool {
        shown.contains { $0.seat == misdeed.seat && $0.kind == misdeed.kind }
    }
}
