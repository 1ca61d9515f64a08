import CUv
import Glibc

/// A connection over a Unix socket.
@safe public final class UnixStream: SocketStream {
    /// The user at the other end when the connection was made (`SO_PEERCRED`).
    public private(set) var peerUID: UInt32?

    private init(_ loop: EventLoop) throws(NetError) {
        let handle = UnsafeMutablePointer<uv_pipe_t>.allocate(capacity: 1)
        let status = unsafe uv_pipe_init(loop.raw, handle, 0)
        guard status == 0 else {
            unsafe handle.deallocate()
            throw NetError(status: status, attempt: "cannot make a socket")
        }
        super.init(loop, adopting: handle)
    }

    /// Begins to connect to a socket in the file system; otherwise as
    /// ``TCPStream/connect(loop:to:completion:)``.
    @discardableResult
    public static func connect(
        loop: EventLoop, path: String, completion: @escaping (Result<UnixStream, NetError>) -> Void
    ) throws(NetError) -> ConnectAttempt {
        loop.preconditionOnLoop()
        try UnixListener.check(path)
        let stream = try UnixStream(loop)
        let attempt = ConnectAttempt(stream, goal: path) { error in
            if let error { return completion(.failure(error)) }
            completion(.success(stream))
        }
        attempt.start { request in
            let pipe = unsafe UnsafeMutableRawPointer(stream.raw).assumingMemoryBound(to: uv_pipe_t.self)
            unsafe uv_pipe_connect(request, pipe, path, parlorNetConnected)
            return 0
        }
        return attempt
    }

    /// Takes the next waiting connection of a listener; `nil` when it is gone already.
    @safe static func accept(_ loop: EventLoop, from listener: UnsafeMutablePointer<uv_stream_t>)
        -> UnixStream?
    {
        guard let stream = try? UnixStream(loop) else { return nil }
        guard unsafe uv_accept(listener, stream.raw) == 0 else {
            stream.finish(.reset)
            return nil
        }
        stream.opened()
        return stream
    }

    override func opened() {
        var uid: UInt32 = 0
        if unsafe parlor_peer_uid(descriptor, &uid) == 0 { peerUID = uid }
        super.opened()
    }
}
