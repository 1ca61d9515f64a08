import ParlorProtocol

extension FuzzTarget {
    /// Raw bytes to a connection that greets, and to the link that comes of it, in pieces as the first byte
    /// says.
    static let greeting = FuzzTarget(name: "greeting") { bytes in
        var input = FuzzInput(bytes)
        var listener = RawConnection(choice: input.byte())
        while !input.isEmpty { listener.receive(input.bytes(listener.pieceBytes)) }
        listener.finish()
    }

    /// Two links and the stream between them, all valid: what happens next is what the bytes say.
    static let link = FuzzTarget(name: "link") { bytes in
        var input = FuzzInput(bytes)
        var pair = LinkPair()
        input.steps(upTo: 200) { pair.happen(&$0) }
        pair.settle()
    }
}

/// One side of a connection, whose other side is raw bytes.
private struct RawConnection {
    private var greeting: Greeting
    private var link: Link?
    private var now = Tick(nanoseconds: 1_000_000_000)
    private let choice: UInt8
    private var ends = 0
    private var armed: Tick?

    /// How many bytes come at once.
    var pieceBytes: Int { (Int(choice >> 4) + 1) * (Int(choice >> 4) + 1) * (Int(choice >> 4) + 1) }

    init(choice: UInt8) {
        self.choice = choice
        let role: LinkRole = choice & 1 == 0 ? .dialler : .listener
        let resume = Hello.Resume(link: 2, received: PerLane(repeating: 0))
        let own = LinkPair.hello(1, resume: choice & 4 == 0 ? nil : resume)
        greeting = Greeting(role: role, hello: role == .dialler ? own : LinkPair.hello(1))
        greet(.opened)
        guard choice & 2 != 0 else { return }
        let peer = LinkPair.hello(2)
        receive((role == .dialler ? .welcome(Welcome(hello: peer, chosen: 1)) : Frame.hello(peer)).encoded())
    }

    mutating func receive(_ bytes: [UInt8]) {
        now = now + .milliseconds(1)
        if link == nil { greet(.bytes(bytes)) } else { feed(.bytes(bytes)) }
    }

    /// Nothing comes any more, then the transport ends; each deadline is kept.
    mutating func finish() {
        wait()
        if link == nil { greet(.transportEnded("cut")) } else { feed(.transportEnded("cut")) }
        wait()
        demand(ends == 1, "\(ends) ends")
    }

    private mutating func wait() {
        for _ in 0..<100 {
            guard let armed else { return }
            now = max(now, armed)
            self.armed = nil
            if link == nil { greet(.deadlinePassed) } else { feed(.deadlinePassed) }
        }
    }

    private mutating func greet(_ input: Greeting.Input) {
        let actions = greeting.handle(input, at: now)
        demand(ends == 0 || actions.isEmpty, "actions after the end")
        for action in actions {
            switch action {
            case .asked(let hello):
                let received = hello.resume.map { _ in PerLane<UInt64>(repeating: 0) }
                greet(.answer(LinkPair.hello(1), received: received))
            case .done(let greeted):
                link = Link(greeted, at: now)
                feed(.began)
                // Something to acknowledge.
                for _ in 0..<(choice >> 3 & 1) {
                    look((try? link?.send([1, 2, 3], on: .game, at: now)) ?? [])
                }
            case .ended: ends += 1
            case .arm(let tick): armed = tick
            case .write, .closeTransport: break
            }
        }
    }

    private mutating func feed(_ input: Link.Input) {
        look(link?.handle(input, at: now) ?? [])
    }

    private mutating func look(_ actions: [Link.Action]) {
        demand(ends == 0 || actions.isEmpty, "actions after the end")
        for action in actions {
            if case .ended = action { ends += 1 }
            if case .arm(let tick) = action { armed = tick }
        }
        demand(link?.isOpen == true ? ends == 0 : true, "open after its end")
        let held = link?.statistics.heldBytes ?? 0
        demand((0...Limits.linkHeldBytesMax).contains(held), "\(held) bytes are held")
    }
}

/// Two links and what lies on the way between them.
private struct LinkPair {
    struct Side {
        var link: Link
        var armed: Tick?
        /// Whether the link has a connection, as far as its driver knows.
        var isCarried = true
        /// On its way to the other side.
        var wire: [UInt8] = []
        var sent = PerLane<[[UInt8]]>(repeating: [])
        var received = PerLane<Int>(repeating: 0)
        var isEnded = false
        var isClosed = false

        mutating func end() {
            isEnded = true
            isCarried = false
        }
    }

    private var sides: [Side]
    /// Whether what is written goes anywhere.
    private var isWhole = true
    private var now = Tick(nanoseconds: 1_000_000_000)
    private var count: UInt8 = 0
    private var bytesSent = 0

    static let bytesSentMax = 6 * 1_024 * 1_024
    static let sizes = [
        0, 1, 7, 100, 1_000, 16_383, 16_384, 16_385, 32_768, 65_536, 200_000, Limits.messageBytesMax,
    ]

    static func hello(_ linkID: UInt32, resume: Hello.Resume? = nil) -> Hello {
        Hello(
            software: "1", name: "Ann", games: [Hello.Game(id: "snap", rules: 1)], linkID: linkID,
            resume: resume)
    }

    init() {
        sides = [LinkRole.dialler, .listener].map { role in
            let ids: (UInt32, UInt32) = role == .dialler ? (1, 2) : (2, 1)
            let greeted = Greeted(
                role: role, own: Self.hello(ids.0), peer: Self.hello(ids.1), chosen: 1)
            return Side(link: Link(greeted, at: Tick(nanoseconds: 1_000_000_000)))
        }
        for side in 0...1 { feed(.began, to: side) }
    }

    mutating func happen(_ input: inout FuzzInput) {
        let operation = input.byte()
        let side = Int(operation & 1)
        switch operation >> 1 & 15 {
        case 0...3: send(Self.sizes[input.number(below: Self.sizes.count)], from: side, &input)
        case 4: deliver(input.number(below: 65_536), from: side)
        case 5, 6: deliver(.max, from: side)
        case 7: for side in 0...1 { deliver(.max, from: side) }
        case 8: if sides[side].isCarried { feed(.drained, to: side) }
        case 9: pass(.milliseconds(input.number(below: 256)))
        case 10: pass(.milliseconds(20 * input.number(below: 256)))
        case 11: now = now + .milliseconds(10 * input.number(below: 256))  // nobody was there to look
        case 12: feed(.setPace(input.flag() ? .match : .idle), to: side)
        case 13: feed(.deadlinePassed, to: side)
        case 14: if input.number(below: 4) == 3 { feed(.close(.replaced, detail: "enough"), to: side) }
        default:
            let choice = input.byte()
            switch choice & 7 {
            case 0...2: cut(heardBy: [side, 1 - side])
            case 3: cut(heardBy: [side])
            default: resume(from: side, together: choice & 8 != 0)
            }
        }
        check()
    }

    /// Lets everything arrive and time pass; then nothing may be left, unless a side has ended.
    mutating func settle() {
        if !isWhole || sides.contains(where: { !$0.link.isAttached }) { resume(from: 0, together: false) }
        for _ in 0..<400 {
            for side in 0...1 {
                deliver(.max, from: side)
                if sides[side].isCarried { feed(.drained, to: side) }
            }
            if sides.allSatisfy({ $0.wire.isEmpty && $0.link.statistics.heldBytes == 0 }) { break }
            pass(Limits.acknowledgeWait)
        }
        check()
        guard sides.allSatisfy({ !$0.isEnded && $0.link.isOpen }) else { return }
        for side in 0...1 {
            let statistics = sides[side].link.statistics
            demand(sides[side].link.isAttached, "no connection after one was made")
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
        if sides[1 - side].isCarried { feed(.bytes(bytes), to: 1 - side) }
        // The side that closed for good says no more, and its stream has ended behind what it wrote.
        if sides[side].isClosed, sides[side].wire.isEmpty, sides[1 - side].isCarried {
            sides[1 - side].isCarried = false
            feed(.transportEnded("closed"), to: 1 - side)
        }
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

    /// The connection breaks, and what was on its way is gone.
    private mutating func cut(heardBy hearing: [Int]) {
        isWhole = false
        for side in 0...1 { sides[side].wire = [] }
        for side in hearing where sides[side].isCarried {
            sides[side].isCarried = false
            feed(.transportEnded("cut"), to: side)
        }
    }

    /// One side dials and says which link it resumes, and the other takes that for its link or does not.
    private mutating func resume(from side: Int, together: Bool) {
        guard sides[side].link.isOpen else { return }
        let own = Self.hello(UInt32(side + 1), resume: sides[side].link.resume)
        let other = Self.hello(UInt32(2 - side))
        var dialler = Greeting(role: .dialler, hello: own)
        var listener = Greeting(role: .listener, hello: other)
        _ = listener.handle(.opened, at: now)
        let hello = Self.written(dialler.handle(.opened, at: now))
        guard case .asked(let asked)? = listener.handle(.bytes(hello), at: now).first, asked == own else {
            return demand(false, "a hello is not taken")
        }
        guard !sides[1 - side].link.isOutdated(asked) else {
            return demand(false, "a hello is outdated though nothing has come since")
        }
        let received = sides[1 - side].link.received(resumedBy: asked)
        let actions = listener.handle(.answer(other, received: received), at: now)
        guard case .done(let greeted)? = actions.last else { return demand(false, "a hello is not answered") }
        guard received != nil else {
            cut(heardBy: [])
            sides[side].isCarried = false
            return feed(.forgotten, to: side)
        }
        isWhole = true
        for place in 0...1 {
            sides[place].wire = []
            sides[place].isCarried = true
            sides[place].isClosed = false
        }
        feed(.attached(greeted), to: 1 - side)
        // What follows the welcome may come with it.
        var bytes = Self.written(actions)
        if together {
            bytes += sides[1 - side].wire
            sides[1 - side].wire = []
        }
        guard case .done(let welcomed)? = dialler.handle(.bytes(bytes), at: now).last else {
            return demand(false, "a welcome is not taken")
        }
        feed(.attached(welcomed), to: side)
    }

    private static func written(_ actions: [Greeting.Action]) -> [UInt8] {
        actions.flatMap { action -> [UInt8] in if case .write(let bytes) = action { bytes } else { [] } }
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
            case .write(let bytes):
                demand(sides[side].isCarried, "bytes without a connection")
                if isWhole { sides[side].wire += bytes }
            case .received(let lane, let message):
                let place = sides[side].received[lane]
                let sent = sides[1 - side].sent[lane]
                demand(
                    place < sent.count && sent[place] == message, "message \(place) of \(lane) is another")
                sides[side].received[lane] += 1
            case .arm(let tick):
                if let tick { demand(tick > now, "a deadline in the past") }
                sides[side].armed = tick
            case .closeTransport:
                sides[side].isClosed = true
                sides[side].isCarried = false
            case .ended(let end):
                demand(end.reason != .protocolViolation, "a valid peer broke the protocol: \(end)")
                sides[side].end()
            case .detached: sides[side].isCarried = false
            case .streamed, .clock, .suspect, .alive, .lost, .resumed: break
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
            demand(
                statistics.heldBytes >= held || side.isEnded,
                "held bytes do not cover the queues: \(statistics)")
            for lane in Lane.allCases {
                let counters = statistics.lanes[lane]
                let (all, sent) = (side.sent[lane].count, Int(counters.sentMessages))
                let isRight =
                    sent + counters.queuedMessages >= all && max(sent, counters.queuedMessages) <= all
                demand(isRight || side.isEnded, "sent and queued are not all of \(lane): \(counters)")
                demand(
                    Int(counters.receivedMessages) == side.received[lane],
                    "received is not all of \(lane): \(counters)")
            }
        }
    }
}
