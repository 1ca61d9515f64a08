internal import ParlorNet
internal import ParlorProtocol

/// Reliable messages that wait until programs of this machine have read what came before.
///
/// What waits is not acknowledged, so that its sender slows down instead of a reader being left behind. A
/// reader that reads nothing at all holds nobody up for longer than ``patience``.
final class HeldMessages {
    /// What programs may have unread before messages wait: far from what makes a reader be dropped.
    static let backlogMax = ControlServer.backlogMax / 4
    /// What may wait; beyond it messages are dropped, which their senders send again.
    static let bytesMax = 4 * 1_048_576
    /// Between two looks at what programs have read.
    static let interval = Duration.milliseconds(10)
    /// How long programs may read nothing before messages no longer wait for them.
    static let patience = Duration.seconds(2)

    private let loop: EventLoop
    private let backlog: () -> Int
    private let deliver: (ChannelBody, PeerID, _ isRelayed: Bool) -> Void
    private var waiting: [(body: ChannelBody, peer: PeerID, isRelayed: Bool)] = []
    private var bytes = 0
    private var least = Int.max
    private var givesUpAt = Tick(nanoseconds: 0)
    /// Until when nothing waits, because programs have not read for so long.
    private var pausedUntil = Tick(nanoseconds: 0)
    private var timer: LoopTimer?

    init(
        loop: EventLoop, backlog: @escaping () -> Int,
        deliver: @escaping (ChannelBody, PeerID, _ isRelayed: Bool) -> Void
    ) {
        self.loop = loop
        self.backlog = backlog
        self.deliver = deliver
        timer = loop.timer { [weak self] in self?.look() }
    }

    private var now: Tick { Tick(nanoseconds: loop.now) }

    /// Whether a message has to wait, or was dropped because too much waits already.
    func take(_ body: ChannelBody, _ peer: PeerID, _ isRelayed: Bool) -> Bool {
        let unread = backlog()
        guard !waiting.isEmpty || unread > Self.backlogMax && now >= pausedUntil else { return false }
        guard bytes + body.data.count <= Self.bytesMax else { return true }
        if waiting.isEmpty {
            (least, givesUpAt) = (unread, now + Self.patience)
            timer?.set(at: (now + Self.interval).nanoseconds)
        }
        waiting.append((body, peer, isRelayed))
        bytes += body.data.count
        return true
    }

    private func look() {
        let unread = backlog()
        if unread < least { (least, givesUpAt) = (unread, now + Self.patience) }
        if now >= givesUpAt { pausedUntil = now + Self.patience }
        var given = 0
        while given < waiting.count, backlog() <= Self.backlogMax || now < pausedUntil {
            let next = waiting[given]
            given += 1
            bytes -= next.body.data.count
            deliver(next.body, next.peer, next.isRelayed)
        }
        waiting.removeFirst(min(given, waiting.count))
        if !waiting.isEmpty {
            least = min(least, backlog())
            timer?.set(at: (now + Self.interval).nanoseconds)
        }
    }

    /// Forgets what waits.
    func close() {
        timer?.close()
        timer = nil
        waiting = []
    }
}
