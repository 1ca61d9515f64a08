internal import ParlorProtocol

/// A lying seat: its machine is honest, and this stands between the machine and the network.
struct SimLiar: Sendable {
    let seat: Int
    let lie: SimLie
    let signer: Signer
    private var random: SeededGenerator
    /// How many messages were sent; the lie begins after some.
    private var sent = 0
    private let beginsAfter: Int
    private var earlier: [(MatchMessage, Int)] = []

    init(seat: Int, lie: SimLie, signer: Signer, seed: UInt64) {
        self.seat = seat
        self.lie = lie
        self.signer = signer
        random = SeededGenerator(seed: seed)
        beginsAfter = Int.random(in: 0...200, using: &random)
    }

    /// The moment as a seat's clock shows it.
    func clock(of seat: Int, at now: Tick) -> Tick { now }

    /// Whether the liar does as if a message had not come.
    func ignores(_ message: MatchMessage, from sender: Int) -> Bool { false }

    /// What is sent in the place of a message, and to whom.
    mutating func tell(
        _ message: MatchMessage, to receiver: Int, machine: MatchMachine?, _ witness: inout SimWitness
    ) -> [(MatchMessage, Int)] {
        sent += 1
        return [(message, receiver)]
    }
}
