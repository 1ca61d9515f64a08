internal import ParlorNet
internal import ParlorProtocol

/// The UDP ports of this daemon, which all links share: one beside each TCP port.
///
/// A datagram names the link that it belongs to. One that names no link of this daemon is dropped unread.
final class DatagramPorts {
    private var sockets: [DatagramSocket] = []
    private var receivers: [UInt32: (owner: ObjectIdentifier, receive: ([UInt8], Endpoint) -> Void)] = [:]
    /// Datagrams that named no link.
    private(set) var strays: UInt64 = 0

    /// Takes a port into use.
    func add(_ socket: DatagramSocket) {
        sockets.append(socket)
        socket.onDatagram = { [weak self] datagram, source in self?.received(datagram, from: source) }
    }

    /// Lets go of all ports.
    func close() {
        for socket in sockets { socket.close() }
        sockets = []
    }

    /// Hands what comes for a link to `receive`, until ``forget(_:of:)``, instead of to whom it went before.
    func register(
        _ linkID: UInt32, of owner: AnyObject, _ receive: @escaping ([UInt8], Endpoint) -> Void
    ) {
        receivers[linkID] = (ObjectIdentifier(owner), receive)
    }

    /// Drops what comes for a link from now on, unless another owner has taken its ID over: a new link that
    /// began as the resume of one which the peer no longer knew has the ID of that.
    func forget(_ linkID: UInt32, of owner: AnyObject) {
        if receivers[linkID]?.owner == ObjectIdentifier(owner) { receivers[linkID] = nil }
    }

    /// Sends a datagram now or never.
    ///
    /// - Parameters:
    ///   - datagram: The datagram.
    ///   - peer: Where to.
    ///   - local: The own address of the link's connection, which the peer knows.
    func send(_ datagram: [UInt8], to peer: Endpoint, from local: SocketAddress) {
        guard let address = SocketAddress(peer) else { return }
        // Connections know of one socket each; a wildcard one serves all addresses of its kind.
        let fitting =
            sockets.first { $0.address.bytes == local.bytes }
            ?? sockets.first { $0.address.isWildcard && ($0.address.isIPv6 || !address.isIPv6) }
        fitting?.send(datagram, to: address)
    }

    private func received(_ datagram: [UInt8], from source: SocketAddress) {
        guard let linkID = DatagramCipher.linkID(of: datagram), let receive = receivers[linkID]?.receive
        else {
            strays += 1
            return
        }
        guard let source = Endpoint(address: source.bytes, port: source.port, scope: source.scope) else {
            return
        }
        receive(datagram, source)
    }
}
