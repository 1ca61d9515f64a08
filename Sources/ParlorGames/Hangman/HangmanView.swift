/// A guesser's own board as its machine sees it, from the answers that were sealed for it.
struct HangmanSight: Sendable {
    /// Letter at each position that opened.
    private(set) var letters: [String?]
    /// Bad guesses as shown, in order.
    private(set) var wrong: [String] = []
    /// Guesses made, folded.
    private var tried: Set<String> = []

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
            tried.insert(Self.key(clear.kind, clear.text))
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
        let isShown =
            kind == .letter && letters.contains { $0.map { HangmanWord.keys($0).contains(folded) } ?? false }
        return isShown || tried.contains(Self.key(kind, text))
    }

    private static func key(_ kind: HangmanGuess.Kind, _ text: String) -> String {
        "\(kind.rawValue)\(Text.folded(text))"
    }

    static func capitals(_ text: String) -> String { text.map { Text.capital(String($0)) }.joined() }
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
        let sight = secrets.map { HangmanSight(game: self, seat: $0.seat, secrets: $0) }
        let mask = played.map { Self.mask($0, sight: sight) } ?? ""
        var members: [Value.Member] = [
            .init("round", .int(number)), .init("setter", isAlone ? nil : .int(setter)),
        ]
        if !isAlone, let secrets, let word = ownWord(secrets: secrets) {
            members.append(.init("word", .string(word.text)))
        }
        let boards = played.map { round in
            round.boards.map { Self.value($0, in: round, mask: $0.seat == seat ? mask : nil, sight: sight) }
        }
        members += [
            .init("mask", .string(mask)), .init("length", .int(played?.length ?? 0)),
            .init("boards", .array(boards ?? [])), .init("reveal", played?.reveal.map(Self.value) ?? nil),
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
        var members: [Value.Member] = [.init("seat", .int(board.seat))]
        if let mask { members.append(.init("mask", .string(mask))) }
        let wrong = mask == nil ? [] : sight?.wrong ?? []
        members += [
            .init("found", .int(board.found)), .init("wrong", .array(wrong.map { .string($0) })),
            .init("bad", .int(board.bad)), .init("state", .string(round.state(of: board).rawValue)),
            .init("score", .int(board.score)),
        ]
        return .object(members)
    }

    private static func value(_ reveal: (word: String?, isHonest: Bool)) -> Value {
        ["word": reveal.word.map { .string($0) } ?? nil, "honest": .bool(reveal.isHonest)]
    }
}
