/// What is inside a datagram, or in a `datagram` frame of the stream.
public enum UnreliableMessage: Hashable, Sendable {
    /// Asks for an answer over the path by which it came.
    case probe(token: UInt64)
    /// The answer to a probe: its token, and the answering peer's monotonic clock in microseconds.
    case answer(token: UInt64, clock: UInt64)
    /// A piece of a message, or all of it.
    case fragment(Fragment, content: [UInt8])

    /// Which piece of which message a fragment is.
    public struct Fragment: Hashable, Sendable {
        /// The message's number: 1 for the first that its sender sent, then rising.
        public var number: UInt64
        /// When the message was given to its sender, by the sender's monotonic clock in microseconds.
        public var sent: UInt64
        /// For how many milliseconds from then on it is worth having.
        public var timeToLive: UInt16
        /// What it is about; `nil` for a message that is about nothing in particular.
        public var key: UInt32?
        /// The place of the piece among the message's.
        public var index: UInt8
        /// How many pieces the message has.
        public var count: UInt8

        /// Makes a fragment's head.
        public init(
            number: UInt64, sent: UInt64, timeToLive: UInt16, key: UInt32?, index: UInt8, count: UInt8
        ) {
            self.number = number
            self.sent = sent
            self.timeToLive = timeToLive
            self.key = key
            self.index = index
            self.count = count
        }

        /// What precedes the content, the kind included.
        var headerBytes: Int { key == nil ? 21 : 25 }

        /// Appends what precedes the content.
        func encode(into out: inout [UInt8]) {
            out.append(key == nil ? Kind.fragment.rawValue : Kind.keyedFragment.rawValue)
            out.appendBigEndian(UInt(number), bytes: 8)
            out.appendBigEndian(UInt(sent), bytes: 8)
            out.appendBigEndian(UInt(timeToLive), bytes: 2)
            if let key { out.appendBigEndian(UInt(key), bytes: 4) }
            out.append(index)
            out.append(count)
        }

        /// Whether a message may have such a piece with so much content.
        func allows(contentBytes: Int) -> Bool {
            guard number > 0, sent <= Limits.clockMicrosecondsMax,
                (1...Limits.timeToLiveMax.milliseconds).contains(Int(timeToLive)), index < count,
                Int(count) <= Limits.fragmentsMax
            else { return false }
            guard index == count - 1 else { return contentBytes == Limits.fragmentBytesMax }
            let whole = Int(index) * Limits.fragmentBytesMax + contentBytes
            return contentBytes <= Limits.fragmentBytesMax && whole <= Limits.unreliableBytesMax
                && (contentBytes > 0 || count == 1)
        }
    }

    /// What the first byte says.
    enum Kind: UInt8 {
        case probe = 1
        case answer = 2
        case fragment = 3
        case keyedFragment = 4
    }

    /// Reads a message; `nil` when it is none.
    public init?(_ bytes: consuming [UInt8]) {
        guard let first = bytes.first, let kind = Kind(rawValue: first) else { return nil }
        switch kind {
        case .probe:
            guard bytes.count == 9 else { return nil }
            self = .probe(token: UInt64(bytes.bigEndian(at: 1, bytes: 8)))
        case .answer:
            guard bytes.count == 17 else { return nil }
            let clock = UInt64(bytes.bigEndian(at: 9, bytes: 8))
            guard clock <= Limits.clockMicrosecondsMax else { return nil }
            self = .answer(token: UInt64(bytes.bigEndian(at: 1, bytes: 8)), clock: clock)
        case .fragment, .keyedFragment:
            let keyBytes = kind == .keyedFragment ? 4 : 0
            guard bytes.count >= 21 + keyBytes else { return nil }
            let fragment = Fragment(
                number: UInt64(bytes.bigEndian(at: 1, bytes: 8)),
                sent: UInt64(bytes.bigEndian(at: 9, bytes: 8)),
                timeToLive: UInt16(bytes.bigEndian(at: 17, bytes: 2)),
                key: keyBytes == 0 ? nil : UInt32(bytes.bigEndian(at: 19, bytes: 4)),
                index: bytes[19 + keyBytes], count: bytes[20 + keyBytes])
            guard fragment.allows(contentBytes: bytes.count - fragment.headerBytes) else { return nil }
            var content = bytes
            content.removeFirst(fragment.headerBytes)
            self = .fragment(fragment, content: content)
        }
    }

    /// The message's bytes.
    public func encoded() -> [UInt8] {
        var out: [UInt8] = []
        encode(into: &out)
        return out
    }

    /// How many bytes it has.
    var byteCount: Int {
        switch self {
        case .probe: 9
        case .answer: 17
        case .fragment(let fragment, let content): fragment.headerBytes + content.count
        }
    }

    /// Appends the message's bytes.
    func encode(into out: inout [UInt8]) {
        switch self {
        case .probe(let token):
            out.append(Kind.probe.rawValue)
            out.appendBigEndian(UInt(token), bytes: 8)
        case .answer(let token, let clock):
            out.append(Kind.answer.rawValue)
            out.appendBigEndian(UInt(token), bytes: 8)
            out.appendBigEndian(UInt(clock), bytes: 8)
        case .fragment(let fragment, let content):
            fragment.encode(into: &out)
            out += content
        }
    }
}

extension Duration {
    /// Whole milliseconds.
    var milliseconds: Int { Int(nanoseconds / 1_000_000) }
}
