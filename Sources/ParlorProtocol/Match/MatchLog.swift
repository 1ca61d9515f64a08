public import ParlorGames

/// The signed, hash-chained list of entries that is the match, with the state they fold to.
///
/// It holds only entries that were checked: signatures, chain, counters, and the rules.
public struct MatchLog: Sendable {
    /// What it begins with.
    public let genesis: Genesis
    /// The entries, by index.
    public private(set) var entries: [Entry] = []
    /// The state after the last entry.
    public private(set) var state: MatchState
    private let signing: Signing

    /// Begins an empty log.
    public init(_ genesis: Genesis, words: WordList, signing: Signing) {
        self.genesis = genesis
        self.signing = signing
        state = MatchState(genesis, words: words)
    }

    /// The match's ID.
    public var match: MatchID { genesis.match }
    /// The hash of the last entry; of the genesis before the first.
    public var head: [UInt8] { entries.last?.hash ?? genesis.hash }
    /// The peer that orders the entries now.
    public var sequencer: PeerID { genesis.seats[state.sequencer].peer }

    /// The hash of the entry at an index; of the genesis for -1; `nil` beyond the end.
    public func hash(at index: Int) -> [UInt8]? {
        if index == -1 { return genesis.hash }
        return entries.indices.contains(index) ? entries[index].hash : nil
    }

    /// Appends an entry.
    ///
    /// - Throws: ``LogFault`` naming the rule that it breaks; the log is then unchanged.
    public mutating func append(_ entry: Entry) throws(LogFault) {
        guard entries.count < Limits.entriesMax else { throw LogFault(.incomplete, "the log is full") }
        guard entry.byteCount <= Limits.entryBytesMax else {
            throw LogFault(.malformed, "an entry has at most \(Limits.entryBytesMax) bytes")
        }
        guard entry.index == entries.count, entry.previous == head else {
            throw LogFault(.chain, "entry \(entry.index) does not follow entry \(entries.count - 1)")
        }
        guard entry.time >= entries.last?.time ?? 0 else {
            throw LogFault(.order, "the time of entry \(entry.index) is before that of the entry it follows")
        }
        guard entry.time <= Limits.matchMillisecondsMax else {
            throw LogFault(.order, "the time of entry \(entry.index) is beyond the end of the match clock")
        }
        let author = try peer(of: entry.proposal.author)
        let sequencer =
            if case .end(_, alone: true, _) = entry.proposal.body { author } else { self.sequencer }
        guard entry.isSigned(by: sequencer, signing) else {
            throw LogFault(.signature, "entry \(entry.index) is not signed by the sequencer")
        }
        try check(entry.proposal)
        try state.apply(entry.proposal.body, by: entry.proposal.author, at: entry.time)
        state.count(entry.proposal)
        entries.append(entry)
    }

    /// Forgets the entries from `count` on; `state` is the one after the last that is kept.
    mutating func truncate(to count: Int, state: MatchState) {
        entries.removeSubrange(count...)
        self.state = state
    }

    /// Checks everything of a proposal but what it says.
    ///
    /// - Throws: ``LogFault`` for another match, a signature that is not the author's, a counter that does
    ///   not rise, or an ancestor that is not in this log.
    public func check(_ proposal: Proposal) throws(LogFault) {
        guard proposal.match == match else { throw LogFault(.malformed, "a proposal is for another match") }
        let peer = try peer(of: proposal.author)
        guard hash(at: proposal.seenIndex) == proposal.seenHash else {
            throw LogFault(.fork, "a proposal follows entry \(proposal.seenIndex) of another log")
        }
        guard proposal.counter > state.counter(of: proposal.author) else {
            throw LogFault(.order, "counter \(proposal.counter) of a proposal was used before")
        }
        guard proposal.isSigned(by: peer, signing) else {
            throw LogFault(.signature, "a proposal is not signed by its author")
        }
    }

    private func peer(of author: Author) throws(LogFault) -> PeerID {
        switch author {
        case .sequencer: return sequencer
        case .seat(let seat):
            guard genesis.seats.indices.contains(seat) else {
                throw LogFault(.malformed, "there is no seat \(seat) in this match")
            }
            return genesis.seats[seat].peer
        }
    }
}

extension MatchState {
    /// The highest counter of an author's proposals; -1 before the first.
    public func counter(of author: Author) -> Int {
        switch author {
        case .sequencer: sequencerCounter
        case .seat(let seat): seats.indices.contains(seat) ? seats[seat].counter : .max
        }
    }

    mutating func count(_ proposal: Proposal) {
        switch proposal.author {
        case .sequencer: sequencerCounter = proposal.counter
        case .seat(let seat): seats[seat].counter = proposal.counter
        }
    }
}
