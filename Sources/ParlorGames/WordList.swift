/// A list of words that all seats of a match agree on, by its hash.
public struct WordList: Sendable {
    /// The words, lower case, in the order that fallback draws count them.
    public let words: [String]
    private let known: Set<String>

    /// Makes a list from words in lower case.
    public init(_ words: [String]) {
        self.words = words
        known = Set(words)
    }

    /// Whether the list has the word; `folded` is in lower case.
    public func contains(_ folded: String) -> Bool { known.contains(folded) }

    /// The list's identity: the hash of its words joined by line feeds.
    public func identity(_ hash: HashFunction) -> [UInt8] {
        hash(Array(words.joined(separator: "\n").utf8))
    }
}
