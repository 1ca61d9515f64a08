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
    /// Milliseconds after a reveal within which a press is guessing, not seeing.
    static let guessWithin = 100
    /// Milliseconds before its arrival that a call is believed to have been pressed, at most.
    static let believedMost = 200

    var attendance: Attendance
    /// Seats that have cards.
    var holders: SeatSet
    var piles = Piles()
    var unseen = UnseenCards()
    /// How many cards were turned.
    public internal(set) var flips = 0
    /// When the newest card shows, or when the game began.
    public internal(set) var revealAt: Int
    /// Seat to flip; `nil` while all that could are away.
    var flipper: Int?
    /// Whether the seat to flip has done so and its card waits to be turned.
    var isFlipping = false
    /// Who turned the newest card, and how many open cards it had before; `nil` once that seat has left.
    var newest: (seat: Int, openBefore: Int)?
    /// What happened last, and what it was before the newest flip.
    var news: SnapNews?
    var newsBefore: SnapNews?
    var isOver = false

    /// Time of the newest event: nobody sees less than it.
    var clock: Int
    /// Where the search for the next seat to flip begins, clockwise.
    var cursor: Int
    /// Since when the seat to flip can.
    var turnSince: Int
    /// Seats whose one call for this flip is spent.
    var called = SeatSet()
    /// The calls that wait to be judged, in the order of their entries.
    var waiting: [PendingCall] = []
    /// What came of the calls since the last flip, in the order of their presses; and since the one before.
    var results: [SnapNews] = []
    var resultsBefore: [SnapNews] = []
    /// Whether a pair or the pool was taken or tied since the last flip.
    var isDecided = false
    /// The number of the flip that each seat turned last; 0 before its first.
    var turnedAt = InlineArray<4, Int>(repeating: 0)
    /// The flips that were made when the pool was last added to.
    var pooledAt = 0
    /// When each seat ran out of cards, as a count of exits; `Int.max` for never.
    var outAt = InlineArray<4, Int>(repeating: Int.max)
    var exits = 0
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
            case .flip:
                try checkNoneWaits()
                isFlipping = true
            case .call(let call): take(call, by: seat, at: time)
            }
        case .opened(let opening): try turn(opening, at: time)
        case .takenOver(let seat, _): try attendance.check(seat)
        case .expired:
            guard let deadline, time >= deadline else { throw Refusal(.illegalMove, "no time has run out") }
            isFlipping = true
        case .judged(let bounds): try judge(bounds, at: time)
        case .away(let seat):
            try attendance.goAway(seat)
            settle(at: time)
        case .back(let seat):
            try attendance.comeBack(seat)
            settle(at: time)
        case .left(let seat):
            try attendance.leave(seat)
            judgeWithout(seat, at: time)
            dealOut(seat)
            settle(at: time)
        }
        clock = max(clock, time)
    }

    private func checkNoneWaits() throws(Refusal) {
        guard waiting.isEmpty else {
            throw Refusal(.illegalMove, "somebody has called; that is decided first")
        }
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
        guard !isOver, !isFlipping, waiting.isEmpty, flipper != nil, let patience else { return nil }
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
    public func duty(of seat: Int, secrets: @autoclosure () -> SeatSecrets) -> Datum? { nil }

    /// Writes the state; see ``GameRules/encode(into:)``.
    public func encode(into bytes: inout StateBytes) {
        attendance.encode(into: &bytes)
        for seat in 0..<attendance.seats {
            piles.encode(.closed(seat), into: &bytes)
            piles.encode(.open(seat), into: &bytes)
            bytes.write(outAt[seat])
            bytes.write(turnedAt[seat])
        }
        piles.encode(.pool, into: &bytes)
        bytes.write(Int(holders.bits))
        bytes.write(Int(unseen.bits))
        for number in [flips, revealAt, flipper ?? -1, cursor, turnSince, Int(called.bits), exits, pooledAt] {
            bytes.write(number)
        }
        bytes.write(newest?.seat ?? -1)
        for truth in [isFlipping, isDecided, isOver] { bytes.write(truth) }
        bytes.write(waiting.count)
        for call in waiting {
            for number in [call.seat, call.isForPool ? 1 : 0, call.at, call.time] { bytes.write(number) }
        }
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
        try checkNoneWaits()
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
        turnedAt[seat] = flips
        resultsBefore = results
        results = []
        revealAt = opening.revealAt
        isFlipping = false
        called.removeAll()
        isDecided = false
        flipper = nil
        cursor = (seat + 1) % attendance.seats
        if flips >= maxFlips { isOver = true }
        settle(at: time)
    }

    /// Turns the open pile over but for its top card, where a closed card is needed and there is none.
    mutating func recycle(_ seat: Int) {
        guard piles.isEmpty(.closed(seat)) else { return }
        piles.turnOver(.open(seat), under: .closed(seat), keeping: 1)
    }

    private func canFlip(_ seat: Int) -> Bool {
        holders.contains(seat) && (!piles.isEmpty(.closed(seat)) || piles.count(.open(seat)) >= 2)
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
    mutating func settle(at time: Int) {
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
