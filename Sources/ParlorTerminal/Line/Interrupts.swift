internal import Glibc
internal import ParlorControl
internal import Synchronization

/// Signals, as exit codes or as bytes in a pipe that can be polled.
enum Interrupts {
    static let exitCode: Int32 = 130
    /// The exit code for Ctrl-\\, as a shell gives it for `SIGQUIT`.
    static let quitCode: Int32 = 128 + SIGQUIT

    /// Where the handler writes; -1 while nobody reads.
    fileprivate static let writeEnd = Atomic<CInt>(-1)

    /// Ctrl-C ends the process with 130 and Ctrl-\\ with 131, without a report of a crash; a reader that goes
    /// away ends it, whatever the parent ignored.
    ///
    /// For commands that wait or print without end.
    static func endAtOnce() {
        _ = signal(SIGPIPE, SIG_DFL)
        install({ number in _exit(128 + number) }, for: [SIGINT, SIGQUIT])
    }

    /// Turns INT, QUIT, TERM, HUP and TSTP into bytes of their numbers; returns what to poll and read.
    static func asPipe() throws(CommandFailure) -> CInt {
        var ends: [CInt] = [-1, -1]
        guard unsafe pipe(&ends) == 0 else {
            throw CommandFailure(.failed, "No pipe for signals: \(unsafe String(cString: strerror(errno))).")
        }
        for end in ends {
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
        }
        writeEnd.store(ends[1], ordering: .sequentiallyConsistent)
        installTelling(for: [SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGTSTP])
        return ends[0]
    }

    /// Takes Ctrl-Z as a byte again, after it has had its usual effect once.
    static func takeSuspension() { installTelling(for: [SIGTSTP]) }

    private static func installTelling(for signals: [CInt]) {
        install(
            { number in
                let code = errno
                var byte = UInt8(truncatingIfNeeded: number)
                _ = unsafe write(Interrupts.writeEnd.load(ordering: .sequentiallyConsistent), &byte, 1)
                errno = code
            }, for: signals)
    }

    private static func install(_ handler: @convention(c) (CInt) -> Void, for signals: [CInt]) {
        // Made before the first signal can come: a handler must not be the first to touch it.
        _ = writeEnd.load(ordering: .sequentiallyConsistent)
        // Some parents start their children with signals blocked; a person's keys must work nevertheless.
        var wanted = sigset_t()
        unsafe sigemptyset(&wanted)
        for signal in signals + [SIGTSTP, SIGCONT] { unsafe sigaddset(&wanted, signal) }
        _ = unsafe pthread_sigmask(SIG_UNBLOCK, &wanted, nil)
        for signal in signals {
            var action = sigaction()
            unsafe action.__sigaction_handler.sa_handler = handler
            unsafe sigemptyset(&action.sa_mask)
            _ = unsafe sigaction(signal, &action, nil)
        }
    }
}
