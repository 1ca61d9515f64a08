internal import ParlorControl
internal import ParlorGames
internal import ParlorProtocol
internal import ParlorViews

extension ControlMethods {
    /// Entries in one answer of `match.log`, unless fewer are asked for.
    static let logEntriesMax = 1_000
    /// Bytes of entries in one answer of `match.log`: in hex, and once more in words, they fit a line.
    static let logBytesMax = 256 * 1_024

    /// The match a request means, in memory: one by ID, or the newest of a room.
    private func match(_ id: String?, _ room: String?) throws(RPCError) -> any MatchCopy {
        if let id {
            guard let match = MatchID(hex: id).flatMap(book.copy) else { throw Self.noMatch(id) }
            return match
        }
        let room = try self.room(room)
        guard let match = room.copy else {
            throw RPCError(.notInMatch, "There has been no match in \(room.state.name) yet.")
        }
        return match
    }

    /// The error for a match that is not here.
    static func noMatch(_ id: String) -> RPCError { RPCError(.notFound, "There is no match '\(id)' here.") }

    /// Reads a match, in memory or on disk, and answers with what the body makes of it.
    ///
    /// This is the one place where a match is looked up for reading. One in memory is read when what it has
    /// done so far is on disk, so that nothing is shown that a killed daemon would forget.
    func read(_ id: String, _ answer: @escaping Answer, _ body: @escaping (MatchReading) -> JSON) {
        guard let match = MatchID(hex: id) else { return answer(.failure(Self.noMatch(id))) }
        if let match = book.copy(match) { return read(match, answer, body) }
        stored.read(match) { reading in
            switch reading {
            case .success(let reading): answer(.success(body(reading)))
            case .failure(.missing): answer(.failure(Self.noMatch(id)))
            case .failure(.broken(let fault)):
                answer(
                    .failure(
                        RPCError(.notFound, "The match '\(id)' on disk cannot be read: \(fault.message).")))
            }
        }
    }

    private func read(
        _ match: any MatchCopy, _ answer: @escaping Answer, _ body: @escaping (MatchReading) -> JSON
    ) {
        match.afterwards { answer(.success(body(MatchReading(match)))) }
    }

    /// Tells the text of a match's log, as far as it is accepted; of one on disk without reading it.
    private func text(_ id: String, _ answer: @escaping Answer, _ body: @escaping (String) -> JSON) {
        guard let match = MatchID(hex: id), book.copy(match) == nil else {
            return read(id, answer) { body(LogText.write($0.log)) }
        }
        stored.load(match) { found in
            guard let found else { return answer(.failure(Self.noMatch(id))) }
            answer(.success(body(found.text)))
        }
    }

    /// Tells a match as this peer sees it: `match.view`.
    func view(_ request: RPCRequest, _ answer: @escaping Answer) throws(RPCError) {
        let params = try request.params(as: MatchParams.self)
        let body: (MatchReading) -> JSON = { [self] in JSON(encoding: info($0)) }
        if let id = params.match { return read(id, answer, body) }
        read(try match(nil, params.room), answer, body)
    }

    /// Does one thing in a match: `match.act`.
    func act(_ request: RPCRequest, _ answer: @escaping Answer) throws(RPCError) {
        let params = try request.params(as: ActParams.self)
        guard let match = try match(params.match, params.room) as? MatchDriver else {
            throw RPCError(
                .notInMatch, "You watch this match and have no seat in it, so you can only look on.")
        }
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
    func log(_ request: RPCRequest, _ answer: @escaping Answer) throws(RPCError) {
        let params = try request.params(as: LogParams.self)
        guard params.from ?? 0 >= 0, params.limit ?? 1 > 0 else {
            throw RPCError(.badParams, "'from' begins at 0 and 'limit' at 1.")
        }
        let isRaw = params.raw ?? false
        read(params.match, answer) { match in
            let entries = match.log.entries.dropFirst(params.from ?? 0)
            return JSON(
                encoding: LogInfo(
                    entries: Self.page(entries, atMost: params.limit ?? Self.logEntriesMax, isRaw: isRaw),
                    head: Hex.encode(match.log.head),
                    genesis: isRaw ? Hex.encode(match.log.genesis.encoded) : nil))
        }
    }

    /// Gives a match out as a text: `match.export`.
    func export(_ request: RPCRequest, _ answer: @escaping Answer) throws(RPCError) {
        text(try request.params(as: ExportParams.self).match, answer) { JSON(encoding: ExportInfo(text: $0)) }
    }

    /// As many entries as fit one answer; at least one where there are any.
    private static func page(_ entries: ArraySlice<Entry>, atMost limit: Int, isRaw: Bool) -> [EntryInfo] {
        var page: [EntryInfo] = []
        var bytes = 0
        for entry in entries.prefix(min(limit, logEntriesMax)) {
            let encoded = entry.encoded
            bytes += encoded.count
            if bytes > logBytesMax, !page.isEmpty { break }
            var info = EntryInfo(entry)
            if isRaw { info.encoded = Hex.encode(encoded) }
            page.append(info)
        }
        return page
    }

    /// Checks a log: `match.verify`.
    func verify(_ request: RPCRequest, _ answer: @escaping Answer) throws(RPCError) {
        let params = try request.params(as: VerifyParams.self)
        switch (params.match, params.text) {
        case (let id?, nil):
            text(id, answer) { [book] in
                JSON(encoding: VerifyInfo(text: $0, kept: book.words.joined(hex:)))
            }
        case (nil, let given?):
            answer(.success(JSON(encoding: VerifyInfo(text: given, kept: book.words.joined(hex:)))))
        default: throw RPCError(.badParams, "Give either 'match' or 'text'.")
        }
    }
}
