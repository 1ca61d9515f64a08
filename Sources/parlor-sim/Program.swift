internal import Glibc
internal import ParlorSim

/// Plays what the options say and prints what came of it.
enum Program {
    /// Returns the exit status: 1 where something did not hold, 2 for wrong arguments.
    static func run(_ arguments: [String]) async -> Int32 {
        if arguments.contains("--help") || arguments.contains("-h") {
            say(Options.usage)
            return 0
        }
        let options: Options
        do {
            options = try Options(arguments)
        } catch {
            say("parlor-sim: \(error.message)\n\n\(Options.usage)")
            return 2
        }
        if let seed = options.replay { return replay(seed, options) }
        if let pairs = options.fairness { return await fairness(pairs, options) }
        return await play(options)
    }

    // MARK: Fairness

    private static func fairness(_ pairs: Int, _ options: Options) async -> Int32 {
        say(FairCase.head)
        let cases = FairCase.distances + FairCase.lies + FairCase.bots
        let tallies = await withTaskGroup(of: [(Int, FairTable.Tally)].self) { group in
            for job in 0..<options.jobs {
                group.addTask {
                    stride(from: job, to: cases.count, by: options.jobs).map {
                        ($0, cases[$0].play(pairs: pairs, seed: options.seed))
                    }
                }
            }
            var all: [(Int, FairTable.Tally)] = []
            for await part in group { all += part }
            return all.sorted { $0.0 < $1.0 }.map(\.1)
        }
        var isFair = true
        for (one, tally) in zip(cases, tallies) {
            let share = tally.share(of: one.pair.one, against: one.pair.other)
            let holds = one.share?.contains(share) ?? true
            if !holds { isFair = false }
            say(one.line(tally) + (holds ? "" : "  not fair"))
        }
        return isFair ? 0 : 1
    }

    // MARK: Many

    private static func play(_ options: Options) async -> Int32 {
        let clock = ContinuousClock()
        let begun = clock.now
        let tally = await withTaskGroup(of: Tally.self) { group in
            for job in 0..<options.jobs { group.addTask { share(job, options) } }
            var sum = Tally()
            for await part in group { sum.add(part) }
            return sum
        }
        let seconds = (clock.now - begun) / .seconds(1)
        let rate = Int(Double(tally.matches) / max(seconds, 0.001))
        say(
            "\(tally.matches) matches in \(Int(seconds)) s: \(rate) a second with \(options.jobs) at once, "
                + "\(tally.entries / max(1, tally.matches)) entries each")
        let words = tally.byWord.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
        say("  " + words.joined(separator: ", "))
        for failure in tally.failures {
            say(
                "seed \(failure.seed) (\(failure.word)): \(failure.violation.invariant.rawValue): "
                    + "\(failure.violation.text)\n  \(options.command(failure.seed))")
        }
        say(tally.failed == 0 ? "everything held" : "\(tally.failed) matches failed")
        if let failure = tally.failures.first, let file = options.trace {
            write(traceLines(failure.seed, options).lines, to: file)
        }
        return tally.failed == 0 ? 0 : 1
    }

    /// Plays every so many matches, from the job's first on.
    private static func share(_ job: Int, _ options: Options) -> Tally {
        var tally = Tally()
        for number in stride(from: job, to: options.matches, by: options.jobs) {
            guard var match = try? SimMatch(options.script(options.seed &+ UInt64(number))) else {
                preconditionFailure("a script has a game and options that there are")
            }
            match.run()
            tally.add(match)
        }
        return tally
    }

    // MARK: One

    private static func replay(_ seed: UInt64, _ options: Options) -> Int32 {
        let (lines, violations) = traceLines(seed, options)
        if let file = options.trace {
            guard write(lines, to: file) else { return 2 }
        } else {
            say(lines.joined(separator: "\n"))
        }
        for violation in violations { say("\(violation.invariant.rawValue): \(violation.text)") }
        say(violations.isEmpty ? "everything held" : "something did not hold")
        return violations.isEmpty ? 0 : 1
    }

    private static func traceLines(_ seed: UInt64, _ options: Options)
        -> (lines: [String], violations: [SimWitness.Violation])
    {
        guard var match = try? SimMatch(options.script(seed), isTraced: true) else {
            preconditionFailure("a script has a game and options that there are")
        }
        match.run()
        return (match.trace ?? [], match.witness.violations)
    }

    // MARK: Output

    @discardableResult
    private static func write(_ lines: [String], to file: String) -> Bool {
        let descriptor = unsafe open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else {
            say("parlor-sim: cannot write \(file): error \(errno)")
            return false
        }
        defer { close(descriptor) }
        return put(lines.joined(separator: "\n") + "\n", to: descriptor)
    }

    private static func say(_ text: String) { put(text + "\n", to: STDOUT_FILENO) }

    @discardableResult
    private static func put(_ text: String, to descriptor: Int32) -> Bool {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let count = unsafe bytes.withUnsafeBytes {
                unsafe Glibc.write(descriptor, $0.baseAddress, $0.count)
            }
            guard count > 0 else { return false }
            bytes = bytes.dropFirst(count)
        }
        return true
    }
}
