internal import ParlorControl
internal import ParlorDiscovery
internal import ParlorNet

/// What the network shows, kept for whoever asks, and what this daemon shows of its own rooms.
final class DiscoveryService {
    /// How long after the start an empty list may still fill.
    static let searchWait: UInt64 = 2_000_000_000

    /// How long after it is announced a room may take to come back from the network.
    static let echoWait: UInt64 = 5_000_000_000
    /// Rooms that are remembered as not reached.
    static let unreachedMax = 16

    private(set) var state: DiscoveryState
    /// The rooms whose hosts did not answer, the last one last.
    private(set) var unreached: [NetworkFacts.Unreached] = []
    /// The own rooms that are on the network, and since when.
    private var announced: [[UInt8]: (name: String, since: UInt64)] = [:]
    /// The rooms near, in the order in which they were found.
    private(set) var rooms: [DiscoveredRoom] = []
    /// Called when a room of mine goes on under another name.
    var renamed: ((_ roomID: [UInt8], _ name: String) -> Void)?
    /// Called with each record that is found or changes.
    var seen: ((RoomRecord) -> Void)?
    /// Called with each change of the list, and of the state.
    var changed: (() -> Void)?
    /// How a row is told to subscribers.
    var describe: ((DiscoveredRoom) -> RoomRowInfo)?
    private let journal: EventJournal
    private let loop: EventLoop
    private let startedAt: UInt64
    private var backend: (any ParlorDiscovery.DiscoveryBackend)?

    init(loop: EventLoop, journal: EventJournal) {
        self.loop = loop
        self.journal = journal
        startedAt = loop.now
        state = DiscoveryState(backend: .off, word: .off, detail: "discovery has not begun", interfaces: [])
    }

    /// Begins to announce and browse.
    ///
    /// - Parameter make: Makes the backend; what it reports may come on any thread.
    func start(
        _ make: (@escaping @Sendable (DiscoveryEvent) -> Void) -> any ParlorDiscovery.DiscoveryBackend
    ) {
        let (mailbox, inbox) = (loop.mailbox, DiscoveryInbox(self))
        backend = make { event in mailbox.post { inbox.take(event) } }
    }

    /// Whether rooms may still be found that are there.
    var isSearching: Bool {
        state.word == .searching || state.word == .running && loop.now < startedAt + Self.searchWait
    }

    /// What to do when a room is not found, for a person.
    var advice: String {
        switch state.word {
        case .running, .searching:
            "parlor list shows what is; a room that is not seen can be joined with --address HOST:PORT."
        case .noBus, .noDaemon, .failed, .off: state.detail
        }
    }

    /// Where a room's host can be reached, best first; empty for a room that is not near.
    func addresses(of roomID: [UInt8]) -> [SocketAddress] {
        guard let room = rooms.first(where: { $0.record.roomID == roomID }) else { return [] }
        return SocketAddress.candidates(room.endpoints.compactMap { SocketAddress($0) })
    }

    /// Announces a room, or what changed of it.
    func publish(_ record: RoomRecord, isNew: Bool) {
        if isNew { backend?.publish(record) } else { backend?.update(record) }
    }

    /// Takes a room off the network.
    func withdraw(_ roomID: [UInt8]) {
        announced[roomID] = nil
        backend?.withdraw(roomID: roomID)
    }

    /// What becomes of the rooms that this daemon announces.
    func ownRecord(of me: [UInt8]) -> NetworkFacts.OwnRecord {
        guard !announced.isEmpty else { return .none }
        let back = Set(rooms.filter { $0.record.hostID == me }.map(\.record.roomID))
        let missing = announced.filter { !back.contains($0.key) }
        guard let first = missing.min(by: { $0.value.since < $1.value.since })?.value else { return .seen }
        let waited = loop.now - min(first.since, loop.now)  // a clock may go back
        guard waited >= Self.echoWait else { return .none }
        return .missing(room: first.name, seconds: Int(waited / 1_000_000_000))
    }

    /// A dial to a room's host failed.
    func markUnreachable(_ room: DiscoveredRoom) {
        let addresses = room.endpoints.map(\.address)
        unreached.removeAll { $0.room == room.record.name }
        unreached.append(NetworkFacts.Unreached(room.record.name, addresses: addresses))
        if unreached.count > Self.unreachedMax { unreached.removeFirst() }
        backend?.markUnreachable(roomID: room.record.roomID, hostID: room.record.hostID)
    }

    /// Another peer answered where a room's host should be.
    func resolveAgain(_ room: DiscoveredRoom) { backend?.resolveAgain(roomID: room.record.roomID) }

    /// Withdraws everything.
    func stop() {
        backend?.stop()
        backend = nil
    }

    fileprivate func take(_ event: DiscoveryEvent) {
        switch event {
        case .state(let new):
            // Whoever announces anew says so again.
            if new.word != .running { announced = [:] }
            state = new
            journal.emit(
                .discoveryChanged,
                [
                    JSON.Member("state", .string(new.word.rawValue)),
                    JSON.Member("detail", .string(new.detail)),
                ])
        case .found(let room):
            rooms.append(room)
            tell(.roomFound, room)
            seen?(room.record)
        case .changed(let room):
            if let index = index(of: room) { rooms[index] = room } else { rooms.append(room) }
            tell(.roomChanged, room)
            seen?(room.record)
        case .lost(let room):
            if let index = index(of: room) { rooms.remove(at: index) }
            tell(.roomLost, room)
        case .published(let roomID, let name): announced[roomID] = (name, loop.now)
        case .renamed(let roomID, let name):
            announced[roomID] = nil
            renamed?(roomID, name)
        case .failed(_, let text):
            journal.emit(
                .error,
                [
                    JSON.Member("reason", .string(Reason.noDiscovery.rawValue)),
                    JSON.Member("message", .string(text)),
                ])
        }
        changed?()
    }

    private func index(of room: DiscoveredRoom) -> Int? {
        rooms.firstIndex { $0.record.roomID == room.record.roomID }
    }

    private func tell(_ type: EventType, _ room: DiscoveredRoom) {
        var fields = [JSON.Member("room", .string(Hex.encode(room.record.roomID)))]
        if let row = describe?(room) { fields.append(JSON.Member("row", JSON(encoding: row))) }
        journal.emit(type, fields)
    }
}

/// Carries events from the backend's thread to the loop's: it is looked into on the loop's alone.
private final class DiscoveryInbox: @unchecked Sendable {
    private weak var service: DiscoveryService?

    init(_ service: DiscoveryService) { self.service = service }

    func take(_ event: DiscoveryEvent) { service?.take(event) }
}
