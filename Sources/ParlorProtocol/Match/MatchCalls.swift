internal import ParlorGames

/// What a driver measures of the link to a seat's peer.
public struct SeatClock: Hashable, Sendable {
    /// The most that the peer's messages took lately, one way.
    public let delay: Duration
    /// The peer's monotonic clock minus this machine's.
    public let offset: Duration
    /// By how much the offset may be wrong.
    public let error: Duration

    /// Makes one.
    public init(delay: Duration, offset: Duration, error: Duration) {
        self.delay = delay
        self.offset = offset
        self.error = error
    }
}

/// A call that has come and is not judged yet.
struct ArrivedCall: Sendable {
    let author: Author
    let counter: Int
    /// When it came, on the match clock.
    let arrival: Int
}

// Calls that come close together are gathered by the sequencer and judged at once, by when they were pressed.
extension MatchMachine {
    /// Whether a proposal is a call of the game that is on.
    func isCall(_ proposal: Proposal) -> Bool { Self.isCall(proposal, of: log.state.game) }

    private static func isCall(_ proposal: Proposal, of game: (any GameRules)?) -> Bool {
        guard case .move(let move) = proposal.body else { return false }
        return game?.isCall(move) ?? false
    }

    /// Notes when a call came, before it waits for its turn.
    mutating func noteArrival(of proposal: Proposal, at now: Tick) {
        guard isCall(proposal) else { return }
        arrivals.append(
            ArrivedCall(author: proposal.author, counter: proposal.counter, arrival: time(at: now)))
    }

    /// When a call in the queue came; now, where that is not known.
    private static func arrival(of proposal: Proposal, in arrivals: [ArrivedCall], at time: Int) -> Int {
        arrivals.first { $0.author == proposal.author && $0.counter == proposal.counter }?.arrival ?? time
    }

    /// After an entry was appended: opens the window with the first call that waits.
    mutating func follow(_ proposal: Proposal, at time: Int) {
        // Looked at field by field, so that no copy of the state is made to ask it.
        guard !arrivals.isEmpty || log.state.outlook.hasWaitingCalls else {
            window = nil
            return
        }
        let arrival = Self.arrival(of: proposal, in: arrivals, at: time)
        arrivals.removeAll { $0.author == proposal.author && $0.counter <= proposal.counter }
        guard let waiting = log.state.game?.waitingCalls, !waiting.isEmpty else {
            window = nil
            return
        }
        var open = window ?? CallWindow(until: min(arrival, time) + windowMilliseconds)
        // One that is of an earlier card is in the log and does not wait.
        if let last = waiting.last, .seat(last.seat) == proposal.author, last.time == time, isCall(proposal),
            waiting.count == open.arrivals.count + 1
        {
            open.arrivals.append(min(arrival, time))
        }
        window = open
    }

    /// What to append while calls wait: further ones that came in time, then how they are judged; `nil`:
    /// nothing yet.
    mutating func nextOfWindow(at time: Int) -> WindowStep? {
        guard let waiting = log.state.game?.waitingCalls else { return nil }
        // Who takes over in between knows of no arrivals: it opens a window of its own.
        let open = window ?? CallWindow(until: time + windowMilliseconds)
        window = open
        let arrivals = arrivals  // so that no closure takes the machine with it
        let game = log.state.game
        let inTime = queue.firstIndex {
            Self.isCall($0, of: game) && Self.arrival(of: $0, in: arrivals, at: time) <= open.until
        }
        if let inTime { return .call(queue.remove(at: inTime)) }
        guard time >= open.until else { return nil }
        let times = open.arrivals.count == waiting.count ? open.arrivals : waiting.map(\.time)
        return .judge(
            zip(waiting, times).map { call, arrival in
                let believed = believed(of: call.seat)
                return CallBounds(arrival: arrival, delay: believed.delay, error: believed.error)
            })
    }

    // MARK: What is measured

    /// How far back a seat's presses are believed, in milliseconds, together at most
    /// ``Limits/callMilliseconds``.
    func believed(of seat: Int) -> (delay: Int, error: Int) {
        guard log.genesis.seats[seat].peer != log.genesis.seats[self.seat].peer else { return (0, 0) }
        let known = clocks.indices.contains(seat) ? clocks[seat] : nil
        let error = min(known.map { Self.milliseconds($0.error) } ?? max(0, delay), Limits.callMilliseconds)
        let late = known.map { Self.milliseconds($0.delay) } ?? max(0, delay)
        return (min(late, Limits.callMilliseconds - error), error)
    }

    /// How long calls are gathered from the first on: until one that was pressed at the same moment has come,
    /// from whatever active seat.
    var windowMilliseconds: Int {
        var most = 0
        for other in log.state.seats.indices where isActiveOther(other) {
            let believed = believed(of: other)
            most = max(most, believed.delay + believed.error)
        }
        return most
    }

    /// How long it takes until every active seat may show an entry that is made now, in milliseconds: the
    /// largest delay of a message, and twice that where others have to store it first.
    var showingDelay: Int {
        var most: Int?
        for other in log.state.seats.indices where isActiveOther(other) {
            most = max(most ?? 0, believed(of: other).delay)
        }
        let delay = most ?? max(0, delay)
        return log.state.isQuorum([seat]) ? delay : 2 * delay
    }

    /// Whether a seat takes part that another peer drives.
    private func isActiveOther(_ other: Int) -> Bool {
        log.state.seats[other].status == .active
            && log.genesis.seats[other].peer != log.genesis.seats[seat].peer
    }

    private static func milliseconds(_ duration: Duration) -> Int {
        Int(clamping: (max(0, duration.nanoseconds) + 999_999) / 1_000_000)
    }

    // MARK: The match clock

    /// What tells another seat where the match clock of this sequencer stands.
    var clockMessage: MatchMessage { .clock(epoch: log.state.epoch, zero: clock.zeroMicroseconds) }

    /// The sequencer says where its match clock began on the monotonic clock of its machine.
    mutating func learnClock(epoch: Int, zero: Int, from sender: Int) {
        guard sender == log.state.sequencer, epoch == log.state.epoch, !isRelayed else { return }
        sequencerZero = (sender, epoch, zero)
    }

    /// Brings the estimate of the match clock up to what the link to the sequencer says now.
    mutating func alignClock() {
        guard let said = sequencerZero, said.seat == log.state.sequencer, said.epoch == log.state.epoch,
            said.seat != seat, clocks.indices.contains(said.seat), let link = clocks[said.seat]
        else { return clock.align(nil, within: 0, delay: 0) }
        clock.align(
            (link.offset.nanoseconds - Int64(said.zero) * 1_000), within: Self.milliseconds(link.error),
            delay: Self.milliseconds(link.delay))
    }
}

/// The window in which calls are gathered.
struct CallWindow: Sendable {
    /// When it closes, on the match clock.
    let until: Int
    /// When each call that waits came, in their order.
    var arrivals: [Int] = []
}

/// What a sequencer appends while calls wait.
enum WindowStep {
    case call(Proposal)
    case judge([CallBounds])
}
