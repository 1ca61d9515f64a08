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
    bytes.withUnsafeBytes { bytes in
        var place = 0
        while place < bytes.count {
            state = (state ^ UInt64(bytes[place])) &* 0x100_0000_01B3
            place += 1
        }
    }
    var dice = Dice(seed: state)
    let words = SIMD4<UInt64>(dice.next(), dice.next(), dice.next(), dice.next())
    return withUnsafeBytes(of: words) { Array($0) }
}

/// Each seat's hash chain, from its first element on.
private let toyChains: [[[UInt8]]] = (UInt8(0)..<4).map { seat in
    var chain = [toyHash([7, seat, 1])]
    for _ in 0..<Chance.chainLinks { chain.append(Chance.next(chain[chain.count - 1], hash: toyHash)) }
    return chain
}

/// Secrets whose seal is readable by nobody but the seat it names, in a world where nobody cheats.
func toySecrets(seat: Int) -> SeatSecrets {
    let start = toyHash([7, UInt8(truncatingIfNeeded: seat), 1])
    return SeatSecrets(
        seat: seat,
        derive: { label in toyHash(start + label) },
        seal: { plain, to in [0xEE, UInt8(truncatingIfNeeded: seat), UInt8(truncatingIfNeeded: to)] + plain },
        open: { sealed, from in
            let header: [UInt8] = [0xEE, UInt8(truncatingIfNeeded: from), UInt8(truncatingIfNeeded: seat)]
            return sealed.starts(with: header) ? Array(sealed.dropFirst(3)) : nil
        },
        link: { draw in toyChains[seat][Chance.chainLinks - draw] })
}

func setup(
    _ declaration: GameDeclaration, seats: Int = 2, players: [Int]? = nil, first: Int = 0,
    options: [Value.Member] = [], words: [String] = ["garden", "tea"]
) throws -> GameSetup {
    GameSetup(
        match: [UInt8](repeating: 7, count: 16), seats: seats, players: players ?? Array(0..<seats),
        first: first, options: try GameOptions(declaration, given: options), words: WordList(words),
        chainEnds: toyChains.prefix(seats).compactMap(\.last),
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
