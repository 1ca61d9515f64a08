import CUv

/// One signal that a loop listens to until it closes.
@safe final class SignalWatch: HandleOwner {
    private let raw: UnsafeMutablePointer<uv_signal_t>
    private var body: (() -> Void)?

    private init(_ loop: EventLoop, _ body: @escaping () -> Void) {
        self.body = body
        unsafe raw = .allocate(capacity: 1)
        unsafe uv_signal_init(loop.raw, raw)
        HandleLife.begin(unsafe raw, owner: self)
    }

    static func start(_ number: Int32, on loop: EventLoop, body: @escaping () -> Void) throws(NetError) {
        loop.preconditionOnLoop()
        let watch = SignalWatch(loop, body)
        let status = unsafe uv_signal_start(watch.raw, parlorNetSignalArrived, number)
        guard status == 0 else {
            watch.closeHandle()
            throw NetError(status: status, attempt: "cannot listen to signal \(number)")
        }
    }

    func closeHandle() {
        body = nil
        HandleLife.close(unsafe raw)
    }

    func handleClosed() {}

    fileprivate func arrived() { body?() }
}

/// Called by libuv on the loop's thread after the process got the signal.
@c func parlorNetSignalArrived(_ handle: UnsafeMutablePointer<uv_signal_t>?, _: Int32) {
    guard let data = unsafe handle?.pointee.data else { return }
    unsafe Unmanaged<SignalWatch>.fromOpaque(data).takeUnretainedValue().arrived()
}
