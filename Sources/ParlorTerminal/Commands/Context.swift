internal import Glibc
internal import ParlorControl
internal import ParlorProtocol
internal import ParlorViews
internal import Synchronization

/// What a running command has at hand: its options, its home and, when asked for, the daemon.
final class Context {
    let invocation: Invocation
    let wantsJSON: Bool
    let quiet: Bool

    init(_ invocation: Invocation) {
        self.invocation = invocation
        wantsJSON = invocation.has("--json")
        quiet = invocation.has("--quiet")
    }

    /// Whether the command may stay and talk: both ends are terminals and nobody forbade it.
    var isInteractive: Bool {
        isatty(0) == 1 && isatty(1) == 1 && !invocation.has("--no-input") && !wantsJSON
    }

    /// Whether to leave drawings out.
    var plain: Bool {
        let asked = unsafe getenv("ACCESSIBLE") != nil
        return asked || invocation.has("--plain")
    }

    /// How long a call may take, in milliseconds.
    var timeoutMs: Int {
        get throws(CommandFailure) {
            let standard = 60_000
            return try invocation.milliseconds("--timeout") ?? standard
        }
    }

    func home() throws(CommandFailure) -> Home {
        do {
            return try Home.current(folder: invocation.value("--home"))
        } catch {
            throw CommandFailure(error.reason, error.message)
        }
    }

    /// A reader of logs, also of those with a list of words that this home keeps.
    func logReader() throws(CommandFailure) -> LogReader {
        let folder = try home().words
        return .standard { hash in
            guard let file = InputFile.open("\(folder)/\(hash)") else { return nil }
            var bytes: [UInt8] = []
            do throws(CommandFailure) {
                while let piece = try file.read() { bytes += piece }
            } catch {
                return nil
            }
            return bytes
        }
    }

    /// Where the daemon is, and whether it may be started.
    func daemonPlace() throws(CommandFailure) -> DaemonPlace {
        let home = try home()
        let socket = invocation.value("--socket")
        return DaemonPlace(
            home: home, socket: socket ?? home.controlSocket,
            mayStart: socket == nil && !invocation.has("--no-start"))
    }

    /// A connection to the daemon, started if need be, whose interface is ours.
    func connect() throws(CommandFailure) -> ControlClient {
        try daemonPlace().connect { self.detail($0) }
    }

    /// Prints a line that is not data, for people only.
    func talk(_ text: String) {
        guard !quiet, !wantsJSON else { return }
        Output.error(text)
    }

    /// Says where the seat is kept when a command that would stay and play on a terminal returns without one.
    func talkOfStaying() {
        guard !invocation.has("--detach") else { return }
        talk(
            "This is no terminal to play on: the daemon keeps your seat. "
                + "Go on with parlor view, parlor act and parlor leave.")
    }

    /// Says what is done, for those who asked with `-v`.
    func detail(_ text: String) {
        if invocation.has("--verbose") { talk(text) }
    }

    /// Prints the result: the JSON as it came, or the text made of it.
    func show(_ json: JSON, _ text: @autoclosure () -> [String]) {
        if wantsJSON {
            Output.line(json.encodedText)
        } else {
            for line in text() { Output.line(line) }
        }
    }

    /// Reads a typed value from a result.
    func read<Value: Decodable>(_ json: JSON, as type: Value.Type) throws(CommandFailure) -> Value {
        do {
            return try json.decode(type)
        } catch {
            throw CommandFailure(
                .versionMismatch,
                "The daemon's answer is not understood (\(error.message)). Restart it: parlor daemon restart")
        }
    }

    /// Calls and reads, for commands that make one call.
    func call(
        _ client: ControlClient, _ method: Method, _ params: some Encodable, waitMs: Int = 0
    ) throws(CommandFailure) -> JSON {
        try client.call(method, JSON(encoding: params), timeoutMs: timeoutMs + waitMs)
    }
}

/// Writing to the standard streams, whole lines at a time.
enum Output {
    static func line(_ text: String) { write(Array((text + "\n").utf8), to: 1) }

    /// Bytes as they are.
    static func bytes(_ bytes: [UInt8]) { write(bytes, to: 1) }

    /// How wide the terminal at standard output is; 80 when it does not tell.
    static var columns: Int {
        var size = winsize()
        guard unsafe ioctl(1, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
        return Int(size.ws_col)
    }

    static func error(_ text: String) { write(Array((text + "\n").utf8), to: 2) }

    /// The `errno` of the first write to standard output that did not work; 0 while all did.
    private static let fault = Atomic<CInt>(0)

    /// Makes sure that all that was written to standard output has gone there.
    ///
    /// - Throws: ``CommandFailure`` `failed` with the reason; not for a reader that has gone away, which has
    ///   what it wanted.
    static func check() throws(CommandFailure) {
        let code = fault.load(ordering: .relaxed)
        guard code != 0, code != EPIPE else { return }
        let why = unsafe String(cString: strerror(code))
        throw CommandFailure(.failed, "Standard output cannot be written, so the output is cut: \(why).")
    }

    private static func write(_ bytes: [UInt8], to descriptor: CInt) {
        var sent = 0
        while sent < bytes.count {
            let count = unsafe bytes.withUnsafeBytes { buffer in
                unsafe Glibc.write(descriptor, buffer.baseAddress?.advanced(by: sent), buffer.count - sent)
            }
            if count < 0, errno == EINTR { continue }
            if count < 0, errno == EAGAIN {
                var wait = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                _ = unsafe poll(&wait, 1, -1)
                continue
            }
            guard count > 0 else {
                if descriptor == 1 {
                    _ = fault.compareExchange(expected: 0, desired: errno, ordering: .relaxed)
                }
                return
            }
            sent += count
        }
    }
}
