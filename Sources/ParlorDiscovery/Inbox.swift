import Glibc

/// What the daemon's thread asks of the discovery thread.
enum DiscoveryCommand: Sendable {
    case publish(RoomRecord)
    case update(RoomRecord)
    case withdraw(roomID: [UInt8])
    case markUnreachable(roomID: [UInt8], hostID: [UInt8])
    case resolveAgain(roomID: [UInt8])
    case distrust
    case setInterfaces([UInt32]?)
}

/// The only thing that the two threads share: commands one way, a pipe that wakes, and the end.
final class Inbox: Sendable {
    private struct Content {
        var commands: [DiscoveryCommand] = []
        var isStopping = false
        var hasEnded = false
    }

    private let content = Locked(Content())
    /// Readable when there is something to do.
    ///
    /// The thread's poll watches it.
    let wakeDescriptor: CInt
    private let wakeSource: CInt

    /// `nil` when there are no descriptors left.
    init?() {
        var ends: [CInt] = [-1, -1]
        guard unsafe pipe(&ends) == 0 else { return nil }
        (wakeDescriptor, wakeSource) = (ends[0], ends[1])
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
    }

    deinit {
        close(wakeDescriptor)
        close(wakeSource)
    }

    /// Whether the thread should end.
    var isStopping: Bool { content.withLock(\.isStopping) }

    /// Adds a command, unless the end has been asked for, and wakes the thread.
    func send(_ command: DiscoveryCommand) {
        content.withLock { if !$0.isStopping { $0.commands.append(command) } }
        wake()
    }

    /// Asks the thread to end.
    func stop() {
        content.withLock {
            $0.isStopping = true
            $0.commands = []
        }
        wake()
    }

    /// Takes all commands.
    ///
    /// Called by the thread.
    func take() -> [DiscoveryCommand] {
        content.withLock { content in
            defer { content.commands = [] }
            return content.commands
        }
    }

    /// Empties the pipe.
    ///
    /// Called by the thread.
    func drain() {
        var bytes = [UInt8](repeating: 0, count: 64)
        while unsafe read(wakeDescriptor, &bytes, bytes.count) > 0 {}
    }

    /// The thread's last word.
    func end() { content.change { $0.hasEnded = true } }

    /// Waits for ``end()`` until the deadline.
    ///
    /// Returns whether it came.
    func waitForEnd(until deadline: UInt64) -> Bool { content.wait(until: deadline) { $0.hasEnded } }

    /// A full pipe is as good as a written one.
    private func wake() {
        var byte: UInt8 = 1
        _ = unsafe write(wakeSource, &byte, 1)
    }
}
