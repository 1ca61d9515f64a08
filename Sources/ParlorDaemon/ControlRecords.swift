internal import ParlorControl
internal import ParlorProtocol
internal import ParlorRecords

// Scores and achievements.
extension ControlMethods {
    private var keeper: RecordKeeper { book.records }

    /// Tells which boards there are: `scores.boards`.
    func boards(_ request: RPCRequest, _ answer: Answer) throws(RPCError) {
        let params = try request.params(as: BoardsParams.self)
        let boards = Registry.standard.boards.filter {
            !$0.isRetired && (params.game == nil || params.game == $0.game)
        }
        answer(.success(JSON(encoding: BoardsInfo(boards: boards.map(info), newer: keeper.newer))))
    }

    /// Tells the rows of a board: `scores.list`.
    func scores(_ request: RPCRequest, _ answer: Answer) throws(RPCError) {
        let params = try request.params(as: ScoresParams.self)
        guard let board = Registry.standard.board(params.board) else {
            let known = Registry.standard.boards.filter { !$0.isRetired }.map(\.id).joined(separator: ", ")
            throw RPCError(.notFound, "There is no board '\(params.board)'; there are \(known).")
        }
        let counts = 0...Limits.leaderboardRowsMax
        guard counts.contains(params.top ?? 0), counts.contains(params.around ?? 0), params.at ?? 0 >= 0
        else {
            throw RPCError(
                .badParams,
                "'top' and 'around' are 0 to \(Limits.leaderboardRowsMax), 'at' is a time in ms.")
        }
        var window: Int64?
        if let recurrence = board.recurrence {
            let moment = Int64(params.at ?? Calendar.unixMilliseconds())
            guard let begin = recurrence.window(at: moment) else {
                throw RPCError(.badParams, "The board '\(board.id)' has no window at that time.")
            }
            window = begin
        }
        let rows = keeper.leaderboard(board.id, window: window)
        let wanted = params.around.map { rows.around(keeper.me, $0) } ?? rows.top(params.top ?? 10)
        let result = ScoresInfo(
            board: info(board), window: window.map { Int($0) }, total: rows.total,
            rows: wanted.map { info($0, board) }, mine: rows.row(of: keeper.me).map { info($0, board) })
        answer(.success(JSON(encoding: result)))
    }

    private func info(_ board: Board) -> BoardInfo {
        BoardInfo(
            id: board.id, game: board.game, title: board.title, sort: board.order.rawValue,
            keeps: board.keeps.rawValue, unit: board.unit, units: board.units,
            min: board.range.map { Int($0.lowerBound) }, max: board.range.map { Int($0.upperBound) },
            windows: board.recurrence.map { _ in keeper.scores.windows(of: board.id).map { Int($0) } },
            unwitnessed: board.isUnwitnessed)
    }

    private func info(_ row: Leaderboard.Row, _ board: Board) -> ScoreRowInfo {
        let record = row.record
        var match: String?
        if case .match(let id, _) = record.proof { match = "\(id)" }
        return ScoreRowInfo(
            rank: row.rank, player: PlayerInfo(id: "\(record.player)", name: record.name),
            value: Int(record.value), text: board.text(of: record.value), context: Int(record.context),
            time: Int(record.signedAt), match: match)
    }

    // MARK: Other people's scores

    /// Gives the scores out as they are signed: `scores.export`.
    func exportScores(_ request: RPCRequest, _ answer: Answer) throws(RPCError) {
        let params = try request.params(as: ScoresExportParams.self)
        let (from, limit) = (params.from ?? 0, params.limit ?? Limits.leaderboardRowsMax)
        guard from >= 0, limit > 0 else { throw RPCError(.badParams, "'from' begins at 0 and 'limit' at 1.") }
        let all = keeper.scores.encoded
        let page = all.dropFirst(from).prefix(min(limit, Limits.leaderboardRowsMax)).map(Hex.encode)
        answer(.success(JSON(encoding: ScoresExportInfo(records: page, total: all.count))))
    }

    /// Takes scores of anybody, those that hold: `scores.merge`.
    func mergeScores(_ request: RPCRequest, _ answer: @escaping Answer) throws(RPCError) {
        let params = try request.params(as: ScoresMergeParams.self)
        guard params.records.count <= Limits.leaderboardRowsMax else {
            throw RPCError(.badParams, "'records' has at most \(Limits.leaderboardRowsMax).")
        }
        var logs: [MatchID: MatchLog] = [:]
        for text in params.logs ?? [] {
            // One that does not hold proves nothing; the score that needs it is refused.
            let log = try? LogText.read(text, words: { [book] in book.words.list($0) }, signing: .ed25519)
            if let log { logs[log.match] = log }
        }
        let records = params.records.map { Hex.decode($0).map(Self.read) ?? .failure(.malformed) }
        let wanted = Set(
            records.compactMap { record in
                if case .match(let match, _) = try? record.get().proof { match } else { nil }
            })
        find(wanted.filter { logs[$0] == nil }.sorted(), logs) { [self] logs in
            answer(.success(JSON(encoding: merge(records, logs))))
        }
    }

    private static func read(_ bytes: [UInt8]) -> Result<ScoreRecord, RecordFault> {
        do throws(RecordFault) { return .success(try ScoreRecord(decoding: bytes)) } catch {
            return .failure(error)
        }
    }

    /// Finds logs of matches that are here, one after the other.
    private func find(
        _ matches: [MatchID], _ found: [MatchID: MatchLog], done: @escaping ([MatchID: MatchLog]) -> Void
    ) {
        guard let match = matches.first else { return done(found) }
        let rest = Array(matches.dropFirst())
        var found = found
        if let copy = book.copy(match) {
            found[match] = copy.acceptedLog
            return find(rest, found, done: done)
        }
        stored.read(match) { [self, found] reading in
            var found = found
            if let log = try? reading.get().log { found[match] = log }
            find(rest, found, done: done)
        }
    }

    private func merge(
        _ records: [Result<ScoreRecord, RecordFault>], _ logs: [MatchID: MatchLog]
    ) -> ScoresMergeInfo {
        var result = ScoresMergeInfo(taken: 0, known: 0, refused: [])
        for (index, record) in records.enumerated() {
            do throws(RecordFault) {
                if try keeper.merge(record.get(), log: { logs[$0] }) {
                    result.taken += 1
                } else {
                    result.known += 1
                }
            } catch {
                result.refused.append(ScoreRefusalInfo(index: index, message: error.message))
            }
        }
        return result
    }

    // MARK: Achievements

    /// Tells how far I am: `achievements.list`.
    var achievementsInfo: AchievementsInfo {
        let (registry, mine) = (Registry.standard, keeper.achievements)
        let visible = mine.visible(to: keeper.me)
        return AchievementsInfo(
            achievements: visible.map(info), hidden: registry.achievements.count - visible.count,
            points: mine.points(of: keeper.me),
            pointsMax: registry.achievements.reduce(0) { $0 + $1.points })
    }

    private func info(_ one: Achievement) -> AchievementInfo {
        let record = keeper.achievements.record(one.id, of: keeper.me)
        return AchievementInfo(
            id: one.id, game: one.game, title: one.title, summary: one.summary, points: one.points,
            percent: record?.percent ?? 0, count: record?.count ?? 0,
            time: record.flatMap { $0.percent > 0 ? Int($0.signedAt) : nil })
    }

    /// Hands out the banners that are due, to this caller alone: `achievements.banners`.
    func banners(_ answer: @escaping Answer) {
        keeper.takeBanners { [self] banners in
            let earned = banners.compactMap { Registry.standard.achievement($0.achievement) }
            answer(.success(JSON(encoding: BannersInfo(banners: earned.map(info)))))
        }
    }

    /// Begins an achievement anew: `achievements.reset`.
    func resetAchievement(_ request: RPCRequest, _ answer: @escaping Answer) throws(RPCError) {
        let params = try request.params(as: ResetParams.self)
        guard params.confirm else {
            throw RPCError(.badParams, "'confirm' must be true: what was earned is lost for good.")
        }
        try keeper.reset(params.id) { [self] in answer(.success(JSON(encoding: achievementsInfo))) }
    }
}
