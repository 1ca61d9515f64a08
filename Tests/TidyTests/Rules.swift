import Foundation

/// A file of the project: its path from the project's folder, and its text.
struct ProjectFile: Sendable {
    let path: String
    let text: String
    /// The text without comments and literals.
    let code: String

    init(path: String, text: String) {
        self.path = path
        self.text = text
        code = SwiftText.code(text)
    }

    /// The module a source or test belongs to: the folder below `Sources` or `Tests`.
    var module: String { path.split(separator: "/").dropFirst().first.map(String.init) ?? "" }
}

/// The house rules, each a function from text to the places where it is broken.
enum Rules {
    static let fileLinesMax = 600
    static let functionLinesMax = 70
    static let lineColumnsMax = 110

    /// What the inner modules may import; those not listed here are bound by the other rules alone.
    static let innerImports = [
        "ParlorGames": ["Swift"],  // the standard library itself, for its Unicode tables
        "ParlorCrypto": ["CSodium", "Synchronization"],
        "ParlorProtocol": ["ParlorGames", "ParlorCrypto"],
        "ParlorRecords": ["ParlorProtocol", "ParlorGames", "ParlorCrypto"],
        "ParlorSim": ["ParlorProtocol", "ParlorGames", "ParlorCrypto"],
        "ParlorViews": ["ParlorControl", "ParlorProtocol", "ParlorGames", "ParlorCrypto"],
        "ParlorTerminal": ["Glibc", "Synchronization", "ParlorControl", "ParlorViews", "ParlorProtocol"],
    ]

    /// The modules at the edge that may use FoundationEssentials, for JSON.
    static let essentialsUsers = [
        "ParlorControl", "ParlorTerminal", "ParlorDaemon", "parlord", "parlor", "parlor-bench",
    ]

    static func innerImports(_ file: ProjectFile) -> [String] {
        guard let allowed = innerImports[file.module] else { return [] }
        return SwiftText.imports(file.code).filter { !allowed.contains($0) }
            .map { "\(file.path): \(file.module) must not import \($0)" }
    }

    static func foundation(_ file: ProjectFile) -> [String] {
        SwiftText.imports(file.code).compactMap { name in
            if name == "FoundationEssentials", essentialsUsers.contains(file.module) { return nil }
            return name.hasPrefix("Foundation") ? "\(file.path): \(file.module) must not import \(name)" : nil
        }
    }

    /// A C library has one owner: exactly one module imports it.
    static func oneOwner(_ files: [ProjectFile], cModules: [String]) -> [String] {
        cModules.compactMap { name in
            let owners = Set(files.filter { SwiftText.imports($0.code).contains(name) }.map(\.module))
                .sorted()
            return owners.count == 1 ? nil : "\(name) is imported by \(owners), not by one module"
        }
    }

    static func fileLength(_ file: ProjectFile) -> [String] {
        let count = file.text.split(separator: "\n", omittingEmptySubsequences: false).count - 1
        return count > fileLinesMax ? ["\(file.path): \(count) lines"] : []
    }

    static func lineLength(_ file: ProjectFile) -> [String] {
        file.text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
            .filter { $0.element.utf8.count > lineColumnsMax && $0.element.count > lineColumnsMax }
            .map { "\(file.path):\($0.offset + 1): \($0.element.count) columns" }
    }

    static func functionLength(_ file: ProjectFile) -> [String] {
        var problems: [String] = []
        var open: [(isFunction: Bool, line: Int)] = []
        var head: [UInt8] = []
        var line = 1
        for byte in file.code.utf8 {
            switch byte {
            case UInt8(ascii: "{"):
                let isFunction = !lines(
                    of: #"\b(func|init|deinit|subscript)\b"#, in: String(decoding: head, as: UTF8.self)
                )
                .isEmpty
                open.append((isFunction, line))
                head = []
            case UInt8(ascii: "}"):
                if let start = open.popLast(), start.isFunction, line - start.line + 1 > functionLinesMax {
                    problems.append(
                        "\(file.path):\(start.line): a function of \(line - start.line + 1) lines")
                }
                head = []
            default:
                if byte == UInt8(ascii: "\n") { line += 1 }
                head.append(byte)
            }
        }
        return problems
    }

    /// What crashes, postpones, or brings in tasks and waiting; for code without comments and literals.
    private static let bannedCode = [
        #"\bfatalError\("#, #"\btry!"#, #"\bas!"#, #"\bTask\s*\{"#, #"\bactor\s+[A-Z]\w*"#,
        #"\b(u|nano)?sleep\s*\("#,
    ]

    static func bannedWords(_ file: ProjectFile) -> [String] {
        let notes = lines(of: #"\b(TOD[O]|FIXM[E]|XX[X])\b"#, in: file.text)
        let code = bannedCode.flatMap { lines(of: $0, in: file.code) }
        return (notes + code).map { "\(file.path):\($0.line): \($0.found)" }
    }

    static func undocumentedPublic(_ file: ProjectFile) -> [String] {
        let lines = file.code.split(separator: "\n", omittingEmptySubsequences: false)
        let whole = file.text.split(separator: "\n", omittingEmptySubsequences: false)
        return lines.indices.compactMap { place in
            let words = lines[place].split(separator: " ").filter { !$0.hasPrefix("@") }
            guard words.first == "public" || words.first == "open" else { return nil }
            guard !["import", "extension"].contains(words.dropFirst().first ?? "") else { return nil }
            var above = place - 1
            while above >= 0, whole[above].drop(while: { $0 == " " }).hasPrefix("@") { above -= 1 }
            let isDocumented = above >= 0 && whole[above].drop { $0 == " " }.hasPrefix("///")
            return isDocumented ? nil : "\(file.path):\(place + 1): no doc comment"
        }
    }

    /// Paths that exist on one machine only.
    static func machinePaths(_ file: ProjectFile) -> [String] {
        lines(of: #"(?<![A-Za-z0-9_.])/(roo[t]|User[s]|wor[k]|buil[d])/"#, in: file.text)
            .map { "\(file.path):\($0.line): a path of one machine" }
    }

    /// Where a pattern occurs.
    ///
    /// By Foundation: Swift's own regular expressions take ten times as long in a debug build.
    private static func lines(of pattern: String, in text: String) -> [(line: Int, found: String)] {
        guard let expression = try? NSRegularExpression(pattern: pattern) else {
            return [(0, "no pattern: \(pattern)")]
        }
        let whole = NSRange(text.startIndex..., in: text)
        return expression.matches(in: text, range: whole).compactMap { match in
            guard let range = Range(match.range, in: text) else { return nil }
            return (
                text[..<range.lowerBound].utf8.count { $0 == UInt8(ascii: "\n") } + 1, String(text[range])
            )
        }
    }
}
