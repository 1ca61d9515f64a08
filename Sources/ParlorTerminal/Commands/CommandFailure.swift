internal import ParlorControl

/// Why a command ends without success: what is printed, and the exit code.
struct CommandFailure: Error, Equatable {
    let reason: Reason
    /// What `--json` shows as `code`: the daemon's, or 0 when the client found the fault.
    let code: Int
    /// What happened, why, and what to do next; one line.
    private(set) var message: String
    /// The same without the next step, for where that is asked for at once.
    let said: String

    var exitCode: Int32 { reason.exitCode }

    /// A fault the client found.
    init(_ reason: Reason, _ message: String) {
        self.reason = reason
        self.code = 0
        self.message = message
        said = message
    }

    /// A refusal by the daemon, with the next step added where its message does not name one.
    init(_ error: RPCError) {
        reason = error.reason
        code = error.code
        said = CleanText.line(error.message)
        if let hint = Self.hint(error.reason), !said.contains("parlor ") {
            message = Self.join(said, hint)
        } else {
            message = said
        }
    }

    /// The same with another next step, where one was added to what the daemon said.
    func advising(_ step: String) -> CommandFailure {
        guard message != said else { return self }
        var copy = self
        copy.message = Self.join(said, step)
        return copy
    }

    private static func join(_ said: String, _ step: String) -> String {
        said + (said.hasSuffix(".") ? " " : ". ") + step
    }

    static func usage(_ message: String) -> CommandFailure { CommandFailure(.usage, message) }

    var json: JSON {
        let error: JSON = [
            "code": .int(code), "reason": .string(reason.rawValue), "message": .string(message),
        ]
        return ["error": error]
    }

    private static func hint(_ reason: Reason) -> String? {
        switch reason {
        case .noSuchRoom: "See what is near: parlor list --all"
        case .notInRoom: "Join one: parlor join, or open one: parlor host GAME"
        case .roomFull: "Open your own: parlor host GAME"
        case .codeNeeded: "Then join again with --code CODE"
        case .ambiguous: "As in: parlor join ROOM, or --room ROOM for a room you are in"
        case .noDiscovery: "Join by address instead: parlor join --address HOST:PORT"
        case .notReady, .notEnoughPlayers: "See who is there: parlor status"
        case .illegalMove, .notYourTurn: "See what is possible: parlor view"
        case .unreachable, .timedOut: "Find out what is in the way: parlor doctor --peer ROOM"
        case .versionMismatch: "Compare: parlor version, parlor status"
        case .badParams, .unknownMethod: "See the usage: parlor help"
        default: nil
        }
    }
}
