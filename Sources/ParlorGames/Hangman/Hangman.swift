/// Hangman: one seat sets a word, every other guesses it, on a board of its own or all on one.
///
/// The log holds commitments only until a round ends. The setter's machine answers guesses by itself; when
/// all boards are done it opens the word, and everybody checks every answer (``HangmanCheck``).
public struct Hangman: GameRules {
    /// Two to four seats or alone; options as every game, `mode`, `rounds`, `any_word` and `words`.
    public static let declaration = GameDeclaration(
        id: "hangman", title: "Hangman", rules: 1, seats: 1...4,
        options: CommonOptions.declarations(turnSeconds: 60) + [
            OptionDeclaration(
                "mode", .word(["race", "together"]), standard: "race",
                "race: a board for everybody, all at once; together: one board, by turns"),
            OptionDeclaration("rounds", .int(1...5, orZero: false), standard: 1, "words that each seat sets"),
            OptionDeclaration(
                "any_word", .bool, standard: false, "whether words outside the list may be set"),
            OptionDeclaration(
                "words", .word(["builtin", "system"]), standard: "builtin",
                "the word list: builtin is Parlor's own, system that of the host's machine"),
        ], needsWords: true)

    /// Bad guesses that lose a round.
    static let badMost = 6
    /// Points for the first right letter of a streak; the second is worth twice as much, and so on.
    static let pointsPerStep = 10
    /// Points for the setter for each guesser that fails.
    static let pointsPerHanged = 10
    /// Points for each guesser without the word when its setter vanishes or cheats.
    static let pointsForVanished = 50
    /// Milliseconds that a setter has for its word.
    static let wordTime = 90_000
    /// Milliseconds after which a setter that is away before its word is set is passed over.
    static let awayTime = 30_000
    /// Milliseconds that a setter's machine has for an answer, an opening or a drawn word.
    static let machineTime = 10_000
    /// Letters of a word that is guessed alone.
    static let lettersAlone = 4...8

    enum Phase: Hashable, Sendable {
        /// The setter thinks of a word.
        case choosing
        /// Time is up: a word is to be drawn.
        case drawing
        /// The other seats' links are open; the setter's machine owes the word.
        case drawn(Opening)
        case guessing
        /// All boards are done; the setter's machine owes the opening.
        case opening
        case over
    }

    private(set) var attendance: Attendance
    private(set) var phase = Phase.choosing
    /// When the phase began, or the setter came back in it.
    private(set) var since: Int
    /// The round that is on or whose word is awaited, from 1.
    private(set) var number = 0
    private(set) var setter: Int
    /// The newest round with a word.
    var played: HangmanRound?
    /// Points by seat.
    var scores: [Int]
    /// Words that can be drawn; found when first needed.
    private(set) var candidates: [String] = []

    let isAlone: Bool
    /// Whether all guess on one board, by turns.
    let isTogether: Bool
    let match: [UInt8]
    let words: WordList
    let mayBeAnyWord: Bool
    private(set) var chainEnds: [[UInt8]]
    let hash: HashFunction
    let guessTime: Int
    /// Who sets, round after round; a seat that has left is skipped.
    private let setters: [Int]
    private var nextSetter = 0
    private var solvedRounds = 0

    /// Begins with the word of the seat that goes first.
    public init(_ setup: GameSetup) {
        attendance = Attendance(setup)
        let seats = attendance.seats
        isAlone = seats == 1
        isTogether = setup.options.word("mode") == "together"
        match = setup.match
        words = setup.words
        mayBeAnyWord = setup.options.bool("any_word")
        chainEnds = setup.chainEnds
        hash = setup.hash
        guessTime = setup.options.int("turn_s") * 1_000
        scores = Array(repeating: 0, count: seats)
        since = setup.startedAt
        let first = (0..<seats).contains(setup.first) ? setup.first : 0
        let once = (0..<seats).map { (first + $0) % seats }.filter(attendance.staying.contains)
        setters = (0..<max(1, setup.options.int("rounds"))).flatMap { _ in once }
        setter = first
        beginRound(at: setup.startedAt)
    }

    /// Applies one event; see ``GameRules/apply(_:at:)``.
    public mutating func apply(_ event: GameEvent, at time: Int) throws(Refusal) {
        guard phase != .over else { throw Self.matchEnded }
        switch event {
        case .move(let seat, let datum):
            try attendance.check(seat)
            guard let (round, move) = HangmanMove.read(datum) else {
                throw Refusal(.badParams, "no move of Hangman")
            }
            guard round == number else { throw Refusal(.illegalMove, "round \(number) is on") }
            switch move {
            case .word(let word): try set(word, by: seat, at: time)
            case .guess(let guess): try take(guess, by: seat, at: time)
            case .answer(let answer): try take(answer, by: seat, at: time)
            case .open(let open): try finish(open, by: seat, at: time)
            case .call(let call): try take(call, by: seat, at: time)
            case .hit(let hit): try take(hit, by: seat, at: time)
            }
        case .opened(let opening): try draw(opening, at: time)
        case .expired: try expire(at: time)
        case .judged: throw Refusal(.illegalMove, "nobody has called")
        case .away(let seat):
            try attendance.goAway(seat)
            if seat == setter { since = max(since, time) }
            passTurn(from: seat, at: time)
            closeBoards(at: time)
        case .back(let seat): try comeBack(seat, at: time)
        case .left(let seat):
            try attendance.leave(seat)
            notePassing(of: seat, at: time)
        case .takenOver(let seat, let end):
            try attendance.check(seat)
            if chainEnds.indices.contains(seat) { chainEnds[seat] = end }
            if seat == setter { replaceSetter(at: time) }
        }
    }

    /// A fallback word, whose setter keeps its link, or the word for one who plays alone.
    public var need: GameNeed? {
        guard phase == .drawing else { return nil }
        return GameNeed(among: candidates.count, keptBy: setter, notBefore: since)
    }

    /// The nearest of: the word, the passing over of a setter that is away, a guess, an answer, the opening.
    public var deadline: Int? {
        let isAway = attendance.away.contains(setter)
        switch phase {
        case .choosing: return isAway ? later(since, by: Self.awayTime) : wordDue
        case .drawing: return isAway && !isAlone ? later(since, by: Self.awayTime) : nil
        case .drawn:
            if isAway { return isAlone ? nil : later(since, by: Self.awayTime) }
            return later(since, by: Self.machineTime)
        case .guessing: return nextDue
        case .opening: return isAway ? nil : later(since, by: Self.machineTime)
        case .over: return nil
        }
    }

    /// The setter until it has set, then everybody who can guess.
    public var turn: [Int] {
        switch phase {
        case .choosing: [setter]
        case .guessing: guessing
        case .drawing, .drawn, .opening, .over: []
        }
    }

    /// Places by score; alone, `won` when every word was solved.
    public var outcomes: [Outcome]? {
        guard phase == .over else { return nil }
        if isAlone {
            guard attendance.staying.contains(0) else { return [.quit] }
            return [solvedRounds == setters.count ? .won : .lost]
        }
        return Standing.outcomes(
            scores.indices.map { seat in
                attendance.staying.contains(seat) ? Standing(points: scores[seat], outAt: Int.max) : nil
            })
    }

    /// Writes the state; see ``GameRules/encode(into:)``.
    public func encode(into bytes: inout StateBytes) {
        attendance.encode(into: &bytes)
        switch phase {
        case .choosing: bytes.write(0)
        case .drawing: bytes.write(1)
        case .drawn(let opening):
            bytes.write(2)
            bytes.write(opening.draw)
            for link in opening.links { bytes.write(link.link) }
        case .guessing: bytes.write(3)
        case .opening: bytes.write(4)
        case .over: bytes.write(5)
        }
        for number in [since, wordSince, number, setter, nextSetter, solvedRounds] + scores {
            bytes.write(number)
        }
        played?.encode(into: &bytes)
    }

    static let matchEnded = Refusal(.matchEnded, "the match is over")

    // MARK: Whose word

    /// Since when the setter of this round may set its word.
    private var wordSince = 0
    private var wordDue: Int { later(wordSince, by: Self.wordTime) }

    private mutating func beginRound(at time: Int) {
        since = time
        wordSince = time
        while nextSetter < setters.count, !attendance.staying.contains(setters[nextSetter]) {
            nextSetter += 1
        }
        guard nextSetter < setters.count, isAlone || attendance.staying.count >= 2 else {
            phase = .over
            return
        }
        setter = setters[nextSetter]
        nextSetter += 1
        number += 1
        phase = .choosing
        if isAlone { beginDraw(at: time) }
    }

    private mutating func beginDraw(at time: Int) {
        if candidates.isEmpty {
            let lengths = isAlone ? Self.lettersAlone : HangmanWord.letters
            candidates = words.words.filter { HangmanWord.letterCount($0).map(lengths.contains) ?? false }
        }
        guard !candidates.isEmpty else {
            beginRound(at: time)
            return
        }
        phase = .drawing
        since = time
    }

    private mutating func draw(_ opening: Opening, at time: Int) throws(Refusal) {
        guard phase == .drawing else { throw Refusal(.illegalMove, "no word waits to be drawn") }
        guard (1...Chance.chainLinks).contains(opening.draw) else {
            throw Refusal(.illegalMove, "a word is drawn by chance")
        }
        phase = .drawn(opening)
        since = max(since, time)
    }

    /// Refuses a word of a seat that cannot set one now.
    func checkMaySet(_ seat: Int) throws(Refusal) {
        guard phase != .over else { throw Self.matchEnded }
        try attendance.check(seat)
        guard !isAlone else { throw Refusal(.illegalMove, "alone, words come from the list") }
        guard seat == setter else { throw Refusal(.notYourTurn, "it is not your turn to set a word") }
        switch phase {
        case .choosing: return
        case .drawing, .drawn: throw Refusal(.illegalMove, "time is up; a word is drawn from the list")
        case .guessing, .opening, .over: throw Refusal(.illegalMove, "the word is set already")
        }
    }

    private mutating func set(_ word: HangmanMove.Word, by seat: Int, at time: Int) throws(Refusal) {
        var drawn: Opening?
        if case .drawn(let opening) = phase, seat == setter {
            guard word.draw == opening.draw else {
                throw Refusal(.illegalMove, "time is up; a word was drawn")
            }
            drawn = opening
        } else {
            try checkMaySet(seat)
            guard word.draw == nil else { throw Refusal(.illegalMove, "no word was drawn") }
        }
        let boards: [Int?] = isTogether ? [nil] : guessers
        played = HangmanRound(
            number: number, setter: seat, word: word, draw: drawn,
            boards: boards.map { HangmanBoard(seat: $0, since: time) })
        phase = .guessing
        since = time
        guard isTogether else { return }
        let next = guesser(after: seat)
        played?.boards[0].turn = next
    }

    // MARK: Guesses and answers

    /// Who guesses, lowest first.
    var guessers: [Int] { isAlone ? [0] : attendance.staying.seats.filter { $0 != setter } }

    /// The seats to guess, lowest first.
    private var guessing: [Int] {
        guard let played else { return [] }
        var seats: [Int] = []
        for board in played.boards where canGuess(board) {
            if let seat = board.seat ?? board.turn { seats.append(seat) }
        }
        return seats
    }

    /// When the first board runs out of time.
    private var nextDue: Int? {
        guard let played else { return nil }
        var next: Int?
        for board in played.boards {
            guard let due = due(board) else { continue }
            next = min(next ?? due, due)
        }
        return next
    }

    private func canGuess(_ board: HangmanBoard) -> Bool {
        played?.state(of: board) == .guessing && board.pending == nil && isPlayed(board)
    }

    /// Whether a board has somebody to guess on it.
    private func isPlayed(_ board: HangmanBoard) -> Bool {
        board.seat.map(attendance.staying.contains) ?? true
    }

    /// Refuses a guess of a seat that cannot make one now; else says where its board is.
    func checkMayGuess(_ seat: Int) throws(Refusal) -> Int {
        guard phase != .over else { throw Self.matchEnded }
        try attendance.check(seat)
        guard phase == .guessing, let played else {
            throw Refusal(.illegalMove, "there is no word to guess yet")
        }
        guard isAlone || seat != setter else {
            throw Refusal(.illegalMove, "you set this word; the others guess")
        }
        guard let place = played.boards.firstIndex(where: { $0.seat == nil || $0.seat == seat }) else {
            throw Refusal(.illegalMove, "you have no board in this round; wait for the next word")
        }
        let board = played.boards[place]
        guard played.state(of: board) == .guessing else {
            throw Refusal(.illegalMove, "you are done with this word; wait for the others")
        }
        guard board.pending == nil else {
            throw Refusal(.illegalMove, "wait for the answer to the last guess")
        }
        guard board.seat != nil || board.turn == seat else {
            throw Refusal(.notYourTurn, "it is another player's turn to guess")
        }
        return place
    }

    private mutating func take(_ guess: HangmanMove.Guess, by seat: Int, at time: Int) throws(Refusal) {
        let place = try checkMayGuess(seat)
        guard !isTogether else { throw Refusal(.illegalMove, "on one board guesses are made openly") }
        guard guess.number == (played?.boards[place].count ?? 0) + 1 else {
            throw Refusal(.illegalMove, "guesses are numbered one after the other")
        }
        played?.boards[place].append(commitment: guess.commitment, sealed: guess.sealed, at: time)
    }

    private mutating func take(_ answer: HangmanMove.Answer, by seat: Int, at time: Int) throws(Refusal) {
        guard phase == .guessing, seat == setter, let played else {
            throw Refusal(.illegalMove, "only the setter answers, while others guess")
        }
        guard let place = played.boards.firstIndex(where: { $0.seat == answer.guesser }),
            played.boards[place].pending == answer.number
        else { throw Refusal(.illegalMove, "no such guess waits for an answer") }
        var board = played.boards[place]
        guard (0...played.length).contains(answer.found), (0...played.length).contains(answer.rights),
            answer.isBad == (answer.rights == 0), answer.found - board.found >= answer.rights,
            !answer.isBad || answer.found == board.found
        else { throw Refusal(.illegalMove, "the answer contradicts itself") }
        board.guesses[board.guesses.count - 1].answer = answer
        board.since = time
        board.found = answer.found
        scores[answer.guesser] += board.take(rights: answer.rights)
        self.played?.boards[place] = board
        closeBoards(at: time)
    }

    /// When a board's guesser runs out of time, or the setter's machine with its answer.
    private func due(_ board: HangmanBoard) -> Int? {
        guard played?.state(of: board) == .guessing, isPlayed(board) else { return nil }
        if board.pending != nil {
            return attendance.away.contains(setter)
                ? nil : later(max(board.since, since), by: Self.machineTime)
        }
        guard guessTime > 0, let seat = board.seat ?? board.turn, !attendance.away.contains(seat) else {
            return nil
        }
        return later(board.since, by: guessTime)
    }

    /// Asks for the opening once every guesser here is done and at least one is, so that nobody waits for
    /// those away.
    mutating func closeBoards(at time: Int) {
        guard phase == .guessing, let played else { return }
        let boards = played.boards.filter(isPlayed)
        let undone = boards.filter { played.state(of: $0) == .guessing }
        guard undone.count < boards.count,
            undone.allSatisfy({ $0.seat.map(attendance.away.contains) ?? false })
        else { return }
        phase = .opening
        since = max(since, time)
    }

    // MARK: Time, comings and goings

    private mutating func expire(at time: Int) throws(Refusal) {
        guard let deadline, time >= deadline else { throw Refusal(.illegalMove, "no time has run out") }
        switch phase {
        case .choosing where !attendance.away.contains(setter): beginDraw(at: time)
        case .choosing, .drawing, .drawn: beginRound(at: time)
        case .guessing: expireGuesses(at: time)
        case .opening: failSetter(.noOpening, word: nil, at: time)
        case .over: throw Self.matchEnded
        }
    }

    private mutating func expireGuesses(at time: Int) {
        guard var round = played else { return }
        let late = round.boards.indices.filter { place in due(round.boards[place]).map { $0 <= time } ?? false
        }
        if late.contains(where: { round.boards[$0].pending != nil }) {
            failSetter(.noAnswer, word: nil, at: time)
            return
        }
        for place in late {
            round.boards[place].since = time
            if round.boards[place].seat != nil {
                round.boards[place].lapse()
            } else {
                pass(&round.boards[place])
            }
        }
        played = round
        closeBoards(at: time)
    }

    private mutating func comeBack(_ seat: Int, at time: Int) throws(Refusal) {
        try attendance.comeBack(seat)
        if seat == setter { since = max(since, time) }
        takeTurn(seat, at: time)
        guard let place = played?.boards.firstIndex(where: { $0.seat == seat && $0.pending == nil }) else {
            return
        }
        played?.boards[place].since = time
    }

    private mutating func notePassing(of seat: Int, at time: Int) {
        switch phase {
        case .choosing, .drawing, .drawn:
            if seat == setter || attendance.staying.count < 2 { beginRound(at: time) }
        case .guessing where seat == setter:
            consoleGuessers { $0 == .guessing }
            beginRound(at: time)
        case .opening where seat == setter: beginRound(at: time)
        case .guessing, .opening:
            guard attendance.staying.count >= 2 else {
                beginRound(at: time)
                return
            }
            passTurn(from: seat, at: time)
            closeBoards(at: time)
        case .over: break
        }
    }

    /// The setter is a bot whose new driver does not know its word.
    private mutating func replaceSetter(at time: Int) {
        switch phase {
        case .choosing, .drawing, .over: break
        case .drawn: beginDraw(at: time)
        case .guessing, .opening: notePassing(of: setter, at: time)
        }
    }

    /// Gives each guesser in such a state the points for a setter that vanished.
    private mutating func consoleGuessers(where isMeant: (HangmanRound.State) -> Bool) {
        guard var round = played else { return }
        for place in round.boards.indices where isMeant(round.state(of: round.boards[place])) {
            let meant = round.boards[place].seat.map { [$0] } ?? guessers
            for seat in meant where attendance.staying.contains(seat) {
                round.boards[place].score += Self.pointsForVanished
                scores[seat] += Self.pointsForVanished
            }
        }
        played = round
    }

    // MARK: The end of a round

    /// The setter loses the round, and is named.
    ///
    /// `points` are what each seat's guesses were truly worth, so that false answers give nobody anything and
    /// take nothing away.
    private mutating func failSetter(
        _ fault: HangmanFault, word: String?, points: [Int]? = nil, at time: Int
    ) {
        if let points, var round = played {
            for (seat, worth) in points.enumerated() {
                let change = worth - round.points(of: seat)
                scores[seat] += change
                guard let place = round.boards.firstIndex(where: { $0.seat == nil || $0.seat == seat })
                else { continue }
                round.boards[place].score += change
            }
            played = round
        }
        consoleGuessers { $0 != .solved }
        played?.reveal = (word, fault)
        beginRound(at: time)
    }

    private mutating func finish(_ open: HangmanMove.Open, by seat: Int, at time: Int) throws(Refusal) {
        guard phase == .opening, seat == setter, let round = played else {
            throw Refusal(.illegalMove, "only the setter opens its word, when everybody is done")
        }
        let verdict = HangmanCheck(game: self, round: round).verdict(open)
        if let fault = verdict.fault {
            failSetter(fault, word: open.word, points: verdict.points, at: time)
            return
        }
        let boards = round.boards.filter(isPlayed)
        if round.draw == nil {
            let hanged = boards.filter { round.state(of: $0) == .hanged }.flatMap { board in
                board.seat.map { [$0] } ?? guessers
            }
            scores[setter] += Self.pointsPerHanged * hanged.count { !verdict.unread.contains($0) }
        }
        if isAlone, boards.allSatisfy({ round.state(of: $0) == .solved }) { solvedRounds += 1 }
        played?.reveal = (open.word, nil)
        beginRound(at: time)
    }
}
