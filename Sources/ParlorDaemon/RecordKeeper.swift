internal import ParlorControl
internal import ParlorCrypto
internal import ParlorGames
internal import ParlorNet
internal import ParlorProtocol
internal import ParlorRecords
internal import ParlorStore

/// Keeps scores and achievements: takes what ended matches give, has it on disk, and tells of it.
///
/// What a match gives is kept in one transaction with the note that it was taken, so a killed daemon takes it
/// again or not at all; what it signs says when the match ended, so it is the same again.
final class RecordKeeper {
    /// Between two matches of an earlier run that are looked at, so that the daemon answers meanwhile.
    static let pause = Duration.milliseconds(20)
    /// Until the disk is asked again for the records that it could not read.
    static let retryPause = Duration.seconds(1)

    private(set) var scores = ScoreBook()
    private(set) var achievements: AchievementBook
    /// Records on disk of a newer version: left as they are.
    private(set) var newer = 0
    private let loop: EventLoop
    private let archive: MatchArchive
    private let journal: EventJournal
    private let signer: Signer
    private let name: () -> String
    /// Reads a match that is on disk.
    var read: (MatchID, _ done: @escaping (MatchReading?) -> Void) -> Void = { $1(nil) }
    private var isLoaded = false
    private var early: [(reading: MatchReading, ended: Int)] = []
    private var late: [MatchRow] = []
    private var timer: LoopTimer?

    init(
        loop: EventLoop, archive: MatchArchive, journal: EventJournal, signer: Signer,
        name: @escaping () -> String
    ) {
        self.loop = loop
        self.archive = archive
        self.journal = journal
        self.signer = signer
        self.name = name
        achievements = AchievementBook(me: signer.peer)
    }

    var me: PeerID { signer.peer }

    // MARK: Starting

    /// Reads what is on disk, then takes what ended matches have not given yet; called once the store was
    /// opened, or cannot be.
    func load() {
        archive.ask(.records) { [weak self] reply in
            guard let self else { return }
            switch reply {
            case .records(let rows): take(rows)
            case .failed where archive.state != .memory:
                // What is on disk must be known before anything takes its place.
                return later(Self.retryPause) { $0.load() }
            case .failed, .done, .matches, .match, .turns: break
            }
            isLoaded = true
            for (reading, moment) in early { ended(reading, at: moment) }
            early = []
            takeLate()
        }
    }

    private func takeLate() {
        archive.list(MatchFilter(isUnscored: true)) { [weak self] rows in
            self?.late = rows
            self?.takeNext()
        }
    }

    private func take(_ rows: [RecordRow]) {
        for row in rows {
            do throws(RecordFault) {
                switch row.kind {
                case .score: _ = try scores.merge(ScoreRecord(decoding: row.bytes))
                case .achievement: _ = try achievements.merge(AchievementRecord(decoding: row.bytes))
                case .shown: break
                }
            } catch {
                if case .newer = error {
                    newer += 1
                } else {
                    Log.say("a record is not shown: \(error.message)")
                }
            }
        }
        for row in rows where row.kind == .shown {
            if let banner = AchievementBook.Banner(place: row.place) { achievements.markShown(banner) }
        }
    }

    private func takeNext() {
        guard let row = late.popLast() else { return }
        let next = { [weak self] in
            guard let self, !late.isEmpty else { return }
            later(Self.pause) { $0.takeNext() }
        }
        guard let match = MatchID(bytes: row.id), row.seat >= 0, let ended = row.ended else {
            archive.ask(.keep([], scored: row.id))
            return next()
        }
        read(match) { [weak self] reading in
            if let reading {
                self?.ended(reading, at: ended)
            } else {
                self?.archive.ask(.keep([], scored: row.id))
            }
            next()
        }
    }

    private func later(_ wait: Duration, _ body: @escaping (RecordKeeper) -> Void) {
        timer?.close()
        timer = loop.timer { [weak self] in
            guard let self else { return }
            body(self)
        }
        timer?.set(at: (Tick(nanoseconds: loop.now) + wait).nanoseconds)
    }

    /// Lets go of the timer.
    func close() {
        timer?.close()
        timer = nil
    }

    // MARK: Matches

    /// A match has ended: takes what it gives the own seat.
    ///
    /// - Parameters:
    ///   - reading: The match up to its end, as the store has it.
    ///   - moment: When it ended here, in Unix milliseconds.
    func ended(_ reading: MatchReading, at moment: Int) {
        guard isLoaded else { return early.append((reading, moment)) }
        guard let seat = reading.seat else {
            return archive.ask(.keep([], scored: reading.log.match.bytes))
        }
        let claims = Claims(reading.log.state, seat: seat)
        let due = achievements.bannersDue
        let rows =
            claims.scores.compactMap { take($0, reading, at: moment) }
            + claims.progress.compactMap { take($0, at: moment) }
        archive.ask(.keep(rows, scored: reading.log.match.bytes))
        for banner in achievements.bannersDue where !due.contains(banner) {
            guard let one = Registry.standard.achievement(banner.achievement) else { continue }
            journal.emit(
                .achievementEarned,
                [
                    .init("id", .string(one.id)), .init("title", .string(one.title)),
                    .init("points", .int(one.points)),
                ])
        }
    }

    private func take(_ claim: Claims.Score, _ reading: MatchReading, at moment: Int) -> RecordRow? {
        let proof = ScoreProof(reading.log) { reading.secrets?.link(LuckyTable.pressesMost) }
        let record = ScoreRecord(
            board: claim.board, name: name(), value: claim.value, context: claim.context,
            signedAt: Int64(moment), proof: proof, signer: signer)
        do throws(RecordFault) {
            try ScoreCheck.check(record, at: record.signedAt) { _ in reading.log }
            guard try scores.merge(record), let place = scores.place(of: record) else { return nil }
            journal.emit(
                .scoreRecorded,
                [
                    .init("board", .string(record.board)), .init("value", .int(Int(record.value))),
                    .init("match", .string("\(reading.log.match)")),
                ])
            return RecordRow(kind: .score, place: place, bytes: record.encoded)
        } catch {
            Log.say("a score for \(claim.board) is not taken: \(error.message)")
            return nil
        }
    }

    private func take(_ claim: Claims.Progress, at moment: Int) -> RecordRow? {
        let known = achievements.record(claim.achievement, of: me)
        let percent = known?.isEarned ?? false ? claim.step : min(100, (known?.percent ?? 0) + claim.step)
        guard
            let record = try? achievements.report(
                claim.achievement, percent: percent, at: Int64(moment), signer: signer)
        else { return nil }
        return Self.row(record)
    }

    private static func row(_ record: AchievementRecord) -> RecordRow {
        RecordRow(
            kind: .achievement, place: Array("\(record.achievement)\u{0}".utf8) + record.player.bytes,
            bytes: record.encoded)
    }

    /// Takes a score of anybody, if it holds.
    ///
    /// - Parameters:
    ///   - record: The score.
    ///   - log: Finds the log of a match that was itself checked.
    /// - Returns: Whether it stands now and did not before.
    /// - Throws: ``RecordFault``, which says what does not hold.
    func merge(_ record: ScoreRecord, log: (MatchID) -> MatchLog?) throws(RecordFault) -> Bool {
        try ScoreCheck.check(record, at: Int64(Calendar.unixMilliseconds()), log: log)
        guard try scores.merge(record), let place = scores.place(of: record) else { return false }
        archive.ask(.keep([RecordRow(kind: .score, place: place, bytes: record.encoded)], scored: nil))
        return true
    }

    // MARK: What clients ask

    /// The rows of a board.
    func leaderboard(_ board: String, window: Int64?) -> Leaderboard {
        scores.leaderboard(board, window: window)
    }

    /// Hands the banners that are due to one caller, once they are noted as shown.
    func takeBanners(done: @escaping ([AchievementBook.Banner]) -> Void) {
        let due = achievements.bannersDue
        guard !due.isEmpty else { return done([]) }
        for banner in due { achievements.markShown(banner) }
        archive.ask(.keep(due.map { RecordRow(kind: .shown, place: $0.place, bytes: []) }, scored: nil)) {
            _ in
            done(due)
        }
    }

    /// Begins an achievement anew.
    func reset(_ achievement: String, done: @escaping () -> Void) throws(RPCError) {
        let now = Int64(Calendar.unixMilliseconds())
        do throws(RecordFault) {
            guard let record = try achievements.reset(achievement, at: now, signer: signer) else {
                return done()
            }
            archive.ask(.keep([Self.row(record)], scored: nil)) { _ in done() }
        } catch {
            throw RPCError(.notFound, "There is no achievement '\(achievement)'; see achievements.list.")
        }
    }
}

extension AchievementBook.Banner {
    /// Where it is noted that it was shown: `ID 0 generation`.
    var place: [UInt8] { Array("\(achievement)\u{0}\(generation)".utf8) }

    /// Reads such a place; `nil` when it is none.
    init?(place: [UInt8]) {
        let parts = place.split(separator: 0, omittingEmptySubsequences: false)
        guard parts.count == 2, let generation = Int(String(decoding: parts[1], as: UTF8.self)) else {
            return nil
        }
        self.init(achievement: String(decoding: parts[0], as: UTF8.self), generation: generation)
    }
}
