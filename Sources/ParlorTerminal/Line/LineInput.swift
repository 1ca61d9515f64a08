internal import ParlorControl

/// What a typed line asks for.
enum LineIntent: Equatable {
    case call(Method, JSON)
    case act(JSON)
    case leave
    case help
    /// Who is here.
    case who
    /// What is on the table.
    case table
    /// Whether the terminal's bell rings when my turn comes.
    case bell(Bool)
    /// Nothing to do but to say why.
    case explain(String)
}

/// Understands a line typed in a room, by what the room and the match allow at that moment.
struct LineInput {
    let room: RoomInfo
    let match: MatchInfo?

    /// Whether moves count now, so that bare words are moves before they are commands.
    private var isPlaying: Bool {
        guard let match, room.state == .playing || room.state == .drawing else { return false }
        return match.state != .ended && match.mySeat != nil
    }

    private var legal: [JSON] { match?.legal ?? [] }

    private func allows(_ action: String) -> Bool { legal.contains { $0["do"]?.text == action } }

    /// Whether a whole sentence may be a move, so that `say …` must be a command with a slash.
    private var takesSentences: Bool { isPlaying && allows("append") }

    /// Whether a word of mine is due, which may be any, also one that is a command.
    private var setsWord: Bool { isPlaying && match?.game == "hangman" && allows("word") }

    /// Asks which of the two is meant.
    private static func leaveOrWord(_ typed: String) -> String {
        "To leave the room type /leave. If '\(typed)' is your word, type: word \(typed)"
    }

    func intent(_ line: String) -> LineIntent {
        let text = CleanText.line(line)
        let trimmed = String(text.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
        if trimmed.hasPrefix("/"), room.role != .watcher {
            return command(String(trimmed.dropFirst())) ?? unknown(trimmed)
        }
        switch trimmed.lowercased().drop(while: { $0 == "/" && room.role == .watcher }) {
        case "leave", "quit", "exit": return setsWord ? .explain(Self.leaveOrWord(trimmed)) : .leave
        case "help", "?": return .help
        case "who": return .who
        case "table": return .table
        case "bell on", "bell off": return .bell(trimmed.lowercased() == "bell on")
        default: break
        }
        if room.role == .watcher { return watching(trimmed) }
        if !takesSentences, trimmed.lowercased().hasPrefix("say ") || trimmed == "say" {
            return command(trimmed) ?? unknown(trimmed)
        }
        if isPlaying { return move(trimmed) }
        if trimmed.isEmpty { return .explain(whatNext) }
        return command(trimmed) ?? unknown(trimmed)
    }

    /// A watcher can only look on.
    private func watching(_ text: String) -> LineIntent {
        guard !text.isEmpty else { return .explain(RoomHints.watcher) }
        let name = CleanText.line(room.name)
        return .explain("'\(text)' is for players. \(RoomHints.watcher) To play: parlor join '\(name)'")
    }

    private func unknown(_ text: String) -> LineIntent {
        .explain("'\(text)' is not understood. \(whatNext)")
    }

    private func roomParams(_ more: (String, JSON)...) -> JSON {
        .object([.init("room", .string(room.id))] + more.map { .init($0.0, $0.1) })
    }

    private func command(_ text: String) -> LineIntent? {
        let parts = text.split(separator: " ", maxSplits: 1)
        let rest = parts.count == 2 ? String(parts[1]) : ""
        switch (parts.first?.lowercased() ?? "", rest.isEmpty) {
        case ("ready", _) where room.role == .host, ("unready", true) where room.role == .host:
            return .explain("The host need not be ready: start begins the match. \(whatNext)")
        case ("ready", true): return .call(.roomReady, roomParams(("ready", true)))
        case ("accept", true):
            guard room.role == .guest, let words = room.words, !words.here else {
                return .explain("There is nothing to accept. \(whatNext)")
            }
            return .call(.roomReady, roomParams(("ready", true), ("accept_words", true)))
        case ("unready", true),
            ("ready", false) where ["", "not", "--not", "off"].contains(rest):
            return .call(.roomReady, roomParams(("ready", false)))
        case ("start", true): return .call(.roomStart, roomParams())
        case ("rematch", true), ("again", true): return .call(.roomRematch, roomParams())
        case ("lock", true): return .call(.roomLock, roomParams(("locked", true)))
        case ("unlock", true): return .call(.roomLock, roomParams(("locked", false)))
        case ("watchers", false) where ["on", "off"].contains(rest):
            return .call(.roomWatchers, roomParams(("allowed", .bool(rest == "on"))))
        case ("bot", false): return bot(rest.lowercased())
        case ("bot", true): return .explain("As in: bot add, bot add hard, bot remove")
        case ("say", false): return .call(.roomSay, roomParams(("text", .string(rest))))
        case ("say", true): return .explain("Say what? As in: say hello")
        case ("kick", false): return kick(rest)
        case ("kick", true): return .explain("Kick whom? As in: kick 2, or kick Tom")
        case ("leave", true), ("quit", true): return .leave
        case ("help", true): return .help
        case ("who", true): return .who
        case ("table", true): return .table
        default: return nil
        }
    }

    private func bot(_ rest: String) -> LineIntent? {
        let words = rest.split(separator: " ").map { String($0) }
        switch (words.first, words.count) {
        case ("add", 1): return .call(.roomBot, roomParams(("op", "add")))
        case ("add", 2) where BotLevel(rawValue: words[1]) != nil:
            return .call(.roomBot, roomParams(("op", "add"), ("level", .string(words[1]))))
        case ("remove", 1): return .call(.roomBot, roomParams(("op", "remove")))
        default: return .explain("As in: bot add, bot add hard, bot remove")
        }
    }

    private func kick(_ who: String) -> LineIntent {
        do {
            if let watcher = RoomText.watcher(who, in: room) {
                return .call(.roomKick, roomParams(("watcher", .string(watcher.id))))
            }
            let seat = try RoomText.seat(who, in: room)
            return .call(.roomKick, roomParams(("seat", .int(seat.index))))
        } catch {
            return .explain(error.message)
        }
    }

    private func move(_ text: String) -> LineIntent {
        let words = text.split(separator: " ").map(String.init)
        if let first = words.first, first.hasPrefix("{") || (ActWords.isAction(first) && isWhole(words)) {
            do {
                return .act(try ActWords.action(words))
            } catch {
                return .explain(error.message)
            }
        }
        switch match?.game {
        case "snap": return snap(text)
        case "hangman": return hangman(text)
        default: return other(text)
        }
    }

    /// Whether words are an action with its operand: a word to be guessed may be `flip` or `word` itself, and
    /// a sentence of a story may begin with one.
    private func isWhole(_ words: [String]) -> Bool {
        switch match?.game {
        case "hangman": return words.count > 1 && ["guess", "solve", "word"].contains(words[0])
        case "story": return words.count > 1 && words[0] == "append"
        default: return true
        }
    }

    private func snap(_ text: String) -> LineIntent {
        switch text.lowercased() {
        case "", "f": .act(["do": "flip"])
        case "s": .act(["do": "snap"])
        case "p": hasPool ? .act(["do": "pool"]) : .explain("There is no pool to take. \(whatNext)")
        default: .explain("'\(text)' is no move in Snap. \(whatNext)")
        }
    }

    private var hasPool: Bool { match?.view["pool"]?["count"]?.integer ?? 0 > 0 }

    private func hangman(_ text: String) -> LineIntent {
        if text.isEmpty { return .explain(whatNext) }
        if allows("word") { return .act(["do": "word", "word": .string(text)]) }
        if allows("guess"), text.count == 1 { return .act(["do": "guess", "letter": .string(text)]) }
        if allows("solve"), text.count > 1, let why = cannotSolve(text) { return .explain(why) }
        if allows("solve"), text.count > 1 { return .act(["do": "solve", "word": .string(text)]) }
        return .explain(whatNext)
    }

    /// Why a text cannot be the word, so that a slip or a sentence meant as chat does not cost a guess.
    private func cannotSolve(_ text: String) -> String? {
        guard let length = match?.view["length"]?.integer, length > 0 else { return nil }
        // A grapheme is a letter here as it is in the rules, in any script.
        let letters = text.count { $0.isLetter }
        guard letters != length else { return nil }
        return "The word has \(length) letters and this has \(letters), so it is not guessed. "
            + "To talk: say TEXT"
    }

    private func other(_ text: String) -> LineIntent {
        if allows("append"), !text.isEmpty { return .act(["do": "append", "text": .string(text)]) }
        if allows("place"), let cell = Int(text) { return .act(["do": "place", "cell": .int(cell)]) }
        if allows("press"), let button = Int(text) { return .act(["do": "press", "button": .int(button)]) }
        return .explain(text.isEmpty ? whatNext : "'\(text)' is no move now. \(whatNext)")
    }

    /// What can be typed now, in one sentence.
    private var whatNext: String {
        guard isPlaying, let match else { return RoomHints.next(room) }
        return MatchText.next(match) + " help tells more."
    }
}
