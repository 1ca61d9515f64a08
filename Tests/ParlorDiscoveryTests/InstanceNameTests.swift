import ParlorDiscovery
import Testing

struct InstanceNameTests {
    @Test(arguments: [
        "Kitchen", "Ann's Snap", "Küche", "部屋", "👨‍👩‍👧 family", "❤️", "a #1", "#2", "x #100", "x #02", " a ",
    ])
    func `a name that can be seen is kept as it is`(name: String) throws {
        #expect(try InstanceName(name).text == name)
    }

    @Test(arguments: ["", " ", "\u{3000}\u{A0}", "\u{2800}"])
    func `a name of nothing visible is refused`(name: String) {
        #expect(throws: InstanceNameError.nothingVisible) { try InstanceName(name) }
    }

    @Test(arguments: [
        "a\nb", "a\0b", "\u{1B}[2J", "a\u{7F}", "a\u{85}b", "\u{202E}evil", "\u{2066}a\u{2069}", "a\u{200B}b",
        "a\u{FEFF}",
        "a\u{2028}b", "a\u{200D}b", "\u{200D}", "a\u{AD}b", "a\u{E0041}", "a\u{2060}b", "\u{3164}",
        "a\u{E000}",
    ])
    func `control, direction and invisible characters are refused`(name: String) {
        let error = #expect(throws: InstanceNameError.self) { try InstanceName(name) }
        if case .forbidden = error { return }
        Issue.record("refused for another reason: \(String(describing: error))")
    }

    @Test func `the limit is 56 bytes of the composed name`() throws {
        #expect(try InstanceName(String(repeating: "x", count: 56)).text.utf8.count == 56)
        #expect(throws: InstanceNameError.tooLong(bytes: 57)) {
            try InstanceName(String(repeating: "x", count: 57))
        }
        let decomposed = String(repeating: "e\u{301}", count: 28)
        #expect(decomposed.utf8.count == 84)
        let name = try InstanceName(decomposed)
        #expect(Array(name.text.utf8) == Array(String(repeating: "\u{E9}", count: 28).utf8))
    }

    @Test func `the refusal says the limit and the character`() {
        #expect(InstanceNameError.tooLong(bytes: 80).description.contains("56"))
        #expect(InstanceNameError.forbidden(scalar: 0x1B).description.contains("U+001B"))
        #expect(InstanceNameError.forbidden(scalar: 0x202E).description.contains("U+202E"))
    }

    @Test func `collisions count up to 99 and end`() throws {
        var name = try InstanceName("Kitchen")
        var texts: [String] = []
        while let next = name.next() {
            texts.append(next.text)
            name = next
        }
        #expect(texts.first == "Kitchen #2")
        #expect(texts.last == "Kitchen #99")
        #expect(texts.count == 98)
    }

    @Test func `the longest name and the highest number fit into a label`() throws {
        var name = try InstanceName(String(repeating: "é", count: 28))
        while let next = name.next() { name = next }
        #expect(name.text.utf8.count <= 63)
    }

    @Test func `a number that is there already is counted on`() throws {
        #expect(try InstanceName("Kitchen #2").next()?.text == "Kitchen #3")
        #expect(try InstanceName("Kitchen #2") == InstanceName("Kitchen").next())
        #expect(try InstanceName("Kitchen #99").next() == nil)
        #expect(try InstanceName("Kitchen #1").next()?.text == "Kitchen #1 #2")
        #expect(try InstanceName("#2").next()?.text == "#2 #2")
    }

    @Test func `a made name is cleaned and cut between two characters`() throws {
        #expect(InstanceName.cut("Ann\u{202E}'s\n Snap")?.text == "Ann's Snap")
        let family = String(repeating: "👨‍👩‍👧", count: 4)  // 18 bytes each
        #expect(InstanceName.cut(family)?.text == String(repeating: "👨‍👩‍👧", count: 3))
        #expect(InstanceName.cut(String(repeating: "é", count: 40))?.text.utf8.count == 56)
        #expect(InstanceName.cut("\u{200B}\n") == nil)
    }
}
