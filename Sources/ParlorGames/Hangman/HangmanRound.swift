/// One guesser's board: what everybody knows of it.
struct HangmanBoard: Sendable {
    /// A guess in the log and, once there is one, its answer.
    struct Guess: Sendable {
        let commitment: [UInt8]
        let sealed: [UInt8]
        var answer: HangmanMove.Answer?
    }
    let seat: Int
    var guesses: [Guess] = []
    var found = 0
    var bad = 0
    var streak = 0
    var score = 0
    /// When the guesser's time for a guess, or the setter's for an answer, began.
    var since: Int

    /// The guess that waits for its answer; its number.
    var pending: Int? {
        guard let last = guesses.last, last.answer == nil else { return nil }
        return guesses.count
    }

    /// Notes a bad guess, or a guess that was not made in time.
    mutating func miss() {
        bad += 1
        streak = 0
    }

    func encode(into bytes: inout StateBytes) {
        for number in [seat, found, bad, streak, score, since, guesses.count] { bytes.write(number) }
        for guess in guesses {
            bytes.write(guess.commitment)
            bytes.write(guess.sealed)
            bytes.write(guess.answer?.commitment ?? [])
            bytes.write(guess.answer?.sealed ?? [])
        }
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
    /// The word once it was opened, and whether the setter was honest; `nil` before and where the setter
    /// left.
    var reveal: (word: String?, isHonest: Bool)?

    var length: Int { word.positions.count { $0.commitment != nil } }

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
        bytes.write(reveal?.isHonest ?? true)
    }
}
