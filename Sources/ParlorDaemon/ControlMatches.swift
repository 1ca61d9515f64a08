internal import ParlorControl
internal import ParlorCrypto
internal import ParlorGames
internal import ParlorProtocol

extension ControlMethods {
    /// Entries in one answer of `match.log`, unless fewer are asked for.
    static let logEntriesMax = 1_000

    /// The match a request means, in memory: one by ID, or the newest of a room.
    private func match(_ id: String?, _ room: String?) throws(RPCError) -> MatchDriver {
        if let id {
            guard let match = MatchID(hex: id).flatMap(book.match) else { throw Self.noMatch(id) }
            return match
        }
        let room = try self.room(room)
        guard let match = room.match else {
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
        if let match = book.match(match) { return read(match, answer, body) }
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
        _ match: MatchDriver, _ answer: @escaping Answer, _ body: @escaping (MatchReading) -> JSON
    ) {
        match.afterwards { answer(.success(body(MatchReading(match)))) }
    }

    /// Tells the text of a match's log, as far as it is accepted; of one on disk without reading it.
    private func text(_ id: String, _ answer: @escaping Answer, _ body: @escaping (String) -> JSON) {
        guard let match = MatchID(hex: id), book.match(match) == nil else {
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
    func log(_ request: RPCRequest, _ answer: @escaping Answer) throws(RPCError) {
        let params = try request.params(as: LogParams.self)
        guard params.from ?? 0 >= 0, params.limit ?? 1 > 0 else {
            throw RPCError(.badParams, "'from' begins at 0 and 'limit' at 1.")
        }
        read(params.match, answer) { match in
            let entries = match.log.entries.dropFirst(params.from ?? 0)
                .prefix(min(params.limit ?? Self.logEntriesMax, Self.logEntriesMax))
            return JSON(
                encoding: LogInfo(
                    entries: entries.map { EntryInfo($0) }, head: Hex.encode(match.log.head)))
        }
    }

    /// Gives a match out as a text: `match.export`.
    func export(_ request: RPCRequest, _ answer: @escaping Answer) throws(RPCError) {
        text(try request.params(as: ExportParams.self).match, answer) { JSON(encoding: ExportInfo(text: $0)) }
    }

    /// Checks a log: `match.verify`.
    func verify(_ request: RPCRequest, _ answer: @escaping Answer) throws(RPCError) {
        let params = try request.params(as: VerifyParams.self)
        switch (params.match, params.text) {
        case (let id?, nil): text(id, answer) { JSON(encoding: Self.verify($0)) }
        case (nil, let given?): answer(.success(JSON(encoding: Self.verify(given))))
        default: throw RPCError(.badParams, "Give either 'match' or 'text'.")
        }
    }

    private static func verify(_ text: String) -> VerifyInfo {
        do throws(LogTextFault) {
            let known: ([UInt8]) -> WordList? = { hash in
                WordList.builtin.identity(Hash.blake2b256) == hash ? .builtin : nil
            }
            let log = try LogText.read(text, words: known, signing: .ed25519)
            return VerifyInfo(
                valid: true, entries: log.entries.count,
                outcomes: (log.state.outcomes ?? []).compactMap {
                    ParlorControl.Outcome(rawValue: $0.rawValue)
                })
        } catch {
            let place = error.index < 0 ? "" : "entry \(error.index): "
            return VerifyInfo(
                valid: false, entries: max(0, error.index), outcomes: [],
                problem: "\(place)\(error.fault.rule.rawValue): \(error.fault.message)")
        }
    }
}
