public import ParlorControl
internal import ParlorCrypto
internal import ParlorGames
public import ParlorProtocol

extension LogReader {
    /// A reader of logs as players have them: Ed25519, and the word list that comes with the program or one
    /// that is kept.
    ///
    /// - Parameter kept: The words, joined by line feeds, of a list that is kept under its hash in lower-case
    ///   hex; `nil` where there is none.
    /// - Returns: The reader, which has read nothing yet.
    public static func standard(kept: @escaping (_ hash: String) -> [UInt8]?) -> LogReader {
        LogReader(
            words: { hash in
                if WordList.builtin.identity(Hash.blake2b256) == hash { return .builtin }
                guard let bytes = kept(Hex.encode(hash)), Hash.blake2b256(bytes) == hash else { return nil }
                return WordList(joined: bytes)
            }, signing: .ed25519)
    }
}

extension VerifyInfo {
    /// What to say of a log that holds.
    public init(_ log: MatchLog) {
        self.init(
            valid: true, entries: log.entries.count,
            outcomes: (log.state.outcomes ?? []).compactMap {
                ParlorControl.Outcome(rawValue: $0.rawValue)
            },
            verdict: log.state.endedAlone ? .alone : .complete)
        describe(log)
    }

    /// What to say of a log that does not.
    ///
    /// - Parameters:
    ///   - fault: The first thing that is wrong.
    ///   - log: What was read before it.
    public init(_ fault: LogTextFault, after log: MatchLog?) {
        let place = fault.index < 0 || fault.isUnfinished ? "" : "entry \(fault.index): "
        let rule = fault.fault.rule
        self.init(
            valid: false, entries: max(0, fault.index), outcomes: [],
            problem: "\(place)\(rule.rawValue): \(fault.fault.message)",
            verdict: fault.isUnfinished ? .incomplete : rule == .version ? .newer : .damaged)
        index = fault.index
        self.rule = rule.rawValue
        author = fault.author?.number
        sequencer = fault.sequencer
        if let log { describe(log) }
    }

    /// What to say of a whole text; `kept` is as for ``LogReader/standard(kept:)``.
    public init(text: String, kept: @escaping (_ hash: String) -> [UInt8]?) {
        var reader = LogReader.standard(kept: kept)
        do throws(LogTextFault) {
            try reader.read(text.utf8)
            self.init(try reader.finish())
        } catch {
            self.init(error, after: reader.log)
        }
    }

    private mutating func describe(_ log: MatchLog) {
        match = "\(log.match)"
        game = log.genesis.game
        seats = MatchSeatInfo.all(of: log.state)
    }
}
