/// One entry of a match's log.
public struct EntryInfo: Codable, Hashable, Sendable {
    /// Its place in the log, from 0.
    public var index: Int
    /// When the sequencer took it, on the match clock in milliseconds.
    public var time: Int
    /// The seat that wrote it; -1 for the sequencer.
    public var author: Int
    /// What sort of entry it is.
    public var kind: String
    /// What it says.
    public var body: JSON
    /// The hash of the entry before it, in hex.
    public var prev: String
    /// Its own hash, in hex.
    public var hash: String

    /// Makes the value; the parameters are the members.
    public init(index: Int, time: Int, author: Int, kind: String, body: JSON, prev: String, hash: String) {
        self.index = index
        self.time = time
        self.author = author
        self.kind = kind
        self.body = body
        self.prev = prev
        self.hash = hash
    }
}

/// The result of `match.act`.
public struct ActInfo: Codable, Hashable, Sendable {
    /// The entry that the action became.
    public var entry: EntryInfo

    /// Makes the value; the parameters are the members.
    public init(entry: EntryInfo) {
        self.entry = entry
    }
}

/// The result of `match.log`.
public struct LogInfo: Codable, Hashable, Sendable {
    /// The entries asked for.
    public var entries: [EntryInfo]
    /// The hash of the log's last entry, in hex.
    public var head: String

    /// Makes the value; the parameters are the members.
    public init(entries: [EntryInfo], head: String) {
        self.entries = entries
        self.head = head
    }
}

/// The result of `match.export`.
public struct ExportInfo: Codable, Hashable, Sendable {
    /// The whole match as text that `match.verify` takes.
    public var text: String

    /// Makes the value; the parameters are the members.
    public init(text: String) {
        self.text = text
    }
}

/// The result of `match.verify`.
public struct VerifyInfo: Codable, Hashable, Sendable {
    /// Whether every hash, signature and move holds.
    public var valid: Bool
    /// How many entries were checked.
    public var entries: Int
    /// How the match ended, seat by seat; empty when it did not.
    public var outcomes: [Outcome]
    /// What does not hold; absent when all does.
    public var problem: String?

    /// Makes the value; the parameters are the members.
    public init(valid: Bool, entries: Int, outcomes: [Outcome], problem: String? = nil) {
        self.valid = valid
        self.entries = entries
        self.outcomes = outcomes
        self.problem = problem
    }
}
