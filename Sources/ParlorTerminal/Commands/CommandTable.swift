internal import ParlorControl

/// All verbs, in the order in which help lists them.
enum CommandTable {
    static let all: [Command] =
        rooms + matches + [
            .turn, .leaderboard, .achievements, .status, .doctor, .events, .rpc, .profile, .daemon, .help,
            .version,
            .completion,
        ]

    private static let rooms: [Command] = [
        .host, .list, .join, .play, .ready, .start, .leave, .rematch, .kick, .lock, .watchers, .bot, .say,
    ]

    private static let matches: [Command] = [
        .view, .act, .matches, .show, .replay, .export, .verify,
    ]

    /// The games that completion offers; the daemon has the last word.
    static let games = ["snap", "hangman", "tictactoe", "story", "lucky"]
}
