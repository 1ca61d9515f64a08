/// Why a stream is over.
public enum StreamEnd: Hashable, Sendable, CustomStringConvertible {
    /// The peer finished in order.
    case endOfStream
    /// The connection ended without the farewell that TLS prescribes: the peer, or somebody between, cut it.
    case truncated
    /// The connection was torn down.
    case reset
    /// Our own `close`; what was queued went out, as far as it was to be flushed at all.
    case closedHere
    /// Our own `close`; the peer did not take what was queued within the time given.
    case flushTimedOut
    /// Nobody listens there.
    case refused
    /// The system gave up waiting for the peer.
    case timedOut
    /// The TLS handshake or a TLS record failed; the text says how.
    case secureFailure(String)
    /// Any other failure.
    case failed(NetError)

    /// The end that a failed connect or a failed read stands for.
    public init(_ error: NetError) {
        switch error.code {
        case .reset: self = .reset
        case .refused: self = .refused
        case .timedOut: self = .timedOut
        case .addressInUse, .addressNotAvailable, .badAddress, .badKey, .denied, .nameUnknown, .noSuchPath,
            .pathTooLong, .tooManyFiles, .unreachable, .failed:
            self = .failed(error)
        }
    }

    /// The peer took the connection and hung up before TLS was set up, without an alert.
    public static let hungUp = StreamEnd.secureFailure("the peer hung up before the handshake was done")

    /// One sentence for a person, without the final stop.
    public var description: String {
        switch self {
        case .endOfStream: "the peer closed the connection"
        case .truncated: "the connection was cut without a farewell"
        case .reset: "the connection was reset"
        case .closedHere: "closed by this side"
        case .flushTimedOut: "closed by this side before the peer took everything"
        case .refused: "nobody listens there"
        case .timedOut: "the peer did not answer in time"
        case .secureFailure(let text): "the secure connection failed: \(text)"
        case .failed(let error): error.sentence
        }
    }
}

/// A two-way stream of bytes that lives on an ``EventLoop``.
///
/// Everything is called on the loop's thread, both ways. A stream lives until it is closed, whether or not
/// anybody holds it; its handlers are let go of when it ends, so they may hold the stream.
public protocol ByteStream: AnyObject {
    /// Called with bytes as they arrive, never with none.
    var onBytes: (([UInt8]) -> Void)? { get set }

    /// Called once when the peer will send no more. Sending goes on working, and the owner must `close`.
    ///
    /// Without a handler the stream offers what is queued to the system once and ends with
    /// ``StreamEnd/endOfStream``.
    var onEndOfInput: (() -> Void)? { get set }

    /// Called when ``queuedBytes`` has come back to 0 after a `send`.
    var onDrained: (() -> Void)? { get set }

    /// Called exactly once and last, never from inside a call of the owner's into the stream.
    var onClosed: ((StreamEnd) -> Void)? { get set }

    /// Stops reading while true, so that the system makes the peer wait. Bytes already read still arrive.
    var isPaused: Bool { get set }

    /// How many bytes given to `send` the system has not taken yet.
    ///
    /// There is no limit inside; whoever sends looks here before queueing more.
    var queuedBytes: Int { get }

    /// Queues bytes. All that is sent in one turn of the loop goes out together at its end.
    ///
    /// Does nothing once the stream is closing.
    func send(_ bytes: [UInt8])

    /// Says that nothing more will be sent; the peer sees the end of the stream after what is queued.
    ///
    /// Does nothing once the stream is closing.
    func finishSending()

    /// Ends the stream.
    ///
    /// With time to flush, what is queued is written, then the end of the stream, and the peer is given the
    /// rest of the time to close its side, so that the last bytes are not lost to a reset. No more bytes are
    /// delivered. A second call can only shorten it: 0 ends a close that is flushing.
    /// - Parameter nanoseconds: How long flushing may take; 0 drops what is queued and ends at once.
    func close(flushingFor nanoseconds: UInt64)
}
