/// Repeatable chance for simulations and injected faults: SplitMix64 (Steele, Lea, Flood 2014).
///
/// Not for secrets.
public struct SeededGenerator: RandomNumberGenerator, Sendable {
    private var state: UInt64

    /// Begins at a seed; the same seed gives the same numbers.
    public init(seed: UInt64) { state = seed }

    /// The next 64 bits.
    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// This many bytes.
    public mutating func bytes(_ count: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < count {
            let word = next()
            for shift in stride(from: 0, to: 64, by: 8) where bytes.count < count {
                bytes.append(UInt8(truncatingIfNeeded: word >> UInt64(shift)))
            }
        }
        return bytes
    }

    /// Whether something happens that has this probability, from 0 to 1; takes one number in any case.
    public mutating func happens(_ probability: Double) -> Bool {
        Double(next() >> 11) * 0x1p-53 < probability
    }

    /// A duration from zero to so much, to the nanosecond; takes one number in any case.
    public mutating func duration(upTo most: Duration) -> Duration {
        let (high, _) = next().multipliedFullWidth(by: UInt64(max(0, most.nanoseconds)) + 1)
        return .nanoseconds(Int64(high))
    }
}
