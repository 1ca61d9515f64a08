internal import ParlorCrypto
public import ParlorGames

/// One signed statement of a match by turns.
///
/// Items form a set: in which order they come does not matter.
public struct TurnItem: Hashable, Sendable {
    /// What an item says.
    public enum Body: Hashable, Sendable {
        /// A seat's move on a link of the chain: the genesis, another move, or a seat passed over.
        case move(parent: [UInt8], seat: Int, Datum)
        /// The author takes part, and is called so.
        case accept(name: String)
        /// The author does not take part.
        case decline
        /// The author leaves; so many moves of its own count.
        case quit(after: Int)
        /// The author wants a seat passed over, whose time for its turn is up by the author's clock.
        case skip(parent: [UInt8], seat: Int)
        /// The author wants an open seat, and is called so. Never in the set by itself: a `grant` holds it.
        case take(seat: Int, name: String)
        /// The creator gives an open seat to the author of a ``take(seat:name:)``, whose bytes these are.
        case grant(take: [UInt8])
        /// The author reminds whoever is to move on a link of the chain.
        case remind(parent: [UInt8])

        /// The kind's number.
        public var kind: Int {
            switch self {
            case .move: 0
            case .accept: 1
            case .decline: 2
            case .quit: 3
            case .skip: 4
            case .take: 5
            case .grant: 6
            case .remind: 7
            }
        }
    }

    private static let label = Array("parlor/turn/1".utf8)
    private static let hashLabel = Array("parlor/turn-item/1".utf8)

    /// The match that it belongs to.
    public let match: MatchID
    /// Who says it.
    public let author: PeerID
    /// What is said.
    public let body: Body
    /// When, by the author's clock, in Unix milliseconds; shown, never trusted.
    public let time: Int
    /// The item as it is hashed, kept and sent.
    public let encoded: [UInt8]
    /// BLAKE2b-256(`parlor/turn-item/1` ‖ encoded).
    public let hash: [UInt8]

    /// Makes and signs an item.
    public init(match: MatchID, body: Body, time: Int, signer: Signer) {
        let items = Self.items(match, signer.peer, body, time)
        self.init(match, signer.peer, body, time, signer.sign(Self.label + CBOR.array(items).encoded()))
    }

    private init(_ match: MatchID, _ author: PeerID, _ body: Body, _ time: Int, _ signature: [UInt8]) {
        self.match = match
        self.author = author
        self.body = body
        self.time = time
        encoded = CBOR.array(Self.items(match, author, body, time) + [.bytes(signature)]).encoded()
        hash = Hash.blake2b256(Self.hashLabel + encoded)
    }

    /// Reads an item and checks its signature, and that of a request in it.
    ///
    /// - Throws: ``TurnFault`` `malformed` or `signature`.
    public init(decoding bytes: [UInt8], _ signing: Signing) throws(TurnFault) {
        guard bytes.count <= Limits.turnItemBytesMax, let items = try? CBOR.decode(bytes).array,
            items.count == 6, let match = items[0].bytes.flatMap(MatchID.init(bytes:)),
            let author = items[1].bytes.flatMap(PeerID.init(bytes:)), let kind = items[2].int,
            let body = Body(kind: kind, cbor: items[3]), let time = items[4].int, time >= 0,
            let signature = items[5].bytes, signature.count == 64
        else { throw .malformed }
        let signed = Self.label + CBOR.array(Array(items.dropLast())).encoded()
        guard signing.verify(signature, signed, author) else { throw .signature }
        self.init(match, author, body, time, signature)
        if case .grant = body { try checkGrant(signing) }
    }

    private func checkGrant(_ signing: Signing) throws(TurnFault) {
        guard case .grant(let bytes) = body else { return }
        let take = try TurnItem(decoding: bytes, signing)
        guard case .take = take.body, take.match == match else { throw .malformed }
    }

    /// What a grant gives to whom; `nil` for anything else.
    public var granted: (seat: Int, peer: PeerID, name: String)? {
        guard case .grant(let bytes) = body, let take = try? TurnItem(decoding: bytes, .checkedBefore),
            case .take(let seat, let name) = take.body
        else { return nil }
        return (seat, take.author, name)
    }

    private static func items(_ match: MatchID, _ author: PeerID, _ body: Body, _ time: Int) -> [CBOR] {
        [.bytes(match.bytes), .bytes(author.bytes), .int(body.kind), body.cbor, .int(time)]
    }

    /// The link of the chain that a seat passed over makes.
    ///
    /// BLAKE2b-256(`parlor/turn-pass/1` ‖ parent ‖ seat).
    public static func pass(parent: [UInt8], seat: Int) -> [UInt8] {
        Hash.blake2b256(Array("parlor/turn-pass/1".utf8) + parent + [UInt8(truncatingIfNeeded: seat)])
    }

    /// Whether two items are the same to the byte.
    public static func == (one: TurnItem, other: TurnItem) -> Bool { one.hash == other.hash }

    /// Hashes what makes an item unique.
    public func hash(into hasher: inout Hasher) { hasher.combine(hash) }
}

extension TurnItem.Body {
    var cbor: CBOR {
        switch self {
        case .move(let parent, let seat, let datum): [.bytes(parent), .int(seat), CBOR(datum)]
        case .accept(let name): [.text(name)]
        case .decline: []
        case .quit(let after): [.int(after)]
        case .skip(let parent, let seat): [.bytes(parent), .int(seat)]
        case .take(let seat, let name): [.int(seat), .text(name)]
        case .grant(let take): [.bytes(take)]
        case .remind(let parent): [.bytes(parent)]
        }
    }

    init?(kind: Int, cbor: CBOR) {
        guard let items = cbor.array else { return nil }
        let body: Self? =
            switch (kind, items.count) {
            case (0, 3):
                Self.link(items[0]).flatMap { parent in
                    Self.seat(items[1]).flatMap { seat in
                        items[2].datum.map { .move(parent: parent, seat: seat, $0) }
                    }
                }
            case (1, 1): Self.name(items[0]).map { .accept(name: $0) }
            case (2, 0): .decline
            case (3, 1): items[0].int.flatMap { $0 >= 0 ? .quit(after: $0) : nil }
            case (4, 2):
                Self.link(items[0]).flatMap { parent in
                    Self.seat(items[1]).map { .skip(parent: parent, seat: $0) }
                }
            case (5, 2):
                Self.seat(items[0]).flatMap { seat in
                    Self.name(items[1]).map { .take(seat: seat, name: $0) }
                }
            // A request holds no grant, so that items do not lie in one another without end.
            case (6, 1):
                items[0].bytes.flatMap { take in
                    guard (try? CBOR.decode(take))?.array?.dropFirst(2).first?.int == 5 else { return nil }
                    return .grant(take: take)
                }
            case (7, 1): Self.link(items[0]).map { .remind(parent: $0) }
            default: nil
            }
        guard let body else { return nil }
        self = body
    }

    private static func link(_ item: CBOR) -> [UInt8]? {
        item.bytes.flatMap { $0.count == Hash.byteCount ? $0 : nil }
    }

    private static func seat(_ item: CBOR) -> Int? {
        item.int.flatMap { (0..<Limits.seatsMax).contains($0) ? $0 : nil }
    }

    private static func name(_ item: CBOR) -> String? {
        item.text.flatMap { $0.utf8.count <= Limits.playerNameBytesMax ? $0 : nil }
    }
}
