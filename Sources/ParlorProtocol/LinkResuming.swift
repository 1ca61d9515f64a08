extension Link {
    /// What a dialler's hello says to resume this link.
    ///
    /// It is of use while nothing is received: a driver makes it for a link without a connection, and gives
    /// the dial up when a connection of the peer's comes first.
    public var resume: Hello.Resume { Hello.Resume(link: peerID, received: received) }

    /// What a listener answers to the hello of the peer that this link is with.
    ///
    /// Good until the next input; the driver hands in ``Input/attached(_:)`` in the same turn.
    /// - Parameter hello: The peer's hello, on a new connection.
    /// - Returns: How many chunks of each lane have been received; `nil` when the hello is not about this
    ///   link, or the link is no longer open.
    public func received(resumedBy hello: Hello) -> PerLane<UInt64>? {
        guard isOpen, hello.linkID == peerID, hello.resume?.link == ownID else { return nil }
        return received
    }

    /// Whether a hello that resumes this link was said before an acknowledgement that has come since, on a
    /// connection that the peer has given up: such a one is turned away.
    public func isOutdated(_ hello: Hello) -> Bool {
        guard hello.linkID == peerID, let resume = hello.resume, resume.link == ownID else { return false }
        return Lane.allCases.contains { resume.received[$0] < lanes[$0].chunksAcknowledged }
    }

    private var received: PerLane<UInt64> {
        var counts = PerLane<UInt64>(repeating: 0)
        for lane in Lane.allCases { counts[lane] = lanes[lane].chunksReceived }
        return counts
    }

    /// Goes on with the connection: what the peer has received is acknowledged, the rest is sent again.
    mutating func attached(_ greeted: Greeted, at now: Tick, _ actions: inout [Action]) {
        let wasDetached: Bool
        switch state {
        case .open: wasDetached = false
        case .detached: wasDetached = true
        case .closing, .ended: return
        }
        guard let counts = greeted.resumed else { preconditionFailure("the connection of another link") }
        state = .open
        resumes += 1
        decoder = FrameDecoder(afterGreeting: greeted.rest)
        undrainedBytes = 0
        acknowledgeBy = nil
        unacknowledgedBytes = 0
        let wasSuspect = pulse.heard(at: now)
        if wasDetached {
            actions.append(.resumed)
        } else if wasSuspect {
            actions.append(.alive)
        }
        for lane in Lane.allCases {
            guard let freed = lanes[lane].acknowledged(counts[lane]) else {
                leave(
                    .protocolViolation, "chunk \(counts[lane]) of \(lane) is not the last received", &actions)
                return
            }
            heldBytes -= freed
            lanes[lane].rewind()
        }
        fullSince = isFull ? now : nil
        pulse.hurry(at: now)
        ping(at: now, &actions)
        pump(at: now, &actions)
        receiveFrames(at: now, &actions)
    }

    /// Goes on without a connection, for as long as one may be made.
    mutating func detach(_ detail: String, at now: Tick, _ actions: inout [Action]) {
        state = .detached(detail, until: now + Limits.resumeWait)
        fullSince = nil
        acknowledgeBy = nil
        unacknowledgedBytes = 0
        actions.append(.detached)
    }

    /// Does what is due without a connection.
    mutating func waitForConnection(_ detail: String, until: Tick, at now: Tick, _ actions: inout [Action]) {
        if case .lost = pulse.judge(at: now) { actions.append(.lost) }
        guard now >= until else { return }
        let end = LinkEnd(
            who: .network, reason: .lost, phase: .open,
            detail: "\(detail), and the link was not resumed within \(Limits.resumeWait)")
        self.end(end, flush: nil, &actions)
    }
}
