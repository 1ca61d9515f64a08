import Testing

@testable import ParlorGames

/// Plays one match with legal, illegal and senseless events from random seats at random times.
struct RandomPlay<Game: GameRules> {
    let seed: UInt64
    let seats: Int
    private(set) var game: Game
    private(set) var now = 1_000
    private(set) var accepted = 0
    private(set) var refused = 0
    private var dice: Dice
    private let secrets: [SeatSecrets]
    /// Moves that were made for this match, to be replayed at the wrong moment.
    private var made: [Datum] = []
    private static var actions: [String] {
        let own: [String: [String]] = [
            "tictactoe": ["place", "place", "flip"], "story": ["append", "append", "flip"],
            "lucky": ["press", "press", "flip"],
        ]
        return own[Game.declaration.id] ?? ["snap", "pool", "flip", "guess", "word", "solve"]
    }
    private static var words: [String] { ["tea", "garden", "cup", "über", "o'clock", "straße", "letter"] }

    init(seed: UInt64, options: [Value.Member]) throws {
        self.seed = seed
        dice = Dice(seed: seed)
        let range = Game.declaration.seats
        let seats = range.lowerBound + dice.below(range.count)
        let players = (0..<seats).filter { $0 == 0 || seats <= 2 || $0 < seats - Int(seed % 11) / 10 }
        self.seats = seats
        secrets = (0..<seats).map { toySecrets(seat: $0) }
        game = Game(
            try setup(
                Game.declaration, seats: seats, players: players, first: players[dice.below(players.count)],
                options: options, words: Self.words))
    }

    /// Plays to the end: some random steps, then whatever brings the match on.
    mutating func play(randomSteps: Int, check: (Game) -> String?) -> String? {
        var steps = 0
        while game.outcomes == nil {
            steps += 1
            guard steps < 20_000 else { return "no end" }
            now += dice.chance(1, in: 4) ? dice.below(900) : dice.below(40)
            if steps < randomSteps, dice.chance(1, in: 2) { disturb() } else { advance() }
            if let broken = broken ?? (steps % 16 == 0 ? check(game) : nil) { return broken }
        }
        guard game.outcomes?.count == seats, game.turn.isEmpty, game.need == nil, game.deadline == nil else {
            return "an end with something to do"
        }
        for _ in 0..<4 {
            let count = accepted
            disturb()
            if accepted > count { return "an event after the end" }
        }
        return broken
    }

    private(set) var broken: String?

    private mutating func feed(_ event: GameEvent, at time: Int) {
        guard time == now else { return tryOut(event, at: time) }
        let before = dice.chance(1, in: 8) ? bytes(game) : nil
        do {
            try game.apply(event, at: time)
            accepted += 1
        } catch {
            refused += 1
            // A sentence, not a word.
            if error.message.count(where: { $0 == " " }) < 2 || error.message.count > 200 {
                broken = "\(event) was refused with '\(error.message)'"
            }
            if let before, bytes(game) != before { broken = "\(event) was refused and changed the state" }
            return
        }
        guard dice.chance(9, in: 10) else { return }
        work()
    }

    /// Feeds an event with a senseless time to a copy, which must take whatever follows.
    private func tryOut(_ event: GameEvent, at time: Int) {
        var copy = game
        try? copy.apply(event, at: time)
        for seat in 0..<seats {
            guard let duty = copy.duty(of: seat, secrets: secrets[seat]) else { continue }
            try? copy.apply(.move(seat: seat, duty), at: time)
        }
        let bounds = copy.waitingCalls.map { CallBounds(arrival: $0.time, delay: 100, error: 100) }
        for event in [
            GameEvent.judged(bounds), .expired, .away(seat: 0), .back(seat: 0), .left(seat: 0),
        ] {
            try? copy.apply(event, at: copy.deadline ?? copy.need?.notBefore ?? time)
            _ = copy.view(for: nil, secrets: nil, at: time)
        }
    }

    private mutating func work() {
        for seat in 0..<seats {
            guard let duty = game.duty(of: seat, secrets: secrets[seat]) else { continue }
            made.append(duty)
            do { try game.apply(.move(seat: seat, duty), at: now) } catch {
                broken = "a duty was refused: \(error.message)"
            }
            if game.duty(of: seat, secrets: secrets[seat]) == duty { broken = "a duty is owed twice" }
            accepted += 1
        }
    }

    private mutating func advance() {
        let waiting = game.waitingCalls
        if !waiting.isEmpty, dice.chance(2, in: 3) {
            feed(.judged(waiting.map { bounds($0) }), at: now)
        } else if let need = game.need {
            now = max(now, need.notBefore)
            feed(.opened(opening(need)), at: now)
        } else if let seat = game.turn.randomElement(using: &dice), dice.chance(19, in: 20) {
            act(fill(game.legal(for: seat, secrets: secrets[seat], at: now).first ?? nil), by: seat)
        } else if let deadline = game.deadline, dice.chance(1, in: 2) {
            now = max(now, deadline)
            feed(.expired, at: now)
        } else {
            feed(.back(seat: dice.below(seats)), at: now)
            work()
        }
    }

    private mutating func bounds(_ call: WaitingCall) -> CallBounds {
        let error = dice.below(120)
        return CallBounds(
            arrival: max(0, call.time - dice.below(60)), delay: dice.below(201 - error), error: error)
    }

    private func opening(_ need: GameNeed) -> Opening {
        var copy = dice
        let links = secrets.filter { $0.seat != need.keptBy }.map {
            SeatLink(seat: $0.seat, link: $0.link(9))
        }
        let choice = need.keptBy == nil ? need.among.map { copy.below($0) } : nil
        return Opening(draw: 9, choice: choice, links: links, revealAt: now + copy.below(160))
    }

    private mutating func act(_ action: Value, by seat: Int) {
        let move: Datum
        do throws(Refusal) {
            move = try game.move(
                for: action, by: seat, secrets: secrets[min(max(seat, 0), seats - 1)], at: now)
        } catch {
            refused += 1
            if error.message.isEmpty || error.message.count > 200 { broken = "\(action): no reason" }
            return
        }
        made.append(move)
        feed(.move(seat: seat, move), at: now)
    }

    private mutating func fill(_ template: Value) -> Value {
        let letter = String(Character(Unicode.Scalar(UInt8(97 + dice.below(26)))))
        switch template["do"]?.text {
        case "guess" where dice.chance(1, in: 8):
            return ["do": "solve", "word": .string(Self.words[dice.below(Self.words.count)])]
        case "solve": return ["do": "solve", "word": .string(Self.words[dice.below(Self.words.count)])]
        case "guess": return ["do": "guess", "letter": .string(letter)]
        case "word": return ["do": "word", "word": .string(Self.words[dice.below(Self.words.count)])]
        case "append":
            let text = (0..<1 + dice.below(255)).map { _ in ["a", "é ", "🦉", "\u{301}"][dice.below(4)] }
            return ["do": "append", "text": .string(text.joined())]
        case "place": return ["do": "place", "cell": .int(1 + dice.below(9))]
        case "press": return ["do": "press", "button": .int(1 + dice.below(4))]
        default: return template
        }
    }

    private mutating func disturb() {
        let seat = dice.chance(1, in: 10) ? number() : dice.below(seats)
        let time = dice.chance(1, in: 20) ? number() : now
        switch dice.below(13) {
        case 0, 1:
            act(fill(["do": .string(Self.actions[dice.below(Self.actions.count)])]), by: seat)
        case 2: feed(.move(seat: seat, garbage(depth: 3)), at: time)
        case 3, 4:
            feed(.move(seat: seat, .list([.int(dice.below(6)), .int(number()), .int(number())])), at: time)
        case 5: feed(.move(seat: seat, made.randomElement(using: &dice) ?? .none), at: now)
        case 6: feed(.move(seat: seat, damaged(made.randomElement(using: &dice) ?? .none)), at: now)
        case 7: feed(.away(seat: seat), at: now)
        case 8: feed(.back(seat: seat), at: now)
        case 9: feed(dice.chance(1, in: 12) ? .left(seat: seat) : .expired, at: now)
        case 10:
            let bounds = (0..<dice.below(5)).map { _ in
                CallBounds(arrival: number(), delay: number(), error: number())
            }
            feed(.judged(bounds), at: time)
        case 11:
            let draw = number()
            let choice = dice.chance(1, in: 3) ? nil : number()
            feed(.opened(Opening(draw: draw, choice: choice, links: [], revealAt: number())), at: now)
        default:
            _ = game.view(for: seat, secrets: nil, at: time)
            _ = game.legal(for: seat, secrets: nil, at: time)
            _ = game.view(for: min(max(seat, 0), seats - 1), secrets: secrets[dice.below(seats)], at: now)
        }
    }

    private mutating func number() -> Int {
        [Int.min, -1, 0, 1, 2, 3, 4, 51, 255, 256, now, Int.max - 3, Int.max][dice.below(13)]
    }

    private mutating func garbage(depth: Int) -> Datum {
        switch dice.below(depth > 0 ? 7 : 5) {
        case 0: .none
        case 1: .bool(dice.chance(1, in: 2))
        case 2: .int(number())
        case 3:
            .bytes(Array(repeating: UInt8(dice.below(256)), count: [0, 16, 32, 33, 3_000][dice.below(5)]))
        case 4:
            .text(
                ["", "a", "-", "garden", "e\u{301}\u{301}", String(repeating: "z", count: 300)][dice.below(6)]
            )
        default: .list((0..<dice.below(9)).map { _ in garbage(depth: depth - 1) })
        }
    }

    /// A move with one of its parts replaced.
    private mutating func damaged(_ datum: Datum) -> Datum {
        guard var parts = datum.elements, !parts.isEmpty else { return garbage(depth: 2) }
        let place = dice.below(parts.count)
        parts[place] = dice.chance(1, in: 2) ? damaged(parts[place]) : garbage(depth: 1)
        return .list(parts)
    }
}
