internal import Glibc
internal import ParlorControl

/// Where the daemon is expected, and how a connection to it is made.
struct DaemonPlace {
    let home: Home
    let socket: String
    /// Whether a daemon that is not there may be started.
    let mayStart: Bool

    /// How long a running daemon may take to say hello, in milliseconds.
    private static let helloMsMax = 2_000

    /// Connects, starting the daemon when none answers, and checks that it speaks our interface.
    ///
    /// What is done meanwhile is told to `talk`.
    func connect(_ talk: (String) -> Void) throws(CommandFailure) -> ControlClient {
        if let client = try connectIfRunning() { return client }
        guard mayStart else { throw notRunning }
        talk("No daemon answers at \(socket); starting \(DaemonStarter.program()).")
        return try DaemonStarter(place: self).start(staying: false)
    }

    /// Connects to a running daemon; `nil` when there is none.
    func connectIfRunning() throws(CommandFailure) -> ControlClient? {
        let deadline = Deadline(afterMs: Self.helloMsMax)
        while true {
            switch UnixSocket.connect(to: socket) {
            case .connected(let connection): return try greet(ControlClient(connection))
            case .nobody: return nil
            case .busy:
                guard !deadline.hasPassed else {
                    throw silent(pid: Endpoints.read(from: home.endpointsFile)?.pid)
                }
                Deadline.pause(ms: 20)
            case .notOurs:
                throw CommandFailure(
                    .socketNotOurs,
                    "The control socket \(socket) belongs to another user, so it is not used. "
                        + "Look at it: ls -l \(socket). Use a home of your own: parlor --home DIR")
            case .failed(let code):
                let why = unsafe String(cString: strerror(code))
                throw CommandFailure(
                    .noDaemon,
                    "The control socket \(socket) cannot be used: \(why). Look at it: ls -l \(socket)")
            }
        }
    }

    private func greet(_ client: ControlClient) throws(CommandFailure) -> ControlClient {
        let params = HelloParams(client: "parlor/\(ParlorVersion.current)", api: ParlorVersion.api)
        let answer: JSON
        do {
            answer = try client.call(.hello, JSON(encoding: params), timeoutMs: Self.helloMsMax)
        } catch {
            guard error.reason == .timedOut, error.code == 0 else { throw error }
            throw silent(pid: Int(client.daemonPid))
        }
        guard answer["api"]?.integer == ParlorVersion.api else {
            let theirs = CleanText.line(answer["version"]?.text ?? "of an unknown version")
            throw CommandFailure(
                .versionMismatch,
                "The running daemon is \(theirs), this command is \(ParlorVersion.current), and they do not "
                    + "understand each other. Restart it: parlor daemon restart")
        }
        return client
    }

    private var notRunning: CommandFailure {
        CommandFailure(.noDaemon, "No daemon answers at \(socket). Start it: parlor daemon start")
    }

    private func silent(pid: Int?) -> CommandFailure {
        let who = pid.map { "parlord is running (pid \($0))" } ?? "parlord is running"
        return CommandFailure(
            .daemonSilent,
            "\(who) but did not answer in \(Self.helloMsMax / 1000) s. See: parlor daemon logs. "
                + "Restart: parlor daemon restart")
    }
}
