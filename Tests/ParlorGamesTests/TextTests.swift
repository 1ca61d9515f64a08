import ParlorGames
import Testing

@Suite("Text")
struct TextTests {
    @Test func `normalization composes and decomposes`() {
        #expect(Array(Text.nfc("e\u{301}").unicodeScalars) == ["é"])
        #expect(Array(Text.nfd("é").unicodeScalars) == ["e", "\u{301}"])
        #expect(Array(Text.nfc("\u{1112}\u{1161}\u{11AB}").unicodeScalars) == ["한"])
    }

    @Test(arguments: [
        ("É", "e"), ("ß", "ß"), ("ẞ", "ß"), ("ı", "i"), ("İ", "i"), ("I", "i"), ("ς", "σ"), ("Σ", "σ"),
        ("Ö", "o"),
        ("ñ", "n"), ("ж", "ж"), ("Ж", "ж"), ("й", "и"), ("ſ", "s"), ("garden Party", "garden party"),
    ]) func `folding drops case and marks`(text: String, folded: String) {
        #expect(Text.folded(text) == folded)
        #expect(Text.folded(folded) == folded)
    }

    @Test func `ASCII folds as any other text does`() {
        for scalar in (UInt8(0)..<128).map({ Unicode.Scalar($0) }) {
            // With a mark it goes the long way, on which the mark is dropped.
            #expect(Text.folded("x\(scalar)Y") == Text.folded("x\(scalar)Y\u{301}"))
            #expect(Array(Text.nfc("x\(scalar)Y").utf8) == Array("x\(scalar)Y".utf8))
        }
    }

    @Test func `capitals keep one grapheme`() {
        #expect(["é", "ß", "ﬁ", "i", "1"].map(Text.capital) == ["É", "ß", "ﬁ", "I", "1"])
    }

    @Test func `letters are those of any script, marks or not`() {
        #expect("aÉжकिع한中e\u{301}\u{302}".allSatisfy(Text.isLetter))
        #expect(!"1-' _🎲\u{200D}\u{301}€".contains(where: Text.isLetter))
    }

    @Test func `controls, bidi marks and what shows nothing are told apart`() {
        let hidden: [Unicode.Scalar] = [
            "\n", "\u{7F}", "\u{202E}", "\u{200D}", "\u{FEFF}", "\u{2028}", "\u{AD}",
        ]
        #expect(hidden.allSatisfy(Text.isControlOrInvisible))
        #expect(!["a", " ", "é", "🎲", "\u{301}"].contains(where: { Text.isControlOrInvisible($0) }))
    }
}

@Suite("Catalog")
struct CatalogTests {
    @Test func `all games are there with their options`() throws {
        #expect(Catalog.declarations.map(\.id) == ["snap", "hangman", "tictactoe", "story", "lucky"])
        #expect(Catalog.rules("snap")?.declaration.seats == 2...4)
        #expect(Catalog.rules("hangman")?.declaration.seats == 1...4)
        #expect(Catalog.rules("tictactoe")?.declaration.seats == 2...2)
        #expect(Catalog.rules("story")?.declaration.seats == 2...4)
        #expect(Catalog.rules("lucky")?.declaration.seats == 1...1)
        #expect(Catalog.rules("chess") == nil)
        let common: [Value.Member] = [.init("grace_s", 120), .init("turn_s", 0), .init("watchers", true)]
        for rules in [TicTacToe.declaration, Story.declaration] {
            #expect(try GameOptions(rules).values == common)
        }
        #expect(try GameOptions(Lucky.declaration).values == common + [.init("level", "normal")])
        let snap = try GameOptions(Snap.declaration)
        #expect(
            snap.values == [
                .init("grace_s", 120), .init("turn_s", 30), .init("watchers", true), .init("auto_flip_ms", 0),
                .init("max_flips", 1_000),
            ])
        let hangman = try GameOptions(Hangman.declaration)
        #expect(
            hangman.values == [
                .init("grace_s", 120), .init("turn_s", 60), .init("watchers", true), .init("mode", "race"),
                .init("rounds", 1), .init("any_word", false), .init("words", "builtin"),
            ])
    }

    @Test(arguments: [
        Value.Member("grace_s", 9), .init("grace_s", 0), .init("turn_s", 301), .init("turn_s", -1),
        .init("auto_flip_ms", 499), .init("max_flips", 0), .init("max_flips", 10_001), .init("watchers", 1),
        .init("rounds", 1),
    ]) func `options out of range are refused`(option: Value.Member) {
        #expect(
            refusal { () throws(Refusal) in _ = try GameOptions(Snap.declaration, given: [option]) }
                == .badParams)
    }
}
