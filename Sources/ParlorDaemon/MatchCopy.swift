internal import ParlorGames
internal import ParlorProtocol

/// A match whose log this daemon has, as methods of the control socket read it.
protocol MatchCopy: AnyObject {
    /// The room it is played in.
    var room: RoomID { get }
    /// The log as it is here; beyond ``acceptedCount`` it must not be shown.
    var log: MatchLog { get }
    /// How many entries are accepted.
    var acceptedCount: Int { get }
    /// The state after the last accepted entry.
    var accepted: ParlorProtocol.MatchState { get }
    /// The log up to the last accepted entry.
    var acceptedLog: MatchLog { get }
    /// The own seat; `nil` for a watcher.
    var seat: Int? { get }
    /// The own seat's secrets; `nil` for a watcher.
    var secrets: SeatSecrets? { get }
    /// The moment on the match clock, milliseconds.
    var time: Int { get }
    /// Whether it grows no more.
    var isDone: Bool { get }
    /// Whether it goes on, if at all, without this peer.
    var isLeft: Bool { get }
    /// What the room was called when the match began here.
    var roomName: String { get }
    /// When it began here, in Unix milliseconds.
    var started: Int { get }
    /// When it ended here, in Unix milliseconds; `nil` while it has not.
    var ended: Int? { get }
    /// Calls the body when what the match has done so far is on disk, where it is kept there.
    func afterwards(_ body: @escaping () -> Void)
}

extension MatchCopy {
    /// The match's ID.
    var match: MatchID { log.match }
}

extension MatchDriver: MatchCopy {
    var log: MatchLog { machine.log }
    var acceptedCount: Int { machine.acceptedCount }
    var accepted: ParlorProtocol.MatchState { machine.accepted }
    var acceptedLog: MatchLog { machine.acceptedLog }
    var seat: Int? { machine.seat }
    var secrets: SeatSecrets? { machine.secrets }
    var time: Int { machine.time(at: now) }
    /// It is over, or goes on without this peer, which has left it or closed its room.
    var isDone: Bool { isOver || isRetired || isLeft }
}
