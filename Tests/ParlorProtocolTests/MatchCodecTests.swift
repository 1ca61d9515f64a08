import ParlorGames
import ParlorSim
import Testing

@testable import ParlorProtocol

/// What peers say about rooms and matches, as bytes.
struct MatchCodecTests {
    private static let hash = [UInt8](repeating: 3, count: 32)
    private static let link = SeatLink(seat: 3, link: hash)

    static let bodies: [EntryBody] = [
        .chain(end: hash, boxKey: hash, vault: [UInt8](repeating: 7, count: SeatVault.sealedBytes)),
        .commit(round: 0, commitment: hash), .reveal(round: 255, nonce: hash),
        .move(.list([.int(-5), .bytes([1]), .text("é"), .none, .bool(true), .list([])])), .leave,
        .draw(draw: 1, seats: [0, 1, 3], links: [hash]), .draw(draw: 256, seats: [], links: []),
        .open(draw: 2, links: [link], revealAt: 77), .open(draw: 0, links: [], revealAt: 0), .expire,
        .judge([]),
        .judge([
            CallBounds(arrival: 1_234, delay: 150, error: 50), CallBounds(arrival: 0, delay: 0, error: 0),
        ]),
        .away(seat: 0), .back(seat: 3), .left(seat: 1, reason: .grace), .left(seat: 1, reason: .kicked),
        .left(seat: 1, reason: .draw), .withheld(draw: 4, seat: 2),
        .end(outcomes: Outcome.allCases, alone: false, stateHash: hash),
        .end(outcomes: [], alone: true, stateHash: hash),
    ]

    static func proposals() throws -> [Proposal] {
        var table = try LogTable(seats: 2)
        return bodies.map { table.proposal($0, by: $0.isSeats ? .guest : .sequencer) }
    }

    static func entries() throws -> [Entry] {
        let table = try LogTable(seats: 2)
        return try proposals().map { table.entry($0, at: 1_234_567) }
    }

    static func messages() throws -> [MatchMessage] {
        let table = try LogTable(seats: 2)
        let entries = try entries()
        return [
            .genesis(table.genesis.encoded), .refuse(counter: 7, Refusal(.notYourTurn, "wait")),
            .entries([]), .entries(entries),
            .stored(index: 0, hash: hash, stateHash: nil, accepted: 0, epoch: 0),
            .stored(index: 15, hash: hash, stateHash: hash, accepted: 0, epoch: 0), .link(draw: 3, link),
            .want(from: 0), .clock(epoch: 0, zero: -1_500_000), .clock(epoch: 3, zero: 77_123_456),
        ] + (try proposals()).map { .propose($0) }
    }

    static func roomMessages() throws -> [RoomMessage] {
        var room = try HostTable(joined: ["Bob", "Zoë"])
        room.feed(.linkLost(peer(2)))
        room.ask(0, .kick(seat: 1, ban: true))
        let requests: [RoomRequest] = [
            .ready(true), .ready(false), .start, .rematch, .lock(true), .kick(seat: 2, ban: true), .say("hé"),
            .takeWords(Array(repeating: 7, count: 32)),
            .leave,
        ]
        var later = room
        later.feed(.matchBegan(matchID))
        let departure = RoomDeparture(seat: 1, peer: peer(1), reason: "kicked")
        var messages: [RoomMessage] = [
            .enter(.only, purpose: .join, name: "Ann"), .enter(.id(roomID), purpose: .watch, name: ""),
            .enter(.name("Attic"), purpose: .join, name: "A"), .entered(room: roomID, seat: 3),
            .state(room.state, left: []), .state(later.state, left: [departure]),
            .reply(room: roomID, number: 4, nil), .closed(room: roomID, reason: "kicked"),
            .say(room: roomID, from: peer(1), text: "hello"),
        ]
        messages += requests.map { .request(room: roomID, number: 9, $0) }
        messages += RoomRefusal.Reason.allCases.map { .denied(.name("x"), RoomRefusal($0, "why")) }
        messages += RoomRefusal.Reason.allCases.map {
            .reply(room: roomID, number: 1, RoomRefusal($0, "why"))
        }
        for message in try Self.messages() {
            messages.append(.match(room: roomID, match: matchID, message))
            messages.append(.relay(room: roomID, match: matchID, to: 3, message))
            messages.append(.relayed(room: roomID, match: matchID, from: 0, message))
        }
        return messages
    }

    // MARK: Round trips

    @Test func `every message about a room reads as it was written`() throws {
        for message in try Self.roomMessages() {
            #expect(RoomMessage(decoding: message.encoded) == message)
        }
    }

    @Test func `every message of a match reads as it was written`() throws {
        for message in try Self.messages() {
            #expect(MatchMessage(cbor: try CBOR.decode(message.cbor.encoded())) == message)
        }
    }

    @Test func `every body, proposal and entry reads as it was written`() throws {
        for body in Self.bodies { #expect(EntryBody(kind: body.kind, cbor: body.cbor) == body) }
        for proposal in try Self.proposals() { #expect(Proposal(cbor: proposal.cbor) == proposal) }
        for entry in try Self.entries() {
            #expect(Entry(decoding: entry.encoded) == entry)
            #expect(entry.byteCount == entry.encoded.count)
        }
    }

    @Test(arguments: [("snap", 2), ("snap", 4), ("hangman", 1), ("hangman", 3)])
    func `a genesis reads as it was written`(game: String, seats: Int) throws {
        let genesis = try LogTable(game, seats: seats).genesis
        #expect(try Genesis(decoding: genesis.encoded) == genesis)
    }

    // MARK: Damage

    /// Bytes changed in one to three places.
    private func damaged(_ bytes: [UInt8], _ random: inout SeededGenerator) -> [UInt8] {
        var bytes = bytes
        for _ in 0..<Int.random(in: 1...3, using: &random) where !bytes.isEmpty {
            let place = Int.random(in: 0..<bytes.count, using: &random)
            switch Int.random(in: 0..<6, using: &random) {
            case 0: bytes.remove(at: place)
            case 1: bytes.insert(UInt8(truncatingIfNeeded: random.next()), at: place)
            case 2: bytes.removeSubrange(place...)
            case 3: bytes[place] &+= 1
            case 4: bytes[place] ^= 1 << (random.next() % 8)
            default: bytes[place] = [0, 0x1B, 0x3B, 0x80, 0xF6, 0xFF].randomElement(using: &random) ?? 0
            }
        }
        return bytes
    }

    /// The word of a refusal that is not known here is read as another: the only bytes that do not come back.
    private func saysRefusal(_ message: RoomMessage) -> Bool {
        switch message {
        case .denied, .reply(_, _, .some), .match(_, _, .refuse), .relay(_, _, _, .refuse),
            .relayed(_, _, _, .refuse):
            true
        default: false
        }
    }

    @Test(arguments: UInt64(1)...10)
    func `a damaged message about a room is refused, or is another one`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for message in try Self.roomMessages() {
            let bytes = message.encoded
            for _ in 0..<40 {
                let wrong = damaged(bytes, &random)
                guard let other = RoomMessage(decoding: wrong) else { continue }
                if saysRefusal(other) {
                    #expect(RoomMessage(decoding: other.encoded) == other)
                } else {
                    #expect(other.encoded == wrong)
                }
            }
        }
    }

    @Test(arguments: UInt64(1)...10)
    func `a damaged entry or genesis is refused, or is another one`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for entry in try Self.entries() {
            for _ in 0..<40 {
                let wrong = damaged(entry.encoded, &random)
                guard let other = Entry(decoding: wrong) else { continue }
                #expect(other.encoded == wrong)
                #expect(
                    other.hash != entry.hash || other.signature != entry.signature || wrong == entry.encoded)
            }
        }
        let genesis = try LogTable("hangman", seats: 3).genesis
        for _ in 0..<400 {
            let wrong = damaged(genesis.encoded, &random)
            guard let other = try? Genesis(decoding: wrong) else { continue }
            #expect(other.encoded == wrong)
            #expect((other.match == genesis.match) == (wrong == genesis.encoded))
        }
    }

    // MARK: Limits

    @Test func `an entry over its size is none`() throws {
        var table = try LogTable(seats: 2)
        let big = EntryBody.move(.bytes([UInt8](repeating: 0, count: Limits.entryBytesMax)))
        let entry = table.entry(table.proposal(big, by: .guest))
        #expect(Entry(decoding: entry.encoded) == nil)
        #expect(table.fault(big, by: .guest)?.rule == .malformed)
    }

    @Test func `numbers out of their range are refused`() {
        let hash = CBOR.bytes(Self.hash)
        let wrong: [(Int, CBOR)] = [
            (1, [hash, hash, .bytes([1])]), (1, [.bytes([1]), hash, hash]), (2, [.int(256), hash]),
            (2, [.int(-1), hash]), (3, [.int(0), .bytes([])]), (4, [.map([])]), (5, [.int(0)]),
            (6, [.int(1), [.int(4)], .null]), (6, [.int(1), [], .bytes([1])]),
            (7, [.int(0), [[.int(4), hash]], .int(0)]),
            (8, [.null]), (9, [.int(4)]), (10, [.int(-1)]), (11, [.int(0), .int(3)]),
            (12, [.int(0), .int(4)]),
            (13, []), (14, []), (15, [[.text("best")], .bool(false), hash]), (0, []), (16, []), (-1, []),
        ]
        for (kind, body) in wrong { #expect(EntryBody(kind: kind, cbor: body) == nil, "kind \(kind)") }
    }

    @Test func `names, reasons and sentences have limits on the wire`() throws {
        let room = try roomState()
        func reads(_ change: (inout [CBOR]) -> Void) -> Bool {
            guard var items = room.cbor.array else { return false }
            change(&items)
            return RoomState(cbor: .array(items)) != nil
        }
        func player(_ name: String, _ number: Int = 4, wins: Int = 0, bot: CBOR = .null) -> CBOR {
            [
                .bytes(peer(number).bytes), .text(name), .bool(true), .bool(false), .int(wins), .bool(false),
                [], bot,
            ]
        }
        #expect(reads { _ in })
        #expect(!reads { $0[1] = .text(String(repeating: "x", count: Limits.nameBytesMax + 1)) })
        #expect(!reads { $0[2] = .text("chess") })
        #expect(reads { $0[4] = [player("Ann", 0), player("Bot", bot: .int(2))] })
        #expect(!reads { $0[4] = [player("Ann", 0), player("Bot", bot: .int(3))] })
        #expect(!reads { $0[4] = [player("Ann", 0, bot: .int(0)), player("Bob")] })
        #expect(!reads { $0[3] = [] })
        #expect(reads { $0[4] = [player("Ann", 0), player("Bob")] })
        #expect(!reads { $0[4] = [player("Ann", 0), player(String(repeating: "x", count: 33))] })
        #expect(!reads { $0[4] = [player("Ann", 0), player("B\u{202E}ob")] })
        #expect(!reads { $0[4] = [player("Ann", 0), player("")] })
        #expect(!reads { $0[4] = [player("Ann", 4), player("Bob")] })  // one peer twice
        #expect(!reads { $0[4] = [player("Ann", 0), player("Bob", wins: -1)] })
        #expect(!reads { $0[4] = [.null, player("Bob")] })
        #expect(!reads { $0[4] = [] })
        #expect(!reads { $0[4] = .array(Array(repeating: player("Ann", 0), count: 5)) })
        #expect(
            !reads { $0[8] = .array(Array(repeating: .bytes(peer(1).bytes), count: Limits.bannedMax + 1)) })
        #expect(!reads { $0[8] = [.bytes([1])] })
        #expect(!reads { $0[10] = .int(-1) })
        let long = String(repeating: "x", count: Limits.refusalBytesMax + 1)
        #expect(RoomMessage(decoding: RoomMessage.denied(.only, RoomRefusal(.busy, long)).encoded) == nil)
        #expect(RoomMessage(decoding: RoomMessage.closed(room: roomID, reason: long).encoded) == nil)
        #expect(RoomMessage(decoding: RoomMessage.entered(room: roomID, seat: 4).encoded) == nil)
    }

    @Test func `a genesis with a player in two seats, too many seats or unknown options is none`() throws {
        let genesis = try LogTable(seats: 2).genesis
        func reads(_ change: (inout [CBOR]) -> Void) throws -> Bool {
            guard var items = try CBOR.decode(genesis.encoded).array else { return false }
            change(&items)
            return (try? Genesis(decoding: CBOR.array(items).encoded())) != nil
        }
        func seat(_ number: Int, bot: Bool = false) -> CBOR {
            [.bytes(peer(number).bytes), .text("x"), .bool(bot)]
        }
        #expect(try reads { _ in })
        #expect(try !reads { $0[0] = .int(2) })
        #expect(try !reads { $0[1] = .bytes([1]) })
        #expect(try !reads { $0[3] = .text("chess") })
        #expect(try !reads { $0[4] = .int(99) })
        #expect(try !reads { $0[5] = [] })
        #expect(try !reads { $0[6] = [] })
        #expect(try !reads { $0[6] = [seat(1), seat(1)] })
        #expect(try reads { $0[6] = [seat(1), seat(1, bot: true)] })
        #expect(try !reads { $0[6] = .array((1...5).map { seat($0) }) })
        #expect(try !reads { $0[7] = .bytes([1]) })
    }
}
