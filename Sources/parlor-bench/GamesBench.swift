internal import Glibc
internal import ParlorGames
internal import ParlorProtocol
internal import ParlorSim

/// How fast games are played: their rules by themselves, and all that the seats of a match do.
struct GamesBench {
    /// For each line.
    let seconds: Int

    private static let method = """
        One core, virtual time, matches from seed 1 on until they end, after one to warm up; standard options.
        Seconds are those of the processor, so that what else runs on the machine matters little.
        Rules alone: one value that is given moves, chance and time; no log, signatures or messages. Hangman's
        seats set, guess, answer and open with seals that are stand-ins, too.
        Whole protocol: every seat's machine with its log, messages of 1 to 20 ms between them, players of
        chance; what an entry costs is that of all seats and the simulator together.
        """

    private struct Table {
        let game: String
        let seats: Int
        var mode: String?

        var name: String { "\(game)\(mode.map { " \($0)" } ?? ""), \(seats) seats" }
        var options: [Value.Member] { mode.map { [Value.Member("mode", .string($0))] } ?? [] }
    }

    private static let tables =
        (2...4).map { Table(game: "snap", seats: $0) }
        + ["race", "together"].flatMap { mode in
            (2...4).map { Table(game: "hangman", seats: $0, mode: mode) }
        }

    /// Measures and prints everything.
    func run() {
        Bench.say(Self.method)
        head("Rules alone", "event")
        for table in Self.tables { measure(table) { alone(table, $0) } }
        for isReal in [false, true] {
            head("Whole protocol, \(isReal ? "Ed25519" : "stand-in signatures")", "entry")
            for table in Self.tables where !isReal || table.seats != 3 {
                measure(table) { Self.whole(table, $0, isReal: isReal) }
            }
        }
    }

    /// Plays matches of one table with all of the protocol, of seeds 1 and on, and prints how many entries
    /// they have.
    ///
    /// - Parameters:
    ///   - name: A game without modes, or a mode of Hangman.
    ///   - seats: How many play.
    ///   - matches: How many matches.
    /// - Returns: Whether there is such a table.
    static func play(_ name: String, seats: Int, matches: Int) -> Bool {
        guard let table = tables.first(where: { ($0.mode ?? $0.game) == name && $0.seats == seats }) else {
            return false
        }
        let entries = (1...matches).reduce(0) { $0 + whole(table, UInt64($1), isReal: false) }
        Bench.say("\(table.name), \(matches) matches: \(entries) entries")
        return true
    }

    private func alone(_ table: Table, _ seed: UInt64) -> Int {
        guard table.game == "hangman" else {
            var match = RulesOnlySnap(seats: table.seats, seed: seed)
            return match.play()
        }
        var match = RulesOnlyHangman(seats: table.seats, options: table.options, seed: seed)
        return match.play()
    }

    private static func whole(_ table: Table, _ seed: UInt64, isReal: Bool) -> Int {
        var setup = SimTable.Setup(game: table.game, seats: table.seats)
        setup.options = table.options
        setup.realSignatures = isReal
        guard var match = try? SimTable(setup, seed: seed), match.run(forSeconds: 7_200) else { return 0 }
        return match.machines[0].acceptedCount
    }

    // MARK: Lines

    private func head(_ title: String, _ what: String) {
        Bench.say(line(title, "matches/s", "\(what == "entry" ? "entries" : "events") each", "µs an \(what)"))
    }

    private func line(_ name: String, _ columns: String...) -> String {
        var line = name + String(repeating: " ", count: max(0, 42 - name.count))
        for column in columns { line += String(repeating: " ", count: max(1, 13 - column.count)) + column }
        return line
    }

    /// Plays matches one after the other and prints their rate; `play` returns how many events or entries it
    /// took, 0 for a match that did not end.
    private func measure(_ table: Table, _ play: (UInt64) -> Int) {
        _ = play(0)
        let begun = Self.processorSeconds
        let end = begun + Double(seconds)
        var matches = 0
        var events = 0
        var unfinished = 0
        while Self.processorSeconds < end {
            matches += 1
            let count = play(UInt64(matches))
            events += count
            if count == 0 { unfinished += 1 }
        }
        let passed = Self.processorSeconds - begun
        let rate = Double(matches) / passed
        Bench.say(
            line(
                "  \(table.name)", rate < 100 ? hundredths(rate) : "\(Int(rate))", "\(events / matches)",
                hundredths(passed * 1_000_000 / Double(max(1, events)))))
        if unfinished > 0 { Bench.say("  \(unfinished) of them did not end") }
    }

    /// Seconds that this process has had a processor for.
    private static var processorSeconds: Double {
        var time = timespec()
        unsafe clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1_000_000_000
    }

    private func hundredths(_ number: Double) -> String {
        let hundredths = Int(number * 100 + 0.5)
        return "\(hundredths / 100).\(hundredths / 10 % 10)\(hundredths % 10)"
    }
}
