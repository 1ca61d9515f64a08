// What calls do: those that answer the newest flip wait until all of the same moment have come, and are then
// judged by when they were pressed.
extension Snap {
    /// They are the game.
    public var hasCalls: Bool { true }

    /// Calls wait while the sequencer gathers those of the same moment.
    public var waitingCalls: [WaitingCall] {
        waiting.isEmpty ? [] : waiting.map { WaitingCall(seat: $0.seat, time: $0.time) }
    }

    /// Calls of Snap and of the pool are.
    public func isCall(_ move: Datum) -> Bool {
        guard let move = SnapMove(move), case .call = move else { return false }
        return true
    }

    enum Timing {
        case early, earlierFlip, current
    }

    /// Whether a call answers the newest flip, one before it, or came before anybody could see the card.
    func timing(of call: SnapCall, at time: Int) -> Timing {
        if flips > 0, min(call.at, time) < revealAt { return .early }
        return call.flip < flips ? .earlierFlip : .current
    }

    /// Takes a call: one that is too early or too late is over with at once, others wait.
    mutating func take(_ call: SnapCall, by seat: Int, at time: Int) {
        let at = max(0, min(call.at, time))
        switch timing(of: call, at: time) {
        case .early:
            news = SnapNews(kind: .ignored, seat: seat, cards: 0, reaction: nil)
            newsBefore = news
        case .current where !isDecided:
            called.insert(seat)
            waiting.append(PendingCall(seat: seat, isForPool: call.isForPool, at: at, time: max(0, time)))
        case .earlierFlip, .current:
            news = SnapNews(kind: .late, seat: seat, cards: 0, reaction: reaction(at))
            if call.flip == flips, let news { note(news) }
        }
    }

    private func reaction(_ at: Int) -> Int? { flips == 0 ? nil : at - revealAt }

    /// Keeps what came of a call, once a seat: late ones may be repeated.
    private mutating func note(_ result: SnapNews) {
        guard !results.contains(where: { $0.seat == result.seat }) else { return }
        results.append(result)
    }

    // MARK: Judging

    /// A call with the moment of its press as far as it is believed.
    private struct Press {
        let seat: Int
        let isForPool: Bool
        let at: Int
        let error: Int
        let isGuess: Bool

        /// Real presses before guesses, then by time, then by seat.
        func isBefore(_ other: Press) -> Bool {
            if isGuess != other.isGuess { return other.isGuess }
            return (at, seat) < (other.at, other.seat)
        }

        /// Whether nobody can tell which of two was first.
        func isTied(with other: Press) -> Bool {
            isGuess == other.isGuess && abs(at - other.at) < max(1, error, other.error)
        }
    }

    /// Judges the calls that wait, by when they came and what may be believed of them.
    mutating func judge(_ bounds: [CallBounds], at time: Int) throws(Refusal) {
        guard !waiting.isEmpty, bounds.count == waiting.count else {
            throw Refusal(.illegalMove, "\(waiting.count) calls wait to be judged")
        }
        let most = 0...Self.believedMost
        for (call, bound) in zip(waiting, bounds) {
            guard bound.arrival >= 0, bound.arrival <= call.time, most.contains(bound.delay),
                most.contains(bound.error), bound.delay + bound.error <= Self.believedMost
            else { throw Refusal(.illegalMove, "a call is believed from 200 ms before it came") }
        }
        judge(
            zip(waiting, bounds).map { call, bound in
                let earliest = max(0, bound.arrival - bound.delay - bound.error)
                return press(call, at: max(earliest, min(call.at, bound.arrival)), error: bound.error)
            })
        settle(at: time)
    }

    /// Judges the calls that wait, but for that of a seat that leaves, by the times of their entries: nobody
    /// has said more of them.
    mutating func judgeWithout(_ leaver: Int, at time: Int) {
        guard !waiting.isEmpty else { return }
        waiting.removeAll { $0.seat == leaver }
        holders.remove(leaver)  // nobody pays it any more
        judge(waiting.map { press($0, at: $0.time, error: 0) })
    }

    private func press(_ call: PendingCall, at: Int, error: Int) -> Press {
        Press(
            seat: call.seat, isForPool: call.isForPool, at: at, error: error,
            isGuess: flips > 0 && at < later(revealAt, by: Self.guessWithin))
    }

    private mutating func judge(_ unsorted: [Press]) {
        waiting = []
        var presses = unsorted.sorted { $0.isBefore($1) }
        var told: SnapNews?
        while let press = presses.first {
            presses.removeFirst()
            let isSeen = flips == 0 || press.at >= revealAt
            if isSeen, !isDecided, isRight(press) {
                let rivals = presses.filter { $0.isTied(with: press) && isRight($0) }
                presses.removeAll { rival in rivals.contains { $0.seat == rival.seat } }
                told = decide([press] + rivals)
                isDecided = true
                continue
            }
            var kind = SnapNews.Kind.wrong
            if !isSeen { kind = .ignored } else if isDecided { kind = .late }
            // A call that is ignored or late does not count.
            if kind != .wrong { called.remove(press.seat) }
            let result = SnapNews(
                kind: kind, seat: press.seat, cards: kind == .wrong ? payPenalty(press.seat) : 0,
                reaction: isSeen ? reaction(press.at) : nil)
            note(result)
            if !isDecided { told = result }
        }
        if let told { news = told }
    }

    private func isRight(_ press: Press) -> Bool { press.isForPool ? showsPool : pair() != nil }

    /// Gives what they called for to those who were first: one takes it, several tie.
    ///
    /// The pool and the pair are apart, and the pool goes first.
    private mutating func decide(_ first: [Press]) -> SnapNews? {
        var told: SnapNews?
        for isForPool in [true, false] {
            let callers = first.filter { $0.isForPool == isForPool }
            guard let winner = callers.first, let pair = isForPool ? (0, 0) : pair() else { continue }
            let kind: SnapNews.Kind
            let cards: Int
            if callers.count > 1 {
                kind = .tied
                cards = isForPool ? 0 : lay(pair)
            } else if isForPool {
                kind = .pooled
                cards = piles.count(.pool)
                piles.turnOver(.pool, under: .closed(winner.seat))
            } else {
                kind = .took
                cards = take(pair, by: winner.seat)
            }
            for caller in callers {
                note(SnapNews(kind: kind, seat: caller.seat, cards: cards, reaction: reaction(caller.at)))
            }
            if winner.seat == first.first?.seat || told == nil {
                told = SnapNews(kind: kind, seat: winner.seat, cards: cards, reaction: reaction(winner.at))
            }
        }
        return told
    }

    // MARK: Pairs and the pool

    /// Whether a call would be right now; for simulations, since seeing it is the game.
    public var showsPair: Bool { pair() != nil }

    /// Whether a call of the pool would be right now: a top card that was turned after the pool was last
    /// added to is equal in rank to the pool's top.
    public var showsPool: Bool {
        guard let top = piles.top(.pool) else { return false }
        for seat in 0..<attendance.seats where turnedAt[seat] > pooledAt {
            if let other = piles.top(.open(seat)), other.pairs(with: top) { return true }
        }
        return false
    }

    /// The pair that a call takes: the one with the newest card, else that of the lowest seats.
    func pair() -> (Int, Int)? {
        guard hasPair else { return nil }
        // By rank; a seat without a top card has a number of its own.
        var ranks = InlineArray<4, UInt8>(repeating: 0)
        for seat in 0..<attendance.seats {
            let top = piles.top(.open(seat))?.number ?? Card.unknown.number
            ranks[seat] = top < Card.count ? top >> 2 : 0x80 | UInt8(truncatingIfNeeded: seat)
        }
        if let newest {
            for seat in 0..<attendance.seats where seat != newest.seat && ranks[seat] == ranks[newest.seat] {
                return (newest.seat, seat)
            }
        }
        for low in 0..<attendance.seats {
            for high in low + 1..<max(low + 1, attendance.seats) where ranks[low] == ranks[high] {
                return (low, high)
            }
        }
        return nil
    }

    /// Whether two top cards are equal in rank.
    private var hasPair: Bool {
        var seen: UInt16 = 0
        for seat in 0..<attendance.seats {
            guard let top = piles.top(.open(seat)), top.isKnown else { continue }
            let rank: UInt16 = 1 << UInt16(top.number >> 2)
            guard seen & rank == 0 else { return true }
            seen |= rank
        }
        return false
    }

    /// Takes both open piles under the caller's closed pile, its own first, then clockwise.
    private mutating func take(_ pair: (Int, Int), by caller: Int) -> Int {
        let cards = piles.count(.open(pair.0)) + piles.count(.open(pair.1))
        for step in 0..<attendance.seats {
            let seat = (caller + step) % attendance.seats
            if seat == pair.0 || seat == pair.1 { piles.turnOver(.open(seat), under: .closed(caller)) }
        }
        return cards
    }

    /// Lays both open piles on the pool as they lie, the first of the pair on top; how many cards.
    private mutating func lay(_ pair: (Int, Int)) -> Int {
        let cards = piles.count(.open(pair.0)) + piles.count(.open(pair.1))
        piles.lay(.open(pair.1), on: .pool)
        piles.lay(.open(pair.0), on: .pool)
        pooledAt = flips
        return cards
    }

    /// Pays one closed card to each other seat with cards, clockwise, while the payer has any; how many it
    /// paid.
    private mutating func payPenalty(_ payer: Int) -> Int {
        var paid = 0
        for step in 1..<max(1, attendance.seats) {
            let seat = (payer + step) % attendance.seats
            guard holders.contains(seat) else { continue }
            recycle(payer)
            guard let card = piles.takeTop(of: .closed(payer)) else { break }
            piles.addBottom(card, to: .closed(seat))
            paid += 1
        }
        return paid
    }
}

// MARK: - Checks

extension Snap {
    /// Whether there are 52 cards, each once, counting those not yet decided; for simulations and checks.
    public var isWholePack: Bool {
        var left = unseen.bits
        var undecided = 0
        for index in 0...PileID.pool.index {
            let pile = PileID(index: index)
            for depth in 0..<piles.count(pile) {
                let card = piles[pile, depth]
                guard card.isKnown else {
                    undecided += 1
                    continue
                }
                guard left & (1 << UInt64(card.number)) == 0 else { return false }
                left |= 1 << UInt64(card.number)
            }
        }
        return undecided == unseen.count && left == 1 << UInt64(Card.count) - 1
    }
}
