public import ParlorGames

/// A log as a text that anybody can keep, send and verify: one line a record, lower-case hexadecimal.
///
/// `parlor-log 1`, `genesis HEX`, then `entry HEX` for each entry, each line ended by a line feed. There is
/// one way only to write a log, so that changing any byte shows.
public enum LogText {
    private static let title = "parlor-log 1"

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
        _ text: String, words: (_ hash: [UInt8]) -> WordList?, signing: Signing
    ) throws(LogTextFault) -> MatchLog {
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        guard lines.count >= 3, lines.removeLast().isEmpty, lines[0] == title,
            let first = record("genesis", lines[1])
        else { throw LogTextFault(-1, LogFault(.malformed, "this is no Parlor log")) }
        let genesis: Genesis
        do { genesis = try Genesis(decoding: first) } catch { throw LogTextFault(-1, error) }
        var list = WordList([])
        if let hash = genesis.words {
            guard let known = words(hash) else {
                throw LogTextFault(-1, LogFault(.malformed, "the match's word list is not known here"))
            }
            list = known
        }
        var log = MatchLog(genesis, words: list, signing: signing)
        for (index, line) in lines.dropFirst(2).enumerated() {
            guard let bytes = record("entry", line), let entry = Entry(decoding: bytes),
                entry.encoded == bytes
            else { throw LogTextFault(index, LogFault(.malformed, "entry \(index) cannot be read")) }
            do { try log.append(entry) } catch { throw LogTextFault(index, error) }
        }
        guard write(log).utf8.elementsEqual(text.utf8) else {
            throw LogTextFault(-1, LogFault(.malformed, "the log is not written canonically"))
        }
        guard log.state.phase == .ended else {
            throw LogTextFault(log.entries.count, LogFault(.incomplete, "the log has no end entry"))
        }
        return log
    }

    private static func record(_ word: String, _ line: Substring) -> [UInt8]? {
        guard line.hasPrefix(word + " ") else { return nil }
        let digits = line.dropFirst(word.count + 1)
        guard let bytes = [UInt8](hex: String(digits)), bytes.hex == digits else { return nil }
        return bytes
    }
}

/// The first thing that is wrong with a log's text.
public struct LogTextFault: Error, Hashable, Sendable {
    /// The index of the entry; -1 for what precedes the entries.
    public let index: Int
    /// What is wrong.
    public let fault: LogFault

    /// Makes a fault.
    init(_ index: Int, _ fault: LogFault) {
        self.index = index
        self.fault = fault
    }
}
