/// A seat's word that it follows another as the sequencer of an epoch, and what it has stored by then.
///
/// A seat gives one an epoch, and after that stores nothing of a lower one.
public struct Vote: Hashable, Sendable {
    /// Who votes.
    public let seat: Int
    /// The epoch it votes for.
    public let epoch: Int
    /// The seat that is to be its sequencer.
    public let candidate: Int
    /// The epoch of the last entry that the voter has stored.
    public let lastEpoch: Int
    /// How many entries it has stored.
    public let length: Int
    /// Ed25519 of the voter's peer over `parlor/vote/1` ‖ the array of match and the members above.
    public let signature: [UInt8]

    /// Signs a vote.
    public init(
        match: MatchID, seat: Int, epoch: Int, candidate: Int, lastEpoch: Int, length: Int, signer: Signer
    ) {
        self.seat = seat
        self.epoch = epoch
        self.candidate = candidate
        self.lastEpoch = lastEpoch
        self.length = length
        signature = signer.sign(Self.signed(match, [seat, epoch, candidate, lastEpoch, length]))
    }

    /// Whether the signature is that of the key.
    public func isSigned(for match: MatchID, by peer: PeerID, _ signing: Signing) -> Bool {
        signing.verify(signature, Self.signed(match, [seat, epoch, candidate, lastEpoch, length]), peer)
    }

    /// The vote as sent: all its members.
    var cbor: CBOR {
        [.int(seat), .int(epoch), .int(candidate), .int(lastEpoch), .int(length), .bytes(signature)]
    }

    /// Reads a vote; `nil` when it is none.
    init?(cbor: CBOR) {
        guard let items = cbor.array, items.count == 6, let epoch = items[1].int,
            let candidate = items[2].int,
            let vote = Vote(
                inEntry: .array([items[0], items[3], items[4], items[5]]), epoch: epoch, candidate: candidate)
        else { return nil }
        self = vote
    }

    /// The vote as it stands in an entry, which says the epoch and the candidate itself.
    var inEntry: CBOR { [.int(seat), .int(lastEpoch), .int(length), .bytes(signature)] }

    /// Reads a vote of an entry; `nil` when it is none.
    init?(inEntry cbor: CBOR, epoch: Int, candidate: Int) {
        guard let items = cbor.array, items.count == 4, let seat = items[0].int,
            let lastEpoch = items[1].int,
            let length = items[2].int, let signature = items[3].bytes, signature.count == 64,
            (0..<Limits.seatsMax).contains(seat), (0..<Limits.seatsMax).contains(candidate),
            (1...Limits.epochMax).contains(epoch), (0..<epoch).contains(lastEpoch),
            (0...Limits.entriesMax).contains(length)
        else { return nil }
        self.seat = seat
        self.epoch = epoch
        self.candidate = candidate
        self.lastEpoch = lastEpoch
        self.length = length
        self.signature = signature
    }

    private static func signed(_ match: MatchID, _ numbers: [Int]) -> [UInt8] {
        let items: [CBOR] = [.bytes(match.bytes)] + numbers.map { .int($0) }
        return Array("parlor/vote/1".utf8) + CBOR.array(items).encoded()
    }
}
