public import ParlorProtocol

extension MatchState.Seat.Departure {
    /// Why a seat is out of a match, in plain words that follow `X is out of this match: `; `mine` for the
    /// reader's own seat.
    public func why(mine: Bool) -> String {
        switch self {
        case .asked: mine ? "you left" : "left by itself"
        case .kicked: "removed by the host"
        case .away: "away for longer than the seat is kept"
        case .noDraw: "no number for the draw came within \(Limits.drawMilliseconds / 1_000) s"
        case .withheld:
            "\(mine ? "your machine " : "")withheld its part of a draw \(Self.times): it did not come within "
                + "\(Limits.linkMilliseconds / 1_000) s, as the machine or the network stalled"
        case .falseDraw: "revealed another number than it had committed to"
        case .misdeed: "broke the rules of the protocol"
        case .noPeople: "no person is left to play with"
        }
    }

    /// What becomes of a seat that has kept its part to itself for the first time, in plain words; `name` is
    /// who sits there, `nil` for the reader.
    public static func warning(_ name: String?) -> String {
        let who = name.map { "\($0)'s" } ?? "your"
        let out = name.map { "\($0) is" } ?? "you are"
        return "\(who) part of a draw did not come within \(Limits.linkMilliseconds / 1_000) s. "
            + "If that happens \(times) in this match, \(out) out of it."
    }

    private static var times: String {
        Limits.withheldMax == 2 ? "twice" : "\(Limits.withheldMax) times"
    }
}
