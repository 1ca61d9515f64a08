internal import Glibc
internal import ParlorControl
internal import ParlorNet

/// The control socket: reads requests, a line each, answers them as they finish, and sends events to
/// subscribers.
final class ControlServer {
    /// What a client may leave unread before it is dropped, in bytes.
    static let backlogMax = 4 * 1_048_576
    /// Clients at once.
    static let clientsMax = 256
    /// How long a client that is one too many may take to read that, in nanoseconds.
    static let refusalWait: UInt64 = 1_000_000_000

    /// Carries a request out and answers once.
    var handle: ((RPCRequest, ControlClient, @escaping (Result<JSON, RPCError>) -> Void) -> Void)?
    /// Called when a client comes or goes.
    var changed: (() -> Void)?
    private let listener: UnixListener
    private let journal: EventJournal
    private var clients: [ObjectIdentifier: ControlClient] = [:]

    /// Listens; a socket that a dead daemon left is removed first, which the home's lock makes safe.
    init(loop: EventLoop, path: String, journal: EventJournal) throws(NetError) {
        self.journal = journal
        unsafe unlink(path)
        listener = try UnixListener(loop: loop, path: path)
        listener.onAccept = { [weak self] stream in self?.accept(stream) }
    }

    /// How many clients are connected.
    var clientCount: Int { clients.count }

    /// Whether a client other than this one stays in a room.
    func isShared(_ room: String, besides client: ControlClient) -> Bool {
        clients.values.contains { $0 !== client && $0.stays.contains(room) }
    }

    private func accept(_ stream: UnixStream) {
        guard stream.peerUID == getuid() else { return stream.close(flushingFor: 0) }
        guard clients.count < Self.clientsMax else {
            let text =
                "This daemon has \(Self.clientsMax) connections to its control socket, and takes no more."
            let answer = RPCResponse(id: nil, result: .failure(RPCError(.busy, text)))
            stream.send(answer.json.encoded() + [UInt8(ascii: "\n")])
            return stream.close(flushingFor: Self.refusalWait)
        }
        let client = ControlClient(stream)
        clients[ObjectIdentifier(client)] = client
        client.onRequest = { [weak self] line, client in self?.take(line, from: client) }
        client.onClosed = { [weak self] client in self?.closed(client) }
        changed?()
    }

    private func closed(_ client: ControlClient) {
        journal.unsubscribe(client)
        clients[ObjectIdentifier(client)] = nil
        changed?()
    }

    private func take(_ line: [UInt8], from client: ControlClient) {
        let request: RPCRequest
        do { request = try RPCRequest(parsing: line) } catch { return client.send(error.response.json) }
        handle?(request, client) { [weak client] result in
            guard let id = request.id else { return }
            client?.answer(RPCResponse(id: id, result: result))
        }
    }

    /// Takes no more clients and closes those there are, with what is queued for them.
    func stop(flushingFor nanoseconds: UInt64) {
        listener.close()
        for client in clients.values { client.close(flushingFor: nanoseconds) }
    }
}

/// One connection to the control socket.
final class ControlClient {
    /// Called with each line.
    var onRequest: ((_ line: [UInt8], ControlClient) -> Void)?
    /// Called once, last.
    var onClosed: ((ControlClient) -> Void)?
    /// The IDs of the rooms that it entered to stay in.
    var stays: Set<String> = []
    private let stream: UnixStream
    private var framer = LineFramer()

    init(_ stream: UnixStream) {
        self.stream = stream
        stream.onBytes = { [weak self] bytes in self?.take(bytes) }
        stream.onEndOfInput = { [weak self] in self?.close(flushingFor: 1_000_000_000) }
        stream.onClosed = { [weak self] _ in
            guard let self else { return }
            onClosed?(self)
        }
    }

    private func take(_ bytes: [UInt8]) {
        framer.append(bytes)
        do {
            while let line = try framer.next() {
                if !line.isEmpty { onRequest?(line, self) }
            }
        } catch {
            let text = "A line has more than \(LineFramer.lineBytesMax) bytes; the connection is closed."
            send(RPCResponse(id: nil, result: .failure(RPCError(.invalidRequest, text))).json)
            close(flushingFor: 1_000_000_000)
        }
    }

    /// Sends the answer to a request, or says that it does not fit a line.
    func answer(_ response: RPCResponse) {
        let line = response.json.encoded()
        guard line.count > LineFramer.lineBytesMax else { return send(line) }
        let text = "The answer has \(line.count) bytes, and a line at most \(LineFramer.lineBytesMax)."
        send(RPCResponse(id: response.id, result: .failure(RPCError(.messageTooLarge, text))).json)
    }

    /// The bytes that wait to be read.
    var queuedBytes: Int { stream.queuedBytes }

    /// Sends one line; a client that does not read is dropped.
    func send(_ json: JSON) { send(json.encoded()) }

    private func send(_ line: [UInt8]) {
        stream.send(line + [UInt8(ascii: "\n")])
        if stream.queuedBytes > ControlServer.backlogMax { close(flushingFor: 0) }
    }

    /// Ends the connection.
    func close(flushingFor nanoseconds: UInt64) { stream.close(flushingFor: nanoseconds) }
}
