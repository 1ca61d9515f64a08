internal import Glibc

/// Folders that only their owner may look into.
public enum Folders {
    /// Who may what in a private folder: all for the owner, nothing for others.
    public static let privateMode: UInt32 = 0o700

    /// Makes a folder private to this user; makes it, and the folders above it, where they are missing.
    ///
    /// A folder of ours that is too open is narrowed to ``privateMode``. A link at the path is followed only
    /// if it is ours, so that nobody can point a folder in a shared place such as `/tmp` elsewhere.
    /// - Throws: ``StoreError``: `notOurs`, `notAFolder`, or `system`.
    public static func makePrivate(_ path: String) throws(StoreError) {
        try make(path)
        try checkLink(path)
        let folder: OpenFile
        do {
            folder = try OpenFile(path, flags: O_RDONLY | O_DIRECTORY)
        } catch {
            guard error.errno == ENOTDIR else { throw error }
            throw StoreError(
                .notAFolder, path: path, message: "is not a folder; move it away or choose another one")
        }
        let found = try folder.status()
        guard found.st_uid == geteuid() else { throw notOurs(path, owner: found.st_uid) }
        guard found.st_mode & 0o7777 != privateMode else { return }
        guard fchmod(folder.descriptor, privateMode) == 0 else { throw systemError("chmod", path: path) }
    }

    /// The folder that holds the path: everything before the last slash.
    static func parent(of path: String) -> String {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// The error for something that another user owns.
    static func notOurs(_ path: String, owner: UInt32) -> StoreError {
        StoreError(
            .notOurs, path: path,
            message:
                "belongs to user \(owner), not to this one (\(geteuid())); choose another place or change its owner"
        )
    }

    /// Makes the folder and those above it; those that exist stay as they are.
    private static func make(_ path: String) throws(StoreError) {
        if unsafe mkdir(path, privateMode) == 0 || errno == EEXIST { return }
        let above = parent(of: path)
        guard errno == ENOENT, above != path, !path.isEmpty else { throw systemError("mkdir", path: path) }
        try make(above)
        guard unsafe mkdir(path, privateMode) == 0 || errno == EEXIST else {
            throw systemError("mkdir", path: path)
        }
    }

    /// Refuses a link that another user has put at the path.
    private static func checkLink(_ path: String) throws(StoreError) {
        var found = stat()
        guard unsafe lstat(path, &found) == 0 else { throw systemError("lstat", path: path) }
        guard found.st_mode & S_IFMT == S_IFLNK, found.st_uid != geteuid() else { return }
        throw notOurs(path, owner: found.st_uid)
    }
}
