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
final class Child {
    struct Failure: Error {
        let text: String
    }

    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()

    init(_ command: [String], environment: [String: String] = [:]) throws {
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = command
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        try? output.fileHandleForWriting.close()
    }

    deinit { stop() }

    /// Waits for the first line of output.
    func waitForReady() throws {
        guard !output.fileHandleForReading.availableData.isEmpty else {
            throw Failure(text: "\(process.arguments ?? []) ended at once")
        }
    }

    func wait() -> Int32 {
        process.waitUntilExit()
        return process.terminationStatus
    }

    /// Ends it in order.
    func stop() {
        guard process.isRunning else { return }
        process.terminate()
        process.waitUntilExit()
    }

    /// Holds it, or lets it go on.
    func hold(_ isHeld: Bool) { kill(process.processIdentifier, isHeld ? SIGSTOP : SIGCONT) }
}
