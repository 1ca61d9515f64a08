/// The stable word in `error.data.reason` that programs look at.
///
/// One row a reason: the word, its JSON-RPC code and the exit code of `parlor`.
public enum Reason: String, WordEnum, Codable, Hashable, Sendable {
    // What a request can be.
    case parseError = "parse-error"
    case invalidRequest = "invalid-request"
    case unknownMethod = "unknown-method"
    case badParams = "bad-params"

    // What cannot be had.
    case versionMismatch = "version-mismatch"
    case noSuchRoom = "no-such-room"
    case notFound = "not-found"
    case timedOut = "timed-out"
    case notInRoom = "not-in-room"

    // What is refused.
    case roomFull = "room-full"
    case roomClosed = "room-closed"
    case roomLocked = "room-locked"
    case codeNeeded = "code-needed"
    case wrongCode = "wrong-code"
    case tooManyTries = "too-many-tries"
    case banned
    case alreadyInRoom = "already-in-room"
    case nameInvalid = "name-invalid"
    case identityMismatch = "identity-mismatch"
    case unreachable
    case notHost = "not-host"
    case notYourTurn = "not-your-turn"
    case illegalMove = "illegal-move"
    case notInMatch = "not-in-match"
    case notEnoughPlayers = "not-enough-players"
    case notReady = "not-ready"
    case wordInvalid = "word-invalid"
    case wordsDiffer = "words-differ"
    case messageTooLarge = "message-too-large"
    case queueFull = "queue-full"
    case noDiscovery = "no-discovery"
    case ambiguous
    case busy
    case matchEnded = "match-ended"
    case notAllowed = "not-allowed"
    case shuttingDown = "shutting-down"

    // What the client finds out by itself; never on the socket.
    case usage
    case noDaemon = "no-daemon"
    case daemonSilent = "daemon-silent"
    case socketNotOurs = "socket-not-ours"
    case addressInUse = "address-in-use"
    case nothingFound = "nothing-found"
    case interrupted
    case failed

    /// The JSON-RPC code; 0 when only the client itself finds this fault.
    public var rpcCode: Int { row.rpc }

    /// The exit code of `parlor` when a command fails for this reason.
    public var exitCode: Int32 { row.exit }

    private var row: (rpc: Int, exit: Int32) {
        switch self {
        case .parseError: (-32700, 1)
        case .invalidRequest: (-32600, 1)
        case .unknownMethod: (-32601, 1)
        case .badParams: (-32602, 2)
        case .versionMismatch: (-32001, 7)
        case .noSuchRoom, .notFound: (-32002, 5)
        case .timedOut: (-32003, 6)
        case .notInRoom: (-32004, 1)
        case .roomFull, .roomClosed, .roomLocked, .codeNeeded, .wrongCode, .tooManyTries, .banned,
            .alreadyInRoom, .nameInvalid, .identityMismatch, .unreachable, .notHost, .notYourTurn,
            .illegalMove,
            .notInMatch, .notEnoughPlayers, .notReady, .wordInvalid, .wordsDiffer, .messageTooLarge,
            .queueFull,
            .noDiscovery, .ambiguous, .busy, .matchEnded, .notAllowed, .shuttingDown:
            (-32010, 1)
        case .usage: (0, 2)
        case .noDaemon, .daemonSilent, .socketNotOurs: (0, 3)
        case .addressInUse: (0, 4)
        case .nothingFound: (0, 5)
        case .interrupted: (0, 130)
        case .failed: (0, 1)
        }
    }
}

/// Why a seat was left or a room closed: the `reason` of `seat.left` and `room.closed`.
public enum LeaveReason: String, WordEnum, Codable, Hashable, Sendable {
    case left
    case lost
    case kicked
    case hostClosed = "host-closed"
    case hostLost = "host-lost"
    case shuttingDown = "shutting-down"
    case protocolViolation = "protocol-violation"
}
