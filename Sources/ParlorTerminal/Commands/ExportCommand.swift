internal import Glibc
internal import ParlorControl
internal import ParlorProtocol
internal import ParlorViews

extension Command {
    static let export = Command(
        name: "export", summary: "write the log of a match, for anybody to verify", operands: "ID [FILE]",
        words: 1...2,
        options: [
            OptionSpec("--force", "write over a file that is there"),
            OptionSpec("--story", "what was written in a match of Story, also one by turns, as plain text"),
        ],
        details: [
            "Without FILE, or with -, the log goes to standard output. It has every move and its proof;",
            "parlor verify and parlor replay read it on any machine. A file named - is ./-",
        ],
        examples: [
            "parlor export 0123abcd match.log", "parlor export --story 0123abcd story.txt",
        ],
        run: { context throws(CommandFailure) in
            let words = context.invocation.words
            let start = try MatchTarget.readID(words[0])
            let path = words.count == 2 && words[1] != "-" ? words[1] : nil
            let force = context.invocation.has("--force")
            if let path, !force, unsafe access(path, F_OK) == 0 { throw OutputFile.isThere(path) }
            let client = try context.connect()
            let wantsStory = context.invocation.has("--story")
            let turns = try byTurns(start, context, client)
            let id = if let turns { turns.id } else { try MatchTarget.whole(start, context, client) }
            var source = LogSource(match: id, context, client)
            var text: String?
            if let turns { text = try story(turns, wantsStory) }
            if turns == nil, wantsStory { text = try story(&source, context) }
            guard let path else {
                guard let text else { return try print(&source, context) }
                let result: JSON = ["text": .string(text), "match": .string(id)]
                context.show(result, [text])
                return 0
            }
            let file = try OutputFile(for: path)
            var bytes = 0
            while let piece = try text == nil ? source.next() : nil {
                bytes += piece.count
                try file.write(piece)
            }
            if let text {
                let whole = Array((text + "\n").utf8)
                bytes = whole.count
                try file.write(whole)
            }
            try file.commit(force: force)
            let result: JSON = ["file": .string(path), "match": .string(id), "bytes": .int(bytes)]
            context.show(result, ["Wrote \(CleanText.line(path)), \(bytes) bytes."])
            return 0
        })

    /// The match by turns that an ID means where no other match has it.
    private static func byTurns(
        _ start: String, _ context: Context, _ client: ControlClient
    ) throws(CommandFailure) -> TurnInfo? {
        do throws(CommandFailure) {
            guard try !MatchTarget.all(context, client).contains(where: { $0.id.hasPrefix(start) }) else {
                return nil
            }
            let json = try context.call(client, .turnsGet, TurnParams(match: start))
            return try context.read(json, as: TurnInfo.self)
        } catch {
            guard error.reason == .notFound else {
                throw error.advising("See which there are: parlor turn list")
            }
            return nil
        }
    }

    private static func story(_ turns: TurnInfo, _ wantsStory: Bool) throws(CommandFailure) -> String {
        guard turns.game == "story", let text = turns.view["text"]?.text else {
            throw CommandFailure(
                .failed,
                "A match by turns has no log to export, and this one is no story. See it: "
                    + "parlor turn show \(CleanText.line(turns.id))")
        }
        guard wantsStory else {
            throw .usage(
                "A match by turns has no log to export. What the story says: parlor export --story "
                    + CleanText.line(turns.id))
        }
        return text
    }

    /// The text that a log of Story holds, so far as it goes.
    private static func story(_ source: inout LogSource, _ context: Context) throws(CommandFailure) -> String
    {
        var reader = try context.logReader()
        while let piece = try source.next() {
            for line in ReplayCommand.lines(piece) {
                do throws(LogTextFault) { try reader.read(line) } catch {
                    let verdict = VerifyInfo(error, after: reader.log)
                    throw CommandFailure(.failed, VerdictText.headline(verdict))
                }
            }
        }
        guard let log = reader.log, log.genesis.game == "story" else {
            throw .usage("--story is for matches of Story; see parlor matches --game story")
        }
        let match = MatchInfo(
            log.state, seat: nil, secrets: nil, at: log.entries.last?.time ?? 0, entries: log.entries.count,
            head: log.head)
        guard let text = match.view["text"]?.text else {
            throw CommandFailure(.failed, "Nothing was written in this match: it was not drawn who begins.")
        }
        return text
    }

    private static func print(_ source: inout LogSource, _ context: Context) throws(CommandFailure) -> Int32 {
        var whole: [UInt8] = []
        while let piece = try source.next() {
            if context.wantsJSON { whole += piece } else { Output.bytes(piece) }
            try Output.check()
        }
        if context.wantsJSON {
            Output.line(JSON(encoding: ExportInfo(text: String(decoding: whole, as: UTF8.self))).encodedText)
        }
        return 0
    }
}

/// A file that is there whole or not at all: written beside its place and moved there at the end.
final class OutputFile {
    private let path: String
    private let draft: String
    private var descriptor: CInt

    init(for path: String) throws(CommandFailure) {
        self.path = path
        draft = "\(path).part-\(getpid())"
        descriptor = unsafe open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else { throw Self.failed(path) }
    }

    deinit {
        guard descriptor >= 0 else { return }
        _ = close(descriptor)
        _ = unsafe unlink(draft)
    }

    func write(_ bytes: [UInt8]) throws(CommandFailure) {
        var sent = 0
        while sent < bytes.count {
            let count = unsafe bytes.withUnsafeBytes { buffer in
                unsafe Glibc.write(descriptor, buffer.baseAddress?.advanced(by: sent), buffer.count - sent)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw Self.failed(path) }
            sent += count
        }
    }

    /// Puts the file in its place; one that is there stays unless `force` is given.
    ///
    /// Corresponds to `fsync(2)`, then `rename(2)` or `link(2)`.
    func commit(force: Bool) throws(CommandFailure) {
        guard fsync(descriptor) == 0 else { throw Self.failed(path) }
        if force {
            guard unsafe rename(draft, path) == 0 else { throw Self.failed(path) }
        } else if unsafe link(draft, path) == 0 {
            _ = unsafe unlink(draft)
        } else if errno == EEXIST {
            throw Self.isThere(path)
        } else {
            // Some file systems have no links.
            guard unsafe access(path, F_OK) != 0 else { throw Self.isThere(path) }
            guard unsafe rename(draft, path) == 0 else { throw Self.failed(path) }
        }
        _ = close(descriptor)
        descriptor = -1
    }

    static func isThere(_ path: String) -> CommandFailure {
        CommandFailure(
            .failed,
            "\(CleanText.line(path)) is there already. Give another name, or --force to write over it.")
    }

    private static func failed(_ path: String) -> CommandFailure {
        let why = unsafe String(cString: strerror(errno))
        return CommandFailure(.failed, "\(CleanText.line(path)) cannot be written: \(why).")
    }
}
