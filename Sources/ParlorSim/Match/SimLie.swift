/// What a lying seat does.
///
/// It has its own key and no other, and cannot make up a quorum by itself.
public enum SimLie: String, Hashable, Sendable, CaseIterable {
    /// As the sequencer it sends an entry that the rules do not allow; else moves that are not allowed.
    case illegalEntry = "illegal-entry"
    /// It signs in the name of another seat.
    case forgedSignature = "forged-signature"
    /// As the sequencer it sends one entry to some seats and another one to the others.
    case twoEntries = "two-entries"
    /// It reveals and opens something else than it committed to.
    case falseOpening = "false-opening"
    /// It sends links that do not fit its chain.
    case wrongLink = "wrong-link"
    /// It keeps its links to itself.
    case withheldLink = "withheld-link"
    /// As the sequencer it does not hear a seat, and says so.
    case falseAway = "false-away"
    /// As the sequencer it does not take a seat's links.
    case falseWithheld = "false-withheld"
    /// Its clock goes wrong, so that the times of its entries do.
    case clock
    /// It sends everything that it sent before once more, now and then.
    case replay
    /// It says that its state, or the entry it stored, is another.
    case wrongState = "wrong-state"
    /// It votes for everybody who asks.
    case doubleVote = "double-vote"

    /// Whether it proves something only where more than two seats play.
    var needsMany: Bool {
        switch self {
        case .twoEntries, .falseAway, .falseWithheld, .clock, .doubleVote: true
        case .illegalEntry, .forgedSignature, .falseOpening, .wrongLink, .withheldLink, .replay,
            .wrongState:
            false
        }
    }
}
