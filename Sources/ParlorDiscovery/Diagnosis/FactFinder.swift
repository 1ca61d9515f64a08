import Glibc

/// Looks at this machine's network: files that everybody may read, and the interfaces.
///
/// That takes milliseconds.
public struct FactFinder: Sendable {
    /// Where `/proc`, `/sys`, `/etc` and so on are; another folder in tests.
    let root: String

    /// Looks at the files below a folder.
    public init(root: String = "") { self.root = root }

    /// Gathers what can be told without asking anybody.
    ///
    /// - Parameters:
    ///   - state: How discovery is doing.
    ///   - listens: The addresses on which this peer listens, in numbers.
    ///   - port: The port on which it listens.
    /// - Returns: The facts; own rooms and rooms not reached are the caller's to add.
    public func facts(_ state: DiscoveryState, listens: [String], port: UInt16) -> NetworkFacts {
        var facts = NetworkFacts(state)
        facts.listens = listens
        facts.port = port
        facts.bus = bus
        facts.hasAvahi = exists("/usr/sbin/avahi-daemon")
        facts.avahiAllows = avahiSetting("allow-interfaces")
        facts.avahiDenies = avahiSetting("deny-interfaces") ?? []
        facts.avahiPublishesAddresses =
            avahiSetting("publish-addresses") != ["no"] && avahiSetting("disable-publishing") != ["yes"]
        facts.interfaces = interfaces
        facts.stacks = stacks
        let route = text("/proc/net/route").map { Routes.standard(in: $0) }?.first
        facts.routeInterface = route?.interface
        facts.router = route.flatMap { $0.gateway == "0.0.0.0" ? nil : $0.gateway }
        facts.neighbours = neighbours
        facts.firewall = firewall(port: port, interfaces: facts.local.map(\.name))
        return facts
    }

    func text(_ path: String) -> String? { SmallFile.text(root + path) }

    func exists(_ path: String) -> Bool { unsafe access(root + path, F_OK) == 0 }

    // MARK: Bus and Avahi

    /// Where libdbus looks for the system bus, when that is a socket in the file system.
    private var bus: NetworkFacts.Bus {
        var path = "/run/dbus/system_bus_socket"
        if let address = unsafe getenv("DBUS_SYSTEM_BUS_ADDRESS") {
            let words = unsafe String(cString: address).split(separator: ",")
            guard let named = words.first(where: { $0.hasPrefix("unix:path=") }) else { return .present }
            path = String(named.dropFirst("unix:path=".count))
        }
        if exists(path) { return .present }
        let programs = ["/usr/bin/dbus-daemon", "/usr/bin/dbus-broker"]
        return programs.contains(where: exists) ? .stopped : .missing
    }

    /// A list in Avahi's settings; `nil` when it is not there.
    private func avahiSetting(_ key: String) -> [String]? {
        let lines = text("/etc/avahi/avahi-daemon.conf")?.split(separator: "\n") ?? []
        let line = lines.first { $0.hasPrefix(key + "=") }
        return line?.dropFirst(key.utf8.count + 1).split { $0 == "," || $0 == " " }.map(String.init)
    }

    // MARK: Interfaces and neighbours

    private var interfaces: [NetworkFacts.Interface] {
        let addresses = Interfaces.addresses()
        return Interfaces.all().map { name, isUp, isLoopback in
            let own = addresses.filter { $0.name == name }.map(\.address)
            return NetworkFacts.Interface(
                name, isLoopback ? .loopback : kind(of: name), isUp: isUp,
                addresses: own.filter { !$0.isLinkLocal }.map(\.text), networks: own.compactMap(\.network))
        }
    }

    /// What an interface is, by what the kernel says of it and by what it is called.
    func kind(of name: String) -> NetworkFacts.Interface.Kind {
        let folder = "/sys/class/net/\(name)"
        let type = text("\(folder)/uevent")?.split(separator: "\n").first { $0.hasPrefix("DEVTYPE=") }
        let device = type?.dropFirst("DEVTYPE=".count) ?? ""
        let tunnels = ["tun", "tap", "wg", "tailscale", "zt", "ppp", "ipsec", "nordlynx", "proton", "utun"]
        if device == "wireguard" || exists("\(folder)/tun_flags") || tunnels.contains(where: name.hasPrefix) {
            // Machines in the machine are often behind a tap of a bridge.
            return name.hasPrefix("vnet") ? .container : .vpn
        }
        let inside = ["docker", "br-", "veth", "virbr", "vnet", "lxc", "lxd", "podman", "cni", "flannel"]
        if inside.contains(where: name.hasPrefix) { return .container }
        return .local
    }

    /// `/proc/net/arp` (arp(7)): address, type, flags, hardware address, mask, interface.
    private var neighbours: [NetworkFacts.Neighbour] {
        let lines = text("/proc/net/arp")?.split(separator: "\n").dropFirst() ?? []
        return lines.compactMap { line in
            let words = line.split(whereSeparator: \.isWhitespace).map(String.init)
            guard words.count >= 6, words[2].hasPrefix("0x"),
                let flags = Int(words[2].dropFirst(2), radix: 16)
            else { return nil }
            // ATF_COM: the entry is complete.
            return NetworkFacts.Neighbour(words[0], interface: words[5], answers: flags & 2 != 0)
        }
    }

    // MARK: Others on port 5353

    /// Whose sockets are bound to UDP port 5353, but for Avahi's and Parlor's.
    private var stacks: [NetworkFacts.Stack] {
        var sockets: [(user: UInt32, inode: String)] = []
        for file in ["/proc/net/udp", "/proc/net/udp6"] {
            for line in text(file)?.split(separator: "\n").dropFirst() ?? [] {
                let words = line.split(whereSeparator: \.isWhitespace)
                guard words.count > 9, words[1].hasSuffix(":14E9"), let user = UInt32(words[7]) else {
                    continue
                }
                if userName(user) != "avahi" { sockets.append((user, String(words[9]))) }
            }
        }
        guard !sockets.isEmpty else { return [] }
        let owners = processes(holding: Set(sockets.map(\.inode)))
        var stacks: [NetworkFacts.Stack] = []
        for socket in sockets {
            let owner = owners[socket.inode]
            let user = userName(socket.user)
            let known = owner?.name ?? (user == "systemd-resolve" ? "systemd-resolved" : user)
            let ours = ["avahi", "avahi-daemon", "parlord"]
            guard !ours.contains(known) else { continue }
            let stack = NetworkFacts.Stack(
                known == "systemd-resolve" ? "systemd-resolved" : known, pid: owner?.pid)
            if !stacks.contains(where: { $0.name == stack.name }) { stacks.append(stack) }
        }
        return stacks
    }

    private func userName(_ user: UInt32) -> String {
        let lines = text("/etc/passwd")?.split(separator: "\n") ?? []
        let fields = lines.map { $0.split(separator: ":", omittingEmptySubsequences: false) }
        let line = fields.first { $0.count > 2 && $0[2] == "\(user)" }
        return line.map { String($0[0]) } ?? "user \(user)"
    }

    /// The processes that hold sockets of these inodes, as far as this user may see.
    private func processes(holding inodes: Set<String>) -> [String: (pid: Int, name: String)] {
        var found: [String: (pid: Int, name: String)] = [:]
        for entry in names(in: "/proc") {
            guard let pid = Int(entry) else { continue }
            for link in names(in: "/proc/\(pid)/fd") {
                guard let target = target(of: "/proc/\(pid)/fd/\(link)"), target.hasPrefix("socket:[") else {
                    continue
                }
                let inode = String(target.dropFirst("socket:[".count).dropLast())
                guard inodes.contains(inode), found[inode] == nil else { continue }
                let name = text("/proc/\(pid)/comm")?.split(separator: "\n").first.map(String.init)
                found[inode] = (pid, name ?? "a program")
            }
            if found.count == inodes.count { break }
        }
        return found
    }

    func names(in folder: String) -> [String] {
        guard let stream = unsafe opendir(root + folder) else { return [] }
        defer { unsafe closedir(stream) }
        var names: [String] = []
        while let entry = unsafe readdir(stream) {
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                unsafe pointer.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }

    private func target(of link: String) -> String? {
        var bytes = [CChar](repeating: 0, count: 256)
        let count = unsafe readlink(root + link, &bytes, bytes.count)
        guard count > 0 else { return nil }
        return String(decoding: bytes.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
