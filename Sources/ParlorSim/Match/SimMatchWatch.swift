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
            witness.named(other, by: seat, "desync at entry \(index)")
        case .violation(let text):
            say { "seat \(seat) stops: \(text)" }
            if liar == nil { witness.report(.health, "seat \(seat) stops: \(text)") }
            if let liar { witness.named(liar.seat, by: seat, text) }
        case .refused(let refusal): say { "seat \(seat) is refused what it owed: \(refusal.message)" }
        case .drawNumber, .drawDecided, .started, .revealed, .away, .back, .left, .ended: break
        }
    }

    private mutating func shown(_ index: Int, to seat: Int) {
        guard witness.isHonest(seat), let machine = peers[seat].machine,
            machine.log.entries.indices.contains(index)
        else { return }
        let entry = machine.log.entries[index]
        if case .end(_, alone: true, _) = entry.proposal.body {
            return say { "seat \(seat) ends alone after \(index) entries" }
        }
        let isNew = index == witness.log.count
        witness.shown(entry.hash, at: index, by: seat)
        say { "\(seat) accepts \(index): \(SimTrace.describe(entry))" }
        if isNew { blame(entry.proposal.body) }
        guard machine.acceptedCount == index + 1 else { return }
        let state = machine.accepted
        if (index + 1).isMultiple(of: Self.stateEntries) || state.phase == .ended {
            witness.state(state.hash, after: index + 1, of: seat)
        }
        guard let game = state.game else { return }
        if let snap = game as? Snap { witness.pack(isWhole: snap.isWholePack, seenBy: seat) }
        let gone = state.seats.indices.filter { state.seats[$0].status == .left }
        witness.turn(
            game.turn, gone: gone, most: game is Snap ? 1 : state.seats.count, seenBy: seat)
    }

    private mutating func blame(_ body: EntryBody) {
        switch body {
        case .away(let seat): said("away", of: seat)
        case .withheld(_, let seat): said("withheld", of: seat)
        case .left(let seat, .grace): said("left", of: seat)
        case .left(let seat, .draw): said("left in the draw", of: seat)
        case .left(let seat, .kicked):
            let isKicked = script.faults.contains { $0.deed == .kick(seat) }
            witness.said("removed", of: seat, isExcused: isKicked)
        case .chain, .commit, .reveal, .move, .leave, .draw, .open, .expire, .back, .end: break
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
            guard let machine = peers[seat].machine else { continue }
            let state = machine.accepted
            ends.append(
                SimWitness.End(
                    seat: seat, count: machine.acceptedCount,
                    head: machine.acceptedLog.head, isOver: state.phase == .ended, isAlone: state.endedAlone,
                    left: state.seats.indices.filter { state.seats[$0].status == .left },
                    reaches: Set(
                        peers.indices.filter {
                            $0 != seat && wires[wireIndex(seat, $0)].breaks == 0 && peers[$0].machine != nil
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
