import ParlorControl
import Testing

@testable import ParlorTerminal

struct LineInputTests {
    private func lobby(_ line: String, mySeat: Int = 0, state: RoomState = .lobby) -> LineIntent {
        LineInput(room: Sample.room(state, mySeat: mySeat), match: nil).intent(line)
    }

    private func playing(_ game: String, _ line: String, _ actions: String...) -> LineIntent {
        let legal = actions.map { JSON.object([.init("do", .string($0))]) }
        return LineInput(
            room: Sample.room(.playing, game: game), match: Sample.match(game, [:], legal: legal)
        ).intent(line)
    }

    private func isExplained(_ intent: LineIntent) -> Bool {
        if case .explain = intent { true } else { false }
    }

    @Test func `the lobby's words are calls`() {
        #expect(lobby("ready", mySeat: 1) == .call(.roomReady, ["room": "01", "ready": true]))
        #expect(lobby(" ready not ", mySeat: 1) == .call(.roomReady, ["room": "01", "ready": false]))
        #expect(lobby("unready", mySeat: 1) == .call(.roomReady, ["room": "01", "ready": false]))
        for typed in ["ready", "unready"] {
            guard case .explain(let text) = lobby(typed) else {
                Issue.record("the host is not answered")
                continue
            }
            #expect(text.hasPrefix("The host need not be ready: start begins the match."))
        }
        #expect(lobby("start") == .call(.roomStart, ["room": "01"]))
        #expect(lobby("rematch", state: .finished) == .call(.roomRematch, ["room": "01"]))
        #expect(lobby("say hello there") == .call(.roomSay, ["room": "01", "text": "hello there"]))
        #expect(lobby("kick 2") == .call(.roomKick, ["room": "01", "seat": 1]))
        #expect(lobby("kick tom") == .call(.roomKick, ["room": "01", "seat": 1]))
        #expect(lobby("lock") == .call(.roomLock, ["room": "01", "locked": true]))
        #expect(lobby("leave") == .leave)
        #expect(lobby("/leave") == .leave)
        #expect(lobby("help") == .help)
        #expect(lobby("who") == .who)
        #expect(lobby("table") == .table)
        #expect(lobby("bell off") == .bell(false))
    }

    @Test func `the bell is switched also while a move is due, and is a word to guess by itself`() {
        #expect(playing("snap", "Bell on", "flip") == .bell(true))
        #expect(playing("hangman", "bell off", "guess", "solve") == .bell(false))
        #expect(
            playing("hangman", "bell", "guess", "solve") == .act(["do": "solve", "word": "bell"]))
    }

    @Test(arguments: ["", "dance", "kick 3", "kick", "say", "/dance", "start now", "guess e"])
    func `other words are explained`(line: String) {
        #expect(isExplained(lobby(line)))
    }

    @Test func `Snap is played with Enter and single letters`() {
        #expect(playing("snap", "", "flip", "snap") == .act(["do": "flip"]))
        #expect(playing("snap", "f", "flip", "snap") == .act(["do": "flip"]))
        #expect(playing("snap", "S", "snap") == .act(["do": "snap"]))
        #expect(isExplained(playing("snap", "p", "snap")))
        let pool = Sample.match("snap", ["pool": ["count": 4, "top": "QS"]], legal: [["do": "pool"]])
        #expect(LineInput(room: Sample.room(.playing), match: pool).intent("p") == .act(["do": "pool"]))
        #expect(playing("snap", "snap", "snap") == .act(["do": "snap"]))
        #expect(isExplained(playing("snap", "x", "flip")))
        #expect(playing("snap", "say nice", "flip") == .call(.roomSay, ["room": "01", "text": "nice"]))
        #expect(playing("snap", "leave", "flip") == .leave)
    }

    @Test func `Hangman takes letters, words and the setter's word`() {
        #expect(playing("hangman", "e", "guess", "solve") == .act(["do": "guess", "letter": "e"]))
        #expect(playing("hangman", "é", "guess", "solve") == .act(["do": "guess", "letter": "é"]))
        #expect(playing("hangman", "garden", "guess", "solve") == .act(["do": "solve", "word": "garden"]))
        #expect(playing("hangman", "ice cream", "word") == .act(["do": "word", "word": "ice cream"]))
        #expect(isExplained(playing("hangman", "e")))
    }

    @Test func `a word of the wrong length costs no guess`() {
        let match = Sample.match("hangman", ["length": 6], legal: [["do": "guess"], ["do": "solve"]])
        let input = LineInput(room: Sample.room(.playing, game: "hangman"), match: match)
        #expect(isExplained(input.intent("I think it starts with g")))
        #expect(input.intent("garden") == .act(["do": "solve", "word": "garden"]))
        #expect(input.intent("gar-den") == .act(["do": "solve", "word": "gar-den"]))
        #expect(isExplained(input.intent("caf\u{E9}")))
        #expect(isExplained(input.intent("d\u{E9}j\u{E0} vu, mon ami")))
        #expect(input.intent("cafe\u{301}te") == .act(["do": "solve", "word": "cafe\u{301}te"]))
        #expect(input.intent("ящерка") == .act(["do": "solve", "word": "ящерка"]))
        #expect(isExplained(input.intent("по-моему, это ящерка")))
    }

    @Test func `a setter whose word is due is asked what leave means`() {
        for typed in ["leave", "Quit", "exit"] {
            guard case .explain(let text) = playing("hangman", typed, "word") else {
                Issue.record("\(typed) is not asked about")
                continue
            }
            #expect(text == "To leave the room type /leave. If '\(typed)' is your word, type: word \(typed)")
        }
        #expect(playing("hangman", "word leave", "word") == .act(["do": "word", "word": "leave"]))
        #expect(playing("hangman", "/leave", "word") == .leave)
        #expect(playing("hangman", "kick", "word") == .act(["do": "word", "word": "kick"]))
        #expect(playing("hangman", "leave", "guess", "solve") == .leave)
    }

    @Test func `commands work while a word is due, and the prompt says how to set one of them`() {
        #expect(playing("hangman", "who", "word") == .who)
        #expect(playing("hangman", "table", "word") == .table)
        #expect(playing("hangman", "help", "word") == .help)
        #expect(
            playing("hangman", "say wait", "word") == .call(.roomSay, ["room": "01", "text": "wait"]))
        #expect(playing("hangman", "word who", "word") == .act(["do": "word", "word": "who"]))
        let due = Sample.match("hangman", Sample.hangman(mask: nil, setter: 0), legal: [["do": "word"]])
        #expect(
            MatchText.next(due)
                == "Type your word and press Enter; only you see it. who, table, help and say TEXT stay "
                + "commands; word WORD sets one of these (word table).")
    }

    @Test func `capitals do not matter to commands`() {
        #expect(lobby("START") == .call(.roomStart, ["room": "01"]))
        #expect(lobby("Say Hello") == .call(.roomSay, ["room": "01", "text": "Hello"]))
        #expect(playing("snap", "Leave", "flip") == .leave)
    }

    @Test func `a word that is also a command is a move, and the other way with a slash or a verb`() {
        #expect(playing("hangman", "start", "guess", "solve") == .act(["do": "solve", "word": "start"]))
        #expect(playing("hangman", "flip", "guess", "solve") == .act(["do": "solve", "word": "flip"]))
        #expect(
            playing("hangman", "solve leave", "guess", "solve") == .act(["do": "solve", "word": "leave"]))
        #expect(
            playing("hangman", "/say e", "guess", "solve") == .call(.roomSay, ["room": "01", "text": "e"]))
    }

    @Test func `other games take what they list`() {
        #expect(playing("tictactoe", "5", "place") == .act(["do": "place", "cell": 5]))
        #expect(playing("tictactoe", "place 5", "place") == .act(["do": "place", "cell": 5]))
        #expect(
            playing("story", "say it rained", "append") == .act(["do": "append", "text": "say it rained"]))
        #expect(playing("lucky", "3", "press") == .act(["do": "press", "button": 3]))
        #expect(isExplained(playing("tictactoe", "five", "place")))
    }

    @Test func `raw JSON is an action and control characters are not sent`() {
        #expect(playing("snap", #"{"do":"snap","at":3}"#, "snap") == .act(["do": "snap", "at": 3]))
        #expect(lobby("say a\u{1B}[2Jb") == .call(.roomSay, ["room": "01", "text": "a[2Jb"]))
    }

    @Test func `a watcher's words are never moves`() {
        let match = Sample.match("snap", [:], mySeat: nil)
        let input = LineInput(room: Sample.room(.playing, mySeat: nil), match: match)
        #expect(isExplained(input.intent("")))
        #expect(input.intent("leave") == .leave)
    }
}
