/// One announcement as the daemon tells it apart: the same room comes once for each interface and protocol.
public struct ServiceKey: Hashable, Sendable {
    /// The protocol over which it was heard, which is also that of its address.
    public enum Family: UInt8, Sendable {
        /// IPv4.
        case inet
        /// IPv6.
        case inet6
    }

    /// The interface on which it was heard (`if_nametoindex`).
    public let interface: UInt32
    /// The protocol over which it was heard.
    public let family: Family
    /// The instance's name, as the network has it.
    public let name: String
    /// The domain, usually `local`.
    public let domain: String

    /// Makes a key.
    public init(interface: UInt32, family: Family, name: String, domain: String) {
        self.interface = interface
        self.family = family
        self.name = name
        self.domain = domain
    }
}

/// Makes rows of rooms out of announcements that come, change and go.
///
/// A value without clock or I/O: every call is told the time (monotonic nanoseconds, never going back) and
/// answers with what to report. For each room ID at most one row is shown, and `found`, `changed`… and `lost`
/// are reported of it in turn. Several hosts may claim one ID (a host moved, or somebody forges): the highest
/// epoch that is not unreachable is shown, and the others wait behind it.
public struct RowTable: Sendable {
    /// Announcements that are kept; more are not looked at, so that nobody on the network can fill the
    /// memory.
    public static let servicesMax = 8_192
    /// How long a row outlives its last announcement, in nanoseconds: a record that flaps does not show.
    public static let lingerNanoseconds: UInt64 = 2_000_000_000
    /// How long a refused dial counts against a host, in nanoseconds.
    ///
    /// Records of hosts and services live for 120 s (RFC 6762, 10). What still resolves after that, and a
    /// few seconds for a resolver to notice, was told anew by a host that is on the network.
    public static let refusalNanoseconds: UInt64 = 130_000_000_000

    private struct Identity: Hashable {
        let roomID: [UInt8]
        let hostID: [UInt8]
    }

    private struct Service {
        var identity: Identity?
        var record: RoomRecord?
        var endpoint: RoomEndpoint?
        var fresh: Bool
        var failed = false
        var orphaned = false
    }

    /// What one host says of one room.
    private struct Candidate {
        var record: RoomRecord
        var services: Set<ServiceKey> = []
        var refusals = 0
        /// When the last dial was refused; `nil` when that is settled.
        var refusedAt: UInt64?
        var firstHeard: UInt64
        var lastHeard: UInt64
        /// When its last announcement went; `nil` while there is one.
        var goneSince: UInt64?
        /// How it looked when its last announcement went, which is how it lingers.
        var remains: (endpoints: [RoomEndpoint], reachability: Reachability)?

        mutating func forgive() {
            refusals = 0
            refusedAt = nil
        }
    }

    private var services: [ServiceKey: Service] = [:]
    private var candidates: [Identity: Candidate] = [:]
    private var hosts: [[UInt8]: [[UInt8]]] = [:]
    private var shown: [[UInt8]: DiscoveredRoom] = [:]

    /// Makes an empty table.
    public init() {}

    /// The rows that are shown now, in no order.
    public var rooms: [DiscoveredRoom] { Array(shown.values) }
    /// Announcements that are known now, resolved or not.
    public var serviceCount: Int { services.count }
    /// Hosts of rooms that are known now, shown or not.
    public var candidateCount: Int { candidates.count }

    /// The announcements of a room, by whichever host.
    public func services(of roomID: [UInt8]) -> [ServiceKey] {
        services.filter { $0.value.identity?.roomID == roomID }.map(\.key)
    }

    /// Whether an announcement was known as another room's, or another host's, than a record.
    public func isOfAnother(_ record: RoomRecord, than key: ServiceKey) -> Bool {
        guard let known = services[key]?.identity else { return false }
        return known != Identity(roomID: record.roomID, hostID: record.hostID)
    }

    /// Whether somebody announces a service of this name, other than a room's own host that room.
    ///
    /// Names are compared as DNS does: without the case of A to Z.
    public func hasName(_ name: String, besides own: RoomRecord?) -> Bool {
        let mine = own.map { Identity(roomID: $0.roomID, hostID: $0.hostID) }
        let wanted = Self.folded(name)
        return services.contains { key, service in
            (mine == nil || service.identity != mine) && Self.folded(key.name) == wanted
        }
    }

    private static func folded(_ name: String) -> [UInt8] {
        name.utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
    }

    /// Whether a name is that of another host's other room, which was heard on the network and answers as far
    /// as is known.
    ///
    /// What a host withdraws may be heard for a moment longer, so its own rooms do not count.
    /// Names on the network are the same in either case of their letters (RFC 6762, 16).
    public func isTaken(_ name: String, byOtherThan record: RoomRecord) -> Bool {
        let wanted = name.lowercased()
        return services.contains { key, service in
            guard service.fresh, !service.orphaned, !service.failed, let identity = service.identity,
                identity.roomID != record.roomID, identity.hostID != record.hostID,
                candidates[identity]?.refusals == 0
            else { return false }
            return key.name.lowercased() == wanted
        }
    }

    /// When ``expire(at:)`` wants to be called next; `nil` while nothing waits for it.
    public var deadline: UInt64? {
        let lingering = candidates.values.compactMap(\.goneSince).min().map { $0 + Self.lingerNanoseconds }
        let refused = candidates.values.compactMap(\.refusedAt).min().map { $0 + Self.refusalNanoseconds }
        return [lingering, refused].compactMap { $0 }.min()
    }

    /// An announcement was heard; nothing of its content is known yet.
    ///
    /// - Parameters:
    ///   - key: Which.
    ///   - cached: Whether it came out of a cache instead of off the network.
    /// - Returns: Whether there is room for it. If not, do not resolve it.
    public mutating func appeared(_ key: ServiceKey, cached: Bool) -> Bool {
        if var service = services[key] {
            service.orphaned = false
            service.fresh = service.fresh || !cached
            services[key] = service
            return true
        }
        guard services.count < Self.servicesMax else { return false }
        services[key] = Service(fresh: !cached)
        return true
    }

    /// The content of an announcement came, or came anew.
    ///
    /// Ignored for an announcement that did not appear or is gone: answers may be late.
    public mutating func resolved(
        _ key: ServiceKey, record: RoomRecord, endpoint: RoomEndpoint, cached: Bool, at now: UInt64
    ) -> [DiscoveryEvent] {
        guard var service = services[key] else { return [] }
        let identity = Identity(roomID: record.roomID, hostID: record.hostID)
        var events: [DiscoveryEvent] = []
        if let before = service.identity, before != identity {
            detach(key, from: before, looking: look(of: before), at: now)
            events += show(before.roomID)
        }
        let isNews = !cached || service.record != record || service.endpoint != endpoint
        service.identity = identity
        service.record = record
        service.endpoint = endpoint
        service.fresh = service.fresh || !cached
        service.failed = false
        services[key] = service

        var candidate =
            candidates[identity] ?? Candidate(record: record, firstHeard: now, lastHeard: now)
        if isNews { candidate.forgive() }
        candidate.record = record
        candidate.lastHeard = now
        candidate.goneSince = nil
        candidate.services.insert(key)
        if candidates.updateValue(candidate, forKey: identity) == nil {
            hosts[identity.roomID, default: []].append(identity.hostID)
        }
        return events + show(identity.roomID)
    }

    /// The content of an announcement cannot be had, or makes no sense.
    ///
    /// It stays known and is tried again.
    public mutating func failed(_ key: ServiceKey, at now: UInt64) -> [DiscoveryEvent] {
        guard var service = services[key] else { return [] }
        service.failed = true
        services[key] = service
        guard let identity = service.identity else { return [] }
        return show(identity.roomID)
    }

    /// An announcement is gone.
    public mutating func removed(_ key: ServiceKey, at now: UInt64) -> [DiscoveryEvent] {
        guard let service = services[key] else { return [] }
        let looks = service.identity.flatMap { look(of: $0) }
        services[key] = nil
        guard let identity = service.identity else { return [] }
        detach(key, from: identity, looking: looks, at: now)
        return show(identity.roomID)
    }

    /// A dial to a host was refused or timed out: the first time it counts as unreachable, the second time it
    /// is hidden, until it is announced anew or has outlived ``refusalNanoseconds``.
    public mutating func markUnreachable(roomID: [UInt8], hostID: [UInt8], at now: UInt64)
        -> [DiscoveryEvent]
    {
        let identity = Identity(roomID: roomID, hostID: hostID)
        guard var candidate = candidates[identity] else { return [] }
        candidate.refusals = min(candidate.refusals + 1, 2)
        candidate.refusedAt = now
        candidates[identity] = candidate
        return show(roomID)
    }

    /// Nothing that is known can be relied on until it is heard again: the machine slept, or its routes
    /// changed.
    public mutating func distrust() -> [DiscoveryEvent] {
        for key in services.keys { services[key]?.fresh = false }
        return hosts.keys.flatMap { show($0) }
    }

    /// The daemon went away, and with it all that it told.
    ///
    /// Rows stay, as cached; ``dropOrphans(at:)`` ends them.
    public mutating func orphanAll() -> [DiscoveryEvent] {
        for key in services.keys { services[key]?.orphaned = true }
        return distrust()
    }

    /// Removes what did not appear again since ``orphanAll()``.
    public mutating func dropOrphans(at now: UInt64) -> [DiscoveryEvent] {
        let orphans = services.filter(\.value.orphaned).map(\.key)
        return orphans.flatMap { removed($0, at: now) }
    }

    /// Drops the hosts whose last announcement went long enough ago, and forgives those that are on the
    /// network long after a dial was refused.
    ///
    /// Called early, it does nothing.
    public mutating func expire(at now: UInt64) -> [DiscoveryEvent] {
        dropGone(at: now) + forgive(at: now)
    }

    private mutating func forgive(at now: UInt64) -> [DiscoveryEvent] {
        let due = candidates.filter { _, candidate in
            candidate.refusedAt.map { now >= $0 + Self.refusalNanoseconds } ?? false
        }
        var events: [DiscoveryEvent] = []
        for (identity, candidate) in due {
            // One that cannot be resolved any more stays what it is, until it can.
            let isThere = candidate.services.contains { services[$0]?.failed == false }
            if isThere { candidates[identity]?.forgive() } else { candidates[identity]?.refusedAt = nil }
            events += show(identity.roomID)
        }
        return events
    }

    private mutating func dropGone(at now: UInt64) -> [DiscoveryEvent] {
        let due = candidates.filter { _, candidate in
            candidate.goneSince.map { now >= $0 + Self.lingerNanoseconds } ?? false
        }
        var events: [DiscoveryEvent] = []
        for identity in due.keys {
            candidates[identity] = nil
            hosts[identity.roomID]?.removeAll { $0 == identity.hostID }
            if hosts[identity.roomID]?.isEmpty == true { hosts[identity.roomID] = nil }
            events += show(identity.roomID)
        }
        return events
    }

    private mutating func detach(
        _ key: ServiceKey, from identity: Identity, looking looks: DiscoveredRoom?, at now: UInt64
    ) {
        guard var candidate = candidates[identity] else { return }
        candidate.services.remove(key)
        if candidate.services.isEmpty {
            candidate.goneSince = now
            candidate.remains = looks.map { ($0.endpoints, $0.reachability) }
        }
        candidates[identity] = candidate
    }

    /// Works out what is to be seen of a room now, and reports the difference.
    private mutating func show(_ roomID: [UInt8]) -> [DiscoveryEvent] {
        let before = shown[roomID]
        let after = best(of: roomID)
        shown[roomID] = after
        switch (before, after) {
        case (nil, nil): return []
        case (nil, let after?): return [.found(after)]
        case (let before?, nil): return [.lost(before)]
        case (let before?, let after?): return Self.looksAlike(before, after) ? [] : [.changed(after)]
        }
    }

    private func best(of roomID: [UInt8]) -> DiscoveredRoom? {
        var best: DiscoveredRoom?
        for hostID in hosts[roomID] ?? [] {
            guard let candidate = candidates[Identity(roomID: roomID, hostID: hostID)], candidate.refusals < 2
            else {
                continue
            }
            let room = room(of: candidate)
            if let leader = best, !Self.precedes(room, leader) { continue }
            best = room
        }
        return best
    }

    /// Whether a room is to be shown rather than another of the same ID that was heard first.
    private static func precedes(_ room: DiscoveredRoom, _ leader: DiscoveredRoom) -> Bool {
        let isDead = room.reachability == .unreachable
        let leaderIsDead = leader.reachability == .unreachable
        guard isDead == leaderIsDead else { return leaderIsDead }
        return room.record.epoch > leader.record.epoch
    }

    private static func looksAlike(_ one: DiscoveredRoom, _ other: DiscoveredRoom) -> Bool {
        one.record == other.record && one.endpoints == other.endpoints
            && one.reachability == other.reachability
    }

    private func look(of identity: Identity) -> DiscoveredRoom? { candidates[identity].map(room) }

    private func room(of candidate: Candidate) -> DiscoveredRoom {
        let known = candidate.services.compactMap { services[$0] }
        let addresses = Set(known.compactMap(\.endpoint)).sorted {
            ($0.interface, $0.address, $0.port) < ($1.interface, $1.address, $1.port)
        }
        let heard: Reachability =
            if known.allSatisfy(\.failed) { .unreachable } else if known.contains(where: \.fresh) {
                .fresh
            } else { .cached }
        let remains = known.isEmpty ? candidate.remains : nil
        return DiscoveredRoom(
            record: candidate.record, endpoints: remains?.endpoints ?? addresses,
            reachability: candidate.refusals > 0 ? .unreachable : remains?.reachability ?? heard,
            firstHeard: candidate.firstHeard, lastHeard: candidate.lastHeard)
    }
}
