internal import ParlorGames

// What every seat's machine does: propose, store, accept.
extension MatchMachine {
    // MARK: Proposing

    /// The player of this seat does something.
    mutating func act(
        _ action: Value, _ id: RequestID, by seat: Int, at now: Tick, _ actions: inout [Action]
    ) {
        do throws(Refusal) {
            guard seat == self.seat || drivenBots.contains(seat) else {
                throw Refusal(.notInMatch, "seat \(seat) is no bot that is played here")
            }
            guard accepted.phase != .ended else { throw Refusal(.matchEnded, "the match is over") }
            guard accepted.seats[seat].status != .left else {
                throw Refusal(.notInMatch, "your seat has left this match")
            }
            guard let game = accepted.game else {
                throw Refusal(.illegalMove, "it is still being drawn who begins")
            }
            let move = try game.move(
                for: action, by: seat, secrets: secrets(of: vault(of: seat)), at: time(at: now))
            propose(.move(move), by: seat, for: id, at: now, &actions)
        } catch {
            actions.append(.reply(id, .failure(.match(error))))
        }
    }

    /// Signs a proposal and hands it to the sequencer, which may be this machine.
    mutating func propose(
        _ body: EntryBody, by seat: Int, for id: RequestID?, at now: Tick, _ actions: inout [Action]
    ) {
        // Beyond the player's actions there is always room to leave, and for what the machine owes.
        let isAct = if case .move = body { id != nil } else { false }
        guard
            pending.count(where: { $0.proposal.author == .seat(seat) })
                < (isAct ? Limits.actsMax : Limits.actsMax + 2)
        else {
            if let id { actions.append(.reply(id, .failure(.busy))) }
            return
        }
        counters[seat] = max(counters[seat], log.state.counter(of: .seat(seat))) + 1
        let proposal = Proposal(
            match: match, author: .seat(seat), counter: counters[seat], seenIndex: acceptedCount - 1,
            seenHash: log.hash(at: acceptedCount - 1) ?? log.genesis.hash, body: body, signer: signer)
        let deadline = now + .milliseconds(Limits.actMilliseconds)
        pending.append(PendingProposal(proposal: proposal, id: id, deadline: deadline))
        if isSequencer {
            noteArrival(of: proposal, at: now)
            queue.append(proposal)
        } else if isCall(proposal) {
            // All see that there was a call, whatever becomes of it.
            actions.append(.broadcast(.propose(proposal)))
        } else if log.state.sequencer != self.seat {
            actions.append(.send(.propose(proposal), to: log.state.sequencer))
        }
    }

    /// Proposes what this seat's machine owes by itself; returns whether there was anything.
    mutating func doDuty(at now: Tick, _ actions: inout [Action]) -> Bool {
        guard accepted.phase != .ended else { return false }
        if accepted.seats[seat].status == .active { giveLink(at: now, &actions) }
        var hasMore = false
        if doDuty(of: seat, at: now, &actions) { hasMore = true }
        guard !bots.isEmpty else { return hasMore }
        for bot in drivenBots where doDuty(of: bot, at: now, &actions) { hasMore = true }
        return hasMore
    }

    private mutating func doDuty(of seat: Int, at now: Tick, _ actions: inout [Action]) -> Bool {
        guard accepted.seats[seat].status == .active,
            !pending.contains(where: { $0.id == nil && $0.proposal.author == .seat(seat) }),
            dutyRefusedAt.isEmpty || dutyRefusedAt[seat].map({ acceptedCount > $0 }) ?? true,
            let body = due(of: seat) ?? (seat == self.seat ? nextAccusation : nil)
        else { return false }
        propose(body, by: seat, for: nil, at: now, &actions)
        return true
    }

    /// What a seat owes; this peer's own is looked at once for what is accepted, of which all of it follows.
    private mutating func due(of seat: Int) -> EntryBody? {
        guard seat != self.seat || !owesNothing else { return nil }
        let body = duty(of: seat)
        if seat == self.seat { owesNothing = body == nil }
        return body
    }

    private func duty(of seat: Int) -> EntryBody? {
        if accepted.seats[seat].chainEnd.isEmpty {
            let vault = vault(of: seat)
            return .chain(
                end: vault.chainEnd, boxKey: vault.boxPublicKey, vault: vault.sealed(identity: identity))
        }
        if accepted.phase == .drawing {
            guard accepted.draw.owing.contains(seat) else { return nil }
            let round = accepted.draw.round
            let nonce = vault(of: seat).nonce(round: round)
            if accepted.draw.isRevealing { return .reveal(round: round, nonce: nonce) }
            return .commit(
                round: round,
                commitment: Draw.commitment(match: match, round: round, seat: seat, nonce: nonce))
        }
        return accepted.game?.duty(of: seat, secrets: secrets(of: vault(of: seat))).map { .move($0) }
    }

    /// Sends this seat's link of the joint draw that is on, once its beginning is accepted.
    private mutating func giveLink(at now: Tick, _ actions: inout [Action]) {
        guard let open = accepted.openDraw, open.draw > linkSentFor, open.seats.contains(seat),
            !open.began(with: seat)
        else { return }
        linkSentFor = open.draw
        let link = SeatLink(seat: seat, link: vault.link(open.draw))
        keep(link, draw: open.draw, at: now)
        actions.append(.broadcast(.link(draw: open.draw, link)))
    }

    mutating func keep(_ link: SeatLink, draw: Int, at now: Tick) {
        links.removeAll { $0.draw < accepted.lastDraw }
        guard !links.contains(where: { $0.draw == draw && $0.link.seat == link.seat }) else { return }
        links.append((draw, link, now))
    }

    /// Answers what has waited too long for a sequencer.
    mutating func expirePending(at now: Tick, _ actions: inout [Action]) {
        guard pending.contains(where: { $0.deadline <= now }) else { return }
        for waiting in pending where waiting.deadline <= now {
            if let id = waiting.id { actions.append(.reply(id, .failure(.timedOut))) }
        }
        pending.removeAll { $0.deadline <= now }
        guard isSequencerIdle(at: now) else { return }
        // No proof that it does so on purpose: it is not accused, but another has to take over.
        election.ended.insert(log.state.sequencer)
    }

    /// Follows a sequencer no longer that has ordered nothing for as long as a proposal may wait.
    ///
    /// That is when something was due of it, or others that hear it follow nobody.
    mutating func noticeIdle(at now: Tick) {
        let sequencer = log.state.sequencer
        let wait = Duration.milliseconds(Limits.actMilliseconds)
        guard sequencer != seat, now >= storedAt + wait, now >= heardSince[sequencer] + wait, !isLeaderless
        else { return }
        if isOverdue(at: time(at: now) - Limits.actMilliseconds), isSequencerIdle(at: now) {
            election.ended.insert(sequencer)
            return
        }
        let areOthersGone = reports.enumerated().contains { other, report in
            guard other != sequencer, other != seat, let report else { return false }
            return report.isLeaderless && report.seats.contains(sequencer)
        }
        if areOthersGone { election.ended.insert(sequencer) }
    }

    /// Whether something was due of the sequencer at a time on the match clock, by what is accepted here.
    private func isOverdue(at time: Int) -> Bool {
        let state = accepted
        if state.dueOutcomes != nil { return true }
        let grace = state.graceMilliseconds
        if state.seats.contains(where: { $0.status == .away && time >= $0.awaySince + grace }) { return true }
        if state.phase == .drawing { return time >= state.draw.since + Limits.drawMilliseconds }
        if let open = state.openDraw { return time >= open.since + Limits.linkMilliseconds }
        if let need = state.need, time >= need.notBefore { return true }
        return state.outlook.deadline.map { time >= $0 } ?? false
    }

    /// Whether the sequencer has let a proposal wait for as long as one may, and everything else too, though
    /// it and this seat hear enough others that it could go on.
    private func isSequencerIdle(at now: Tick) -> Bool {
        let sequencer = log.state.sequencer
        let wait = Duration.milliseconds(Limits.actMilliseconds)
        guard sequencer != seat, !isLeaderless, held == nil, now >= heardSince[sequencer] + wait,
            now >= storedAt + wait
        else { return false }
        let present = seats { other in
            guard other != seat, other != sequencer else { return true }
            guard here[other], !distrusted.contains(other), let report = reports[other] else {
                return here[other] && !distrusted.contains(other)
            }
            return report.seats.contains(sequencer) && !report.isLeaderless
        }
        return isQuorumFromAccepted(present)
    }

    // MARK: Receiving

    /// A seat's machine sent something.
    mutating func receive(_ message: MatchMessage, from sender: Int, at now: Tick, _ actions: inout [Action])
    {
        guard isOther(sender) else { return }
        if !here[sender] {
            heardSince[sender] = now
            // What comes first may have waited for as long as the link was silent.
            if sender == log.state.sequencer { clock.loosen(at: now) }
        }
        here[sender] = true
        switch message {
        case .genesis: actions.append(.send(.want(from: log.entries.count), to: sender))
        case .propose(let proposal): if isSequencer { enqueue(proposal, from: sender, at: now, &actions) }
        case .refuse(let counter, let refusal): refused(counter, refusal, from: sender, &actions)
        case .entries(let entries): store(entries, from: sender, at: now, &actions)
        case .stored(let index, let hash, let stateHash, let count, let epoch):
            markStored(
                index: index, hash: hash, by: sender, accepted: count, epoch: epoch, at: now, &actions)
            compare(index: index, hash: hash, stateHash: stateHash, of: sender, &actions)
        case .link(let draw, let link): take(link, of: draw, from: sender, at: now, &actions)
        case .want(let index): answerWant(from: index, of: sender, at: now, &actions)
        case .ask(let epoch): asked(epoch, by: sender, at: now, &actions)
        case .vote(let vote, let count): receive(vote, accepted: count, from: sender, &actions)
        case .hearing(let hearing):
            reports[sender] = hearing
            reportedAt[sender] = now
            if !hearing.isLeaderless { passProofOn(to: sender, &actions) }
        case .promised(let epoch): learn(ofEpoch: epoch)
        case .clock(let epoch, let zero): learnClock(epoch: epoch, zero: zero, from: sender)
        }
    }

    private mutating func take(
        _ link: SeatLink, of draw: Int, from sender: Int, at now: Tick, _ actions: inout [Action]
    ) {
        guard draw >= accepted.lastDraw, draw <= accepted.lastDraw + 1,
            log.genesis.seats.indices.contains(link.seat)
        else { return }
        guard accepted.holds(link, draw: draw) else {
            // Before its chain is accepted here nothing can be said of its links.
            guard !isRelayed, !accepted.seats[link.seat].chainEnd.isEmpty else { return }
            let text =
                "seat \(sender) sent a link of draw \(draw) that does not fit the chain of seat \(link.seat)"
            blame(Misdeed(seat: sender, .wrongLink, text), &actions)
            return
        }
        keep(link, draw: draw, at: now)
    }

    /// Sends the entries that a seat lacks, so often a second.
    mutating func answerWant(from index: Int, of sender: Int, at now: Tick, _ actions: inout [Action]) {
        var answered = self.answered[sender] ?? (count: 0, since: now)
        if now >= answered.since + .seconds(1) { answered = (0, now) }
        guard answered.count < Limits.wantsMax else { return }
        answered.count += 1
        self.answered[sender] = answered
        if isSequencer { actions.append(.send(clockMessage, to: sender)) }
        sendEntries(from: index, to: sender, &actions)
    }

    private mutating func refused(
        _ counter: Int, _ refusal: Refusal, from sender: Int, _ actions: inout [Action]
    ) {
        guard sender == log.state.sequencer else { return }
        // Its own copy has ended; if that was with a quorum, the end comes too.
        if refusal.reason == .matchEnded { election.ended.insert(sender) }
        settle(counter, of: seat, .failure(.match(refusal)), &actions)
    }

    /// Takes a proposal off the list of those that wait.
    mutating func settle(
        _ counter: Int, of seat: Int, _ result: Result<Int, MatchRefusal>, _ actions: inout [Action]
    ) {
        guard let index = pending.firstIndex(where: { $0.isProposal(counter, by: seat) }) else { return }
        let waiting = pending.remove(at: index)
        if let id = waiting.id {
            actions.append(.reply(id, result))
        } else if case .failure(let refusal) = result {
            dutyRefusedAt[seat] = waiting.proposal.seenIndex + 1
            if case .match(let refusal) = refusal { actions.append(.notice(.refused(refusal))) }
        }
    }

    func sayStored(_ actions: inout [Action]) {
        guard tailEpoch == election.promised, let lastStored else { return }
        actions.append(.broadcast(lastStored))
    }

    /// What this machine has stored; `nil` before the first entry.
    var lastStored: MatchMessage? {
        let index = log.entries.count - 1
        guard index >= 0 else { return nil }
        return .stored(
            index: index, hash: log.head, stateHash: stateHashes[index], accepted: acceptedCount,
            epoch: tailEpoch)
    }

    private mutating func markStored(
        index: Int, hash: [UInt8], by sender: Int, accepted count: Int, epoch: Int, at now: Tick,
        _ actions: inout [Action]
    ) {
        election.highestSeen = max(election.highestSeen, epoch)
        guard index >= acceptedCount else {
            if log.hash(at: index) != hash, epoch == tailEpoch { showOwn(index, to: sender, &actions) }
            return
        }
        guard index < log.entries.count else {
            // What one seat says may come by two ways, and the older word last.
            if storedEarly[sender].map({ $0.index < index }) ?? true { storedEarly[sender] = (index, hash) }
            if sender == log.state.sequencer || isLeaderless || epoch > tailEpoch
                || held != nil && held?.sender == sender
            {
                actions.append(.send(.want(from: wantedFrom), to: sender))
            }
            return
        }
        guard log.hash(at: index) == hash else {
            // Where an epoch ended in between, the one or the other gives way; within one, something is
            // wrong, though only two entries with the sequencer's signature would show who of them is.
            if epoch == election.promised, epoch == tailEpoch {
                actions.append(.notice(.desync(seat: sender, entry: index)))
                showOwn(index, to: sender, &actions)
            } else if epoch > tailEpoch {
                actions.append(.send(.want(from: wantedFrom), to: sender))
            }
            return
        }
        if log.state.phase == .ended, sender == election.votedFor, epoch == election.promised,
            index == log.entries.count - 1, epoch > tailEpoch
        {
            election.confirmed = epoch
            sayStored(&actions)
        }
        guard epoch == election.promised else {
            return believe(count, of: sender, upTo: index, at: now, &actions)
        }
        for place in 0...(index - acceptedCount) { storedBy[place].insert(sender) }
        believe(count, of: sender, upTo: index, at: now, &actions)
    }

    /// Sends an entry to a seat that has another in its place: who has both knows who signed both.
    func showOwn(_ index: Int, to seat: Int, _ actions: inout [Action]) {
        guard log.entries.indices.contains(index), !log.entries[index].isAloneEnd else { return }
        actions.append(.send(.entries([log.entries[index]]), to: seat))
    }

    /// A seat has accepted so much of what is stored here: enough, where those who are known to have stored
    /// it are a quorum by the seats that are left after it.
    private mutating func believe(
        _ count: Int, of sender: Int, upTo index: Int, at now: Tick, _ actions: inout [Action]
    ) {
        let last = min(count, index + 1)
        guard last > acceptedCount, !distrusted.contains(sender) else { return }
        let place = last - 1 - acceptedCount
        storedBy[place].insert(sender)
        guard snapshots[place].isQuorum(storedBy[place]) else { return }
        for _ in 0...place where !isStopped { acceptNext(at: now, &actions) }
    }

    /// Compares the state's hash with that of another seat.
    mutating func compare(
        index: Int, hash: [UInt8], stateHash: [UInt8]?, of sender: Int, _ actions: inout [Action]
    ) {
        guard let stateHash, let own = stateHashes[index], log.hash(at: index) == hash, stateHash != own
        else {
            return
        }
        actions.append(.notice(.desync(seat: sender, entry: index)))
        let text = "seat \(sender) has another state after entry \(index) of the same log"
        accuse(Misdeed(seat: sender, .desync, index: index, text))
    }

    mutating func violation(_ text: String, _ actions: inout [Action]) {
        actions.append(.notice(.violation(text)))
        isStopped = true
        for waiting in pending {
            if let id = waiting.id {
                actions.append(.reply(id, .failure(.match(Refusal(.matchEnded, "the match broke: \(text)")))))
            }
        }
        pending = []
        actions.append(.arm(nil))
    }
}
