/// What a seat logs in Snap.
///
/// Layouts, as lists: flip `[0]`; a call of Snap `[1, at, flip]`; a call of the pool `[2, at, flip]`. `at` is
/// when the player pressed, in milliseconds on the match clock; `flip` is the number of the newest flip that
/// the screen showed then, 0 before the first.
enum SnapMove: Hashable, Sendable {
    case flip
    case call(SnapCall)

    /// Reads what a log holds; `nil` for anything that is no move.
    init?(_ datum: Datum) {
        guard let parts = datum.elements, let tag = parts.first?.number else { return nil }
        switch (tag, parts.count) {
        case (0, 1): self = .flip
        case (1, 3), (2, 3):
            guard let at = parts[1].number, let flip = parts[2].number else { return nil }
            self = .call(SnapCall(isForPool: tag == 2, at: at, flip: flip))
        default: return nil
        }
    }

    /// What the log will hold.
    var datum: Datum {
        switch self {
        case .flip: .list([.int(0)])
        case .call(let call): .list([.int(call.isForPool ? 2 : 1), .int(call.at), .int(call.flip)])
        }
    }
}

/// A press of Snap, or of the pool's key.
struct SnapCall: Hashable, Sendable {
    let isForPool: Bool
    /// When it was pressed, in milliseconds on the match clock, as the caller claims.
    let at: Int
    /// The flip it answers, as the caller claims.
    let flip: Int
}

/// A call of the newest flip that waits to be judged with others of the same moment.
struct PendingCall: Hashable, Sendable {
    let seat: Int
    let isForPool: Bool
    /// When it was pressed, as the caller claims.
    let at: Int
    /// The time of its entry.
    let time: Int
}

/// What happened last, as the view shows it.
struct SnapNews: Hashable, Sendable {
    enum Kind: String, Sendable {
        case flip, took, wrong, late, ignored, tied, pooled
    }
    let kind: Kind
    let seat: Int
    /// Cards turned, taken, paid, or laid on the pool.
    let cards: Int
    /// Milliseconds from the reveal to the press as it is believed; `nil` where there was no card to react
    /// to.
    let reaction: Int?
}
