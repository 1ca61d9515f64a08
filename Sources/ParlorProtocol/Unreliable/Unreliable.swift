/// The unreliable channel of one link: messages that are lost perhaps, but never late, never twice, and never
/// out of order within their key.
///
/// A machine: what has happened and time go in, actions come out, and the driver carries all of them out, in
/// order, before it hands in the next input. It lives as long as the link does, over all of its connections.
/// Messages go in datagrams where these get through, otherwise over the link's stream, and are dropped by the
/// same rules there.
public struct Unreliable: Sendable {
    /// What the channel has to know of a connection.
    public struct Connection: Sendable {
        /// Fresh keys, exported from this connection.
        public let keys: DatagramKeys
        /// What datagrams to this side carry; tells this link from the others of the socket.
        public let ownLinkID: UInt32
        /// What datagrams to the peer carry.
        public let peerLinkID: UInt32
        /// Where the peer takes datagrams, as far as is known: the address of its stream and the port of its
        /// greeting; `nil`: it takes none, or this side has no socket.
        public let peer: Endpoint?
        /// When the connection was dialled or accepted: the peer cannot have sent anything over it before.
        public let start: Tick

        /// Makes the description of a connection.
        public init(keys: DatagramKeys, ownLinkID: UInt32, peerLinkID: UInt32, peer: Endpoint?, start: Tick) {
            self.keys = keys
            self.ownLinkID = ownLinkID
            self.peerLinkID = peerLinkID
            self.peer = peer
            self.start = start
        }
    }

    /// What happens to the channel.
    public enum Input: Sendable {
        /// The link is set up, or was resumed over another connection.
        case began(Connection)
        /// The connection is lost; the link may come back.
        case detached
        /// A datagram with ``Connection/ownLinkID`` has come.
        case datagram([UInt8], from: Endpoint)
        /// A `datagram` frame with this payload has come by the stream.
        case streamed([UInt8])
        /// The link has compared the two clocks.
        case clock(Link.ClockSample)
        /// The stream did not take the last ``Action/sendStreamed(_:)``, which is lost; nothing more is given
        /// to it until it is drained.
        case streamFull
        /// The stream has handed everything that was written to the kernel; once after each time that it has.
        case drained
        /// The armed tick has come. Coming early, it does no harm.
        case deadlinePassed
    }

    /// What the driver must do.
    public enum Action: Hashable, Sendable {
        /// Send a datagram; when the socket does not take it, it is lost.
        case sendDatagram([UInt8], to: Endpoint)
        /// Write a `datagram` frame with this payload to the stream, ahead of what is queued there.
        case sendStreamed([UInt8])
        /// A message has come, with the key it was sent under.
        case received([UInt8], key: UInt32?)
        /// From now on messages take another way.
        case path(UnreliablePath)
        /// Hand in ``Input/deadlinePassed`` at this tick; replaces the tick armed before. `nil` disarms.
        case arm(Tick?)
    }

    /// How far the peer's monotonic clock is from ours.
    public private(set) var clock = ClockEstimate()
    /// The most delay of the peer's messages seen lately.
    public private(set) var delays = MostDelay()

    private var cipher: DatagramCipher?
    private var isAttached = false
    /// Before this moment the peer has sent nothing over this link.
    private var start = Tick(nanoseconds: 0)
    private var way = DatagramPath()
    private var pace = DatagramPace()
    private var queue = UnreliableQueue()
    private var receiver = UnreliableReceiver()
    private var lastNumber: UInt64 = 0
    /// What the stream was given since it was last drained.
    private var undrainedBytes = 0
    private var counters = UnreliableStatistics()
    private var roundTrips = RoundTripLog()
    private var armed: Tick?

    /// Makes the channel of a link that is not set up yet.
    public init() {}

    /// Tells the channel what has happened.
    ///
    /// - Parameters:
    ///   - input: What has happened.
    ///   - now: The monotonic clock.
    /// - Returns: What to do, in order.
    public mutating func handle(_ input: Input, at now: Tick) -> [Action] {
        var actions: [Action] = []
        switch input {
        case .began(let connection): began(connection, at: now, &actions)
        case .detached: detached()
        case .datagram(let bytes, let source): received(bytes, from: source, at: now, &actions)
        case .streamed(let bytes):
            counters.receivedFrames += 1
            received(bytes, overStream: true, at: now, &actions)
        case .clock(let sample): compared(sample)
        case .streamFull: undrainedBytes = max(undrainedBytes, Limits.unreliableStreamBytesMax)
        case .drained: undrainedBytes = 0
        case .deadlinePassed: armed = nil
        }
        settle(at: now, &actions)
        return actions
    }

    /// Sends a message: it arrives whole, once, in time and after those sent before it under the same key, or
    /// not at all.
    ///
    /// Messages without a key form one such sequence of their own. While the link has no connection messages
    /// wait for it as long as they live.
    /// - Parameters:
    ///   - message: The message; may be empty.
    ///   - key: What it is about: of those about it that wait, only the newest is kept.
    ///   - timeToLive: How long it is worth having, in whole milliseconds; less than one counts as one, and
    ///     more than ``Limits/timeToLiveMax`` as that.
    ///   - now: The monotonic clock.
    /// - Returns: What to do, in order.
    /// - Throws: ``LinkSendError/messageTooLarge`` beyond ``Limits/unreliableBytesMax``,
    ///   ``LinkSendError/notOpen`` before the link is set up; the channel is unchanged then.
    public mutating func send(
        _ message: [UInt8], key: UInt32? = nil, timeToLive: Duration = Limits.timeToLive, at now: Tick
    ) throws(LinkSendError) -> [Action] {
        guard message.count <= Limits.unreliableBytesMax else { throw .messageTooLarge }
        guard cipher != nil else { throw .notOpen }
        var actions: [Action] = []
        way.traffic(at: now)
        queue.expire(at: now)
        var waiting = UnreliableQueue.Waiting(message, key: key, timeToLive: timeToLive, at: now)
        if queue.isEmpty, room(at: now) >= waiting.count {
            while !transmit(&waiting, at: now, &actions) {}
        } else {
            queue.append(waiting)
        }
        settle(at: now, &actions)
        return actions
    }

    /// Which way messages take now.
    public var path: UnreliablePath { counters.path }

    /// What has gone through the channel so far.
    public var statistics: UnreliableStatistics {
        var counters = counters
        counters.queuedMessages = queue.messages.count
        counters.queuedBytes = queue.bytes
        counters.roundTrips = roundTrips.summary
        counters.dropped = receiver.dropped
        counters.dropped.expired = queue.dropped.expired
        counters.dropped.crowdedOut = queue.dropped.crowdedOut
        counters.dropped.superseded = queue.dropped.superseded
        return counters
    }

    // MARK: Connections

    private mutating func began(_ connection: Connection, at now: Tick, _ actions: inout [Action]) {
        if cipher == nil { start = connection.start }
        cipher = DatagramCipher(
            keys: connection.keys, ownLinkID: connection.ownLinkID, peerLinkID: connection.peerLinkID)
        isAttached = true
        undrainedBytes = 0
        way.begin(connection.peer)
        let token = way.probe(overStream: true, at: now)
        write(.probe(token: token), &actions)
    }

    /// Datagrams that are still on their way may come; nothing is sent.
    private mutating func detached() {
        isAttached = false
        way.end()
    }

    // MARK: Receiving

    private mutating func received(
        _ datagram: [UInt8], from source: Endpoint, at now: Tick, _ actions: inout [Action]
    ) {
        do throws(DatagramRefusal) {
            guard let opened = try cipher?.open(datagram) else { throw DatagramRefusal.notOurs }
            counters.receivedDatagrams += 1
            if isAttached, way.heard(from: source, isNewest: opened.isNewest, at: now) {
                counters.addressChanges += 1
            }
            received(opened.message, overStream: false, at: now, &actions)
        } catch {
            switch error {
            case .notOurs: counters.refused.notOurs += 1
            case .replayed: counters.refused.replayed += 1
            case .forged: counters.refused.forged += 1
            }
        }
    }

    private mutating func received(
        _ bytes: consuming [UInt8], overStream: Bool, at now: Tick, _ actions: inout [Action]
    ) {
        switch UnreliableMessage(bytes) {
        case nil: counters.refused.malformed += 1
        case .probe(let token):
            answer(token, overStream: overStream, at: now, &actions)
        case .answer(let token, let clock):
            guard let sent = way.answered(token, overStream: overStream, at: now) else { return }
            if !overStream { roundTrips.add(now - sent) }
            compared(Link.ClockSample(sent: sent, received: now, peerMicroseconds: clock))
        case .fragment(let fragment, let content):
            let expires = latest(of: fragment, at: now)
            switch receiver.take(fragment, content, expires: expires, at: now) {
            case .message(let message):
                counters.receivedMessages += 1
                counters.receivedBytes += UInt64(message.count)
                actions.append(.received(message, key: fragment.key))
            case .nothing: break
            case .malformed: counters.refused.malformed += 1
            }
        }
    }

    private mutating func answer(
        _ token: UInt64, overStream: Bool, at now: Tick, _ actions: inout [Action]
    ) {
        guard isAttached else { return }
        let answer = UnreliableMessage.answer(token: token, clock: now.microseconds)
        if overStream {
            if undrainedBytes < Limits.unreliableStreamBytesMax { write(answer, &actions) }
        } else if pace.available(at: now) > 0 {
            post(answer, &actions)
        }
    }

    private mutating func compared(_ sample: Link.ClockSample) {
        clock.add(sample)
        guard let shown = clock.tick(ofPeerMicroseconds: sample.peerMicroseconds, at: sample.received) else {
            return
        }
        delays.add(max(.zero, sample.received - shown), at: sample.received)
    }

    /// Until when a message is in time, by our clock: its time to live after the latest moment at which it
    /// may have been sent.
    ///
    /// As long as the clocks have not been compared, that is when the link began.
    private func latest(of fragment: UnreliableMessage.Fragment, at now: Tick) -> Tick {
        let life = Duration.milliseconds(Int(fragment.timeToLive))
        guard let offset = clock.offset(at: now),
            let sent = clock.tick(ofPeerMicroseconds: fragment.sent, at: now)
        else { return start + life }
        return sent + life + offset.error
    }

    // MARK: Sending

    /// How many pieces may go out now, whichever way they take.
    private mutating func room(at now: Tick) -> Int {
        guard isAttached else { return 0 }
        if way.isWorking { return pace.available(at: now) }
        return undrainedBytes < Limits.unreliableStreamBytesMax ? Limits.fragmentsMax : 0
    }

    /// Sends the next piece of a message, and says whether it was the last.
    private mutating func transmit(
        _ waiting: inout UnreliableQueue.Waiting, at now: Tick, _ actions: inout [Action]
    ) -> Bool {
        if waiting.number == 0 {
            lastNumber += 1
            waiting.number = lastNumber
        }
        let fragment = waiting.fragment
        let content = waiting.content
        if way.isWorking, let peer = way.peer, var datagram = header(fragment, content) {
            fragment.encode(into: &datagram)
            datagram += content
            post(sealing: consume datagram, to: peer, &actions)
        } else {
            var frame: [UInt8] = []
            frame.reserveCapacity(fragment.headerBytes + content.count)
            fragment.encode(into: &frame)
            frame += content
            write(frame, &actions)
        }
        waiting.next += 1
        guard Int(waiting.next) == waiting.count else { return false }
        counters.sentMessages += 1
        counters.sentBytes += UInt64(waiting.bytes.count)
        return true
    }

    private func header(
        _ fragment: UnreliableMessage.Fragment, _ content: ArraySlice<UInt8>
    ) -> [UInt8]? {
        cipher?.header(messageBytes: fragment.headerBytes + content.count)
    }

    private mutating func pump(at now: Tick, _ actions: inout [Action]) {
        while !queue.isEmpty, room(at: now) > 0 {
            var first = queue.first
            let isLast = transmit(&first, at: now, &actions)
            queue.first = first
            if isLast { queue.removeFirst() }
        }
    }

    /// Sends a message as a datagram.
    private mutating func post(_ message: UnreliableMessage, _ actions: inout [Action]) {
        guard let peer = way.peer, var datagram = cipher?.header(messageBytes: message.byteCount) else {
            return
        }
        message.encode(into: &datagram)
        post(sealing: consume datagram, to: peer, &actions)
    }

    private mutating func post(
        sealing datagram: consuming [UInt8], to peer: Endpoint, _ actions: inout [Action]
    ) {
        cipher?.seal(&datagram)
        pace.take()
        counters.sentDatagrams += 1
        actions.append(.sendDatagram(datagram, to: peer))
    }

    /// Sends a message over the stream.
    private mutating func write(_ message: UnreliableMessage, _ actions: inout [Action]) {
        write(message.encoded(), &actions)
    }

    private mutating func write(_ frame: [UInt8], _ actions: inout [Action]) {
        undrainedBytes += Limits.frameHeaderBytes + frame.count
        counters.sentFrames += 1
        actions.append(.sendStreamed(frame))
    }

    // MARK: Deadlines

    /// Does what is due, and arms the next deadline.
    private mutating func settle(at now: Tick, _ actions: inout [Action]) {
        if isAttached {
            way.judge(at: now)
            if let due = way.probeDue, due <= now {
                post(.probe(token: way.probe(overStream: false, at: now)), &actions)
            }
        }
        let path = isAttached && way.isWorking ? UnreliablePath.udp : .stream
        if path != counters.path {
            counters.path = path
            actions.append(.path(path))
        }
        queue.expire(at: now)
        receiver.expire(at: now)
        pump(at: now, &actions)
        arm(at: now, &actions)
    }

    /// Arms the nearest deadline when it comes before the armed one; a later one is armed when that has
    /// passed, so that a message costs no timer.
    private mutating func arm(at now: Tick, _ actions: inout [Action]) {
        guard let next = nearestDeadline(at: now), armed.map({ next < $0 }) ?? true else { return }
        armed = next
        actions.append(.arm(next))
    }

    private func nearestDeadline(at now: Tick) -> Tick? {
        var nearest = receiver.deadline.map { $0 + .nanoseconds(1) }
        func consider(_ tick: Tick?) {
            guard let tick else { return }
            nearest = nearest.map { min($0, tick) } ?? tick
        }
        consider(queue.deadline)
        guard isAttached else { return nearest }
        if !queue.isEmpty, way.isWorking { consider(now + Limits.paceWait) }
        consider(way.probeDue)
        consider(way.failureDue)
        return nearest
    }
}
