import ParlorGames

@testable import ParlorProtocol

/// The player of a number, whose signatures are stand-ins.
func turnSigner(_ number: Int) -> Signer {
    Signer(standInFor: PeerID(checked: [UInt8](repeating: UInt8(truncatingIfNeeded: number + 1), count: 32)))
}

/// A match by turns as one player after the other makes it, without any network.
struct TurnDesk {
    var match: TurnMatch
    let signers: [Signer]
    private var time = 1_000

    /// Begins a match of so many named players and open seats.
    init(_ game: String, named: Int, open: Int = 0, turnSeconds: Int = 0, nonce: UInt8 = 7) {
        signers = (0..<max(5, named)).map(turnSigner)
        let seats = (0..<named).map { TurnGenesis.Seat(peer: turnSigner($0).peer, name: "P\($0)") }
        match = TurnMatch(
            TurnGenesis(
                nonce: [UInt8](repeating: nonce, count: 16), game: game, rules: 1,
                seats: seats + (0..<open).map { _ in TurnGenesis.Seat() }, turnSeconds: turnSeconds,
                time: 1_000, signer: signers[0]))
    }

    var state: TurnState { TurnState(match) }
    var statuses: [TurnState.Status] { state.seats.map(\.status) }

    func acts(_ player: Int) -> TurnActs {
        TurnActs(TurnShelf.Copy(match), me: signers[player].peer)
    }

    /// Has a player sign something, whatever the rules say.
    @discardableResult
    mutating func sign(_ player: Int, _ body: TurnItem.Body) -> TurnItem {
        time += 1
        let item = TurnItem(
            match: match.genesis.match, body: body, time: time, signer: signers[player])
        match.merge([item])
        return item
    }

    @discardableResult
    mutating func place(_ player: Int, _ cell: Int) throws -> TurnItem {
        sign(player, try acts(player).play(["do": "place", "cell": .int(cell)]))
    }

    @discardableResult
    mutating func append(_ player: Int, _ text: String) throws -> TurnItem {
        sign(player, try acts(player).play(["do": "append", "text": .string(text)]))
    }

    mutating func quit(_ player: Int) throws { sign(player, try acts(player).quit()) }

    /// Has a player ask for an open seat, and the creator give it.
    mutating func seat(_ player: Int) throws {
        let take = TurnItem(
            match: match.genesis.match, body: try acts(player).take(name: "P\(player)"), time: 5,
            signer: signers[player])
        if let grant = acts(0).grant(take) { sign(0, grant) }
    }
}
