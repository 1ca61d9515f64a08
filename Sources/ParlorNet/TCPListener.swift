import CUv

/// A TCP port that accepts connections.
///
/// Lives until ``close()`` or until the loop closes. When the process has no descriptor left, waiting
/// connections are accepted and closed at once, so that the loop does not spin on them.
@safe public final class TCPListener: HandleOwner {
    /// How many connections may wait to be accepted.
    public static let backlog: Int32 = 128

    private let loop: EventLoop
    private let raw: UnsafeMutablePointer<uv_tcp_t>

    /// Where it listens, with the port the system chose if it was asked to.
    public private(set) var address: SocketAddress

    /// Called with each new connection.
    ///
    /// Set the connection's handlers there, or it is not read. Without this handler, connections are closed
    /// at once.
    public var onAccept: ((TCPStream) -> Void)?

    /// Called when a connection could not be accepted, which goes on to be tried.
    public var onFailure: ((NetError) -> Void)?

    /// The port it listens on.
    public var port: UInt16 { address.port }

    /// Binds and listens.
    ///
    /// - Parameters:
    ///   - loop: Where it lives, with what it accepts.
    ///   - address: Where to listen; port 0 lets the system choose.
    ///   - dualStack: Whether `::` takes IPv4 connections too; their addresses are then given as IPv4.
    /// - Throws: ``NetError`` with ``NetError/Code/addressInUse`` when somebody listens there.
    public init(loop: EventLoop, on address: SocketAddress, dualStack: Bool = false) throws(NetError) {
        loop.preconditionOnLoop()
        self.loop = loop
        self.address = address
        unsafe raw = .allocate(capacity: 1)
        var status = unsafe uv_tcp_init(loop.raw, raw)
        guard status == 0 else {
            unsafe raw.deallocate()
            throw NetError(status: status, attempt: "cannot make a socket")
        }
        HandleLife.begin(unsafe raw, owner: self)
        let flags = address.isIPv6 && !dualStack ? UInt32(UV_TCP_IPV6ONLY.rawValue) : 0
        status = address.withSystemAddress { unsafe uv_tcp_bind(raw, $0, flags) }
        if status == 0 {
            status = unsafe raw.withMemoryRebound(to: uv_stream_t.self, capacity: 1) {
                unsafe uv_listen($0, Self.backlog, parlorNetTCPArrived)
            }
        }
        guard status == 0 else {
            closeHandle()
            throw NetError(status: status, attempt: "cannot listen on \(address)")
        }
        if let bound = SocketAddress.read({ unsafe uv_tcp_getsockname(raw, $0, $1) }) { self.address = bound }
    }

    /// Stops listening; connections already accepted live on.
    public func close() {
        loop.preconditionOnLoop()
        closeHandle()
    }

    func closeHandle() {
        onAccept = nil
        onFailure = nil
        HandleLife.close(unsafe raw)
    }

    func handleClosed() {}

    fileprivate func arrived(_ status: Int32) {
        guard status == 0 else {
            onFailure?(NetError(status: status, attempt: "cannot accept on \(address)"))
            return
        }
        let stream = unsafe raw.withMemoryRebound(to: uv_stream_t.self, capacity: 1) {
            TCPStream.accept(loop, from: $0)
        }
        guard let stream else { return }
        if let onAccept { onAccept(stream) } else { stream.close(flushingFor: 0) }
    }
}

/// Called by libuv for each waiting connection, or with the reason why it cannot be accepted.
@c func parlorNetTCPArrived(_ server: UnsafeMutablePointer<uv_stream_t>?, _ status: Int32) {
    guard let data = unsafe server?.pointee.data else { return }
    unsafe Unmanaged<TCPListener>.fromOpaque(data).takeUnretainedValue().arrived(status)
}
