internal import ParlorControl
internal import ParlorProtocol
internal import ParlorViews

extension Command {
    static let replay = Command(
        name: "replay", summary: "watch a match again, at the pace it was played", operands: "ID|FILE",
        words: 1...1,
        options: [
            OptionSpec("--fast", "without pauses"),
            OptionSpec("--speed", "X", "X times as fast, as in 3 or 0.5"),
        ],
        details: [
            "FILE is what parlor export wrote, and needs no daemon; - reads it from standard input.",
            "Nothing is waited for longer than 2 s. With --json: the match after each entry, one a line.",
        ],
        examples: ["parlor replay 0123abcd --speed 2", "parlor replay match.log --fast"],
        run: { context throws(CommandFailure) in try ReplayCommand(context).run() })
}

/// Shows a match again.
struct ReplayCommand {
    private let context: Context
    /// How many times as fast as it was; `nil`: without pauses.
    private let speed: Double?

    /// The longest pause between two things shown, in milliseconds, at speed 1.
    static let pauseMsMax = 2_000
    private static let speeds = 0.01...1_000.0

    init(_ context: Context) throws(CommandFailure) {
        self.context = context
        let invocation = context.invocation
        guard let word = invocation.value("--speed") else {
            speed = invocation.has("--fast") ? nil : 1
            return
        }
        guard !invocation.has("--fast") else {
            throw .usage("--fast has no pauses that --speed could shorten; give one of the two.")
        }
        guard let given = Double(word), Self.speeds.contains(given) else {
            throw .usage("--speed is a number from 0.01 to 1000, not '\(CleanText.line(word))'.")
        }
        speed = given
    }

    func run() throws(CommandFailure) -> Int32 {
        var source = try MatchTarget.fileOrID(context.invocation.words[0], context).source(context)
        var reader = try context.logReader()
        var script = ReplayScript(plain: context.plain)
        var shownAt: Int?
        while let piece = try source.next() {
            // Line by line: what is told follows from each entry, not from each piece.
            for line in Self.lines(piece) {
                let before = reader.log?.entries.count
                do throws(LogTextFault) { try reader.read(line) } catch {
                    return end(VerifyInfo(error, after: reader.log))
                }
                guard let log = reader.log else { continue }
                if before == nil { introduce(log) }
                guard let before, log.entries.count > before else { continue }
                for moment in script.next(log) { show(moment, after: &shownAt) }
                try Output.check()
            }
        }
        for moment in script.finish() { show(moment, after: &shownAt) }
        return end(VerifyInfo(endOf: reader))
    }

    /// The piece cut after each line feed.
    static func lines(_ piece: [UInt8]) -> [ArraySlice<UInt8>] {
        var lines: [ArraySlice<UInt8>] = []
        var rest = piece[...]
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
            lines.append(rest[...end])
            rest = rest[(end + 1)...]
        }
        return rest.isEmpty ? lines : lines + [rest]
    }

    private func introduce(_ log: MatchLog) {
        guard !context.wantsJSON else { return }
        let names = log.genesis.seats.map { CleanText.line($0.name) + ($0.bot ? " (bot)" : "") }
        Output.line("\(MatchText.title(log.genesis.game)): " + names.joined(separator: ", "))
    }

    private func show(_ moment: ReplayScript.Moment, after shownAt: inout Int?) {
        guard context.wantsJSON || !moment.lines.isEmpty else { return }
        if let speed, let shownAt {
            let pause = Double(min(Self.pauseMsMax, max(0, moment.time - shownAt))) / speed
            if pause >= 1 { Deadline.pause(ms: CInt(pause)) }
        }
        shownAt = moment.time
        if context.wantsJSON {
            Output.line(JSON(encoding: moment.match).encodedText)
        } else {
            for line in moment.lines { Output.line(line) }
        }
    }

    /// Says how it ends; only a log that is wrong or of a newer program is a failure.
    private func end(_ verdict: VerifyInfo) -> Int32 {
        switch verdict.verdict {
        case .complete, nil: return 0
        case .alone, .incomplete:
            context.talk(VerdictText.headline(verdict))
            return 0
        case .damaged, .newer:
            Output.error("parlor: " + VerdictText.headline(verdict))
            return 1
        }
    }
}
