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
                    "parlor daemon takes start, stop, restart, run or logs. Usage: \(context.invocation.command.usage)"
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

    /// Stops the daemon and waits until its socket is gone; `nil` when there was none.
    func stopIfRunning() throws(CommandFailure) -> Int? {
        guard let client = try place.connectIfRunning() else { return nil }
        let pid = Int(client.daemonPid)
        do {
            _ = try client.call(.shutdown, timeoutMs: Self.stopMsMax)
        } catch {
            // A daemon may be gone before its answer is read; that is what was wanted.
            guard error.reason == .noDaemon else { throw error }
        }
        let deadline = Deadline(afterMs: Self.stopMsMax)
        while !deadline.hasPassed {
            if case .nobody = UnixSocket.connect(to: place.socket), kill(pid_t(pid), 0) != 0 { return pid }
            Deadline.pause(ms: 10)
        }
        throw CommandFailure(
            .daemonSilent,
            "The daemon (pid \(pid)) was asked to stop but is still there after \(Self.stopMsMax / 1000) s. "
                + "See: parlor daemon logs. End it: kill \(pid)")
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
