internal import Glibc

/// The content of `endpoints.json`: how a running daemon can be reached.
public struct Endpoints: Codable, Hashable, Sendable {
    /// The daemon's process.
    public var pid: Int
    /// The daemon's release.
    public var version: String
    /// The version of its interface.
    public var api: Int
    /// The daemon's public key, 32 bytes in hex.
    public var peer: String
    /// Where it takes links.
    public var tcpPort: Int
    /// Where it takes datagrams.
    public var udpPort: Int
    /// The IP addresses it listens on, without ports.
    public var addresses: [String]
    /// The control socket's path.
    public var socket: String

    /// Makes the value; the parameters are the members.
    public init(
        pid: Int, version: String = ParlorVersion.current, api: Int = ParlorVersion.api, peer: String,
        tcpPort: Int,
        udpPort: Int, addresses: [String], socket: String
    ) {
        self.pid = pid
        self.version = version
        self.api = api
        self.peer = peer
        self.tcpPort = tcpPort
        self.udpPort = udpPort
        self.addresses = addresses
        self.socket = socket
    }

    /// The most bytes of a file that is worth reading.
    private static let fileBytesMax = 65_536

    /// Reads the file; `nil` when it is missing or is no such file.
    public static func read(from path: String) -> Endpoints? {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { _ = close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: fileBytesMax)
        let count = unsafe Glibc.read(descriptor, &bytes, bytes.count)
        guard count > 0 else { return nil }
        guard let json = try? JSON(parsing: Array(bytes[..<count])) else { return nil }
        return try? json.decode(Endpoints.self)
    }

    /// Writes the file, mode 0600, so that readers see the old or the new one whole.
    public func write(to path: String) throws(HomeError) {
        let temporary = path + ".new"
        let bytes = JSON(encoding: self).encoded() + [UInt8(ascii: "\n")]
        let descriptor = unsafe open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .failed(path: temporary, doing: "write", code: errno) }
        let count = unsafe Glibc.write(descriptor, bytes, bytes.count)
        let code = errno
        _ = close(descriptor)
        guard count == bytes.count else { throw .failed(path: temporary, doing: "write", code: code) }
        guard unsafe rename(temporary, path) == 0 else {
            throw .failed(path: path, doing: "write", code: errno)
        }
    }
}
