/// How two peers find out which of them cannot reach the other: one asks, over a link that it could make, to
/// be dialled at the address that the link comes from.
public enum KnockMessage: Hashable, Sendable {
    /// How the dial ended.
    public enum Outcome: Int, Hashable, Sendable, CaseIterable {
        /// The port took a connection.
        case reached = 0
        /// The machine answered that nobody listens there.
        case refused = 1
        /// Nothing came back within ``Limits/knockWait``.
        case silent = 2
        /// There was no way there, or no socket left.
        case failed = 3
        /// Not tried: this peer has asked too often, or too many do.
        case busy = 4
    }

    /// Dial me at the address that you see me at, and this port; the number is the sender's own.
    case ask(number: Int, port: UInt16)
    /// What came of it, and where that was.
    case answer(number: Int, Outcome, Endpoint)

    /// The kinds of these messages, the first items of their arrays.
    static let kinds: Set<Int> = [15, 21]

    var cbor: CBOR {
        switch self {
        case .ask(let number, let port): [.int(15), .int(number), .int(Int(port))]
        case .answer(let number, let outcome, let endpoint):
            [.int(21), .int(number), .int(outcome.rawValue), endpoint.cbor]
        }
    }

    /// Reads a message of one of ``kinds`` whose first item was the kind; `nil` when it is none.
    init?(kind: Int, _ items: [CBOR]) {
        guard let number = items[1].int, number >= 0, let second = items[2].int else { return nil }
        switch (kind, items.count) {
        case (15, 3):
            guard (1...Int(UInt16.max)).contains(second) else { return nil }
            self = .ask(number: number, port: UInt16(second))
        case (21, 4):
            guard let outcome = Outcome(rawValue: second), let endpoint = Endpoint(cbor: items[3]) else {
                return nil
            }
            self = .answer(number: number, outcome, endpoint)
        default: return nil
        }
    }
}

/// Decides which peers are dialled that ask for it, so that nobody makes this one knock at doors for them.
///
/// A value without clock or I/O.
public struct KnockGate: Sendable {
    private var lastAsked: [PeerID: Tick] = [:]
    private var underWay: Set<PeerID> = []

    /// Makes a gate that nobody has come to.
    public init() {}

    /// A peer asks to be dialled.
    ///
    /// - Returns: Whether to do it; then ``ended(_:)`` has to follow.
    public mutating func asked(by peer: PeerID, at now: Tick) -> Bool {
        lastAsked = lastAsked.filter { now < $0.value + Limits.knockInterval }
        guard lastAsked[peer] == nil, !underWay.contains(peer), underWay.count < Limits.knocksMax else {
            return false
        }
        lastAsked[peer] = now
        underWay.insert(peer)
        return true
    }

    /// The dial for a peer is over.
    public mutating func ended(_ peer: PeerID) { underWay.remove(peer) }
}

extension Limits {
    // MARK: Knocking

    /// From one dial that a peer asks for to the next.
    public static let knockInterval = Duration.seconds(1)
    /// Dials at a time that peers have asked for.
    public static let knocksMax = 8
    /// How long such a dial may take.
    public static let knockWait = Duration.seconds(3)
    /// How long the answer is waited for.
    public static let knockAnswerWait = Duration.seconds(5)

    /// Stops a program whose limits of knocking contradict each other.
    static func checkKnocks() {
        precondition(knockAnswerWait > knockWait, "who asks waits for the whole dial")
    }
}
