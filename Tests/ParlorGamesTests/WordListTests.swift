import Testing

@testable import ParlorGames

@Suite("Lists of words")
struct WordListTests {
    private func list(_ text: String) -> [String]? { WordList(file: Array(text.utf8))?.words }

    @Test func `a file gives its words in lower case, in order, each once`() {
        #expect(
            list("tea\nGarden\nAda's\ncup\r\ntea\n\nx\nA1\nAda\nx-ray\n") == [
                "ada", "cup", "garden", "tea", "x-ray",
            ])
        #expect(list("Äpfel\nA\u{308}pfel\nnoe\u{308}l\nnoël\nStra\u{DF}e") == ["noël", "straße", "äpfel"])
        #expect(list("o'clock\nl\u{2019}eau\nAda\u{2019}s") == ["l\u{2019}eau", "o'clock"])
    }

    @Test func `a file that has no words or is no text is none`() {
        #expect(list("") == nil)
        #expect(list("\n1\n!\nx\n") == nil)
        #expect(WordList(file: [0x66, 0xFF, 0x66]) == nil)
        #expect(WordList(file: [UInt8](repeating: 0x61, count: WordList.bytesMost + 1)) == nil)
    }

    @Test func `a list is the same after its way to another peer`() {
        let words = WordList(["cup", "garden", "über"])
        #expect(WordList(joined: words.joined)?.words == words.words)
        #expect(WordList(joined: words.joined)?.identity(toyHash) == words.identity(toyHash))
        #expect(WordList(joined: [])?.words == [])
        #expect(WordList(joined: [0x63, 0xC3]) == nil)
        #expect(WordList(joined: [UInt8](repeating: 10, count: WordList.bytesMost + 1)) == nil)
    }

    @Test func `what is no word in a list is never drawn`() throws {
        let words = ["", "x", "gar2den", "garden", String(repeating: "a", count: 33), "a\u{202E}b"]
        var table = try HangmanTable(seats: 1, words: words)
        #expect(table.game.candidates == ["garden"])
        try table.work()
        #expect(table.view(0)["length"] == 6)
    }
}
