/// Snap: turn cards in turn, call when two seats show the same rank, own the whole pack.
///
/// A card that was never turned is not decided: chance picks it when it is turned, so nobody can know it
/// before.
public struct Snap: GameRules {
    /// Two to four seats; options as every game, `auto_flip_ms` and `max_flips`.
    public static let declaration = GameDeclaration(
        id: "snap", title: "Snap", rules: 1, seats: 2...4,
        options: CommonOptions.declarations(turnSeconds: 30) + [
            OptionDeclaration(
                "auto_flip_ms", .int(500...10_000, orZero: true), standard: 0,
                "milliseconds after which cards flip by themselves; 0 is by hand"),
            OptionDeclaration(
                "max_flips", .int(10...10_000, orZero: false), standard: 1_000,
                "flips after which the most cards win"),
        ])

    /// Milliseconds from one reveal to the next flip, at least.
    static let pauseBetweenFlips = 500
    /// Milliseconds that a reveal may lie after its entry, at most.
    static let revealDelayMost = 10_000

    private(set) var attendance: Attendance
    /// Seats that have cards.
    private(set) var holders: SeatSet
    private(set) var piles = Piles()
    private(set) var unseen = UnseenCards()
    private(set) var flips = 0
    /// When the newest card shows, or when the game began.
    private(set) var revealAt: Int
    /// Seat to flip; `nil` while all that could are away.
    private(set) var flipper: Int?
    /// Whether the seat to flip has done so and its card waits to be turned.
    private(set) var isFlipping = false
    /// Who turned the newest card, and how many open cards it had before; `nil` once that seat has left.
    private(set) var newest: (seat: Int, openBefore: Int)?
    /// What happened last, and what it was before the newest flip.
    private(set) var news: SnapNews?
    private(set) var newsBefore: SnapNews?
    private(set) var isOver = false

    /// Time of the newest event: nobody sees less than it.
    private(set) var clock: Int
    /// Where the search for the next seat to flip begins, clockwise.
    private var cursor: Int
    /// Since when the seat to flip can.
    private var turnSince: Int
    /// Seats whose one call for this flip is spent.
    private var called = SeatSet()
    /// Whether a pair was taken since the last flip.
    private var isTaken = false
    /// When each seat ran out of cards, as a count of exits; `Int.max` for never.
    private var outAt = InlineArray<4, Int>(repeating: Int.max)
    private var exits = 0
    private let maxFlips: Int
    /// Milliseconds after which a card flips by itself; `nil` for never.
    private let patience: Int?

    /// Deals the pack evenly from the first player on.
    public init(_ setup: GameSetup) {
        attendance = Attendance(setup)
        holders = attendance.staying
        revealAt = setup.startedAt
        turnSince = setup.startedAt
        clock = setup.startedAt
        maxFlips = setup.options.int("max_flips")
        let limits = [setup.options.int("turn_s") * 1_000, setup.options.int("auto_flip_ms")]
        patience = limits.filter { $0 > 0 }.min()
        let first = holders.contains(setup.first) ? setup.first : holders.lowest ?? 0
        cursor = first
        flipper = first
        var seat = first
        for _ in 0..<Card.count where !holders.isEmpty {
            piles.addBottom(.unknown, to: .closed(seat))
            seat = holder(after: seat)
        }
        settle(at: setup.startedAt)
    }

    /// Applies one event; see ``GameRules/apply(_:at:)``.
    public mutating func apply(_ event: GameEvent, at time: Int) throws(Refusal) {
        guard !isOver else { throw Self.matchEnded }
        switch event {
        case .move(let seat, let datum):
            guard let move = SnapMove(datum) else { throw Refusal(.badParams, "no move of Snap") }
            try check(move, by: seat, at: time)
            switch move {
            case .flip: isFlipping = true
            case .call(let call): resolve(call, by: seat, at: time)
            }
        case .opened(let opening): try turn(opening, at: time)
        case .takenOver(let seat, _): try attendance.check(seat)
        case .expired:
            guard let deadline, time >= deadline else { throw Refusal(.illegalMove, "no time has run out") }
            isFlipping = true
        case .away(let seat):
            try attendance.goAway(seat)
            settle(at: time)
        case .back(let seat):
            try attendance.comeBack(seat)
            settle(at: time)
        case .left(let seat):
            try attendance.leave(seat)
            dealOut(seat)
            settle(at: time)
        }
        clock = max(clock, time)
    }

    /// A card to turn: by chance where it was never seen, else only the moment.
    public var need: GameNeed? {
        guard !isOver, isFlipping, let flipper else { return nil }
        let isDecided = piles.top(.closed(flipper))?.isKnown ?? true || unseen.count <= 1
        let pause = flips == 0 ? 0 : Self.pauseBetweenFlips
        return GameNeed(among: isDecided ? nil : unseen.count, notBefore: later(revealAt, by: pause))
    }

    /// When the card of the seat to flip turns by itself.
    public var deadline: Int? {
        guard !isOver, !isFlipping, flipper != nil, let patience else { return nil }
        return later(turnSince, by: patience)
    }

    /// The seat to flip.
    public var turn: [Int] { isOver ? [] : flipper.map { [$0] } ?? [] }

    /// Places by cards, then by who ran out last.
    public var outcomes: [Outcome]? {
        guard isOver else { return nil }
        return Standing.outcomes(
            (0..<attendance.seats).map { seat in
                guard attendance.staying.contains(seat) else { return nil }
                return Standing(
                    points: piles.count(.closed(seat)) + piles.count(.open(seat)), outAt: outAt[seat])
            })
    }

    /// Nothing: a seat's machine owes nothing by itself in Snap.
    public func duty(of seat: Int, secrets: SeatSecrets) -> Datum? { nil }

    /// Writes the state; see ``GameRules/encode(into:)``.
    public func encode(into bytes: inout StateBytes) {
        attendance.encode(into: &bytes)
        for seat in 0..<attendance.seats {
            piles.encode(.closed(seat), into: &bytes)
            piles.encode(.open(seat), into: &bytes)
            bytes.write(outAt[seat])
        }
        bytes.write(Int(holders.bits))
        bytes.write(Int(unseen.bits))
        for number in [flips, revealAt, flipper ?? -1, cursor, turnSince, Int(called.bits), exits] {
            bytes.write(number)
        }
        bytes.write(newest?.seat ?? -1)
        for truth in [isFlipping, isTaken, isOver] { bytes.write(truth) }
    }

    static let matchEnded = Refusal(.matchEnded, "the match is over")

    /// Refuses a move that is not allowed now.
    func check(_ move: SnapMove, by seat: Int, at time: Int) throws(Refusal) {
        guard !isOver else { throw Self.matchEnded }
        try attendance.check(seat)
        guard holders.contains(seat) else {
            throw Refusal(.illegalMove, "you have no cards left; you can only watch")
        }
        switch move {
        case .flip:
            guard flipper == seat else { throw Refusal(.notYourTurn, "it is not your turn to flip") }
            guard !isFlipping else { throw Refusal(.illegalMove, "your flip is on its way already") }
        case .call(let call):
            guard (0...flips).contains(call.flip), call.at >= 0 else {
                throw Refusal(.illegalMove, "a call answers a flip that was made")
            }
            guard timing(of: call, at: time) != .current || !called.contains(seat) else {
                throw Refusal(.illegalMove, "you have called for this flip; wait for the next")
            }
        }
    }

    // MARK: Flips

    private mutating func turn(_ opening: Opening, at time: Int) throws(Refusal) {
        guard let need, let seat = flipper else { throw Refusal(.illegalMove, "no card waits to be turned") }
        guard time >= need.notBefore else { throw Refusal(.illegalMove, "the card is not due yet") }
        guard opening.revealAt >= time, opening.revealAt <= later(time, by: Self.revealDelayMost) else {
            throw Refusal(.illegalMove, "a card shows at its entry's time or soon after")
        }
        var place = 0
        if let among = need.among {
            guard let choice = opening.choice, (0..<among).contains(choice) else {
                throw Refusal(.illegalMove, "the card is a choice among \(among)")
            }
            place = choice
        }
        let openBefore = piles.count(.open(seat))
        recycle(seat)
        guard let top = piles.takeTop(of: .closed(seat)) else { return }
        piles.addTop(top.isKnown ? top : unseen.take(at: place), to: .open(seat))
        newest = (seat, openBefore)
        newsBefore = news
        news = SnapNews(kind: .flip, seat: seat, cards: 1, reaction: nil)
        flips += 1
        revealAt = opening.revealAt
        isFlipping = false
        called.removeAll()
        isTaken = false
        flipper = nil
        cursor = (seat + 1) % attendance.seats
        if flips >= maxFlips { isOver = true }
        settle(at: time)
    }

    /// Turns the open pile over but for its top card, where a closed card is needed and there is none.
    private mutating func recycle(_ seat: Int) {
        guard piles.isEmpty(.closed(seat)) else { return }
        piles.turnOver(.open(seat), under: .closed(seat), keeping: 1)
    }

    private func canFlip(_ seat: Int) -> Bool {
        holders.contains(seat) && (!piles.isEmpty(.closed(seat)) || piles.count(.open(seat)) >= 2)
    }

    // MARK: Calls

    private enum Timing {
        case early, earlierFlip, current
    }

    /// Whether a call answers the newest flip, one before it, or came before anybody could see the card.
    private func timing(of call: SnapCall, at time: Int) -> Timing {
        if flips > 0, min(call.at, time) < revealAt { return .early }
        return call.flip < flips ? .earlierFlip : .current
    }

    private mutating func resolve(_ call: SnapCall, by seat: Int, at time: Int) {
        let timing = timing(of: call, at: time)
        guard timing != .early else {
            news = SnapNews(kind: .ignored, seat: seat, cards: 0, reaction: nil)
            newsBefore = news
            return
        }
        let reaction = flips == 0 ? nil : min(call.at, time) - revealAt
        guard timing == .current, !isTaken else {
            news = SnapNews(kind: .late, seat: seat, cards: 0, reaction: reaction)
            return
        }
        called.insert(seat)
        if !call.isForPool, let pair = pair() {
            let cards = take(pair, by: seat)
            isTaken = true
            news = SnapNews(kind: .took, seat: seat, cards: cards, reaction: reaction)
        } else {
            let cards = payPenalty(seat)
            news = SnapNews(kind: .wrong, seat: seat, cards: cards, reaction: reaction)
        }
        settle(at: time)
    }

    /// Whether a call would be right now; for simulations, since seeing it is the game.
    public var showsPair: Bool { pair() != nil }

    /// Whether there are 52 cards, each once, counting those not yet decided; for simulations and checks.
    public var isWholePack: Bool {
        var left = unseen.bits
        var undecided = 0
        for seat in 0..<attendance.seats {
            for pile in [PileID.closed(seat), .open(seat)] {
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
        }
        return undecided == unseen.count && left == 1 << UInt64(Card.count) - 1
    }

    /// The pair that a call takes: the one with the newest card, else that of the lowest seats.
    private func pair() -> (Int, Int)? {
        if let newest {
            for seat in 0..<attendance.seats where seat != newest.seat && isPair(seat, newest.seat) {
                return (newest.seat, seat)
            }
        }
        for low in 0..<attendance.seats {
            for high in low + 1..<max(low + 1, attendance.seats) where isPair(low, high) {
                return (low, high)
            }
        }
        return nil
    }

    private func isPair(_ one: Int, _ other: Int) -> Bool {
        guard let top = piles.top(.open(one)), let otherTop = piles.top(.open(other)) else { return false }
        return top.pairs(with: otherTop)
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

    // MARK: Who is in, who is next

    private func holder(after seat: Int) -> Int {
        for step in 1...attendance.seats {
            let next = (seat + step) % attendance.seats
            if holders.contains(next) { return next }
        }
        return seat
    }

    /// Deals a leaver's cards one by one to the seats with cards, clockwise: closed from the top, then open.
    private mutating func dealOut(_ leaver: Int) {
        holders.remove(leaver)
        if newest?.seat == leaver { newest = nil }
        guard !holders.isEmpty else { return }
        var seat = leaver
        while let card = piles.takeTop(of: .closed(leaver)) ?? piles.takeTop(of: .open(leaver)) {
            seat = holder(after: seat)
            piles.addBottom(card, to: .closed(seat))
        }
    }

    /// After any change: notes who ran out of cards, whether the match is over, and who is to flip.
    private mutating func settle(at time: Int) {
        var wentOut = false
        for seat in 0..<attendance.seats
        where holders.contains(seat) && piles.isEmpty(.closed(seat)) && piles.isEmpty(.open(seat)) {
            holders.remove(seat)
            outAt[seat] = exits
            wentOut = true
        }
        if wentOut { exits += 1 }
        if holders.count <= 1 { isOver = true }
        if let seat = flipper, canFlip(seat), isFlipping || !attendance.away.contains(seat) { return }
        passOn(at: time)
    }

    private mutating func passOn(at time: Int) {
        if let flipper { cursor = (flipper + 1) % attendance.seats }
        flipper = nil
        isFlipping = false
        turnSince = max(time, revealAt)
        var someoneCan = false
        for step in 0..<attendance.seats {
            let seat = (cursor + step) % attendance.seats
            guard canFlip(seat) else { continue }
            someoneCan = true
            guard !attendance.away.contains(seat) else { continue }
            flipper = seat
            break
        }
        if !someoneCan { isOver = true }
    }
}
