internal import ParlorControl
internal import ParlorProtocol
internal import ParlorViews

/// Tells a match from its log, moment by moment, as somebody who watched would have seen it.
///
/// Takes the log after each entry and gives what there is to show. Does no I/O and reads no clock.
struct ReplayScript {
    /// Something to show.
    struct Moment {
        /// When it was seen, in milliseconds on the match clock.
        let time: Int
        /// The match as it then was.
        let match: MatchInfo
        /// What to say of it; often nothing.
        let lines: [String]
    }

    private var narrator: Narrator
    private var before: MatchLog?
    /// When the newest card shows; `nil` when it does already.
    private var revealAt: Int?
    /// The time of the newest moment: what was shown is never hidden again.
    private var latest = 0

    init(plain: Bool) { narrator = Narrator(plain: plain, hints: false) }

    /// Takes the log with one entry more, the last of it.
    mutating func next(_ log: MatchLog) -> [Moment] {
        guard let entry = log.entries.last else { return [] }
        var moments: [Moment] = []
        if let revealAt, revealAt <= entry.time || isEnd(entry) { moments += finish() }
        if case .open(_, _, let at) = entry.proposal.body, at > entry.time { revealAt = at }
        moments.append(moment(log, at: entry.time, aside: aside(entry, log)))
        before = log
        return moments
    }

    /// What shows only after the last entry.
    mutating func finish() -> [Moment] {
        guard let revealAt, let before else { return [] }
        self.revealAt = nil
        return [moment(before, at: revealAt)]
    }

    /// The last card is turned before the end is told, however soon that came.
    private func isEnd(_ entry: Entry) -> Bool {
        if case .end = entry.proposal.body { true } else { false }
    }

    /// What one would otherwise be told by the room.
    private func aside(_ entry: Entry, _ log: MatchLog) -> [String] {
        func name(_ seat: Int) -> String {
            let seats = log.genesis.seats
            return seats.indices.contains(seat) ? CleanText.line(seats[seat].name) : "Seat \(seat + 1)"
        }
        switch entry.proposal.body {
        case .away(let seat): return ["\(name(seat)) is away; the seat is kept."]
        case .back(let seat): return ["\(name(seat)) is back."]
        case .fault(let seat, let kind, _):
            return ["\(name(seat)) broke the rules of the protocol: \(kind.word)."]
        case .leave: return ["\(name(entry.proposal.author.number)) left."]
        default: break
        }
        if let before, before.state.sequencer != log.state.sequencer {
            return ["\(name(log.state.sequencer)) keeps the order of moves now."]
        }
        return []
    }

    private mutating func moment(_ log: MatchLog, at time: Int, aside: [String] = []) -> Moment {
        latest = max(latest, time)
        let match = MatchInfo(
            log.state, seat: nil, secrets: nil, at: latest, entries: log.entries.count, head: log.head)
        return Moment(time: latest, match: match, lines: aside + narrator.arrived(match))
    }
}
