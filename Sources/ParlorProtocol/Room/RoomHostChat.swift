/// How much each member of a room has said lately.
struct ChatPace: Sendable {
    private var lately: [(peer: PeerID, count: Int, since: Tick)] = []

    /// Counts a line of a member; returns whether it may be said.
    mutating func take(_ peer: PeerID, at now: Tick) -> Bool {
        lately.removeAll { now >= $0.since + Limits.sayWindow }
        guard let place = lately.firstIndex(where: { $0.peer == peer }) else {
            lately.append((peer, 1, now))
            return true
        }
        guard lately[place].count < Limits.sayLinesMax else { return false }
        lately[place].count += 1
        return true
    }
}

// What is said in a room goes through its host.
extension RoomHost {
    /// Hands a line of a member on to all, if it is one and the member has not said too many.
    mutating func say(
        _ text: String, by peer: PeerID, _ seat: Int, at now: Tick, _ actions: inout [Action]
    ) -> RoomRefusal? {
        guard let line = ChatLine(text) else {
            return RoomRefusal(
                .badParams, "a line of chat has 1 to \(Limits.sayGraphemesMax) visible characters")
        }
        guard chatPace.take(peer, at: now) else {
            return RoomRefusal(
                .busy,
                "you have said \(Limits.sayLinesMax) lines in \(Limits.sayWindow.components.seconds) s; "
                    + "this one was not sent, say it again in a moment")
        }
        for listener in audience {
            actions.append(.send(.say(room: state.id, from: peer, text: line.text), to: listener))
        }
        actions.append(.notice(.say(from: peer, name: state.seats[seat]?.name ?? "", text: line.text)))
        return nil
    }
}
