import Glibc

/// A value behind a lock that ThreadSanitizer understands, and a bell that rings when the value changed.
@safe final class Locked<Value>: @unchecked Sendable {
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let bell: UnsafeMutablePointer<pthread_cond_t>
    private var value: Value

    init(_ value: Value) {
        self.value = value
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

    /// Runs the body with the value, alone.
    ///
    /// The body must not come back to this lock.
    func withLock<Result>(_ body: (inout Value) -> Result) -> Result {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        return body(&value)
    }

    /// As ``withLock(_:)``, and wakes everybody who waits.
    func change(_ body: (inout Value) -> Void) {
        withLock(body)
        unsafe pthread_cond_broadcast(bell)
    }

    /// Waits until the value is as wanted, at most until the deadline (``Clock/now``).
    ///
    /// - Returns: Whether it is.
    func wait(until deadline: UInt64, for isWanted: (Value) -> Bool) -> Bool {
        var time = timespec(
            tv_sec: Int(deadline / 1_000_000_000), tv_nsec: Int(deadline % 1_000_000_000))
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        while !isWanted(value) {
            guard unsafe pthread_cond_timedwait(bell, mutex, &time) == 0 else { return isWanted(value) }
        }
        return true
    }
}

/// The clock of everything here.
enum Clock {
    /// Monotonic nanoseconds.
    static var now: UInt64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }

    /// Nanoseconds that the machine slept since it started.
    static var asleep: UInt64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_BOOTTIME, &time)
        let all = UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
        let awake = now
        return all > awake ? all - awake : 0
    }
}
