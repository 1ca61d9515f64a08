internal import ParlorCrypto

/// A match by turns as one peer has it: its genesis and the set of items that is known of it.
///
/// Merging two copies gives the same copy whichever way round, in whatever order and however often. Each
/// author has its own share of the match's bytes: where one signs more, its items of the highest hashes go,
/// the same on every peer, and nobody else's.
public struct TurnMatch: Hashable, Sendable {
    /// What it begins with.
    public let genesis: TurnGenesis
    /// The items, by hash.
    public private(set) var items: [TurnItem] = []

    /// Makes a match of which nothing but the genesis is known.
    public init(_ genesis: TurnGenesis) { self.genesis = genesis }

    /// Whose seats these are; an open seat is the one's to whom the creator gave it, that of the lowest hash
    /// where it gave it more than once.
    public var holders: [PeerID?] {
        var holders = genesis.seats.map(\.peer)
        for item in items where item.author == genesis.creator {
            guard let (seat, peer, _) = item.granted, holders.indices.contains(seat), holders[seat] == nil
            else { continue }
            holders[seat] = peer
        }
        return holders
    }

    /// Bytes of genesis and items.
    public var byteCount: Int { items.reduce(genesis.encoded.count) { $0 + $1.encoded.count } }

    /// The bytes that an author may still add.
    public func bytesLeft(of author: PeerID) -> Int {
        let used = items.reduce(0) { $0 + ($1.author == author ? $1.encoded.count : 0) }
        return Limits.turnBytesOfAuthor(seats: genesis.seats.count) - used
    }

    /// What tells two copies apart.
    ///
    /// The first 16 bytes of BLAKE2b-256(`parlor/turn-set/1` ‖ match ‖ hashes of all items, lowest first).
    public var digest: [UInt8] {
        let bytes = items.reduce(into: Array("parlor/turn-set/1".utf8) + genesis.match.bytes) {
            $0 += $1.hash
        }
        return Array(Hash.blake2b256(bytes).prefix(Self.digestBytes))
    }

    /// Bytes of ``digest``.
    public static let digestBytes = 16

    /// Whether an item is known.
    public func contains(_ hash: [UInt8]) -> Bool { items.contains { $0.hash == hash } }

    /// Takes items in that are known elsewhere; signatures were checked when they were read.
    ///
    /// - Returns: Those that are new, and stay, lowest hash first.
    @discardableResult
    public mutating func merge(_ others: [TurnItem]) -> [TurnItem] {
        let old = Set(items)
        var all = old
        for item in others where item.match == genesis.match {
            if case .take = item.body { continue }
            all.insert(item)
        }
        guard all.count > old.count else { return [] }
        items = all.sorted { $0.hash.lexicographicallyPrecedes($1.hash) }
        trim()
        return items.filter { !old.contains($0) }
    }

    /// Takes out what is of nobody with a seat, and what goes beyond an author's share.
    private mutating func trim() {
        let authors = Set(holders.compactMap { $0 })
        let share = Limits.turnBytesOfAuthor(seats: genesis.seats.count)
        var used: [PeerID: Int] = [:]
        items = items.filter { item in
            guard authors.contains(item.author) else { return false }
            let sum = (used[item.author] ?? 0) + item.encoded.count
            used[item.author] = sum
            return sum <= share
        }
    }
}
