/// One of the two piles of a seat, or the pool.
struct PileID: Hashable, Sendable {
    let index: Int

    /// Face down.
    static func closed(_ seat: Int) -> PileID { PileID(index: seat) }
    /// Face up.
    static func open(_ seat: Int) -> PileID { PileID(index: seat + SeatSet.seatsMost) }
    /// Face up in the middle, for everybody.
    static var pool: PileID { PileID(index: 2 * SeatSet.seatsMost) }
}

/// The piles of all seats and the pool, each a ring with room for a whole pack, in one buffer that is never
/// allocated again.
struct Piles: Sendable {
    private static let room = 64
    private static let piles = 2 * SeatSet.seatsMost + 1
    private var cards = [Card](repeating: .unknown, count: room * piles)
    private var heads = InlineArray<9, UInt8>(repeating: 0)
    private var counts = InlineArray<9, UInt8>(repeating: 0)

    func count(_ pile: PileID) -> Int { Int(counts[pile.index]) }
    func isEmpty(_ pile: PileID) -> Bool { counts[pile.index] == 0 }
    func top(_ pile: PileID) -> Card? { isEmpty(pile) ? nil : self[pile, 0] }

    /// The card at a depth, 0 for the top, `0 ..< count`.
    subscript(pile: PileID, depth: Int) -> Card { cards[place(pile, depth)] }

    private func place(_ pile: PileID, _ depth: Int) -> Int {
        pile.index * Self.room + (Int(heads[pile.index]) + depth) & (Self.room - 1)
    }

    mutating func addTop(_ card: Card, to pile: PileID) {
        heads[pile.index] = UInt8(truncatingIfNeeded: (Int(heads[pile.index]) - 1) & (Self.room - 1))
        counts[pile.index] += 1
        cards[place(pile, 0)] = card
    }

    mutating func addBottom(_ card: Card, to pile: PileID) {
        cards[place(pile, count(pile))] = card
        counts[pile.index] += 1
    }

    mutating func takeTop(of pile: PileID) -> Card? {
        guard let card = top(pile) else { return nil }
        heads[pile.index] = UInt8(truncatingIfNeeded: (Int(heads[pile.index]) + 1) & (Self.room - 1))
        counts[pile.index] -= 1
        return card
    }

    /// Puts a face-up pile, but for its `keeping` top cards, under a closed one, turned over as a block: its
    /// oldest card comes up first.
    mutating func turnOver(_ open: PileID, under closed: PileID, keeping: Int = 0) {
        let depths = count(open)
        guard depths > keeping else { return }
        for depth in stride(from: depths - 1, through: keeping, by: -1) {
            addBottom(self[open, depth], to: closed)
        }
        counts[open.index] = UInt8(truncatingIfNeeded: keeping)
    }

    /// Puts a face-up pile on another as it lies.
    mutating func lay(_ open: PileID, on other: PileID) {
        for depth in stride(from: count(open) - 1, through: 0, by: -1) {
            addTop(self[open, depth], to: other)
        }
        counts[open.index] = 0
    }

    func encode(_ pile: PileID, into bytes: inout StateBytes) {
        bytes.write(count(pile))
        for depth in 0..<count(pile) { bytes.write(byte: self[pile, depth].number) }
    }
}
