import Foundation
import ParlorGames
import Testing

/// One example of the wire for other implementations: bytes, and what they mean.
struct GoldenVector {
    /// Which bytes these are, for a person.
    let name: String
    /// How a decoder has to read them.
    let kind: String
    /// The bytes.
    let bytes: [UInt8]
    /// What a decoder must find in them.
    let meaning: Value

    var value: Value {
        ["name": .string(name), "kind": .string(kind), "hex": .string(hex(bytes)), "meaning": meaning]
    }
}

/// The files under Tests/Golden, which `Tests/Golden/check.py` reads too.
enum Golden {
    static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Golden")

    /// Whether the files are made anew instead of compared.
    static var isWriting: Bool { ProcessInfo.processInfo.environment["PARLOR_WRITE_GOLDEN"] == "1" }

    /// The text of a file.
    static func text(_ file: String) throws -> String {
        try String(contentsOf: folder.appending(path: file), encoding: .utf8)
    }

    /// The seats' secrets that were kept with a log.
    static func secrets(of log: String) throws -> [(identity: [UInt8], secret: [UInt8])] {
        struct Row: Decodable {
            struct Secret: Decodable {
                let identity: String
                let secret: String
            }
            struct Meaning: Decodable { let secrets: [Secret] }
            let name: String
            let meaning: Meaning
        }
        let rows = try JSONDecoder().decode([Row].self, from: Data(try text("logs.json").utf8))
        let row = try #require(rows.first { $0.name == log })
        return row.meaning.secrets.map { (bytes($0.identity), bytes($0.secret)) }
    }

    /// Compares the vectors with the file of that name; writes the file instead when PARLOR_WRITE_GOLDEN is
    /// 1.
    static func check(_ file: String, _ vectors: [GoldenVector]) throws {
        try checkText(
            file + ".json", "[\n" + vectors.map { json($0.value) }.joined(separator: ",\n") + "\n]\n")
    }

    /// Compares a text with the file of that name; writes the file instead when PARLOR_WRITE_GOLDEN is 1.
    static func checkText(_ file: String, _ text: String) throws {
        let url = folder.appending(path: file)
        if isWriting {
            try text.write(to: url, atomically: true, encoding: .utf8)
        }
        #expect(try String(contentsOf: url, encoding: .utf8) == text, "\(file) differs")
    }

    /// One line of JSON, members in the order they have, everything beyond ASCII escaped.
    static func json(_ value: Value) -> String {
        switch value {
        case .null: "null"
        case .bool(let truth): truth ? "true" : "false"
        case .int(let number): String(number)
        case .string(let text): quoted(text)
        case .array(let elements): "[" + elements.map(json).joined(separator: ", ") + "]"
        case .object(let members):
            "{" + members.map { quoted($0.name) + ": " + json($0.value) }.joined(separator: ", ") + "}"
        }
    }

    private static func quoted(_ text: String) -> String {
        var out = "\""
        for unit in text.utf16 {
            switch unit {
            case UInt16(UInt8(ascii: "\"")): out += "\\\""
            case UInt16(UInt8(ascii: "\\")): out += "\\\\"
            case 0x20..<0x7F: out.unicodeScalars.append(Unicode.Scalar(UInt8(unit)))
            default:
                out += "\\u" + String(repeating: "0", count: 4 - String(unit, radix: 16).count)
                out += String(unit, radix: 16)
            }
        }
        return out + "\""
    }
}
