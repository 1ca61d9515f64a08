import ParlorControl
import Testing

@testable import ParlorTerminal

@Suite("Matches by turns in words")
struct TurnTextTests {
    private typealias Seat = (name: String?, status: TurnSeatStatus, outcome: Outcome?)

    private func match(
        _ state: TurnMatchState, turn: Int?, mySeat: Int? = 0, id: String = "7740aabbccddeeff",
        limit: Int = 0,
        _ seats: [Seat]
    ) -> TurnInfo {
        TurnInfo(
            id: id, game: "story", state: state, mySeat: mySeat, turn: turn, created: 0, changed: 0,
            turnS: limit, waitedS: limit == 0 ? nil : 3_660, after: nil,
            seats: seats.enumerated().map { index, seat in
                TurnSeatInfo(
                    index: index, player: seat.name.map { PlayerInfo(id: "aa", name: $0) },
                    status: seat.status, outcome: seat.outcome, moves: 0)
            },
            view: ["text": "Once", "bytes": 4], legal: [], moves: 0, votes: [], doubles: [], bytes: 0,
            left: 0, head: "")
    }

    private func told(_ match: TurnInfo) -> [String] {
        Array(TurnText.whole(match, plain: false).dropFirst(2))
    }

    @Test func `a decline is no quitting, and the result is said once`() {
        let over = match(.ended, turn: nil, [("Mia", .done, .won), ("Bob", .declined, .quit)])
        #expect(told(over) == ["Match 7740aabb is over: you won, Bob declined."])
    }

    @Test func `open seats neither win nor quit nor have a turn of theirs`() {
        let open: Seat = (nil, .unknown, nil)
        let waits = match(.theirs, turn: 1, [("Mia", .active, nil), open, open])
        #expect(
            told(waits) == [
                "The match waits for somebody to take the open seat.", "Match 7740aabb: you, 2 open seats.",
            ])
        let over = match(.ended, turn: nil, [("Mia", .done, .quit), (nil, .done, .won)])
        #expect(told(over) == ["Match 7740aabb is over: you quit, nobody took the seat."])
    }

    @Test func `who left reads that others play on`() {
        let left = match(
            .ended, turn: 2, [("Mia", .done, .quit), ("Bob", .active, nil), ("Cat", .invited, nil)])
        #expect(
            told(left) == [
                "Cat's turn.", "Match 7740aabb: you quit, Bob, Cat invited.",
                "You have left; the others play on.",
            ])
        #expect(TurnText.table([left])[1].contains("  you left  "))
    }

    @Test func `the list begins with my turns`() {
        let seats: [Seat] = [("Mia", .active, nil), ("Bob", .active, nil)]
        let rows = TurnText.table([
            match(.ended, turn: nil, id: "11", seats), match(.theirs, turn: 1, id: "22", seats),
            match(.invited, turn: 1, id: "33", seats), match(.yours, turn: 0, id: "44", seats),
        ])
        #expect(rows.dropFirst().map { $0.prefix(2) } == ["44", "33", "22", "11"])
    }

    @Test func `an empty list says of what it is none`() {
        #expect(
            TurnText.none(TurnsListParams(state: .yours), of: 3)
                == "None of your 3 matches by turns waits for your move.")
        #expect(
            TurnText.none(TurnsListParams(state: .ended, game: "story"), of: 2)
                == "None of your 2 matches by turns is one of Story that is over for you.")
        #expect(TurnText.none(TurnsListParams(), of: 0).contains("parlor turn new tictactoe --auto"))
        #expect(TurnText.none(TurnsListParams(state: .offered), of: 3).hasPrefix("Nobody offers"))
    }

    @Test func `the limit of a turn and its age are shown, and who is reminded`() {
        let slow = match(.theirs, turn: 1, limit: 172_800, [("Mia", .active, nil), ("Bob", .active, nil)])
        #expect(told(slow).last == "A turn may take 48 h 0 min; this one is 1 h 1 min old.")
        #expect(TurnText.reminded(slow)?.hasPrefix("Bob is told as soon as") == true)
    }

    @Test(arguments: [
        (["place", "x"], "tictactoe", "place takes a square from 1 to 9: parlor turn play 77 place CELL"),
        (["place", "0"], "tictactoe", "place takes a square from 1 to 9: parlor turn play 77 place CELL"),
        (["append"], "story", "append needs more: parlor turn play 77 append TEXT"),
        (
            ["place", "5"], "story",
            "'place' is no action of Story. Actions: append TEXT, or JSON; see parlor turn show 77 --json"
        ),
    ])
    func `a mistake in a turn is answered with what works there`(words: [String], game: String, said: String)
    {
        let error = #expect(throws: CommandFailure.self) {
            try ActWords.action(words, game: game, at: .turn("77"))
        }
        #expect(error?.message == said)
    }

    @Test(arguments: [("''", "''"), ("", "''"), ("x", "x")])
    func `what is no ID is said once in quotes`(word: String, said: String) {
        let error = #expect(throws: CommandFailure.self) { try MatchTarget.readID(word, next: "N") }
        #expect(error?.message == "No match has the ID \(said): IDs are digits and letters a to f. N")
    }

    @Test func `a next step can be another one, where there is one`() {
        let refused = CommandFailure(RPCError(.notYourTurn, "It is not your turn."))
        let step = "See the match: parlor turn show 77"
        #expect(refused.advising(step).message == "It is not your turn. " + step)
        let own = CommandFailure(RPCError(.notFound, "There is none. See: parlor list"))
        #expect(own.advising(step) == own)
    }

    @Test(arguments: [
        ["list", "--with", "Bob"], ["list", "--open", "1"], ["list", "--limit", "3"],
        ["list", "--game", "foo"],
        ["show", "77", "x"], ["peers", "x"], ["new", "story", "--limit", "0"], ["show", "77", "--auto"],
        ["new", "tictactoe", "--with", "Bob", "--auto"], ["dance"],
    ])
    func `what would do nothing in silence is a mistake of usage`(arguments: [String]) throws {
        let parsed = try CommandParser(commands: CommandTable.all).parse(["turn", "--no-start"] + arguments)
        guard case .run(let invocation) = parsed else {
            Issue.record("\(arguments)")
            return
        }
        let error = #expect(throws: CommandFailure.self) { try Command.turn.run(Context(invocation)) }
        #expect(error?.exitCode == 2)
    }
}
