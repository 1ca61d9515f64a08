extension Link {
    /// Takes bytes of the transport in and acts on each frame that they complete.
    mutating func received(_ bytes: [UInt8], at now: Tick, _ actions: inout [Action]) {
        switch state {
        case .detached, .ended: return
        case .open, .closing: break
        }
        readBytes += UInt64(bytes.count)
        if pulse.heard(at: now) { actions.append(.alive) }
        decoder.append(bytes)
        receiveFrames(at: now, &actions)
    }

    /// Acts on each whole frame that has arrived, then writes what is due.
    mutating func receiveFrames(at now: Tick, _ actions: inout [Action]) {
        do {
            while let frame = try nextFrame() { received(frame, at: now, &actions) }
        } catch {
            leave(.protocolViolation, "\(error.code.rawValue): \(error.detail)", &actions)
        }
        pump(at: now, &actions)
    }

    private mutating func nextFrame() throws(FrameError) -> Frame? {
        if case .ended = state { return nil }
        return try decoder.next()
    }

    private mutating func received(_ frame: Frame, at now: Tick, _ actions: inout [Action]) {
        switch state {
        case .detached, .ended: break
        case .open: receivedOpen(frame, at: now, &actions)
        case .closing: receivedClosing(frame, at: now, &actions)
        }
    }

    private mutating func ended(by reason: LinkReason, _ detail: String, _ actions: inout [Action]) {
        end(LinkEnd(who: .peer, reason: reason, phase: phase, detail: detail), flush: false, &actions)
    }

    // MARK: Open

    private mutating func receivedOpen(_ frame: Frame, at now: Tick, _ actions: inout [Action]) {
        switch frame {
        case .chunk(let lane, let last, let bytes): received(bytes, of: lane, last: last, at: now, &actions)
        case .acknowledge(let counts): acknowledged(counts, at: now, &actions)
        case .ping(let token):
            if !transportIsFull { write(.pong(token: token, clock: now.microseconds), &actions) }
        case .pong(let token, let clock):
            guard let sent = pulse.takePong(token, at: now) else { return }
            actions.append(.clock(ClockSample(sent: sent, received: now, peerMicroseconds: clock)))
        case .datagram(let bytes): actions.append(.streamed(bytes))
        case .goodbye(let goodbye): ended(by: goodbye.reason, goodbye.detail, &actions)
        case .hello, .welcome, .refuse: leave(.protocolViolation, "\(frame.kind) in an open link", &actions)
        }
    }

    private mutating func received(
        _ chunk: [UInt8], of lane: Lane, last: Bool, at now: Tick, _ actions: inout [Action]
    ) {
        switch lanes[lane].received(chunk, last: last) {
        case .message(let message): actions.append(.received(lane, message))
        case .part: break
        case .violation(let detail):
            leave(.protocolViolation, detail, &actions)
            return
        }
        unacknowledgedBytes += chunk.count + Limits.chunkHeldBytes
        if acknowledgeBy == nil { acknowledgeBy = now + Limits.acknowledgeWait }
    }

    private mutating func acknowledged(_ counts: PerLane<UInt64>, at now: Tick, _ actions: inout [Action]) {
        var freed = 0
        for lane in Lane.allCases {
            guard let bytes = lanes[lane].acknowledged(counts[lane]) else {
                leave(
                    .protocolViolation, "chunk \(counts[lane]) of \(lane) is not the last received", &actions)
                return
            }
            freed += bytes
        }
        heldBytes -= freed
        if freed > 0, fullSince != nil { fullSince = isFull ? now : nil }
    }

    // MARK: Closing

    /// What still counts while queued messages go out: who says goodbye meanwhile will not read them.
    private mutating func receivedClosing(_ frame: Frame, at now: Tick, _ actions: inout [Action]) {
        switch frame {
        case .acknowledge(let counts): acknowledged(counts, at: now, &actions)
        case .goodbye: abandonQueue(flush: false, &actions)
        case .chunk, .ping, .pong, .datagram, .hello, .welcome, .refuse: break
        }
    }

    /// Ends a closing link with messages still queued.
    mutating func abandonQueue(flush: Bool, _ actions: inout [Action]) {
        guard case .closing(let reason, let detail, _) = state else { return }
        end(LinkEnd(who: .local, reason: reason, phase: .closing, detail: detail), flush: flush, &actions)
    }
}
