import ParlorGames
import Testing

@testable import ParlorProtocol

@Suite struct TurnRulesTests {
    @Test func `seats play in their order and the creator is first`() throws {
        var desk = TurnDesk("tictactoe", named: 2)
        #expect(desk.statuses == [.active, .invited])
        #expect(desk.state.turn == 0)
        #expect(throws: TurnRefusal.self) { _ = try desk.acts(1).play(["do": "place", "cell": 1]) }
        try desk.place(0, 1)
        #expect(desk.state.turn == 1)
        try desk.place(1, 4)
        #expect(desk.statuses == [.active, .active])
        try desk.place(0, 2)
        try desk.place(1, 5)
        try desk.place(0, 3)
        #expect(desk.state.outcomes == [.won, .lost])
        #expect(desk.statuses == [.done, .done])
        #expect(desk.state.turn == nil)
        #expect(refusal { _ = try desk.acts(1).play(["do": "place", "cell": 9]) } == .matchEnded)
    }

    private func refusal(_ body: () throws -> Void) -> TurnRefusal.Reason? {
        do { try body() } catch let refusal as TurnRefusal { return refusal.reason } catch {}
        return nil
    }

    @Test func `a move that the rules forbid is refused and does not count when signed all the same`() throws
    {
        var desk = TurnDesk("tictactoe", named: 2)
        try desk.place(0, 5)
        #expect(refusal { _ = try desk.acts(1).play(["do": "place", "cell": 5]) } == .illegalMove)
        desk.sign(1, .move(parent: desk.state.head, seat: 1, .list([.int(0), .int(5)])))
        #expect(desk.state.turn == 1 && desk.state.steps.count == 1)
        desk.sign(0, .move(parent: desk.state.head, seat: 1, .list([.int(0), .int(6)])))
        #expect(desk.state.turn == 1, "nobody moves for another")
        try desk.place(1, 6)
        #expect(desk.state.turn == 0 && desk.state.doubles.isEmpty)
    }

    @Test func `an invitation is accepted, declined, or answered with a move`() throws {
        var desk = TurnDesk("story", named: 3)
        desk.sign(1, try desk.acts(1).accept(name: "Bea"))
        #expect(desk.statuses == [.active, .active, .invited])
        #expect(desk.state.seats[1].name == "Bea")
        desk.sign(2, try desk.acts(2).decline())
        #expect(desk.statuses == [.active, .active, .declined])
        #expect(refusal { _ = try desk.acts(2).accept(name: "Cid") } == .notInMatch)
        #expect(refusal { _ = try desk.acts(1).decline() } == .notAllowed)
        try desk.append(0, "a")
        try desk.append(1, "b")
        #expect(desk.state.turn == 0, "who declined is skipped")
        #expect(desk.state.steps.map(\.seat) == [0, 1, 2])
    }

    @Test func `moves are made before the others have answered, and before open seats are filled`() throws {
        var desk = TurnDesk("story", named: 2, open: 1)
        try desk.append(0, "one")
        #expect(desk.state.turn == 1)
        try desk.append(1, "two")
        #expect(desk.statuses == [.active, .active, .unknown])
        #expect(desk.state.turn == 2)
        try desk.seat(3)
        #expect(desk.statuses == [.active, .active, .active])
        #expect(desk.state.seats[2].name == "P3")
        try desk.append(3, "three")
        #expect(desk.state.turn == 0)
    }

    @Test func `an open seat goes to one, and only the creator gives it`() throws {
        var desk = TurnDesk("tictactoe", named: 1, open: 1)
        let takes = [2, 3].map { player in
            TurnItem(
                match: desk.match.genesis.match, body: .take(seat: 1, name: "P\(player)"), time: 5,
                signer: desk.signers[player])
        }
        desk.sign(3, .grant(take: takes[1].encoded))
        #expect(desk.match.items.isEmpty)
        let granted = desk.acts(0).grant(takes[0])
        let first = try #require(granted)
        desk.sign(0, first)
        #expect(desk.state.seats[1].peer == desk.signers[2].peer)
        #expect(desk.acts(0).grant(takes[1]) == nil)
        #expect(refusal { _ = try desk.acts(3).take(name: "x") } == .notAllowed)
        // A creator that gives it twice: the same one has it on every peer, and the other says nothing here.
        let second = TurnItem(
            match: desk.match.genesis.match, body: .grant(take: takes[1].encoded), time: 9,
            signer: desk.signers[0])
        var other = TurnMatch(desk.match.genesis)
        other.merge([second] + desk.match.items)
        desk.match.merge([second])
        #expect(other == desk.match)
    }

    @Test func `a quit out of turn skips the seat from its next turn`() throws {
        var desk = TurnDesk("story", named: 3)
        try desk.append(0, "a")
        try desk.quit(0)
        #expect(desk.state.turn == 1)
        #expect(desk.statuses[0] == .done && desk.state.seats[0].outcome == .quit)
        try desk.append(1, "b")
        try desk.append(2, "c")
        #expect(desk.state.turn == 1)
        #expect(desk.state.steps.map(\.seat) == [0, 1, 2, 0])
        #expect(desk.state.outcomes == nil)
        #expect(refusal { _ = try desk.acts(0).quit() } == .notInMatch)
    }

    @Test func `a quit in turn passes the turn on, and the last active seat ends the match`() throws {
        var desk = TurnDesk("story", named: 3)
        try desk.quit(0)
        #expect(desk.state.turn == 1)
        desk.sign(2, try desk.acts(2).decline())
        #expect(desk.state.outcomes == [.quit, .tied, .quit])
        #expect(desk.state.turn == nil)
        #expect(desk.statuses == [.done, .done, .declined])
    }

    @Test func `who quits Tic Tac Toe out of turn has quit and the other has won`() throws {
        var desk = TurnDesk("tictactoe", named: 2)
        try desk.place(0, 1)
        try desk.quit(0)
        #expect(desk.state.outcomes == [.quit, .won])
    }

    @Test func `a quit is never overwritten by how the game ends`() throws {
        var desk = TurnDesk("tictactoe", named: 2)
        for (player, cell) in [(0, 1), (1, 4), (0, 2), (1, 5)] { try desk.place(player, cell) }
        // Seat 1 quits while seat 0 wins, neither knowing of the other.
        let quit = try desk.acts(1).quit()
        try desk.place(0, 3)
        desk.sign(1, quit)
        #expect(desk.state.outcomes == [.won, .quit])
    }

    @Test func `nobody waits for an open seat once the creator has quit`() throws {
        var desk = TurnDesk("story", named: 2, open: 1)
        desk.sign(1, try desk.acts(1).accept(name: "B"))
        try desk.quit(0)
        #expect(desk.state.outcomes == [.quit, .tied, .quit])
    }

    @Test func `of two moves of one turn the smaller hash holds and the seat has quit`() throws {
        var desk = TurnDesk("story", named: 3)
        let head = desk.state.head
        let one = desk.sign(0, .move(parent: head, seat: 0, .list([.int(0), .text("one")])))
        #expect(desk.state.doubles.isEmpty)
        let other = desk.sign(0, .move(parent: head, seat: 0, .list([.int(0), .text("two")])))
        let state = desk.state
        let smaller = one.hash.lexicographicallyPrecedes(other.hash) ? one : other
        #expect(state.doubles.count == 1 && state.doubles.first?.held == smaller)
        #expect(state.steps.first?.hash == smaller.hash)
        #expect(state.seats[0].outcome == .quit && state.seats[0].status == .done)
        try desk.append(1, "b")
        try desk.append(2, "c")
        #expect(desk.state.turn == 1, "the seat is skipped from its next turn")
    }

    @Test func `a skip needs the limit, all other active votes, and then beats a move`() throws {
        var desk = TurnDesk("story", named: 3, turnSeconds: 60)
        for player in [1, 2] { desk.sign(player, try desk.acts(player).accept(name: "P\(player)")) }
        let head = desk.state.head
        #expect(refusal { _ = try desk.acts(1).skip(waited: 59) } == .notAllowed)
        #expect(refusal { _ = try desk.acts(0).skip(waited: 60) } == .notAllowed)
        desk.sign(1, try desk.acts(1).skip(waited: 60))
        #expect(desk.state.votes == [1] && desk.state.turn == 0)
        #expect(refusal { _ = try desk.acts(1).skip(waited: 90) } == .notAllowed)
        desk.sign(2, try desk.acts(2).skip(waited: 60))
        #expect(desk.state.turn == 1 && desk.state.steps.first?.kind == .skipped)
        desk.sign(0, .move(parent: head, seat: 0, .list([.int(0), .text("late")])))
        #expect(desk.state.turn == 1 && desk.state.steps.count == 1)
        try desk.append(1, "b")
        try desk.append(2, "c")
        #expect(desk.state.turn == 0, "who was passed over is not out")
    }

    @Test func `without a limit nobody is passed over`() throws {
        var desk = TurnDesk("story", named: 2)
        desk.sign(1, try desk.acts(1).accept(name: "B"))
        #expect(refusal { _ = try desk.acts(1).skip(waited: 1_000_000) } == .notAllowed)
        desk.sign(1, .skip(parent: desk.state.head, seat: 0))
        #expect(desk.state.turn == 0)
    }

    @Test func `in Tic Tac Toe who is passed over has timed out`() throws {
        var desk = TurnDesk("tictactoe", named: 2, turnSeconds: 60)
        try desk.place(0, 1)
        desk.sign(1, try desk.acts(1).accept(name: "B"))
        desk.sign(0, try desk.acts(0).skip(waited: 60))
        #expect(desk.state.outcomes == [.won, .timedOut])
    }

    @Test func `a turn is reminded of once`() throws {
        var desk = TurnDesk("story", named: 2)
        try desk.append(0, "a")
        desk.sign(0, try desk.acts(0).remind())
        #expect(refusal { _ = try desk.acts(0).remind() } == .notAllowed)
        #expect(refusal { _ = try desk.acts(1).remind() } == .notAllowed)
        #expect(desk.state.turn == 1)
    }

    @Test func `nobody is reminded of a seat that is open`() throws {
        var desk = TurnDesk("tictactoe", named: 1, open: 1)
        try desk.place(0, 1)
        #expect(refusal { _ = try desk.acts(0).remind() } == .notAllowed)
    }

    @Test func `refusals are sentences, those of the rules too`() throws {
        var desk = TurnDesk("tictactoe", named: 2)
        func message(_ player: Int, _ cell: Value) -> String? {
            #expect(throws: TurnRefusal.self) {
                _ = try desk.acts(player).play(["do": "place", "cell": cell])
            }?.message
        }
        #expect(message(1, 1) == "It is not your turn.")
        try desk.place(0, 1)
        #expect(message(1, 1) == "Square 1 is taken: pick an empty square.")
    }

    @Test func `an author has its share of the bytes, is told beforehand, and takes nobody else's`() throws {
        var desk = TurnDesk("story", named: 4)
        let long = String(repeating: "wordy ", count: 40)
        var refused: TurnRefusal?
        let share = Limits.turnBytesOfAuthor(seats: 4)
        while refused == nil {
            let item = desk.sign(
                0, .remind(parent: [UInt8](repeating: UInt8(desk.match.items.count), count: 32)))
            #expect(item.match == desk.match.genesis.match)
            if desk.match.bytesLeft(of: desk.signers[0].peer) < 1_200 {
                do { _ = try desk.acts(0).play(["do": "append", "text": .string(long)]) } catch {
                    refused = error
                }
            }
        }
        #expect(refused?.reason == .messageTooLarge)
        #expect(refused?.message.contains("left in this match") == true)
        for count in 0..<200 { desk.sign(0, .quit(after: 1_000 + count)) }
        #expect(desk.match.bytesLeft(of: desk.signers[0].peer) >= 0)
        #expect(desk.match.byteCount <= Limits.turnMatchBytesMax)
        #expect(desk.match.bytesLeft(of: desk.signers[1].peer) == share)
    }

    @Test func `what is removed is over for its player`() throws {
        var desk = TurnDesk("story", named: 3)
        #expect(refusal { try desk.acts(1).checkRemoval() } == .notAllowed)
        desk.sign(1, try desk.acts(1).decline())
        #expect(refusal { try desk.acts(1).checkRemoval() } == nil)
        #expect(refusal { try desk.acts(0).checkRemoval() } == .notAllowed)
    }
}
