internal import ParlorCrypto
public import ParlorGames

extension MatchState {
    /// Applies what an entry says.
    ///
    /// Signatures, chain and counters are ``MatchLog``'s to check; this checks who may say it and when.
    /// - Parameters:
    ///   - body: What it says.
    ///   - author: Who says it.
    ///   - time: The entry's time, milliseconds on the match clock.
    /// - Throws: ``LogFault`` `illegal` or `incomplete`; the state is then unchanged.
    public mutating func apply(_ body: EntryBody, by author: Author, at time: Int) throws(LogFault) {
        guard phase != .ended else {
            throw LogFault(.incomplete, "the match has ended: nothing follows the end")
        }
        // Each of these looks whether it is allowed before it changes anything.
        switch author {
        case .seat(let seat): try apply(body, bySeat: seat, at: time)
        case .sequencer: try applySequencers(body, at: time)
        }
        settle(at: time)
    }

    private mutating func apply(_ body: EntryBody, bySeat seat: Int, at time: Int) throws(LogFault) {
        guard seats.indices.contains(seat), seats[seat].status != .left else {
            throw LogFault(Refusal(.notInMatch, "seat \(seat) is not in this match, or no longer"))
        }
        guard body.isSeats || isAloneEnd(body) else {
            throw LogFault(.illegal, "only the sequencer may say '\(body.word)'")
        }
        guard !isBot(seat) || body.isBots else {
            throw LogFault(.illegal, "seat \(seat) is a bot, for which nobody says '\(body.word)'")
        }
        if case .leave = body { return leave(seat, .asked, at: time) }
        if case .fault(let accused, let kind, _) = body {
            return try show(accused, kind, by: seat, at: time)
        }
        if case .end(let outcomes, true, let hash) = body {
            return try endAlone(outcomes, by: seat, stateHash: hash)
        }
        guard seats[seat].status == .active else {
            throw LogFault(.illegal, "seat \(seat) is away and must come back first")
        }
        switch body {
        case .chain(let end, let boxKey, let vault):
            guard seats[seat].chainEnd.isEmpty else {
                throw LogFault(.illegal, "seat \(seat) has its chain already")
            }
            seats[seat].give(chainEnd: end, boxKey: boxKey, vault: vault)
            boxKeys[seat] = boxKey
        case .commit(let round, let commitment):
            guard !seats[seat].chainEnd.isEmpty else { throw LogFault(.illegal, "the chain comes first") }
            try draw.commit(commitment, round: round, seat: seat, at: time)
        case .reveal(let round, let nonce):
            if try !draw.reveal(nonce, round: round, seat: seat, match: genesis.match, at: time) {
                // Its driver has a seat of its own to lose, and may not sacrifice the bot's in its place.
                guard !isBot(seat) else { throw LogFault(.illegal, "bot \(seat) reveals something else") }
                leave(seat, .falseDraw, at: time)
            }
        case .move(let datum):
            guard phase == .playing else {
                throw LogFault(Refusal(.illegalMove, "the draw is still on"))
            }
            try play(.move(seat: seat, datum), at: time)
        case .leave, .fault, .draw, .open, .expire, .judge, .away, .back, .left, .withheld, .sequencer,
            .driver, .end:
            throw LogFault(.illegal, "'\(body.word)' is not for seats to say")
        }
    }

    private mutating func applySequencers(_ body: EntryBody, at time: Int) throws(LogFault) {
        switch body {
        case .draw(let draw, let seats, let links):
            try begin(draw: draw, seats: seats, links: links, at: time)
        case .open(let draw, let links, let revealAt):
            try open(draw: draw, links: links, revealAt: revealAt, at: time)
        case .expire:
            guard phase == .playing, let deadline = outlook.deadline, time >= deadline else {
                throw LogFault(.illegal, "no deadline has passed")
            }
            try play(.expired, at: time)
        case .judge(let bounds):
            guard phase == .playing else { throw LogFault(.illegal, "no call waits to be judged") }
            try play(.judged(bounds), at: time)
        case .away(let seat):
            try requireStatus(.active, of: seat)
            try requirePerson(seat)
            setAway(seat, at: time)
        case .back(let seat):
            try requireStatus(.away, of: seat)
            if phase == .playing { try play(.back(seat: seat), at: time) }
            seats[seat].status = .active
        case .left(let seat, let reason):
            try checkLeft(seat, reason, at: time)
            leave(seat, Seat.Departure(reason), at: time)
        case .withheld(let draw, let seat): try withhold(draw: draw, seat: seat, at: time)
        case .sequencer(let seat, let epoch, let clock, let votes):
            guard clock == time else {
                throw LogFault(.illegal, "a new sequencer's clock is its entry's time")
            }
            try handOver(to: seat, epoch: epoch, votes: votes)
            // Links have to be given to it first.
            openDraw?.since = time
        case .driver(let seat, let peer, let end, let boxKey, let vault):
            try takeOver(seat, by: peer, end: end, boxKey: boxKey, vault: vault, at: time)
        case .end(let outcomes, let alone, let stateHash):
            guard !alone, let due = dueOutcomes, outcomes == due else {
                throw LogFault(.illegal, "the match is not over, or not like that")
            }
            guard stateHash == hash else {
                throw LogFault(.illegal, "the end's state hash is not this log's")
            }
            phase = .ended
            self.outcomes = outcomes
        case .chain, .commit, .reveal, .move, .leave, .fault:
            throw LogFault(.illegal, "'\(body.word)' is for seats to say")
        }
    }

    /// Whether calls wait to be judged.
    var hasWaitingCalls: Bool { phase == .playing && outlook.hasWaitingCalls }

    /// Begins the game once it is drawn, and forgets a joint draw that nobody waits for any more.
    private mutating func settle(at time: Int) {
        if phase == .drawing { beginGame(at: time) }
        if openDraw != nil { forgetDraw() }
    }

    private mutating func beginGame(at time: Int) {
        if phase == .drawing, !isCancelled, let first = draw.first, draw.seats.contains(first),
            remaining.allSatisfy({ !seats[$0].chainEnd.isEmpty }),
            let rules = Catalog.rules(genesis.game)
        {
            begin(
                rules.init(
                    GameSetup(
                        match: genesis.match.bytes, seats: seats.count, players: remaining, first: first,
                        options: genesis.options, words: words, chainEnds: seats.map(\.chainEnd),
                        startedAt: time, hash: Hash.blake2b256)))
            phase = .playing
            for seat in remaining where seats[seat].status == .away {
                try? tell(.away(seat: seat), at: time)
            }
        }
    }

    private mutating func forgetDraw() {
        guard let open = openDraw else { return }
        let need = need
        if need?.among == nil || need?.keptBy.map(open.seats.contains) ?? false { openDraw = nil }
    }

    private mutating func play(_ event: GameEvent, at time: Int) throws(LogFault) {
        do { try tell(event, at: time) } catch { throw LogFault(error) }
    }

    private func requireStatus(_ status: Seat.Status, of seat: Int) throws(LogFault) {
        guard seats.indices.contains(seat), seats[seat].status == status else {
            throw LogFault(.illegal, "seat \(seat) is not \(status.rawValue)")
        }
    }

    private func isBot(_ seat: Int) -> Bool { genesis.seats[seat].bot }

    /// A bot is here while its driver is, which orders the entries or is replaced.
    private func requirePerson(_ seat: Int) throws(LogFault) {
        guard !isBot(seat) else { throw LogFault(.illegal, "seat \(seat) is a bot: it is never away") }
    }
}

// MARK: - Sequencers

extension MatchState {
    /// Signatures and lengths of the votes are ``MatchLog``'s to check.
    private mutating func handOver(to seat: Int, epoch: Int, votes: [Vote]) throws(LogFault) {
        guard epoch > self.epoch, voters.contains(seat) else {
            throw LogFault(.illegal, "seat \(seat) cannot order entries in epoch \(epoch)")
        }
        let seats = votes.map(\.seat)
        guard seats == seats.sorted(), Set(seats).count == seats.count, Set(seats).isSubset(of: voters),
            isQuorum(SeatSet(seats))
        else { throw LogFault(.illegal, "no quorum has voted for seat \(seat) in epoch \(epoch)") }
        sequencer = seat
        self.epoch = epoch
    }

    /// The sequencer's peer plays a bot that another drove.
    ///
    /// A draw of who goes first begins again, for the nonce of the bot is lost; a joint draw goes on, for it
    /// began with the bot's link.
    private mutating func takeOver(
        _ seat: Int, by peer: PeerID, end: [UInt8], boxKey: [UInt8], vault: [UInt8], at time: Int
    ) throws(LogFault) {
        guard seats.indices.contains(seat), isBot(seat), seats[seat].status != .left,
            seats[seat].driver != sequencer, peer == self.peer(of: sequencer)
        else { throw LogFault(.illegal, "seat \(seat) is no bot that the sequencer has to take over") }
        if !boxKeys[seat].isEmpty { formerBoxKeys[seat].append(boxKeys[seat]) }
        seats[seat].driver = sequencer
        seats[seat].give(chainEnd: end, boxKey: boxKey, vault: vault)
        boxKeys[seat] = boxKey
        seats[seat].linkDraw = 0
        seats[seat].link = []
        if phase == .drawing, draw.first == nil, draw.seats.contains(seat) {
            draw.restart(among: remaining, at: time)
        }
        if phase == .playing { try? tell(.takenOver(seat: seat, chainEnd: end), at: time) }
    }

    /// That the evidence is a proof, where the kind allows one, is ``MatchLog``'s to check.
    private mutating func show(_ accused: Int, _ kind: Misdeed.Kind, by seat: Int, at time: Int)
        throws(LogFault)
    {
        guard seats.indices.contains(accused), accused != seat, !isBot(accused) else {
            throw LogFault(.illegal, "seat \(seat) cannot accuse seat \(accused)")
        }
        guard seats[seat].faults < Limits.faultsMax else {
            throw LogFault(.illegal, "seat \(seat) has shown \(Limits.faultsMax) faults already")
        }
        seats[seat].faults += 1
        if kind.isProvable, seats[accused].status != .left { leave(accused, .misdeed, at: time) }
    }
}

// MARK: - Seats that go

extension MatchState {
    private mutating func setAway(_ seat: Int, at time: Int) {
        seats[seat].status = .away
        seats[seat].awaySince = time
        forgetLink(of: seat)
        if phase == .playing { try? tell(.away(seat: seat), at: time) }
    }

    private mutating func leave(_ seat: Int, _ why: Seat.Departure, at time: Int) {
        remove(seat, why, at: time)
        // Bots do not go on among themselves.
        while voters.isEmpty, outlook.outcomes == nil, let bot = remaining.last {
            remove(bot, .noPeople, at: time)
        }
    }

    private mutating func remove(_ seat: Int, _ why: Seat.Departure, at time: Int) {
        seats[seat].status = .left
        seats[seat].departure = why
        forgetLink(of: seat)
        switch phase {
        case .drawing:
            if remaining.count < leastSeats || voters.isEmpty {
                isCancelled = true
            } else {
                draw.restart(among: remaining, at: time)
            }
        case .playing: try? tell(.left(seat: seat), at: time)
        case .ended: break
        }
    }

    /// A match of several seats needs two of them, also of a game that can be played alone.
    private var leastSeats: Int {
        let least = Catalog.rules(genesis.game)?.declaration.seats.lowerBound ?? Limits.seatsMax
        return max(least, min(seats.count, 2))
    }

    private mutating func forgetLink(of seat: Int) {
        guard openDraw?.began(with: seat) == false else { return }
        openDraw?.seats.removeAll { $0 == seat }
    }

    private func checkLeft(_ seat: Int, _ reason: EntryBody.LeftReason, at time: Int) throws(LogFault) {
        guard seats.indices.contains(seat), seats[seat].status != .left else {
            throw LogFault(.illegal, "seat \(seat) has left already")
        }
        switch reason {
        case .kicked: break
        case .grace:
            guard seats[seat].status == .away, time >= seats[seat].awaySince + graceMilliseconds else {
                throw LogFault(.illegal, "seat \(seat) has still time to come back")
            }
        case .draw:
            try requirePerson(seat)
            guard phase == .drawing, draw.owing.contains(seat), time >= draw.since + Limits.drawMilliseconds
            else {
                throw LogFault(.illegal, "seat \(seat) has still time to draw")
            }
        }
    }

    private func isAloneEnd(_ body: EntryBody) -> Bool {
        if case .end(_, let alone, _) = body { alone } else { false }
    }

    private mutating func endAlone(_ outcomes: [Outcome], by author: Int, stateHash: [UInt8]) throws(LogFault)
    {
        guard outcomes == aloneOutcomes(for: author), stateHash == hash else {
            throw LogFault(.illegal, "outcomes or state hash of an end alone are wrong")
        }
        phase = .ended
        endedAlone = true
        self.outcomes = outcomes
    }

    /// The outcomes of a seat that has to end its copy alone: whoever left has quit, the others ran out of
    /// time.
    public func aloneOutcomes(for seat: Int) -> [Outcome] {
        seats.indices.map { other in
            if seats[other].status == .left { return .quit }
            return other == seat ? .won : .timedOut
        }
    }
}

// MARK: - Chance

extension MatchState {
    private mutating func begin(draw: Int, seats: [Int], links: [[UInt8]], at time: Int) throws(LogFault) {
        guard let need, need.among != nil, openDraw == nil, draw == lastDraw + 1, draw <= Chance.chainLinks,
            time >= need.notBefore, !hasWaitingCalls
        else { throw LogFault(.illegal, "nobody waits for draw \(draw)") }
        guard seats == drawSeats(for: need) else {
            throw LogFault(.illegal, "draw \(draw) must have the links of all seats that are here")
        }
        let driven = seats.filter { self.seats[$0].driver == sequencer }
        let own = zip(driven, links).map { SeatLink(seat: $0, link: $1) }
        guard links.count == driven.count, own.allSatisfy({ holds($0, draw: draw) }) else {
            throw LogFault(.illegal, "the sequencer's links of draw \(draw) do not fit the chains")
        }
        guard seats.allSatisfy({ !isBot($0) || driven.contains($0) }) else {
            throw LogFault(.illegal, "the sequencer has to take the bots over first")
        }
        lastDraw = draw
        for link in own { note(link, draw: draw) }
        openDraw = OpenDraw(draw: draw, seats: seats, links: own, since: time)
    }

    private mutating func open(draw: Int, links: [SeatLink], revealAt: Int, at time: Int) throws(LogFault) {
        guard let need, time >= need.notBefore,
            (time...time + Limits.revealDelayMilliseconds).contains(revealAt)
        else { throw LogFault(.illegal, "nothing is to be opened now") }
        guard let among = need.among else {
            guard draw == 0, links.isEmpty else { throw LogFault(.illegal, "no chance is needed") }
            return try play(.opened(Opening(draw: 0, choice: nil, links: [], revealAt: revealAt)), at: time)
        }
        guard let open = openDraw, open.draw == draw else {
            throw LogFault(.illegal, "draw \(draw) is not open")
        }
        let all = (links + open.links).sorted { $0.seat < $1.seat }
        guard all.map(\.seat) == open.seats, links.allSatisfy({ holds($0, draw: draw) }) else {
            throw LogFault(.illegal, "the links of draw \(draw) do not fit the seats' chains")
        }
        let choice =
            need.keptBy == nil
            ? Chance.choose(
                among: among, match: genesis.match.bytes, draw: draw, links: all, hash: Hash.blake2b256) : nil
        try play(.opened(Opening(draw: draw, choice: choice, links: all, revealAt: revealAt)), at: time)
        openDraw = nil
        for link in links { note(link, draw: draw) }
    }

    private mutating func withhold(draw: Int, seat: Int, at time: Int) throws(LogFault) {
        guard let open = openDraw, open.draw == draw, open.seats.contains(seat), !open.began(with: seat),
            time >= open.since + Limits.linkMilliseconds
        else { throw LogFault(.illegal, "seat \(seat) owes no link of draw \(draw)") }
        seats[seat].withheld += 1
        if seats[seat].withheld >= Limits.withheldMax {
            leave(seat, .withheld, at: time)
        } else {
            setAway(seat, at: time)
        }
    }

    private mutating func note(_ link: SeatLink, draw: Int) {
        seats[link.seat].linkDraw = draw
        seats[link.seat].link = link.link
    }

    /// Whether a link is the seat's for the draw.
    ///
    /// A link of an earlier draw is on the way from this one to the end of the chain, so hashing goes no
    /// further.
    public func holds(_ link: SeatLink, draw: Int) -> Bool {
        guard seats.indices.contains(link.seat) else { return false }
        let seat = seats[link.seat]
        guard seat.linkDraw > 0, draw > seat.linkDraw else {
            return Chance.holds(link.link, draw: draw, end: seat.chainEnd, hash: Hash.blake2b256)
        }
        return draw <= Chance.chainLinks
            && Chance.holds(link.link, draw: draw - seat.linkDraw, end: seat.link, hash: Hash.blake2b256)
    }
}

extension MatchState.Seat.Departure {
    /// Why a seat has left that the sequencer says has.
    init(_ reason: EntryBody.LeftReason) {
        switch reason {
        case .kicked: self = .kicked
        case .grace: self = .away
        case .draw: self = .noDraw
        }
    }
}
