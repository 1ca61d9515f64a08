/// Which way to the network is used, and when the other one is: the system's daemon where it answers, the
/// responder of this process where it does not.
///
/// A value without clock or I/O: calls tell what happened and when (monotonic nanoseconds). Between leaving
/// one way and taking the other no room is announced, so none is ever announced on both.
struct ResponderChoice: Sendable {
    /// What somebody asked for.
    enum Mode: Sendable {
        /// The daemon, however long it is away.
        case daemon
        /// This process, whatever else there is.
        case embedded
        /// The daemon, and this process while there is none.
        case automatic
    }

    enum Action: Equatable, Sendable {
        /// Announce and browse through the daemon, which runs.
        case useDaemon
        /// Announce and browse from this process.
        case useEmbedded
        /// Withdraw what this process announces.
        case leaveEmbedded
    }

    private enum Phase {
        /// The daemon's turn; since when there is none, if so.
        case daemon(goneSince: UInt64?)
        case embedded
        /// Withdrawn here; the daemon's turn then.
        case leaving(until: UInt64)
    }

    /// Nanoseconds without a daemon after which this process does it by itself.
    static let patienceNanoseconds: UInt64 = 10_000_000_000
    /// Nanoseconds from withdrawing here to announcing through the daemon: others must have forgotten the
    /// name by then, or it would seem to be taken.
    static let pauseNanoseconds: UInt64 = 1_000_000_000

    private let mode: Mode
    private var phase: Phase

    /// Whether the daemon is to be looked for.
    var wantsDaemon: Bool { mode != .embedded }
    /// Whether this process is the one that announces and browses.
    var isEmbedded: Bool {
        if case .embedded = phase { true } else { false }
    }

    /// Begins with no daemon known.
    init(_ mode: Mode, at now: UInt64) {
        self.mode = mode
        phase = .daemon(goneSince: now)
    }

    /// When ``tick(at:)`` wants to be called next; `nil` while nothing waits for it.
    var deadline: UInt64? {
        switch phase {
        case .daemon(let goneSince):
            switch mode {
            case .daemon: nil
            case .embedded: goneSince
            case .automatic: goneSince.map { $0 + Self.patienceNanoseconds }
            }
        case .embedded: nil
        case .leaving(let until): until
        }
    }

    /// The daemon is there, but not ready yet.
    mutating func daemonAppeared() {
        if case .daemon = phase { phase = .daemon(goneSince: nil) }
    }

    /// The daemon is ready, or ready again.
    mutating func daemonRuns(at now: UInt64) -> [Action] {
        switch phase {
        case .daemon:
            phase = .daemon(goneSince: nil)
            return [.useDaemon]
        case .embedded:
            phase = .leaving(until: now + Self.pauseNanoseconds)
            return [.leaveEmbedded]
        case .leaving: return []
        }
    }

    /// There is no daemon, or none that can be used.
    mutating func daemonGone(at now: UInt64) {
        switch phase {
        case .daemon(let goneSince): phase = .daemon(goneSince: goneSince ?? now)
        case .embedded: break
        case .leaving: phase = .daemon(goneSince: now)
        }
    }

    /// Does what is due.
    ///
    /// Called early, it does nothing.
    mutating func tick(at now: UInt64) -> [Action] {
        guard let deadline, now >= deadline else { return [] }
        switch phase {
        case .daemon:
            phase = .embedded
            return [.useEmbedded]
        case .embedded: return []
        case .leaving:
            phase = .daemon(goneSince: nil)
            return [.useDaemon]
        }
    }
}
