import Testing

@testable import ParlorNet

/// The order in which addresses of a peer are tried.
@Suite struct CandidatesTests {
    private func address(_ text: String) throws -> SocketAddress { try #require(SocketAddress(text)) }

    private func interface(_ address: String, _ bits: Int) throws -> NetworkInterface {
        NetworkInterface(
            name: "eth0", index: 2, isLoopback: false,
            addresses: [.init(address: try self.address(address), prefixBits: bits)])
    }

    @Test func `near addresses come first, and what cannot be dialled not at all`() throws {
        let interfaces = [try interface("192.168.7.20", 20), try interface("fd00::20", 64)]
        let given = [
            "10.0.0.9:1", "192.168.16.1:1", "[fe80::1%2]:1", "[fe80::1]:1", "0.0.0.0:1", "[2001:db8::1]:1",
            "192.168.15.254:1", "[fd00:5::1]:1", "192.168.0.1:1", "[ff02::1%2]:1", "224.0.0.251:1",
            "192.168.0.1", "[2001:db8::1]:1", "169.254.3.3:1", "[::]:1", "192.168.0.1:2",
        ]
        let found = SocketAddress.candidates(try given.map { try address($0) }, interfaces: interfaces)
        #expect(
            found.map(\.description) == [
                "192.168.15.254:1", "192.168.0.1:1", "192.168.0.1:2", "[2001:db8::1]:1", "[fd00:5::1]:1",
                "[fe80::1%2]:1", "10.0.0.9:1", "192.168.16.1:1", "169.254.3.3:1",
            ])
    }

    @Test func `addresses share a prefix to the bit`() throws {
        let one = try address("10.1.2.3")
        for (other, bits) in [("10.1.2.3", 32), ("10.1.2.2", 31), ("10.1.3.3", 23), ("138.1.2.3", 0)] {
            let other = try address(other)
            #expect(one.shares(prefixBits: bits, with: other))
            #expect(bits == 32 || !one.shares(prefixBits: bits + 1, with: other))
        }
        #expect(try !one.shares(prefixBits: 0, with: address("::1")))
        #expect(try address("fd00::1").shares(prefixBits: 64, with: address("fd00::ffff:0:0:2")))
        #expect(try !address("fd00::1").shares(prefixBits: 65, with: address("fd00::ffff:0:0:2")))
    }

    @Test func `this machine's own addresses are near`() throws {
        let given = [try address("8.8.8.8:1"), .loopback(port: 1)]
        #expect(
            SocketAddress.candidates(given, interfaces: try Interfaces.list()).first == .loopback(port: 1))
    }
}
