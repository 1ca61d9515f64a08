internal import ParlorGames

// What the sequencer's machine does: put one entry after the other, each only once the one before is
// accepted.
extension MatchMachine {
    /// A seat wants an entry.
    mutating func enqueue(
        _ proposal: Proposal, from sender: Int, at now: Tick, _ actions: inout [Action]
    ) {
        guard proposal.author == .seat(sender) else { return }
        let isLogged =
            proposal.counter <= log.state.counter(of: proposal.author)
            && log.entries.lastIndex { $0.proposal == proposal } != nil
        guard !isLogged, !queue.contains(proposal), !isRelayed || log.isSigned(proposal) else { return }
        guard queue.count(where: { $0.author == proposal.author }) < Limits.actsMax + 2 else {
            return refuse(proposal, Refusal(.illegalMove, "too many proposals wait already"), &actions)
        }
        noteArrival(of: proposal, at: now)
        queue.append(proposal)
    }

    /// Sends the entries from an index on, in messages of bounded size.
    func sendEntries(from index: Int, to seat: Int, _ actions: inout [Action]) {
        var batch: [Entry] = []
        var bytes = 0
        for entry in log.entries.dropFirst(index) {
            let size = entry.encoded.count
            if bytes + size > Limits.entriesMessageBytesMax, !batch.isEmpty {
                actions.append(.send(.entries(batch), to: seat))
                batch = []
                bytes = 0
            }
            batch.append(entry)
            bytes += size
        }
        if !batch.isEmpty { actions.append(.send(.entries(batch), to: seat)) }
    }

    /// Appends the next entry, if there is one to append; returns whether anything changed.
    mutating func sequence(at now: Tick, _ actions: inout [Action]) -> Bool {
        guard storedBy.isEmpty else {
            if let since = unacceptedSince, now >= since + graceAlone { endAlone(at: now, &actions) }
            return false
        }
        let time = max(log.entries.last?.time ?? 0, self.time(at: now))
        guard log.state.seats[seat].status != .left || log.state.dueOutcomes != nil else { return false }
        if log.state.hasWaitingCalls {
            switch nextOfWindow(at: time) {
            case .call(let proposal): return append(proposal, at: time, &actions)
            case .judge(let bounds): return append(.judge(bounds), at: time, &actions)
            case nil: return false
            }
        }
        if let body = dueBeforeProposals(at: time, now) { return append(body, at: time, &actions) }
        if isGameKeptWaiting, let body = dueAfterProposals(at: time) {
            return append(body, at: time, &actions)
        }
        if !queue.isEmpty {
            let proposal = queue.removeFirst()
            return append(proposal, at: time, &actions)
        }
        if let body = dueAfterProposals(at: time) { return append(body, at: time, &actions) }
        return false
    }

    /// How long an entry may wait for its quorum before the seats that are missing have had their grace.
    var graceAlone: Duration { .milliseconds(log.state.graceMilliseconds) }

    // MARK: What is due

    private mutating func dueBeforeProposals(at time: Int, _ now: Tick) -> EntryBody? {
        if let outcomes = log.state.dueOutcomes {
            return .end(outcomes: outcomes, alone: false, stateHash: log.state.hash)
        }
        if let bot = botToTakeOver(log.state) { return takeOver(bot, log.state) }
        while let seat = kicks.popLast() {
            if log.state.seats[seat].status != .left { return .left(seat: seat, reason: .kicked) }
        }
        for seat in log.state.seats.indices {
            let isHere = here[seat] || seat == self.seat
            switch log.state.seats[seat].status {
            case .active: if !isHere, isLostToQuorum(seat) { return .away(seat: seat) }
            case .away:
                if isHere { return .back(seat: seat) }
                let until = log.state.seats[seat].awaySince + log.state.graceMilliseconds
                if time >= until { return .left(seat: seat, reason: .grace) }
            case .left: break
            }
        }
        if log.state.phase == .drawing,
            time >= max(log.state.draw.since, heldUpUntil) + Limits.drawMilliseconds,
            let late = log.state.draw.owing.first(where: { $0 != seat })
        {
            return .left(seat: late, reason: .draw)
        }
        guard let open = log.state.openDraw else { return nil }
        return dueOfDraw(open, at: time, now)
    }

    private mutating func dueOfDraw(_ open: MatchState.OpenDraw, at time: Int, _ now: Tick)
        -> EntryBody?
    {
        let links = links  // so that no closure takes the machine with it
        let others = open.seats.filter { !open.began(with: $0) }
        let given = others.compactMap { seat in
            links.first { $0.draw == open.draw && $0.link.seat == seat }?.link
        }
        if given.count == others.count {
            return .open(draw: open.draw, links: given, revealAt: revealTime(after: time))
        }
        guard time >= max(open.since, heldUpUntil) + Limits.linkMilliseconds,
            let missing = others.first(where: { seat in
                !given.contains { $0.seat == seat } && isLinkMissing(open.draw, of: seat, at: now)
            })
        else { return nil }
        here[missing] = false  // until it is heard again
        return .withheld(draw: open.draw, seat: missing)
    }

    /// Whether so many moves came one after the other that what the game is due goes before the next.
    private var isGameKeptWaiting: Bool {
        let last = log.entries.suffix(Limits.movesBeforeGame)
        return last.count == Limits.movesBeforeGame
            && last.allSatisfy { if case .move = $0.proposal.body { true } else { false } }
    }

    private func dueAfterProposals(at time: Int) -> EntryBody? {
        if let need = log.state.need, time >= need.notBefore, log.state.openDraw == nil {
            guard need.among != nil else {
                guard time >= openingTime(need) else { return nil }
                return .open(draw: 0, links: [], revealAt: revealTime(after: time))
            }
            let draw = log.state.lastDraw + 1
            let seats = log.state.drawSeats(for: need)
            if draw <= Chance.chainLinks {
                let driven = seats.filter { log.state.seats[$0].driver == seat }
                return .draw(draw: draw, seats: seats, links: driven.map { vault(of: $0).link(draw) })
            }
        }
        if log.state.phase == .playing, let deadline = log.state.outlook.deadline, time >= deadline {
            return .expire
        }
        return nil
    }

    private func revealTime(after time: Int) -> Int {
        let delay = min(showingDelay, Limits.revealDelayMilliseconds - Limits.revealMarginMilliseconds)
        return time + delay + Limits.revealMarginMilliseconds
    }

    /// When an opening without links is made: a call that was pressed before it was due has come by then.
    ///
    /// To gather links takes long enough.
    private func openingTime(_ need: GameNeed) -> Int {
        need.notBefore + (log.state.outlook.hasCalls ? windowMilliseconds : 0)
    }

    /// When, on the match clock, something falls due that no message announces.
    var nextSequencerTime: Int? {
        guard storedBy.isEmpty else { return nil }
        if log.state.hasWaitingCalls { return window?.until }
        var next = Int.max
        if log.state.phase == .drawing {
            next = max(log.state.draw.since, heldUpUntil) + Limits.drawMilliseconds
        }
        if let since = log.state.openDraw?.since {
            next = min(next, max(since, heldUpUntil) + Limits.linkMilliseconds)
        } else if let need = log.state.need {
            next = min(next, need.among == nil ? openingTime(need) : need.notBefore)
        }
        if log.state.phase == .playing, let deadline = log.state.outlook.deadline {
            next = min(next, deadline)
        }
        for seat in log.state.seats.indices where log.state.seats[seat].status == .away {
            next = min(next, log.state.seats[seat].awaySince + log.state.graceMilliseconds)
        }
        return next == Int.max ? nil : next
    }

    // MARK: Appending

    private mutating func append(_ body: EntryBody, at time: Int, _ actions: inout [Action]) -> Bool {
        appendOwn(body, at: time, &actions)
        return true
    }

    /// Appends what the sequencer itself says.
    mutating func appendOwn(_ body: EntryBody, at time: Int, _ actions: inout [Action]) {
        sequencerCounter = max(sequencerCounter, log.state.sequencerCounter) + 1
        let proposal = Proposal(
            match: match, author: .sequencer, counter: sequencerCounter, seenIndex: log.entries.count - 1,
            seenHash: log.head, body: body, signer: signer)
        let entry = Entry(
            index: log.entries.count, previous: log.head, time: time, proposal: proposal, signer: signer)
        do {
            try log.append(entry, madeBy: signer.peer)
            follow(proposal, at: time)
            spread(entry, &actions)
        } catch {
            // A fault in the rules of one game must not take the other rooms down with it.
            violation("the sequencer's own '\(body.word)' breaks the rules: \(error.message)", &actions)
        }
    }

    private mutating func append(_ proposal: Proposal, at time: Int, _ actions: inout [Action]) -> Bool {
        let entry = Entry(
            index: log.entries.count, previous: log.head, time: time, proposal: proposal, signer: signer)
        do {
            try log.append(entry, madeBy: signer.peer)
            follow(proposal, at: time)
            spread(entry, &actions)
        } catch {
            if error.rule == .signature, case .seat(let author) = proposal.author {
                let text = "seat \(author) sent a proposal that it did not sign"
                blame(Misdeed(seat: author, .forgedSignature, text), &actions)
            }
            refuse(proposal, error.refusal ?? Refusal(.illegalMove, error.message), &actions)
        }
        return true
    }

    private mutating func spread(_ entry: Entry, _ actions: inout [Action]) {
        stored([seat])
        actions.append(.store(.entries(from: entry.index, [entry])))
        spreadTail(&actions)
        if log.state.phase == .ended || stateHashes[entry.index] != nil, let lastStored {
            actions.append(.broadcast(lastStored))
        }
    }

    private mutating func refuse(_ proposal: Proposal, _ refusal: Refusal, _ actions: inout [Action]) {
        guard case .seat(let author) = proposal.author else { return }
        arrivals.removeAll { $0.author == proposal.author && $0.counter <= proposal.counter }
        if author == seat || log.genesis.seats[author].bot {
            settle(proposal.counter, of: author, .failure(.match(refusal)), &actions)
        } else {
            actions.append(.send(.refuse(counter: proposal.counter, refusal), to: author))
        }
    }
}
