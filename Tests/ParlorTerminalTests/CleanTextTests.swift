import Testing

@testable import ParlorTerminal

struct CleanTextTests {
    @Test(arguments: [
        ("Kitchen", "Kitchen"), ("a\u{1B}[2Jb", "a[2Jb"), ("a\u{202E}b\u{2066}c\u{200F}", "abc"),
        ("a\nb\tc", "a b c"),
        ("\u{9B}31m", "31m"), ("caf\u{65}\u{301}", "cafe\u{301}"), ("👩\u{200D}🚀", "👩\u{200D}🚀"),
        ("a\u{FEFF}b\u{AD}c", "abc"),
        ("x\u{2028}y", "xy"),
        ("e\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}", "e\u{301}\u{301}\u{301}\u{301}"),
    ])
    func `what could change the terminal is taken out`(text: String, clean: String) {
        #expect(Array(CleanText.line(text).unicodeScalars) == Array(clean.unicodeScalars))
    }

    @Test func `columns are as wide as their widest cell`() {
        #expect(
            CleanText.columns([["a", "bb", "c"], ["aaa", "b"], ["a", "", ""]]) == [
                "a    bb  c", "aaa  b", "a",
            ])
    }

    @Test(arguments: [
        (1.6, 2), (Double.nan, 0), (1e300, 1_000_000_000_000_000), (-.infinity, -1_000_000_000_000_000),
    ])
    func `numbers beyond sense are cut`(number: Double, whole: Int) {
        #expect(CleanText.whole(number) == whole)
    }

    @Test(arguments: [
        ("short", 10, ["short"]), ("one two three", 9, ["one two", "three"]),
        ("abcdefghij kl", 5, ["abcdefghij", "kl"]), ("  in front", 6, ["  in", "front"]), ("a b", 0, ["a b"]),
    ])
    func `long lines are broken at spaces`(line: String, columns: Int, parts: [String]) {
        #expect(CleanText.wrapped(line, columns: columns) == parts)
    }
}
