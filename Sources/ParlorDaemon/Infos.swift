internal import ParlorControl
internal import ParlorCrypto
internal import ParlorGames
internal import ParlorProtocol
internal import ParlorViews

// How rooms, matches, links and entries look from outside.

extension ControlMethods {
    /// A room as `Room`.
    func info(_ room: Room) -> RoomInfo {
        let state = room.state
        let host = state.host.map { PlayerInfo(id: "\($0.peer)", name: $0.name) }
        return RoomInfo(
            id: "\(state.id)", name: state.name, game: state.game, state: phase(state.phase),
            role: room.role, mySeat: room.mySeat,
            host: host ?? PlayerInfo(id: "", name: ""),
            code: state.code?.text, locked: state.locked, hidden: state.hidden,
            endpoints: room.isHost ? daemon.addresses : [],
            options: .object(state.options.values.map { JSON.Member($0.name, JSON($0.value)) }),
            seats: state.seats.enumerated().map { seat($0, $1, in: room) },
            watchers: state.watchers.map { PlayerInfo(id: "\($0.peer)", name: $0.name) },
            watchable: state.watchable,
            words: state.words.map { words in
                WordsInfo(
                    hash: Hex.encode(words.hash), count: words.count, bytes: words.bytes,
                    here: book.words.list(words.hash) != nil)
            },
            match: state.match.map { "\($0)" })
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
        if let skill = player.bot {
            return SeatInfo(
                index: index, state: .bot, player: PlayerInfo(player, in: room.state), ready: true,
                wins: player.wins, level: BotLevel(skill))
        }
        return SeatInfo(
            index: index, state: player.away ? .away : .taken,
            player: PlayerInfo(player, in: room.state), ready: player.ready,
            rttMs: book.hub.link(to: player.peer)?.statistics.roundTrips.map { $0.median.milliseconds },
            wins: player.wins, rematch: player.rematch ? true : nil,
            path: player.peer == room.me ? nil : room.path(to: player.peer))
    }

    /// A match as `Match`.
    func info(_ match: MatchReading) -> MatchInfo {
        var info = MatchInfo(
            match.log.state, seat: match.seat, secrets: match.secrets, at: match.time,
            entries: match.log.entries.count, head: match.log.entries.last?.hash ?? [])
        if match.isWaiting { info.waiting = true }
        return info
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

extension PlayerInfo {
    /// A player of a room; of a bot, the ID is that of the peer that plays it.
    init(_ player: ParlorProtocol.RoomState.Player, in state: ParlorProtocol.RoomState) {
        self.init(id: "\(state.driver(of: player))", name: player.name)
    }
}

extension LeaveReason {
    /// Why a seat has left a match, in the words of `seat.left`.
    init(_ departure: ParlorProtocol.MatchState.Seat.Departure) {
        switch departure {
        case .asked, .noPeople: self = .left
        case .kicked: self = .kicked
        case .away, .noDraw, .withheld: self = .lost
        case .falseDraw, .misdeed: self = .protocolViolation
        }
    }
}

extension BotLevel {
    /// How well a bot plays.
    init(_ skill: BotSkill) {
        self =
            switch skill {
            case .easy: .easy
            case .normal: .normal
            case .hard: .hard
            }
    }

    /// The same for the bot itself.
    var skill: BotSkill {
        switch self {
        case .easy: .easy
        case .normal: .normal
        case .hard: .hard
        }
    }
}

extension MatchSummary {
    /// A match in memory.
    init(_ match: any MatchCopy) {
        let state = match.accepted
        let seats = MatchSeatInfo.all(of: state)
        self.init(
            id: "\(match.match)", game: state.genesis.game,
            room: MatchRoomInfo(id: "\(match.room)", name: match.roomName),
            state: ParlorControl.MatchState(state.phase), mySeat: match.seat,
            seats: seats.map {
                MatchPlayerInfo(index: $0.index, player: $0.player, bot: $0.bot, outcome: $0.outcome)
            },
            entries: match.acceptedCount, started: match.started, ended: match.ended,
            alone: state.endedAlone ? true : nil, left: match.isLeft ? true : nil,
            outcomes: seats.compactMap(\.outcome))
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

extension Duration {
    /// In milliseconds, rounded to a thousandth.
    var milliseconds: Double { (Double(nanoseconds) / 1_000).rounded() / 1_000 }
}
