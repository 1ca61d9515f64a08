internal import ParlorControl
internal import ParlorCrypto
internal import ParlorGames
internal import ParlorNet
internal import ParlorProtocol
internal import ParlorStore
internal import ParlorViews

// Matches by turns.
extension ControlMethods {
    private var keeper: TurnKeeper { book.turns }

    /// Carries a method about matches by turns out, once what is on disk has been read.
    func turns(_ method: Method, _ request: RPCRequest, _ answer: @escaping Answer) {
        keeper.whenLoaded { [self] in
            do throws(RPCError) { try perform(method, request, answer) } catch { answer(.failure(error)) }
        }
    }

    private func perform(
        _ method: Method, _ request: RPCRequest, _ answer: @escaping Answer
    ) throws(RPCError) {
        switch method {
        case .turnsNew: return try newTurn(request, answer)
        case .turnsList: return try listTurns(request, answer)
        case .turnsPeers: return answer(.success(JSON(encoding: peersInfo)))
        case .turnsSync: return try sync(request, answer)
        case .turnsPlay: return try playTurn(request, answer)
        default: break
        }
        let match = try turn(try request.params(as: TurnParams.self).match)
        switch method {
        case .turnsGet: answer(.success(info(match)))
        case .turnsAccept:
            let name = keeper.name()
            act(match, answer) { acts throws(TurnRefusal) in try acts.accept(name: name) }
        case .turnsDecline: act(match, answer) { acts throws(TurnRefusal) in try acts.decline() }
        case .turnsQuit: act(match, answer) { acts throws(TurnRefusal) in try acts.quit() }
        case .turnsRemind: act(match, answer) { acts throws(TurnRefusal) in try acts.remind() }
        case .turnsSkip:
            let waited = keeper.waited(match)
            act(match, answer) { acts throws(TurnRefusal) in try acts.skip(waited: waited) }
        case .turnsTake: take(match, answer)
        case .turnsRemove: keeper.remove(match) { result in answer(result.map { _ in [:] }) }
        case .turnsRematch: try rematch(match, answer)
        default: throw RPCError(.unknownMethod, "There is no method '\(method.rawValue)'.")
        }
    }

    private func act(
        _ match: MatchID, _ answer: @escaping Answer,
        _ body: @escaping (TurnActs) throws(TurnRefusal) -> TurnItem.Body?
    ) {
        keeper.act(match, done: { [self] in answer($0.map(info)) }, body)
    }

    private func take(_ match: MatchID, _ answer: @escaping Answer) {
        let name = keeper.name()
        act(match, answer) { acts throws(TurnRefusal) in try acts.take(name: name) }
    }

    private func playTurn(_ request: RPCRequest, _ answer: @escaping Answer) throws(RPCError) {
        let params = try request.params(as: TurnPlayParams.self)
        let action = Value(params.action)
        act(try turn(params.match), answer) { acts throws(TurnRefusal) in try acts.play(action) }
    }

    /// The match that an ID or the beginning of one means.
    private func turn(_ text: String) throws(RPCError) -> MatchID {
        let start = text.lowercased()
        let all = (keeper.shelf.own + keeper.shelf.offers).map(\.match.genesis.match)
        let found = all.filter { "\($0)".hasPrefix(start) }
        guard !start.isEmpty, let match = found.first else {
            throw RPCError(
                .notFound, "There is no match by turns '\(text)' here. See which there are: parlor turn list")
        }
        guard found.count == 1 else {
            throw RPCError(.ambiguous, "'\(text)' begins several matches: give more of it.")
        }
        return match
    }

    // MARK: New matches

    private func newTurn(_ request: RPCRequest, _ answer: @escaping Answer) throws(RPCError) {
        let params = try request.params(as: TurnNewParams.self)
        guard TurnGenesis.games.contains(params.game),
            let declaration = Catalog.rules(params.game)?.declaration
        else {
            let games = TurnGenesis.games.joined(separator: " and ")
            throw RPCError(.badParams, "By turns there are \(games), and no '\(params.game)'.")
        }
        let seconds = params.turnS ?? 0
        guard (0...Limits.turnSecondsMax).contains(seconds) else {
            throw RPCError(.badParams, "'turn_s' is 0 to \(Limits.turnSecondsMax) seconds.")
        }
        let isAuto = params.auto ?? false
        if isAuto {
            let own = keeper.shelf.own.first { isOpenOffer($0, of: params.game) }
            if let offer = keeper.shelf.offers.first(where: { $0.match.genesis.game == params.game }) {
                // Two that offered before they met play one match.
                if let own {
                    act(own.match.genesis.match, { _ in }) { acts throws(TurnRefusal) in try acts.quit() }
                }
                return take(offer.match.genesis.match, answer)
            }
            if let own { return answer(.success(info(own.match.genesis.match))) }
        }
        let named = try (params.with ?? []).map { name throws(RPCError) in try peer(named: name) }
        let open = params.open ?? (isAuto ? declaration.seats.lowerBound - 1 - named.count : 0)
        guard open >= 0, declaration.seats.contains(1 + named.count + open) else {
            let seats = declaration.seats
            let count =
                seats.count == 1 ? "\(seats.lowerBound)" : "\(seats.lowerBound) to \(seats.upperBound)"
            throw RPCError(
                .badParams,
                "\(declaration.title) has \(count) seats, and this makes \(1 + named.count + open): yours, "
                    + "\(named.count) for those named and \(open) open. As in: parlor turn new "
                    + "\(declaration.id) --with NAME, or --open N")
        }
        let mine = TurnGenesis.Seat(peer: keeper.me, name: keeper.name())
        guard Set(named.map(\.peer)).count == named.count, !named.contains(where: { $0.peer == keeper.me })
        else { throw RPCError(.badParams, "Each player has one seat, and you have the first.") }
        create(
            game: declaration, seats: [mine] + named + (0..<open).map { _ in TurnGenesis.Seat() },
            seconds, after: nil, answer)
    }

    /// Whether it is a match that this peer offers, and nobody else has a seat in it yet.
    private func isOpenOffer(_ copy: TurnShelf.Copy, of game: String) -> Bool {
        copy.match.genesis.game == game && copy.match.genesis.creator == keeper.me
            && copy.state.outcomes == nil && copy.state.steps.isEmpty
            && copy.state.seats.dropFirst().allSatisfy { $0.status == .unknown }
    }

    private func create(
        game: GameDeclaration, seats: [TurnGenesis.Seat], _ seconds: Int, after: MatchID?,
        _ answer: @escaping Answer
    ) {
        guard keeper.shelf.own.count < Limits.turnMatchesMax else {
            return answer(
                .failure(
                    RPCError(
                        .notAllowed,
                        "You have \(Limits.turnMatchesMax) matches by turns: remove some that are over.")))
        }
        let genesis = TurnGenesis(
            nonce: Entropy.bytes(16), game: game.id, rules: game.rules, seats: seats, turnSeconds: seconds,
            after: after, time: Calendar.unixMilliseconds(), signer: keeper.signer)
        keeper.create(genesis) { [self] in answer($0.map(info)) }
    }

    /// The peer that a name, an ID or the beginning of one means.
    private func peer(named text: String) throws(RPCError) -> TurnGenesis.Seat {
        let start = text.lowercased()
        var found = keeper.peers.filter { $0.name == text }
        if found.isEmpty { found = keeper.peers.filter { $0.name.lowercased() == start } }
        if found.isEmpty, start.utf8.count >= 4 {
            found = keeper.peers.filter { Hex.encode($0.peer).hasPrefix(start) }
        }
        guard found.count < 2 else {
            let ids = found.map { "\(Hex.encode($0.peer).prefix(8)) (\($0.name))" }.joined(separator: ", ")
            throw RPCError(.ambiguous, "'\(text)' may be \(ids): give the ID.")
        }
        if let row = found.first, let peer = PeerID(bytes: row.peer) {
            return TurnGenesis.Seat(peer: peer, name: row.name)
        }
        if let peer = PeerID(hex: start) { return TurnGenesis.Seat(peer: peer, name: "") }
        throw RPCError(
            .notFound,
            "You have met nobody called '\(text)'. See whom you have met: parlor turn peers; "
                + "or meet by address: parlor turn sync --address HOST:PORT")
    }

    /// The same seats again, beginning with this player's; the rematch that another has made already where
    /// there is one.
    private func rematch(_ match: MatchID, _ answer: @escaping Answer) throws(RPCError) {
        guard let copy = keeper.shelf.copy(match), let mine = copy.state.seat(of: keeper.me) else {
            throw RPCError(.notInMatch, "You had no seat in that match.")
        }
        guard copy.state.outcomes != nil else {
            throw RPCError(.notAllowed, "The match is not over yet.")
        }
        let made = keeper.shelf.own.first { $0.match.genesis.after == match }
        if let made {
            let id = made.match.genesis.match
            guard let seat = made.state.seat(of: keeper.me), made.state.seats[seat].status == .invited else {
                return answer(.success(info(id)))
            }
            let name = keeper.name()
            return act(id, answer) { acts throws(TurnRefusal) in try acts.accept(name: name) }
        }
        guard let declaration = Catalog.rules(copy.match.genesis.game)?.declaration else { return }
        let count = copy.state.seats.count
        let seats = (0..<count).map { step in
            let seat = copy.state.seats[(mine + step) % count]
            return seat.peer.map { TurnGenesis.Seat(peer: $0, name: seat.name) } ?? TurnGenesis.Seat()
        }
        create(game: declaration, seats: seats, copy.match.genesis.turnSeconds, after: match, answer)
    }

    // MARK: Lists

    private func listTurns(_ request: RPCRequest, _ answer: Answer) throws(RPCError) {
        let params = try request.params(as: TurnsListParams.self)
        let copies = params.state == .offered ? keeper.shelf.offers : keeper.shelf.own
        let infos = copies.map(info).filter { info in
            (params.state == nil || params.state == info.state)
                && (params.game == nil || params.game == info.game)
        }
        let carried = keeper.shelf.carried
        answer(
            .success(
                JSON(
                    encoding: TurnsListInfo(
                        matches: infos, carried: carried.count, carriedBytes: carried.bytes))))
    }

    private var peersInfo: TurnPeersInfo {
        TurnPeersInfo(
            peers: keeper.peers.map { row in
                TurnPeersInfo.Peer(
                    player: PlayerInfo(id: Hex.encode(row.peer), name: row.name), seen: row.seen,
                    linked: PeerID(bytes: row.peer).flatMap { book.hub.link(to: $0) } != nil)
            })
    }

    private func sync(_ request: RPCRequest, _ answer: @escaping Answer) throws(RPCError) {
        let params = try request.params(as: TurnSyncParams.self)
        guard let text = params.address else {
            return keeper.exchange { [self] in answer(.success(JSON(encoding: peersInfo))) }
        }
        guard var address = SocketAddress(text) else {
            throw RPCError(.badParams, "'address' must be an IP address, or one with a port, not '\(text)'.")
        }
        if address.port == 0 { address.port = Daemon.ports.lowerBound }
        // A second link to a peer would take the first one's place, in the middle of what that says.
        let linked = book.hub.peers.first { $0.1.addresses.contains(address) }
        if let peer = linked?.0 {
            keeper.up(peer)
            return answer(.success(JSON(encoding: peersInfo)))
        }
        book.hub.dial([address], expected: nil) { [self] result in
            switch result {
            case .success: answer(.success(JSON(encoding: peersInfo)))
            case .failure(let failure):
                let tries = failure.tries.joined(separator: "; ")
                answer(.failure(RPCError(.unreachable, "Nobody can be reached there: \(tries)")))
            }
        }
    }

    // MARK: One match

    private func info(_ match: MatchID) -> JSON {
        keeper.shelf.copy(match).map { JSON(encoding: info($0)) } ?? .null
    }

    private func info(_ copy: TurnShelf.Copy) -> TurnInfo {
        let (genesis, state) = (copy.match.genesis, copy.state)
        let acts = TurnActs(copy, me: keeper.me)
        return TurnInfo(
            id: "\(genesis.match)", game: genesis.game, state: standing(copy), mySeat: acts.seat,
            turn: state.turn, created: genesis.time, changed: keeper.changed[genesis.match] ?? genesis.time,
            turnS: genesis.turnSeconds,
            waitedS: genesis.turnSeconds > 0 && state.turn != nil ? keeper.waited(genesis.match) : nil,
            after: genesis.after.map { "\($0)" },
            seats: state.seats.enumerated().map { index, seat in
                TurnSeatInfo(
                    index: index,
                    player: seat.peer.map { PlayerInfo(id: "\($0)", name: VisibleText.strip(seat.name)) },
                    status: TurnSeatStatus(rawValue: seat.status.rawValue) ?? .unknown,
                    outcome: seat.outcome.flatMap { ParlorControl.Outcome(rawValue: $0.rawValue) },
                    moves: seat.moves)
            },
            view: JSON(state.game.view(for: acts.seat, secrets: nil, at: 0)),
            legal: acts.legal.map { JSON($0) }, moves: state.steps.count, votes: state.votes,
            doubles: state.doubles.map { double in
                TurnDoubleInfo(
                    seat: double.seat, held: Hex.encode(double.held.encoded),
                    other: Hex.encode(double.other.encoded))
            },
            bytes: copy.match.byteCount, left: acts.bytesLeft, head: Hex.encode(state.head))
    }

    private func standing(_ copy: TurnShelf.Copy) -> TurnMatchState {
        let state = copy.state
        guard let mine = state.seat(of: keeper.me) else {
            return copy.ask != nil ? .asked : state.outcomes == nil ? .offered : .ended
        }
        switch state.seats[mine].status {
        case .done, .declined: return .ended
        case .unknown, .invited, .active: break
        }
        guard state.outcomes == nil else { return .ended }
        if state.seats[mine].status == .invited { return .invited }
        return state.turn == mine ? .yours : .theirs
    }
}
