/// Puts the pieces of a link's unreliable messages together, and lets through what is whole, in time, and in
/// order within its key.
struct UnreliableReceiver: Sendable {
    /// A message of which some pieces have come.
    private struct Partial {
        /// The piece that came first; all others differ by their index alone.
        let first: UnreliableMessage.Fragment
        /// From when on the message is late.
        let expires: Tick
        /// Which pieces have come, as bits.
        var arrived: UInt16
        /// The content of each piece; empty until it has come.
        var pieces: [[UInt8]]

        var isWhole: Bool { arrived.nonzeroBitCount == Int(first.count) }
    }

    /// What became of a piece.
    enum Taken: Equatable {
        /// It made a message whole.
        case message([UInt8])
        /// It waits for others, or belongs to a message that has been dropped before.
        case nothing
        /// It contradicts the pieces that have come.
        case malformed
    }

    /// The newest message without a key that was let through; 0 before the first.
    private var newestUnkeyed: UInt64 = 0
    /// The newest message of each key that is remembered.
    private var newestOfKey: [UInt32: UInt64] = [:]
    /// No message up to here is let through under a key that is not remembered.
    private var floor: UInt64 = 0
    private var partials: [Partial] = []
    /// Messages in several pieces that were dropped last; further pieces of them are ignored.
    private var gone = InlineArray<16, UInt64>(repeating: 0)
    private var nextGone = 0
    private(set) var dropped = UnreliableStatistics.Dropped()

    /// When a message of which some pieces have come will be late.
    var deadline: Tick? {
        partials.isEmpty ? nil : partials.lazy.map(\.expires).min()
    }

    /// Takes a piece.
    ///
    /// - Parameters:
    ///   - fragment: Which piece it is.
    ///   - content: What it holds.
    ///   - expires: From when on the message is late, by our clock.
    ///   - now: The monotonic clock.
    /// - Returns: What became of it.
    mutating func take(
        _ fragment: UnreliableMessage.Fragment, _ content: [UInt8], expires: Tick, at now: Tick
    ) -> Taken {
        if fragment.count > 1, isGone(fragment.number) { return .nothing }
        guard fragment.number > newest(of: fragment.key) else {
            dropped.overtaken += 1
            forget(fragment)
            return .nothing
        }
        guard now <= expires else {
            dropped.late += 1
            partials.removeAll { $0.first.number == fragment.number }
            forget(fragment)
            return .nothing
        }
        guard fragment.count > 1 else { return .message(letThrough(fragment, content)) }
        return assemble(fragment, content, expires: expires)
    }

    /// Drops messages of which the missing pieces would be late.
    mutating func expire(at now: Tick) {
        guard let deadline, deadline < now else { return }
        for partial in partials where partial.expires < now { drop(partial.first) }
        partials.removeAll { $0.expires < now }
    }

    // MARK: Pieces

    private mutating func assemble(
        _ fragment: UnreliableMessage.Fragment, _ content: [UInt8], expires: Tick
    ) -> Taken {
        let place = partials.firstIndex { $0.first.number == fragment.number } ?? begin(fragment, expires)
        guard let place else { return .nothing }
        var expected = partials[place].first
        expected.index = fragment.index
        let bit: UInt16 = 1 << UInt16(fragment.index)
        guard expected == fragment, partials[place].arrived & bit == 0 else { return .malformed }
        partials[place].arrived |= bit
        partials[place].pieces[Int(fragment.index)] = content
        guard partials[place].isWhole else { return .nothing }
        let whole = partials.remove(at: place)
        var message: [UInt8] = []
        message.reserveCapacity(whole.pieces.reduce(0) { $0 + $1.count })
        for piece in whole.pieces { message += piece }
        return .message(letThrough(whole.first, message))
    }

    /// Makes a place for a message in several pieces, dropping the oldest where there are too many; `nil`
    /// when that is the new one.
    private mutating func begin(_ fragment: UnreliableMessage.Fragment, _ expires: Tick) -> Int? {
        if partials.count == Limits.reassembliesMax,
            let oldest = partials.indices.min(by: { partials[$0].first.number < partials[$1].first.number })
        {
            guard partials[oldest].first.number < fragment.number else {
                drop(fragment)
                return nil
            }
            drop(partials.remove(at: oldest).first)
        }
        let none = [[UInt8]](repeating: [], count: Int(fragment.count))
        partials.append(Partial(first: fragment, expires: expires, arrived: 0, pieces: none))
        return partials.count - 1
    }

    private mutating func drop(_ fragment: UnreliableMessage.Fragment) {
        dropped.incomplete += 1
        forget(fragment)
    }

    private func isGone(_ number: UInt64) -> Bool {
        for place in gone.indices where gone[place] == number { return true }
        return false
    }

    private mutating func forget(_ fragment: UnreliableMessage.Fragment) {
        guard fragment.count > 1 else { return }
        gone[nextGone] = fragment.number
        nextGone = (nextGone + 1) % gone.count
    }

    // MARK: Order

    /// The newest message of a sequence that may have been let through.
    private func newest(of key: UInt32?) -> UInt64 {
        guard let key else { return newestUnkeyed }
        return newestOfKey[key] ?? floor
    }

    /// Notes that a message is let through; older ones of its sequence are dropped from now on.
    private mutating func letThrough(
        _ fragment: UnreliableMessage.Fragment, _ message: [UInt8]
    ) -> [UInt8] {
        if let key = fragment.key {
            if newestOfKey[key] == nil, newestOfKey.count == Limits.unreliableKeysMax { forgetOldestKey() }
            newestOfKey[key] = fragment.number
        } else {
            newestUnkeyed = fragment.number
        }
        guard !partials.isEmpty else { return message }
        for partial in partials where Self.isOvertaken(partial, by: fragment) {
            dropped.overtaken += 1
            forget(partial.first)
        }
        partials.removeAll { Self.isOvertaken($0, by: fragment) }
        return message
    }

    private static func isOvertaken(_ partial: Partial, by fragment: UnreliableMessage.Fragment) -> Bool {
        partial.first.key == fragment.key && partial.first.number < fragment.number
    }

    /// Forgets the key with the oldest newest message, and with it that and every message before.
    private mutating func forgetOldestKey() {
        guard let oldest = newestOfKey.min(by: { $0.value < $1.value }) else { return }
        newestOfKey[oldest.key] = nil
        floor = max(floor, oldest.value)
    }
}
