internal import ParlorControl
internal import ParlorGames
internal import ParlorProtocol

// What subscribers are told of matches by turns: always, and nothing that a screen changes by.
extension TurnKeeper {
    /// Tells what has changed in an own match since it was told of last.
    func tell(_ match: MatchID, _ items: [TurnItem] = [], isNew: Bool = false) {
        guard let copy = shelf.copy(match), !copy.isRemoved else { return }
        let (old, new) = (told[match], copy.state)
        told[match] = new
        guard let mine = new.seat(of: me) else {
            if old?.seat(of: me) == nil, copy.ask == nil { return }
            return emit(.turnChanged, new, [])
        }
        if old?.seat(of: me) == nil, new.seats[mine].status == .invited { emit(.turnInvited, new, []) }
        if hasChanged(old, new) { emit(.turnChanged, new, []) }
        for double in new.doubles.dropFirst(old?.doubles.count ?? 0) {
            emit(.turnDouble, new, [JSON.Member("seat", .int(double.seat))])
        }
        if new.turn == mine, new.seats[mine].status != .done, old?.head != new.head || old?.turn != mine {
            emit(.turnYours, new, [])
        }
        for item in items where new.turn == mine && item.author != me {
            guard case .remind(new.head) = item.body, let seat = new.seat(of: item.author) else { continue }
            emit(.turnReminded, new, [JSON.Member("seat", .int(seat))])
        }
        if new.outcomes != nil, old?.outcomes == nil {
            let outcomes = (new.outcomes ?? []).map { JSON.string($0.rawValue) }
            emit(.turnEnded, new, [JSON.Member("outcomes", .array(outcomes))])
        }
    }

    private func hasChanged(_ old: TurnState?, _ new: TurnState) -> Bool {
        guard let old else { return true }
        return old.seats != new.seats || old.steps.count != new.steps.count || old.head != new.head
            || old.votes != new.votes
    }

    private func emit(_ type: EventType, _ state: TurnState, _ fields: [JSON.Member]) {
        journal.emit(
            type,
            [
                JSON.Member("match", .string("\(state.genesis.match)")),
                JSON.Member("game", .string(state.genesis.game)),
                JSON.Member("turn", state.turn.map { .int($0) } ?? .null),
            ] + fields)
    }
}
