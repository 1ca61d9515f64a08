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

    /// The addresses of each interface by which it can be reached in its network: for each family those that
    /// hold beyond the link, or else those of the link.
    ///
    /// - Parameter interfaces: Look at these only, by index; `nil` means at all.
    /// - Returns: The addresses by the interface's index.
    static func announced(on interfaces: [UInt32]?) -> [UInt32: [InterfaceAddress]] {
        var found: [UInt32: [InterfaceAddress]] = [:]
        for (name, address) in addresses() {
            let index = unsafe if_nametoindex(name)
            guard index > 0, interfaces?.contains(index) ?? true else { continue }
            found[index, default: []].append(address)
        }
        return found.mapValues(InterfaceAddress.reachable)
    }

    /// All interfaces, on or off, by name.
    static func all() -> [(name: String, isUp: Bool, isLoopback: Bool)] {
        var first: UnsafeMutablePointer<ifaddrs>?
        guard unsafe getifaddrs(&first) == 0 else { return [] }
        defer { unsafe freeifaddrs(first) }
        var all: [String: UInt32] = [:]
        var next = unsafe first
        while let entry = unsafe next {
            unsafe all[String(cString: entry.pointee.ifa_name)] = entry.pointee.ifa_flags
            unsafe next = unsafe entry.pointee.ifa_next
        }
        return all.sorted { $0.key < $1.key }.map { name, flags in
            (name, Int(flags) & Int(IFF_UP) != 0, Int(flags) & Int(IFF_LOOPBACK) != 0)
        }
    }

    /// All addresses of interfaces that are up.
    static func addresses() -> [(name: String, address: InterfaceAddress)] {
        var first: UnsafeMutablePointer<ifaddrs>?
        guard unsafe getifaddrs(&first) == 0 else { return [] }
        defer { unsafe freeifaddrs(first) }
        var all: [(String, InterfaceAddress)] = []
        var next = unsafe first
        while let entry = unsafe next {
            unsafe next = unsafe entry.pointee.ifa_next
            guard unsafe Int(entry.pointee.ifa_flags) & Int(IFF_UP) != 0,
                let socketAddress = unsafe entry.pointee.ifa_addr,
                let address = unsafe InterfaceAddress(socketAddress, mask: entry.pointee.ifa_netmask)
            else { continue }
            unsafe all.append((String(cString: entry.pointee.ifa_name), address))
        }
        return all
    }
}

/// An address of this machine.
struct InterfaceAddress: Hashable, Sendable {
    /// In numbers, without a scope.
    let text: String
    /// Whether it is one of IPv6.
    let isIPv6: Bool
    /// The IPv4 network that it is in, such as `192.168.1.0/24`; `nil` for other addresses.
    let network: String?

    init(_ text: String, network: String? = nil) {
        self.text = text
        self.network = network
        isIPv6 = text.contains(":")
    }

    /// `nil` when it belongs to another family than IP.
    fileprivate init?(_ raw: UnsafeMutablePointer<sockaddr>, mask: UnsafeMutablePointer<sockaddr>?) {
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        let family = unsafe Int32(raw.pointee.sa_family)
        let isWritten: Bool
        switch family {
        case AF_INET:
            isWritten = unsafe raw.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
                unsafe inet_ntop(family, &$0.pointee.sin_addr, &text, socklen_t(text.count)) != nil
            }
        case AF_INET6:
            isWritten = unsafe raw.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) {
                unsafe inet_ntop(family, &$0.pointee.sin6_addr, &text, socklen_t(text.count)) != nil
            }
        default: return nil
        }
        guard isWritten else { return nil }
        let digits = String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        guard family == AF_INET, let mask = unsafe mask else {
            self.init(digits)
            return
        }
        let (number, bits) = unsafe (Self.number(raw), Self.number(mask))
        let octets = stride(from: 24, through: 0, by: -8).map { String((number & bits) >> UInt32($0) & 0xFF) }
        self.init(digits, network: "\(octets.joined(separator: "."))/\(bits.nonzeroBitCount)")
    }

    /// An IPv4 address as a number.
    private static func number(_ raw: UnsafeMutablePointer<sockaddr>) -> UInt32 {
        unsafe raw.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
            unsafe UInt32(bigEndian: $0.pointee.sin_addr.s_addr)
        }
    }

    /// Whether it holds on its link alone.
    var isLinkLocal: Bool { isIPv6 ? text.lowercased().hasPrefix("fe80:") : text.hasPrefix("169.254.") }

    /// Of the addresses of one interface those to announce.
    static func reachable(_ addresses: [InterfaceAddress]) -> [InterfaceAddress] {
        [false, true].flatMap { isIPv6 in
            let family = addresses.filter { $0.isIPv6 == isIPv6 }
            let wide = family.filter { !$0.isLinkLocal }
            return wide.isEmpty ? family : wide
        }
    }
}
