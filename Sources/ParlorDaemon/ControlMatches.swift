internal import ParlorControl
internal import ParlorGames
internal import ParlorProtocol
internal import ParlorViews

extension ControlMethods {
    /// Entries in one answer of `match.log`, unless fewer are asked for.
    static let logEntriesMax = 1_000
    /// Bytes of entries in one answer of `match.log`: in hex, and once more in words, they fit a line.
    static let logBytesMax = 256 * 1_024

    /// The match a request means: one by ID, or the newest of a room.
    func match(_ request: RPCRequest) throws(RPCError) -> MatchDriver {
        let params = try request.params(as: MatchParams.self)
        return try match(params.match, params.room)
    }

    private func match(_ id: String?, _ room: String?) throws(RPCError) -> MatchDriver {
        if let id { return try kept(id) }
        let room = try self.room(room)
        guard let match = room.match else {
            throw RPCError(.notInMatch, "There has been no match in \(room.state.name) yet.")
        }
        return match
    }

    /// The match with an ID whose log is kept here.
    func kept(_ id: String) throws(RPCError) -> MatchDriver {
        guard let match = MatchID(hex: id).flatMap(book.match) else {
            throw RPCError(.notFound, "There is no match '\(id)' here.")
        }
        return match
    }

    /// Does one thing in a match: `match.act`.
    func act(_ request: RPCRequest, _ answer: @escaping Answer) throws(RPCError) {
        let params = try request.params(as: ActParams.self)
        let match = try match(params.match, params.room)
        match.act(Value(params.action)) { [match] result in
            switch result {
            case .success(let index):
                let entry = match.machine.log.entries[index]
                answer(.success(JSON(encoding: ActInfo(entry: EntryInfo(entry)))))
            case .failure(let refusal): answer(.failure(RPCError(refusal)))
            }
        }
    }

    /// Tells the entries of a match: `match.log`.
    func log(_ request: RPCRequest, _ answer: Answer) throws(RPCError) {
        let params = try request.params(as: LogParams.self)
        guard params.from ?? 0 >= 0, params.limit ?? 1 > 0 else {
            throw RPCError(.badParams, "'from' begins at 0 and 'limit' at 1.")
        }
        let machine = try kept(params.match).machine
        let isRaw = params.raw ?? false
        let entries = machine.log.entries.prefix(machine.acceptedCount).dropFirst(params.from ?? 0)
        let head = machine.log.hash(at: machine.acceptedCount - 1) ?? []
        answer(
            .success(
                JSON(
                    encoding: LogInfo(
                        entries: page(entries, atMost: params.limit ?? Self.logEntriesMax, isRaw: isRaw),
                        head: Hex.encode(head),
                        genesis: isRaw ? Hex.encode(machine.log.genesis.encoded) : nil))))
    }

    /// As many entries as fit one answer; at least one where there are any.
    private func page(_ entries: ArraySlice<Entry>, atMost limit: Int, isRaw: Bool) -> [EntryInfo] {
        var page: [EntryInfo] = []
        var bytes = 0
        for entry in entries.prefix(min(limit, Self.logEntriesMax)) {
            let encoded = entry.encoded
            bytes += encoded.count
            if bytes > Self.logBytesMax, !page.isEmpty { break }
            var info = EntryInfo(entry)
            if isRaw { info.encoded = Hex.encode(encoded) }
            page.append(info)
        }
        return page
    }

    /// Checks a log: `match.verify`.
    func verify(_ request: RPCRequest, _ answer: Answer) throws(RPCError) {
        let params = try request.params(as: VerifyParams.self)
        let text: String
        switch (params.match, params.text) {
        case (let id?, nil): text = try kept(id).text
        case (nil, let given?): text = given
        default: throw RPCError(.badParams, "Give either 'match' or 'text'.")
        }
        answer(.success(JSON(encoding: VerifyInfo(text: text))))
    }
}
