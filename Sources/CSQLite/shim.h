#pragma once
#include <sqlite3.h>

/// Binds a copy of bytes; no bytes are an empty value, not NULL.
static inline int parlor_sqlite_bind_bytes(sqlite3_stmt *statement, int index, const void *bytes, int count)
{
    if (count == 0) return sqlite3_bind_zeroblob(statement, index, 0);
    return sqlite3_bind_blob(statement, index, bytes, count, SQLITE_TRANSIENT);
}

/// Binds a copy of UTF-8 text.
static inline int parlor_sqlite_bind_text(sqlite3_stmt *statement, int index, const void *text, int count)
{
    return sqlite3_bind_text(statement, index, count == 0 ? "" : text, count, SQLITE_TRANSIENT);
}

/// Whether closing carries the write-ahead log over into the file, as it does by itself.
static inline int parlor_sqlite_checkpoint_on_close(sqlite3 *database, int wanted)
{
    return sqlite3_db_config(database, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, !wanted, (int *)0);
}
