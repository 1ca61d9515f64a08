extension Link {
    /// Takes bytes of the transport in and acts on each frame that they complete.
    mutating func received(_ bytes: [UInt8], at now: Tick, _ actions: inout [Action]) {
        switch state {
        case .connecting: preconditionFailure("bytes before the transport was open")
        case .ended: return
        case .greeting, .open, .closing: break
        }
        readBytes += UInt64(bytes.count)
        if pulse.heard(at: now) { actions.append(.alive) }
        decoder.append(bytes)
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
        case .connecting, .ended: break
        case .greeting: greeted(frame, at: now, &actions)
        case .open: receivedOpen(frame, at: now, &actions)
        case .closing: receivedClosing(frame, at: now, &actions)
        }
    }

    // MARK: Greeting

    private mutating func greeted(_ frame: Frame, at now: Tick, _ actions: inout [Action]) {
        switch (role, frame) {
        case (.listener, .hello(let peer)): answer(peer, at: now, &actions)
        case (.dialler, .welcome(let welcome)):
            guard hello.protocols.contains(welcome.chosen), welcome.hello.protocols.contains(welcome.chosen)
            else {
                leave(.protocolViolation, "version \(welcome.chosen) was not offered", &actions)
                return
            }
            establish(PeerHello(hello: welcome.hello, chosen: welcome.chosen), at: now, &actions)
        case (.dialler, .refuse(let refusal)):
            let detail = [refusal.detail, age(of: refusal.protocols, software: refusal.software)]
            ended(by: refusal.reason, detail.filter { !$0.isEmpty }.joined(separator: "; "), &actions)
        case (_, .goodbye(let goodbye)): ended(by: goodbye.reason, goodbye.detail, &actions)
        case (.dialler, _): leave(.protocolViolation, "\(frame.kind) before welcome", &actions)
        case (.listener, _): leave(.protocolViolation, "\(frame.kind) before hello", &actions)
        }
    }

    private mutating func answer(_ peer: Hello, at now: Tick, _ actions: inout [Action]) {
        guard let chosen = hello.newestCommon(with: peer) else {
            leave(.noCommonVersion, age(of: peer.protocols, software: peer.software), &actions)
            return
        }
        write(.welcome(Welcome(hello: hello, chosen: chosen)), &actions)
        establish(PeerHello(hello: peer, chosen: chosen), at: now, &actions)
    }

    private mutating func establish(_ peer: PeerHello, at now: Tick, _ actions: inout [Action]) {
        state = .open
        decoder.endGreeting()
        pulse.begin(at: now)
        actions.append(.established(peer))
    }

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
        case .datagram: datagramsDropped += 1
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
