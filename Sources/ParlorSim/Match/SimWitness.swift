public import ParlorProtocol

/// What must hold of every simulated match, and the first thing that did not.
///
/// It is told what happened, by whoever runs the match, and knows nothing else: a broken history can be told
/// to it as well.
public struct SimWitness: Sendable {
    /// What must hold.
    public enum Invariant: String, Hashable, Sendable, CaseIterable {
        /// Of any two accepted logs one is the beginning of the other, but for ends alone.
        case agreement
        /// Who has the same log has the same state.
        case state
        /// There are 52 cards, each once.
        case pack
        /// At most one seat holds the turn where the game has turns, and none that has left.
        case turn
        /// The match ends for everybody who is there, and those who can reach each other end alike.
        case end
        /// No honest seat is accused, nor said to be away, gone or withholding while it does its part.
        case blame
        /// An entry that was shown, or whose author was answered, is in the log for ever.
        case acknowledged
        /// A liar gains nothing: what it made up is in nobody's log, and where a lie can be seen it is named.
        case gain
        /// Every request is answered once and in time.
        case answer
        /// Machines neither stop at what others say nor ask to be called at once for ever.
        case health
    }

    /// What did not hold.
    public struct Violation: Hashable, Sendable {
        /// Which invariant.
        public let invariant: Invariant
        /// When.
        public let at: Tick
        /// What happened, for people.
        public let text: String
    }

    /// The longest that a request may wait for its answer while its machine runs.
    public static let answerMax = Duration.milliseconds(Limits.actMilliseconds + 2_000)
    /// How long before the log ends a lie must be seen to be in it: whom it reached has to say so first.
    public static let findingOut = Duration.seconds(1)

    /// What did not hold, in the order it was seen; no more than the first few.
    public private(set) var violations: [Violation] = []
    /// The moment, for violations; set by whoever runs the match.
    public var now = Tick(nanoseconds: 0)
    /// The entries that were shown anywhere, by index.
    public private(set) var log: [[UInt8]] = []

    /// Seats that may be accused of anything.
    private let liars: Set<Int>
    /// Whether a liar orders the entries and signs two of one index.
    ///
    /// With it in every quorum, two quorums may store and accept different entries; more cannot be had from a
    /// majority. Then it has to be found out, and in the end all have the same log all the same.
    private let mayFork: Bool
    private var states: [[UInt8]: (hash: [UInt8], seat: Int)] = [:]
    private var waiting: [RequestID: (seat: Int, since: Tick)] = [:]
    /// The index up to which players were told that their entries are in the log, and who told the last.
    private var acknowledged: (index: Int, seat: Int)?
    private var isForked = false
    private var invented: Set<[UInt8]> = []
    private var lies: [Int: Lie] = [:]
    /// When the last entry was shown that nobody had shown before.
    private var grownAt = Tick(nanoseconds: 0)

    /// What became of a seat's lies.
    private struct Lie: Sendable {
        /// When the first could be seen; `nil`: it was named before that.
        var since: Tick?
        var isNamed = false
    }

    /// Makes a witness of a match in which these seats lie.
    public init(liars: Set<Int> = [], mayFork: Bool = false) {
        self.liars = liars
        self.mayFork = mayFork
    }

    /// Whether a seat is honest.
    public func isHonest(_ seat: Int) -> Bool { !liars.contains(seat) }

    /// Notes that something did not hold.
    public mutating func report(_ invariant: Invariant, _ text: String) {
        guard violations.count < 5 else { return }
        violations.append(Violation(invariant: invariant, at: now, text: text))
    }

    // MARK: While it is played

    /// An honest seat shows an entry of the log as accepted.
    public mutating func shown(_ hash: [UInt8], at index: Int, by seat: Int) {
        guard isHonest(seat) else { return }
        if invented.contains(hash) {
            report(.gain, "seat \(seat) accepted entry \(index), which a liar made up")
        }
        if index < log.count {
            guard log[index] != hash else { return }
            isForked = true
            guard !mayFork else { return }
            report(.agreement, "seat \(seat) accepted another entry \(index) than somebody before it")
        } else if index == log.count {
            log.append(hash)
            grownAt = now
        } else {
            report(.agreement, "seat \(seat) shows entry \(index) though nobody has shown entry \(log.count)")
        }
    }

    /// The hash of an honest seat's state after so many entries, of which the last has the hash `head`.
    public mutating func state(_ hash: [UInt8], after count: Int, head: [UInt8], of seat: Int) {
        guard isHonest(seat) else { return }
        guard let known = states[head] else {
            states[head] = (hash, seat)
            return
        }
        if known.hash != hash {
            report(.state, "after \(count) entries seats \(known.seat) and \(seat) have different states")
        }
    }

    /// Whether an honest seat sees a whole pack.
    public mutating func pack(isWhole: Bool, seenBy seat: Int) {
        guard isHonest(seat), !isWhole else { return }
        report(.pack, "seat \(seat) does not see 52 cards, each once")
    }

    /// Who holds the turn, as an honest seat sees it; `most` is how many may.
    public mutating func turn(_ holders: [Int], gone: [Int], most: Int, seenBy seat: Int) {
        guard isHonest(seat) else { return }
        if holders.count > most { report(.turn, "seat \(seat) sees seats \(holders) hold the turn") }
        if let holder = holders.first(where: gone.contains) {
            report(.turn, "seat \(seat) sees seat \(holder) hold the turn, which has left")
        }
    }

    /// An honest seat names another; `what` for people.
    public mutating func named(_ accused: Int, by seat: Int, _ what: String) {
        guard isHonest(seat) else { return }
        if isHonest(accused) {
            report(.blame, "seat \(seat) accuses seat \(accused), which is honest: \(what)")
        } else {
            lies[accused, default: Lie()].isNamed = true
        }
    }

    /// An accepted entry says of a seat that it is away, has left or withholds.
    ///
    /// `isExcused`: something is wrong with the seat or its network, or it was so a moment ago.
    public mutating func said(_ word: String, of seat: Int, isExcused: Bool) {
        guard isHonest(seat), !isExcused else { return }
        report(.blame, "the log says '\(word)' of seat \(seat), which does its part")
    }

    // MARK: Requests

    /// A player asks something of its machine.
    public mutating func asked(_ id: RequestID, by seat: Int) { waiting[id] = (seat, now) }

    /// A request is answered; `index` is that of the entry, where there is one.
    public mutating func answered(_ id: RequestID, index: Int?) {
        guard let request = waiting.removeValue(forKey: id) else {
            return report(.answer, "request \(id.rawValue) is answered, though nobody waits for it")
        }
        guard isHonest(request.seat) else { return }
        if now - request.since > Self.answerMax {
            report(.answer, "seat \(request.seat) waited \(now - request.since) for an answer")
        }
        guard let index else { return }
        if index >= log.count {
            report(.acknowledged, "seat \(request.seat) is told of entry \(index), which nobody has shown")
        }
        if index > acknowledged?.index ?? -1 { acknowledged = (index, request.seat) }
    }

    /// A machine is gone, with all who wait for it.
    public mutating func forgotten(by seat: Int) {
        for (id, request) in waiting where request.seat == seat { waiting[id] = nil }
    }

    /// A machine slept: what waited for it waits from now.
    public mutating func slept(_ seat: Int) {
        for (id, request) in waiting where request.seat == seat { waiting[id] = (seat, now) }
    }

    // MARK: Liars

    /// A liar made an entry up and sent it.
    public mutating func invented(_ hash: [UInt8]) { invented.insert(hash) }

    /// A liar's lie has reached an honest seat, which can see that it is one.
    public mutating func lied(_ seat: Int) {
        if lies[seat] == nil { lies[seat] = Lie(since: now) }
    }

    // MARK: The end

    /// How a seat ended.
    public struct End: Hashable, Sendable {
        /// The seat.
        public let seat: Int
        /// How many entries it has accepted, and the hash of the last.
        public let count: Int
        /// The hash of the last.
        public let head: [UInt8]
        /// Whether the match is over for it.
        public let isOver: Bool
        /// Whether it ended its copy alone.
        public let isAlone: Bool
        /// The seats that it says have left.
        public let left: [Int]
        /// The seats that it could reach when all was over.
        public let reaches: Set<Int>

        /// Says how a seat ended; the parameters are the members.
        public init(
            seat: Int, count: Int, head: [UInt8], isOver: Bool, isAlone: Bool, left: [Int],
            reaches: Set<Int>
        ) {
            self.seat = seat
            self.count = count
            self.head = head
            self.isOver = isOver
            self.isAlone = isAlone
            self.left = left
            self.reaches = reaches
        }
    }

    /// Everything is over, or the time is; `ends` are those of the seats that are there.
    public mutating func finish(_ ends: [End]) {
        let honest = ends.filter { isHonest($0.seat) }
        for end in honest where !end.isOver {
            report(.end, "the match does not end for seat \(end.seat), which has \(end.count) entries")
        }
        for (id, request) in waiting where isHonest(request.seat) {
            report(.answer, "request \(id.rawValue) of seat \(request.seat) has no answer at the end")
        }
        let regular = honest.filter { $0.isOver && !$0.isAlone }
        finishLies(regular)
        for end in regular where end.count != regular[0].count || end.head != regular[0].head {
            report(.end, "seats \(regular[0].seat) and \(end.seat) end with different logs")
        }
        for end in honest where end.isAlone {
            if let other = regular.first(where: { end.reaches.contains($0.seat) }) {
                report(
                    .end, "seat \(end.seat) ended alone though it reaches seat \(other.seat), which did not")
            }
        }
        guard !isForked || !mayFork else {
            // What one of the two logs held and the other did not is lost: somebody has to say who did it.
            for liar in liars where lies[liar]?.isNamed != true {
                report(.gain, "seat \(liar) has made two logs of one, and nobody says so")
            }
            return
        }
        if let last = regular.first, last.count != log.count {
            report(.acknowledged, "the log ends after \(last.count) entries, but \(log.count) were shown")
        }
        if let acknowledged, let last = regular.first, acknowledged.index >= last.count {
            report(
                .acknowledged,
                "entry \(acknowledged.index), of which seat \(acknowledged.seat) was told, is lost")
        }
    }

    private mutating func finishLies(_ regular: [End]) {
        for (liar, lie) in lies.sorted(by: { $0.key < $1.key }) where !lie.isNamed {
            guard lie.since.map({ $0 + Self.findingOut <= grownAt }) ?? false else { continue }
            guard let seer = regular.first(where: { !$0.left.contains(liar) }) else { continue }
            report(.gain, "seat \(liar) lied, and is neither named nor out for seat \(seer.seat)")
        }
    }
}
