internal import ParlorControl
internal import ParlorProtocol
internal import ParlorViews

extension Command {
    static let verify = Command(
        name: "verify", summary: "check every hash, signature and move of a match", operands: "ID|FILE",
        words: 1...1,
        details: [
            "FILE is what parlor export wrote, here or elsewhere; - reads it from standard input.",
            "A file is checked without a daemon. Exits with 1 unless all of it holds up to its end.",
        ],
        examples: ["parlor verify 0123abcd", "parlor verify match.log --json"],
        run: { context throws(CommandFailure) in
            let json: JSON
            switch try MatchTarget.fileOrID(context.invocation.words[0], context) {
            case .file(let file):
                json = JSON(encoding: try VerifyInfo(reading: LogSource(file), context))
            case .id(let start):
                let client = try context.connect()
                let params = VerifyParams(match: try MatchTarget.whole(start, context, client))
                json = try context.call(client, .matchVerify, params)
            }
            let verdict = try context.read(json, as: VerifyInfo.self)
            context.show(json, VerdictText.lines(verdict))
            return verdict.valid ? 0 : 1
        })
}

extension VerifyInfo {
    /// Checks a log piece by piece.
    init(reading source: LogSource, _ context: Context) throws(CommandFailure) {
        var source = source
        var reader = try context.logReader()
        while let piece = try source.next() {
            do throws(LogTextFault) { try reader.read(piece) } catch {
                self.init(error, after: reader.log)
                return
            }
        }
        self.init(endOf: reader)
    }

    /// What is to be said once a reader was given all there is.
    init(endOf reader: LogReader) {
        do throws(LogTextFault) { self.init(try reader.finish()) } catch {
            self.init(error, after: reader.log)
        }
    }
}

/// What was found out about a log, in words.
enum VerdictText {
    static func lines(_ verdict: VerifyInfo) -> [String] {
        [headline(verdict)] + fault(verdict) + seats(verdict)
    }

    /// The finding in one line.
    static func headline(_ verdict: VerifyInfo) -> String {
        let count = "\(verdict.entries) \(verdict.entries == 1 ? "entry" : "entries")"
        let of = verdict.game.map { " of \(CleanText.line($0))" } ?? ""
        switch verdict.verdict ?? (verdict.valid ? .complete : .damaged) {
        case .complete: return "Valid and complete: all \(count)\(of) hold."
        case .alone:
            return "Valid: all \(count)\(of) hold; ended alone, by the seat that was left without the others."
        case .incomplete:
            return "Incomplete: all \(count)\(of) hold, but the end of the match is missing."
        case .damaged:
            let problem = CleanText.line(verdict.problem ?? "the daemon does not say what is wrong")
            return "Not valid: \(problem)"
        case .newer:
            return "Not checked: \(CleanText.line(verdict.problem ?? "a newer Parlor wrote it"))"
        }
    }

    private static func fault(_ verdict: VerifyInfo) -> [String] {
        guard verdict.verdict == .damaged, let index = verdict.index, index >= 0 else { return [] }
        let before =
            index == 0 ? "" : index == 1 ? "The entry before it holds." : "The \(index) before it hold."
        var who = "Who wrote entry \(index) cannot be read."
        if let author = verdict.author, author >= 0 {
            who = "Entry \(index) is by \(seat(author, verdict))"
            who += verdict.sequencer.map { ", ordered by \(seat($0, verdict))." } ?? "."
        } else if verdict.author != nil {
            let sequencer = verdict.sequencer.map { seat($0, verdict) } ?? "a seat that is not known"
            who = "Entry \(index) is by the sequencer, \(sequencer)."
        } else if let sequencer = verdict.sequencer {
            who += " The sequencer was \(seat(sequencer, verdict))."
        }
        return [before.isEmpty ? who : "\(who) \(before)"]
    }

    private static func seat(_ index: Int, _ verdict: VerifyInfo) -> String {
        let name = verdict.seats?.first { $0.index == index }?.player.name
        return "seat \(index &+ 1)" + (name.map { " (\(CleanText.line($0)))" } ?? "")
    }

    private static func seats(_ verdict: VerifyInfo) -> [String] {
        guard let seats = verdict.seats else {
            guard !verdict.outcomes.isEmpty else { return [] }
            let outcomes = verdict.outcomes.enumerated().map { "seat \($0 + 1) \(MatchText.words($1))" }
            return ["  " + outcomes.joined(separator: ", ")]
        }
        return CleanText.columns(
            seats.map { seat in
                [
                    "  Seat \(seat.index &+ 1)",
                    CleanText.line(seat.player.name) + (seat.bot ? " (bot)" : ""),
                    seat.outcome.map { MatchText.words($0, isBot: seat.bot) } ?? "",
                ]
            })
    }
}
