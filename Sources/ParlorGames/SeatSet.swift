/// A set of seats, small enough to copy for nothing; any number may be asked for, however wrong.
///
/// Inlined into what asks it: machines do with every input, and the calls alone took longer.
public struct SeatSet: Hashable, Sendable, ExpressibleByArrayLiteral {
    /// Seats that a match can have at most.
    @inlinable static var seatsMost: Int { 4 }
    /// One bit a seat.
    @usableFromInline var bits: UInt8 = 0

    /// Makes a set of the seats that a match can have; other numbers are left out.
    @inlinable public init(_ seats: [Int] = []) {
        for seat in seats { insert(seat) }
    }

    /// Makes a set of the seats that a match can have; other numbers are left out.
    @inlinable public init(arrayLiteral seats: Int...) { self.init(seats) }

    /// Whether no seat is in it.
    @inlinable public var isEmpty: Bool { bits == 0 }
    /// How many seats are in it.
    @inlinable public var count: Int { bits.nonzeroBitCount }
    /// The lowest seat.
    var lowest: Int? { isEmpty ? nil : bits.trailingZeroBitCount }
    /// The seats, lowest first.
    @inlinable public var seats: [Int] { (0..<Self.seatsMost).filter(contains) }

    /// Whether a seat is in it.
    @inlinable public func contains(_ seat: Int) -> Bool {
        (0..<Self.seatsMost).contains(seat) && bits & (1 << UInt8(truncatingIfNeeded: seat)) != 0
    }

    /// Puts a seat in; other numbers are left out.
    @inlinable public mutating func insert(_ seat: Int) {
        guard (0..<Self.seatsMost).contains(seat) else { return }
        bits |= 1 << UInt8(truncatingIfNeeded: seat)
    }

    /// Takes a seat out.
    @inlinable public mutating func remove(_ seat: Int) {
        guard (0..<Self.seatsMost).contains(seat) else { return }
        bits &= ~(1 << UInt8(truncatingIfNeeded: seat))
    }

    mutating func removeAll() { bits = 0 }
}

/// Which seats play, which of them are away, which have left.
struct Attendance: Hashable, Sendable {
    /// Seats of the match, `0 ..< seats`.
    let seats: Int
    /// Those that have not left.
    private(set) var staying: SeatSet
    /// Those of them whose link is lost for now.
    private(set) var away = SeatSet()

    init(_ setup: GameSetup) {
        seats = min(max(setup.seats, 1), SeatSet.seatsMost)
        let seats = seats
        staying = SeatSet(setup.players.filter { $0 < seats })
    }

    /// Refuses a seat that never played or has left.
    func check(_ seat: Int) throws(Refusal) {
        guard staying.contains(seat) else {
            throw Refusal(.notInMatch, "seat \(seat) is not in this match, or has left it")
        }
    }

    /// Notes that a seat's link is lost.
    mutating func goAway(_ seat: Int) throws(Refusal) {
        try check(seat)
        guard !away.contains(seat) else { throw Refusal(.illegalMove, "seat \(seat) is away already") }
        away.insert(seat)
    }

    /// Notes that a seat is here again.
    mutating func comeBack(_ seat: Int) throws(Refusal) {
        try check(seat)
        guard away.contains(seat) else { throw Refusal(.illegalMove, "seat \(seat) is here already") }
        away.remove(seat)
    }

    /// Notes that a seat has left for good.
    mutating func leave(_ seat: Int) throws(Refusal) {
        try check(seat)
        staying.remove(seat)
        away.remove(seat)
    }

    func encode(into bytes: inout StateBytes) {
        bytes.write(seats)
        bytes.write(Int(staying.bits))
        bytes.write(Int(away.bits))
    }
}

/// Adds milliseconds to a moment without ever trapping, whatever the moment claims to be.
func later(_ moment: Int, by milliseconds: Int) -> Int {
    let (sum, overflow) = moment.addingReportingOverflow(milliseconds)
    return overflow ? Int.max : sum
}
