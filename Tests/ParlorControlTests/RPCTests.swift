import ParlorControl
import Testing

struct RPCTests {
    private func fault(_ line: String) -> RPCFault? {
        do {
            _ = try RPCRequest(parsing: Array(line.utf8))
            return nil
        } catch {
            return error
        }
    }

    @Test func `a request goes both ways`() throws {
        let line = #"{"jsonrpc":"2.0","id":"a1","method":"room.say","params":{"text":"hello"}}"#
        let request = try RPCRequest(parsing: Array(line.utf8))
        #expect(request == RPCRequest(id: .string("a1"), method: "room.say", params: ["text": "hello"]))
        #expect(request.json.encodedText == line)
    }

    @Test func `a request may leave out its parameters`() throws {
        let line = #"{"jsonrpc":"2.0","id":1,"method":"status"}"#
        #expect(try RPCRequest(parsing: Array(line.utf8)).params == [:])
    }

    @Test(arguments: [
        ("{", -32700, "parse-error", "null"), ("[]", -32600, "invalid-request", "null"),
        (#"[{"jsonrpc":"2.0","id":1,"method":"status"}]"#, -32600, "invalid-request", "null"),
        (#"{"id":1,"method":"status"}"#, -32600, "invalid-request", "1"),
        (#"{"jsonrpc":"2.0","id":1}"#, -32600, "invalid-request", "1"),
        (#"{"jsonrpc":"2.0","id":1.5,"method":"status"}"#, -32600, "invalid-request", "null"),
        (#"{"jsonrpc":"2.0","id":1,"method":"status","params":[1]}"#, -32600, "invalid-request", "1"),
    ])
    func `a malformed request is answered by its kind`(line: String, code: Int, reason: String, id: String)
        throws
    {
        let answer = try #require(fault(line)).response.json
        #expect(answer["error"]?["code"] == .int(code))
        #expect(answer["error"]?["data"]?["reason"] == .string(reason))
        #expect(answer["id"]?.encodedText == id)
    }

    @Test(arguments: [
        (#"{"seat":"1"}"#, "room.kick: 'seat' must be a whole number, not a string."),
        (#"{"seat":1.0}"#, "room.kick: 'seat' must be a whole number, not 1.0."),
        (#"{"seat":1.5}"#, "room.kick: 'seat' must be a whole number, not 1.5."),
        (
            #"{"seat":99999999999999999999}"#,
            "room.kick: 'seat' must be a whole number between -9223372036854775808 and 9223372036854775807, "
                + "not 1e+20."
        ),
        (#"{"watcher":1}"#, "room.kick: 'watcher' must be a string, not a whole number."),
        (#"{"seat":1,"ban":1}"#, "room.kick: 'ban' must be true or false, not a whole number."),
        (#"{"seat":1,"room":7}"#, "room.kick: 'room' must be a string, not a whole number."),
    ])
    func `mistyped parameters are named`(params: String, message: String) throws {
        let request = RPCRequest(id: .int(1), method: "room.kick", params: try JSON(parsing: params))
        do {
            _ = try request.params(as: KickParams.self)
            Issue.record("taken")
        } catch {
            #expect(error == RPCError(.badParams, message))
            #expect(error.code == -32602)
        }
    }

    @Test(arguments: [
        (#"{}"#, "room.watchers: 'allowed' is missing."),
        (#"{"allowed":null}"#, "room.watchers: 'allowed' must be true or false, not null."),
    ])
    func `parameters that lack are named`(params: String, message: String) throws {
        let request = RPCRequest(id: .int(1), method: "room.watchers", params: try JSON(parsing: params))
        #expect(throws: RPCError(.badParams, message)) { try request.params(as: WatchersParams.self) }
    }

    @Test func `lists and words are checked inside`() throws {
        func message<Value: Decodable>(_ type: Value.Type, _ params: JSON) -> String? {
            do {
                _ = try RPCRequest(id: nil, method: "m", params: params).params(as: type)
                return nil
            } catch {
                return error.message
            }
        }
        #expect(
            message(SubscribeParams.self, ["types": ["say", 3]])
                == "m: 'types[1]' must be a string, not a whole number.")
        let word = message(HostParams.self, ["game": "snap", "bot_level": "best"])
        #expect(word == "m: 'bot_level' must be one of easy, normal, hard.")
        #expect(message(KickParams.self, ["seat": 1, "other": true]) == nil)
    }

    @Test func `an error keeps its reason on the way`() throws {
        let error = RPCError(.wordInvalid, "Too short.", data: ["letters": 1])
        let line = RPCResponse(id: .int(4), result: .failure(error)).json.encoded()
        #expect(
            String(decoding: line, as: UTF8.self)
                == #"{"jsonrpc":"2.0","id":4,"error":{"code":-32010,"message":"Too short.","#
                + #""data":{"reason":"word-invalid","letters":1}}}"#)
        guard case .response(let response) = try RPCIncoming(parsing: line),
            case .failure(let read) = response.result
        else {
            Issue.record("not an error")
            return
        }
        #expect(read.reason == .wordInvalid && read.code == -32010 && read.message == "Too short.")
        #expect(response.id == .int(4))
    }

    @Test func `an unknown reason falls back to its code`() {
        #expect(
            RPCError(["code": -32002, "message": "x", "data": ["reason": "no-such-thing"]]).reason
                == .noSuchRoom)
        #expect(RPCError(["code": -32010, "message": "x", "data": ["reason": "tired"]]).reason == .failed)
        #expect(RPCError(["code": -32700, "message": "x"]).reason == .parseError)
    }

    @Test func `an event goes both ways and a result is told apart`() throws {
        let event = EventInfo(
            seq: 5, type: .seatLeft, time: 9, fields: [.init("room", "01"), .init("seat", 2)])
        let line = event.notification.encodedText
        #expect(
            line
                == #"{"jsonrpc":"2.0","method":"event","params":{"seq":5,"type":"seat.left","#
                + #""time":9,"room":"01","seat":2}}"#
        )
        #expect(try RPCIncoming(parsing: Array(line.utf8)) == .event(event))
        #expect(event["seat"] == 2)
        let result = Array(#"{"jsonrpc":"2.0","id":1,"result":{}}"#.utf8)
        #expect(
            try RPCIncoming(parsing: result) == .response(RPCResponse(id: .int(1), result: .success([:]))))
    }
}

struct ReasonTests {
    @Test(arguments: [
        (Reason.badParams, -32602, Int32(2)), (.versionMismatch, -32001, 7), (.noSuchRoom, -32002, 5),
        (.notFound, -32002, 5), (.timedOut, -32003, 6), (.notInRoom, -32004, 1), (.unknownMethod, -32601, 1),
        (.illegalMove, -32010, 1), (.usage, 0, 2), (.noDaemon, 0, 3), (.addressInUse, 0, 4),
        (.interrupted, 0, 130),
    ])
    func `each reason has its code and exit`(reason: Reason, code: Int, exit: Int32) {
        #expect(reason.rpcCode == code)
        #expect(reason.exitCode == exit)
    }

    @Test func `every documented word is there`() {
        let words = """
            room-full room-closed room-locked code-needed wrong-code too-many-tries banned already-in-room
            name-invalid
            version-mismatch identity-mismatch unreachable timed-out not-host not-your-turn illegal-move
            not-in-match
            not-enough-players not-ready not-found not-in-room bad-params unknown-method word-invalid
            message-too-large queue-full no-discovery no-such-room ambiguous busy match-ended not-allowed
            shutting-down
            """.split(whereSeparator: \.isWhitespace)
        for word in words { #expect(Reason(rawValue: String(word)) != nil, "\(word)") }
    }
}
