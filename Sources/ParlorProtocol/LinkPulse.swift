/// The signs of life of a link: when the peer was last heard, and the pings that make it speak.
struct LinkPulse: Sendable {
    private(set) var pace = LinkPace.idle
    /// Since when the peer has been silent.
    private(set) var silentSince = Tick(nanoseconds: 0)
    /// Whether the silence has become suspicious.
    private(set) var isSuspect = false
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
    private var lostWait: Duration { pace == .match ? Limits.lostWaitInMatch : Limits.lostWaitIdle }

    /// When the next thing is due.
    var deadline: Tick { min(nextPing, silentSince + (isSuspect ? lostWait : suspectWait)) }

    /// Starts counting.
    mutating func begin(at now: Tick) {
        silentSince = now
        nextPing = now + pingInterval
    }

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
        defer { isSuspect = false }
        return isSuspect
    }

    /// The delay was ours: silence counts anew.
    mutating func forgive(at now: Tick) {
        silentSince = max(silentSince, now)
    }

    enum Verdict {
        case fine
        case suspect
        /// Silent for so long.
        case lost(Duration)
    }

    /// What the silence means by now; `suspect` once for each silence.
    mutating func judge(at now: Tick) -> Verdict {
        if now >= silentSince + lostWait { return .lost(lostWait) }
        guard !isSuspect, now >= silentSince + suspectWait else { return .fine }
        isSuspect = true
        return .suspect
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
