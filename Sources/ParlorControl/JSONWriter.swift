extension JSON {
    /// The value as one line of UTF-8 with no line feed in it and none at its end.
    ///
    /// Numbers that are not finite are written as `null`. With `sortedKeys`, members come in the order of
    /// their names instead of their own.
    public func encoded(sortedKeys: Bool = false) -> [UInt8] {
        var out: [UInt8] = []
        out.reserveCapacity(256)
        write(to: &out, sortedKeys: sortedKeys)
        return out
    }

    /// The value as ``encoded(sortedKeys:)`` writes it, as a string.
    public var encodedText: String { String(decoding: encoded(), as: UTF8.self) }

    private func write(to out: inout [UInt8], sortedKeys: Bool) {
        switch self {
        case .null: out.append(contentsOf: "null".utf8)
        case .bool(let value): out.append(contentsOf: (value ? "true" : "false").utf8)
        case .int(let value): out.append(contentsOf: String(value).utf8)
        case .double(let value): JSON.write(value, to: &out)
        case .string(let value): JSON.write(value, to: &out)
        case .array(let list):
            out.append(UInt8(ascii: "["))
            for (index, element) in list.enumerated() {
                if index > 0 { out.append(UInt8(ascii: ",")) }
                element.write(to: &out, sortedKeys: sortedKeys)
            }
            out.append(UInt8(ascii: "]"))
        case .object(let members):
            out.append(UInt8(ascii: "{"))
            let list = sortedKeys ? members.sorted { $0.key < $1.key } : members
            for (index, member) in list.enumerated() {
                if index > 0 { out.append(UInt8(ascii: ",")) }
                JSON.write(member.key, to: &out)
                out.append(UInt8(ascii: ":"))
                member.value.write(to: &out, sortedKeys: sortedKeys)
            }
            out.append(UInt8(ascii: "}"))
        }
    }

    private static func write(_ value: Double, to out: inout [UInt8]) {
        guard value.isFinite else {
            out.append(contentsOf: "null".utf8)
            return
        }
        guard value != 0 else {
            // No "-0": it would be read as a whole number, which has no sign at nought.
            out.append(UInt8(ascii: "0"))
            return
        }
        let text = value.description
        out.append(contentsOf: text.hasSuffix(".0") ? text.dropLast(2).utf8 : text[...].utf8)
    }

    private static func write(_ value: String, to out: inout [UInt8]) {
        out.append(UInt8(ascii: "\""))
        for byte in value.utf8 {
            switch byte {
            case UInt8(ascii: "\""): out.append(contentsOf: #"\""#.utf8)
            case UInt8(ascii: "\\"): out.append(contentsOf: #"\\"#.utf8)
            case 0x0A: out.append(contentsOf: #"\n"#.utf8)
            case 0x0D: out.append(contentsOf: #"\r"#.utf8)
            case 0x09: out.append(contentsOf: #"\t"#.utf8)
            case ..<0x20, 0x7F:
                out.append(contentsOf: #"\u00"#.utf8)
                out.append(contentsOf: Hex.encode([byte]).utf8)
            default: out.append(byte)
            }
        }
        out.append(UInt8(ascii: "\""))
    }
}
