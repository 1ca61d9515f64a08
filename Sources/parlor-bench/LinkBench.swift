internal import Glibc
internal import ParlorCrypto
internal import ParlorNet
internal import ParlorProtocol

/// Measures links and datagrams between two processes on 127.0.0.1; the counterpart of the C programs in
/// `Bench/`, with the same words and the same line of results.
final class LinkBench {
    static let usage = """
        usage: parlor-bench link server
               parlor-bench link WHAT PORT COUNT

        The server prints "ready PORT" and serves until it is ended; the other prints one line of name=value
        pairs, times in microseconds. WHAT is
          echo       round trips of 64-byte messages on the game lane
          held       the same, then keeps the link until its input ends
          handshake  from connecting to a link that is set up, a new one each time
          rate       64-byte messages a second one way, sent 64 in a turn of the loop
          lanes      round trips on the game lane, alone and while the bulk lane is never empty
          links      opens COUNT links and keeps them until its input ends
          plain      round trips of 64-byte datagrams, not encrypted
          aead       the same, sealed as a link's datagrams are
          unreliable the same through a link's unreliable channel, with all that it checks
        """

    static let messageBytes = 64
    /// The link IDs of the C program and of datagrams without a link are below.
    static let firstLinkID: UInt32 = 1_000
    static let warmUp = 500
    static let batch = 64
    static let bulkBytes = 256 * 1_024

    let loop: EventLoop
    let context: TLSContext
    let port: UInt16
    let count: Int
    var times: [UInt64] = []
    var begun: UInt64 = 0

    private init(port: UInt16, count: Int) throws {
        loop = try EventLoop()
        context = try TLSContext(seed: Entropy.bytes(32))
        self.port = port
        self.count = count
    }

    /// Runs one command; returns the exit status.
    static func run(_ arguments: [String]) -> Int32 {
        Net.ignoreBrokenPipes()
        do {
            if arguments == ["server"] {
                try LinkBench(port: 0, count: 0).serve()
                return 0
            }
            guard arguments.count == 3, let port = UInt16(arguments[1]), let count = Int(arguments[2]),
                count > 0
            else {
                say(usage)
                return 2
            }
            let bench = try LinkBench(port: port, count: count)
            guard try bench.measure(arguments[0]) else {
                say(usage)
                return 2
            }
            return 0
        } catch {
            say("parlor-bench: \(error)")
            return 1
        }
    }

    private func measure(_ what: String) throws -> Bool {
        switch what {
        case "echo", "held": try measureEcho(isHeld: what == "held")
        case "handshake": try measureHandshake()
        case "rate": try measureRate()
        case "lanes": try measureLanes()
        case "links": try holdLinks()
        case "unreliable": try measureUnreliable()
        case "plain", "aead": try measureDatagrams(isSealed: what == "aead")
        default: return false
        }
        return true
    }

    // MARK: Serving

    private func serve() throws {
        let twin = try TwinPort(loop: loop, on: .loopback(port: 0))
        let echo = DatagramEcho(twin.datagrams)
        twin.listener.onAccept = { [loop, context] stream in
            echo.lastID += 1
            let id = echo.lastID
            guard
                let link = try? BenchLink(
                    stream, loop, context, .listener, id: id, socket: twin.datagrams)
            else { return }
            echo.links[id] = link
            link.onMessage = { [unowned link] lane, bytes in
                if bytes.first == BenchLink.Kind.echo { link.send(bytes, on: lane) }
            }
            link.onUnreliable = { [unowned link] bytes in link.sendUnreliable(bytes) }
            link.onEnd = { echo.links[id] = nil }
        }
        twin.datagrams.onDatagram = { bytes, from in echo.received(bytes, from) }
        Self.say("ready \(twin.port)")
        loop.run()
    }

    // MARK: What all measurements share

    /// Connects and hands over the link once it is open.
    func dial(_ socket: DatagramSocket? = nil, _ body: @escaping (BenchLink) -> Void) throws {
        try TCPStream.connect(loop: loop, to: .loopback(port: port)) { [loop, context] result in
            do {
                let link = try BenchLink(
                    try result.get(), loop, context, .dialler, id: Self.firstLinkID, socket: socket)
                link.onEnd = { LinkBench.fail("the link ended") }
                link.onOpen = { [unowned link] in body(link) }
            } catch {
                LinkBench.fail("\(error)")
            }
        }
    }

    /// Stops the loop; what ends the program is that `run` returns.
    func finish() { loop.stop() }

    func message(_ kind: UInt8) -> [UInt8] {
        [kind] + [UInt8](repeating: 0, count: Self.messageBytes - 1)
    }

    /// Median and 99th percentile in microseconds, and the mean rate.
    static func summary(_ times: [UInt64], _ prefix: String = "") -> String {
        let sorted = times.sorted()
        let sum = sorted.reduce(0, +)
        return "\(prefix)p50=\(microseconds(sorted[sorted.count / 2])) "
            + "\(prefix)p99=\(microseconds(sorted[sorted.count * 99 / 100])) "
            + "\(prefix)rate=\(UInt64(times.count) * 1_000_000_000 / max(1, sum)) "
            + "\(prefix)count=\(times.count)"
    }

    /// With two places after the point.
    private static func microseconds(_ nanoseconds: UInt64) -> String {
        let hundredths = (nanoseconds + 5) / 10
        let rest = hundredths % 100
        return "\(hundredths / 100).\(rest < 10 ? "0" : "")\(rest)"
    }

    static func say(_ line: String) {
        let bytes = Array("\(line)\n".utf8)
        _ = unsafe write(STDOUT_FILENO, bytes, bytes.count)
    }

    static func fail(_ why: String) -> Never {
        say("parlor-bench: \(why)")
        exit(1)
    }

    /// Waits until whoever started this program closes its input.
    static func awaitEndOfInput() {
        var byte: UInt8 = 0
        while unsafe read(STDIN_FILENO, &byte, 1) > 0 {}
    }
}

/// The server's side of datagrams: plain ones come back as they are, sealed ones opened and sealed anew, and
/// those that name a link go there.
final class DatagramEcho {
    var links: [UInt32: BenchLink] = [:]
    var lastID = LinkBench.firstLinkID
    private let socket: DatagramSocket
    private var sealer = DatagramSealer(isServer: true)

    init(_ socket: DatagramSocket) { self.socket = socket }

    func received(_ bytes: [UInt8], _ from: SocketAddress) {
        switch bytes.count {
        case 1:
            sealer = DatagramSealer(isServer: true)
            socket.send(bytes, to: from)
        case LinkBench.messageBytes: socket.send(bytes, to: from)
        default:
            let id = bytes.prefix(5).dropFirst().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            if let link = links[id] { return link.received(bytes, from: from) }
            guard let message = sealer.open(bytes) else { return }
            socket.send(sealer.seal(message), to: from)
        }
    }
}

/// Datagrams as PROTOCOL.md has them: version, link ID, counter, then what is sealed.
struct DatagramSealer {
    private static let headerBytes = 13
    /// Version and link ID.
    private static let start: [UInt8] = [1, 0, 0, 0, 7]
    private let outgoing: PacketKey
    private let incoming: PacketKey
    private var counter: UInt64 = 0
    private var newest: UInt64 = 0

    init(isServer: Bool) {
        let keys = [1, 2].map { number in
            PacketKey([UInt8(number)] + [UInt8](repeating: 0, count: PacketKey.keyBytes - 1))
        }
        outgoing = keys[isServer ? 1 : 0]
        incoming = keys[isServer ? 0 : 1]
    }

    mutating func seal(_ message: [UInt8]) -> [UInt8] {
        counter += 1
        var packet: [UInt8] = []
        packet.reserveCapacity(Self.headerBytes + message.count + PacketKey.tagBytes)
        for byte in Self.start { packet.append(byte) }
        for shift in stride(from: 56, through: 0, by: -8) {
            packet.append(UInt8(truncatingIfNeeded: counter >> UInt64(shift)))
        }
        packet.append(contentsOf: message)
        outgoing.seal(packet: &packet, headerBytes: Self.headerBytes)
        return packet
    }

    mutating func open(_ packet: [UInt8]) -> [UInt8]? {
        guard packet.count > Self.headerBytes, packet[0] == 1 else { return nil }
        let number = packet[5..<Self.headerBytes].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        guard number > newest, let message = incoming.open(packet: packet, headerBytes: Self.headerBytes)
        else { return nil }
        newest = number
        return message
    }
}
