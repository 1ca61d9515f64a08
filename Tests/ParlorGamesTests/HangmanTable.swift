@testable import ParlorGames

/// A Hangman table with the machines of all its seats: the test acts, the machines answer and open by
/// themselves.
struct HangmanTable {
    var game: Hangman
    var now = 1_000
    let secrets: [SeatSecrets]
    /// Seats whose machine does nothing by itself.
    var silent: Set<Int> = []

    init(
        seats: Int = 2, players: [Int]? = nil, first: Int = 0, options: [Value.Member] = [],
        words: [String] = ["garden", "tea"]
    ) throws {
        secrets = (0..<seats).map { toySecrets(seat: $0) }
        game = Hangman(
            try setup(
                Hangman.declaration, seats: seats, players: players, first: first, options: options,
                words: words))
    }

    func view(_ seat: Int?) -> Value {
        game.view(for: seat, secrets: seat.map { secrets[$0] }, at: now)
    }

    func board(_ seat: Int, seenBy viewer: Int? = nil) -> Value {
        view(viewer ?? seat)["boards"]?.elements?.first { $0["seat"] == .int(seat) } ?? nil
    }

    func legal(_ seat: Int) -> [Value] { game.legal(for: seat, secrets: secrets[seat], at: now) }

    /// Does what a player does, then all that the machines owe.
    mutating func act(_ action: Value, by seat: Int) throws(Refusal) {
        let move = try game.move(for: action, by: seat, secrets: secrets[seat], at: now)
        try game.apply(.move(seat: seat, move), at: now)
        try work()
    }

    mutating func guess(_ letters: String, by seat: Int) throws(Refusal) {
        for letter in letters { try act(["do": "guess", "letter": .string(String(letter))], by: seat) }
    }

    mutating func word(_ word: String, by seat: Int) throws(Refusal) {
        try act(["do": "word", "word": .string(word)], by: seat)
    }

    /// Lets the machines do what they owe, and opens draws.
    mutating func work() throws(Refusal) {
        var isBusy = true
        while isBusy {
            isBusy = false
            if let need = game.need {
                now = max(now, need.notBefore)
                try game.apply(.opened(opening(need)), at: now)
                isBusy = true
            }
            for seat in secrets.indices where !silent.contains(seat) {
                guard let duty = game.duty(of: seat, secrets: secrets[seat]) else { continue }
                try game.apply(.move(seat: seat, duty), at: now)
                isBusy = true
            }
        }
    }

    func opening(_ need: GameNeed) -> Opening {
        let links = secrets.filter { $0.seat != need.keptBy }.map {
            SeatLink(seat: $0.seat, link: $0.link(3))
        }
        return Opening(draw: 3, choice: nil, links: links, revealAt: now)
    }

    /// Lets time pass until the game's deadline.
    mutating func expire() throws(Refusal) {
        now = max(now, game.deadline ?? now)
        try game.apply(.expired, at: now)
        try work()
    }
}
