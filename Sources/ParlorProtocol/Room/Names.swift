internal import ParlorGames

/// A player's name in a room: a label for people; who somebody is, is the key.
public struct PlayerName: Hashable, Sendable {
    /// The name: NFC, trimmed, nothing invisible in it.
    public let text: String

    /// Makes a name of what somebody typed.
    ///
    /// - Throws: ``RoomRefusal`` `name-invalid` when nothing visible is left, or more than 32 graphemes or
    ///   ``Limits/playerNameBytesMax`` bytes.
    public init(_ typed: String) throws(RoomRefusal) {
        let shown = VisibleText.strip(typed)
        guard !shown.isEmpty else {
            throw RoomRefusal(.nameInvalid, "a player's name needs at least one visible character")
        }
        guard shown.count <= Self.graphemesMax, shown.utf8.count <= Limits.playerNameBytesMax else {
            throw RoomRefusal(
                .nameInvalid,
                "a player's name has at most \(Self.graphemesMax) characters "
                    + "and \(Limits.playerNameBytesMax) bytes"
            )
        }
        text = shown
    }

    /// The most graphemes of a name.
    public static let graphemesMax = 32

    /// The longest beginning of a name that leaves room for a suffix, cut between graphemes.
    static func cut(_ name: String, for suffix: String) -> String {
        let bytes = Limits.playerNameBytesMax - suffix.utf8.count
        var cut = ""
        for grapheme in name.prefix(graphemesMax - suffix.count) {
            guard cut.utf8.count + grapheme.utf8.count <= bytes else { break }
            cut.append(grapheme)
        }
        return cut
    }
}

/// A line of chat as everybody sees it.
struct ChatLine: Hashable, Sendable {
    /// The line: NFC, trimmed, nothing invisible in it.
    let text: String

    /// Makes a line; `nil` when nothing is left to see, or too much.
    init?(_ typed: String) {
        guard typed.utf8.count <= Limits.sayBytesMax else { return nil }
        let shown = VisibleText.strip(typed)
        guard !shown.isEmpty, shown.count <= Limits.sayGraphemesMax else { return nil }
        text = shown
    }
}

/// Text of others without what could deceive or disturb a screen.
public enum VisibleText {
    /// The text in NFC without control, bidirectional and invisible characters, trimmed of white space.
    ///
    /// Joiners and variation selectors inside an emoji stay.
    public static func strip(_ text: String) -> String {
        var kept = ""
        var scalars = Array(text.unicodeScalars)[...]
        var before: Unicode.Scalar?
        while let scalar = scalars.popFirst() {
            if isShown(scalar, after: before, before: scalars.first) {
                kept.unicodeScalars.append(scalar)
                before = scalar
            }
        }
        return trimmed(Text.nfc(kept))
    }

    private static func isShown(
        _ scalar: Unicode.Scalar, after before: Unicode.Scalar?, before after: Unicode.Scalar?
    ) -> Bool {
        let properties = scalar.properties
        switch properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: return false
        default: break
        }
        let isJoiner = scalar == "\u{200D}" || scalar == "\u{FE0F}"
        if isJoiner, let before {
            let follows = scalar == "\u{FE0F}" || after?.properties.isEmoji ?? false
            return follows && (before.properties.isEmoji || before == "\u{FE0F}")
        }
        return properties.generalCategory != .format && !properties.isDefaultIgnorableCodePoint
    }

    private static func trimmed(_ text: String) -> String {
        var cut = text[...]
        while cut.first?.isWhitespace ?? false { cut.removeFirst() }
        while cut.last?.isWhitespace ?? false { cut.removeLast() }
        return String(cut)
    }
}

extension RoomState {
    /// The name, or the name with the first free number behind it.
    func uniqueName(_ name: String) -> String {
        let taken = seats.compactMap { $0?.name } + watchers.map(\.name)
        guard taken.contains(name) else { return name }
        for number in 2...(taken.count + 2) {
            let suffix = " \(number)"
            let numbered = PlayerName.cut(name, for: suffix) + suffix
            if !taken.contains(numbered) { return numbered }
        }
        return name
    }
}
