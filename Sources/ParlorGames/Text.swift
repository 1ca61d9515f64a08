@_spi(_Unicode) import Swift

/// What games and names need of Unicode, without Foundation.
public enum Text {
    /// The text in normalization form C.
    public static func nfc(_ text: String) -> String {
        guard !isASCII(text) else { return text }
        var scalars = String.UnicodeScalarView()
        for scalar in text._nfc { scalars.append(scalar) }
        return String(scalars)
    }

    /// The text in normalization form D.
    public static func nfd(_ text: String) -> String {
        var scalars = String.UnicodeScalarView()
        for scalar in text._nfd { scalars.append(scalar) }
        return String(scalars)
    }

    /// The text in lower case by the default mapping, in normalization form C.
    public static func lower(_ text: String) -> String { nfc(text.lowercased()) }

    /// The text in capitals where the default mapping keeps it one grapheme, else as it is.
    public static func capital(_ grapheme: String) -> String {
        let capital = grapheme.uppercased()
        return capital.count == 1 ? capital : grapheme
    }

    /// The text without differences of case and without marks, for comparing: `É` and `e` are the same.
    ///
    /// Each scalar of form D goes to capitals and back to lower case where its capital is one scalar, so that
    /// `ς` equals `σ` and `ı` equals `i`; then marks (general category M) are dropped. `ß` stays.
    public static func folded(_ text: String) -> String {
        guard !isASCII(text) else { return text.lowercased() }
        var scalars = String.UnicodeScalarView()
        for scalar in nfd(text).unicodeScalars where !isMark(scalar) {
            let capital = scalar.properties.uppercaseMapping.unicodeScalars
            let base = capital.count == 1 ? capital.first ?? scalar : scalar
            for lower in nfd(base.properties.lowercaseMapping).unicodeScalars where !isMark(lower) {
                scalars.append(lower)
            }
        }
        return nfc(String(scalars))
    }

    /// Whether the grapheme is a letter of some script, with or without marks.
    public static func isLetter(_ grapheme: Character) -> Bool {
        if let byte = grapheme.asciiValue {
            return (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
        }
        var scalars = grapheme.unicodeScalars.makeIterator()
        guard let first = scalars.next(), isLetter(first) else { return false }
        while let scalar = scalars.next() {
            guard isMark(scalar) || isLetter(scalar) else { return false }
        }
        return true
    }

    /// Whether the scalar shows nothing or turns the direction of text: controls, format characters such as
    /// bidi overrides and joiners, line and paragraph separators, code points without a character.
    public static func isControlOrInvisible(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned:
            true
        default: scalar.properties.isDefaultIgnorableCodePoint
        }
    }

    /// Whether all of the text is ASCII, where every form is the same and small letters are all there is to
    /// fold.
    static func isASCII(_ text: String) -> Bool { text.utf8.allSatisfy { $0 < 0x80 } }

    private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .spacingMark, .enclosingMark: true
        default: false
        }
    }

    private static func isLetter(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter: true
        default: false
        }
    }
}
