/// What the programs of two members say to each other through a room, and what that needs.
public enum ChannelBody: Hashable, Sendable {
    /// A message that arrives, once and in order.
    ///
    /// - Parameters:
    ///   - lane: ``Lane/game`` or ``Lane/bulk``: each is in order by itself.
    ///   - stream: Rises when the sender begins to count anew.
    ///   - number: Counts the messages of the stream, from 1.
    ///   - data: At most ``Limits/channelBytesMax`` bytes.
    case reliable(lane: Lane, stream: Int, number: Int, data: [UInt8])
    /// A message that may be lost, but is never late.
    ///
    /// - Parameters:
    ///   - number: Higher than that of the sender's earlier ones.
    ///   - key: What it is about: an older one about the same is worth nothing; `nil`: nothing.
    ///   - milliseconds: How long it is worth sending.
    ///   - data: At most ``Limits/unreliableUserBytesMax`` bytes.
    case unreliable(number: Int, key: UInt32?, milliseconds: Int, data: [UInt8])
    /// Everything of a stream up to this number has arrived.
    ///
    /// - Parameters:
    ///   - lane: The lane of the stream.
    ///   - stream: The stream.
    ///   - number: The last message that arrived in order; 0 for none.
    ///   - life: Higher than before when the receiver has forgotten what it had.
    case acknowledge(lane: Lane, stream: Int, number: Int, life: Int)

    /// The lane it goes by; an unreliable one takes none.
    public var lane: Lane {
        switch self {
        case .reliable(let lane, _, _, _): lane
        case .unreliable: .bulk
        case .acknowledge: .control
        }
    }

    /// The program's bytes; none in an acknowledgement.
    public var data: [UInt8] {
        switch self {
        case .reliable(_, _, _, let data), .unreliable(_, _, _, let data): data
        case .acknowledge: []
        }
    }

    /// The body as sent: an array whose first item is its kind.
    public var cbor: CBOR {
        switch self {
        case .reliable(let lane, let stream, let number, let data):
            [.int(0), .int(Int(lane.rawValue)), .int(stream), .int(number), .bytes(data)]
        case .unreliable(let number, let key, let milliseconds, let data):
            [.int(1), .int(number), key.map { .int(Int($0)) } ?? .null, .int(milliseconds), .bytes(data)]
        case .acknowledge(let lane, let stream, let number, let life):
            [.int(2), .int(Int(lane.rawValue)), .int(stream), .int(number), .int(life)]
        }
    }

    /// Reads a body; `nil` when it is none.
    public init?(cbor: CBOR) {
        guard let items = cbor.array, items.count == 5, let kind = items[0].int else { return nil }
        switch kind {
        case 0:
            guard let (lane, stream) = Self.stream(items), let number = items[3].int,
                (1...Limits.channelNumberMax).contains(number),
                let data = items[4].bytes, data.count <= Limits.channelBytesMax
            else { return nil }
            self = .reliable(lane: lane, stream: stream, number: number, data: data)
        case 1:
            guard let number = items[1].int, (0...Limits.channelNumberMax).contains(number),
                let milliseconds = items[3].int,
                (1...Limits.channelTimeToLiveMillisecondsMax).contains(milliseconds),
                let data = items[4].bytes, data.count <= Limits.unreliableUserBytesMax
            else { return nil }
            let key = items[2].int.flatMap { UInt32(exactly: $0) }
            guard key != nil || items[2].isNull else { return nil }
            self = .unreliable(number: number, key: key, milliseconds: milliseconds, data: data)
        case 2:
            guard let (lane, stream) = Self.stream(items), let number = items[3].int,
                (0...Limits.channelNumberMax).contains(number), let life = items[4].int,
                (0...Limits.channelNumberMax).contains(life)
            else { return nil }
            self = .acknowledge(lane: lane, stream: stream, number: number, life: life)
        default: return nil
        }
    }

    /// The lane and the stream that a message of a reliable channel names.
    private static func stream(_ items: [CBOR]) -> (Lane, Int)? {
        guard let word = items[1].int.flatMap({ UInt8(exactly: $0) }), let lane = Lane(rawValue: word),
            lane != .control, let stream = items[2].int,
            (0...Limits.channelNumberMax).contains(stream)
        else { return nil }
        return (lane, stream)
    }
}
