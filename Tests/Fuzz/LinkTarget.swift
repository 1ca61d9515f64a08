import ParlorProtocol

extension FuzzTarget {
    /// Raw bytes to a link that greets or is open, in pieces as the first byte says.
    static let greeting = FuzzTarget(name: "greeting") { bytes in
        var input = FuzzInput(bytes)
        let choice = input.byte()
        let piece = Int(choice >> 4) + 1
        let role: LinkRole = choice & 1 == 0 ? .dialler : .listener
        var ends = 0
        var link = Link(role: role, hello: LinkPair.hello(1))
        var now = Tick(nanoseconds: 1_000_000_000)
        func look(_ actions: [Link.Action]) {
            demand(ends == 0 || actions.isEmpty, "actions after the end")
            for action in actions {
                if case .ended = action { ends += 1 }
            }
            if ends > 0, let last = actions.last {
                if case .ended = last {} else { demand(false, "the end is not the last action") }
            }
            demand(link.isOpen ? ends == 0 : true, "open after its end")
            let held = link.statistics.heldBytes
            demand((0...Limits.linkHeldBytesMax).contains(held), "\(held) bytes are held")
        }
        look(link.handle(.opened, at: now))
        if choice & 2 != 0 {
            let frame: Frame =
                role == .dialler
                ? .welcome(Welcome(hello: LinkPair.hello(2), chosen: 1)) : .hello(LinkPair.hello(2))
            look(link.handle(.bytes(frame.encoded()), at: now))
        }
        // Something to acknowledge.
        for _ in 0..<(choice >> 2 & 3) {
            look((try? link.send([1, 2, 3], on: .game, at: now)) ?? [])
        }
        if choice & 8 != 0 { look(link.handle(.close(.closed, detail: ""), at: now)) }
        while !input.isEmpty {
            now = now + .milliseconds(piece)
            look(link.handle(.bytes(input.bytes(piece * piece * piece)), at: now))
        }
        look(link.handle(.drained, at: now))
        for _ in 0..<2 {
            now = now + .seconds(20)
            look(link.handle(.deadlinePassed, at: now))
            look(link.handle(.deadlinePassed, at: now))
        }
        if ends == 0 { look(link.handle(.transportEnded("end of stream"), at: now)) }
        demand(ends == 1, "a link ends once")
    }

    /// Two links and the stream between them, all valid: what happens next is what the bytes say.
    static let link = FuzzTarget(name: "link") { bytes in
        var input = FuzzInput(bytes)
        var pair = LinkPair()
        var steps = 0
        while !input.isEmpty, steps < 200 {
            steps += 1
            pair.happen(&input)
        }
        pair.settle()
    }
}

/// Two links and what lies on the way between them.
private struct LinkPair {
    struct Side {
        var link: Link
        var armed: Tick?
        /// On its way to the other side.
        var wire: [UInt8] = []
        var sent = PerLane<[[UInt8]]>(repeating: [])
        var received = PerLane<Int>(repeating: 0)
        var isEnded = false
        var isClosed = false
    }

    private var sides: [Side]
    private var now = Tick(nanoseconds: 1_000_000_000)
    private var count: UInt8 = 0
    private var bytesSent = 0

    static let bytesSentMax = 12 * 1_024 * 1_024
    static let sizes = [
        0, 1, 7, 100, 1_000, 16_383, 16_384, 16_385, 32_768, 65_536, 200_000, Limits.messageBytesMax,
    ]

    static func hello(_ linkID: UInt32) -> Hello {
        Hello(software: "1", name: "Ann", games: [Hello.Game(id: "snap", rules: 1)], linkID: linkID)
    }

    init() {
        sides = [
            Side(link: Link(role: .dialler, hello: Self.hello(1))),
            Side(link: Link(role: .listener, hello: Self.hello(2))),
        ]
        for side in 0...1 { feed(.opened, to: side) }
    }

    mutating func happen(_ input: inout FuzzInput) {
        let operation = input.byte()
        let side = Int(operation & 1)
        switch operation >> 1 & 15 {
        case 0...3: send(Self.sizes[input.number(below: Self.sizes.count)], from: side, &input)
        case 4: deliver(input.number(below: 65_536), from: side)
        case 5, 6: deliver(.max, from: side)
        case 7: for side in 0...1 { deliver(.max, from: side) }
        case 8: feed(.drained, to: side)
        case 9: pass(.milliseconds(input.number(below: 256)))
        case 10: pass(.milliseconds(20 * input.number(below: 256)))
        case 11: now = now + .milliseconds(10 * input.number(below: 256))  // nobody was there to look
        case 12: feed(.setPace(input.flag() ? .match : .idle), to: side)
        case 13: feed(.deadlinePassed, to: side)
        case 14: if input.number(below: 4) == 3 { feed(.close(.replaced, detail: "enough"), to: side) }
        default: if input.number(below: 4) == 3 { cut() }
        }
        check()
    }

    /// Lets everything arrive and time pass; then nothing may be left, unless a side has ended.
    mutating func settle() {
        for _ in 0..<400 {
            for side in 0...1 {
                deliver(.max, from: side)
                feed(.drained, to: side)
            }
            if sides.allSatisfy({ $0.wire.isEmpty && $0.link.statistics.heldBytes == 0 }) { break }
            pass(Limits.acknowledgeWait)
        }
        check()
        guard sides.allSatisfy({ !$0.isEnded }) else { return }
        for side in 0...1 {
            let statistics = sides[side].link.statistics
            demand(statistics.heldBytes == 0, "\(statistics.heldBytes) bytes are held at the end")
            for lane in Lane.allCases {
                demand(
                    sides[1 - side].received[lane] == sides[side].sent[lane].count,
                    "messages of \(lane) are missing")
            }
        }
    }

    private mutating func send(_ size: Int, from side: Int, _ input: inout FuzzInput) {
        let lane = input.pick(Lane.allCases)
        guard bytesSent + size <= Self.bytesSentMax else { return }
        count &+= 1
        let message = [UInt8](repeating: count, count: size)
        do throws(LinkSendError) {
            try perform(sides[side].link.send(message, on: lane, at: now), of: side) {
                $0.sent[lane].append(message)
            }
            bytesSent += size
        } catch {
            switch error {
            case .notOpen: demand(!sides[side].link.isOpen, "an open link is not open")
            case .messageTooLarge: demand(size > Limits.messageBytesMax, "\(size) bytes are too many")
            case .queueFull:
                demand(
                    sides[side].link.statistics.heldBytes + 2 * Limits.messageBytesMax
                        > Limits.linkHeldBytesMax, "full too early")
            }
        }
    }

    private mutating func deliver(_ count: Int, from side: Int) {
        let bytes = Array(sides[side].wire.prefix(count))
        guard !bytes.isEmpty else { return }
        sides[side].wire.removeFirst(bytes.count)
        feed(.bytes(bytes), to: 1 - side)
        // The side that closed for good says no more, and its stream has ended behind what it wrote.
        if sides[side].isClosed, sides[side].wire.isEmpty { feed(.transportEnded("closed"), to: 1 - side) }
    }

    /// Time passes, and each deadline is kept.
    private mutating func pass(_ duration: Duration) {
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

    private mutating func cut() {
        for side in 0...1 {
            sides[side].wire = []
            feed(.transportEnded("cut"), to: side)
        }
    }

    private mutating func feed(_ input: Link.Input, to side: Int) {
        perform(sides[side].link.handle(input, at: now), of: side)
    }

    private mutating func perform(
        _ actions: [Link.Action], of side: Int, before: (inout Side) -> Void = { _ in }
    ) {
        before(&sides[side])
        demand(!sides[side].isEnded || actions.isEmpty, "actions after the end: \(actions)")
        for action in actions {
            demand(!sides[side].isEnded, "the end is not the last action")
            switch action {
            case .write(let bytes): sides[side].wire += bytes
            case .received(let lane, let message):
                let place = sides[side].received[lane]
                let sent = sides[1 - side].sent[lane]
                demand(
                    place < sent.count && sent[place] == message, "message \(place) of \(lane) is another")
                sides[side].received[lane] += 1
            case .arm(let tick):
                if let tick { demand(tick > now, "a deadline in the past") }
                sides[side].armed = tick
            case .closeTransport: sides[side].isClosed = true
            case .ended(let end):
                demand(end.reason != .protocolViolation, "a valid peer broke the protocol: \(end)")
                sides[side].isEnded = true
            case .established, .clock, .suspect, .alive: break
            }
        }
    }

    private func check() {
        for side in sides {
            let statistics = side.link.statistics
            let held = Lane.allCases.reduce(0) {
                $0 + statistics.lanes[$1].queuedBytes + statistics.lanes[$1].unacknowledgedBytes
            }
            demand(statistics.heldBytes <= Limits.linkHeldBytesMax, "\(statistics.heldBytes) bytes are held")
            demand(statistics.heldBytes >= held, "held bytes do not cover the queues: \(statistics)")
            for lane in Lane.allCases {
                let counters = statistics.lanes[lane]
                demand(
                    Int(counters.sentMessages) + counters.queuedMessages == side.sent[lane].count,
                    "sent and queued are not all of \(lane): \(counters)")
                demand(
                    Int(counters.receivedMessages) == side.received[lane],
                    "received is not all of \(lane): \(counters)")
            }
        }
    }
}
