/// One seat's link of its hash chain for one draw.
public struct SeatLink: Hashable, Sendable {
    /// The seat.
    public let seat: Int
    /// The link, 32 bytes.
    public let link: [UInt8]

    /// Makes a seat's link.
    public init(seat: Int, link: [UInt8]) {
        self.seat = seat
        self.link = link
    }
}

/// Chance that nobody has to be trusted for; see PROTOCOL.md, "Chance".
///
/// Each seat commits to the end of a hash chain, and draw `k` opens element `N - k` of every chain.
public enum Chance {
    /// `N`: how many draws a chain is good for.
    public static let chainLinks = 256
    /// Bytes of a link.
    public static let linkBytes = 32
    private static let chainLabel = Array("parlor/chain/1".utf8)
    private static let valueLabel = Array("parlor/chance/1".utf8)

    /// The element after a link: BLAKE2b-256(`parlor/chain/1` ‖ link).
    public static func next(_ link: [UInt8], hash: HashFunction) -> [UInt8] { hash(chainLabel + link) }

    /// Element `index` of the chain that begins with `first` (element 0).
    public static func element(_ index: Int, from first: [UInt8], hash: HashFunction) -> [UInt8] {
        guard index > 0 else { return first }
        var input = chainLabel + first
        for _ in 1..<index { input.replaceSubrange(chainLabel.count..., with: hash(input)) }
        return hash(input)
    }

    /// All elements of the chain that begins with `first`, one after the other, from that one to the end.
    public static func chain(from first: [UInt8], hash: HashFunction) -> [UInt8] {
        var chain: [UInt8] = []
        chain.reserveCapacity((chainLinks + 1) * linkBytes)
        chain += first
        var input = chainLabel + first
        for _ in 0..<chainLinks {
            input.replaceSubrange(chainLabel.count..., with: hash(input))
            chain += input[chainLabel.count...]
        }
        return chain
    }

    /// Whether `link` is the one that draw `draw` (from 1) needs of the chain ending in `end`.
    public static func holds(_ link: [UInt8], draw: Int, end: [UInt8], hash: HashFunction) -> Bool {
        guard (1...chainLinks).contains(draw), link.count == linkBytes, end.count == linkBytes else {
            return false
        }
        return element(draw, from: link, hash: hash) == end
    }

    /// The joint uniform choice of a draw, `0 ..< among`.
    ///
    /// The value is BLAKE2b-256(`parlor/chance/1` ‖ match ‖ draw u32 ‖ attempt u8 ‖ links in seat order); its
    /// first eight bytes, big-endian, are taken modulo `among` unless they lie in the last, incomplete run of
    /// `among` values, in which case the next attempt is hashed.
    ///
    /// `among` is at least 1; `links` has one for each seat of the draw, lowest seat first.
    public static func choose(
        among: Int, match: [UInt8], draw: Int, links: [SeatLink], hash: HashFunction
    ) -> Int {
        uniform(among: among) { attempt in
            var input = valueLabel + match
            for shift in stride(from: 24, through: 0, by: -8) {
                input.append(UInt8(truncatingIfNeeded: draw >> shift))
            }
            input.append(attempt)
            for seatLink in links { input += seatLink.link }
            return hash(input)
        }
    }

    /// A uniform choice `0 ..< among` by rejection: the first eight bytes, big-endian, of the hash of each
    /// attempt.
    ///
    /// After 255 rejections (less likely than 2^-255 for any `among` below 2^63) the last value is taken as
    /// it is.
    public static func uniform(among: Int, _ attempt: (UInt8) -> [UInt8]) -> Int {
        precondition(among >= 1, "a choice among \(among)")
        let bound = UInt64(among)
        let last = UInt64.max - (UInt64.max % bound + 1) % bound  // the last value of the last complete run
        var value: UInt64 = 0
        for number in UInt8.min...UInt8.max {
            value = attempt(number).prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
            if value <= last { break }
        }
        return Int(value % bound)
    }
}
