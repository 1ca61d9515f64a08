internal import ParlorNet
internal import ParlorProtocol

/// Drives the ``Mesh`` of one room that this daemon has joined.
final class RoomMesh {
    /// Called when messages to a member take another way.
    var pathChanged: ((PeerID, Mesh.Path) -> Void)?
    private var machine: Mesh
    private let room: RoomID
    /// The room's host, which is no part of the mesh.
    var host: PeerID
    private let context: RoomContext
    private var timer: LoopTimer?
    private var isClosed = false
    private var isHostOnLoopback = false
    private let turnstile = Turnstile<Mesh.Input>()

    init(_ room: RoomID, host: PeerID, context: RoomContext) {
        self.room = room
        self.host = host
        self.context = context
        machine = Mesh(room: room, me: context.signer.peer)
        timer = context.loop.timer { [weak self] in self?.feed(.deadlinePassed) }
    }

    /// The way that messages to another guest take; `nil` for who is none.
    func path(to peer: PeerID) -> Mesh.Path? { machine.path(to: peer) }

    /// Takes the room's seats as they are now.
    func setMembers(_ seats: [RoomState.Player?], me: PeerID) {
        let members = seats.enumerated().compactMap { seat, player -> Mesh.Member? in
            guard let player, player.peer != me, player.peer != host else { return nil }
            return Mesh.Member(
                peer: player.peer, seat: seat, isAway: player.away, endpoints: player.endpoints)
        }
        feed(.roster(members))
    }

    /// Feeds the machine, and carries out what it asks before the next input.
    func feed(_ input: Mesh.Input) {
        guard !isClosed else { return }
        turnstile.pass(input) { input in
            for action in machine.handle(input, at: Tick(nanoseconds: context.loop.now)) { perform(action) }
        }
    }

    private func perform(_ action: Mesh.Action) {
        switch action {
        case .dial(let peer, let endpoints): dial(peer, endpoints)
        case .send(let message, let peer): context.hub.link(to: peer)?.send(message)
        case .path(let peer, let path): pathChanged?(peer, path)
        case .arm(let tick): timer?.set(at: tick?.nanoseconds)
        }
    }

    private func dial(_ peer: PeerID, _ endpoints: [Endpoint]) {
        if let link = context.hub.link(to: host) { isHostOnLoopback = link.remote.isLoopback }
        let addresses = SocketAddress.dialled(endpoints, withLoopback: isHostOnLoopback)
        context.hub.dial(addresses, expected: peer) { [weak self, context] result in
            guard let self, !isClosed else { return context.release(peer) }
            switch result {
            case .success(let link):
                feed(.dialled(peer))
                if link.isLost { feed(.linkLost(peer)) }
            case .failure: feed(.dialFailed(peer))
            }
        }
    }

    /// Ends this peer's part in the mesh.
    func close() {
        isClosed = true
        timer?.close()
        pathChanged = nil
    }
}

/// Peers that enter the mesh of a room which this daemon is not in, or not yet: the host may have told them
/// of it first.
final class MeshCallers {
    private struct Caller {
        let peer: PeerID
        let room: RoomID
        let until: Tick
    }

    private let loop: EventLoop
    /// Tells a peer that this daemon is not in the room.
    private let deny: (PeerID, RoomID) -> Void
    private var callers: [Caller] = []
    private var timer: LoopTimer?

    init(loop: EventLoop, deny: @escaping (PeerID, RoomID) -> Void) {
        self.loop = loop
        self.deny = deny
        timer = loop.timer { [weak self] in self?.expire() }
    }

    private var now: Tick { Tick(nanoseconds: loop.now) }

    /// Lets a peer wait for the room.
    func wait(_ peer: PeerID, for room: RoomID) {
        guard !callers.contains(where: { $0.peer == peer && $0.room == room }) else { return }
        guard callers.count < Limits.meshWaitingMax else { return deny(peer, room) }
        callers.append(Caller(peer: peer, room: room, until: now + Limits.meshRosterWait))
        timer?.set(at: callers.first?.until.nanoseconds)
    }

    /// Those that wait for a room, which wait no longer.
    func take(_ room: RoomID) -> [PeerID] {
        let found = callers.filter { $0.room == room }.map(\.peer)
        callers.removeAll { $0.room == room }
        return found
    }

    /// A peer has no link any more.
    func forget(_ peer: PeerID) { callers.removeAll { $0.peer == peer } }

    private func expire() {
        let late = callers.filter { $0.until <= now }
        callers.removeAll { $0.until <= now }
        for caller in late { deny(caller.peer, caller.room) }
        timer?.set(at: callers.first?.until.nanoseconds)
    }
}
