internal import ParlorControl
internal import ParlorGames
internal import ParlorProtocol

// How what machines refuse is told outside.

extension RPCError {
    /// Says why a peer could not be reached.
    init(_ failure: DialFailure) {
        let tries = failure.tries.joined(separator: "; ")
        switch failure.kind {
        case .unreachable: self.init(.unreachable, "the room's host cannot be reached: \(tries)")
        case .identity:
            self.init(.identityMismatch, "another peer than the room's host answered: \(tries)")
        case .versions: self.init(.versionMismatch, "the versions do not match: \(tries)")
        case .timedOut: self.init(.timedOut, "the room's host did not answer: \(tries)")
        case .busy: self.init(.busy, "the room's host has too many callers: \(tries)")
        }
    }

    /// Says why a room refused.
    init(_ refusal: RoomRefusal) {
        self.init(Reason(rawValue: refusal.reason.rawValue) ?? .notAllowed, refusal.message)
    }

    /// Says why a game refused.
    init(_ refusal: Refusal) {
        self.init(Reason(rawValue: refusal.reason.rawValue) ?? .notAllowed, refusal.message)
    }

    /// Says why a match refused.
    init(_ refusal: MatchRefusal) {
        switch refusal {
        case .match(let refusal): self.init(refusal)
        case .timedOut: self.init(.timedOut, "the peer that orders the moves did not answer in 10 s")
        case .busy: self.init(.busy, "too many moves wait for an answer already")
        }
    }
}
