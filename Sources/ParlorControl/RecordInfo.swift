/// A board of `scores.boards`.
public struct BoardInfo: Codable, Hashable, Sendable {
    /// Its ID.
    public var id: String
    /// The game's ID.
    public var game: String
    /// For people.
    public var title: String
    /// `high-low` or `low-high`: which score is first.
    public var sort: String
    /// `best` or `latest`: which score of a player stands.
    public var keeps: String
    /// What one is called.
    public var unit: String
    /// What several are called.
    public var units: String
    /// The lowest score there can be.
    public var min: Int?
    /// The highest score there can be.
    public var max: Int?
    /// When its windows begin, the newest first, in Unix milliseconds; absent for a board without windows.
    public var windows: [Int]?
    /// Whether only its players have seen how its scores were made.
    public var unwitnessed: Bool

    /// Makes the value; the parameters are the members.
    public init(
        id: String, game: String, title: String, sort: String, keeps: String, unit: String, units: String,
        min: Int? = nil, max: Int? = nil, windows: [Int]? = nil, unwitnessed: Bool = false
    ) {
        self.id = id
        self.game = game
        self.title = title
        self.sort = sort
        self.keeps = keeps
        self.unit = unit
        self.units = units
        self.min = min
        self.max = max
        self.windows = windows
        self.unwitnessed = unwitnessed
    }
}

/// Parameters of `scores.boards`.
public struct BoardsParams: Codable, Hashable, Sendable {
    /// Only those of this game.
    public var game: String?

    /// Makes the value; the parameters are the members.
    public init(game: String? = nil) { self.game = game }
}

/// The result of `scores.boards`.
public struct BoardsInfo: Codable, Hashable, Sendable {
    /// The boards, without retired ones.
    public var boards: [BoardInfo]
    /// Records on disk that a newer version wrote: kept, and not shown.
    public var newer: Int

    /// Makes the value; the parameters are the members.
    public init(boards: [BoardInfo], newer: Int) {
        self.boards = boards
        self.newer = newer
    }
}

/// Parameters of `scores.list`.
public struct ScoresParams: Codable, Hashable, Sendable {
    /// The board's ID.
    public var board: String
    /// A moment in the window that is wanted, in Unix milliseconds; absent: now.
    public var at: Int?
    /// How many rows from the best on; absent: 10.
    public var top: Int?
    /// How many rows on either side of the own one, in place of the best.
    public var around: Int?

    /// Makes the value; the parameters are the members.
    public init(board: String, at: Int? = nil, top: Int? = nil, around: Int? = nil) {
        self.board = board
        self.at = at
        self.top = top
        self.around = around
    }
}

/// A row of a leaderboard.
public struct ScoreRowInfo: Codable, Hashable, Sendable {
    /// 1 for the best; equal scores share it.
    public var rank: Int
    /// Whose it is.
    public var player: PlayerInfo
    /// The score.
    public var value: Int
    /// The score as people read it.
    public var text: String
    /// Whatever the game says beside it.
    public var context: Int
    /// When it was made, in Unix milliseconds.
    public var time: Int
    /// The match that it was made in; absent for a game that is its own proof.
    public var match: String?

    /// Makes the value; the parameters are the members.
    public init(
        rank: Int, player: PlayerInfo, value: Int, text: String, context: Int, time: Int, match: String? = nil
    ) {
        self.rank = rank
        self.player = player
        self.value = value
        self.text = text
        self.context = context
        self.time = time
        self.match = match
    }
}

/// The result of `scores.list`.
public struct ScoresInfo: Codable, Hashable, Sendable {
    /// The board.
    public var board: BoardInfo
    /// When the window begins, in Unix milliseconds; absent for a board without windows.
    public var window: Int?
    /// How many players the board has.
    public var total: Int
    /// The rows that were asked for.
    public var rows: [ScoreRowInfo]
    /// My own row, wherever it is; null without one.
    @OrNull public var mine: ScoreRowInfo?

    /// Makes the value; the parameters are the members.
    public init(board: BoardInfo, window: Int?, total: Int, rows: [ScoreRowInfo], mine: ScoreRowInfo?) {
        self.board = board
        self.window = window
        self.total = total
        self.rows = rows
        self.mine = mine
    }
}

/// An achievement of `achievements.list`.
public struct AchievementInfo: Codable, Hashable, Sendable {
    /// Its ID.
    public var id: String
    /// The game's ID.
    public var game: String
    /// For people.
    public var title: String
    /// What to do for it.
    public var summary: String
    /// What it is worth, once.
    public var points: Int
    /// How far I am, 0 to 100; 100 is earned.
    public var percent: Int
    /// How often I have earned it.
    public var count: Int
    /// When I came so far, in Unix milliseconds; absent before the first progress.
    public var time: Int?

    /// Makes the value; the parameters are the members.
    public init(
        id: String, game: String, title: String, summary: String, points: Int, percent: Int = 0,
        count: Int = 0, time: Int? = nil
    ) {
        self.id = id
        self.game = game
        self.title = title
        self.summary = summary
        self.points = points
        self.percent = percent
        self.count = count
        self.time = time
    }
}

/// The result of `achievements.list` and `achievements.reset`.
public struct AchievementsInfo: Codable, Hashable, Sendable {
    /// All that are shown to me.
    public var achievements: [AchievementInfo]
    /// How many more there are that show only once they are earned.
    public var hidden: Int
    /// My points.
    public var points: Int
    /// The points there are.
    public var pointsMax: Int

    /// Makes the value; the parameters are the members.
    public init(achievements: [AchievementInfo], hidden: Int, points: Int, pointsMax: Int) {
        self.achievements = achievements
        self.hidden = hidden
        self.points = points
        self.pointsMax = pointsMax
    }
}

/// The result of `achievements.banners`: each banner is in one answer and in no other.
public struct BannersInfo: Codable, Hashable, Sendable {
    /// What was earned since anybody asked, in that order.
    public var banners: [AchievementInfo]

    /// Makes the value; the parameters are the members.
    public init(banners: [AchievementInfo]) { self.banners = banners }
}

/// Parameters of `achievements.reset`.
public struct ResetParams: Codable, Hashable, Sendable {
    /// The achievement's ID.
    public var id: String
    /// Must be true: what was earned is lost.
    public var confirm: Bool

    /// Makes the value; the parameters are the members.
    public init(id: String, confirm: Bool) {
        self.id = id
        self.confirm = confirm
    }
}

/// Parameters of `scores.export`.
public struct ScoresExportParams: Codable, Hashable, Sendable {
    /// Leaves out so many from the beginning.
    public var from: Int?
    /// How many at most; absent: 1,000.
    public var limit: Int?

    /// Makes the value; the parameters are the members.
    public init(from: Int? = nil, limit: Int? = nil) {
        self.from = from
        self.limit = limit
    }
}

/// The result of `scores.export`.
public struct ScoresExportInfo: Codable, Hashable, Sendable {
    /// Signed scores as PROTOCOL.md has them, in hexadecimal digits, ordered by board, window and player.
    public var records: [String]
    /// How many there are in all.
    public var total: Int

    /// Makes the value; the parameters are the members.
    public init(records: [String], total: Int) {
        self.records = records
        self.total = total
    }
}

/// Parameters of `scores.merge`.
public struct ScoresMergeParams: Codable, Hashable, Sendable {
    /// Signed scores of anybody, in hexadecimal digits.
    public var records: [String]
    /// Logs as `match.export` gives them, for scores whose proof is a match that is not here.
    public var logs: [String]?

    /// Makes the value; the parameters are the members.
    public init(records: [String], logs: [String]? = nil) {
        self.records = records
        self.logs = logs
    }
}

/// A score that `scores.merge` did not take.
public struct ScoreRefusalInfo: Codable, Hashable, Sendable {
    /// Its place in the request, from 0.
    public var index: Int
    /// Why, for people.
    public var message: String

    /// Makes the value; the parameters are the members.
    public init(index: Int, message: String) {
        self.index = index
        self.message = message
    }
}

/// The result of `scores.merge`.
public struct ScoresMergeInfo: Codable, Hashable, Sendable {
    /// How many stand now that did not before.
    public var taken: Int
    /// How many hold, but are known, or are not better than what is.
    public var known: Int
    /// Those that do not hold.
    public var refused: [ScoreRefusalInfo]

    /// Makes the value; the parameters are the members.
    public init(taken: Int, known: Int, refused: [ScoreRefusalInfo]) {
        self.taken = taken
        self.known = known
        self.refused = refused
    }
}
