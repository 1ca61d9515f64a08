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
    /// All of it as it is written in a log, in hex; absent unless asked for.
    public var encoded: String?

    /// Makes the value; the parameters are the members.
    public init(
        index: Int, time: Int, author: Int, kind: String, body: JSON, prev: String, hash: String,
        encoded: String? = nil
    ) {
        self.index = index
        self.time = time
        self.author = author
        self.kind = kind
        self.body = body
        self.prev = prev
        self.hash = hash
        self.encoded = encoded
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
    /// What the log begins with, as it is written there, in hex; absent unless asked for.
    public var genesis: String?

    /// Makes the value; the parameters are the members.
    public init(entries: [EntryInfo], head: String, genesis: String? = nil) {
        self.entries = entries
        self.head = head
        self.genesis = genesis
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

/// What was found out about a log.
public enum Verdict: String, WordEnum, Codable, Hashable, Sendable {
    /// It holds from the beginning to the end.
    case complete
    /// It holds, and one seat ended it by itself because it was left alone.
    case alone
    /// All of it holds, but it has no end: the match goes on, or the rest is missing.
    case incomplete
    /// Something in it is wrong.
    case damaged
    /// A newer program wrote it, or one that knows more games.
    case newer
}

/// The result of `match.verify`.
public struct VerifyInfo: Codable, Hashable, Sendable {
    /// Whether every hash, signature and move holds, up to the end of the match.
    public var valid: Bool
    /// How many entries hold.
    public var entries: Int
    /// How the match ended, seat by seat; empty when it did not.
    public var outcomes: [Outcome]
    /// What does not hold; absent when all does.
    public var problem: String?
    /// What was found out, in one word.
    public var verdict: Verdict?
    /// The match's ID; absent when the log's beginning cannot be read.
    public var match: String?
    /// The game's ID; absent likewise.
    public var game: String?
    /// The seats after the last entry that holds; absent likewise.
    public var seats: [MatchSeatInfo]?
    /// Of the first fault, the index of its entry; -1 for what comes before the entries.
    public var index: Int?
    /// Of the first fault, the rule that broke.
    public var rule: String?
    /// Of the first fault, the seat that wrote the entry, -1 for the sequencer; absent where it is unknown.
    public var author: Int?
    /// Of the first fault, the seat that ordered the entries then.
    public var sequencer: Int?

    /// Makes the value; the parameters are the members, and the others are absent.
    public init(
        valid: Bool, entries: Int, outcomes: [Outcome], problem: String? = nil, verdict: Verdict? = nil
    ) {
        self.valid = valid
        self.entries = entries
        self.outcomes = outcomes
        self.problem = problem
        self.verdict = verdict
    }
}
