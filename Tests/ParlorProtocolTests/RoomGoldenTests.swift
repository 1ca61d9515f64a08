import ParlorCrypto
import ParlorGames
import Testing

@testable import ParlorProtocol

@Suite struct RoomGoldenTests {
    @Test func `the golden match messages are what is encoded`() throws {
        let genesis = try Cast.snap()
        let proposal = MatchGoldenTests.proposal(.seat(1), .leave, counter: 5, in: genesis)
        let entry = Entry(index: 0, previous: genesis.hash, time: 300, proposal: proposal, signer: Cast.ann)
        let next = Entry(
            index: 1, previous: entry.hash, time: 300,
            proposal: MatchGoldenTests.proposal(.sequencer, .expire, counter: 0, in: genesis),
            signer: Cast.ann)
        let messages: [MatchMessage] = [
            .genesis(genesis.encoded), .propose(proposal),
            .refuse(counter: 5, Refusal(.notYourTurn, "it is Ann's turn")), .entries([entry, next]),
            .entries([]),
            .stored(index: 14, hash: entry.hash, stateHash: nil, accepted: 0, epoch: 0),
            .stored(index: 15, hash: entry.hash, stateHash: next.hash, accepted: 15, epoch: 2),
            .link(draw: 1, SeatLink(seat: 1, link: genesis.hash)), .want(from: 0), .want(from: 70_000),
            .ask(epoch: 3), .vote(MatchGoldenTests.vote(Cast.bob, 1), accepted: 40),
            .hearing(Hearing(seats: [0, 2])),
            .hearing(Hearing(seats: [1], draw: 7, links: [0, 3], isLeaderless: true)), .promised(epoch: 4),
        ]
        var vectors = messages.map { message in
            #expect(MatchMessage(cbor: message.cbor) == message)
            return GoldenVector(
                name: "a message of a match", kind: "match-message", bytes: message.cbor.encoded(),
                meaning: Meaning.of(message))
        }
        let wrong: [CBOR] = [
            [], .null, [.int(11)], [.int(7), .int(0)], [.int(8), [.int(1)], .int(0)],
            [.int(9), [.int(1), .int(0)], .int(0), [], .bool(false)], [.int(10), .int(-1)],
            [.int(0), .text("")], [.int(1), [.int(1)]],
            [.int(2), .int(1), .text("busy")],
            [.int(3), [.bytes([0x80])]], [.int(4), .int(1), .bytes([]), .int(1)],
            [.int(5), .int(1), .int(1), .null],
            [.int(6), .int(-1)], [.int(6), .int(0), .int(0)],
        ]
        for message in wrong {
            #expect(MatchMessage(cbor: message) == nil)
            vectors.append(
                .init(
                    name: "no message of a match", kind: "match-message-refused", bytes: message.encoded(),
                    meaning: ["refused": true]))
        }
        try Golden.check("match-messages", vectors)
    }

    /// A room with everything in it.
    private func state() throws -> RoomState {
        let rules = try #require(Catalog.rules("snap")).declaration
        var state = RoomState(
            id: try Cast.room(), name: "Kitchen – Küche", game: "snap",
            options: try GameOptions(rules, given: [.init("watchers", false), .init("turn_s", 0)]), seats: 4,
            hidden: true, host: Cast.ann.peer, hostName: "Ann")
        state.seats[2] = RoomState.Player(peer: Cast.bob.peer, name: "Ann 2", ready: true)
        state.seats[2]?.away = true
        state.seats[2]?.wins = 300
        state.seats[2]?.rematch = true
        state.seats[2]?.endpoints = try endpoints()
        state.seatBots(1, .hard)
        state.phase = .finished
        state.locked = true
        state.banned = [Cast.cid.peer]
        state.match = try Cast.snap().match
        state.epoch = 3
        state.hostSeat = 2
        state.code = RoomCode(exactly: "K7PX")
        state.watchers = [
            .init(peer: Cast.cid.peer, name: "Cid"), .init(peer: Cast.signer(4).peer, name: "Zoë"),
        ]
        state.watchable = true
        state.words = WordTerms(hash: [UInt8](0..<32), count: 104_334, bytes: 985_084)
        return state
    }

    private func lobby() throws -> RoomState {
        let rules = try #require(Catalog.rules("hangman")).declaration
        return RoomState(
            id: try Cast.room(), name: "Ann's room", game: "hangman", options: try GameOptions(rules),
            seats: 2,
            hidden: false, host: Cast.ann.peer, hostName: "Ann")
    }

    private func endpoints() throws -> [Endpoint] {
        [
            try #require(Endpoint(address: [192, 0, 2, 7], port: 27_720)),
            try #require(Endpoint(address: [0xfe, 0x80] + Array(repeating: 0, count: 13) + [9], port: 1)),
        ]
    }

    private func channels(_ room: RoomID) -> [RoomMessage] {
        let bodies: [ChannelBody] = [
            .reliable(lane: .game, stream: 0, number: 1, data: []),
            .reliable(
                lane: .bulk, stream: 1_800_000_000_000, number: Limits.channelNumberMax, data: [1, 255]),
            .unreliable(number: 0, key: nil, milliseconds: 1, data: []),
            .unreliable(number: 300, key: .max, milliseconds: 10_000, data: [0]),
            .acknowledge(lane: .bulk, stream: 7, number: 0, life: 70_000),
        ]
        return bodies.flatMap { body -> [RoomMessage] in
            [
                .channel(room: room, body), .channelRelay(room: room, to: Cast.bob.peer, body),
                .channelRelayed(room: room, from: Cast.cid.peer, body),
            ]
        }
    }

    @Test func `the golden room messages are what is encoded`() throws {
        let (room, match) = (try Cast.room(), try Cast.snap().match)
        let requests: [RoomRequest] = [
            .ready(true), .ready(false), .start, .rematch, .lock(true), .lock(false),
            .kick(seat: 3, ban: true),
            .say("hé!"), .leave, .watchers(true), .watchers(false), .kickWatcher(Cast.cid.peer, ban: true),
            .addBot(seat: nil, .hard), .addBot(seat: 2, .easy), .removeBot(seat: nil), .removeBot(seat: 3),
            .takeWords([UInt8](0..<32)),
        ]
        var messages: [RoomMessage] = [
            .enter(.only, purpose: .join, name: "Bob"), .enter(.id(room), purpose: .watch, name: ""),
            .enter(.name("Kitchen"), purpose: .join, name: "Zoë"), .entered(room: room, seat: 2),
            .denied(.only, RoomRefusal(.ambiguous, "which?")), .state(try lobby(), left: []),
            .state(try state(), left: [RoomDeparture(seat: 1, peer: Cast.cid.peer, reason: "kicked")]),
            .reply(room: room, number: 7, nil), .closed(room: room, reason: "host-closed"),
            .say(room: room, from: Cast.bob.peer, text: "hé!"),
            .match(room: room, match: match, .want(from: 3)),
            .relay(room: room, match: match, to: 2, .want(from: 3)),
            .relayed(
                room: room, match: match, from: 1,
                .stored(index: 0, hash: [], stateHash: nil, accepted: 0, epoch: 0)),
        ]
        messages += channels(room)
        messages.append(.enter(.id(room), purpose: .mesh, name: "", endpoints: []))
        messages.append(.enter(.only, purpose: .join, name: "Bob", endpoints: try endpoints()))
        messages.append(.elsewhere(room: room, host: Cast.bob.peer, endpoints: try endpoints()))
        for isAnswer in [false, true] {
            messages.append(
                .hail(room: room, from: Cast.bob.peer, to: Cast.cid.peer, isAnswer: isAnswer))
        }
        messages.append(.knock(.ask(number: 3, port: 27_720)))
        for outcome in KnockMessage.Outcome.allCases {
            messages += try endpoints().map { .knock(.answer(number: 3, outcome, $0)) }
        }
        let hash = [UInt8](0..<32)
        messages += [
            .words(room: room, .want(hash: hash, from: 65_536)),
            .words(room: room, .piece(hash: hash, from: 0, data: Array("cup\ntea".utf8))),
        ]
        let (share, tag) = ([UInt8](0..<32), [UInt8](0..<64))
        messages += [
            .code(.prove(.only, purpose: .join, name: "Bob", share: share)),
            .code(.prove(.id(room), purpose: .watch, name: "", share: share)),
            .code(.share(room: room, .name("Kitchen"), share: share)),
            .code(.confirm(room: room, tag: tag)), .code(.admitted(room: room, seat: 3, tag: tag)),
            .entered(room: room, seat: nil), .code(.admitted(room: room, seat: nil, tag: tag)),
        ]
        messages += requests.enumerated().map { .request(room: room, number: $0 * 100, $1) }
        messages += RoomRefusal.Reason.allCases.map { .reply(room: room, number: 1, RoomRefusal($0, "no")) }
        var vectors: [GoldenVector] = []
        for message in messages {
            #expect(RoomMessage(decoding: message.encoded) == message)
            vectors.append(
                .init(
                    name: "a message of a room, lane \(message.lane.rawValue)", kind: "room-message",
                    bytes: message.encoded, meaning: Meaning.of(message)))
        }
        for message in try wrong(room, match) {
            #expect(RoomMessage(decoding: message.encoded()) == nil, "\(message)")
            vectors.append(
                .init(
                    name: "no message of a room", kind: "room-message-refused", bytes: message.encoded(),
                    meaning: ["refused": true]))
        }
        try Golden.check("room-messages", vectors)
    }

    private func wrong(_ room: RoomID, _ match: MatchID) throws -> [CBOR] {
        let id = CBOR.bytes(room.bytes)
        var wrong: [CBOR] = [
            .null, [], [.int(20), id, .null], [.int(0), .bytes([1]), .int(0), .text(""), []],
            [.int(0), .null, .int(3), .text(""), []], [.int(0), .null, .int(0)],
            [.int(0), .null, .int(0), .text("")], [.int(0), .null, .int(0), .text(""), .null],
            [.int(1), .bytes([1]), .int(0)],
            [.int(2), .null, .text("busy"), .null], [.int(4), id, .int(1), [.int(9)]],
            [.int(4), id, .int(1), [.int(4), .int(1)]], [.int(4), id, .int(1), [.int(7), .int(1)]],
            [.int(4), id, .int(1), [.int(8), .bytes([1]), .bool(true)]], [.int(1), id, .int(-1)],
            [.int(5), id, .int(1), [.text("busy")]],
            [.int(7), id, .bytes([1]), .text("")], [.int(8), id, .bytes(match.bytes), [.int(7)]],
            [.int(9), id, .bytes(match.bytes), .int(4), [.int(6), .int(0)]],
        ]
        let place: CBOR = [.bytes([192, 0, 2, 7]), .int(1)]
        for list: [CBOR] in [
            Array(repeating: place, count: 9), [[.bytes([1, 2, 3]), .int(1)]],
            [[.bytes([1, 2, 3, 4]), .int(0)]],
            [[.bytes([1, 2, 3, 4]), .int(65_536)]], [[.bytes([1, 2, 3, 4])]],
        ] {
            wrong.append([.int(0), .null, .int(0), .text(""), .array(list)])
        }
        wrong += wrongChannels(id)
        let (share, tag) = (CBOR.bytes([UInt8](0..<32)), CBOR.bytes([UInt8](0..<64)))
        wrong += [
            [.int(16), .null, .int(0), .text("Bob"), tag], [.int(16), .null, .int(2), .text("Bob"), share],
            [.int(16), .null, .int(0), share], [.int(17), .null, .null, share],
            [.int(17), id, .int(1), share],
            [.int(17), id, .null, tag], [.int(18), id, share], [.int(18), .text("Kitchen"), tag],
            [.int(19), id, .int(4), tag], [.int(19), id, .int(0), share], [.int(20), id, tag],
        ]
        wrong += [
            [.int(14), id, .bytes([1]), []], [.int(14), id, .bytes(Cast.bob.peer.bytes), .null],
            [.int(14), .null, .bytes(Cast.bob.peer.bytes), []],
            [.int(20), id, .bytes(Cast.bob.peer.bytes), .bytes([1]), .bool(true)],
            [.int(20), id, .bytes(Cast.bob.peer.bytes), .bytes(Cast.cid.peer.bytes), .int(1)],
        ]
        let good = try #require(try state().cbor.array)
        let changes: [(Int, CBOR)] = [
            (0, .bytes([2])), (1, .text(String(repeating: "x", count: 129))), (2, .text("chess")), (3, []),
            (4, []), (4, [.null]), (5, .int(4)), (6, .int(0)), (8, [.bytes([1])]), (9, .bytes([1])),
            (10, .null), (11, .text("k7px")), (11, .text("K7P")), (11, .text("A7PX")), (11, .bytes([])),
            (12, .null), (12, .int(1)), (12, .int(4)), (12, .int(-1)),
            (13, .null), (13, [[.bytes(Cast.cid.peer.bytes)]]),
            (13, [[.bytes(Cast.ann.peer.bytes), .text("Ann")]]), (13, [[.bytes([1]), .text("Cid")]]),
            (13, [[.bytes(Cast.cid.peer.bytes), .text(" Cid")]]), (14, .int(1)),
            (13, .array((0..<9).map { [.bytes(Array(repeating: $0, count: 32)), .text("x")] })),
            (13, .array(Array(repeating: [.bytes(Cast.cid.peer.bytes), .text("x")], count: 2))),
        ]
        for (place, item) in changes {
            var items = good
            items[place] = item
            wrong.append([.int(3), id, .array(items), []])
        }
        wrong.append([.int(3), .bytes(match.bytes), .array(good), []])
        wrong.append([.int(3), id, .array(good), [[.int(1), id, .text("left")]]])
        return wrong
    }

    @Test func `the largest messages of programs fit their channels`() throws {
        let (room, most) = (try Cast.room(), Limits.channelNumberMax)
        let peers = Cast.bob.peer
        let reliable = ChannelBody.reliable(
            lane: .bulk, stream: most, number: most,
            data: Array(repeating: 7, count: Limits.channelBytesMax))
        let unreliable = ChannelBody.unreliable(
            number: most, key: .max, milliseconds: Limits.channelTimeToLiveMillisecondsMax,
            data: Array(repeating: 7, count: Limits.unreliableUserBytesMax))
        for (body, limit) in [(reliable, Limits.messageBytesMax), (unreliable, Limits.unreliableBytesMax)] {
            for message in [
                RoomMessage.channel(room: room, body), .channelRelay(room: room, to: peers, body),
                .channelRelayed(room: room, from: peers, body),
            ] {
                #expect(message.encoded.count <= limit)
                #expect(message.encoded.count <= body.data.count + Limits.channelEnvelopeBytesMax)
                #expect(RoomMessage(decoding: message.encoded) == message)
            }
        }
    }

    private func wrongChannels(_ id: CBOR) -> [CBOR] {
        let (data, long) = (CBOR.bytes([]), Limits.channelNumberMax + 1)
        let bodies: [CBOR] = [
            .null, [], [.int(3), .int(1), .int(0), .int(1), data], [.int(0), .int(1), .int(0), .int(1)],
            [.int(0), .int(0), .int(0), .int(1), data], [.int(0), .int(3), .int(0), .int(1), data],
            [.int(0), .int(1), .int(-1), .int(1), data], [.int(0), .int(1), .int(0), .int(0), data],
            [.int(0), .int(1), .int(long), .int(1), data], [.int(0), .int(1), .int(0), .int(long), data],
            [.int(0), .int(1), .int(0), .int(1), .text("")],
            [.int(1), .int(-1), .null, .int(1), data], [.int(1), .int(0), .int(-1), .int(1), data],
            [.int(1), .int(0), .int(1 << 32), .int(1), data], [.int(1), .int(0), .text(""), .int(1), data],
            [.int(1), .int(0), .null, .int(0), data], [.int(1), .int(0), .null, .int(10_001), data],
            [.int(1), .int(0), .null, .int(1), .bytes(Array(repeating: 0, count: 16_385))],
            [.int(2), .int(1), .int(0), .int(-1), .int(0)], [.int(2), .int(1), .int(0), .int(0), .int(-1)],
            [.int(2), .int(0), .int(0), .int(0), .int(0)], [.int(2), .int(1), .int(0), .int(0), .int(long)],
        ]
        let good: CBOR = [.int(2), .int(1), .int(0), .int(0), .int(0)]
        return bodies.map { [.int(11), id, $0] } + [
            [.int(11), id, .bytes(Array(repeating: 1, count: 32)), good], [.int(12), id, good],
            [.int(12), id, .bytes([1]), good],
            [.int(13), .null, .bytes(Array(repeating: 1, count: 32)), good],
        ]
    }

    @Test func `the golden exchanges about codes are what is computed`() throws {
        let room = try Cast.room()
        var vectors: [GoldenVector] = []
        for (text, guestDialled) in [("K7PX", true), ("2B9Z", false)] {
            let (guest, host) = (Cast.bob.peer, Cast.ann.peer)
            let channel = CodeChannel(
                session: [UInt8](64..<96), client: guestDialled ? guest : host,
                server: guestDialled ? host : guest)
            let entropy = ([UInt8](100..<132), [UInt8](200..<232))
            let code = try RoomCode(text)
            var proof = CodeProof(code, channel: channel, me: guest, host: host, entropy: entropy.0)
            let offer = CodeOffer(share: proof.share, channel: channel, address: "", entropy: entropy.1)
            let attempt = try #require(
                CodeTry(
                    code, room: room, guest: guest, host: host, offer, entering: (.join, "Bob", .only),
                    counts: true))
            let reply = proof.confirm(hostShare: attempt.share, room: room)
            let tag = try #require(reply)
            let answer = try #require(attempt.answer(to: tag))
            #expect(proof.isHosts(answer))
            vectors.append(
                .init(
                    name: "the \(guestDialled ? "guest" : "host") was the client of TLS",
                    kind: "code-exchange",
                    bytes: proof.share + attempt.share + tag + answer,
                    meaning: [
                        "code": .string(text), "session": Meaning.of(channel.session),
                        "client": Meaning.of(channel.client.bytes),
                        "server": Meaning.of(channel.server.bytes), "guest": Meaning.of(guest.bytes),
                        "host": Meaning.of(host.bytes), "room": Meaning.of(room.bytes),
                        "guestEntropy": Meaning.of(entropy.0), "hostEntropy": Meaning.of(entropy.1),
                    ]))
        }
        try Golden.check("codes", vectors)
    }
}
