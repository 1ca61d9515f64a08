import Foundation
import ParlorCrypto
import ParlorGames
import ParlorSim
import Testing

@testable import ParlorProtocol

/// How far counts may lie from what is expected, by the size of the sample.
///
/// All seeds are fixed, so these tests give the same answer for ever; the bounds say how surprising an answer
/// would have been.
enum Fairness {
    /// How many standard deviations count as a surprise: 4.5 is exceeded once in 300,000 samples.
    static let deviations = 4.5

    /// The most that a count may differ from `tries / among`, a binomial distribution's standard deviation
    /// being the root of `tries · p · (1 - p)`.
    static func slack(tries: Int, among: Int) -> Double {
        let p = 1 / Double(among)
        return deviations * (Double(tries) * p * (1 - p)).squareRoot()
    }

    /// Whether each count is as near to the same as the sample allows.
    static func isEven(_ counts: [Int]) -> Bool {
        let tries = counts.reduce(0, +)
        let slack = slack(tries: tries, among: counts.count)
        return counts.allSatisfy { abs(Double($0) - Double(tries) / Double(counts.count)) <= slack }
    }

    /// Whether the sum over all bins of (count - expected)² / expected is what uniform counts give.
    ///
    /// With at least 10 expected in each bin the sum follows the chi-square distribution of `bins - 1`
    /// degrees of freedom k, whose cube root over k is nearly normal with mean 1 - 2/9k and variance 2/9k
    /// (Wilson and Hilferty). Too small a sum is as suspicious as too large a one.
    static func isUniform(_ counts: [Int]) -> Bool {
        let tries = counts.reduce(0, +)
        let expected = Double(tries) / Double(counts.count)
        precondition(expected >= 10, "\(tries) tries are too few for \(counts.count) bins")
        let sum = counts.reduce(0) { $0 + (Double($1) - expected) * (Double($1) - expected) / expected }
        let freedom = Double(counts.count - 1)
        let variance = 2 / (9 * freedom)
        return abs((cbrt(sum / freedom) - (1 - variance)) / variance.squareRoot()) <= deviations
    }
}

/// Draw and chance are uniform, within what the size of the sample allows.
struct ChanceStatisticsTests {
    @Test func `the measure itself finds what is not uniform`() {
        var random = SeededGenerator(seed: 1)
        var fair = Array(repeating: 0, count: 1_000)
        var loaded = fair
        var modulo = fair
        for _ in 0..<20_000 {
            fair[Int.random(in: 0..<1_000, using: &random)] += 1
            // One number in ten comes half again as often as it should.
            let isLoaded = Int.random(in: 0..<20, using: &random) == 0
            loaded[Int.random(in: 0..<(isLoaded ? 100 : 1_000), using: &random)] += 1
            // What remains of 10 bits by 1000.
            modulo[Int.random(in: 0..<1_024, using: &random) % 1_000] += 1
        }
        #expect(Fairness.isUniform(fair))
        #expect(!Fairness.isUniform(loaded) && !Fairness.isUniform(modulo))
        #expect(!Fairness.isUniform(Array(repeating: 20, count: 1_000)), "too even to be chance")
        #expect(Fairness.isEven([5_000, 5_100]) && !Fairness.isEven([5_000, 5_500]))
    }

    @Test func `each of the draw's 1000 numbers comes as often as any other`() {
        var random = SeededGenerator(seed: 2)
        var counts = Array(repeating: 0, count: Draw.numbers)
        for _ in 0..<25_000 {
            let nonces = [random.bytes(32), random.bytes(32)]
            for seat in 0..<2 {
                counts[Draw.number(match: matchID, round: 0, seat: seat, nonces: nonces)] += 1
            }
        }
        #expect(Fairness.isUniform(counts))
    }

    @Test(arguments: 2...4)
    func `each seat goes first as often as any other`(seats: Int) throws {
        var random = SeededGenerator(seed: UInt64(seats))
        var counts = Array(repeating: 0, count: seats)
        for _ in 0..<2_000 {
            var draw = Draw(seats: Array(0..<seats), at: 0)
            while draw.first == nil {
                let (round, drawing) = (draw.round, draw.seats)
                let nonces = drawing.map { _ in random.bytes(32) }
                for (seat, nonce) in zip(drawing, nonces) {
                    let commitment = Draw.commitment(match: matchID, round: round, seat: seat, nonce: nonce)
                    try draw.commit(commitment, round: round, seat: seat, at: 0)
                }
                for (seat, nonce) in zip(drawing, nonces) {
                    let isTrue = try draw.reveal(nonce, round: round, seat: seat, match: matchID, at: 0)
                    #expect(isTrue)
                }
            }
            counts[try #require(draw.first)] += 1
        }
        #expect(Fairness.isEven(counts), "\(counts)")
    }

    // MARK: Choices

    @Test(arguments: [2, 3, 7, 52, 365])
    func `each choice among n comes as often as any other`(among: Int) {
        var random = SeededGenerator(seed: UInt64(among))
        var counts = Array(repeating: 0, count: among)
        for draw in 1...max(2_000, 20 * among) {
            let links = (0..<2).map { SeatLink(seat: $0, link: random.bytes(32)) }
            counts[
                Chance.choose(
                    among: among, match: matchID.bytes, draw: draw, links: links, hash: Hash.blake2b256)] += 1
        }
        #expect(Fairness.isEven(counts) && (among < 7 || Fairness.isUniform(counts)), "\(counts)")
    }

    @Test func `a choice is made by rejection, so that no number is favoured`() {
        // 2^64 is two and two thirds times this: the remainder of a random number would be in the first two
        // thirds six times in eight, where it should be four times in six.
        let among = 3 << 61
        var random = SeededGenerator(seed: 9)
        var chosen = [0, 0, 0]
        var remainders = [0, 0, 0]
        for draw in 1...3_000 {
            let links = [SeatLink(seat: 0, link: random.bytes(32))]
            let choice = Chance.choose(
                among: among, match: matchID.bytes, draw: draw, links: links, hash: Hash.blake2b256)
            chosen[choice / (1 << 61)] += 1
            remainders[Int(random.next() % UInt64(among)) / (1 << 61)] += 1
        }
        #expect(Fairness.isEven(chosen), "\(chosen)")
        #expect(!Fairness.isEven(remainders), "the sample is too small to tell the difference")
    }

    @Test(arguments: [3, 1_000, 9_474, 3 << 61])
    func `the first number below the last whole run is taken`(among: Int) {
        func bytes(_ number: UInt64) -> [UInt8] {
            stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: number >> $0) }
        }
        let runs = (UInt64.max - UInt64(among - 1)) / UInt64(among) + 1  // whole runs below 2^64
        let (end, isAll) = runs.multipliedReportingOverflow(by: UInt64(among))
        #expect(!isAll, "these do not divide 2^64")
        for (first, expected) in [(end - 1, among - 1), (0, 0), (end, 1), (.max, 1)] {
            var attempts: [UInt8] = []
            let choice = Chance.uniform(among: among) { attempt in
                attempts.append(attempt)
                return bytes(attempt == 0 ? first : 1)
            }
            #expect(choice == expected)
            #expect(attempts == (first < end ? [0] : [0, 1]))
        }
    }

    // MARK: Cards

    @Test func `each card of Snap is as likely at each place`() throws {
        let declaration = try #require(Catalog.rules("snap")).declaration
        var random = SeededGenerator(seed: 12)
        // By place, how often each card was turned there; first, second, in the middle, second to last, last.
        let places = [0, 1, 25, 50, 51]
        var counts = Dictionary(uniqueKeysWithValues: places.map { ($0, [String: Int]()) })
        for _ in 0..<(52 * 12) {
            var game = Snap(
                GameSetup(
                    match: matchID.bytes, seats: 2, players: [0, 1], first: 0,
                    options: try GameOptions(declaration), words: WordList([]), chainEnds: [[], []],
                    startedAt: 0, hash: Hash.blake2b256))
            var (time, draw) = (0, 0)
            var seen: Set<String> = []
            for place in 0..<52 {
                let seat = try #require(game.turn.first)
                try game.apply(.move(seat: seat, .list([.int(0)])), at: time)
                let need = try #require(game.need)
                time = max(time, need.notBefore)
                var opening = Opening(draw: 0, choice: nil, links: [], revealAt: time)
                if let among = need.among {
                    draw += 1
                    let links = (0..<2).map { SeatLink(seat: $0, link: random.bytes(32)) }
                    let choice = Chance.choose(
                        among: among, match: matchID.bytes, draw: draw, links: links, hash: Hash.blake2b256)
                    opening = Opening(draw: draw, choice: choice, links: links, revealAt: time)
                }
                try game.apply(.opened(opening), at: time)
                let view = game.view(for: nil, secrets: nil, at: time)
                let card = try #require(view["seats"]?.elements?[seat]["top"]?.text)
                #expect(seen.insert(card).inserted, "\(card) twice")
                counts[place]?[card, default: 0] += 1
            }
        }
        for place in places {
            let found = try #require(counts[place])
            #expect(found.count == 52)
            #expect(Fairness.isUniform(Array(found.values)), "place \(place)")
        }
    }
}
