import Glibc

/// Announces and finds rooms through the system's Avahi daemon, over D-Bus (`DBUS_SYSTEM_BUS_ADDRESS`), or
/// with Avahi's library in this process.
///
/// Every call to the daemon waits for it, so a thread of its own makes them all. Without a way to the network
/// the state says so, and everything asked for happens once there is one.
public final class AvahiBackend: DiscoveryBackend, Sendable {
    /// Who announces and browses.
    public enum Mode: Sendable {
        /// The system's daemon, however long it is away.
        case daemon
        /// This process, whether there is a daemon or not.
        case embedded
        /// The daemon; this process while there has been none for 10 seconds.
        case automatic
    }

    /// How long ``stop()`` waits at most, in nanoseconds.
    ///
    /// A call on a bus that hangs cannot be interrupted.
    static let stopNanosecondsMax: UInt64 = 1_800_000_000
    /// Bytes of the thread's stack.
    private static let stackBytes = 1 << 20

    private let inbox: Inbox
    private let thread: DiscoveryThread

    /// Starts the thread; `nil` when there is no descriptor, memory or thread left.
    ///
    /// - Parameters:
    ///   - mode: Who announces and browses.
    ///   - interfaces: Announce and browse on these only (`if_nametoindex`); `nil` means on all.
    ///   - events: Called on the discovery thread for each event, in order. It may call back into this
    ///     backend.
    public init?(
        mode: Mode = .daemon, interfaces: [UInt32]? = nil,
        events: @escaping @Sendable (DiscoveryEvent) -> Void
    ) {
        guard let inbox = Inbox() else { return nil }
        let choice: ResponderChoice.Mode =
            switch mode {
            case .daemon: .daemon
            case .embedded: .embedded
            case .automatic: .automatic
            }
        let start = DiscoveryThread.Start(inbox: inbox, mode: choice, interfaces: interfaces, events: events)
        guard let thread = DiscoveryThread(start: start, stackBytes: Self.stackBytes) else { return nil }
        self.inbox = inbox
        self.thread = thread
    }

    deinit { stop() }

    /// See ``DiscoveryBackend/publish(_:)``.
    public func publish(_ record: RoomRecord) { inbox.send(.publish(record)) }

    /// See ``DiscoveryBackend/update(_:)``.
    public func update(_ record: RoomRecord) { inbox.send(.update(record)) }

    /// See ``DiscoveryBackend/withdraw(roomID:)``.
    public func withdraw(roomID: [UInt8]) { inbox.send(.withdraw(roomID: roomID)) }

    /// See ``DiscoveryBackend/markUnreachable(roomID:hostID:)``.
    public func markUnreachable(roomID: [UInt8], hostID: [UInt8]) {
        inbox.send(.markUnreachable(roomID: roomID, hostID: hostID))
    }

    /// See ``DiscoveryBackend/resolveAgain(roomID:)``.
    public func resolveAgain(roomID: [UInt8]) { inbox.send(.resolveAgain(roomID: roomID)) }

    /// See ``DiscoveryBackend/distrust()``.
    public func distrust() { inbox.send(.distrust) }

    /// See ``DiscoveryBackend/setInterfaces(_:)``.
    public func setInterfaces(_ interfaces: [UInt32]?) { inbox.send(.setInterfaces(interfaces)) }

    /// See ``DiscoveryBackend/stop()``; stopping twice is harmless.
    public func stop() {
        inbox.stop()
        thread.join(inbox: inbox, until: Clock.now + Self.stopNanosecondsMax)
    }
}

/// One thread, joined once.
final class DiscoveryThread: Sendable {
    /// What the thread begins with.
    final class Start: Sendable {
        let inbox: Inbox
        let mode: ResponderChoice.Mode
        let interfaces: [UInt32]?
        let events: @Sendable (DiscoveryEvent) -> Void

        init(
            inbox: Inbox, mode: ResponderChoice.Mode, interfaces: [UInt32]?,
            events: @escaping @Sendable (DiscoveryEvent) -> Void
        ) {
            self.inbox = inbox
            self.mode = mode
            self.interfaces = interfaces
            self.events = events
        }
    }

    private let thread: Locked<pthread_t?>

    /// `nil` when the system has no thread left.
    init?(start: Start, stackBytes: Int) {
        var attributes = pthread_attr_t()
        unsafe pthread_attr_init(&attributes)
        defer { unsafe pthread_attr_destroy(&attributes) }
        unsafe pthread_attr_setstacksize(&attributes, stackBytes)
        var made = pthread_t()
        let context = unsafe Unmanaged.passRetained(start)
        guard unsafe pthread_create(&made, &attributes, parlorDiscoveryThread, context.toOpaque()) == 0 else {
            unsafe context.release()
            return nil
        }
        thread = Locked(made)
    }

    /// Waits for the thread's end until the deadline, and lets go of it then: it ends when its call returns.
    ///
    /// On the thread itself there is nothing to wait for.
    func join(inbox: Inbox, until deadline: UInt64) {
        let taken = thread.withLock { thread in
            defer { thread = nil }
            return thread
        }
        guard let taken else { return }
        if pthread_equal(taken, pthread_self()) == 0, inbox.waitForEnd(until: deadline) {
            pthread_join(taken, nil)
        } else {
            pthread_detach(taken)
        }
    }
}

@c private func parlorDiscoveryThread(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let context = unsafe context else { return nil }
    let start = unsafe Unmanaged<DiscoveryThread.Start>.fromOpaque(context).takeRetainedValue()
    blockSignals()
    if let loop = AvahiLoop(inbox: start.inbox) {
        AvahiEngine(
            inbox: start.inbox, loop: loop, mode: start.mode, interfaces: start.interfaces,
            sink: start.events
        ).run()
    } else {
        let detail =
            "no memory or descriptors are left for discovery; "
            + "joining by address works: parlor join --address HOST:PORT"
        start.events(.state(DiscoveryState(backend: .avahi, word: .off, detail: detail, interfaces: [])))
    }
    start.inbox.end()
    return nil
}

/// Signals are the main thread's.
private func blockSignals() {
    var all = sigset_t()
    unsafe sigfillset(&all)
    unsafe pthread_sigmask(SIG_BLOCK, &all, nil)
}
