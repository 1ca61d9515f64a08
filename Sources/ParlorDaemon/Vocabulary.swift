internal import ParlorProtocol

// Where the protocol and the control interface use one word, the daemon means the protocol's; what is shown
// outside is called by its module.

typealias MatchState = ParlorProtocol.MatchState
typealias RoomState = ParlorProtocol.RoomState
