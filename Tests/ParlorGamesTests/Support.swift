import ParlorGames

/// A generator with a seed, so that a failure can be played again.
struct Dice: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }
    mutating func chance(_ parts: Int, in whole: Int) -> Bool { below(whole) < parts }
}

/// A stand-in for the product's hash, quick and not secure: 32 bytes that differ where the input does.
@Sendable func toyHash(_ bytes: [UInt8]) -> [UInt8] {
    var state: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in bytes { state = (state ^ UInt64(byte)) &* 0x100_0000_01B3 }
    var dice = Dice(seed: state)
    return (0..<4).flatMap { _ in
        let word = dice.next()
        return (0..<8).map { UInt8(truncatingIfNeeded: word >> (8 * $0)) }
    }
}

/// Secrets whose seal is readable by nobody but the seat it names, in a world where nobody cheats.
func toySecrets(seat: Int, match: UInt8 = 7) -> SeatSecrets {
    let start = toyHash([match, UInt8(truncatingIfNeeded: seat), 1])
    return SeatSecrets(
        seat: seat,
        derive: { label in toyHash(start + label) },
        seal: { plain, to in [0xEE, UInt8(truncatingIfNeeded: seat), UInt8(truncatingIfNeeded: to)] + plain },
        open: { sealed, from in
            let header: [UInt8] = [0xEE, UInt8(truncatingIfNeeded: from), UInt8(truncatingIfNeeded: seat)]
            return sealed.starts(with: header) ? Array(sealed.dropFirst(3)) : nil
        },
        link: { draw in Chance.element(Chance.chainLinks - draw, from: start, hash: toyHash) })
}

func setup(
    _ declaration: GameDeclaration, seats: Int = 2, players: [Int]? = nil, first: Int = 0,
    options: [Value.Member] = [], words: [String] = ["garden", "tea"]
) throws -> GameSetup {
    GameSetup(
        match: [UInt8](repeating: 7, count: 16), seats: seats, players: players ?? Array(0..<seats),
        first: first, options: try GameOptions(declaration, given: options), words: WordList(words),
        chainEnds: (0..<seats).map { seat in
            Chance.element(Chance.chainLinks, from: toyHash([7, UInt8(seat), 1]), hash: toyHash)
        },
        startedAt: 1_000, hash: toyHash)
}

func bytes(_ game: any GameRules) -> [UInt8] {
    var bytes = StateBytes()
    game.encode(into: &bytes)
    return bytes.bytes
}

/// Why something is refused; `nil` when it is not.
func refusal(_ body: () throws(Refusal) -> Void) -> Refusal.Reason? {
    do { try body() } catch { return error.reason }
    return nil
}
