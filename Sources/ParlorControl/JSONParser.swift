/// Why bytes are not JSON that Parlor accepts.
public struct JSONError: Error, Hashable, Sendable {
    /// What is wrong, for people.
    public let message: String
    /// Where, in bytes from the start.
    public let offset: Int
}

/// The bounds of a JSON text.
public enum JSONLimits {
    /// How many arrays and objects may be open at once.
    public static let depthMax = 64
    /// How long a text may be, in bytes: a line of the control socket.
    public static let bytesMax = 2 * 1_048_576
}

extension JSON {
    /// Reads one JSON text (RFC 8259).
    ///
    /// Refuses what the grammar does not allow, bytes that are not UTF-8, lone surrogates, numbers
    /// that are not finite, two members of one name, and what is beyond ``JSONLimits``.
    public init(parsing bytes: [UInt8]) throws(JSONError) {
        guard bytes.count <= JSONLimits.bytesMax else {
            throw JSONError(
                message: "the text is longer than \(JSONLimits.bytesMax) bytes", offset: bytes.count)
        }
        var parser = JSONParser(bytes: bytes)
        self = try parser.document()
    }

    /// Reads one JSON text given as a string.
    public init(parsing text: String) throws(JSONError) {
        try self.init(parsing: Array(text.utf8))
    }
}

/// A recursive-descent reader over one array of bytes.
private struct JSONParser {
    let bytes: [UInt8]
    var at = 0
    var depth = 0

    init(bytes: [UInt8]) { self.bytes = bytes }

    mutating func document() throws(JSONError) -> JSON {
        skipSpace()
        let value = try value()
        skipSpace()
        guard at == bytes.count else { throw fault("something follows the value") }
        return value
    }

    private func fault(_ message: String) -> JSONError { JSONError(message: message, offset: at) }

    private var current: UInt8? { at < bytes.count ? bytes[at] : nil }

    private mutating func skipSpace() {
        while let byte = current, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { at += 1 }
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard current == byte else { return false }
        at += 1
        return true
    }

    private mutating func value() throws(JSONError) -> JSON {
        guard let first = current else { throw fault("the text ends where a value should be") }
        switch first {
        case UInt8(ascii: "{"): return try object()
        case UInt8(ascii: "["): return try array()
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try word("true", .bool(true))
        case UInt8(ascii: "f"): return try word("false", .bool(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try number()
        default: throw fault("a value should be here")
        }
    }

    private mutating func word(_ text: StaticString, _ value: JSON) throws(JSONError) -> JSON {
        for expected in text.description.utf8 {
            guard take(expected) else { throw fault("a value should be here") }
        }
        return value
    }

    private mutating func enter() throws(JSONError) {
        depth += 1
        guard depth <= JSONLimits.depthMax else { throw fault("nested deeper than \(JSONLimits.depthMax)") }
        at += 1
        skipSpace()
    }

    private mutating func array() throws(JSONError) -> JSON {
        try enter()
        var list: [JSON] = []
        if !take(UInt8(ascii: "]")) {
            while true {
                skipSpace()
                list.append(try value())
                skipSpace()
                if take(UInt8(ascii: "]")) { break }
                guard take(UInt8(ascii: ",")) else { throw fault("a comma or ] should be here") }
            }
        }
        depth -= 1
        return .array(list)
    }

    private mutating func object() throws(JSONError) -> JSON {
        try enter()
        var list: [JSON.Member] = []
        var names: Set<String> = []
        if !take(UInt8(ascii: "}")) {
            while true {
                skipSpace()
                guard current == UInt8(ascii: "\"") else { throw fault("a member's name should be here") }
                let key = try string()
                guard names.insert(key).inserted else { throw fault("two members have one name") }
                skipSpace()
                guard take(UInt8(ascii: ":")) else { throw fault("a colon should be here") }
                skipSpace()
                list.append(JSON.Member(key, try value()))
                skipSpace()
                if take(UInt8(ascii: "}")) { break }
                guard take(UInt8(ascii: ",")) else { throw fault("a comma or } should be here") }
            }
        }
        depth -= 1
        return .object(list)
    }

    private mutating func digits() throws(JSONError) {
        let start = at
        while let byte = current, byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") { at += 1 }
        guard at > start else { throw fault("a digit should be here") }
    }

    private mutating func number() throws(JSONError) -> JSON {
        let start = at
        var whole = true
        _ = take(UInt8(ascii: "-"))
        let leading = at
        try digits()
        if bytes[leading] == UInt8(ascii: "0"), at - leading > 1 { throw fault("a number starts with 0") }
        if take(UInt8(ascii: ".")) {
            whole = false
            try digits()
        }
        if let byte = current, byte | 0x20 == UInt8(ascii: "e") {
            whole = false
            at += 1
            if !take(UInt8(ascii: "+")) { _ = take(UInt8(ascii: "-")) }
            try digits()
        }
        let text = String(decoding: bytes[start..<at], as: UTF8.self)
        if whole, let value = Int(text) { return .int(value) }
        guard let value = Double(text), value.isFinite else { throw fault("a number is too large") }
        return .double(value)
    }

    private mutating func string() throws(JSONError) -> String {
        at += 1
        let start = at
        while let byte = current, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\"), byte >= 0x20 {
            at += 1
        }
        if current == UInt8(ascii: "\"") {
            at += 1
            return try text(bytes[start..<(at - 1)])
        }
        var out = Array(bytes[start..<at])
        while let byte = current {
            at += 1
            switch byte {
            case UInt8(ascii: "\""): return try text(out[...])
            case UInt8(ascii: "\\"): try escape(into: &out)
            case ..<0x20: throw fault("a control character inside a string")
            default: out.append(byte)
            }
        }
        throw fault("a string does not end")
    }

    private func text(_ slice: ArraySlice<UInt8>) throws(JSONError) -> String {
        guard let text = String(validating: slice, as: UTF8.self) else {
            throw fault("a string is not UTF-8")
        }
        return text
    }

    private mutating func escape(into out: inout [UInt8]) throws(JSONError) {
        guard let byte = current else { throw fault("a string does not end") }
        at += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): out.append(byte)
        case UInt8(ascii: "b"): out.append(0x08)
        case UInt8(ascii: "f"): out.append(0x0C)
        case UInt8(ascii: "n"): out.append(0x0A)
        case UInt8(ascii: "r"): out.append(0x0D)
        case UInt8(ascii: "t"): out.append(0x09)
        case UInt8(ascii: "u"): out.append(contentsOf: String(try scalar()).utf8)
        default: throw fault("an unknown escape")
        }
    }

    private mutating func unit() throws(JSONError) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<4 {
            guard let byte = current, let digit = Hex.digit(byte) else {
                throw fault("four hex digits should be here")
            }
            value = value << 4 | UInt32(digit)
            at += 1
        }
        return value
    }

    private mutating func scalar() throws(JSONError) -> Character {
        var value = try unit()
        if (0xD800...0xDBFF).contains(value) {
            guard take(UInt8(ascii: "\\")), take(UInt8(ascii: "u")) else {
                throw fault("half a surrogate pair")
            }
            let low = try unit()
            guard (0xDC00...0xDFFF).contains(low) else { throw fault("half a surrogate pair") }
            value = 0x10000 + (value - 0xD800) << 10 + (low - 0xDC00)
        }
        guard let scalar = Unicode.Scalar(value) else { throw fault("half a surrogate pair") }
        return Character(scalar)
    }
}
