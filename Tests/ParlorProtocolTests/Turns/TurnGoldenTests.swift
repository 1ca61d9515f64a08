import ParlorCrypto
import ParlorGames
import Testing

@testable import ParlorProtocol

@Suite struct TurnGoldenTests {
    /// As PROTOCOL.md has them.
    static let limits: [(String, String)] = [
        ("a match by turns", "\(Limits.turnMatchBytesMax) bytes"),
        ("its genesis", "\(Limits.turnGenesisBytesMax) bytes"),
        ("an item of one", "\(Limits.turnItemBytesMax) bytes"),
        ("of an author's share, left by its moves", "\(Limits.turnReservedBytes) bytes"),
        ("matches by turns with an own seat", "\(Limits.turnMatchesMax)"),
        ("those of them that others have begun", "\(Limits.turnInvitationsMax)"),
        ("matches carried for others", "\(Limits.turnCarriedMax)"),
        ("matches carried for others, in all", "\(Limits.turnCarriedBytesMax) bytes"),
        ("heads in one message", "\(Limits.turnHeadsMax)"),
        ("items or hashes in one message", "\(TurnMessage.itemsMax)"),
        (
            "from one exchange of a pair to the next, on a change",
            "\(Limits.turnSyncInterval.components.seconds) s"
        ),
        (
            "after the last heads of a pair, until heads begin an exchange",
            "\(Limits.turnAnswerInterval.components.seconds) s"
        ),
        ("time limit of a turn", "\(Limits.turnSecondsMax) s"),
        ("peers met that are remembered", "\(Limits.turnPeersMax)"),
    ]

    private let signers = (0..<4).map { number in
        Signer(SigningKey(seed: [UInt8](repeating: UInt8(number + 40), count: 32)))
    }

    private func genesis(_ game: String, named: Int, open: Int = 0, seconds: Int = 0, after: MatchID? = nil)
        -> TurnGenesis
    {
        let seats = (0..<named).map { TurnGenesis.Seat(peer: signers[$0].peer, name: "P\($0)é") }
        return TurnGenesis(
            nonce: [UInt8](0..<16), game: game, rules: 1,
            seats: seats + (0..<open).map { _ in TurnGenesis.Seat() }, turnSeconds: seconds, after: after,
            time: 1_767_000_000_000, signer: signers[0])
    }

    private func meaning(_ genesis: TurnGenesis) -> Value {
        [
            "match": Meaning.of(genesis.match.bytes), "hash": Meaning.of(genesis.hash),
            "game": .string(genesis.game),
            "seats": .array(
                genesis.seats.map { [$0.peer.map { Meaning.of($0.bytes) } ?? .null, .string($0.name)] }),
            "seconds": .int(genesis.turnSeconds),
            "after": genesis.after.map { Meaning.of($0.bytes) } ?? .null, "time": .int(genesis.time),
        ]
    }

    private func meaning(_ item: TurnItem) -> Value {
        let body: [(String, Value)] =
            switch item.body {
            case .move(let parent, let seat, let datum):
                [
                    ("says", "move"), ("parent", Meaning.of(parent)), ("seat", .int(seat)),
                    ("move", plain(datum)),
                ]
            case .accept(let name): [("says", "accept"), ("name", .string(name))]
            case .decline: [("says", "decline")]
            case .quit(let after): [("says", "quit"), ("after", .int(after))]
            case .skip(let parent, let seat):
                [("says", "skip"), ("parent", Meaning.of(parent)), ("seat", .int(seat))]
            case .take(let seat, let name):
                [("says", "take"), ("seat", .int(seat)), ("name", .string(name))]
            case .grant:
                [
                    ("says", "grant"),
                    (
                        "take",
                        item.granted.map {
                            [
                                "author": Meaning.of($0.peer.bytes), "seat": .int($0.seat),
                                "name": .string($0.name),
                            ]
                        } ?? .null
                    ),
                ]
            case .remind(let parent): [("says", "remind"), ("parent", Meaning.of(parent))]
            }
        let head: [(String, Value)] = [
            ("match", Meaning.of(item.match.bytes)), ("author", Meaning.of(item.author.bytes)),
            ("time", .int(item.time)), ("hash", Meaning.of(item.hash)),
        ]
        return .object((head + body).map { Value.Member($0.0, $0.1) })
    }

    private func plain(_ datum: Datum) -> Value {
        switch datum {
        case .int(let number): .int(number)
        case .text(let text): .string(text)
        case .list(let list): .array(list.map(plain))
        case .none, .bool, .bytes: .null
        }
    }

    private func meaning(_ match: TurnMatch) -> Value {
        let state = TurnState(match)
        let chain = state.steps.map { step -> Value in
            let word =
                switch step.kind {
                case .move: "moved"
                case .left: "left"
                case .skipped: "skipped"
                }
            return [.int(step.seat), .string(word)]
        }
        return [
            "head": Meaning.of(state.head), "chain": .array(chain),
            "turn": state.turn.map { .int($0) } ?? .null,
            "status": .array(state.seats.map { .string($0.status.rawValue) }),
            "outcomes": .array(state.seats.map { $0.outcome.map { .string($0.rawValue) } ?? .null }),
            "cheats": .array(state.doubles.map { .int($0.seat) }), "digest": Meaning.of(match.digest),
        ]
    }

    private func item(_ signer: Int, _ genesis: TurnGenesis, _ body: TurnItem.Body, time: Int = 5) -> TurnItem
    {
        TurnItem(match: genesis.match, body: body, time: time, signer: signers[signer])
    }

    private var bodies: [TurnItem.Body] {
        let parent = [UInt8](32..<64)
        return [
            .move(parent: parent, seat: 1, .list([.int(0), .int(9)])),
            .move(parent: parent, seat: 3, .list([.int(0), .text("and thén")])), .accept(name: "Zoë"),
            .decline,
            .quit(after: 300), .skip(parent: parent, seat: 2), .take(seat: 1, name: "Bob"),
            .remind(parent: parent),
        ]
    }

    @Test func `the golden matches by turns are what is encoded`() throws {
        var vectors: [GoldenVector] = []
        let plain = genesis("tictactoe", named: 2)
        for one in [plain, genesis("story", named: 2, open: 2, seconds: 2_592_000, after: plain.match)] {
            #expect(try TurnGenesis(decoding: one.encoded, .ed25519) == one)
            vectors.append(
                .init(name: one.game, kind: "turn-genesis", bytes: one.encoded, meaning: meaning(one)))
        }
        let take = item(2, plain, .take(seat: 1, name: "Cid"))
        for one in bodies.map({ item(1, plain, $0) }) + [item(0, plain, .grant(take: take.encoded))] {
            #expect(try TurnItem(decoding: one.encoded, .ed25519) == one)
            vectors.append(
                .init(
                    name: "item \(one.body.kind)", kind: "turn-item", bytes: one.encoded,
                    meaning: meaning(one)))
        }
        for message: TurnMessage in [
            .heads([]), .heads([TurnMessage.Head(TurnMatch(genesis("story", named: 1, open: 2)))]),
            .want(plain.match, has: [], isAnswer: false),
            .want(plain.match, has: [take.hash], isAnswer: true),
            .items(plain.match, genesis: plain.encoded, []),
            .items(plain.match, genesis: nil, [take.encoded]),
        ] {
            let bytes = RoomMessage.turns(message).encoded
            #expect(RoomMessage(decoding: bytes) == .turns(message))
            vectors.append(
                .init(name: "message", kind: "turn-message", bytes: bytes, meaning: Meaning.of(message)))
        }
        for (name, match) in try played() {
            let bytes = CBOR.array([
                .bytes(match.genesis.encoded), .array(match.items.map { .bytes($0.encoded) }),
            ]).encoded()
            vectors.append(.init(name: name, kind: "turn-set", bytes: bytes, meaning: meaning(match)))
        }
        try Golden.check("turns", vectors)
    }

    private func moves(
        _ match: inout TurnMatch, _ moves: [(Int, Datum)]
    ) {
        for (place, (signer, datum)) in moves.enumerated() {
            let state = TurnState(match)
            let seat = state.turn ?? 0
            match.merge([
                item(
                    signer, match.genesis, .move(parent: state.head, seat: seat, .list([.int(0), datum])),
                    time: place)
            ])
        }
    }

    private func played() throws -> [(String, TurnMatch)] {
        var won = TurnMatch(genesis("tictactoe", named: 2))
        moves(&won, [(0, .int(1)), (1, .int(5)), (0, .int(2)), (1, .int(6)), (0, .int(3))])
        var quit = won
        quit.merge([item(1, won.genesis, .quit(after: 2))])
        var story = TurnMatch(genesis("story", named: 3, open: 1))
        let take = item(3, story.genesis, .take(seat: 3, name: "Dan"))
        story.merge([
            item(0, story.genesis, .grant(take: take.encoded)), item(2, story.genesis, .decline),
            item(1, story.genesis, .accept(name: "Bea")),
        ])
        moves(&story, [(0, .text("there was")), (1, .text("a house")), (3, .text("by the sea"))])
        var double = TurnMatch(genesis("story", named: 3))
        for text in ["one", "two"] {
            double.merge([
                item(
                    0, double.genesis,
                    .move(parent: double.genesis.hash, seat: 0, .list([.int(0), .text(text)])))
            ])
        }
        moves(&double, [(1, .text("b")), (2, .text("c"))])
        var late = TurnMatch(genesis("story", named: 3, seconds: 60))
        for player in 1...2 {
            late.merge([
                item(player, late.genesis, .accept(name: "N")),
                item(player, late.genesis, .skip(parent: late.genesis.hash, seat: 0)),
            ])
        }
        var alone = TurnMatch(genesis("story", named: 2, open: 1))
        alone.merge([item(0, alone.genesis, .quit(after: 0)), item(1, alone.genesis, .accept(name: "B"))])
        return [
            ("won", won), ("quit while the other won", quit), ("a story goes on", story),
            ("a double move", double), ("passed over", late), ("the last one", alone),
        ]
    }

    @Test func `the golden wrong ones are refused`() throws {
        let good = genesis("tictactoe", named: 2)
        let items = try #require(try CBOR.decode(good.encoded).array)
        let changes: [(Int, CBOR)] = [
            (0, .int(2)), (1, .bytes([1])), (2, .text("snap")), (3, .int(2)), (4, []), (5, .int(-1)),
            (5, .int(2_592_001)), (6, .bytes([1])), (7, .int(-1)), (7, .int(1)), (8, .bytes([1])),
        ]
        var vectors: [GoldenVector] = []
        for (place, value) in changes {
            var wrong = items
            wrong[place] = value
            let bytes = CBOR.array(wrong).encoded()
            #expect(throws: TurnFault.self) { try TurnGenesis(decoding: bytes, .ed25519) }
            vectors.append(
                .init(
                    name: "no genesis", kind: "turn-genesis-refused", bytes: bytes, meaning: ["refused": true]
                ))
        }
        let other = item(1, genesis("story", named: 2), .take(seat: 1, name: "x"))
        let nested = item(0, good, .grant(take: other.encoded))
        let accept = item(1, good, .accept(name: "x"))
        var forged = accept.encoded
        forged[forged.count - 1] ^= 1
        for bytes in [nested.encoded, forged, CBOR.array([.bytes(good.match.bytes)]).encoded()] {
            #expect(throws: TurnFault.self) { try TurnItem(decoding: bytes, .ed25519) }
            vectors.append(
                .init(name: "no item", kind: "turn-item-refused", bytes: bytes, meaning: ["refused": true]))
        }
        let id = CBOR.bytes(good.match.bytes)
        let messages: [CBOR] = [
            [.int(24), .int(2), []], [.int(24), .int(1), [.null]], [.int(24), .int(1), [[id, id, []]]],
            [.int(24), .int(1), [[id, .bytes([1]), [.null]]]], [.int(25), id, [.bytes([1])], .bool(true)],
            [.int(25), id, [], .int(0)], [.int(25), .bytes([1]), [], .bool(true)],
            [.int(26), id, .null, [.null]],
            [.int(26), id, .int(1), []], [.int(26), id, .null, [], .null],
            [.int(26), id, .null, [.bytes([UInt8](repeating: 0, count: 5_121))]],
        ]
        for message in messages {
            #expect(RoomMessage(decoding: message.encoded()) == nil, "\(message)")
            vectors.append(
                .init(
                    name: "no message", kind: "turn-message-refused", bytes: message.encoded(),
                    meaning: ["refused": true]))
        }
        try Golden.check("turns-refused", vectors)
    }
}
