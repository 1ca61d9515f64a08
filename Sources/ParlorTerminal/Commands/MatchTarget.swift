internal import Glibc
internal import ParlorControl

/// What a command about a match was given: a file, or an ID.
enum MatchTarget {
    case file(InputFile)
    case id(String)

    /// Understands `ID|FILE`: what can be opened is a file, hexadecimal digits are an ID.
    static func fileOrID(_ word: String, _ context: Context) throws(CommandFailure) -> MatchTarget {
        if let file = InputFile.open(word) { return .file(file) }
        let why = unsafe String(cString: strerror(errno))
        guard isID(word) else {
            let verb = context.invocation.command.name
            throw CommandFailure(
                .notFound,
                "'\(CleanText.line(word))' is no match ID, and as a file: \(why). See: parlor \(verb) -h")
        }
        return .id(word.lowercased())
    }

    /// Understands an ID or the beginning of one; `next` is what to do where it is none.
    static func readID(_ word: String, next: String = list) throws(CommandFailure) -> String {
        guard isID(word) else {
            let said = word.isEmpty ? "''" : CleanText.line(word)
            throw CommandFailure(
                .notFound, "No match has the ID \(said): IDs are digits and letters a to f. \(next)")
        }
        return word.lowercased()
    }

    /// The whole ID that a beginning stands for.
    static func whole(
        _ start: String, _ context: Context, _ client: ControlClient
    ) throws(CommandFailure) -> String {
        if start.count == idDigits { return start }
        let found = try all(context, client).filter { $0.id.hasPrefix(start) }
        guard found.count < 2 else {
            let names = found.prefix(4).map { CleanText.line($0.id) }.joined(separator: ", ")
            throw CommandFailure(.ambiguous, "\(start) begins several IDs: \(names). Give more of it.")
        }
        guard let match = found.first else {
            throw CommandFailure(.notFound, "There is no match whose ID begins with \(start). \(list)")
        }
        return match.id
    }

    /// All matches the daemon has.
    static func all(_ context: Context, _ client: ControlClient) throws(CommandFailure) -> [MatchSummary] {
        let json = try context.call(client, .matchesList, MatchesListParams())
        return try context.read(json, as: MatchesListInfo.self).matches
    }

    /// The log; the daemon is asked only when it is not in a file.
    func source(_ context: Context) throws(CommandFailure) -> LogSource {
        switch self {
        case .file(let file): return LogSource(file)
        case .id(let start):
            let client = try context.connect()
            return LogSource(match: try Self.whole(start, context, client), context, client)
        }
    }

    private static let idDigits = 32
    static let list = "See which there are: parlor matches"

    private static func isID(_ word: String) -> Bool {
        (1...idDigits).contains(word.utf8.count)
            && word.utf8.allSatisfy { Hex.decode("0" + String(UnicodeScalar($0))) != nil }
    }
}
