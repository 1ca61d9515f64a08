/// The words of the list that comes with the program; they are in two files for their length.
enum BuiltinWords {}

extension WordList {
    /// The list that comes with the program: common English words of 3 to 12 letters a-z, in alphabetical
    /// order.
    ///
    /// Written for this program theme by theme (house and garden, animals, food, body, weather, travel,
    /// trades, games, feelings, everyday verbs, and what describes things), with the plurals and verb forms
    /// that are in use, then looked through with a spelling checker. Left out on purpose: names,
    /// abbreviations, and what one would not read out to a child or a grandmother. Peers compare lists by
    /// ``identity(_:)``, so every change makes a list of its own, however small.
    public static let builtin = WordList(
        [BuiltinWords.aToL, BuiltinWords.mToZ].flatMap { text in
            text.utf8.split { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\n") }.map {
                String(Substring($0))
            }
        })
}
