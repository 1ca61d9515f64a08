/// One lane of a link: messages on their way out, chunks on their way to being acknowledged, a message coming
/// in.
struct LinkLane: Sendable {
    private let lane: Lane
    private var queue = Queue<[UInt8]>()
    /// How much of the first queued message has been sent.
    private var sentOfFirst = 0
    /// What each chunk that has been sent and not acknowledged counts for.
    private var chunksOut = Queue<Int>()
    private var chunksAcknowledged: UInt64 = 0
    /// Chunks received since the link began.
    private(set) var chunksReceived: UInt64 = 0
    private var incoming: [UInt8] = []
    /// What has gone through.
    private(set) var counters = LinkStatistics.Lane()

    init(_ lane: Lane) { self.lane = lane }

    /// What a message counts for against ``Limits/linkHeldBytesMax`` until all of it is acknowledged.
    static func heldBytes(ofMessage count: Int) -> Int {
        let chunks = max(1, (count + Limits.chunkBytesMax - 1) / Limits.chunkBytesMax)
        return count + chunks * Limits.chunkHeldBytes
    }

    var isQueueEmpty: Bool { queue.isEmpty }

    mutating func enqueue(_ message: [UInt8]) {
        queue.append(message)
        counters.queuedMessages += 1
        counters.queuedBytes += message.count
    }

    /// Appends the next chunk of the queue to a buffer; does nothing when the queue is empty.
    mutating func writeChunk(into out: inout [UInt8]) {
        guard let message = queue.first else { return }
        let end = min(message.count, sentOfFirst + Limits.chunkBytesMax)
        let last = end == message.count
        let bytes = end - sentOfFirst
        Frame.append(chunk: message[sentOfFirst..<end], lane: lane, last: last, to: &out)
        chunksOut.append(bytes + Limits.chunkHeldBytes)
        counters.unacknowledgedBytes += bytes
        counters.queuedBytes -= bytes
        counters.sentBytes += UInt64(bytes)
        sentOfFirst = end
        guard last else { return }
        _ = queue.popFirst()
        sentOfFirst = 0
        counters.queuedMessages -= 1
        counters.sentMessages += 1
    }

    /// Takes a peer's word for how many chunks it has received.
    ///
    /// - Returns: What this frees of the held bytes; `nil` when it cannot be.
    mutating func acknowledged(_ count: UInt64) -> Int? {
        guard count >= chunksAcknowledged, count - chunksAcknowledged <= UInt64(chunksOut.count) else {
            return nil
        }
        var freed = 0
        while chunksAcknowledged < count, let chunk = chunksOut.popFirst() {
            freed += chunk
            counters.unacknowledgedBytes -= chunk - Limits.chunkHeldBytes
            chunksAcknowledged += 1
        }
        return freed
    }

    /// What a chunk that has been received makes of the message it belongs to.
    enum Received {
        case message([UInt8])
        case part
        /// A message that cannot be, and why.
        case violation(String)
    }

    mutating func received(_ chunk: [UInt8], last: Bool) -> Received {
        chunksReceived += 1
        counters.receivedBytes += UInt64(chunk.count)
        guard incoming.count + chunk.count <= Limits.messageBytesMax else {
            return .violation("a message of more than \(Limits.messageBytesMax) bytes")
        }
        guard !chunk.isEmpty || incoming.isEmpty else { return .violation("an empty chunk after others") }
        guard last else {
            incoming += chunk
            return .part
        }
        counters.receivedMessages += 1
        guard !incoming.isEmpty else { return .message(chunk) }
        incoming += chunk
        defer { incoming = [] }
        return .message(incoming)
    }
}
