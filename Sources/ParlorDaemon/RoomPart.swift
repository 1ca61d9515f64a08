internal import ParlorControl
internal import ParlorNet
internal import ParlorProtocol

/// What this daemon does in a room: ``HostedRoom``, ``JoinedRoom`` or ``WatchedRoom``.
///
/// What outlives a change of the host is the room's: its match, its channels, its events, and who waits for
/// an answer.
class RoomPart {
    unowned let room: Room
    /// Whether something else has taken its place.
    private(set) var isRetired = false

    init(_ room: Room) { self.room = room }

    // MARK: For subclasses to say

    /// The room as it is now.
    var state: RoomState { preconditionFailure("a room knows its state") }
    /// The peer that hosts it.
    var host: PeerID { preconditionFailure("a room knows who hosts it") }
    /// What this daemon is in it.
    var role: RoomRole { preconditionFailure("a room knows what this peer is in it") }
    /// The newest match where that is not the room's; `nil` where it is.
    var copy: (any MatchCopy)? { nil }
    /// The peers whose links have to be lively during a match.
    var lively: [PeerID] { state.people.compactMap { $0?.peer } }
    /// What this peer asked to be called.
    var name: String { preconditionFailure("a room knows its player") }
    /// Hands a request of the own player to the machine.
    func ask(_ id: RequestID, _ request: RoomRequest) { preconditionFailure("a room takes requests") }
    /// The moment of ``arm(_:)`` has come.
    func deadlinePassed() { preconditionFailure("a room has deadlines") }
    /// A peer sent something that is not about the match, or its genesis.
    func received(_ message: RoomMessage, from peer: PeerID) { preconditionFailure("a room has links") }
    /// Gets a program's message to another member.
    func send(_ body: ChannelBody, to peer: PeerID) { preconditionFailure("a room has links") }
    /// The way that messages to a member take; `nil` when it cannot be reached.
    func path(to peer: PeerID) -> ChannelPath? { preconditionFailure("a room has links") }
    /// Whether a peer takes messages of the match by the link with it.
    func isDirect(_ peer: PeerID) -> Bool { preconditionFailure("a room has links") }
    /// There is a link to a peer, or another one in place of the one there was.
    func up(_ peer: PeerID) { preconditionFailure("a room has links") }
    /// A peer is out of reach.
    func lost(_ peer: PeerID) { preconditionFailure("a room has links") }
    /// A peer has a connection again, and nothing was missed.
    func resumed(_ peer: PeerID) { preconditionFailure("a room has links") }
    /// The link to a peer has ended.
    func down(_ peer: PeerID, _ end: LinkEnd) { preconditionFailure("a room has links") }
    /// The match went on.
    func matchNotice(_ notice: MatchNotice) { preconditionFailure("a room has matches") }
    /// The match has this peer as its sequencer.
    func sequencerChanged(to peer: PeerID) { preconditionFailure("a room has matches") }
    /// Something else takes its place, or the room is closed.
    func retire() { isRetired = true }

    // MARK: Of the room

    var context: RoomContext { room.context }
    var match: MatchDriver? { room.match }
    var channels: RoomChannels { room.channels }
    var id: RoomID { state.id }
    var me: PeerID { room.me }
    var mySeat: Int? { room.mySeat }
    var now: Tick { room.now }
    var isClosed: Bool { room.isClosed || isRetired }

    func wait(_ done: @escaping (RoomRefusal?) -> Void) -> RequestID { room.wait(done) }
    func reply(_ id: RequestID, _ refusal: RoomRefusal?) { room.reply(id, refusal) }
    func tell(_ notice: RoomNotice) { room.tell(notice) }
    func arm(_ tick: Tick?) { if !isRetired { room.arm(tick) } }

    /// Makes a link with a member, unless there is one.
    ///
    /// What comes of it is told as ``up(_:)``; when nothing does, others try as well.
    func dial(_ peer: PeerID) {
        guard let player = state.seats.compactMap({ $0 }).first(where: { $0.peer == peer }) else { return }
        let addresses = SocketAddress.dialled(player.endpoints, withLoopback: true)
        if !addresses.isEmpty { context.hub.dial(addresses, expected: peer) { _ in } }
    }
}
