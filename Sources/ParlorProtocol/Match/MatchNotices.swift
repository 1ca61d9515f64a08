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
            case .away:
                let isWithheld = after.seats[seat].withheld > before.seats[seat].withheld
                show(.away(seat: seat, withheld: isWithheld))
            case .left: show(.left(seat: seat, after.seats[seat].departure ?? .asked))
            }
        }
        if before.phase == .drawing, after.phase == .playing { show(.started) }
        show(.changed(entry: entry.index, what: entry.proposal.body.word))
        if after.epoch != before.epoch { show(.sequencerChanged(seat: after.sequencer)) }
        if let outcomes = after.outcomes { show(.ended(outcomes)) }
    }
}
