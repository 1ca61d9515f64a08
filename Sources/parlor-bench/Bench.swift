internal import Glibc
internal import ParlorCrypto
internal import ParlorGames
internal import ParlorProtocol
internal import ParlorSim

/// Measures what needs no network: rules and whole matches in the simulator, on one core.
enum Bench {
    private static let usage = """
        usage: parlor-bench [SECONDS]
               parlor-bench link ...   (see parlor-bench link)

        Plays Snap on one core, SECONDS (default 2) for each line, and prints the matches a second.
        """

    /// Runs all benchmarks; returns the exit status.
    static func run(_ arguments: [String]) -> Int32 {
        if arguments.first == "link" { return LinkBench.run(Array(arguments.dropFirst())) }
        guard arguments.count < 2, let seconds = Int(arguments.first ?? "2"), (1...600).contains(seconds)
        else {
            say(usage)
            return 2
        }
        say(
            "One core, \(seconds) s a line after one match to warm up; four seats, matches until they end."
        )
        measure("Snap, rules alone", seconds) { seed in
            var match = RulesOnlySnap(seed: seed)
            return match.play()
        }
        for isReal in [false, true] {
            let name = "Snap, whole protocol, \(isReal ? "Ed25519" : "stand-in signatures")"
            measure(name, seconds) { seed in table(seed, isReal: isReal) }
        }
        return 0
    }

    private static func table(_ seed: UInt64, isReal: Bool) -> Int {
        var setup = SimTable.Setup(game: "snap", seats: 4)
        setup.realSignatures = isReal
        guard var table = try? SimTable(setup, seed: seed), table.run(forSeconds: 7_200) else { return 0 }
        return table.machines[0].acceptedCount
    }

    /// Plays matches one after the other and prints their rate; `play` returns how many events or entries it
    /// took.
    private static func measure(_ name: String, _ seconds: Int, _ play: (UInt64) -> Int) {
        _ = play(0)
        let clock = ContinuousClock()
        let begun = clock.now
        let end = begun + .seconds(seconds)
        var matches = 0
        var events = 0
        var unfinished = 0
        while clock.now < end {
            matches += 1
            let count = play(UInt64(matches))
            events += count
            if count == 0 { unfinished += 1 }
        }
        let passed = (clock.now - begun) / .seconds(1)
        let rate = Double(matches) / passed
        say(
            "\(name): \(Int(rate)) matches/s "
                + "(\(matches) in \(Int(passed * 1_000)) ms, \(events / matches) entries each)"
        )
        if unfinished > 0 { say("  \(unfinished) of them did not end") }
    }

    private static func say(_ line: String) {
        let bytes = Array("\(line)\n".utf8)
        _ = unsafe write(STDOUT_FILENO, bytes, bytes.count)
    }
}

/// One match of Snap without log, signatures or network.
private struct RulesOnlySnap {
    private static let seats = 4
    private var game: Snap
    private var random: SeededGenerator
    private var time = 0
    private var flips = 0
    /// As a log holds it: see SnapMove.
    private static let flipMove = Datum.list([.int(0)])

    init(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        guard let options = try? GameOptions(Snap.declaration) else {
            preconditionFailure("standard options are good")
        }
        game = Snap(
            GameSetup(
                match: random.bytes(16), seats: Self.seats, players: Array(0..<Self.seats), first: 0,
                options: options, words: WordList([]), chainEnds: Array(repeating: [], count: Self.seats),
                startedAt: 0, hash: Hash.blake2b256))
        self.random = random
    }

    /// Plays to the end; returns the number of events, 0 when it did not end.
    mutating func play() -> Int {
        var events = 0
        var draw = 0
        while game.outcomes == nil, events < 100_000 {
            events += 1
            let waiting = game.waitingCalls
            if !waiting.isEmpty {
                _ = apply(.judged(waiting.map { CallBounds(arrival: $0.time, delay: 100, error: 20) }))
            } else if let need = game.need {
                time = max(time, need.notBefore)
                if need.among != nil { draw += 1 }
                let choice = need.among.map { Int.random(in: 0..<$0, using: &random) }
                let opening = Opening(
                    draw: need.among == nil ? 0 : draw, choice: choice, links: [], revealAt: time + 10)
                guard apply(.opened(opening)) else { return 0 }
                flips += 1
                time += 300
            } else if game.showsPair {
                call()
                if game.waitingCalls.isEmpty { flip() }
            } else {
                flip()
            }
        }
        return game.outcomes == nil ? 0 : events
    }

    private mutating func flip() {
        guard let seat = game.turn.first else { return }
        _ = apply(.move(seat: seat, Self.flipMove))
    }

    private mutating func call() {
        let seat = Int.random(in: 0..<Self.seats, using: &random)
        _ = apply(.move(seat: seat, .list([.int(1), .int(time), .int(flips)])))
    }

    private mutating func apply(_ event: GameEvent) -> Bool { (try? game.apply(event, at: time)) != nil }
}
