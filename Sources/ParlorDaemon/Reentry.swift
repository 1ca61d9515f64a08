internal import ParlorControl
internal import ParlorNet
internal import ParlorProtocol
internal import ParlorStore

/// Where the rooms this daemon is in are kept for the next start.
struct RoomsOnDisk {
    /// What is kept, `nil` for what cannot be read.
    var load: () -> [(RoomID, KeptRoom?)]
    /// Keeps a room, in place of what was kept of it.
    var set: (RoomID, KeptRoom) -> Void
    /// Keeps a room no longer.
    var remove: (RoomID) -> Void

    /// Keeps them in a file.
    init(_ file: RoomsFile) {
        load = {
            file.load().compactMap { id, bytes in
                RoomID(bytes: id).map { ($0, KeptRoom(decoding: bytes)) }
            }
        }
        set = { id, room in file.set(id.bytes, room.encoded) }
        remove = { id in file.remove(id.bytes) }
    }
}

/// The way back into a room that this daemon was in when it ended: asks all its members, again and again.
final class Reentry {
    let kept: KeptRoom
    private unowned let book: RoomBook
    private var timer: LoopTimer?
    private let until: Tick
    /// The members that are being asked.
    private var asked: Set<PeerID> = []
    private var isEnded = false

    init(_ kept: KeptRoom, book: RoomBook) {
        self.kept = kept
        self.book = book
        until = Tick(nanoseconds: book.loop.now) + Limits.reenterWait
    }

    var id: RoomID { kept.state.id }

    func start() {
        timer = book.loop.timer { [weak self] in self?.ask() }
        ask()
    }

    /// Asks no more.
    func stop() {
        isEnded = true
        timer?.close()
    }

    private func ask() {
        let now = Tick(nanoseconds: book.loop.now)
        if book.room(id) != nil { return end(isFound: true) }
        guard now < until else {
            Log.say("nobody is left in the room \(kept.state.name): it is forgotten")
            return end(isFound: false)
        }
        timer?.set(at: (now + Limits.reenterInterval).nanoseconds)
        for player in kept.state.people.compactMap({ $0 })
        where player.peer != book.me && asked.insert(player.peer).inserted {
            let wish = JoinWish(
                reference: .id(id), addresses: SocketAddress.dialled(player.endpoints, withLoopback: true),
                host: player.peer, row: nil, code: nil, name: kept.name,
                wait: min(until - now, Limits.dialWait + .seconds(1)), isRepeated: true)
            book.join(wish) { [weak self] result in self?.answered(player.peer, result) }
        }
    }

    private func answered(_ peer: PeerID, _ result: Result<Room, RPCError>) {
        guard !isEnded else { return }
        asked.remove(peer)
        switch result {
        case .success: end(isFound: true)
        case .failure(let error):
            guard Self.isFinal(error) else { return }
            Log.say("the room \(kept.state.name) is not come back to: \(error.message)")
            end(isFound: false)
        }
    }

    /// Whether it is the host that has answered, and would not think otherwise a moment later.
    private static func isFinal(_ error: RPCError) -> Bool {
        switch error.reason {
        case .banned, .roomFull, .roomClosed, .roomLocked, .codeNeeded, .nameInvalid, .notAllowed: true
        default: false
        }
    }

    private func end(isFound: Bool) {
        stop()
        book.ended(self, isFound: isFound)
        for player in kept.state.people.compactMap({ $0 }) where player.peer != book.me {
            book.release(player.peer)
        }
    }
}
