/// The unreliable messages of a link that wait to be sent.
struct UnreliableQueue: Sendable {
    /// A message that waits, or whose rest does.
    struct Waiting: Sendable {
        let bytes: [UInt8]
        let key: UInt32?
        /// When it was given to us, in microseconds of our clock.
        let sent: UInt64
        let timeToLive: UInt16
        /// From when on it is not worth sending.
        let expires: Tick
        /// Its number; 0 until its first piece is sent.
        var number: UInt64 = 0
        /// The piece that is sent next.
        var next: UInt8 = 0

        init(_ bytes: [UInt8], key: UInt32?, timeToLive: Duration, at now: Tick) {
            let life = min(max(timeToLive.milliseconds, 1), Limits.timeToLiveMax.milliseconds)
            self.bytes = bytes
            self.key = key
            self.timeToLive = UInt16(life)
            sent = now.microseconds
            expires = now + .milliseconds(life)
        }

        /// How many pieces it has.
        var count: Int {
            max(1, (bytes.count + Limits.fragmentBytesMax - 1) / Limits.fragmentBytesMax)
        }

        /// The piece that is sent next.
        var fragment: UnreliableMessage.Fragment {
            UnreliableMessage.Fragment(
                number: number, sent: sent, timeToLive: timeToLive, key: key, index: next,
                count: UInt8(count))
        }

        /// What that piece holds.
        var content: ArraySlice<UInt8> {
            let start = Int(next) * Limits.fragmentBytesMax
            return bytes[start..<min(bytes.count, start + Limits.fragmentBytesMax)]
        }
    }

    private(set) var messages: [Waiting] = []
    private(set) var bytes = 0
    private(set) var dropped = UnreliableStatistics.Dropped()

    var isEmpty: Bool { messages.isEmpty }

    /// When the next message will not be worth sending any more.
    var deadline: Tick? { messages.isEmpty ? nil : messages.lazy.map(\.expires).min() }

    /// Lets a message wait: in the place of one with the same key of which nothing has been sent, else behind
    /// the others, of which the oldest are dropped when they are too many.
    mutating func append(_ message: Waiting) {
        bytes += message.bytes.count
        if let key = message.key,
            let place = messages.firstIndex(where: { $0.key == key && $0.number == 0 })
        {
            dropped.superseded += 1
            bytes -= messages[place].bytes.count
            messages[place] = message
        } else {
            messages.append(message)
        }
        while messages.count > Limits.unreliableQueueMax || bytes > Limits.unreliableQueueBytesMax {
            dropped.crowdedOut += 1
            removeFirst()
        }
    }

    /// Drops what is not worth sending any more.
    mutating func expire(at now: Tick) {
        guard let deadline, deadline <= now else { return }
        for message in messages where message.expires <= now {
            dropped.expired += 1
            bytes -= message.bytes.count
        }
        messages.removeAll { $0.expires <= now }
    }

    /// The first message, to be changed.
    var first: Waiting {
        get { messages[0] }
        _modify { yield &messages[0] }
    }

    /// Takes the first message away.
    mutating func removeFirst() {
        bytes -= messages.removeFirst().bytes.count
    }
}

/// How many datagrams may go out: a burst at once, then one after the other.
struct DatagramPace: Sendable {
    private var available = Limits.datagramBurstMax
    private var counted = Tick(nanoseconds: 0)

    /// Counts what has become available, and says how many may go out now.
    mutating func available(at now: Tick) -> Int {
        let interval = UInt64(Limits.datagramInterval.nanoseconds)
        guard available < Limits.datagramBurstMax, now >= counted else {
            counted = now
            return available
        }
        let more = (now.nanoseconds - counted.nanoseconds) / interval
        let room = UInt64(Limits.datagramBurstMax - available)
        if more >= room {
            available = Limits.datagramBurstMax
            counted = now
        } else {
            available += Int(more)
            counted = Tick(nanoseconds: counted.nanoseconds + more * interval)
        }
        return available
    }

    /// Counts one that goes out.
    mutating func take() {
        available = max(0, available - 1)
    }
}
