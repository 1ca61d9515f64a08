internal import ParlorControl

/// Help, made from the table of verbs.
enum Help {
    struct Topic: Sendable {
        let name: String
        let summary: String
        let lines: [String]
    }

    static let topics: [Topic] = [bots, exitCodes, files, games, line]

    /// The overview, a verb, or a topic.
    static func lines(on name: String?) throws(CommandFailure) -> [String] {
        guard let name else { return overview }
        if let command = CommandTable.all.first(where: { $0.name == name }) { return lines(for: command) }
        if let topic = topics.first(where: { $0.name == name }) { return topic.lines }
        let names = topics.map(\.name).joined(separator: ", ")
        throw .usage(
            "There is no help on '\(CleanText.line(name))'. Topics: \(names), and every verb: parlor help")
    }

    static var overview: [String] {
        var lines = [
            "Usage: parlor [OPTION]… VERB …", "", "Play parlour games with the people on your network.", "",
            "Verbs:",
        ]
        lines += CleanText.columns(CommandTable.all.map { ["  \($0.name)", $0.summary] })
        lines += ["", "Options of every verb:"] + options(GlobalOptions.all)
        lines += ["", "Topics: " + topics.map(\.name).joined(separator: ", ") + " (parlor help TOPIC)"]
        lines += ["Each verb explains itself: parlor VERB -h"]
        return lines
    }

    static func lines(for command: Command) -> [String] {
        let first = command.summary.prefix(1).uppercased() + command.summary.dropFirst()
        var lines = ["Usage: \(command.usage)", "", first + "."] + command.details
        if !command.options.isEmpty { lines += ["", "Options:"] + options(command.options) }
        lines +=
            ["", "Options of every verb: parlor help", "", "Examples:"] + command.examples.map { "  " + $0 }
        return lines
    }

    private static func options(_ specs: [OptionSpec]) -> [String] {
        CleanText.columns(specs.map { ["  " + ($0.short.map { "\($0), " } ?? "") + $0.usage, $0.summary] })
    }

    private static let bots = Topic(
        name: "bots", summary: "bots, and programs that play them",
        lines: [
            "Bots fill seats: parlor host snap --bots 2:hard, parlor bot add, parlor play",
            "snap. The daemon of whoever hosts the room plays them; they see what a player",
            "at their seat sees, and nothing else.", "",
            "With --bot-cmd PROGRAM a program plays them, one process a bot. It is started",
            "without a shell or arguments when the bot has first something to do, and is",
            "told to end with the match. It reads one line of JSON a question:",
            #"  {"match":"…","game":"snap","seat":1,"time_ms":5210,"view":{…},"legal":[…]}"#,
            "view and legal are those of match.view for the bot's seat. It answers each",
            "with one line, an action of legal with its nulls filled in:",
            #"  {"action":{"do":"flip"},"after_ms":400}"#,
            #"or, to wait, with null or {"action":null}."#,
            "The action is done after_ms (0 to 60000, 0 if left out) after time_ms, unless",
            "the match changes before that: then the program is asked again. It is asked",
            "when what it sees may have changed, one question at a time. What is refused is",
            "asked again a second later.", "",
            "A program that ends, takes more than 5 s for an answer, writes what is no such",
            "line, or more than 65536 bytes in one, plays no more: the bot goes on by",
            "itself, at its level, and an error event says why. So it does when another",
            "peer takes the room over, or the daemon begins again.",
            "Examples/snap_bot.py is such a program.",
        ])

    private static let exitCodes = Topic(
        name: "exit-codes", summary: "what the exit codes mean",
        lines: [
            "  0  done", "  1  refused or failed", "  2  mistake in the command line",
            "  3  daemon not reachable",
            "  4  address in use", "  5  nothing found", "  6  timed out", "  7  versions do not match",
            "130  interrupted (Ctrl-C), 131 by Ctrl-\\", "",
            "Errors are one line on standard error. With --json, standard output has",
            #"{"error":{"code":…,"reason":"…","message":"…"}}; code is the RPC code or 0."#,
        ])

    private static let files = Topic(
        name: "files", summary: "where things are kept",
        lines: [
            "With --home DIR or PARLOR_HOME, all is in DIR: config/parlor.conf, data/,",
            "state/, run/. Otherwise:",
            "  settings        $XDG_CONFIG_HOME/parlor/parlor.conf, or else",
            "                  /etc/xdg/parlor/parlor.conf",
            "  identity        $XDG_DATA_HOME/parlor/", "  log             $XDG_STATE_HOME/parlor/",
            "  control socket  $XDG_RUNTIME_DIR/parlor/, or /tmp/parlor-UID/",
        ])

    private static let games = Topic(
        name: "games", summary: "the games and how to play them",
        lines: [
            "snap     2 to 4 seats. Cards are turned one by one; when two piles show the",
            "         same rank, call snap before the others and take both piles. A wrong",
            "         call costs a card to everybody else. Who has all the cards wins.",
            "           auto_flip_ms=MS  cards flip by themselves (0 or 500-10000; 0,",
            "                            which is by hand)",
            "           max_flips=N      after so many flips the most cards win (10-10000;",
            "                            1000)",
            "hangman  2 to 4 seats, or 1. Each in turn sets a word, the others guess it, by",
            "         letters or, once sure, as a whole; six wrong guesses hang. A right",
            "         letter is 10 points, the second in a row 20, and so on; the setter has",
            "         10 for each who is hanged. Who cheats is named, and loses the round.",
            "           mode=M           race or together: a board for each, or one for all",
            "                            and guessers take turns (race)",
            "           rounds=N         words that each seat sets (1-5; 1)",
            "           any_word=B       true or false: words outside the list may be set",
            "                            (false)",
            "           words=W          builtin or system: the program's own list, or this",
            "                            machine's, /usr/share/dict/words; guests that lack",
            "                            it are asked (builtin)",
            "tictactoe",
            "         2 seats. Squares 1 to 9, row by row; three in a line win. Who wins",
            "         the draw is X and begins.",
            "story    2 to 4 seats. One text, a turn each, up to 250 characters; it is over",
            "         past 3800 bytes. parlor export --story ID writes the text.",
            "lucky    alone. Four buttons; some end the game, which ones is drawn anew for",
            "         each press. A point for each that does not.",
            "           level=L          easy or normal or hard: 1, 2 or 3 end it (normal)",
            "all        turn_s=S         seconds for a turn (0-300; 0 is any; snap 30,",
            "                            hangman 60, the others 0); in Hangman one that runs",
            "                            out is a wrong guess, or passes on (together)",
            "           grace_s=S        seconds the seat of who is away is kept (10-120;",
            "                            120)",
            "           watchers=B       true or false: others may watch (true)", "",
            "As in: parlor host snap --set max_flips=100 --set turn_s=10",
        ])

    private static let line = Topic(
        name: "line", summary: "what can be typed while in a room", lines: LineHelp.all)
}
