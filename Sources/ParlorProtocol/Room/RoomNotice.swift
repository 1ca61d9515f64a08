/// Somebody who left a seat of a room.
public struct RoomDeparture: Hashable, Sendable {
    /// The seat it had.
    public let seat: Int
    /// Who.
    public let peer: PeerID
    /// `left`, `lost`, `kicked`, `shutting-down` or `protocol-violation`.
    public let reason: String

    /// Makes a departure.
    public init(seat: Int, peer: PeerID, reason: String) {
        self.seat = seat
        self.peer = peer
        self.reason = reason
    }
}

/// What happened in a room, for those who show it.
public enum RoomNotice: Hashable, Sendable {
    /// Somebody took a seat.
    case seatTaken(seat: Int)
    /// Somebody left a seat, for a reason as in ``RoomDeparture``.
    case seatLeft(RoomDeparture)
    /// A seat's link is lost.
    case seatAway(seat: Int)
    /// A seat is here again.
    case seatBack(seat: Int)
    /// A player is ready, or not any more.
    case seatReady(seat: Int, ready: Bool)
    /// Anything of the room changed.
    case updated
    /// So many wrong codes were tried that the room has another one.
    case codeReplaced
    /// A member said something.
    case say(from: PeerID, name: String, text: String)
}

extension RoomState {
    /// What changed from one state to the next, for those who show it.
    ///
    /// While a match is on, its log says who is away and who has left.
    func notices(since old: RoomState, left: [RoomDeparture]) -> [RoomNotice] {
        guard self != old else { return [] }
        var notices: [RoomNotice] = []
        for (seat, player) in old.seats.enumerated() {
            guard let player, isGathering, self.seat(of: player.peer) == nil else { continue }
            let known = left.last { $0.peer == player.peer }
            notices.append(.seatLeft(known ?? RoomDeparture(seat: seat, peer: player.peer, reason: "left")))
        }
        for (seat, player) in seats.enumerated() {
            guard let player else { continue }
            guard let place = old.seat(of: player.peer), let before = old.seats[place] else {
                notices.append(.seatTaken(seat: seat))
                continue
            }
            if player.away != before.away, isGathering {
                notices.append(player.away ? .seatAway(seat: seat) : .seatBack(seat: seat))
            }
            if player.ready != before.ready, isGathering {
                notices.append(.seatReady(seat: seat, ready: player.ready))
            }
        }
        notices.append(.updated)
        return notices
    }
}
