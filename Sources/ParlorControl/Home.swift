internal import Glibc

/// Why a home cannot be used.
public enum HomeError: Error, Hashable, Sendable {
    /// `--home` or `XDG_RUNTIME_DIR` is so long that the socket's path does not fit a socket address.
    case socketPathTooLong(path: String, bytesMax: Int)
    /// Neither `--home` nor `HOME` says where to keep things.
    case unknown
    /// A folder or file could not be made or read; `code` is the `errno`.
    case failed(path: String, doing: String, code: Int32)
    /// A folder could not be made in another; `code` is the `errno`.
    case notMade(path: String, above: String, code: Int32)
    /// The folder belongs to somebody else, or others may enter it, or it is no folder.
    case unsafeFolder(path: String, problem: String)

    /// The word for programs: a home that cannot be right is a mistake of usage, one that others can get at
    /// is not ours.
    public var reason: Reason {
        switch self {
        case .socketPathTooLong, .unknown: .usage
        case .failed, .notMade: .failed
        case .unsafeFolder: .socketNotOurs
        }
    }

    /// What happened, why, and what to do next; one line.
    public var message: String {
        switch self {
        case .socketPathTooLong(let path, let bytesMax):
            "The socket \(path) would have \(path.utf8.count) bytes, but Linux takes at most \(bytesMax). "
                + "Choose a shorter folder: parlor --home DIR"
        case .unknown:
            "HOME is not set, so there is nowhere to keep things. Name a folder: parlor --home DIR"
        case .failed(let path, let doing, let code):
            "Could not \(doing) \(path): \(unsafe String(cString: strerror(code))). Check its "
                + "owner and mode: ls -ld \(path)"
        case .notMade(let path, let above, ENOTDIR):
            "\(path) cannot be made, because \(above) is not a folder. Move that away, or choose another "
                + "folder: parlor --home DIR"
        case .notMade(let path, let above, let code):
            "\(path) cannot be made in \(above): \(unsafe String(cString: strerror(code))). Look who may "
                + "write there: ls -ld \(above). Or choose another folder: parlor --home DIR"
        case .unsafeFolder(let path, let problem):
            "\(path) \(problem), so nothing private can be kept there. Look at it: ls -ld \(path)"
        }
    }
}

/// Where a daemon and its clients keep things: one home is one peer.
public struct Home: Hashable, Sendable {
    /// The longest path that fits `sun_path` of a `sockaddr_un` with its final zero, in bytes.
    public static let socketPathBytesMax = 107

    /// The folder given with `--home` or `PARLOR_HOME`, absolute; `nil` for the standard places.
    public let folder: String?
    /// Settings files in the order in which to look; the first that exists counts.
    public let settingsFiles: [String]
    /// The folder of the identity and the database.
    public let data: String
    /// The folder of resume tokens and the log file.
    public let state: String
    /// The folder of the control socket and `endpoints.json`.
    public let run: String

    /// The control socket.
    public var controlSocket: String { run + "/control.sock" }
    /// Where the daemon says how it can be reached; see ``Endpoints``.
    public var endpointsFile: String { run + "/endpoints.json" }
    /// Lists of words that rooms played with, each in a file named by its hash.
    public var words: String { data + "/words" }
    /// The daemon holds an exclusive `flock` on this file as long as it runs.
    public var daemonLock: String { run + "/parlord.lock" }
    /// A client holds an exclusive `flock` on this file while it starts the daemon.
    public var startLock: String { run + "/start.lock" }
    /// What a daemon started in the background has to say.
    public var logFile: String { state + "/parlord.log" }

    /// Finds the places of a home.
    ///
    /// - Parameters:
    ///   - folder: What `--home` says, if given; it wins over `PARLOR_HOME`.
    ///   - user: The numeric user, for the fallback in `/tmp`.
    ///   - workingFolder: What a relative folder is relative to; absolute.
    ///   - environment: Looks up a variable. Empty ones, and relative `XDG_` ones, count as not set.
    /// - Throws: ``HomeError/socketPathTooLong(path:bytesMax:)`` or ``HomeError/unknown``.
    public init(
        folder: String?, user: UInt32, workingFolder: String, environment: (String) -> String?
    ) throws(HomeError) {
        func variable(_ name: String) -> String? {
            guard let value = environment(name), !value.isEmpty else { return nil }
            return value
        }
        if let given = folder ?? variable("PARLOR_HOME") {
            let base = Home.tidied(given.hasPrefix("/") ? given : workingFolder + "/" + given)
            let prefix = base == "/" ? "" : base
            self.folder = base
            settingsFiles = [prefix + "/config/parlor.conf"]
            data = prefix + "/data"
            state = prefix + "/state"
            run = prefix + "/run"
        } else {
            let home = variable("HOME")
            func place(_ name: String, _ fallback: String) throws(HomeError) -> String {
                if let set = variable(name), set.hasPrefix("/") { return Home.tidied(set) + "/parlor" }
                guard let home else { throw .unknown }
                return Home.tidied(home + "/" + fallback) + "/parlor"
            }
            self.folder = nil
            settingsFiles = [
                try place("XDG_CONFIG_HOME", ".config") + "/parlor.conf", "/etc/xdg/parlor/parlor.conf",
            ]
            data = try place("XDG_DATA_HOME", ".local/share")
            state = try place("XDG_STATE_HOME", ".local/state")
            if let set = variable("XDG_RUNTIME_DIR"), set.hasPrefix("/") {
                run = Home.tidied(set) + "/parlor"
            } else {
                run = "/tmp/parlor-\(user)"
            }
        }
        guard controlSocket.utf8.count <= Home.socketPathBytesMax else {
            throw .socketPathTooLong(path: controlSocket, bytesMax: Home.socketPathBytesMax)
        }
    }

    /// Finds the places of this process's home, from its own environment.
    public static func current(folder: String?) throws(HomeError) -> Home {
        let working = unsafe getcwd(nil, 0)
        defer { unsafe free(working) }
        let workingFolder = unsafe working.map { unsafe String(cString: $0) } ?? "/"
        return try Home(folder: folder, user: getuid(), workingFolder: workingFolder) { name in
            unsafe getenv(name).map { unsafe String(cString: $0) }
        }
    }

    /// Makes the folders that are missing, mode 0700, and checks that ``run`` is ours alone.
    ///
    /// Call before using any other path, in daemon and clients alike; harmless when all is there.
    public func createFolders() throws(HomeError) {
        var wanted = [data, state, run]
        if folder != nil, let settings = settingsFiles.first, let slash = settings.lastIndex(of: "/") {
            wanted.append(String(settings[..<slash]))
        }
        for path in wanted { try Home.createFolder(path) }
        try Home.checkPrivate(run)
    }

    private static func createFolder(_ path: String) throws(HomeError) {
        var partial = ""
        for part in path.split(separator: "/") {
            let above = partial.isEmpty ? "/" : partial
            partial += "/" + part
            guard unsafe mkdir(partial, 0o700) != 0 else { continue }
            let code = errno
            // A parent on a read-only or foreign file system answers otherwise although it is there.
            let exists = unsafe access(partial, F_OK) == 0
            guard code == EEXIST || exists else {
                throw .notMade(path: partial, above: above, code: code)
            }
        }
    }

    private static func checkPrivate(_ path: String) throws(HomeError) {
        var found = stat()
        guard unsafe lstat(path, &found) == 0 else {
            throw .failed(path: path, doing: "look at", code: errno)
        }
        guard found.st_mode & S_IFMT == S_IFDIR else {
            throw .unsafeFolder(path: path, problem: "is not a folder")
        }
        guard found.st_uid == getuid() else {
            throw .unsafeFolder(path: path, problem: "belongs to another user")
        }
        guard found.st_mode & 0o077 == 0 else {
            throw .unsafeFolder(path: path, problem: "is open to other users (chmod 700 closes it)")
        }
    }

    /// Without double and trailing slashes and `.` parts.
    private static func tidied(_ path: String) -> String {
        "/" + path.split(separator: "/").filter { $0 != "." }.joined(separator: "/")
    }
}
