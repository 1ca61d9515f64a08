public import ParlorGames

/// What the seats of a match say to each other on the game lane.
public enum MatchMessage: Hashable, Sendable {
    /// What the match begins with; from the host to every seat, and again to one that comes back.
    case genesis([UInt8])
    /// An author wants an entry; to the sequencer.
    case propose(Proposal)
    /// The proposal with this counter will not be in the log; to its author.
    case refuse(counter: Int, Refusal)
    /// Entries in order; from the sequencer.
    case entries([Entry])
    /// The sender has stored everything up to this entry; to every seat.
    case stored(index: Int, hash: [UInt8], stateHash: [UInt8]?)
    /// A seat's link of a joint draw; to every seat.
    case link(draw: Int, SeatLink)
    /// The sender lacks the entries from this index on; to the sequencer.
    case want(from: Int)

    /// The message as sent: an array whose first item is its kind.
    public var cbor: CBOR {
        switch self {
        case .genesis(let bytes): [.int(0), .bytes(bytes)]
        case .propose(let proposal): [.int(1), proposal.cbor]
        case .refuse(let counter, let refusal):
            [.int(2), .int(counter), .text(refusal.reason.rawValue), .text(refusal.message)]
        case .entries(let entries): [.int(3), .array(entries.map { .bytes($0.encoded) })]
        case .stored(let index, let hash, let stateHash):
            [.int(4), .int(index), .bytes(hash), stateHash.map { .bytes($0) } ?? .null]
        case .link(let draw, let link): [.int(5), .int(draw), .int(link.seat), .bytes(link.link)]
        case .want(let index): [.int(6), .int(index)]
        }
    }

    /// Reads a message; `nil` when it is none.
    public init?(cbor: CBOR) {
        guard let items = cbor.array, let kind = items.first?.int else { return nil }
        switch (kind, items.count) {
        case (0, 2):
            guard let bytes = items[1].bytes else { return nil }
            self = .genesis(bytes)
        case (1, 2):
            guard let proposal = Proposal(cbor: items[1]) else { return nil }
            self = .propose(proposal)
        case (2, 4):
            guard let counter = items[1].int, let word = items[2].text, let text = items[3].text else {
                return nil
            }
            self = .refuse(
                counter: counter, Refusal(Refusal.Reason(rawValue: word) ?? .illegalMove, text))
        case (3, 2):
            guard let list = items[1].array else { return nil }
            let entries = list.compactMap { $0.bytes.flatMap(Entry.init(decoding:)) }
            guard entries.count == list.count else { return nil }
            self = .entries(entries)
        case (4, 4):
            guard let index = items[1].int, let hash = items[2].bytes,
                items[3].isNull || items[3].bytes != nil
            else { return nil }
            self = .stored(index: index, hash: hash, stateHash: items[3].bytes)
        case (5, 4):
            guard let draw = items[1].int, let seat = items[2].int, let link = items[3].bytes else {
                return nil
            }
            self = .link(draw: draw, SeatLink(seat: seat, link: link))
        case (6, 2):
            guard let index = items[1].int, index >= 0 else { return nil }
            self = .want(from: index)
        default: return nil
        }
    }
}

/// What happened in a match, for those who show it.
public enum MatchNotice: Hashable, Sendable {
    /// A seat's number of a round of the draw is known.
    case drawNumber(seat: Int, number: Int, round: Int)
    /// It is decided who goes first.
    case drawDecided(first: Int)
    /// The game is on.
    case started
    /// An entry was accepted.
    case changed(entry: Int, what: String)
    /// What the last opening hid is shown now.
    case revealed
    /// A seat's link is lost.
    case away(seat: Int)
    /// A seat is here again.
    case back(seat: Int)
    /// A seat has left, by itself (`nil`) or as the sequencer says.
    case left(seat: Int, EntryBody.LeftReason?)
    /// The match is over; no outcomes when it was cancelled.
    case ended([Outcome])
    /// A proposal that nobody waits for was refused.
    case refused(Refusal)
    /// Two peers' states differ though their logs are the same, or the seat says that it stored another
    /// entry.
    case desync(seat: Int, entry: Int)
    /// The sequencer or a seat broke the protocol; this peer goes on alone.
    case violation(String)
}
