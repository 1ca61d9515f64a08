internal import ParlorProtocol

/// What travels along a stream.
enum StreamPart: Sendable {
    case bytes([UInt8])
    case end(SimNetwork.StreamEnd)
}

/// A stream between two nodes; side 0 has dialled.
struct SimStream: Sendable {
    /// What one side sends, and whether it still listens.
    struct Side: Sendable {
        var line = StreamLine(.none, seed: 0)
        /// Bytes that the other side does not have yet.
        var inFlight = 0
        var lastArrival = Tick(nanoseconds: 0)
        var wantsDrain = false
        /// Whether this side has closed the stream or seen its end.
        var isDone = false
        /// What has come to the border of a partition.
        var held: [StreamPart] = []
    }

    let nodes: [Int]
    var sides = [Side(), Side()]
    /// Whether the listener has taken it.
    var isOpen = false

    init(dialler: Int, listener: Int) { nodes = [dialler, listener] }

    /// The side that a node has; `nil` when it has none.
    func side(of node: Int) -> Int? { nodes.firstIndex(of: node) }
}

extension SimNetwork {
    /// Lets an item take effect; returns what a node notices of it.
    mutating func happen(_ item: Item) -> Happening? {
        switch item {
        case .event(let node, let event): return Happening(node: node, event: event)
        case .datagram(let bytes, let sender, let receiver):
            guard parts[sender] == parts[receiver] else { return nil }
            return Happening(node: receiver, event: .datagram(bytes, from: sender))
        case .connect(let id): return connectArrived(id)
        case .answer(let id): return answerArrived(id)
        case .part(let id, let side, let part): return arrived(id, from: side, part)
        case .flush(let id, let side): return flush(id, from: side)
        case .thaw(let node):
            thaw(node)
            return nil
        }
    }

    private mutating func connectArrived(_ id: StreamID) -> Happening? {
        guard let stream = streams[id], !stream.sides[0].isDone else {
            streams[id] = nil
            return nil
        }
        guard isJoined(stream), !stream.sides[0].line.isHalfOpen else {
            queue.schedule(.connect(id), at: now + Self.connectRetryWait)
            return nil
        }
        guard let answer = streams[id]?.sides[1].line.send(byteCount: 1, at: now).last else { return nil }
        guard isListening[stream.nodes[1]] else {
            queue.schedule(.event(node: stream.nodes[0], .refused(id)), at: answer.at)
            streams[id] = nil
            return nil
        }
        streams[id]?.isOpen = true
        queue.schedule(.answer(id), at: answer.at)
        return Happening(node: stream.nodes[1], event: .accepted(id, from: stream.nodes[0]))
    }

    private mutating func answerArrived(_ id: StreamID) -> Happening? {
        guard let stream = streams[id], !stream.sides[0].isDone else { return nil }
        return Happening(node: stream.nodes[0], event: .connected(id))
    }

    private mutating func arrived(_ id: StreamID, from side: Int, _ part: StreamPart) -> Happening? {
        guard let stream = streams[id] else { return nil }
        guard isJoined(stream), stream.sides[side].held.isEmpty else {
            // A reset is sent once; a node on the other side of a partition never hears of it.
            if case .end(.reset) = part { return nil }
            streams[id]?.sides[side].held.append(part)
            return nil
        }
        return take(id, from: side, part)
    }

    /// Hands a part to the side it is for.
    private mutating func take(_ id: StreamID, from side: Int, _ part: StreamPart) -> Happening? {
        guard let stream = streams[id] else { return nil }
        let receiver = stream.nodes[1 - side]
        switch part {
        case .bytes(let bytes):
            streams[id]?.sides[side].inFlight -= bytes.count
            drain(id, side)
            guard !stream.sides[1 - side].isDone else { return nil }
            return Happening(node: receiver, event: .received(id, bytes))
        case .end(let end):
            // Whoever sends an end has closed its side, so that now both are over.
            streams[id] = nil
            guard !stream.sides[1 - side].isDone else { return nil }
            return Happening(node: receiver, event: .ended(id, end))
        }
    }

    /// Lets what has waited for the end of a partition go on.
    private mutating func flush(_ id: StreamID, from side: Int) -> Happening? {
        guard let stream = streams[id], isJoined(stream) else { return nil }
        streams[id]?.sides[side].held = []
        var isFirst = true
        var first: Happening?
        for part in stream.sides[side].held {
            guard let happening = take(id, from: side, part) else { continue }
            if isFirst {
                first = happening
            } else {
                queue.schedule(.event(node: happening.node, happening.event), at: now)
            }
            isFirst = false
        }
        return first
    }

    /// Tells a side that the kernel has taken its bytes, when it has.
    mutating func drain(_ id: StreamID, _ side: Int) {
        guard let stream = streams[id], stream.sides[side].wantsDrain,
            stream.sides[side].inFlight <= Self.bufferBytes, !stream.sides[side].isDone
        else { return }
        streams[id]?.sides[side].wantsDrain = false
        queue.schedule(.event(node: stream.nodes[side], .drained(id)), at: now)
    }

    func isJoined(_ stream: SimStream) -> Bool { parts[stream.nodes[0]] == parts[stream.nodes[1]] }
}
