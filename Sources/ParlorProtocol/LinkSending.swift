/// Why a message was not taken.
public enum LinkSendError: String, Error, Hashable, Sendable {
    /// The link is closing, or has ended.
    case notOpen = "not-open"
    /// The message is longer than ``Limits/messageBytesMax``.
    case messageTooLarge = "message-too-large"
    /// With the message, more than ``Limits/linkHeldBytesMax`` would be held; there is room again after
    /// acknowledgements.
    case queueFull = "queue-full"
}

extension Link {
    /// Sends a message: it arrives whole, once, and after those sent before it in the same lane, unless the
    /// link ends before.
    ///
    /// Without a connection it waits for the next.
    /// - Parameters:
    ///   - message: The message; may be empty.
    ///   - lane: The lane it takes.
    ///   - now: The monotonic clock.
    /// - Returns: What to do, in order.
    /// - Throws: ``LinkSendError``; the link is unchanged then.
    public mutating func send(
        _ message: [UInt8], on lane: Lane, at now: Tick
    ) throws(LinkSendError) -> [Action] {
        try enqueue(message, on: lane, at: now)
        var actions: [Action] = []
        pump(at: now, &actions)
        arm(&actions)
        return actions
    }

    /// Takes a message like ``send(_:on:at:)``, but leaves it in the queue until the next input.
    ///
    /// For whoever sends several at a time: after the last, ``Input/flush`` writes them all, which costs much
    /// less.
    /// - Throws: ``LinkSendError``; the link is unchanged then.
    public mutating func enqueue(
        _ message: [UInt8], on lane: Lane, at now: Tick
    ) throws(LinkSendError) {
        try check(messageBytes: message.count)
        lanes[lane].enqueue(message)
        heldBytes += LinkLane.heldBytes(ofMessage: message.count)
        if fullSince == nil, isFull, isAttached { fullSince = now }
    }

    /// Sends a datagram through the stream, past the queues.
    ///
    /// - Parameters:
    ///   - datagram: At most ``Limits/chunkBytesMax`` bytes; more is a programmer's error.
    ///   - now: The monotonic clock.
    /// - Returns: What to do, in order; `nil` when the datagram is dropped, because the transport holds as
    ///   much as it may or there is none.
    public mutating func sendDatagram(_ datagram: [UInt8], at now: Tick) -> [Action]? {
        guard isAttached, !transportIsFull else {
            datagramsDropped += 1
            return nil
        }
        var actions: [Action] = []
        write(.datagram(datagram), &actions)
        arm(&actions)
        return actions
    }

    /// Says whether a message of so many bytes would be taken now.
    ///
    /// - Throws: ``LinkSendError`` when it would not.
    public func check(messageBytes: Int) throws(LinkSendError) {
        guard isOpen else { throw .notOpen }
        guard messageBytes <= Limits.messageBytesMax else { throw .messageTooLarge }
        guard heldBytes + LinkLane.heldBytes(ofMessage: messageBytes) <= Limits.linkHeldBytesMax else {
            throw .queueFull
        }
    }

    /// Whether a largest message would not fit.
    var isFull: Bool {
        heldBytes + LinkLane.heldBytes(ofMessage: Limits.messageBytesMax) > Limits.linkHeldBytesMax
    }

    /// Whether the transport has been given as much as it may hold.
    var transportIsFull: Bool { undrainedBytes >= Limits.linkWindowBytes }

    /// Writes what is due and fits the transport's window: an acknowledgement, then chunks, the first lane
    /// first.
    mutating func pump(at now: Tick, _ actions: inout [Action]) {
        switch state {
        case .detached, .ended: return
        case .open, .closing: break
        }
        var out: [UInt8] = []
        if let first = firstReadyLane { out.reserveCapacity(roomForQueue(from: first)) }
        if !transportIsFull, isAcknowledgementDue(at: now) { acknowledge(into: &out) }
        while undrainedBytes + out.count < Limits.linkWindowBytes, let lane = firstReadyLane {
            lanes[lane].writeChunk(into: &out)
        }
        if !out.isEmpty { write(out, &actions) }
        if case .closing(let reason, let detail, _) = state, isQueueEmpty {
            state = .open  // nothing was left behind, so the link ends as one that was open
            leave(reason, detail, &actions)
        }
    }

    /// About how many bytes will be written now, when `first` is the first lane that has something.
    private func roomForQueue(from first: Lane) -> Int {
        let counters = lanes[first].counters
        let bytes = counters.queuedBytes + counters.queuedMessages * Limits.chunkHeldBytes
        return min(bytes, Limits.linkWindowBytes + Limits.chunkBytesMax)
    }

    private var isQueueEmpty: Bool { Lane.allCases.allSatisfy { lanes[$0].isQueueEmpty } }

    /// The lane that may send next; the bulk lane only within its window.
    private var firstReadyLane: Lane? {
        if !lanes[.control].isQueueEmpty { return .control }
        if !lanes[.game].isQueueEmpty { return .game }
        guard !lanes[.bulk].isQueueEmpty,
            lanes[.bulk].counters.unacknowledgedBytes < Limits.bulkWindowBytes
        else { return nil }
        return .bulk
    }

    private func isAcknowledgementDue(at now: Tick) -> Bool {
        guard let acknowledgeBy else { return false }
        return now >= acknowledgeBy || unacknowledgedBytes >= Limits.acknowledgeBytes
    }

    private mutating func acknowledge(into out: inout [UInt8]) {
        var counts = PerLane<UInt64>(repeating: 0)
        for lane in Lane.allCases { counts[lane] = lanes[lane].chunksReceived }
        Frame.acknowledge(counts).encode(into: &out)
        acknowledgeBy = nil
        unacknowledgedBytes = 0
    }
}
