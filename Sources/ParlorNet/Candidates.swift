extension SocketAddress {
    /// Whether two addresses are of one kind and begin with the same bits.
    func shares(prefixBits: Int, with other: SocketAddress) -> Bool {
        guard bytes.count == other.bytes.count else { return false }
        for (place, (own, others)) in zip(bytes, other.bytes).enumerated() {
            let left = min(8, max(0, prefixBits - place * 8))
            guard (own ^ others) >> (8 - left) == 0 else { return false }
        }
        return true
    }

    /// Puts addresses of one peer into the order in which to try them.
    ///
    /// First IPv4 addresses of a network that this machine is in, then IPv6 addresses that mean something
    /// everywhere or at a whole site, then link-local ones of IPv6 with their interface, then the rest;
    /// otherwise the order stays. Left out is what cannot be dialled: no port, no single machine, an IPv6
    /// address of one link without its interface, and what is there twice.
    /// - Parameters:
    ///   - addresses: Where the peer may be.
    ///   - interfaces: This machine's interfaces, as ``Interfaces/list()`` has them.
    /// - Returns: What to dial, best first.
    public static func candidates(
        _ addresses: [SocketAddress], interfaces: [NetworkInterface]
    ) -> [SocketAddress] {
        let networks = interfaces.flatMap(\.addresses)
        var seen: Set<SocketAddress> = []
        let fit = addresses.filter { $0.canBeDialled && seen.insert($0).inserted }
        return (0...3).flatMap { rank in fit.filter { $0.rank(networks) == rank } }
    }

    private var canBeDialled: Bool {
        let isMulticast = isIPv6 ? bytes[0] == 0xff : bytes[0] >= 224
        return port != 0 && !isWildcard && !isMulticast && !(isIPv6 && isLinkLocal && scope == 0)
    }

    private func rank(_ networks: [NetworkInterface.Address]) -> Int {
        if isIPv6 { return isLinkLocal ? 2 : 1 }
        return networks.contains { shares(prefixBits: $0.prefixBits, with: $0.address) } ? 0 : 3
    }
}
