// A room that changes hands: what the next host does, and when a host goes on as a guest.

extension RoomHost {
    /// Goes on with a room in whose match this peer has been voted in as sequencer.
    ///
    /// - Parameters:
    ///   - state: The room as this peer has it, as a guest in a match.
    ///   - me: This peer.
    ///   - epoch: The least epoch that the room has from now on; it rises by one at least.
    ///   - present: Who has a link with this peer, by which it can be told.
    ///   - hostHasLeft: Whether the host has left the match for good; its seat is kept otherwise.
    ///   - now: The moment.
    /// - Returns: The room, and what is to be done first; `nil` where there is nothing to take over.
    public static func succeeding(
        _ state: RoomState, me: PeerID, epoch: Int, present: Set<PeerID>, hostHasLeft: Bool, at now: Tick
    ) -> (host: RoomHost, actions: [Action])? {
        guard !state.isGathering, let seat = state.seat(of: me), let old = state.host, old.peer != me else {
            return nil
        }
        var new = state
        new.hostSeat = seat
        new.epoch = max(state.epoch + 1, epoch)
        new.seats[seat]?.ready = true
        new.seats[seat]?.away = false
        var host = RoomHost(new, me: me)
        // The old host may have lost whom this peer has a link with.
        for player in new.people.compactMap({ $0 }) {
            if present.contains(player.peer) {
                host.regain(player.peer)
            } else {
                host.lose(player.peer, at: now)
            }
        }
        if hostHasLeft { host.remove(old.peer, reason: "left") }
        host.awaitWatchers(at: now)
        var actions: [Action] = []
        host.spread(since: state, &actions)
        return (host, actions + [.arm(host.deadline)])
    }

    /// Whether another peer is the host rather than this one.
    ///
    /// It may have become that in a match only, so this host must be in one, or alone after one. Votes see to
    /// it that two hosts never have the same epoch; if they have, the lower peer stays.
    func yields(to new: RoomState, of sender: PeerID) -> Bool {
        guard new.id == state.id, new.seat(of: me) != nil, new.host?.peer == sender, sender != me,
            players.contains(sender), state.match != nil
        else { return false }
        let isNewer = new.epoch > state.epoch || new.epoch == state.epoch && sender < me
        let isAlone = state.people.compactMap { $0 }
            .allSatisfy { $0.away || $0.peer == me || $0.peer == sender }
        return isNewer && (!state.isGathering || isAlone)
    }

    /// A member that has a link again, or had one all the time as a guest of another host, has to be told.
    func sayWhoHosts(after input: Input, since before: RoomState, _ actions: inout [Action]) {
        switch input {
        case .reign:
            guard state != before else { return }
            for player in state.seats.compactMap({ $0 }) where player.away {
                actions.append(.send(.state(state, left: []), to: player.peer))
            }
        case .linkUp(let peer), .linkResumed(let peer):
            guard state == before, state.epoch > 0, peer != me, state.seat(of: peer) != nil else { return }
            actions.append(.send(.state(state, left: []), to: peer))
        default: break
        }
    }
}
