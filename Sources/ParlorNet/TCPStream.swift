import CUv
import Glibc

/// A TCP connection whose small writes are never held back (`TCP_NODELAY`).
@safe public final class TCPStream: SocketStream {
    /// The peer's end.
    public private(set) var remote: SocketAddress
    /// Our end.
    public private(set) var local: SocketAddress

    private init(_ loop: EventLoop, remote: SocketAddress) throws(NetError) {
        self.remote = remote
        local = remote.isIPv6 ? .any(port: 0) : .anyIPv4(port: 0)
        let handle = UnsafeMutablePointer<uv_tcp_t>.allocate(capacity: 1)
        let status = unsafe uv_tcp_init(loop.raw, handle)
        guard status == 0 else {
            unsafe handle.deallocate()
            throw NetError(status: status, attempt: "cannot make a socket")
        }
        super.init(loop, adopting: handle)
    }

    /// Begins to connect.
    ///
    /// There is no limit of time but the system's: whoever asks cancels. On success the stream is the
    /// completion's to keep or close; set its handlers there.
    /// - Parameters:
    ///   - loop: Where the stream will live.
    ///   - address: An address with a port; a link-local IPv6 address with its interface too.
    ///   - completion: Called once and never from inside this call; not called after
    ///     ``ConnectAttempt/cancel()`` or when the loop is closed first.
    /// - Returns: The attempt, for whoever may want to give up.
    /// - Throws: ``NetError`` when no socket can be made at all.
    @discardableResult
    public static func connect(
        loop: EventLoop, to address: SocketAddress,
        completion: @escaping (Result<TCPStream, NetError>) -> Void
    ) throws(NetError) -> ConnectAttempt {
        loop.preconditionOnLoop()
        let stream = try TCPStream(loop, remote: address)
        let attempt = ConnectAttempt(stream, goal: address.description) { error in
            if let error { return completion(.failure(error)) }
            completion(.success(stream))
        }
        attempt.start { request in
            address.withSystemAddress { system in
                unsafe uv_tcp_connect(request, stream.tcp, system, parlorNetConnected)
            }
        }
        return attempt
    }

    /// Takes the next waiting connection of a listener; `nil` when it is gone already.
    @safe static func accept(_ loop: EventLoop, from listener: UnsafeMutablePointer<uv_stream_t>)
        -> TCPStream?
    {
        guard let stream = try? TCPStream(loop, remote: .anyIPv4(port: 0)) else { return nil }
        guard unsafe uv_accept(listener, stream.raw) == 0 else {
            stream.finish(.reset)
            return nil
        }
        stream.opened()
        return stream
    }

    private var tcp: UnsafeMutablePointer<uv_tcp_t> {
        unsafe UnsafeMutableRawPointer(raw).assumingMemoryBound(to: uv_tcp_t.self)
    }

    override func opened() {
        unsafe uv_tcp_nodelay(tcp, 1)
        if let address = SocketAddress.read({ unsafe uv_tcp_getsockname(tcp, $0, $1) }) { local = address }
        if let address = SocketAddress.read({ unsafe uv_tcp_getpeername(tcp, $0, $1) }) { remote = address }
        super.opened()
    }
}

extension SocketAddress {
    /// Asks a libuv function such as `uv_tcp_getsockname` for an address.
    @safe static func read(
        _ ask: (UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<Int32>) -> Int32
    ) -> SocketAddress? {
        var storage = sockaddr_storage()
        var length = Int32(MemoryLayout<sockaddr_storage>.size)
        return unsafe withUnsafeMutablePointer(to: &storage) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { system in
                guard unsafe ask(system, &length) == 0 else { return nil }
                return SocketAddress(system)
            }
        }
    }
}
