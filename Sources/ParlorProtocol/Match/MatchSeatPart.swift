internal import ParlorGames

// What every seat's machine does: propose, store, accept.
extension MatchMachine {
    // MARK: Proposing

    /// The player of this seat does something.
    mutating func act(_ action: Value, _ id: RequestID, at now: Tick, _ actions: inout [Action]) {
        do throws(Refusal) {
            guard accepted.phase != .ended else { throw Refusal(.matchEnded, "the match is over") }
            guard accepted.seats[seat].status != .left else {
                throw Refusal(.notInMatch, "your seat has left this match")
            }
            guard let game = accepted.game else {
                throw Refusal(.illegalMove, "it is still being drawn who begins")
            }
            let move = try game.move(for: action, by: seat, secrets: secrets, at: time(at: now))
            propose(.move(move), for: id, at: now, &actions)
        } catch {
            actions.append(.reply(id, .failure(.match(error))))
        }
    }

    /// Signs a proposal and hands it to the sequencer, which may be this machine.
    mutating func propose(_ body: EntryBody, for id: RequestID?, at now: Tick, _ actions: inout [Action]) {
        // Beyond the player's actions there is always room to leave, and for what the machine owes.
        let isAct = if case .move = body { id != nil } else { false }
        guard pending.count < (isAct ? Limits.actsMax : Limits.actsMax + 2) else {
            if let id { actions.append(.reply(id, .failure(.busy))) }
            return
        }
        counter = max(counter, log.state.counter(of: .seat(seat))) + 1
        let proposal = Proposal(
            match: match, author: .seat(seat), counter: counter, seenIndex: acceptedCount - 1,
            seenHash: log.hash(at: acceptedCount - 1) ?? log.genesis.hash, body: body, signer: signer)
        let deadline = now + .milliseconds(Limits.actMilliseconds)
        pending.append(PendingProposal(proposal: proposal, id: id, deadline: deadline))
        if isSequencer {
            queue.append(proposal)
        } else {
            actions.append(.send(.propose(proposal), to: log.state.sequencer))
        }
    }

    /// Proposes what this seat's machine owes by itself; returns whether there was anything.
    mutating func doDuty(at now: Tick, _ actions: inout [Action]) -> Bool {
        guard accepted.phase != .ended, accepted.seats[seat].status == .active else { return false }
        giveLink(&actions)
        guard !pending.contains(where: { $0.id == nil }), dutyRefusedAt.map({ acceptedCount > $0 }) ?? true,
            let body = duty
        else { return false }
        propose(body, for: nil, at: now, &actions)
        return true
    }

    private var duty: EntryBody? {
        let me = accepted.seats[seat]
        if me.chainEnd.isEmpty {
            return .chain(
                end: vault.chainEnd, boxKey: vault.boxPublicKey, vault: vault.sealed(identity: identity))
        }
        if accepted.phase == .drawing {
            guard accepted.draw.owing.contains(seat) else { return nil }
            let round = accepted.draw.round
            let nonce = vault.nonce(round: round)
            if accepted.draw.isRevealing { return .reveal(round: round, nonce: nonce) }
            return .commit(
                round: round,
                commitment: Draw.commitment(match: match, round: round, seat: seat, nonce: nonce))
        }
        return accepted.game?.duty(of: seat, secrets: secrets).map { .move($0) }
    }

    /// Sends this seat's link of the joint draw that is on, once its beginning is accepted.
    private mutating func giveLink(_ actions: inout [Action]) {
        guard let open = accepted.openDraw, open.draw > linkSentFor, open.seats.contains(seat),
            open.link?.seat != seat
        else { return }
        linkSentFor = open.draw
        let link = SeatLink(seat: seat, link: vault.link(open.draw))
        keep(link, draw: open.draw)
        actions.append(.broadcast(.link(draw: open.draw, link)))
    }

    mutating func keep(_ link: SeatLink, draw: Int) {
        links.removeAll { $0.draw < accepted.lastDraw }
        guard !links.contains(where: { $0.draw == draw && $0.link.seat == link.seat }) else { return }
        links.append((draw, link))
    }

    /// Answers what has waited too long for a sequencer.
    mutating func expirePending(at now: Tick, _ actions: inout [Action]) {
        for waiting in pending where waiting.deadline <= now {
            if let id = waiting.id { actions.append(.reply(id, .failure(.timedOut))) }
        }
        pending.removeAll { $0.deadline <= now }
    }

    // MARK: Receiving

    /// A seat's machine sent something.
    mutating func receive(_ message: MatchMessage, from sender: Int, at now: Tick, _ actions: inout [Action])
    {
        guard log.genesis.seats.indices.contains(sender), sender != seat else { return }
        here[sender] = true
        switch message {
        case .genesis: actions.append(.send(.want(from: log.entries.count), to: sender))
        case .propose(let proposal): if isSequencer { enqueue(proposal, from: sender, &actions) }
        case .refuse(let counter, let refusal): refused(counter, refusal, from: sender, &actions)
        case .entries(let entries): store(entries, from: sender, at: now, &actions)
        case .stored(let index, let hash, let stateHash):
            markStored(index: index, hash: hash, by: sender, &actions)
            compare(index: index, hash: hash, stateHash: stateHash, of: sender, &actions)
        case .link(let draw, let link):
            guard draw >= accepted.lastDraw, draw <= accepted.lastDraw + 1, accepted.holds(link, draw: draw)
            else { return }
            keep(link, draw: draw)
        case .want(let index): if isSequencer { sendEntries(from: index, to: sender, &actions) }
        }
    }

    private mutating func refused(
        _ counter: Int, _ refusal: Refusal, from sender: Int, _ actions: inout [Action]
    ) {
        guard sender == log.state.sequencer else { return }
        settle(counter, .failure(.match(refusal)), &actions)
    }

    /// Takes a proposal off the list of those that wait.
    mutating func settle(
        _ counter: Int, _ result: Result<Int, MatchRefusal>, _ actions: inout [Action]
    ) {
        guard let index = pending.firstIndex(where: { $0.proposal.counter == counter }) else { return }
        let waiting = pending.remove(at: index)
        if let id = waiting.id {
            actions.append(.reply(id, result))
        } else if case .failure(let refusal) = result {
            dutyRefusedAt = waiting.proposal.seenIndex + 1
            if case .match(let refusal) = refusal { actions.append(.notice(.refused(refusal))) }
        }
    }

    private mutating func store(
        _ entries: [Entry], from sender: Int, at now: Tick, _ actions: inout [Action]
    ) {
        guard sender == log.state.sequencer else { return }
        var isNew = false
        for entry in entries {
            if entry.index < log.entries.count, log.hash(at: entry.index) == entry.hash { continue }
            guard entry.index <= log.entries.count else {
                actions.append(.send(.want(from: log.entries.count), to: sender))
                break
            }
            if case .end(_, alone: true, _) = entry.proposal.body {
                // The sequencer had no quorum and ended its copy, perhaps in the place of an entry that it never
                // knew to be stored here; that says nothing about this copy, which can only do the same.
                return endAlone(at: now, &actions)
            }
            guard entry.index == log.entries.count else {
                return violation("there are two entries \(entry.index)", &actions)
            }
            do {
                try log.append(entry)
            } catch {
                return violation(error.message, &actions)
            }
            clock.heard(entry.time, at: now, isFirst: entry.index == 0)
            stored([seat, sender])
            isNew = true
        }
        if isNew || entries.last.map({ $0.index >= acceptedCount }) ?? false { sayStored(&actions) }
    }

    /// Notes that the last entry of the log is stored by these seats, and what others said beforehand.
    mutating func stored(_ seats: Set<Int>) {
        let index = log.entries.count - 1
        snapshots.append(log.state)
        storedBy.append(seats)
        if (index + 1).isMultiple(of: Limits.stateHashEntries) || log.state.phase == .ended {
            stateHashes[index] = log.state.hash
            stateHashes[index - 4 * Limits.stateHashEntries] = nil
        }
        for (seat, early) in storedEarly where early.index == index && early.hash == log.head {
            for place in storedBy.indices { storedBy[place].insert(seat) }
            storedEarly[seat] = nil
        }
        if case .chain(_, _, let sealed) = log.entries[index].proposal.body,
            log.entries[index].proposal.author == .seat(seat), sealed != vault.sealed(identity: identity),
            let old = SeatVault(seat: seat, match: match, sealed: sealed, identity: identity)
        {
            vault = old
        }
    }

    private func sayStored(_ actions: inout [Action]) {
        if let lastStored { actions.append(.broadcast(lastStored)) }
    }

    /// What this machine has stored; `nil` before the first entry.
    var lastStored: MatchMessage? {
        let index = log.entries.count - 1
        return index < 0 ? nil : .stored(index: index, hash: log.head, stateHash: stateHashes[index])
    }

    private mutating func markStored(
        index: Int, hash: [UInt8], by sender: Int, _ actions: inout [Action]
    ) {
        guard index >= acceptedCount else { return }
        guard index < log.entries.count else {
            // What one seat says may come by two ways, and the older word last.
            if storedEarly[sender].map({ $0.index < index }) ?? true { storedEarly[sender] = (index, hash) }
            return
        }
        guard log.hash(at: index) == hash else {
            // Unproven: only two entries, signed by the sequencer, would show who of them is wrong.
            actions.append(.notice(.desync(seat: sender, entry: index)))
            return
        }
        for place in 0...(index - acceptedCount) { storedBy[place].insert(sender) }
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
