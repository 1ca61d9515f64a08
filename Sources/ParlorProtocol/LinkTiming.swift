extension Link {
    /// The nearest tick at which something is due; `nil` when nothing is.
    var nearestDeadline: Tick? {
        switch state {
        case .ended: nil
        case .open: nearestOpenDeadline
        case .detached(_, let until): min(until, pulse.verdictDeadline ?? until)
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
        case .ended: break
        case .open:
            if stalled {
                pulse.forgive(at: now)
                if fullSince != nil { fullSince = now }
            }
            keepAlive(at: now, &actions)
        case .detached(let detail, var until):
            if stalled {
                pulse.forgive(at: now)
                until = now + Limits.resumeWait
                state = .detached(detail, until: until)
            }
            waitForConnection(detail, until: until, at: now, &actions)
        case .closing(let reason, let detail, let until):
            if stalled {
                state = .closing(reason, detail: detail, until: now + Limits.closeWait)
            } else if now >= until {
                abandonQueue(flush: false, &actions)
            }
        }
    }

    /// Changes the pace, and pings at once, so that both sides hear each other at the new one.
    mutating func setPace(_ pace: LinkPace, at now: Tick, _ actions: inout [Action]) {
        pulse.set(pace, at: now)
        if isAttached { ping(at: now, &actions) }
    }

    private mutating func keepAlive(at now: Tick, _ actions: inout [Action]) {
        switch pulse.judge(at: now) {
        case .lost:
            actions += [.lost, .closeTransport(flush: false)]
            detach("no bytes for \(pulse.lostWait)", at: now, &actions)
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

    /// Sends a ping if one is due.
    mutating func ping(at now: Tick, _ actions: inout [Action]) {
        guard let token = pulse.takePing(at: now, transportIsFull: transportIsFull) else { return }
        write(.ping(token: token), &actions)
    }
}
