/// What a network does to packets that go one way.
public struct NetworkConditions: Hashable, Sendable {
    /// How long a packet takes, one way.
    public var delay: Duration
    /// How much longer it may take: evenly spread from nothing to this.
    public var jitter: Duration
    /// The part of packets that is lost, 0 to 1.
    public var loss: Double
    /// The part of packets that arrives twice, 0 to 1.
    public var duplicate: Double
    /// The part of packets that is held back, so that later ones overtake, 0 to 1.
    public var reorder: Double
    /// How many bytes pass in a second; `nil`: any number at once.
    public var bytesPerSecond: Int?

    /// Makes conditions; what is left out does no harm to packets.
    public init(
        delay: Duration = .zero, jitter: Duration = .zero, loss: Double = 0, duplicate: Double = 0,
        reorder: Double = 0, bytesPerSecond: Int? = nil
    ) {
        self.delay = delay
        self.jitter = jitter
        self.loss = loss
        self.duplicate = duplicate
        self.reorder = reorder
        self.bytesPerSecond = bytesPerSecond
    }

    /// Nothing is done to packets.
    public static let none = NetworkConditions()

    /// Two processes of one machine: 20 to 50 µs.
    public static let loopback = NetworkConditions(delay: .microseconds(20), jitter: .microseconds(30))

    /// A cable: 0.2 to 0.4 ms, 1 Gbit/s.
    public static let lan = NetworkConditions(
        delay: .microseconds(200), jitter: .microseconds(200), bytesPerSecond: 125_000_000)

    /// Wifi in the same room: 2 to 10 ms, one packet of 200 lost, 50 Mbit/s.
    public static let wifi = NetworkConditions(
        delay: .milliseconds(2), jitter: .milliseconds(8), loss: 0.005, reorder: 0.001,
        bytesPerSecond: 6_250_000)

    /// Wifi behind two walls, beside a microwave oven: 5 to 85 ms, 6 % lost, 1 % twice, 2 % overtaken,
    /// 8 Mbit/s.
    public static let badWifi = NetworkConditions(
        delay: .milliseconds(5), jitter: .milliseconds(80), loss: 0.06, duplicate: 0.01, reorder: 0.02,
        bytesPerSecond: 1_000_000)

    /// A line that somebody else fills: 60 to 200 ms, 3 % lost, 1 Mbit/s left.
    public static let congested = NetworkConditions(
        delay: .milliseconds(60), jitter: .milliseconds(140), loss: 0.03, bytesPerSecond: 125_000)
}

/// When bytes have left a sender whose line takes only so many a second.
struct Pacer: Sendable {
    /// When the line is free again.
    private var freeAt = Tick(nanoseconds: 0)

    /// How long a packet that comes now waits for those before it.
    func wait(at now: Tick) -> Duration { freeAt > now ? freeAt - now : .zero }

    /// When the last of these bytes is on the line.
    mutating func pass(_ byteCount: Int, bytesPerSecond: Int?, at now: Tick) -> Tick {
        guard let bytesPerSecond else { return now }
        let (whole, over) = Int64(byteCount).multipliedReportingOverflow(by: 1_000_000_000)
        let nanoseconds = over ? .max : whole / Int64(max(1, bytesPerSecond))
        freeAt = max(freeAt, now) + .nanoseconds(nanoseconds)
        return freeAt
    }
}
