import ParlorCrypto
import ParlorGames
import ParlorProtocol

/// The words that the logs of the simulator and of real matches were played with.
enum Words {
    static let few = WordList(["apple", "banana", "cherry", "garden", "orange", "violin", "wizard"])

    static func list(_ hash: [UInt8]) -> WordList? {
        [few, .builtin].first { $0.identity(Hash.blake2b256) == hash }
    }
}

extension FuzzTarget {
    /// A log as text; any signature holds, so that what is behind it is reached.
    static let logs = FuzzTarget(name: "logs") { bytes in
        let text = String(decoding: bytes, as: UTF8.self)
        do throws(LogTextFault) {
            let log = try LogText.read(text, words: Words.list, signing: Signing { _, _, _ in true })
            demand(LogText.write(log) == text, "read and written, a log differs")
        } catch {
            demand(error.index >= -1, "\(error) is of no entry")
        }
    }

    /// A first entry, then what authors say, put into a chain with signatures that hold: what the rules make
    /// of it.
    static let fold = FuzzTarget(name: "fold") { bytes in
        var input = FuzzInput(bytes)
        guard let genesis = try? Genesis(decoding: input.counted()) else { return }
        var words = WordList([])
        if let hash = genesis.words {
            guard let list = Words.list(hash) else { return }
            words = list
        }
        var log = MatchLog(genesis, words: words, signing: .standIn)
        while !input.isEmpty { append(&input, to: &log) }
        demand(log.state.hash.count == Hash.byteCount, "a hash has its size")
        look(at: log)
        do throws(LogTextFault) {
            let again = try LogText.read(LogText.write(log), words: { _ in words }, signing: .standIn)
            demand(again.state.hash == log.state.hash, "written and read, the log folds to another state")
        } catch {
            demand(error.fault.rule == .incomplete, "a log that was written is refused: \(error)")
        }
    }

    private static func append(_ input: inout FuzzInput, to log: inout MatchLog) {
        let number = Int(input.byte())
        let time = (log.entries.last?.time ?? 0) + input.number(below: 65_536)
        let kind = Int(input.byte())
        guard let cbor = try? CBOR.decode(input.counted()), var body = EntryBody(kind: kind, cbor: cbor),
            let author = Author(number: number % 8 - 1)
        else { return }
        if case .end(let outcomes, let alone, _) = body, number < 128 {
            body = .end(outcomes: outcomes, alone: alone, stateHash: log.state.hash)
        }
        let seat = author.number < 0 ? log.state.sequencer : author.number
        guard log.genesis.seats.indices.contains(seat) else { return }
        let proposal = Proposal(
            match: log.match, author: author, counter: log.state.counter(of: author) + 1,
            seenIndex: log.entries.count - 1, seenHash: log.head, body: body,
            signer: Signer(standInFor: log.genesis.seats[seat].peer))
        let entry = Entry(
            index: log.entries.count, previous: log.head, time: time, proposal: proposal,
            signer: Signer(standInFor: log.sequencer))
        let (count, hash) = (log.entries.count, log.state.hash)
        do throws(LogFault) {
            try log.append(entry)
            demand(log.entries.count == count + 1, "an entry was taken and is not there")
        } catch {
            demand(log.entries.count == count && log.state.hash == hash, "a refused entry changed the log")
        }
    }

    /// What everybody may see and do.
    private static func look(at log: MatchLog) {
        let time = log.entries.last?.time ?? 0
        _ = log.state.need.map { log.state.drawSeats(for: $0) }
        for place in log.genesis.seats.indices {
            _ = log.state.game?.view(for: place, secrets: nil, at: time)
            _ = log.state.game?.legal(for: place, secrets: nil, at: time)
        }
        _ = log.state.game?.view(for: nil, secrets: nil, at: time)
        if log.state.phase == .ended {
            demand(log.state.outcomes != nil, "a match ended and has no outcomes")
        }
    }
}
