public import ParlorProtocol

/// All scores that are known, one for each player, board and window.
///
/// A value that merges: whatever records come in, in whatever order and however often, the same are kept.
public struct ScoreBook: Hashable, Sendable {
    /// What there is one record of.
    struct Place: Hashable, Sendable {
        let board: String
        /// When the window begins; `nil` for a board that does not begin anew.
        let window: Int64?
        let player: PeerID
    }

    private struct List: Hashable, Sendable {
        var byPlayer: [PeerID: ScoreRecord] = [:]
        /// In the order of a leaderboard; empty while it has to be sorted anew.
        var sorted: [ScoreRecord] = []
    }

    private struct ListID: Hashable, Sendable {
        let board: String
        let window: Int64?
    }

    private let registry: Registry
    private var lists: [ListID: List] = [:]

    /// Makes an empty book.
    public init(_ registry: Registry = .standard) { self.registry = registry }

    /// Two books are alike when they hold the same records.
    public static func == (one: ScoreBook, other: ScoreBook) -> Bool {
        one.lists.mapValues(\.byPlayer) == other.lists.mapValues(\.byPlayer)
    }

    /// The same for equal books.
    public func hash(into hasher: inout Hasher) { hasher.combine(lists.mapValues(\.byPlayer)) }

    /// Takes a record that was checked (``ScoreCheck``).
    ///
    /// - Returns: Whether it stands now; not when there is a better one, or the same.
    /// - Throws: ``RecordFault`` where there is no such board, or no window at its time.
    public mutating func merge(_ record: ScoreRecord) throws(RecordFault) -> Bool {
        guard let board = registry.board(record.board) else { throw .unknown(record.board) }
        var window: Int64?
        if let recurrence = board.recurrence {
            guard let begin = recurrence.window(at: record.signedAt) else { throw .badTime }
            window = begin
        }
        let id = ListID(board: board.id, window: window)
        if let known = lists[id]?.byPlayer[record.player], !Self.stands(record, before: known, on: board) {
            return false
        }
        lists[id, default: List()].byPlayer[record.player] = record
        lists[id]?.sorted = []
        return true
    }

    /// Where a record is kept: it takes the place of any other with the same.
    ///
    /// - Returns: The board, the beginning of its window (0 without), and the player, as bytes that differ
    ///   for any two; `nil` where there is no such board or window.
    public func place(of record: ScoreRecord) -> [UInt8]? {
        guard let board = registry.board(record.board) else { return nil }
        var window: Int64 = 0
        if let recurrence = board.recurrence {
            guard let begin = recurrence.window(at: record.signedAt) else { return nil }
            window = begin
        }
        return Array("\(board.id)\u{0}\(window)\u{0}".utf8) + record.player.bytes
    }

    /// Which of two records of one player stands; of two that are alike the earlier, then the smaller ID.
    private static func stands(_ one: ScoreRecord, before other: ScoreRecord, on board: Board) -> Bool {
        switch board.keeps {
        case .best:
            if one.value != other.value { return board.isBetter(one.value, than: other.value) }
            if one.signedAt != other.signedAt { return one.signedAt < other.signedAt }
        case .latest:
            if one.signedAt != other.signedAt { return one.signedAt > other.signedAt }
            if one.value != other.value { return board.isBetter(one.value, than: other.value) }
        }
        return one.id.lexicographicallyPrecedes(other.id)
    }

    /// Every record that stands, ordered by board, window and player, as it is kept and handed on.
    public var encoded: [[UInt8]] {
        lists.sorted { ($0.key.board, $0.key.window ?? 0) < ($1.key.board, $1.key.window ?? 0) }
            .flatMap { list in
                list.value.byPlayer.sorted { $0.key < $1.key }.map(\.value.encoded)
            }
    }

    /// How many records there are.
    public var count: Int { lists.reduce(0) { $0 + $1.value.byPlayer.count } }

    // MARK: Reading

    /// The windows of a board that there are scores of, the newest first; empty for one without windows.
    public func windows(of board: String) -> [Int64] {
        lists.keys.filter { $0.board == board }.compactMap(\.window).sorted(by: >)
    }

    /// The board with its ranks, in one window.
    ///
    /// - Parameters:
    ///   - id: The board's ID.
    ///   - window: When the window begins; `nil` for a board without windows.
    /// - Returns: The rows; none for a board that there is not.
    public mutating func leaderboard(_ id: String, window: Int64? = nil) -> Leaderboard {
        guard let board = registry.board(id), var list = lists[ListID(board: id, window: window)] else {
            return Leaderboard([], isBetter: { _, _ in false })
        }
        if list.sorted.isEmpty {
            list.sorted = Self.sorted(Array(list.byPlayer.values), board)
            lists[ListID(board: id, window: window)] = list
        }
        return Leaderboard(list.sorted, isBetter: { board.isBetter($0, than: $1) })
    }

    /// Best first, equal ones by date, then ID; what is moved about is small.
    private static func sorted(_ records: [ScoreRecord], _ board: Board) -> [ScoreRecord] {
        let isHighFirst = board.order == .highLow
        var order = records.indices.map { place in
            (value: records[place].value, signedAt: records[place].signedAt, place: place)
        }
        order.sort { one, other in
            if one.value != other.value { return (one.value > other.value) == isHighFirst }
            if one.signedAt != other.signedAt { return one.signedAt < other.signedAt }
            return records[one.place].id.lexicographicallyPrecedes(records[other.place].id)
        }
        return order.map { records[$0.place] }
    }
}

/// The rows of a board in one window, best first; equal scores share a rank and stand by date, then ID.
public struct Leaderboard: Sendable {
    /// One row.
    public struct Row: Hashable, Sendable {
        /// 1 for the best; equal scores have the same, and the next after them counts them all.
        public let rank: Int
        /// The score.
        public let record: ScoreRecord
    }

    private let records: [ScoreRecord]
    private let isBetter: @Sendable (Int64, Int64) -> Bool

    init(_ records: [ScoreRecord], isBetter: @escaping @Sendable (Int64, Int64) -> Bool) {
        self.records = records
        self.isBetter = isBetter
    }

    /// How many rows there are.
    public var total: Int { records.count }

    /// The best so many.
    public func top(_ count: Int) -> [Row] { rows(0..<count) }

    /// The row of a player.
    public func row(of player: PeerID) -> Row? { place(of: player).map { rows($0..<$0 + 1)[0] } }

    /// The row of a player with so many on either side; empty where the player has none.
    public func around(_ player: PeerID, _ count: Int) -> [Row] {
        guard let place = place(of: player) else { return [] }
        return rows(place - min(place, max(0, count))..<place + 1 + min(records.count, max(0, count)))
    }

    private func place(of player: PeerID) -> Int? { records.firstIndex { $0.player == player } }

    private func rows(_ wanted: Range<Int>) -> [Row] {
        let range = wanted.clamped(to: 0..<records.count)
        var rank = 0
        return range.map { place in
            if place == range.lowerBound || isBetter(records[place - 1].value, records[place].value) {
                rank = firstPlace(of: records[place].value) + 1
            }
            return Row(rank: rank, record: records[place])
        }
    }

    /// The place of the first row with a score: how many are better.
    private func firstPlace(of value: Int64) -> Int {
        var (low, high) = (0, records.count)
        while low < high {
            let middle = (low + high) / 2
            if isBetter(records[middle].value, value) { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
