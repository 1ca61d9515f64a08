/// A match by turns as the store keeps it: opaque bytes.
public struct TurnRow: Hashable, Sendable {
    /// The match's ID.
    public var match: [UInt8]
    /// What it begins with; empty once only the ID is kept.
    public var genesis: [UInt8]
    /// Its items, in no order.
    public var items: [[UInt8]]
    /// Whether its owner has removed it.
    public var isRemoved: Bool
    /// When it changed here last, in Unix milliseconds.
    public var changed: Int

    /// Makes the value; the parameters are the members.
    public init(match: [UInt8], genesis: [UInt8], items: [[UInt8]], isRemoved: Bool = false, changed: Int) {
        self.match = match
        self.genesis = genesis
        self.items = items
        self.isRemoved = isRemoved
        self.changed = changed
    }
}

/// A peer that was met, as the store keeps it.
public struct TurnPeerRow: Hashable, Sendable {
    /// The peer's ID.
    public var peer: [UInt8]
    /// What it called itself last.
    public var name: String
    /// Where it was reached last: the bytes of an IP address; empty where that is not known.
    public var address: [UInt8]
    /// The port there.
    public var port: Int
    /// When, in Unix milliseconds.
    public var seen: Int

    /// Makes the value; the parameters are the members.
    public init(peer: [UInt8], name: String, address: [UInt8], port: Int, seen: Int) {
        self.peer = peer
        self.name = name
        self.address = address
        self.port = port
        self.seen = seen
    }
}

/// What a ``MatchStore`` is asked for about matches by turns.
public enum TurnStoreRequest: Hashable, Sendable {
    /// Keep a match and these of its items beside those that are kept; `items` are pairs of hash and bytes.
    case keep(match: [UInt8], genesis: [UInt8], items: [Item], changed: Int)
    /// Note that a match was removed by its owner.
    case remove(match: [UInt8])
    /// Keep nothing of a match, but the note that it was removed.
    case drop(match: [UInt8])
    /// Keep a peer in the place of what was known of it.
    case peer(TurnPeerRow)
    /// All matches by turns and all peers.
    case all

    /// One item of a match.
    public struct Item: Hashable, Sendable {
        /// Its hash.
        public var hash: [UInt8]
        /// What it says.
        public var bytes: [UInt8]

        /// Makes the value; the parameters are the members.
        public init(hash: [UInt8], bytes: [UInt8]) {
            self.hash = hash
            self.bytes = bytes
        }
    }

    /// Bytes that it takes while it waits.
    var byteCount: Int {
        switch self {
        case .keep(_, let genesis, let items, _): items.reduce(genesis.count) { $0 + $1.bytes.count + 64 }
        case .peer(let row): row.name.utf8.count + 64
        case .remove, .drop, .all: 0
        }
    }
}

/// The statements about matches by turns; each call is inside a transaction of the caller's.
struct TurnTables {
    /// The tables of version 3.
    static let schema = """
        CREATE TABLE turn_matches (
            id BLOB PRIMARY KEY,
            genesis BLOB NOT NULL,
            removed INTEGER NOT NULL,
            changed INTEGER NOT NULL
        ) WITHOUT ROWID;
        CREATE TABLE turn_items (
            match BLOB NOT NULL,
            hash BLOB NOT NULL,
            bytes BLOB NOT NULL,
            PRIMARY KEY (match, hash)
        ) WITHOUT ROWID;
        CREATE TABLE turn_peers (
            peer BLOB PRIMARY KEY,
            name TEXT NOT NULL,
            address BLOB NOT NULL,
            port INTEGER NOT NULL,
            seen INTEGER NOT NULL
        ) WITHOUT ROWID;
        """
    /// Notes of removed matches that are kept, and peers.
    static let notesMax = 4_096

    let database: Database

    func perform(_ request: TurnStoreRequest) throws(DatabaseError) -> StoreReply {
        switch request {
        case .keep(let match, let genesis, let items, let changed):
            try keep(match, genesis, items, changed)
        case .remove(let match):
            try database.run("UPDATE turn_matches SET removed = 1 WHERE id = ?", [.bytes(match)])
        case .drop(let match): try drop(match)
        case .peer(let row):
            try database.run(
                "INSERT OR REPLACE INTO turn_peers (peer, name, address, port, seen) VALUES (?, ?, ?, ?, ?)",
                [.bytes(row.peer), .text(row.name), .bytes(row.address), .int(row.port), .int(row.seen)])
            try database.run(
                """
                DELETE FROM turn_peers WHERE peer NOT IN
                    (SELECT peer FROM turn_peers ORDER BY seen DESC LIMIT ?)
                """, [.int(Self.notesMax)])
        case .all: return .turns(try matches(), try peers())
        }
        return .done
    }

    private func keep(
        _ match: [UInt8], _ genesis: [UInt8], _ items: [TurnStoreRequest.Item], _ changed: Int
    ) throws(DatabaseError) {
        try database.run(
            """
            INSERT INTO turn_matches (id, genesis, removed, changed) VALUES (?, ?, 0, ?)
                ON CONFLICT (id) DO UPDATE SET changed = excluded.changed
            """, [.bytes(match), .bytes(genesis), .int(changed)])
        for item in items {
            try database.run(
                "INSERT OR IGNORE INTO turn_items (match, hash, bytes) VALUES (?, ?, ?)",
                [.bytes(match), .bytes(item.hash), .bytes(item.bytes)])
        }
    }

    private func drop(_ match: [UInt8]) throws(DatabaseError) {
        try database.run("DELETE FROM turn_items WHERE match = ?", [.bytes(match)])
        try database.run("DELETE FROM turn_matches WHERE id = ? AND removed = 0", [.bytes(match)])
        try database.run("UPDATE turn_matches SET genesis = x'' WHERE id = ?", [.bytes(match)])
        try database.run(
            """
            DELETE FROM turn_matches WHERE genesis = x'' AND id NOT IN
                (SELECT id FROM turn_matches WHERE genesis = x'' ORDER BY changed DESC LIMIT ?)
            """, [.int(Self.notesMax)])
    }

    private func matches() throws(DatabaseError) -> [TurnRow] {
        var items: [[UInt8]: [[UInt8]]] = [:]
        for columns in try database.rows("SELECT match, bytes FROM turn_items ORDER BY match, hash") {
            items[columns[0].bytes, default: []].append(columns[1].bytes)
        }
        return try database.rows(
            "SELECT id, genesis, removed, changed FROM turn_matches ORDER BY changed, id"
        ).map { columns in
            TurnRow(
                match: columns[0].bytes, genesis: columns[1].bytes, items: items[columns[0].bytes] ?? [],
                isRemoved: columns[2].int != 0, changed: columns[3].int)
        }
    }

    private func peers() throws(DatabaseError) -> [TurnPeerRow] {
        try database.rows(
            "SELECT peer, name, address, port, seen FROM turn_peers ORDER BY seen DESC, peer"
        ).map { columns in
            TurnPeerRow(
                peer: columns[0].bytes, name: columns[1].text, address: columns[2].bytes,
                port: columns[3].int, seen: columns[4].int)
        }
    }
}
