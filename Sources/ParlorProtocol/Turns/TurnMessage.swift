internal import ParlorCrypto

/// What peers say to each other about matches by turns.
///
/// A peer says which matches it has and what tells their copies apart (``heads(_:)``); the other asks for
/// what it has not got (``want(_:has:isAnswer:)``) and is given it (``items(_:genesis:_:)``).
public enum TurnMessage: Hashable, Sendable {
    /// A match that the sender has.
    public struct Head: Hashable, Sendable {
        /// Which match.
        public let match: MatchID
        /// What tells its copy apart; see ``TurnMatch/digest``.
        public let digest: [UInt8]
        /// Whose seats these are as far as the sender knows, `nil` for an open one: what a receiver decides
        /// by whether it wants the match.
        public let seats: [PeerID?]

        /// Makes a head.
        public init(match: MatchID, digest: [UInt8], seats: [PeerID?]) {
            self.match = match
            self.digest = digest
            self.seats = seats
        }

        /// The head of a match.
        public init(_ match: TurnMatch) {
            self.init(match: match.genesis.match, digest: match.digest, seats: match.holders)
        }
    }

    /// Matches that the sender has, perhaps not all.
    case heads([Head])
    /// Give me what you have of a match beside the items of these hashes; `isAnswer` where it follows another
    /// want, and is followed by none.
    case want(MatchID, has: [[UInt8]], isAnswer: Bool)
    /// Items of a match, and its genesis where the receiver has none; the bytes are not checked yet.
    case items(MatchID, genesis: [UInt8]?, [[UInt8]])

    /// The kinds of these messages, the first items of their arrays.
    static let kinds = 24...26

    /// Items of one match in a message: as many as fit a match, however small.
    static let itemsMax = Limits.turnMatchBytesMax / 128

    var cbor: CBOR {
        switch self {
        case .heads(let heads):
            [
                .int(24), .int(TurnGenesis.version),
                .array(
                    heads.map { head in
                        [
                            .bytes(head.match.bytes), .bytes(head.digest),
                            .array(head.seats.map { $0.map { .bytes($0.bytes) } ?? .null }),
                        ]
                    }),
            ]
        case .want(let match, let has, let isAnswer):
            [.int(25), .bytes(match.bytes), .array(has.map { .bytes($0) }), .bool(isAnswer)]
        case .items(let match, let genesis, let items):
            [
                .int(26), .bytes(match.bytes), genesis.map { .bytes($0) } ?? .null,
                .array(items.map { .bytes($0) }),
            ]
        }
    }

    /// Reads a message of one of ``kinds`` whose first item was the kind; `nil` when it is none.
    init?(kind: Int, _ items: [CBOR]) {
        let message: TurnMessage? =
            switch (kind, items.count) {
            case (24, 3): Self.heads(items)
            case (25, 4): Self.want(items)
            case (26, 4): Self.items(items)
            default: nil
            }
        guard let message else { return nil }
        self = message
    }

    private static func heads(_ items: [CBOR]) -> TurnMessage? {
        guard items[1].int == TurnGenesis.version, let list = items[2].array,
            list.count <= Limits.turnHeadsMax
        else { return nil }
        let heads = list.compactMap(head)
        return heads.count == list.count ? .heads(heads) : nil
    }

    private static func head(_ item: CBOR) -> Head? {
        guard let parts = item.array, parts.count == 3,
            let match = parts[0].bytes.flatMap(MatchID.init(bytes:)), let digest = parts[1].bytes,
            digest.count == TurnMatch.digestBytes, let list = parts[2].array,
            (1...Limits.seatsMax).contains(list.count)
        else { return nil }
        var seats: [PeerID?] = []
        for seat in list {
            let peer = seat.bytes.flatMap(PeerID.init(bytes:))
            guard peer != nil || seat.isNull else { return nil }
            seats.append(peer)
        }
        return Head(match: match, digest: digest, seats: seats)
    }

    private static func want(_ items: [CBOR]) -> TurnMessage? {
        guard let match = items[1].bytes.flatMap(MatchID.init(bytes:)), let list = items[2].array,
            list.count <= itemsMax, let isAnswer = items[3].bool
        else { return nil }
        let hashes = list.compactMap { $0.bytes.flatMap { $0.count == Hash.byteCount ? $0 : nil } }
        return hashes.count == list.count ? .want(match, has: hashes, isAnswer: isAnswer) : nil
    }

    private static func items(_ items: [CBOR]) -> TurnMessage? {
        guard let match = items[1].bytes.flatMap(MatchID.init(bytes:)), let list = items[3].array,
            list.count <= itemsMax
        else { return nil }
        let genesis = items[2].bytes
        let bytes = list.compactMap(\.bytes)
        guard genesis != nil || items[2].isNull, genesis?.count ?? 0 <= Limits.turnGenesisBytesMax,
            bytes.count == list.count, bytes.allSatisfy({ $0.count <= Limits.turnItemBytesMax })
        else { return nil }
        return .items(match, genesis: genesis, bytes)
    }
}
