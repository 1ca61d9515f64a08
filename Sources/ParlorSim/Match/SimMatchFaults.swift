internal import ParlorProtocol

// What goes wrong: broken wires, dead and sleeping processes, seats that go.
extension SimMatch {
    private static let graceMilliseconds = 10_000

    mutating func happen(_ deed: SimScript.Deed) {
        say { "*** \(SimTrace.describe(deed))" }
        switch deed {
        case .stall(let seat, let length):
            stall(seat, until: now + .milliseconds(length))
            // What two stalls hold up together may be late for others.
            let wait = Duration.milliseconds(Limits.linkMilliseconds)
            let isSecond = peers[seat].stalledUntil.map { now < $0 + wait } ?? false
            peers[seat].stalledUntil = now + .milliseconds(length)
            trouble(isSecond ? Array(peers.indices) : [seat], until: now + .milliseconds(length))
        case .cut(let seat, let length): split([seat], length)
        case .split(let seats, let length): split(seats, length)
        case .crash(let seat, let wait): kill(seat, isFresh: false, backAfter: wait)
        case .fresh(let seat, let wait): kill(seat, isFresh: true, backAfter: wait)
        case .doze(let seat, let length):
            if !peers[seat].isAsleep { sever(pairs([seat])) }
            peers[seat].isAsleep = true
            peers[seat].sleepsUntil = max(peers[seat].sleepsUntil, now + .milliseconds(length))
            let isLong = length >= Self.graceMilliseconds
            trouble(isLong ? Array(peers.indices) : [seat], until: now + .milliseconds(length))
            queue.schedule(.wakeUp(seat), at: now + .milliseconds(length))
        case .leave(let seat):
            trouble([seat], until: now)
            feedRequest(of: seat) { .leave($0) }
        case .kick(let seat):
            trouble([seat], until: now)
            feed(.kick(seat: seat), to: 0)
        }
    }

    // MARK: Wires

    /// The wires between these seats and the others.
    private func pairs(_ seats: [Int]) -> [(Int, Int)] {
        let others = peers.indices.filter { !seats.contains($0) }
        return seats.flatMap { seat in others.map { (seat, $0) } }
    }

    private mutating func split(_ seats: [Int], _ length: Int?) {
        let pairs = pairs(seats)
        sever(pairs)
        guard let length else {
            for seat in peers.indices { peers[seat].troubledUntil = Tick(nanoseconds: .max) }
            return trouble([], until: now)
        }
        trouble(Array(peers.indices), until: now + .milliseconds(length))
        queue.schedule(.heal(pairs), at: now + .milliseconds(length))
    }

    private mutating func sever(_ pairs: [(Int, Int)]) {
        for (one, other) in pairs {
            let index = wireIndex(one, other)
            wires[index].breaks += 1
            guard wires[index].breaks == 1 else { continue }
            wires[index].brokenSince = now
            queue.schedule(.lose(one, other, since: now), at: now + Limits.lostWaitInMatch)
        }
    }

    /// Both ends notice that nothing comes any more.
    mutating func lose(_ one: Int, _ other: Int, since: Tick) {
        let index = wireIndex(one, other)
        guard wires[index].breaks > 0, wires[index].brokenSince == since else { return }
        wires[index].isNoticed = true
        tell(one, other, isHere: false)
    }

    mutating func mend(_ one: Int, _ other: Int) {
        let index = wireIndex(one, other)
        wires[index].breaks -= 1
        guard wires[index].breaks == 0 else { return }
        let held = wires[index].held
        wires[index].held = []
        if now - wires[index].brokenSince > Limits.resumeWait { wires[index].link += 1 }
        let link = wires[index].link
        let isNew = wires[index].isNoticed || wires[index].isNews
        wires[index].isNoticed = false
        wires[index].isNews = false
        if isNew { tell(one, other, isHere: true) }
        guard now - wires[index].brokenSince <= Limits.resumeWait else { return }
        for (message, sender, receiver) in held {
            queue.schedule(.deliver(message, from: sender, to: receiver, link: link), at: now)
        }
    }

    private mutating func tell(_ one: Int, _ other: Int, isHere: Bool) {
        say { "\(one) and \(other) \(isHere ? "hear each other again" : "have lost each other")" }
        feed(.presence(seat: other, here: isHere), to: one)
        feed(.presence(seat: one, here: isHere), to: other)
    }

    // MARK: Processes

    private mutating func kill(_ seat: Int, isFresh: Bool, backAfter wait: Int?) {
        guard peers[seat].isRunning else { return }
        peers[seat].isRunning = false
        peers[seat].life += 1
        peers[seat].alarm = Alarm()
        let wasAsleep = peers[seat].isAsleep
        peers[seat].isAsleep = false
        peers[seat].sleepsUntil = now
        peers[seat].botsAt = nil
        if peers[seat].bots != nil { peers[seat].bots = newBots(of: seat) }
        witness.forgotten(by: seat)
        // What it sent last arrives or not, as the kernel likes.
        let arrives = Bool.random(using: &random)
        sever(pairs([seat]))
        for other in peers.indices where other != seat {
            let index = wireIndex(seat, other)
            // It sleeps no more, it is dead: one break instead of two.
            if wasAsleep { wires[index].breaks -= 1 }
            if !arrives { wires[index].link += 1 }
            wires[index].held = []
        }
        guard let wait else {
            peers[seat].troubledUntil = Tick(nanoseconds: .max)
            return trouble([], until: now)
        }
        // Who waits for it longer than its own grace has ended alone and must first go on again.
        let isLong = wait >= Self.graceMilliseconds
        trouble(isLong ? Array(peers.indices) : [seat], until: now + .milliseconds(wait))
        queue.schedule(.restart(seat, isFresh: isFresh), at: now + .milliseconds(wait))
    }

    mutating func restart(_ seat: Int, isFresh: Bool) {
        say { "*** seat \(seat) begins again\(isFresh ? " with nothing but its identity" : "")" }
        begin(seat, isFresh: isFresh)
        for (one, other) in pairs([seat]) {
            let index = wireIndex(one, other)
            wires[index].link += 1
            wires[index].held = []
            wires[index].isNoticed = true  // a new link is news in any case
            mend(one, other)
            findOut(one, other)
        }
    }

    /// Who was not there when a wire broke has to find out.
    private mutating func findOut(_ one: Int, _ other: Int) {
        let index = wireIndex(one, other)
        guard wires[index].breaks > 0 else { return }
        wires[index].brokenSince = now
        // The other end had noticed, or met another process before.
        if wires[index].isNoticed { wires[index].isNews = true }
        wires[index].isNoticed = false
        queue.schedule(.lose(one, other, since: now), at: now + Limits.lostWaitInMatch)
    }

    mutating func wakeUp(_ seat: Int) {
        guard peers[seat].isAsleep, now >= peers[seat].sleepsUntil else { return }
        peers[seat].isAsleep = false
        witness.slept(seat)
        say { "*** seat \(seat) wakes up" }
        for (one, other) in pairs([seat]) {
            mend(one, other)
            findOut(one, other)
        }
        feed(.deadlinePassed, to: seat)
        considerThinking(seat)
    }
}
