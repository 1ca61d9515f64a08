internal import ParlorControl

extension Command {
    static let turn = Command(
        name: "turn", summary: "matches by turns, which last for days", operands: "VERB [ID|GAME] [WORDS]",
        words: 0...256, choices: TurnCommand.verbs,
        options: [
            OptionSpec(
                "--with", "NAME", repeats: true, "new: a player to ask, by name or ID, in order of play"),
            OptionSpec("--open", "N", "new: leave N seats to whoever takes them"),
            OptionSpec("--auto", "new: take a seat that somebody offers, or offer one"),
            OptionSpec("--limit", "HOURS", "new: hours for a turn, after which the others may skip it"),
            OptionSpec(
                "--state", "S", choices: TurnMatchState.allCases.map(\.rawValue),
                "list: only matches that stand like this; offered ones are others'"),
            OptionSpec("--game", "G", choices: ["tictactoe", "story"], "list: only matches of this game"),
            OptionSpec("--address", "HOST:PORT", "sync: with the peer there"),
        ],
        details: [
            "VERBS: new GAME, list, show ID, play ID ACTION, accept ID, decline ID, take ID, quit ID,",
            "remove ID, remind ID, skip ID, rematch ID, peers, sync. GAME: tictactoe or story.",
            "Nobody has to be there at the same time: peers that meet give each other what is",
            "missing, also for others that they have met. Whoever carries a match can read it.",
            "An ID may be cut short as long as it means one match only.",
        ],
        examples: ["parlor turn new story --with Ann --with Bob", "parlor turn play 3fa9 place 5"],
        run: { context throws(CommandFailure) in
            let words = context.invocation.words
            return try TurnCommand(context, verb: words.first ?? "list", words: Array(words.dropFirst()))
                .run()
        })
}

/// Carries out what `parlor turn` is asked for.
struct TurnCommand {
    static let verbs = [
        "new", "list", "show", "play", "accept", "decline", "take", "quit", "remove", "remind", "skip",
        "rematch",
        "peers", "sync",
    ]
    private let context: Context
    private let verb: String
    private let words: [String]

    init(_ context: Context, verb: String, words: [String]) {
        self.context = context
        self.verb = verb
        self.words = words
    }

    func run() throws(CommandFailure) -> Int32 {
        switch verb {
        case "new": return try new()
        case "list": return try list()
        case "play": return try play()
        case "show": return try one(.turnsGet)
        case "accept": return try one(.turnsAccept)
        case "decline": return try one(.turnsDecline)
        case "take": return try one(.turnsTake)
        case "quit": return try one(.turnsQuit)
        case "remind": return try one(.turnsRemind)
        case "skip": return try one(.turnsSkip)
        case "rematch": return try one(.turnsRematch)
        case "remove": return try remove()
        case "peers": return try peers(.turnsPeers, [:])
        case "sync":
            let address = context.invocation.value("--address")
            return try peers(.turnsSync, JSON(encoding: TurnSyncParams(address: address)))
        default:
            throw .usage(
                "parlor turn takes \(Self.verbs.joined(separator: ", ")), and not '\(CleanText.line(verb))'.")
        }
    }

    private func id() throws(CommandFailure) -> String {
        guard let word = words.first else {
            throw .usage("parlor turn \(verb) needs a match: parlor turn \(verb) ID. See: parlor turn list")
        }
        return word
    }

    private func new() throws(CommandFailure) -> Int32 {
        guard let game = words.first, words.count == 1 else {
            throw .usage("Which game? As in: parlor turn new tictactoe --with NAME, or --open 1, or --auto")
        }
        let invocation = context.invocation
        let with = invocation.list("--with")
        let hours = try invocation.number("--limit")
        guard hours ?? 0 <= 720 else { throw .usage("--limit is at most 720 hours.") }
        let params = TurnNewParams(
            game: game, with: with.isEmpty ? nil : with, open: try invocation.number("--open"),
            auto: invocation.has("--auto") ? true : nil, turnS: hours.map { $0 * 3_600 })
        let json = try context.call(try context.connect(), .turnsNew, params)
        return try show(json)
    }

    private func play() throws(CommandFailure) -> Int32 {
        let id = try id()
        let client = try context.connect()
        var game: String?
        if !ActWords.isKnown(Array(words.dropFirst())) {
            let json = try context.call(client, .turnsGet, TurnParams(match: id))
            game = try context.read(json, as: TurnInfo.self).game
        }
        let action = try ActWords.action(Array(words.dropFirst()), game: game)
        return try show(try context.call(client, .turnsPlay, TurnPlayParams(match: id, action: action)))
    }

    private func one(_ method: Method) throws(CommandFailure) -> Int32 {
        let params = TurnParams(match: try id())
        return try show(try context.call(try context.connect(), method, params))
    }

    private func show(_ json: JSON) throws(CommandFailure) -> Int32 {
        let turn = try context.read(json, as: TurnInfo.self)
        context.show(json, TurnText.whole(turn, plain: context.plain))
        return 0
    }

    private func remove() throws(CommandFailure) -> Int32 {
        let id = try id()
        let json = try context.call(try context.connect(), .turnsRemove, TurnParams(match: id))
        context.show(json, ["Removed here; nobody's result is changed."])
        return 0
    }

    private func list() throws(CommandFailure) -> Int32 {
        var params = TurnsListParams(game: context.invocation.value("--game"))
        if let word = context.invocation.value("--state") {
            guard let state = TurnMatchState(rawValue: word) else {
                let known = TurnMatchState.allCases.map(\.rawValue).joined(separator: ", ")
                throw .usage("--state is one of \(known), not '\(CleanText.line(word))'.")
            }
            params.state = state
        }
        let json = try context.call(try context.connect(), .turnsList, params)
        let found = try context.read(json, as: TurnsListInfo.self)
        context.show(json, found.matches.isEmpty ? [] : TurnText.table(found.matches))
        if found.matches.isEmpty {
            context.talk("No matches by turns. Begin one: parlor turn new tictactoe --auto")
        }
        return 0
    }

    private func peers(_ method: Method, _ params: JSON) throws(CommandFailure) -> Int32 {
        let json = try context.call(try context.connect(), method, params)
        let found = try context.read(json, as: TurnPeersInfo.self)
        let rows = found.peers.map { peer in
            [
                CleanText.line(peer.player.name), CleanText.line(String(peer.player.id.prefix(8))),
                peer.linked ? "here now" : LocalTime.minute(peer.seen),
            ]
        }
        context.show(json, rows.isEmpty ? [] : CleanText.columns([["NAME", "ID", "MET"]] + rows))
        if rows.isEmpty { context.talk("You have met nobody yet.") }
        return 0
    }
}

/// Matches by turns in words.
enum TurnText {
    static func table(_ matches: [TurnInfo]) -> [String] {
        let digits = SummaryText.digits(toTellApart: matches.map(\.id))
        return CleanText.columns(
            [["ID", "GAME", "STATE", "CHANGED", "MOVES", "PLAYERS"]]
                + matches.map { match in
                    [
                        CleanText.line(String(match.id.prefix(digits))), CleanText.line(match.game),
                        match.state.rawValue, LocalTime.minute(match.changed), "\(match.moves)",
                        match.seats.map { seat(match, $0) }.joined(separator: ", "),
                    ]
                })
    }

    private static func name(_ match: TurnInfo, _ seat: TurnSeatInfo) -> String {
        guard let player = seat.player else { return "open seat" }
        if seat.index == match.mySeat { return "you" }
        return player.name.isEmpty ? CleanText.line(String(player.id.prefix(8))) : CleanText.line(player.name)
    }

    private static func seat(_ match: TurnInfo, _ seat: TurnSeatInfo) -> String {
        let name = name(match, seat)
        if let outcome = seat.outcome { return name + " " + MatchText.words(outcome) }
        switch seat.status {
        case .invited, .declined: return name + " " + seat.status.rawValue
        case .unknown, .active, .done: return name
        }
    }

    static func whole(_ match: TurnInfo, plain: Bool) -> [String] {
        let table = MatchInfo(
            id: match.id, game: match.game, room: "", state: match.turn == nil ? .ended : .playing,
            mySeat: match.mySeat, turn: match.turn.map { [$0] } ?? [], nowMs: 0,
            seats: match.seats.map { seat in
                MatchSeatInfo(
                    index: seat.index,
                    player: PlayerInfo(id: seat.player?.id ?? "", name: name(match, seat)),
                    outcome: match.turn == nil ? seat.outcome : nil)
            },
            view: match.view, legal: [], entries: match.moves, head: match.head, stateHash: "")
        var lines = MatchText.whole(table, plain: plain, atPrompt: true)
        let id = CleanText.line(String(match.id.prefix(8)))
        lines.append("Match \(id): " + match.seats.map { seat(match, $0) }.joined(separator: ", ") + ".")
        for double in match.doubles where match.seats.indices.contains(double.seat) {
            lines.append(
                "\(name(match, match.seats[double.seat])) signed two moves for one turn: that is proven, and "
                    + "the seat is out.")
        }
        if let next = next(match, id) { lines.append(next) }
        return lines
    }

    private static func next(_ match: TurnInfo, _ id: String) -> String? {
        switch match.state {
        case .invited:
            return "You are invited: parlor turn accept \(id), or decline, or play at once in your turn."
        case .asked: return "You have asked for a seat; who made the match gives it."
        case .offered: return "There is an open seat: parlor turn take \(id)"
        case .theirs, .ended: return nil
        case .yours:
            let acts = ActWords.usages(of: match.game).map { "parlor turn play \(id) \($0)" }
            return acts.joined(separator: " or ")
        }
    }
}
