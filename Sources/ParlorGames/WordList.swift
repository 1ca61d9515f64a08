/// A list of words that all seats of a match agree on, by its hash.
public struct WordList: Sendable {
    /// Bytes of a list that a program takes from a file or another peer.
    public static let bytesMost = 4 * 1_024 * 1_024

    /// The words, lower case, in the order that fallback draws count them.
    public let words: [String]
    private let known: Set<String>

    /// Makes a list from words in lower case.
    public init(_ words: [String]) {
        self.words = words
        known = Set(words)
    }

    /// Makes a list from the bytes that were hashed for its identity: UTF-8, a line feed between two words.
    ///
    /// Returns `nil` where they are none. What stands in it need not qualify as words: those that do not are
    /// never drawn.
    public init?(joined bytes: [UInt8]) {
        guard bytes.count <= Self.bytesMost, let text = String(validating: bytes, as: UTF8.self) else {
            return nil
        }
        self.init(
            bytes.isEmpty
                ? []
                : text.utf8.split(separator: 10, omittingEmptySubsequences: false).map {
                    String(Substring($0))
                })
    }

    /// Makes a list from a file of the system, such as `/usr/share/dict/words`: one word a line, UTF-8.
    ///
    /// Takes the lines that qualify as words of Hangman, in form C and lower case, without those that end in
    /// an apostrophe and an s; each once, ordered by their bytes, so that the same file gives the same list
    /// everywhere. Returns `nil` where the file is not UTF-8, too long, or has no such line.
    public init?(file bytes: [UInt8]) {
        guard bytes.count <= Self.bytesMost, String(validating: bytes, as: UTF8.self) != nil else {
            return nil
        }
        var found: Set<String> = []
        for line in bytes.split(whereSeparator: { $0 == 10 || $0 == 13 }) {
            let text = String(decoding: line, as: UTF8.self)
            guard !text.hasSuffix("'s"), !text.hasSuffix("\u{2019}s") else { continue }
            let word =
                line.allSatisfy { $0 < 128 } ? text.lowercased() : Text.lower(HangmanWord.trimmed(text))
            if HangmanWord.letterCount(word) != nil { found.insert(word) }
        }
        guard !found.isEmpty else { return nil }
        self.init(found.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) })
    }

    /// Whether the list has the word; `folded` is in lower case.
    public func contains(_ folded: String) -> Bool { known.contains(folded) }

    /// What is hashed for the list's identity, and sent to a peer that does not have it: the words with line
    /// feeds between them.
    public var joined: [UInt8] { Array(words.joined(separator: "\n").utf8) }

    /// The list's identity: the hash of its words joined by line feeds.
    public func identity(_ hash: HashFunction) -> [UInt8] { hash(joined) }
}
