internal import ParlorCrypto
internal import ParlorGames

/// The negotiation by random numbers of who goes first: commit, reveal, compare.
public struct Draw: Hashable, Sendable {
    /// A seat's number of a round.
    public struct Number: Hashable, Sendable {
        /// The seat.
        public let seat: Int
        /// 0 to 999.
        public let number: Int
    }

    /// Numbers are 0 ..< this.
    public static let numbers = 1_000

    /// The round that is on, from 0; every restart and every tie begins another.
    public private(set) var round = 0
    /// The seats that draw in this round, lowest first.
    public private(set) var seats: [Int]
    /// Milliseconds on the match clock when the seats were asked for what they now owe.
    public private(set) var since: Int
    /// The rounds that counted.
    public private(set) var rounds: [[Number]] = []
    /// Who goes first; `nil` until decided.
    public private(set) var first: Int?
    private var commitments: [[UInt8]?]
    private var nonces: [[UInt8]?]

    /// Begins the draw among these seats.
    ///
    /// One seat alone goes first without drawing.
    public init(seats: [Int], at time: Int) {
        self.seats = seats
        since = time
        commitments = Array(repeating: nil, count: Limits.seatsMax)
        nonces = commitments
        if seats.count == 1 { first = seats[0] }
    }

    /// Whether the seats have all committed, so that nonces may be shown.
    public var isRevealing: Bool { first == nil && seats.allSatisfy { commitments[$0] != nil } }

    /// The seats that the draw waits for.
    public var owing: [Int] {
        guard first == nil else { return [] }
        let given = isRevealing ? nonces : commitments
        return seats.filter { given[$0] == nil }
    }

    /// The commitment to a nonce: BLAKE2b-256(`parlor/draw/1` ‖ match ‖ round u8 ‖ seat u8 ‖ nonce).
    public static func commitment(match: MatchID, round: Int, seat: Int, nonce: [UInt8]) -> [UInt8] {
        let place = [UInt8(truncatingIfNeeded: round), UInt8(truncatingIfNeeded: seat)]
        return Hash.blake2b256(Array("parlor/draw/1".utf8) + match.bytes + place + nonce)
    }

    /// A seat's number, 0 to 999, by rejection over
    /// BLAKE2b-256(`parlor/draw-number/1` ‖ match ‖ round u8 ‖ seat u8 ‖ attempt u8 ‖ all nonces in seat
    /// order).
    public static func number(match: MatchID, round: Int, seat: Int, nonces: [[UInt8]]) -> Int {
        let place = [UInt8(truncatingIfNeeded: round), UInt8(truncatingIfNeeded: seat)]
        let prefix = Array("parlor/draw-number/1".utf8) + match.bytes + place
        let all = nonces.flatMap { $0 }
        return Chance.uniform(among: numbers) { attempt in Hash.blake2b256(prefix + [attempt] + all) }
    }

    /// A seat commits.
    mutating func commit(_ commitment: [UInt8], round: Int, seat: Int, at time: Int) throws(LogFault) {
        guard first == nil, round == self.round, seats.contains(seat), commitments[seat] == nil else {
            throw LogFault(.illegal, "seat \(seat) has nothing to commit to in round \(round)")
        }
        commitments[seat] = commitment
        if isRevealing { since = time }
    }

    /// A seat reveals; returns whether the nonce is the one it committed to.
    mutating func reveal(_ nonce: [UInt8], round: Int, seat: Int, match: MatchID, at time: Int)
        throws(LogFault)
        -> Bool
    {
        guard isRevealing, round == self.round, seats.contains(seat), nonces[seat] == nil else {
            throw LogFault(.illegal, "seat \(seat) has nothing to reveal in round \(round)")
        }
        guard Self.commitment(match: match, round: round, seat: seat, nonce: nonce) == commitments[seat]
        else {
            return false
        }
        nonces[seat] = nonce
        if owing.isEmpty { decide(match: match, at: time) }
        return true
    }

    /// Begins again among the seats that are left.
    mutating func restart(among seats: [Int], at time: Int) {
        rounds = []
        next(among: seats, at: time)
        if seats.count == 1 || round > Limits.drawRoundMax { first = seats[0] }
    }

    private mutating func decide(match: MatchID, at time: Int) {
        let all = seats.compactMap { nonces[$0] }
        let numbers = seats.map { seat in
            Number(seat: seat, number: Self.number(match: match, round: round, seat: seat, nonces: all))
        }
        rounds.append(numbers)
        let highest = numbers.map(\.number).max()
        let tied = numbers.filter { $0.number == highest }.map(\.seat)
        if tied.count == 1 || round == Limits.drawRoundMax {
            first = tied[0]
        } else {
            next(among: tied, at: time)
        }
    }

    private mutating func next(among seats: [Int], at time: Int) {
        round += 1
        self.seats = seats
        since = time
        for index in commitments.indices {
            commitments[index] = nil
            nonces[index] = nil
        }
    }

    /// Writes what decides the draw's future, for the state hash.
    func encode(into bytes: inout StateBytes) {
        bytes.write(round)
        bytes.write(since)
        bytes.write(first ?? -1)
        bytes.write(seats.count)
        for seat in seats { bytes.write(seat) }
        for seat in commitments.indices {
            bytes.write(commitments[seat] ?? [])
            bytes.write(nonces[seat] ?? [])
        }
        for numbers in rounds {
            for number in numbers {
                bytes.write(number.seat)
                bytes.write(number.number)
            }
        }
    }
}
