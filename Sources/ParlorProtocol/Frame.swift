/// One frame of a link's byte stream: a byte of kind, three bytes of length, and so many bytes of payload.
public enum Frame: Hashable, Sendable {
    /// What a frame's first byte says.
    public enum Kind: UInt8, Hashable, Sendable {
        case hello = 1
        case welcome = 2
        case refuse = 3
        case goodbye = 4
        case chunk = 5
        case acknowledge = 6
        case ping = 7
        case pong = 8
        case datagram = 9
    }

    /// The dialler's first frame.
    case hello(Hello)
    /// The listener's first frame, when it takes the link.
    case welcome(Welcome)
    /// The listener's only frame, when it does not.
    case refuse(LinkRefusal)
    /// The last frame of the side that closes.
    case goodbye(Goodbye)
    /// A piece of a message, or all of it.
    case chunk(lane: Lane, last: Bool, bytes: [UInt8])
    /// How many chunks of each lane have been received since the link began.
    case acknowledge(PerLane<UInt64>)
    /// A request for a pong.
    case ping(token: UInt64)
    /// The answer to a ping: its token, and what the answering peer's monotonic clock says, in microseconds.
    case pong(token: UInt64, clock: UInt64)
    /// A datagram that takes the stream, because none gets through beside it.
    case datagram([UInt8])

    /// The frame's kind.
    public var kind: Kind {
        switch self {
        case .hello: .hello
        case .welcome: .welcome
        case .refuse: .refuse
        case .goodbye: .goodbye
        case .chunk: .chunk
        case .acknowledge: .acknowledge
        case .ping: .ping
        case .pong: .pong
        case .datagram: .datagram
        }
    }

    /// The frame's bytes, header first.
    public func encoded() -> [UInt8] {
        var out: [UInt8] = []
        encode(into: &out)
        return out
    }

    /// Appends the frame's bytes, header first.
    ///
    /// A chunk or datagram of more than ``Limits/chunkBytesMax`` bytes is a programmer's error.
    public func encode(into out: inout [UInt8]) {
        switch self {
        case .hello(let hello): Self.append(kind, payload: hello.body.encoded(), to: &out)
        case .welcome(let welcome): Self.append(kind, payload: welcome.body.encoded(), to: &out)
        case .refuse(let refusal): Self.append(kind, payload: refusal.body.encoded(), to: &out)
        case .goodbye(let goodbye): Self.append(kind, payload: goodbye.body.encoded(), to: &out)
        case .chunk(let lane, let last, let bytes):
            Self.append(chunk: bytes[...], lane: lane, last: last, to: &out)
        case .acknowledge(let counts):
            Self.append(header: kind, length: Self.acknowledgeBytes, to: &out)
            for lane in Lane.allCases { out.appendBigEndian(UInt(counts[lane]), bytes: 8) }
        case .ping(let token):
            Self.append(header: kind, length: Self.pingBytes, to: &out)
            out.appendBigEndian(UInt(token), bytes: 8)
        case .pong(let token, let clock):
            Self.append(header: kind, length: Self.pongBytes, to: &out)
            out.appendBigEndian(UInt(token), bytes: 8)
            out.appendBigEndian(UInt(clock), bytes: 8)
        case .datagram(let bytes):
            precondition(bytes.count <= Limits.chunkBytesMax, "a datagram of \(bytes.count) bytes")
            Self.append(kind, payload: bytes, to: &out)
        }
    }

    static let acknowledgeBytes = 24
    static let pingBytes = 8
    static let pongBytes = 16

    /// Appends a chunk without copying its content into a frame first.
    static func append(chunk bytes: ArraySlice<UInt8>, lane: Lane, last: Bool, to out: inout [UInt8]) {
        precondition(bytes.count <= Limits.chunkBytesMax, "a chunk of \(bytes.count) bytes")
        append(header: .chunk, length: Limits.chunkHeaderBytes + bytes.count, to: &out)
        out.append(lane.rawValue)
        out.append(last ? 1 : 0)
        out.append(contentsOf: bytes)
    }

    private static func append(_ kind: Kind, payload: [UInt8], to out: inout [UInt8]) {
        append(header: kind, length: payload.count, to: &out)
        out.append(contentsOf: payload)
    }

    private static func append(header kind: Kind, length: Int, to out: inout [UInt8]) {
        out.append(kind.rawValue)
        out.appendBigEndian(UInt(length), bytes: 3)
    }
}

/// Why bytes are no frame.
public struct FrameError: Error, Hashable, Sendable {
    /// What is wrong.
    public enum Code: String, Hashable, Sendable {
        /// No frame has this kind.
        case unknownKind = "unknown-kind"
        /// The payload is longer than such a frame may be, or has another length than it must.
        case badLength = "bad-length"
        /// The body of a handshake frame is no deterministic CBOR, or lacks what it must hold.
        case badBody = "bad-body"
        /// A chunk of an unknown lane, with unknown flags, or of a size that it cannot have.
        case badChunk = "bad-chunk"
    }

    /// What is wrong.
    public let code: Code
    /// Where, for a person.
    public let detail: String

    /// Makes an error.
    init(_ code: Code, _ detail: String) {
        self.code = code
        self.detail = detail
    }
}
