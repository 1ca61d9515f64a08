import ParlorControl
import Testing

@testable import ParlorTerminal

@Suite("Hangman in words")
struct HangmanTextTests {
    private static let guess: [JSON] = [["do": "guess", "letter": .null], ["do": "solve", "word": .null]]

    /// A round on one board for all, with Tom as setter.
    private func together(
        mask: String, wrong: [String] = [], last: JSON = .null, setter: Int = 1, reveal: JSON = .null
    ) -> JSON {
        let board: JSON = [
            "seat": .null, "mask": .string(mask), "found": .int(mask.count { $0.isLetter }),
            "wrong": .array(wrong.map { .string($0) }), "bad": .int(wrong.count), "state": "guessing",
            "score": 10, "last": last,
        ]
        return [
            "round": 1, "setter": .int(setter), "mask": .string(mask), "length": 3, "boards": [board],
            "reveal": reveal, "scores": [10, 0],
        ]
    }

    private func narrator(_ first: JSON, turn: [Int], legal: [JSON] = []) -> Narrator {
        var narrator = Narrator(plain: true)
        _ = narrator.arrived(Sample.room(.playing, game: "hangman"))
        _ = narrator.arrived(Sample.match("hangman", first, turn: turn, legal: legal))
        return narrator
    }

    @Test func `on one board everybody sees who guessed what, and whose turn it is`() {
        var narrator = narrator(together(mask: "_ _ _"), turn: [0], legal: Self.guess)
        let hit: JSON = ["seat": 0, "guess": "E", "opened": 1]
        let seen = together(mask: "_ E _", last: hit)
        #expect(
            narrator.arrived(Sample.match("hangman", seen, turn: [0], legal: Self.guess)) == [
                "You guessed E: 1 letter.", "_ E _. wrong 0 of 6. Together: 10 points.",
            ])
        let miss: JSON = ["seat": 1, "guess": "Q", "opened": 0]
        let mine = together(mask: "_ E _", wrong: ["Q"], last: miss, setter: 0)
        #expect(HangmanText.next(Sample.match("hangman", mine, turn: [1])) == "Tom guesses your word.")
        let theirs = together(mask: "_ E _", wrong: ["Q"], last: miss, setter: 2)
        #expect(
            narrator.arrived(Sample.match("hangman", theirs, turn: [1])).last == "Waiting for Tom to guess.")
    }

    @Test func `a turn that runs out is told`() {
        var narrator = Narrator(plain: true)
        _ = narrator.arrived(Sample.room(.playing, game: "hangman"))
        func match(_ mask: String, _ wrong: [String], bad: Int) -> MatchInfo {
            var view = Sample.hangman(mask: mask, wrong: wrong)
            var boards = view["boards"]?.elements ?? []
            boards[0]["bad"] = .int(bad)
            view["boards"] = .array(boards)
            return Sample.match("hangman", view, legal: Self.guess)
        }
        _ = narrator.arrived(match("_ _ _ _ _ _", ["Q"], bad: 1))
        #expect(
            narrator.arrived(match("_ _ _ _ _ _", ["Q"], bad: 2)) == [
                "Time is up, which counts as a wrong guess.", "_ _ _ _ _ _. wrong 2 of 6: Q. You: 0 points.",
            ])
        #expect(
            narrator.arrived(match("_ _ _ _ _ _", ["Q", "X"], bad: 3)) == [
                "_ _ _ _ _ _. wrong 3 of 6: Q X. You: 0 points."
            ])
    }

    @Test func `a setter that cheated is named with what it did`() {
        var narrator = narrator(together(mask: "_ _ _"), turn: [0], legal: Self.guess)
        let lie: JSON = [
            "word": "tea", "honest": false, "setter": 1, "why": "gave a false answer to guess 2",
        ]
        let told = narrator.arrived(
            Sample.match(
                "hangman", together(mask: "_ _ _", reveal: lie), state: .ended, outcomes: [.won, .lost]))
        #expect(
            told.prefix(2) == [
                "The word was: tea", "Tom gave a false answer to guess 2, and so lost the round.",
            ])
        let silent: JSON = [
            "word": .null, "honest": false, "setter": 1, "why": "did not answer a guess in time",
        ]
        var other = self.narrator(together(mask: "_ _ _"), turn: [0], legal: Self.guess)
        #expect(
            other.arrived(Sample.match("hangman", together(mask: "_ _ _", reveal: silent), turn: [0]))
                .prefix(2) == [
                    "Nobody knows the word.", "Tom did not answer a guess in time, and so lost the round.",
                ])
    }

    @Test func `a round whose setter has gone is over, and nothing false is said of its board`() {
        var narrator = narrator(Sample.hangman(mask: "_ A _ _ _ _", found: 1), turn: [0], legal: Self.guess)
        var next = Sample.hangman(mask: nil, setter: 0)
        next["round"] = 2
        next["mask"] = ""
        var match = Sample.match(
            "hangman", next, turn: [0], legal: [["do": "word", "word": .null]])
        match.seats[1].state = .left
        match.seats[1].why = "left"
        #expect(
            narrator.arrived(match).dropLast() == [
                "Tom is out of this match.", "The round is over: its setter is gone, and the word with it.",
                "You set the word of this round.",
            ])
    }

    @Test func `there are seven pictures, each with one line more`() {
        let pictures = (0...6).map { HangmanText.gallows($0) }
        #expect(Set(pictures).count == 7)
        for (picture, next) in zip(pictures, pictures.dropFirst()) {
            let drawn = zip(picture.joined(), next.joined()).count { $0 != $1 }
            #expect(drawn == 1)
        }
        #expect(pictures.allSatisfy { $0.allSatisfy { $0.count == 8 } })
    }

    @Test func `a guest is asked for a list that is not here, and can accept it`() {
        var room = Sample.room(game: "hangman", mySeat: 1)
        func typed(_ text: String) -> LineIntent { LineInput(room: room, match: nil).intent(text) }
        room.words = WordsInfo(hash: "0123456789abcdef", count: 5, bytes: 20, here: true)
        #expect(RoomHints.next(room) == "Type ready when you are, say TEXT, leave or help.")
        guard case .explain(let nothing) = typed("accept") else {
            Issue.record("nothing to accept")
            return
        }
        #expect(nothing.hasPrefix("There is nothing to accept."))
        room.words?.here = false
        #expect(
            RoomHints.next(room)
                == "mia plays with a list of words that is not on this machine (5 words, hash 01234567). "
                + "Type accept to take it over and be ready, or ask mia for words=builtin.")
        #expect(
            typed("accept") == .call(.roomReady, ["room": "01", "ready": true, "accept_words": true]))
        #expect(RoomText.lobby(room).contains("  Words: 5 words, hash 01234567, not on this machine"))
    }
}
