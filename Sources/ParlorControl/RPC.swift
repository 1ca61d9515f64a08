/// Why a request failed, as JSON-RPC 2.0 carries it.
public struct RPCError: Error, Hashable, Sendable {
    /// The JSON-RPC code; usually that of ``reason``.
    public var code: Int
    /// The stable word, which becomes `data.reason`.
    public var reason: Reason
    /// What happened, for people.
    public var message: String
    /// Further members of `data` beside `reason`; an object or `nil`.
    public var data: JSON?

    /// Makes the error of a reason, with the reason's own code.
    public init(_ reason: Reason, _ message: String, data: JSON? = nil) {
        self.code = reason.rpcCode
        self.reason = reason
        self.message = message
        self.data = data
    }

    /// The error object, `data.reason` first in its data.
    public var json: JSON {
        let more = data?.members?.filter { $0.key != "reason" } ?? []
        return [
            "code": .int(code), "message": .string(message),
            "data": .object([JSON.Member("reason", .string(reason.rawValue))] + more),
        ]
    }

    /// Reads an error object.
    ///
    /// A reason this build does not know becomes the first one with the same code, or ``Reason/failed``.
    public init(_ json: JSON) {
        code = json["code"]?.integer ?? 0
        message = json["message"]?.text ?? "the request failed"
        data = json["data"]
        let word = json["data"]?["reason"]?.text ?? ""
        let code = code
        reason =
            Reason(rawValue: word) ?? Reason.allCases.first { $0.rpcCode == code && code != -32010 }
            ?? .failed
    }
}

/// The ID of a request, which its response repeats.
public enum RPCID: Hashable, Sendable {
    case int(Int)
    case string(String)

    /// The ID as it stands in a message.
    public var json: JSON {
        switch self {
        case .int(let value): .int(value)
        case .string(let value): .string(value)
        }
    }

    /// Reads an ID; `nil` for `null` and everything else that cannot be one.
    public init?(_ json: JSON?) {
        switch json {
        case .int(let value): self = .int(value)
        case .string(let value): self = .string(value)
        case .null, .bool, .double, .array, .object, nil: return nil
        }
    }
}

/// A line that is no request, with what to answer.
public struct RPCFault: Error, Hashable, Sendable {
    /// The ID to answer to, when one could be read.
    public let id: RPCID?
    /// What to answer.
    public let error: RPCError

    /// The answer to send.
    public var response: RPCResponse { RPCResponse(id: id, result: .failure(error)) }
}

/// One call.
public struct RPCRequest: Hashable, Sendable {
    /// The caller's ID; `nil` in a notification, which gets no answer.
    public var id: RPCID?
    /// The method's name, known or not.
    public var method: String
    /// The parameters; an empty object when there were none.
    public var params: JSON

    /// Makes a request.
    public init(id: RPCID?, method: String, params: JSON = [:]) {
        self.id = id
        self.method = method
        self.params = params
    }

    /// Reads a request from one line.
    ///
    /// Throws -32700 when the line is no JSON, and -32600 when it is JSON but no request (a batch, a
    /// wrong `jsonrpc`, no method, parameters that are no object).
    public init(parsing line: [UInt8]) throws(RPCFault) {
        let json: JSON
        do {
            json = try JSON(parsing: line)
        } catch {
            let text = "The line is not JSON: \(error.message) (byte \(error.offset))."
            throw RPCFault(id: nil, error: RPCError(.parseError, text))
        }
        let id = RPCID(json["id"])
        func invalid(_ text: String) -> RPCFault { RPCFault(id: id, error: RPCError(.invalidRequest, text)) }
        guard case .object = json else {
            throw invalid("A request is one JSON object; batches are not taken.")
        }
        guard json["jsonrpc"] == "2.0" else { throw invalid("A request has \"jsonrpc\":\"2.0\".") }
        guard let method = json["method"]?.text else { throw invalid("A request has a \"method\" string.") }
        if let given = json["id"], id == nil, !given.isNull {
            throw invalid("A request's \"id\" is a string or a whole number.")
        }
        let params = json["params"] ?? [:]
        guard params.members != nil || params.isNull else { throw invalid("\"params\" is an object.") }
        self.init(id: id, method: method, params: params.isNull ? [:] : params)
    }

    /// The request as a JSON object.
    public var json: JSON {
        var json: JSON = ["jsonrpc": "2.0"]
        if let id { json["id"] = id.json }
        json["method"] = .string(method)
        json["params"] = params
        return json
    }

    /// The parameters as a value, or `bad-params` with a message that names the member at fault.
    public func params<Value: Decodable>(as type: Value.Type) throws(RPCError) -> Value {
        do {
            return try params.decode(type)
        } catch {
            throw RPCError(.badParams, "\(method): \(error.message).")
        }
    }
}

/// The answer to a call.
public struct RPCResponse: Hashable, Sendable {
    /// The ID of the call; `nil` (written as `null`) when it could not be read.
    public var id: RPCID?
    /// What came of it.
    public var result: Result<JSON, RPCError>

    /// Makes an answer.
    public init(id: RPCID?, result: Result<JSON, RPCError>) {
        self.id = id
        self.result = result
    }

    /// The answer as a JSON object.
    public var json: JSON {
        let id = id?.json ?? .null
        return switch result {
        case .success(let value): ["jsonrpc": "2.0", "id": id, "result": value]
        case .failure(let error): ["jsonrpc": "2.0", "id": id, "error": error.json]
        }
    }
}

/// What a client reads from the socket.
public enum RPCIncoming: Hashable, Sendable {
    case response(RPCResponse)
    case event(EventInfo)
    /// A notification this build does not know, to be ignored.
    case other

    /// Reads one line; throws when it is no JSON object.
    public init(parsing line: [UInt8]) throws(JSONError) {
        let json = try JSON(parsing: line)
        guard json.members != nil else { throw JSONError(message: "not an object", offset: 0) }
        if let error = json["error"] {
            self = .response(RPCResponse(id: RPCID(json["id"]), result: .failure(RPCError(error))))
        } else if let result = json["result"] {
            self = .response(RPCResponse(id: RPCID(json["id"]), result: .success(result)))
        } else if json["method"] == "event", let event = EventInfo(json["params"] ?? .null) {
            self = .event(event)
        } else {
            self = .other
        }
    }
}
