/// Bytes as text, as JSON carries them (RFC 4648 section 4).
public enum Base64 {
    private static let alphabet = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    private static let pad = UInt8(ascii: "=")
    /// What each byte stands for; 255: nothing.
    private static let values: [UInt8] = {
        var values = [UInt8](repeating: 255, count: 256)
        for (value, letter) in alphabet.enumerated() { values[Int(letter)] = UInt8(value) }
        return values
    }()

    /// Writes bytes, filled up to a multiple of four characters.
    public static func encode(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count + 2) / 3 * 4)
        for place in stride(from: 0, to: bytes.count, by: 3) {
            let count = min(3, bytes.count - place)
            let group =
                UInt32(bytes[place]) << 16 | (count > 1 ? UInt32(bytes[place + 1]) << 8 : 0)
                | (count > 2 ? UInt32(bytes[place + 2]) : 0)
            for digit in 0..<4 {
                text.append(digit <= count ? alphabet[Int(group >> UInt32(18 - 6 * digit) & 63)] : pad)
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Reads what ``encode(_:)`` writes; `nil` for everything else.
    public static func decode(_ text: String) -> [UInt8]? {
        let letters = Array(text.utf8)
        guard letters.count.isMultiple(of: 4) else { return nil }
        let padding = letters.suffix(2).count { $0 == pad }
        if padding == 2, letters[letters.count - 2] != pad { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(letters.count / 4 * 3)
        for place in stride(from: 0, to: letters.count, by: 4) {
            let isLast = place + 4 == letters.count
            let digits = isLast ? 4 - padding : 4
            var group: UInt32 = 0
            for digit in 0..<4 {
                let value = digit < digits ? values[Int(letters[place + digit])] : 0
                guard value < 64 else { return nil }
                group = group << 6 | UInt32(value)
            }
            guard digits == 4 || group & (digits == 3 ? 0xff : 0xffff) == 0 else { return nil }
            for byte in 0..<(digits - 1) { bytes.append(UInt8(group >> UInt32(16 - 8 * byte) & 0xff)) }
        }
        return bytes
    }
}
