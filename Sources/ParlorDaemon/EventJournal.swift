internal import Glibc
internal import ParlorControl

/// Numbers what happens, keeps the last of it, and tells whoever has subscribed.
final class EventJournal {
    /// How many events are kept for subscribers that come back.
    static let keptMax = 1_000
    /// How many bytes of them, as far as messages of programs make them long.
    static let keptBytesMax = 16 * 1_048_576

    private(set) var last = 0
    private var kept: [EventInfo] = []
    private var keptBytes = 0
    private var subscribers: [ObjectIdentifier: Subscriber] = [:]
    private let unixTime: () -> Int

    private struct Subscriber {
        let tell: (EventInfo) -> Void
        let backlog: () -> Int
    }

    /// The bytes that wait for the subscriber that is furthest behind.
    var backlog: Int { subscribers.values.reduce(0) { max($0, $1.backlog()) } }

    /// - Parameter unixTime: Milliseconds since 1970, for people to read.
    init(unixTime: @escaping () -> Int) { self.unixTime = unixTime }

    /// Tells all subscribers, in the order in which things happen.
    func emit(_ type: EventType, _ fields: [JSON.Member] = []) {
        last += 1
        let event = EventInfo(seq: last, type: type, time: unixTime(), fields: fields)
        kept.append(event)
        keptBytes += Self.bytes(event)
        var over = 0
        while kept.count - over > Self.keptMax || keptBytes > Self.keptBytesMax {
            keptBytes -= Self.bytes(kept[over])
            over += 1
        }
        kept.removeFirst(over)
        for subscriber in subscribers.values { subscriber.tell(event) }
    }

    private static func bytes(_ event: EventInfo) -> Int { event["data"]?.text?.utf8.count ?? 0 }

    /// Whether events after a number are no longer kept, or the number is of another life of the daemon.
    func hasMissed(since number: Int) -> Bool { number + 1 < kept.first?.seq ?? last + 1 || number > last }

    /// Has `tell` called with every event from now on; at once with those kept since a number.
    ///
    /// `backlog` says how many bytes of what it was told wait to be read.
    func subscribe(
        _ owner: AnyObject, since: Int?, backlog: @escaping () -> Int = { 0 },
        tell: @escaping (EventInfo) -> Void
    ) {
        subscribers[ObjectIdentifier(owner)] = Subscriber(tell: tell, backlog: backlog)
        guard let since else { return }
        for event in kept where event.seq > since { tell(event) }
    }

    /// Tells the owner nothing any more.
    func unsubscribe(_ owner: AnyObject) { subscribers[ObjectIdentifier(owner)] = nil }
}

/// The system's calendar, for people; nothing is decided by it.
enum Calendar {
    /// Milliseconds since 1970 in UTC.
    ///
    /// Corresponds to `clock_gettime(2)`.
    static func unixMilliseconds() -> Int {
        var time = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &time)
        return time.tv_sec * 1_000 + time.tv_nsec / 1_000_000
    }
}
