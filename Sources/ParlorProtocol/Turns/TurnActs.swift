public import ParlorGames

/// Why a peer cannot do what its player wants in a match by turns.
public struct TurnRefusal: Error, Hashable, Sendable {
    /// The stable words.
    public enum Reason: String, Hashable, Sendable {
        /// Another seat is to move.
        case notYourTurn = "not-your-turn"
        /// The rules do not allow the move.
        case illegalMove = "illegal-move"
        /// The match is over.
        case matchEnded = "match-ended"
        /// Not an action of the game.
        case badParams = "bad-params"
        /// This player has no seat in the match, or no longer.
        case notInMatch = "not-in-match"
        /// Not now, or not by this player.
        case notAllowed = "not-allowed"
        /// There is no room left in the match.
        case messageTooLarge = "message-too-large"
    }
    /// The stable word.
    public let reason: Reason
    /// What happened and what is possible instead, for people.
    public let message: String

    init(_ reason: Reason, _ message: String) {
        self.reason = reason
        self.message = message
    }

    init(_ refusal: Refusal) {
        let said = refusal.message
        self.init(
            Reason(rawValue: refusal.reason.rawValue) ?? .illegalMove,
            said.prefix(1).uppercased() + said.dropFirst() + ".")
    }
}

/// What a player may do in a match by turns: makes what an item says, or says why not.
public struct TurnActs: Sendable {
    private let copy: TurnShelf.Copy
    private let me: PeerID
    private var state: TurnState { copy.state }

    /// What a peer may do in a match on its shelf.
    public init(_ copy: TurnShelf.Copy, me: PeerID) {
        self.copy = copy
        self.me = me
    }

    /// The seat that this peer plays, or played.
    public var seat: Int? { state.seat(of: me) }

    /// What the player may do now; empty out of turn.
    public var legal: [Value] {
        guard state.outcomes == nil, let turn = state.turn, state.seats[turn].peer == me,
            state.seats[turn].status != .done
        else { return [] }
        return state.game.legal(for: turn, secrets: nil, at: 0)
    }

    /// The bytes that moves of this peer may still take.
    public var bytesLeft: Int { max(0, copy.match.bytesLeft(of: me) - Limits.turnReservedBytes) }

    private func mySeat() throws(TurnRefusal) -> Int {
        guard let seat else { throw TurnRefusal(.notInMatch, "You have no seat in this match.") }
        guard state.outcomes == nil else { throw TurnRefusal(.matchEnded, "The match is over.") }
        return seat
    }

    private func activeSeat() throws(TurnRefusal) -> Int {
        let seat = try mySeat()
        switch state.seats[seat].status {
        case .done: throw TurnRefusal(.notInMatch, "You have quit this match.")
        case .declined: throw TurnRefusal(.notInMatch, "You have declined this match.")
        case .unknown, .invited, .active: return seat
        }
    }

    /// The player's move, which accepts an invitation as well.
    public func play(_ action: Value) throws(TurnRefusal) -> TurnItem.Body {
        _ = try activeSeat()
        guard let turn = state.turn, state.seats[turn].peer == me else {
            throw TurnRefusal(.notYourTurn, "It is not your turn.")
        }
        let datum: Datum
        do throws(Refusal) {
            datum = try state.game.move(for: action, by: turn, secrets: Self.noSecrets(turn), at: 0)
        } catch {
            throw TurnRefusal(error)
        }
        let needed = CBOR(datum).encoded().count + Self.moveOverheadBytes
        guard needed <= bytesLeft else {
            throw TurnRefusal(
                .messageTooLarge,
                "The move takes \(needed) bytes, and you have \(bytesLeft) left in this match.")
        }
        return .move(parent: state.head, seat: turn, datum)
    }

    /// What a move's item takes beside the move, at most: IDs, parent, time and signature.
    static let moveOverheadBytes = 192

    /// Takes part.
    public func accept(name: String) throws(TurnRefusal) -> TurnItem.Body {
        let seat = try activeSeat()
        guard state.seats[seat].status == .invited else {
            throw TurnRefusal(.notAllowed, "You take part already.")
        }
        return .accept(name: name)
    }

    /// Does not take part.
    public func decline() throws(TurnRefusal) -> TurnItem.Body {
        let seat = try activeSeat()
        guard state.seats[seat].status == .invited else {
            throw TurnRefusal(.notAllowed, "You take part already; quit instead.")
        }
        return .decline
    }

    /// Leaves, in turn or out of it.
    public func quit() throws(TurnRefusal) -> TurnItem.Body {
        .quit(after: state.seats[try activeSeat()].moves)
    }

    /// Wants the seat passed over whose turn it is.
    ///
    /// - Parameter waited: How many seconds it has been its turn, by this peer's own clock.
    /// - Returns: The vote.
    /// - Throws: ``TurnRefusal``, which says why not.
    public func skip(waited: Int) throws(TurnRefusal) -> TurnItem.Body {
        let seat = try activeSeat()
        guard state.genesis.turnSeconds > 0 else {
            throw TurnRefusal(.notAllowed, "This match has no time limit, so nobody is passed over.")
        }
        guard let turn = state.turn, turn != seat else {
            throw TurnRefusal(.notAllowed, "It is your own turn.")
        }
        guard state.seats[seat].status == .active else {
            throw TurnRefusal(.notAllowed, "Accept the invitation first.")
        }
        guard !state.votes.contains(seat) else {
            throw TurnRefusal(.notAllowed, "You have voted already; the others have not.")
        }
        guard waited >= state.genesis.turnSeconds else {
            throw TurnRefusal(
                .notAllowed,
                "The turn is \(waited) s old here, and may take \(state.genesis.turnSeconds) s.")
        }
        return .skip(parent: state.head, seat: turn)
    }

    /// Reminds whoever's turn it is, once a turn.
    public func remind() throws(TurnRefusal) -> TurnItem.Body {
        let seat = try activeSeat()
        guard let turn = state.turn, turn != seat else {
            throw TurnRefusal(.notAllowed, "It is your own turn.")
        }
        guard state.seats[turn].peer != nil else {
            throw TurnRefusal(.notAllowed, "Nobody has the seat whose turn it is yet.")
        }
        let isReminded = copy.match.items.contains { item in
            if case .remind(state.head) = item.body { item.author == me } else { false }
        }
        guard !isReminded else { throw TurnRefusal(.notAllowed, "You have reminded of this turn already.") }
        return .remind(parent: state.head)
    }

    /// Asks for an open seat.
    public func take(name: String) throws(TurnRefusal) -> TurnItem.Body {
        guard seat == nil else { throw TurnRefusal(.notAllowed, "You have a seat in this match.") }
        guard copy.ask == nil else { throw TurnRefusal(.notAllowed, "You have asked for a seat already.") }
        guard state.outcomes == nil else { throw TurnRefusal(.matchEnded, "The match is over.") }
        guard let open = state.seats.firstIndex(where: { $0.status == .unknown }) else {
            throw TurnRefusal(.notAllowed, "There is no open seat in this match.")
        }
        return .take(seat: open, name: name)
    }

    /// Gives an open seat to who asked for it; `nil` where the seat is gone, or this peer did not make the
    /// match.
    public func grant(_ take: TurnItem) -> TurnItem.Body? {
        guard case .take(let seat, _) = take.body, take.match == state.genesis.match,
            state.genesis.creator == me, state.outcomes == nil, state.seats.indices.contains(seat),
            state.seats[seat].status == .unknown, state.seat(of: take.author) == nil
        else { return nil }
        return .grant(take: take.encoded)
    }

    /// Whether the match can be removed: it is over for this player, or never was its.
    public func checkRemoval() throws(TurnRefusal) {
        guard state.outcomes == nil, let seat else { return }
        switch state.seats[seat].status {
        case .done, .declined: return
        case .unknown, .invited, .active:
            throw TurnRefusal(.notAllowed, "The match goes on; quit or decline it first.")
        }
    }

    /// The games that are played by turns hide nothing.
    private static func noSecrets(_ seat: Int) -> SeatSecrets {
        SeatSecrets(seat: seat, derive: { _ in [] }, seal: { _, _ in nil }, open: { _, _ in nil }) { _ in [] }
    }
}
