/// One thing that was looked at, and how it is.
public struct Finding: Equatable, Sendable {
    /// What was looked at; the raw value is a word for programs.
    public enum Check: String, CaseIterable, Sendable {
        /// Whether discovery is switched on.
        case discovery
        /// The system bus.
        case bus
        /// The Avahi daemon, or the responder in its place.
        case avahi
        /// The interfaces on which rooms can be found.
        case interface
        /// Who else answers on port 5353.
        case port5353 = "port-5353"
        /// Whether the own rooms come back from the network.
        case ownRecord = "own-record"
        /// Who can connect to this peer.
        case listening
        /// What filters packets.
        case firewall
        /// Tunnels.
        case vpn
        /// Networks of containers and virtual machines.
        case container
        /// Whether the network lets its devices talk to each other.
        case isolation
        /// Whether another peer can be reached.
        case peerThere = "peer-there"
        /// Whether another peer reaches this one.
        case peerBack = "peer-back"
    }

    /// How it is.
    public enum Level: String, Sendable {
        /// As it should be.
        case ok
        /// Good to know.
        case note
        /// Likely to be in the way.
        case warn
        /// In the way.
        case fail
    }

    /// What was looked at.
    public let check: Check
    /// How it is.
    public let level: Level
    /// One line for a person.
    public let text: String
    /// The command that mends it, where one does.
    public let command: String?

    /// Makes the value; the parameters are the members.
    public init(_ check: Check, _ level: Level, _ text: String, command: String? = nil) {
        self.check = check
        self.level = level
        self.text = text
        self.command = command
    }

    /// Whether it is worth telling somebody who did not ask.
    public var isAmber: Bool { level == .warn || level == .fail }

    /// What follows from the facts, in the order of ``Check``.
    public static func all(of facts: NetworkFacts) -> [Finding] {
        let all = [
            switchedOff(facts), bus(facts), avahi(facts), interface(facts), stacks(facts), ownRecord(facts),
            listening(facts), vpn(facts), container(facts), isolation(facts),
        ]
        let found = all.compactMap { $0 } + firewall(facts)
        let order = Check.allCases
        return found.sorted {
            (order.firstIndex(of: $0.check) ?? 0) < (order.firstIndex(of: $1.check) ?? 0)
        }
    }
}

// MARK: - The way to the network

extension Finding {
    private static let inAMoment =
        "Parlor announces and finds rooms by itself in a few seconds, and \(byAddress)"
    private static let byAddress = "joining by address works: parlor join --address HOST:PORT"

    private static func switchedOff(_ facts: NetworkFacts) -> Finding? {
        guard facts.state.backend == .off else { return nil }
        return Finding(
            .discovery, .note,
            "Discovery is switched off, so rooms are neither announced nor found; \(byAddress).",
            command: "parlord --discovery auto")
    }

    private static func bus(_ facts: NetworkFacts) -> Finding? {
        guard facts.state.backend != .off else { return nil }
        if facts.state.backend == .embedded, facts.state.word == .running, facts.bus != .present {
            return Finding(.bus, .note, "There is no system bus; Parlor announces and finds rooms by itself.")
        }
        guard facts.state.word == .noBus || facts.bus != .present else {
            return Finding(.bus, .ok, "The system bus is there.")
        }
        guard !facts.state.isFallingBack else {
            return Finding(.bus, .note, "There is no system bus; \(inAMoment).")
        }
        let (what, command) =
            facts.bus == .missing
            ? ("There is no system bus", "sudo apt install dbus avahi-daemon")
            : ("The system bus does not answer", "sudo systemctl start dbus")
        return Finding(
            .bus, .fail, "\(what), so rooms are neither announced nor found; \(byAddress).", command: command)
    }

    private static func avahi(_ facts: NetworkFacts) -> Finding? {
        let start =
            facts.hasAvahi ? "sudo systemctl start avahi-daemon" : "sudo apt install avahi-daemon"
        switch (facts.state.backend, facts.state.word) {
        case (.off, _), (_, .noBus), (_, .off): return nil
        case (.avahi, .noDaemon) where facts.state.isFallingBack:
            return Finding(.avahi, .note, "The Avahi daemon does not run; \(inAMoment).", command: start)
        case (.avahi, .noDaemon):
            let what = facts.hasAvahi ? "avahi-daemon does not run" : "avahi-daemon is not installed"
            return Finding(
                .avahi, .fail, "\(what), so rooms are neither announced nor found; \(byAddress).",
                command: start)
        case (.avahi, .running): return Finding(.avahi, .ok, "The Avahi daemon announces and finds rooms.")
        case (.embedded, .running):
            return Finding(
                .avahi, .note, "Parlor announces and finds rooms by itself, without the Avahi daemon.",
                command: start)
        case (_, .searching), (.embedded, .noDaemon):
            return Finding(.avahi, .note, "Discovery is still beginning; ask again in a few seconds.")
        case (_, .failed):
            return Finding(
                .avahi, .fail,
                "Parlor cannot use port 5353 by itself: rooms are neither announced nor found; \(byAddress).",
                command: start)
        }
    }

    private static func interface(_ facts: NetworkFacts) -> Finding? {
        guard facts.state.backend != .off, !facts.listensOnLoopbackOnly else { return nil }
        let local = facts.local
        let kept = local.filter { !facts.avahiUses($0) }
        if facts.state.backend == .avahi, !local.isEmpty, kept.count == local.count {
            let names = kept.map(\.name).joined(separator: ", ")
            return Finding(
                .interface, .fail,
                "Avahi's settings keep it off \(names), so rooms are not found there "
                    + "(allow-interfaces or deny-interfaces in /etc/avahi/avahi-daemon.conf).",
                command: "sudo sed -i -E 's/^(allow|deny)-interfaces=/#&/' /etc/avahi/avahi-daemon.conf"
                    + " && sudo systemctl restart avahi-daemon")
        }
        if local.contains(where: { !$0.addresses.isEmpty }) {
            let names = local.filter { !$0.addresses.isEmpty }.map(\.name).joined(separator: ", ")
            return Finding(.interface, .ok, "Rooms are announced and looked for on \(names).")
        }
        if let bare = local.first {
            return Finding(
                .interface, .fail, "\(bare.name) is on, but has no address, so nobody else is there.",
                command: "sudo dhclient \(bare.name)")
        }
        if let dark = facts.interfaces.first(where: { $0.kind == .local }) {
            return Finding(
                .interface, .fail, "The network interface \(dark.name) is off, so nobody else is there.",
                command: "sudo ip link set \(dark.name) up")
        }
        return Finding(
            .interface, .fail, "This machine has no network but itself: connect a cable or a Wi-Fi.",
            command: "nmcli device wifi connect NAME --ask")
    }

    private static func stacks(_ facts: NetworkFacts) -> Finding? {
        guard facts.state.backend != .off else { return nil }
        guard let first = facts.stacks.first else {
            return Finding(.port5353, .ok, "Nobody else answers on UDP port 5353.")
        }
        let names = facts.stacks.map { stack in
            stack.name + (stack.pid.map { ", process \($0)" } ?? "")
        }
        var isInTheWay = facts.state.word == .failed
        if case .missing = facts.ownRecord { isInTheWay = true }
        let interface = facts.local.first?.name ?? "eth0"
        let command =
            if facts.stacks.contains(where: { $0.name == "systemd-resolved" }) {
                "sudo resolvectl mdns \(interface) no"
            } else if let pid = first.pid { "kill \(pid)" } else { "sudo ss -lunp sport = :5353" }
        return Finding(
            .port5353, isInTheWay ? .warn : .note,
            "Another program answers on UDP port 5353 (\(names.joined(separator: "; "))), and may swallow "
                + "what is meant for discovery.",
            command: command)
    }

    private static func ownRecord(_ facts: NetworkFacts) -> Finding? {
        guard facts.state.word == .running else { return nil }
        switch facts.ownRecord {
        case .none: return nil
        case .seen: return Finding(.ownRecord, .ok, "The rooms hosted here come back from the network.")
        case .missing(let room, let seconds):
            return Finding(
                .ownRecord, .fail,
                "The room \(room) was announced \(seconds) s ago and has not come back from the network: "
                    + "others do not see it either.",
                command: facts.state.backend == .avahi
                    ? "sudo systemctl restart avahi-daemon" : "parlor daemon restart")
        }
    }

    private static func listening(_ facts: NetworkFacts) -> Finding? {
        guard !facts.listens.isEmpty else { return nil }
        guard facts.listensOnLoopbackOnly else {
            return Finding(.listening, .ok, "Others can connect to port \(facts.port).")
        }
        return Finding(
            .listening, facts.state.backend == .off ? .note : .warn,
            "Parlor listens on \(facts.listens.joined(separator: ", ")) only, so nobody on another machine "
                + "can join: take listen out of its settings or its command line.",
            command: "parlor daemon restart")
    }
}

// MARK: - What is in between

extension Finding {
    private static func firewall(_ facts: NetworkFacts) -> [Finding] {
        guard !facts.listensOnLoopbackOnly else { return [] }
        let known = settings(facts)
        // Rules of nftables and iptables are root's alone to read; what they do can be heard.
        guard facts.hearsItself == false, !known.contains(where: { $0.level == .fail }) else {
            return known
        }
        return known.filter(\.isAmber) + [
            Finding(
                .firewall, .fail,
                "This machine does not hear what it asks itself on UDP port 5353: a firewall on it drops "
                    + "multicast DNS (sudo nft list ruleset shows it), so rooms are neither found nor seen "
                    + "by others; \(byAddress).",
                command: "sudo nft insert rule inet filter input udp dport 5353 accept")
        ]
    }

    private static func settings(_ facts: NetworkFacts) -> [Finding] {
        let port = facts.port
        switch facts.firewall {
        case .none:
            let mdns = facts.hearsItself == true ? ", and UDP port 5353 is open here" : ""
            return [Finding(.firewall, .ok, "No firewall is to be seen (ufw, firewalld)\(mdns).")]
        case .ufw(allowsPort: true): return [Finding(.firewall, .ok, "ufw lets port \(port) through.")]
        case .ufw(let allowsPort):
            let from = facts.local.flatMap(\.networks).first ?? "any"
            let how = allowsPort == nil ? "may block" : "blocks"
            return [
                Finding(
                    .firewall, .warn,
                    "ufw is on and \(how) port \(port): guests would see rooms here, but not reach them.",
                    command: "sudo ufw allow from \(from) to any port \(port)")
            ]
        case .firewalld(let zones):
            let bad = zones.filter { !$0.allowsMdns || !$0.allowsPort }
            guard !bad.isEmpty else { return [Finding(.firewall, .ok, "firewalld lets rooms through.")] }
            return bad.map { firewalld($0, port: port) }
        }
    }

    private static func firewalld(_ zone: NetworkFacts.Zone, port: UInt16) -> Finding {
        let mdns = zone.allowsMdns ? "" : " --add-service=mdns"
        let ports = zone.allowsPort ? "" : " --add-port=\(port)/tcp --add-port=\(port)/udp"
        let place = "firewalld's zone \(zone.name) on \(zone.interface)"
        let text =
            zone.allowsMdns
            ? "\(place) blocks port \(port): guests see rooms here, but do not reach them."
            : "\(place) drops multicast DNS: rooms are neither found nor seen by others."
        return Finding(
            .firewall, zone.allowsMdns ? .warn : .fail, text,
            command: "sudo firewall-cmd --zone=\(zone.name)\(mdns)\(ports)")
    }

    private static func vpn(_ facts: NetworkFacts) -> Finding? {
        let tunnels = facts.interfaces.filter { $0.kind == .vpn && $0.isUp }
        guard let first = tunnels.first else { return nil }
        if let route = facts.routeInterface, let tunnel = tunnels.first(where: { $0.name == route }) {
            return Finding(
                .vpn, .warn,
                "All traffic leaves by the VPN \(tunnel.name): machines close by may be out of reach.",
                command: "nmcli connection down \(tunnel.name)")
        }
        let names = tunnels.map(\.name).joined(separator: ", ")
        return Finding(
            .vpn, .note, "\(names) leads through a VPN; rooms are rarely found there.",
            command: "nmcli connection down \(first.name)")
    }

    private static func container(_ facts: NetworkFacts) -> Finding? {
        let names = facts.interfaces.filter { $0.kind == .container && $0.isUp }.map(\.name)
        guard !names.isEmpty else { return nil }
        let address = facts.local.flatMap(\.addresses).first { !$0.contains(":") }
        return Finding(
            .container, .note,
            "\(names.joined(separator: ", ")) leads to containers or virtual machines of this machine; "
                + "addresses there are out of reach for others, who try the next.",
            command: address.map { "parlord --listen \($0)" })
    }

    /// The router answers, and no other device that was looked for does.
    private static func isolation(_ facts: NetworkFacts) -> Finding? {
        guard let router = facts.router,
            facts.neighbours.contains(where: { $0.address == router && $0.answers })
        else { return nil }
        let others = facts.neighbours.filter {
            $0.address != router && $0.interface == facts.routeInterface
        }
        let sought = Set(facts.unreached.flatMap(\.addresses))
        guard others.contains(where: { sought.contains($0.address) && !$0.answers }),
            !others.contains(where: \.answers)
        else { return nil }
        return Finding(
            .isolation, .warn,
            "The router \(router) answers, but no other device does: guest networks often separate their "
                + "devices, and nothing here can change that. Try another network, or open one.",
            command: "nmcli device wifi hotspot")
    }
}
