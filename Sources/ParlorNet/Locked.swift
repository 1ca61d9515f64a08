import Glibc

/// A value that several threads take turns with.
///
/// Built on `pthread_mutex_t` rather than on a futex of its own, because that is what ThreadSanitizer
/// understands. Hold it for a few instructions only; nothing that blocks or calls back belongs inside.
@safe public final class Locked<Value>: @unchecked Sendable {
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private var value: Value

    /// Makes a lock around a first value.
    public init(_ value: sending Value) {
        self.value = value
        unsafe mutex = .allocate(capacity: 1)
        let status = unsafe pthread_mutex_init(mutex, nil)
        precondition(status == 0, "pthread_mutex_init: \(status)")
    }

    deinit {
        unsafe pthread_mutex_destroy(mutex)
        unsafe mutex.deallocate()
    }

    /// Runs `body` alone with the value; callable from any thread, not from inside another `withLock` of this
    /// lock.
    public func withLock<Answer, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> sending Answer
    ) throws(Failure) -> sending Answer {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        return try body(&value)
    }
}
