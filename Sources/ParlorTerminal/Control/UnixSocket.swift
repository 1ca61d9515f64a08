internal import Glibc

/// A connected stream socket to a path, closed with its owner.
@safe final class UnixSocket {
    /// What became of an attempt to connect.
    enum Attempt {
        case connected(UnixSocket)
        /// Nobody listens there.
        case nobody
        /// Somebody listens whose queue of callers is full.
        case busy
        /// The socket is another user's, or closed to us.
        case notOurs
        case failed(Int32)
    }

    let descriptor: CInt
    /// The process at the other end when it began to listen.
    let peerPid: Int32

    private init(adopting descriptor: CInt, peerPid: Int32) {
        self.descriptor = descriptor
        self.peerPid = peerPid
    }

    deinit { _ = close(descriptor) }

    /// Connects without waiting.
    ///
    /// Corresponds to `connect(2)` on a non-blocking `AF_UNIX` socket.
    static func connect(to path: String) -> Attempt {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        let fits = unsafe withUnsafeMutableBytes(of: &address.sun_path) { field in
            guard bytes.count < field.count, !bytes.contains(0) else { return false }
            unsafe field.copyBytes(from: bytes)
            return true
        }
        guard fits else { return .failed(ENAMETOOLONG) }
        let kind = CInt(SOCK_STREAM.rawValue) | CInt(SOCK_NONBLOCK.rawValue) | CInt(SOCK_CLOEXEC.rawValue)
        let descriptor = socket(AF_UNIX, kind, 0)
        guard descriptor >= 0 else { return .failed(errno) }
        let result = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                unsafe Glibc.connect(descriptor, generic, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard result == 0 else {
            let code = errno
            _ = close(descriptor)
            switch code {
            case ENOENT, ECONNREFUSED, ENOTDIR: return .nobody
            case EAGAIN: return .busy
            case EACCES, EPERM: return .notOurs
            default: return .failed(code)
            }
        }
        guard let owner = credentials(of: descriptor) else {
            let code = errno
            _ = close(descriptor)
            return .failed(code)
        }
        guard owner.user == getuid() else {
            _ = close(descriptor)
            return .notOurs
        }
        return .connected(UnixSocket(adopting: descriptor, peerPid: owner.pid))
    }

    /// Who is at the other end.
    ///
    /// Corresponds to `SO_PEERCRED`, whose `struct ucred` is three 32-bit numbers.
    private static func credentials(of descriptor: CInt) -> (pid: Int32, user: UInt32)? {
        var fields: [UInt32] = [0, 0, 0]
        var length = socklen_t(fields.count * MemoryLayout<UInt32>.size)
        guard unsafe getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &fields, &length) == 0 else {
            return nil
        }
        return (Int32(truncatingIfNeeded: fields[0]), fields[1])
    }

    /// What arrived; empty when nothing did yet, `nil` when the other end closed.
    func read() -> [UInt8]? {
        let chunkBytes = 65_536
        var bytes = [UInt8](repeating: 0, count: chunkBytes)
        while true {
            let count = unsafe Glibc.read(descriptor, &bytes, bytes.count)
            if count > 0 { return Array(bytes[..<count]) }
            if count == 0 { return nil }
            if errno == EINTR { continue }
            return errno == EAGAIN ? [] : nil
        }
    }

    /// Sends all bytes, waiting while the other end is slow; false when it is gone or too slow.
    func write(_ bytes: [UInt8], until deadline: Deadline) -> Bool {
        var sent = 0
        while sent < bytes.count {
            let count = unsafe bytes.withUnsafeBytes { buffer in
                unsafe send(
                    descriptor, buffer.baseAddress?.advanced(by: sent), buffer.count - sent,
                    CInt(MSG_NOSIGNAL))
            }
            if count >= 0 {
                sent += count
            } else if errno == EAGAIN {
                guard wait(for: POLLOUT, until: deadline) else { return false }
            } else if errno != EINTR {
                return false
            }
        }
        return true
    }

    /// Waits until the socket can be read or written; false when the deadline came first.
    func wait(for events: CInt, until deadline: Deadline) -> Bool {
        while true {
            var entry = pollfd(fd: descriptor, events: Int16(events), revents: 0)
            let count = unsafe poll(&entry, 1, deadline.remainingMs)
            if count > 0 { return true }
            if count == 0, deadline.hasPassed { return false }
            if count < 0, errno != EINTR { return false }
        }
    }
}

/// A moment on the monotonic clock.
struct Deadline {
    private let at: Int64?

    /// A moment so many milliseconds from now; `nil` never comes.
    init(afterMs milliseconds: Int?) {
        at = milliseconds.map { Deadline.nowMs + Int64($0) }
    }

    var hasPassed: Bool { at.map { Deadline.nowMs >= $0 } ?? false }

    /// For `poll`: how long until then, -1 for ever.
    var remainingMs: CInt {
        guard let at else { return -1 }
        return CInt(clamping: max(0, at - Deadline.nowMs))
    }

    static var nowMs: Int64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }

    /// Waits a little, between two looks at something that cannot be polled.
    static func pause(ms: CInt) { _ = poll(nil, 0, ms) }
}
