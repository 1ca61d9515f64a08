public import ParlorGames

/// Who wrote a proposal.
public enum Author: Hashable, Sendable {
    /// The player of a seat.
    case seat(Int)
    /// Whoever orders the entries at that moment.
    case sequencer

    /// As written in the log: the seat, or -1 for the sequencer.
    public var number: Int {
        switch self {
        case .seat(let seat): seat
        case .sequencer: -1
        }
    }

    /// Reads an author; `nil` for a number that is neither.
    public init?(number: Int) {
        switch number {
        case -1: self = .sequencer
        case 0..<Limits.seatsMax: self = .seat(number)
        default: return nil
        }
    }
}

/// What an entry says.
public enum EntryBody: Hashable, Sendable {
    /// A seat commits to its hash chain and gives the key for sealing, and its own secret sealed for itself.
    case chain(end: [UInt8], boxKey: [UInt8], vault: [UInt8])
    /// A seat commits to its nonce of a round of the draw.
    case commit(round: Int, commitment: [UInt8])
    /// A seat reveals its nonce.
    case reveal(round: Int, nonce: [UInt8])
    /// A seat's move in the game.
    case move(Datum)
    /// A seat leaves at once.
    case leave
    /// The sequencer begins joint draw `draw` of these seats; `links` are those of the ones that it drives
    /// (its own and bots'), lowest seat first.
    case draw(draw: Int, seats: [Int], links: [[UInt8]])
    /// The sequencer opens what the game waits for; `draw` 0 and no links without chance.
    case open(draw: Int, links: [SeatLink], revealAt: Int)
    /// The game's deadline passed.
    case expire
    /// The calls that wait are complete; when each came and what is believed of it, in their order.
    case judge([CallBounds])
    /// The seat's link is lost.
    case away(seat: Int)
    /// The seat is here again.
    case back(seat: Int)
    /// The seat has left.
    case left(seat: Int, reason: LeftReason)
    /// The seat did not give its link for a draw in time.
    case withheld(draw: Int, seat: Int)
    /// A seat orders the entries from here on, because a quorum voted for it; `clock` is the entry's time.
    case sequencer(seat: Int, epoch: Int, clock: Int, votes: [Vote])
    /// The sequencer plays a bot from here on, with a chain, a key and a secret of its own; see
    /// ``chain(end:boxKey:vault:)``.
    case driver(seat: Int, peer: PeerID, end: [UInt8], boxKey: [UInt8], vault: [UInt8])
    /// A seat shows what another did; it is out of the match where the evidence is a proof.
    case fault(seat: Int, kind: Misdeed.Kind, evidence: [[UInt8]])
    /// The match is over.
    case end(outcomes: [Outcome], alone: Bool, stateHash: [UInt8])

    /// Why the sequencer says that a seat has left.
    public enum LeftReason: Int, Hashable, Sendable, CaseIterable {
        /// It was away longer than its grace.
        case grace = 0
        /// The host removed it.
        case kicked = 1
        /// It did not commit or reveal in time.
        case draw = 2
    }

    /// The stable word for a kind, as scripts see it.
    public var word: String {
        switch self {
        case .chain: "chain"
        case .commit: "commit"
        case .reveal: "reveal"
        case .move: "move"
        case .leave: "leave"
        case .draw: "draw"
        case .open: "open"
        case .expire: "expire"
        case .judge: "judge"
        case .away: "away"
        case .back: "back"
        case .left: "left"
        case .withheld: "withheld"
        case .sequencer: "sequencer"
        case .driver: "driver"
        case .fault: "fault"
        case .end: "end"
        }
    }

    /// Whether a seat writes it (the sequencer otherwise).
    public var isSeats: Bool {
        switch self {
        case .chain, .commit, .reveal, .move, .leave, .fault: true
        case .draw, .open, .expire, .judge, .away, .back, .left, .withheld, .sequencer, .driver, .end: false
        }
    }

    /// Whether a bot writes it, as any other seat does.
    var isBots: Bool {
        switch self {
        case .chain, .commit, .reveal, .move: true
        case .draw, .open, .expire, .judge, .away, .back, .left, .withheld, .sequencer, .driver, .end, .leave,
            .fault:
            false
        }
    }
}

extension EntryBody {
    /// The kind's number in the log.
    public var kind: Int {
        switch self {
        case .chain: 1
        case .commit: 2
        case .reveal: 3
        case .move: 4
        case .leave: 5
        case .draw: 6
        case .open: 7
        case .expire: 8
        case .away: 9
        case .back: 10
        case .left: 11
        case .withheld: 12
        case .sequencer: 13
        case .driver: 14
        case .end: 15
        case .fault: 16
        case .judge: 17
        }
    }

    /// The body as written in the log.
    public var cbor: CBOR {
        switch self {
        case .chain(let end, let boxKey, let vault): [.bytes(end), .bytes(boxKey), .bytes(vault)]
        case .commit(let round, let commitment): [.int(round), .bytes(commitment)]
        case .reveal(let round, let nonce): [.int(round), .bytes(nonce)]
        case .move(let datum): [CBOR(datum)]
        case .leave, .expire: []
        case .draw(let draw, let seats, let links):
            [.int(draw), .array(seats.map { .int($0) }), .array(links.map { .bytes($0) })]
        case .open(let draw, let links, let revealAt):
            [.int(draw), .array(links.map { [.int($0.seat), .bytes($0.link)] }), .int(revealAt)]
        case .judge(let calls):
            [.array(calls.map { [.int($0.arrival), .int($0.delay), .int($0.error)] })]
        case .away(let seat), .back(let seat): [.int(seat)]
        case .left(let seat, let reason): [.int(seat), .int(reason.rawValue)]
        case .withheld(let draw, let seat): [.int(draw), .int(seat)]
        case .sequencer(let seat, let epoch, let clock, let votes):
            [.int(seat), .int(epoch), .int(clock), .array(votes.map(\.inEntry))]
        case .driver(let seat, let peer, let end, let boxKey, let vault):
            [.int(seat), .bytes(peer.bytes), .bytes(end), .bytes(boxKey), .bytes(vault)]
        case .fault(let seat, let kind, let evidence):
            [.int(seat), .int(kind.rawValue), .array(evidence.map { .bytes($0) })]
        case .end(let outcomes, let alone, let stateHash):
            [.array(outcomes.map { .text($0.rawValue) }), .bool(alone), .bytes(stateHash)]
        }
    }

    /// Reads a body; `nil` when it is none of that kind.
    public init?(kind: Int, cbor: CBOR) {
        guard let items = cbor.array else { return nil }
        let body: EntryBody? =
            switch (kind, items.count) {
            case (1, 3): Self.chain(items)
            case (2, 2):
                Self.bytes(items[1], 32).flatMap { hash in
                    Self.round(items[0]).map { .commit(round: $0, commitment: hash) }
                }
            case (3, 2):
                Self.bytes(items[1], 32).flatMap { nonce in
                    Self.round(items[0]).map { .reveal(round: $0, nonce: nonce) }
                }
            case (4, 1): items[0].datum.map { .move($0) }
            case (5, 0): .leave
            case (6, 3): Self.draw(items)
            case (7, 3): Self.open(items)
            case (8, 0): .expire
            case (9, 1): Self.seat(items[0]).map { .away(seat: $0) }
            case (10, 1): Self.seat(items[0]).map { .back(seat: $0) }
            case (11, 2):
                Self.seat(items[0]).flatMap { seat in
                    items[1].int.flatMap(LeftReason.init(rawValue:)).map { .left(seat: seat, reason: $0) }
                }
            case (12, 2):
                Self.seat(items[1]).flatMap { seat in
                    items[0].int.map { .withheld(draw: $0, seat: seat) }
                }
            case (13, 4): Self.sequencer(items)
            case (14, 5): Self.driver(items)
            case (15, 3): Self.end(items)
            case (16, 3): Self.fault(items)
            case (17, 1): Self.judge(items)
            default: nil
            }
        guard let body else { return nil }
        self = body
    }

    private static func chain(_ items: [CBOR]) -> EntryBody? {
        guard let end = bytes(items[0], 32), let boxKey = bytes(items[1], 32), let vault = items[2].bytes,
            vault.count == SeatVault.sealedBytes
        else { return nil }
        return .chain(end: end, boxKey: boxKey, vault: vault)
    }

    private static func draw(_ items: [CBOR]) -> EntryBody? {
        guard let draw = items[0].int, let list = items[1].array, let given = items[2].array else {
            return nil
        }
        let seats = list.compactMap(seat)
        let links = given.compactMap { bytes($0, 32) }
        guard seats.count == list.count, links.count == given.count, links.count <= seats.count else {
            return nil
        }
        return .draw(draw: draw, seats: seats, links: links)
    }

    private static func driver(_ items: [CBOR]) -> EntryBody? {
        guard let seat = seat(items[0]), let peer = items[1].bytes.flatMap(PeerID.init(bytes:)),
            case .chain(let end, let boxKey, let vault)? = chain(Array(items[2...]))
        else { return nil }
        return .driver(seat: seat, peer: peer, end: end, boxKey: boxKey, vault: vault)
    }

    private static func open(_ items: [CBOR]) -> EntryBody? {
        guard let draw = items[0].int, let list = items[1].array, let revealAt = items[2].int else {
            return nil
        }
        let links = list.compactMap { item -> SeatLink? in
            guard let pair = item.array, pair.count == 2, let seat = seat(pair[0]),
                let link = bytes(pair[1], 32)
            else { return nil }
            return SeatLink(seat: seat, link: link)
        }
        return links.count == list.count ? .open(draw: draw, links: links, revealAt: revealAt) : nil
    }

    private static func sequencer(_ items: [CBOR]) -> EntryBody? {
        guard let seat = seat(items[0]), let epoch = items[1].int, let clock = items[2].int,
            let list = items[3].array, list.count <= Limits.seatsMax
        else { return nil }
        let votes = list.compactMap { Vote(inEntry: $0, epoch: epoch, candidate: seat) }
        return votes.count == list.count
            ? .sequencer(seat: seat, epoch: epoch, clock: clock, votes: votes) : nil
    }

    private static func fault(_ items: [CBOR]) -> EntryBody? {
        guard let seat = seat(items[0]), let kind = items[1].int.flatMap(Misdeed.Kind.init(rawValue:)),
            let list = items[2].array, list.count <= Limits.evidenceMax
        else { return nil }
        let evidence = list.compactMap(\.bytes)
        guard evidence.count == list.count,
            evidence.allSatisfy({ $0.count <= Limits.evidenceBytesMax })
        else { return nil }
        return .fault(seat: seat, kind: kind, evidence: evidence)
    }

    private static func judge(_ items: [CBOR]) -> EntryBody? {
        guard let list = items[0].array, list.count <= Limits.seatsMax else { return nil }
        let calls = list.compactMap { item -> CallBounds? in
            guard let parts = item.array, parts.count == 3, let arrival = parts[0].int,
                let delay = parts[1].int, let error = parts[2].int
            else { return nil }
            return CallBounds(arrival: arrival, delay: delay, error: error)
        }
        return calls.count == list.count ? .judge(calls) : nil
    }

    private static func end(_ items: [CBOR]) -> EntryBody? {
        guard let list = items[0].array, let alone = items[1].bool, let hash = bytes(items[2], 32) else {
            return nil
        }
        let outcomes = list.compactMap { $0.text.flatMap(Outcome.init(rawValue:)) }
        return outcomes.count == list.count ? .end(outcomes: outcomes, alone: alone, stateHash: hash) : nil
    }

    private static func bytes(_ cbor: CBOR, _ count: Int) -> [UInt8]? {
        cbor.bytes.flatMap { $0.count == count ? $0 : nil }
    }

    private static func seat(_ cbor: CBOR) -> Int? {
        cbor.int.flatMap { (0..<Limits.seatsMax).contains($0) ? $0 : nil }
    }

    private static func round(_ cbor: CBOR) -> Int? {
        cbor.int.flatMap { (0...Limits.drawRoundMax).contains($0) ? $0 : nil }
    }
}

/// What an author wants in the log, signed.
public struct Proposal: Hashable, Sendable {
    /// What a proposal is, in one place: proposals are handed about much more often than made.
    private final class Parts: Sendable {
        let match: MatchID
        let author: Author
        let counter: Int
        let seenIndex: Int
        let seenHash: [UInt8]
        let body: EntryBody
        let signature: [UInt8]
        /// What is signed: the label, then ``Proposal/content``.
        let signed: [UInt8]

        init(
            _ match: MatchID, _ author: Author, _ counter: Int, _ seenIndex: Int, _ seenHash: [UInt8],
            _ body: EntryBody, sign: ([UInt8]) -> [UInt8]
        ) {
            self.match = match
            self.author = author
            self.counter = counter
            self.seenIndex = seenIndex
            self.seenHash = seenHash
            self.body = body
            signed = Proposal.signed(match, author, counter, seenIndex, seenHash, body)
            signature = sign(signed)
        }
    }

    private let parts: Parts
    /// The match.
    public var match: MatchID { parts.match }
    /// Who wrote it.
    public var author: Author { parts.author }
    /// Rises with each proposal of the author in the match; gaps are allowed.
    public var counter: Int { parts.counter }
    /// The index of the newest entry the author had when it wrote this; -1 for none.
    public var seenIndex: Int { parts.seenIndex }
    /// That entry's hash; the genesis hash for -1.
    public var seenHash: [UInt8] { parts.seenHash }
    /// What it says.
    public var body: EntryBody { parts.body }
    /// Ed25519 over `parlor/proposal/1` ‖ ``content``.
    public var signature: [UInt8] { parts.signature }

    /// Signs a proposal.
    public init(
        match: MatchID, author: Author, counter: Int, seenIndex: Int, seenHash: [UInt8], body: EntryBody,
        signer: Signer
    ) {
        parts = Parts(match, author, counter, seenIndex, seenHash, body, sign: signer.sign)
    }

    /// What is signed, after the label: the first seven items of the proposal as an array.
    public var content: [UInt8] { Array(parts.signed[Self.label.count...]) }

    /// The proposal as it is sent and logged: seven items and the signature.
    public var cbor: CBOR {
        .array([
            .bytes(match.bytes), .int(author.number), .int(counter), .int(seenIndex), .bytes(seenHash),
            .int(body.kind), body.cbor, .bytes(signature),
        ])
    }

    /// Appends the encoding of ``cbor``.
    func encode(into bytes: inout [UInt8]) {
        CBOR.encodeArrayHead(8, into: &bytes)
        bytes += parts.signed[(Self.label.count + 1)...]
        CBOR.encode(bytes: signature, into: &bytes)
    }

    /// Bytes of the encoding, give or take the head of the signature.
    var byteCount: Int { parts.signed.count + parts.signature.count }

    /// Reads a proposal; `nil` when it is none.
    public init?(cbor: CBOR) {
        guard let items = cbor.array, items.count == 8,
            let match = items[0].bytes.flatMap(MatchID.init(bytes:)),
            let author = items[1].int.flatMap(Author.init(number:)), let counter = items[2].int,
            (0...Limits.counterMax).contains(counter),
            let seenIndex = items[3].int, seenIndex >= -1, let seenHash = items[4].bytes,
            seenHash.count == 32,
            let kind = items[5].int, let body = EntryBody(kind: kind, cbor: items[6]),
            let signature = items[7].bytes, signature.count == 64
        else { return nil }
        parts = Parts(match, author, counter, seenIndex, seenHash, body) { _ in signature }
    }

    /// Whether the signature is that of the key.
    public func isSigned(by peer: PeerID, _ signing: Signing) -> Bool {
        signing.verify(parts.signature, parts.signed, peer)
    }

    /// Whether two proposals are the same to the byte.
    public static func == (one: Proposal, other: Proposal) -> Bool {
        one.parts === other.parts
            || one.signature == other.signature && one.parts.signed == other.parts.signed
    }

    /// Hashes what makes a proposal unique.
    public func hash(into hasher: inout Hasher) { hasher.combine(signature) }

    private static let label = Array("parlor/proposal/1".utf8)

    private static func signed(
        _ match: MatchID, _ author: Author, _ counter: Int, _ seenIndex: Int, _ seenHash: [UInt8],
        _ body: EntryBody
    ) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(160)
        bytes += label
        CBOR.encodeArrayHead(7, into: &bytes)
        CBOR.encode(bytes: match.bytes, into: &bytes)
        CBOR.encode(int: author.number, into: &bytes)
        CBOR.encode(int: counter, into: &bytes)
        CBOR.encode(int: seenIndex, into: &bytes)
        CBOR.encode(bytes: seenHash, into: &bytes)
        CBOR.encode(int: body.kind, into: &bytes)
        body.cbor.encode(into: &bytes)
        return bytes
    }
}
