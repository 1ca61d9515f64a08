internal import ParlorCrypto

/// One proposal with its place in the log, signed by the sequencer.
public struct Entry: Hashable, Sendable {
    /// Its place, from 0.
    public let index: Int
    /// The hash of the entry before it; of the genesis for the first.
    public let previous: [UInt8]
    /// Milliseconds on the match clock; never less than the entry before.
    public let time: Int
    /// What its author wanted.
    public let proposal: Proposal
    /// Ed25519 of the sequencer over `parlor/entry/1` ‖ the first four items as an array.
    public let signature: [UInt8]
    /// BLAKE2b-256 of what is signed.
    public let hash: [UInt8]
    /// Bytes of ``encoded``.
    let byteCount: Int

    /// Signs an entry.
    public init(index: Int, previous: [UInt8], time: Int, proposal: Proposal, signer: Signer) {
        self.index = index
        self.previous = previous
        self.time = time
        self.proposal = proposal
        let signed = Self.signed(index, previous, time, proposal)
        signature = signer.sign(signed)
        hash = Hash.blake2b256(signed)
        byteCount = Self.byteCount(signed)
    }

    /// The entry as it is sent, stored and exported: an array of five.
    public var encoded: [UInt8] {
        CBOR.array([.int(index), .bytes(previous), .int(time), proposal.cbor, .bytes(signature)]).encoded()
    }

    /// Reads an entry; `nil` when it is none.
    public init?(decoding bytes: [UInt8]) {
        guard bytes.count <= Limits.entryBytesMax, let items = try? CBOR.decode(bytes).array,
            items.count == 5,
            let index = items[0].int, index >= 0, let previous = items[1].bytes, previous.count == 32,
            let time = items[2].int, (0...Limits.matchMillisecondsMax).contains(time),
            let proposal = Proposal(cbor: items[3]),
            let signature = items[4].bytes, signature.count == 64
        else { return nil }
        self.index = index
        self.previous = previous
        self.time = time
        self.proposal = proposal
        self.signature = signature
        let signed = Self.signed(index, previous, time, proposal)
        hash = Hash.blake2b256(signed)
        byteCount = Self.byteCount(signed)
    }

    /// Whether it is a seat's end of its own copy.
    var isAloneEnd: Bool {
        if case .end(_, alone: true, _) = proposal.body { true } else { false }
    }

    /// Whether the sequencer's signature is that of the key.
    public func isSigned(by peer: PeerID, _ signing: Signing) -> Bool {
        signing.verify(signature, Self.signed(index, previous, time, proposal), peer)
    }

    /// What is written differs from what is signed by the label, and by the signature with its head of two
    /// bytes.
    private static func byteCount(_ signed: [UInt8]) -> Int { signed.count - label.count + 2 + 64 }

    private static let label = Array("parlor/entry/1".utf8)

    private static func signed(_ index: Int, _ previous: [UInt8], _ time: Int, _ proposal: Proposal)
        -> [UInt8]
    {
        label + CBOR.array([.int(index), .bytes(previous), .int(time), proposal.cbor]).encoded()
    }
}
