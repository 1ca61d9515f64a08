internal import ParlorGames

extension MatchNotice {
    /// What an accepted entry means to those who are shown the match, in order.
    ///
    /// - Parameters:
    ///   - entry: The entry.
    ///   - before: The state before it.
    ///   - after: The state after it.
    ///   - show: Takes what to show, one after the other.
    static func each(
        entry: Entry, before: MatchState, after: MatchState, _ show: (MatchNotice) -> Void
    ) {
        if after.draw.rounds.count > before.draw.rounds.count, let numbers = after.draw.rounds.last {
            let round = after.draw.rounds.count - 1
            for drawn in numbers { show(.drawNumber(seat: drawn.seat, number: drawn.number, round: round)) }
        }
        if before.draw.first == nil, let first = after.draw.first {
            show(.drawDecided(first: first))
        }
        for seat in after.seats.indices where after.seats[seat].status != before.seats[seat].status {
            switch after.seats[seat].status {
            case .active: show(.back(seat: seat))
            case .away: show(.away(seat: seat))
            case .left:
                let said: EntryBody.LeftReason? =
                    if case .left(_, let reason) = entry.proposal.body { reason } else { nil }
                show(.left(seat: seat, said))
            }
        }
        if before.phase == .drawing, after.phase == .playing { show(.started) }
        show(.changed(entry: entry.index, what: entry.proposal.body.word))
        if after.epoch != before.epoch { show(.sequencerChanged(seat: after.sequencer)) }
        if let outcomes = after.outcomes { show(.ended(outcomes)) }
    }
}
