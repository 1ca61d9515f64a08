internal import ParlorSim

/// What came of some matches.
struct Tally: Sendable {
    /// A match in which something did not hold.
    struct Failure: Sendable {
        let seed: UInt64
        let word: String
        let violation: SimWitness.Violation
    }

    private(set) var matches = 0
    private(set) var entries = 0
    private(set) var byWord: [String: Int] = [:]
    private(set) var failed = 0
    /// The first failures.
    private(set) var failures: [Failure] = []

    private static let failuresMax = 20

    mutating func add(_ match: SimMatch) {
        matches += 1
        entries += match.witness.log.count
        byWord[match.script.word, default: 0] += 1
        guard let violation = match.witness.violations.first else { return }
        failed += 1
        keep([Failure(seed: match.script.seed, word: match.script.word, violation: violation)])
    }

    mutating func add(_ other: Tally) {
        matches += other.matches
        entries += other.entries
        byWord.merge(other.byWord, uniquingKeysWith: +)
        failed += other.failed
        keep(other.failures)
    }

    private mutating func keep(_ more: [Failure]) {
        failures = Array((failures + more).sorted { $0.seed < $1.seed }.prefix(Self.failuresMax))
    }
}
