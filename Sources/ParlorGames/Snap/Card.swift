/// A playing card, or one that nobody has seen.
///
/// A card's number is rank x 4 + suit, ranks in the order `A 2-9 T J Q K`, suits in the order `S H D C`.
struct Card: Hashable, Sendable {
    /// Cards of a pack.
    static let count = 52
    /// A card that was never turned: which one it is, is not decided yet.
    static let unknown = Card(number: 0xFF)

    /// `0 ..< 52`, or 255 for a card never turned.
    let number: UInt8

    var isKnown: Bool { number < Self.count }

    /// Whether two known cards are equal in rank.
    func pairs(with other: Card) -> Bool { isKnown && other.isKnown && number >> 2 == other.number >> 2 }

    /// The name that views show: `QS`, `TD`; `nil` for a card never turned.
    var name: String? { isKnown ? Self.names[Int(number)] : nil }

    private static let names: [String] = "A23456789TJQK".flatMap { rank in "SHDC".map { "\(rank)\($0)" } }
}

/// The cards that were never turned, in the order of their numbers: what a draw chooses among.
struct UnseenCards: Sendable {
    /// One bit a card.
    private(set) var bits: UInt64 = 1 << UInt64(Card.count) - 1

    var count: Int { bits.nonzeroBitCount }

    /// Takes out the card at a place among those left, `0 ..< count`.
    mutating func take(at place: Int) -> Card {
        var above = bits
        for _ in 0..<place { above &= above &- 1 }
        let number = above.trailingZeroBitCount
        bits &= ~(1 << UInt64(number))
        return Card(number: UInt8(truncatingIfNeeded: number))
    }
}
