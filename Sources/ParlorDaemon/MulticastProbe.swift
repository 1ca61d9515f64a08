internal import ParlorNet

/// Asks multicast DNS, by way of the network, what this machine's own responder has to answer: when nothing
/// comes, something on this machine filters packets on UDP port 5353.
///
/// That works without being root, whatever the filter is. What is sent to a group comes back to the machine
/// by its interface, through the same rules as packets of others (ip(7), `IP_MULTICAST_LOOP`). Whoever asks
/// from another port than 5353 is answered alone (RFC 6762, 6.7).
final class MulticastProbe {
    /// How long an answer may take, in nanoseconds; a responder waits up to 120 ms (RFC 6762, 6).
    static let wait: UInt64 = 1_500_000_000
    /// When the question is repeated, in nanoseconds: it may be lost.
    static let interval: UInt64 = 400_000_000
    /// Addresses that are asked from.
    static let socketsMax = 8
    /// Where multicast DNS is spoken over IPv4 (RFC 6762, 3).
    private static let group = "224.0.0.251:5353"
    private static let services = ["_parlor", "_tcp", "local"]

    private let loop: EventLoop
    private let end: UInt64
    private var sockets: [DatagramSocket] = []
    private var timer: LoopTimer?
    private var done: ((Bool) -> Void)?

    /// Asks from some of this machine's IPv4 addresses, given in numbers.
    ///
    /// `done` is told once whether it was answered from one of them; until then the probe keeps itself alive.
    init(loop: EventLoop, from addresses: [String], done: @escaping (Bool) -> Void) {
        self.loop = loop
        self.done = done
        end = loop.now + Self.wait
        let own = addresses.compactMap { SocketAddress($0) }.filter { !$0.isIPv6 }.prefix(Self.socketsMax)
        for address in own {
            guard let socket = try? DatagramSocket(loop: loop, on: address) else { continue }
            // Others answer too, which says nothing of what gets in here.
            socket.onDatagram = { [self] _, sender in
                if own.contains(where: { $0.host == sender.host }) { finish(true) }
            }
            sockets.append(socket)
        }
        timer = loop.timer { [self] in ask() }
        // Whoever has asked for this must not be told before it is over.
        timer?.set(at: loop.now)
    }

    private func ask() {
        guard loop.now < end, !sockets.isEmpty, let group = SocketAddress(Self.group) else {
            return finish(false)
        }
        for socket in sockets { socket.send(Self.question(from: socket.address), to: group) }
        timer?.set(at: min(loop.now + Self.interval, end))
    }

    private func finish(_ isHeard: Bool) {
        guard let done else { return }
        self.done = nil
        timer?.close()
        for socket in sockets { socket.close() }
        done(isHeard)
    }

    /// Asks for the rooms, and for the name of an address (RFC 1035, 4.1).
    static func question(from address: SocketAddress) -> [UInt8] {
        let reverse = address.host.split(separator: ".").reversed().map(String.init) + ["in-addr", "arpa"]
        let names = [services, reverse]
        let header: [UInt8] = [0, 1, 0, 0, 0, UInt8(names.count), 0, 0, 0, 0, 0, 0]
        return names.reduce(into: header) { bytes, labels in
            for label in labels { bytes += [UInt8(label.utf8.count)] + Array(label.utf8) }
            bytes += [0, 0, 12, 0, 1]  // the root; PTR, Internet
        }
    }
}
