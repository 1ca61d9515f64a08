import Foundation
import Glibc

/// A private system bus and Avahi for tests, on loopback in a network namespace of their own.
///
/// libdbus reads `DBUS_SYSTEM_BUS_ADDRESS` once a process, so that all live tests share one address, one
/// after the other.
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

    /// Whether this machine lets tests have namespaces.
    ///
    /// A bus in a user namespace would not know who we are: root only.
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
        let child = try Child(
            [script, "sh", "-c", "echo ready; exec cat"], environment: ["PARLOR_BUS_DIR": folder])
        try child.waitForReady()
        return child
    }

    /// Starts the bus alone.
    static func startBus() throws -> Child {
        let child = try Child([
            "dbus-daemon", "--config-file=\(package)/Config/test/bus.conf",
            "--address=unix:path=\(folder)/bus",
            "--nofork", "--nopidfile", "--nosyslog", "--print-address=1",
        ])
        try child.waitForReady()
        return child
    }

    /// Two namespaces and a cable between them; the left one's bus is this process's, the right one's is in
    /// `right`.
    static func startTwoMachines() throws -> Child {
        let child = try Child(
            [
                "unshare", "--net", "bash", "-c", twoMachines, "two-machines", script, folder,
                folder + "/right",
            ])
        try child.waitForReady()
        return child
    }

    private static let twoMachines = #"""
        set -euo pipefail
        export PARLOR_AVAHI_NETWORK=here
        setpriv --pdeathsig KILL unshare --net sleep 1000 & right=$!
        mine=$(readlink /proc/self/ns/net)
        while [ "$(readlink /proc/$right/ns/net)" = "$mine" ]; do sleep 0.02; done
        ip link add left type veth peer name right netns $right
        ip link set lo up; ip addr add 10.77.0.1/24 dev left; ip link set left up
        there() { nsenter --target $right --net "$@"; }
        there ip link set lo up; there ip addr add 10.77.0.2/24 dev right; there ip link set right up
        pids=
        trap 'kill $pids 2>/dev/null; wait $pids; kill $right' EXIT
        trap 'exit 0' TERM
        start() { "$@" sh -c 'echo up; exec sleep 1000' >"$PARLOR_BUS_DIR/ready" & pids="$pids $!"; }
        export PARLOR_BUS_DIR=$2 PARLOR_AVAHI_HOST=left PARLOR_AVAHI_INTERFACE=left
        start "$1"; first=$2/ready
        export PARLOR_BUS_DIR=$3 PARLOR_AVAHI_HOST=right PARLOR_AVAHI_INTERFACE=right
        mkdir -p "$3"; start nsenter --target $right --net "$1"; second=$3/ready
        until [ -s "$first" ] && [ -s "$second" ]; do sleep 0.05; done
        echo ready
        cat <&0 >/dev/null & pids="$pids $!"
        wait $!
        """#

    /// Starts a daemon on the bus that ``startBus()`` made.
    static func startDaemon() throws -> Child {
        let child = try Child(
            [script, "sh", "-c", "echo ready; exec cat"],
            environment: ["PARLOR_BUS_DIR": folder, "PARLOR_AVAHI_BUS": "here"])
        try child.waitForReady()
        return child
    }
}

/// A process that a test started, and ends.
///
/// Its standard input stays open as long as the test's process lives.
///
/// Not Foundation's `Process`: that hands its caller's blocked signals on, and a blocked SIGTERM ends
/// nothing.
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
        for end in [input.fileHandleForWriting, output.fileHandleForReading] {
            _ = fcntl(end.fileDescriptor, F_SETFD, FD_CLOEXEC)  // or the child would hold its own input open
        }
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
        guard !output.fileHandleForReading.availableData.isEmpty else {
            throw Failure(text: "\(command) ended at once")
        }
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

/// Something that listens where the bus should be, and never answers.
final class HungBus {
    private let listener: Int32
    private var caller: Int32 = -1
    private let path: String

    init?(path: String) {
        self.path = path
        listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else { return nil }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        unlink(path)
        let isBound = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
            }
        }
        guard isBound, listen(listener, 1) == 0 else { return nil }
    }

    /// Waits for somebody to connect and to say something.
    func acceptCall() -> Bool {
        var waiting = pollfd(fd: listener, events: Int16(POLLIN), revents: 0)
        guard poll(&waiting, 1, 30_000) == 1 else { return false }
        caller = accept(listener, nil, nil)
        var talking = pollfd(fd: caller, events: Int16(POLLIN), revents: 0)
        return poll(&talking, 1, 30_000) == 1
    }

    func close() {
        for descriptor in [caller, listener] where descriptor >= 0 { _ = Glibc.close(descriptor) }
        unlink(path)
    }
}
