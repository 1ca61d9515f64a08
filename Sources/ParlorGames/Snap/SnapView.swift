/// What players see of Snap and may do.
extension Snap {
    /// `flip` for the seat to flip; `snap` and `pool` for everybody with cards.
    public func legal(for seat: Int, secrets: SeatSecrets?, at now: Int) -> [Value] {
        guard mayCall(seat) else { return [] }
        var actions: [Value] = []
        if mayFlip(seat, at: now) { actions.append(["do": "flip"]) }
        actions.append(["do": "snap"])
        actions.append(["do": "pool"])
        return actions
    }

    /// Whether a seat may call Snap or the pool now: while it has cards.
    public func mayCall(_ seat: Int) -> Bool { !isOver && holders.contains(seat) }

    /// Whether a seat may flip now.
    public func mayFlip(_ seat: Int, at now: Int) -> Bool {
        mayCall(seat) && flipper == seat && !isFlipping && !isHidden(at: now)
    }

    /// The same table for everybody; the newest card shows only from its reveal on.
    public func view(for seat: Int?, secrets: SeatSecrets?, at now: Int) -> Value {
        let isHidden = isHidden(at: now)
        let news = isHidden ? newsBefore : news
        return [
            "seats": .array((0..<attendance.seats).map { pile(of: $0, at: now) }),
            "turn": turn.first.map { .int($0) } ?? nil,
            "pair": nil,
            "pool": poolView,
            "flips": .int(isHidden ? flips - 1 : flips),
            "reveal_at": .int(revealAt),
            "last": news.map(Self.value) ?? nil,
            "calls": .array((isHidden ? resultsBefore : results).map(Self.value)),
        ]
    }

    /// Reads `{"do":"flip"}`, `{"do":"snap","at":ms?}` and `{"do":"pool","at":ms?}`; `at` is now where left
    /// out.
    public func move(
        for action: Value, by seat: Int, secrets: @autoclosure () -> SeatSecrets, at now: Int
    ) throws(Refusal) -> Datum {
        let move: SnapMove
        switch action["do"]?.text {
        case "flip": move = .flip
        case "snap": move = .call(try call(action, isForPool: false, at: now))
        case "pool": move = .call(try call(action, isForPool: true, at: now))
        default:
            throw Refusal(
                .badParams,
                #"Snap takes {"do":"flip"}, {"do":"snap"} and {"do":"pool"}; a call may say when the key "#
                    + #"was pressed: "at", in ms on the match clock"#)
        }
        try check(move, by: seat, at: now)
        return move.datum
    }

    private func call(_ action: Value, isForPool: Bool, at now: Int) throws(Refusal) -> SnapCall {
        var at = now
        switch action["at"] {
        case nil, .null: break
        case .int(let given) where given >= 0: at = min(given, now)
        default: throw Refusal(.badParams, #""at" is a time on the match clock, in ms"#)
        }
        let isUnseen = flips > 0 && at < revealAt
        return SnapCall(isForPool: isForPool, at: at, flip: isUnseen ? flips - 1 : flips)
    }

    /// Whether the newest card does not show yet at a moment.
    private func isHidden(at now: Int) -> Bool { flips > 0 && max(now, clock) < revealAt }

    private func pile(of seat: Int, at now: Int) -> Value {
        var shut = piles.count(.closed(seat))
        var shown = piles.count(.open(seat))
        var top = piles.top(.open(seat))
        if isHidden(at: now), let newest, newest.seat == seat {
            shut += shown - newest.openBefore
            shown = newest.openBefore
            top = shown == 0 ? nil : piles[.open(seat), 1]
        }
        return [
            "closed": .int(shut), "open": .int(shown), "top": top?.name.map { .string($0) } ?? nil,
            "in": .bool(holders.contains(seat)),
        ]
    }

    private var poolView: Value {
        guard let top = piles.top(.pool)?.name else { return nil }
        return ["count": .int(piles.count(.pool)), "top": .string(top)]
    }

    private static func value(_ news: SnapNews) -> Value {
        [
            "kind": .string(news.kind.rawValue), "seat": .int(news.seat), "cards": .int(news.cards),
            "reaction_ms": news.reaction.map { .int($0) } ?? nil,
        ]
    }
}
