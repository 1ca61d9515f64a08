/// How hard Lucky is; the raw values are those of the option `level`.
public enum LuckyLevel: String, Hashable, Sendable, CaseIterable {
    /// One button of four ends the game.
    case easy
    /// Two do.
    case normal
    /// Three do.
    case hard

    /// How many buttons end the game.
    public var killers: Int {
        switch self {
        case .easy: 1
        case .normal: 2
        case .hard: 3
        }
    }
}

/// The buttons of a game of Lucky and what was pressed: a value that chance is handed to.
public struct LuckyTable: Hashable, Sendable {
    /// The buttons there are.
    public static let buttons = 1...4
    /// Presses of a game: a chain has no more links.
    public static let pressesMost = Chance.chainLinks

    /// How hard it is.
    public let level: LuckyLevel
    /// The buttons that were pressed safely, in order.
    public private(set) var safe: [Int] = []
    /// The buttons that ended the game, or would have, at the newest press, lowest first; empty before the
    /// first.
    public private(set) var killers: [Int] = []
    /// Whether the game is over.
    public private(set) var isOver = false

    /// A table on which nothing was pressed.
    public init(level: LuckyLevel) { self.level = level }

    /// One for each safe press.
    public var score: Int { safe.count }
    /// How many buttons were pressed.
    public var presses: Int { isOver && !isSpent ? safe.count + 1 : safe.count }
    /// Whether no link is left to press with.
    var isSpent: Bool { safe.count == Self.pressesMost }
    /// Whether each button was pressed safely.
    public var hasAllButtons: Bool { Self.buttons.allSatisfy(safe.contains) }

    /// Presses a button with the chain's link of that press: the choice among all sets of so many killers, in
    /// lexicographic order, is that of a draw with this one seat.
    ///
    /// Does nothing once the game is over; a button that is none is never safe.
    mutating func press(_ button: Int, link: [UInt8], match: [UInt8], hash: HashFunction) {
        guard !isOver else { return }
        let sets = Self.sets(of: level.killers)
        let choice = Chance.choose(
            among: sets.count, match: match, draw: safe.count + 1, links: [SeatLink(seat: 0, link: link)],
            hash: hash)
        killers = sets[choice]
        guard Self.buttons.contains(button), !killers.contains(button) else {
            isOver = true
            return
        }
        safe.append(button)
        if isSpent { isOver = true }
    }

    /// All sets of so many buttons, in lexicographic order.
    static func sets(of count: Int) -> [[Int]] {
        (0..<1 << buttons.count)
            .map { bits in buttons.filter { bits >> ($0 - 1) & 1 == 1 } }
            .filter { $0.count == count }
            .sorted { $0.lexicographicallyPrecedes($1) }
    }
}

/// A whole game of Lucky in a few bytes: whoever has them plays it again and sees the score.
///
/// That it is a game that was played shows nobody: only its player saw the chain being made.
public struct LuckyProof: Hashable, Sendable {
    /// The match that it was, 16 bytes.
    public let match: [UInt8]
    /// The first element of the seat's hash chain, 32 bytes.
    public let seed: [UInt8]
    /// How hard it was.
    public let level: LuckyLevel
    /// The buttons in the order in which they were pressed, the last one too.
    public let presses: [Int]

    /// Makes a proof; the parameters are the members.
    public init(match: [UInt8], seed: [UInt8], level: LuckyLevel, presses: [Int]) {
        self.match = match
        self.seed = seed
        self.level = level
        self.presses = presses
    }

    /// Plays the game again.
    ///
    /// - Returns: The table as it was at the end; `nil` where the proof is none: a button that there is not,
    ///   or a press after the end.
    public func replayed(hash: HashFunction) -> LuckyTable? {
        guard match.count == 16, seed.count == Chance.linkBytes, presses.count <= LuckyTable.pressesMost
        else { return nil }
        // Element 0 to the last but one: the link of press n is element N - n.
        var links = [seed]
        for _ in 1..<Chance.chainLinks { links.append(Chance.next(links[links.count - 1], hash: hash)) }
        var table = LuckyTable(level: level)
        for (index, button) in presses.enumerated() {
            guard !table.isOver, LuckyTable.buttons.contains(button) else { return nil }
            table.press(button, link: links[Chance.chainLinks - 1 - index], match: match, hash: hash)
        }
        return table
    }
}
