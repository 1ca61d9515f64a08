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
            OptionSpec("--game", "G", choices: TurnCommand.games, "list: only matches of this game"),
            OptionSpec("--address", "HOST:PORT", "sync: with the peer there"),
        ],
        details: [
            "VERBS: new GAME, list, show ID, play ID ACTION, accept ID, decline ID, take ID, quit ID,",
            "remove ID, remind ID, skip ID, rematch ID, peers, sync. GAME: tictactoe or story.",
            "Nobody has to be there at the same time: peers that meet give each other what is",
            "missing, also for others that they have met. Whoever carries a match can read it.",
            "An ID may be cut short as long as it means one match only.",
            "Matches by turns count for no achievement and on no board. What a story says, as text:",
            "parlor export --story ID",
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
    static let games = ["tictactoe", "story"]
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

    /// Which options are for which verb.
    private static let options = [
        ("new", ["--with", "--open", "--auto", "--limit"]), ("list", ["--state", "--game"]),
        ("sync", ["--address"]),
    ]

    func run() throws(CommandFailure) -> Int32 {
        try check()
        do throws(CommandFailure) { return try carryOut() } catch {
            throw step(after: error.reason).map(error.advising) ?? error
        }
    }

    /// Refuses what would do nothing in silence.
    private func check() throws(CommandFailure) {
        guard Self.verbs.contains(verb) else {
            throw .usage(
                "parlor turn takes \(Self.verbs.joined(separator: ", ")), and not '\(CleanText.line(verb))'.")
        }
        for (owner, names) in Self.options where owner != verb {
            guard let name = names.first(where: context.invocation.has) else { continue }
            throw .usage("\(name) is for parlor turn \(owner), and not for parlor turn \(verb).")
        }
        let most = ["list", "peers", "sync"].contains(verb) ? 0 : verb == "play" ? words.count : 1
        guard words.count <= most else {
            let takes = most == 0 ? "no words" : verb == "new" ? "one game" : "one match"
            throw .usage("parlor turn \(verb) takes \(takes), and not '\(CleanText.line(words[most]))'.")
        }
    }

    /// What to do after a refusal; `nil` where that is the same as for other commands.
    private func step(after reason: Reason) -> String? {
        let id = CleanText.line(words.first ?? "ID")
        return switch reason {
        case .illegalMove, .notYourTurn: "See the match: parlor turn show \(id)"
        case .ambiguous: "See which there are: parlor turn \(verb == "new" ? "peers" : "list")"
        case .badParams, .unknownMethod: "See the usage: parlor turn -h"
        default: nil
        }
    }

    private func carryOut() throws(CommandFailure) -> Int32 {
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
        default: return 0
        }
    }

    private func id() throws(CommandFailure) -> String {
        guard let word = words.first else {
            throw .usage("parlor turn \(verb) needs a match: parlor turn \(verb) ID. See: parlor turn list")
        }
        return try MatchTarget.readID(word, next: "See which there are: parlor turn list")
    }

    private func new() throws(CommandFailure) -> Int32 {
        guard let game = words.first else {
            throw .usage("Which game? As in: parlor turn new tictactoe --with NAME, or --open 1, or --auto")
        }
        let invocation = context.invocation
        let with = invocation.list("--with")
        let hours = try invocation.number("--limit")
        guard (1...720).contains(hours ?? 1) else {
            throw .usage("--limit is 1 to 720 hours for a turn; leave it out for no limit.")
        }
        guard with.isEmpty || !invocation.has("--auto") else {
            throw .usage("--auto plays with whoever comes: give it, or --with NAME, and not both.")
        }
        let params = TurnNewParams(
            game: game, with: with.isEmpty ? nil : with, open: try invocation.number("--open"),
            auto: invocation.has("--auto") ? true : nil, turnS: hours.map { $0 * 3_600 })
        let json = try context.call(try context.connect(), .turnsNew, params)
        return try show(json)
    }

    private func play() throws(CommandFailure) -> Int32 {
        let id = try id()
        let client = try context.connect()
        let json = try context.call(client, .turnsGet, TurnParams(match: id))
        let game = try context.read(json, as: TurnInfo.self).game
        let action = try ActWords.action(Array(words.dropFirst()), game: game, at: .turn(id))
        return try show(try context.call(client, .turnsPlay, TurnPlayParams(match: id, action: action)))
    }

    private func one(_ method: Method) throws(CommandFailure) -> Int32 {
        let params = TurnParams(match: try id())
        return try show(try context.call(try context.connect(), method, params))
    }

    private func show(_ json: JSON) throws(CommandFailure) -> Int32 {
        let turn = try context.read(json, as: TurnInfo.self)
        var lines = TurnText.whole(turn, plain: context.plain)
        if verb == "remind", let told = TurnText.reminded(turn) { lines.append(told) }
        context.show(json, lines)
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
        if let game = params.game, !Self.games.contains(game) {
            throw .usage(
                "--game is one of \(Self.games.joined(separator: ", ")), not '\(CleanText.line(game))'.")
        }
        if let word = context.invocation.value("--state") {
            guard let state = TurnMatchState(rawValue: word) else {
                let known = TurnMatchState.allCases.map(\.rawValue).joined(separator: ", ")
                throw .usage("--state is one of \(known), not '\(CleanText.line(word))'.")
            }
            params.state = state
        }
        let client = try context.connect()
        let json = try context.call(client, .turnsList, params)
        let found = try context.read(json, as: TurnsListInfo.self).matches
        context.show(json, found.isEmpty ? [] : TurnText.table(found))
        guard !context.wantsJSON, !context.quiet else { return 0 }
        if found.isEmpty {
            let count = try params == TurnsListParams() ? 0 : self.count(client, TurnsListParams())
            context.talk(TurnText.none(params, of: count))
        }
        if params.state == nil {
            let offers = try count(client, TurnsListParams(state: .offered, game: params.game))
            if offers > 0 { context.talk("\(offers) offered by others: parlor turn list --state offered") }
        }
        return 0
    }

    private func count(_ client: ControlClient, _ params: TurnsListParams) throws(CommandFailure) -> Int {
        let json = try context.call(client, .turnsList, params)
        return try context.read(json, as: TurnsListInfo.self).matches.count
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
