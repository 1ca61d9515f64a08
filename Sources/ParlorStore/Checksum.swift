/// The checksum of zlib and PNG (ISO-HDLC), against accidents only; it proves nothing about who wrote the
/// bytes.
enum CRC32 {
    /// The checksum, most significant byte first.
    static func checksum(_ bytes: [UInt8]) -> [UInt8] {
        var remainder = UInt32.max
        for byte in bytes {
            remainder ^= UInt32(byte)
            for _ in 0..<8 { remainder = remainder >> 1 ^ (remainder & 1 == 1 ? 0xEDB8_8320 : 0) }
        }
        remainder = ~remainder
        return [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: remainder >> $0) }
    }
}

/// Bytes as lower-case hexadecimal digits.
enum Hex {
    private static let digits = Array("0123456789abcdef".utf8)

    /// Two digits a byte.
    static func text(_ bytes: [UInt8]) -> String {
        String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }

    /// The bytes of an even number of digits; `nil` if it is anything else.
    static func bytes(_ text: some Collection<UInt8>) -> [UInt8]? {
        let values = text.compactMap { digits.firstIndex(of: $0) }
        guard values.count == text.count, values.count.isMultiple(of: 2) else { return nil }
        return stride(from: 0, to: values.count, by: 2).map { UInt8(values[$0] << 4 | values[$0 + 1]) }
    }
}
