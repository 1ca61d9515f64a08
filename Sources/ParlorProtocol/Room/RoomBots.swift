internal import ParlorCrypto
public import ParlorGames

// What a host does with bots, which it plays.
extension RoomHost {
    /// Does what a member wants of bots.
    mutating func performForBots(
        _ request: RoomRequest, by peer: PeerID, _ actions: inout [Action]
    ) -> RoomRefusal? {
        guard peer == me else { return notHost("add or remove bots") }
        switch request {
        case .addBot(let seat, let skill): return addBot(skill, to: seat)
        case .removeBot(let seat): return removeBot(seat, &actions)
        default: return nil
        }
    }

    /// Seats a bot; in the first open seat, where none is named.
    private mutating func addBot(_ skill: BotSkill, to asked: Int?) -> RoomRefusal? {
        guard state.isGathering else {
            return RoomRefusal(.busy, "a match is on in \(state.name); bots come between matches")
        }
        if let asked, !state.seats.indices.contains(asked) || state.seats[asked] != nil {
            return RoomRefusal(.badParams, "seat \(asked) is not open")
        }
        guard let seat = asked ?? state.seats.firstIndex(where: { $0 == nil }) else { return full }
        state.seat(skill, in: seat)
        return nil
    }

    /// Removes a bot; the last one, where no seat is named.
    mutating func removeBot(_ asked: Int?, _ actions: inout [Action]) -> RoomRefusal? {
        if let asked, !state.seats.indices.contains(asked) || state.seats[asked]?.bot == nil {
            return RoomRefusal(.badParams, "there is no bot in seat \(asked)")
        }
        guard let seat = asked ?? state.seats.lastIndex(where: { $0?.bot != nil }),
            let bot = state.seats[seat]
        else { return RoomRefusal(.badParams, "there is no bot in \(state.name)") }
        if !state.isGathering { actions.append(.kickFromMatch(seat: seat)) }
        remove(bot.peer, reason: "kicked")
        return nil
    }
}

extension RoomState {
    /// Opens a room as ``init(id:name:game:options:seats:hidden:host:hostName:hostEndpoints:code:)`` does,
    /// and seats bots in the next seats; no more than there are.
    public mutating func seatBots(_ count: Int, _ skill: BotSkill) {
        for _ in 0..<max(0, count) {
            if let seat = seats.firstIndex(where: { $0 == nil }) { self.seat(skill, in: seat) }
        }
    }

    /// Puts a bot into an open seat, under the first name that nobody has, not even without the "Bot".
    mutating func seat(_ skill: BotSkill, in seat: Int) {
        let taken = seats.compactMap { $0?.name } + watchers.map(\.name)
        let free = Bots.names.filter { !taken.contains($0) }
        let name = free.first { !taken.contains(String($0.dropFirst("Bot ".count))) } ?? free.first
        // A number is enough that no peer has, nor another bot of the room.
        let numbers = (0...Limits.seatsMax).map { number in
            PeerID(
                checked: Hash.blake2b256(
                    Array("parlor/room-bot/1".utf8) + id.bytes + [UInt8(truncatingIfNeeded: number)]))
        }
        guard let peer = numbers.first(where: { self.seat(of: $0) == nil }) else { return }
        seats[seat] = Player(bot: skill, peer: peer, name: name ?? uniqueName("Bot"))
    }

    /// The peer that plays a seat: the host for a bot.
    public func driver(of player: Player) -> PeerID {
        player.bot == nil ? player.peer : host?.peer ?? player.peer
    }
}
