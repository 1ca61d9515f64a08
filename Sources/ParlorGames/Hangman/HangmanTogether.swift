/// Guessing together: one board, guesses in clear, the guessers take turns.
extension Hangman {
    /// How many times round turns may pass by without a guess before each more is a bad guess, so that a word
    /// that nobody guesses comes to an end.
    static let idleRounds = 2

    /// The next guesser clockwise that is here, after a seat and at last that seat itself.
    func guesser(after seat: Int) -> Int? {
        let seats = attendance.seats
        return (1...seats).lazy.map { (seat + $0) % seats }.first { next in
            guessers.contains(next) && !attendance.away.contains(next)
        }
    }

    /// Where the board is that of all: its place.
    private var shared: Int? {
        guard phase == .guessing, isTogether, let played, !played.boards.isEmpty else { return nil }
        return 0
    }

    /// A guesser has gone; its turn goes on to the next, unless its guess waits for the answer.
    mutating func passTurn(from seat: Int, at time: Int) {
        guard let place = shared, played?.boards[place].turn == seat, played?.boards[place].pending == nil
        else { return }
        let next = guesser(after: seat)
        played?.boards[place].turn = next
        played?.boards[place].since = time
    }

    /// A guesser is here again; it is its turn where nobody else was here.
    mutating func takeTurn(_ seat: Int, at time: Int) {
        guard let place = shared, played?.boards[place].turn == nil, guessers.contains(seat) else { return }
        played?.boards[place].turn = seat
        played?.boards[place].since = time
    }

    /// The guesser's time has run out.
    func pass(_ board: inout HangmanBoard) {
        if board.passes >= Self.idleRounds * guessers.count { board.lapse() }
        board.passes += 1
        board.turn = board.turn.flatMap(guesser)
    }

    /// Takes a guess on the board of all.
    mutating func take(_ call: HangmanMove.Call, by seat: Int, at time: Int) throws(Refusal) {
        let place = try checkMayGuess(seat)
        guard isTogether, var board = played?.boards[place] else {
            throw Refusal(.illegalMove, "on boards of their own nobody guesses openly")
        }
        guard call.number == board.count + 1 else {
            throw Refusal(.illegalMove, "guesses are numbered one after the other")
        }
        try checkIsNew(call.kind, call.text, on: board)
        board.append(HangmanGuess(kind: call.kind, text: call.text, salt: []), by: seat, at: time)
        played?.boards[place] = board
    }

    /// Refuses a guess that was made on the board of all before, or whose letter shows already.
    func checkIsNew(_ kind: HangmanGuess.Kind, _ text: String, on board: HangmanBoard) throws(Refusal) {
        let folded = Text.folded(text)
        let wanted = Text.folded(HangmanWord.plain(text))
        let isTried = board.calls.contains { call in
            call.guess.kind == kind && Text.folded(HangmanWord.plain(call.guess.text)) == wanted
        }
        let letters = board.letters(among: played?.word.positions.count ?? 0)
        let isShown = kind == .letter && letters.contains { $0.map(Text.folded) == folded }
        guard !isTried, !isShown else { throw Self.triedAlready }
    }

    static let triedAlready = Refusal(
        .illegalMove, "that was tried already; it costs nothing, try something else")

    /// Takes the setter's answer on the board of all.
    ///
    /// What it opens must fit the word's commitments and the guess; whether it should have opened more shows
    /// at the end.
    mutating func take(_ hit: HangmanMove.Hit, by seat: Int, at time: Int) throws(Refusal) {
        guard phase == .guessing, seat == setter, let played else {
            throw Refusal(.illegalMove, "only the setter answers, while others guess")
        }
        guard isTogether, var board = played.boards.first, board.pending == hit.number,
            let call = board.calls.last
        else { throw Refusal(.illegalMove, "no such guess waits for an answer") }
        let rights = try rights(of: hit.openings, for: call.guess, on: board)
        let points = board.take(rights: rights)
        board.calls[board.calls.count - 1].openings = hit.openings
        board.calls[board.calls.count - 1].points = points
        if scores.indices.contains(call.seat) { scores[call.seat] += points }
        board.found += hit.openings.count
        board.since = time
        board.turn = guesser(after: call.seat)
        self.played?.boards[0] = board
        closeBoards(at: time)
    }

    /// How many different letters the openings show; refuses those that prove nothing, or not this guess.
    private func rights(
        of openings: [HangmanOpening], for guess: HangmanGuess, on board: HangmanBoard
    ) throws(Refusal) -> Int {
        guard let round = played, !openings.isEmpty else { return 0 }
        let refusal = Refusal(.illegalMove, "the answer opens what the guess does not, or proves nothing")
        let seals = HangmanSeals(match: match, round: round.number, hash: hash)
        var letters = board.letters(among: round.word.positions.count)
        var last = -1
        var keys: Set<String> = []
        for opening in openings {
            guard opening.position > last, letters.indices.contains(opening.position),
                letters[opening.position] == nil, opening.letter.count == 1,
                let letter = opening.letter.first, Text.isLetter(letter),
                round.word.positions[opening.position].commitment
                    == seals.letter(opening.letter, at: opening.position, salt: opening.salt)
            else { throw refusal }
            last = opening.position
            letters[opening.position] = opening.letter
            let answersTo = HangmanWord.keys(opening.letter)
            guard guess.kind == .solve || answersTo.contains(Text.folded(guess.text)) else { throw refusal }
            keys.insert(answersTo[0])
        }
        guard guess.kind == .solve else { return 1 }
        var text = ""
        for (position, letter) in zip(round.word.positions, letters) {
            switch position {
            case .shown(let shown): text += shown
            case .letter:
                guard let letter else { throw refusal }
                text += letter
            }
        }
        guard let word = try? HangmanWord(text), word.graphemes.count == letters.count,
            word.isSolved(by: guess.text)
        else { throw refusal }
        return keys.count
    }

    // MARK: What machines do

    /// A guess for the log.
    func calling(_ kind: HangmanGuess.Kind, _ text: String, on board: HangmanBoard) throws(Refusal) -> Datum {
        try checkIsNew(kind, text, on: board)
        return HangmanMove.call(.init(number: board.count + 1, kind: kind, text: text)).datum(round: number)
    }

    /// The answer that the setter owes to the last guess on the board of all.
    func hit(_ board: HangmanBoard, word: HangmanWord, secrets: SeatSecrets) -> Datum {
        var replay = HangmanReplay(word)
        var hit = HangmanHit()
        for call in board.calls { hit = replay.take(call.guess) }
        return HangmanMove.hit(
            .init(number: board.count, openings: openings(of: word, at: hit.positions, secrets: secrets))
        ).datum(round: number)
    }
}
