public import ParlorProtocol

/// A network of nodes with streams and datagrams, in virtual time and without I/O.
///
/// Everything follows from the seed and from the calls. The user takes one happening after the other with
/// ``next(upTo:)``, hands it to the node it is for, and carries out what that node wants by calling the
/// network, before it takes the next.
public struct SimNetwork: Sendable {
    /// A stream, also after its end.
    public struct StreamID: Hashable, Comparable, Sendable {
        let number: Int

        /// Whether one was dialled before another.
        public static func < (left: StreamID, right: StreamID) -> Bool { left.number < right.number }
    }

    /// How a stream ends without its owner's wish.
    public enum StreamEnd: Hashable, Sendable {
        /// The other side has closed it, after all that it wrote.
        case closed
        /// It was torn down; bytes on their way are lost.
        case reset
    }

    /// What happens to a node.
    public enum Event: Hashable, Sendable {
        /// A node has connected to this one.
        case accepted(StreamID, from: Int)
        /// The stream that this node dialled is open.
        case connected(StreamID)
        /// Nobody listens there.
        case refused(StreamID)
        /// Bytes have come.
        case received(StreamID, [UInt8])
        /// What was written has been taken by the kernel; once after each time that it has.
        case drained(StreamID)
        /// The stream is over; nothing more comes of it.
        case ended(StreamID, StreamEnd)
        /// A datagram has come.
        case datagram([UInt8], from: Int)
        /// A moment asked for with ``wake(_:at:token:)`` has come; for ``world``, one of ``schedule(_:at:)``.
        case woken(Int)
    }

    /// An event, and whose it is.
    public struct Happening: Sendable {
        /// The node; ``world`` for what the user scheduled for itself.
        public let node: Int
        /// What happens to it.
        public let event: Event
    }

    /// The user itself, as the receiver of its own schedule.
    public static let world = -1
    /// What a kernel takes of a stream before the other side has it.
    public static let bufferBytes = 64 * 1_024
    /// From an unanswered connect to the next (`TCP_TIMEOUT_INIT`).
    public static let connectRetryWait = Duration.seconds(1)
    /// The most that passes from the end of a partition until a stream across it moves again.
    public static let healWaitMax = Duration.milliseconds(400)

    /// What waits for its moment.
    enum Item: Sendable {
        case event(node: Int, Event)
        case datagram([UInt8], from: Int, to: Int)
        case connect(StreamID)
        case answer(StreamID)
        /// Travels from a side to the other.
        case part(StreamID, from: Int, StreamPart)
        case flush(StreamID, from: Int)
        case thaw(Int)
    }

    /// The nodes' number.
    public let nodeCount: Int
    /// True time.
    public internal(set) var now = Tick(nanoseconds: 0)
    var queue = EventQueue<Item>()
    var random: SeededGenerator
    var streams: [StreamID: SimStream] = [:]
    var clocks: [SimClock]
    var isListening: [Bool]
    /// For each node, the part of a partition it is in; nodes of different parts do not hear each other.
    var parts: [Int]
    /// For each direction: its conditions, its line for datagrams, until when it stalls.
    var directions: [Direction]
    private var frozen: [Int: [Event]] = [:]
    private var thawed = SimBacklog()
    private var streamCount = 0

    /// One node to another.
    struct Direction: Sendable {
        var conditions: NetworkConditions
        var datagrams: DatagramLine
        var stalledUntil = Tick(nanoseconds: 0)
    }

    /// Makes a network of nodes, numbered from 0, that all listen; everything follows from the seed.
    public init(nodes: Int, conditions: NetworkConditions = .loopback, seed: UInt64) {
        nodeCount = nodes
        var random = SeededGenerator(seed: seed)
        clocks = Array(repeating: SimClock(), count: nodes)
        isListening = Array(repeating: true, count: nodes)
        parts = Array(repeating: 0, count: nodes)
        directions = (0..<nodes * nodes).map { _ in
            Direction(
                conditions: conditions, datagrams: DatagramLine(conditions, seed: random.next()))
        }
        self.random = random
    }

    // MARK: Time

    /// Takes what happens next, unless it lies after a moment; true time then is that moment.
    public mutating func next(upTo end: Tick) -> Happening? {
        while true {
            if let happening = thawed.popFirst() { return happening }
            guard let (at, item) = queue.next(upTo: end) else {
                now = max(now, end)
                return nil
            }
            now = max(now, at)
            guard let happening = happen(item) else { continue }
            guard frozen[happening.node] == nil else {
                frozen[happening.node]?.append(happening.event)
                continue
            }
            return happening
        }
    }

    /// What a node's clock shows.
    public func localTime(of node: Int) -> Tick { clocks[node].local(at: now) }

    /// Gives a node another clock; before its first timer, because those do not move.
    public mutating func setClock(_ clock: SimClock, of node: Int) { clocks[node] = clock }

    /// Wakes a node when its clock shows so much.
    public mutating func wake(_ node: Int, at local: Tick, token: Int) {
        queue.schedule(.event(node: node, .woken(token)), at: max(now, clocks[node].truth(at: local)))
    }

    /// Wakes the user itself, as ``world``, at a true moment.
    public mutating func schedule(_ token: Int, at truth: Tick) {
        queue.schedule(.event(node: Self.world, .woken(token)), at: truth)
    }

    /// A node's process stands still for so long; what happens to it meanwhile waits, in order.
    public mutating func freeze(_ node: Int, for duration: Duration) {
        guard frozen[node] == nil else { return }
        frozen[node] = []
        queue.schedule(.thaw(node), at: now + duration)
    }

    // MARK: Datagrams

    /// Sends a datagram, which may arrive, once or twice, or not.
    public mutating func send(_ datagram: [UInt8], from sender: Int, to receiver: Int) {
        let place = direction(sender, receiver)
        directions[place].datagrams.stall(until: directions[place].stalledUntil)
        for at in directions[place].datagrams.send(byteCount: datagram.count, at: now) {
            queue.schedule(.datagram(datagram, from: sender, to: receiver), at: at)
        }
    }

    // MARK: Streams

    /// Begins to connect a node to another; ``Event/connected(_:)`` or ``Event/refused(_:)`` follow, or
    /// nothing while they are apart.
    public mutating func connect(_ dialler: Int, to listener: Int) -> StreamID {
        precondition(dialler != listener, "a node does not dial itself")
        streamCount += 1
        let id = StreamID(number: streamCount)
        var stream = SimStream(dialler: dialler, listener: listener)
        for side in 0...1 {
            let from = stream.nodes[side]
            let conditions = directions[direction(from, stream.nodes[1 - side])].conditions
            stream.sides[side].line = StreamLine(conditions, seed: random.next())
        }
        let stall = directions[direction(dialler, listener)].stalledUntil
        stream.sides[0].line.stall(until: stall)
        let at = stream.sides[0].line.send(byteCount: 1, at: now).last?.at ?? now
        streams[id] = stream
        queue.schedule(.connect(id), at: at)
        return id
    }

    /// Writes to an open stream; ``Event/drained(_:)`` follows once the kernel has taken it all.
    ///
    /// Nothing happens when the stream is over.
    public mutating func write(_ bytes: [UInt8], to id: StreamID, by node: Int) {
        guard let side = streams[id]?.side(of: node), var stream = streams[id] else { return }
        guard stream.isOpen, !stream.sides[side].isDone, !bytes.isEmpty else { return }
        let stall = directions[direction(node, stream.nodes[1 - side])].stalledUntil
        stream.sides[side].line.stall(until: stall)
        stream.sides[side].inFlight += bytes.count
        var rest = bytes[...]
        for piece in stream.sides[side].line.send(byteCount: bytes.count, at: now) {
            queue.schedule(.part(id, from: side, .bytes(Array(rest.prefix(piece.byteCount)))), at: piece.at)
            stream.sides[side].lastArrival = piece.at
            rest = rest.dropFirst(piece.byteCount)
        }
        stream.sides[side].wantsDrain = true
        streams[id] = stream
        drain(id, side)
    }

    /// Closes a stream; its owner hears no more of it.
    ///
    /// - Parameters:
    ///   - id: The stream.
    ///   - node: Who closes it.
    ///   - flush: Whether what was written still arrives; otherwise the other side sees a reset.
    public mutating func close(_ id: StreamID, by node: Int, flush: Bool) {
        guard let side = streams[id]?.side(of: node), var stream = streams[id] else { return }
        guard !stream.sides[side].isDone else { return }
        stream.sides[side].isDone = true
        guard !stream.sides[1 - side].isDone else {
            streams[id] = nil
            return
        }
        // The end travels behind the bytes; a stream that swallows them swallows it too.
        if let piece = stream.sides[side].line.send(byteCount: 1, at: now).last {
            let at = flush ? max(piece.at, stream.sides[side].lastArrival) : piece.at
            queue.schedule(.part(id, from: side, .end(flush ? .closed : .reset)), at: at)
        }
        streams[id] = stream
    }

    /// The nodes that a stream joins, its dialler first; `nil` when it is over for both.
    public func nodes(of id: StreamID) -> (dialler: Int, listener: Int)? {
        streams[id].map { ($0.nodes[0], $0.nodes[1]) }
    }

    func direction(_ from: Int, _ to: Int) -> Int { from * nodeCount + to }

    mutating func thaw(_ node: Int) {
        for event in frozen.removeValue(forKey: node) ?? [] {
            thawed.append(Happening(node: node, event: event))
        }
    }
}

/// What happened to nodes while they stood still, first come, first served.
struct SimBacklog: Sendable {
    private var happenings: [SimNetwork.Happening] = []
    private var head = 0

    mutating func append(_ happening: SimNetwork.Happening) { happenings.append(happening) }

    mutating func popFirst() -> SimNetwork.Happening? {
        guard head < happenings.count else { return nil }
        head += 1
        if head == happenings.count {
            defer { (happenings, head) = ([], 0) }
            return happenings[head - 1]
        }
        return happenings[head - 1]
    }
}
