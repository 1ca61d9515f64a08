internal import ParlorCrypto

/// A guest's proof that it knows a room's code, and its check that the host does.
///
/// Made for one try: send ``share`` with `prove`, the tag of ``confirm(hostShare:room:)`` with `confirm`, and
/// come in only when ``isHosts(_:)`` says yes.
public struct CodeProof: Sendable {
    /// Bytes of entropy that a proof takes.
    public static let entropyBytes = CPace.entropyBytes

    /// What the guest sends first.
    public var share: [UInt8] { exchange.share }
    private let exchange: CPaceExchange
    private let me: PeerID
    private let host: PeerID
    private var tags: CPaceTags?

    /// Begins a proof with ``entropyBytes`` random bytes that are used for nothing else.
    public init(_ code: RoomCode, channel: CodeChannel, me: PeerID, host: PeerID, entropy: [UInt8]) {
        self.me = me
        self.host = host
        exchange = CPaceExchange(
            password: code.password, channel: channel.identifier, session: channel.session, entropy: entropy)
    }

    /// The tag to send once the host has sent its share; `nil` when that is none: then give up.
    public mutating func confirm(hostShare: [UInt8], room: RoomID) -> [UInt8]? {
        let side = CPaceSide(share: hostShare, data: CodeChannel.data(room: room, peer: host))
        tags = exchange.tags(initiatorData: CodeChannel.data(room: room, peer: me), responder: side)
        return tags?.ofInitiator
    }

    /// Whether the host has shown that it knows the code.
    public func isHosts(_ tag: [UInt8]) -> Bool { tags?.isResponders(tag) ?? false }
}

/// What a peer that has a code sends its host, with what the host's driver adds.
public struct CodeOffer: Sendable {
    /// The guest's share.
    public let share: [UInt8]
    /// The link it came by.
    public let channel: CodeChannel
    /// Where the guest is, without its port: whose tries are counted together.
    public let address: String
    /// ``CodeProof/entropyBytes`` random bytes for the host's part, used for nothing else.
    public let entropy: [UInt8]

    /// Makes an offer; the parameters are the members.
    public init(share: [UInt8], channel: CodeChannel, address: String, entropy: [UInt8]) {
        self.share = share
        self.channel = channel
        self.address = address
        self.entropy = entropy
    }
}

/// A guest's try at a room's code, as the host keeps it until the confirmation.
struct CodeTry: Sendable {
    let purpose: RoomMessage.Purpose
    let name: String
    let reference: RoomReference
    let address: String
    /// Whether it counts: not for whoever has a seat, and so the code, already.
    let counts: Bool
    /// What the host sends.
    let share: [UInt8]
    private let tags: CPaceTags

    /// Answers a guest's share; `nil` when that is none.
    init?(
        _ code: RoomCode, room: RoomID, guest: PeerID, host: PeerID, _ offer: CodeOffer,
        entering: (purpose: RoomMessage.Purpose, name: String, reference: RoomReference), counts: Bool
    ) {
        let exchange = CPaceExchange(
            password: code.password, channel: offer.channel.identifier, session: offer.channel.session,
            entropy: offer.entropy)
        let initiator = CPaceSide(share: offer.share, data: CodeChannel.data(room: room, peer: guest))
        let data = CodeChannel.data(room: room, peer: host)
        guard let tags = exchange.tags(initiator: initiator, responderData: data) else { return nil }
        (purpose, name, reference) = entering
        address = offer.address
        self.counts = counts
        share = exchange.share
        self.tags = tags
    }

    /// The host's tag for a guest whose tag is right; `nil` for a wrong one.
    func answer(to tag: [UInt8]) -> [UInt8]? { tags.isInitiators(tag) ? tags.ofResponder : nil }
}
