internal import ParlorControl
internal import ParlorProtocol
internal import ParlorViews

extension Command {
    static let show = Command(
        name: "show", summary: "tell a match in a few lines", operands: "ID", words: 1...1,
        details: ["Who played, when, what happened, how it ended, and whether the log holds."],
        examples: ["parlor show 0123abcd", "parlor show 0123abcd --json"],
        run: { context throws(CommandFailure) in
            let start = try MatchTarget.readID(context.invocation.words[0])
            let client = try context.connect()
            let id = try MatchTarget.whole(start, context, client)
            let row = try MatchTarget.all(context, client).first { $0.id == id }
            var source = LogSource(match: id, context, client)
            var reader = try context.logReader()
            var digest = MatchDigest(plain: context.plain)
            var verdict: VerifyInfo?
            while verdict == nil, let piece = try source.next() {
                for line in ReplayCommand.lines(piece) where verdict == nil {
                    let before = reader.log?.entries.count ?? 0
                    do throws(LogTextFault) { try reader.read(line) } catch {
                        verdict = VerifyInfo(error, after: reader.log)
                    }
                    if let log = reader.log, log.entries.count > before { digest.next(log) }
                }
            }
            let found = verdict ?? VerifyInfo(endOf: reader)
            context.show(
                digest.json(row, found), digest.lines(row, found))
            return found.verdict == .damaged ? 1 : 0
        })
}
