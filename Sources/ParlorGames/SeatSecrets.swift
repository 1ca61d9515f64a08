/// What only a seat's own machine knows, as pure functions over the seat's secret for this match.
///
/// Everything a seat hides (salts, chain links, a word) is derived from one secret or sealed into the log, so
/// a machine that has its identity and the log has all of it again. Same arguments, same result: no chance is
/// used.
public struct SeatSecrets: Sendable {
    /// The seat these belong to.
    public let seat: Int
    /// 32 bytes for a label that only this seat can compute; labels must not repeat for different purposes.
    public let derive: @Sendable (_ label: [UInt8]) -> [UInt8]
    /// Seals a plaintext so that only the given seat's machine (possibly this one) can open it; `nil` for a
    /// seat without a key.
    public let seal: @Sendable (_ plaintext: [UInt8], _ seat: Int) -> [UInt8]?
    /// Opens what the given seat sealed for this one; `nil` when it is damaged or was for somebody else.
    public let open: @Sendable (_ sealed: [UInt8], _ seat: Int) -> [UInt8]?
    /// This seat's own link for a draw, from 1.
    public let link: @Sendable (_ draw: Int) -> [UInt8]

    /// Makes a seat's secrets.
    public init(
        seat: Int, derive: @escaping @Sendable ([UInt8]) -> [UInt8],
        seal: @escaping @Sendable ([UInt8], Int) -> [UInt8]?,
        open: @escaping @Sendable ([UInt8], Int) -> [UInt8]?,
        link: @escaping @Sendable (Int) -> [UInt8]
    ) {
        self.seat = seat
        self.derive = derive
        self.seal = seal
        self.open = open
        self.link = link
    }
}
