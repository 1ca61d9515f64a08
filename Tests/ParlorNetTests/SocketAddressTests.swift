import ParlorNet
import Testing

@Suite struct SocketAddressTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let text: String
        let host: String
        let port: UInt16
        let scope: UInt32
        var testDescription: String { text }
    }

    @Test(arguments: [
        Row(text: "127.0.0.1", host: "127.0.0.1", port: 0, scope: 0),
        Row(text: "127.0.0.1:27720", host: "127.0.0.1", port: 27_720, scope: 0),
        Row(text: "192.0.2.7:0", host: "192.0.2.7", port: 0, scope: 0),
        Row(text: "::1", host: "::1", port: 0, scope: 0),
        Row(text: "[::1]", host: "::1", port: 0, scope: 0),
        Row(text: "[::1]:27720", host: "::1", port: 27_720, scope: 0),
        Row(text: "[2001:DB8:0::1]:65535", host: "2001:db8::1", port: 65_535, scope: 0),
        Row(text: "fe80::1%2", host: "fe80::1%2", port: 0, scope: 2),
        Row(text: "[fe80::1%2]:80", host: "fe80::1%2", port: 80, scope: 2),
        Row(text: "fe80::1%lo", host: "fe80::1%1", port: 0, scope: 1),
        Row(text: "fe80::1", host: "fe80::1", port: 0, scope: 0),
        Row(text: "::ffff:192.0.2.7", host: "192.0.2.7", port: 0, scope: 0),
    ])
    func `a good text is read and written back`(row: Row) throws {
        let address = try #require(SocketAddress(row.text))
        #expect(address.host == row.host)
        #expect(address.port == row.port)
        #expect(address.scope == row.scope)
        #expect(SocketAddress(address.description) == address)
    }

    @Test(arguments: [
        "", ":", "127.0.0.1:", "127.0.0.1:65536", "127.0.0.1:+80", "127.0.0.1:8 0", "127.0.0.256", "127.1",
        "localhost", "localhost:80", "[127.0.0.1]:80", "[::1", "[::1]x", "[::1]:", "::1]:80", "[]:80",
        "1:2:3",
        "::1%1", "fe80::1%", "fe80::1%0", "fe80::1%no-such-interface", "fe80::1%99999999999", "127.0.0.1%1",
        "127.0.0.1\u{0}", "[fe80::1%2%3]:1",
    ])
    func `a bad text is refused`(text: String) {
        #expect(SocketAddress(text) == nil)
    }

    @Test func `kinds of address are told apart`() throws {
        func address(_ text: String) throws -> SocketAddress { try #require(SocketAddress(text)) }
        #expect(try address("127.9.9.9").isLoopback && address("::1").isLoopback)
        #expect(
            try !address("128.0.0.1").isLoopback && !address("::2").isLoopback && !address("1::1").isLoopback)
        #expect(try address("169.254.3.4").isLinkLocal && address("fe80::9").isLinkLocal)
        #expect(try address("febf::9").isLinkLocal && !address("fec0::9").isLinkLocal)
        #expect(try address("0.0.0.0").isWildcard && address("::").isWildcard && !address("::1").isWildcard)
        #expect(try address("::1").isIPv6 && !address("1.2.3.4").isIPv6)
    }

    @Test func `only 4 or 16 bytes make an address, and a scope needs a link-local one`() {
        #expect(SocketAddress(bytes: [1, 2, 3], port: 1) == nil)
        #expect(SocketAddress(bytes: [10, 0, 0, 1], port: 1, scope: 3)?.scope == 0)
        #expect(SocketAddress(bytes: [10, 0, 0, 1], port: 1)?.description == "10.0.0.1:1")
    }
}
