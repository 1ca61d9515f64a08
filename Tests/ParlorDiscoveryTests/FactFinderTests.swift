import Foundation
import Testing

@testable import ParlorDiscovery

/// A folder that stands for a machine's root.
private final class Machine {
    let root = NSTemporaryDirectory() + "parlor-facts-\(UUID().uuidString)"

    deinit { try? FileManager.default.removeItem(atPath: root) }

    func write(_ path: String, _ text: String) throws {
        let folder = (root + path as NSString).deletingLastPathComponent
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try Data(text.utf8).write(to: URL(filePath: root + path))
    }

    var finder: FactFinder { FactFinder(root: root) }

    func facts(port: UInt16 = 27_720) -> NetworkFacts {
        let state = DiscoveryState(backend: .avahi, word: .running, detail: "", interfaces: [])
        return finder.facts(state, listens: ["::"], port: port)
    }
}

private let udpHead =
    "   sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n"

private func udp(_ address: String, user: Int, inode: Int) -> String {
    "  1: \(address) 00000000:0000 07 00000000:00000000 00:00000000 00000000 \(user) 0 \(inode) 2 0 0\n"
}

struct FactFinderTests {
    @Test func `an empty machine has nothing`() {
        let facts = Machine().facts()
        #expect(facts.hasAvahi == false && facts.avahiAllows == nil && facts.avahiDenies.isEmpty)
        #expect(facts.stacks.isEmpty && facts.firewall == .none && facts.neighbours.isEmpty)
        #expect(facts.routeInterface == nil && facts.router == nil)
        #expect(facts.listens == ["::"] && facts.port == 27_720)
    }

    @Test func `Avahi's settings are read as Avahi reads them`() throws {
        let machine = Machine()
        try machine.write("/usr/sbin/avahi-daemon", "")
        try machine.write(
            "/etc/avahi/avahi-daemon.conf",
            "[server]\n#deny-interfaces=eth9\nallow-interfaces=eth0, wlan0\ndeny-interfaces=tun0\n")
        let facts = machine.facts()
        #expect(facts.hasAvahi)
        #expect(facts.avahiAllows == ["eth0", "wlan0"])
        #expect(facts.avahiDenies == ["tun0"])
    }

    @Test func `the default route of the lowest metric counts, and the router's bytes come in order`() throws
    {
        let machine = Machine()
        try machine.write(
            "/proc/net/route",
            """
            Iface\tDestination\tGateway\tFlags\tRefCnt\tUse\tMetric\tMask\tMTU\tWindow\tIRTT
            wlan0\t00000000\t0101A8C0\t0003\t0\t0\t600\t00000000\t0\t0\t0
            eth0\t00000000\tFE00000A\t0003\t0\t0\t100\t00000000\t0\t0\t0
            eth0\t0000000A\t00000000\t0001\t0\t0\t100\t000000FF\t0\t0\t0

            """)
        #expect(machine.facts().routeInterface == "eth0" && machine.facts().router == "10.0.0.254")
        try machine.write(
            "/proc/net/route", "Iface\ntun0\t00000000\t00000000\t1\t0\t0\t5\t00000000\t0\t0\t0\n")
        #expect(machine.facts().routeInterface == "tun0" && machine.facts().router == nil)
    }

    @Test func `neighbours answer when their entry is complete`() throws {
        let machine = Machine()
        try machine.write(
            "/proc/net/arp",
            """
            IP address       HW type     Flags       HW address            Mask     Device
            192.168.1.1      0x1         0x2         aa:bb:cc:dd:ee:ff     *        wlan0
            192.168.1.20     0x1         0x0         00:00:00:00:00:00     *        wlan0

            """)
        #expect(
            machine.facts().neighbours == [
                NetworkFacts.Neighbour("192.168.1.1", interface: "wlan0", answers: true),
                NetworkFacts.Neighbour("192.168.1.20", interface: "wlan0", answers: false),
            ])
    }

    @Test func `others on port 5353 are named by their process or their user, Avahi and Parlor are not`()
        throws
    {
        let machine = Machine()
        try machine.write(
            "/etc/passwd", "avahi:x:113:1::/:/x\nsystemd-resolve:x:101:1::/:/x\nann:x:1000:1::/:/x\n")
        try machine.write(
            "/proc/net/udp",
            udpHead + udp("00000000:14E9", user: 113, inode: 1) + udp("00000000:14E9", user: 101, inode: 2)
                + udp("00000000:0035", user: 1000, inode: 3) + udp("FB0000E0:14E9", user: 1000, inode: 4)
                + udp("00000000:14E9", user: 1000, inode: 5))
        try machine.write("/proc/net/udp6", udpHead + udp("0:14E9", user: 1000, inode: 6))
        for (pid, name, inode) in [(812, "chrome", 4), (900, "parlord", 5)] {
            try machine.write("/proc/\(pid)/comm", "\(name)\n")
            try FileManager.default.createDirectory(
                atPath: machine.root + "/proc/\(pid)/fd", withIntermediateDirectories: true)
            try FileManager.default.createSymbolicLink(
                atPath: machine.root + "/proc/\(pid)/fd/7", withDestinationPath: "socket:[\(inode)]")
        }
        #expect(
            machine.facts().stacks == [
                NetworkFacts.Stack("systemd-resolved"), NetworkFacts.Stack("chrome", pid: 812),
                NetworkFacts.Stack("ann"),
            ])
    }

    @Test(
        arguments: [
            ("eth0", "", .local), ("wlan0", "DEVTYPE=wlan\n", .local), ("mars", "DEVTYPE=wireguard\n", .vpn),
            ("tun0", "", .vpn), ("docker0", "DEVTYPE=bridge\n", .container), ("veth12", "", .container),
            ("virbr0", "", .container), ("br0", "DEVTYPE=bridge\n", .local), ("tailscale0", "", .vpn),
        ] as [(String, String, NetworkFacts.Interface.Kind)])
    func `interfaces are told apart`(name: String, uevent: String, kind: NetworkFacts.Interface.Kind) throws {
        let machine = Machine()
        try machine.write("/sys/class/net/\(name)/uevent", "INTERFACE=\(name)\n" + uevent)
        #expect(machine.finder.kind(of: name) == kind)
    }

    @Test func `the own interfaces are there, loopback among them`() throws {
        let lo = try #require(Machine().facts().interfaces.first { $0.name == "lo" })
        #expect(lo.kind == .loopback)
        if lo.isUp {
            #expect(lo.addresses.contains("127.0.0.1") && lo.networks == ["127.0.0.0/8"])
        }
    }

    // MARK: Firewalls

    @Test(arguments: [
        ("### tuple ### allow tcp 27720 0.0.0.0/0 any 192.168.1.0/24 in\n", true),
        ("### tuple ### allow any 27720 0.0.0.0/0 any 0.0.0.0/0 in\n", true),
        ("### tuple ### allow tcp 27700:27799 0.0.0.0/0 any 0.0.0.0/0 in\n", true),
        ("### tuple ### allow any any 0.0.0.0/0 any 192.168.1.0/24 in\n", true),
        ("### tuple ### allow udp 27720 0.0.0.0/0 any 0.0.0.0/0 in\n", false),
        ("### tuple ### deny tcp 27720 0.0.0.0/0 any 0.0.0.0/0 in\n", false),
        ("### tuple ### allow tcp 22 0.0.0.0/0 any 0.0.0.0/0 in\n", false),
    ])
    func `ufw's rules are read where they may be`(rules: String, allows: Bool) throws {
        let machine = Machine()
        try machine.write("/etc/ufw/ufw.conf", "# comment\nENABLED=no\n")
        #expect(machine.finder.firewall(port: 27_720, interfaces: []) == .none)
        try machine.write("/etc/ufw/ufw.conf", "# comment\nENABLED=yes\nLOGLEVEL=low\n")
        #expect(machine.finder.firewall(port: 27_720, interfaces: []) == .ufw(allowsPort: nil))
        try machine.write("/etc/ufw/user.rules", rules)
        #expect(machine.finder.firewall(port: 27_720, interfaces: []) == .ufw(allowsPort: allows))
    }

    @Test func `firewalld's zone of each interface is read, its own settings before those that came with it`()
        throws
    {
        let machine = Machine()
        let zones = "/usr/lib/firewalld/zones"
        try machine.write(
            "\(zones)/public.xml", #"<zone><service name="ssh"/><service name="dhcpv6-client"/></zone>"#)
        try machine.write("\(zones)/home.xml", #"<zone><service name="mdns"/></zone>"#)
        try machine.write("\(zones)/trusted.xml", #"<?xml version="1.0"?><zone target="ACCEPT"></zone>"#)
        try machine.write("/etc/firewalld/firewalld.conf", "# x\nDefaultZone=public\n")
        try machine.write(
            "/etc/firewalld/zones/home.xml",
            #"<zone><interface name="eth0"/><service name="mdns"/>"#
                + #"<port port="27700-27799" protocol="tcp"/></zone>"#
        )
        try machine.write(
            "/etc/firewalld/zones/trusted.xml", #"<zone target="ACCEPT"><interface name="br0"/></zone>"#)
        try machine.write("/run/firewalld.pid", "77\n")
        let names = ["wlan0", "eth0", "br0"]
        #expect(machine.finder.firewall(port: 27_720, interfaces: names) == .none, "it does not run")
        try machine.write("/proc/77/comm", "firewalld\n")
        #expect(
            machine.finder.firewall(port: 27_720, interfaces: names)
                == .firewalld([
                    NetworkFacts.Zone("public", interface: "wlan0", allowsMdns: false, allowsPort: false),
                    NetworkFacts.Zone("home", interface: "eth0", allowsMdns: true, allowsPort: true),
                    NetworkFacts.Zone("trusted", interface: "br0", allowsMdns: true, allowsPort: true),
                ]))
    }

    // MARK: Addresses

    @Test
    func `of an interface the addresses that hold beyond the link are announced, else those of the link`() {
        func announced(_ texts: String...) -> [String] {
            InterfaceAddress.reachable(texts.map { InterfaceAddress($0) }).map(\.text)
        }
        #expect(announced("192.168.1.7", "169.254.3.4", "fe80::1") == ["192.168.1.7", "fe80::1"])
        #expect(announced("169.254.3.4", "fe80::1", "fd00::1") == ["169.254.3.4", "fd00::1"])
        #expect(announced("10.0.0.1", "10.0.0.2") == ["10.0.0.1", "10.0.0.2"])
        #expect(announced().isEmpty)
    }
}
