/// The tables of the match file, as steps from one version to the next.
struct MatchSchema: Sendable {
    /// The statements of each step; the first makes version 1 of an empty file.
    var steps: [String]

    /// The version that this program reads and writes; `PRAGMA user_version` of the file.
    var version: Int { steps.count }

    /// The tables as they are now.
    ///
    /// `matches.size` is the bytes of genesis and entries, for the bound of what ended matches may take;
    /// `matches.scored` is 1 once ``StoreRequest/keep(_:scored:)`` was asked for the match. `records` has
    /// scores and achievements, which outlast the matches they come from.
    static let current = MatchSchema(steps: [
        """
        CREATE TABLE matches (
            key INTEGER PRIMARY KEY AUTOINCREMENT,
            id BLOB NOT NULL UNIQUE,
            genesis BLOB NOT NULL,
            seat INTEGER NOT NULL,
            started INTEGER NOT NULL,
            ended INTEGER,
            state TEXT NOT NULL,
            game TEXT NOT NULL,
            room TEXT NOT NULL,
            summary BLOB NOT NULL,
            accepted INTEGER NOT NULL,
            promised INTEGER NOT NULL,
            size INTEGER NOT NULL
        );
        CREATE INDEX matches_started ON matches (started);
        CREATE TABLE entries (
            match INTEGER NOT NULL,
            place INTEGER NOT NULL,
            bytes BLOB NOT NULL,
            PRIMARY KEY (match, place)
        ) WITHOUT ROWID;
        """,
        """
        ALTER TABLE matches ADD COLUMN scored INTEGER NOT NULL DEFAULT 0;
        CREATE TABLE records (
            kind INTEGER NOT NULL,
            place BLOB NOT NULL,
            bytes BLOB NOT NULL,
            PRIMARY KEY (kind, place)
        ) WITHOUT ROWID;
        """,
        TurnTables.schema,
    ])
}

/// The statements over the tables; each call is inside a transaction of the caller's.
struct MatchTables {
    private static let columns = """
        key, id, genesis, seat, started, ended, state, game, room, summary, accepted, promised,
        ifnull((SELECT max(place) + 1 FROM entries WHERE match = key), 0)
        """

    let database: Database

    /// Carries out a request.
    ///
    /// - Throws: ``DatabaseError``, of kind `wrong` for a gap in a log, which only a fault of ours makes.
    func perform(_ request: StoreRequest) throws(DatabaseError) -> StoreReply {
        switch request {
        case .begin(let row): try begin(row)
        case .entries(let match, let from, let entries):
            guard let key = try key(of: match) else { return Self.unknown }
            try write(entries, from: from, match: key)
        case .accepted(let match, let count):
            try database.run("UPDATE matches SET accepted = ? WHERE id = ?", [.int(count), .bytes(match)])
        case .promise(let match, let epoch):
            try database.run("UPDATE matches SET promised = ? WHERE id = ?", [.int(epoch), .bytes(match)])
        case .describe(let match, let state, let ended, let summary):
            try database.run(
                "UPDATE matches SET state = ?, ended = ?, summary = ? WHERE id = ?",
                [.text(state), ended.map { .int($0) } ?? .null, .bytes(summary), .bytes(match)])
        case .remove(let match):
            guard let key = try key(of: match) else { return Self.unknown }
            try remove(key)
        case .list(let filter): return .matches(try list(filter))
        case .load(let match): return .match(try load(match))
        case .keep(let records, let match):
            for record in records {
                try database.run(
                    "INSERT OR REPLACE INTO records (kind, place, bytes) VALUES (?, ?, ?)",
                    [.int(record.kind.rawValue), .bytes(record.place), .bytes(record.bytes)])
            }
            if let match { try database.run("UPDATE matches SET scored = 1 WHERE id = ?", [.bytes(match)]) }
        case .records: return .records(try records())
        case .turns(let request): return try TurnTables(database: database).perform(request)
        }
        return .done
    }

    private static let unknown = StoreReply.failed("there is no such match on disk")

    private func key(of match: [UInt8]) throws(DatabaseError) -> Int? {
        try database.rows("SELECT key FROM matches WHERE id = ?", [.bytes(match)]).first?.first?.int
    }

    private func begin(_ row: MatchRow) throws(DatabaseError) {
        try database.run(
            """
            INSERT INTO matches
                (id, genesis, seat, started, ended, state, game, room, summary, accepted, promised, size)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING
            """,
            [
                .bytes(row.id), .bytes(row.genesis), .int(row.seat), .int(row.started),
                row.ended.map { .int($0) } ?? .null, .text(row.state), .text(row.game), .text(row.room),
                .bytes(row.summary), .int(row.accepted), .int(row.promised), .int(row.genesis.count),
            ])
    }

    private func write(_ entries: [[UInt8]], from: Int, match key: Int) throws(DatabaseError) {
        let count = try database.number(
            "SELECT ifnull(max(place) + 1, 0) FROM entries WHERE match = ?", [.int(key)])
        guard (0...count).contains(from) else {
            throw DatabaseError(kind: .wrong, message: "entry \(from) would follow entry \(count - 1)")
        }
        var size = entries.reduce(0) { $0 + $1.count }
        if from < count {
            let place: [DatabaseValue] = [.int(key), .int(from)]
            size -= try database.number(
                "SELECT sum(length(bytes)) FROM entries WHERE match = ? AND place >= ?", place)
            try database.run("DELETE FROM entries WHERE match = ? AND place >= ?", place)
        }
        for (offset, bytes) in entries.enumerated() {
            try database.run(
                "INSERT INTO entries (match, place, bytes) VALUES (?, ?, ?)",
                [.int(key), .int(from + offset), .bytes(bytes)])
        }
        try database.run(
            "UPDATE matches SET size = size + ?, accepted = min(accepted, ?) WHERE key = ?",
            [.int(size), .int(from), .int(key)])
    }

    private func remove(_ key: Int) throws(DatabaseError) {
        try database.run("DELETE FROM entries WHERE match = ?", [.int(key)])
        try database.run("DELETE FROM matches WHERE key = ?", [.int(key)])
    }

    private func list(_ filter: MatchFilter) throws(DatabaseError) -> [MatchRow] {
        var conditions = filter.isUnfinished ? ["ended IS NULL"] : []
        if filter.isUnscored { conditions.append("ended IS NOT NULL AND scored = 0") }
        var values: [DatabaseValue] = []
        for (column, wanted) in [("state", filter.state), ("game", filter.game)] {
            guard let wanted else { continue }
            conditions.append("\(column) = ?")
            values.append(.text(wanted))
        }
        let condition = conditions.isEmpty ? "" : "WHERE " + conditions.joined(separator: " AND ")
        values.append(.int(filter.limit ?? -1))
        return try database.rows(
            "SELECT \(Self.columns) FROM matches \(condition) ORDER BY started DESC, key DESC LIMIT ?", values
        ).map { Self.row($0) }
    }

    private func load(_ match: [UInt8]) throws(DatabaseError) -> StoredMatch? {
        let found = try database.rows("SELECT \(Self.columns) FROM matches WHERE id = ?", [.bytes(match)])
        guard let columns = found.first else { return nil }
        let entries = try database.rows(
            "SELECT bytes FROM entries WHERE match = ? ORDER BY place", [columns[0]]
        ).map { $0[0].bytes }
        return StoredMatch(row: Self.row(columns), entries: entries)
    }

    private static func row(_ columns: [DatabaseValue]) -> MatchRow {
        MatchRow(
            id: columns[1].bytes, genesis: columns[2].bytes, seat: columns[3].int, started: columns[4].int,
            ended: columns[5].optionalInt, state: columns[6].text, game: columns[7].text,
            room: columns[8].text, summary: columns[9].bytes, accepted: columns[10].int,
            promised: columns[11].int, entries: columns[12].int)
    }

    private func records() throws(DatabaseError) -> [RecordRow] {
        try database.rows("SELECT kind, place, bytes FROM records ORDER BY kind, place").compactMap {
            columns in
            RecordRow.Kind(rawValue: columns[0].int).map {
                RecordRow(kind: $0, place: columns[1].bytes, bytes: columns[2].bytes)
            }
        }
    }

    /// Removes the ended matches that are too many or too large together, oldest first.
    func prune(countMax: Int, bytesMax: Int) throws(DatabaseError) {
        let ended = try database.rows(
            "SELECT key, size FROM matches WHERE ended IS NOT NULL ORDER BY ended DESC, key DESC")
        var bytes = 0
        for (place, match) in ended.enumerated() {
            bytes += match[1].int
            if place >= countMax || bytes > bytesMax { try remove(match[0].int) }
        }
    }
}
