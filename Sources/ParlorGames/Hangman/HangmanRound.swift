/// One guesser's board, or the one that all guess on together: what everybody knows of it.
struct HangmanBoard: Sendable {
    /// A guess in the log and, once there is one, its answer.
    struct Guess: Sendable {
        let commitment: [UInt8]
        let sealed: [UInt8]
        /// Whether time that ran out had ended the streak before it.
        let isAfterLapse: Bool
        var answer: HangmanMove.Answer?
    }
    /// A guess on the board of all, in clear.
    struct Call: Sendable {
        let seat: Int
        let guess: HangmanGuess
        let isAfterLapse: Bool
        /// The positions that it opened; `nil` until it is answered.
        var openings: [HangmanOpening]?
        /// What it scored.
        var points = 0
    }
    /// Whose board it is; `nil` for the one of all.
    let seat: Int?
    var guesses: [Guess] = []
    /// The guesses where the board is that of all.
    var calls: [Call] = []
    /// Who is to guess where the board is that of all; `nil` while every guesser is away.
    var turn: Int?
    /// How many turns in a row have passed by without a guess.
    var passes = 0
    var found = 0
    var bad = 0
    var streak = 0
    var score = 0
    /// When the guesser's time for a guess, or the setter's for an answer, began.
    var since: Int
    /// Whether time that ran out has ended the streak since the last guess.
    private(set) var hasLapsed = false

    init(seat: Int?, since: Int) {
        self.seat = seat
        self.since = since
    }

    /// How many guesses were made.
    var count: Int { seat == nil ? calls.count : guesses.count }

    /// The guess that waits for its answer; its number.
    var pending: Int? {
        let isAnswered = seat == nil ? calls.last?.openings != nil : guesses.last?.answer != nil
        return count == 0 || isAnswered ? nil : count
    }

    /// Notes a bad guess.
    mutating func miss() {
        bad += 1
        streak = 0
    }

    /// Notes that time ran out, which is a bad guess.
    mutating func lapse() {
        miss()
        hasLapsed = true
    }

    /// Takes a guess.
    mutating func append(commitment: [UInt8], sealed: [UInt8], at time: Int) {
        guesses.append(Guess(commitment: commitment, sealed: sealed, isAfterLapse: hasLapsed))
        hasLapsed = false
        since = time
    }

    /// Takes a guess on the board of all.
    mutating func append(_ guess: HangmanGuess, by seat: Int, at time: Int) {
        calls.append(Call(seat: seat, guess: guess, isAfterLapse: hasLapsed))
        hasLapsed = false
        passes = 0
        since = time
    }

    /// Scores so many right letters, or the bad guess that none is.
    ///
    /// - Returns: The points.
    mutating func take(rights: Int) -> Int {
        guard rights > 0 else {
            miss()
            return 0
        }
        let before = score
        for _ in 0..<rights {
            streak += 1
            score += Hangman.pointsPerStep * streak
        }
        return score - before
    }

    /// The letter at each position that is open, where the board is that of all.
    func letters(among positions: Int) -> [String?] {
        var letters = [String?](repeating: nil, count: positions)
        for opening in calls.flatMap({ $0.openings ?? [] }) where letters.indices.contains(opening.position) {
            letters[opening.position] = opening.letter
        }
        return letters
    }

    func encode(into bytes: inout StateBytes) {
        for number in [seat ?? -1, found, bad, streak, score, since] { bytes.write(number) }
        bytes.write(hasLapsed)
        bytes.write(count)
        for guess in guesses {
            bytes.write(guess.commitment)
            bytes.write(guess.sealed)
            bytes.write(guess.isAfterLapse)
            bytes.write(guess.answer?.commitment ?? [])
            bytes.write(guess.answer?.sealed ?? [])
        }
        guard seat == nil else { return }
        for call in calls {
            bytes.write(call.seat)
            bytes.write(Int(call.guess.kind.rawValue))
            bytes.write(call.guess.text)
            bytes.write(call.isAfterLapse)
            bytes.write(call.points)
            bytes.write(call.openings?.count ?? -1)
            for opening in call.openings ?? [] {
                bytes.write(opening.position)
                bytes.write(opening.letter)
            }
        }
        bytes.write(turn ?? -1)
        bytes.write(passes)
    }
}

/// One word and the boards on which it is guessed.
struct HangmanRound: Sendable {
    /// From 1.
    let number: Int
    let setter: Int
    let word: HangmanMove.Word
    /// The draw of a fallback word.
    let draw: Opening?
    var boards: [HangmanBoard]
    /// The word once it was opened, and what the setter did wrong; `nil` before and where the setter left.
    var reveal: (word: String?, fault: HangmanFault?)?

    var length: Int { word.positions.count { $0.commitment != nil } }

    /// Whether all guess on one board.
    var isTogether: Bool { boards.first.map { $0.seat == nil } ?? false }

    /// What the log says that a seat's guesses of this round were worth.
    func points(of seat: Int) -> Int {
        boards.reduce(0) { sum, board in
            guard board.seat == nil else { return sum + (board.seat == seat ? board.score : 0) }
            return board.calls.reduce(sum) { $1.seat == seat ? $0 + $1.points : $0 }
        }
    }

    enum State: String, Sendable {
        case guessing, solved, hanged
    }

    func state(of board: HangmanBoard) -> State {
        if board.found >= length { return .solved }
        return board.bad >= Hangman.badMost ? .hanged : .guessing
    }

    func encode(into bytes: inout StateBytes) {
        bytes.write(number)
        bytes.write(setter)
        for position in word.positions { bytes.write(position.commitment ?? []) }
        bytes.write(word.whole)
        bytes.write(word.sealed)
        bytes.write(draw?.draw ?? -1)
        for board in boards { board.encode(into: &bytes) }
        bytes.write(reveal?.word ?? "")
        bytes.write(reveal?.fault == nil)
    }
}
