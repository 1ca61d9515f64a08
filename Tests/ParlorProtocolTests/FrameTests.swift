import Testing

@testable import ParlorProtocol

@Suite struct FrameTests {
    static let hello = Hello(
        software: "1.0", name: "Ann", games: [.init(id: "snap", rules: 1)], linkID: 7, datagramPort: 0,
        listenPort: 9_000)

    /// Ann comes back to the link that Bob calls 9.
    static let back = Hello(
        software: "1.0", name: "Ann", games: [.init(id: "snap", rules: 1)], linkID: 7, listenPort: 9_000,
        resume: .init(link: 9, received: counts(0, 1, 300)))
    private static let bob = Hello(
        software: "1.0", name: "Bob", games: [.init(id: "snap", rules: 1)], linkID: 9, listenPort: 9_000)

    static let golden: [(hex: String, frame: Frame)] = [
        (
            "01000022" + "a8" + "01820101" + "0263312e30" + "0363416e6e" + "04818264736e617001" + "0507"
                + "0600"
                + "07192328" + "08f6", .hello(hello)
        ),
        (
            "02000024" + "a9" + "01820101" + "0263312e30" + "0363416e6e" + "04818264736e617001" + "0507"
                + "0600"
                + "07192328" + "08f6" + "0901", .welcome(Welcome(hello: hello, chosen: 1))
        ),
        (
            "01000028" + "a8" + "01820101" + "0263312e30" + "0363416e6e" + "04818264736e617001" + "0507"
                + "0600"
                + "07192328" + "088409000119012c", .hello(back)
        ),
        (
            "02000027" + "a9" + "01820101" + "0263312e30" + "0363426f62" + "04818264736e617001" + "0509"
                + "0600"
                + "07192328" + "0883020000" + "0901",
            .welcome(Welcome(hello: bob, chosen: 1, received: counts(2, 0, 0)))
        ),
        (
            "03000014" + "a4" + "016462757379" + "0262686d" + "03820101" + "0463312e30",
            .refuse(LinkRefusal(reason: .busy, detail: "hm", protocols: 1...1, software: "1.0"))
        ),
        (
            "04000011" + "a3" + "0166636c6f736564" + "0260" + "03646f70656e",
            .goodbye(Goodbye(reason: .closed, detail: "", phase: .open))
        ),
        ("05000004" + "0001" + "6869", .chunk(lane: .control, last: true, bytes: [0x68, 0x69])),
        ("05000002" + "0201", .chunk(lane: .bulk, last: true, bytes: [])),
        (
            "06000018" + "0000000000000001" + "0000000000000002" + "ffffffffffffffff",
            .acknowledge(counts(1, 2, .max))
        ),
        ("07000008" + "0000000000000102", .ping(token: 258)),
        ("08000010" + "0000000000000102" + "00000000000f4240", .pong(token: 258, clock: 1_000_000)),
        ("09000003" + "010203", .datagram([1, 2, 3])),
    ]

    @Test(arguments: golden)
    func `each kind has its bytes`(hex: String, frame: Frame) throws {
        #expect(ParlorProtocolTests.hex(frame.encoded()) == hex)
        var decoder = FrameDecoder()
        decoder.append(bytes(hex))
        #expect(try decoder.next() == frame)
        #expect(try decoder.next() == nil)
    }

    static let refused: [(hex: String, code: FrameError.Code)] = [
        ("00000000", .unknownKind), ("0a000000", .unknownKind), ("ff000000", .unknownKind),
        ("01001ffd", .badLength), ("01ffffff", .badLength), ("05000001", .badLength),
        ("05004003", .badLength),
        ("05ffffff", .badLength), ("06000017", .badLength), ("06000019", .badLength),
        ("07000000", .badLength),
        ("07000009", .badLength), ("08000008", .badLength), ("09004001", .badLength),
        ("050000020301", .badChunk), ("050000020002", .badChunk), ("05000003000055", .badChunk),
        ("0100000100", .badBody), ("01000000", .badBody), ("01000001a0", .badBody), ("0100000180", .badBody),
        ("0400000ca301616302600364676f6e65", .badBody), ("04000007a3016002600360", .badBody),
    ]

    @Test(arguments: refused)
    func `what is no frame is refused as soon as it shows`(hex: String, code: FrameError.Code) {
        var decoder = FrameDecoder()
        decoder.endGreeting()
        decoder.append(bytes(hex) + [UInt8](repeating: 0, count: 16))
        let error = #expect(throws: FrameError.self) { try decoder.next() }
        #expect(error?.code == code)
    }

    @Test func `a greeting larger than its eight kibibytes is refused`() throws {
        var decoder = FrameDecoder()
        decoder.append(Frame.datagram([UInt8](repeating: 0, count: 5_000)).encoded())
        #expect(try decoder.next() != nil)
        decoder.append(bytes("09001000"))
        #expect(throws: FrameError.self) { try decoder.next() }
        var open = FrameDecoder()
        open.endGreeting()
        open.append(
            Frame.chunk(lane: .bulk, last: false, bytes: [UInt8](repeating: 3, count: 16_384)).encoded())
        #expect(try open.next()?.kind == .chunk)
        #expect(open.pendingBytes == 0)
    }

    @Test(arguments: UInt64(1)...12)
    func `any cut of the stream gives the same frames`(seed: UInt64) throws {
        var random = Seeded(seed: seed)
        let sent = (0..<20).map { _ in random.frame() }
        let stream = sent.flatMap { $0.encoded() }
        for pieceMax in [1, 3, 700, stream.count] {
            var decoder = FrameDecoder()
            decoder.endGreeting()
            var received: [Frame] = []
            var rest = stream[...]
            while !rest.isEmpty {
                let piece = rest.prefix(Int.random(in: 1...pieceMax, using: &random))
                rest = rest.dropFirst(piece.count)
                decoder.append(Array(piece))
                while let frame = try decoder.next() { received.append(frame) }
            }
            #expect(received == sent)
            #expect(decoder.pendingBytes == 0)
        }
    }

    @Test(arguments: UInt64(1)...30)
    func `damaged streams never trap and what decodes encodes to the same length`(seed: UInt64) {
        var random = Seeded(seed: seed)
        for _ in 0..<20 {
            var stream = (0..<4).flatMap { _ in random.frame(bytesMax: 60).encoded() }
            for _ in 0..<3 {
                stream[Int.random(in: 0..<stream.count, using: &random)] = UInt8.random(
                    in: 0...255, using: &random)
            }
            var decoder = FrameDecoder()
            if random.oneIn(2) { decoder.endGreeting() }
            decoder.append(stream)
            while let frame = try? decoder.next() {
                var again = FrameDecoder()
                again.append(frame.encoded())
                #expect((try? again.next()) == frame)
            }
        }
    }

    @Test func `unknown keys of a greeting are left alone and missing ones are not`() throws {
        guard case .map(let entries) = Self.hello.body else { return }
        func decoded(_ entries: [CBOR.Entry]) throws -> Frame? {
            let body = CBOR.map(entries).encoded()
            var decoder = FrameDecoder()
            decoder.append([1, 0, UInt8(body.count >> 8), UInt8(body.count & 255)] + body)
            return try decoder.next()
        }
        #expect(try decoded(entries + [.init(40, .bytes([1]))]) == .hello(Self.hello))
        for missing in 1...8 {
            #expect(throws: FrameError.self) { try decoded(entries.filter { $0.key != missing }) }
        }
    }

    /// A hello or a welcome whose key 8 is another item.
    private func greeting(_ kind: UInt8, _ resume: CBOR) -> [UInt8] {
        let body = kind == 1 ? Self.hello.body : Welcome(hello: Self.hello, chosen: 1).body
        guard case .map(let entries) = body else { return [] }
        let changed = CBOR.map(entries.map { $0.key == 8 ? .init(8, resume) : $0 }).encoded()
        return [kind, 0, UInt8(changed.count >> 8), UInt8(changed.count & 255)] + changed
    }

    @Test func `a resume has a link and three counts, an answer the counts alone`() throws {
        func decoded(_ kind: UInt8, _ resume: CBOR) throws -> Frame? {
            var decoder = FrameDecoder()
            decoder.append(greeting(kind, resume))
            return try decoder.next()
        }
        let most = UInt64(Int.max)
        guard case .hello(let hello) = try decoded(1, [.int(9), .int(0), .int(1), .int(.max)]),
            case .welcome(let welcome) = try decoded(2, [.int(0), .int(1), .int(.max)])
        else {
            Issue.record("not the kinds that were encoded")
            return
        }
        #expect(hello.resume == .init(link: 9, received: counts(0, 1, most)))
        #expect(welcome.received == counts(0, 1, most) && welcome.hello.resume == nil)
        let wrong: [(UInt8, CBOR)] = [
            (1, [.int(0), .int(1), .int(2)]), (2, [.int(9), .int(0), .int(1), .int(2)]), (1, []), (2, []),
            (1, [.int(1 << 32), .int(0), .int(0), .int(0)]), (1, [.int(-1), .int(0), .int(0), .int(0)]),
            (2, [.int(0), .int(-1), .int(0)]), (2, [.int(0), .null, .int(0)]), (1, .int(0)),
            (2, .bool(false)),
        ]
        for (kind, resume) in wrong {
            #expect(throws: FrameError.self, "\(resume)") { try decoded(kind, resume) }
        }
    }

    @Test func `texts beyond the limits are clipped between characters`() {
        let long = String(repeating: "é", count: 100)
        let hello = Hello(software: long, name: "x" + long, games: [], linkID: 1)
        #expect(hello.software.utf8.count == 64)
        #expect(hello.name.utf8.count == 127)
        #expect(Goodbye(reason: .closed, detail: long + long, phase: .open).detail.utf8.count == 256)
    }

    @Test func `the largest hello fits a greeting`() throws {
        Limits.check()
        let games = (0..<100).map {
            Hello.Game(id: String(repeating: "g", count: 62) + "\($0 % 10)", rules: .max)
        }
        let long = String(repeating: "n", count: 500)
        let resume = Hello.Resume(link: .max, received: PerLane(repeating: UInt64(Int.max)))
        let hello = Hello(
            protocols: 1...65_535, software: long, name: long, games: games, linkID: .max, datagramPort: .max,
            listenPort: .max, resume: resume)
        var decoder = FrameDecoder()
        decoder.append(Frame.hello(hello).encoded())
        #expect(try decoder.next() == .hello(hello))
        #expect(hello.games.count == Limits.gamesMax)
    }
}

/// Counts of the three lanes.
func counts(_ control: UInt64, _ game: UInt64, _ bulk: UInt64) -> PerLane<UInt64> {
    var counts = PerLane<UInt64>(repeating: 0)
    counts[.control] = control
    counts[.game] = game
    counts[.bulk] = bulk
    return counts
}

extension Seeded {
    /// A frame of any kind.
    mutating func frame(bytesMax: Int = Limits.chunkBytesMax) -> Frame {
        switch Int.random(in: 0...8, using: &self) {
        case 0: return .hello(FrameTests.hello)
        case 1: return .welcome(Welcome(hello: FrameTests.hello, chosen: 1))
        case 2: return .refuse(LinkRefusal(reason: .busy, detail: "later", protocols: 1...3, software: "2"))
        case 3: return .goodbye(Goodbye(reason: .closed, detail: "", phase: .closing))
        case 4, 5:
            let size = Int.random(in: 0...bytesMax, using: &self)
            let lane = Lane.allCases.randomElement(using: &self) ?? .game
            return .chunk(lane: lane, last: true, bytes: bytes(size))
        case 6: return .acknowledge(counts(next(), next(), next()))
        case 7: return .ping(token: next())
        default: return .pong(token: next(), clock: next())
        }
    }
}
