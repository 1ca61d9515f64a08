/// The beginning of one connection between two peers, from the open transport to a link on it: `hello`, then
/// `welcome` or `refuse`.
///
/// A machine: bytes and time go in, actions come out, and the driver carries all of them out, in order,
/// before it hands in the next input. The transport below is an ordered stream that has already proved the
/// peer's key.
public struct Greeting: Sendable {
    /// What happens to a connection before it carries a link.
    public enum Input: Hashable, Sendable {
        /// The transport is open and its peer's key proved. Once, before anything else but an end or a close.
        case opened
        /// The transport has received bytes.
        case bytes([UInt8])
        /// The peer of ``Action/asked(_:)`` is welcome: what this side says of itself, and, where the link it
        /// names is resumed, how many chunks of each lane have been received.
        case answer(Hello, received: PerLane<UInt64>?)
        /// The peer of ``Action/asked(_:)`` is turned away.
        case refuse(LinkReason, detail: String)
        /// The connection is no longer wanted: says so to the peer.
        case close(LinkReason, detail: String)
        /// The transport has come to its end; the text says how, for a person.
        case transportEnded(String)
        /// The armed tick has come. Coming early, it does no harm.
        case deadlinePassed
    }

    /// What the driver must do.
    public enum Action: Hashable, Sendable {
        /// Give the bytes to the transport.
        case write([UInt8])
        /// A dialler that speaks a common version wants a link: decide, then hand in
        /// ``Input/answer(_:received:)`` or ``Input/refuse(_:detail:)`` before the greeting's time is over.
        case asked(Hello)
        /// The connection carries a link: the transport is now that of a ``Link``. Comes last; every input
        /// after it is ignored.
        case done(Greeted)
        /// Close the transport; see ``Link/Action/closeTransport(flush:)``.
        case closeTransport(flush: Bool)
        /// Hand in ``Input/deadlinePassed`` at this tick; replaces the tick armed before. `nil` disarms.
        case arm(Tick?)
        /// The connection has ended without a link. Comes last; every input after it is ignored.
        case ended(LinkEnd)
    }

    /// connecting → greeting → (asked →) over, and from each of them to over.
    private enum State {
        case connecting
        case greeting(since: Tick)
        /// A listener that has read a hello and not answered.
        case asked(Hello, chosen: Int, since: Tick)
        case over
    }

    /// Which side of the connection this is.
    public let role: LinkRole
    private let hello: Hello
    private var state = State.connecting
    private var decoder = FrameDecoder()
    private var armed: Tick?

    /// Makes the greeting of a transport that is not open yet.
    ///
    /// - Parameters:
    ///   - role: Which side of the connection this is.
    ///   - hello: What a dialler says, and what a listener that refuses says of its versions.
    public init(role: LinkRole, hello: Hello) {
        self.role = role
        self.hello = hello
    }

    /// Tells the greeting what has happened.
    ///
    /// - Parameters:
    ///   - input: What has happened.
    ///   - now: The monotonic clock.
    /// - Returns: What to do, in order.
    public mutating func handle(_ input: Input, at now: Tick) -> [Action] {
        var actions: [Action] = []
        switch input {
        case .opened: opened(at: now, &actions)
        case .bytes(let bytes): received(bytes, &actions)
        case .answer(let own, let received): answer(own, received, &actions)
        case .refuse(let reason, let detail), .close(let reason, let detail): leave(reason, detail, &actions)
        case .transportEnded(let detail):
            end(LinkEnd(who: .network, reason: .lost, phase: phase, detail: detail), flush: nil, &actions)
        case .deadlinePassed: deadlinePassed(at: now, &actions)
        }
        arm(&actions)
        return actions
    }

    // MARK: Inputs

    private mutating func opened(at now: Tick, _ actions: inout [Action]) {
        switch state {
        case .connecting:
            state = .greeting(since: now)
            if role == .dialler { actions.append(.write(Frame.hello(hello).encoded())) }
        case .greeting, .asked: preconditionFailure("a connection opened twice")
        case .over: break
        }
    }

    private mutating func received(_ bytes: [UInt8], _ actions: inout [Action]) {
        switch state {
        case .connecting: preconditionFailure("bytes before the transport was open")
        case .over: return
        case .greeting, .asked: break
        }
        decoder.append(bytes)
        do {
            while !isOver, let frame = try decoder.next() { received(frame, &actions) }
        } catch {
            leave(.protocolViolation, "\(error.code.rawValue): \(error.detail)", &actions)
        }
    }

    private mutating func received(_ frame: Frame, _ actions: inout [Action]) {
        switch (role, frame, state) {
        case (.listener, .hello(let peer), .greeting(let since)): consider(peer, since, &actions)
        case (.dialler, .welcome(let welcome), _): welcomed(welcome, &actions)
        case (.dialler, .refuse(let refusal), _):
            let detail = [refusal.detail, age(of: refusal.protocols, software: refusal.software)]
            ended(by: refusal.reason, detail.filter { !$0.isEmpty }.joined(separator: "; "), &actions)
        case (_, .goodbye(let goodbye), _): ended(by: goodbye.reason, goodbye.detail, &actions)
        case (.dialler, _, _), (.listener, _, .asked):
            leave(.protocolViolation, "\(frame.kind) before welcome", &actions)
        case (.listener, _, _): leave(.protocolViolation, "\(frame.kind) before hello", &actions)
        }
    }

    private mutating func consider(_ peer: Hello, _ since: Tick, _ actions: inout [Action]) {
        guard let chosen = hello.newestCommon(with: peer) else {
            leave(.noCommonVersion, age(of: peer.protocols, software: peer.software), &actions)
            return
        }
        state = .asked(peer, chosen: chosen, since: since)
        actions.append(.asked(peer))
    }

    private mutating func answer(_ own: Hello, _ received: PerLane<UInt64>?, _ actions: inout [Action]) {
        guard case .asked(let peer, let chosen, _) = state else { return }
        precondition(received == nil || peer.resume != nil, "a new link has received nothing")
        actions.append(
            .write(Frame.welcome(Welcome(hello: own, chosen: chosen, received: received)).encoded()))
        let resumed = received == nil ? nil : peer.resume?.received
        finish(own: own, peer: peer, chosen: chosen, resumed: resumed, &actions)
    }

    private mutating func welcomed(_ welcome: Welcome, _ actions: inout [Action]) {
        guard hello.protocols.contains(welcome.chosen), welcome.hello.protocols.contains(welcome.chosen)
        else {
            leave(.protocolViolation, "version \(welcome.chosen) was not offered", &actions)
            return
        }
        guard welcome.received == nil || welcome.hello.linkID == hello.resume?.link else {
            leave(.protocolViolation, "another link than the one that was to be resumed", &actions)
            return
        }
        finish(
            own: hello, peer: welcome.hello, chosen: welcome.chosen, resumed: welcome.received, &actions)
    }

    private mutating func finish(
        own: Hello, peer: Hello, chosen: Int, resumed: PerLane<UInt64>?, _ actions: inout [Action]
    ) {
        over(&actions)
        actions.append(
            .done(
                Greeted(
                    role: role, own: own, peer: peer, chosen: chosen, resumed: resumed, rest: decoder.rest)))
    }

    // MARK: Ends

    /// Which of two peers without a common version has the older software; empty when they have one.
    private func age(of protocols: ClosedRange<Int>, software: String) -> String {
        if protocols.upperBound < hello.protocols.lowerBound {
            return "the peer is older: it has \(software), this is \(hello.software)"
        }
        if hello.protocols.upperBound < protocols.lowerBound {
            return "this is older: it has \(hello.software), the peer \(software)"
        }
        return ""
    }

    private var isOver: Bool {
        guard case .over = state else { return false }
        return true
    }

    /// How far the connection has come.
    private var phase: LinkPhase {
        guard case .connecting = state else { return .greeting }
        return .connecting
    }

    /// Says why to the peer, where that can be said, and ends.
    private mutating func leave(_ reason: LinkReason, _ detail: String, _ actions: inout [Action]) {
        guard !isOver else { return }
        let words = lastWords(reason, detail)
        if let words { actions.append(.write(words.encoded())) }
        end(
            LinkEnd(who: .local, reason: reason, phase: phase, detail: detail), flush: words != nil,
            &actions)
    }

    /// What tells the peer why.
    ///
    /// A dialler that resumes a link says nothing: the listener may have taken the connection already, and
    /// would read a goodbye as that of the link.
    private func lastWords(_ reason: LinkReason, _ detail: String) -> Frame? {
        switch role {
        case _ where phase == .connecting: nil
        case .listener:
            .refuse(
                LinkRefusal(
                    reason: reason, detail: detail, protocols: hello.protocols, software: hello.software))
        case .dialler:
            hello.resume == nil ? .goodbye(Goodbye(reason: reason, detail: detail, phase: .greeting)) : nil
        }
    }

    private mutating func ended(by reason: LinkReason, _ detail: String, _ actions: inout [Action]) {
        end(LinkEnd(who: .peer, reason: reason, phase: .greeting, detail: detail), flush: false, &actions)
    }

    /// Ends, and the transport too unless that has ended by itself.
    private mutating func end(_ end: LinkEnd, flush: Bool?, _ actions: inout [Action]) {
        guard !isOver else { return }
        over(&actions)
        if let flush { actions.append(.closeTransport(flush: flush)) }
        actions.append(.ended(end))
    }

    private mutating func over(_ actions: inout [Action]) {
        state = .over
        if armed != nil { actions.append(.arm(nil)) }
        armed = nil
    }

    // MARK: Time

    private mutating func arm(_ actions: inout [Action]) {
        guard let since, armed != since + Limits.greetingWait else { return }
        armed = since + Limits.greetingWait
        actions.append(.arm(armed))
    }

    /// A deadline noticed far too late means that this side stood still: the peer's bytes may be waiting to
    /// be read, so its time counts anew.
    private mutating func deadlinePassed(at now: Tick, _ actions: inout [Action]) {
        let stalled = armed.map { now > $0 + Limits.stallMax } ?? false
        armed = nil
        switch state {
        case .connecting, .over: return
        case .greeting: if stalled { state = .greeting(since: now) }
        case .asked(let peer, let chosen, _): if stalled { state = .asked(peer, chosen: chosen, since: now) }
        }
        guard !stalled, let since, now >= since + Limits.greetingWait else { return }
        leave(.greetingTimeout, "no greeting within \(Limits.greetingWait)", &actions)
    }

    /// Since when the transport has been open; `nil` when it is not, or needs no more patience.
    private var since: Tick? {
        switch state {
        case .connecting, .over: nil
        case .greeting(let since), .asked(_, _, let since): since
        }
    }
}

/// What a greeting has led to: a connection that carries a link.
public struct Greeted: Hashable, Sendable {
    /// Which side of the connection this is.
    public let role: LinkRole
    /// What this side has said of itself.
    public let own: Hello
    /// What the peer has said of itself.
    public let peer: Hello
    /// The protocol version that the link speaks.
    public let chosen: Int
    /// How many chunks of each lane the peer has received, when a link is resumed; `nil` for a new one.
    public let resumed: PerLane<UInt64>?
    /// The bytes that have come behind the greeting.
    public let rest: [UInt8]

    /// Makes what a greeting has led to.
    public init(
        role: LinkRole, own: Hello, peer: Hello, chosen: Int, resumed: PerLane<UInt64>? = nil,
        rest: [UInt8] = []
    ) {
        self.role = role
        self.own = own
        self.peer = peer
        self.chosen = chosen
        self.resumed = resumed
        self.rest = rest
    }
}
