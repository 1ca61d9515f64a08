/// A match as the store keeps it, without its entries.
///
/// What is opaque to the store is opaque bytes or a word; it only looks at ``ended``.
public struct MatchRow: Hashable, Sendable {
    /// The match's ID.
    public var id: [UInt8]
    /// What it begins with, as it is hashed.
    public var genesis: [UInt8]
    /// The own seat; -1 for a watcher.
    public var seat: Int
    /// When it began here, in Unix milliseconds.
    public var started: Int
    /// When it ended here, in Unix milliseconds; `nil` while it has not.
    public var ended: Int?
    /// A word for how far it is, for lists.
    public var state: String
    /// The game's ID, for lists.
    public var game: String
    /// The room's name, for people.
    public var room: String
    /// Whatever a list shows of it.
    public var summary: [UInt8]
    /// How many entries are accepted.
    public var accepted: Int
    /// The highest epoch whose sequencer was promised a vote.
    public var promised: Int
    /// How many entries there are; the store counts by itself.
    public var entries: Int

    /// Makes the value; the parameters are the members.
    public init(
        id: [UInt8], genesis: [UInt8], seat: Int, started: Int, ended: Int? = nil, state: String,
        game: String, room: String, summary: [UInt8], accepted: Int = 0, promised: Int = 0, entries: Int = 0
    ) {
        self.id = id
        self.genesis = genesis
        self.seat = seat
        self.started = started
        self.ended = ended
        self.state = state
        self.game = game
        self.room = room
        self.summary = summary
        self.accepted = accepted
        self.promised = promised
        self.entries = entries
    }
}

/// A match with all of its entries, as it was last stored.
public struct StoredMatch: Hashable, Sendable {
    /// The match.
    public var row: MatchRow
    /// Its entries, by index.
    public var entries: [[UInt8]]

    /// Makes the value; the parameters are the members.
    public init(row: MatchRow, entries: [[UInt8]]) {
        self.row = row
        self.entries = entries
    }
}

/// A score, an achievement or a note about one, as the store keeps it: opaque bytes at a place.
public struct RecordRow: Hashable, Sendable {
    /// What it is; the raw values are those on disk.
    public enum Kind: Int, Hashable, Sendable {
        /// A signed score.
        case score = 0
        /// A signed achievement.
        case achievement = 1
        /// That the banner of an achievement was shown.
        case shown = 2
    }
    /// What it is.
    public var kind: Kind
    /// Where it is kept.
    public var place: [UInt8]
    /// What it says.
    public var bytes: [UInt8]

    /// Makes the value; the parameters are the members.
    public init(kind: Kind, place: [UInt8], bytes: [UInt8]) {
        self.kind = kind
        self.place = place
        self.bytes = bytes
    }
}

/// Which matches a list has.
public struct MatchFilter: Hashable, Sendable {
    /// Only those that have not ended.
    public var isUnfinished: Bool
    /// Only those that have ended and of which no scores were kept yet.
    public var isUnscored: Bool
    /// Only those of this ``MatchRow/state``; `nil` for any.
    public var state: String?
    /// Only those of this game; `nil` for any.
    public var game: String?
    /// How many at most; `nil` for all.
    public var limit: Int?

    /// Makes the value; the parameters are the members.
    public init(
        isUnfinished: Bool = false, isUnscored: Bool = false, state: String? = nil, game: String? = nil,
        limit: Int? = nil
    ) {
        self.isUnfinished = isUnfinished
        self.isUnscored = isUnscored
        self.state = state
        self.game = game
        self.limit = limit
    }
}

/// What a ``MatchStore`` is asked for.
public enum StoreRequest: Hashable, Sendable {
    /// Keep a match; one that is kept already stays as it is.
    case begin(MatchRow)
    /// The log from an index on is now these; at most one beyond what there is.
    case entries(match: [UInt8], from: Int, [[UInt8]])
    /// So many entries are accepted.
    case accepted(match: [UInt8], Int)
    /// A vote was promised.
    case promise(match: [UInt8], epoch: Int)
    /// What a list shows has changed, or the match has ended, or begun again.
    case describe(match: [UInt8], state: String, ended: Int?, summary: [UInt8])
    /// Keep the match no longer.
    case remove(match: [UInt8])
    /// Which matches there are, newest first.
    case list(MatchFilter)
    /// One match with its entries.
    case load(match: [UInt8])
    /// Keep records, each in the place of any other of its kind and place, and note, with the same
    /// transaction, that a match has given what it gives.
    case keep([RecordRow], scored: [UInt8]?)
    /// All records that are kept.
    case records
    /// About matches by turns.
    case turns(TurnStoreRequest)

    /// Whether nothing changes by it.
    var isRead: Bool {
        switch self {
        case .list, .load, .records, .turns(.all): true
        case .begin, .entries, .accepted, .promise, .describe, .remove, .keep, .turns: false
        }
    }

    /// About how much memory it takes while it waits, in bytes.
    var byteCount: Int {
        let fixed = 128
        switch self {
        case .begin(let row): return fixed + row.genesis.count + row.summary.count
        case .entries(_, _, let entries): return entries.reduce(fixed) { $0 + $1.count }
        case .describe(_, _, _, let summary): return fixed + summary.count
        case .keep(let records, _):
            return records.reduce(fixed) { $0 + $1.place.count + $1.bytes.count }
        case .turns(let request): return fixed + request.byteCount
        case .accepted, .promise, .remove, .list, .load, .records: return fixed
        }
    }
}

/// What a ``MatchStore`` answers.
public enum StoreReply: Hashable, Sendable {
    /// The kernel has it: it outlasts this process.
    case done
    /// It is not on disk, for a reason in words; a change waits in memory until the disk takes it.
    case failed(String)
    /// The matches asked for.
    case matches([MatchRow])
    /// The match asked for; `nil` when there is none.
    case match(StoredMatch?)
    /// The records that are kept, by kind and place.
    case records([RecordRow])
    /// The matches by turns that are kept, that last changed last; and the peers, the last seen first.
    case turns([TurnRow], [TurnPeerRow])
}

/// How a ``MatchStore`` is.
public enum StoreState: String, Hashable, Sendable {
    /// The file is being opened and checked; requests wait.
    case opening
    /// All is well.
    case ready
    /// The disk takes nothing for the moment; changes wait in memory and are tried again.
    case failing
    /// The file is not for this program to write: until the next start nothing is kept.
    case memory
}
