import ParlorControl
import ParlorDiscovery
import ParlorStore

// What comes from programs, files and the network as text.
extension FuzzTarget {
    /// JSON: what is taken is written, and read as the same again.
    static let json = FuzzTarget(name: "json") { bytes in
        guard let value = try? JSON(parsing: bytes) else { return }
        for sorted in [false, true] {
            let text = value.encoded(sortedKeys: sorted)
            guard let again = try? JSON(parsing: text) else {
                return demand(false, "\(String(decoding: text, as: UTF8.self)) is refused when written")
            }
            demand(
                again.encoded(sortedKeys: sorted) == text,
                "written and read, \(String(decoding: text, as: UTF8.self)) differs")
        }
    }

    /// A line of the control socket, as the daemon and as a client reads it, and every method's parameters.
    static let requests = FuzzTarget(name: "requests") { bytes in
        _ = try? RPCIncoming(parsing: bytes)
        let request: RPCRequest
        do throws(RPCFault) { request = try RPCRequest(parsing: bytes) } catch {
            demand((try? JSON(parsing: error.response.json.encoded())) != nil, "a refusal is no JSON")
            return
        }
        let again = try? RPCRequest(parsing: request.json.encoded())
        demand(again?.method == request.method && again?.id == request.id, "\(request) differs when written")
        _ = Method(rawValue: request.method)
        check(request, HelloParams.self, SubscribeParams.self, MatchParams.self, ActParams.self)
        check(request, LogParams.self, ExportParams.self, VerifyParams.self, MatchesListParams.self)
        check(request, ChannelSendParams.self, ProfileSetParams.self, FaultParams.self)
        check(request, RoomsListParams.self, HostParams.self, JoinParams.self, RoomParams.self)
        check(request, ReadyParams.self, LockParams.self, KickParams.self, BotParams.self)
        check(request, SayParams.self, RoomSetParams.self)
    }

    private static func check<each Params: Codable>(
        _ request: RPCRequest, _ types: repeat (each Params).Type
    ) {
        for type in repeat each types { check(request, type) }
    }

    private static func check<Params: Codable>(_ request: RPCRequest, _ type: Params.Type) {
        guard let params = try? request.params(as: type) else { return }
        let json = JSON(encoding: params)
        guard let again = try? json.decode(type) else {
            return demand(false, "\(params) cannot be read again")
        }
        demand(JSON(encoding: again).encoded() == json.encoded(), "written and read, \(params) differs")
    }

    /// Lines cut out of a stream: all at once, and in pieces as the first byte says.
    static let lines = FuzzTarget(name: "lines") { bytes in
        let piece = Int(bytes.first ?? 0) % 7 + 1
        let stream = bytes.dropFirst()
        var whole = LineFramer()
        whole.append(stream)
        var cut = LineFramer()
        var lines: [[UInt8]] = []
        var rest = stream
        while !rest.isEmpty {
            cut.append(rest.prefix(piece))
            rest = rest.dropFirst(piece)
            while let line = try? cut.next() { lines.append(line) }
        }
        for line in lines { demand((try? whole.next()) == line, "in pieces, a line differs") }
        demand((try? whole.next()) == .some(nil), "in pieces, a line is missing")
        demand(whole.pendingBytes == cut.pendingBytes, "in pieces, something else is left")
        demand(lines.count == stream.count { $0 == UInt8(ascii: "\n") }, "lines and line feeds differ")
    }

    /// A settings file, and an address to listen at.
    static let settings = FuzzTarget(name: "settings") { bytes in
        let (settings, problems) = Settings.parse(bytes)
        let lines = bytes.count { $0 == UInt8(ascii: "\n") } + 1
        for problem in problems {
            demand((1...lines).contains(problem.line), "\(problem) of \(lines) lines")
        }
        let again = Settings.parse(bytes)
        demand(again.settings == settings && again.problems == problems, "read twice, the settings differ")
        _ = ListenAddress(String(decoding: bytes, as: UTF8.self))
    }

    /// The TXT record of a room: its name, then strings with their lengths.
    static let records = FuzzTarget(name: "records") { bytes in
        var input = FuzzInput(bytes)
        let name = String(decoding: input.bytes(Int(input.byte())), as: UTF8.self)
        var strings: [[UInt8]] = []
        while !input.isEmpty { strings.append(input.bytes(Int(input.byte()))) }
        guard let record = try? RoomRecord(name: name, txt: strings, port: 9) else { return }
        guard let written = try? record.txt() else { return }
        guard let again = try? RoomRecord(name: record.name, txt: written, port: 9) else {
            return demand(false, "\(record) cannot be read again")
        }
        demand(again == record, "written and read, \(record) is \(again)")
    }
}
