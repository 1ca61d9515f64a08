/// The signs of life of a link: when the peer was last heard, and the pings that make it speak.
struct LinkPulse: Sendable {
    private(set) var pace = LinkPace.idle
    /// Since when the peer has been silent.
    private(set) var silentSince = Tick(nanoseconds: 0)
    /// What has been said about the silence.
    private var verdict = Verdict.fine
    private(set) var roundTrips = RoundTripLog()
    private var nextPing = Tick(nanoseconds: 0)
    private var nextToken: UInt64 = 1
    private var out = Queue<Ping>()

    private struct Ping {
        let token: UInt64
        let sent: Tick
    }

    var pingInterval: Duration { pace == .match ? Limits.pingIntervalInMatch : Limits.pingIntervalIdle }
    private var suspectWait: Duration { pace == .match ? Limits.suspectWaitInMatch : Limits.suspectWaitIdle }

    /// When the next thing is due with a connection.
    var deadline: Tick { min(nextPing, verdictDeadline ?? nextPing) }

    /// When the silence is judged anew; `nil` when the worst has been said.
    var verdictDeadline: Tick? {
        switch verdict {
        case .fine: silentSince + suspectWait
        case .suspect: silentSince + lostWait
        case .lost: nil
        }
    }

    /// Starts counting, with a ping that is due.
    mutating func begin(at now: Tick) {
        silentSince = now
        nextPing = now
    }

    /// Has the next ping due now.
    mutating func hurry(at now: Tick) { nextPing = now }

    /// Changes the pace; from a slow one to a fast one, silence counts anew, because the peer kept to the
    /// slow one.
    mutating func set(_ pace: LinkPace, at now: Tick) {
        guard pace != self.pace else { return }
        self.pace = pace
        silentSince = max(silentSince, now)
        nextPing = now
    }

    /// Notes that bytes have come, and says whether the peer was suspect until now.
    mutating func heard(at now: Tick) -> Bool {
        silentSince = now
        guard verdict != .fine else { return false }
        verdict = .fine
        return true
    }

    /// The connection broke: says whether that is the first reason to suspect the peer.
    mutating func doubt() -> Bool {
        guard verdict == .fine else { return false }
        verdict = .suspect
        return true
    }

    /// The delay was ours: silence counts anew.
    mutating func forgive(at now: Tick) {
        silentSince = max(silentSince, now)
    }

    enum Verdict {
        case fine
        case suspect
        case lost
    }

    /// How long the peer has to be silent to be lost.
    var lostWait: Duration { pace == .match ? Limits.lostWaitInMatch : Limits.lostWaitIdle }

    /// What the silence means by now; `suspect` and `lost` once for each silence, then `fine`.
    mutating func judge(at now: Tick) -> Verdict {
        guard let verdictDeadline, now >= verdictDeadline else { return .fine }
        verdict = now >= silentSince + lostWait ? .lost : .suspect
        return verdict
    }

    /// The token of a ping to be sent now; `nil` when none is due.
    mutating func takePing(at now: Tick, transportIsFull: Bool) -> UInt64? {
        guard now >= nextPing else { return nil }
        nextPing = now + pingInterval
        guard !transportIsFull else { return nil }
        let token = nextToken
        nextToken += 1
        if out.count == Limits.pingsOutMax { _ = out.popFirst() }
        out.append(Ping(token: token, sent: now))
        return token
    }

    /// Notes that a pong has come, and says when its ping was sent; `nil` when there was none.
    mutating func takePong(_ token: UInt64, at now: Tick) -> Tick? {
        while let ping = out.first, ping.token <= token {
            _ = out.popFirst()
            guard ping.token == token else { continue }
            roundTrips.add(now - ping.sent)
            return ping.sent
        }
        return nil
    }
}
