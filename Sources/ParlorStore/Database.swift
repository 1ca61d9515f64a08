internal import CSQLite
internal import Glibc

/// What SQLite could not do.
struct DatabaseError: Error, Hashable, Sendable {
    /// What it means for whoever asked.
    enum Kind: Hashable, Sendable {
        /// The disk is full, the file locked, or the system failed: the same may work later.
        case passing
        /// The file is damaged, or no database.
        case damaged
        /// The statement itself is at fault.
        case wrong
    }

    let kind: Kind
    /// SQLite's own words.
    let message: String
}

/// A value of a row.
enum DatabaseValue: Hashable, Sendable {
    case null
    case int(Int)
    case text(String)
    case bytes([UInt8])

    /// The number; 0 for anything else.
    var int: Int { if case .int(let number) = self { number } else { 0 } }
    /// The number; `nil` for anything else.
    var optionalInt: Int? { if case .int(let number) = self { number } else { nil } }
    /// The text; empty for anything else.
    var text: String { if case .text(let text) = self { text } else { "" } }
    /// The bytes; empty for anything else.
    var bytes: [UInt8] { if case .bytes(let bytes) = self { bytes } else { [] } }
}

/// Owns one connection to an SQLite file; confined to one thread.
@safe final class Database {
    /// How long another program that writes to the file is waited for, in milliseconds.
    private static let busyMillisecondsMax: CInt = 500

    private let raw: OpaquePointer
    private var statements: [String: Statement] = [:]

    /// Opens a file, or makes it, with mode 0600.
    ///
    /// Closing it leaves the write-ahead log as it is until ``adopt()``.
    init(_ path: String) throws(DatabaseError) {
        // SQLite would make it as the process's mask says. The descriptor is closed before SQLite has the
        // file open: closing it later would let go of SQLite's locks.
        let made = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard made >= 0 else {
            throw DatabaseError(kind: .passing, message: systemError("open", path: path).message)
        }
        _ = close(made)
        var opened: OpaquePointer?
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX
        let status = unsafe sqlite3_open_v2(path, &opened, flags, nil)
        guard status == SQLITE_OK, let opened = unsafe opened else {
            let failure = unsafe Self.error(status, opened)
            unsafe sqlite3_close_v2(opened)
            throw failure
        }
        unsafe raw = opened
        unsafe sqlite3_extended_result_codes(raw, 1)
        unsafe sqlite3_busy_timeout(raw, Self.busyMillisecondsMax)
        unsafe _ = parlor_sqlite_checkpoint_on_close(raw, 0)
    }

    deinit {
        statements = [:]
        unsafe sqlite3_close_v2(raw)
    }

    /// The file is ours: closing it carries the write-ahead log over.
    func adopt() { unsafe _ = parlor_sqlite_checkpoint_on_close(raw, 1) }

    /// Runs statements that have no parameters.
    func execute(_ sql: String) throws(DatabaseError) {
        let status = unsafe sqlite3_exec(raw, sql, nil, nil, nil)
        guard status == SQLITE_OK else { throw unsafe Self.error(status, raw) }
    }

    /// Runs one statement and hands its rows on.
    ///
    /// - Parameters:
    ///   - sql: The statement, with `?` for each value; kept prepared.
    ///   - values: The values.
    ///   - row: Called for each row with its columns.
    /// - Throws: ``DatabaseError``; what the statement did until then holds only if its transaction does.
    func run(
        _ sql: String, _ values: [DatabaseValue] = [], row: ([DatabaseValue]) -> Void = { _ in }
    ) throws(DatabaseError) {
        let statement = try prepared(sql)
        defer { statement.reset() }
        for (index, value) in values.enumerated() {
            let status = statement.bind(value, at: CInt(index + 1))
            guard status == SQLITE_OK else { throw unsafe Self.error(status, raw) }
        }
        while true {
            switch statement.step() {
            case SQLITE_ROW: row(statement.columns)
            case SQLITE_DONE: return
            case let status: throw unsafe Self.error(status, raw)
            }
        }
    }

    /// The rows of one statement.
    func rows(_ sql: String, _ values: [DatabaseValue] = []) throws(DatabaseError) -> [[DatabaseValue]] {
        var rows: [[DatabaseValue]] = []
        try run(sql, values) { rows.append($0) }
        return rows
    }

    /// The first column of the first row as a number; 0 without one.
    func number(_ sql: String, _ values: [DatabaseValue] = []) throws(DatabaseError) -> Int {
        try rows(sql, values).first?.first?.int ?? 0
    }

    /// Runs the body in one transaction; takes all of it back when it throws.
    func transaction(_ body: () throws(DatabaseError) -> Void) throws(DatabaseError) {
        try run("BEGIN IMMEDIATE")
        do throws(DatabaseError) {
            try body()
            try run("COMMIT")
        } catch {
            // SQLite may have rolled back by itself.
            if unsafe sqlite3_get_autocommit(raw) == 0 { try? run("ROLLBACK") }
            throw error
        }
    }

    private func prepared(_ sql: String) throws(DatabaseError) -> Statement {
        if let known = statements[sql] { return known }
        var made: OpaquePointer?
        let status = unsafe sqlite3_prepare_v3(raw, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &made, nil)
        guard status == SQLITE_OK, let made = unsafe made else { throw unsafe Self.error(status, raw) }
        let statement = unsafe Statement(made)
        statements[sql] = statement
        return statement
    }

    private static func error(_ status: CInt, _ database: OpaquePointer?) -> DatabaseError {
        let words = unsafe database.map { unsafe sqlite3_errmsg($0) } ?? sqlite3_errstr(status)
        let message = unsafe words.map { unsafe String(cString: $0) } ?? "error \(status)"
        let kind: DatabaseError.Kind =
            switch status & 0xFF {
            case SQLITE_CORRUPT, SQLITE_NOTADB: .damaged
            case SQLITE_FULL, SQLITE_IOERR, SQLITE_BUSY, SQLITE_LOCKED, SQLITE_CANTOPEN, SQLITE_READONLY,
                SQLITE_PERM, SQLITE_NOMEM, SQLITE_PROTOCOL, SQLITE_AUTH, SQLITE_INTERRUPT, SQLITE_ABORT:
                .passing
            default: .wrong
            }
        return DatabaseError(kind: kind, message: message)
    }
}

/// Owns one prepared statement.
@safe private final class Statement {
    private let raw: OpaquePointer

    init(_ raw: OpaquePointer) { unsafe self.raw = raw }

    deinit { unsafe sqlite3_finalize(raw) }

    func bind(_ value: DatabaseValue, at index: CInt) -> CInt {
        switch value {
        case .null: return unsafe sqlite3_bind_null(raw, index)
        case .int(let number): return unsafe sqlite3_bind_int64(raw, index, Int64(number))
        case .text(var text):
            return text.withUTF8 { utf8 in
                unsafe parlor_sqlite_bind_text(raw, index, utf8.baseAddress, CInt(utf8.count))
            }
        case .bytes(let bytes):
            return unsafe bytes.withUnsafeBytes {
                unsafe parlor_sqlite_bind_bytes(raw, index, $0.baseAddress, CInt($0.count))
            }
        }
    }

    func step() -> CInt { unsafe sqlite3_step(raw) }

    func reset() {
        unsafe sqlite3_reset(raw)
        unsafe sqlite3_clear_bindings(raw)
    }

    var columns: [DatabaseValue] {
        let count = unsafe sqlite3_column_count(raw)
        return (0..<count).map { index in
            switch unsafe sqlite3_column_type(raw, index) {
            case SQLITE_INTEGER: return .int(Int(unsafe sqlite3_column_int64(raw, index)))
            case SQLITE_TEXT:
                return .text(String(decoding: bytes(index), as: UTF8.self))
            case SQLITE_BLOB: return .bytes(bytes(index))
            default: return .null
            }
        }
    }

    private func bytes(_ index: CInt) -> [UInt8] {
        guard let start = unsafe sqlite3_column_blob(raw, index) else { return [] }
        let count = Int(unsafe sqlite3_column_bytes(raw, index))
        return unsafe Array(UnsafeRawBufferPointer(start: start, count: count))
    }
}
