import ParlorControl
import Testing

@testable import ParlorTerminal

struct NarratorTests {
    @Test func `a lobby is shown whole and then only what changes`() {
        var narrator = Narrator(plain: true)
        #expect(
            narrator.arrived(Sample.room(tom: false)) == [
                "Kitchen: snap, hosted by you, waiting to start", "  Seat 1  mia (you)  host",
                "  Seat 2  (open)",
                "  Others get in with: parlor join --address 127.0.0.1:27720",
                "Waiting for somebody to join. Type bot add to play with a bot, leave or help.",
            ])
        #expect(
            narrator.arrived(Sample.room()) == [
                "Tom took seat 2.",
                "Waiting for Tom to be ready. Type start, say TEXT, kick SEAT, leave or help.",
            ])
        #expect(narrator.arrived(Sample.room()) == [])
        #expect(
            narrator.arrived(Sample.room(tomReady: true)) == [
                "Tom is ready.", "All are ready. Type start, say TEXT, kick SEAT, leave or help.",
            ])
        #expect(narrator.happened(Self.event(.seatLeft, ["seat": 1, "reason": "kicked"])) == [])
        #expect(
            narrator.arrived(Sample.room(tom: false)) == [
                "Tom was removed.",
                "Waiting for somebody to join. Type bot add to play with a bot, leave or help.",
            ])
    }

    @Test func `the host waits for a guest that is away, ready or not`() {
        var room = Sample.room(tomReady: true)
        room.seats[1].state = .away
        #expect(RoomHints.waitingFor(room) == ["Tom"])
    }

    @Test func `a guest sees what it may do`() {
        var narrator = Narrator(plain: true)
        let lines = narrator.arrived(Sample.room(mySeat: 1))
        #expect(lines[0] == "Kitchen: snap, hosted by mia, waiting to start")
        #expect(lines.last == "Type ready when you are, say TEXT, leave or help.")
        #expect(
            narrator.arrived(Sample.room(mySeat: 1, tomReady: true)) == [
                "You are ready.", "Waiting for the host to start. Type unready, say TEXT, leave or help.",
            ])
    }

    @Test func `away, back, a new host, a lock and a watcher are told`() {
        var narrator = Narrator(plain: true)
        _ = narrator.arrived(Sample.room(.playing))
        var room = Sample.room(.playing)
        room.seats[1].state = .away
        #expect(narrator.arrived(room) == ["Tom is away; the seat is kept."])
        room.seats[1].state = .taken
        room.locked = true
        room.watchers = [Sample.ana]
        #expect(narrator.arrived(room) == ["Tom is back.", "Ana watches.", "The room is locked."])
        room.seats[0].state = .away
        #expect(narrator.arrived(room) == ["You are away; the seat is kept."])
        room.seats[0].state = .taken
        #expect(narrator.arrived(room) == ["You are back."])
        room.host = Sample.tom
        room.role = .guest
        #expect(narrator.arrived(room) == ["Tom hosts now."])
        room.seats[1].player = Sample.ana
        #expect(narrator.arrived(room) == ["Tom left.", "Ana took seat 2."])
    }

    @Test func `who comes into a match under way is not told that it begins`() {
        var narrator = Narrator(plain: true)
        _ = narrator.arrived(Sample.room(.playing))
        let told = narrator.arrived(
            Sample.match("snap", Sample.snap(["QS", nil], flips: 1), legal: [["do": "snap"]]))
        #expect(told.contains("The match is under way. On the table:"))
        #expect(!told.contains("The cards are dealt."))
    }

    @Test func `Snap names cards, turns and calls, and never a pair`() {
        var narrator = Narrator(plain: true)
        _ = narrator.arrived(Sample.room(.playing))
        let snap: [JSON] = [["do": "flip"], ["do": "snap"]]
        #expect(
            narrator.arrived(Sample.match("snap", Sample.snap([nil, nil], flips: 0), legal: snap)) == [
                "The draw: you 48, Tom 12.", "You go first.", "The cards are dealt.",
                "  You  nothing face up  26 face down, 0 face up",
                "  Tom  nothing face up  26 face down, 0 face up",
                "Your turn. Enter flips, s calls snap.",
            ])
        let mine: JSON = ["kind": "flip", "seat": 0]
        #expect(
            narrator.arrived(
                Sample.match(
                    "snap", Sample.snap(["QS", nil], flips: 1, last: mine), turn: [1], legal: [["do": "snap"]]
                ))
                == ["You flipped: queen of spades.", "Tom's turn. s calls snap."])
        let toms: JSON = ["kind": "flip", "seat": 1]
        #expect(
            narrator.arrived(
                Sample.match("snap", Sample.snap(["QS", "QH"], flips: 2, last: toms), legal: snap))
                == [
                    "Tom flipped: queen of hearts. On top: you queen of spades.",
                    "Your turn. Enter flips, s calls snap.",
                ])
        let took: JSON = ["kind": "took", "seat": 1, "cards": 2, "reaction_ms": .double(212.4)]
        #expect(
            narrator.arrived(
                Sample.match(
                    "snap", Sample.snap([nil, nil], flips: 2, closed: [25, 27], last: took), legal: snap))
                == [
                    "Tom called snap and took 2 cards (212 ms).", "Cards: you 25, Tom 27.",
                    "Your turn. Enter flips, s calls snap.",
                ])
        let wrong: JSON = ["kind": "wrong", "seat": 0, "cards": 1]
        #expect(
            narrator.arrived(
                Sample.match(
                    "snap", Sample.snap([nil, nil], flips: 2, closed: [24, 28], last: wrong), legal: snap)
            )
            .first == "You called snap wrongly; it cost 1 card.")
    }

    @Test func `calls of one moment are told with everybody's time, ties with the pool`() {
        func call(_ kind: String, _ seat: Int, _ ms: Int, cards: Int = 4) -> JSON {
            ["kind": .string(kind), "seat": .int(seat), "cards": .int(cards), "reaction_ms": .int(ms)]
        }
        func told(_ last: JSON, _ calls: [JSON], pool: JSON = .null) -> [String] {
            var narrator = Narrator(plain: true)
            _ = narrator.arrived(Sample.room(.playing))
            _ = narrator.arrived(Sample.match("snap", Sample.snap(["QS", "QH"], flips: 2)))
            return Array(
                narrator.arrived(
                    Sample.match(
                        "snap",
                        Sample.snap(
                            [nil, nil], flips: 2, closed: [25, 23], last: last, calls: calls, pool: pool),
                        legal: [["do": "snap"], ["do": "pool"]])
                ).prefix(3))
        }
        let took = call("took", 1, 312)
        #expect(
            told(took, [took, call("late", 0, 340)]).prefix(2) == [
                "Tom called snap and took 4 cards (312 ms), before you (340 ms).", "Cards: you 25, Tom 23.",
            ])
        let tie = call("tied", 0, 300)
        #expect(
            told(tie, [tie, call("tied", 1, 301)], pool: ["count": 4, "top": "QS"]) == [
                "A tie between you (300 ms) and Tom (301 ms): both piles go to the pool, 4 cards. p takes it "
                    + "when a card like its top comes.",
                "Cards: you 25, Tom 23. In the pool: 4, on top queen of spades.",
                "Your turn. s calls snap, p takes the pool.",
            ])
        let still = call("tied", 0, 300, cards: 0)
        #expect(
            told(still, [still]).first == "A tie between you (300 ms): the pool stays where it is.")
        let pooled = call("pooled", 0, 250)
        #expect(told(pooled, [pooled]).first == "You took the pool, 4 cards (250 ms).")
    }

    @Test func `it is my turn in Snap once the card before shows`() {
        var narrator = Narrator(plain: true)
        _ = narrator.arrived(Sample.room(.playing))
        #expect(!narrator.isMyTurn)
        _ = narrator.arrived(
            Sample.match("snap", Sample.snap(["QS", nil], flips: 1), legal: [["do": "snap"]]))
        #expect(!narrator.isMyTurn)
        _ = narrator.arrived(
            Sample.match(
                "snap", Sample.snap(["QS", nil], flips: 1), legal: [["do": "flip"], ["do": "snap"]]))
        #expect(narrator.isMyTurn)
        _ = narrator.arrived(
            Sample.match("snap", Sample.snap(["QS", nil], flips: 1), state: .ended, outcomes: [.won, .quit]))
        #expect(!narrator.isMyTurn)
    }

    @Test func `why a seat is out of a match is told on every screen, and it is warned before`() {
        func told(mySeat: Int, _ change: (inout MatchSeatInfo) -> Void) -> [String] {
            var narrator = Narrator(plain: true)
            _ = narrator.arrived(Sample.room(.playing, mySeat: mySeat))
            let table = Sample.snap(["QS", nil], flips: 1)
            var match = Sample.match("snap", table, turn: [0], mySeat: mySeat)
            _ = narrator.arrived(match)
            change(&match.seats[1])
            let lines = narrator.arrived(match)
            #expect(narrator.arrived(match) == [], "it is said once")
            #expect(MatchText.whole(match, plain: true).contains(lines.first ?? "?"))
            return lines
        }
        let late = "part of a draw did not come within 2 s. If that happens twice in this match,"
        #expect(told(mySeat: 1) { $0.withheld = 1 } == ["Your \(late) you are out of it."])
        #expect(told(mySeat: 0) { $0.withheld = 1 } == ["Tom's \(late) Tom is out of it."])
        func out(mySeat: Int, _ why: String?) -> [String] {
            told(mySeat: mySeat) { ($0.state, $0.why, $0.withheld) = (.left, why, 2) }
        }
        let stalled =
            "withheld its part of a draw twice: it did not come within 2 s, as the machine or the network "
            + "stalled."
        #expect(out(mySeat: 1, "withheld") == ["You are out of this match: your machine \(stalled)"])
        #expect(out(mySeat: 0, "withheld") == ["Tom is out of this match: \(stalled)"])
        #expect(out(mySeat: 1, "kicked") == ["You are out of this match: removed by the host."])
        #expect(out(mySeat: 0, "left") == ["Tom is out of this match."])
        #expect(out(mySeat: 0, "of a later daemon") == ["Tom is out of this match."])
    }

    @Test func `why a room closes is told in whose machine's words`() {
        func told(_ role: RoomRole, _ fields: JSON) -> [String] {
            var narrator = Narrator(plain: true)
            var room = Sample.room(mySeat: role == .host ? 0 : role == .guest ? 1 : nil)
            room.role = role
            _ = narrator.arrived(room)
            return narrator.happened(Self.event(.roomClosed, fields))
        }
        #expect(
            told(.guest, ["reason": "shutting-down"]) == ["mia's Parlor was shut down, so Kitchen is closed."]
        )
        for role in [RoomRole.host, .guest] {
            #expect(
                told(role, ["reason": "shutting-down", "here": true]) == [
                    "Parlor was shut down on this machine, so Kitchen is closed."
                ])
        }
        #expect(
            told(.watcher, ["reason": "kicked"]) == [
                "You cannot watch Kitchen any more: mia removed you, or lets nobody watch."
            ])
    }

    @Test func `options that the host changes are told by what they are for, and only those`() {
        var narrator = Narrator(plain: true)
        var room = Sample.room()
        room.options = ["turn_s": 30, "max_flips": 1000, "watchers": true]
        _ = narrator.arrived(room)
        room.options = ["turn_s": 10, "max_flips": 1000, "watchers": false, "new": "x"]
        #expect(
            narrator.arrived(room) == [
                "The host has set turn_s to 10: seconds for a turn; 0 is no limit.",
                "The host has set new to x.",
            ])
    }

    @Test func `a bot does not quit`() {
        var match = Sample.match(
            "snap", Sample.snap(["QS", nil], flips: 1), state: .ended, outcomes: [.won, .quit])
        match.seats[1].bot = true
        #expect(MatchText.whole(match, plain: true).last == "Over: you won, Tom stopped.")
    }

    @Test func `the end of a match is told before what to type next`() {
        var narrator = Narrator(plain: true)
        _ = narrator.arrived(Sample.room(.playing, match: "02"))
        _ = narrator.arrived(Sample.match("snap", Sample.snap(["QS", nil], flips: 1)))
        #expect(narrator.arrived(Sample.room(.finished, match: "02")) == [])
        #expect(
            narrator.arrived(
                Sample.match(
                    "snap", Sample.snap(["QS", nil], flips: 1), state: .ended, outcomes: [.won, .quit])) == [
                    "The match is over: you won, Tom quit.",
                    "Type rematch to play again, say TEXT, kick SEAT, leave or help.",
                ])
    }

    @Test func `who comes between matches is told what to type`() {
        var narrator = Narrator(plain: true)
        let lines = narrator.arrived(Sample.room(.finished, mySeat: 1, match: "02"))
        #expect(lines.last == "Type rematch to play again, say TEXT, leave or help.")
    }

    @Test func `a vote for a rematch is answered while others lack, and told to them`() {
        var narrator = Narrator(plain: true)
        var room = Sample.room(.finished)
        _ = narrator.arrived(room)
        room.seats[1].rematch = true
        #expect(narrator.arrived(room) == ["Tom wants a rematch."])
        #expect(narrator.arrived(room) == [])
        #expect(narrator.voted(Sample.room(.finished)).count == 1)
        #expect(narrator.voted(Sample.room(.drawing)) == [])
    }

    @Test func `in Snap the turn is told with the card and not before`() {
        var narrator = Narrator(plain: true)
        _ = narrator.arrived(Sample.room(.playing))
        let both: [JSON] = [["do": "flip"], ["do": "snap"]]
        _ = narrator.arrived(Sample.match("snap", Sample.snap([nil, nil], flips: 0), legal: both))
        let waiting = Sample.snap([nil, nil], flips: 0)
        #expect(narrator.arrived(Sample.match("snap", waiting, legal: [["do": "snap"]])) == [])
        #expect(narrator.arrived(Sample.match("snap", waiting, turn: [1], legal: [["do": "snap"]])) == [])
        #expect(
            narrator.arrived(Sample.match("snap", waiting, legal: both)) == [
                "Your turn. Enter flips, s calls snap."
            ])
    }

    @Test func `at a prompt the table ends with commands`() {
        let match = Sample.match("snap", Sample.snap([nil, nil], flips: 0), legal: [["do": "flip"]])
        #expect(
            MatchText.whole(match, plain: true, atPrompt: true).last == "Your turn. Type parlor act flip.")
    }

    @Test func `a tie in the draw is drawn again`() {
        var narrator = Narrator(plain: true)
        _ = narrator.arrived(Sample.room(.drawing))
        var match = Sample.match("snap", .null, state: .drawing, first: nil)
        #expect(narrator.arrived(match) == ["The draw: you 48, Tom 12."])
        match.draw?.rounds.append([DrawNumber(seat: 0, number: 3), DrawNumber(seat: 1, number: 9)])
        match.draw?.first = 1
        #expect(narrator.arrived(match) == ["A tie; again: you 3, Tom 9.", "Tom goes first."])
    }

    @Test func `Hangman shows my board as I guess`() {
        var narrator = Narrator(plain: false)
        _ = narrator.arrived(Sample.room(.playing, game: "hangman"))
        let guess: [JSON] = [["do": "guess", "letter": .null], ["do": "solve", "word": .null]]
        #expect(
            narrator.arrived(Sample.match("hangman", Sample.hangman(mask: nil), turn: [1])) == [
                "The draw: you 48, Tom 12.", "You go first.", "Tom sets the word of this round.",
                "Waiting for the word of Tom.",
            ])
        #expect(
            narrator.arrived(Sample.match("hangman", Sample.hangman(mask: "_ _ _ _ _ _"), legal: guess)) == [
                "Tom set a word of 6 letters: _ _ _ _ _ _",
                "Type a letter, or the whole word once you are sure.",
            ])
        #expect(
            narrator.arrived(
                Sample.match(
                    "hangman", Sample.hangman(mask: "_ A _ _ _ _", found: 1, wrong: ["Z", "Q"], score: 10),
                    legal: guess))
                == [
                    "  +---+ ", "  |   O     _ A _ _ _ _", "  |   |     wrong 2 of 6: Z Q",
                    "  |         You: 10 points",
                    " ===    ",
                ])
        let reveal: JSON = ["word": "GARDEN", "honest": true]
        #expect(
            narrator.arrived(
                Sample.match(
                    "hangman",
                    Sample.hangman(
                        mask: "G A R D E N", found: 6, wrong: ["Z", "Q"], state: "solved", score: 60,
                        reveal: reveal),
                    state: .ended, outcomes: [.won, .lost])) == [
                    "The word was: GARDEN", "  +---+ ", "  |   O     G A R D E N",
                    "  |   |     wrong 2 of 6: Z Q",
                    "  |         You: 60 points", " ===    ", "You solved it.", "Points: you 60, Tom 0.",
                    "The match is over: you won, Tom lost.",
                ])
    }

    @Test func `Hangman asks the setter for the word and then shows how the others do`() {
        var narrator = Narrator(plain: true)
        _ = narrator.arrived(Sample.room(.playing, game: "hangman"))
        let lines = narrator.arrived(
            Sample.match(
                "hangman", Sample.hangman(mask: nil, setter: 0), legal: [["do": "word", "word": .null]]))
        #expect(
            lines.suffix(2) == [
                "You set the word of this round.",
                "Type your word and press Enter; only you see it. who, table, help and say TEXT stay "
                    + "commands; word WORD sets one of these (word table).",
            ])
        let set = Sample.hangman(mask: "_ _ _ _ _ _", setter: 0, word: "GARDEN")
        #expect(
            narrator.arrived(Sample.match("hangman", set, turn: [1])) == [
                "You set a word of 6 letters: _ _ _ _ _ _", "The others guess your word.",
            ])
        let later = Sample.hangman(mask: "_ _ _ _ _ _", found: 2, wrong: ["Z"], setter: 0, word: "GARDEN")
        #expect(
            narrator.arrived(Sample.match("hangman", later, turn: [1])) == [
                "Tom: 2 of 6 found, 1 of 6 wrong."
            ])
    }

    @Test(arguments: [
        (0, ["  +---+ ", "  |     ", "  |     ", "  |     ", " ===    "]),
        (4, ["  +---+ ", "  |   O ", "  |  /|\\", "  |     ", " ===    "]),
        (6, ["  +---+ ", "  |   O ", "  |  /|\\", "  |  / \\", " ===    "]),
    ])
    func `the gallows grow`(bad: Int, picture: [String]) {
        #expect(HangmanText.gallows(bad) == picture)
    }

    @Test(arguments: [
        ("QS", "queen of spades"), ("TH", "10 of hearts"), ("7D", "7 of diamonds"), ("AC", "ace of clubs"),
        ("", ""),
        ("X\u{1B}", "X"),
    ])
    func `cards have names`(short: String, name: String) {
        #expect(SnapText.card(short) == name)
    }

    @Test func `what people and machines say is told and cleaned`() {
        var narrator = Narrator(plain: true)
        _ = narrator.arrived(Sample.room())
        let tom: JSON = ["id": "bb", "name": "To\u{202E}m"]
        #expect(narrator.happened(Self.event(.say, ["from": tom, "text": "hi\u{1B}[2J"])) == ["Tom: hi[2J"])
        let mia: JSON = ["id": "aa", "name": "mia"]
        #expect(narrator.happened(Self.event(.say, ["from": mia, "text": "ho"])) == ["you: ho"])
        #expect(
            narrator.happened(Self.event(.linkSuspect, ["peer": tom])) == [
                "No answer from Tom, trying again..."
            ])
        #expect(narrator.happened(Self.event(.linkResumed, ["peer": tom])) == ["Tom answers again."])
        #expect(
            narrator.happened(Self.event(.sequencerChanged, ["peer": tom])) == [
                "Tom keeps the order of moves now."
            ])
        #expect(
            narrator.happened(Self.event(.sequencerChanged, ["peer": mia])) == [
                "You keep the order of moves now."
            ])
        #expect(
            narrator.happened(Self.event(.roomClosed, ["reason": "kicked"])) == [
                "mia removed you from Kitchen."
            ])
        #expect(
            narrator.happened(Self.event(.roomClosed, ["reason": "host-closed"])) == ["mia closed Kitchen."])
        #expect(narrator.happened(Self.event(.matchChanged, ["what": "reveal"])) == [])
        #expect(narrator.happened(Self.event(.matchChanged, ["what": "paused"])) == [MatchText.waiting])
        #expect(narrator.happened(Self.event(.matchChanged, ["what": "resumed"])) == ["The match goes on."])
    }

    private static func event(_ type: EventType, _ fields: JSON) -> EventInfo {
        EventInfo(seq: 1, type: type, time: 0, fields: [JSON.Member("room", "01")] + (fields.members ?? []))
    }
}
