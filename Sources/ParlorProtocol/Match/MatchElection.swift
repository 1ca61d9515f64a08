internal import ParlorGames

/// What a machine knows of who orders the entries, beside the log.
struct Election: Sendable {
    /// The highest epoch that this seat voted for or follows; it acknowledges nothing of a lower one.
    var promised = 0
    /// The highest epoch that any seat is known to have voted for.
    var highestSeen = 0
    /// Whom this seat voted for in ``promised``.
    var votedFor: Int?
    /// Whether others follow a higher epoch than the one this seat orders.
    var isDeposed = false
    /// Whether this seat has all that it ever acknowledged; it votes and orders only then.
    var isCaughtUp: Bool
    /// What this seat had acknowledged when its copy was ended: of which epoch, and how many entries.
    ///
    /// A seat that goes on from there is not caught up before it has as much.
    var forgotten: (epoch: Int, count: Int)?
    /// The epoch in which a log that ends was confirmed: nothing can follow its end.
    var confirmed: Int?
    /// Since when there is no sequencer to follow.
    var leaderlessSince: Tick?
    /// The seat's own candidacy.
    var candidacy: Candidacy?
    /// Before this the seat does not ask for votes.
    var askAt: Tick?
    /// Sequencers that have ended their copy alone.
    var ended = SeatSet()

    init(isCaughtUp: Bool) { self.isCaughtUp = isCaughtUp }

    /// Asking for votes.
    struct Candidacy: Sendable {
        let epoch: Int
        let until: Tick
        var votes: [Vote]
        /// The most entries that a voter has accepted.
        var accepted: Int
    }
}

// Who orders the entries next, when the one who did is gone. See PROTOCOL.md, "Hand-over".
extension MatchMachine {
    /// The epoch of what is stored last.
    var tailEpoch: Int { max(log.state.epoch, election.confirmed ?? 0) }

    /// Whether there is no sequencer that this seat could follow.
    var isLeaderless: Bool {
        let sequencer = log.state.sequencer
        if election.promised > tailEpoch { return true }
        guard sequencer != seat else { return election.isDeposed || !election.isCaughtUp }
        return !here[sequencer] || log.state.seats[sequencer].status == .left
            || distrusted.contains(sequencer) || election.ended.contains(sequencer)
            || reports[sequencer]?.isLeaderless ?? false
    }

    /// The states by which it is counted whether seats are enough: that of the last entry known to be
    /// accepted, and those of all after it, of which one or another may be.
    func states(from count: Int) -> [MatchState] {
        let first = max(0, count - acceptedCount)
        return first == 0 ? [accepted] + snapshots : Array(snapshots.dropFirst(first - 1))
    }

    /// Whether seats are enough by the state of the last accepted entry and those of all after it.
    func isQuorumFromAccepted(_ seats: SeatSet) -> Bool {
        accepted.isQuorum(seats) && snapshots.indices.allSatisfy { snapshots[$0].isQuorum(seats) }
    }

    /// The seats that are here, this one among them.
    var present: SeatSet {
        var seats = SeatSet()
        for other in here.indices where here[other] || other == seat { seats.insert(other) }
        return seats
    }

    /// The seats of the match of which something is so; the closure costs a copy of the machine.
    func seats(where isMeant: (Int) -> Bool) -> SeatSet {
        var seats = SeatSet()
        for seat in here.indices where isMeant(seat) { seats.insert(seat) }
        return seats
    }

    /// Asks for votes when it is this seat's turn to; returns whether it orders the entries now.
    mutating func elect(at now: Tick, _ actions: inout [Action]) -> Bool {
        guard isLeaderless else {
            election.leaderlessSince = nil
            election.candidacy = nil
            return false
        }
        election.leaderlessSince = election.leaderlessSince ?? now
        if win(at: now, &actions) { return true }
        if let candidacy = election.candidacy, candidacy.until <= now {
            election.candidacy = nil
            election.askAt = now + candidateWait
        }
        guard election.candidacy == nil, election.isCaughtUp, let askTime, askTime <= now,
            mayFindQuorum
        else { return false }
        ask(at: now, &actions)
        return win(at: now, &actions)
    }

    /// The seats below this one that are here go first, one after the other.
    private var candidateWait: Duration {
        let before = (0..<seat).count { log.state.isVoter($0) && here[$0] && !distrusted.contains($0) }
        return .milliseconds(before * Limits.candidateMilliseconds)
    }

    /// When this seat may ask; `nil` when it may not.
    var askTime: Tick? {
        guard log.state.isVoter(seat), let since = election.leaderlessSince else { return nil }
        return max(since + candidateWait, election.askAt ?? since)
    }

    /// Whether those who say that they follow nobody would be enough.
    var mayFindQuorum: Bool {
        let likely = seats { $0 == seat || here[$0] && reports[$0]?.isLeaderless ?? false }
        return isQuorumFromAccepted(likely)
    }

    private mutating func ask(at now: Tick, _ actions: inout [Action]) {
        let epoch = max(election.promised, election.highestSeen, tailEpoch) + 1
        guard epoch <= Limits.epochMax else { return }
        let own = vote(for: seat, in: epoch)
        promise(epoch, to: seat, &actions)
        election.candidacy = Election.Candidacy(
            epoch: epoch, until: now + .milliseconds(Limits.votesMilliseconds), votes: [own],
            accepted: acceptedCount)
        actions.append(.broadcast(.ask(epoch: epoch)))
    }

    private func vote(for candidate: Int, in epoch: Int) -> Vote {
        Vote(
            match: match, seat: seat, epoch: epoch, candidate: candidate, lastEpoch: tailEpoch,
            length: log.entries.count, signer: signer)
    }

    private mutating func promise(_ epoch: Int, to candidate: Int, _ actions: inout [Action]) {
        election.promised = epoch
        election.votedFor = candidate
        actions.append(.store(.promise(epoch: epoch)))
    }

    // MARK: Votes

    /// A seat asks for this one's vote.
    mutating func asked(_ epoch: Int, by candidate: Int, at now: Tick, _ actions: inout [Action]) {
        election.highestSeen = max(election.highestSeen, epoch)
        guard !distrusted.contains(candidate) else { return }
        guard log.state.isVoter(seat) else {
            // It has left and votes no more, but the others may not know yet that they are enough without it.
            if let lastStored { actions.append(.send(lastStored, to: candidate)) }
            return
        }
        guard election.isCaughtUp, log.state.isVoter(candidate) else { return }
        if epoch <= election.promised {
            if epoch < election.promised || election.votedFor != candidate {
                actions.append(.send(.promised(epoch: election.promised), to: candidate))
            }
            return
        }
        guard isLeaderless else { return }
        let vote = vote(for: candidate, in: epoch)
        promise(epoch, to: candidate, &actions)
        election.candidacy = nil
        election.askAt = now + .milliseconds(Limits.voterMilliseconds) + candidateWait
        actions.append(.send(.vote(vote, accepted: acceptedCount), to: candidate))
    }

    /// A seat votes for this one.
    mutating func receive(_ vote: Vote, accepted count: Int, from sender: Int, _ actions: inout [Action]) {
        guard let candidacy = election.candidacy, vote.epoch == candidacy.epoch, vote.candidate == seat,
            vote.seat == sender, !candidacy.votes.contains(where: { $0.seat == sender }),
            !distrusted.contains(sender), log.isSigned(vote)
        else { return }
        election.candidacy?.votes.append(vote)
        election.candidacy?.accepted = max(candidacy.accepted, count)
        if (vote.lastEpoch, vote.length) > (tailEpoch, log.entries.count) {
            actions.append(.send(.want(from: wantedFrom), to: sender))
        }
    }

    /// A seat has voted for an epoch.
    mutating func learn(ofEpoch epoch: Int) {
        election.highestSeen = max(election.highestSeen, epoch)
        if log.state.sequencer == seat, epoch > tailEpoch { election.isDeposed = true }
    }

    /// Takes over once a quorum has voted and nothing is missing that one of them has.
    private mutating func win(at now: Tick, _ actions: inout [Action]) -> Bool {
        guard let candidacy = election.candidacy, election.promised == candidacy.epoch,
            candidacy.votes.allSatisfy({ ($0.lastEpoch, $0.length) <= (tailEpoch, log.entries.count) })
        else { return false }
        let voters = SeatSet(candidacy.votes.map(\.seat))
        guard candidacy.accepted <= log.entries.count,
            states(from: candidacy.accepted).allSatisfy({ $0.isQuorum(voters) })
        else { return false }
        election.candidacy = nil
        election.isDeposed = false
        guard log.state.phase != .ended else {
            // Nothing follows an end: that a quorum follows this seat has to be said beside the log.
            election.confirmed = candidacy.epoch
            spreadTail(&actions)
            if let lastStored { actions.append(.broadcast(lastStored)) }
            return true
        }
        let time = max(log.entries.last?.time ?? 0, self.time(at: now))
        clock.anchor(time, at: now)
        // Who owed the one before something has to give it to this seat first.
        heldUpUntil = max(heldUpUntil, time)
        let votes = candidacy.votes.filter { log.state.isVoter($0.seat) }
            .sorted { $0.seat < $1.seat }
        appendOwn(
            .sequencer(seat: seat, epoch: candidacy.epoch, clock: time, votes: votes), at: time, &actions)
        sequencerChanged(&actions)
        return true
    }

    /// Sends what is stored and not accepted to all, who may have something else in its place.
    func spreadTail(_ actions: inout [Action]) {
        let tail = Array(log.entries.dropFirst(acceptedCount))
        if !tail.isEmpty { actions.append(.broadcast(.entries(tail))) }
    }

    /// The log has another sequencer from now on, stored if not accepted.
    mutating func sequencerChanged(_ actions: inout [Action]) {
        election.promised = max(election.promised, log.state.epoch)
        election.candidacy = nil
        election.askAt = nil
        election.isDeposed = false
        election.ended = []
        forkedFrom = nil
        reports[log.state.sequencer]?.isLeaderless = false
        linkSentFor = 0
        drawSince?.isPassedOn = false
        dutyRefusedAt = [:]
        queue = []
        arrivals = []
        window = nil
        if isSequencer { actions.append(.broadcast(clockMessage)) }
        kicks = []
        held = nil
        dropBotsProposals(&actions)
        for waiting in pending {
            if isSequencer {
                queue.append(waiting.proposal)
            } else {
                actions.append(.send(.propose(waiting.proposal), to: log.state.sequencer))
            }
        }
    }

    // MARK: Whom this seat hears

    /// Says whom this seat hears and what it holds, if that has changed.
    mutating func report(at now: Tick, _ actions: inout [Action]) {
        let isLate = isDrawLate(at: now)
        guard isLate || !isReported else { return }
        if isLate { passLinksOn(&actions) }
        let hearing = Hearing(
            seats: present.seats,
            draw: isLate ? drawSince?.draw ?? 0 : 0,
            links: isLate ? links.filter { $0.draw == drawSince?.draw }.map(\.link.seat).sorted() : [],
            isLeaderless: isLeaderless)
        guard hearing != lastReport else { return }
        lastReport = hearing
        actions.append(.broadcast(.hearing(hearing)))
    }

    // Where these two are inlined into what changes the machine, a copy of all of it is made.
    @inline(never)
    private var isReported: Bool { lastReport.says(present, isLeaderless: isLeaderless) }

    @inline(never)
    private func isDrawLate(at now: Tick) -> Bool {
        guard let drawSince, accepted.openDraw?.draw == drawSince.draw else { return false }
        return now >= drawSince.at + .milliseconds(Limits.linkReportMilliseconds)
    }

    /// Whoever holds a link passes it on: the sequencer may lack what this seat has.
    private mutating func passLinksOn(_ actions: inout [Action]) {
        guard let draw = drawSince?.draw, drawSince?.isPassedOn == false else { return }
        drawSince?.isPassedOn = true
        guard log.state.sequencer != seat else { return }
        for held in links where held.draw == draw {
            actions.append(.send(.link(draw: draw, held.link), to: log.state.sequencer))
        }
    }

    /// Whether a quorum hears a seat as little as this one.
    func isLostToQuorum(_ lost: Int) -> Bool {
        let lacking = seats { voter in
            guard voter != lost else { return false }
            return voter == seat || !(reports[voter]?.seats.contains(lost) ?? true)
        }
        return log.state.isQuorum(lacking)
    }

    /// Whether a quorum lacks a seat's link of a draw, and has said so a while ago.
    func isLinkMissing(_ draw: Int, of owner: Int, at now: Tick) -> Bool {
        let age = Duration.milliseconds(Limits.reportMilliseconds)
        let lacking = seats { voter in
            guard voter != owner else { return false }
            guard voter != seat else { return true }
            guard let report = reports[voter], report.draw == draw, now >= reportedAt[voter] + age else {
                return false
            }
            return !report.links.contains(owner)
        }
        return log.state.isQuorum(lacking)
    }
}
