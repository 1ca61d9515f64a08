import CUv
import Glibc

/// A network interface that is up.
public struct NetworkInterface: Hashable, Sendable {
    /// An address with the size of the network it is in.
    public struct Address: Hashable, Sendable {
        /// The address, without a port; a link-local one with its interface.
        public let address: SocketAddress
        /// How many leading bits the network's addresses have in common.
        public let prefixBits: Int
    }

    /// The interface's name, such as `eth0`.
    public let name: String
    /// The interface's index, as in the scope of a link-local address.
    public let index: UInt32
    /// Whether it leads nowhere but here.
    public let isLoopback: Bool
    /// Its addresses, in the system's order.
    public internal(set) var addresses: [Address]
}

/// The machine's network interfaces.
public enum Interfaces {
    /// Lists the interfaces that are up and have an address, as they are now (`uv_interface_addresses`).
    public static func list() throws(NetError) -> [NetworkInterface] {
        var entries: UnsafeMutablePointer<uv_interface_address_t>?
        var count: Int32 = 0
        let status = unsafe uv_interface_addresses(&entries, &count)
        guard status == 0 else { throw NetError(status: status, attempt: "cannot list the interfaces") }
        defer { unsafe uv_free_interface_addresses(entries, count) }
        var interfaces: [NetworkInterface] = []
        let listed = unsafe UnsafeBufferPointer(start: entries, count: Int(count))
        for at in listed.indices {
            let entry = unsafe listed[at]
            guard let name = unsafe entry.name, let address = unsafe address(of: entry) else { continue }
            let index = unsafe if_nametoindex(name)
            if let known = interfaces.firstIndex(where: { $0.index == index }) {
                interfaces[known].addresses.append(address)
            } else {
                interfaces.append(
                    NetworkInterface(
                        name: unsafe String(cString: name), index: index,
                        isLoopback: unsafe entry.is_internal != 0, addresses: [address]))
            }
        }
        return interfaces
    }

    @unsafe private static func address(of entry: uv_interface_address_t) -> NetworkInterface.Address? {
        var (system, mask) = unsafe (entry.address, entry.netmask)
        let address = unsafe withUnsafePointer(to: &system) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { SocketAddress($0) }
        }
        let bits = unsafe withUnsafePointer(to: &mask) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { SocketAddress($0) }
        }
        guard let address, let bits else { return nil }
        return NetworkInterface.Address(
            address: address, prefixBits: bits.bytes.reduce(0) { $0 + $1.nonzeroBitCount })
    }
}
