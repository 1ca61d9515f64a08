internal import ParlorControl
internal import ParlorCrypto
internal import ParlorGames
internal import ParlorNet
internal import ParlorProtocol
internal import ParlorStore

/// The lists of words that this machine has: the program's own, the system's, and those of earlier rooms.
///
/// A list that a room played with is kept as a file named by its hash, so that its matches can be gone on
/// with, read and checked later, whatever has become of the system's list.
final class WordLibrary {
    /// Lists kept in memory beside the program's own.
    static let readMax = 4
    /// Hashes that are remembered as not here.
    static let absentMax = 64

    /// Where lists are kept.
    private let folder: String
    /// The system's file; what the settings say when it is asked for.
    private let systemFile: () -> String
    private static let builtin = WordShelf(.builtin)
    private var read: [WordShelf] = []
    /// Hashes that the system's list was found not to have; it is not read again for these.
    private var notOfSystem: Set<[UInt8]> = []

    init(folder: String, systemFile: @escaping () -> String) {
        self.folder = folder
        self.systemFile = systemFile
    }

    /// The list that comes with the program.
    static var builtinTerms: WordTerms { builtin.terms }

    /// Reads the system's list and keeps it.
    ///
    /// - Throws: ``RoomRefusal`` that says what to do where there is none.
    func system() throws(RoomRefusal) -> WordTerms {
        let path = systemFile()
        let bytes: [UInt8]
        do throws(StoreError) {
            bytes = try AtomicFile.read(path, bytesMax: WordList.bytesMost)
        } catch {
            throw RoomRefusal(
                .notAllowed,
                "the system's word list cannot be read: \(error). Install one (sudo apt install wamerican), "
                    + "or play with words=builtin")
        }
        guard let list = WordList(file: bytes) else {
            throw RoomRefusal(
                .notAllowed, "\(path) is no list with a word in each line, UTF-8; play with words=builtin")
        }
        let shelf = WordShelf(list)
        keep(shelf)
        return shelf.terms
    }

    /// The list with this hash; `nil` where it is not here.
    func list(_ hash: [UInt8]) -> WordList? { shelf(hash)?.list }

    /// The list that a match is played with; an empty one for a game without words, `nil` where it is not
    /// here.
    func list(of genesis: Genesis) -> WordList? { genesis.words.map(list) ?? WordList([]) }

    /// Bytes of a list for another peer; `nil` where it is not here.
    func joined(_ hash: [UInt8]) -> [UInt8]? { shelf(hash)?.joined }

    /// The same for a hash in hex.
    func joined(hex: String) -> [UInt8]? { Hex.decode(hex).flatMap(joined) }

    /// Keeps a list that another peer has sent; `false` where the bytes are not the list with this hash.
    func keep(_ bytes: [UInt8], hash: [UInt8]) -> Bool {
        guard let shelf = WordShelf(bytes, hash: hash) else { return false }
        keep(shelf)
        return true
    }

    private func keep(_ shelf: WordShelf) {
        remember(shelf)
        let path = path(shelf.terms.hash)
        if (try? AtomicFile.read(path, bytesMax: WordList.bytesMost)) == shelf.joined { return }
        do throws(StoreError) {
            try Folders.makePrivate(folder)
            try AtomicFile.write(shelf.joined, to: path)
        } catch {
            Log.say("the word list is not kept, so its matches cannot be read after a restart: \(error)")
        }
    }

    private func shelf(_ hash: [UInt8]) -> WordShelf? {
        if hash == Self.builtin.terms.hash { return Self.builtin }
        if let known = read.first(where: { $0.terms.hash == hash }) { return known }
        guard !notOfSystem.contains(hash) else { return nil }
        guard let bytes = try? AtomicFile.read(path(hash), bytesMax: WordList.bytesMost),
            let shelf = WordShelf(bytes, hash: hash)
        else { return ofSystem(hash) }
        remember(shelf)
        return shelf
    }

    /// The system's list, where it is the one that is looked for.
    private func ofSystem(_ hash: [UInt8]) -> WordShelf? {
        if let bytes = try? AtomicFile.read(systemFile(), bytesMax: WordList.bytesMost),
            let list = WordList(file: bytes)
        {
            let shelf = WordShelf(list)
            keep(shelf)
            if shelf.terms.hash == hash { return shelf }
        }
        if notOfSystem.count >= Self.absentMax { notOfSystem = [] }
        notOfSystem.insert(hash)
        return nil
    }

    private func remember(_ shelf: WordShelf) {
        notOfSystem.remove(shelf.terms.hash)
        read.removeAll { $0.terms.hash == shelf.terms.hash }
        read.append(shelf)
        if read.count > Self.readMax { read.removeFirst() }
    }

    private func path(_ hash: [UInt8]) -> String { "\(folder)/\(Hex.encode(hash))" }
}

/// One list, with what is said of it and what is sent of it.
private struct WordShelf {
    let terms: WordTerms
    let list: WordList
    let joined: [UInt8]

    init(_ list: WordList) {
        self.list = list
        joined = list.joined
        terms = WordTerms(hash: Hash.blake2b256(joined), count: list.words.count, bytes: joined.count)
    }

    init?(_ bytes: [UInt8], hash: [UInt8]) {
        guard Hash.blake2b256(bytes) == hash, let list = WordList(joined: bytes) else { return nil }
        self.list = list
        joined = bytes
        terms = WordTerms(hash: hash, count: list.words.count, bytes: bytes.count)
    }
}

/// Gets a list of words from a room's host, piece by piece.
final class WordsOrder {
    /// How often a piece is asked for.
    static let triesMax = 3

    private var fetch: WordsFetch
    private let send: (WordsMessage) -> Void
    private let done: (RoomRefusal?) -> Void
    private let library: WordLibrary
    private var timer: LoopTimer?
    private let loop: EventLoop
    private var tries = 0
    private(set) var isOver = false

    init(
        _ terms: WordTerms, library: WordLibrary, loop: EventLoop, send: @escaping (WordsMessage) -> Void,
        done: @escaping (RoomRefusal?) -> Void
    ) {
        fetch = WordsFetch(terms, hash: Hash.blake2b256)
        self.library = library
        self.loop = loop
        self.send = send
        self.done = done
        timer = loop.timer { [weak self] in self?.late() }
    }

    /// Which list it is.
    var hash: [UInt8] { fetch.terms.hash }

    /// Asks for what is missing first.
    func ask() {
        tries += 1
        timer?.set(at: (Tick(nanoseconds: loop.now) + Limits.wordsPieceWait).nanoseconds)
        send(.want(hash: hash, from: fetch.from))
    }

    /// A piece has come.
    func received(_ message: WordsMessage) {
        guard !isOver, let progress = fetch.received(message) else { return }
        tries = 0
        switch progress {
        case .want: ask()
        case .done(let bytes):
            end(library.keep(bytes, hash: hash) ? nil : Self.isNone)
        case .failed: end(Self.isNone)
        }
    }

    /// Nobody waits for it any more.
    func end(_ refusal: RoomRefusal?) {
        guard !isOver else { return }
        isOver = true
        timer?.close()
        done(refusal)
    }

    private func late() {
        guard tries < Self.triesMax else {
            return end(RoomRefusal(.timedOut, "the host does not send its list of words"))
        }
        ask()
    }

    private static let isNone = RoomRefusal(
        .wordsDiffer, "what the host sent is not its list of words; it was not kept")
}

/// What a list that is not here means to a player.
enum WordsText {
    /// Why somebody cannot be ready, and what to do.
    static func consent(_ state: RoomState, _ terms: WordTerms) -> RoomRefusal {
        let host = state.host?.name ?? "the host"
        let count = "\(terms.count) words, hash \(hash(terms))"
        return RoomRefusal(
            .wordsDiffer,
            "\(state.name) plays with a list of words that this machine does not have (\(count)). Take it "
                + "over from \(host) and be ready: type accept in the room, or run "
                + "parlor ready --accept-words. Or ask \(host) to play with words=builtin")
    }

    private static func hash(_ terms: WordTerms) -> String { Hex.encode(Array(terms.hash.prefix(4))) }
}
