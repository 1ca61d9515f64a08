public import ParlorGames
public import ParlorProtocol

/// What is to happen in one simulated match; all of it follows from a seed.
public struct SimScript: Sendable {
    /// What goes wrong in a match.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// Nothing.
        case calm
        /// Messages are slow, and lost and sent again.
        case network
        /// For a while nothing that a seat sends or is sent arrives.
        case stall
        /// A seat is cut off for a while.
        case cut
        /// A process is killed and begins again from what it had stored.
        case crash
        /// The host's process is killed, at any moment, and may come back.
        case host
        /// A machine is replaced by another with the same identity and nothing stored.
        case fresh
        /// A machine sleeps for a while.
        case doze
        /// Seats leave.
        case leave
        /// The host removes seats.
        case kick
        /// The network falls into two parts, for a while or for ever.
        case partition
        /// Several of these.
        case mixed
        /// A seat lies; see ``SimLie``.
        case lie
    }

    /// Something that goes wrong.
    public enum Deed: Hashable, Sendable {
        /// Nothing that the seat sends or is sent arrives for so many milliseconds; then all of it does.
        case stall(Int, milliseconds: Int)
        /// The seat is cut off for so many milliseconds; `nil`: for ever.
        case cut(Int, milliseconds: Int?)
        /// The seat's process is killed; it begins again so much later from what it had stored, or never.
        case crash(Int, backAfter: Int?)
        /// The seat's machine is lost, and replaced by one that has its identity alone.
        case fresh(Int, backAfter: Int)
        /// The seat's machine does nothing for so many milliseconds.
        case doze(Int, milliseconds: Int)
        /// The player leaves.
        case leave(Int)
        /// The host removes the seat.
        case kick(Int)
        /// The seats in the list and the others cannot reach each other; `nil`: for ever.
        case split([Int], milliseconds: Int?)
    }

    /// When something goes wrong.
    public enum Moment: Hashable, Sendable {
        /// So many milliseconds after the beginning.
        case after(milliseconds: Int)
        /// Once a seat's driver has carried out so many of its machine's actions: between any two of them.
        case actions(Int, of: Int)
    }

    /// What goes wrong, and when.
    public struct Fault: Hashable, Sendable {
        /// When.
        public let moment: Moment
        /// What.
        public let deed: Deed

        /// Makes a fault.
        public init(_ moment: Moment, _ deed: Deed) {
            self.moment = moment
            self.deed = deed
        }
    }

    /// The seed.
    public let seed: UInt64
    /// What goes wrong.
    public let kind: Kind
    /// The game's ID.
    public var game: String
    /// How many people play.
    public var seats: Int
    /// How many bots play, in the seats after those of people; the host's process drives them first.
    public var bots = 0
    /// Options given; the others are standard.
    public var options: [Value.Member]
    /// What happens to messages on their way.
    public var network = NetworkConditions(delay: .milliseconds(1), jitter: .milliseconds(19))
    /// The network's name.
    public var networkName = "near"
    /// How long it takes at most until what a machine wants stored is.
    public var storeDelay = Duration.zero
    /// What goes wrong, and when.
    public var faults: [Fault] = []
    /// The seat that lies.
    public var liar: Int?
    /// How it lies.
    public var lie: SimLie?
    /// Whether messages are written as bytes and read again on their way.
    public var writesBytes = false

    /// How many seats the game has at most.
    private let seatsMost: Int

    /// The milliseconds within which most of a match lies.
    private static let span = 25_000

    /// Draws a script.
    ///
    /// - Parameters:
    ///   - seed: Everything follows from it.
    ///   - game: The game; either, where none is given.
    ///   - kind: What goes wrong; any, where none is given.
    ///   - lie: How the liar lies, for ``Kind/lie``; anyhow, where nothing is given.
    ///   - withBots: Whether bots play in any case, where people leave them a seat; now and then otherwise.
    public init(
        seed: UInt64, game: String? = nil, kind: Kind? = nil, lie: SimLie? = nil, withBots: Bool = false
    ) {
        self.seed = seed
        let dice = Dice(seed: seed)
        self.kind = kind ?? dice.one(of: Self.kinds, else: .calm)
        self.game = game ?? (dice.number(1...3) > 1 ? "snap" : "hangman")
        seatsMost = Catalog.rules(self.game)?.declaration.seats.upperBound ?? Limits.seatsMax
        seats = min(dice.number(2...4), withBots && seatsMost > 2 ? seatsMost - 1 : seatsMost)
        let flips = dice.number(10...30)
        options = [.init("grace_s", 10), .init("turn_s", self.game == "snap" ? 10 : 20)]
        if self.game == "snap" { options.append(.init("max_flips", .int(flips))) }
        if self.game == "hangman", seed % 3 == 1 { options.append(.init("mode", "together")) }
        if dice.number(1...3) == 1 { storeDelay = .milliseconds(dice.number(1...60)) }
        writesBytes = dice.number(1...16) == 1
        draw(self.kind, lie: lie, dice)
        if withBots || self.lie == nil, seats < seatsMost {
            let dice = Dice(seed: seed ^ 0xB075)
            if dice.number(1...3) == 1 || withBots { bots = dice.number(1...seatsMost - seats) }
        }
    }

    /// Every kind, and those that need the most matches more often.
    private static let kinds = Kind.allCases + [.lie, .lie, .lie, .lie, .host, .partition, .crash]

    private mutating func draw(_ kind: Kind, lie: SimLie?, _ dice: Dice) {
        let seat = dice.number(0...seats - 1)
        let guest = dice.number(1...seats - 1)
        switch kind {
        case .calm: break
        case .network: choose(Self.networks.filter { $0.name != "lan" }, dice)
        case .stall:
            for _ in 0..<3 {
                add(.stall(dice.number(0...seats - 1), milliseconds: dice.number(100...1_500)), dice)
            }
        case .cut: add(.cut(seat, milliseconds: length(dice)), dice)
        case .crash: add(.crash(seat, backAfter: dice.number(50...14_000)), dice)
        case .host:
            let back = dice.number(50...25_000)
            add(.crash(0, backAfter: dice.coin() ? back : nil), dice)
        case .fresh: add(.fresh(guest, backAfter: dice.number(50...8_000)), dice)
        case .doze: add(.doze(seat, milliseconds: length(dice)), dice)
        case .leave: for seat in 0..<seats where dice.coin() { add(.leave(seat), dice) }
        case .kick: for seat in 1..<seats where dice.coin() { add(.kick(seat), dice) }
        case .partition: add(split(dice), dice)
        case .mixed:
            choose(Self.networks.filter { $0.name != "congested" }, dice)
            for _ in 0..<dice.number(1...3) {
                let parts: [Kind] = [.stall, .cut, .crash, .host, .doze, .leave, .kick, .partition]
                draw(dice.one(of: parts, else: .calm), lie: nil, dice)
            }
        case .lie:
            let lies = SimLie.allCases.filter { seatsMost > 2 || !$0.needsMany }
            let drawn = lie ?? dice.one(of: lies, else: .replay)
            self.lie = seatsMost == 2 && drawn.needsMany ? .replay : drawn
            drawLiar(dice)
        }
    }

    /// A liar must not be a quorum by itself: of two seats the lowest is one.
    private mutating func drawLiar(_ dice: Dice) {
        switch lie {
        case .twoEntries, .falseAway, .falseWithheld, .clock:
            // Only a sequencer can: the first, or the one after it.
            let isSecond = dice.coin()
            seats = isSecond ? 4 : max(3, seats)
            liar = isSecond ? 1 : 0
            if isSecond { add(.crash(0, backAfter: nil), dice) }
        case .doubleVote:
            seats = 4
            liar = dice.number(1...3)
            add(.crash(0, backAfter: dice.coin() ? 12_000 : nil), dice)
        case .illegalEntry, .forgedSignature, .falseOpening, .wrongLink, .withheldLink, .replay, .wrongState,
            nil:
            liar = dice.number((seats == 2 ? 1 : 0)...seats - 1)
        }
    }

    private static let networks: [(name: String, conditions: NetworkConditions)] = [
        ("loopback", .loopback), ("lan", .lan), ("wifi", .wifi), ("bad wifi", .badWifi),
        ("congested", .congested),
    ]

    private mutating func choose(_ among: [(name: String, conditions: NetworkConditions)], _ dice: Dice) {
        (networkName, network) = dice.one(of: among, else: ("near", network))
    }

    /// A cut that nobody notices, one that makes a seat away, or one that outlasts its grace.
    private func length(_ dice: Dice) -> Int {
        let most = dice.one(of: [4_000, 12_000, 30_000], else: 4_000)
        return dice.number(most / 8...most)
    }

    private func split(_ dice: Dice) -> Deed {
        let mask = dice.number(1...(1 << (seats - 1)) - 1)
        let length = length(dice)
        let isForEver = dice.number(1...4) == 1
        return .split((0..<seats).filter { mask >> $0 & 1 == 1 }, milliseconds: isForEver ? nil : length)
    }

    /// Adds a fault at a moment: within the draw, at any time, or between any two actions of the one it hits.
    private mutating func add(_ deed: Deed, _ dice: Dice) {
        let way = dice.number(0...3)
        let early = dice.number(0...1_500)
        let late = dice.number(0...Self.span)
        let few = dice.number(1...120)
        let many = dice.number(1...1_200)
        let moment: Moment =
            switch (way, deed) {
            case (0, _): .after(milliseconds: early)
            case (2, .crash(let seat, _)), (2, .fresh(let seat, _)): .actions(few, of: seat)
            case (3, .crash(let seat, _)), (3, .fresh(let seat, _)): .actions(many, of: seat)
            default: .after(milliseconds: late)
            }
        faults.append(Fault(moment, deed))
    }

    /// What the liar does, or what goes wrong, in one word for counts.
    public var word: String { lie.map { "lie-\($0.rawValue)" } ?? kind.rawValue }
}

/// Where a script's choices come from.
private final class Dice {
    private var random: SeededGenerator

    init(seed: UInt64) { random = SeededGenerator(seed: seed ^ 0x5EED_5C21_9715) }

    func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }
    func coin() -> Bool { Bool.random(using: &random) }
    func one<Element>(of list: [Element], else other: Element) -> Element {
        list.randomElement(using: &random) ?? other
    }
}
