/// One lane of a link: messages on their way out until they are acknowledged, a message coming in.
///
/// A message is kept whole, and two places in the queue say how much of it has been sent and how much
/// acknowledged; both stand where a chunk ends.
struct LinkLane: Sendable {
    private let lane: Lane
    /// Messages of which something has not been acknowledged.
    private var messages = Queue<[UInt8]>()
    /// Messages at the front of the queue that have been sent whole.
    private var sentWhole = 0
    /// How much of the message after those has been sent.
    private var sentOfNext = 0
    /// How much of the first message has been acknowledged.
    private var acknowledgedOfFirst = 0
    private var chunksSent: UInt64 = 0
    /// Chunks that the peer has said it has received.
    private(set) var chunksAcknowledged: UInt64 = 0
    /// The most chunks that were ever sent: what comes before is sent again, and not counted again.
    private var chunksCounted: UInt64 = 0
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

    /// Whether nothing waits to be sent.
    var isQueueEmpty: Bool { sentWhole == messages.count }

    mutating func enqueue(_ message: [UInt8]) {
        messages.append(message)
        counters.queuedMessages += 1
        counters.queuedBytes += message.count
    }

    /// Appends the next chunk of the queue to a buffer; does nothing when nothing waits.
    mutating func writeChunk(into out: inout [UInt8]) {
        guard let message = messages[sentWhole] else { return }
        let end = min(message.count, sentOfNext + Limits.chunkBytesMax)
        let last = end == message.count
        let bytes = end - sentOfNext
        Frame.append(chunk: message[sentOfNext..<end], lane: lane, last: last, to: &out)
        chunksSent += 1
        let isNew = chunksSent > chunksCounted
        counters.unacknowledgedBytes += bytes
        counters.queuedBytes -= bytes
        if isNew {
            chunksCounted = chunksSent
            counters.sentBytes += UInt64(bytes)
        }
        sentOfNext = end
        guard last else { return }
        sentWhole += 1
        sentOfNext = 0
        counters.queuedMessages -= 1
        if isNew { counters.sentMessages += 1 }
    }

    /// Takes a peer's word for how many chunks it has received.
    ///
    /// - Returns: What this frees of the held bytes; `nil` when it cannot be.
    mutating func acknowledged(_ count: UInt64) -> Int? {
        guard count >= chunksAcknowledged, count <= chunksSent else { return nil }
        var freed = 0
        while chunksAcknowledged < count, let message = messages.first {
            let end = min(message.count, acknowledgedOfFirst + Limits.chunkBytesMax)
            let bytes = end - acknowledgedOfFirst
            freed += bytes + Limits.chunkHeldBytes
            counters.unacknowledgedBytes -= bytes
            chunksAcknowledged += 1
            acknowledgedOfFirst = end
            guard end == message.count else { continue }
            _ = messages.popFirst()
            acknowledgedOfFirst = 0
            sentWhole -= 1
        }
        return freed
    }

    /// Queues again what has been sent and not acknowledged, because the connection that carried it is gone.
    mutating func rewind() {
        counters.queuedBytes += counters.unacknowledgedBytes
        counters.unacknowledgedBytes = 0
        counters.queuedMessages += sentWhole
        chunksSent = chunksAcknowledged
        sentWhole = 0
        sentOfNext = acknowledgedOfFirst
    }

    /// Lets go of all messages: the link has ended.
    mutating func forget() {
        messages = Queue()
        incoming = []
        sentWhole = 0
        sentOfNext = 0
        acknowledgedOfFirst = 0
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
