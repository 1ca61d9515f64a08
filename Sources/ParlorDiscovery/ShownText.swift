@_spi(_Unicode) import Swift

/// What may stand in a name that people see.
///
/// Names come from other machines: control characters could drive a terminal, bidirectional overrides could
/// make one name read as another, invisible characters could make two names look the same.
enum ShownText {
    /// U+200D joins emoji into one picture, which is the one use of it that can be seen.
    private static let joiner: Unicode.Scalar = "\u{200D}"

    /// Whether the scalar can be refused on sight, wherever it stands.
    static func isForbidden(_ scalar: Unicode.Scalar, after previous: Unicode.Scalar?) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: return true
        default: break
        }
        guard scalar.properties.isDefaultIgnorableCodePoint || scalar.properties.generalCategory == .format
        else {
            return false
        }
        let joins = scalar == joiner || scalar.properties.isVariationSelector
        guard joins, let previous else { return true }
        let isPicture = previous.properties.isEmoji || previous.properties.isVariationSelector
        return !(isPicture || previous.properties.isEmojiModifier)
    }

    /// The first scalar that may not be shown, if there is one.
    static func firstForbidden(in text: String) -> Unicode.Scalar? {
        var previous: Unicode.Scalar?
        for scalar in text.unicodeScalars {
            if isForbidden(scalar, after: previous) { return scalar }
            previous = scalar
        }
        return nil
    }

    /// Whether anything of the text leaves ink on the screen.
    static func isVisible(_ text: String) -> Bool {
        text.unicodeScalars.contains { scalar in
            !scalar.properties.isWhitespace && !scalar.properties.isDefaultIgnorableCodePoint
                && scalar != "\u{2800}"  // the empty braille pattern
        }
    }

    /// The text with everything taken out that may not be shown.
    static func cleaned(_ text: String) -> String {
        var kept = String.UnicodeScalarView()
        var previous: Unicode.Scalar?
        for scalar in text.unicodeScalars where !isForbidden(scalar, after: previous) {
            kept.append(scalar)
            previous = scalar
        }
        return String(kept)
    }

    /// The text in normalization form C, in which mDNS names are compared.
    static func composed(_ text: String) -> String {
        var scalars = String.UnicodeScalarView()
        for scalar in text._nfc { scalars.append(scalar) }
        return String(scalars)
    }

    /// The longest beginning of the text that fits into so many bytes of UTF-8 and ends between two
    /// characters.
    static func cut(_ text: String, toBytes bytesMax: Int) -> String {
        var kept = ""
        var bytes = 0
        for character in text {
            bytes += character.utf8.count
            guard bytes <= bytesMax else { break }
            kept.append(character)
        }
        return kept
    }
}
