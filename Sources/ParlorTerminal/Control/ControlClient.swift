internal import Glibc
internal import ParlorControl

/// One connection to the daemon, used by one thread.
///
/// ``call(_:_:timeoutMs:)`` waits for its answer and keeps the events that come in between in
/// ``events``. Programs that wait for more than the daemon use ``send(_:_:)`` and ``receive()``.
final class ControlClient {
    private let socket: UnixSocket
    private var framer = LineFramer()
    private var lastID = 0
    /// Events that arrived and nobody has taken yet, oldest first.
    private(set) var events: [EventInfo] = []

    /// How long the daemon may take to read a request, in milliseconds.
    private static let sendMsMax = 5_000

    init(_ socket: UnixSocket) { self.socket = socket }

    /// What to poll for input.
    var descriptor: CInt { socket.descriptor }

    /// The daemon's process, for messages.
    var daemonPid: Int32 { socket.peerPid }

    /// Sends a request and returns its ID.
    func send(_ method: String, _ params: JSON) throws(CommandFailure) -> Int {
        lastID += 1
        let line =
            RPCRequest(id: .int(lastID), method: method, params: params).json.encoded() + [UInt8(ascii: "\n")]
        guard line.count <= LineFramer.lineBytesMax else {
            throw CommandFailure(
                .messageTooLarge, "The request is longer than \(LineFramer.lineBytesMax) bytes.")
        }
        guard socket.write(line, until: Deadline(afterMs: Self.sendMsMax)) else {
            // What the daemon said last may tell why.
            for message in try receive() { try check(message) }
            throw lost
        }
        return lastID
    }

    /// Reads what has arrived, without waiting; throws when the daemon is gone.
    func receive() throws(CommandFailure) -> [RPCIncoming] {
        guard let bytes = socket.read() else { throw lost }
        framer.append(bytes)
        var messages: [RPCIncoming] = []
        do {
            while let line = try framer.next() { messages.append(try RPCIncoming(parsing: line)) }
        } catch {
            throw CommandFailure(
                .versionMismatch,
                "What answers at the control socket does not speak JSON-RPC. Restart it: parlor "
                    + "daemon restart"
            )
        }
        return messages
    }

    /// Sends a request and waits for its answer.
    func call(_ method: String, _ params: JSON, timeoutMs: Int) throws(CommandFailure) -> JSON {
        let id = try send(method, params)
        let deadline = Deadline(afterMs: timeoutMs)
        while true {
            var answer: RPCResponse?
            for message in try receive() {
                switch message {
                case .response(let response) where response.id == .int(id): answer = response
                case .event(let event): events.append(event)
                case .response, .other: try check(message)
                }
            }
            if let answer {
                do {
                    return try answer.result.get()
                } catch {
                    throw CommandFailure(error)
                }
            }
            guard socket.wait(for: POLLIN, until: deadline) else {
                throw CommandFailure(
                    .timedOut,
                    "\(method) took longer than \(timeoutMs) ms. Give it longer with --timeout, "
                        + "or see: parlor status"
                )
            }
        }
    }

    /// Throws where the daemon refuses the connection rather than a request.
    private func check(_ message: RPCIncoming) throws(CommandFailure) {
        if case .response(let response) = message, response.id == nil,
            case .failure(let error) = response.result
        {
            throw CommandFailure(error)
        }
    }

    /// As above, by the method's name in the table.
    func call(_ method: Method, _ params: JSON = [:], timeoutMs: Int) throws(CommandFailure) -> JSON {
        try call(method.rawValue, params, timeoutMs: timeoutMs)
    }

    /// The next events, waiting for at least one; empty when the deadline came first.
    func nextEvents(until deadline: Deadline) throws(CommandFailure) -> [EventInfo] {
        while events.isEmpty {
            guard socket.wait(for: POLLIN, until: deadline) else { return [] }
            for case .event(let event) in try receive() { events.append(event) }
        }
        return takeEvents()
    }

    /// The events kept so far, which are then forgotten.
    func takeEvents() -> [EventInfo] {
        defer { events = [] }
        return events
    }

    /// How long a daemon that has closed the connection may take to end, in milliseconds.
    private static let endMsMax = 1_000

    private var lost: CommandFailure {
        let deadline = Deadline(afterMs: Self.endMsMax)
        while !DaemonControl.hasEnded(Int(daemonPid)) {
            guard !deadline.hasPassed else {
                return CommandFailure(
                    .noDaemon,
                    "The daemon (pid \(daemonPid)) has closed this connection: it is about to stop, or what "
                        + "it sent was read too slowly. Why: parlor daemon logs")
            }
            Deadline.pause(ms: 10)
        }
        return CommandFailure(
            .noDaemon, "The daemon (pid \(daemonPid)) has stopped. Why: parlor daemon logs")
    }
}
