/// What can be typed in line mode.
enum LineHelp {
    static let all = [
        "In the lobby: ready, unready, rematch, say TEXT, who, leave, help.",
        "A guest whose machine lacks the room's list of words: accept.",
        "The host also: start, kick SEAT|NAME, lock, unlock, watchers on|off,",
        "bot add [LEVEL], bot remove.",
        "Who watches can type table, who, leave and help.",
        "In Snap: Enter or f flips, s calls snap, p takes the pool.",
        "In Hangman: the word when you are asked for it; then a letter, or the whole",
        "word once you are sure. One that is a command too: word table, solve table.",
        "In Tic Tac Toe the number of a square; in Story what comes next; in Lucky the",
        "number of a button.",
        "In a match, too: say TEXT, who, table (what is on the table), leave.",
        "bell off: no bell when your turn comes after a while; bell on: again.",
        "A slash makes any of these a command and never a move: /leave, /kick Tom.",
        "Ctrl-C asks before leaving, twice leaves; Ctrl-\\ leaves at once.",
        "Ctrl-Z suspends.",
        "Ctrl-D and closing the terminal leave; a host that leaves closes the room.",
    ]
}
