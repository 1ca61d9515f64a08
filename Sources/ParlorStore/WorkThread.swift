internal import Glibc
internal import Synchronization

/// Work that is handed to one thread by others, in order, with a bell that wakes the thread.
///
/// Built on `pthread_mutex_t` and `pthread_cond_t`, which ThreadSanitizer understands.
@safe final class WorkQueue<Work: Sendable>: @unchecked Sendable {
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let bell: UnsafeMutablePointer<pthread_cond_t>
    private var waiting: [Work] = []
    private var isClosed = false

    init() {
        unsafe mutex = .allocate(capacity: 1)
        unsafe bell = .allocate(capacity: 1)
        unsafe pthread_mutex_init(mutex, nil)
        var attributes = pthread_condattr_t()
        unsafe pthread_condattr_init(&attributes)
        unsafe pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        unsafe pthread_cond_init(bell, &attributes)
        unsafe pthread_condattr_destroy(&attributes)
    }

    deinit {
        unsafe pthread_cond_destroy(bell)
        unsafe pthread_mutex_destroy(mutex)
        unsafe bell.deallocate()
        unsafe mutex.deallocate()
    }

    /// Adds work and rings; returns whether it was taken, which it is until ``close()``.
    @discardableResult func put(_ work: Work) -> Bool {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        guard !isClosed else { return false }
        waiting.append(work)
        unsafe pthread_cond_signal(bell)
        return true
    }

    /// Takes no more work; the thread gets what is there and then hears that it was the last.
    func close() {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        isClosed = true
        unsafe pthread_cond_signal(bell)
    }

    /// Waits for work, for the end, or until a moment (``Clock/now``), and takes all the work there is.
    ///
    /// Called by the one thread.
    func take(until deadline: UInt64?) -> (work: [Work], isClosed: Bool) {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        while waiting.isEmpty, !isClosed {
            guard let deadline else {
                unsafe pthread_cond_wait(bell, mutex)
                continue
            }
            var time = timespec(
                tv_sec: Int(deadline / 1_000_000_000), tv_nsec: Int(deadline % 1_000_000_000))
            guard unsafe pthread_cond_timedwait(bell, mutex, &time) == 0 else { break }
        }
        defer { waiting = [] }
        return (waiting, isClosed)
    }
}

/// One plain thread, with all signals blocked; whoever starts it joins it.
final class WorkThread: Sendable {
    private static let stackBytes = 1 << 20

    private final class Start: Sendable {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    private let thread: pthread_t
    private let isJoined = Atomic(false)

    /// Runs the body on a thread of its own.
    ///
    /// - Throws: ``StoreError`` `system` when the system has no thread left.
    init(_ body: @escaping @Sendable () -> Void) throws(StoreError) {
        var attributes = pthread_attr_t()
        unsafe pthread_attr_init(&attributes)
        defer { unsafe pthread_attr_destroy(&attributes) }
        unsafe pthread_attr_setstacksize(&attributes, Self.stackBytes)
        var made = pthread_t()
        let context = unsafe Unmanaged.passRetained(Start(body))
        let status = unsafe pthread_create(&made, &attributes, parlorStoreThread, context.toOpaque())
        guard status == 0 else {
            unsafe context.release()
            throw StoreError(.system, path: "", message: "no thread is left", errno: status)
        }
        thread = made
    }

    /// Waits until the body has returned; not to be called on the thread itself.
    ///
    /// A second call does nothing.
    func join() {
        guard !isJoined.exchange(true, ordering: .relaxed) else { return }
        pthread_join(thread, nil)
    }

    fileprivate static func run(_ context: UnsafeMutableRawPointer) {
        var all = sigset_t()
        unsafe sigfillset(&all)
        unsafe pthread_sigmask(SIG_BLOCK, &all, nil)
        let start = unsafe Unmanaged<Start>.fromOpaque(context).takeRetainedValue()
        start.body()
    }
}

@c private func parlorStoreThread(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    if let context = unsafe context { unsafe WorkThread.run(context) }
    return nil
}

/// The clocks of everything here.
enum Clock {
    /// Monotonic nanoseconds.
    static var now: UInt64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }

    /// The date and time in UTC as `YYYYMMDD-HHMMSS`.
    static var stamp: String {
        var now = time(nil)
        var parts = unsafe tm()
        unsafe gmtime_r(&now, &parts)
        var text = [CChar](repeating: 0, count: 32)
        let length = unsafe strftime(&text, text.count, "%Y%m%d-%H%M%S", &parts)
        return String(decoding: text.prefix(length).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
