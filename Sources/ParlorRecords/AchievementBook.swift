public import ParlorProtocol

/// How far everybody is with everything, and which banners are due to the own player.
///
/// Records merge like scores. That something is earned and that its banner was shown are two things: the
/// banner comes once for each generation, whenever the player next looks.
public struct AchievementBook: Sendable {
    /// A banner: of which achievement, and of which generation.
    public struct Banner: Hashable, Sendable {
        /// The achievement's ID.
        public let achievement: String
        /// The generation in which it was earned.
        public let generation: Int

        /// Makes one; the parameters are the members.
        public init(achievement: String, generation: Int) {
            self.achievement = achievement
            self.generation = generation
        }
    }

    private struct Place: Hashable {
        let achievement: String
        let player: PeerID
    }

    private let registry: Registry
    private let me: PeerID
    private var records: [Place: AchievementRecord] = [:]
    /// In the order in which they were earned.
    private var due: [Banner] = []
    private var shown: Set<Banner> = []

    /// Makes an empty book of a player.
    public init(_ registry: Registry = .standard, me: PeerID) {
        self.registry = registry
        self.me = me
    }

    /// How far a player is; `nil` before the first progress.
    public func record(_ achievement: String, of player: PeerID) -> AchievementRecord? {
        records[Place(achievement: achievement, player: player)]
    }

    /// Takes a record that was checked (``ScoreCheck``), of anybody.
    ///
    /// - Returns: Whether it stands now; not when there is one that is further, or the same.
    /// - Throws: ``RecordFault`` where there is no such achievement.
    public mutating func merge(_ record: AchievementRecord) throws(RecordFault) -> Bool {
        guard registry.achievement(record.achievement) != nil else { throw .unknown(record.achievement) }
        let place = Place(achievement: record.achievement, player: record.player)
        if let known = records[place], !record.stands(before: known) { return false }
        records[place] = record
        guard record.player == me, record.isEarned else { return true }
        let banner = Banner(achievement: record.achievement, generation: record.generation)
        if !shown.contains(banner), !due.contains(banner) { due.append(banner) }
        return true
    }

    /// Reports that the own player has come so far, and signs it.
    ///
    /// - Parameters:
    ///   - achievement: Its ID.
    ///   - percent: 0 to 100; less than what is known changes nothing.
    ///   - now: The time, in Unix milliseconds.
    ///   - signer: The own player's.
    /// - Returns: The record that stands from now on; `nil` where nothing changes: what is earned is not
    ///   reported again, unless it is repeatable.
    /// - Throws: ``RecordFault`` `unknown` or `outOfRange`.
    public mutating func report(
        _ achievement: String, percent: Int, at now: Int64, signer: Signer
    ) throws(RecordFault) -> AchievementRecord? {
        guard let declared = registry.achievement(achievement) else { throw .unknown(achievement) }
        guard (0...100).contains(percent) else {
            throw .outOfRange("progress is 0 to 100 percent, not \(percent)")
        }
        let known = record(achievement, of: me)
        let isAgain = known?.isEarned ?? false
        guard isAgain ? declared.isRepeatable && percent == 100 : percent > known?.percent ?? 0 else {
            return nil
        }
        return try take(
            AchievementRecord(
                achievement: achievement, generation: known?.generation ?? 0, percent: percent,
                count: percent == 100 ? (known?.count ?? 0) + 1 : 0, signedAt: now, signer: signer))
    }

    /// Begins an achievement of the own player anew, for good.
    ///
    /// - Returns: The record that stands from now on; `nil` where there is nothing to begin anew.
    /// - Throws: ``RecordFault`` `unknown`.
    public mutating func reset(
        _ achievement: String, at now: Int64, signer: Signer
    ) throws(RecordFault) -> AchievementRecord? {
        guard registry.achievement(achievement) != nil else { throw .unknown(achievement) }
        guard let known = record(achievement, of: me), known.percent > 0 else { return nil }
        due.removeAll { $0.achievement == achievement }
        return try take(
            AchievementRecord(
                achievement: achievement, generation: known.generation + 1, percent: 0, count: 0,
                signedAt: now, signer: signer))
    }

    private mutating func take(_ record: AchievementRecord) throws(RecordFault) -> AchievementRecord? {
        precondition(record.player == me, "somebody else's progress is signed by somebody else")
        return try merge(record) ? record : nil
    }

    // MARK: Banners

    /// The banners that are due, in the order in which they were earned.
    public var bannersDue: [Banner] { due }

    /// Notes that a banner was shown, or is about to be: it is never due again.
    ///
    /// Called before it is shown, and kept first: a banner that is lost with a killed client is not shown
    /// twice.
    public mutating func markShown(_ banner: Banner) {
        shown.insert(banner)
        due.removeAll { $0 == banner }
    }

    // MARK: Sums

    /// The points of a player: of each achievement that is earned, once.
    public func points(of player: PeerID) -> Int {
        registry.achievements.reduce(0) { sum, one in
            sum + (record(one.id, of: player)?.isEarned ?? false ? one.points : 0)
        }
    }

    /// The achievements that a player is shown: all that are not hidden, and of the hidden ones those that
    /// are earned.
    public func visible(to player: PeerID) -> [Achievement] {
        registry.achievements.filter { !$0.isHidden || record($0.id, of: player)?.isEarned ?? false }
    }

    /// Every record that stands, ordered by achievement and player, as it is kept and handed on.
    public var encoded: [[UInt8]] {
        records.values
            .sorted { ($0.achievement, $0.player.description) < ($1.achievement, $1.player.description) }
            .map(\.encoded)
    }
}
