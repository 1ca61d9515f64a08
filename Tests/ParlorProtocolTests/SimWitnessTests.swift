import ParlorProtocol
import ParlorSim
import Testing

/// Each thing that must hold can be seen not to.
struct SimWitnessTests {
    private func found(_ witness: SimWitness) -> [SimWitness.Invariant] {
        witness.violations.map(\.invariant)
    }

    private func end(
        _ seat: Int, _ count: Int, _ head: [UInt8] = [1], isOver: Bool = true, isAlone: Bool = false,
        left: [Int] = [], reaches: Set<Int> = []
    ) -> SimWitness.End {
        SimWitness.End(
            seat: seat, count: count, head: head, isOver: isOver, isAlone: isAlone, left: left,
            reaches: reaches)
    }

    @Test func `a good history has nothing wrong`() {
        var witness = SimWitness(liars: [2])
        for seat in 0...1 {
            witness.shown([0], at: 0, by: seat)
            witness.state([7], after: 1, head: [1], of: seat)
            witness.pack(isWhole: true, seenBy: seat)
            witness.turn([1], gone: [3], most: 1, seenBy: seat)
        }
        witness.asked(RequestID(rawValue: 1), by: 0)
        witness.answered(RequestID(rawValue: 1), index: 0)
        witness.lied(2)
        witness.named(2, by: 0, "wrong-link")
        witness.said("away", of: 1, isExcused: true)
        witness.finish([end(0, 1), end(1, 1), end(2, 9, isOver: false)])
        #expect(witness.violations.isEmpty)
    }

    @Test func `two entries in one place are seen`() {
        var witness = SimWitness()
        witness.shown([0], at: 0, by: 0)
        witness.shown([1], at: 0, by: 1)
        #expect(found(witness) == [.agreement])
    }

    @Test func `two logs that a sequencer made of one are seen unless somebody names it`() {
        var witness = SimWitness(liars: [0], mayFork: true)
        witness.shown([0], at: 0, by: 1)
        witness.shown([1], at: 0, by: 2)
        #expect(witness.violations.isEmpty)
        var other = witness
        witness.finish([end(1, 1), end(2, 1)])
        #expect(found(witness) == [.gain])
        other.named(0, by: 2, "two-entries")
        var apart = other
        other.finish([end(1, 1), end(2, 1)])
        #expect(other.violations.isEmpty)
        apart.finish([end(1, 1), end(2, 1, [2])])
        #expect(found(apart) == [.end])
    }

    @Test func `two logs with as many entries may have two states`() {
        var witness = SimWitness(liars: [0], mayFork: true)
        witness.state([0], after: 4, head: [4], of: 1)
        witness.state([1], after: 4, head: [5], of: 2)
        #expect(witness.violations.isEmpty)
    }

    @Test func `an entry after a hole is seen`() {
        var witness = SimWitness()
        witness.shown([0], at: 1, by: 0)
        #expect(found(witness) == [.agreement])
    }

    @Test func `two states after one log are seen`() {
        var witness = SimWitness()
        witness.state([0], after: 4, head: [4], of: 0)
        witness.state([1], after: 4, head: [4], of: 1)
        #expect(found(witness) == [.state])
    }

    @Test func `a missing card is seen`() {
        var witness = SimWitness()
        witness.pack(isWhole: false, seenBy: 0)
        #expect(found(witness) == [.pack])
    }

    @Test func `two holders of the turn are seen, and one that has left`() {
        var witness = SimWitness()
        witness.turn([0, 1], gone: [], most: 1, seenBy: 0)
        witness.turn([1], gone: [1], most: 1, seenBy: 0)
        #expect(found(witness) == [.turn, .turn])
    }

    @Test func `a match that does not end is seen`() {
        var witness = SimWitness()
        witness.finish([end(0, 0, isOver: false)])
        #expect(found(witness) == [.end])
    }

    @Test func `different ends are seen, and an end alone beside others`() {
        var witness = SimWitness()
        witness.shown([0], at: 0, by: 0)
        witness.finish([end(0, 1, [0]), end(1, 1, [1]), end(2, 1, isAlone: true, reaches: [0])])
        #expect(found(witness) == [.end, .end])
    }

    @Test func `an end alone out of reach is nobody's business`() {
        var witness = SimWitness()
        witness.shown([0], at: 0, by: 0)
        witness.finish([end(0, 1), end(1, 3, isAlone: true)])
        #expect(witness.violations.isEmpty)
    }

    @Test func `an accused honest seat is seen, and a word about one that does its part`() {
        var witness = SimWitness(liars: [2])
        witness.named(1, by: 0, "clock")
        witness.said("withheld", of: 1, isExcused: false)
        witness.said("withheld", of: 2, isExcused: false)
        witness.named(1, by: 2, "what liars say does not count")
        #expect(found(witness) == [.blame, .blame])
    }

    @Test func `an entry that is lost after it was acknowledged is seen`() {
        var witness = SimWitness()
        witness.shown([0], at: 0, by: 0)
        witness.shown([1], at: 1, by: 0)
        witness.asked(RequestID(rawValue: 1), by: 0)
        witness.answered(RequestID(rawValue: 1), index: 1)
        witness.finish([end(1, 1)])
        #expect(found(witness) == [.acknowledged, .acknowledged])
    }

    @Test func `an answer about an entry that nobody has shown is seen`() {
        var witness = SimWitness()
        witness.asked(RequestID(rawValue: 1), by: 0)
        witness.answered(RequestID(rawValue: 1), index: 0)
        #expect(found(witness) == [.acknowledged])
    }

    @Test func `what a liar made up is seen in an honest log`() {
        var witness = SimWitness(liars: [1])
        witness.invented([9])
        witness.shown([9], at: 0, by: 1)
        #expect(witness.violations.isEmpty)
        witness.shown([9], at: 0, by: 0)
        #expect(found(witness) == [.gain])
    }

    @Test func `a liar that nobody names is seen, unless it is out`() {
        var witness = SimWitness(liars: [1])
        witness.now = second(5)
        witness.lied(1)
        var late = witness
        late.now = second(5) + (SimWitness.findingOut - .milliseconds(1))
        late.shown([9], at: 0, by: 0)
        late.finish([end(0, 1)])
        #expect(late.violations.isEmpty, "nobody had the time to say so")
        witness.now = second(5) + SimWitness.findingOut
        witness.shown([9], at: 0, by: 0)
        var other = witness
        witness.finish([end(0, 1)])
        #expect(found(witness) == [.gain])
        other.finish([end(0, 1, left: [1])])
        #expect(other.violations.isEmpty)
    }

    @Test func `answers that are late, missing or given twice are seen`() {
        var witness = SimWitness()
        witness.asked(RequestID(rawValue: 1), by: 0)
        witness.asked(RequestID(rawValue: 2), by: 0)
        witness.asked(RequestID(rawValue: 3), by: 1)
        witness.now = Tick(nanoseconds: 0) + SimWitness.answerMax + .milliseconds(1)
        witness.answered(RequestID(rawValue: 1), index: nil)
        witness.answered(RequestID(rawValue: 1), index: nil)
        witness.forgotten(by: 1)
        witness.finish([])
        #expect(found(witness) == [.answer, .answer, .answer])
    }
}
