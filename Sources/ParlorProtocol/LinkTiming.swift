extension Link {
    /// The nearest tick at which something is due; `nil` when nothing is.
    var nearestDeadline: Tick? {
        switch state {
        case .connecting, .ended: nil
        case .greeting(let since): since + Limits.greetingWait
        case .open: nearestOpenDeadline
        case .closing(_, _, let until): until
        }
    }

    /// The nearest deadline of an open link; what waits for the transport's window is none.
    private var nearestOpenDeadline: Tick {
        var nearest = pulse.deadline
        if let acknowledgeBy, !transportIsFull { nearest = min(nearest, acknowledgeBy) }
        if let fullSince { nearest = min(nearest, fullSince + Limits.fullWait) }
        return nearest
    }

    /// Does what is due.
    ///
    /// A deadline noticed far too late means that this side stood still: the peer's bytes may be waiting to
    /// be read, so its time counts anew.
    mutating func deadlinePassed(at now: Tick, _ actions: inout [Action]) {
        let stalled = takeArmed(at: now)
        switch state {
        case .connecting, .ended: break
        case .greeting(let since):
            if stalled {
                state = .greeting(since: now)
            } else if now >= since + Limits.greetingWait {
                leave(.greetingTimeout, "no greeting within \(Limits.greetingWait)", &actions)
            }
        case .open:
            if stalled {
                pulse.forgive(at: now)
                if fullSince != nil { fullSince = now }
            }
            keepAlive(at: now, &actions)
        case .closing(_, _, let until):
            if now >= until { abandonQueue(flush: false, &actions) }
        }
    }

    /// Changes the pace, and pings at once, so that both sides hear each other at the new one.
    mutating func setPace(_ pace: LinkPace, at now: Tick, _ actions: inout [Action]) {
        pulse.set(pace, at: now)
        if isOpen { ping(at: now, &actions) }
    }

    private mutating func keepAlive(at now: Tick, _ actions: inout [Action]) {
        switch pulse.judge(at: now) {
        case .lost(let wait):
            let end = LinkEnd(who: .network, reason: .lost, phase: .open, detail: "no bytes for \(wait)")
            self.end(end, flush: false, &actions)
            return
        case .suspect: actions.append(.suspect)
        case .fine: break
        }
        if let fullSince, now >= fullSince + Limits.fullWait {
            leave(.stuck, "nothing acknowledged for \(Limits.fullWait)", &actions)
            return
        }
        ping(at: now, &actions)
        pump(at: now, &actions)
    }

    private mutating func ping(at now: Tick, _ actions: inout [Action]) {
        guard let token = pulse.takePing(at: now, transportIsFull: transportIsFull) else { return }
        write(.ping(token: token), &actions)
    }
}
