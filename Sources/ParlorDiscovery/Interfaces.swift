import Glibc

/// Names of the machine's network interfaces.
enum Interfaces {
    /// The name of one; `nil` when there is none of this index.
    static func name(_ index: UInt32) -> String? {
        var characters = [CChar](repeating: 0, count: Int(IF_NAMESIZE))
        guard unsafe if_indextoname(index, &characters) != nil else { return nil }
        let bytes = characters.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Those that multicast DNS can use: up, and able to multicast.
    ///
    /// Loopback alone when there is nothing else.
    static func usable() -> [String] {
        var first: UnsafeMutablePointer<ifaddrs>?
        guard unsafe getifaddrs(&first) == 0 else { return [] }
        defer { unsafe freeifaddrs(first) }
        var names: Set<String> = []
        var loopback: Set<String> = []
        var next = unsafe first
        while let entry = unsafe next {
            let flags = unsafe Int(entry.pointee.ifa_flags)
            let name = unsafe String(cString: entry.pointee.ifa_name)
            if flags & Int(IFF_UP) != 0 {
                if flags & Int(IFF_LOOPBACK) != 0 {
                    loopback.insert(name)
                } else if flags & Int(IFF_MULTICAST) != 0 {
                    names.insert(name)
                }
            }
            unsafe next = unsafe entry.pointee.ifa_next
        }
        return (names.isEmpty ? loopback : names).sorted()
    }
}
