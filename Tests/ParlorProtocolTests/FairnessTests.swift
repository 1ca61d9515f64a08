import ParlorProtocol
import ParlorSim
import Testing

/// Who wins a pair, whatever the links are like.
///
/// Longer, with 45 to 55 %: `parlor-sim --fairness 2000`.
struct FairnessTests {
    /// With so many pairs, half and half come out within this but for one time in a thousand or so.
    private static let pairs = 40
    private static let share = 24.0...76.0

    @Test(arguments: FairCase.distances.indices)
    func `equal reactions win alike, near or far, host or not`(index: Int) {
        let one = FairCase.distances[index]
        let tally = one.play(pairs: Self.pairs, seed: 11)
        #expect(tally.pairs == Self.pairs)
        #expect(
            Self.share.contains(tally.share(of: one.pair.one, against: one.pair.other)),
            "\(one.name): \(tally)")
        // What a press counts as is what it was, but for what the clocks do not know.
        let far = [0, 1, 2].map { abs(tally.meanGain(of: $0)) }.max() ?? 0
        #expect(far <= 12, "\(one.name): \(tally)")
    }

    @Test(arguments: FairCase.lies.indices)
    func `whoever lies about its press gains the error of its clock, and what jitter hides`(index: Int) {
        let one = FairCase.lies[index]
        let liar = one.pair.one
        let tally = one.play(pairs: 12, seed: 5)
        let chair = one.chairs[liar]
        // Half of the jitter there and half of it back may be in a sample of the offset as well.
        let hidden = 2 * Int(chair.jitter.nanoseconds / 1_000_000)
        #expect(tally.calls[liar] > 0)
        #expect(tally.mostGain[liar] <= tally.error[liar] + hidden + 2, "\(one.name): \(tally)")
        if chair.lie == 0 { #expect(tally.mostGain[liar] <= hidden + 2, "\(one.name): \(tally)") }
    }

    @Test func `a bot is the faster the higher its level`() {
        let shares = FairCase.bots.map { one in
            one.play(pairs: 40, seed: 1).share(of: one.pair.one, against: one.pair.other)
        }
        #expect(shares[0] < shares[1] && shares[1] < shares[2], "\(shares)")
        #expect(shares[0] < 20 && shares[2] > 20 && shares[2] < 50, "\(shares)")
    }

    @Test func `reactions are those of the distribution`() {
        var random = SeededGenerator(seed: 9)
        let drawn = (0..<20_000).compactMap { _ in Reaction.person.draw(&random)?.nanoseconds }.sorted()
        #expect(drawn.count == 20_000)
        #expect((395...405).contains(drawn[10_000] / 1_000_000))
        // One standard deviation to either side: 400 / e^0.25 and 400 x e^0.25.
        #expect((306...317).contains(drawn[3_173] / 1_000_000))
        #expect((505...522).contains(drawn[16_827] / 1_000_000))
        #expect(Reaction.never.draw(&random) == nil)
    }
}
