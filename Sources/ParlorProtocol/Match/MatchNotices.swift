internal import ParlorGames

extension MatchNotice {
    /// What an accepted entry means to those who are shown the match, in order.
    ///
    /// - Parameters:
    ///   - entry: The entry.
    ///   - before: The state before it.
    ///   - after: The state after it.
    /// - Returns: What to show.
    static func of(entry: Entry, before: MatchState, after: MatchState) -> [MatchNotice] {
        var notices: [MatchNotice] = []
        if after.draw.rounds.count > before.draw.rounds.count, let numbers = after.draw.rounds.last {
            let round = after.draw.rounds.count - 1
            notices += numbers.map { .drawNumber(seat: $0.seat, number: $0.number, round: round) }
        }
        if before.draw.first == nil, let first = after.draw.first {
            notices.append(.drawDecided(first: first))
        }
        for seat in after.seats.indices where after.seats[seat].status != before.seats[seat].status {
            switch after.seats[seat].status {
            case .active: notices.append(.back(seat: seat))
            case .away:
                let isWithheld = after.seats[seat].withheld > before.seats[seat].withheld
                notices.append(.away(seat: seat, withheld: isWithheld))
            case .left: notices.append(.left(seat: seat, after.seats[seat].departure ?? .asked))
            }
        }
        if before.phase == .drawing, after.phase == .playing { notices.append(.started) }
        notices.append(.changed(entry: entry.index, what: entry.proposal.body.word))
        if after.epoch != before.epoch { notices.append(.sequencerChanged(seat: after.sequencer)) }
        if let outcomes = after.outcomes { notices.append(.ended(outcomes)) }
        return notices
    }
}
