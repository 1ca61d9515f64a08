internal import ParlorCrypto
internal import ParlorGames
internal import ParlorProtocol

/// The setup of a match that has no log.
private func setup(
    _ declaration: GameDeclaration, seats: Int, options: [Value.Member] = [], words: WordList = WordList([]),
    match: [UInt8]
) -> GameSetup {
    guard let options = try? GameOptions(declaration, given: options) else {
        preconditionFailure("these options are good")
    }
    return GameSetup(
        match: match, seats: seats, players: Array(0..<seats), first: 0, options: options, words: words,
        chainEnds: Array(repeating: [], count: seats), startedAt: 0, hash: Hash.blake2b256)
}

/// One match of Snap without log, signatures or network.
struct RulesOnlySnap {
    private let seats: Int
    /// The rules themselves.
    ///
    /// A match holds them as `any GameRules`, but to look whether such a value shows a pair took a fifth of
    /// this measurement.
    private var game: Snap
    private var random: SeededGenerator
    private var time = 0
    private var flips = 0
    /// Whether a pair shows since the last flip.
    private var showsPair = false
    /// As a log holds it: see SnapMove.
    private static let flipMove = Datum.list([.int(0)])

    init(seats: Int, seed: UInt64) {
        self.seats = seats
        var random = SeededGenerator(seed: seed)
        game = Snap(setup(Snap.declaration, seats: seats, match: random.bytes(16)))
        self.random = random
    }

    /// Plays to the end; returns the number of events, 0 when it did not end.
    mutating func play() -> Int {
        var events = 0
        var draw = 0
        while game.outcomes == nil, events < 100_000 {
            events += 1
            let waiting = game.waitingCalls
            if !waiting.isEmpty {
                _ = apply(.judged(waiting.map { CallBounds(arrival: $0.time, delay: 100, error: 20) }))
            } else if let need = game.need {
                time = max(time, need.notBefore)
                if need.among != nil { draw += 1 }
                let choice = need.among.map { Int.random(in: 0..<$0, using: &random) }
                let opening = Opening(
                    draw: need.among == nil ? 0 : draw, choice: choice, links: [], revealAt: time + 10)
                guard apply(.opened(opening)) else { return 0 }
                flips += 1
                time += 300
                showsPair = game.showsPair
            } else if showsPair {
                showsPair = false
                call()
                if game.waitingCalls.isEmpty { flip() }
            } else {
                flip()
            }
        }
        return game.outcomes == nil ? 0 : events
    }

    private mutating func flip() {
        guard let seat = game.turn.first else { return }
        _ = apply(.move(seat: seat, Self.flipMove))
    }

    private mutating func call() {
        let seat = Int.random(in: 0..<seats, using: &random)
        _ = apply(.move(seat: seat, .list([.int(1), .int(time), .int(flips)])))
    }

    private mutating func apply(_ event: GameEvent) -> Bool { (try? game.apply(event, at: time)) != nil }
}

/// One match of Hangman without log, signatures or network.
struct RulesOnlyHangman {
    private static let words = WordList([
        "apple", "banana", "cherry", "garden", "orange", "violin", "wizard",
    ])
    private var game: Hangman
    private let secrets: [SeatSecrets]
    private var random: SeededGenerator
    private var time = 0
    private var events = 0

    init(seats: Int, options: [Value.Member], seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        game = Hangman(
            setup(
                Hangman.declaration, seats: seats, options: options, words: Self.words,
                match: random.bytes(16)))
        secrets = (0..<seats).map { Self.secrets(of: $0) }
        self.random = random
    }

    /// Salts are what they are; what is sealed is marked and no more.
    private static func secrets(of seat: Int) -> SeatSecrets {
        let key = [UInt8(truncatingIfNeeded: seat + 1)]
        return SeatSecrets(
            seat: seat,
            derive: { Hash.keyed($0, key: key) },
            seal: { plain, _ in [UInt8](repeating: 0, count: BoxKey.nonceBytes + BoxKey.overheadBytes) + plain
            },
            open: { sealed, _ in Array(sealed.dropFirst(BoxKey.nonceBytes + BoxKey.overheadBytes)) },
            link: { _ in [] })
    }

    /// Plays to the end; returns the number of events, 0 when it did not end.
    mutating func play() -> Int {
        while game.outcomes == nil, events < 100_000 {
            time += 300
            guard let seat = game.turn.randomElement(using: &random), let action = action(of: seat) else {
                return 0
            }
            guard let move = try? game.move(for: action, by: seat, secrets: secrets[seat], at: time) else {
                continue
            }
            guard apply(move, by: seat) else { return 0 }
            while let (owing, move) = duty { guard apply(move, by: owing) else { return 0 } }
        }
        return game.outcomes == nil ? 0 : events
    }

    private mutating func action(of seat: Int) -> Value? {
        switch game.legal(for: seat, secrets: secrets[seat], at: time).first?["do"]?.text {
        case "word":
            return ["do": "word", "word": .string(Self.words.words.randomElement(using: &random) ?? "")]
        case "guess":
            let letter = "abcdefghijklmnopqrstuvwxyz".randomElement(using: &random) ?? "e"
            return ["do": "guess", "letter": .string(String(letter))]
        default: return nil
        }
    }

    private var duty: (seat: Int, move: Datum)? {
        for seat in secrets.indices {
            if let move = game.duty(of: seat, secrets: secrets[seat]) { return (seat, move) }
        }
        return nil
    }

    private mutating func apply(_ move: Datum, by seat: Int) -> Bool {
        events += 1
        return (try? game.apply(.move(seat: seat, move), at: time)) != nil
    }
}
