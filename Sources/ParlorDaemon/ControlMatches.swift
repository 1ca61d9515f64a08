internal import ParlorControl
internal import ParlorCrypto
internal import ParlorGames
internal import ParlorProtocol

extension ControlMethods {
    /// Entries in one answer of `match.log`, unless fewer are asked for.
    static let logEntriesMax = 1_000

    /// The match a request means: one by ID, or the newest of a room.
    func match(_ request: RPCRequest) throws(RPCError) -> any MatchCopy {
        let params = try request.params(as: MatchParams.self)
        return try match(params.match, params.room)
    }

    private func match(_ id: String?, _ room: String?) throws(RPCError) -> any MatchCopy {
        if let id { return try kept(id) }
        let room = try self.room(room)
        guard let match = room.copy else {
            throw RPCError(.notInMatch, "There has been no match in \(room.state.name) yet.")
        }
        return match
    }

    /// The match with an ID whose log is kept here.
    func kept(_ id: String) throws(RPCError) -> any MatchCopy {
        guard let match = MatchID(hex: id).flatMap(book.match) else {
            throw RPCError(.notFound, "There is no match '\(id)' here.")
        }
        return match
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
    func log(_ request: RPCRequest, _ answer: Answer) throws(RPCError) {
        let params = try request.params(as: LogParams.self)
        guard params.from ?? 0 >= 0, params.limit ?? 1 > 0 else {
            throw RPCError(.badParams, "'from' begins at 0 and 'limit' at 1.")
        }
        let match = try kept(params.match)
        let entries = match.log.entries.prefix(match.acceptedCount).dropFirst(params.from ?? 0)
            .prefix(min(params.limit ?? Self.logEntriesMax, Self.logEntriesMax))
        answer(
            .success(
                JSON(encoding: LogInfo(entries: entries.map { EntryInfo($0) }, head: Hex.encode(match.head))))
        )
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
        answer(.success(JSON(encoding: Self.verify(text))))
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
