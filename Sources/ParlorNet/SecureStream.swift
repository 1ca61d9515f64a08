import COpenSSL
import Glibc

/// A TCP connection under TLS, as a ``ByteStream``.
///
/// Set the handlers in the turn in which it is made. There is no limit of time for the handshake: whoever
/// made it closes it when its patience ends.
@safe public final class SecureStream: ByteStream, TurnEndWork {
    /// Which side of the handshake this is.
    public enum Role: Sendable {
        /// The side that connected.
        case client
        /// The side that accepted.
        case server
    }

    /// How long an alert or a farewell of our own may take to leave, in nanoseconds.
    static let alertTime: UInt64 = 500_000_000
    /// A buffer that grew beyond this is given back once it is empty.
    private static let idleBufferBytesMax = 65_536

    /// Over how long records are counted, in milliseconds.
    private static let busyWindow: UInt64 = 100
    /// A stream with as many records in that time keeps OpenSSL's buffers, 33 kB, from one to the next.
    private static let busyRecords = 8

    private enum Phase {
        case handshaking
        case open
        /// Our own close; the rest of the work is done at the end of the turn.
        case closing
        /// Nothing is delivered any more; the connection below is on its way out.
        case ended
    }

    /// The connection below, whose addresses are of interest to others and nothing else.
    public let tcp: TCPStream
    /// Which side this is.
    public let role: Role

    private let context: TLSContext
    private var ssl: OpaquePointer?
    private var phase = Phase.handshaking
    private var end: StreamEnd?
    private var pending: [UInt8] = []
    private var input = unsafe UnsafeRawBufferPointer(start: nil, count: 0)
    private var isDirty = false
    private var owesDrain = false
    private var wantsToFinish = false
    private var farewellIsSent = false
    private var inputHasEnded = false
    private var closeDeadline = UInt64.max
    private var isBusy = false
    private var records = 0
    private var windowStart: UInt64 = 0

    /// Called once, when the handshake is done, with the peer's 32-byte Ed25519 key, before any bytes.
    ///
    /// A client's handshake is done before the server has judged the client: only bytes from the server show
    /// that it has accepted us.
    public var onReady: ((_ peerKey: [UInt8]) -> Void)?
    /// Called with bytes as they arrive, never with none.
    public var onBytes: (([UInt8]) -> Void)?
    /// Called once when the peer will send no more; see ``ByteStream/onEndOfInput``.
    public var onEndOfInput: (() -> Void)?
    /// Called when ``queuedBytes`` has come back to 0 after a `send`.
    public var onDrained: (() -> Void)?
    /// Called exactly once and last, never from inside a call of the owner's into the stream.
    public var onClosed: ((StreamEnd) -> Void)?

    /// Stops reading while true; bytes already read still arrive.
    public var isPaused: Bool {
        get { tcp.isPaused }
        set { tcp.isPaused = newValue }
    }

    /// Begins a handshake on a connection, which from then on belongs to this stream.
    ///
    /// - Throws: ``NetError`` when there is no memory for it; the connection is then the caller's still.
    public init(_ tcp: TCPStream, context: TLSContext, role: Role) throws(NetError) {
        tcp.loop.preconditionOnLoop()
        let attempt = "cannot begin a secure connection"
        defer { TLSFailure.clear() }
        guard let ssl = unsafe SSL_new(context.raw) else { throw NetError(code: .failed, sentence: attempt) }
        guard let bio = unsafe BIO_new(context.transport) else {
            unsafe SSL_free(ssl)
            throw NetError(code: .failed, sentence: attempt)
        }
        self.tcp = tcp
        self.context = context
        self.role = role
        unsafe self.ssl = ssl
        unsafe BIO_set_data(bio, Unmanaged.passUnretained(self).toOpaque())
        unsafe BIO_set_init(bio, 1)
        unsafe SSL_set_bio(ssl, bio, bio)
        switch role {
        case .client: unsafe SSL_set_connect_state(ssl)
        case .server: unsafe SSL_set_accept_state(ssl)
        }
        // The connection holds this stream through its handlers until it is closed.
        unsafe tcp.tap = { [self] bytes in pump(bytes) }
        tcp.onEndOfInput = { [self] in connectionEnded() }
        tcp.onDrained = { [self] in drained() }
        tcp.onClosed = { [self] end in connectionClosed(end) }
        if tcp.isOver { tcp.loop.atTurnEnd { [self] in connectionClosed(.closedHere) } }
        markDirty()
    }

    deinit { unsafe SSL_free(ssl) }

    /// Key material that both sides of this connection, and nobody else, can make (RFC 8446 section 7.5).
    ///
    /// From ``onReady`` until the stream is closed; asking at another time is a programmer's error.
    /// - Parameters:
    ///   - label: What it is for; registered labels begin with `EXPORTER-`.
    ///   - count: How many bytes.
    /// - Returns: That many bytes; the same on both sides, and again each time.
    public func exporter(label: String, count: Int) -> [UInt8] {
        tcp.loop.preconditionOnLoop()
        precondition(phase == .open || phase == .closing, "exporter of a connection that is not ready")
        var bytes = [UInt8](repeating: 0, count: count)
        let status = unsafe SSL_export_keying_material(ssl, &bytes, count, label, label.utf8.count, nil, 0, 0)
        precondition(status == 1, "TLS 1.3 exports key material once the handshake is done")
        return bytes
    }

    // MARK: - Sending

    /// How many bytes given to `send` the system has not taken yet.
    public var queuedBytes: Int { pending.count + tcp.queuedBytes }

    /// Queues bytes, also before the handshake is done; all that is sent in one turn is encrypted together.
    public func send(_ bytes: [UInt8]) {
        tcp.loop.preconditionOnLoop()
        guard takesBytes, !bytes.isEmpty else { return }
        let isBig = bytes.count > Self.idleBufferBytesMax
        if pending.isEmpty && isBig { pending = bytes } else { pending.append(contentsOf: bytes) }
        owesDrain = true
        markDirty()
    }

    /// Says that nothing more will be sent; see ``ByteStream/finishSending()``.
    public func finishSending() {
        tcp.loop.preconditionOnLoop()
        guard takesBytes else { return }
        wantsToFinish = true
        markDirty()
    }

    private var takesBytes: Bool { (phase == .handshaking || phase == .open) && !wantsToFinish }

    private func markDirty() {
        guard !isDirty else { return }
        isDirty = true
        tcp.loop.markDirty(self)
    }

    func turnEnded() {
        isDirty = false
        switch phase {
        case .handshaking: shakeHands()
        case .open:
            writeOut()
            restBuffers()
        case .closing:
            writeOut()
            sendFarewell()
            guard phase == .closing else { return }
            let now = tcp.loop.now
            tcp.close(flushingFor: closeDeadline > now ? closeDeadline - now : 1)
        case .ended: break
        }
    }

    private func writeOut() {
        if !pending.isEmpty {
            var written = 0
            let status = unsafe pending.withUnsafeBytes { bytes in
                unsafe SSL_write_ex(ssl, bytes.baseAddress, bytes.count, &written)
            }
            guard status == 1 else {
                let cause = unsafe SSL_get_error(ssl, status)
                let text = TLSFailure.takeText()
                if cause != SSL_ERROR_WANT_READ { fail(text) }
                return
            }
            pending.removeAll(keepingCapacity: pending.capacity <= Self.idleBufferBytesMax)
        }
        guard wantsToFinish else { return }
        sendFarewell()
        tcp.finishSending()
    }

    private func sendFarewell() {
        guard !farewellIsSent else { return }
        farewellIsSent = true
        unsafe SSL_shutdown(ssl)
        TLSFailure.clear()
    }

    private func drained() {
        guard owesDrain, pending.isEmpty, phase == .open else { return }
        owesDrain = false
        onDrained?()
    }

    // MARK: - Receiving

    /// Gives OpenSSL what has arrived and has not been taken.
    @safe func takeInput(_ into: UnsafeMutableRawBufferPointer) -> Int {
        let part = unsafe UnsafeRawBufferPointer(rebasing: input.prefix(into.count))
        unsafe into.copyMemory(from: part)
        unsafe input = UnsafeRawBufferPointer(rebasing: input.dropFirst(part.count))
        return part.count
    }

    @safe private func pump(_ bytes: UnsafeRawBufferPointer) {
        unsafe input = bytes
        defer { unsafe input = UnsafeRawBufferPointer(start: nil, count: 0) }
        if phase == .handshaking { shakeHands() }
        if phase == .open { decrypt() }
        if phase == .open { restBuffers() }
    }

    /// Gives OpenSSL's buffers back after a record, unless records come so fast that the next one would only
    /// have to ask for them again; they are most of what an idle connection weighs.
    ///
    /// OpenSSL keeps what holds a part of a record.
    private func restBuffers() {
        let now = tcp.loop.turnMilliseconds
        records += 1
        if now >= windowStart + Self.busyWindow {
            isBusy = records >= Self.busyRecords
            records = 0
            windowStart = now
        }
        if !isBusy { unsafe SSL_free_buffers(ssl) }
    }

    private func shakeHands() {
        let status = unsafe SSL_do_handshake(ssl)
        let cause = unsafe SSL_get_error(ssl, status)
        let text = TLSFailure.takeText()
        if status == 1 { return becomeReady() }
        guard cause != SSL_ERROR_WANT_READ else { return }
        fail("the handshake failed (\(text))")
    }

    private func becomeReady() {
        guard speaksProtocol else { return fail("the peer does not speak our protocol") }
        let key = unsafe TLSContext.publicKey(of: X509_get0_pubkey(SSL_get0_peer_certificate(ssl)))
        guard let key else { return fail("the peer has no Ed25519 key") }
        phase = .open
        if !pending.isEmpty || wantsToFinish { markDirty() }
        let ready = onReady
        onReady = nil
        ready?(key)
    }

    private var speaksProtocol: Bool {
        var name: UnsafePointer<UInt8>?
        var count: UInt32 = 0
        unsafe SSL_get0_alpn_selected(ssl, &name, &count)
        return unsafe UnsafeBufferPointer(start: name, count: Int(count))
            .elementsEqual(context.protocolName)
    }

    /// Decrypts all that arrived; one call of the handler takes it.
    private func decrypt() {
        let loop = tcp.loop
        var count = 0
        while true {
            var taken = 0
            let status = unsafe SSL_read_ex(
                ssl, loop.plainBuffer + count, EventLoop.plainBytesMax - count, &taken)
            guard status == 1 else { return readingStopped(status, after: count) }
            count += taken
            // When all input is taken and what it held is out, OpenSSL would only say that it wants more.
            if unsafe input.isEmpty, unsafe SSL_pending(ssl) == 0 { return deliver(count) }
            if count == EventLoop.plainBytesMax {
                deliver(count)
                guard phase == .open else { return }
                count = 0
            }
        }
    }

    /// OpenSSL gives nothing more: for now, or because the peer said farewell or something wrong.
    private func readingStopped(_ status: Int32, after count: Int) {
        let cause = unsafe SSL_get_error(ssl, status)
        let text = TLSFailure.takeText()
        if count > 0 { deliver(count) }
        guard phase == .open else { return }
        switch cause {
        case SSL_ERROR_WANT_READ: break
        case SSL_ERROR_ZERO_RETURN: inputEnded()
        default: fail(text)
        }
    }

    private func deliver(_ count: Int) {
        onBytes?(unsafe [UInt8](UnsafeBufferPointer(start: tcp.loop.plainBuffer, count: count)))
    }

    /// The peer said farewell.
    private func inputEnded() {
        guard !inputHasEnded else { return }
        inputHasEnded = true
        if let onEndOfInput { return onEndOfInput() }
        writeOut()
        sendFarewell()
        leave(.endOfStream)
        tcp.endInOrder(.endOfStream)
    }

    // MARK: - Ending

    /// Ends the stream; see ``ByteStream/close(flushingFor:)``.
    public func close(flushingFor nanoseconds: UInt64) {
        tcp.loop.preconditionOnLoop()
        switch phase {
        case .open where nanoseconds > 0:
            let deadline = tcp.loop.now.addingReportingOverflow(nanoseconds)
            closeDeadline = deadline.overflow ? .max : deadline.partialValue
            phase = .closing
            markDirty()
        case .closing where nanoseconds > 0 && isDirty:
            let deadline = tcp.loop.now.addingReportingOverflow(nanoseconds)
            closeDeadline = min(closeDeadline, deadline.overflow ? .max : deadline.partialValue)
        case .handshaking, .open:
            leave(.closedHere)
            tcp.close(flushingFor: nanoseconds)
        case .closing, .ended: tcp.close(flushingFor: nanoseconds)
        }
    }

    /// Ends because of what the peer did; an alert that OpenSSL has written goes out first.
    private func fail(_ text: String) {
        TLSFailure.clear()
        leave(.secureFailure(text))
        tcp.close(flushingFor: Self.alertTime)
    }

    /// Delivers nothing from here on, and fixes the reason.
    private func leave(_ end: StreamEnd) {
        phase = .ended
        self.end = end
        pending = []
    }

    /// The connection below has ended in the peer's direction.
    private func connectionEnded() {
        switch phase {
        case .handshaking:
            leave(.hungUp)
            tcp.close(flushingFor: 0)
        case .open where !inputHasEnded:
            leave(.truncated)
            tcp.close(flushingFor: 0)
        case .open, .closing, .ended: break
        }
    }

    private func connectionClosed(_ end: StreamEnd) {
        phase = .ended
        pending = []
        unsafe SSL_free(ssl)
        unsafe ssl = nil
        TLSFailure.clear()
        let closed = onClosed
        onReady = nil
        onBytes = nil
        onEndOfInput = nil
        onDrained = nil
        onClosed = nil
        closed?(self.end ?? end)
    }

    @safe static func of(_ data: UnsafeMutableRawPointer) -> SecureStream {
        unsafe Unmanaged<SecureStream>.fromOpaque(data).takeUnretainedValue()
    }
}
