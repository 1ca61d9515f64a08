/// Where a peer takes links and datagrams: an IP address and a port.
public struct Endpoint: Hashable, Sendable {
    /// The address in network order: 4 bytes for IPv4, 16 for IPv6.
    public let address: [UInt8]
    /// The port.
    public let port: UInt16
    /// The interface of this machine on which a link-local address means something, otherwise 0 (RFC 4007).
    ///
    /// Never sent: it means nothing to another machine.
    public let scope: UInt32

    /// Makes an endpoint; `nil` unless the address has 4 or 16 bytes.
    public init?(address: [UInt8], port: UInt16, scope: UInt32 = 0) {
        guard address.count == 4 || address.count == 16 else { return nil }
        self.address = address
        self.port = port
        self.scope = scope
    }

    /// The endpoint as sent: an array of address and port.
    public var cbor: CBOR { [.bytes(address), .int(Int(port))] }

    /// Reads an endpoint; `nil` when it is none, or has port 0.
    public init?(cbor: CBOR) {
        guard let items = cbor.array, items.count == 2, let address = items[0].bytes,
            let port = items[1].int, (1...Int(UInt16.max)).contains(port)
        else { return nil }
        self.init(address: address, port: UInt16(port))
    }

    /// Reads endpoints; `nil` when they are none, or more than ``Limits/endpointsMax``.
    static func list(cbor: CBOR) -> [Endpoint]? {
        guard let items = cbor.array, items.count <= Limits.endpointsMax else { return nil }
        let endpoints = items.compactMap(Endpoint.init(cbor:))
        return endpoints.count == items.count ? endpoints : nil
    }

    /// What a roster names of a member: where its link comes from, then what it says itself, each once.
    public static func roster(seen: Endpoint?, said: [Endpoint]) -> [Endpoint] {
        var list: [Endpoint] = []
        for endpoint in [seen].compactMap({ $0 }) + said {
            guard list.count < Limits.endpointsMax, endpoint.port != 0,
                let plain = Endpoint(address: endpoint.address, port: endpoint.port), !list.contains(plain)
            else { continue }
            list.append(plain)
        }
        return list
    }
}
