/// Swift source as the rules look at it.
enum SwiftText {
    /// The text with the content of comments and string literals blanked; every line keeps its place.
    static func code(_ text: String) -> String {
        var scanner = Scanner(text: Array(text.utf8))
        scanner.run()
        return String(decoding: scanner.code, as: UTF8.self)
    }

    /// The modules that a text imports; ``code(_:)`` comes first.
    static func imports(_ code: String) -> [String] {
        code.split(separator: "\n").compactMap { line in
            let words = line.split(separator: " ")
            guard let place = words.firstIndex(of: "import"), place + 1 < words.count else { return nil }
            let modifiers = ["public", "package", "internal", "private", "fileprivate"]
            guard words[..<place].allSatisfy({ modifiers.contains(String($0)) || $0.hasPrefix("@") }) else {
                return nil
            }
            let kinds = ["struct", "class", "enum", "protocol", "func", "var", "let", "typealias"]
            let named =
                kinds.contains(String(words[place + 1])) && place + 2 < words.count ? place + 2 : place + 1
            return words[named].split(separator: ".").first.map(String.init)
        }
    }

    private struct Scanner {
        let text: [UInt8]
        var code: [UInt8] = []
        var at = 0
        private let newline = UInt8(ascii: "\n")

        init(text: [UInt8]) { self.text = text }

        mutating func run() {
            while at < text.count {
                if starts("//") {
                    while at < text.count, text[at] != newline { blankOne() }
                } else if starts("\"\"\"") {
                    literal("\"\"\"")
                } else if starts("\"") {
                    literal("\"")
                } else {
                    code.append(text[at])
                    at += 1
                }
            }
        }

        private func starts(_ token: String) -> Bool {
            text[at] == token.utf8.first && text[at...].starts(with: token.utf8)
        }

        /// Blanks one character.
        private mutating func blankOne() {
            code.append(text[at] == newline ? newline : UInt8(ascii: " "))
            at += 1
        }

        /// Blanks a literal, with what is interpolated into it, strings included.
        private mutating func literal(_ quote: String) {
            for _ in quote.utf8 { blankOne() }
            while at < text.count, !starts(quote) {
                if quote == "\"", text[at] == newline { return }
                if starts("\\(") {
                    interpolation()
                } else {
                    if text[at] == UInt8(ascii: "\\"), at + 1 < text.count { blankOne() }
                    blankOne()
                }
            }
            for _ in quote.utf8 where at < text.count { blankOne() }
        }

        private mutating func interpolation() {
            var depth = 0
            repeat {
                if starts("\"") {
                    literal("\"")
                } else {
                    if text[at] == UInt8(ascii: "(") { depth += 1 }
                    if text[at] == UInt8(ascii: ")") { depth -= 1 }
                    blankOne()
                }
            } while at < text.count && (depth > 0 || text[at - 1] == UInt8(ascii: "\\"))
        }
    }
}
