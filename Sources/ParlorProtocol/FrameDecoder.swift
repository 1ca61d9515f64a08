/// Cuts a byte stream, however it arrives, into frames.
///
/// A frame's kind and length are judged when its header is in, before its payload is waited for.
public struct FrameDecoder: Sendable {
    private var buffer: [UInt8] = []
    private var start = 0
    private var greetingLeft: Int? = Limits.greetingBytesMax

    /// Makes a decoder at the start of a stream, where ``Limits/greetingBytesMax`` hold.
    public init() {}

    /// Bytes that have arrived and are no whole frame yet.
    public var pendingBytes: Int { buffer.count - start }

    /// Takes more of the stream in; then ask ``next()`` until it has no more.
    public mutating func append(_ bytes: [UInt8]) {
        if start == buffer.count {
            buffer = bytes
        } else {
            buffer.removeSubrange(..<start)
            buffer += bytes
        }
        start = 0
    }

    /// Lets frames be as large as frames may be, from the next one on; called when the link is set up.
    public mutating func endGreeting() {
        greetingLeft = nil
    }

    /// Makes a decoder behind the greeting, where frames may be as large as frames may be.
    ///
    /// - Parameter rest: What of the stream has arrived behind the greeting.
    public init(afterGreeting rest: [UInt8]) {
        buffer = rest
        greetingLeft = nil
    }

    /// The bytes that have arrived and have not been read as frames.
    public var rest: [UInt8] { Array(buffer[start...]) }

    /// The next whole frame; `nil` until more bytes arrive.
    ///
    /// - Throws: ``FrameError`` when the bytes are no frame; the stream is of no use after that.
    public mutating func next() throws(FrameError) -> Frame? {
        guard pendingBytes >= Limits.frameHeaderBytes else { return nil }
        guard let kind = Frame.Kind(rawValue: buffer[start]) else {
            throw FrameError(.unknownKind, "kind \(buffer[start])")
        }
        let length = Int(number(at: start + 1, bytes: 3))
        let size = Limits.frameHeaderBytes + length
        guard Self.lengths(of: kind).contains(length), size <= greetingLeft ?? size else {
            throw FrameError(.badLength, "\(kind): \(length) bytes")
        }
        guard pendingBytes >= size else { return nil }
        let payload = start + Limits.frameHeaderBytes
        defer {
            start += size
            if let left = greetingLeft { greetingLeft = left - size }
        }
        return try frame(kind, payload..<payload + length)
    }

    /// How long the payload of a frame may be.
    private static func lengths(of kind: Frame.Kind) -> ClosedRange<Int> {
        switch kind {
        case .hello, .welcome, .refuse, .goodbye: 0...Limits.greetingBytesMax - Limits.frameHeaderBytes
        case .chunk: Limits.chunkHeaderBytes...Limits.chunkHeaderBytes + Limits.chunkBytesMax
        case .acknowledge: Frame.acknowledgeBytes...Frame.acknowledgeBytes
        case .ping: Frame.pingBytes...Frame.pingBytes
        case .pong: Frame.pongBytes...Frame.pongBytes
        case .datagram: 0...Limits.chunkBytesMax
        }
    }

    private func frame(_ kind: Frame.Kind, _ place: Range<Int>) throws(FrameError) -> Frame {
        let first = place.lowerBound
        switch kind {
        case .hello: return .hello(try Hello(try body(kind, place)))
        case .welcome: return .welcome(try Welcome(try body(kind, place)))
        case .refuse: return .refuse(try LinkRefusal(try body(kind, place)))
        case .goodbye: return .goodbye(try Goodbye(try body(kind, place)))
        case .chunk: return try chunk(place)
        case .acknowledge:
            var counts = PerLane<UInt64>(repeating: 0)
            for lane in Lane.allCases { counts[lane] = number(at: first + 8 * Int(lane.rawValue), bytes: 8) }
            return .acknowledge(counts)
        case .ping: return .ping(token: number(at: first, bytes: 8))
        case .pong: return .pong(token: number(at: first, bytes: 8), clock: number(at: first + 8, bytes: 8))
        case .datagram: return .datagram(Array(buffer[place]))
        }
    }

    private func body(_ kind: Frame.Kind, _ place: Range<Int>) throws(FrameError) -> Body {
        try Body(Array(buffer[place]), kind: kind)
    }

    private func chunk(_ place: Range<Int>) throws(FrameError) -> Frame {
        let content = place.dropFirst(Limits.chunkHeaderBytes)
        let flags = buffer[place.lowerBound + 1]
        guard let lane = Lane(rawValue: buffer[place.lowerBound]) else {
            throw FrameError(.badChunk, "lane \(buffer[place.lowerBound])")
        }
        guard flags <= 1 else { throw FrameError(.badChunk, "flags \(flags)") }
        guard flags == 1 || content.count == Limits.chunkBytesMax else {
            throw FrameError(.badChunk, "\(content.count) bytes, and not the last")
        }
        return .chunk(lane: lane, last: flags == 1, bytes: Array(buffer[content]))
    }

    private func number(at place: Int, bytes: Int) -> UInt64 {
        var number: UInt64 = 0
        for byte in buffer[place..<place + bytes] { number = number << 8 | UInt64(byte) }
        return number
    }
}
