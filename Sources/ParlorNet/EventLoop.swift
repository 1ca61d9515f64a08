import CUv
import Glibc

/// The one thread on which sockets, timers and everything that reacts to them run.
///
/// Handlers are plain closures, called synchronously and to the end; a turn of the loop is: timers, then what
/// was queued for the end of the turn, then waiting, then whatever became ready, then again the end of the
/// turn. The loop belongs to the thread that made it until another calls ``run()``. Only ``mailbox`` may be
/// used from other threads.
@safe public final class EventLoop {
    /// How much is read from a socket at once.
    static let readBytesMax = 65_536
    /// Room for what one read decrypts to, together with a record begun by earlier reads (RFC 8446 section
    /// 5.2).
    static let plainBytesMax = readBytesMax + 17_408
    /// How much work is done at the end of a turn before sockets get their chance again.
    private static let turnEndWorkMax = 4_096
    /// Room for as much work is kept from turn to turn.
    private static let idleWorkMax = 64

    /// Where other threads leave work for the loop.
    public let mailbox: Mailbox

    let raw: UnsafeMutablePointer<uv_loop_t>
    let readBuffer: UnsafeMutablePointer<CChar>
    let plainBuffer: UnsafeMutablePointer<UInt8>
    private let prepare: UnsafeMutablePointer<uv_prepare_t>
    private let check: UnsafeMutablePointer<uv_check_t>
    private var owner = pthread_self()
    private var turnEndBodies: [() -> Void] = []
    private var dirty: [any TurnEndWork] = []
    /// What is being worked through; empty between turns.
    private var working: [any TurnEndWork] = []
    private var lookups: [ObjectIdentifier: Lookup] = [:]
    private var isClosed = false

    /// Makes a loop for the calling thread.
    ///
    /// - Throws: ``NetError`` when the system has no descriptors left for it.
    public init() throws(NetError) {
        unsafe raw = .allocate(capacity: 1)
        let status = unsafe uv_loop_init(raw)
        guard status == 0 else {
            unsafe raw.deallocate()
            throw NetError(status: status, attempt: "cannot make an event loop")
        }
        let async = UnsafeMutablePointer<uv_async_t>.allocate(capacity: 1)
        let asyncStatus = unsafe uv_async_init(raw, async, parlorNetMailArrived)
        guard asyncStatus == 0 else {
            unsafe async.deallocate()
            unsafe uv_loop_close(raw)
            unsafe raw.deallocate()
            throw NetError(status: asyncStatus, attempt: "cannot make an event loop")
        }
        unsafe async.pointee.data = nil
        mailbox = Mailbox(async)
        unsafe prepare = .allocate(capacity: 1)
        unsafe check = .allocate(capacity: 1)
        unsafe readBuffer = .allocate(capacity: Self.readBytesMax)
        unsafe plainBuffer = .allocate(capacity: Self.plainBytesMax)
        unsafe raw.pointee.data = Unmanaged.passUnretained(self).toOpaque()
        startTurnEnds()
    }

    deinit {
        close()
        unsafe readBuffer.deallocate()
        unsafe plainBuffer.deallocate()
        unsafe raw.deallocate()
    }

    /// The monotonic clock in nanoseconds, read anew at each call (`uv_hrtime`).
    public var now: UInt64 { uv_hrtime() }

    /// When this turn began, in whole milliseconds of ``now``'s clock, read without asking it again.
    var turnMilliseconds: UInt64 { unsafe uv_now(raw) }

    // MARK: - Running

    /// Runs handlers on the calling thread until ``stop()``.
    public func run() {
        precondition(!isClosed, "run of a closed loop")
        owner = pthread_self()
        unsafe uv_run(raw, UV_RUN_DEFAULT)
    }

    /// Makes ``run()`` return after the current turn; called before it, makes it return after no turn at all.
    public func stop() {
        preconditionOnLoop()
        unsafe uv_stop(raw)
    }

    /// Ends the program when called on another thread: the mistake would be ours.
    public func preconditionOnLoop() {
        precondition(pthread_equal(owner, pthread_self()) != 0, "called off the loop's thread")
    }

    /// Closes everything that lives on the loop and waits until all of it is gone.
    ///
    /// Streams report ``StreamEnd/closedHere``. A name look-up that has begun is waited for. Not from a
    /// handler.
    public func close() {
        guard !isClosed else { return }
        isClosed = true
        preconditionOnLoop()
        mailbox.close()
        HandleLife.discard(unsafe prepare)
        HandleLife.discard(unsafe check)
        for lookup in lookups.values { lookup.cancel() }
        unsafe uv_walk(raw, parlorNetCloseHandle, nil)
        while unsafe uv_run(raw, UV_RUN_DEFAULT) != 0 { unsafe uv_walk(raw, parlorNetCloseHandle, nil) }
        turnEndBodies = []
        dirty = []
        let status = unsafe uv_loop_close(raw)
        precondition(status == 0, "something still lives on a loop being closed")
    }

    // MARK: - The end of a turn

    /// Runs `body` once at the end of this turn, before the loop waits; together with the work of streams,
    /// which write what was sent in the turn after all bodies have run.
    ///
    /// Bodies run in the order given. What a body sends still goes out in this turn.
    public func atTurnEnd(_ body: @escaping () -> Void) {
        preconditionOnLoop()
        turnEndBodies.append(body)
    }

    /// Has `work` called once at the end of this turn; the caller keeps track of being marked already.
    func markDirty(_ work: any TurnEndWork) { dirty.append(work) }

    fileprivate func endTurn() {
        var done = 0
        while !(turnEndBodies.isEmpty && dirty.isEmpty), done < Self.turnEndWorkMax {
            let bodies = turnEndBodies
            turnEndBodies = []
            for body in bodies { body() }
            // Two arrays take turns, so that a turn needs no new memory.
            swap(&dirty, &working)
            for item in working { item.turnEnded() }
            done += bodies.count + working.count
            working.removeAll(keepingCapacity: working.count <= Self.idleWorkMax)
        }
        if !(turnEndBodies.isEmpty && dirty.isEmpty) { mailbox.wake() }
    }

    private func startTurnEnds() {
        unsafe uv_prepare_init(raw, prepare)
        unsafe uv_check_init(raw, check)
        unsafe prepare.pointee.data = nil
        unsafe check.pointee.data = nil
        unsafe uv_prepare_start(prepare, parlorNetBeforeWaiting)
        unsafe uv_check_start(check, parlorNetAfterWaiting)
    }

    // MARK: - Signals and names

    /// Calls `body` on the loop each time the process gets a signal, for as long as the loop lives.
    ///
    /// The signal's own effect is gone from then on. Signals of a kind may be merged when they come fast.
    /// - Throws: ``NetError`` for a number that cannot be caught.
    public func onSignal(_ number: Int32, _ body: @escaping () -> Void) throws(NetError) {
        try SignalWatch.start(number, on: self, body: body)
    }

    /// Looks a name up with the system's resolver, on a thread of libuv's, and calls `completion` on the
    /// loop.
    ///
    /// Never calls from inside this call. The addresses are in the system's order of preference and carry
    /// `port`. Numeric addresses work too. `completion` is not called when the loop is closed first.
    public func resolve(
        host: String, port: UInt16, completion: @escaping (Result<[SocketAddress], NetError>) -> Void
    ) {
        preconditionOnLoop()
        let lookup = Lookup(host: host, port: port) { [self] lookup, result in
            lookups[ObjectIdentifier(lookup)] = nil
            if !isClosed { completion(result) }
        }
        lookups[ObjectIdentifier(lookup)] = lookup
        lookup.start(on: self)
    }

    /// The loop a libuv loop belongs to.
    @safe static func of(_ raw: UnsafeMutablePointer<uv_loop_t>) -> EventLoop {
        unsafe Unmanaged<EventLoop>.fromOpaque(raw.pointee.data).takeUnretainedValue()
    }
}

/// Something that has work to do at the end of a turn in which it was marked dirty.
protocol TurnEndWork: AnyObject {
    /// Does the work. Called at most once for each time it was marked.
    func turnEnded()
}

/// Called by libuv before it waits; data is unused.
@c func parlorNetBeforeWaiting(_ handle: UnsafeMutablePointer<uv_prepare_t>?) {
    guard let loop = unsafe handle?.pointee.loop else { return }
    EventLoop.of(loop).endTurn()
}

/// Called by libuv after it waited and called what was ready.
@c func parlorNetAfterWaiting(_ handle: UnsafeMutablePointer<uv_check_t>?) {
    guard let loop = unsafe handle?.pointee.loop else { return }
    EventLoop.of(loop).endTurn()
}

/// Called by libuv when another thread has posted.
@c func parlorNetMailArrived(_ handle: UnsafeMutablePointer<uv_async_t>?) {
    guard let loop = unsafe handle?.pointee.loop else { return }
    EventLoop.of(loop).mailbox.deliver()
}

/// Called by libuv for each handle of a loop that is being closed.
@c func parlorNetCloseHandle(_ handle: UnsafeMutablePointer<uv_handle_t>?, _: UnsafeMutableRawPointer?) {
    guard let handle = unsafe handle, let data = unsafe handle.pointee.data else { return }
    guard unsafe uv_is_closing(handle) == 0 else { return }
    let owner = unsafe Unmanaged<AnyObject>.fromOpaque(data).takeUnretainedValue()
    (owner as? any HandleOwner)?.closeHandle()
}
