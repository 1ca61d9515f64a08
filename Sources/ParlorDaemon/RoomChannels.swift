internal import ParlorControl
internal import ParlorNet
internal import ParlorProtocol

/// The channels of one room: drives a ``ChannelOrder`` for each other member.
final class RoomChannels {
    /// What the channels ask of their room.
    struct Handlers {
        /// Get a message to a member; what cannot be sent is left out.
        var send: (ChannelBody, PeerID) -> Void
        /// A member's program sent something.
        var message: (PeerID, _ data: [UInt8], _ mode: ChannelMode, _ isRelayed: Bool) -> Void
    }

    private final class Channel {
        var order: ChannelOrder
        var timer: LoopTimer?
        let turnstile = Turnstile<ChannelOrder.Input>()

        init(life: Int) { order = ChannelOrder(life: life) }
    }

    var handlers: Handlers?
    private let loop: EventLoop
    private let me: PeerID
    private var channels: [PeerID: Channel] = [:]
    /// The other members, and whether they are away.
    private var members: [PeerID: Bool] = [:]
    private var lastLife = 0
    /// The bytes that programs of this machine have not read yet.
    private let backlog: () -> Int
    private var held: HeldMessages?

    init(loop: EventLoop, me: PeerID, backlog: @escaping () -> Int) {
        self.loop = loop
        self.me = me
        self.backlog = backlog
        held = HeldMessages(loop: loop, backlog: backlog) { [weak self] body, peer, isRelayed in
            self?.feed(.received(body, isRelayed: isRelayed), peer)
        }
    }

    /// Takes the room's seats as they are now.
    func setMembers(_ seats: [RoomState.Player?]) {
        let before = members
        members = [:]
        for player in seats.compactMap({ $0 }) where player.peer != me { members[player.peer] = player.away }
        for peer in Array(channels.keys) where members[peer] == nil {
            channels.removeValue(forKey: peer)?.timer?.close()
        }
        for (peer, isAway) in members where !isAway && before[peer] ?? false { wayChanged(to: peer) }
    }

    /// Messages to a member take another way, or the same anew.
    func wayChanged(to peer: PeerID) {
        if channels[peer] != nil { feed(.wayChanged, peer) }
    }

    /// Says whether a reliable message to a member would be taken now.
    func check(_ count: Int, to peer: PeerID) throws(ChannelOrder.Refusal) {
        guard let channel = channels[peer] else { return try ChannelOrder(life: 0).check(count) }
        try channel.order.check(count)
    }

    /// Sends a reliable message that ``check(_:to:)`` has let pass.
    ///
    /// - Returns: The bytes that wait for the member.
    func send(_ data: [UInt8], on lane: Lane, to peer: PeerID) -> Int {
        feed(.send(lane, data), peer)
        return channels[peer]?.order.heldBytes ?? 0
    }

    /// Sends an unreliable message.
    func sendUnreliable(_ data: [UInt8], key: UInt32?, milliseconds: Int, to peer: PeerID) {
        feed(.sendUnreliable(data, key: key, milliseconds: milliseconds), peer)
    }

    /// A peer sent something, which the host has passed on or not; nothing comes of it unless it is a member.
    func received(_ body: ChannelBody, from peer: PeerID, isRelayed: Bool) {
        if case .reliable = body, held?.take(body, peer, isRelayed) == true { return }
        feed(.received(body, isRelayed: isRelayed), peer)
    }

    /// Ends all channels.
    func close() {
        for channel in channels.values { channel.timer?.close() }
        held?.close()
        held = nil
        channels = [:]
        members = [:]
        handlers = nil
    }

    private func feed(_ input: ChannelOrder.Input, _ peer: PeerID) {
        guard members[peer] != nil else { return }
        let channel = channels[peer] ?? begin(peer)
        channel.turnstile.pass(input) { input in
            let now = Tick(nanoseconds: loop.now)
            for action in channel.order.handle(input, at: now) {
                switch action {
                case .send(let body): handlers?.send(body, peer)
                case .deliver(let data, let isReliable, let isRelayed):
                    handlers?.message(peer, data, isReliable ? .reliable : .unreliable, isRelayed)
                case .arm(let tick): channel.timer?.set(at: tick?.nanoseconds)
                }
            }
        }
    }

    private func begin(_ peer: PeerID) -> Channel {
        lastLife = max(lastLife + 1, Calendar.unixMilliseconds())
        let channel = Channel(life: lastLife)
        channel.timer = loop.timer { [weak self] in self?.feed(.deadlinePassed, peer) }
        channels[peer] = channel
        return channel
    }
}

extension PeerLink {
    /// Sends what a program says to another, and leaves the link what rooms and matches need.
    ///
    /// - Parameters:
    ///   - message: The message that carries `body`.
    ///   - body: What is said.
    ///   - origin: Who says it: messages of others with the same key are about something else.
    ///   - legs: How many links the message takes on its way; each has its part of the time to live.
    func send(_ message: RoomMessage, carrying body: ChannelBody, of origin: PeerID, legs: Int) {
        switch body {
        case .reliable: if hasRoom(for: body) { send(message) }
        case .acknowledge: send(message)
        case .unreliable(_, let key, let milliseconds, _):
            let linkKey = key.map { Self.linkKey($0, message.roomID, origin) }
            // What is not taken now is lost, as such messages may be.
            try? sendUnreliable(
                message.encoded, key: linkKey, timeToLive: .milliseconds(max(1, milliseconds / legs)))
        }
    }

    /// Whether the link takes what a program says, and keeps what rooms and matches need.
    func hasRoom(for body: ChannelBody) -> Bool {
        let most = Limits.linkHeldBytesMax - Limits.channelReserveBytes
        return isOpen && statistics.heldBytes + body.data.count + Limits.channelEnvelopeBytesMax <= most
    }

    /// A key that no other room or member uses: FNV-1a of the room, the sender and its key.
    private static func linkKey(_ key: UInt32, _ room: RoomID?, _ origin: PeerID) -> UInt32 {
        var hash: UInt32 = 2_166_136_261
        let own = [key >> 24, key >> 16, key >> 8, key].map { UInt8(truncatingIfNeeded: $0) }
        for byte in (room?.bytes ?? []) + origin.bytes + own { hash = (hash ^ UInt32(byte)) &* 16_777_619 }
        return hash
    }
}

extension RoomMessage {
    /// The room that a message of a channel is about; `nil` for others.
    fileprivate var roomID: RoomID? {
        switch self {
        case .channel(let room, _), .channelRelay(let room, _, _), .channelRelayed(let room, _, _): room
        case .enter, .entered, .denied, .state, .request, .reply, .closed, .say, .match, .relay, .relayed,
            .code, .elsewhere, .hail, .words, .knock, .turns:
            nil
        }
    }
}
