import Foundation
import Testing

/// The house rules over the project as it is.
@Suite struct HouseTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    /// The text files below a folder whose name ends so.
    private static func files(_ folder: String, ending: String) -> [ProjectFile] {
        let base = root.appending(path: folder)
        let names = FileManager.default.enumerator(atPath: base.path())?.compactMap { $0 as? String } ?? []
        return names.filter { $0.hasSuffix(ending) }.sorted().compactMap { name in
            guard let text = try? String(contentsOf: base.appending(path: name), encoding: .utf8) else {
                return nil
            }
            return ProjectFile(path: "\(folder)/\(name)", text: text)
        }
    }

    private static let allSources = files("Sources", ending: ".swift")
    private static let allTests = files("Tests", ending: ".swift")

    private var sources: [ProjectFile] { Self.allSources }
    private var tests: [ProjectFile] { Self.allTests }

    private func check(_ files: [ProjectFile], _ rule: (ProjectFile) -> [String]) {
        #expect(!files.isEmpty)
        let problems = files.flatMap(rule)
        #expect(problems.isEmpty, "\(problems.joined(separator: "\n"))")
    }

    @Test func `the core imports only what it may`() { check(sources, Rules.innerImports) }
    @Test func `no Foundation in what is shipped`() { check(sources, Rules.foundation) }
    @Test func `no file is too long`() { check(sources + tests, Rules.fileLength) }
    @Test func `no line is too long`() { check(sources + tests, Rules.lineLength) }
    @Test func `no function is too long`() { check(sources + tests, Rules.functionLength) }
    @Test func `nothing crashes, postpones or waits`() { check(sources + tests, Rules.bannedWords) }
    @Test func `everything public is documented`() { check(sources, Rules.undocumentedPublic) }

    @Test func `each C library has one owner`() throws {
        let folders = try FileManager.default.contentsOfDirectory(
            atPath: Self.root.appending(path: "Sources").path())
        let cModules = folders.filter {
            FileManager.default.fileExists(
                atPath: Self.root.appending(path: "Sources/\($0)/module.modulemap").path())
        }
        #expect(!cModules.isEmpty)
        let problems = Rules.oneOwner(sources, cModules: cModules.sorted())
        #expect(problems.isEmpty, "\(problems.joined(separator: "\n"))")
    }

    @Test func `no path of one machine`() throws {
        let documents = try FileManager.default.contentsOfDirectory(atPath: Self.root.path())
            .filter { $0.hasSuffix(".md") }
            .map {
                ProjectFile(
                    path: $0, text: try String(contentsOf: Self.root.appending(path: $0), encoding: .utf8))
            }
        let others = Self.files("Scripts", ending: "") + Self.files("Config", ending: "")
        check(sources + tests + others + documents, Rules.machinePaths)
    }

    @Test func `every script can be run`() throws {
        let names = try FileManager.default.contentsOfDirectory(
            atPath: Self.root.appending(path: "Scripts").path()
        )
        .filter { !$0.hasPrefix("__") }
        #expect(names.contains("test"))
        for path in names.map({ "Scripts/\($0)" }) + [".ci/run"] {
            #expect(
                FileManager.default.isExecutableFile(atPath: Self.root.appending(path: path).path()),
                "\(path)")
        }
    }
}
