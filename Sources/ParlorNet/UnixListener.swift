import CUv
import Glibc

/// A Unix socket in the file system that only its own user may connect to (mode 0600).
///
/// Lives until ``close()`` or until the loop closes; the file goes with it.
@safe public final class UnixListener: HandleOwner {
    /// How long a path may be: `sun_path` without its final zero.
    public static let pathBytesMax = 107

    private let loop: EventLoop
    private let raw: UnsafeMutablePointer<uv_pipe_t>

    /// Where it listens.
    public let path: String

    /// Called with each new connection.
    ///
    /// Set the connection's handlers there, or it is not read. Without this handler, connections are closed
    /// at once.
    public var onAccept: ((UnixStream) -> Void)?

    /// Called when a connection could not be accepted, which goes on to be tried.
    public var onFailure: ((NetError) -> Void)?

    /// Makes the socket file and listens.
    ///
    /// A file left over by a process that died is not removed: whoever knows that it is dead removes it
    /// first.
    /// - Throws: ``NetError``: ``NetError/Code/pathTooLong`` over ``pathBytesMax`` bytes,
    ///   ``NetError/Code/addressInUse`` when there is a file already, ``NetError/Code/denied`` also when the
    ///   folder does not exist.
    public init(loop: EventLoop, path: String) throws(NetError) {
        loop.preconditionOnLoop()
        try Self.check(path)
        self.loop = loop
        self.path = path
        unsafe raw = .allocate(capacity: 1)
        var status = unsafe uv_pipe_init(loop.raw, raw, 0)
        guard status == 0 else {
            unsafe raw.deallocate()
            throw NetError(status: status, attempt: "cannot make a socket")
        }
        HandleLife.begin(unsafe raw, owner: self)
        status = unsafe uv_pipe_bind(raw, path)
        // Until it listens nobody can connect, so the mode is right before it matters.
        if status == 0, unsafe chmod(path, 0o600) != 0 { status = -errno }
        if status == 0 {
            status = unsafe raw.withMemoryRebound(to: uv_stream_t.self, capacity: 1) {
                unsafe uv_listen($0, TCPListener.backlog, parlorNetUnixArrived)
            }
        }
        guard status == 0 else {
            closeHandle()
            throw NetError(status: status, attempt: "cannot listen on \(path)")
        }
    }

    /// Stops listening and removes the file; connections already accepted live on.
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

    /// Refuses what the system would silently cut short.
    static func check(_ path: String) throws(NetError) {
        guard !path.isEmpty, !path.utf8.contains(0) else {
            throw NetError(code: .badAddress, sentence: "a socket's path is empty or holds a zero byte")
        }
        guard path.utf8.count <= pathBytesMax else {
            throw NetError(
                code: .pathTooLong,
                sentence:
                    "\(path) is too long for a socket: \(path.utf8.count) bytes, \(pathBytesMax) at most")
        }
    }

    fileprivate func arrived(_ status: Int32) {
        guard status == 0 else {
            onFailure?(NetError(status: status, attempt: "cannot accept on \(path)"))
            return
        }
        let stream = unsafe raw.withMemoryRebound(to: uv_stream_t.self, capacity: 1) {
            UnixStream.accept(loop, from: $0)
        }
        guard let stream else { return }
        if let onAccept { onAccept(stream) } else { stream.close(flushingFor: 0) }
    }
}

/// Called by libuv for each waiting connection, or with the reason why it cannot be accepted.
@c func parlorNetUnixArrived(_ server: UnsafeMutablePointer<uv_stream_t>?, _ status: Int32) {
    guard let data = unsafe server?.pointee.data else { return }
    unsafe Unmanaged<UnixListener>.fromOpaque(data).takeUnretainedValue().arrived(status)
}
