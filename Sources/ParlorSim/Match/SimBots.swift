internal import ParlorGames
internal import ParlorProtocol

// Bots at a simulated table: whoever orders the entries plays them.
extension SimMatch {
    func newBots(of seat: Int) -> BotSeats {
        let levels = BotSkill.allCases
        let places = genesis.seats.indices.filter { genesis.seats[$0].bot }
        return BotSeats(
            levels: Dictionary(uniqueKeysWithValues: places.map { ($0, levels[$0 % levels.count]) }),
            seed: script.seed &+ UInt64(seat))
    }

    /// Lets a seat's bots look at the match and do what they want to do by now.
    mutating func letBotsAct(of seat: Int) {
        guard peers[seat].isAwake else { return }
        // Who orders nothing drives no bots.
        guard machines[seat].isSequencer || !(peers[seat].bots?.isIdle ?? true) else { return }
        let moment = clock(of: seat)
        let wishes = peers[seat].bots?.look(machines[seat], at: moment) ?? []
        for case .act(let bot, let action) in wishes {
            feedRequest(of: seat, forBot: bot) { .actFor($0, seat: bot, action) }
        }
        guard let next = peers[seat].bots?.next, next != peers[seat].botsAt else { return }
        peers[seat].botsAt = next
        let wait = next > moment ? next - moment : .milliseconds(1)
        queue.schedule(.bots(seat, next, life: peers[seat].life), at: now + wait)
    }
}
