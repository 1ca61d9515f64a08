internal import ParlorControl
internal import ParlorGames
internal import ParlorNet
internal import ParlorProtocol
internal import ParlorViews

/// A program that plays a bot: it is written a line of JSON when the bot may do something, and answers with
/// one.
///
/// See `parlor help bots`. One question is under way at a time.
final class BotProgram {
    /// Called with what the program wants done; `nil`: nothing for now.
    var answered: (BotPlan?) -> Void = { _ in }
    /// Called once, last, when it plays no more: why, for a person.
    var failed: (String) -> Void = { _ in }
    private let path: String
    private let loop: EventLoop
    private let head: [JSON.Member]
    private var process: ChildProcess?
    private var timer: LoopTimer?
    private var line: [UInt8] = []
    /// The moment, on the match clock, of the question under way.
    private var askedAt: Int?

    /// Starts a program for a bot.
    ///
    /// - Parameters:
    ///   - path: The program's file.
    ///   - match: The match.
    ///   - game: The game's ID.
    ///   - loop: Where it is talked to.
    /// - Throws: ``ParlorNet/NetError`` when it cannot be started.
    init(_ path: String, match: MatchID, game: String, loop: EventLoop) throws(NetError) {
        self.path = path
        self.loop = loop
        head = [JSON.Member("match", .string("\(match)")), JSON.Member("game", .string(game))]
        let process = try ChildProcess(loop: loop, path: path)
        self.process = process
        timer = loop.timer { [weak self] in
            self?.fail("does not answer within \(Limits.botAnswerMilliseconds / 1_000) s")
        }
        process.onBytes = { [weak self] bytes in self?.take(bytes) }
        process.onExit = { [weak self] in
            self?.process = nil
            self?.fail("has ended")
        }
    }

    /// The program's process ID; `nil` once it plays no more.
    var pid: Int32? { process?.pid }

    /// Asks what the bot does.
    func ask(_ sight: BotSight) {
        guard let process, askedAt == nil else { return }
        let question = JSON.object(
            head + [
                JSON.Member("seat", .int(sight.seat)), JSON.Member("time_ms", .int(sight.now)),
                JSON.Member("view", JSON(sight.view)),
                JSON.Member("legal", .array(sight.legal.map { JSON($0) })),
            ])
        askedAt = sight.now
        process.send(question.encoded() + [UInt8(ascii: "\n")])
        timer?.set(
            at: (Tick(nanoseconds: loop.now) + .milliseconds(Limits.botAnswerMilliseconds)).nanoseconds)
    }

    private func take(_ bytes: [UInt8]) {
        for byte in bytes {
            guard byte != UInt8(ascii: "\n") else {
                let whole = line
                line = []
                read(whole)
                if process == nil { return }
                continue
            }
            line.append(byte)
            guard line.count <= Limits.botLineBytesMax else {
                return fail("wrote a line of more than \(Limits.botLineBytesMax) bytes")
            }
        }
    }

    private func read(_ line: [UInt8]) {
        guard let asked = askedAt else { return fail("wrote a line that nobody had asked for") }
        guard let json = try? JSON(parsing: String(decoding: line, as: UTF8.self)),
            json.members != nil || json.isNull
        else { return fail("wrote a line that is no JSON object and not null") }
        let answer = Value(json)
        let given = answer["after_ms"] ?? 0
        guard let wait = given.number, (0...Limits.botDelayMillisecondsMax).contains(wait) else {
            return fail("gave an 'after_ms' that is not 0 to \(Limits.botDelayMillisecondsMax)")
        }
        askedAt = nil
        timer?.set(at: nil)
        guard let action = answer["action"], action != .null else { return answered(nil) }
        answered(BotPlan(action, at: asked + wait))
    }

    private func fail(_ why: String) {
        guard timer != nil else { return }
        let failed = failed
        stop()
        failed("the program \(path) \(why)")
    }

    /// Ends the program.
    func stop() {
        timer?.close()
        timer = nil
        process?.stop()
        process = nil
        answered = { _ in }
        failed = { _ in }
    }
}
