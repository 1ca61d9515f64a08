internal import ParlorCrypto

/// One proposal with its place in the log, signed by the sequencer.
public struct Entry: Hashable, Sendable {
    /// What an entry is, in one place: entries are handed about much more often than made.
    private final class Content: Sendable {
        let index: Int
        let previous: [UInt8]
        let time: Int
        let proposal: Proposal
        let signature: [UInt8]
        let hash: [UInt8]
        /// What is signed: the label, then the head of an array of four, then the first four items.
        let signed: [UInt8]

        init(
            _ index: Int, _ previous: [UInt8], _ time: Int, _ proposal: Proposal,
            sign: ([UInt8]) -> [UInt8]
        ) {
            self.index = index
            self.previous = previous
            self.time = time
            self.proposal = proposal
            signed = Entry.signed(index, previous, time, proposal)
            signature = sign(signed)
            hash = Hash.blake2b256(signed)
        }
    }

    private let content: Content
    /// Its place, from 0.
    public var index: Int { content.index }
    /// The hash of the entry before it; of the genesis for the first.
    public var previous: [UInt8] { content.previous }
    /// Milliseconds on the match clock; never less than the entry before.
    public var time: Int { content.time }
    /// What its author wanted.
    public var proposal: Proposal { content.proposal }
    /// Ed25519 of the sequencer over `parlor/entry/1` ‖ the first four items as an array.
    public var signature: [UInt8] { content.signature }
    /// BLAKE2b-256 of what is signed.
    public var hash: [UInt8] { content.hash }

    /// Signs an entry.
    public init(index: Int, previous: [UInt8], time: Int, proposal: Proposal, signer: Signer) {
        content = Content(index, previous, time, proposal, sign: signer.sign)
    }

    /// The entry as it is sent, stored and exported: an array of five.
    public var encoded: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(byteCount)
        CBOR.encodeArrayHead(5, into: &bytes)
        bytes += content.signed[(Self.label.count + 1)...]
        CBOR.encode(bytes: signature, into: &bytes)
        return bytes
    }

    /// Bytes of ``encoded``: what is written differs from what is signed by the label, and by the signature
    /// with its head of two bytes.
    var byteCount: Int { content.signed.count - Self.label.count + 2 + 64 }

    /// Reads an entry; `nil` when it is none.
    public init?(decoding bytes: [UInt8]) {
        guard bytes.count <= Limits.entryBytesMax, let items = try? CBOR.decode(bytes).array,
            items.count == 5,
            let index = items[0].int, index >= 0, let previous = items[1].bytes, previous.count == 32,
            let time = items[2].int, (0...Limits.matchMillisecondsMax).contains(time),
            let proposal = Proposal(cbor: items[3]),
            let signature = items[4].bytes, signature.count == 64
        else { return nil }
        content = Content(index, previous, time, proposal) { _ in signature }
    }

    /// Whether it is a seat's end of its own copy.
    var isAloneEnd: Bool {
        if case .end(_, alone: true, _) = proposal.body { true } else { false }
    }

    /// Whether a seat takes over with it.
    func takesOver(_ seat: Int) -> Bool {
        if case .sequencer(seat, _, _, _) = proposal.body { true } else { false }
    }

    /// Whether the sequencer's signature is that of the key.
    public func isSigned(by peer: PeerID, _ signing: Signing) -> Bool {
        signing.verify(content.signature, content.signed, peer)
    }

    /// Whether two entries are the same to the byte.
    public static func == (one: Entry, other: Entry) -> Bool {
        one.content === other.content || one.hash == other.hash && one.signature == other.signature
    }

    /// Hashes what makes an entry unique.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(hash)
        hasher.combine(signature)
    }

    private static let label = Array("parlor/entry/1".utf8)

    private static func signed(_ index: Int, _ previous: [UInt8], _ time: Int, _ proposal: Proposal)
        -> [UInt8]
    {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(label.count + 64 + proposal.byteCount)
        bytes += label
        CBOR.encodeArrayHead(4, into: &bytes)
        CBOR.encode(int: index, into: &bytes)
        CBOR.encode(bytes: previous, into: &bytes)
        CBOR.encode(int: time, into: &bytes)
        proposal.encode(into: &bytes)
        return bytes
    }
}
