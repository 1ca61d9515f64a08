/// What a seat's own machine does with its secrets: sets and guesses for its player, answers and opens by
/// itself.
extension Hangman {
    private var seals: HangmanSeals { HangmanSeals(match: match, round: number, hash: hash) }

    /// Reads `{"do":"word","word":…}`, `{"do":"guess","letter":…}` and `{"do":"solve","word":…}`.
    public func move(
        for action: Value, by seat: Int, secrets: @autoclosure () -> SeatSecrets, at now: Int
    ) throws(Refusal) -> Datum {
        switch (action["do"]?.text, action["word"]?.text, action["letter"]?.text) {
        case ("word", let typed?, _):
            try checkMaySet(seat)
            let word = try HangmanWord(typed)
            guard mayBeAnyWord || word.isIn(words) else {
                throw Refusal(.wordInvalid, "'\(word.text)' is not in the word list; choose a word that is")
            }
            return setting(word, draw: nil, secrets: secrets())
        case ("guess", _, let letter?):
            let place = try checkMayGuess(seat)
            let text = Text.nfc(letter)
            guard let character = text.first, text.count == 1, Text.isLetter(character) else {
                throw Refusal(.illegalMove, "a guess is one letter")
            }
            return try guessing(.letter, text, by: seat, at: place, secrets: secrets())
        case ("solve", let typed?, _):
            let place = try checkMayGuess(seat)
            guard typed.utf8.count <= 4 * HangmanWord.bytesMost else {
                throw Refusal(.illegalMove, "a word has at most 32 letters")
            }
            let text = Text.nfc(HangmanWord.trimmed(typed))
            guard !text.isEmpty, text.utf8.count <= HangmanWord.bytesMost else {
                throw Refusal(.illegalMove, "type the whole word")
            }
            return try guessing(.solve, text, by: seat, at: place, secrets: secrets())
        default:
            throw Refusal(
                .badParams,
                #"Hangman takes {"do":"word","word":…}, {"do":"guess","letter":…}, {"do":"solve","word":…}"#
            )
        }
    }

    /// The setter's drawn word, an answer, or the opening.
    public func duty(of seat: Int, secrets: @autoclosure () -> SeatSecrets) -> Datum? {
        guard seat == setter, attendance.staying.contains(seat) else { return nil }
        switch phase {
        case .drawn(let draw):
            let secrets = secrets()
            guard let text = drawnWord(draw, link: secrets.link(draw.draw), of: seat),
                let word = try? HangmanWord(text)
            else { return nil }
            return setting(word, draw: draw.draw, secrets: secrets)
        case .guessing:
            guard let board = pendingBoard else { return nil }
            return answer(on: board, secrets: secrets())
        case .opening: return opening(secrets: secrets())
        case .choosing, .drawing, .over: return nil
        }
    }

    private func setting(_ word: HangmanWord, draw: Int?, secrets: SeatSecrets) -> Datum {
        let seals = seals
        let positions: [HangmanPosition] = word.graphemes.indices.map { place in
            guard word.isLetter[place] else { return .shown(word.graphemes[place]) }
            let salt = seals.wordSalt(word.text, at: place, secrets: secrets)
            return .letter(commitment: seals.letter(word.graphemes[place], at: place, salt: salt))
        }
        let salt = seals.wordSalt(word.text, at: HangmanSeals.wholeWord, secrets: secrets)
        let move = HangmanMove.Word(
            positions: positions,
            whole: seals.letter(word.text, at: HangmanSeals.wholeWord, salt: salt),
            sealed: secrets.seal(HangmanSeals.plain(word: word.text), secrets.seat) ?? [], draw: draw)
        return HangmanMove.word(move).datum(round: number)
    }

    private func guessing(
        _ kind: HangmanGuess.Kind, _ text: String, by seat: Int, at place: Int, secrets: SeatSecrets
    ) throws(Refusal) -> Datum {
        guard let board = played?.boards[place] else { throw Self.matchEnded }
        guard board.seat != nil else { return try calling(kind, text, on: board) }
        let sight = HangmanSight(game: self, seat: seat, secrets: secrets)
        guard !sight.hasTried(kind, text) else { throw Self.triedAlready }
        let number = board.count + 1
        let guess = seals.salted(kind, text, number: number, secrets: secrets)
        guard let sealed = secrets.seal(HangmanSeals.plain(guess: guess), setter) else {
            throw Refusal(.illegalMove, "the setter cannot take guesses")
        }
        let commitment = seals.guess(guess, number: number, by: seat)
        return HangmanMove.guess(.init(number: number, commitment: commitment, sealed: sealed)).datum(
            round: self.number)
    }

    // MARK: The setter's machine

    /// A guess as the setter reads it; `nil` where it cannot, or where it is not what was committed to.
    private func clear(
        _ guess: HangmanBoard.Guess, number: Int, by seat: Int, secrets: SeatSecrets
    ) -> HangmanGuess? {
        guard let clear = secrets.open(guess.sealed, seat).flatMap(HangmanSeals.guess),
            seals.guess(clear, number: number, by: seat) == guess.commitment
        else { return nil }
        return clear
    }

    /// The word that this setter's machine sealed for itself.
    func ownWord(secrets: SeatSecrets) -> HangmanWord? {
        guard let played, played.setter == secrets.seat,
            let text = secrets.open(played.word.sealed, secrets.seat).flatMap(HangmanSeals.word)
        else { return nil }
        return try? HangmanWord(text)
    }

    /// Whether a guess on this board waits for the setter's answer.
    private func waits(_ board: HangmanBoard) -> Bool {
        board.pending != nil && (board.seat.map(attendance.staying.contains) ?? true)
    }

    private var pendingBoard: HangmanBoard? {
        guard let played else { return nil }
        for board in played.boards where waits(board) { return board }
        return nil
    }

    private func answer(on board: HangmanBoard, secrets: SeatSecrets) -> Datum? {
        guard let word = ownWord(secrets: secrets) else { return nil }
        guard let seat = board.seat else { return self.hit(board, word: word, secrets: secrets) }
        var replay = HangmanReplay(word)
        var hit = HangmanHit()
        var guess: HangmanGuess?
        for (place, logged) in board.guesses.enumerated() {
            guess = clear(logged, number: place + 1, by: seat, secrets: secrets)
            hit = replay.take(guess)
        }
        let number = board.guesses.count
        let openings = openings(of: word, at: hit.positions, secrets: secrets)
        let plain = HangmanSeals.plain(answer: guess, openings: openings)
        let move = HangmanMove.Answer(
            guesser: seat, number: number, found: replay.found, isBad: hit.positions.isEmpty,
            rights: hit.rights,
            commitment: seals.answer(hit.positions, salt: guess?.salt, number: number, to: seat),
            sealed: secrets.seal(plain, seat) ?? [])
        return HangmanMove.answer(move).datum(round: self.number)
    }

    /// Positions of the own word, with what proves them.
    func openings(of word: HangmanWord, at positions: [Int], secrets: SeatSecrets) -> [HangmanOpening] {
        positions.map { position in
            HangmanOpening(
                position: position, salt: seals.wordSalt(word.text, at: position, secrets: secrets),
                letter: word.graphemes[position])
        }
    }

    private func opening(secrets: SeatSecrets) -> Datum? {
        guard let played, let word = ownWord(secrets: secrets) else { return nil }
        let seals = seals
        let letters = word.graphemes.indices.filter { word.isLetter[$0] }
        let guesses = played.boards.flatMap { board in
            board.guesses.enumerated().filter { $0.element.answer != nil }.map { place, guess in
                board.seat.flatMap { clear(guess, number: place + 1, by: $0, secrets: secrets) }
            }
        }
        let move = HangmanMove.Open(
            word: word.text, salt: seals.wordSalt(word.text, at: HangmanSeals.wholeWord, secrets: secrets),
            salts: letters.flatMap { seals.wordSalt(word.text, at: $0, secrets: secrets) }, guesses: guesses,
            link: played.draw.map { secrets.link($0.draw) })
        return HangmanMove.open(move).datum(round: number)
    }
}
