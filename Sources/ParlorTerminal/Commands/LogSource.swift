internal import Glibc
internal import ParlorControl
internal import ParlorProtocol

/// A match's log, from a file or from the daemon, piece by piece.
///
/// What comes is the text as it is exported, in either case, so whatever reads it does not care.
struct LogSource {
    private enum Origin {
        case file(InputFile)
        case daemon(LogPages)
    }

    private var origin: Origin

    /// Reads a file; `-` is standard input.
    init(_ file: InputFile) { origin = .file(file) }

    /// Asks the daemon for the log of a match.
    init(match: String, _ context: Context, _ client: ControlClient) {
        origin = .daemon(LogPages(match: match, context: context, client: client))
    }

    /// The next piece; `nil` at the end.
    mutating func next() throws(CommandFailure) -> [UInt8]? {
        switch origin {
        case .file(let file): return try file.read()
        case .daemon(var pages):
            let piece = try pages.next()
            origin = .daemon(pages)
            return piece
        }
    }
}

/// An open file, closed with the last that holds it.
final class InputFile {
    private let descriptor: CInt
    private let name: String
    private static let pieceBytes = 65_536

    private init(_ descriptor: CInt, _ name: String) {
        self.descriptor = descriptor
        self.name = name
    }

    deinit { if descriptor > 0 { _ = close(descriptor) } }

    /// Opens a file, or standard input for `-`.
    ///
    /// `nil`, with `errno` telling why, when that does not work.
    static func open(_ path: String) -> InputFile? {
        if path == "-" { return InputFile(0, "standard input") }
        let descriptor = unsafe Glibc.open(path, O_RDONLY | O_CLOEXEC)
        return descriptor < 0 ? nil : InputFile(descriptor, path)
    }

    /// What comes next; `nil` at the end.
    func read() throws(CommandFailure) -> [UInt8]? {
        var piece = [UInt8](repeating: 0, count: Self.pieceBytes)
        while true {
            let count = unsafe Glibc.read(descriptor, &piece, piece.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else {
                let why = unsafe String(cString: strerror(errno))
                throw CommandFailure(.failed, "\(CleanText.line(name)) cannot be read: \(why).")
            }
            return count == 0 ? nil : Array(piece.prefix(count))
        }
    }
}

/// The log of a match that the daemon has, page by page, as text.
private struct LogPages {
    let match: String
    let context: Context
    let client: ControlClient
    private var count = 0
    private var head = ""
    private var isOver = false

    init(match: String, context: Context, client: ControlClient) {
        self.match = match
        self.context = context
        self.client = client
    }

    mutating func next() throws(CommandFailure) -> [UInt8]? {
        guard !isOver else { return nil }
        let params = LogParams(match: match, from: count, raw: true)
        let page = try context.read(context.call(client, .matchLog, params), as: LogInfo.self)
        var text = ""
        if count == 0 {
            guard let genesis = page.genesis else { throw Self.tooOld }
            text = "\(LogText.title)\ngenesis \(genesis)\n"
        }
        for entry in page.entries {
            guard let encoded = entry.encoded else { throw Self.tooOld }
            guard entry.index == count, count == 0 || entry.prev == head else {
                throw CommandFailure(.failed, "The match's log changed while it was read. Try again.")
            }
            text += "entry \(encoded)\n"
            head = entry.hash
            count += 1
        }
        isOver = page.entries.isEmpty
        return text.isEmpty ? nil : Array(text.utf8)
    }

    private static let tooOld = CommandFailure(
        .versionMismatch,
        "The daemon is older than this client and does not tell whole entries. Restart it: parlor daemon "
            + "restart")
}
