import ParlorProtocol
import Testing

@testable import ParlorSim

/// Two peers under one ``MatrixCase``: sends, breaks, and notes every promise that is not kept.
struct MatrixWorld {
    /// An unreliable message that was sent.
    private struct Datagram {
        let from: Int
        let key: UInt32?
        let at: Tick
        let timeToLive: Duration
    }

    /// What one node has seen.
    private struct Side {
        /// Messages taken from this node, in each lane.
        var sent = PerLane<[[UInt8]]>(repeating: [])
        /// How many of the other side's messages have come, or were skipped, in each lane.
        var received = PerLane<Int>(repeating: 0)
        var newest: [UInt32?: Int] = [:]
        var datagramsReceived = 0
        var heardAt = Tick(nanoseconds: 0)
        var lostAt: Tick?
        var ends: [LinkEnd] = []
        var frozenUntil = Tick(nanoseconds: 0)
    }

    let condition: MatrixCase
    private(set) var problems: [String] = []
    private var world: SimWorld
    private var sides = [Side(), Side()]
    private var datagrams: [Datagram] = []
    private var random: SeededGenerator
    private var hasCut = false
    private var isClosing = false
    private let isTracing: Bool

    private static let trafficToken = 1_000
    private static let cutToken = 2_000
    private static let healToken = 2_001
    private static let hearToken = 2_002

    init(_ condition: MatrixCase, seed: UInt64, isTracing: Bool = false) {
        self.condition = condition
        self.isTracing = isTracing
        random = SeededGenerator(seed: seed &* 0x9E37_79B9)
        world = SimWorld(nodes: 2, conditions: condition.there, seed: seed)
        world.network.setConditions(condition.back, from: 1, to: 0)
        for node in 0...1 { world.network.setClock(condition.clocks[node], of: node) }
        for index in condition.faults.indices {
            world.network.schedule(index, at: Self.tick(condition.faults[index].begin))
        }
        world.network.schedule(Self.trafficToken, at: Self.tick(500))
    }

    private static func tick(_ milliseconds: Int) -> Tick {
        Tick(nanoseconds: 0) + .milliseconds(milliseconds)
    }

    // MARK: Running

    /// Lives through the condition; afterwards ``problems`` has what did not hold.
    mutating func run() {
        world.act(0) { $0.connect(to: 1, &$1) }
        if condition.bothDial { world.act(1) { $0.connect(to: 0, &$1) } }
        lookAtPhase()
        run(until: Tick(nanoseconds: 0) + condition.end)
        if condition.phase == .closing {
            send(random.bytes(300_000), on: .bulk, from: 0)
            isClosing = true
            world.act(0) { $0.close(1, .closed, &$1) }
            lookAtPhase()
        }
        let deadline = Tick(nanoseconds: 0) + condition.end + condition.settleWait
        repeat { run(until: world.now + .seconds(3)) } while world.now < deadline && !unsettled.isEmpty
        for text in unsettled { problem(text) }
        expectDatagrams()
        guard condition.phase != .closing else { return }
        isClosing = true
        let endsBefore = sides.map(\.ends.count)
        let closer = Int.random(in: 0...1, using: &random)
        world.act(closer) { $0.close(1 - closer, .replaced, &$1) }
        run(until: world.now + Limits.closeWait + .seconds(8))
        expectClosed(by: closer, endsBefore)
    }

    private mutating func run(until end: Tick) {
        while let step = world.step(upTo: end) {
            if isTracing { print("\(world.now) \(step.node): \(described(step.event)) \(step.notices)") }
            noteHearing(step)
            for notice in step.notices { noted(notice, at: step.node, because: step.event) }
            if step.node == SimNetwork.world, case .woken(let token) = step.event { happen(token) }
            lookAtPhase()
        }
    }

    private func described(_ event: SimNetwork.Event?) -> String {
        switch event {
        case .received(let id, let bytes): "received \(bytes.count) bytes of \(id.number)"
        case .datagram(let bytes, _): "datagram of \(bytes.count) bytes"
        case .some(let event): "\(event)"
        case nil: "by itself"
        }
    }

    private mutating func problem(_ text: String) {
        if problems.count < 8 { problems.append("\(world.now): \(text)") }
    }

    // MARK: What is done

    private mutating func happen(_ token: Int) {
        switch token {
        case Self.trafficToken: sendSomething()
        case Self.cutToken: world.network.cutStreams(between: 0, 1)
        case Self.healToken: world.network.heal()
        case Self.hearToken: world.network.setListening(true, at: 1)
        default: begin(condition.faults[token])
        }
    }

    private mutating func begin(_ fault: MatrixCase.Fault) {
        let end = Self.tick(fault.end)
        switch fault {
        case .cut: world.network.cutStreams(between: 0, 1)
        case .halfOpen(_, let sender): world.network.halfOpen(from: sender, to: 1 - sender)
        case .stall(_, let sender, _): world.network.stall(from: sender, to: 1 - sender, until: end)
        case .freeze(_, let node, _):
            world.network.freeze(node, for: end - world.now)
            sides[node].frozenUntil = end
        case .partition:
            world.network.partition([[0], [1]])
            world.network.schedule(Self.healToken, at: end)
        case .deaf:
            world.network.setListening(false, at: 1)
            world.network.schedule(Self.hearToken, at: end)
        }
    }

    private var isBusy: Bool {
        switch condition.traffic {
        case .busy: true
        case .quiet: false
        case .changing: world.now.nanoseconds / 2_000_000_000 % 2 == 0
        }
    }

    private mutating func sendSomething() {
        guard world.now < Tick(nanoseconds: 0) + .seconds(condition.seconds) else { return }
        let pause = isBusy ? 20 : 700
        world.network.schedule(Self.trafficToken, at: world.now + .milliseconds(pause))
        let sender = Int.random(in: 0...1, using: &random)
        guard world.now >= sides[sender].frozenUntil else { return }
        if Bool.random(using: &random) {
            let lane = Lane.allCases.randomElement(using: &random) ?? .game
            let rate = min(condition.there.bytesPerSecond ?? .max, condition.back.bytesPerSecond ?? .max)
            let isLarge = isBusy && Int.random(in: 0..<30, using: &random) == 0
            let most = isLarge ? min(120_000, rate / 4) : min(400, rate / 50)
            send(random.bytes(Int.random(in: 0...most, using: &random)), on: lane, from: sender)
        } else {
            sendDatagram(from: sender)
        }
    }

    private mutating func send(_ message: [UInt8], on lane: Lane, from sender: Int) {
        let isTaken = world.act(sender) { $0.send(message, on: lane, to: 1 - sender, &$1) }
        if isTaken { sides[sender].sent[lane].append(message) }
    }

    private mutating func sendDatagram(from sender: Int) {
        let key: UInt32? = Bool.random(using: &random) ? UInt32.random(in: 0..<4, using: &random) : nil
        let life = Duration.milliseconds([50, 200, 200, 1_000].randomElement(using: &random) ?? 200)
        let size = Int.random(in: 0..<12, using: &random) == 0 ? 9_000 : 60
        let number = datagrams.count
        let message = (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) } + random.bytes(size)
        datagrams.append(Datagram(from: sender, key: key, at: world.now, timeToLive: life))
        _ = world.act(sender) {
            $0.sendUnreliable(message, key: key, timeToLive: life, to: 1 - sender, &$1)
        }
    }

    /// Cuts the connection once it has come to the phase that the condition names.
    private mutating func lookAtPhase() {
        guard let phase = condition.phase, !hasCut else { return }
        let links = (0...1).map { world.nodes[$0].link(to: 1 - $0) }
        let isThere: Bool
        switch phase {
        case .connecting: isThere = world.network.streams.values.contains { !$0.isOpen }
        case .securing: isThere = world.nodes[1].connections.values.contains { $0.isSecuring }
        case .helloSent: isThere = world.nodes[0].connections.values.contains { !$0.isSecuring }
        case .welcomeSent: isThere = links[1] != nil && links[0] == nil
        case .midChunk:
            isThere = (0...1).contains {
                (links[$0]?.statistics.lanes[.bulk].unacknowledgedBytes ?? 0) > 40_000
            }
        case .midAcknowledgement: return  // begun where a message has come
        case .closing: isThere = isClosing && links[0]?.isOpen == false
        }
        guard isThere else { return }
        hasCut = true
        world.network.cutStreams(between: 0, 1)
    }

    // MARK: What is promised

    private mutating func noted(
        _ notice: SimNode.Notice, at node: Int, because event: SimNetwork.Event?
    ) {
        let peer = 1 - node
        switch notice {
        case .up:
            sides[node].heardAt = world.now
            world.act(node) { [pace = condition.pace] in $0.setPace(pace, to: peer, &$1) }
        case .resumed, .alive: sides[node].heardAt = world.now
        case .received(let message, let lane, _): received(message, lane, at: node)
        case .unreliable(let message, let key, _): unreliable(message, key, at: node)
        case .suspect: expectSilence(at: node, condition.pace.suspectWait, "suspects", event)
        case .lost:
            expectSilence(at: node, condition.pace.lostWait, "gives up", event)
            sides[node].lostAt = world.now
        case .detached: break
        case .ended(_, let end):
            sides[node].ends.append(end)
            guard !isClosing else { return }
            if !condition.mayEnd, end.reason != .replaced || !condition.bothDial {
                problem("the link of \(node) ended: \(end)")
            }
            world.act(node) { $0.connect(to: peer, &$1) }
        }
    }

    private mutating func received(_ message: [UInt8], _ lane: Lane, at node: Int) {
        let sent = sides[1 - node].sent[lane]
        let next = sides[node].received[lane]
        let place = sent[next...].firstIndex(of: message)
        guard let place else { return problem("\(node) received what was not sent, or twice, in \(lane)") }
        let mayMiss = !(sides[0].ends.isEmpty && sides[1].ends.isEmpty)
        if place != next, !mayMiss { problem("\(node) misses \(place - next) messages of \(lane)") }
        sides[node].received[lane] = place + 1
        guard condition.phase == .midAcknowledgement, !hasCut, world.now > Self.tick(1_000) else { return }
        hasCut = true
        let wait = random.duration(upTo: Limits.acknowledgeWait * 2)
        world.network.schedule(Self.cutToken, at: world.now + wait)
    }

    private mutating func unreliable(_ message: [UInt8], _ key: UInt32?, at node: Int) {
        let number = message.prefix(4).enumerated().reduce(0) { $0 | Int($1.element) << (8 * $1.offset) }
        let datagram = datagrams[number]
        sides[node].datagramsReceived += 1
        if datagram.from == node || datagram.key != key { problem("\(node) received another's message") }
        if let newest = sides[node].newest[key], newest >= number {
            problem(
                "\(node) received message \(number) after \(newest) of key \(key.map { "\($0)" } ?? "none")")
        }
        sides[node].newest[key] = number
        let local = world.network.localTime(of: node)
        let offset = world.nodes[node].unreliable(to: 1 - node)?.clock.offset(at: local)
        let error = offset?.error ?? .zero
        let age = world.now - datagram.at
        if age > datagram.timeToLive + error * 2 + .milliseconds(1) {
            problem("\(node) received a message \(age) old that lives \(datagram.timeToLive), error \(error)")
        }
        guard let offset else { return }
        let truth = world.network.localTime(of: 1 - node) - local
        let wrong = truth > offset.offset ? truth - offset.offset : offset.offset - truth
        if wrong > offset.error + .microseconds(2) {
            problem("\(node) has its peer's clock wrong by \(wrong), and claims \(offset.error)")
        }
    }

    /// Notes that a node hears its peer, and whether a silence before that was long enough to say so.
    private mutating func noteHearing(_ step: SimWorld.Step) {
        guard step.node != SimNetwork.world, case .received(let id, _) = step.event,
            world.nodes[step.node].peer(carriedBy: id) != nil
        else { return }
        let side = sides[step.node]
        let silence = world.now - side.heardAt
        if silence > condition.pace.lostWait + .milliseconds(50), side.frozenUntil < side.heardAt,
            side.lostAt.map({ $0 < side.heardAt }) ?? true
        {
            problem("\(step.node) bore a silence of \(silence)")
        }
        sides[step.node].heardAt = world.now
    }

    private mutating func expectSilence(
        at node: Int, _ wait: Duration, _ what: String, _ event: SimNetwork.Event?
    ) {
        if case .ended = event, what == "suspects" { return }
        let since = max(sides[node].heardAt, sides[node].frozenUntil)
        let silence = world.now - since
        if silence < wait + .milliseconds(-2) { problem("\(node) \(what) its peer after \(silence)") }
    }

    /// Every message has come, or its link has ended and said why.
    private var unsettled: [String] {
        var problems: [String] = []
        let hasEnded = !(sides[0].ends.isEmpty && sides[1].ends.isEmpty)
        for node in 0...1 {
            if !hasEnded {
                for lane in Lane.allCases {
                    let missing = sides[node].sent[lane].count - sides[1 - node].received[lane]
                    if missing > 0 { problems.append("\(missing) messages of \(node) in \(lane) never came") }
                }
            }
            guard let link = world.nodes[node].link(to: 1 - node) else {
                if !isClosing { problems.append("\(node) has no link") }
                continue
            }
            let held = link.statistics.heldBytes
            if held > 0 { problems.append("\(node) holds \(held) bytes") }
            if !link.isAttached { problems.append("\(node) has no connection") }
            let waiting = world.nodes[node].unreliable(to: 1 - node)?.statistics.queuedMessages ?? 0
            if waiting > 0 { problems.append("\(waiting) unreliable messages of \(node) still wait") }
        }
        return problems
    }

    /// Where little goes wrong, most of what was sent comes.
    private mutating func expectDatagrams() {
        let there = sides[1].datagramsReceived + sides[0].datagramsReceived
        let worst = max(condition.there.loss, condition.back.loss)
        if condition.faults.isEmpty, worst <= 0.05, there * 3 < datagrams.count {
            problem("only \(there) of \(datagrams.count) unreliable messages came")
        }
    }

    private mutating func expectClosed(by closer: Int, _ before: [Int]) {
        // Where a goodbye may take longer than a peer is waited for, that dials again and is told otherwise.
        guard condition.there.loss < 0.2 || condition.there.delay < .milliseconds(300) else { return }
        for node in 0...1 {
            let ends = sides[node].ends.dropFirst(before[node])
            guard let end = ends.first, ends.count == 1 else {
                problem("\(node) was told \(ends.count) ends of a closed link")
                continue
            }
            let expected = LinkEnd.Party.local
            let who = node == closer ? expected : .peer
            if end.who != who || end.reason != .replaced { problem("\(node) was told \(end)") }
            if !world.nodes[node].connections.isEmpty { problem("\(node) keeps connections") }
        }
        if !world.network.streams.isEmpty { problem("\(world.network.streams.count) streams are left") }
    }
}

extension MatrixCase.Fault {
    fileprivate var begin: Int {
        switch self {
        case .cut(let at), .halfOpen(let at, _), .stall(let at, _, _), .freeze(let at, _, _),
            .partition(let at, _), .deaf(let at, _):
            at
        }
    }
}

extension LinkPace {
    fileprivate var suspectWait: Duration {
        self == .match ? Limits.suspectWaitInMatch : Limits.suspectWaitIdle
    }
    fileprivate var lostWait: Duration { self == .match ? Limits.lostWaitInMatch : Limits.lostWaitIdle }
}

extension SimConnection {
    fileprivate var isSecuring: Bool {
        if case .securing = state { true } else { false }
    }
}
