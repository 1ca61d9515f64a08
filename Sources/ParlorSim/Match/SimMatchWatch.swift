internal import ParlorGames
internal import ParlorProtocol

// What the witness is told.
extension SimMatch {
    /// How often states are compared, in entries: often enough that none goes astray for long.
    private static let stateEntries = 8

    mutating func show(_ notice: MatchNotice, to seat: Int) {
        defer { considerThinking(seat) }
        switch notice {
        case .changed(let index, _): shown(index, to: seat)
        case .desync(let other, let index):
            say { "seat \(seat) differs from seat \(other) at entry \(index)" }
            // That one of two is wrong does not say which.
            if liar == nil { witness.report(.state, "seats \(seat) and \(other) differ at entry \(index)") }
            if other == liar?.seat { witness.named(other, by: seat, "desync at entry \(index)") }
        case .fault(let misdeed):
            say { "seat \(seat) accuses seat \(misdeed.seat): \(misdeed.kind.word), \(misdeed.message)" }
            witness.named(misdeed.seat, by: seat, "\(misdeed.kind.word), \(misdeed.message)")
        case .violation(let text):
            say { "seat \(seat) stops: \(text)" }
            if witness.isHonest(seat) { witness.report(.health, "seat \(seat) stops: \(text)") }
        case .paused: say { "seat \(seat) waits" }
        case .goesOn: say { "seat \(seat) goes on" }
        case .sequencerChanged(let other): say { "seat \(seat) follows seat \(other)" }
        case .refused(let refusal): say { "seat \(seat) is refused what it owed: \(refusal.message)" }
        case .drawNumber, .drawDecided, .started, .revealed, .away, .back, .left, .ended: break
        }
    }

    private mutating func shown(_ index: Int, to seat: Int) {
        guard witness.isHonest(seat), peers[seat].isRunning, index < machines[seat].log.entries.count else {
            return
        }
        let entry = machines[seat].log.entries[index]
        if case .end(_, alone: true, _) = entry.proposal.body {
            return say { "seat \(seat) ends alone after \(index) entries" }
        }
        let isNew = index == witness.log.count
        witness.shown(entry.hash, at: index, by: seat)
        say { "\(seat) accepts \(index): \(SimTrace.describe(entry))" }
        if isNew { blame(entry.proposal) }
        guard machines[seat].acceptedCount == index + 1 else { return }
        let state = machines[seat].accepted
        if (index + 1).isMultiple(of: Self.stateEntries) || state.phase == .ended {
            witness.state(state.hash, after: index + 1, head: entry.hash, of: seat)
        }
        guard let game = state.game else { return }
        if let snap = game as? Snap { witness.pack(isWhole: snap.isWholePack, seenBy: seat) }
        let gone = state.seats.indices.filter { state.seats[$0].status == .left }
        witness.turn(
            game.turn, gone: gone, most: game is Snap ? 1 : state.seats.count, seenBy: seat)
    }

    /// A lie has come to an honest seat that can see it to be one.
    mutating func noteLie(_ message: MatchMessage, to receiver: Int) {
        guard let liar, peers[receiver].isRunning else { return }
        switch message {
        case .entries(let entries):
            let isNext = entries.first.map { $0.index == machines[receiver].log.entries.count } ?? false
            if isNext, entries.contains(where: liar.isSeen) { witness.lied(liar.seat) }
        case .link(let draw, let link):
            let state = machines[receiver].accepted
            let isOn = draw == state.lastDraw || draw == state.lastDraw + 1
            if liar.lie == .wrongLink, link.seat == liar.seat, isOn, state.phase == .playing,
                !state.holds(link, draw: draw)
            {
                witness.lied(liar.seat)
            }
        default: break
        }
    }

    private mutating func blame(_ proposal: Proposal) {
        switch proposal.body {
        case .fault(let accused, let kind, _):
            let accuser = proposal.author.number
            let isBlame = kind.isProvable || witness.isHonest(accuser)
            if isBlame, witness.isHonest(accused) {
                witness.report(.blame, "the log accuses seat \(accused) of \(kind.word)")
            }
            if witness.isHonest(accuser) { witness.named(accused, by: accuser, kind.word) }
        case .away(let seat): said("away", of: seat)
        case .withheld(_, let seat): said("withheld", of: seat)
        case .left(let seat, .grace): said("left", of: seat)
        case .left(let seat, .draw): said("left in the draw", of: seat)
        case .left(let seat, .kicked):
            let isKicked = script.faults.contains { $0.deed == .kick(seat) }
            witness.said("removed", of: seat, isExcused: isKicked)
        case .chain, .commit, .reveal, .move, .leave, .draw, .open, .expire, .judge, .back, .sequencer,
            .driver, .end:
            break
        }
    }

    /// Over a network where a message may take seconds, nobody does anything wrong by being late.
    private mutating func said(_ word: String, of seat: Int) {
        let isRough = script.network.loss > 0.01
        let isStalled = peers.contains { now < $0.troubledUntil && $0.troubledUntil.nanoseconds == .max }
        witness.said(
            word, of: seat, isExcused: isRough || isStalled || now < peers[seat].troubledUntil)
    }

    mutating func finish() {
        var ends: [SimWitness.End] = []
        for seat in peers.indices {
            guard peers[seat].isRunning else { continue }
            let machine = machines[seat]
            let state = machine.accepted
            // A seat that has left has no part in how the others end.
            let hasLeft = state.seats[seat].status == .left && state.phase != .ended
            ends.append(
                SimWitness.End(
                    seat: seat, count: machine.acceptedCount,
                    head: machine.acceptedLog.head, isOver: hasLeft || state.phase == .ended,
                    isAlone: hasLeft || state.endedAlone,
                    left: state.seats.indices.filter { state.seats[$0].status == .left },
                    reaches: Set(
                        peers.indices.filter {
                            !hasLeft && $0 != seat && wires[wireIndex(seat, $0)].breaks == 0
                                && peers[$0].isRunning
                        })))
            say {
                "seat \(seat): \(machine.acceptedCount) entries, \(state.phase.rawValue)"
                    + (state.endedAlone ? " alone" : "")
                    + " \(state.outcomes?.map(\.rawValue).joined(separator: ", ") ?? "")"
            }
        }
        witness.finish(ends)
        for violation in witness.violations { say { "!!! \(violation.invariant): \(violation.text)" } }
    }
}
