import Testing

/// Every rule against a text that breaks it and one that does not.
@Suite struct RulesTests {
    private func file(_ text: String, _ path: String = "Sources/ParlorGames/X.swift") -> ProjectFile {
        ProjectFile(path: path, text: text)
    }

    @Test func `comments and literals are not code`() {
        let text = """
            let a = "try! \\(b.map { "as!" }) actor X" // try!
            let c = \"""
                try! "quoted" \\(d)
                \"""
            e()
            """
        let code = SwiftText.code(text)
        #expect(!code.contains("try!") && !code.contains("as!") && !code.contains("actor"))
        #expect(code.contains("let a =") && code.contains("let c =") && code.contains("\ne()"))
        #expect(code.utf8.count == text.utf8.count)
    }

    @Test func `imports are found however they are written`() {
        let text =
            "import A\ninternal import B\n@_exported public import C.D\n"
            + "import struct E.F\n// import G\nimportant()"
        #expect(SwiftText.imports(SwiftText.code(text)) == ["A", "B", "C", "E"])
    }

    @Test func `the core imports what it may`() {
        #expect(Rules.innerImports(file("import Glibc")).count == 1)
        #expect(Rules.innerImports(file("import ParlorCrypto")).count == 1)
        #expect(Rules.innerImports(file("import ParlorGames", "Sources/ParlorProtocol/X.swift")).isEmpty)
        #expect(Rules.innerImports(file("internal import Glibc", "Sources/ParlorSim/X.swift")).count == 1)
        #expect(Rules.innerImports(file("import Glibc", "Sources/ParlorNet/X.swift")).isEmpty)
    }

    @Test func `Foundation stays out`() {
        #expect(Rules.foundation(file("import Foundation", "Sources/ParlorControl/X.swift")).count == 1)
        #expect(
            Rules.foundation(file("import FoundationEssentials", "Sources/ParlorControl/X.swift")).isEmpty)
        #expect(
            Rules.foundation(file("internal import FoundationEssentials", "Sources/ParlorNet/X.swift")).count
                == 1)
    }

    @Test func `a C library has one owner`() {
        let one = file("internal import CUv", "Sources/ParlorNet/A.swift")
        let same = file("internal import CUv", "Sources/ParlorNet/B.swift")
        let other = file("internal import CUv", "Sources/ParlorStore/C.swift")
        #expect(Rules.oneOwner([one, same], cModules: ["CUv"]).isEmpty)
        #expect(Rules.oneOwner([one, other], cModules: ["CUv"]).count == 1)
        #expect(Rules.oneOwner([], cModules: ["CUv"]).count == 1)
    }

    @Test func `files, lines and functions are bounded`() {
        #expect(Rules.fileLength(file(String(repeating: "x\n", count: 600))).isEmpty)
        #expect(Rules.fileLength(file(String(repeating: "x\n", count: 601))).count == 1)
        #expect(Rules.lineLength(file(String(repeating: "é", count: 110))).isEmpty)
        #expect(
            Rules.lineLength(file("\n" + String(repeating: "é", count: 111))).first?.contains(":2:") == true)
        func body(_ lines: Int) -> ProjectFile {
            file("struct S {\n  func f() {\n" + String(repeating: "    x()\n", count: lines - 2) + "  }\n}\n")
        }
        #expect(Rules.functionLength(body(70)).isEmpty)
        #expect(Rules.functionLength(body(71)).first?.contains(":2:") == true)
        #expect(
            Rules.functionLength(file("struct S {\n" + String(repeating: "  let x = 1\n", count: 90) + "}"))
                .isEmpty)
    }

    @Test(arguments: [
        "// TO" + "DO: later", "// FIX" + "ME", "// XX" + "X", "fatalError()", "try! f()", "x as! Y",
        "Task { f() }",
        "actor Table {}", "usleep(1)", "Thread.sleep(forTimeInterval: 1)", "nanosleep(&a, nil)",
    ])
    func `banned words are found`(text: String) { #expect(Rules.bannedWords(file("\n" + text)).count == 1) }

    @Test(arguments: [
        "mkstemp(\"XXXXXX\")", "// an actor on stage", "let asleep = 1", "try? f()", "MyTask()", "x as? Y",
    ])
    func `innocent words are not`(text: String) { #expect(Rules.bannedWords(file(text)).isEmpty) }

    @Test func `public things are documented`() {
        #expect(Rules.undocumentedPublic(file("/// It.\n@frozen\npublic struct S {}")).isEmpty)
        #expect(Rules.undocumentedPublic(file("struct S {\n    public let x = 1\n}")).count == 1)
        #expect(Rules.undocumentedPublic(file("// It.\n@frozen public enum E {}")).count == 1)
        #expect(Rules.undocumentedPublic(file("public import A\npublic extension B {}")).isEmpty)
    }

    @Test(arguments: ["see /wor" + "k/x", "/roo" + "t/.cache", "in /User" + "s/mia/x"])
    func `paths of one machine are found`(text: String) { #expect(Rules.machinePaths(file(text)).count == 1) }
}
