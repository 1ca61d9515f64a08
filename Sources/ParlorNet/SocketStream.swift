import CUv
import Glibc

/// A connected socket as a ``ByteStream``: what ``TCPStream`` and ``UnixStream`` have in common.
@safe public class SocketStream: ByteStream, HandleOwner, TurnEndWork {
    /// A write buffer that grew beyond this is given back once it is empty.
    private static let idleBufferBytesMax = 65_536

    private enum Phase {
        /// Not connected yet; what is sent waits.
        case connecting
        case open
        /// Our own close: the queue is written, then the peer may close its side. Nothing is delivered any
        /// more.
        case flushing
        /// `uv_close` has been called, or everything is over.
        case ended
    }

    let loop: EventLoop
    let raw: UnsafeMutablePointer<uv_stream_t>
    /// Takes bytes in place of ``onBytes``, without a copy; set by the TLS layer.
    var tap: ((UnsafeRawBufferPointer) -> Void)? { didSet { readOrRest() } }

    private var phase = Phase.connecting
    private var end = StreamEnd.closedHere
    private var pending: [UInt8] = []
    private var bytesInFlight = 0
    private var isDirty = false
    private var isReading = false
    private var owesDrain = false
    private var wantsToFinish = false
    private var outputIsShut = false
    private var inputHasEnded = false
    /// A write found the connection gone; what the peer said before is still to be read.
    private var outputIsBroken = false
    private var flushTimer: LoopTimer?
    private var flushDeadline = UInt64.max

    /// Called with bytes as they arrive.
    ///
    /// Nothing is read from the socket while there is no handler.
    public var onBytes: (([UInt8]) -> Void)? { didSet { readOrRest() } }
    /// Called once when the peer will send no more; see ``ByteStream/onEndOfInput``.
    public var onEndOfInput: (() -> Void)?
    /// Called when ``queuedBytes`` has come back to 0 after a `send`.
    public var onDrained: (() -> Void)?
    /// Called exactly once and last, never from inside a call of the owner's into the stream.
    public var onClosed: ((StreamEnd) -> Void)?
    /// Stops reading while true; bytes already read still arrive.
    public var isPaused = false { didSet { readOrRest() } }

    /// Takes an initialised libuv stream over, memory included.
    @safe init<Raw>(_ loop: EventLoop, adopting handle: UnsafeMutablePointer<Raw>) {
        self.loop = loop
        unsafe raw = UnsafeMutableRawPointer(handle).assumingMemoryBound(to: uv_stream_t.self)
        HandleLife.begin(handle, owner: self)
    }

    /// Says that the socket is connected: reading and writing may begin.
    func opened() {
        guard phase == .connecting else { return }
        phase = .open
        markDirty()
        readOrRest()
    }

    /// Whether nothing more will be heard from this stream, not even its end.
    private(set) var isOver = false

    /// The socket's descriptor, or -1.
    var descriptor: Int32 {
        var descriptor: Int32 = -1
        unsafe uv_fileno(HandleLife.asHandle(raw), &descriptor)
        return descriptor
    }

    // MARK: - Sending

    /// How many bytes given to `send` the system has not taken yet.
    public var queuedBytes: Int { pending.count + bytesInFlight }

    /// Queues bytes; all that is sent in one turn of the loop goes out together at its end.
    public func send(_ bytes: [UInt8]) {
        loop.preconditionOnLoop()
        guard takesBytes, !bytes.isEmpty else { return }
        // Small messages go into the buffer that is there, big ones become the buffer.
        let isBig = bytes.count > Self.idleBufferBytesMax
        if pending.isEmpty && isBig { pending = bytes } else { pending.append(contentsOf: bytes) }
        markDirty()
    }

    /// Queues bytes like ``send(_:)``, for the TLS layer.
    @safe func append(_ bytes: UnsafeRawBufferPointer) {
        guard takesBytes, unsafe !bytes.isEmpty else { return }
        unsafe pending.append(contentsOf: bytes)
        markDirty()
    }

    /// Says that nothing more will be sent; see ``ByteStream/finishSending()``.
    public func finishSending() {
        loop.preconditionOnLoop()
        guard takesBytes else { return }
        wantsToFinish = true
        markDirty()
    }

    private var takesBytes: Bool {
        (phase == .open || phase == .connecting) && !wantsToFinish && !outputIsBroken
    }

    private func markDirty() {
        guard !isDirty else { return }
        isDirty = true
        loop.markDirty(self)
    }

    func turnEnded() {
        isDirty = false
        guard phase == .open || phase == .flushing else { return }
        flush()
    }

    /// Writes what the system takes at once; the rest goes to libuv, one write at a time so that order holds.
    private func flush() {
        if !pending.isEmpty {
            owesDrain = true
            guard bytesInFlight == 0 else { return }
            let taken = tryWrite()
            guard taken >= 0 else { return writeFailed(Int32(taken)) }
            if taken < pending.count {
                let status = queueWrite(from: taken)
                guard status == 0 else { return writeFailed(status) }
            }
            pending.removeAll(keepingCapacity: pending.capacity <= Self.idleBufferBytesMax)
        }
        if bytesInFlight == 0 { drained() }
    }

    private func tryWrite() -> Int {
        let count = pending.count
        let status = unsafe pending.withUnsafeBytes { bytes in
            // libuv only reads, although its type does not say so.
            let base = unsafe UnsafeMutableRawPointer(mutating: bytes.baseAddress)
            var buffer = unsafe uv_buf_init(
                base?.assumingMemoryBound(to: CChar.self), UInt32(clamping: count))
            return unsafe uv_try_write(raw, &buffer, 1)
        }
        return status == UV_EAGAIN.rawValue ? 0 : Int(status)
    }

    /// The request and its bytes share one block of memory, given back in the callback.
    private func queueWrite(from offset: Int) -> Int32 {
        let count = pending.count - offset
        let header = unsafe MemoryLayout<uv_write_t>.stride
        let block = UnsafeMutableRawPointer.allocate(byteCount: header + count, alignment: 16)
        let request = unsafe block.bindMemory(to: uv_write_t.self, capacity: 1)
        unsafe pending.withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress else { return }
            unsafe (block + header).copyMemory(from: base + offset, byteCount: count)
        }
        var buffer = unsafe uv_buf_init((block + header).assumingMemoryBound(to: CChar.self), 0)
        unsafe buffer.len = count
        let status = unsafe uv_write(request, raw, &buffer, 1, parlorNetWritten)
        if status == 0 { bytesInFlight = count } else { unsafe block.deallocate() }
        return status
    }

    fileprivate func written(_ status: Int32) {
        bytesInFlight = 0
        guard phase == .open || phase == .flushing else { return }
        if status < 0 { writeFailed(status) } else { flush() }
    }

    private func drained() {
        if wantsToFinish || phase == .flushing { shutOutput() }
        guard owesDrain, phase == .open else { return }
        owesDrain = false
        onDrained?()
    }

    private func shutOutput() {
        guard !outputIsShut else { return }
        outputIsShut = true
        shutdown(descriptor, Int32(SHUT_WR))
        if phase == .flushing, inputHasEnded { finish(.closedHere) }
    }

    /// A connection that the peer tore down may still hold its last words, so reading decides when it ends.
    private func writeFailed(_ status: Int32) {
        pending = []
        let error = NetError(status: status, attempt: "cannot send")
        guard error.code == .reset, isReading else { return finish(StreamEnd(error)) }
        outputIsBroken = true
    }

    // MARK: - Receiving

    /// Reads exactly while somebody takes the bytes; a closing stream reads to notice that the peer closes
    /// too.
    private func readOrRest() {
        let wanted: Bool
        switch phase {
        case .connecting, .ended: wanted = false
        case .open: wanted = unsafe !isPaused && !inputHasEnded && (tap != nil || onBytes != nil)
        case .flushing: wanted = !inputHasEnded
        }
        guard wanted != isReading else { return }
        isReading = wanted
        guard wanted else {
            unsafe uv_read_stop(raw)
            return
        }
        let status = unsafe uv_read_start(raw, parlorNetGiveBuffer, parlorNetBytesRead)
        if status < 0 { finish(StreamEnd(NetError(status: status, attempt: "cannot receive"))) }
    }

    @safe fileprivate func received(_ bytes: UnsafeRawBufferPointer) {
        guard phase == .open else { return }
        if let tap = unsafe tap { unsafe tap(bytes) } else { onBytes?(unsafe [UInt8](bytes)) }
    }

    fileprivate func readEnded(_ status: Int32) {
        inputHasEnded = true
        isReading = false
        let ended = status == UV_EOF.rawValue && !outputIsBroken
        switch phase {
        case .connecting, .ended: break
        case .flushing:
            if outputIsShut { return finish(.closedHere) }
            if outputIsBroken || status != UV_EOF.rawValue { finish(.reset) }
        case .open:
            guard ended else {
                let error = NetError(
                    status: outputIsBroken ? UV_ECONNRESET.rawValue : status, attempt: "cannot receive")
                return finish(StreamEnd(error))
            }
            if let onEndOfInput { onEndOfInput() } else { endInOrder(.endOfStream) }
        }
    }

    // MARK: - Ending

    /// Ends the stream; see ``ByteStream/close(flushingFor:)``.
    public func close(flushingFor nanoseconds: UInt64) {
        loop.preconditionOnLoop()
        guard phase != .ended else { return }
        guard nanoseconds > 0, phase != .connecting, !outputIsBroken else { return finish(.closedHere) }
        let now = loop.now
        let deadline = now.addingReportingOverflow(nanoseconds)
        flushDeadline = min(flushDeadline, deadline.overflow ? .max : deadline.partialValue)
        if flushTimer == nil { flushTimer = loop.timer { [weak self] in self?.flushTimeEnded() } }
        flushTimer?.set(at: flushDeadline)
        phase = .flushing
        markDirty()
        readOrRest()
    }

    private func flushTimeEnded() {
        finish(queuedBytes == 0 ? .closedHere : .flushTimedOut)
    }

    /// Offers what is queued to the system once, then ends.
    func endInOrder(_ end: StreamEnd) {
        if phase == .open || phase == .flushing, !pending.isEmpty, bytesInFlight == 0 { _ = tryWrite() }
        finish(end)
    }

    /// Ends at once; the handler hears of it when libuv has let the socket go.
    func finish(_ end: StreamEnd) {
        guard phase != .ended else { return }
        phase = .ended
        self.end = end
        isReading = false
        pending = []
        flushTimer?.close()
        flushTimer = nil
        HandleLife.close(unsafe raw)
    }

    func closeHandle() { finish(.closedHere) }

    func handleClosed() {
        phase = .ended
        isOver = true
        let closed = onClosed
        onBytes = nil
        onEndOfInput = nil
        onDrained = nil
        onClosed = nil
        unsafe tap = nil
        closed?(end)
    }

    @safe fileprivate static func of(_ data: UnsafeMutableRawPointer) -> SocketStream {
        unsafe Unmanaged<SocketStream>.fromOpaque(data).takeUnretainedValue()
    }
}

/// Called by libuv before it reads; one buffer a loop is enough because the bytes are consumed at once.
@c func parlorNetGiveBuffer(
    _ handle: UnsafeMutablePointer<uv_handle_t>?, _: Int, _ buffer: UnsafeMutablePointer<uv_buf_t>?
) {
    guard let handle = unsafe handle, let loop = unsafe handle.pointee.loop else { return }
    unsafe buffer?.pointee.base = EventLoop.of(loop).readBuffer
    unsafe buffer?.pointee.len = EventLoop.readBytesMax
}

/// Called by libuv with bytes, with 0 when there are none after all, or with a negative status at the end.
@c func parlorNetBytesRead(
    _ raw: UnsafeMutablePointer<uv_stream_t>?, _ count: Int, _ buffer: UnsafePointer<uv_buf_t>?
) {
    guard count != 0, let data = unsafe raw?.pointee.data else { return }
    let stream = SocketStream.of(data)
    if count > 0 {
        stream.received(unsafe UnsafeRawBufferPointer(start: buffer?.pointee.base, count: count))
    } else {
        stream.readEnded(Int32(count))
    }
}

/// Called by libuv when a queued write is done or has failed; exactly once, before the stream's close
/// callback.
@c func parlorNetWritten(_ request: UnsafeMutablePointer<uv_write_t>?, _ status: Int32) {
    guard let request = unsafe request else { return }
    let data = unsafe request.pointee.handle.pointee.data
    unsafe UnsafeMutableRawPointer(request).deallocate()
    if let data = unsafe data { SocketStream.of(data).written(status) }
}
