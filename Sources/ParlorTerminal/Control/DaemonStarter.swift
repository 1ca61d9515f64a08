internal import Glibc
internal import ParlorControl

/// Starts the daemon of a home in the background, exactly once however many clients want it.
///
/// Clients that race hold `run/start.lock` one after the other; all but the first find the daemon there.
struct DaemonStarter {
    let place: DaemonPlace

    /// How long a start may take, in milliseconds.
    private static let startMsMax = 10_000
    /// How long to wait between two looks for the socket, in milliseconds.
    private static let lookMs: CInt = 5

    /// Starts the daemon unless it runs by now, and connects.
    ///
    /// With `staying` the daemon stays until it is stopped; otherwise it may leave when it is idle.
    func start(staying: Bool) throws(CommandFailure) -> ControlClient {
        let deadline = Deadline(afterMs: Self.startMsMax)
        do {
            try place.home.createFolders()
        } catch {
            throw CommandFailure(error.reason, error.message)
        }
        let lock = try takeLock(until: deadline)
        defer { _ = close(lock) }
        if let client = try place.connectIfRunning() { return client }
        let pid = try spawn(staying: staying)
        return try waitForSocket(of: pid, until: deadline)
    }

    /// The daemon's program: beside this one, else found by `PATH`.
    static func program() -> String {
        var bytes = [UInt8](repeating: 0, count: Int(PATH_MAX))
        let count = unsafe bytes.withUnsafeMutableBytes { buffer in
            unsafe buffer.withMemoryRebound(to: CChar.self) { text in
                guard let start = text.baseAddress else { return 0 }
                return unsafe readlink("/proc/self/exe", start, text.count)
            }
        }
        if count > 0 {
            let own = String(decoding: bytes[..<count], as: UTF8.self)
            let beside = String(own[...(own.lastIndex(of: "/") ?? own.startIndex)]) + "parlord"
            if unsafe access(beside, X_OK) == 0 { return beside }
        }
        return "parlord"
    }

    /// What the daemon is told, after its name.
    static func arguments(for home: Home, staying: Bool) -> [String] {
        (staying ? [] : ["--on-demand"]) + (home.folder.map { ["--home", $0] } ?? [])
    }

    private func takeLock(until deadline: Deadline) throws(CommandFailure) -> CInt {
        let path = place.home.startLock
        let lock = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard lock >= 0 else { throw failure("Could not open \(path): \(Self.text(errno)).") }
        while flock(lock, LOCK_EX | LOCK_NB) != 0 {
            guard !deadline.hasPassed else {
                _ = close(lock)
                throw failure("Another command has been starting the daemon for too long.")
            }
            Deadline.pause(ms: Self.lookMs)
        }
        return lock
    }

    /// Keeps what this command was given open from staying open in the daemon, whose life is longer: a
    /// pipe held by it would keep its reader waiting.
    private func keepDescriptorsHere() {
        let descriptorsMax: CInt = 1024
        for descriptor in 3..<descriptorsMax { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
    }

    private func spawn(staying: Bool) throws(CommandFailure) -> pid_t {
        keepDescriptorsHere()
        var actions = unsafe posix_spawn_file_actions_t()
        var attributes = posix_spawnattr_t()
        unsafe posix_spawn_file_actions_init(&actions)
        unsafe posix_spawnattr_init(&attributes)
        defer {
            unsafe posix_spawn_file_actions_destroy(&actions)
            unsafe posix_spawnattr_destroy(&attributes)
        }
        unsafe posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        unsafe posix_spawn_file_actions_addopen(
            &actions, 1, place.home.logFile, O_WRONLY | O_CREAT | O_APPEND, 0o600)
        unsafe posix_spawn_file_actions_adddup2(&actions, 1, 2)
        var none = sigset_t()
        unsafe sigemptyset(&none)
        unsafe posix_spawnattr_setsigmask(&attributes, &none)
        // A handler is reset by exec, but an ignored signal would stay ignored.
        var all = sigset_t()
        unsafe sigfillset(&all)
        unsafe posix_spawnattr_setsigdefault(&attributes, &all)
        let sessionFlag: Int32 = 0x80  // POSIX_SPAWN_SETSID
        let flags = Int32(POSIX_SPAWN_SETSIGMASK) | Int32(POSIX_SPAWN_SETSIGDEF) | sessionFlag
        unsafe posix_spawnattr_setflags(&attributes, Int16(flags))

        let program = Self.program()
        let words = [program] + Self.arguments(for: place.home, staying: staying)
        var pid: pid_t = 0
        let code = unsafe CStrings.with(words) { arguments in
            unsafe posix_spawnp(&pid, program, &actions, &attributes, arguments, environ)
        }
        guard code == 0 else {
            throw failure("Could not start \(program): \(Self.text(code)). Is Parlor installed whole?")
        }
        return pid
    }

    private func waitForSocket(of pid: pid_t, until deadline: Deadline) throws(CommandFailure)
        -> ControlClient
    {
        while !deadline.hasPassed {
            if let client = try place.connectIfRunning() { return client }
            var status: CInt = 0
            if unsafe waitpid(pid, &status, WNOHANG) == pid {
                // A daemon that somebody else started at the same moment made ours give way.
                if let client = try place.connectIfRunning() { return client }
                throw ended(status)
            }
            Deadline.pause(ms: Self.lookMs)
        }
        throw failure(
            "The daemon was started (pid \(pid)) but its socket did not appear in "
                + "\(Self.startMsMax / 1000) s."
        )
    }

    private func ended(_ status: CInt) -> CommandFailure {
        let said = LogFile.tail(of: place.home.logFile, lines: 1).first.map(CleanText.line).map(
            Self.withoutTime)
        let why = said.map { ": \($0)" + ($0.hasSuffix(".") ? "" : ".") } ?? "."
        let exit = status & 0x7F == 0 ? (status >> 8) & 0xFF : -1
        let addressInUse: CInt = 4
        if exit == addressInUse {
            return CommandFailure(.addressInUse, "The daemon could not start\(why) See: parlor daemon logs")
        }
        return failure("The daemon could not start\(why)")
    }

    /// What a line of the log says, without when and by whom.
    static func withoutTime(_ line: String) -> String {
        let mark = "Z parlord: "
        let timeBytes = "00:00:00".utf8.count
        let rest = line.utf8.dropFirst(timeBytes)
        return rest.starts(with: mark.utf8)
            ? String(decoding: rest.dropFirst(mark.utf8.count), as: UTF8.self) : line
    }

    private func failure(_ what: String) -> CommandFailure {
        CommandFailure(.noDaemon, what + " See: parlor daemon logs. In the foreground: parlor daemon run")
    }

    private static func text(_ code: Int32) -> String { unsafe String(cString: strerror(code)) }
}

/// Lists of strings as C wants them.
enum CStrings {
    /// Calls with a `NULL`-terminated array of C strings that lives as long as the call.
    static func with<Result>(
        _ words: [String], _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Result
    ) -> Result {
        let list = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>.allocate(capacity: words.count + 1)
        for (index, word) in words.enumerated() { unsafe list[index] = strdup(word) }
        unsafe list[words.count] = nil
        defer {
            for index in words.indices { unsafe free(list[index]) }
            unsafe list.deallocate()
        }
        return unsafe body(list)
    }
}

/// Reading the end of the daemon's log.
enum LogFile {
    /// The most bytes that are looked at.
    private static let bytesMax = 1_048_576

    /// The last lines of a file, oldest first; empty when it cannot be read.
    static func tail(of path: String, lines: Int) -> [String] {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return [] }
        defer { _ = close(descriptor) }
        let size = lseek(descriptor, 0, SEEK_END)
        _ = lseek(descriptor, max(0, size - off_t(bytesMax)), SEEK_SET)
        var bytes = [UInt8](repeating: 0, count: bytesMax)
        let count = unsafe read(descriptor, &bytes, bytes.count)
        guard count > 0 else { return [] }
        let text = String(decoding: bytes[..<count], as: UTF8.self)
        return text.split(whereSeparator: \.isNewline).suffix(lines).map(String.init)
    }
}
