internal import ParlorCrypto
public import ParlorGames

/// Which list of words a room plays with, so that every member knows whether it has that list.
public struct WordTerms: Hashable, Sendable {
    /// The list's identity: BLAKE2b-256 of its words joined by line feeds.
    public let hash: [UInt8]
    /// How many words it has.
    public let count: Int
    /// Bytes of its words joined by line feeds; at most ``WordList/bytesMost``.
    public let bytes: Int

    /// Describes a list by its identity.
    public init(hash: [UInt8], count: Int, bytes: Int) {
        self.hash = hash
        self.count = count
        self.bytes = bytes
    }

    var cbor: CBOR { [.bytes(hash), .int(count), .int(bytes)] }

    init?(cbor: CBOR) {
        guard let items = cbor.array, items.count == 3, let hash = items[0].bytes,
            hash.count == Hash.byteCount,
            let count = items[1].int, let bytes = items[2].int, (0...WordList.bytesMost).contains(bytes),
            (0...bytes + 1).contains(count)
        else { return nil }
        self.init(hash: hash, count: count, bytes: bytes)
    }
}

/// What peers say to each other to hand a list of words over, piece by piece.
public enum WordsMessage: Hashable, Sendable {
    /// A member or watcher that agreed to the room's list wants it from this byte on.
    case want(hash: [UInt8], from: Int)
    /// Bytes of the list from that byte on: at most ``Limits/wordsPieceBytesMax``.
    case piece(hash: [UInt8], from: Int, data: [UInt8])

    /// The kinds of room messages that these are.
    static let kinds = 22...23

    func cbor(_ room: RoomID) -> CBOR {
        switch self {
        case .want(let hash, let from): [.int(22), .bytes(room.bytes), .bytes(hash), .int(from)]
        case .piece(let hash, let from, let data):
            [.int(23), .bytes(room.bytes), .bytes(hash), .int(from), .bytes(data)]
        }
    }

    init?(kind: Int, _ items: [CBOR]) {
        guard items.count == (kind == 22 ? 4 : 5), let hash = items[2].bytes, hash.count == Hash.byteCount,
            let from = items[3].int, (0...WordList.bytesMost).contains(from)
        else { return nil }
        guard kind == 23 else {
            self = .want(hash: hash, from: from)
            return
        }
        guard let data = items[4].bytes, data.count <= Limits.wordsPieceBytesMax else { return nil }
        self = .piece(hash: hash, from: from, data: data)
    }
}

/// Puts a list of words together out of its pieces.
///
/// Does no I/O. Asks for one piece after the other, and checks the whole by its hash.
public struct WordsFetch: Sendable {
    /// What has come of it.
    public enum Progress: Hashable, Sendable {
        /// Ask for more, from this byte on.
        case want(from: Int)
        /// All is here, and is what the hash says.
        case done([UInt8])
        /// What came is not the list.
        case failed
    }

    /// The list that is fetched.
    public let terms: WordTerms
    private let hash: HashFunction
    private var received: [UInt8] = []

    /// Begins; ask for ``from`` first.
    public init(_ terms: WordTerms, hash: @escaping HashFunction) {
        self.terms = terms
        self.hash = hash
    }

    /// The first byte that is missing.
    public var from: Int { received.count }

    /// Takes a piece; `nil` for one that was not asked for.
    public mutating func received(_ message: WordsMessage) -> Progress? {
        guard case .piece(let hash, let from, let data) = message, hash == terms.hash, from == self.from,
            from < terms.bytes || terms.bytes == 0
        else { return nil }
        guard !data.isEmpty || terms.bytes == 0, data.count <= terms.bytes - from else { return .failed }
        received += data
        guard received.count == terms.bytes else { return .want(from: received.count) }
        return self.hash(received) == terms.hash ? .done(received) : .failed
    }
}

extension RoomHost {
    /// Refuses a member that has not said it takes the room's list of words.
    func checkWords(of peer: PeerID) -> RoomRefusal? {
        guard let words = state.words, peer != me, agreed[peer] != words.hash else { return nil }
        return RoomRefusal(
            .wordsDiffer, "\(state.name) plays with a list of words that you have not agreed to yet")
    }

    /// Whoever was ready for another list is not any more.
    mutating func setWords(_ words: WordTerms?) {
        guard state.words != words else { return }
        state.words = words
        for seat in state.seats.indices {
            if state.seats[seat]?.peer != me { state.seats[seat]?.ready = false }
            state.seats[seat]?.rematch = false
        }
    }
}
