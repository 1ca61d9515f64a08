/// A guesser's own board as its machine sees it, from the answers that were sealed for it.
struct HangmanSight: Sendable {
    /// Letter at each position that opened.
    private(set) var letters: [String?]
    /// Bad guesses as shown, in order.
    private(set) var wrong: [String] = []
    /// Guesses made, folded.
    private var tried: Set<String> = []

    /// The board of all as everybody sees it.
    init(_ round: HangmanRound, together board: HangmanBoard) {
        letters = board.letters(among: round.word.positions.count)
        wrong = board.calls.filter { $0.openings?.isEmpty ?? false }.map { Self.capitals($0.guess.text) }
    }

    init(game: Hangman, seat: Int, secrets: SeatSecrets) {
        letters = []
        guard let round = game.played else { return }
        letters = Array(repeating: nil, count: round.word.positions.count)
        guard let board = round.boards.first(where: { $0.seat == seat }) else { return }
        let seals = HangmanSeals(match: game.match, round: round.number, hash: game.hash)
        for (place, guess) in board.guesses.enumerated() {
            guard let answer = guess.answer,
                let clear = secrets.open(answer.sealed, round.setter).flatMap(HangmanSeals.answer)
            else { continue }
            let mine = seals.salted(clear.kind, clear.text, number: place + 1, secrets: secrets)
            guard seals.guess(mine, number: place + 1, by: seat) == guess.commitment else { continue }
            tried.insert(HangmanGuess.key(clear.kind, clear.text))
            if answer.isBad { wrong.append(Self.capitals(clear.text)) }
            for opening in clear.openings where letters.indices.contains(opening.position) {
                let commitment = seals.letter(opening.letter, at: opening.position, salt: opening.salt)
                guard round.word.positions[opening.position].commitment == commitment else { continue }
                letters[opening.position] = opening.letter
            }
        }
    }

    /// Whether a guess was made before, or its letter shows already.
    func hasTried(_ kind: HangmanGuess.Kind, _ text: String) -> Bool {
        let folded = Text.folded(text)
        let isShown = kind == .letter && letters.contains { $0.map(Text.folded) == folded }
        return isShown || tried.contains(HangmanGuess.key(kind, text))
    }

    static func capitals(_ text: String) -> String {
        Text.isASCII(text) ? text.uppercased() : text.map { Text.capital(String($0)) }.joined()
    }
}

/// What players see of Hangman and may do.
extension Hangman {
    /// `word` for the setter, `guess` and `solve` for those who can; the value is free.
    public func legal(for seat: Int, secrets: SeatSecrets?, at now: Int) -> [Value] {
        guard attendance.staying.contains(seat), turn.contains(seat) else { return [] }
        if phase == .choosing { return [["do": "word", "word": nil]] }
        return [["do": "guess", "letter": nil], ["do": "solve", "word": nil]]
    }

    /// The newest word's boards: the own one with its letters, the others as counts.
    public func view(for seat: Int?, secrets: SeatSecrets?, at now: Int) -> Value {
        let secrets = secrets.flatMap { $0.seat == seat ? $0 : nil }
        // A word whose setter has gone is not guessed any more, and nobody learns what it was.
        let played = played.flatMap { $0.reveal == nil && $0.number != number ? nil : $0 }
        let together = played.flatMap { round in
            round.boards.first { $0.seat == nil }.map { HangmanSight(round, together: $0) }
        }
        let sight = together ?? secrets.map { HangmanSight(game: self, seat: $0.seat, secrets: $0) }
        let mask = played.map { Self.mask($0, sight: sight) } ?? ""
        var members: [Value.Member] = [
            .init("round", .int(number)), .init("setter", isAlone ? nil : .int(setter)),
        ]
        if !isAlone, let secrets, let word = ownWord(secrets: secrets) {
            members.append(.init("word", .string(word.text)))
        }
        let boards = played.map { round in
            round.boards.map { board in
                let isSeen = board.seat == nil || board.seat == seat
                return Self.value(board, in: round, mask: isSeen ? mask : nil, sight: sight)
            }
        }
        members += [
            .init("mask", .string(mask)), .init("length", .int(played?.length ?? 0)),
            .init("boards", .array(boards ?? [])), .init("reveal", played.map(Self.reveal) ?? nil),
            .init("scores", .array(scores.map { .int($0) })),
        ]
        return .object(members)
    }

    private static func mask(_ round: HangmanRound, sight: HangmanSight?) -> String {
        round.word.positions.enumerated().map { place, position in
            switch position {
            case .shown(" "): "/"
            case .shown(let text): text
            case .letter: sight?.letters[place].map(Text.capital) ?? "_"
            }
        }.joined(separator: " ")
    }

    private static func value(
        _ board: HangmanBoard, in round: HangmanRound, mask: String?, sight: HangmanSight?
    ) -> Value {
        var members: [Value.Member] = [.init("seat", board.seat.map { .int($0) } ?? nil)]
        if let mask { members.append(.init("mask", .string(mask))) }
        let wrong = mask == nil ? [] : sight?.wrong ?? []
        members += [
            .init("found", .int(board.found)), .init("wrong", .array(wrong.map { .string($0) })),
            .init("bad", .int(board.bad)), .init("state", .string(round.state(of: board).rawValue)),
            .init("score", .int(board.score)),
        ]
        if board.seat == nil { members.append(.init("last", last(board))) }
        return .object(members)
    }

    /// The newest answered guess on the board of all: whose, what, and how many positions it opened.
    private static func last(_ board: HangmanBoard) -> Value {
        guard let call = board.calls.last(where: { $0.openings != nil }) else { return nil }
        return [
            "seat": .int(call.seat), "guess": .string(HangmanSight.capitals(call.guess.text)),
            "opened": .int(call.openings?.count ?? 0),
        ]
    }

    /// The word that was opened; a setter that did wrong is named, with what it did.
    private static func reveal(_ round: HangmanRound) -> Value {
        guard let (word, fault) = round.reveal else { return nil }
        var members: [Value.Member] = [
            .init("word", word.map { .string($0) } ?? nil), .init("honest", .bool(fault == nil)),
        ]
        if let fault {
            members += [.init("setter", .int(round.setter)), .init("why", .string(fault.text))]
        }
        return .object(members)
    }
}
