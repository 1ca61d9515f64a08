import CUv
import Glibc

/// A program that this process started, with a pipe to its input and one from its output.
///
/// It is started without a shell and gets no descriptor but these and this process's error output. It leads a
/// process group of its own, which ends with it: whatever it has started itself does not outlive it. Lives
/// until the program has ended, whether or not anybody holds it.
@safe public final class ChildProcess: HandleOwner {
    /// Called with what the program writes.
    public var onBytes: (([UInt8]) -> Void)?
    /// Called once, last, when the program has ended; not after ``stop()``.
    public var onExit: (() -> Void)?
    private let loop: EventLoop
    private let raw: UnsafeMutablePointer<uv_process_t>
    private let input: ProcessPipe
    private let output: ProcessPipe
    private var killTimer: LoopTimer?
    private var hasEnded = false

    /// How long a program that is told to end may take until it is killed, in nanoseconds.
    private static let endWait: UInt64 = 1_000_000_000

    /// The program's process ID.
    public var pid: Int32 { unsafe raw.pointee.pid }

    /// Starts a program, without arguments.
    ///
    /// - Throws: ``NetError`` when there is no such program, or it may not be run.
    public init(loop: EventLoop, path: String) throws(NetError) {
        loop.preconditionOnLoop()
        self.loop = loop
        input = try ProcessPipe(loop)
        do throws(NetError) { output = try ProcessPipe(loop) } catch {
            input.close(flushingFor: 0)
            throw error
        }
        unsafe raw = .allocate(capacity: 1)
        let (input, output) = (input, output)
        let status = unsafe parlor_spawn(loop.raw, raw, path, input.pipe, output.pipe, parlorNetChildExited)
        HandleLife.begin(unsafe raw, owner: self)
        guard status == 0 else {
            input.close(flushingFor: 0)
            output.close(flushingFor: 0)
            closeHandle()
            throw NetError(status: status, attempt: "cannot start \(path)")
        }
        input.opened()
        output.opened()
        input.onClosed = { _ in }
        output.onBytes = { [weak self] bytes in self?.onBytes?(bytes) }
    }

    /// Writes to the program's input.
    public func send(_ bytes: [UInt8]) { input.send(bytes) }

    /// The bytes that the program has not taken yet.
    public var queuedBytes: Int { input.queuedBytes }

    /// Ends the program and what it has started: its input ends, they are told to, and killed if they do not.
    public func stop() {
        loop.preconditionOnLoop()
        onBytes = nil
        onExit = nil
        guard !hasEnded, killTimer == nil else { return }
        input.close(flushingFor: 0)
        output.close(flushingFor: 0)
        signalGroup(SIGTERM)
        killTimer = loop.timer { [weak self] in self?.kill() }
        killTimer?.set(at: loop.now + Self.endWait)
    }

    private func kill() {
        if !hasEnded { signalGroup(SIGKILL) }
    }

    /// Corresponds to `kill(2)` with a negative process ID; nobody left in the group is no failure.
    private func signalGroup(_ signal: CInt) { _ = Glibc.kill(-pid, signal) }

    fileprivate func exited() {
        // What it leaves behind keeps its number taken, so that this meets nobody else.
        kill()
        hasEnded = true
        killTimer?.close()
        killTimer = nil
        input.close(flushingFor: 0)
        output.close(flushingFor: 0)
        let onExit = onExit
        self.onExit = nil
        onBytes = nil
        closeHandle()
        onExit?()
    }

    func closeHandle() {
        // Nobody waits any more: the loop is closed with the program still running.
        if unsafe uv_is_active(HandleLife.asHandle(raw)) != 0 { kill() }
        HandleLife.close(unsafe raw)
    }

    func handleClosed() {}
}

/// This side of a pipe to a program.
@safe final class ProcessPipe: SocketStream {
    init(_ loop: EventLoop) throws(NetError) {
        let handle = UnsafeMutablePointer<uv_pipe_t>.allocate(capacity: 1)
        let status = unsafe uv_pipe_init(loop.raw, handle, 0)
        guard status == 0 else {
            unsafe handle.deallocate()
            throw NetError(status: status, attempt: "cannot make a pipe")
        }
        super.init(loop, adopting: handle)
    }

    @unsafe fileprivate var pipe: UnsafeMutablePointer<uv_pipe_t> {
        unsafe UnsafeMutableRawPointer(raw).assumingMemoryBound(to: uv_pipe_t.self)
    }
}

/// Called by libuv on the loop's thread when a program has ended.
@c func parlorNetChildExited(_ handle: UnsafeMutablePointer<uv_process_t>?, _: Int64, _: Int32) {
    guard let data = unsafe handle?.pointee.data else { return }
    unsafe Unmanaged<ChildProcess>.fromOpaque(data).takeUnretainedValue().exited()
}
