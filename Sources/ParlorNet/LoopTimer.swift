import CUv

/// One deadline on an ``EventLoop``, armed and disarmed as often as one likes.
///
/// Lives until ``close()`` or until the loop closes, whether or not anybody holds it.
@safe public final class LoopTimer: HandleOwner {
    private let loop: EventLoop
    private let raw: UnsafeMutablePointer<uv_timer_t>
    private var body: (() -> Void)?

    fileprivate init(_ loop: EventLoop, _ body: @escaping () -> Void) {
        self.loop = loop
        self.body = body
        unsafe raw = .allocate(capacity: 1)
        unsafe uv_timer_init(loop.raw, raw)
        HandleLife.begin(unsafe raw, owner: self)
    }

    /// Arms the timer for an instant of ``EventLoop/now``, in place of any earlier one; `nil` disarms.
    ///
    /// The body runs once, never before the instant and normally within a millisecond after it; for an
    /// instant that is past, in the next turn. Does nothing once the timer is closed.
    public func set(at instant: UInt64?) {
        loop.preconditionOnLoop()
        guard body != nil else { return }
        guard let instant else {
            unsafe uv_timer_stop(raw)
            return
        }
        // libuv waits from the time it noted when the turn began; if that is old, it wakes late by as much.
        // Its unit is the millisecond: rounded up, so as never to be early.
        unsafe uv_update_time(loop.raw)
        let begun = unsafe uv_now(loop.raw)
        let due = instant / 1_000_000 + (instant % 1_000_000 == 0 ? 0 : 1)
        unsafe uv_timer_start(raw, parlorNetTimerFired, due > begun ? due - begun : 0, 0)
    }

    /// Disarms the timer for good and lets go of its body.
    public func close() {
        loop.preconditionOnLoop()
        closeHandle()
    }

    func closeHandle() {
        body = nil
        HandleLife.close(unsafe raw)
    }

    func handleClosed() {}

    fileprivate func fire() { body?() }
}

extension EventLoop {
    /// Makes a timer, disarmed, whose body runs on the loop each time a set instant comes.
    public func timer(_ body: @escaping () -> Void) -> LoopTimer {
        preconditionOnLoop()
        return LoopTimer(self, body)
    }
}

/// Called by libuv when a timer is due.
@c func parlorNetTimerFired(_ handle: UnsafeMutablePointer<uv_timer_t>?) {
    guard let data = unsafe handle?.pointee.data else { return }
    unsafe Unmanaged<LoopTimer>.fromOpaque(data).takeUnretainedValue().fire()
}
