import Foundation
import Glibc

/// A private system bus and Avahi for tests, on loopback in a network namespace of their own.
///
/// libdbus reads `DBUS_SYSTEM_BUS_ADDRESS` once a process, so that all live tests share one address, one after the other.
enum TestBus {
    /// The package's folder.
    static let package = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().path
    static let script = package + "/Scripts/with-avahi"

    /// Where the bus of this process is, if there is one.
    static let folder: String = {
        let folder = NSTemporaryDirectory() + "parlor-discovery-\(getpid())"
        try? FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        setenv("DBUS_SYSTEM_BUS_ADDRESS", "unix:path=\(folder)/bus", 1)
        atexit { try? FileManager.default.removeItem(atPath: TestBus.folder) }
        return folder
    }()

    /// Whether this machine lets tests have namespaces. A bus in a user namespace would not know who we are: root only.
    static let isPermitted: Bool = {
        guard geteuid() == 0 else {
            announceSkip("not root")
            return false
        }
        guard let probe = try? Child([script, "true"]), probe.wait() == 0 else {
            announceSkip("\(script) cannot run here")
            return false
        }
        return true
    }()

    private static func announceSkip(_ reason: String) {
        FileHandle.standardError.write(Data("SKIPPED: live discovery tests: \(reason)\n".utf8))
    }

    /// Starts bus and daemon; both end with the child.
    static func start() throws -> Child {
        let child = try Child([script, "sh", "-c", "echo ready; exec cat"], environment: ["PARLOR_BUS_DIR": folder])
        try child.waitForReady()
        return child
    }

    /// Starts the bus alone.
    static func startBus() throws -> Child {
        let child = try Child([
            "dbus-daemon", "--config-file=\(package)/Config/test/bus.conf", "--address=unix:path=\(folder)/bus",
            "--nofork", "--nopidfile", "--nosyslog", "--print-address=1",
        ])
        try child.waitForReady()
        return child
    }

    /// Starts a daemon on the bus that ``startBus()`` made.
    static func startDaemon() throws -> Child {
        let child = try Child(
            [script, "sh", "-c", "echo ready; exec cat"],
            environment: ["PARLOR_BUS_DIR": folder, "PARLOR_AVAHI_BUS": "here"])
        try child.waitForReady()
        return child
    }
}

/// A process that a test started, and ends. Its standard input stays open as long as the test's process lives.
///
/// Not Foundation's `Process`: that hands its caller's blocked signals on, and a blocked SIGTERM ends nothing.
final class Child {
    struct Failure: Error {
        let text: String
    }

    private let command: [String]
    private let process: pid_t
    private let input = Pipe()
    private let output = Pipe()
    private var status: Int32?

    init(_ command: [String], environment: [String: String] = [:]) throws {
        self.command = command
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, input.fileHandleForReading.fileDescriptor, 0)
        posix_spawn_file_actions_adddup2(&actions, output.fileHandleForWriting.fileDescriptor, 1)

        let variables = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        var arguments: [UnsafeMutablePointer<CChar>?] = command.map { strdup($0) } + [nil]
        var values: [UnsafeMutablePointer<CChar>?] = variables.map { strdup("\($0)=\($1)") } + [nil]
        defer { for text in arguments + values { free(text) } }
        var started = pid_t()
        let code = posix_spawnp(&started, command[0], &actions, &attributes, &arguments, &values)
        guard code == 0 else { throw Failure(text: "\(command): \(String(cString: strerror(code)))") }
        process = started
        try? output.fileHandleForWriting.close()
        try? input.fileHandleForReading.close()
    }

    deinit { stop() }

    /// Waits for the first output.
    func waitForReady() throws {
        guard !output.fileHandleForReading.availableData.isEmpty else { throw Failure(text: "\(command) ended at once") }
    }

    /// Waits for its end; its exit code, or 128 and the signal.
    func wait() -> Int32 {
        if let status { return status }
        var raw: Int32 = 0
        while waitpid(process, &raw, 0) < 0 && errno == EINTR {}
        let ended = raw & 0x7F == 0 ? raw >> 8 & 0xFF : 128 + raw & 0x7F
        status = ended
        return ended
    }

    /// Ends it in order, and waits for that.
    func stop() {
        guard status == nil else { return }
        kill(process, SIGTERM)
        _ = wait()
    }

    /// Holds it, or lets it go on.
    func hold(_ isHeld: Bool) { kill(process, isHeld ? SIGSTOP : SIGCONT) }
}
