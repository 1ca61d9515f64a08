public import ParlorControl
public import ParlorGames
public import ParlorProtocol

extension DrawInfo {
    /// A draw as it stands.
    public init(_ draw: Draw) {
        self.init(
            rounds: draw.rounds.map { round in round.map { DrawNumber(seat: $0.seat, number: $0.number) } },
            first: draw.first)
    }
}

extension MatchInfo {
    /// A match as a seat sees it.
    ///
    /// - Parameters:
    ///   - state: The match after its last entry.
    ///   - seat: Whose eyes; `nil` for a watcher.
    ///   - secrets: What that seat keeps to itself.
    ///   - time: The moment, in milliseconds on the match clock.
    ///   - entries: How many entries led to the state.
    ///   - head: The hash of the last of them.
    public init(
        _ state: ParlorProtocol.MatchState, seat: Int?, secrets: SeatSecrets?, at time: Int, entries: Int,
        head: [UInt8]
    ) {
        let isPlaying = state.phase == .playing
        self.init(
            id: "\(state.genesis.match)", game: state.genesis.game, room: "\(state.genesis.room)",
            state: ParlorControl.MatchState(state.phase), mySeat: seat,
            turn: isPlaying ? state.game?.turn ?? [] : [], nowMs: time, draw: DrawInfo(state.draw),
            deadlineMs: isPlaying ? state.game?.deadline : nil, seats: MatchSeatInfo.all(of: state),
            view: state.game.map { JSON($0.view(for: seat, secrets: secrets, at: time)) } ?? [:],
            legal: isPlaying ? state.legal(for: seat, secrets: secrets, at: time) : [], entries: entries,
            head: Hex.encode(head), stateHash: Hex.encode(state.hash))
    }
}

extension ParlorProtocol.MatchState {
    fileprivate func legal(for seat: Int?, secrets: SeatSecrets?, at time: Int) -> [JSON] {
        guard let seat else { return [] }
        return (game?.legal(for: seat, secrets: secrets, at: time) ?? []).map { JSON($0) }
    }
}

extension ParlorControl.MatchState {
    /// How far a match is.
    public init(_ phase: ParlorProtocol.MatchState.Phase) {
        switch phase {
        case .drawing: self = .drawing
        case .playing: self = .playing
        case .ended: self = .ended
        }
    }
}

extension MatchSeatInfo {
    /// The seats of a match, in order.
    public static func all(of state: ParlorProtocol.MatchState) -> [MatchSeatInfo] {
        state.genesis.seats.enumerated().map { index, seat in
            let outcome = state.outcomes.flatMap { $0.indices.contains(index) ? $0[index] : nil }
            return MatchSeatInfo(
                index: index, player: PlayerInfo(id: "\(state.peer(of: index))", name: seat.name),
                bot: seat.bot,
                state: MatchSeatState(state.seats[index].status),
                why: state.seats[index].departure?.rawValue,
                withheld: state.seats[index].withheld > 0 ? state.seats[index].withheld : nil,
                outcome: outcome.flatMap { ParlorControl.Outcome(rawValue: $0.rawValue) })
        }
    }
}

extension MatchSeatState {
    /// Whether a seat still plays.
    init(_ status: ParlorProtocol.MatchState.Seat.Status) {
        switch status {
        case .active: self = .active
        case .away: self = .away
        case .left: self = .left
        }
    }
}
