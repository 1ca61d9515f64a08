public import ParlorProtocol

extension Limits {
    // MARK: Records

    /// Characters of the ID of a board or an achievement.
    public static let recordIDMax = 100
    /// Boards of one game.
    public static let boardsMax = 100
    /// Achievements of one game.
    public static let achievementsMax = 100
    /// Points of one achievement.
    public static let achievementPointsMax = 100
    /// Points of all achievements together.
    public static let pointsMax = 1_000
    /// A score or an achievement as signed bytes.
    public static let recordBytesMax = 4_096
    /// How far the time of somebody else's record may be ahead of the own clock, in milliseconds: a day.
    public static let recordAheadMillisecondsMax = 86_400_000
    /// Rows of a leaderboard in one answer.
    public static let leaderboardRowsMax = 1_000

    /// Stops a program whose limits contradict each other.
    public static func checkRecords() {
        precondition(achievementPointsMax <= pointsMax, "one achievement fits all points")
        precondition(recordIDMax * 4 + nameBytesMax < recordBytesMax, "IDs and names fit a record")
    }
}
