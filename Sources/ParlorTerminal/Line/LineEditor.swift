/// A line that is being typed on a terminal that neither gathers lines nor shows what is typed itself.
///
/// What is typed goes in as bytes; what to show for it, and whole lines, come out. What arrives meanwhile is
/// put above what is typed. Does no I/O. Shows no escape sequence, so that it works on any terminal.
struct LineEditor {
    /// What comes of a key.
    enum Outcome: Equatable {
        /// Text to print as it is.
        case show(String)
        /// A line was finished with Enter.
        case line(String)
        /// Ctrl-D on an empty line.
        case end
    }

    /// Where in an escape sequence, as arrow keys send it, the next byte stands.
    private enum Escape {
        case none
        case begun
        case parameters
    }

    /// Bytes of the longest line, as a terminal has it that gathers lines itself; what is beyond is lost.
    static let bytesMax = 4_095

    /// What is typed of the present line.
    private(set) var text = ""
    /// The bytes of a letter that has not come whole.
    private var letter: [UInt8] = []
    private var escape = Escape.none

    /// Takes bytes from the keyboard.
    mutating func take(_ bytes: some Sequence<UInt8>) -> [Outcome] { bytes.flatMap { take($0) } }

    /// Forgets what is typed.
    mutating func clear() { self = LineEditor() }

    /// Lines to print above what is typed, which follows them again, on a terminal of so many columns.
    ///
    /// What is wider than that cannot be taken back, and is said again.
    func above(_ lines: [String], columns: Int) -> String {
        let whole = lines.map { $0 + "\n" }.joined()
        guard !text.isEmpty, !lines.isEmpty else { return whole }
        let width = Self.width(text)
        guard width < columns else { return "\n" + whole + text }
        return "\r" + String(repeating: " ", count: width) + "\r" + whole + text
    }

    private mutating func take(_ byte: UInt8) -> [Outcome] {
        switch escape {
        case .begun:
            escape = byte == UInt8(ascii: "[") || byte == UInt8(ascii: "O") ? .parameters : .none
            return []
        case .parameters:
            if (0x40...0x7E).contains(byte) { escape = .none }
            return []
        case .none: break
        }
        switch byte {
        case 0x0A, 0x0D:
            let line = text
            clear()
            return [.show("\n"), .line(line)]
        case 0x04: return text.isEmpty ? [.end] : []
        case 0x08, 0x7F: return erase(text.suffix(1))
        case 0x15: return erase(text[...])
        case 0x17:
            let word = text.reversed().drop { $0 == " " }.drop { $0 != " " }.count
            return erase(text.dropFirst(word))
        case 0x1B:
            escape = .begun
            return []
        case 0..<0x20: return []
        default: return append(byte)
        }
    }

    /// Takes the end of what is typed back.
    private mutating func erase(_ end: Substring) -> [Outcome] {
        guard !end.isEmpty else { return [] }
        let before = Self.width(text)
        text.removeLast(end.count)
        let step = "\u{8} \u{8}"
        return [.show(String(repeating: step, count: before - Self.width(text)))]
    }

    private mutating func append(_ byte: UInt8) -> [Outcome] {
        if byte & 0xC0 != 0x80 { letter = [] }
        letter.append(byte)
        let bytesOfLetterMax = 4
        guard let typed = String(validating: letter, as: UTF8.self) else {
            if letter.count >= bytesOfLetterMax { letter = [] }
            return []
        }
        letter = []
        let shown = CleanText.line(typed)
        guard !shown.isEmpty, text.utf8.count + shown.utf8.count <= Self.bytesMax else { return [] }
        text += shown
        return [.show(shown)]
    }

    /// How many columns a text takes on a terminal, near enough.
    static func width(_ text: String) -> Int { text.reduce(0) { $0 + (isWide($1) ? 2 : 1) } }

    /// Ideographs, syllables of Hangul, full forms and emoji.
    private static func isWide(_ letter: Character) -> Bool {
        let wide: [ClosedRange<UInt32>] = [
            0x1100...0x115F, 0x2E80...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F,
            0xFF00...0xFF60,
            0xFFE0...0xFFE6, 0x1F300...0x1FAFF, 0x20000...0x3FFFD,
        ]
        guard let first = letter.unicodeScalars.first else { return false }
        return wide.contains { $0.contains(first.value) }
    }
}
