/// Names a request whose answer comes later; the driver that made it keeps who waits.
public struct RequestID: Hashable, Sendable {
    /// A number that the driver does not use twice.
    public let rawValue: UInt64

    /// Makes an ID of a number.
    public init(rawValue: UInt64) { self.rawValue = rawValue }
}
