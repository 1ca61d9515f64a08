internal import ParlorProtocol

/// One line of the table of fairness: who sits how far away, and what may come of it.
public struct FairCase: Sendable {
    /// What is compared.
    public let name: String
    /// The seats; 0 hosts.
    public let chairs: [FairTable.Chair]
    /// The two seats that are compared.
    public let pair: (one: Int, other: Int)
    /// What the first of them may win of the pairs that one of the two wins, in per cent; `nil`: anything.
    public let share: ClosedRange<Double>?

    private static func chair(
        _ delay: Int, jitter: Int = 0, _ player: Reaction = .never, lie: Int = 0
    ) -> FairTable.Chair {
        FairTable.Chair(delayMs: delay, jitterMs: jitter, player: player, lieMs: lie)
    }

    private static let even = 45.0...55.0

    /// Equal reactions over links that are not: each must win half.
    public static let distances: [FairCase] = [
        FairCase(
            name: "1 ms against 100 ms, a third hosts",
            chairs: [chair(0), chair(1, .person), chair(100, .person), chair(1)], pair: (1, 2), share: even),
        FairCase(
            name: "1 ms against 100 ms, the near one hosts",
            chairs: [chair(1, .person), chair(100, .person), chair(1), chair(1)], pair: (0, 1), share: even),
        // With two seats the host is a quorum by itself; with more it would see the card after the others, as
        // no card is held back for the 200 ms that it needs.
        FairCase(
            name: "1 ms against 100 ms, the far one hosts for two",
            chairs: [chair(100, .person), chair(1, .person)], pair: (1, 0), share: even),
        FairCase(
            name: "5 ms against 40 ms with jitter, a third hosts",
            chairs: [
                chair(0), chair(5, jitter: 3, .person), chair(40, jitter: 20, .person), chair(1),
            ], pair: (1, 2), share: even),
        FairCase(
            name: "5 ms against 40 ms with jitter, the near one hosts",
            chairs: [
                chair(5, jitter: 3, .person), chair(40, jitter: 20, .person), chair(1), chair(1),
            ], pair: (0, 1), share: even),
        FairCase(
            name: "5 ms against 40 ms with jitter, the far one hosts",
            chairs: [
                chair(40, jitter: 20, .person), chair(5, jitter: 3, .person), chair(1), chair(1),
            ], pair: (1, 0), share: even),
    ]

    /// One that says it pressed half a second sooner, and one just like it that does not.
    public static let lies: [FairCase] = [0, 500].flatMap { lie in
        let who = lie == 0 ? "honest" : "lies by \(lie) ms"
        return [
            FairCase(
                name: "both 5 ms, the second \(who)",
                chairs: [chair(0), chair(5, .person), chair(5, .person, lie: lie), chair(1)], pair: (2, 1),
                share: nil),
            FairCase(
                name: "both 5 ms with jitter, the second \(who)",
                chairs: [
                    chair(0), chair(5, jitter: 5, .person), chair(5, jitter: 5, .person, lie: lie), chair(1),
                ], pair: (2, 1), share: nil),
            FairCase(
                name: "1 ms against 40 ms, the second \(who)",
                chairs: [chair(0), chair(1, .person), chair(40, .person, lie: lie), chair(1)], pair: (2, 1),
                share: nil),
        ]
    }

    /// The bots of the host against a person 5 ms away.
    public static let bots: [FairCase] = [
        ("easy", Reaction.easyBot), ("normal", .normalBot), ("hard", .hardBot),
    ].map { level, bot in
        FairCase(
            name: "\(level) bot against a person",
            chairs: [chair(0, bot), chair(5, jitter: 3, .person), chair(1), chair(1)], pair: (0, 1),
            share: nil)
    }

    /// Plays until so many pairs were called.
    public func play(pairs: Int, seed: UInt64) -> FairTable.Tally {
        var table = FairTable(chairs, seed: seed)
        table.run(pairs: pairs)
        return table.tally
    }

    /// The line of the table.
    public func line(_ tally: FairTable.Tally) -> String {
        func cell(_ text: String, _ width: Int) -> String {
            String(repeating: " ", count: max(0, width - text.count)) + text
        }
        func tenths(_ number: Double) -> String {
            let tenths = Int((number * 10).rounded())
            return "\(tenths < 0 ? "-" : "")\(abs(tenths) / 10).\(abs(tenths) % 10)"
        }
        let ties = 100 * Double(tally.ties) / Double(max(1, tally.pairs))
        return [
            name + String(repeating: " ", count: max(0, 52 - name.count)), cell("\(tally.pairs)", 6),
            cell(tenths(tally.share(of: pair.one, against: pair.other)), 7),
            cell(tenths(tally.share(of: pair.other, against: pair.one)), 7), cell(tenths(ties), 6),
            cell(tenths(tally.meanGain(of: pair.one)), 7), cell("\(max(-999, tally.mostGain[pair.one]))", 6),
            cell("\(tally.error[pair.one])", 6),
        ].joined(separator: " ")
    }

    /// What stands above the lines.
    public static let head = """
        won of the pairs that one of the two won; tied of all pairs; by how much the first one's
        presses counted as earlier than they were, mean and at most; the error of its clock, at most; all in
        per cent or ms
        \(String(repeating: " ", count: 52))  pairs   first  second   tied    gain   most  error
        """
}
