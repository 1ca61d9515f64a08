internal import Glibc

/// Opens the match file: looks whether it is ours and whole, and brings it to the present version.
struct MatchFileOpening {
    /// Why the file is not open.
    enum Failure: Error, Hashable, Sendable {
        /// It is not for this program to write.
        case refused(String)
        /// The system would not; it may later.
        case passing(String)
    }

    let path: String
    let schema: MatchSchema

    /// Opens the file or makes it; moves a damaged one aside first.
    ///
    /// - Returns: The file, and what a person should know of it.
    func open() throws(Failure) -> (database: Database, notes: String?) {
        do throws(DatabaseError) {
            return try openWhole()
        } catch {
            switch error.kind {
            case .passing: throw .passing("\(path): \(error.message)")
            case .wrong: throw .refused("\(path): \(error.message)")
            case .damaged: break
            }
            let aside = try setAside()
            let notes =
                "\(path) is damaged (\(error.message)); it is now \(aside), and an empty one takes its place"
            do throws(DatabaseError) {
                return (try openWhole().database, notes)
            } catch {
                throw .passing("\(notes); but \(error.message)")
            }
        }
    }

    private func setAside() throws(Failure) -> String {
        do throws(StoreError) {
            return try SetAside.move(path, companions: ["-wal", "-shm"])
        } catch {
            throw .refused("\(path) is damaged and cannot be moved aside: \(error.message)")
        }
    }

    private func openWhole() throws(DatabaseError) -> (database: Database, notes: String?) {
        let database = try Database(path)
        let version = try database.number("PRAGMA user_version")
        guard version <= schema.version else {
            throw DatabaseError(
                kind: .wrong,
                message: "it was written by a newer version of Parlor (\(version), this one knows "
                    + "\(schema.version)) and is left as it is; use that version")
        }
        let isEmpty = try database.number("SELECT count(*) FROM sqlite_schema") == 0
        guard version > 0 || isEmpty else {
            throw DatabaseError(
                kind: .wrong, message: "it is another program's database and is left as it is; move it away")
        }
        let faults = try database.rows("PRAGMA quick_check(1)").compactMap { $0.first?.text }
        guard faults == ["ok"] else {
            // SQLite says where on several lines.
            let fault = faults.first.map { $0.split(whereSeparator: \.isNewline).joined(separator: " ") }
            throw DatabaseError(kind: .damaged, message: fault ?? "it cannot be checked")
        }
        database.adopt()
        // Each commit hands its pages to the kernel; flushes and carrying over are the engine's doing.
        _ = try database.rows("PRAGMA journal_mode = WAL")
        try database.execute("PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 0")
        guard version < schema.version else { return (database, nil) }
        let backup = version == 0 ? nil : try backUp(database, version)
        try database.transaction { () throws(DatabaseError) in
            for step in schema.steps[version...] { try database.execute(step) }
            try database.execute("PRAGMA user_version = \(schema.version)")
        }
        return (
            database,
            backup.map {
                "\(path) is now of version \(schema.version); as it was before, it is kept as \($0)"
            }
        )
    }

    /// Writes a whole copy beside the file and flushes it; nothing is migrated without.
    private func backUp(_ database: Database, _ version: Int) throws(DatabaseError) -> String {
        let copy = SetAside.freeName("\(path).version-\(version)")
        do throws(DatabaseError) {
            try database.run("VACUUM INTO ?", [.text(copy)])
        } catch {
            _ = unsafe unlink(copy)
            throw error
        }
        do throws(StoreError) {
            try AtomicFile.flush(copy)
        } catch {
            throw DatabaseError(kind: .passing, message: "\(error)")
        }
        return copy
    }
}
