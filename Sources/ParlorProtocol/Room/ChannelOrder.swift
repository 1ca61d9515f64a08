/// The channel between this peer and one member of a room, this peer's side: reliable messages arrive, once
/// and in order, also when their way changes between a direct link and the host's relay.
///
/// Does no I/O.
///
/// Reliable messages are kept until the member has acknowledged them, and sent again when their way has
/// changed or nothing has been heard for too long. See PROTOCOL.md, "Channels".
public struct ChannelOrder: Sendable {
    /// What may happen to it.
    public enum Input: Sendable {
        /// The program sends a reliable message, which ``ChannelOrder/check(_:)`` has let pass.
        case send(Lane, [UInt8])
        /// The program sends an unreliable message.
        case sendUnreliable([UInt8], key: UInt32?, milliseconds: Int)
        /// The member sent something, which the host has passed on or not.
        case received(ChannelBody, isRelayed: Bool)
        /// Messages take another way from now on, or the same anew: those under way may be lost.
        case wayChanged
        /// The moment of ``Action/arm(_:)`` has come. Called early it does no harm.
        case deadlinePassed
    }

    /// What the driver has to do.
    public enum Action: Hashable, Sendable {
        /// Send to the member. What cannot be sent is left out: it will be sent again.
        case send(ChannelBody)
        /// Give to the program.
        case deliver([UInt8], isReliable: Bool, isRelayed: Bool)
        /// Call with ``Input/deadlinePassed`` then; `nil`: not at all.
        case arm(Tick?)
    }

    /// Why a message is not taken.
    public enum Refusal: Error, Hashable, Sendable {
        /// It has more than ``Limits/channelBytesMax`` bytes.
        case messageTooLarge
        /// With it, more than ``Limits/channelHeldBytesMax`` would wait for the member.
        case queueFull
    }

    private let life: Int
    private var theirLife: Int?
    private var outboxes: PerLane<ChannelOutbox>
    private var inboxes = PerLane(repeating: ChannelInbox())
    private var unreliableNumber: Int
    /// The newest number of each key, and the keys in the order in which they came.
    private var newest: [UInt32: Int] = [:]
    private var keys = Queue<UInt32>()

    /// Makes the channel to a member.
    ///
    /// - Parameter life: Higher than that of every earlier channel of this peer to the same member in the
    ///   same room; from 0 to 2^41, such as milliseconds since 1970.
    public init(life: Int) {
        self.life = life
        outboxes = PerLane(repeating: ChannelOutbox(stream: life))
        unreliableNumber = life << Self.lifeShift
    }

    /// Unreliable messages that a life may have in each of its milliseconds, as a power of two.
    private static let lifeShift = 20

    /// Bytes of reliable messages that the member has not acknowledged.
    public var heldBytes: Int { outboxes[.game].heldBytes + outboxes[.bulk].heldBytes }

    /// Says whether a reliable message of so many bytes would be taken now.
    ///
    /// - Throws: ``Refusal`` when it would not.
    public func check(_ count: Int) throws(Refusal) {
        guard count <= Limits.channelBytesMax else { throw .messageTooLarge }
        guard heldBytes + Self.cost(count) <= Limits.channelHeldBytesMax else { throw .queueFull }
    }

    /// What a message counts for against the limits.
    static func cost(_ count: Int) -> Int { count + Limits.channelHeldBytes }

    /// Takes one input and says what to do, in order.
    public mutating func handle(_ input: Input, at now: Tick) -> [Action] {
        var actions: [Action] = []
        switch input {
        case .send(let lane, let data):
            outboxes[lane].append(data)
            pump(lane, at: now, &actions)
        case .sendUnreliable(let data, let key, let milliseconds):
            unreliableNumber += 1
            let body = ChannelBody.unreliable(
                number: unreliableNumber, key: key, milliseconds: milliseconds, data: data)
            actions.append(.send(body))
        case .received(let body, let isRelayed): receive(body, isRelayed, at: now, &actions)
        case .wayChanged:
            for lane in Self.lanes {
                outboxes[lane].rewind()
                pump(lane, at: now, &actions)
            }
        case .deadlinePassed: break
        }
        for lane in Self.lanes {
            if outboxes[lane].isOverdue(at: now) { pump(lane, at: now, &actions) }
            if let acknowledgeBy = inboxes[lane].acknowledgeBy, acknowledgeBy <= now {
                acknowledge(lane, &actions)
            }
        }
        let deadlines = Self.lanes.flatMap { [outboxes[$0].resendAt, inboxes[$0].acknowledgeBy] }
        actions.append(.arm(deadlines.compactMap { $0 }.min()))
        return actions
    }

    private static let lanes: [Lane] = [.game, .bulk]

    private mutating func pump(_ lane: Lane, at now: Tick, _ actions: inout [Action]) {
        while let (number, data) = outboxes[lane].next(at: now) {
            let stream = outboxes[lane].stream
            actions.append(.send(.reliable(lane: lane, stream: stream, number: number, data: data)))
        }
    }

    private mutating func acknowledge(_ lane: Lane, _ actions: inout [Action]) {
        let (stream, number) = inboxes[lane].acknowledge()
        actions.append(.send(.acknowledge(lane: lane, stream: stream, number: number, life: life)))
    }

    private mutating func receive(
        _ body: ChannelBody, _ isRelayed: Bool, at now: Tick, _ actions: inout [Action]
    ) {
        switch body {
        case .reliable(let lane, let stream, let number, let data):
            let message = ChannelInbox.Message(data: data, isRelayed: isRelayed)
            for message in inboxes[lane].take(message, number, of: stream, at: now) {
                actions.append(.deliver(message.data, isReliable: true, isRelayed: message.isRelayed))
            }
        case .unreliable(let number, let key, _, let data):
            guard isNewest(number, about: key) else { return }
            actions.append(.deliver(data, isReliable: false, isRelayed: isRelayed))
        case .acknowledge(let lane, let stream, let number, let life):
            acknowledged(lane, stream, number, life, at: now)
            for lane in Self.lanes { pump(lane, at: now, &actions) }
        }
    }

    /// The member says what it has.
    private mutating func acknowledged(_ lane: Lane, _ stream: Int, _ number: Int, _ life: Int, at now: Tick)
    {
        if let theirLife, life != theirLife {
            guard life > theirLife else { return }
            // The member has forgotten what it had, so that what it waits for has to be number 1.
            for lane in Self.lanes { outboxes[lane].begin(stream: outboxes[lane].stream + 1) }
        }
        theirLife = life
        if stream > outboxes[lane].stream {
            // This peer has forgotten that it had come so far, and its clock went back.
            outboxes[lane].begin(stream: stream + 1)
        } else if stream == outboxes[lane].stream {
            outboxes[lane].acknowledged(number, at: now)
        }
    }

    /// Whether nothing newer about the same has come before.
    private mutating func isNewest(_ number: Int, about key: UInt32?) -> Bool {
        guard let key else { return true }
        if let last = newest[key] {
            guard number > last else { return false }
        } else {
            if keys.count == Limits.channelKeysMax, let oldest = keys.popFirst() { newest[oldest] = nil }
            keys.append(key)
        }
        newest[key] = number
        return true
    }
}

/// Reliable messages on their way to a member, in one lane.
struct ChannelOutbox: Sendable {
    private(set) var stream: Int
    private(set) var heldBytes = 0
    private(set) var resendAt: Tick?
    /// Messages that are not acknowledged, by their number.
    private var kept: [Int: [UInt8]] = [:]
    private var acknowledged = 0
    private var last = 0
    /// Messages up to this number have been handed over, and since their way changed last.
    private var handed = 0
    private var underWayBytes = 0
    private var resendWait = Limits.channelResendWait

    init(stream: Int) { self.stream = stream }

    mutating func append(_ data: [UInt8]) {
        last += 1
        kept[last] = data
        heldBytes += ChannelOrder.cost(data.count)
    }

    /// The next message to hand over; `nil` when there is none, or enough is under way.
    mutating func next(at now: Tick) -> (number: Int, data: [UInt8])? {
        guard underWayBytes < Limits.channelWindowBytes, let data = kept[handed + 1] else { return nil }
        handed += 1
        underWayBytes += ChannelOrder.cost(data.count)
        resendAt = resendAt ?? now + resendWait
        return (handed, data)
    }

    /// What was handed over and is not acknowledged is to be handed over again.
    mutating func rewind() {
        handed = acknowledged
        underWayBytes = 0
        resendAt = nil
    }

    /// Whether nothing was heard for too long; then it begins again, and waits longer.
    mutating func isOverdue(at now: Tick) -> Bool {
        guard let resendAt, resendAt <= now else { return false }
        resendWait = min(resendWait * 2, Limits.channelResendWaitMax)
        rewind()
        return true
    }

    /// The member has the messages up to this number.
    mutating func acknowledged(_ number: Int, at now: Tick) {
        guard number > acknowledged, number <= last else { return }
        while acknowledged < number, let data = kept.removeValue(forKey: acknowledged + 1) {
            acknowledged += 1
            heldBytes -= ChannelOrder.cost(data.count)
            if acknowledged <= handed { underWayBytes -= ChannelOrder.cost(data.count) }
        }
        handed = max(handed, acknowledged)
        resendWait = Limits.channelResendWait
        resendAt = handed > acknowledged ? now + resendWait : nil
    }

    /// Counts what is not acknowledged from 1 in another stream.
    mutating func begin(stream: Int) {
        self.stream = min(stream, Limits.channelNumberMax)
        let left = (acknowledged..<last).compactMap { kept[$0 + 1] }
        kept = [:]
        for (place, data) in left.enumerated() { kept[place + 1] = data }
        acknowledged = 0
        last = left.count
        rewind()
    }
}

/// Reliable messages of a member as they come, in one lane.
struct ChannelInbox: Sendable {
    struct Message: Sendable {
        let data: [UInt8]
        let isRelayed: Bool
    }

    private(set) var acknowledgeBy: Tick?
    private var stream = 0
    /// Messages up to this number have been given to the program.
    private var last = 0
    private var early: [Int: Message] = [:]
    private var earlyBytes = 0
    private var bytes = 0

    /// Takes a message; returns what is to be given to the program now, in order.
    mutating func take(_ message: Message, _ number: Int, of stream: Int, at now: Tick) -> [Message] {
        guard stream >= self.stream else {
            acknowledgeBy = now  // the sender has to learn how far this one had come
            return []
        }
        if stream > self.stream {
            self = ChannelInbox()
            self.stream = stream
        }
        let cost = ChannelOrder.cost(message.data.count)
        bytes += cost
        let isDue = bytes >= Limits.channelAcknowledgeBytes
        acknowledgeBy = isDue ? now : acknowledgeBy ?? now + Limits.channelAcknowledgeWait
        guard number == last + 1 else {
            if number > last, early[number] == nil, earlyBytes + cost <= Limits.channelEarlyBytesMax {
                early[number] = message
                earlyBytes += cost
            }
            return []
        }
        last = number
        var ready = [message]
        while let next = early.removeValue(forKey: last + 1) {
            last += 1
            earlyBytes -= ChannelOrder.cost(next.data.count)
            ready.append(next)
        }
        return ready
    }

    /// How far this has come; nothing is due afterwards.
    mutating func acknowledge() -> (stream: Int, number: Int) {
        acknowledgeBy = nil
        bytes = 0
        return (stream, last)
    }
}
