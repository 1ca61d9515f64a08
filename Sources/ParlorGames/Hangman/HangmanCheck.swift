/// What everybody checks when a word is opened.
struct HangmanCheck: Sendable {
    let game: Hangman
    let round: HangmanRound

    private var seals: HangmanSeals { HangmanSeals(match: game.match, round: round.number, hash: game.hash) }

    /// Whether the opening fits the commitments, the word was allowed, and every answer was true.
    func isHonest(_ open: HangmanMove.Open) -> Bool {
        guard let word = try? HangmanWord(open.word), word.text.utf8.elementsEqual(open.word.utf8) else {
            return false
        }
        return isCommitted(word, open) && isAllowed(word, link: open.link)
            && areAnswersTrue(word, open.guesses)
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

    private func areAnswersTrue(_ word: HangmanWord, _ guesses: [HangmanGuess?]) -> Bool {
        let seals = seals
        var rest = guesses[...]
        for board in round.boards {
            var replay = HangmanReplay(word)
            for (place, guess) in board.guesses.enumerated() {
                guard let answer = guess.answer else { continue }
                guard let clear = rest.popFirst() else { return false }
                let number = place + 1
                if let clear, seals.guess(clear, number: number, by: board.seat) != guess.commitment {
                    return false
                }
                let hit = replay.take(clear)
                let commitment = seals.answer(
                    hit.positions, salt: clear?.salt, number: number, to: board.seat)
                guard answer.isBad == hit.positions.isEmpty, answer.rights == hit.rights,
                    answer.found == replay.found, answer.commitment == commitment
                else { return false }
            }
        }
        return rest.isEmpty
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
