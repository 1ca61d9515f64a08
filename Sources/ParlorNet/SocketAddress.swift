import CUv
import Glibc

/// An IPv4 or IPv6 address with a port, and with an interface where the address alone does not say enough.
public struct SocketAddress: Hashable, Sendable, CustomStringConvertible {
    /// The address in network order: 4 bytes for IPv4, 16 for IPv6.
    public let bytes: [UInt8]
    /// The port, or 0 for none or any.
    public var port: UInt16
    /// The index of the interface an IPv6 link-local address belongs to, otherwise 0 (RFC 4007).
    public let scope: UInt32

    /// Makes an address of 4 or 16 bytes; `nil` for any other count.
    ///
    /// An IPv4 address written as IPv6 (`::ffff:192.0.2.1`) becomes the IPv4 address it means, so that one
    /// machine has one address whichever kind of socket saw it.
    public init?(bytes: [UInt8], port: UInt16, scope: UInt32 = 0) {
        guard bytes.count == 4 || bytes.count == 16 else { return nil }
        let isMapped =
            bytes.count == 16 && bytes[10] == 0xff && bytes[11] == 0xff && bytes[..<10].allSatisfy { $0 == 0 }
        self.bytes = isMapped ? Array(bytes[12...]) : bytes
        self.port = port
        self.scope = Self.needsScope(self.bytes) ? scope : 0
    }

    /// Reads `192.0.2.1`, `192.0.2.1:27720`, `::1`, `[::1]:27720`, `fe80::1%2` or `[fe80::1%eth0]:27720`.
    ///
    /// Names of machines are not looked up here; that is ``EventLoop/resolve(host:port:completion:)``.
    public init?(_ text: String) {
        var host = text[...]
        var port: UInt16 = 0
        if text.hasPrefix("[") {
            guard let bracket = text.lastIndex(of: "]") else { return nil }
            host = text[text.index(after: text.startIndex)..<bracket]
            guard host.contains(":") else { return nil }
            let rest = text[text.index(after: bracket)...]
            if !rest.isEmpty {
                guard rest.first == ":", let number = Self.number(rest.dropFirst()) else { return nil }
                port = number
            }
        } else if let colon = text.firstIndex(of: ":"), colon == text.lastIndex(of: ":") {
            guard let number = Self.number(text[text.index(after: colon)...]) else { return nil }
            host = text[..<colon]
            port = number
        }
        guard let (bytes, scope) = Self.address(host) else { return nil }
        self.init(bytes: bytes, port: port, scope: scope)
    }

    /// `127.0.0.1` with a port.
    public static func loopback(port: UInt16) -> Self { Self(v4: [127, 0, 0, 1], port: port) }

    /// `0.0.0.0` with a port: every IPv4 address of this machine.
    public static func anyIPv4(port: UInt16) -> Self { Self(v4: [0, 0, 0, 0], port: port) }

    /// `::` with a port: every address of this machine.
    public static func any(port: UInt16) -> Self { Self(v4: [UInt8](repeating: 0, count: 16), port: port) }

    private init(v4 bytes: [UInt8], port: UInt16) {
        self.bytes = bytes
        self.port = port
        scope = 0
    }

    /// Whether this is an IPv6 address.
    public var isIPv6: Bool { bytes.count == 16 }

    /// Whether it never leaves this machine: 127.0.0.0/8 or `::1`.
    public var isLoopback: Bool {
        isIPv6 ? bytes.last == 1 && bytes.dropLast().allSatisfy { $0 == 0 } : bytes[0] == 127
    }

    /// Whether it means something on one network segment only: 169.254.0.0/16 or fe80::/10.
    public var isLinkLocal: Bool {
        isIPv6 ? bytes[0] == 0xfe && bytes[1] & 0xc0 == 0x80 : bytes[0] == 169 && bytes[1] == 254
    }

    /// Whether it stands for every address of this machine: `0.0.0.0` or `::`.
    public var isWildcard: Bool { bytes.allSatisfy { $0 == 0 } }

    /// The address without the port, with the interface where there is one: `fe80::1%2`.
    public var host: String {
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN) + 1)
        let size = text.count
        unsafe uv_inet_ntop(isIPv6 ? AF_INET6 : AF_INET, bytes, &text, size)
        let written = String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return scope == 0 ? written : "\(written)%\(scope)"
    }

    /// What the initialiser from text reads back: the port is there unless it is 0.
    public var description: String {
        if port == 0 { return host }
        return isIPv6 ? "[\(host)]:\(port)" : "\(host):\(port)"
    }

    // MARK: - Reading text

    private static func number(_ digits: Substring) -> UInt16? {
        guard !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return UInt16(digits)
    }

    private static func address(_ host: Substring) -> (bytes: [UInt8], scope: UInt32)? {
        let parts = host.split(separator: "%", maxSplits: 1, omittingEmptySubsequences: false)
        guard let text = parts.first, !host.utf8.contains(0) else { return nil }
        let isIPv6 = text.contains(":")
        var bytes = [UInt8](repeating: 0, count: isIPv6 ? 16 : 4)
        guard unsafe inet_pton(isIPv6 ? AF_INET6 : AF_INET, String(text), &bytes) == 1 else { return nil }
        guard parts.count == 2 else { return (bytes, 0) }
        guard needsScope(bytes), let scope = interfaceIndex(parts[1]) else { return nil }
        return (bytes, scope)
    }

    private static func interfaceIndex(_ text: Substring) -> UInt32? {
        let isNumber = !text.isEmpty && text.utf8.allSatisfy { (0x30...0x39).contains($0) }
        let index = isNumber ? UInt32(text) ?? 0 : unsafe if_nametoindex(String(text))
        return index == 0 ? nil : index
    }

    /// fe80::/10, and multicast to the interface or the link (ff01::, ff02::).
    private static func needsScope(_ bytes: [UInt8]) -> Bool {
        guard bytes.count == 16 else { return false }
        return bytes[0] == 0xfe && bytes[1] & 0xc0 == 0x80
            || bytes[0] == 0xff && (1...2).contains(bytes[1] & 0x0f)
    }

    // MARK: - The system's form

    /// Reads a `sockaddr`; `nil` for families other than IPv4 and IPv6.
    @safe init?(_ system: UnsafePointer<sockaddr>) {
        var bytes = [UInt8](repeating: 0, count: 16)
        var port: UInt16 = 0
        var scope: UInt32 = 0
        let count = unsafe parlor_sockaddr_take(system, &bytes, &port, &scope)
        self.init(bytes: Array(bytes.prefix(count)), port: port, scope: scope)
    }

    /// Calls `body` with the address as the system wants it.
    @safe func withSystemAddress<Answer>(_ body: (UnsafePointer<sockaddr>) -> Answer) -> Answer {
        var storage = sockaddr_storage()
        unsafe parlor_sockaddr_make(bytes, bytes.count, port, scope, &storage)
        return unsafe withUnsafePointer(to: &storage) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe body($0) }
        }
    }
}
