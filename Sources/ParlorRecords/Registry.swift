internal import ParlorGames
internal import ParlorProtocol

/// What boards and achievements there are, checked once when it is made.
public struct Registry: Sendable {
    /// Why something cannot be registered.
    public struct Fault: Error, Hashable, Sendable {
        /// A sentence that names what is wrong, and the limit where one is passed.
        public let message: String
    }

    /// The boards, in the order they are shown.
    public let boards: [Board]
    /// The achievements, in the order they are shown.
    public let achievements: [Achievement]
    private let boardByID: [String: Board]
    private let achievementByID: [String: Achievement]

    /// Registers boards and achievements.
    ///
    /// - Throws: ``Fault`` for an ID that is empty, too long or given twice, more boards or achievements of a
    ///   game than there may be, or points that do not add up.
    public init(boards: [Board], achievements: [Achievement]) throws(Fault) {
        try Self.check("board", boards.map { ($0.id, $0.game) }, Limits.boardsMax)
        try Self.check("achievement", achievements.map { ($0.id, $0.game) }, Limits.achievementsMax)
        for one in achievements where !(0...Limits.achievementPointsMax).contains(one.points) {
            throw Fault(
                message: "achievement \(one.id) has \(one.points) points; one has 0 to "
                    + "\(Limits.achievementPointsMax)")
        }
        let sum = achievements.reduce(0) { $0 + $1.points }
        guard sum <= Limits.pointsMax else {
            throw Fault(
                message: "all achievements have \(sum) points together, more than \(Limits.pointsMax)")
        }
        self.boards = boards
        self.achievements = achievements
        boardByID = Dictionary(uniqueKeysWithValues: boards.map { ($0.id, $0) })
        achievementByID = Dictionary(uniqueKeysWithValues: achievements.map { ($0.id, $0) })
    }

    /// A board by ID.
    public func board(_ id: String) -> Board? { boardByID[id] }

    /// An achievement by ID.
    public func achievement(_ id: String) -> Achievement? { achievementByID[id] }

    private static func check(_ what: String, _ all: [(id: String, game: String)], _ most: Int) throws(Fault)
    {
        var seen: Set<String> = []
        var counts: [String: Int] = [:]
        for (id, game) in all {
            guard (1...Limits.recordIDMax).contains(id.count) else {
                throw Fault(message: "the ID of \(what) '\(id)' has 1 to \(Limits.recordIDMax) characters")
            }
            guard seen.insert(id).inserted else { throw Fault(message: "there are two \(what)s '\(id)'") }
            counts[game, default: 0] += 1
            guard counts[game, default: 0] <= most else {
                throw Fault(message: "\(game) has more than \(most) \(what)s")
            }
        }
    }

    // MARK: The product's own

    /// Monday, 5 January 2026, 0:00 UTC, in Unix milliseconds.
    private static let monday: Int64 = 1_767_571_200_000
    private static let day: Int64 = 86_400_000

    /// The boards and achievements of all games.
    public static let standard: Registry = {
        do throws(Fault) {
            return try Registry(boards: standardBoards, achievements: standardAchievements)
        } catch {
            preconditionFailure(error.message)
        }
    }()

    private static let luckyBoards: [Board] =
        LuckyLevel.allCases.map { level in
            Board(
                id: "lucky.\(level.rawValue)", game: "lucky", title: "Lucky, \(level.rawValue)",
                unit: "point",
                units: "points", order: .highLow, range: 0...Int64(LuckyTable.pressesMost),
                isUnwitnessed: true)
        }

    private static let standardBoards: [Board] =
        luckyBoards + [
            Board(
                id: "lucky.hard.daily", game: "lucky", title: "Lucky, hard, today", unit: "point",
                units: "points", order: .highLow, range: 0...Int64(LuckyTable.pressesMost),
                recurrence: Recurrence(start: monday, length: day, interval: day), isUnwitnessed: true),
            Board(
                id: "hangman.alone", game: "hangman", title: "Hangman alone, one word", unit: "point",
                units: "points", order: .highLow, range: 0...360, isUnwitnessed: true),
            Board(
                id: "hangman.alone.weekly", game: "hangman", title: "Hangman alone, this week",
                unit: "point", units: "points", order: .highLow, range: 0...360,
                recurrence: Recurrence(start: monday, length: 7 * day, interval: 7 * day),
                isUnwitnessed: true),
            Board(
                id: "snap.whole_pack", game: "snap", title: "Snap, the whole pack in the fewest flips",
                unit: "flip", units: "flips", order: .lowHigh, range: 1...10_000),
            Board(
                id: "tictactoe.marks", game: "tictactoe", title: "Tic Tac Toe, won with the fewest marks",
                unit: "mark", units: "marks", order: .lowHigh, range: 3...5),
            Board(
                id: "story.bytes", game: "story", title: "Story, the longest", unit: "byte", units: "bytes",
                order: .highLow, range: 3_801...4_096),
        ]

    private static let luckyAchievements: [Achievement] =
        LuckyLevel.allCases.map { level in
            Achievement(
                id: "all_four_buttons.\(level.rawValue)", game: "lucky", title: "All four buttons",
                summary: "press each button safely in one game of Lucky, \(level.rawValue)", points: 100)
        }

    private static let standardAchievements: [Achievement] =
        luckyAchievements + [
            Achievement(
                id: "no_mistakes_small_word", game: "hangman", title: "No mistakes, small word",
                summary: "guess a word of at most six letters without a wrong guess", points: 50),
            Achievement(
                id: "whole_pack", game: "snap", title: "The whole pack",
                summary: "win all 52 cards in Snap against somebody", points: 50),
            Achievement(
                id: "ten_matches", game: "snap", title: "Ten matches", summary: "play ten matches of Snap",
                points: 25),
            Achievement(
                id: "three_in_a_line", game: "tictactoe", title: "Three in a line",
                summary: "win Tic Tac Toe against somebody", points: 25, isRepeatable: true),
            Achievement(
                id: "the_end", game: "story", title: "The end", summary: "write a story to its end",
                points: 25),
            Achievement(
                id: "to_the_last_byte", game: "story", title: "To the last byte",
                summary: "end a story at exactly 4,096 bytes", points: 50, isHidden: true),
        ]
}
