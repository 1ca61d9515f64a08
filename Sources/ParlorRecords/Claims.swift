internal import ParlorGames
public import ParlorProtocol

/// What an ended match gives one of its seats: scores and progress.
public struct Claims: Hashable, Sendable {
    /// A score on a board.
    public struct Score: Hashable, Sendable {
        /// The board's ID.
        public let board: String
        /// The score.
        public let value: Int64
        /// Whatever the game says beside it.
        public let context: Int64
    }

    /// Progress with an achievement.
    public struct Progress: Hashable, Sendable {
        /// The achievement's ID.
        public let achievement: String
        /// Percent that are added to what there is.
        public let step: Int
    }

    /// The scores.
    public private(set) var scores: [Score] = []
    /// The progress.
    public private(set) var progress: [Progress] = []

    /// What a match gives.
    ///
    /// Nothing before it has ended with its log complete, to a seat that quit, or to a bot.
    /// - Parameters:
    ///   - state: The match after its last entry.
    ///   - seat: The seat.
    public init(_ state: MatchState, seat: Int) {
        let seats = state.genesis.seats
        guard state.phase == .ended, !state.endedAlone, let game = state.game, let outcomes = state.outcomes,
            seats.indices.contains(seat), outcomes.indices.contains(seat), !seats[seat].bot,
            outcomes[seat] != .quit
        else { return }
        let match = Ended(
            view: game.view(for: seat, secrets: nil, at: Int.max), seat: seat, outcome: outcomes[seat],
            people: state.genesis.people.count, hasQuitters: outcomes.contains(.quit),
            options: state.genesis.options)
        switch state.genesis.game {
        case "lucky": lucky(game, match)
        case "hangman": hangman(match)
        case "snap": snap(match)
        case "tictactoe": ticTacToe(match)
        case "story": story(match)
        default: break
        }
    }

    private struct Ended {
        let view: Value
        let seat: Int
        let outcome: Outcome
        /// How many people played, those that left too.
        let people: Int
        /// Whether somebody left: what was that one's fell to the others.
        let hasQuitters: Bool
        let options: GameOptions

        /// Whether somebody else saw it.
        var isWitnessed: Bool { people >= 2 }

        func number(_ name: String) -> Int64 { Int64(view[name]?.number ?? 0) }
    }

    private mutating func add(_ board: String, _ value: Int64, _ context: Int64) {
        scores.append(Score(board: board, value: value, context: context))
    }

    private mutating func earn(_ achievement: String, _ step: Int = 100) {
        progress.append(Progress(achievement: achievement, step: step))
    }

    /// The context is how many buttons were pressed.
    private mutating func lucky(_ game: any GameRules, _ match: Ended) {
        guard let level = match.view["level"]?.text, let game = game as? Lucky else { return }
        let presses = Int64(game.table.presses)
        add("lucky.\(level)", match.number("score"), presses)
        if level == "hard" { add("lucky.hard.daily", match.number("score"), presses) }
        if game.table.hasAllButtons { earn("all_four_buttons.\(level)") }
    }

    /// Only a word that nobody has chosen feeds a board; the context is the bad guesses.
    private mutating func hangman(_ match: Ended) {
        let mine = (match.view["boards"]?.elements ?? []).first { $0["seat"]?.number == match.seat }
        let isSolved = mine?["state"]?.text == "solved" && mine?["bad"]?.number == 0
        if isSolved, (1...6).contains(match.number("length")) { earn("no_mistakes_small_word") }
        guard match.view["boards"]?.elements?.count == 1, match.people == 1, match.options.int("rounds") == 1,
            match.view["scores"]?.elements?.count == 1, let score = match.view["scores"]?.elements?[0].number
        else { return }
        let bad = Int64(mine?["bad"]?.number ?? 0)
        add("hangman.alone", Int64(score), bad)
        add("hangman.alone.weekly", Int64(score), bad)
    }

    /// Only a pack that was won by calls counts, not what others left behind; the context is how many seats
    /// there were.
    private mutating func snap(_ match: Ended) {
        guard match.isWitnessed, let seats = match.view["seats"]?.elements else { return }
        earn("ten_matches", 10)
        let mine = seats[match.seat]
        let cards = (mine["closed"]?.number ?? 0) + (mine["open"]?.number ?? 0)
        guard cards == 52, !match.hasQuitters else { return }
        add("snap.whole_pack", match.number("flips"), Int64(seats.count))
        earn("whole_pack")
    }

    /// Only a line counts, not that the other left; the context is 1 for X and 2 for O.
    private mutating func ticTacToe(_ match: Ended) {
        guard match.isWitnessed, match.outcome == .won, match.view["line"]?.elements != nil,
            let mark = match.view["mark"]?.text
        else { return }
        let marks = (match.view["cells"]?.elements ?? []).count { $0.text == mark }
        add("tictactoe.marks", Int64(marks), mark == "X" ? 1 : 2)
        earn("three_in_a_line")
    }

    /// Only a story that is long enough counts; the context is how many turns it had.
    private mutating func story(_ match: Ended) {
        let bytes = match.number("bytes")
        guard match.isWitnessed, bytes > 3_800 else { return }
        add("story.bytes", bytes, Int64(match.view["authors"]?.elements?.count ?? 0))
        earn("the_end")
        if bytes == 4_096 { earn("to_the_last_byte") }
    }
}
