import ParlorCrypto
import ParlorGames
import Testing

@testable import ParlorProtocol

/// The names and keys that the golden files use.
enum Cast {
    /// The signer whose key has a seed of this byte, 32 times.
    static func signer(_ seed: UInt8) -> Signer {
        Signer(SigningKey(seed: [UInt8](repeating: seed, count: 32)))
    }

    static let ann = signer(1)
    static let bob = signer(2)
    static let cid = signer(3)

    static func room() throws -> RoomID { try #require(RoomID(bytes: (0x40..<0x50).map { $0 })) }

    static func snap() throws -> Genesis {
        let rules = try #require(Catalog.rules("snap")).declaration
        return Genesis(
            nonce: (0..<16).map { $0 }, room: try room(), game: "snap", rules: 1,
            options: try GameOptions(rules, given: [.init("max_flips", 20)]),
            seats: [
                .init(peer: ann.peer, name: "Ann"), .init(peer: bob.peer, name: "Böb"),
                .init(peer: ann.peer, name: "Bot", bot: true),
            ], words: nil)
    }

    static func hangman() throws -> Genesis {
        let rules = try #require(Catalog.rules("hangman")).declaration
        return Genesis(
            nonce: (16..<32).map { $0 }, room: try room(), game: "hangman", rules: 1,
            options: try GameOptions(rules, given: [.init("any_word", true)]),
            seats: [.init(peer: ann.peer, name: "Ann"), .init(peer: bob.peer, name: "Bob")],
            words: WordList(["garden", "violin"]).identity(Hash.blake2b256))
    }
}

@Suite struct MatchGoldenTests {
    @Test func `the golden geneses are what is encoded`() throws {
        let known = [
            ("three seats of Snap, one of them a bot", try Cast.snap()), ("Hangman", try Cast.hangman()),
        ]
        var vectors: [GoldenVector] = []
        for (name, genesis) in known {
            #expect(try Genesis(decoding: genesis.encoded) == genesis)
            vectors.append(
                .init(name: name, kind: "genesis", bytes: genesis.encoded, meaning: Meaning.of(genesis)))
        }
        let good = try #require(try CBOR.decode(Cast.snap().encoded).array)
        let wrong: [(String, Int, CBOR)] = [
            ("another layout", 0, .int(2)), ("a short nonce", 1, .bytes([1])),
            ("an unknown game", 3, .text("chess")),
            ("other rules", 4, .int(2)), ("options left out", 5, []), ("no seats", 6, []),
            ("no hash", 7, .bytes([1])),
            (
                "a number as option", 5,
                .array(try #require(good[5].array).map { [$0.array?[0] ?? .null, .bytes([])] })
            ),
            ("one player twice", 6, .array(Array(repeating: try #require(good[6].array)[1], count: 2))),
            ("five seats", 6, .array(Array(repeating: try #require(good[6].array)[0], count: 5))),
        ]
        for (name, place, item) in wrong {
            var items = good
            items[place] = item
            let bytes = CBOR.array(items).encoded()
            #expect(throws: LogFault.self) { try Genesis(decoding: bytes) }
            vectors.append(
                .init(name: name, kind: "genesis-refused", bytes: bytes, meaning: ["refused": true]))
        }
        try Golden.check("genesis", vectors)
    }

    /// One of each kind.
    static let bodies: [(String, Author, EntryBody)] = [
        (
            "a chain", .seat(1),
            .chain(
                end: bytes32(0xA0), boxKey: bytes32(0xB0),
                vault: (0..<72).map { UInt8(truncatingIfNeeded: $0 &+ 0xC0) })
        ),
        ("a commitment", .seat(1), .commit(round: 0, commitment: bytes32(0x10))),
        ("a nonce", .seat(1), .reveal(round: 255, nonce: bytes32(0x20))),
        ("a flip", .seat(1), .move(.list([.int(0)]))),
        (
            "a move with everything", .seat(1),
            .move(.list([.none, .bool(true), .int(-1), .bytes([1, 2]), .text("é"), .list([])]))
        ),
        ("a seat leaves", .seat(1), .leave),
        (
            "a joint draw with a bot", .sequencer,
            .draw(draw: 2, seats: [0, 1, 2], links: [bytes32(0x31), bytes32(0x32)])
        ),
        (
            "a bot is taken over", .sequencer,
            .driver(
                seat: 2, peer: Cast.bob.peer, end: bytes32(0xA1), boxKey: bytes32(0xB1),
                vault: (0..<72).map { UInt8(truncatingIfNeeded: $0 &+ 0xC1) })
        ),
        ("a joint draw", .sequencer, .draw(draw: 1, seats: [0, 1], links: [bytes32(0x30)])),
        ("a joint draw without the sequencer", .sequencer, .draw(draw: 256, seats: [], links: [])),
        (
            "an opening", .sequencer,
            .open(draw: 1, links: [SeatLink(seat: 1, link: bytes32(0x50))], revealAt: 70_010)
        ),
        ("an opening without chance", .sequencer, .open(draw: 0, links: [], revealAt: 70_000)),
        ("time is up", .sequencer, .expire), ("away", .sequencer, .away(seat: 1)),
        ("back", .sequencer, .back(seat: 1)),
        ("left after its grace", .sequencer, .left(seat: 1, reason: .grace)),
        ("left, removed", .sequencer, .left(seat: 1, reason: .kicked)),
        ("left in the draw", .sequencer, .left(seat: 1, reason: .draw)),
        ("withheld", .sequencer, .withheld(draw: 3, seat: 1)),
        (
            "the end", .sequencer,
            .end(outcomes: [.first, .quit, .second], alone: false, stateHash: bytes32(0x60))
        ),
        ("cancelled", .sequencer, .end(outcomes: [], alone: false, stateHash: bytes32(0x61))),
        (
            "an end alone", .seat(1),
            .end(outcomes: [.timedOut, .won, .timedOut], alone: true, stateHash: bytes32(0x62))
        ),
        (
            "another sequencer", .sequencer,
            .sequencer(seat: 0, epoch: 3, clock: 70_000, votes: [vote(Cast.ann, 0), vote(Cast.bob, 1)])
        ),
        (
            "a fault with its proof", .seat(1),
            .fault(seat: 0, kind: .twoEntries, evidence: [bytes32(0x63), bytes32(0x64)])
        ),
        ("a fault without one", .seat(1), .fault(seat: 2, kind: .droppedProposal, evidence: [])),
    ]

    private static let someMatch: MatchID = {
        guard let match = MatchID(bytes: [UInt8](repeating: 7, count: 16)) else {
            preconditionFailure("16 bytes")
        }
        return match
    }()

    /// A vote for seat 0 in epoch 3.
    static func vote(_ signer: Signer, _ seat: Int) -> Vote {
        Vote(
            match: someMatch, seat: seat, epoch: 3,
            candidate: 0, lastEpoch: seat * 2, length: 41 + seat, signer: signer)
    }

    private static func bytes32(_ first: UInt8) -> [UInt8] { (0..<32).map { first &+ $0 } }

    static func proposal(_ author: Author, _ body: EntryBody, counter: Int, in genesis: Genesis) -> Proposal {
        Proposal(
            match: genesis.match, author: author, counter: counter, seenIndex: -1, seenHash: genesis.hash,
            body: body, signer: author == .sequencer ? Cast.ann : Cast.bob)
    }

    @Test func `the golden proposals and entries are what is encoded`() throws {
        let genesis = try Cast.snap()
        var proposals: [GoldenVector] = []
        var entries: [GoldenVector] = []
        for (number, (name, author, body)) in Self.bodies.enumerated() {
            let proposal = Self.proposal(author, body, counter: number * number * 9, in: genesis)
            let author = author == .sequencer ? Cast.ann : Cast.bob
            #expect(Proposal(cbor: proposal.cbor) == proposal)
            proposals.append(
                .init(
                    name: name, kind: "proposal", bytes: proposal.cbor.encoded(),
                    meaning: ["peer": Meaning.of(author.peer.bytes), "proposal": Meaning.of(proposal)]))
            let sequencer: Signer =
                if case .end(_, alone: true, _) = body { author } else { Cast.ann }
            let entry = Entry(
                index: number, previous: Hash.blake2b256([UInt8(number)]), time: 1 << min(number * 2, 40),
                proposal: proposal, signer: sequencer)
            #expect(Entry(decoding: entry.encoded) == entry)
            entries.append(
                .init(
                    name: name, kind: "entry", bytes: entry.encoded,
                    meaning: [
                        "author": Meaning.of(author.peer.bytes),
                        "sequencer": Meaning.of(sequencer.peer.bytes),
                        "entry": Meaning.of(entry),
                    ]))
        }
        try Golden.check("proposals", proposals + refusedProposals(genesis))
        try Golden.check("entries", entries + refusedEntries(genesis))
    }

    private func refusedProposals(_ genesis: Genesis) throws -> [GoldenVector] {
        let good = try #require(
            Self.proposal(.seat(1), .commit(round: 0, commitment: genesis.hash), counter: 1, in: genesis).cbor
                .array)
        let wrong: [(String, Int, CBOR)] = [
            ("a short match", 0, .bytes([1])), ("seat 4", 1, .int(4)), ("author -2", 1, .int(-2)),
            ("a counter below 0", 2, .int(-1)), ("a counter too high", 2, .int(Limits.counterMax + 1)),
            ("seen -2", 3, .int(-2)), ("a short hash", 4, .bytes([1])), ("kind 13", 5, .int(13)),
            ("kind 0", 5, .int(0)), ("a body of another kind", 6, []),
            ("round 256", 6, [.int(256), .bytes(genesis.hash)]),
            ("a map", 6, .map([])), ("a short signature", 7, .bytes([1])),
        ]
        return wrong.map { name, place, item in
            var items = good
            items[place] = item
            #expect(Proposal(cbor: .array(items)) == nil, "\(name)")
            let bytes = CBOR.array(items).encoded()
            return .init(name: name, kind: "proposal-refused", bytes: bytes, meaning: ["refused": true])
        }
    }

    private func refusedEntries(_ genesis: Genesis) throws -> [GoldenVector] {
        let entry = Entry(
            index: 0, previous: genesis.hash, time: 5,
            proposal: Self.proposal(.seat(1), .leave, counter: 1, in: genesis),
            signer: Cast.ann)
        let good = try #require(try CBOR.decode(entry.encoded).array)
        let wrong: [(String, Int, CBOR)] = [
            ("an index below 0", 0, .int(-1)), ("a short hash", 1, .bytes([1])),
            ("a time below 0", 2, .int(-1)),
            ("a time too late", 2, .int(Limits.matchMillisecondsMax + 1)), ("no proposal", 3, .null),
            ("a long signature", 4, .bytes(Array(repeating: 1, count: 65))),
        ]
        return wrong.map { name, place, item in
            var items = good
            items[place] = item
            let bytes = CBOR.array(items).encoded()
            #expect(Entry(decoding: bytes) == nil, "\(name)")
            return .init(name: name, kind: "entry-refused", bytes: bytes, meaning: ["refused": true])
        }
    }

    @Test func `the golden draws come out as they are computed`() throws {
        let match = try Cast.snap().match
        var vectors: [GoldenVector] = []
        for (round, seat) in [(0, 0), (1, 3), (255, 2)] {
            let nonce = Hash.blake2b256([UInt8(round), UInt8(seat)])
            vectors.append(
                .init(
                    name: "round \(round), seat \(seat)", kind: "draw-commitment",
                    bytes: Draw.commitment(match: match, round: round, seat: seat, nonce: nonce),
                    meaning: [
                        "match": Meaning.of(match.bytes), "round": .int(round), "seat": .int(seat),
                        "nonce": Meaning.of(nonce),
                    ]))
        }
        vectors.append(round(match, round: 0, seats: [0, 1, 2, 3], salt: 0))
        vectors.append(round(match, round: 2, seats: [1, 3], salt: 1))
        for seats in [[0, 1], [0, 2, 3]] {
            let tie = try #require(
                (0..<200_000).lazy.map { self.round(match, round: 1, seats: seats, salt: $0) }
                    .first { $0.meaning["tied"] != .array([]) && $0.meaning["tied"]?.elements?.count == 2 })
            vectors.append(tie)
        }
        try Golden.check("draws", vectors)
    }

    private func round(_ match: MatchID, round: Int, seats: [Int], salt: Int) -> GoldenVector {
        let nonces = seats.map { Hash.blake2b256(Array("nonce \($0) \(salt)".utf8)) }
        let numbers = seats.map { Draw.number(match: match, round: round, seat: $0, nonces: nonces) }
        let highest = zip(seats, numbers).filter { $0.1 == numbers.max() }.map { Value.int($0.0) }
        return GoldenVector(
            name: highest.count == 1 ? "a round" : "a tie", kind: "draw-round", bytes: nonces.flatMap { $0 },
            meaning: [
                "match": Meaning.of(match.bytes), "round": .int(round),
                "seats": .array(seats.map { .int($0) }), "numbers": .array(numbers.map { .int($0) }),
                "first": highest.count == 1 ? highest[0] : .null,
                "tied": .array(highest.count == 1 ? [] : highest),
            ])
    }

    @Test func `the golden chances come out as they are computed`() throws {
        let match = try Cast.snap().match
        let first = Hash.blake2b256([7])
        let end = Chance.element(Chance.chainLinks, from: first, hash: Hash.blake2b256)
        var vectors: [GoldenVector] = []
        for draw in [1, 2, 100, 255, 256] {
            let link = Chance.element(Chance.chainLinks - draw, from: first, hash: Hash.blake2b256)
            #expect(Chance.holds(link, draw: draw, end: end, hash: Hash.blake2b256))
            #expect(!Chance.holds(link, draw: draw - 1, end: end, hash: Hash.blake2b256))
            vectors.append(
                .init(
                    name: "draw \(draw)", kind: "chain-link", bytes: link,
                    meaning: ["draw": .int(draw), "end": Meaning.of(end), "first": Meaning.of(first)]))
        }
        let third = 0x5555_5555_5555_5556
        for (among, draw, seats) in [
            (52, 1, 3), (2, 256, 2), (1, 1, 1), (7, 9, 0), (third, 1, 2), (third, 2, 2), (third, 3, 4),
        ] {
            vectors.append(choice(match, among: among, draw: draw, seats: seats))
        }
        #expect(vectors.contains { ($0.meaning["attempt"]?.number ?? 0) > 0 })
        try Golden.check("chances", vectors)
    }

    private func choice(_ match: MatchID, among: Int, draw: Int, seats: Int) -> GoldenVector {
        let links = (0..<seats).map {
            SeatLink(seat: $0, link: Hash.blake2b256([UInt8($0), UInt8(truncatingIfNeeded: draw)]))
        }
        let tries = Tries()
        let choice = Chance.choose(among: among, match: match.bytes, draw: draw, links: links) { bytes in
            tries.count += 1
            return Hash.blake2b256(bytes)
        }
        return GoldenVector(
            name: "among \(among), draw \(draw)", kind: "choice", bytes: links.flatMap(\.link),
            meaning: [
                "match": Meaning.of(match.bytes), "draw": .int(draw), "among": .int(among),
                "attempt": .int(tries.count - 1), "choice": .int(choice),
            ])
    }

    private final class Tries: @unchecked Sendable { var count = 0 }

    @Test func `the golden vaults hold what they are derived to hold`() throws {
        let match = try Cast.hangman().match
        var vectors: [GoldenVector] = []
        let identity = Hash.blake2b256(Array("identity".utf8))
        let vaults = (0..<3).map { seat in
            SeatVault(seat: seat, match: match, secret: Hash.blake2b256(Array("secret \(seat)".utf8)))
        }
        let keys = vaults.map(\.boxPublicKey)
        for (seat, vault) in vaults.enumerated() {
            let secrets = vault.secrets(boxKeys: keys)
            let sealed = vault.sealed(identity: identity)
            let again = try #require(SeatVault(seat: seat, match: match, sealed: sealed, identity: identity))
            #expect(again.chainEnd == vault.chainEnd)
            vectors.append(
                .init(
                    name: "the vault of seat \(seat)", kind: "vault", bytes: sealed,
                    meaning: [
                        "match": Meaning.of(match.bytes), "identity": Meaning.of(identity),
                        "secret": Meaning.of(Hash.blake2b256(Array("secret \(seat)".utf8))),
                        "boxKey": Meaning.of(vault.boxPublicKey), "chainEnd": Meaning.of(vault.chainEnd),
                        "links": .array([1, 2, 256].map { [.int($0), Meaning.of(vault.link($0))] }),
                        "nonces": .array(
                            [0, 1, 255].map { [.int($0), Meaning.of(vault.nonce(round: $0))] }),
                        "game": Meaning.of(secrets.derive(Array("a label".utf8))),
                    ]))
        }
        for (from, to, plain) in [(0, 1, "hello"), (1, 0, ""), (2, 2, String(repeating: "z", count: 200))] {
            let sealed = try #require(vaults[from].secrets(boxKeys: keys).seal(Array(plain.utf8), to))
            #expect(vaults[to].secrets(boxKeys: keys).open(sealed, from) == Array(plain.utf8))
            vectors.append(
                .init(
                    name: "from seat \(from) to seat \(to)", kind: "sealed", bytes: sealed,
                    meaning: [
                        "from": Meaning.of(Hash.blake2b256(Array("secret \(from)".utf8))),
                        "to": Meaning.of(Hash.blake2b256(Array("secret \(to)".utf8))), "seat": .int(to),
                        "plain": Meaning.of(Array(plain.utf8)),
                    ]))
        }
        try Golden.check("vaults", vectors)
    }
}
