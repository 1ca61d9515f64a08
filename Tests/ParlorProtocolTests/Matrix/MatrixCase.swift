import ParlorProtocol
import ParlorSim

/// One condition under which two linked peers have to hold what the protocol promises.
struct MatrixCase: Sendable {
    /// What goes wrong, and when, in milliseconds of true time.
    enum Fault: Sendable {
        /// All connections are reset.
        case cut(at: Int)
        /// What a node writes to the connections there are vanishes.
        case halfOpen(at: Int, from: Int)
        /// Nothing of a node arrives for so long.
        case stall(at: Int, from: Int, for: Int)
        /// A node's process stands still.
        case freeze(at: Int, Int, for: Int)
        /// The network between the nodes is gone for so long.
        case partition(at: Int, for: Int)
        /// The listener takes no connections for so long.
        case deaf(at: Int, for: Int)

        /// When it is over.
        var end: Int {
            switch self {
            case .cut(let at), .halfOpen(let at, _): at
            case .stall(let at, _, let length), .freeze(let at, _, let length),
                .partition(let at, let length), .deaf(let at, let length):
                at + length
            }
        }
    }

    /// A moment in a connection's life at which it is cut, once.
    enum Phase: String, CaseIterable, Sendable {
        case connecting, securing, helloSent, welcomeSent, midChunk, midAcknowledgement, closing
    }

    /// How much is sent.
    enum Traffic: String, Sendable {
        /// A message every 20 ms, some of them large.
        case busy
        /// One every 700 ms, small.
        case quiet
        /// Two seconds of each in turn.
        case changing
    }

    var name: String
    /// What happens to packets from node 0 to node 1.
    var there: NetworkConditions
    /// And back.
    var back: NetworkConditions
    var traffic = Traffic.busy
    var pace = LinkPace.match
    /// How long messages are sent, in seconds.
    var seconds = 10
    var faults: [Fault] = []
    var phase: Phase?
    var clocks = [SimClock(), SimClock()]
    /// Whether both dial at once.
    var bothDial = false
    /// Whether the link may end without anybody's wish, because the network is gone for too long.
    var mayEnd = false

    init(_ name: String, _ there: NetworkConditions, back: NetworkConditions? = nil) {
        self.name = name
        self.there = there
        self.back = back ?? there
    }

    /// A changed copy.
    func with(_ change: (inout MatrixCase) -> Void) -> MatrixCase {
        var copy = self
        change(&copy)
        return copy
    }

    /// When nothing goes wrong any more and nothing is sent.
    var end: Duration {
        .milliseconds(max(seconds * 1_000, faults.map(\.end).max() ?? 0))
    }

    /// Within so much after ``end``, every message has come or its link has ended, by the limits.
    var settleWait: Duration {
        let comesBack =
            Limits.lostWaitIdle + Limits.resumeWait + Limits.redialOtherWait + Limits.greetingWait * 3
        // What may be queued then, at the rate, and the longest that a packet is lost.
        let rate = min(there.bytesPerSecond ?? 10_000_000, back.bytesPerSecond ?? 10_000_000)
        return comesBack + .seconds(Limits.linkHeldBytesMax / 8 / rate) + .milliseconds(6_200) * 2
    }
}

extension MatrixCase {
    /// All of them; a number in a failure is an index here.
    static let all: [MatrixCase] =
        grid + presets + rates + oneSided + stalls + phases + halves + partitions + freezes + clockCases
        + others

    private static let grid: [MatrixCase] = [0, 0.01, 0.05, 0.15, 0.25].flatMap { loss in
        [0, 20, 100, 300].map { delay in
            let conditions = NetworkConditions(
                delay: .milliseconds(delay), jitter: .milliseconds(delay / 2 + 3), loss: loss,
                duplicate: loss > 0 ? 0.03 : 0, reorder: loss / 2)
            return MatrixCase("loss \(loss), delay \(delay) ms", conditions).with {
                $0.traffic = delay == 20 ? .quiet : delay == 100 ? .changing : .busy
            }
        }
    }

    private static let named: [(String, NetworkConditions)] = [
        ("loopback", .loopback), ("lan", .lan), ("wifi", .wifi), ("bad wifi", .badWifi),
        ("congested", .congested),
    ]

    private static let presets = named.flatMap { name, conditions in
        [LinkPace.match, .idle].map { pace in
            MatrixCase("\(name), \(pace.rawValue)", conditions).with {
                $0.pace = pace
                $0.traffic = pace == .idle ? .quiet : .busy
            }
        }
    }

    private static let rates = [20_000, 100_000, 1_000_000].map { (rate: Int) in
        MatrixCase(
            "\(rate) bytes a second", NetworkConditions(delay: .milliseconds(10), bytesPerSecond: rate))
    }

    private static let oneSided: [MatrixCase] = [
        MatrixCase("lossy there", NetworkConditions(loss: 0.2), back: .lan),
        MatrixCase("lossy back", .lan, back: NetworkConditions(loss: 0.2)),
        MatrixCase("slow back", .lan, back: NetworkConditions(delay: .milliseconds(250))),
        MatrixCase("doubled", NetworkConditions(delay: .milliseconds(5), duplicate: 0.5)),
        MatrixCase("overtaken", NetworkConditions(delay: .milliseconds(5), reorder: 0.3)),
    ]

    private static let stalls = [300, 800, 2_500, 7_000].flatMap { length in
        [LinkPace.match, .idle].map { pace in
            MatrixCase("stalled for \(length) ms, \(pace.rawValue)", .wifi).with {
                $0.pace = pace
                $0.faults = [
                    .stall(at: 2_000, from: 0, for: length), .stall(at: 2_100, from: 1, for: length),
                ]
            }
        }
    }

    private static let phases = Phase.allCases.flatMap { phase in
        [("lan", NetworkConditions.lan), ("wifi", .wifi), ("congested", .congested)].map { name, conditions in
            MatrixCase("cut while \(phase.rawValue), \(name)", conditions).with {
                $0.phase = phase
                // A dialler that has not read its welcome has no link to come back to.
                $0.mayEnd = phase == .closing || phase == .welcomeSent
                $0.seconds = 5
            }
        }
    }

    private static let halves: [MatrixCase] = [LinkPace.match, .idle].flatMap { pace in
        [[0], [1], [0, 1]].map { senders in
            MatrixCase("half-open from \(senders), \(pace.rawValue)", .wifi).with {
                $0.pace = pace
                $0.faults = senders.map { .halfOpen(at: 3_000, from: $0) }
            }
        }
    }

    private static let partitions =
        [500, 3_000, 10_000, 22_000].map { length in
            MatrixCase("parted for \(length) ms", .wifi).with {
                $0.faults = [.partition(at: 2_000, for: length)]
                $0.traffic = .changing
            }
        } + [
            MatrixCase("parted for longer than a link is kept", .wifi).with {
                $0.faults = [.partition(at: 2_000, for: 60_000)]
                $0.traffic = .quiet
                $0.mayEnd = true
            }
        ]

    private static let freezes: [MatrixCase] = [0, 1].flatMap { node in
        [700, 4_000, 20_000].map { length in
            MatrixCase("node \(node) stands still for \(length) ms", .wifi).with {
                $0.faults = [.freeze(at: 2_500, node, for: length)]
                $0.traffic = .changing
            }
        }
    }

    private static let clockCases: [MatrixCase] = [
        (0, 100), (100, -100), (-100, 100), (90, 90),
    ].map { drifts in
        MatrixCase("clocks that drift by \(drifts)", .wifi).with {
            $0.clocks = [
                SimClock(
                    offset: Tick(nanoseconds: 3_600_000_000_000), driftPartsPerMillion: Int64(drifts.0)),
                SimClock(offset: Tick(nanoseconds: 17_000), driftPartsPerMillion: Int64(drifts.1)),
            ]
            $0.seconds = 40
            $0.traffic = .changing
        }
    }

    private static let others: [MatrixCase] = [
        MatrixCase("both dial, lan", .lan).with { $0.bothDial = true },
        MatrixCase("both dial, congested", .congested).with { $0.bothDial = true },
        MatrixCase("cut again and again", .wifi).with {
            $0.faults = (1...8).map { .cut(at: $0 * 1_300) }
        },
        MatrixCase("cut again and again, far away", .congested).with {
            $0.faults = (1...5).map { .cut(at: $0 * 2_100) }
        },
        MatrixCase("cut, and the listener is deaf for 9 s", .lan).with {
            $0.faults = [.deaf(at: 3_000, for: 9_000), .cut(at: 3_000)]
        },
    ]
}
