internal import ParlorCrypto
public import ParlorGames

/// The state of a match: a fold over the entries of its log.
///
/// Every peer has the same.
public struct MatchState: Sendable {
    /// Where a match is.
    public enum Phase: String, Hashable, Sendable {
        /// It is being drawn who goes first.
        case drawing
        /// The game is on.
        case playing
        /// There is an end entry.
        case ended
    }

    /// What the log says of a seat.
    public struct Seat: Hashable, Sendable {
        /// Whether the player takes part.
        public enum Status: String, Hashable, Sendable {
            /// It takes part.
            case active
            /// Its link is lost; it may come back.
            case away
            /// It is out of this match for good.
            case left
        }
        /// Why a seat is out of a match; the raw value is what scripts see.
        public enum Departure: String, Hashable, Sendable, CaseIterable {
            /// It left by itself.
            case asked = "left"
            /// The host removed it.
            case kicked
            /// It was away for longer than its seat is kept.
            case away = "away-too-long"
            /// It did not draw who goes first in time.
            case noDraw = "no-draw"
            /// It kept its part of joint draws to itself ``Limits/withheldMax`` times.
            case withheld = "withheld"
            /// It revealed another number than it had committed to.
            case falseDraw = "false-draw"
            /// It was shown to have broken the protocol.
            case misdeed
            /// A bot, and no person is left to play with.
            case noPeople = "no-people"
        }
        /// The seat whose peer plays it: the seat itself, or for a bot that of the peer that drives it.
        public internal(set) var driver: Int
        /// Whether the player takes part.
        public internal(set) var status = Status.active
        /// Why it has left; `nil` while it has not.
        public internal(set) var departure: Departure?
        /// Milliseconds on the match clock since which it is away.
        public internal(set) var awaySince = 0
        /// How often it kept a link of a draw to itself.
        public internal(set) var withheld = 0
        /// The highest counter of its proposals; -1 before the first.
        public internal(set) var counter = -1
        /// The end of its hash chain; empty before it committed.
        public var chainEnd: [UInt8] { given.value.chainEnd }
        /// Its key for sealing; empty before it committed.
        public var boxKey: [UInt8] { given.value.boxKey }
        /// Its own secret, sealed for itself; empty before it committed.
        public var vault: [UInt8] { given.value.vault }
        private var given = Seldom(Given())
        /// The newest draw that the log has its link of, and that link; 0 before the first.
        ///
        /// They follow from the entries: whoever checks the next link need not hash up to the end.
        var linkDraw = 0
        var link: [UInt8] = []
        /// How many faults of others it has brought into the log.
        public internal(set) var faults = 0

        init(driver: Int) { self.driver = driver }

        /// What its driver has committed to.
        private struct Given: Hashable {
            var chainEnd: [UInt8] = []
            var boxKey: [UInt8] = []
            var vault: [UInt8] = []
        }

        /// Its driver commits, in place of another if there was one.
        mutating func give(chainEnd: [UInt8], boxKey: [UInt8], vault: [UInt8]) {
            given.value = Given(chainEnd: chainEnd, boxKey: boxKey, vault: vault)
        }
    }

    /// What the sequencer and others want to know of a game between two entries.
    struct Outlook: Sendable {
        private(set) var need: GameNeed?
        private(set) var deadline: Int?
        private(set) var outcomes: [Outcome]?
        private(set) var hasCalls = false
        private(set) var hasWaitingCalls = false

        init(_ game: (any GameRules)?) {
            guard let game else { return }
            need = game.need
            deadline = game.deadline
            outcomes = game.outcomes
            hasCalls = game.hasCalls
            hasWaitingCalls = !game.waitingCalls.isEmpty
        }
    }

    /// A joint draw that was begun and is not opened yet.
    public struct OpenDraw: Hashable, Sendable {
        /// Its number, from 1.
        public let draw: Int
        /// The seats whose links it needs, lowest first.
        public internal(set) var seats: [Int]
        /// The links that it began with: those of the seats among them that the sequencer drives.
        public let links: [SeatLink]
        /// Milliseconds on the match clock when it was begun, or another seat took over: since then links are
        /// waited for.
        public internal(set) var since: Int

        /// Whether it began with the link of a seat.
        public func began(with seat: Int) -> Bool { links.contains { $0.seat == seat } }
    }

    /// What never changes, in one place: a state is copied with every entry.
    private final class Base: Sendable {
        let genesis: Genesis
        let words: WordList
        let bots: SeatSet
        let graceMilliseconds: Int

        init(_ genesis: Genesis, _ words: WordList) {
            self.genesis = genesis
            self.words = words
            bots = SeatSet(genesis.seats.indices.filter { genesis.seats[$0].bot })
            graceMilliseconds = genesis.options.int("grace_s") * 1_000
        }
    }

    private let base: Base
    /// What it began with.
    public var genesis: Genesis { base.genesis }
    /// The agreed word list.
    public var words: WordList { base.words }
    /// How long a seat may be away, in milliseconds.
    var graceMilliseconds: Int { base.graceMilliseconds }
    /// Where it is.
    public internal(set) var phase = Phase.drawing
    /// The seats, by number.
    public internal(set) var seats: [Seat]
    /// The seats' keys for sealing, empty where one gave none; in one place, for ``SeatVault``.
    public internal(set) var boxKeys: [[UInt8]]
    /// The keys for sealing that bots had before others took them over, by seat: what was sealed with them
    /// can still be opened.
    public internal(set) var formerBoxKeys: [[[UInt8]]]
    /// The seat whose peer orders the entries.
    public internal(set) var sequencer = 0
    /// How often the order of the entries changed hands, by the number that was voted for.
    public internal(set) var epoch = 0
    /// The highest counter of the sequencer's proposals; -1 before the first.
    public internal(set) var sequencerCounter = -1
    /// Who goes first.
    public internal(set) var draw: Draw {
        get { drawing.value }
        set { drawing.value = newValue }
    }
    private var drawing: Seldom<Draw>
    /// The game, once it is drawn.
    public private(set) var game: (any GameRules)?
    /// What the game says that it waits for: asked for with every input, and changed by entries alone.
    private(set) var outlook = Outlook(nil)
    /// The joint draw that is on.
    public internal(set) var openDraw: OpenDraw?
    /// The number of the last joint draw, 0 before the first.
    public internal(set) var lastDraw = 0
    /// Too few seats were left to begin: the match ends without outcomes.
    public internal(set) var isCancelled = false
    /// How each seat ended; empty for a cancelled match, `nil` before the end.
    public internal(set) var outcomes: [Outcome]?
    /// Whether a seat ended its copy without a quorum.
    public internal(set) var endedAlone = false

    /// The state before the first entry.
    public init(_ genesis: Genesis, words: WordList) {
        base = Base(genesis, words)
        seats = genesis.seats.indices.map { Seat(driver: genesis.driver(of: $0)) }
        boxKeys = Array(repeating: [], count: genesis.seats.count)
        formerBoxKeys = boxKeys.map { _ in [] }
        drawing = Seldom(Draw(seats: Array(genesis.seats.indices), at: 0))
    }

    /// The seats that have not left, lowest first.
    public var remaining: [Int] { seats.indices.filter { seats[$0].status != .left } }

    /// The seats of people that have not left: those whose word counts for a quorum.
    public var voters: [Int] { seats.indices.filter(isVoter) }

    /// Whether a seat is that of somebody who has not left.
    func isVoter(_ seat: Int) -> Bool {
        seats.indices.contains(seat) && seats[seat].status != .left && !base.bots.contains(seat)
    }

    /// The bots in the match that the peer of a seat drives, lowest first.
    public func bots(drivenBy driver: Int) -> [Int] {
        seats.indices.filter {
            base.bots.contains($0) && seats[$0].driver == driver && seats[$0].status != .left
        }
    }

    /// Whose signature counts for a seat.
    public func peer(of seat: Int) -> PeerID { base.genesis.seats[seats[seat].driver].peer }

    /// Whether these seats are enough to accept an entry: more than half of the voters, or exactly half with
    /// the lowest of them.
    public func isQuorum(_ stored: SeatSet) -> Bool {
        var voters = 0
        var agreeing = 0
        var isLowestIn = true
        for seat in seats.indices where seats[seat].status != .left && !base.bots.contains(seat) {
            let isIn = stored.contains(seat)
            if voters == 0 { isLowestIn = isIn }
            voters += 1
            if isIn { agreeing += 1 }
        }
        return 2 * agreeing > voters || 2 * agreeing == voters && isLowestIn
    }

    /// The game begins.
    mutating func begin(_ game: any GameRules) {
        self.game = game
        outlook = Outlook(game)
    }

    /// Tells the game what happened, if it has begun.
    mutating func tell(_ event: GameEvent, at time: Int) throws(Refusal) {
        try game?.apply(event, at: time)
        outlook = Outlook(game)
    }

    /// What the game waits for from the sequencer.
    public var need: GameNeed? { phase == .playing ? outlook.need : nil }

    /// The seats whose links a draw for the need must have: the active ones, but for one that keeps its own.
    public func drawSeats(for need: GameNeed) -> [Int] {
        seats.indices.filter {
            seats[$0].status == .active && !seats[$0].chainEnd.isEmpty && $0 != need.keptBy
        }
    }

    /// The outcomes that an end entry must have now; `nil` while the match goes on.
    public var dueOutcomes: [Outcome]? {
        guard phase != .ended else { return nil }
        return isCancelled ? [] : outlook.outcomes
    }

    /// BLAKE2b-256 over everything that decides the match's future.
    public var hash: [UInt8] {
        var bytes = StateBytes()
        bytes.write(genesis.hash)
        bytes.write(phase.rawValue)
        for seat in seats {
            bytes.write(seat.status.rawValue)
            bytes.write(seat.awaySince)
            bytes.write(seat.withheld)
            bytes.write(seat.counter)
            bytes.write(seat.chainEnd)
            bytes.write(seat.boxKey)
            bytes.write(seat.faults)
            bytes.write(seat.driver)
        }
        bytes.write(sequencer)
        bytes.write(epoch)
        bytes.write(sequencerCounter)
        draw.encode(into: &bytes)
        bytes.write(lastDraw)
        bytes.write(openDraw?.seats.reduce(1) { $0 << 4 | $1 } ?? 0)
        bytes.write(isCancelled)
        game?.encode(into: &bytes)
        return Hash.blake2b256(bytes.bytes)
    }
}
