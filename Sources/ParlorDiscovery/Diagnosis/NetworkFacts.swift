/// What is known of this machine's network when somebody asks why rooms are not found or not reached.
///
/// A plain value: ``FactFinder`` fills it in, ``Finding/all(of:)`` draws the conclusions.
public struct NetworkFacts: Equatable, Sendable {
    /// A network interface.
    public struct Interface: Equatable, Sendable {
        /// What is at the other end.
        public enum Kind: String, Sendable {
            /// This machine alone.
            case loopback
            /// A cable or a radio: where other people are.
            case local
            /// A tunnel to somewhere else.
            case vpn
            /// Containers or virtual machines on this machine.
            case container
        }

        /// Its name, such as `eth0`.
        public var name: String
        /// What is at the other end.
        public var kind: Kind
        /// Whether it is switched on.
        public var isUp: Bool
        /// Its addresses in numbers, without those that hold on the link alone.
        public var addresses: [String]
        /// The IPv4 networks it is in, such as `192.168.1.0/24`.
        public var networks: [String]

        /// Makes the value; the parameters are the members.
        public init(
            _ name: String, _ kind: Kind, isUp: Bool = true, addresses: [String] = [], networks: [String] = []
        ) {
            self.name = name
            self.kind = kind
            self.isUp = isUp
            self.addresses = addresses
            self.networks = networks
        }
    }

    /// The system bus.
    public enum Bus: Equatable, Sendable {
        /// Its socket is there.
        case present
        /// It is installed, and does not run.
        case stopped
        /// There is none.
        case missing
    }

    /// Another program that answers multicast DNS on this machine.
    public struct Stack: Equatable, Sendable {
        /// What it is called, or whose it is.
        public var name: String
        /// Its process, where that can be seen.
        public var pid: Int?

        /// Makes the value; the parameters are the members.
        public init(_ name: String, pid: Int? = nil) {
            self.name = name
            self.pid = pid
        }
    }

    /// What becomes of the rooms that this machine announces.
    public enum OwnRecord: Equatable, Sendable {
        /// None is announced, or just now.
        case none
        /// They are seen on the network.
        case seen
        /// One has not been seen for so many seconds.
        case missing(room: String, seconds: Int)
    }

    /// What filters packets on this machine.
    public enum Firewall: Equatable, Sendable {
        /// None that can be told without being root.
        case none
        /// ufw is on; whether it lets the port through, `nil` where its rules cannot be read.
        case ufw(allowsPort: Bool?)
        /// firewalld is on: the zone of each interface that leads to people.
        case firewalld([Zone])
    }

    /// A zone of firewalld, for one interface.
    public struct Zone: Equatable, Sendable {
        /// The zone's name.
        public var name: String
        /// The interface.
        public var interface: String
        /// Whether it lets multicast DNS in.
        public var allowsMdns: Bool
        /// Whether it lets the port in.
        public var allowsPort: Bool

        /// Makes the value; the parameters are the members.
        public init(_ name: String, interface: String, allowsMdns: Bool, allowsPort: Bool) {
            self.name = name
            self.interface = interface
            self.allowsMdns = allowsMdns
            self.allowsPort = allowsPort
        }
    }

    /// Another machine of a local network, as far as the kernel knows (`/proc/net/arp`).
    public struct Neighbour: Equatable, Sendable {
        /// Its IPv4 address in numbers.
        public var address: String
        /// The interface it is behind.
        public var interface: String
        /// Whether it answered when it was last asked for.
        public var answers: Bool

        /// Makes the value; the parameters are the members.
        public init(_ address: String, interface: String, answers: Bool) {
            self.address = address
            self.interface = interface
            self.answers = answers
        }
    }

    /// A room that is seen, and whose host did not answer.
    public struct Unreached: Equatable, Sendable {
        /// The room's name.
        public var room: String
        /// Where its host was looked for, in numbers.
        public var addresses: [String]

        /// Makes the value; the parameters are the members.
        public init(_ room: String, addresses: [String]) {
            self.room = room
            self.addresses = addresses
        }
    }

    /// How discovery is doing.
    public var state: DiscoveryState
    /// Whether there is a system bus.
    public var bus = Bus.present
    /// Whether the Avahi daemon is installed.
    public var hasAvahi = true
    /// The only interfaces that Avahi's settings allow; `nil`: all.
    public var avahiAllows: [String]?
    /// The interfaces that Avahi's settings forbid.
    public var avahiDenies: [String] = []
    /// Whether Avahi's settings let it answer for the names of this machine's addresses.
    public var avahiPublishesAddresses = true
    /// The machine's interfaces.
    public var interfaces: [Interface] = []
    /// The addresses on which this peer listens, in numbers; `::` and `0.0.0.0` are all.
    public var listens: [String] = []
    /// The port on which it listens.
    public var port: UInt16 = 0
    /// Others than Avahi and Parlor on UDP port 5353.
    public var stacks: [Stack] = []
    /// What becomes of the rooms that this machine announces.
    public var ownRecord = OwnRecord.none
    /// What filters packets.
    public var firewall = Firewall.none
    /// Whether what is asked of multicast DNS here by way of the network is answered here; `nil` while that
    /// has not been tried.
    public var hearsItself: Bool?
    /// The interface by which the default route leaves; `nil` without one.
    public var routeInterface: String?
    /// The router's address; `nil` without one.
    public var router: String?
    /// Machines that the kernel has looked for.
    public var neighbours: [Neighbour] = []
    /// Rooms whose hosts did not answer.
    public var unreached: [Unreached] = []

    /// Facts of a machine on which all is well; the members are then filled in.
    public init(_ state: DiscoveryState) { self.state = state }

    /// The interfaces that lead to people, and are on.
    var local: [Interface] { interfaces.filter { $0.kind == .local && $0.isUp } }

    /// The IPv4 addresses from which a question by multicast DNS has to be answered on this machine.
    ///
    /// Avahi knows the names of its addresses unless its settings say otherwise; whoever announces rooms here
    /// answers for those.
    public var answered: [String] {
        guard state.word == .running, !listensOnLoopbackOnly, avahiNames || ownRecord == .seen else {
            return []
        }
        let used = local.filter { interface in
            state.backend == .avahi ? avahiUses(interface) : state.interfaces.contains(interface.name)
        }
        return used.flatMap(\.addresses).filter { !$0.contains(":") }
    }

    /// Whether Avahi's settings let it use an interface.
    func avahiUses(_ interface: Interface) -> Bool {
        (avahiAllows?.contains(interface.name) ?? true) && !avahiDenies.contains(interface.name)
    }

    private var avahiNames: Bool { state.backend == .avahi && avahiPublishesAddresses }

    /// Whether nobody but this machine can connect.
    var listensOnLoopbackOnly: Bool {
        !listens.isEmpty && listens.allSatisfy { $0.hasPrefix("127.") || $0 == "::1" }
    }
}
