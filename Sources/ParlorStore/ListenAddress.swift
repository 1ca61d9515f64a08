internal import Glibc

/// An IP address to listen on, with a port if one was named.
///
/// Written `127.0.0.1`, `127.0.0.1:27720`, `::1`, `[::1]:27720`,
/// `fe80::1%eth0`. Names are not looked up.
public struct ListenAddress: Hashable, Sendable, CustomStringConvertible {
    /// The address without brackets, as it was written; an IPv6 address may end in `%` and an interface.
    public let host: String
    /// The port, if one was named: 1-65535.
    public let port: Int?

    /// How such an address may be written, for messages.
    public static let possible =
        "an IPv4 or IPv6 address, with :PORT if wanted, such as 127.0.0.1 or [::1]:27720"

    /// Reads an address as settings and options give it; `nil` if it is not one.
    public init?(_ text: String) {
        if text.hasPrefix("[") {
            guard let end = text.lastIndex(of: "]") else { return nil }
            host = String(text[text.index(after: text.startIndex)..<end])
            let rest = text[text.index(after: end)...]
            guard ListenAddress.isIPv6(host), rest.isEmpty || rest.hasPrefix(":") else { return nil }
            port = rest.isEmpty ? nil : ListenAddress.port(rest.dropFirst())
            if port == nil, !rest.isEmpty { return nil }
            return
        }
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        if let address = parts.first, ListenAddress.isAddress(String(address), family: AF_INET) {
            host = String(address)
            port = parts.count == 2 ? ListenAddress.port(parts[1]) : nil
            if port == nil, parts.count == 2 { return nil }
            return
        }
        guard ListenAddress.isIPv6(text) else { return nil }
        host = text
        port = nil
    }

    /// The address as it can be read again.
    public var description: String {
        guard let port else { return host }
        return host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    }

    /// A port number, 1-65535, in plain digits.
    static func port(_ text: some StringProtocol) -> Int? {
        guard let number = WholeNumber.parse(text), (1...65535).contains(number) else { return nil }
        return number
    }

    /// Whether the text is an IPv6 address, with `%` and the name of an interface or without.
    private static func isIPv6(_ text: String) -> Bool {
        let parts = text.split(separator: "%", maxSplits: 1, omittingEmptySubsequences: false)
        guard let address = parts.first, parts.last?.isEmpty == false else { return false }
        return isAddress(String(address), family: AF_INET6)
    }

    /// Whether `inet_pton(3)` takes the text.
    private static func isAddress(_ text: String, family: CInt) -> Bool {
        var address = in6_addr()  // large enough for either family
        return unsafe inet_pton(family, text, &address) == 1
    }
}

/// Whole numbers as people write them.
enum WholeNumber {
    /// The number of 1-9 plain digits; `nil` for anything else, signs included.
    static func parse(_ text: some StringProtocol) -> Int? {
        guard (1...9).contains(text.utf8.count), text.utf8.allSatisfy({ (48...57).contains($0) }) else {
            return nil
        }
        return Int(text)
    }
}
