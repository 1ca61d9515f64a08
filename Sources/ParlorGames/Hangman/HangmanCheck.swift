/// What a setter did wrong, as everybody can see at the end of a round.
enum HangmanFault: Hashable, Sendable {
    /// It did not answer a guess in time.
    case noAnswer
    /// It did not open its word in time.
    case noOpening
    /// What it opened is not what it had committed to.
    case otherWord
    /// Its word is not in the list.
    case notInList
    /// Its word is not the one that was drawn.
    case notDrawn
    /// An answer was false; by number, to a seat.
    case falseAnswer(number: Int, seat: Int)

    /// What happened, after the setter's name.
    var text: String {
        switch self {
        case .noAnswer: "did not answer a guess in time"
        case .noOpening: "did not show the word in time"
        case .otherWord: "showed another word than the one it had set"
        case .notInList: "set a word that is not in the list"
        case .notDrawn: "set another word than the one that was drawn"
        case .falseAnswer(let number, _): "gave a false answer to guess \(number)"
        }
    }
}

/// What everybody checks when a word is opened.
struct HangmanCheck: Sendable {
    let game: Hangman
    let round: HangmanRound

    /// What the check finds.
    struct Verdict: Sendable {
        /// What is wrong; `nil` when the setter was honest.
        var fault: HangmanFault?
        /// What the guesses of each seat were worth by the true word, by seat; `nil` where that cannot be
        /// known.
        var points: [Int]?
        /// Seats of which the setter says that it could not read a guess: one of the two lies or is broken,
        /// and nobody else can tell which.
        var unread = SeatSet()
    }

    private var seals: HangmanSeals { HangmanSeals(match: game.match, round: round.number, hash: game.hash) }

    /// Whether the opening fits the commitments, the word was allowed, and every answer was true.
    func verdict(_ open: HangmanMove.Open) -> Verdict {
        guard let word = try? HangmanWord(open.word), word.text.utf8.elementsEqual(open.word.utf8),
            isCommitted(word, open)
        else { return Verdict(fault: .otherWord, points: nil) }
        var verdict = round.isTogether ? replayCalls(word, open) : replayGuesses(word, open.guesses)
        guard verdict.fault != .otherWord, !isAllowed(word, link: open.link) else { return verdict }
        verdict.fault = round.draw == nil ? .notInList : .notDrawn
        return verdict
    }

    private func isCommitted(_ word: HangmanWord, _ open: HangmanMove.Open) -> Bool {
        let seals = seals
        guard word.graphemes.count == round.word.positions.count,
            open.salts.count == word.length * HangmanSeals.saltBytes,
            seals.letter(word.text, at: HangmanSeals.wholeWord, salt: open.salt) == round.word.whole
        else { return false }
        var salts = open.salts[...]
        for (place, position) in round.word.positions.enumerated() {
            switch position {
            case .shown(let text):
                guard !word.isLetter[place], word.graphemes[place] == text else { return false }
            case .letter(let commitment):
                let salt = Array(salts.prefix(HangmanSeals.saltBytes))
                salts = salts.dropFirst(HangmanSeals.saltBytes)
                guard word.isLetter[place],
                    seals.letter(word.graphemes[place], at: place, salt: salt) == commitment
                else { return false }
            }
        }
        return true
    }

    private func isAllowed(_ word: HangmanWord, link: [UInt8]?) -> Bool {
        guard let draw = round.draw else { return game.mayBeAnyWord || word.isIn(game.words) }
        guard let link, game.chainEnds.indices.contains(round.setter) else { return false }
        let end = game.chainEnds[round.setter]
        return Chance.holds(link, draw: draw.draw, end: end, hash: game.hash)
            && game.drawnWord(draw, link: link, of: round.setter) == word.text
    }

    /// Judges every answer to a board of its own; the first false one is named.
    private func replayGuesses(_ word: HangmanWord, _ guesses: [HangmanGuess?]) -> Verdict {
        let seals = seals
        var verdict = Verdict(fault: nil, points: Array(repeating: 0, count: game.attendance.seats))
        var rest = guesses[...]
        for board in round.boards {
            guard let seat = board.seat else { continue }
            var replay = HangmanReplay(word)
            var truth = HangmanBoard(seat: seat, since: 0)
            for (place, guess) in board.guesses.enumerated() {
                guard let answer = guess.answer else { continue }
                let number = place + 1
                guard let clear = rest.popFirst(),
                    clear.map({ seals.guess($0, number: number, by: seat) == guess.commitment }) ?? true
                else { return Verdict(fault: .otherWord, points: nil) }
                if clear == nil { verdict.unread.insert(seat) }
                let hit = replay.take(clear)
                let commitment = seals.answer(hit.positions, salt: clear?.salt, number: number, to: seat)
                if answer.isBad != hit.positions.isEmpty || answer.rights != hit.rights
                    || answer.found != replay.found || answer.commitment != commitment
                {
                    verdict.fault = verdict.fault ?? .falseAnswer(number: number, seat: seat)
                }
                if guess.isAfterLapse { truth.streak = 0 }
                _ = truth.take(rights: hit.rights)
            }
            if game.scores.indices.contains(seat) { verdict.points?[seat] = truth.score }
        }
        return rest.isEmpty ? verdict : Verdict(fault: .otherWord, points: nil)
    }

    /// Judges every answer on the board of all.
    private func replayCalls(_ word: HangmanWord, _ open: HangmanMove.Open) -> Verdict {
        var verdict = Verdict(fault: nil, points: Array(repeating: 0, count: game.attendance.seats))
        guard open.guesses.isEmpty else { return Verdict(fault: .otherWord, points: nil) }
        for board in round.boards {
            var replay = HangmanReplay(word)
            var truth = HangmanBoard(seat: nil, since: 0)
            for (place, call) in board.calls.enumerated() {
                guard let openings = call.openings else { continue }
                let hit = replay.take(call.guess)
                if openings.map(\.position) != hit.positions {
                    verdict.fault = verdict.fault ?? .falseAnswer(number: place + 1, seat: call.seat)
                }
                if call.isAfterLapse { truth.streak = 0 }
                let points = truth.take(rights: hit.rights)
                if game.scores.indices.contains(call.seat) { verdict.points?[call.seat] += points }
            }
        }
        return verdict
    }
}

extension Hangman {
    /// The word that a draw chose, with the link that the setter kept.
    func drawnWord(_ draw: Opening, link: [UInt8], of seat: Int) -> String? {
        guard !candidates.isEmpty else { return nil }
        var links = draw.links.filter { $0.seat != seat }
        let place = links.firstIndex { $0.seat > seat } ?? links.count
        links.insert(SeatLink(seat: seat, link: link), at: place)
        return candidates[
            Chance.choose(among: candidates.count, match: match, draw: draw.draw, links: links, hash: hash)]
    }
}
