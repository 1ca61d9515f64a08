internal import Glibc
internal import ParlorControl

extension Command {
    static let view = Command(
        name: "view", summary: "show the match as you see it",
        options: [
            OptionSpec("--match", "ID", "which match; otherwise the room's newest"), Context.roomOption,
        ],
        examples: ["parlor view", "parlor view --json"],
        run: { context throws(CommandFailure) in
            let client = try context.connect()
            let params = MatchParams(
                match: context.invocation.value("--match"), room: try context.room(client))
            let json = try context.call(client, .matchView, params)
            let match = try context.read(json, as: MatchInfo.self)
            context.show(json, MatchText.whole(match, plain: context.plain, atPrompt: true))
            return 0
        })

    static let act = Command(
        name: "act", summary: "do one thing in the match", operands: "JSON|WORDS", words: 1...256,
        options: [
            OptionSpec("--match", "ID", "which match; otherwise the room's newest"), Context.roomOption,
        ],
        details: [
            "WORDS: " + ActWords.usages.joined(separator: ", ") + ".",
            "JSON is an action as the game lists it: parlor view --json shows the legal ones.",
        ],
        examples: ["parlor act guess e", #"parlor act '{"do":"flip"}'"#],
        run: { context throws(CommandFailure) in
            let action = try ActWords.action(context.invocation.words)
            let client = try context.connect()
            let params = ActParams(
                match: context.invocation.value("--match"), room: try context.room(client), action: action)
            let json = try context.call(client, .matchAct, params)
            _ = try context.read(json, as: ActInfo.self)
            context.show(json, ["Done. See the table: parlor view"])
            return 0
        })

    static let verify = Command(
        name: "verify", summary: "check every hash, signature and move of a match", operands: "ID|FILE",
        words: 1...1,
        details: ["FILE is what parlor rpc match.export gives; - reads it from standard input."],
        examples: ["parlor verify 0123456789abcdef0123456789abcdef", "parlor verify match.txt --json"],
        run: { context throws(CommandFailure) in
            let params = try VerifyTarget.params(context.invocation.words[0])
            let client = try context.connect()
            let json = try context.call(client, .matchVerify, params)
            let verdict = try context.read(json, as: VerifyInfo.self)
            context.show(json, VerifyTarget.lines(verdict))
            return verdict.valid ? 0 : 1
        })
}

/// What `verify` is to look at.
enum VerifyTarget {
    private static let fileBytesMax = LineFramer.lineBytesMax

    static func params(_ word: String) throws(CommandFailure) -> VerifyParams {
        if word == "-" { return VerifyParams(text: try text(of: 0, word)) }
        let descriptor = unsafe open(word, O_RDONLY | O_CLOEXEC)
        if descriptor >= 0 {
            defer { _ = close(descriptor) }
            return VerifyParams(text: try text(of: descriptor, word))
        }
        guard Hex.decode(word) != nil, !word.isEmpty else {
            let why = unsafe String(cString: strerror(errno))
            let said = CleanText.line(word)
            throw CommandFailure(
                .notFound, "'\(said)' is no match ID, and as a file: \(why). See: parlor verify -h")
        }
        return VerifyParams(match: word)
    }

    private static func text(of descriptor: CInt, _ name: String) throws(CommandFailure) -> String {
        var all: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while all.count <= fileBytesMax {
            let count = unsafe read(descriptor, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else {
                let why = unsafe String(cString: strerror(errno))
                throw CommandFailure(.failed, "\(CleanText.line(name)) cannot be read: \(why).")
            }
            guard count > 0 else {
                guard let text = String(validating: all, as: UTF8.self) else {
                    throw CommandFailure(
                        .failed, "\(CleanText.line(name)) is not an exported match: it is not UTF-8.")
                }
                return text
            }
            all += chunk[..<count]
        }
        throw CommandFailure(
            .messageTooLarge, "\(CleanText.line(name)) is longer than \(fileBytesMax) bytes.")
    }

    static func lines(_ verdict: VerifyInfo) -> [String] {
        let outcomes = verdict.outcomes.enumerated().map { "seat \($0 + 1) \($1.rawValue)" }.joined(
            separator: ", ")
        guard verdict.valid else {
            let problem = CleanText.line(verdict.problem ?? "the daemon does not say what is wrong")
            return ["Not valid: \(problem) (\(verdict.entries) entries looked at)"]
        }
        return ["Valid: \(verdict.entries) entries; \(outcomes.isEmpty ? "not ended" : outcomes)"]
    }
}
