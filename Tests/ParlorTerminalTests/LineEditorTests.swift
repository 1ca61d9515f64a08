import Testing

@testable import ParlorTerminal

@Suite("A line that is being typed")
struct LineEditorTests {
    private func typed(_ text: String, _ editor: inout LineEditor) -> [LineEditor.Outcome] {
        editor.take(Array(text.utf8))
    }

    /// What a terminal shows after all outcomes, on one row, without spaces at its end.
    private func shown(_ outcomes: [LineEditor.Outcome]) -> String {
        var cells: [String] = []
        var column = 0
        for case .show(let text) in outcomes {
            for scalar in text.unicodeScalars {
                if scalar == "\u{8}" {
                    column -= 1
                } else if scalar.properties.generalCategory == .nonspacingMark {
                    cells[column - 1] += String(scalar)
                } else {
                    let cell = [String(scalar)] + (LineEditor.width(String(scalar)) == 2 ? [""] : [])
                    cells.replaceSubrange(column..<min(column + cell.count, cells.count), with: cell)
                    column += cell.count
                }
            }
        }
        return trimmed(cells.joined())
    }

    private func trimmed(_ text: String) -> String { String(text.reversed().drop { $0 == " " }.reversed()) }

    @Test func `what is typed is shown, and Enter makes a line of it`() {
        var editor = LineEditor()
        #expect(typed("hi", &editor) == [.show("h"), .show("i")])
        #expect(editor.text == "hi")
        #expect(typed("\n", &editor) == [.show("\n"), .line("hi")])
        #expect(editor.text == "")
        #expect(typed("\r", &editor) == [.show("\n"), .line("")])
        #expect(
            typed("a\nb\n", &editor).compactMap { if case .line(let line) = $0 { line } else { nil } } == [
                "a", "b",
            ])
    }

    @Test func `what arrives is put above what is typed`() {
        var editor = LineEditor()
        #expect(editor.above(["Tom: hello"], columns: 80) == "Tom: hello\n")
        _ = typed("gar", &editor)
        #expect(
            editor.above(["Tom: hello", "Tom: again"], columns: 80) == "\r   \rTom: hello\nTom: again\ngar")
        #expect(editor.above([], columns: 80) == "")
        // What fills the row cannot be taken back without knowing the terminal.
        #expect(editor.above(["Tom: hello"], columns: 3) == "\nTom: hello\ngar")
        #expect(typed("den\n", &editor).last == .line("garden"))
    }

    @Test(arguments: [
        ("abc\u{7F}\u{8}", "a"), ("\u{7F}", ""), ("word one\u{17}", "word "), ("word  \u{17}", ""),
        ("all\u{15}", ""),
        ("e\u{301}\u{7F}", ""), ("\u{4E2D}x\u{7F}", "\u{4E2D}"), ("up\u{1B}[A\u{1B}OB\u{1B}[1;5Cx", "upx"),
        ("tab\ta\u{7}", "taba"), ("\u{202E}a\u{9B}2J", "a2J"),
    ])
    func `keys that are no letters`(keys: String, left: String) {
        var editor = LineEditor()
        let outcomes = typed(keys, &editor)
        #expect(editor.text == left)
        #expect(shown(outcomes) == trimmed(left))
    }

    @Test func `a letter may come in parts, and what is no letter is dropped`() {
        var editor = LineEditor()
        #expect(editor.take([0xC3]) == [])
        #expect(editor.take([0xA9]) == [.show("\u{E9}")])
        #expect(editor.take([0xFF, 0xC3, 0x61, 0x80, 0x62]) == [.show("a"), .show("b")])
        #expect(editor.text == "\u{E9}ab")
    }

    @Test func `Ctrl-D ends on an empty line alone`() {
        var editor = LineEditor()
        #expect(editor.take([0x04]) == [.end])
        _ = typed("x", &editor)
        #expect(editor.take([0x04]) == [])
        editor.clear()
        #expect(editor.text == "")
    }

    @Test func `a line has its longest length`() {
        var editor = LineEditor()
        _ = typed(String(repeating: "x", count: LineEditor.bytesMax + 5), &editor)
        #expect(editor.text.utf8.count == LineEditor.bytesMax)
    }

    @Test func `a letter takes one column or two`() {
        #expect(LineEditor.width("aé\u{4E2D}") == 4)
    }
}
