import ParlorControl
import Testing

@testable import ParlorTerminal

@Suite("Tic Tac Toe, Story and Lucky in words")
struct TurnGamesTextTests {
    private static let place: [JSON] = [["do": "place", "cell": 2]]
    private static let append: [JSON] = [["do": "append", "text": .null]]
    private static let press: [JSON] = [["do": "press", "button": 1]]

    private func board(_ cells: String, line: JSON = .null) -> JSON {
        [
            "cells": .array(cells.map { $0 == "." ? "" : .string(String($0)) }), "mark": "X", "turn": 0,
            "marks": ["X", "O"], "line": line,
        ]
    }

    private func narrator(
        _ game: String, _ view: JSON, turn: [Int] = [0], legal: [JSON] = [], plain: Bool = false
    )
        -> (Narrator, [String])
    {
        var narrator = Narrator(plain: plain)
        _ = narrator.arrived(Sample.room(.playing, game: game))
        let lines = narrator.arrived(Sample.match(game, view, turn: turn, legal: legal))
        return (narrator, lines)
    }

    @Test func `the board shows numbers where it is empty, and what was placed`() {
        var (narrator, first) = narrator("tictactoe", board("........."), legal: Self.place)
        #expect(
            first.suffix(7) == [
                "  1 | 2 | 3", " ---+---+---", "  4 | 5 | 6", " ---+---+---", "  7 | 8 | 9",
                "You are X, Tom is O.", "Your turn: type the number of an empty square.",
            ])
        #expect(
            narrator.arrived(Sample.match("tictactoe", board("X...O...."), turn: [1])) == [
                "You placed X on 1.", "Tom placed O on 5.", "  X | 2 | 3", " ---+---+---", "  4 | O | 6",
                " ---+---+---", "  7 | 8 | 9", "Tom's turn.",
            ])
        let won = Sample.match(
            "tictactoe", board("XXXOO....", line: [1, 2, 3]), state: .ended, turn: [],
            outcomes: [.won, .lost])
        let told = narrator.arrived(won)
        #expect(told.contains("In a line: 1 2 3."))
        #expect(told.last == "The match is over: you won, Tom lost.")
    }

    @Test func `for screen readers the board is read row by row`() {
        let (_, first) = narrator("tictactoe", board("X...O...."), legal: Self.place, plain: true)
        #expect(first.contains("Row 1: X, 2, 3."))
        #expect(first.contains("Row 2: 4, O, 6."))
        #expect(!first.contains { $0.contains("|") })
    }

    private func story(_ parts: [(Int, String)], left: JSON = .null) -> JSON {
        var text = "Once upon a time"
        var authors: [JSON] = []
        for (seat, part) in parts {
            let from = text.utf8.count + 1
            text += " " + part
            authors.append(["seat": .int(seat), "from": .int(from), "to": .int(text.utf8.count)])
        }
        return [
            "text": .string(text), "bytes": .int(text.utf8.count), "left": left, "authors": .array(authors),
            "turn": 0,
        ]
    }

    @Test func `a story is told turn by turn, and whole to who comes late`() {
        var (narrator, first) = narrator("story", story([]), legal: Self.append)
        #expect(first.suffix(3) == ["Once upon a time", "(16 bytes)", "Your turn: type what comes next."])
        let one = story([(0, "an öwl"), (1, "sang.")])
        #expect(
            narrator.arrived(Sample.match("story", one, turn: [0], legal: Self.append)) == [
                "You: an öwl", "Tom: sang.",
            ])
        let late = self.narrator("story", one, turn: [1]).1
        #expect(late.suffix(3) == ["Once upon a time an öwl sang.", "(30 bytes)", "Tom's turn."])
        let long = story([(0, "an öwl"), (1, "sang."), (0, "On.")], left: 900)
        #expect(
            narrator.arrived(Sample.match("story", long, turn: [1])) == [
                "You: On.", "(34 bytes; 900 left, and past 3800 it is over)", "Tom's turn.",
            ])
    }

    @Test func `what others write cannot move the cursor`() {
        var (narrator, _) = narrator("story", story([]), legal: Self.append)
        let told = narrator.arrived(Sample.match("story", story([(1, "\u{1b}[2Jx\u{202e}y")]), turn: [0]))
        #expect(told.first == "Tom: [2Jxy")
    }

    @Test func `lucky tells what a press did`() {
        func view(_ pressed: [Int], over: Bool = false, killers: [Int] = []) -> JSON {
            [
                "level": "hard", "score": .int(pressed.count), "pressed": .array(pressed.map { .int($0) }),
                "over": .bool(over), "killers": .array(killers.map { .int($0) }),
            ]
        }
        var (narrator, first) = narrator("lucky", view([]), legal: Self.press)
        #expect(
            first.suffix(2) == [
                "Four buttons, level hard: 0 points.", "Press a button: type 1, 2, 3 or 4.",
            ])
        #expect(
            narrator.arrived(Sample.match("lucky", view([3], killers: [1, 2, 4]), legal: Self.press)) == [
                "Button 3 was safe. 1 point."
            ])
        let over = Sample.match(
            "lucky", view([3], over: true, killers: [1, 3, 4]), state: .ended, turn: [],
            outcomes: [.lost, nil])
        #expect(
            narrator.arrived(over).first == "That was the end of it. It was 1 and 3 and 4. You have 1 point.")
    }

    @Test func `numbers and sentences are moves where the game takes them`() {
        func typed(_ text: String, _ game: String, _ legal: [JSON]) -> LineIntent {
            LineInput(room: Sample.room(.playing, game: game), match: Sample.match(game, [:], legal: legal))
                .intent(text)
        }
        #expect(typed("5", "tictactoe", Self.place) == .act(["do": "place", "cell": 5]))
        #expect(typed("place 5", "tictactoe", Self.place) == .act(["do": "place", "cell": 5]))
        #expect(typed("2", "lucky", Self.press) == .act(["do": "press", "button": 2]))
        #expect(typed("and then", "story", Self.append) == .act(["do": "append", "text": "and then"]))
        #expect(
            typed("say it again", "story", Self.append) == .act(["do": "append", "text": "say it again"]))
        #expect(
            typed("/say hello", "story", Self.append) == .call(.roomSay, ["room": "01", "text": "hello"]))
        #expect(
            typed("place your bets", "story", Self.append)
                == .act(["do": "append", "text": "place your bets"]))
        #expect(typed("leave", "story", Self.append) == .leave)
    }

    @Test func `games have titles, and their actions are named`() {
        #expect(MatchText.title("tictactoe") == "Tic Tac Toe")
        #expect(ActWords.usages(of: "tictactoe") == ["place CELL"])
        let shown = MatchText.whole(
            Sample.match("tictactoe", board("........."), legal: Self.place), plain: false, atPrompt: true)
        #expect(shown.last == "Your turn. Type parlor act place CELL.")
    }
}
