/// A moment on a monotonic clock, in nanoseconds from a start that means nothing by itself.
///
/// Drivers read the clock and pass the tick in; machines only compare and add.
public struct Tick: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// Nanoseconds since the clock's start.
    public let nanoseconds: UInt64

    /// Makes a tick of nanoseconds since the clock's start.
    public init(nanoseconds: UInt64) {
        self.nanoseconds = nanoseconds
    }

    /// Whole microseconds since the clock's start.
    public var microseconds: UInt64 { nanoseconds / 1_000 }

    /// The tick in seconds, for a person.
    public var description: String {
        "\(nanoseconds / 1_000_000_000).\(padded(nanoseconds % 1_000_000_000)) s"
    }

    private func padded(_ fraction: UInt64) -> String {
        let digits = String(fraction)
        return String(repeating: "0", count: 9 - digits.count) + digits
    }

    /// Whether one tick is before another.
    public static func < (left: Tick, right: Tick) -> Bool { left.nanoseconds < right.nanoseconds }

    /// The tick so much later; stays at the clock's ends where it would leave them.
    public static func + (tick: Tick, duration: Duration) -> Tick {
        let step = duration.nanoseconds
        if step >= 0 {
            let (sum, over) = tick.nanoseconds.addingReportingOverflow(UInt64(step))
            return Tick(nanoseconds: over ? .max : sum)
        }
        let back = step.magnitude
        return Tick(nanoseconds: tick.nanoseconds > back ? tick.nanoseconds - back : 0)
    }

    /// How much later the first tick is; negative when it is earlier.
    public static func - (later: Tick, earlier: Tick) -> Duration {
        .nanoseconds(Int64(truncatingIfNeeded: later.nanoseconds &- earlier.nanoseconds))
    }
}

extension Duration {
    /// Whole nanoseconds, at the ends of 64 signed bits where the duration lies outside of them.
    public var nanoseconds: Int64 {
        // Most are below nine seconds, and a division of 64 bits takes a tenth of one of 128.
        if let attoseconds = Int64(exactly: attoseconds) { return attoseconds / 1_000_000_000 }
        return Int64(clamping: attoseconds / 1_000_000_000)
    }
}
