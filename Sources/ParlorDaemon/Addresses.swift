internal import ParlorDiscovery
internal import ParlorNet
internal import ParlorProtocol

// Where a peer is, as the protocol, discovery and sockets say it.

extension SocketAddress {
    /// The address of an endpoint of the protocol.
    init?(_ endpoint: Endpoint) {
        self.init(bytes: endpoint.address, port: endpoint.port, scope: endpoint.scope)
    }

    /// Reads an endpoint that discovery found; `nil` when its address is none.
    init?(_ endpoint: RoomEndpoint) {
        let scope = endpoint.scope == 0 ? "" : "%\(endpoint.scope)"
        let host = endpoint.address.contains(":") ? "[\(endpoint.address)\(scope)]" : endpoint.address
        self.init("\(host):\(endpoint.port)")
    }

    /// Addresses of one peer in the order in which to try them from this machine, as it is connected now.
    static func candidates(_ addresses: [SocketAddress]) -> [SocketAddress] {
        candidates(addresses, interfaces: (try? Interfaces.list()) ?? [])
    }
}

extension Endpoint {
    /// The endpoint of a socket's address.
    init?(_ address: SocketAddress) {
        self.init(address: address.bytes, port: address.port, scope: address.scope)
    }
}
