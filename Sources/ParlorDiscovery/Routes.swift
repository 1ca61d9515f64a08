import Glibc

/// The way out of the local networks.
enum Routes {
    /// A default route.
    struct Standard: Hashable, Sendable {
        /// The interface that it leaves by.
        let interface: String
        /// The router's IPv4 address in numbers; `0.0.0.0` where the interface itself is the way.
        let gateway: String
    }

    /// The default routes of IPv4 as the kernel has them, best first.
    static func standard() -> [Standard] {
        guard let text = SmallFile.text("/proc/net/route") else { return [] }
        return standard(in: text)
    }

    /// The default routes in the text of `/proc/net/route` (proc(5)): one a line, numbers in hexadecimal with
    /// the first byte last.
    static func standard(in text: String) -> [Standard] {
        var routes: [(metric: Int, route: Standard)] = []
        for line in text.split(separator: "\n").dropFirst() {
            let words = line.split(whereSeparator: \.isWhitespace)
            guard words.count >= 8, words[1] == "00000000", words[7] == "00000000",
                let gateway = UInt32(words[2], radix: 16), let metric = Int(words[6])
            else { continue }
            let bytes = (0..<4).map { String(gateway >> (8 * UInt32($0)) & 0xFF) }
            routes.append(
                (metric, Standard(interface: String(words[0]), gateway: bytes.joined(separator: "."))))
        }
        return routes.sorted { $0.metric < $1.metric }.map(\.route)
    }
}

/// Files of the kernel and of settings, read whole.
enum SmallFile {
    /// Bytes that are read of one at most.
    static let bytesMax = 1 << 20

    /// The file's text; `nil` when it is not there or may not be read.
    static func text(_ path: String) -> String? {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var content: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 16_384)
        while content.count < bytesMax {
            let count = unsafe read(descriptor, &chunk, chunk.count)
            guard count > 0 else { break }
            content += chunk.prefix(count)
        }
        return String(decoding: content, as: UTF8.self)
    }
}
