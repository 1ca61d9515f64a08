/// What a host sends its watchers of a match: accepted entries, each once, and bounded work for who asks
/// again and again.
///
/// Does no I/O. One for each match.
public struct WatchFeed: Sendable {
    private struct Record {
        let peer: PeerID
        /// The index of the entry to be sent next.
        var next = 0
        /// When entries were last sent that had been sent before.
        var againAt: Tick?
        /// Whether the peer has asked and got all there was, so that it gets what follows by itself.
        var isListening = false
    }

    private var records: [Record] = []

    /// Makes a feed that has sent nothing.
    public init() {}

    /// A peer begins to watch, perhaps again: it gets nothing until it asks.
    ///
    /// What it was sent is remembered, so that coming anew is no way to get the whole log again and again.
    public mutating func began(_ peer: PeerID) {
        if let place = place(of: peer) { records[place].isListening = false }
    }

    /// A watcher asks for the entries from an index on.
    ///
    /// - Parameters:
    ///   - index: The first entry that it lacks.
    ///   - peer: The watcher.
    ///   - accepted: The entries that are accepted.
    ///   - now: The moment.
    /// - Returns: The answer, without entries where there are none; `nil` when it has asked for what it was
    ///   sent less than ``Limits/watchAgainWait`` ago: it asks again.
    public mutating func wanted(
        from index: Int, by peer: PeerID, _ accepted: ArraySlice<Entry>, at now: Tick
    ) -> MatchMessage? {
        let place = place(of: peer) ?? begin(peer)
        if index < records[place].next {
            if let last = records[place].againAt, now < last + Limits.watchAgainWait { return nil }
            records[place].againAt = now
        }
        records[place].next = min(index, accepted.count)
        records[place].isListening = true
        return .entries(batch(place, accepted))
    }

    /// An entry was accepted, or there is room again: what a watcher gets that has asked before.
    ///
    /// - Parameters:
    ///   - peer: The watcher.
    ///   - accepted: The entries that are accepted.
    /// - Returns: The next entries; `nil` when there are none for it.
    public mutating func grown(for peer: PeerID, _ accepted: ArraySlice<Entry>) -> MatchMessage? {
        guard let place = place(of: peer), records[place].isListening, records[place].next < accepted.count
        else { return nil }
        return .entries(batch(place, accepted))
    }

    /// The next entries, at least one where there is one.
    private mutating func batch(_ place: Int, _ accepted: ArraySlice<Entry>) -> [Entry] {
        var batch: [Entry] = []
        var bytes = 0
        for entry in accepted.dropFirst(records[place].next) {
            bytes += entry.byteCount
            if bytes > Limits.watchBatchBytesMax, !batch.isEmpty { break }
            batch.append(entry)
        }
        records[place].next += batch.count
        return batch
    }

    private func place(of peer: PeerID) -> Int? { records.firstIndex { $0.peer == peer } }

    private mutating func begin(_ peer: PeerID) -> Int {
        if records.count >= Limits.watchRecordsMax {
            records.remove(at: records.firstIndex { !$0.isListening } ?? 0)
        }
        records.append(Record(peer: peer))
        return records.count - 1
    }
}
