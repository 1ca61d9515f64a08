internal import ParlorCrypto
public import ParlorGames

/// Why something was not done in a room: a stable word for scripts and a sentence for people.
public struct RoomRefusal: Error, Hashable, Sendable {
    /// The stable words, as scripts see them.
    public enum Reason: String, Hashable, Sendable, CaseIterable {
        /// No seat is open.
        case roomFull = "room-full"
        /// A match is on, or the room is no more.
        case roomClosed = "room-closed"
        /// The host lets nobody in.
        case roomLocked = "room-locked"
        /// The room has a code, and none was given.
        case codeNeeded = "code-needed"
        /// The code is another.
        case wrongCode = "wrong-code"
        /// Too many wrong codes were tried.
        case tooManyTries = "too-many-tries"
        /// The host banned this identity.
        case banned
        /// The name is not one.
        case nameInvalid = "name-invalid"
        /// Only the host may.
        case notHost = "not-host"
        /// Too few seats are taken.
        case notEnoughPlayers = "not-enough-players"
        /// Somebody is not ready.
        case notReady = "not-ready"
        /// The room plays with a list of words that the asker has not, or has not agreed to.
        case wordsDiffer = "words-differ"
        /// The asker is not in the room.
        case notInRoom = "not-in-room"
        /// No room of that ID is here.
        case noSuchRoom = "no-such-room"
        /// Several rooms are meant.
        case ambiguous
        /// A parameter is wrong.
        case badParams = "bad-params"
        /// The room does not do that.
        case notAllowed = "not-allowed"
        /// Not now.
        case busy
        /// The room's peer did not answer in time.
        case timedOut = "timed-out"
    }
    /// The stable word.
    public let reason: Reason
    /// What happened and what is possible instead, for people.
    public let message: String

    /// Makes a refusal.
    public init(_ reason: Reason, _ message: String) {
        self.reason = reason
        self.message = message
    }
}

/// What a member wants of its room.
public enum RoomRequest: Hashable, Sendable {
    /// Be ready, or not any more.
    case ready(Bool)
    /// Begin a match; the host's.
    case start
    /// Play again.
    case rematch
    /// Let nobody in, or somebody again; the host's.
    case lock(Bool)
    /// Remove a seat, and perhaps its player for good; the host's.
    case kick(seat: Int, ban: Bool)
    /// Say something to all.
    case say(String)
    /// Go.
    case leave
    /// Let watchers in, or send away all that are here; the host's.
    case watchers(Bool)
    /// Remove a watcher, and perhaps for good; the host's.
    case kickWatcher(PeerID, ban: Bool)
    /// Seat a bot, in the first open seat where none is named; the host's.
    case addBot(seat: Int?, BotSkill)
    /// Remove a bot, the last where no seat is named; the host's.
    case removeBot(seat: Int?)
    /// Take the list of words with this hash, which is here.
    case takeWords([UInt8])

    var cbor: CBOR {
        switch self {
        case .ready(let ready): [.int(0), .bool(ready)]
        case .start: [.int(1)]
        case .rematch: [.int(2)]
        case .lock(let locked): [.int(3), .bool(locked)]
        case .kick(let seat, let ban): [.int(4), .int(seat), .bool(ban)]
        case .say(let text): [.int(5), .text(text)]
        case .leave: [.int(6)]
        case .watchers(let allowed): [.int(7), .bool(allowed)]
        case .kickWatcher(let peer, let ban): [.int(8), .bytes(peer.bytes), .bool(ban)]
        case .addBot(let seat, let skill):
            [
                .int(9), seat.map { .int($0) } ?? .null,
                .int(BotSkill.allCases.firstIndex(of: skill) ?? 0),
            ]
        case .removeBot(let seat): [.int(10), seat.map { .int($0) } ?? .null]
        case .takeWords(let hash): [.int(11), .bytes(hash)]
        }
    }

    init?(cbor: CBOR) {
        guard let items = cbor.array, let kind = items.first?.int else { return nil }
        switch (kind, items.count) {
        case (0, 2):
            guard let ready = items[1].bool else { return nil }
            self = .ready(ready)
        case (1, 1): self = .start
        case (2, 1): self = .rematch
        case (3, 2):
            guard let locked = items[1].bool else { return nil }
            self = .lock(locked)
        case (4, 3):
            guard let seat = items[1].int, let ban = items[2].bool else { return nil }
            self = .kick(seat: seat, ban: ban)
        case (5, 2):
            guard let text = items[1].text else { return nil }
            self = .say(text)
        case (6, 1): self = .leave
        case (7, 2):
            guard let allowed = items[1].bool else { return nil }
            self = .watchers(allowed)
        case (8, 3):
            guard let peer = items[1].bytes.flatMap(PeerID.init(bytes:)), let ban = items[2].bool else {
                return nil
            }
            self = .kickWatcher(peer, ban: ban)
        case (9, 3):
            guard items[1].isNull || items[1].int != nil, let level = items[2].int,
                BotSkill.allCases.indices.contains(level)
            else { return nil }
            self = .addBot(seat: items[1].int, BotSkill.allCases[level])
        case (10, 2):
            guard items[1].isNull || items[1].int != nil else { return nil }
            self = .removeBot(seat: items[1].int)
        case (11, 2):
            guard let hash = items[1].bytes, hash.count == Hash.byteCount else { return nil }
            self = .takeWords(hash)
        default: return nil
        }
    }
}

/// Which of a host's rooms is meant.
public enum RoomReference: Hashable, Sendable {
    /// The only one it has.
    case only
    /// The one with this ID.
    case id(RoomID)
    /// The one with this name.
    case name(String)

    var cbor: CBOR {
        switch self {
        case .only: .null
        case .id(let id): .bytes(id.bytes)
        case .name(let name): .text(name)
        }
    }

    init?(cbor: CBOR) {
        switch cbor {
        case .null: self = .only
        case .bytes(let bytes):
            guard let id = RoomID(bytes: bytes) else { return nil }
            self = .id(id)
        case .text(let name): self = .name(name)
        case .int, .array, .map, .bool: return nil
        }
    }
}

/// What peers say to each other about a room.
public enum RoomMessage: Hashable, Sendable {
    /// What somebody comes in for.
    public enum Purpose: Int, Hashable, Sendable {
        /// A seat.
        case join = 0
        /// Looking on.
        case watch = 1
        /// A direct link between two guests.
        case mesh = 2
    }

    /// A peer wants to come in, under this name; it may be reached at these endpoints.
    case enter(RoomReference, purpose: Purpose, name: String, endpoints: [Endpoint] = [])
    /// It is in, in this seat, or without one (`nil`) to watch; the room's state follows at once.
    case entered(room: RoomID, seat: Int?)
    /// It is not; the reference is that of the request.
    case denied(RoomReference, RoomRefusal)
    /// The room's state, after every change, and why players left since the last one.
    case state(RoomState, left: [RoomDeparture])
    /// A member wants something; the number is its own.
    case request(room: RoomID, number: Int, RoomRequest)
    /// The answer to a request; `nil`: done.
    case reply(room: RoomID, number: Int, RoomRefusal?)
    /// The receiver is no longer in the room, for this reason.
    case closed(room: RoomID, reason: String)
    /// A member said something to all.
    case say(room: RoomID, from: PeerID, text: String)
    /// The receiver asked for the room; this peer hosts it, and may be reached there.
    case elsewhere(room: RoomID, host: PeerID, endpoints: [Endpoint])
    /// Whether a member can be reached through others: from one member, for another.
    case hail(room: RoomID, from: PeerID, to: PeerID, isAnswer: Bool)
    /// From one seat's machine to another's.
    case match(room: RoomID, match: MatchID, MatchMessage)
    /// The same, for the host or another member to pass on to another seat.
    case relay(room: RoomID, match: MatchID, to: Int, MatchMessage)
    /// The same, passed on by the host or another member from another seat.
    case relayed(room: RoomID, match: MatchID, from: Int, MatchMessage)
    /// From one member's channel to another's.
    case channel(room: RoomID, ChannelBody)
    /// The same, for the host to pass on to another member.
    case channelRelay(room: RoomID, to: PeerID, ChannelBody)
    /// The same, passed on by the host from another member.
    case channelRelayed(room: RoomID, from: PeerID, ChannelBody)
    /// About the code of a room.
    case code(CodeMessage)
    /// About the list of words of a room.
    case words(room: RoomID, WordsMessage)
    /// Whether one peer reaches the other; about no room.
    case knock(KnockMessage)
    /// About matches by turns; about no room.
    case turns(TurnMessage)

    /// The lane it goes by.
    public var lane: Lane {
        switch self {
        case .enter, .entered, .denied, .state, .request, .reply, .closed, .say, .code, .elsewhere, .hail,
            .knock:
            .control
        case .match, .relay, .relayed: .game
        case .turns: .bulk
        case .words(_, let message): if case .want = message { .control } else { .bulk }
        case .channel(_, let body), .channelRelay(_, _, let body), .channelRelayed(_, _, let body): body.lane
        }
    }

    /// The message as sent.
    public var encoded: [UInt8] { cbor.encoded() }

    private var cbor: CBOR {
        switch self {
        case .enter(let room, let purpose, let name, let endpoints):
            [
                .int(0), room.cbor, .int(purpose.rawValue), .text(name),
                .array(endpoints.map(\.cbor)),
            ]
        case .entered(let room, let seat):
            [.int(1), .bytes(room.bytes), seat.map { .int($0) } ?? .null]
        case .denied(let room, let refusal):
            [.int(2), room.cbor, .text(refusal.reason.rawValue), .text(refusal.message)]
        case .state(let state, let left):
            [
                .int(3), .bytes(state.id.bytes), state.cbor,
                .array(left.map { [.int($0.seat), .bytes($0.peer.bytes), .text($0.reason)] }),
            ]
        case .request(let room, let number, let request):
            [.int(4), .bytes(room.bytes), .int(number), request.cbor]
        case .reply(let room, let number, let refusal):
            [
                .int(5), .bytes(room.bytes), .int(number),
                refusal.map { [.text($0.reason.rawValue), .text($0.message)] } ?? .null,
            ]
        case .closed(let room, let reason): [.int(6), .bytes(room.bytes), .text(reason)]
        case .say(let room, let from, let text):
            [.int(7), .bytes(room.bytes), .bytes(from.bytes), .text(text)]
        case .elsewhere(let room, let host, let endpoints):
            [.int(14), .bytes(room.bytes), .bytes(host.bytes), .array(endpoints.map(\.cbor))]
        case .hail(let room, let sender, let receiver, let isAnswer):
            [
                .int(20), .bytes(room.bytes), .bytes(sender.bytes), .bytes(receiver.bytes), .bool(isAnswer),
            ]
        case .match(let room, let match, let message):
            [.int(8), .bytes(room.bytes), .bytes(match.bytes), message.cbor]
        case .relay(let room, let match, let seat, let message):
            [.int(9), .bytes(room.bytes), .bytes(match.bytes), .int(seat), message.cbor]
        case .relayed(let room, let match, let seat, let message):
            [.int(10), .bytes(room.bytes), .bytes(match.bytes), .int(seat), message.cbor]
        case .channel(let room, let body): [.int(11), .bytes(room.bytes), body.cbor]
        case .channelRelay(let room, let peer, let body):
            [.int(12), .bytes(room.bytes), .bytes(peer.bytes), body.cbor]
        case .channelRelayed(let room, let peer, let body):
            [.int(13), .bytes(room.bytes), .bytes(peer.bytes), body.cbor]
        case .code(let message): message.cbor
        case .words(let room, let message): message.cbor(room)
        case .knock(let message): message.cbor
        case .turns(let message): message.cbor
        }
    }

    /// Reads a message; `nil` when it is none.
    public init?(decoding bytes: [UInt8]) {
        guard let items = try? CBOR.decode(bytes).array, items.count >= 3, let kind = items[0].int else {
            return nil
        }
        let message: RoomMessage? =
            switch kind {
            case 0, 2: Self.entering(kind, items)
            case 3: Self.state(items)
            case 8...10: Self.ofMatch(kind, items)
            case 11...13: Self.ofChannel(kind, items)
            case WordsMessage.kinds:
                items[1].bytes.flatMap(RoomID.init(bytes:)).flatMap { room in
                    WordsMessage(kind: kind, items).map { .words(room: room, $0) }
                }
            case CodeMessage.kinds: CodeMessage(kind: kind, items).map { .code($0) }
            case _ where KnockMessage.kinds.contains(kind):
                KnockMessage(kind: kind, items).map { .knock($0) }
            case TurnMessage.kinds: TurnMessage(kind: kind, items).map { .turns($0) }
            default: items[1].bytes.flatMap(RoomID.init(bytes:)).flatMap { Self.ofRoom(kind, $0, items) }
            }
        guard let message else { return nil }
        self = message
    }

    private static func entering(_ kind: Int, _ items: [CBOR]) -> RoomMessage? {
        guard items.count == (kind == 0 ? 5 : 4), let room = RoomReference(cbor: items[1]),
            let text = items[3].text
        else { return nil }
        if kind == 0 {
            guard let purpose = items[2].int.flatMap(Purpose.init(rawValue:)),
                let endpoints = Endpoint.list(cbor: items[4])
            else { return nil }
            return .enter(room, purpose: purpose, name: text, endpoints: endpoints)
        }
        return items[2].text.flatMap { refusal($0, text) }.map { .denied(room, $0) }
    }

    private static func state(_ items: [CBOR]) -> RoomMessage? {
        guard items.count == 4, let state = RoomState(cbor: items[2]), items[1].bytes == state.id.bytes,
            let list = items[3].array
        else { return nil }
        let left = list.compactMap { item -> RoomDeparture? in
            guard let parts = item.array, parts.count == 3, let seat = seat(parts[0]),
                let peer = parts[1].bytes.flatMap(PeerID.init(bytes:)), let reason = parts[2].text,
                reason.utf8.count <= Limits.reasonBytesMax
            else { return nil }
            return RoomDeparture(seat: seat, peer: peer, reason: reason)
        }
        guard left.count == list.count, left.count <= Limits.seatsMax, items[1].bytes == state.id.bytes else {
            return nil
        }
        return .state(state, left: left)
    }

    private static func ofRoom(_ kind: Int, _ room: RoomID, _ items: [CBOR]) -> RoomMessage? {
        switch (kind, items.count) {
        case (1, 3):
            if items[2].isNull { return .entered(room: room, seat: nil) }
            return seat(items[2]).map { .entered(room: room, seat: $0) }
        case (4, 4):
            guard let number = items[2].int, let request = RoomRequest(cbor: items[3]) else { return nil }
            return .request(room: room, number: number, request)
        case (5, 4):
            guard let number = items[2].int else { return nil }
            if items[3].isNull { return .reply(room: room, number: number, nil) }
            guard let pair = items[3].array, pair.count == 2, let word = pair[0].text,
                let text = pair[1].text,
                let refusal = refusal(word, text)
            else { return nil }
            return .reply(room: room, number: number, refusal)
        case (6, 3):
            guard let reason = items[2].text, reason.utf8.count <= Limits.reasonBytesMax else { return nil }
            return .closed(room: room, reason: reason)
        case (7, 4):
            guard let from = items[2].bytes.flatMap(PeerID.init(bytes:)), let text = items[3].text else {
                return nil
            }
            return .say(room: room, from: from, text: text)
        case (14, 4):
            guard let host = items[2].bytes.flatMap(PeerID.init(bytes:)),
                let endpoints = Endpoint.list(cbor: items[3])
            else { return nil }
            return .elsewhere(room: room, host: host, endpoints: endpoints)
        case (20, 5):
            guard let sender = items[2].bytes.flatMap(PeerID.init(bytes:)),
                let receiver = items[3].bytes.flatMap(PeerID.init(bytes:)), let isAnswer = items[4].bool
            else { return nil }
            return .hail(room: room, from: sender, to: receiver, isAnswer: isAnswer)
        default: return nil
        }
    }

    private static func ofMatch(_ kind: Int, _ items: [CBOR]) -> RoomMessage? {
        guard items.count == (kind == 8 ? 4 : 5), let room = items[1].bytes.flatMap(RoomID.init(bytes:)),
            let match = items[2].bytes.flatMap(MatchID.init(bytes:)), let last = items.last,
            let message = MatchMessage(cbor: last)
        else { return nil }
        if kind == 8 { return .match(room: room, match: match, message) }
        guard let seat = seat(items[3]) else { return nil }
        return kind == 9
            ? .relay(room: room, match: match, to: seat, message)
            : .relayed(room: room, match: match, from: seat, message)
    }

    private static func ofChannel(_ kind: Int, _ items: [CBOR]) -> RoomMessage? {
        guard items.count == (kind == 11 ? 3 : 4), let room = items[1].bytes.flatMap(RoomID.init(bytes:)),
            let body = items.last.flatMap(ChannelBody.init(cbor:))
        else { return nil }
        if kind == 11 { return .channel(room: room, body) }
        guard let peer = items[2].bytes.flatMap(PeerID.init(bytes:)) else { return nil }
        return kind == 12
            ? .channelRelay(room: room, to: peer, body) : .channelRelayed(room: room, from: peer, body)
    }

    private static func seat(_ item: CBOR) -> Int? {
        item.int.flatMap { (0..<Limits.seatsMax).contains($0) ? $0 : nil }
    }

    /// A newer peer's word that is not known here says at least that something was refused.
    private static func refusal(_ word: String, _ text: String) -> RoomRefusal? {
        guard text.utf8.count <= Limits.refusalBytesMax else { return nil }
        return RoomRefusal(RoomRefusal.Reason(rawValue: word) ?? .notAllowed, text)
    }
}
