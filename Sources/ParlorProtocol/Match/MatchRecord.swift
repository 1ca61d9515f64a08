/// What a peer has stored of a match: enough to go on where its process ended.
public struct MatchRecord: Hashable, Sendable {
    /// What the match began with.
    public let genesis: Genesis
    /// The entries, in order, each as it was checked before it was stored.
    public var entries: [Entry]
    /// How many of them were accepted.
    public var acceptedCount: Int
    /// The highest epoch that this peer has voted for or followed.
    public var promisedEpoch: Int

    /// Makes a record; nothing but the genesis by default.
    public init(_ genesis: Genesis, entries: [Entry] = [], acceptedCount: Int = 0, promisedEpoch: Int = 0) {
        self.genesis = genesis
        self.entries = entries
        self.acceptedCount = acceptedCount
        self.promisedEpoch = promisedEpoch
    }

    /// Takes a step into account.
    public mutating func apply(_ step: StoreStep) {
        switch step {
        case .entries(let index, let new):
            entries.removeSubrange(min(index, entries.count)...)
            entries += new
            // What takes the place of an end that was this copy's alone has not been accepted.
            acceptedCount = min(acceptedCount, index)
        case .accepted(let count): acceptedCount = count
        case .promise(let epoch): promisedEpoch = epoch
        }
    }
}

/// What a machine wants stored.
///
/// The actions that come after ``entries(from:_:)`` and ``promise(epoch:)`` may be carried out only when the
/// kernel has it, so that a killed process has broken no word it gave.
public enum StoreStep: Hashable, Sendable {
    /// From this index on, the log is these entries and no others.
    case entries(from: Int, [Entry])
    /// So many entries are accepted; nothing has to wait for this.
    case accepted(Int)
    /// The peer votes for this epoch, or follows it.
    case promise(epoch: Int)
}
