/// How often a room's code was tried without success: by each address, and in all.
///
/// A try counts from the moment at which the host sends its share, because from then on the guest can check
/// one code, and is taken back when the guest confirms the right one.
struct CodeTries: Sendable {
    private struct Line: Sendable {
        var count: Int
        /// When it last began one.
        var last: Tick
    }

    private var lines: [String: Line] = [:]
    private var all = 0

    /// How many addresses are remembered.
    var addresses: Int { lines.count }
    /// Whether so many were wrong that the room needs another code.
    var areUsedUp: Bool { all >= Limits.codeTriesMax }

    /// How long an address has to wait before its next try; `nil`: not at all.
    func wait(of address: String, at now: Tick) -> Duration? {
        guard let line = lines[address], line.count >= Limits.codeTriesOfAddress else { return nil }
        let next = line.last + Limits.codeTryInterval
        return now < next ? next - now : nil
    }

    /// How many more an address has before it has to wait between them.
    func left(to address: String) -> Int {
        max(0, Limits.codeTriesOfAddress - (lines[address]?.count ?? 0))
    }

    /// A try of an address begins.
    mutating func begin(_ address: String, at now: Tick) {
        if lines[address] == nil, lines.count >= Limits.codeAddressesMax,
            let oldest = lines.min(by: { ($0.value.last, $0.key) < ($1.value.last, $1.key) })?.key
        {
            lines[oldest] = nil
        }
        lines[address, default: Line(count: 0, last: now)].count += 1
        lines[address]?.last = now
        all += 1
    }

    /// A try of an address under the present code was right after all.
    mutating func takeBack(_ address: String) {
        all -= 1
        guard let line = lines[address] else { return }
        lines[address] = line.count > 1 ? Line(count: line.count - 1, last: line.last) : nil
    }

    /// There is another code: the count in all begins anew, but an address that has to wait still has to.
    mutating func restart() { all = 0 }
}
