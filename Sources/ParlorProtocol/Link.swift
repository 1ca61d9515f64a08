/// One link between two peers, from the open transport to its end: greeting, messages in lanes, liveness,
/// closing.
///
/// A machine: bytes and time go in, actions come out, and the driver carries all of them out, in order,
/// before it hands in the next input. The transport below is an ordered stream that has already proved the
/// peer's key.
public struct Link: Sendable {
    /// Which side of the transport this is.
    public enum Role: String, Hashable, Sendable {
        /// Made the connection; sends `hello`.
        case dialler
        /// Took the connection; answers with `welcome` or `refuse`.
        case listener
    }

    /// What happens to a link.
    public enum Input: Hashable, Sendable {
        /// The transport is open and its peer's key proved. Once, before anything else but an end or a close.
        case opened
        /// The transport has received bytes.
        case bytes([UInt8])
        /// The transport has handed everything that was written to the kernel; once after each time that it
        /// has.
        case drained
        /// A match begins or ends.
        case setPace(LinkPace)
        /// The peer is no longer wanted: says so to it, after what is queued.
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
        /// The link is set up: messages can be sent from now on.
        case established(PeerHello)
        /// A whole message has come.
        case received(Lane, [UInt8])
        /// The two clocks have been compared.
        case clock(ClockSample)
        /// Nothing has been heard of the peer for a while.
        case suspect
        /// The suspect peer is heard again.
        case alive
        /// Hand in ``Input/deadlinePassed`` at this tick; replaces the tick armed before. `nil` disarms.
        case arm(Tick?)
        /// Close the transport. With flush: write what it still holds, end the stream, and read on, throwing
        /// away, until the peer ends it too, for at most ``Limits/closeWait``; closing over unread bytes
        /// would reset the connection and take the reason with it.
        case closeTransport(flush: Bool)
        /// The link has ended. Comes once, and last; every input after it is ignored.
        case ended(LinkEnd)
    }

    /// What a greeting has told of the peer.
    public struct PeerHello: Hashable, Sendable {
        /// What the peer says of itself.
        public let hello: Hello
        /// The protocol version that the link speaks.
        public let chosen: Int
    }

    /// The peer's clock, seen at a moment between two of ours.
    public struct ClockSample: Hashable, Sendable {
        /// When the ping was written.
        public let sent: Tick
        /// When its pong was read.
        public let received: Tick
        /// What the peer's monotonic clock said in between, in microseconds.
        public let peerMicroseconds: UInt64
    }

    /// connecting → greeting → open → closing → ended, and from each of them to ended.
    ///
    /// Nothing leaves `ended`.
    enum State: Sendable {
        case connecting
        case greeting(since: Tick)
        case open
        case closing(LinkReason, detail: String, until: Tick)
        case ended
    }

    /// Which side of the transport this is.
    public let role: Role
    let hello: Hello
    var state = State.connecting
    var decoder = FrameDecoder()
    var lanes: PerLane<LinkLane>
    /// What counts against ``Limits/linkHeldBytesMax``.
    var heldBytes = 0
    /// Bytes that the transport has been given since it last had none left.
    var undrainedBytes = 0
    var pulse = LinkPulse()
    /// Since when a largest message would not fit any more, or since the last acknowledgement after that.
    var fullSince: Tick?
    /// When the chunks received since the last acknowledgement have to be acknowledged.
    var acknowledgeBy: Tick?
    /// What those chunks count for.
    var unacknowledgedBytes = 0
    var writtenBytes: UInt64 = 0
    var readBytes: UInt64 = 0
    var datagramsDropped: UInt64 = 0
    private var armed: Tick?

    /// Makes a link whose transport is not open yet.
    ///
    /// - Parameters:
    ///   - role: Which side of the transport this is.
    ///   - hello: What this peer says of itself; its link ID is unique among this peer's links.
    public init(role: Role, hello: Hello) {
        self.role = role
        self.hello = hello
        lanes = PerLane(repeating: LinkLane(.control))
        for lane in Lane.allCases { lanes[lane] = LinkLane(lane) }
    }

    /// Tells the link what has happened.
    ///
    /// - Parameters:
    ///   - input: What has happened.
    ///   - now: The monotonic clock.
    /// - Returns: What to do, in order.
    public mutating func handle(_ input: Input, at now: Tick) -> [Action] {
        var actions: [Action] = []
        switch input {
        case .opened: opened(at: now, &actions)
        case .bytes(let bytes): received(bytes, at: now, &actions)
        case .drained: drained(at: now, &actions)
        case .setPace(let pace): setPace(pace, at: now, &actions)
        case .close(let reason, let detail): close(reason, detail, at: now, &actions)
        case .transportEnded(let detail): transportEnded(detail, &actions)
        case .deadlinePassed: deadlinePassed(at: now, &actions)
        }
        arm(&actions)
        return actions
    }

    /// Whether the link is set up and not closing.
    public var isOpen: Bool {
        guard case .open = state else { return false }
        return true
    }

    /// What has gone through the link so far.
    public var statistics: LinkStatistics {
        var counters = PerLane(repeating: LinkStatistics.Lane())
        for lane in Lane.allCases { counters[lane] = lanes[lane].counters }
        return LinkStatistics(
            roundTrips: pulse.roundTrips.summary, lanes: counters, heldBytes: heldBytes,
            writtenBytes: writtenBytes,
            readBytes: readBytes, datagramsDropped: datagramsDropped)
    }

    // MARK: Inputs

    private mutating func opened(at now: Tick, _ actions: inout [Action]) {
        switch state {
        case .connecting:
            state = .greeting(since: now)
            if role == .dialler { write(.hello(hello), &actions) }
        case .greeting, .open, .closing: preconditionFailure("a link opened twice: \(state)")
        case .ended: break
        }
    }

    private mutating func drained(at now: Tick, _ actions: inout [Action]) {
        undrainedBytes = 0
        pump(at: now, &actions)
    }

    private mutating func close(
        _ reason: LinkReason, _ detail: String, at now: Tick, _ actions: inout [Action]
    ) {
        switch state {
        case .connecting:
            end(
                LinkEnd(who: .local, reason: reason, phase: .connecting, detail: detail), flush: false,
                &actions)
        case .greeting:
            leave(reason, detail, &actions)
        case .open:
            state = .closing(reason, detail: detail, until: now + Limits.closeWait)
            pump(at: now, &actions)
        case .closing, .ended: break
        }
    }

    private mutating func transportEnded(_ detail: String, _ actions: inout [Action]) {
        switch state {
        case .connecting, .greeting, .open:
            end(LinkEnd(who: .network, reason: .lost, phase: phase, detail: detail), flush: nil, &actions)
        case .closing(let reason, let detail, _):
            end(LinkEnd(who: .local, reason: reason, phase: .closing, detail: detail), flush: nil, &actions)
        case .ended: break
        }
    }

    // MARK: What several inputs lead to

    /// How far the link has come.
    var phase: LinkPhase {
        switch state {
        case .connecting: .connecting
        case .greeting: .greeting
        case .open, .ended: .open
        case .closing: .closing
        }
    }

    /// Gives a frame to the transport at once, past the queues.
    mutating func write(_ frame: Frame, _ actions: inout [Action]) {
        write(frame.encoded(), &actions)
    }

    /// Gives bytes to the transport.
    mutating func write(_ bytes: [UInt8], _ actions: inout [Action]) {
        undrainedBytes += bytes.count
        writtenBytes += UInt64(bytes.count)
        actions.append(.write(bytes))
    }

    /// Says why to the peer and ends the link; what is still queued stays behind.
    mutating func leave(_ reason: LinkReason, _ detail: String, _ actions: inout [Action]) {
        if case .greeting = state, role == .listener {
            let refusal = LinkRefusal(
                reason: reason, detail: detail, protocols: hello.protocols, software: hello.software)
            write(.refuse(refusal), &actions)
        } else {
            write(.goodbye(Goodbye(reason: reason, detail: detail, phase: phase)), &actions)
        }
        end(LinkEnd(who: .local, reason: reason, phase: phase, detail: detail), flush: true, &actions)
    }

    /// Ends the link, and the transport with it unless that has ended by itself.
    mutating func end(_ end: LinkEnd, flush: Bool?, _ actions: inout [Action]) {
        state = .ended
        if armed != nil { actions.append(.arm(nil)) }
        armed = nil
        if let flush { actions.append(.closeTransport(flush: flush)) }
        actions.append(.ended(end))
    }

    // MARK: Deadlines

    /// Arms the nearest deadline when it comes before the armed one; a later one is armed when that has
    /// passed, so that a message costs no timer.
    mutating func arm(_ actions: inout [Action]) {
        guard let next = nearestDeadline, armed.map({ next < $0 }) ?? true else { return }
        armed = next
        actions.append(.arm(next))
    }

    /// Forgets the armed deadline, because it has passed, and says whether it was noticed far too late.
    mutating func takeArmed(at now: Tick) -> Bool {
        let stalled = armed.map { now > $0 + Limits.stallMax } ?? false
        armed = nil
        return stalled
    }
}
