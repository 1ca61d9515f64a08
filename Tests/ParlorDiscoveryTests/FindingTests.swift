import ParlorDiscovery
import Testing

/// One machine and what is said of it: what was changed on a healthy one, which check, how bad, which words,
/// and the command.
struct DiagnosisCase: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let check: Finding.Check
    let level: Finding.Level?
    var words: [String] = []
    var command: String?
    let change: @Sendable (inout NetworkFacts) -> Void

    init(
        _ name: String, _ check: Finding.Check, _ level: Finding.Level?, _ words: [String] = [],
        command: String? = nil, _ change: @escaping @Sendable (inout NetworkFacts) -> Void
    ) {
        testDescription = name
        self.check = check
        self.level = level
        self.words = words
        self.command = command
        self.change = change
    }
}

private func state(_ backend: DiscoveryState.Backend, _ word: DiscoveryState.Word) -> DiscoveryState {
    DiscoveryState(backend: backend, word: word, detail: "", interfaces: ["wlan0"])
}

private let wlan = NetworkFacts.Interface(
    "wlan0", .local, addresses: ["192.168.1.7", "fd00::7"], networks: ["192.168.1.0/24"])

/// A machine on which all is well.
private var healthy: NetworkFacts {
    var facts = NetworkFacts(state(.avahi, .running))
    facts.interfaces = [NetworkFacts.Interface("lo", .loopback, addresses: ["127.0.0.1"]), wlan]
    facts.listens = ["::"]
    facts.port = 27_720
    facts.ownRecord = .seen
    (facts.routeInterface, facts.router) = ("wlan0", "192.168.1.1")
    facts.neighbours = [NetworkFacts.Neighbour("192.168.1.1", interface: "wlan0", answers: true)]
    return facts
}

private func zone(mdns: Bool, port: Bool) -> NetworkFacts.Firewall {
    .firewalld([NetworkFacts.Zone("public", interface: "wlan0", allowsMdns: mdns, allowsPort: port)])
}

private let daemons: [DiagnosisCase] = [
    DiagnosisCase(
        "no bus at all", .bus, .fail, ["no system bus", "join --address"],
        command: "sudo apt install dbus avahi-daemon"
    ) { ($0.state, $0.bus) = (state(.avahi, .noBus), .missing) },
    DiagnosisCase(
        "a bus that is stopped", .bus, .fail, ["does not answer"],
        command: "sudo systemctl start dbus"
    ) { ($0.state, $0.bus) = (state(.avahi, .noBus), .stopped) },
    DiagnosisCase("no bus, for a moment", .bus, .note, ["in a few seconds", "join --address"]) {
        $0.state = DiscoveryState(
            backend: .avahi, word: .noBus, detail: "", interfaces: ["wlan0"], isFallingBack: true)
    },
    DiagnosisCase(
        "no daemon, for a moment", .avahi, .note, ["in a few seconds"],
        command: "sudo systemctl start avahi-daemon"
    ) {
        $0.state = DiscoveryState(
            backend: .avahi, word: .noDaemon, detail: "", interfaces: ["wlan0"], isFallingBack: true)
    },
    DiagnosisCase("a bus that hangs", .bus, .fail, ["does not answer"], command: "sudo systemctl start dbus")
    {
        $0.state = state(.avahi, .noBus)
    },
    DiagnosisCase("no bus says nothing of Avahi", .avahi, nil) {
        ($0.state, $0.bus) = (state(.avahi, .noBus), .missing)
    },
    DiagnosisCase("no bus, and no need of one", .bus, .note, ["by itself"]) {
        ($0.state, $0.bus) = (state(.embedded, .running), .missing)
    },
    DiagnosisCase(
        "no daemon", .avahi, .fail, ["does not run", "join --address"],
        command: "sudo systemctl start avahi-daemon"
    ) { $0.state = state(.avahi, .noDaemon) },
    DiagnosisCase(
        "no daemon installed", .avahi, .fail, ["not installed"],
        command: "sudo apt install avahi-daemon"
    ) { ($0.state, $0.hasAvahi) = (state(.avahi, .noDaemon), false) },
    DiagnosisCase(
        "the own responder", .avahi, .note, ["by itself"],
        command: "sudo systemctl start avahi-daemon"
    ) { $0.state = state(.embedded, .running) },
    DiagnosisCase(
        "the own responder without a port", .avahi, .fail, ["5353"],
        command: "sudo systemctl start avahi-daemon"
    ) { $0.state = state(.embedded, .failed) },
    DiagnosisCase("just begun", .avahi, .note, ["beginning"]) { $0.state = state(.avahi, .searching) },
    DiagnosisCase("switched off", .discovery, .note, ["switched off"], command: "parlord --discovery auto") {
        $0.state = state(.off, .off)
    },
    DiagnosisCase("switched off needs no bus", .bus, nil) {
        ($0.state, $0.bus) = (state(.off, .off), .missing)
    },
]

private let interfaces: [DiagnosisCase] = [
    DiagnosisCase(
        "an interface that is off", .interface, .fail, ["wlan0 is off"],
        command: "sudo ip link set wlan0 up"
    ) { $0.interfaces[1].isUp = false },
    DiagnosisCase(
        "an interface without an address", .interface, .fail, ["wlan0", "no address"],
        command: "sudo dhclient wlan0"
    ) { $0.interfaces[1].addresses = [] },
    DiagnosisCase(
        "no interface", .interface, .fail, ["no network"],
        command: "nmcli device wifi connect NAME --ask"
    ) { $0.interfaces.removeLast() },
    DiagnosisCase(
        "Avahi is kept to another interface", .interface, .fail, ["keep it off wlan0"],
        command: "sudo sed -i -E 's/^(allow|deny)-interfaces=/#&/' /etc/avahi/avahi-daemon.conf"
            + " && sudo systemctl restart avahi-daemon"
    ) { $0.avahiAllows = ["eth0"] },
    DiagnosisCase("Avahi is kept off this interface", .interface, .fail, ["keep it off wlan0"]) {
        $0.avahiDenies = ["wlan0"]
    },
    DiagnosisCase("Avahi's settings are not those of the own responder", .interface, .ok) {
        ($0.state, $0.avahiDenies) = (state(.embedded, .running), ["wlan0"])
    },
    DiagnosisCase("Avahi is kept off one of two", .interface, .ok, ["eth0"]) {
        $0.interfaces.append(NetworkFacts.Interface("eth0", .local, addresses: ["10.0.0.2"]))
        $0.avahiDenies = ["wlan0"]
    },
    DiagnosisCase(
        "listening on loopback only", .listening, .warn, ["127.0.0.1, ::1 only"],
        command: "parlor daemon restart"
    ) { $0.listens = ["127.0.0.1", "::1"] },
    DiagnosisCase("listening on loopback, as whoever switched discovery off wants", .listening, .note) {
        ($0.listens, $0.state) = (["127.0.0.1"], state(.off, .off))
    },
    DiagnosisCase("whoever listens on loopback only needs no interface", .interface, nil) {
        $0.listens = ["127.0.0.1"]
    },
    DiagnosisCase("loopback has no firewall", .firewall, nil) {
        ($0.listens, $0.firewall) = (["127.0.0.1"], .ufw(allowsPort: false))
    },
    DiagnosisCase("a VPN beside the network", .vpn, .note, ["tun0"], command: "nmcli connection down tun0") {
        $0.interfaces.append(NetworkFacts.Interface("tun0", .vpn))
    },
    DiagnosisCase(
        "a VPN that takes everything", .vpn, .warn, ["All traffic", "tun0"],
        command: "nmcli connection down tun0"
    ) {
        $0.interfaces.append(NetworkFacts.Interface("tun0", .vpn))
        $0.routeInterface = "tun0"
    },
    DiagnosisCase("a VPN that is off", .vpn, nil) {
        $0.interfaces.append(NetworkFacts.Interface("tun0", .vpn, isUp: false))
    },
    DiagnosisCase(
        "containers", .container, .note, ["docker0, virbr0"], command: "parlord --listen 192.168.1.7"
    ) {
        $0.interfaces.append(NetworkFacts.Interface("docker0", .container))
        $0.interfaces.append(NetworkFacts.Interface("virbr0", .container))
    },
]

private let network: [DiagnosisCase] = [
    DiagnosisCase(
        "another stack, in the way of nothing", .port5353, .note, ["chrome, process 812"],
        command: "kill 812"
    ) { $0.stacks = [NetworkFacts.Stack("chrome", pid: 812)] },
    DiagnosisCase(
        "systemd-resolved, in the way", .port5353, .warn, ["systemd-resolved"],
        command: "sudo resolvectl mdns wlan0 no"
    ) {
        $0.stacks = [NetworkFacts.Stack("systemd-resolved")]
        $0.ownRecord = .missing(room: "Kitchen", seconds: 9)
    },
    DiagnosisCase(
        "a stack of somebody else's", .port5353, .warn, ["user 7"],
        command: "sudo ss -lunp sport = :5353"
    ) { ($0.stacks, $0.state) = ([NetworkFacts.Stack("user 7")], state(.embedded, .failed)) },
    DiagnosisCase(
        "own record not seen, by Avahi", .ownRecord, .fail, ["Kitchen", "9 s"],
        command: "sudo systemctl restart avahi-daemon"
    ) { $0.ownRecord = .missing(room: "Kitchen", seconds: 9) },
    DiagnosisCase(
        "own record not seen, by the own responder", .ownRecord, .fail,
        command: "parlor daemon restart"
    ) { ($0.ownRecord, $0.state) = (.missing(room: "K", seconds: 9), state(.embedded, .running)) },
    DiagnosisCase("no room, no record", .ownRecord, nil) { $0.ownRecord = .none },
    DiagnosisCase("no firewall, as far as can be heard", .firewall, .ok, ["UDP port 5353 is open"]) {
        $0.hearsItself = true
    },
    DiagnosisCase(
        "rules that only root may read", .firewall, .fail, ["does not hear", "5353", "join --address"],
        command: "sudo nft insert rule inet filter input udp dport 5353 accept"
    ) { $0.hearsItself = false },
    DiagnosisCase(
        "firewalld says it better", .firewall, .fail, ["zone public"],
        command: "sudo firewall-cmd --zone=public --add-service=mdns"
    ) { ($0.firewall, $0.hearsItself) = (zone(mdns: false, port: true), false) },
    DiagnosisCase(
        "ufw, whose rules are root's", .firewall, .warn, ["may block port 27720", "not reach"],
        command: "sudo ufw allow from 192.168.1.0/24 to any port 27720"
    ) { $0.firewall = .ufw(allowsPort: nil) },
    DiagnosisCase("ufw without a rule", .firewall, .warn, ["blocks port 27720"]) {
        $0.firewall = .ufw(allowsPort: false)
    },
    DiagnosisCase("ufw with a rule", .firewall, .ok) { $0.firewall = .ufw(allowsPort: true) },
    DiagnosisCase(
        "firewalld without mdns", .firewall, .fail, ["public on wlan0", "multicast DNS"],
        command:
            "sudo firewall-cmd --zone=public --add-service=mdns --add-port=27720/tcp --add-port=27720/udp"
    ) { $0.firewall = zone(mdns: false, port: false) },
    DiagnosisCase(
        "firewalld without mdns, with the port", .firewall, .fail,
        command: "sudo firewall-cmd --zone=public --add-service=mdns"
    ) { $0.firewall = zone(mdns: false, port: true) },
    DiagnosisCase(
        "firewalld without the port", .firewall, .warn, ["blocks port 27720"],
        command: "sudo firewall-cmd --zone=public --add-port=27720/tcp --add-port=27720/udp"
    ) { $0.firewall = zone(mdns: true, port: false) },
    DiagnosisCase("firewalld with both", .firewall, .ok) { $0.firewall = zone(mdns: true, port: true) },
    DiagnosisCase(
        "a network that separates its devices", .isolation, .warn, ["router 192.168.1.1"],
        command: "nmcli device wifi hotspot"
    ) {
        $0.unreached = [NetworkFacts.Unreached("Attic", addresses: ["192.168.1.20"])]
        $0.neighbours.append(NetworkFacts.Neighbour("192.168.1.20", interface: "wlan0", answers: false))
    },
    DiagnosisCase("one device does not answer, another does", .isolation, nil) {
        $0.unreached = [NetworkFacts.Unreached("Attic", addresses: ["192.168.1.20"])]
        $0.neighbours.append(NetworkFacts.Neighbour("192.168.1.20", interface: "wlan0", answers: false))
        $0.neighbours.append(NetworkFacts.Neighbour("192.168.1.30", interface: "wlan0", answers: true))
    },
    DiagnosisCase("the router does not answer either", .isolation, nil) {
        $0.unreached = [NetworkFacts.Unreached("Attic", addresses: ["192.168.1.20"])]
        $0.neighbours = [NetworkFacts.Neighbour("192.168.1.20", interface: "wlan0", answers: false)]
    },
    DiagnosisCase("nobody was looked for", .isolation, nil) {
        $0.neighbours.append(NetworkFacts.Neighbour("192.168.1.20", interface: "wlan0", answers: false))
    },
]

struct FindingTests {
    @Test func `a healthy machine is well throughout`() {
        let all = Finding.all(of: healthy)
        #expect(
            all.map(\.check) == [.bus, .avahi, .interface, .port5353, .ownRecord, .listening, .firewall])
        #expect(all.allSatisfy { $0.level == .ok && $0.command == nil && !$0.isAmber }, "\(all)")
    }

    @Test(arguments: daemons + interfaces + network)
    func `each cause is told by itself, with the command that mends it`(_ one: DiagnosisCase) {
        var facts = healthy
        one.change(&facts)
        let all = Finding.all(of: facts)
        let found = all.filter { $0.check == one.check }
        #expect(found.count == (one.level == nil ? 0 : 1))
        #expect(found.first?.level == one.level)
        for word in one.words { #expect(found.first?.text.contains(word) ?? false, "\(found): \(word)") }
        if let command = one.command { #expect(found.first?.command == command) }
        for finding in all {
            #expect(!finding.text.contains("\n"), "one line")
            #expect(!finding.isAmber || finding.command != nil, "\(finding) has no command")
        }
    }

    @Test func `a question is asked from where somebody here must answer it`() {
        #expect(healthy.answered == ["192.168.1.7"])
        let silent: [@Sendable (inout NetworkFacts) -> Void] = [
            { $0.avahiAllows = ["lo"] }, { $0.avahiDenies = ["wlan0"] }, { $0.listens = ["127.0.0.1"] },
            { $0.state = state(.avahi, .searching) },
            { ($0.avahiPublishesAddresses, $0.ownRecord) = (false, .none) },
            { ($0.state, $0.ownRecord) = (state(.embedded, .running), .none) },
        ]
        for change in silent {
            var facts = healthy
            change(&facts)
            #expect(facts.answered.isEmpty)
        }
        var embedded = healthy
        embedded.state = state(.embedded, .running)
        #expect(embedded.answered == ["192.168.1.7"], "it answers for its own room")
    }

    @Test func `two zones of firewalld are two findings`() {
        var facts = healthy
        facts.firewall = .firewalld([
            NetworkFacts.Zone("home", interface: "eth0", allowsMdns: true, allowsPort: true),
            NetworkFacts.Zone("public", interface: "wlan0", allowsMdns: false, allowsPort: true),
            NetworkFacts.Zone("dmz", interface: "eth1", allowsMdns: true, allowsPort: false),
        ])
        let found = Finding.all(of: facts).filter { $0.check == .firewall }
        #expect(found.map(\.level) == [.fail, .warn])
    }
}

struct PeerTrialTests {
    private let there = PeerTrial.Try("192.168.1.20:27720", .reached)

    private func findings(_ trial: PeerTrial, _ facts: NetworkFacts = healthy) -> [Finding] {
        Finding.of(trial, facts)
    }

    @Test func `a way there and back is well`() {
        let trial = PeerTrial("Tom", tries: [there], link: .up, back: .init("192.168.1.7:27720", .reached))
        #expect(findings(trial).map(\.level) == [.ok, .ok])
        #expect(findings(trial).map(\.check) == [.peerThere, .peerBack])
    }

    @Test func `a peer that does not reach us says which firewall, and how to open it`() {
        let trial = PeerTrial("Tom", tries: [there], link: .up, back: .init("192.168.1.7:27720", .silent))
        var facts = healthy
        facts.firewall = .ufw(allowsPort: nil)
        let back = findings(trial, facts)[1]
        #expect(back.level == .fail && back.text.contains("ufw is on and probably blocks port 27720"))
        #expect(back.command == "sudo ufw allow from 192.168.1.0/24 to any port 27720")
        facts.firewall = zone(mdns: true, port: false)
        #expect(findings(trial, facts)[1].command?.hasPrefix("sudo firewall-cmd --zone=public") ?? false)
        #expect(findings(trial)[1].command == "sudo iptables -I INPUT -p tcp --dport 27720 -j ACCEPT")
        #expect(findings(trial)[1].text.contains("192.168.1.7:27720 does not answer"))
    }

    @Test func `a peer that is not reached is asked to try from there`() {
        let trial = PeerTrial(
            "Tom", tries: [.init("192.168.1.20:27720", .silent), .init("10.0.0.1:27720", .failed)],
            link: .failed("x"))
        let found = findings(trial)
        #expect(found.count == 1 && found[0].level == .fail)
        #expect(found[0].text.contains("192.168.1.20:27720 does not answer, 10.0.0.1:27720 has no way there"))
        #expect(found[0].command == "parlor doctor --peer 192.168.1.7:27720")
        let refused = PeerTrial("Tom", tries: [.init("192.168.1.20:27720", .refused)], link: .failed("x"))
        #expect(findings(refused)[0].text.contains("does not run there any more"))
    }

    @Test func `a link that was made from there is no way there`() {
        let trial = PeerTrial(
            "Tom", tries: [.init("192.168.1.20:27720", .silent)], link: .up,
            back: .init("192.168.1.7:27720", .reached))
        #expect(findings(trial).map(\.level) == [.fail, .ok])
        #expect(findings(trial)[0].text.contains("made from there"))
    }

    @Test func `somebody else at the address, no address, and no answer are told apart`() {
        let other = findings(PeerTrial("Tom", tries: [there], link: .failed("somebody else answers there")))
        #expect(other.map(\.level) == [.fail] && other[0].text.contains("somebody else answers"))
        let lost = findings(PeerTrial("Tom", tries: [], link: .failed("x")))
        #expect(lost.map(\.level) == [.fail] && lost[0].text.contains("No address"))
        for back in [nil, PeerTrial.Try("192.168.1.7:27720", .busy)] {
            let mute = findings(PeerTrial("Tom", tries: [there], link: .up, back: back))
            #expect(mute.map(\.level) == [.ok, .note])
        }
    }
}
