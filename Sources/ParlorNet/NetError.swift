import CUv
import Glibc

/// Why something asked of the network could not be had.
public struct NetError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What programs tell failures apart by; the raw value is stable and may be sent to clients.
    public enum Code: String, Sendable {
        /// Somebody else already listens there (`EADDRINUSE`).
        case addressInUse = "net/address-in-use"
        /// No interface of this machine has that address (`EADDRNOTAVAIL`).
        case addressNotAvailable = "net/address-not-available"
        /// The text or bytes given are no address.
        case badAddress = "net/bad-address"
        /// The bytes given are no usable key.
        case badKey = "net/bad-key"
        /// The system does not let this user do it (`EACCES`, `EPERM`).
        case denied = "net/denied"
        /// The name leads to no address.
        case nameUnknown = "net/name-unknown"
        /// There is nothing at that path (`ENOENT`).
        case noSuchPath = "net/no-such-path"
        /// The path does not fit into a Unix socket address.
        case pathTooLong = "net/path-too-long"
        /// Nobody listens there (`ECONNREFUSED`).
        case refused = "net/refused"
        /// The connection was torn down (`ECONNRESET`, `EPIPE`).
        case reset = "net/reset"
        /// Nothing came back in time (`ETIMEDOUT`).
        case timedOut = "net/timed-out"
        /// This process or the system has no descriptor left (`EMFILE`, `ENFILE`).
        case tooManyFiles = "net/too-many-files"
        /// There is no way to that address (`EHOSTUNREACH`, `ENETUNREACH`, `ENETDOWN`).
        case unreachable = "net/unreachable"
        /// Anything else; ``NetError/errno`` and the sentence say what.
        case failed = "net/failed"
    }

    /// What kind of failure it is.
    public let code: Code
    /// The system's error number (positive), or 0 when no system call failed.
    public let errno: Int32
    /// One sentence for a person, without the final stop: what was tried, and why it did not work.
    public let sentence: String

    /// The sentence.
    public var description: String { sentence }

    /// Makes an error that no system call reported.
    public init(code: Code, sentence: String) {
        self.code = code
        self.errno = 0
        self.sentence = sentence
    }

    /// Translates a negative libuv status; `attempt` reads like "cannot listen on 127.0.0.1:27720".
    init(status: Int32, attempt: String) {
        code = Self.code(status)
        errno = -status
        sentence = "\(attempt): \(Self.text(status))"
    }

    private static func code(_ status: Int32) -> Code {
        switch uv_errno_t(rawValue: status) {
        case UV_EADDRINUSE: .addressInUse
        case UV_EADDRNOTAVAIL: .addressNotAvailable
        case UV_EACCES, UV_EPERM: .denied
        case UV_ENOENT: .noSuchPath
        case UV_ENAMETOOLONG: .pathTooLong
        case UV_ECONNREFUSED: .refused
        case UV_ECONNRESET, UV_EPIPE, UV_ECONNABORTED: .reset
        case UV_ETIMEDOUT: .timedOut
        case UV_EMFILE, UV_ENFILE: .tooManyFiles
        case UV_EHOSTUNREACH, UV_ENETUNREACH, UV_ENETDOWN: .unreachable
        case UV_EAI_NONAME, UV_EAI_NODATA, UV_EAI_FAIL, UV_EAI_AGAIN: .nameUnknown
        default: .failed
        }
    }

    private static func text(_ status: Int32) -> String {
        var buffer = [CChar](repeating: 0, count: 128)
        let size = buffer.count
        unsafe uv_strerror_r(status, &buffer, size)
        return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
