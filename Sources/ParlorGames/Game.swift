/// A 32-byte hash of bytes, BLAKE2b-256 in the product; rules import nothing, so they are given one.
public typealias HashFunction = @Sendable ([UInt8]) -> [UInt8]

/// The rules of one game as a value: a fold over the events of a log.
///
/// Rules never do I/O, read a clock or roll dice. Times are milliseconds on the match clock and come with the
/// event; chance comes as ``GameEvent/opened(_:)``; secrets stay in ``SeatSecrets``. The same events give the
/// same state on every machine: iterate arrays, never dictionaries or sets. No event may trap, however wrong.
public protocol GameRules: Sendable {
    /// The game's name, rules version, seats and options.
    static var declaration: GameDeclaration { get }

    /// Begins a game once it is drawn who goes first.
    init(_ setup: GameSetup)

    /// Applies one event of the log.
    ///
    /// - Parameters:
    ///   - event: What happened.
    ///   - time: The entry's time, milliseconds on the match clock; never decreases.
    /// - Throws: ``Refusal`` when the rules do not allow it here; the state is then unchanged.
    mutating func apply(_ event: GameEvent, at time: Int) throws(Refusal)

    /// What the game waits for from the sequencer, if anything.
    var need: GameNeed? { get }

    /// When, in milliseconds on the match clock, the sequencer appends an `expired` event; `nil` for never.
    var deadline: Int? { get }

    /// The seats to move, lowest first. Empty when anybody or nobody may.
    var turn: [Int] { get }

    /// Whether the game has calls at all.
    var hasCalls: Bool { get }

    /// The calls that wait to be judged together, in the order of their entries.
    ///
    /// While there are any the sequencer appends nothing of the game but further calls, and at last
    /// ``GameEvent/judged(_:)``.
    var waitingCalls: [WaitingCall] { get }

    /// Whether a move is a call: one of those that are judged by when they were pressed.
    func isCall(_ move: Datum) -> Bool

    /// How each seat ended, by seat; `nil` while the game goes on. A seat that quit has ``Outcome/quit``.
    var outcomes: [Outcome]? { get }

    /// Every action the seat may take now: whole actions, or templates with `null` where the value is free.
    ///
    /// `secrets` are the seat's own, where this machine has them: what only the seat may know shapes what it
    /// may do.
    func legal(for seat: Int, secrets: SeatSecrets?, at now: Int) -> [Value]

    /// The game as a seat sees it; `nil` for a watcher. `secrets` are that seat's own, where this machine has
    /// them.
    func view(for seat: Int?, secrets: SeatSecrets?, at now: Int) -> Value

    /// Turns what a player did into the move that the log will hold.
    ///
    /// Called on the seat's own machine only, before the move is signed and sent. The secrets are asked for
    /// only where they are needed.
    /// - Throws: ``Refusal`` when the action is not one of this game's, or is not allowed now.
    func move(
        for action: Value, by seat: Int, secrets: @autoclosure () -> SeatSecrets, at now: Int
    ) throws(Refusal) -> Datum

    /// The move that the seat's own machine owes by itself now (an answer, an opening), or `nil`.
    ///
    /// Called after every accepted entry; must not return a move again once the log holds it. The secrets are
    /// asked for only where they are needed.
    func duty(of seat: Int, secrets: @autoclosure () -> SeatSecrets) -> Datum?

    /// Writes everything that decides the game's future, for the state hash.
    func encode(into bytes: inout StateBytes)
}

/// Most games have no calls.
extension GameRules {
    /// No.
    public var hasCalls: Bool { false }

    /// None.
    public var waitingCalls: [WaitingCall] { [] }

    /// No.
    public func isCall(_ move: Datum) -> Bool { false }
}

/// A call that waits to be judged.
public struct WaitingCall: Hashable, Sendable {
    /// The caller.
    public let seat: Int
    /// The time of its entry, milliseconds on the match clock.
    public let time: Int

    /// Makes one.
    public init(seat: Int, time: Int) {
        self.seat = seat
        self.time = time
    }
}

/// What the sequencer knows of a call: when it came, and how far back its press may lie.
///
/// All in milliseconds. What the caller claims is believed from `arrival - delay - error` to `arrival`.
public struct CallBounds: Hashable, Sendable {
    /// When it came, on the match clock.
    public let arrival: Int
    /// The most that a message of the caller took lately.
    public let delay: Int
    /// By how much the caller's clock may be wrong.
    public let error: Int

    /// Makes the bounds of a call.
    public init(arrival: Int, delay: Int, error: Int) {
        self.arrival = arrival
        self.delay = delay
        self.error = error
    }
}

/// What a log tells a game.
public enum GameEvent: Hashable, Sendable {
    /// A seat's own move, as made by ``GameRules/move(for:by:secrets:at:)`` or
    /// ``GameRules/duty(of:secrets:)``; content unchecked.
    case move(seat: Int, Datum)
    /// The sequencer opened what ``GameRules/need`` asked for.
    case opened(Opening)
    /// The time of ``GameRules/deadline`` has passed.
    case expired
    /// The calls of ``GameRules/waitingCalls`` are complete: when each came and what is believed of it, in
    /// the same order.
    case judged([CallBounds])
    /// The seat's link is lost; the others go on.
    case away(seat: Int)
    /// The seat is here again.
    case back(seat: Int)
    /// The seat has left for good.
    case left(seat: Int)
    /// The seat is a bot that another peer plays from now on: what only its driver knew is lost, and its
    /// hash chain is another.
    case takenOver(seat: Int, chainEnd: [UInt8])
}

/// What a game waits for from the sequencer.
public struct GameNeed: Hashable, Sendable {
    /// A joint uniform choice among this many; `nil`: only the moment is needed, no chance.
    public let among: Int?
    /// A seat that keeps its link to itself, so that it alone knows the choice (the setter of a fallback
    /// word).
    public let keptBy: Int?
    /// Milliseconds on the match clock before which it must not be opened.
    public let notBefore: Int

    /// Makes a need.
    public init(among: Int?, keptBy: Int? = nil, notBefore: Int) {
        self.among = among
        self.keptBy = keptBy
        self.notBefore = notBefore
    }
}

/// What the sequencer opened for a ``GameNeed``.
public struct Opening: Hashable, Sendable {
    /// Number of the draw, from 1; 0 when no chance was needed.
    public let draw: Int
    /// The joint choice, 0 ..< among; `nil` without chance or when a seat keeps its link.
    public let choice: Int?
    /// The links that made it, by seat, lowest first; without the link of ``GameNeed/keptBy``.
    public let links: [SeatLink]
    /// Milliseconds on the match clock at which every screen shows it; not before the entry's own time.
    public let revealAt: Int

    /// Makes an opening.
    public init(draw: Int, choice: Int?, links: [SeatLink], revealAt: Int) {
        self.draw = draw
        self.choice = choice
        self.links = links
        self.revealAt = revealAt
    }
}

/// How a seat ended; the raw values are those of the control interface.
public enum Outcome: String, Hashable, Sendable, CaseIterable {
    /// Of two seats, the better one.
    case won
    /// Of two seats, the other one.
    case lost
    /// Equal.
    case tied
    /// Left before the end.
    case quit
    /// Was away when the match had to end.
    case timedOut = "timed-out"
    /// Places of three or four seats; equal seats share one.
    case first
    /// Second place.
    case second
    /// Third place.
    case third
    /// Fourth place.
    case fourth
}

/// Why something was not done: a stable word for scripts and a sentence for people.
public struct Refusal: Error, Hashable, Sendable {
    /// The stable words that rules use.
    public enum Reason: String, Hashable, Sendable {
        /// Another seat is to move.
        case notYourTurn = "not-your-turn"
        /// The rules do not allow this move here.
        case illegalMove = "illegal-move"
        /// The word does not qualify.
        case wordInvalid = "word-invalid"
        /// The match is over.
        case matchEnded = "match-ended"
        /// Not an action of this game, or its members are of the wrong type.
        case badParams = "bad-params"
        /// The seat is not in this match, or no longer.
        case notInMatch = "not-in-match"
    }
    /// The stable word.
    public let reason: Reason
    /// What happened and what is possible instead, for people.
    public let message: String

    /// Makes a refusal.
    public init(_ reason: Reason, _ message: String) {
        self.reason = reason
        self.message = message
    }
}

/// What a game begins with.
public struct GameSetup: Sendable {
    /// The match's ID, 16 bytes.
    public let match: [UInt8]
    /// How many seats the match has, `0 ..< seats`; some may have left during the draw.
    public let seats: Int
    /// The seats still in, lowest first; at least one.
    public let players: [Int]
    /// The seat that goes first; one of ``players``.
    public let first: Int
    /// Every option of the game with its value.
    public let options: GameOptions
    /// The agreed word list, for games that need one.
    public let words: WordList
    /// The last links of the seats' hash chains, by seat (empty where a seat gave none); see ``Chance``.
    public let chainEnds: [[UInt8]]
    /// Milliseconds on the match clock when the game begins.
    public let startedAt: Int
    /// BLAKE2b-256.
    public let hash: HashFunction

    /// Makes a setup.
    public init(
        match: [UInt8], seats: Int, players: [Int], first: Int, options: GameOptions, words: WordList,
        chainEnds: [[UInt8]], startedAt: Int, hash: @escaping HashFunction
    ) {
        self.match = match
        self.seats = seats
        self.players = players
        self.first = first
        self.options = options
        self.words = words
        self.chainEnds = chainEnds
        self.startedAt = startedAt
        self.hash = hash
    }
}

/// Collects a game's state as bytes whose hash all peers compare.
public struct StateBytes: Sendable {
    /// What was written so far.
    public private(set) var bytes: [UInt8] = []

    /// Makes an empty collection.
    public init() { bytes.reserveCapacity(2_048) }

    /// Writes a number as eight bytes, big-endian.
    public mutating func write(_ number: Int) {
        unsafe withUnsafeBytes(of: number.bigEndian) { unsafe bytes.append(contentsOf: $0) }
    }

    /// Writes a length and the bytes.
    public mutating func write(_ octets: [UInt8]) {
        write(octets.count)
        bytes += octets
    }

    /// Writes a text as its UTF-8.
    public mutating func write(_ text: String) {
        write(text.utf8.count)
        bytes.append(contentsOf: text.utf8)
    }

    /// Writes a truth value.
    public mutating func write(_ truth: Bool) { bytes.append(truth ? 1 : 0) }

    /// Writes one byte.
    mutating func write(byte: UInt8) { bytes.append(byte) }
}
