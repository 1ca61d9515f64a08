/// What a seat did against the protocol, and what shows it.
public struct Misdeed: Error, Hashable, Sendable {
    /// What kind of thing it was; the number stands in the log.
    public enum Kind: Int, Hashable, Sendable, CaseIterable {
        /// A sequencer signed an entry that the rules do not allow.
        case illegalEntry = 0
        /// A sequencer signed two entries with one index.
        case twoEntries = 1
        /// A signature is not its author's.
        case forgedSignature = 2
        /// A link of a joint draw does not fit its seat's chain.
        case wrongLink = 3
        /// A link of a joint draw was kept back.
        case withheldLink = 4
        /// A sequencer said `away`, `left` or `withheld` of a seat that did its part.
        case falseStatus = 5
        /// A sequencer's times are not those of the match clock.
        case clock = 6
        /// A proposal was sent again that stands in the log already, or with a counter used before.
        case replay = 7
        /// A state that differs though the log is the same.
        case desync = 8
        /// What was opened is not what was committed to.
        case falseOpening = 9
        /// A sequencer let a proposal wait that it should have ordered or refused.
        case droppedProposal = 10
    }

    /// Who did it.
    public let seat: Int
    /// What kind of thing it was.
    public let kind: Kind
    /// The index of the entry that it is about; `nil` where it is about none.
    public let index: Int?
    /// What happened, for people.
    public let message: String
    /// The entries that show it, as they were signed; at most ``Limits/evidenceMax``.
    public let evidence: [[UInt8]]

    /// Names a misdeed; the parameters are the members.
    public init(seat: Int, _ kind: Kind, index: Int? = nil, _ message: String, evidence: [[UInt8]] = []) {
        self.seat = seat
        self.kind = kind
        self.index = index
        self.message = message
        self.evidence = evidence
    }
}

extension Misdeed.Kind {
    /// Whether the evidence alone convinces whoever has the log: the seat is then out of the match.
    public var isProvable: Bool { self == .illegalEntry || self == .twoEntries }

    /// The stable word, as scripts see it.
    public var word: String {
        switch self {
        case .illegalEntry: "illegal-entry"
        case .twoEntries: "two-entries"
        case .forgedSignature: "forged-signature"
        case .wrongLink: "wrong-link"
        case .withheldLink: "withheld-link"
        case .falseStatus: "false-status"
        case .clock: "clock"
        case .replay: "replay"
        case .desync: "desync"
        case .falseOpening: "false-opening"
        case .droppedProposal: "dropped-proposal"
        }
    }
}
