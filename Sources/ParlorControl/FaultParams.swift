/// Which way faults act.
public enum FaultDirection: String, WordEnum, Codable, Hashable, Sendable {
    case `in`
    case out
    case both
}

/// Parameters of `fault.set`: what happens to connections from now on, in place of what was set before.
///
/// What is left out does not happen.
public struct FaultParams: Codable, Hashable, Sendable {
    /// Only this peer's link; absent: all.
    public var peer: String?
    /// Only what comes in or goes out; absent: both.
    ///
    /// A cut always acts both ways.
    public var direction: FaultDirection?
    /// The part of packets lost, 0 to 1; on a stream they are late instead.
    public var loss: Double?
    /// Added delay, in milliseconds, one way.
    public var delayMs: Double?
    /// How much longer it may be, in milliseconds.
    public var jitterMs: Double?
    /// The part of datagrams doubled, 0 to 1.
    public var duplicate: Double?
    /// The part of packets overtaken, 0 to 1.
    public var reorder: Double?
    /// Bytes that pass in a second; 0 or absent: any number.
    public var rate: Int?
    /// Hold everything for so long, once, in milliseconds.
    public var stallMs: Int?
    /// Reset the connection, and let nothing through for so long, in milliseconds.
    public var cutMs: Int?
    /// Let bytes vanish unnoticed for so long, in milliseconds; a connection on which some have is dead.
    public var halfOpenMs: Int?
    /// Makes the faults repeatable.
    public var seed: Int?

    private enum CodingKeys: String, CodingKey, CaseIterable {
        case peer, direction, loss, delayMs, jitterMs, duplicate, reorder, rate, stallMs, cutMs, halfOpenMs,
            seed
    }

    /// The names of all members: another one is a mistake, since nothing would then be disturbed.
    public static let members = CodingKeys.allCases.map { JSON.snakeCase($0.rawValue) }

    /// Makes the value; the parameters are the members.
    public init(
        peer: String? = nil, direction: FaultDirection? = nil, loss: Double? = nil, delayMs: Double? = nil,
        jitterMs: Double? = nil, duplicate: Double? = nil, reorder: Double? = nil, rate: Int? = nil,
        stallMs: Int? = nil, cutMs: Int? = nil, halfOpenMs: Int? = nil, seed: Int? = nil
    ) {
        self.peer = peer
        self.direction = direction
        self.loss = loss
        self.delayMs = delayMs
        self.jitterMs = jitterMs
        self.duplicate = duplicate
        self.reorder = reorder
        self.rate = rate
        self.stallMs = stallMs
        self.cutMs = cutMs
        self.halfOpenMs = halfOpenMs
        self.seed = seed
    }
}
