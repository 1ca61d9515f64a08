import Testing

@testable import ParlorProtocol

/// Two peers with a link, and the connections between them, in virtual time: bytes are cut and delayed, and
/// connections broken, as the seed has it.
struct LinkWorld {
    /// One peer: its link, what it has sent and received.
    struct Side {
        var link: Link?
        /// The connection that carries the link.
        var carrier: Int?
        var armed: Tick?
        /// When it dials.
        var dial: Tick?
        /// The connection that it has dialled, until that carries the link or fails.
        var dialling: Int?
        var sent = PerLane<[[UInt8]]>(repeating: [])
        var received = PerLane<[[UInt8]]>(repeating: [])
        var ends: [LinkEnd] = []
        var suspicions = 0
        var losses = 0
        var resumes = 0
        var isClosed = false
    }

    /// One transport; what stands twice is each side's.
    struct Connection {
        let dialler: Int
        var greetings: [Greeting]
        var isOver = [false, false]
        var armed: [Tick?] = [nil, nil]
        /// Bytes on their way from a side, with their arrival.
        var wires: [[(at: Tick, bytes: [UInt8])]] = [[], []]
        /// When the transport will have handed a side's bytes to the kernel.
        var drains: [Tick?] = [nil, nil]
        /// When a side sees the end of it.
        var ends: [Tick?] = [nil, nil]
        /// Whether a side has closed it, or seen its end.
        var isClosed = [false, false]
        /// Whether it is broken, and takes nothing more.
        var isCut = false

        /// Whether nothing of it will be heard any more.
        var isSilent: Bool {
            isClosed == [true, true] && wires.allSatisfy(\.isEmpty) && armed == [nil, nil]
                && drains == [nil, nil] && ends == [nil, nil]
        }
    }

    var sides = [Side(), Side()]
    var connections: [Connection] = []
    /// The connections of which something may yet be heard.
    private var live: [Int] = []
    var random: Seeded
    var now = Tick.zero
    /// Whether a side that has lost its connection dials.
    var redials = true

    /// Begins with the first connection on its way.
    init(seed: UInt64) {
        random = Seeded(seed: seed)
        connect(from: 0)
    }

    private func hello(_ side: Int, resume: Hello.Resume? = nil) -> Hello {
        Hello(software: "1", name: "", games: [], linkID: UInt32(side + 1), resume: resume)
    }

    mutating func connect(from side: Int) {
        let id = connections.count
        let own = hello(side, resume: sides[side].link?.resume)
        let greetings = (0...1).map {
            Greeting(role: $0 == side ? .dialler : .listener, hello: $0 == side ? own : hello($0))
        }
        connections.append(Connection(dialler: side, greetings: greetings))
        live.append(id)
        sides[side].dialling = id
        feed(.opened, 1 - side, on: id)
        feed(.opened, side, on: id)
    }

    // MARK: Links

    mutating func feed(_ input: Link.Input, to side: Int) {
        guard let actions = sides[side].link?.handle(input, at: now) else { return }
        perform(actions, of: side)
    }

    mutating func send(_ message: [UInt8], on lane: Lane, from side: Int) {
        guard let actions = try? sides[side].link?.send(message, on: lane, at: now) else {
            let isOpen = sides[side].link?.isOpen == true
            #expect(!isOpen, "an open link takes messages")
            return
        }
        sides[side].sent[lane].append(message)
        perform(actions, of: side)
    }

    mutating func perform(_ actions: [Link.Action], of side: Int) {
        #expect(sides[side].ends.isEmpty || actions.isEmpty, "actions after the end")
        for action in actions {
            switch action {
            case .write(let bytes):
                if let carrier = sides[side].carrier { transmit(bytes, from: side, on: carrier) }
            case .received(let lane, let message): sides[side].received[lane].append(message)
            case .clock, .alive, .streamed: break
            case .suspect: sides[side].suspicions += 1
            case .lost: sides[side].losses += 1
            case .resumed: sides[side].resumes += 1
            case .detached:
                sides[side].carrier = nil
                dialSoon(side)
            case .arm(let tick):
                if let tick, tick <= now { Issue.record("a deadline in the past") }
                sides[side].armed = tick
            case .closeTransport:
                sides[side].isClosed = true
                if let carrier = sides[side].carrier { close(carrier, by: side) }
            case .ended(let end):
                #expect(action == actions.last)
                sides[side].ends.append(end)
                sides[side].dial = nil
            }
        }
    }

    private mutating func dialSoon(_ side: Int) {
        guard redials, sides[side].link?.isOpen == true, sides[side].dial == nil else { return }
        sides[side].dial = now + .milliseconds(Int.random(in: 0...400, using: &random))
    }

    // MARK: Greetings

    private mutating func feed(_ input: Greeting.Input, _ side: Int, on id: Int) {
        guard !connections[id].isOver[side] else { return }
        for action in connections[id].greetings[side].handle(input, at: now) {
            switch action {
            case .write(let bytes): transmit(bytes, from: side, on: id)
            case .asked(let hello): decide(hello, side, on: id)
            case .done(let greeted):
                connections[id].isOver[side] = true
                carry(greeted, side, on: id)
            case .closeTransport: close(id, by: side)
            case .arm(let tick): connections[id].armed[side] = tick
            case .ended:
                connections[id].isOver[side] = true
                guard sides[side].dialling == id else { break }
                sides[side].dialling = nil
                if sides[side].link?.isAttached == false { dialSoon(side) }
            }
        }
    }

    /// Answers a hello as a hub does, but for the rule about two dials at once.
    private mutating func decide(_ hello: Hello, _ side: Int, on id: Int) {
        if let link = sides[side].link, link.isOutdated(hello) {
            return feed(.refuse(.replaced, detail: ""), side, on: id)
        }
        let received = sides[side].link?.received(resumedBy: hello)
        feed(.answer(self.hello(side), received: received), side, on: id)
    }

    private mutating func carry(_ greeted: Greeted, _ side: Int, on id: Int) {
        if let old = sides[side].carrier { close(old, by: side) }
        sides[side].carrier = id
        sides[side].dial = nil
        if let other = sides[side].dialling {
            sides[side].dialling = nil
            if other != id { feed(.close(.closed, detail: ""), side, on: other) }
        }
        if greeted.resumed != nil {
            feed(.attached(greeted), to: side)
        } else {
            let isFirst = sides[side].link == nil
            #expect(isFirst, "the link was forgotten")
            sides[side].link = Link(greeted, at: now)
            feed(.began, to: side)
        }
    }

    // MARK: Transports

    private mutating func transmit(_ bytes: [UInt8], from side: Int, on id: Int) {
        guard !connections[id].isCut, !connections[id].isClosed[side] else { return }
        var at = max(now, connections[id].wires[side].last?.at ?? now)
        var rest = bytes[...]
        while !rest.isEmpty {
            at = at + .microseconds(Int.random(in: 1...8_000, using: &random))
            let piece = rest.prefix(random.oneIn(3) ? Int.random(in: 1...9, using: &random) : 20_000)
            rest = rest.dropFirst(piece.count)
            connections[id].wires[side].append((at, Array(piece)))
        }
        connections[id].drains[side] = at
    }

    /// One side closes a connection: what it wrote arrives, then its end.
    private mutating func close(_ id: Int, by side: Int) {
        guard !connections[id].isClosed[side] else { return }
        connections[id].isClosed[side] = true
        connections[id].drains[side] = nil
        if sides[side].carrier == id { sides[side].carrier = nil }
        let last = max(now, connections[id].wires[side].last?.at ?? now)
        if !connections[id].isClosed[1 - side], connections[id].ends[1 - side] == nil {
            connections[id].ends[1 - side] = last + .milliseconds(Int.random(in: 1...20, using: &random))
        }
    }

    /// Breaks a connection at a random place of what is on its way; perhaps one side does not hear of it.
    mutating func cut(_ id: Int) {
        guard !connections[id].isCut else { return }
        connections[id].isCut = true
        let deaf = random.oneIn(4) ? Int.random(in: 0...1, using: &random) : nil
        for side in 0...1 {
            let count = connections[id].wires[side].count
            let kept = Int.random(in: 0...count, using: &random)
            connections[id].wires[side].removeLast(count - kept)
            if kept > 0, random.oneIn(2) {
                let bytes = connections[id].wires[side][kept - 1].bytes
                connections[id].wires[side][kept - 1].bytes = Array(
                    bytes.prefix(Int.random(in: 1...bytes.count, using: &random)))
            }
            guard deaf != 1 - side else { continue }
            let last = max(now, connections[id].wires[side].last?.at ?? now)
            connections[id].ends[1 - side] = last + .milliseconds(Int.random(in: 1...300, using: &random))
        }
    }

    /// Breaks the newest connection.
    mutating func cut() { cut(connections.count - 1) }

    private mutating func deliver(_ bytes: [UInt8], to side: Int, on id: Int) {
        guard !connections[id].isClosed[side] else { return }
        if !connections[id].isOver[side] {
            feed(.bytes(bytes), side, on: id)
        } else if sides[side].carrier == id {
            feed(.bytes(bytes), to: side)
        }
    }

    private mutating func transportEnded(_ side: Int, on id: Int) {
        connections[id].ends[side] = nil
        guard !connections[id].isClosed[side] else { return }
        connections[id].isClosed[side] = true
        connections[id].isCut = true
        if !connections[id].isOver[side] {
            feed(.transportEnded("cut"), side, on: id)
        } else if sides[side].carrier == id {
            sides[side].carrier = nil
            feed(.transportEnded("cut"), to: side)
        }
    }

    // MARK: Time

    /// What may happen next.
    private enum Event {
        case bytes(Int, from: Int)
        case drain(Int, Int)
        case end(Int, Int)
        case greetingDeadline(Int, Int)
        case deadline(Int)
        case dial(Int)
    }

    /// Jumps to whatever happens next; says no when nothing does until the given tick.
    mutating func step(until end: Tick) -> Bool {
        var best: (at: Tick, event: Event)?
        func offer(_ at: Tick?, _ event: Event) {
            guard let at, at <= end, best.map({ at < $0.at }) ?? true else { return }
            best = (at, event)
        }
        for side in 0...1 {
            offer(sides[side].armed, .deadline(side))
            offer(sides[side].dial, .dial(side))
            for id in live {
                offer(connections[id].wires[side].first?.at, .bytes(id, from: side))
                offer(connections[id].drains[side], .drain(id, side))
                offer(connections[id].ends[side], .end(id, side))
                offer(connections[id].armed[side], .greetingDeadline(id, side))
            }
        }
        guard let best else { return false }
        if live.count > 4 { live.removeAll { connections[$0].isSilent } }
        now = max(now, best.at)
        happen(best.event)
        return true
    }

    private mutating func happen(_ event: Event) {
        switch event {
        case .bytes(let id, let side):
            let bytes = connections[id].wires[side].removeFirst().bytes
            deliver(bytes, to: 1 - side, on: id)
        case .drain(let id, let side):
            connections[id].drains[side] = nil
            if sides[side].carrier == id { feed(.drained, to: side) }
        case .end(let id, let side): transportEnded(side, on: id)
        case .greetingDeadline(let id, let side):
            connections[id].armed[side] = nil
            feed(.deadlinePassed, side, on: id)
        case .deadline(let side):
            sides[side].armed = nil
            feed(.deadlinePassed, to: side)
        case .dial(let side):
            sides[side].dial = nil
            if sides[side].link?.isAttached == false, sides[side].dialling == nil { connect(from: side) }
        }
    }

    mutating func run(for duration: Duration) {
        let end = now + duration
        while step(until: end) {}
        now = end
    }

    mutating func message() -> [UInt8] {
        switch Int.random(in: 0...9, using: &random) {
        case 0: return random.bytes(4) + [UInt8](repeating: 7, count: 200_000)
        case 1: return random.bytes(4) + [UInt8](repeating: 8, count: Limits.chunkBytesMax - 4)
        case 2: return []
        default: return random.bytes(Int.random(in: 1...300, using: &random))
        }
    }
}
