internal import ParlorNet
internal import ParlorProtocol

// Where peers can be reached: addresses of sockets here, endpoints on the wire.

extension LinkHub {
    /// Where this peer can be reached, best first; for a wildcard, the addresses of all interfaces.
    var ownAddresses: [SocketAddress] {
        guard addresses.contains(where: \.isWildcard) else { return addresses }
        let own = ((try? Interfaces.list()) ?? []).filter { !$0.isLoopback }.flatMap(\.addresses)
        return own.map { address in
            var address = address.address
            address.port = port
            return address
        }
    }

    /// The same as told to others.
    var ownEndpoints: [Endpoint] {
        Endpoint.roster(
            seen: nil, said: SocketAddress.candidates(ownAddresses).compactMap { Endpoint($0) })
    }

    /// What a room's roster names of a peer that has a link: where that comes from, then what the peer says.
    func endpoints(of peer: PeerID, said: [Endpoint]) -> [Endpoint] {
        var seen: SocketAddress?
        if let link = link(to: peer) {
            seen = link.remote
            seen?.port = link.hello.listenPort
        }
        return Endpoint.roster(seen: seen.flatMap { Endpoint($0) }, said: said)
    }
}

extension SocketAddress {
    /// The addresses to dial for endpoints that a roster names.
    ///
    /// An address that means something on one segment of the network only is tried on every interface.
    /// - Parameter withLoopback: Whether the members share this machine: a loopback address is one of the
    ///   host's own machine, so it is worth trying only where the host is reached by one.
    static func dialled(_ endpoints: [Endpoint], withLoopback: Bool) -> [SocketAddress] {
        var indices: [UInt32]?
        return endpoints.flatMap { endpoint -> [SocketAddress] in
            guard let address = SocketAddress(bytes: endpoint.address, port: endpoint.port),
                !address.isWildcard, withLoopback || !address.isLoopback
            else { return [] }
            guard address.isIPv6, address.isLinkLocal else { return [address] }
            let all = indices ?? ((try? Interfaces.list()) ?? []).filter { !$0.isLoopback }.map(\.index)
            indices = all
            return all.compactMap { SocketAddress(bytes: address.bytes, port: address.port, scope: $0) }
        }
    }
}
