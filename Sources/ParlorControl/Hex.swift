/// Lower-case hexadecimal, the form of every ID on the control socket.
public enum Hex {
    /// Two digits for each byte.
    public static func encode(_ bytes: some Sequence<UInt8>) -> String {
        let digits = Array("0123456789abcdef".utf8)
        var out: [UInt8] = []
        for byte in bytes {
            out.append(digits[Int(byte >> 4)])
            out.append(digits[Int(byte & 15)])
        }
        return String(decoding: out, as: UTF8.self)
    }

    /// The bytes of an even number of digits, in either case; `nil` when the text is anything else.
    public static func decode(_ text: String) -> [UInt8]? {
        let digits = Array(text.utf8)
        guard digits.count % 2 == 0 else { return nil }
        var out: [UInt8] = []
        out.reserveCapacity(digits.count / 2)
        for at in stride(from: 0, to: digits.count, by: 2) {
            guard let high = digit(digits[at]), let low = digit(digits[at + 1]) else { return nil }
            out.append(high << 4 | low)
        }
        return out
    }

    /// The bytes of exactly `count` bytes' worth of digits; `nil` when the text is anything else.
    public static func decode(_ text: String, count: Int) -> [UInt8]? {
        guard let bytes = decode(text), bytes.count == count else { return nil }
        return bytes
    }

    static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
