public import ParlorGames

/// What the seats of a match say to each other on the game lane.
public enum MatchMessage: Hashable, Sendable {
    /// What the match begins with; from the host to every seat, and again to one that comes back.
    case genesis([UInt8])
    /// An author wants an entry; to the sequencer.
    case propose(Proposal)
    /// The proposal with this counter will not be in the log; to its author.
    case refuse(counter: Int, Refusal)
    /// Entries in order; from the sequencer. Or two of one index: the proof that one seat signed both.
    case entries([Entry])
    /// The sender has stored everything up to this entry and accepted so many, and follows the sequencer of
    /// this epoch; to every seat.
    case stored(index: Int, hash: [UInt8], stateHash: [UInt8]?, accepted: Int, epoch: Int)
    /// A seat's link of a joint draw; to every seat.
    case link(draw: Int, SeatLink)
    /// The sender lacks the entries from this index on; to the sequencer, or a voter with a longer log.
    case want(from: Int)
    /// The sender asks for votes for an epoch; to every seat.
    case ask(epoch: Int)
    /// A vote, and how many entries the voter has accepted; to the seat it is for.
    case vote(Vote, accepted: Int)
    /// Which seats the sender hears, which links of an unopened joint draw it holds, and whether it follows
    /// no sequencer at the moment; to every seat, whenever it changes.
    case hearing(Hearing)
    /// The sender has voted for this epoch and stores nothing of a lower one.
    case promised(epoch: Int)

    /// Where the sender's match clock began, in microseconds on its monotonic clock; from the sequencer of
    /// this epoch.
    case clock(epoch: Int, zero: Int)

    /// The message as sent: an array whose first item is its kind.
    public var cbor: CBOR {
        switch self {
        case .genesis(let bytes): [.int(0), .bytes(bytes)]
        case .propose(let proposal): [.int(1), proposal.cbor]
        case .refuse(let counter, let refusal):
            [.int(2), .int(counter), .text(refusal.reason.rawValue), .text(refusal.message)]
        case .entries(let entries): [.int(3), .array(entries.map { .bytes($0.encoded) })]
        case .stored(let index, let hash, let stateHash, let accepted, let epoch):
            [
                .int(4), .int(index), .bytes(hash), stateHash.map { .bytes($0) } ?? .null, .int(accepted),
                .int(epoch),
            ]
        case .link(let draw, let link): [.int(5), .int(draw), .int(link.seat), .bytes(link.link)]
        case .want(let index): [.int(6), .int(index)]
        case .ask(let epoch): [.int(7), .int(epoch)]
        case .vote(let vote, let accepted): [.int(8), vote.cbor, .int(accepted)]
        case .hearing(let hearing):
            [
                .int(9), .array(hearing.seats.map { .int($0) }), .int(hearing.draw),
                .array(hearing.links.map { .int($0) }), .bool(hearing.isLeaderless),
            ]
        case .promised(let epoch): [.int(10), .int(epoch)]
        case .clock(let epoch, let zero): [.int(11), .int(epoch), .int(zero)]
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
        case (4, 6):
            guard let index = items[1].int, let hash = items[2].bytes,
                items[3].isNull || items[3].bytes != nil, let accepted = items[4].int, accepted >= 0,
                let epoch = items[5].int, (0...Limits.epochMax).contains(epoch)
            else { return nil }
            self = .stored(
                index: index, hash: hash, stateHash: items[3].bytes, accepted: accepted, epoch: epoch)
        case (5, 4):
            guard let draw = items[1].int, let seat = items[2].int, let link = items[3].bytes else {
                return nil
            }
            self = .link(draw: draw, SeatLink(seat: seat, link: link))
        case (6, 2):
            guard let index = items[1].int, index >= 0 else { return nil }
            self = .want(from: index)
        case (7, 2):
            guard let epoch = items[1].int, (1...Limits.epochMax).contains(epoch) else { return nil }
            self = .ask(epoch: epoch)
        case (8, 3):
            guard let vote = Vote(cbor: items[1]), let accepted = items[2].int, accepted >= 0 else {
                return nil
            }
            self = .vote(vote, accepted: accepted)
        case (9, 5):
            guard let hearing = Hearing(cbor: items) else { return nil }
            self = .hearing(hearing)
        case (10, 2):
            guard let epoch = items[1].int, (1...Limits.epochMax).contains(epoch) else { return nil }
            self = .promised(epoch: epoch)
        case (11, 3):
            guard let epoch = items[1].int, (0...Limits.epochMax).contains(epoch), let zero = items[2].int,
                zero.magnitude <= UInt(Limits.clockZeroMicrosecondsMax)
            else { return nil }
            self = .clock(epoch: epoch, zero: zero)
        default: return nil
        }
    }
}

/// What one seat's machine knows of the others at the moment, beside the log.
public struct Hearing: Hashable, Sendable {
    /// The seats it hears, its own among them, lowest first.
    public var seats: [Int]
    /// The joint draw that has not been opened for a while; 0: none.
    public var draw: Int
    /// The seats whose links of that draw it holds, lowest first.
    public var links: [Int]
    /// Whether it follows no sequencer.
    public var isLeaderless: Bool

    /// Says what is known; the parameters are the members.
    public init(seats: [Int], draw: Int = 0, links: [Int] = [], isLeaderless: Bool = false) {
        self.seats = seats
        self.draw = draw
        self.links = links
        self.isLeaderless = isLeaderless
    }

    /// Whether it says that these seats are heard, whom the sender follows, and nothing of a draw.
    func says(_ seats: SeatSet, isLeaderless: Bool) -> Bool {
        draw == 0 && links.isEmpty && self.isLeaderless == isLeaderless && SeatSet(self.seats) == seats
    }

    /// Reads what follows the kind of the message.
    init?(cbor items: [CBOR]) {
        guard let seats = items[1].array.flatMap(Self.list), let draw = items[2].int, draw >= 0,
            let links = items[3].array.flatMap(Self.list), let isLeaderless = items[4].bool
        else { return nil }
        self.init(seats: seats, draw: draw, links: links, isLeaderless: isLeaderless)
    }

    private static func list(_ items: [CBOR]) -> [Int]? {
        let seats = items.compactMap(\.int)
        guard seats.count == items.count, seats.allSatisfy((0..<Limits.seatsMax).contains),
            zip(seats, seats.dropFirst()).allSatisfy({ $0 < $1 })
        else { return nil }
        return seats
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
    /// A seat is away: its link is lost, or it has kept its part of a joint draw to itself.
    case away(seat: Int, withheld: Bool)
    /// A seat is here again.
    case back(seat: Int)
    /// A seat is out of the match.
    case left(seat: Int, MatchState.Seat.Departure)
    /// The match is over; no outcomes when it was cancelled.
    case ended([Outcome])
    /// A proposal that nobody waits for was refused.
    case refused(Refusal)
    /// Another seat orders the entries from now on.
    case sequencerChanged(seat: Int)
    /// The match waits: there is no sequencer, or no quorum.
    case paused
    /// It goes on; also after a copy that was ended alone has been replaced.
    ///
    /// Or after accepted entries were, of a sequencer that signed others in their place: what follows is new.
    case goesOn
    /// A seat broke the protocol; the match goes on without trusting it.
    case fault(Misdeed)
    /// Two peers' states differ though their logs are the same, or the seat says that it stored another
    /// entry.
    case desync(seat: Int, entry: Int)
    /// The sequencer or a seat broke the protocol; this peer goes on alone.
    case violation(String)
}
