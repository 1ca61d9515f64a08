/// Finds out whether datagrams get through to the peer and back, by probes.
struct DatagramPath: Sendable {
    private enum State {
        /// No probe has been answered lately; so many have been sent since.
        case trying(probes: Int)
        /// Probes are answered.
        case working
    }

    private struct Probe {
        let token: UInt64
        let overStream: Bool
        let sent: Tick
    }

    private var state = State.trying(probes: 0)
    /// Where the peer is, as far as is known; `nil`: it takes no datagrams.
    private(set) var peer: Endpoint?
    private var nextToken: UInt64 = 1
    /// Probes that have not been answered, the oldest first.
    private var out: [Probe] = []
    private var lastProbe = Tick(nanoseconds: 0)
    /// When the first probe since the last answer was sent.
    private var unansweredSince: Tick?
    /// When a message of ours was last sent, or wanted to be.
    private var lastTraffic: Tick?
    /// Whether a probe is due whatever the others say.
    private var isAsked = false

    var isWorking: Bool {
        if case .working = state { return true }
        return false
    }

    /// Begins anew, at the first guess of where the peer is.
    mutating func begin(_ peer: Endpoint?) {
        self.peer = peer
        state = .trying(probes: 0)
        out = []
        unansweredSince = nil
        isAsked = false
    }

    /// Stops: there is no connection.
    mutating func end() {
        begin(nil)
    }

    /// Notes that a message of ours goes out, or wants to.
    mutating func traffic(at now: Tick) {
        lastTraffic = now
    }

    /// Notes that a datagram of the peer has come, and says whether it shows that the peer is somewhere else.
    mutating func heard(from source: Endpoint, isNewest: Bool, at now: Tick) -> Bool {
        if case .trying(let probes) = state, probes >= Limits.probesFirst,
            now - lastProbe >= Limits.probeInterval
        {
            isAsked = true  // its datagrams get through, so ours may
        }
        guard isNewest, peer != source else { return false }
        peer = source
        isAsked = true
        return true
    }

    // MARK: Probes

    /// When the next probe is due; `nil`: never.
    var probeDue: Tick? {
        guard peer != nil else { return nil }
        if isAsked { return Tick(nanoseconds: 0) }
        switch state {
        case .trying(0): return Tick(nanoseconds: 0)
        case .trying(let probes) where probes < Limits.probesFirst: return lastProbe + Limits.probeRetry
        case .trying:
            let isUsed = lastTraffic.map { lastProbe - $0 < Limits.probeIntervalIdle } ?? false
            return lastProbe + (isUsed ? Limits.probeIntervalBlocked : Limits.probeIntervalIdle)
        case .working where unansweredSince != nil: return lastProbe + Limits.probeIntervalUnanswered
        case .working:
            let isUsed = lastTraffic.map { $0 > lastProbe } ?? false
            return lastProbe + (isUsed ? Limits.probeInterval : Limits.probeIntervalIdle)
        }
    }

    /// When messages will take the stream unless a probe is answered.
    var failureDue: Tick? {
        guard isWorking, let unansweredSince else { return nil }
        return unansweredSince + Limits.probeWait
    }

    /// The token of a probe that is sent now; over the stream it says nothing about datagrams.
    mutating func probe(overStream: Bool, at now: Tick) -> UInt64 {
        let token = nextToken
        nextToken += 1
        if out.count == Limits.probesOutMax { out.removeFirst() }
        out.append(Probe(token: token, overStream: overStream, sent: now))
        guard !overStream else { return token }
        isAsked = false
        lastProbe = now
        switch state {
        case .trying(let probes): state = .trying(probes: probes + 1)
        case .working: if unansweredSince == nil { unansweredSince = now }
        }
        return token
    }

    /// Takes the answer to a probe of the same way, and says when the probe was sent; `nil` when there was
    /// none.
    mutating func answered(_ token: UInt64, overStream: Bool, at now: Tick) -> Tick? {
        guard let place = out.firstIndex(where: { $0.token == token && $0.overStream == overStream })
        else { return nil }
        let sent = out.remove(at: place).sent
        if !overStream, now - sent < Limits.probeWait {
            state = .working
            unansweredSince = nil
        }
        return sent
    }

    /// Gives datagrams up when probes have gone unanswered for too long; they are tried again from the start.
    mutating func judge(at now: Tick) {
        guard let failureDue, now >= failureDue else { return }
        state = .trying(probes: 0)
        unansweredSince = nil
    }
}
