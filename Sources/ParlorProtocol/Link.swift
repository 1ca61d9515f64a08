/// A link between two peers, from its first connection to its end, however many connections carry it:
/// messages in lanes, liveness, resuming, closing.
///
/// A machine: bytes and time go in, actions come out, and the driver carries all of them out, in order,
/// before it hands in the next input. Connections come to it with their ``Greeting`` done. A link outlives
/// them: what the peer has not acknowledged is kept, and sent again on the next.
public struct Link: Sendable {
    /// What happens to a link.
    public enum Input: Hashable, Sendable {
        /// The driver is ready for messages. Once, first.
        case began
        /// A connection that resumes this link, at any time. The driver has closed the one there was, hands
        /// in nothing of it any more, and gives what is written from here on to the new one.
        case attached(Greeted)
        /// The transport has received bytes.
        case bytes([UInt8])
        /// The transport has handed everything that was written to the kernel; once after each time that it
        /// has.
        case drained
        /// Messages were taken by ``Link/enqueue(_:on:at:)``, and no more will follow at this moment.
        case flush
        /// A match begins or ends.
        case setPace(LinkPace)
        /// The peer is no longer wanted: says so to it, after what is queued. Without a connection the link
        /// ends at once.
        case close(LinkReason, detail: String)
        /// The peer, asked to resume this link, does not know it.
        case forgotten
        /// The transport has come to its end; the text says how, for a person.
        case transportEnded(String)
        /// The armed tick has come. Coming early, it does no harm.
        case deadlinePassed
    }

    /// What the driver must do.
    public enum Action: Hashable, Sendable {
        /// Give the bytes to the transport.
        case write([UInt8])
        /// A whole message has come.
        case received(Lane, [UInt8])
        /// A datagram has come through the stream.
        case streamed([UInt8])
        /// The two clocks have been compared.
        case clock(ClockSample)
        /// Nothing has been heard of the peer for a while, or the connection broke.
        case suspect
        /// The suspect peer is heard again, on the same connection or on one that took its place.
        case alive
        /// Nothing has been heard of the peer for so long that it counts as lost, until ``resumed``. Once for
        /// each silence.
        case lost
        /// There is no connection any more: one may be made to resume the link.
        case detached
        /// There is a connection again, after ``detached`` and perhaps ``lost``. No message has been lost.
        case resumed
        /// Hand in ``Input/deadlinePassed`` at this tick; replaces the tick armed before. `nil` disarms.
        case arm(Tick?)
        /// Close the transport. With flush: write what it still holds, end the stream, and read on, throwing
        /// away, until the peer ends it too, for at most ``Limits/closeWait``; closing over unread bytes
        /// would reset the connection and take the reason with it.
        case closeTransport(flush: Bool)
        /// The link has ended for good. Comes once, and last; every input after it is ignored.
        case ended(LinkEnd)
    }

    /// The peer's clock, seen at a moment between two of ours.
    public struct ClockSample: Hashable, Sendable {
        /// When the ping was written.
        public let sent: Tick
        /// When its pong was read.
        public let received: Tick
        /// What the peer's monotonic clock said in between, in microseconds.
        public let peerMicroseconds: UInt64

        /// Makes a sample; the parameters are the members.
        public init(sent: Tick, received: Tick, peerMicroseconds: UInt64) {
            self.sent = sent
            self.received = received
            self.peerMicroseconds = peerMicroseconds
        }
    }

    /// open ⇄ detached, open → closing → ended, and from each of them to ended.
    ///
    /// Nothing leaves `ended`.
    enum State: Sendable {
        /// There is a connection.
        case open
        /// There is none, and it says why; without another until the tick the link ends.
        case detached(String, until: Tick)
        /// There is a connection, and what is queued goes out on it.
        case closing(LinkReason, detail: String, until: Tick)
        case ended
    }

    /// The link's ID of this side's choosing.
    public let ownID: UInt32
    /// The link's ID of the peer's choosing.
    public let peerID: UInt32
    var state = State.open
    var decoder: FrameDecoder
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
    var resumes = 0
    private var armed: Tick?

    /// Makes a new link of its first connection; ``Input/began`` sets it going.
    ///
    /// - Parameters:
    ///   - greeted: What the greeting of a connection led to that resumes no link.
    ///   - now: The monotonic clock.
    public init(_ greeted: Greeted, at now: Tick) {
        ownID = greeted.own.linkID
        peerID = greeted.peer.linkID
        decoder = FrameDecoder(afterGreeting: greeted.rest)
        lanes = PerLane(repeating: LinkLane(.control))
        for lane in Lane.allCases { lanes[lane] = LinkLane(lane) }
        pulse.begin(at: now)
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
        case .began: began(at: now, &actions)
        case .attached(let greeted): attached(greeted, at: now, &actions)
        case .bytes(let bytes): received(bytes, at: now, &actions)
        case .drained: drained(at: now, &actions)
        case .flush: pump(at: now, &actions)
        case .setPace(let pace): setPace(pace, at: now, &actions)
        case .close(let reason, let detail): close(reason, detail, at: now, &actions)
        case .forgotten: forgotten(&actions)
        case .transportEnded(let detail): transportEnded(detail, at: now, &actions)
        case .deadlinePassed: deadlinePassed(at: now, &actions)
        }
        arm(&actions)
        return actions
    }

    /// Whether messages are taken: the link is neither closing nor has it ended.
    public var isOpen: Bool {
        switch state {
        case .open, .detached: true
        case .closing, .ended: false
        }
    }

    /// Whether there is a connection on which messages travel.
    public var isAttached: Bool {
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
            readBytes: readBytes, datagramsDropped: datagramsDropped, resumes: resumes)
    }

    // MARK: Inputs

    private mutating func began(at now: Tick, _ actions: inout [Action]) {
        guard case .open = state else { return }
        ping(at: now, &actions)
        receiveFrames(at: now, &actions)
    }

    private mutating func drained(at now: Tick, _ actions: inout [Action]) {
        undrainedBytes = 0
        pump(at: now, &actions)
    }

    private mutating func close(
        _ reason: LinkReason, _ detail: String, at now: Tick, _ actions: inout [Action]
    ) {
        switch state {
        case .open:
            state = .closing(reason, detail: detail, until: now + Limits.closeWait)
            pump(at: now, &actions)
        case .detached:
            end(LinkEnd(who: .local, reason: reason, phase: .open, detail: detail), flush: nil, &actions)
        case .closing, .ended: break
        }
    }

    private mutating func forgotten(_ actions: inout [Action]) {
        let flush: Bool?
        switch state {
        case .open, .closing: flush = false
        case .detached: flush = nil
        case .ended: return
        }
        let detail = "the peer does not know the link any more"
        end(LinkEnd(who: .network, reason: .lost, phase: phase, detail: detail), flush: flush, &actions)
    }

    private mutating func transportEnded(_ detail: String, at now: Tick, _ actions: inout [Action]) {
        switch state {
        case .open:
            if isOverdue(at: now) { pulse.forgive(at: now) }
            if pulse.doubt() { actions.append(.suspect) }
            if case .lost = pulse.judge(at: now) { actions.append(.lost) }
            detach(detail, at: now, &actions)
        case .closing(let reason, let detail, _):
            end(LinkEnd(who: .local, reason: reason, phase: .closing, detail: detail), flush: nil, &actions)
        case .detached, .ended: break
        }
    }

    // MARK: What several inputs lead to

    /// How far the link has come.
    var phase: LinkPhase {
        guard case .closing = state else { return .open }
        return .closing
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
        write(.goodbye(Goodbye(reason: reason, detail: detail, phase: phase)), &actions)
        end(LinkEnd(who: .local, reason: reason, phase: phase, detail: detail), flush: true, &actions)
    }

    /// Ends the link, and the transport with it unless there is none.
    mutating func end(_ end: LinkEnd, flush: Bool?, _ actions: inout [Action]) {
        state = .ended
        for lane in Lane.allCases { lanes[lane].forget() }
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
        defer { armed = nil }
        return isOverdue(at: now)
    }

    /// Whether this side stood still: its deadline is long past.
    private func isOverdue(at now: Tick) -> Bool { armed.map { now > $0 + Limits.stallMax } ?? false }
}
