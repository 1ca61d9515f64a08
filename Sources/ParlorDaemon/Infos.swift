internal import ParlorControl
internal import ParlorCrypto
internal import ParlorGames
internal import ParlorProtocol

// How rooms, matches, links and entries look from outside.

extension ControlMethods {
    /// A room as `Room`.
    func info(_ room: Room) -> RoomInfo {
        let state = room.state
        let host = state.host.map { PlayerInfo(id: "\($0.peer)", name: $0.name) }
        return RoomInfo(
            id: "\(state.id)", name: state.name, game: state.game, state: phase(state.phase),
            role: room.isHost ? .host : .guest, mySeat: room.mySeat,
            host: host ?? PlayerInfo(id: "", name: ""),
            code: state.code?.text, locked: state.locked, hidden: state.hidden,
            endpoints: room.isHost ? daemon.addresses : [],
            options: .object(state.options.values.map { JSON.Member($0.name, JSON($0.value)) }),
            seats: state.seats.enumerated().map { seat($0, $1, in: room) }, match: state.match.map { "\($0)" }
        )
    }

    private func phase(_ phase: RoomState.Phase) -> ParlorControl.RoomState {
        switch phase {
        case .lobby: .lobby
        case .drawing: .drawing
        case .playing: .playing
        case .finished: .finished
        }
    }

    private func seat(_ index: Int, _ player: RoomState.Player?, in room: Room) -> SeatInfo {
        guard let player else { return SeatInfo(index: index, state: .open) }
        return SeatInfo(
            index: index, state: player.away ? .away : .taken,
            player: PlayerInfo(id: "\(player.peer)", name: player.name), ready: player.ready,
            rttMs: book.hub.link(to: player.peer)?.statistics.roundTrips.map { $0.median.milliseconds },
            wins: player.wins, rematch: player.rematch ? true : nil,
            path: player.peer == room.me ? nil : room.path(to: player.peer))
    }

    /// A match as `Match`.
    func info(_ match: MatchDriver) -> MatchInfo {
        let machine = match.machine
        let state = machine.accepted
        let time = machine.time(at: match.now)
        let secrets = machine.secrets
        return MatchInfo(
            id: "\(match.match)", game: state.genesis.game, room: "\(match.room)", state: phase(state.phase),
            mySeat: machine.seat, turn: state.phase == .playing ? state.game?.turn ?? [] : [], nowMs: time,
            draw: DrawInfo(state.draw), deadlineMs: state.phase == .playing ? state.game?.deadline : nil,
            seats: state.seats.indices.map { seat($0, state) },
            view: state.game.map { JSON($0.view(for: machine.seat, secrets: secrets, at: time)) } ?? [:],
            legal: state.phase == .playing
                ? (state.game?.legal(for: machine.seat, secrets: secrets, at: time) ?? []).map { JSON($0) }
                : [],
            entries: machine.acceptedCount,
            head: Hex.encode(machine.log.hash(at: machine.acceptedCount - 1) ?? []),
            stateHash: Hex.encode(state.hash))
    }

    private func phase(_ phase: ParlorProtocol.MatchState.Phase) -> ParlorControl.MatchState {
        switch phase {
        case .drawing: .drawing
        case .playing: .playing
        case .ended: .ended
        }
    }

    private func seat(_ index: Int, _ state: ParlorProtocol.MatchState) -> MatchSeatInfo {
        let seat = state.genesis.seats[index]
        let outcome = state.outcomes.flatMap { $0.indices.contains(index) ? $0[index] : nil }
        let status: MatchSeatState =
            switch state.seats[index].status {
            case .active: .active
            case .away: .away
            case .left: .left
            }
        return MatchSeatInfo(
            index: index, player: PlayerInfo(id: "\(seat.peer)", name: seat.name), bot: seat.bot,
            state: status,
            outcome: outcome.flatMap { ParlorControl.Outcome(rawValue: $0.rawValue) })
    }

    /// A link as `Link`.
    func info(_ peer: PeerID, _ link: PeerLink) -> LinkInfo {
        let statistics = link.statistics
        let trips = statistics.roundTrips
        let lanes = Lane.allCases.map { statistics.lanes[$0] }
        let unreliable = link.unreliable
        let clock = link.clockOffset
        return LinkInfo(
            peer: PlayerInfo(id: "\(peer)", name: book.nameOf(peer)),
            state: !link.isAttached ? .resuming : link.isSuspect ? .suspect : .up,
            transport: unreliable.path == .udp ? .tcpUdp : .tcp,
            rttMs: RttInfo(p50: trips?.median.milliseconds ?? 0, p99: trips?.p99.milliseconds ?? 0),
            jitterMs: trips?.jitter.milliseconds ?? 0, offsetMs: clock?.offset.milliseconds ?? 0,
            offsetErrorMs: clock?.error.milliseconds ?? 0,
            queuedBytes: lanes.reduce(0) { $0 + $1.queuedBytes } + unreliable.queuedBytes,
            sent: Int(clamping: lanes.reduce(unreliable.sentMessages) { $0 + $1.sentMessages }),
            received: Int(clamping: lanes.reduce(unreliable.receivedMessages) { $0 + $1.receivedMessages }),
            dropped: Int(clamping: unreliable.dropped.whileSending + unreliable.dropped.whileReceiving),
            sinceS: (daemon.now - link.startedAt).milliseconds / 1_000)
    }
}

extension DrawInfo {
    /// A draw as it stands.
    init(_ draw: Draw) {
        self.init(
            rounds: draw.rounds.map { round in round.map { DrawNumber(seat: $0.seat, number: $0.number) } },
            first: draw.first)
    }
}

extension GameInfo {
    /// What a game says of itself.
    init(_ declaration: GameDeclaration) {
        self.init(
            id: declaration.id, rules: declaration.rules,
            seats: SeatsRange(min: declaration.seats.lowerBound, max: declaration.seats.upperBound),
            options: declaration.options.map { OptionInfo($0) })
    }
}

extension OptionInfo {
    /// What an option takes.
    init(_ option: OptionDeclaration) {
        switch option.kind {
        case .int(let range, let orZero):
            self.init(
                name: option.name, type: "int", min: orZero ? 0 : range.lowerBound, max: range.upperBound,
                default: JSON(option.standard))
        case .bool: self.init(name: option.name, type: "bool", default: JSON(option.standard))
        case .word(let words):
            self.init(name: option.name, type: "word", choices: words, default: JSON(option.standard))
        }
    }
}

extension EntryInfo {
    /// An entry of a log.
    init(_ entry: Entry) {
        self.init(
            index: entry.index, time: entry.time, author: entry.proposal.author.number,
            kind: entry.proposal.body.word, body: JSON(entry.proposal.body), prev: Hex.encode(entry.previous),
            hash: Hex.encode(entry.hash))
    }
}

extension JSON {
    /// What an entry says.
    init(_ body: EntryBody) {
        switch body {
        case .chain(let end, let boxKey, let vault):
            self = ["end": .hex(end), "box_key": .hex(boxKey), "vault": .hex(vault)]
        case .commit(let round, let commitment):
            self = ["round": .int(round), "commitment": .hex(commitment)]
        case .reveal(let round, let nonce): self = ["round": .int(round), "nonce": .hex(nonce)]
        case .move(let datum): self = ["move": JSON(datum)]
        case .leave, .expire: self = [:]
        case .draw(let draw, let seats, let link):
            self = [
                "draw": .int(draw), "seats": .array(seats.map { .int($0) }),
                "link": link.map { .hex($0) } ?? .null,
            ]
        case .open(let draw, let links, let revealAt):
            let links = links.map {
                JSON.object([Member("seat", .int($0.seat)), Member("link", .hex($0.link))])
            }
            self = ["draw": .int(draw), "links": .array(links), "reveal_at": .int(revealAt)]
        case .away(let seat), .back(let seat): self = ["seat": .int(seat)]
        case .left(let seat, let reason): self = ["seat": .int(seat), "reason": .string("\(reason)")]
        case .withheld(let draw, let seat): self = ["draw": .int(draw), "seat": .int(seat)]
        case .sequencer(let seat, let epoch, let clock, let votes):
            self = [
                "seat": .int(seat), "epoch": .int(epoch), "clock": .int(clock),
                "votes": .array(votes.map { .int($0.seat) }),
            ]
        case .fault(let seat, let kind, let evidence):
            self = [
                "seat": .int(seat), "fault": .string(kind.word),
                "evidence": .array(evidence.map { .string(Hex.encode($0)) }),
            ]
        case .end(let outcomes, let alone, let stateHash):
            self = [
                "outcomes": .array(outcomes.map { .string($0.rawValue) }), "alone": .bool(alone),
                "state_hash": .hex(stateHash),
            ]
        }
    }

    private init(_ datum: Datum) {
        switch datum {
        case .none: self = .null
        case .bool(let truth): self = .bool(truth)
        case .int(let number): self = .int(number)
        case .bytes(let bytes): self = .hex(bytes)
        case .text(let text): self = .string(text)
        case .list(let elements): self = .array(elements.map { JSON($0) })
        }
    }

    private static func hex(_ bytes: [UInt8]) -> JSON { .string(Hex.encode(bytes)) }
}

extension Duration {
    /// In milliseconds, rounded to a thousandth.
    var milliseconds: Double { (Double(nanoseconds) / 1_000).rounded() / 1_000 }
}
