/// The matches by turns that a peer has, its own and those that it carries for others, and what it says to
/// whom so that everybody's copies become the same.
///
/// A value without clock or I/O: the driver tells it who is linked and what arrived, keeps on disk what it
/// hands out, and sends what it asks for.
public struct TurnShelf: Sendable {
    /// One match on the shelf.
    public struct Copy: Sendable {
        /// The match.
        public internal(set) var match: TurnMatch
        /// How it stands.
        public internal(set) var state: TurnState
        /// This peer's request for an open seat.
        public internal(set) var ask: TurnItem?
        /// Whether its owner has removed it: it is carried like another's until it has to go.
        public internal(set) var isRemoved = false
        /// Counts up with each change of any match: the lowest has not changed for longest.
        public internal(set) var touched = 0

        init(_ match: TurnMatch) {
            self.match = match
            state = TurnState(match)
        }
    }

    /// What the driver has to do.
    public enum Action: Sendable {
        /// Say this to a peer that is linked.
        case send(PeerID, TurnMessage)
        /// Have this on disk: new items of a match, which is new itself where `isNew`.
        case keep(MatchID, [TurnItem], isNew: Bool)
        /// A match is no longer carried.
        case drop(MatchID)
        /// A peer wants an open seat of a match that this peer made.
        case asked(MatchID, TurnItem, from: PeerID)
    }

    /// Who this peer is.
    public let me: PeerID
    private let signing: Signing
    /// Peers that this one has had a link with: matches of those are carried.
    public private(set) var met: Set<PeerID> = []
    private var copies: [MatchID: Copy] = [:]
    /// Matches that were removed and dropped since: not taken again.
    private var forgotten: Set<MatchID> = []
    private var linked: Set<PeerID> = []
    private var lastSync: [PeerID: Tick] = [:]
    /// What peers have to be told as soon as it is time, or they are met.
    private var news: [PeerID: Set<MatchID>] = [:]
    private var changes = 0
    private var carriedBytes = 0
    private var carriedCount = 0

    /// Makes an empty shelf.
    public init(me: PeerID, signing: Signing) {
        self.me = me
        self.signing = signing
    }

    // MARK: What there is

    /// A match; `nil` when it is not here.
    public func copy(_ match: MatchID) -> Copy? { copies[match] }

    /// This peer's own matches, those of which it has asked for a seat too, the one last changed first.
    public var own: [Copy] {
        copies.values.filter { isOwn($0) }.sorted { $0.touched > $1.touched }
    }

    /// Matches of others with an open seat that this peer could ask for, the one last changed first.
    public var offers: [Copy] {
        copies.values.filter { copy in
            !isOwn(copy) && !copy.isRemoved && copy.state.outcomes == nil
                && copy.state.seats.contains { $0.status == .unknown }
                && copy.state.seats[0].status == .active
        }.sorted { $0.touched > $1.touched }
    }

    /// Every match that is here, own and carried, by ID.
    public var all: [TurnMatch] {
        copies.values.map(\.match).sorted { $0.genesis.match < $1.genesis.match }
    }

    /// How many matches are carried, and their bytes.
    public var carried: (count: Int, bytes: Int) { (carriedCount, carriedBytes) }

    private func isOwn(_ copy: Copy) -> Bool {
        !copy.isRemoved && (copy.ask != nil || copy.match.holders.contains(me))
    }

    /// The peers that have to be told something and are not linked, lowest first.
    public var unreached: [PeerID] { news.keys.filter { !linked.contains($0) }.sorted() }

    /// When a pair's next exchange on a change may be; `nil` for at once.
    public func nextSync(with peer: PeerID) -> Tick? { lastSync[peer].map { $0 + Limits.turnSyncInterval } }

    /// Whether a peer has a seat in a match of this one that goes on.
    public func playsWith(_ peer: PeerID) -> Bool {
        own.contains { $0.state.outcomes == nil && $0.match.holders.contains(peer) }
    }

    /// When ``timePassed(at:)`` is due; `nil` for never.
    public var deadline: Tick? {
        news.keys.filter(linked.contains).map {
            (lastSync[$0] ?? Tick(nanoseconds: 0)) + Limits.turnSyncInterval
        }.min()
    }

    // MARK: From disk

    /// Puts back what was kept: called at the start, before anything else.
    public mutating func restore(_ genesis: TurnGenesis, _ items: [TurnItem], isRemoved: Bool) {
        var match = TurnMatch(genesis)
        match.merge(items)
        var copy = Copy(match)
        copy.isRemoved = isRemoved
        copy.ask = items.first { if case .take = $0.body { $0.author == me } else { false } }
        settle(&copy)
        put(copy)
        tellHolders(genesis.match)
    }

    /// Forgets a request for a seat that is no longer open.
    private func settle(_ copy: inout Copy) {
        guard let ask = copy.ask, case .take(let seat, _) = ask.body,
            !copy.state.seats.indices.contains(seat) || copy.state.seats[seat].status != .unknown
        else { return }
        copy.ask = nil
    }

    /// A peer has the same copy of a match: it need not be told any more.
    private mutating func confirm(_ match: MatchID, by peer: PeerID) {
        if let copy = copies[match], copy.ask != nil, copy.match.genesis.creator == peer { return }
        news[peer]?.remove(match)
        if news[peer]?.isEmpty ?? false { news[peer] = nil }
    }

    /// Notes that a match was removed and is not here any more.
    public mutating func restore(forgotten match: MatchID) { forgotten.insert(match) }

    /// Notes a peer that was met in an earlier life of the program.
    public mutating func restore(met peer: PeerID) { met.insert(peer) }

    private mutating func put(_ copy: Copy) {
        let match = copy.match.genesis.match
        if let old = copies[match], !isOwn(old) {
            carriedCount -= 1
            carriedBytes -= old.match.byteCount
        }
        var copy = copy
        changes += 1
        copy.touched = changes
        copies[match] = copy
        if !isOwn(copy) {
            carriedCount += 1
            carriedBytes += copy.match.byteCount
        }
    }

    // MARK: Own doings

    /// Takes what this peer has just signed: a new match, or items of one.
    ///
    /// Nobody is told before ``tell(_:to:at:)``, which is for when it is on disk.
    public mutating func add(_ genesis: TurnGenesis, _ items: [TurnItem] = []) {
        var copy = copies[genesis.match] ?? Copy(TurnMatch(genesis))
        copy.match.merge(items)
        copy.state = TurnState(copy.match)
        if let ask = items.first(where: { if case .take = $0.body { true } else { false } }) {
            copy.ask = ask
        }
        put(copy)
    }

    /// Has peers told of a match: those with a seat, and those that are linked and may carry it.
    ///
    /// - Parameters:
    ///   - match: Which match.
    ///   - peer: One that is told at once, because it waits for it.
    ///   - now: The moment.
    /// - Returns: What to say to whom, in order.
    public mutating func tell(_ match: MatchID, to peer: PeerID? = nil, at now: Tick) -> [Action] {
        var actions: [Action] = []
        for peer in linked { news[peer, default: []].insert(match) }
        tellHolders(match)
        if let peer, let copy = copies[match], linked.contains(peer) {
            actions.append(.send(peer, .heads([TurnMessage.Head(copy.match)])))
        }
        if let ask = copies[match]?.ask, let creator = copies[match]?.match.genesis.creator,
            linked.contains(creator)
        {
            actions.append(.send(creator, .items(match, genesis: nil, [ask.encoded])))
        }
        return actions + timePassed(at: now)
    }

    private mutating func tellHolders(_ match: MatchID) {
        guard let copy = copies[match], isOwn(copy) else { return }
        for case let holder? in copy.match.holders where holder != me {
            news[holder, default: []].insert(match)
        }
        if copy.ask != nil { news[copy.match.genesis.creator, default: []].insert(match) }
    }

    /// Hides a match for good; it is carried on until it has to go.
    public mutating func remove(_ match: MatchID) {
        guard var copy = copies[match] else { return }
        copy.isRemoved = true
        copy.ask = nil
        put(copy)
    }

    // MARK: Peers

    /// A peer is linked: it is told of all matches that are here.
    public mutating func up(_ peer: PeerID, at now: Tick) -> [Action] {
        if met.count < Limits.turnPeersMax { met.insert(peer) }
        linked.insert(peer)
        lastSync[peer] = now
        let heads = all.map { TurnMessage.Head($0) }
        var actions: [Action] = stride(from: 0, to: heads.count, by: Limits.turnHeadsMax).map { start in
            .send(peer, .heads(Array(heads[start..<min(start + Limits.turnHeadsMax, heads.count)])))
        }
        for copy in own where copy.match.genesis.creator == peer {
            if let ask = copy.ask {
                actions.append(.send(peer, .items(copy.match.genesis.match, genesis: nil, [ask.encoded])))
            }
        }
        return actions
    }

    /// A peer is no longer linked.
    public mutating func down(_ peer: PeerID) { linked.remove(peer) }

    /// Tells linked peers what they have not been told, those for whom it is time.
    public mutating func timePassed(at now: Tick) -> [Action] {
        var actions: [Action] = []
        for peer in news.keys.filter(linked.contains).sorted() {
            if let last = lastSync[peer], now < last + Limits.turnSyncInterval { continue }
            lastSync[peer] = now
            sayNews(to: peer, &actions)
        }
        return actions
    }

    private mutating func sayNews(to peer: PeerID, but said: Set<MatchID> = [], _ actions: inout [Action]) {
        let all = news.removeValue(forKey: peer) ?? []
        let matches = all.subtracting(said).sorted().compactMap { copies[$0] }
        // Who has a seat is told until it says that it knows; whoever else may carry the match, once.
        var later = all.intersection(said)
        for (place, copy) in matches.enumerated()
        where place >= Limits.turnHeadsMax || isConcerned(peer, copy) {
            later.insert(copy.match.genesis.match)
        }
        if !later.isEmpty { news[peer] = later }
        let heads = matches.prefix(Limits.turnHeadsMax).map { TurnMessage.Head($0.match) }
        if !heads.isEmpty { actions.append(.send(peer, .heads(heads))) }
    }

    private func isConcerned(_ peer: PeerID, _ copy: Copy) -> Bool {
        copy.match.holders.contains(peer) || copy.ask != nil && copy.match.genesis.creator == peer
    }

    // MARK: Messages

    /// A peer that is linked said something.
    public mutating func received(_ message: TurnMessage, from peer: PeerID, at now: Tick) -> [Action] {
        switch message {
        case .heads(let heads): return received(heads, from: peer, at: now)
        case .want(let match, let has, let isAnswer):
            return wanted(match, has: has, isAnswer: isAnswer, by: peer)
        case .items(let match, let genesis, let items):
            return received(match, genesis, items, from: peer, at: now)
        }
    }

    private mutating func received(
        _ heads: [TurnMessage.Head], from peer: PeerID, at now: Tick
    ) -> [Action] {
        // Who begins an exchange is told what is new here; the answer to that is none.
        let isBegun = lastSync[peer].map { now >= $0 + Limits.turnAnswerInterval } ?? true
        lastSync[peer] = now
        var actions: [Action] = []
        for head in heads {
            if let copy = copies[head.match] {
                guard copy.match.digest != head.digest else {
                    confirm(head.match, by: peer)
                    continue
                }
                let has = copy.match.items.map(\.hash)
                actions.append(.send(peer, .want(head.match, has: has, isAnswer: false)))
            } else if forgotten.contains(head.match) {
                // Told once more, it would be told for ever.
                if head.seats.contains(me) { actions.append(.send(peer, .heads([head]))) }
            } else if isWanted(head.seats) {
                actions.append(.send(peer, .want(head.match, has: [], isAnswer: false)))
            }
        }
        if isBegun { sayNews(to: peer, but: Set(heads.map(\.match)), &actions) }
        return actions
    }

    /// Whether a match with such seats is taken: with a seat of this peer, or of one that it has met.
    private func isWanted(_ seats: [PeerID?]) -> Bool {
        if seats.contains(me) {
            let invited = own.count { $0.match.genesis.creator != me }
            return invited < Limits.turnInvitationsMax && own.count < Limits.turnMatchesMax
        }
        return seats.contains { $0.map(met.contains) ?? false }
    }

    private func wanted(_ match: MatchID, has: [[UInt8]], isAnswer: Bool, by peer: PeerID) -> [Action] {
        guard let copy = copies[match] else { return [] }
        let (theirs, mine) = (Set(has), Set(copy.match.items.map(\.hash)))
        let missing = copy.match.items.filter { !theirs.contains($0.hash) }.map(\.encoded)
        // Who has nothing may not even have the genesis.
        let genesis = has.isEmpty ? copy.match.genesis.encoded : nil
        var actions: [Action] = []
        if genesis != nil || !missing.isEmpty {
            actions.append(.send(peer, .items(match, genesis: genesis, missing)))
        }
        if !isAnswer, !theirs.isSubset(of: mine) {
            actions.append(.send(peer, .want(match, has: copy.match.items.map(\.hash), isAnswer: true)))
        }
        return actions
    }

    private mutating func received(
        _ id: MatchID, _ genesis: [UInt8]?, _ bytes: [[UInt8]], from peer: PeerID, at now: Tick
    ) -> [Action] {
        let known = copies[id]
        guard var copy = known ?? begin(id, genesis) else { return [] }
        // What does not hold is left out; what does is taken all the same.
        let items = bytes.compactMap { try? TurnItem(decoding: $0, signing) }.filter { $0.match == id }
        let new = copy.match.merge(items)
        var actions: [Action] = []
        if known == nil || !new.isEmpty {
            copy.state = TurnState(copy.match)
            settle(&copy)
            put(copy)
            actions.append(.keep(id, new, isNew: known == nil))
            actions.append(.send(peer, .heads([TurnMessage.Head(copy.match)])))
            for other in linked where other != peer { news[other, default: []].insert(id) }
            tellHolders(id)
            actions += makeRoom(keeping: id)
        }
        if copy.match.genesis.creator == me {
            for item in items {
                if case .take = item.body { actions.append(.asked(id, item, from: peer)) }
            }
        }
        return actions + timePassed(at: now)
    }

    private func begin(_ id: MatchID, _ bytes: [UInt8]?) -> Copy? {
        guard let bytes, !forgotten.contains(id), let genesis = try? TurnGenesis(decoding: bytes, signing),
            genesis.match == id
        else { return nil }
        // An open seat may be this peer's by an item that comes with it; the seats named decide otherwise.
        guard isWanted(genesis.seats.map(\.peer)) else { return nil }
        return Copy(TurnMatch(genesis))
    }

    /// Drops what has been carried for longest without a change, while there is too much.
    private mutating func makeRoom(keeping id: MatchID) -> [Action] {
        var actions: [Action] = []
        while carriedCount > Limits.turnCarriedMax || carriedBytes > Limits.turnCarriedBytesMax {
            let oldest = copies.values.filter { !isOwn($0) }.min { $0.touched < $1.touched }
            guard let oldest else { break }
            let match = oldest.match.genesis.match
            carriedCount -= 1
            carriedBytes -= oldest.match.byteCount
            copies[match] = nil
            if oldest.isRemoved { forgotten.insert(match) }
            actions.append(.drop(match))
        }
        return actions
    }
}
