import ParlorProtocol

extension FuzzTarget {
    /// What a stranger and what the peer may send as datagrams, and in frames of the stream.
    ///
    /// Each item is a byte that says how it comes, two for its size, and the bytes.
    static let datagrams = FuzzTarget(name: "datagrams") { bytes in
        var input = FuzzInput(bytes)
        var pair = UnreliablePair()
        while !input.isEmpty {
            let way = input.byte()
            let content = input.counted()
            if let message = UnreliableMessage(content) {
                demand(message.encoded() == content, "read and written, \(message) differs")
            }
            pair.receive(content, way: way)
        }
        pair.pass(.seconds(30))
    }

    /// Two machines and a network that loses, doubles and overtakes: what happens next is what the bytes say.
    static let unreliable = FuzzTarget(name: "unreliable") { bytes in
        var input = FuzzInput(bytes)
        var pair = UnreliablePair()
        input.steps(upTo: 300) { pair.happen(&$0) }
        pair.settle()
    }
}

/// Two machines for messages that may be lost, and what lies on the way between them.
private struct UnreliablePair {
    struct Sent {
        let bytes: [UInt8]
        let key: UInt32?
    }

    struct Side {
        var machine = Unreliable()
        var armed: Tick?
        var datagrams: [[UInt8]] = []
        var frames: [[UInt8]] = []
        var sent: [Sent] = []
        /// The place among the other side's messages of the newest received, by key; -1 stands for none.
        var newest: [Int64: Int] = [:]
        var linkID: UInt32
        var endpoint: Endpoint
    }

    private var sides: [Side]
    private var now = Tick(nanoseconds: 1_000_000_000)
    private var connections: UInt8 = 0
    /// Seals as side 1 does, for what the target makes up.
    private var forger: DatagramCipher
    /// Whether the content of messages is known.
    private var isHonest = true

    static let sizes = [
        4, 5, 100, 1_000, Limits.fragmentBytesMax, Limits.fragmentBytesMax + 1, 5_000, 16_384,
    ]
    static let waysMax = 200

    init() {
        sides = (UInt32(0)...1).map { number in
            guard let endpoint = Endpoint(address: [127, 0, 0, UInt8(number + 1)], port: 9) else {
                preconditionFailure("four bytes are an address")
            }
            return Side(linkID: number + 1, endpoint: endpoint)
        }
        forger = DatagramCipher(keys: Self.keys(0, .listener), ownLinkID: 2, peerLinkID: 1)
        connect()
    }

    private static func keys(_ connection: UInt8, _ role: LinkRole) -> DatagramKeys {
        let client = [UInt8](repeating: connection, count: DatagramKeys.exportedBytes / 2)
        let server = [UInt8](repeating: ~connection, count: DatagramKeys.exportedBytes / 2)
        return DatagramKeys(exported: client + server, role: role)
    }

    /// A new connection: other keys, nothing on the way.
    private mutating func connect() {
        for side in 0...1 {
            sides[side].datagrams = []
            sides[side].frames = []
        }
        for side in 0...1 {
            let connection = Unreliable.Connection(
                keys: Self.keys(connections, side == 0 ? .dialler : .listener),
                ownLinkID: sides[side].linkID, peerLinkID: sides[1 - side].linkID,
                peer: sides[1 - side].endpoint, start: Tick(nanoseconds: 500_000_000))
            feed(.began(connection), to: side)
        }
        connections &+= 1
    }

    // MARK: Made-up input

    mutating func receive(_ content: [UInt8], way: UInt8) {
        isHonest = false
        now = now + .milliseconds(Int(way >> 4) * 10)
        switch way & 7 {
        case 0: feed(.datagram(content, from: sides[1].endpoint), to: 0)
        case 1: feed(.streamed(content), to: 0)
        case 2: feed(.deadlinePassed, to: 0)
        case 3: feed(.datagram(sides[1].datagrams.first ?? content, from: sides[1].endpoint), to: 0)
        case 4: feed(.drained, to: 0)
        default:
            let room = Limits.datagramBytesMax - Limits.datagramHeaderBytes - Limits.datagramTagBytes
            guard content.count <= room else { return }
            feed(.datagram(forger.seal(content), from: sides[1].endpoint), to: 0)
        }
    }

    // MARK: What may happen

    mutating func happen(_ input: inout FuzzInput) {
        let operation = input.byte()
        let side = Int(operation & 1)
        switch operation >> 1 & 15 {
        case 0...3: send(from: side, &input)
        case 4: datagram(input.number(below: 8), from: side, isKept: false)
        case 5: datagram(input.number(below: 8), from: side, isKept: true)  // comes twice
        case 6, 7: deliverAll()
        case 8: frame(from: side)
        case 9: if !sides[side].datagrams.isEmpty { sides[side].datagrams.removeFirst() }
        case 10: sides[side].datagrams = []
        case 11: pass(.milliseconds(input.number(below: 256)))
        case 12: pass(.milliseconds(50 * input.number(below: 256)))
        case 13: feed(.drained, to: side)
        case 14: feed(.streamFull, to: side)
        default:
            guard input.number(below: 4) == 3 else { return }
            for side in 0...1 { feed(.detached, to: side) }
            pass(.milliseconds(10 * input.number(below: 256)))
            connect()
        }
        for side in sides {
            let statistics = side.machine.statistics
            demand(statistics.queuedMessages <= Limits.unreliableQueueMax, "the queue is too long")
            let bytes = statistics.queuedBytes
            demand((0...Limits.unreliableQueueBytesMax).contains(bytes), "the queue holds \(bytes) bytes")
            demand(statistics.refused.malformed == 0, "a peer's message is malformed")
            demand(statistics.refused.forged == 0, "a peer's datagram is forged")
        }
    }

    /// Nothing waits for ever.
    mutating func settle() {
        for _ in 0..<24 {
            deliverAll()
            for side in 0...1 { feed(.drained, to: side) }
            pass(.milliseconds(500))
        }
        for side in sides {
            demand(side.machine.statistics.queuedMessages == 0, "a message waits for ever")
        }
    }

    private mutating func send(from side: Int, _ input: inout FuzzInput) {
        let place = sides[side].sent.count
        let size = input.pick(Self.sizes)
        let choice = input.byte()
        let key = choice & 3 == 0 ? nil : UInt32(choice & 3)
        let life = Duration.milliseconds([1, 50, 200, 12_000][Int(choice >> 2 & 3)])
        var bytes = [UInt8](repeating: UInt8(truncatingIfNeeded: place), count: size)
        for byte in 0..<4 { bytes[byte] = UInt8(truncatingIfNeeded: place >> (8 * byte)) }
        sides[side].sent.append(Sent(bytes: bytes, key: key))
        guard let actions = try? sides[side].machine.send(bytes, key: key, timeToLive: life, at: now) else {
            return demand(false, "a message is refused")
        }
        perform(actions, of: side)
    }

    private mutating func datagram(_ place: Int, from side: Int, isKept: Bool) {
        guard sides[side].datagrams.indices.contains(place) else { return }
        let bytes = sides[side].datagrams[place]
        if !isKept { sides[side].datagrams.remove(at: place) }
        feed(.datagram(bytes, from: sides[side].endpoint), to: 1 - side)
    }

    private mutating func frame(from side: Int) {
        guard !sides[side].frames.isEmpty else { return }
        feed(.streamed(sides[side].frames.removeFirst()), to: 1 - side)
    }

    private mutating func deliverAll() {
        for _ in 0..<Self.waysMax
        where sides.contains(where: { !$0.datagrams.isEmpty || !$0.frames.isEmpty }) {
            for side in 0...1 {
                datagram(0, from: side, isKept: false)
                frame(from: side)
            }
        }
    }

    mutating func pass(_ duration: Duration) {
        let end = now + duration
        for _ in 0..<1_000 {
            let due = (0...1).compactMap { side in sides[side].armed.map { (at: $0, side: side) } }
                .min { $0.at < $1.at }
            guard let due, due.at <= end else { break }
            now = max(now, due.at)
            sides[due.side].armed = nil
            feed(.deadlinePassed, to: due.side)
        }
        now = end
    }

    // MARK: Carrying out

    private mutating func feed(_ input: Unreliable.Input, to side: Int) {
        perform(sides[side].machine.handle(input, at: now), of: side)
    }

    private mutating func perform(_ actions: [Unreliable.Action], of side: Int) {
        for action in actions {
            switch action {
            case .sendDatagram(let bytes, _):
                demand(bytes.count <= Limits.datagramBytesMax, "a datagram of \(bytes.count) bytes")
                sides[side].datagrams.append(bytes)
            case .sendStreamed(let bytes):
                demand(bytes.count <= Limits.chunkBytesMax, "a frame of \(bytes.count) bytes")
                sides[side].frames.append(bytes)
            case .received(let bytes, let key): received(bytes, key, by: side)
            case .path: break
            case .arm(let tick):
                if let tick { demand(tick > now, "a deadline that has passed: a driver would spin") }
                sides[side].armed = tick
            }
        }
    }

    private mutating func received(_ bytes: [UInt8], _ key: UInt32?, by side: Int) {
        demand(bytes.count <= Limits.unreliableBytesMax, "a message of \(bytes.count) bytes")
        guard isHonest else { return }
        let place = bytes.prefix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
        let sent = sides[1 - side].sent
        demand(place < sent.count && sent[place].bytes == bytes, "a message is another than was sent")
        demand(sent[place].key == key, "a message came with another key")
        let order = key.map { Int64($0) } ?? -1
        demand(sides[side].newest[order] ?? -1 < place, "message \(place) came twice or late")
        sides[side].newest[order] = place
    }
}
