public import ParlorGames

/// How a match by turns stands: what follows from its genesis and the set of its items, and from nothing
/// else.
public struct TurnState: Sendable {
    /// How a seat stands.
    public enum Status: String, Hashable, Sendable, CaseIterable {
        /// The seat is open: nobody has it yet.
        case unknown
        /// Its player has been asked and has not answered.
        case invited
        /// Its player does not take part.
        case declined
        /// Its player takes part.
        case active
        /// It is over for the seat: its player quit, or the match has ended.
        case done
    }

    /// One seat.
    public struct Seat: Hashable, Sendable {
        /// Whose it is; `nil` while it is open.
        public var peer: PeerID?
        /// What its player is called.
        public var name: String
        /// How it stands.
        public var status: Status
        /// How it ended; `nil` while the match goes on, but `quit` at once for a seat that quit.
        public var outcome: Outcome?
        /// Its moves that count.
        public var moves = 0
    }

    /// One link of the chain.
    public struct Step: Hashable, Sendable {
        /// What a link is.
        public enum Kind: Hashable, Sendable {
            /// The seat's move.
            case move(TurnItem)
            /// The seat is out, and was passed over for good.
            case left
            /// The others passed it over, because its time was up.
            case skipped
        }
        /// Whose turn it was.
        public let seat: Int
        /// What became of it.
        public let kind: Kind
        /// The link's hash, the parent of what follows.
        public let hash: [UInt8]
    }

    /// Two moves that one seat signed for one turn: the proof that it cheated.
    public struct DoubleMove: Hashable, Sendable {
        /// Whose they are.
        public let seat: Int
        /// The move of the lower hash, which holds.
        public let held: TurnItem
        /// The other one.
        public let other: TurnItem
    }

    /// What it is the state of.
    public let genesis: TurnGenesis
    /// The seats, in the order of play.
    public private(set) var seats: [Seat]
    /// The chain from the first turn on.
    public private(set) var steps: [Step] = []
    /// The last link's hash: the parent of the next move.
    public private(set) var head: [UInt8]
    /// The seat whose turn it is; `nil` once the match has ended.
    public private(set) var turn: Int?
    /// The game after the last move.
    public private(set) var game: any GameRules
    /// Double moves that were found.
    public private(set) var doubles: [DoubleMove] = []
    /// The seats that have voted to pass over the seat whose turn it is.
    public private(set) var votes: [Int] = []
    /// How each seat ended; `nil` while the match goes on.
    public private(set) var outcomes: [Outcome]?

    /// After so many own moves a seat is out; seats that are in are not here.
    private var outAfter: [Int: Int] = [:]
    private var quitters: Set<Int> = []
    private var left: Set<Int> = []
    private var time = 0

    /// Folds a match.
    public init(_ match: TurnMatch) {
        genesis = match.genesis
        head = genesis.hash
        game = Self.begin(genesis)
        seats = zip(genesis.seats, match.holders).map { seat, holder in
            Seat(peer: holder, name: seat.name, status: holder == nil ? .unknown : .invited)
        }
        readStatements(match.items)
        play(Moves(match.items), skips: Skips(match.items))
        endIfAlone()
        finish()
    }

    /// The seat of a peer; `nil` for one that has none.
    public func seat(of peer: PeerID) -> Int? { seats.firstIndex { $0.peer == peer } }

    /// The seats whose votes pass over the seat whose turn it is: all others that take part.
    public var voters: [Int] {
        guard let turn else { return [] }
        return seats.indices.filter { $0 != turn && seats[$0].status == .active }
    }

    // MARK: Beside the chain

    private static func begin(_ genesis: TurnGenesis) -> any GameRules {
        guard let rules = Catalog.rules(genesis.game),
            // Nothing but the votes of the others ends a turn; to pass a seat over, the game needs a limit.
            let options = try? GameOptions(rules.declaration, given: [Value.Member("turn_s", 1)])
        else { preconditionFailure("a genesis names a game of this build") }
        return rules.init(
            GameSetup(
                match: genesis.match.bytes, seats: genesis.seats.count, players: Array(genesis.seats.indices),
                first: 0, options: options, words: WordList([]), chainEnds: [], startedAt: 0,
                hash: { $0 }))
    }

    private mutating func readStatements(_ items: [TurnItem]) {
        seats[0].status = .active
        for item in items {
            guard let (seat, peer, name) = item.granted, item.author == genesis.creator,
                seats.indices.contains(seat), genesis.seats[seat].peer == nil, seats[seat].peer == peer,
                seats[seat].status == .unknown || seats[seat].status == .invited
            else { continue }
            seats[seat].name = name
            seats[seat].status = .active
        }
        var declined: Set<Int> = []
        for item in items {
            for seat in seats.indices where seats[seat].peer == item.author {
                switch item.body {
                case .accept(let name):
                    if seats[seat].status == .invited { seats[seat].name = name }
                    seats[seat].status = .active
                case .move(_, seat, _): seats[seat].status = .active
                case .decline: declined.insert(seat)
                case .quit(let after):
                    quitters.insert(seat)
                    outAfter[seat] = min(outAfter[seat] ?? after, after)
                case .move, .skip, .take, .grant, .remind: break
                }
            }
        }
        for seat in declined where !quitters.contains(seat) {
            seats[seat].status = .declined
            outAfter[seat] = 0
        }
        for seat in quitters { seats[seat].status = .done }
        // An open seat is given by the creator alone.
        if outAfter[0] != nil {
            for seat in seats.indices where seats[seat].peer == nil { outAfter[seat] = 0 }
        }
    }

    // MARK: The chain

    private struct Turn: Hashable {
        let parent: [UInt8]
        let seat: Int
    }

    /// The moves there are for each turn, lowest hash first.
    private struct Moves {
        var byTurn: [Turn: [TurnItem]] = [:]

        init(_ items: [TurnItem]) {
            for item in items {
                if case .move(let parent, let seat, _) = item.body {
                    byTurn[Turn(parent: parent, seat: seat), default: []].append(item)
                }
            }
        }
    }

    /// Who wants whom passed over.
    private struct Skips {
        var byTurn: [Turn: Set<PeerID>] = [:]

        init(_ items: [TurnItem]) {
            for item in items {
                if case .skip(let parent, let seat) = item.body {
                    byTurn[Turn(parent: parent, seat: seat), default: []].insert(item.author)
                }
            }
        }
    }

    private mutating func play(_ moves: Moves, skips: Skips) {
        while game.outcomes == nil, let seat = game.turn.first {
            turn = seat
            let place = Turn(parent: head, seat: seat)
            if let after = outAfter[seat], after <= seats[seat].moves {
                pass(over: seat, .left)
            } else if isSkipped(place, skips) {
                pass(over: seat, .skipped)
            } else if !move(seat, (moves.byTurn[place] ?? []).filter { $0.author == seats[seat].peer }) {
                return
            }
        }
        turn = nil
    }

    private mutating func isSkipped(_ place: Turn, _ skips: Skips) -> Bool {
        let voters = voters
        let wanting = skips.byTurn[place] ?? []
        votes =
            genesis.turnSeconds == 0
            ? [] : voters.filter { seat in seats[seat].peer.map(wanting.contains) ?? false }
        return !voters.isEmpty && votes.count == voters.count
    }

    private mutating func pass(over seat: Int, _ kind: Step.Kind) {
        switch kind {
        case .left:
            left.insert(seat)
            try? game.apply(.left(seat: seat), at: time)
        case .skipped:
            time = max(time, game.deadline ?? time)
            try? game.apply(.expired, at: time)
        case .move: return
        }
        head = TurnItem.pass(parent: head, seat: seat)
        steps.append(Step(seat: seat, kind: kind, hash: head))
    }

    /// Plays the move of the lowest hash that the rules allow; returns whether there is one.
    private mutating func move(_ seat: Int, _ candidates: [TurnItem]) -> Bool {
        var held: TurnItem?
        for item in candidates {
            guard case .move(_, _, let datum) = item.body else { continue }
            var next = game
            guard (try? next.apply(.move(seat: seat, datum), at: time)) != nil else { continue }
            guard let first = held else {
                held = item
                continue
            }
            doubles.append(DoubleMove(seat: seat, held: first, other: item))
        }
        guard let held, case .move(_, _, let datum) = held.body else { return false }
        try? game.apply(.move(seat: seat, datum), at: time)
        seats[seat].moves += 1
        head = held.hash
        steps.append(Step(seat: seat, kind: .move(held), hash: head))
        guard doubles.last?.held == held else { return true }
        quitters.insert(seat)
        outAfter[seat] = min(outAfter[seat] ?? .max, seats[seat].moves)
        seats[seat].status = .done
        return true
    }

    // MARK: Ends

    /// The last seat that has not left ends the match.
    private mutating func endIfAlone() {
        guard game.outcomes == nil, seats.indices.count(where: { outAfter[$0] == nil }) < 2 else { return }
        for seat in seats.indices where outAfter[seat] != nil && !left.contains(seat) {
            left.insert(seat)
            try? game.apply(.left(seat: seat), at: time)
        }
        if game.outcomes != nil { turn = nil }
    }

    private mutating func finish() {
        for seat in quitters { seats[seat].outcome = .quit }
        guard let ended = game.outcomes else { return }
        outcomes = ended.enumerated().map { quitters.contains($0) ? .quit : $1 }
        for (seat, outcome) in ended.enumerated() {
            if seats[seat].outcome == nil { seats[seat].outcome = outcome }
            if seats[seat].status != .declined { seats[seat].status = .done }
        }
        votes = []
        turn = nil
    }
}
