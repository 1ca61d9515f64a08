/// Where the daemon says an announcement is (`AvahiEntryGroupState`).
enum GroupState: Sendable {
    case uncommitted
    case registering
    case established
    case collision
    case failure
}

/// Brings one room onto the network and keeps it there: names, collisions, the pace of changes.
///
/// A value without I/O: calls tell what happened and when (monotonic nanoseconds), and answer with what to
/// do, in order. Whoever carries out ``Action/register`` calls ``refused(_:at:)`` or ``collided(at:)`` when
/// the daemon will not have it.
struct Publication: Sendable {
    enum Action: Equatable, Sendable {
        /// Empty the group, or make one; add the service under ``Publication/name``; commit.
        case register
        /// Replace the TXT record in place.
        case updateText
        /// Take everything out of the group, but keep it.
        case reset
        case report(DiscoveryEvent)
    }

    private enum Phase {
        /// No daemon to announce with.
        case waiting
        /// The daemon is asking the network whether the name is free.
        case registering(since: UInt64, isRetry: Bool)
        case established(since: UInt64)
        /// Another machine asked for the name at the same time; asked again then.
        case yielding(until: UInt64)
        /// Refused; tried again then, or never.
        case refused(retryAt: UInt64?)
    }

    static let second: UInt64 = 1_000_000_000
    /// Nanoseconds from the moment a registration stands to the first change of its text: sooner, the change
    /// can be taken for somebody else's claim to the name.
    static let settleNanoseconds = second
    /// Nanoseconds between two changes of the text.
    static let textIntervalNanoseconds = second
    /// Nanoseconds after which a registration that hangs is made once more.
    static let registeringMaxNanoseconds = 5 * second
    /// Nanoseconds after which a refused registration is tried again.
    static let retryNanoseconds = 30 * second
    /// The same after the first refusal, of which nobody is told: the daemon may be on its way out.
    static let firstRetryNanoseconds = second
    /// Nanoseconds between the moments at which machines that asked for one name at the same time ask again:
    /// longer than a claim takes, so that the first to ask has the name by then.
    static let yieldNanoseconds = second * 5 / 4
    /// How many such moments there are.
    static let yieldSlots: UInt8 = 4
    /// How often a name is asked for again that nobody is seen to have.
    static let yieldsMax = 3

    private(set) var record: RoomRecord
    /// The strings to announce.
    private(set) var text: [[UInt8]]
    /// The name to announce, or under which it is announced.
    private(set) var name: InstanceName
    private var asked: InstanceName
    private var sentText: [[UInt8]] = []
    private var textSentAt: UInt64 = 0
    private var phase = Phase.waiting
    /// How often the name was asked for again.
    private var yields = 0
    private var hasBeenRefused = false

    /// Whether another machine asked for the name when this one did.
    var hasYielded: Bool { yields > 0 }

    /// Throws ``InstanceNameError`` or ``RoomTextError`` when the room cannot be announced as it is.
    init(_ record: RoomRecord) throws {
        name = try InstanceName(record.name)
        asked = name
        text = try record.txt()
        self.record = record
    }

    /// When ``tick(at:)`` wants to be called next; `nil` while nothing waits for it.
    var deadline: UInt64? {
        switch phase {
        case .waiting: nil
        case .registering(let since, let isRetry): isRetry ? nil : since + Self.registeringMaxNanoseconds
        case .established(let since): text == sentText ? nil : nextTextAt(establishedSince: since)
        case .yielding(let until): until
        case .refused(let retryAt): retryAt
        }
    }

    /// The daemon is ready.
    mutating func start(at now: UInt64) -> [Action] {
        switch phase {
        case .waiting: register(at: now, isRetry: false)
        case .registering, .established, .yielding, .refused: []
        }
    }

    /// The daemon is claiming its host name: what was announced must come off, and waits for ``start(at:)``.
    mutating func pause() -> [Action] {
        switch phase {
        case .waiting, .yielding, .refused:
            phase = .waiting
            return []
        case .registering, .established:
            phase = .waiting
            return [.reset]
        }
    }

    /// The daemon is gone, and the group with it.
    mutating func void() { phase = .waiting }

    /// The interfaces are different, or the daemon lost track: announce anew, under the same name.
    mutating func move(at now: UInt64) -> [Action] {
        switch phase {
        case .waiting: []
        case .registering, .established, .yielding, .refused: register(at: now, isRetry: false)
        }
    }

    /// Takes over what the room is now.
    ///
    /// Throws as ``init(_:)`` does, and leaves the room as it was.
    mutating func change(to next: RoomRecord, at now: UInt64) throws -> [Action] {
        let nextName = try InstanceName(next.name)
        let nextText = try next.txt()
        let isRenamed = nextName != asked && nextName != name
        let isMoved = isRenamed || next.port != record.port
        if isRenamed {
            name = nextName
            asked = nextName
            yields = 0
        }
        record = next
        text = nextText
        switch phase {
        case .waiting: return []
        case .registering, .established, .yielding, .refused:
            return isMoved ? register(at: now, isRetry: false) : tick(at: now)
        }
    }

    /// The group's state changed; `isTaken` tells with a collision whether somebody is seen to have the name.
    mutating func groupChanged(to state: GroupState, at now: UInt64, isTaken: Bool = true) -> [Action] {
        guard case .registering = phase else {
            switch state {
            case .collision:
                if case .established = phase { return isTaken ? collided(at: now) : yield(at: now) }
                return []
            case .failure:
                if case .established = phase { return refused("the daemon took it off the network", at: now) }
                return []
            case .uncommitted, .registering, .established: return []
            }
        }
        switch state {
        case .uncommitted, .registering: return []
        case .established:
            phase = .established(since: now)
            (yields, hasBeenRefused) = (0, false)
            return [.report(.published(roomID: record.roomID, name: name.text))]
        case .collision: return isTaken ? collided(at: now) : yield(at: now)
        case .failure: return refused("the daemon could not register it", at: now)
        }
    }

    /// Another machine asks for the name at this moment.
    ///
    /// Avahi compares claims record by record, so that both may lose, and would lose every further name to
    /// each other: each waits as long as its room's ID says, and the first to ask again gets it.
    private mutating func yield(at now: UInt64) -> [Action] {
        guard yields < Self.yieldsMax else { return collided(at: now) }
        let slot = record.roomID[yields] % Self.yieldSlots
        yields += 1
        phase = .yielding(until: now + UInt64(slot) * Self.yieldNanoseconds)
        return tick(at: now)
    }

    /// Somebody has the name already, on this machine or another.
    mutating func collided(at now: UInt64) -> [Action] {
        guard let next = name.next() else {
            phase = .refused(retryAt: nil)
            let text =
                "every name from \"\(asked.text)\" to \"\(name.text)\" is taken; give the room another name"
            return [.reset, .report(.failed(roomID: record.roomID, text: text))]
        }
        name = next
        yields = 0
        return [.report(.renamed(roomID: record.roomID, name: name.text))] + register(at: now, isRetry: false)
    }

    /// The daemon will not have it, for another reason than the name.
    ///
    /// Told to people if it happens again.
    mutating func refused(_ reason: String, at now: UInt64) -> [Action] {
        guard hasBeenRefused else {
            hasBeenRefused = true
            phase = .refused(retryAt: now + Self.firstRetryNanoseconds)
            return []
        }
        phase = .refused(retryAt: now + Self.retryNanoseconds)
        return [.report(.failed(roomID: record.roomID, text: "the room is not announced: \(reason)"))]
    }

    /// Does what is due.
    ///
    /// Called early, it does nothing.
    mutating func tick(at now: UInt64) -> [Action] {
        guard let deadline, now >= deadline else { return [] }
        switch phase {
        case .waiting: return []
        case .yielding, .refused: return register(at: now, isRetry: false)
        case .registering: return register(at: now, isRetry: true)
        case .established:
            sentText = text
            textSentAt = now
            return [.updateText]
        }
    }

    private mutating func register(at now: UInt64, isRetry: Bool) -> [Action] {
        phase = .registering(since: now, isRetry: isRetry)
        sentText = text
        textSentAt = now
        return [.register]
    }

    private func nextTextAt(establishedSince since: UInt64) -> UInt64 {
        max(since + Self.settleNanoseconds, textSentAt + Self.textIntervalNanoseconds)
    }
}
