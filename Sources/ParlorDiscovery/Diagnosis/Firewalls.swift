// What firewalls let through, as far as everybody may read their settings.

extension FactFinder {
    /// The firewall that is on, and what it does to a port.
    ///
    /// - Parameters:
    ///   - port: The port on which this peer listens.
    ///   - interfaces: The interfaces that lead to people.
    /// - Returns: The firewall; ``NetworkFacts/Firewall/none`` where none is to be seen.
    func firewall(port: UInt16, interfaces: [String]) -> NetworkFacts.Firewall {
        if isFirewalldRunning {
            return .firewalld(interfaces.map { zone(of: $0, port: port) })
        }
        let isOn = text("/etc/ufw/ufw.conf")?.split(separator: "\n").contains {
            $0.filter { $0 != " " }.lowercased() == "enabled=yes"
        }
        guard isOn ?? false else { return .none }
        return .ufw(allowsPort: ufwAllows(port))
    }

    /// The rules are root's alone on most machines.
    private func ufwAllows(_ port: UInt16) -> Bool? {
        guard let rules = text("/etc/ufw/user.rules") else { return nil }
        return rules.split(separator: "\n").contains { line in
            // ### tuple ### allow tcp 27720 0.0.0.0/0 any 192.168.1.0/24 in
            let words = line.split(separator: " ").map(String.init)
            guard words.count > 5, line.hasPrefix("### tuple ### allow"), ["tcp", "any"].contains(words[4])
            else { return false }
            return words[5] == "any" || Self.holds(words[5], port)
        }
    }

    /// Whether a port is in `27720`, `27720:27735`, `27720-27735` or a list of them.
    static func holds(_ text: String, _ port: UInt16) -> Bool {
        text.split(separator: ",").contains { part in
            let bounds = part.split { $0 == ":" || $0 == "-" }.compactMap { UInt16($0) }
            guard let low = bounds.first, let high = bounds.last, low <= high else { return false }
            return (low...high).contains(port)
        }
    }

    private var isFirewalldRunning: Bool {
        guard let file = text("/run/firewalld.pid") else { return false }
        guard let pid = Int(file.split(whereSeparator: \.isWhitespace).first ?? "") else { return false }
        return exists("/proc/\(pid)")
    }

    private func zone(of interface: String, port: UInt16) -> NetworkFacts.Zone {
        let name = zoneName(of: interface)
        let own = text("/etc/firewalld/zones/\(name).xml")
        let content = own ?? text("/usr/lib/firewalld/zones/\(name).xml") ?? ""
        let isOpen = Self.attribute("target", ofFirst: "zone", in: content) == "ACCEPT"
        let services = Self.elements("service", in: content).compactMap { Self.attribute("name", in: $0) }
        let allowsPort = Self.elements("port", in: content).contains { element in
            Self.attribute("protocol", in: element) == "tcp"
                && Self.attribute("port", in: element).map { Self.holds($0, port) } ?? false
        }
        return NetworkFacts.Zone(
            name, interface: interface, allowsMdns: isOpen || services.contains("mdns"),
            allowsPort: isOpen || allowsPort || services.contains("parlor"))
    }

    private func zoneName(of interface: String) -> String {
        for file in names(in: "/etc/firewalld/zones").sorted() where file.hasSuffix(".xml") {
            let content = text("/etc/firewalld/zones/\(file)") ?? ""
            let interfaces = Self.elements("interface", in: content).compactMap {
                Self.attribute("name", in: $0)
            }
            if interfaces.contains(interface) { return String(file.dropLast(".xml".count)) }
        }
        let settings = text("/etc/firewalld/firewalld.conf")?.split(separator: "\n") ?? []
        let line = settings.first { $0.hasPrefix("DefaultZone=") }
        return line.map { String($0.dropFirst("DefaultZone=".count)) } ?? "public"
    }

    /// The tags of this name, each without its brackets.
    private static func elements(_ name: String, in content: String) -> [Substring] {
        content.split(separator: "<").compactMap { part in
            guard let end = part.firstIndex(of: ">") else { return nil }
            let tag = part[..<end]
            let word = tag.prefix { !$0.isWhitespace && $0 != "/" }
            return word == name ? tag : nil
        }
    }

    private static func attribute(_ name: String, in tag: Substring) -> String? {
        let parts = tag.split(separator: "\"", omittingEmptySubsequences: false)
        for index in stride(from: 0, to: parts.count - 1, by: 2) where parts[index].hasSuffix(" \(name)=") {
            return String(parts[index + 1])
        }
        return nil
    }

    private static func attribute(_ name: String, ofFirst element: String, in content: String) -> String? {
        elements(element, in: content).first.flatMap { attribute(name, in: $0) }
    }
}
