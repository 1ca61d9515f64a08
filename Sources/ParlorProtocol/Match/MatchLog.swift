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
    public internal(set) var state: MatchState
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
    /// - Parameters:
    ///   - entry: The entry.
    ///   - maker: The peer of this machine where it has just signed the entry: its own signatures, also the
    ///     one under a proposal, need no check.
    /// - Throws: ``LogFault`` naming the rule that it breaks; the log is then unchanged.
    public mutating func append(_ entry: Entry, madeBy maker: PeerID? = nil) throws(LogFault) {
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
        let sequencer: PeerID =
            switch entry.proposal.body {
            case .end(_, alone: true, _), .sequencer: try peer(of: entry.proposal)
            default: self.sequencer
            }
        guard maker == sequencer || entry.isSigned(by: sequencer, signing) else {
            throw LogFault(.signature, "entry \(entry.index) is not signed by the sequencer")
        }
        try check(entry.proposal, madeBy: maker)
        try checkVotes(of: entry)
        try checkEvidence(of: entry)
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
    public func check(_ proposal: Proposal) throws(LogFault) { try check(proposal, madeBy: nil) }

    private func check(_ proposal: Proposal, madeBy maker: PeerID?) throws(LogFault) {
        guard proposal.match == match else { throw LogFault(.malformed, "a proposal is for another match") }
        let peer = try peer(of: proposal)
        guard hash(at: proposal.seenIndex) == proposal.seenHash else {
            throw LogFault(.fork, "a proposal follows entry \(proposal.seenIndex) of another log")
        }
        guard proposal.counter > state.counter(of: proposal.author) else {
            throw LogFault(.order, "counter \(proposal.counter) of a proposal was used before")
        }
        guard maker == peer || proposal.isSigned(by: peer, signing) else {
            throw LogFault(.signature, "a proposal is not signed by its author")
        }
    }

    /// Whose signature a proposal has to have: a seat's, or that of the sequencer which it makes or follows.
    private func peer(of proposal: Proposal) throws(LogFault) -> PeerID {
        switch (proposal.author, proposal.body) {
        case (.sequencer, .sequencer(let seat, _, _, _)), (.seat(let seat), _):
            guard genesis.seats.indices.contains(seat) else {
                throw LogFault(.malformed, "there is no seat \(seat) in this match")
            }
            return state.peer(of: seat)
        case (.sequencer, _): return sequencer
        }
    }

    /// Whether a proposal is its author's.
    func isSigned(_ proposal: Proposal) -> Bool {
        guard let peer = try? peer(of: proposal) else { return false }
        return proposal.isSigned(by: peer, signing)
    }

    /// Whether a vote is its seat's.
    func isSigned(_ vote: Vote) -> Bool {
        genesis.seats.indices.contains(vote.seat)
            && vote.isSigned(for: match, by: genesis.seats[vote.seat].peer, signing)
    }

    /// The peer of a seat that signed an entry as its sequencer; `nil` when none did.
    func signer(of entry: Entry) -> PeerID? {
        genesis.seats.map(\.peer).first { entry.isSigned(by: $0, signing) }
    }

    /// Checks that votes are signed, and that none of the voters had stored more than this log has.
    private func checkVotes(of entry: Entry) throws(LogFault) {
        guard case .sequencer(_, let epoch, _, let votes) = entry.proposal.body else { return }
        for vote in votes {
            guard vote.epoch == epoch, isSigned(vote) else {
                throw LogFault(.signature, "a vote for epoch \(epoch) is not signed by its seat")
            }
            guard (vote.lastEpoch, vote.length) <= (state.epoch, entries.count) else {
                throw LogFault(.illegal, "epoch \(epoch) leaves out what seat \(vote.seat) had stored")
            }
        }
    }

    /// Checks that what proves a fault does.
    private func checkEvidence(of entry: Entry) throws(LogFault) {
        guard case .fault(let seat, let kind, let evidence) = entry.proposal.body, kind.isProvable else {
            return
        }
        guard genesis.seats.indices.contains(seat), proves(kind, by: genesis.seats[seat].peer, evidence)
        else { throw LogFault(.illegal, "what is shown against seat \(seat) is no proof") }
    }

    /// Whether entries that a peer signed show that it broke the protocol.
    func proves(_ kind: Misdeed.Kind, by peer: PeerID, _ evidence: [[UInt8]]) -> Bool {
        let shown = evidence.compactMap(Entry.init(decoding:))
        guard shown.count == evidence.count, shown.allSatisfy({ $0.proposal.match == match }),
            shown.allSatisfy({ $0.isSigned(by: peer, signing) })
        else { return false }
        switch kind {
        case .twoEntries:
            return shown.count == 2 && shown.allSatisfy { !$0.isAloneEnd } && shown[0].index == shown[1].index
                && shown[0].hash != shown[1].hash
        case .illegalEntry:
            guard shown.count == 1, let prefix = self.prefix(shown[0].index),
                prefix.head == shown[0].previous,
                prefix.sequencer == peer || Self.takesOver(shown[0], self, peer)
            else { return false }
            var log = prefix
            do {
                try log.append(shown[0])
                return false
            } catch {
                return true
            }
        case .forgedSignature, .wrongLink, .withheldLink, .falseStatus, .clock, .replay, .desync,
            .falseOpening, .droppedProposal:
            return false
        }
    }

    /// Whether an entry makes a peer the sequencer.
    private static func takesOver(_ entry: Entry, _ log: MatchLog, _ peer: PeerID) -> Bool {
        guard case .sequencer(let seat, _, _, _) = entry.proposal.body else { return false }
        return log.genesis.seats.indices.contains(seat) && log.genesis.seats[seat].peer == peer
    }

    /// The log as it was with so many entries; `nil` when it never had so many.
    public func prefix(_ count: Int) -> MatchLog? {
        guard (0...entries.count).contains(count) else { return nil }
        guard count < entries.count else { return self }
        var log = MatchLog(genesis, words: state.words, signing: signing)
        for entry in entries.prefix(count) {
            // Each was checked when it came in.
            try? log.state.apply(entry.proposal.body, by: entry.proposal.author, at: entry.time)
            log.state.count(entry.proposal)
            log.entries.append(entry)
        }
        return log
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
