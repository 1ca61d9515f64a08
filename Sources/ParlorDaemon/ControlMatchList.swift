internal import ParlorControl
internal import ParlorProtocol
internal import ParlorViews

// The list of matches: those in memory.

extension ControlMethods {
    /// Tells which matches there are, newest first: `matches.list`.
    func listMatches(_ request: RPCRequest, _ answer: Answer) throws(RPCError) {
        let params = try request.params(as: MatchesListParams.self)
        guard params.limit ?? 1 > 0 else { throw RPCError(.badParams, "'limit' begins at 1.") }
        let rows = book.matches.reversed().map(summary).filter { row in
            (params.state.map { $0 == row.state } ?? true) && (params.game.map { $0 == row.game } ?? true)
        }
        answer(
            .success(JSON(encoding: MatchesListInfo(matches: Array(rows.prefix(params.limit ?? rows.count)))))
        )
    }

    /// Forgets a match that is over: `matches.remove`.
    func removeMatch(_ request: RPCRequest, _ answer: Answer) throws(RPCError) {
        let match = try kept(try request.params(as: MatchesRemoveParams.self).match)
        guard match.isOver else {
            throw RPCError(.notAllowed, "The match is still played. Leave its room first: parlor leave")
        }
        book.forget(match)
        answer(.success([:]))
    }

    private func summary(_ match: MatchDriver) -> MatchSummary {
        let machine = match.machine
        let state = machine.accepted
        let seats = MatchSeatInfo.all(of: state)
        // The match clock counts from the genesis.
        let started = Calendar.unixMilliseconds() - machine.time(at: match.now)
        let last = machine.acceptedLog.entries.last?.time ?? 0
        let isOver = state.phase == .ended
        return MatchSummary(
            id: "\(match.match)", game: state.genesis.game,
            room: MatchRoomInfo(
                id: "\(match.room)", name: book.rooms.first { $0.state.id == match.room }?.state.name ?? ""),
            state: ParlorControl.MatchState(state.phase), mySeat: machine.seat,
            seats: seats.map {
                MatchPlayerInfo(index: $0.index, player: $0.player, bot: $0.bot, outcome: $0.outcome)
            },
            entries: machine.acceptedCount, started: started, ended: isOver ? started + last : nil,
            alone: state.endedAlone ? true : nil, outcomes: seats.compactMap(\.outcome))
    }
}
