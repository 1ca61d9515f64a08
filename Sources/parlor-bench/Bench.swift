internal import Glibc

/// Measures what needs no network: rules and whole matches in the simulator, on one core.
enum Bench {
    private static let usage = """
        usage: parlor-bench [SECONDS]
               parlor-bench play GAME SEATS MATCHES   (race and together are modes of Hangman)
               parlor-bench link ...   (see parlor-bench link)

        Plays the games on one core, SECONDS (default 2) for each line, and prints how fast.
        With play, it plays so many whole matches with stand-in signatures and nothing else, always the same
        ones: for a program that counts instructions, such as valgrind --tool=callgrind.
        """

    /// Runs all benchmarks; returns the exit status.
    static func run(_ arguments: [String]) -> Int32 {
        if arguments.first == "link" { return LinkBench.run(Array(arguments.dropFirst())) }
        if arguments.first == "play", arguments.count == 4, let seats = Int(arguments[2]),
            let matches = Int(arguments[3]), (2...4).contains(seats), (1...1_000_000).contains(matches),
            GamesBench.play(arguments[1], seats: seats, matches: matches)
        {
            return 0
        }
        guard arguments.count < 2, let seconds = Int(arguments.first ?? "2"), (1...600).contains(seconds)
        else {
            say(usage)
            return 2
        }
        GamesBench(seconds: seconds).run()
        return 0
    }

    /// Prints a line.
    static func say(_ line: String) {
        let bytes = Array("\(line)\n".utf8)
        _ = unsafe write(STDOUT_FILENO, bytes, bytes.count)
    }
}
