internal import Glibc
internal import ParlorControl

extension Command {
    static let daemon = Command(
        name: "daemon", summary: "start, stop or look at the daemon of this home",
        operands: "start|stop|restart|run|logs", words: 1...1,
        choices: ["start", "stop", "restart", "run", "logs"],
        options: [OptionSpec("--lines", "N", "how many lines of the log to print (50)")],
        details: [
            "start puts it in the background until it is stopped; run keeps it here, in the foreground.",
            "Other verbs start it by themselves, and then it leaves when it has been idle for 10 minutes.",
        ],
        examples: ["parlor daemon start", "parlor daemon logs --lines 100"],
        run: { context throws(CommandFailure) in
            let control = DaemonControl(context: context, place: try context.daemonPlace())
            switch context.invocation.words[0] {
            case "start": return try control.start()
            case "stop": return try control.stop()
            case "restart":
                _ = try control.stopIfRunning()
                return try control.start()
            case "run": return try control.run()
            case "logs": return try control.logs()
            default:
                throw .usage(
                    "parlor daemon takes start, stop, restart, run or logs. Usage: "
                        + "\(context.invocation.command.usage)"
                )
            }
        })
}

/// What `parlor daemon` does.
struct DaemonControl {
    let context: Context
    let place: DaemonPlace

    /// How long a daemon may take to end, in milliseconds; it promises 5 s.
    private static let stopMsMax = 7_000
    /// How long the kernel may take to end a killed one, in milliseconds.
    private static let killMsMax = 2_000

    func start() throws(CommandFailure) -> Int32 {
        if let client = try place.connectIfRunning() {
            return report(
                "running", Int(client.daemonPid), "The daemon is running already (pid \(client.daemonPid)).")
        }
        let client = try DaemonStarter(place: place).start(staying: true)
        return report("running", Int(client.daemonPid), "The daemon is running (pid \(client.daemonPid)).")
    }

    func stop() throws(CommandFailure) -> Int32 {
        guard let pid = try stopIfRunning() else {
            return report("stopped", nil, "The daemon was not running.")
        }
        return report("stopped", pid, "The daemon (pid \(pid)) has stopped.")
    }

    /// Stops the daemon and waits until it is gone; `nil` when there was none.
    ///
    /// One that does not answer, or not in our language, is ended by signals.
    func stopIfRunning() throws(CommandFailure) -> Int? {
        var pid = 0
        do {
            guard let client = try place.connectIfRunning() else { return nil }
            pid = Int(client.daemonPid)
            try askToStop(client)
        } catch {
            guard [.daemonSilent, .versionMismatch, .timedOut].contains(error.reason),
                case .connected(let connection) = UnixSocket.connect(to: place.socket)
            else { throw error }
            pid = Int(connection.peerPid)
            _ = kill(connection.peerPid, SIGTERM)
        }
        if waitForEnd(of: pid, ms: Self.stopMsMax) { return pid }
        context.talk("The daemon (pid \(pid)) did not stop in \(Self.stopMsMax / 1000) s; killing it.")
        _ = kill(pid_t(pid), SIGKILL)
        if waitForEnd(of: pid, ms: Self.killMsMax) { return pid }
        throw CommandFailure(
            .daemonSilent, "The daemon (pid \(pid)) cannot be stopped. See what holds it: ps -l \(pid)")
    }

    private func askToStop(_ client: ControlClient) throws(CommandFailure) {
        do {
            _ = try client.call(.shutdown, timeoutMs: Self.stopMsMax)
        } catch {
            // A daemon may be gone before its answer is read; that is what was wanted.
            guard error.reason == .noDaemon else { throw error }
        }
    }

    private func waitForEnd(of pid: Int, ms: Int) -> Bool {
        let deadline = Deadline(afterMs: ms)
        while !deadline.hasPassed {
            if Self.hasEnded(pid) { return true }
            Deadline.pause(ms: 10)
        }
        return false
    }

    /// Whether a process is gone, or has ended and only waits for its parent to look.
    static func hasEnded(_ pid: Int) -> Bool {
        guard kill(pid_t(pid), 0) == 0 else { return true }
        let stat = LogFile.tail(of: "/proc/\(pid)/stat", lines: 1).first ?? ""
        let afterName = stat.split(separator: ")").last ?? ""
        return afterName.hasPrefix(" Z")
    }

    /// Becomes the daemon; returns only when that fails.
    func run() throws(CommandFailure) -> Int32 {
        let program = DaemonStarter.program()
        let words = [program] + DaemonStarter.arguments(for: place.home, staying: true)
        unsafe CStrings.with(words) { arguments in _ = unsafe execvp(program, arguments) }
        let why = unsafe String(cString: strerror(errno))
        throw CommandFailure(.noDaemon, "Could not run \(program): \(why). Is Parlor installed whole?")
    }

    func logs() throws(CommandFailure) -> Int32 {
        let standard = 50
        let count = try context.invocation.number("--lines") ?? standard
        let path = place.home.logFile
        let lines = LogFile.tail(of: path, lines: count).map(CleanText.line)
        context.show(["file": .string(path), "lines": .array(lines.map { .string($0) })], lines)
        if lines.isEmpty {
            context.talk(
                "\(path) is empty or missing: the daemon has not been started in the background here.")
        }
        return 0
    }

    private func report(_ state: String, _ pid: Int?, _ text: String) -> Int32 {
        var json: JSON = ["state": .string(state)]
        json["pid"] = pid.map { .int($0) }
        context.show(json, [text])
        return 0
    }
}
