public import ParlorGames

/// A log as a text that anybody can keep, send and verify: one line a record, lower-case hexadecimal.
///
/// `parlor-log 1`, `genesis HEX`, then `entry HEX` for each entry, each line ended by a line feed. There is
/// one way only to write a log, so that changing any byte shows.
public enum LogText {
    static let name = "parlor-log "
    static let version = 1

    /// The first line, without its end.
    public static var title: String { "\(name)\(version)" }

    /// Writes a log.
    public static func write(_ log: MatchLog) -> String {
        write(genesis: log.genesis.encoded, entries: log.entries.map(\.encoded))
    }

    /// Writes a log as it was kept, whether it is one or not.
    ///
    /// - Parameters:
    ///   - genesis: The bytes of the genesis.
    ///   - entries: The bytes of each entry, in order.
    /// - Returns: The text; ``read(_:words:signing:)`` tells whether it is a log.
    public static func write(genesis: [UInt8], entries: some Sequence<[UInt8]>) -> String {
        var text = "\(title)\ngenesis \(genesis.hex)\n"
        for entry in entries { text += "entry \(entry.hex)\n" }
        return text
    }

    /// Reads a log and checks all of it.
    ///
    /// - Parameters:
    ///   - text: What ``write(_:)`` wrote.
    ///   - words: The word list with a hash, where it is known here.
    ///   - signing: How signatures are checked.
    /// - Returns: The log; complete, with its end entry.
    /// - Throws: ``LogTextFault`` with the index of the first entry that is wrong and the rule it breaks.
    public static func read(
        _ text: String, words: @escaping (_ hash: [UInt8]) -> WordList?, signing: Signing
    ) throws(LogTextFault) -> MatchLog {
        var reader = LogReader(words: words, signing: signing)
        try reader.read(text.utf8)
        return try reader.finish()
    }
}

/// Reads a log's text in pieces of any size, and checks each entry as soon as its line is whole.
///
/// So a log of any length is checked with no more memory than the match itself takes, and what is no log is
/// refused at its beginning. A copy goes on by itself.
public struct LogReader {
    /// What was read so far, all of which holds; `nil` before the genesis.
    public private(set) var log: MatchLog?
    private let words: ([UInt8]) -> WordList?
    private let signing: Signing
    private var line: [UInt8] = []
    private var lines = 0

    /// Begins to read.
    ///
    /// - Parameters:
    ///   - words: The word list with a hash, where it is known here.
    ///   - signing: How signatures are checked.
    public init(words: @escaping (_ hash: [UInt8]) -> WordList?, signing: Signing) {
        self.words = words
        self.signing = signing
    }

    /// Reads on.
    ///
    /// - Throws: ``LogTextFault`` for the first line that is wrong; nothing may be read after it.
    public mutating func read(_ bytes: some Sequence<UInt8>) throws(LogTextFault) {
        for byte in bytes {
            if byte == UInt8(ascii: "\n") {
                try take(line)
                line.removeAll(keepingCapacity: true)
                lines += 1
            } else {
                guard line.count < Limits.logLineBytesMax else {
                    throw fault(.malformed, lines < 2 ? Self.noLog : "its line is too long for an entry")
                }
                line.append(byte)
            }
        }
    }

    /// Ends the text.
    ///
    /// - Returns: The log; complete, with its end entry.
    /// - Throws: ``LogTextFault`` when the text ends within a line, or the match has no end.
    public func finish() throws(LogTextFault) -> MatchLog {
        guard line.isEmpty else { throw fault(.malformed, lines < 2 ? Self.noLog : "its line is cut off") }
        guard let log else { throw fault(.malformed, Self.noLog) }
        guard log.state.phase == .ended else {
            throw LogTextFault(
                log.entries.count, LogFault(.incomplete, "the log has no end entry"), isUnfinished: true)
        }
        return log
    }

    private static let noLog = "this is no Parlor log"

    private mutating func take(_ line: [UInt8]) throws(LogTextFault) {
        switch lines {
        case 0: try checkTitle(line)
        case 1: log = try begin(line)
        default: try append(line)
        }
    }

    private func checkTitle(_ line: [UInt8]) throws(LogTextFault) {
        guard !line.elementsEqual(LogText.title.utf8) else { return }
        let digits = String(decoding: line.dropFirst(LogText.name.utf8.count), as: UTF8.self)
        if line.starts(with: LogText.name.utf8), let number = Int(digits), number > LogText.version,
            "\(number)" == digits
        {
            throw fault(
                .version, "the log is of version \(number) and was written by a newer Parlor than this one")
        }
        throw fault(.malformed, Self.noLog)
    }

    private func begin(_ line: [UInt8]) throws(LogTextFault) -> MatchLog {
        guard let bytes = Self.record("genesis ", line) else { throw fault(.malformed, Self.noLog) }
        let genesis: Genesis
        do { genesis = try Genesis(decoding: bytes) } catch { throw LogTextFault(-1, error) }
        guard let hash = genesis.words else {
            return MatchLog(genesis, words: WordList([]), signing: signing)
        }
        guard let list = words(hash) else { throw fault(.malformed, "its word list is not known here") }
        return MatchLog(genesis, words: list, signing: signing)
    }

    private mutating func append(_ line: [UInt8]) throws(LogTextFault) {
        guard let bytes = Self.record("entry ", line), let entry = Entry(decoding: bytes),
            entry.encoded == bytes
        else { throw fault(.malformed, "it cannot be read") }
        do { try log?.append(entry) } catch {
            throw LogTextFault(index, error, author: entry.proposal.author, sequencer: sequencer(of: entry))
        }
    }

    /// The seat that ordered an entry: one that takes the order over does so itself.
    private func sequencer(of entry: Entry) -> Int? {
        if case .sequencer(let seat, _, _, _) = entry.proposal.body { seat } else { log?.state.sequencer }
    }

    /// The index of the entry that the line at hand should have; -1 before the entries.
    private var index: Int { lines < 2 ? -1 : lines - 2 }

    private func fault(_ rule: LogFault.Rule, _ message: String) -> LogTextFault {
        LogTextFault(index, LogFault(rule, message), sequencer: log?.state.sequencer)
    }

    private static func isCapital(_ digit: UInt8) -> Bool {
        (UInt8(ascii: "A")...UInt8(ascii: "F")).contains(digit)
    }

    /// The bytes of a line; `nil` unless it is the word and lower-case digits, the only way to write it.
    private static func record(_ word: String, _ line: [UInt8]) -> [UInt8]? {
        let digits = line.dropFirst(word.utf8.count)
        guard line.starts(with: word.utf8), !digits.contains(where: Self.isCapital) else { return nil }
        return [UInt8](hex: String(decoding: digits, as: UTF8.self))
    }
}

extension Limits {
    /// A line of a log's text without its end: a word and two digits for each byte of an entry.
    public static let logLineBytesMax = 8 + 2 * entryBytesMax
}

/// The first thing that is wrong with a log's text.
public struct LogTextFault: Error, Hashable, Sendable {
    /// The index of the entry; -1 for what precedes the entries.
    public let index: Int
    /// What is wrong.
    public let fault: LogFault
    /// Who wrote the entry, as it says itself; `nil` where it cannot be read.
    public let author: Author?
    /// The seat that gave entries their order then; `nil` where there is no genesis.
    public let sequencer: Int?
    /// Whether all that is there holds, and only the end is missing.
    public let isUnfinished: Bool

    /// Makes a fault.
    init(
        _ index: Int, _ fault: LogFault, author: Author? = nil, sequencer: Int? = nil,
        isUnfinished: Bool = false
    ) {
        self.index = index
        self.fault = fault
        self.author = author
        self.sequencer = sequencer
        self.isUnfinished = isUnfinished
    }
}
