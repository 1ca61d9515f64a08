import CUv
import Glibc

/// A UDP port.
///
/// Nothing here is certain, and nothing waits: a datagram that the system does not take at once is dropped
/// and counted. What somebody far away answers (`ECONNREFUSED` and the like) never ends the socket. It lives
/// until ``close()`` or until the loop closes.
@safe public final class DatagramSocket: HandleOwner {
    /// The most a datagram can hold and the loop reads at once.
    public static let bytesMax = EventLoop.readBytesMax
    /// Peers whose address is remembered in the form that programs use, so that a datagram costs no memory.
    private static let knownPeersMax = 16

    /// What has gone through a socket since it was made.
    public struct Counters: Hashable, Sendable {
        /// Datagrams that the system has taken.
        public var sent: UInt64
        /// Datagrams handed to the owner.
        public var received: UInt64
        /// Datagrams not sent because the system had no room for them.
        public var dropped: UInt64
        /// Datagrams that came longer than the socket takes; the owner has not seen them.
        public var truncated: UInt64
        /// Failures of sending for another reason, and of receiving; the socket goes on.
        public var errors: UInt64

        /// Makes counters that say these numbers.
        public init(
            sent: UInt64 = 0, received: UInt64 = 0, dropped: UInt64 = 0, truncated: UInt64 = 0,
            errors: UInt64 = 0
        ) {
            self.sent = sent
            self.received = received
            self.dropped = dropped
            self.truncated = truncated
            self.errors = errors
        }
    }

    private struct KnownPeer {
        let system: sockaddr_in6
        let address: SocketAddress
    }

    private let loop: EventLoop
    private let raw: UnsafeMutablePointer<uv_udp_t>
    private let datagramBytesMax: Int
    private var knownPeers = [KnownPeer?](repeating: nil, count: knownPeersMax)
    private var isReceiving = false
    private var isClosed = false

    /// Where it is bound, with the port the system chose if it was asked to.
    public private(set) var address: SocketAddress

    /// What has gone through it.
    public private(set) var counters = Counters()

    /// Why sending or receiving last failed; `nil` while it never has.
    public private(set) var lastError: NetError?

    /// Called with each datagram and where it came from; it may be empty.
    ///
    /// Nothing is read while there is no handler. IPv4 peers of a dual-stack socket have their IPv4 address.
    /// At most 32 datagrams are read before the loop does other work.
    public var onDatagram: (([UInt8], SocketAddress) -> Void)? { didSet { receiveOrRest() } }

    /// The port it is bound to.
    public var port: UInt16 { address.port }

    /// Binds a socket; what arrives from then on waits for ``onDatagram``, as far as the system has room.
    ///
    /// - Parameters:
    ///   - loop: Where it lives.
    ///   - address: Where to bind; port 0 lets the system choose. A link-local IPv6 address with its
    ///     interface.
    ///   - dualStack: Whether `::` takes IPv4 too; peers' addresses are then given as IPv4.
    ///   - datagramBytesMax: Longer datagrams are dropped and counted; from 1 to ``bytesMax``.
    /// - Throws: ``NetError`` with ``NetError/Code/addressInUse`` when somebody has that UDP port.
    public init(
        loop: EventLoop, on address: SocketAddress, dualStack: Bool = false, datagramBytesMax: Int = bytesMax
    ) throws(NetError) {
        loop.preconditionOnLoop()
        precondition((1...Self.bytesMax).contains(datagramBytesMax), "datagrams of \(datagramBytesMax) bytes")
        self.loop = loop
        self.address = address
        self.datagramBytesMax = datagramBytesMax
        unsafe raw = .allocate(capacity: 1)
        var status = unsafe uv_udp_init(loop.raw, raw)
        guard status == 0 else {
            unsafe raw.deallocate()
            throw NetError(status: status, attempt: "cannot make a socket")
        }
        HandleLife.begin(unsafe raw, owner: self)
        let flags = address.isIPv6 && !dualStack ? UInt32(UV_UDP_IPV6ONLY.rawValue) : 0
        status = address.withSystemAddress { unsafe uv_udp_bind(raw, $0, flags) }
        guard status == 0 else {
            closeHandle()
            throw NetError(status: status, attempt: "cannot take UDP port \(address)")
        }
        if let bound = SocketAddress.read({ unsafe uv_udp_getsockname(raw, $0, $1) }) { self.address = bound }
    }

    /// Sends one datagram now, or not at all.
    ///
    /// - Parameters:
    ///   - bytes: The whole datagram; may be empty.
    ///   - peer: Where to; a link-local IPv6 address with its interface. An IPv4 address needs a socket that
    ///     is bound to IPv4 or is dual-stack, an IPv6 address one that is bound to IPv6.
    /// - Returns: Whether the system took it, which says nothing about its arrival. If not, ``counters`` and
    ///   ``lastError`` tell why. `false` too once the socket is closed.
    @discardableResult
    public func send(_ bytes: [UInt8], to peer: SocketAddress) -> Bool {
        loop.preconditionOnLoop()
        guard !isClosed else { return false }
        let status = unsafe bytes.withUnsafeBytes { content in
            // libuv only reads, although its type does not say so.
            let base = unsafe UnsafeMutableRawPointer(mutating: content.baseAddress)
            var buffer = unsafe uv_buf_init(
                base?.assumingMemoryBound(to: CChar.self), UInt32(clamping: content.count))
            return peer.withSystemAddress { unsafe uv_udp_try_send(raw, &buffer, 1, $0) }
        }
        if status >= 0 {
            counters.sent += 1
        } else if status == UV_EAGAIN.rawValue || status == UV_ENOBUFS.rawValue {
            counters.dropped += 1
        } else {
            failed(status, "cannot send to \(peer)")
        }
        return status >= 0
    }

    /// Lets go of the port; no datagram is delivered from then on, those that wait with the system included.
    public func close() {
        loop.preconditionOnLoop()
        closeHandle()
    }

    func closeHandle() {
        isClosed = true
        onDatagram = nil
        HandleLife.close(unsafe raw)
    }

    func handleClosed() {}

    private func failed(_ status: Int32, _ attempt: @autoclosure () -> String) {
        counters.errors += 1
        guard lastError?.errno != -status else { return }
        lastError = NetError(status: status, attempt: attempt())
    }

    // MARK: - Receiving

    private func receiveOrRest() {
        let wanted = onDatagram != nil && !isClosed
        guard wanted != isReceiving else { return }
        isReceiving = wanted
        guard wanted else {
            unsafe uv_udp_recv_stop(raw)
            return
        }
        let status = unsafe uv_udp_recv_start(raw, parlorNetGiveDatagramBuffer, parlorNetDatagramRead)
        if status < 0 { failed(status, "cannot receive on \(address)") }
    }

    @safe fileprivate func giveBuffer(_ buffer: UnsafeMutablePointer<uv_buf_t>) {
        unsafe buffer.pointee.base = loop.readBuffer
        unsafe buffer.pointee.len = datagramBytesMax
    }

    @safe fileprivate func received(
        _ bytes: UnsafeRawBufferPointer, from system: UnsafePointer<sockaddr>, isPartial: Bool
    ) {
        guard !isPartial else {
            counters.truncated += 1
            return
        }
        guard let onDatagram, let peer = address(of: system) else { return }
        counters.received += 1
        onDatagram(unsafe [UInt8](bytes), peer)
    }

    fileprivate func receivingFailed(_ status: Int32) { failed(status, "cannot receive on \(address)") }

    /// The address of a peer, remembered under a number made of its own last byte and its port's.
    @safe private func address(of system: UnsafePointer<sockaddr>) -> SocketAddress? {
        let size = unsafe parlor_sockaddr_size(system)
        guard size > 0 else { return nil }
        let slot = unsafe Int(parlor_sockaddr_mix(system)) % Self.knownPeersMax
        if let known = knownPeers[slot] {
            let isSame = unsafe withUnsafePointer(to: known.system) { unsafe memcmp($0, system, size) == 0 }
            if isSame { return known.address }
        }
        guard let address = SocketAddress(system) else { return nil }
        var copy = sockaddr_in6()
        unsafe withUnsafeMutableBytes(of: &copy) {
            unsafe $0.copyMemory(from: UnsafeRawBufferPointer(start: system, count: size))
        }
        knownPeers[slot] = KnownPeer(system: copy, address: address)
        return address
    }

    @safe fileprivate static func of(_ data: UnsafeMutableRawPointer) -> DatagramSocket {
        unsafe Unmanaged<DatagramSocket>.fromOpaque(data).takeUnretainedValue()
    }
}

/// Called by libuv before it reads a datagram; one buffer a loop is enough because it is consumed at once.
@c func parlorNetGiveDatagramBuffer(
    _ handle: UnsafeMutablePointer<uv_handle_t>?, _: Int, _ buffer: UnsafeMutablePointer<uv_buf_t>?
) {
    guard let data = unsafe handle?.pointee.data, let buffer = unsafe buffer else { return }
    DatagramSocket.of(data).giveBuffer(buffer)
}

/// Called by libuv with a datagram, with 0 and no address when there are no more, or with a negative status.
@c func parlorNetDatagramRead(
    _ raw: UnsafeMutablePointer<uv_udp_t>?, _ count: Int, _ buffer: UnsafePointer<uv_buf_t>?,
    _ peer: UnsafePointer<sockaddr>?, _ flags: UInt32
) {
    guard let data = unsafe raw?.pointee.data else { return }
    let socket = DatagramSocket.of(data)
    if count < 0 { return socket.receivingFailed(Int32(count)) }
    guard let peer = unsafe peer else { return }
    let bytes = unsafe UnsafeRawBufferPointer(start: buffer?.pointee.base, count: count)
    socket.received(
        bytes, from: peer, isPartial: flags & UInt32(UV_UDP_PARTIAL.rawValue) != 0)
}
