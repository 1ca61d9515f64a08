import Foundation
import ParlorGames
import Testing

@testable import ParlorProtocol

@Suite struct GoldenTests {
    @Test func `the golden bodies are what is encoded`() throws {
        var vectors: [GoldenVector] = []
        for (text, item) in CBORTests.golden {
            let body = bytes(text)
            #expect(item.encoded() == body)
            vectors.append(.init(name: "item \(text)", kind: "cbor", bytes: body, meaning: Meaning.of(item)))
        }
        let deep = [UInt8](repeating: 0x81, count: 16) + [0xF6]
        vectors.append(
            .init(name: "sixteen deep", kind: "cbor", bytes: deep, meaning: Meaning.of(try CBOR.decode(deep)))
        )
        try Golden.check("cbor", vectors)
    }

    @Test func `the golden refusals are refused`() throws {
        var vectors: [GoldenVector] = []
        let deep = [UInt8](repeating: 0x81, count: 17) + [0xF6]
        for (body, code) in CBORTests.refused.map({ (bytes($0.hex), $0.code) }) + [(deep, .tooDeep)] {
            #expect(throws: CBORError.self) { try CBOR.decode(body) }
            vectors.append(
                .init(name: code.rawValue, kind: "cbor-refused", bytes: body, meaning: ["refused": true]))
        }
        try Golden.check("cbor-refused", vectors)
    }

    @Test func `the golden frames are what is encoded`() throws {
        let chunk = Frame.chunk(
            lane: .game, last: true, bytes: (0..<300).map { UInt8(truncatingIfNeeded: $0) })
        let wide = Frame.hello(
            Hello(
                protocols: 1...300, software: "2.0-β", name: "Zoë",
                games: [.init(id: "snap", rules: 2), .init(id: "x", rules: 0)],
                linkID: .max, datagramPort: .max, listenPort: 1))
        let frames = FrameTests.golden.map(\.frame).filter { $0.kind != .acknowledge }
        let resume = Hello.Resume(link: 7, received: counts(3, 300, 70_000))
        let back = Hello(software: "1.0", name: "Ann", games: [], linkID: .max, resume: resume)
        let most = Hello(
            software: "", name: "", games: [], linkID: 0,
            resume: .init(link: .max, received: counts(0, UInt64(Int.max), 0)))
        let resuming: [Frame] = [
            .hello(back), .hello(most),
            .welcome(Welcome(hello: FrameTests.hello, chosen: 1, received: counts(0, 24, 65_536))),
        ]
        let more = resuming + [wide, chunk, .acknowledge(counts(1, 2, UInt64(Int.max)))]
        try Golden.check(
            "frames",
            (frames + more).map {
                .init(name: "\($0.kind)", kind: "frame", bytes: $0.encoded(), meaning: meaning($0))
            })
    }

    @Test func `the golden bad frames are refused`() throws {
        let body = CBOR.map([.init(1, .text("closed")), .init(2, .text("")), .init(3, .text("gone"))])
            .encoded()
        let wrong: [[UInt8]] = [
            [4, 0, 0, UInt8(body.count)] + body,
            Frame.hello(FrameTests.hello).encoded().map { $0 == 0x41 ? 0xFF : $0 },
        ]
        let resume = Hello.Resume(link: 1, received: counts(2, 3, 4))
        let back = Hello(software: "", name: "", games: [], linkID: 1, resume: resume)
        let welcome = Welcome(hello: FrameTests.hello, chosen: 1, received: counts(2, 3, 4))
        let swapped = [
            [1] + Frame.welcome(welcome).encoded().dropFirst(), [2] + Frame.hello(back).encoded().dropFirst(),
        ]
        var vectors: [GoldenVector] = []
        for frame in FrameTests.refused.map({ bytes($0.hex) }) + wrong + swapped {
            var decoder = FrameDecoder()
            decoder.append(frame)
            #expect(throws: FrameError.self) { try decoder.next() }
            vectors.append(
                .init(name: "bad frame", kind: "frame-refused", bytes: frame, meaning: ["refused": true]))
        }
        try Golden.check("frames-refused", vectors)
    }

    @Test func `the golden streams are what a link writes`() throws {
        let long = (0..<16_385).map { UInt8(truncatingIfNeeded: $0 / 7) }
        let interleaved: [Frame] = [
            .chunk(lane: .bulk, last: false, bytes: Array(long.dropLast())),
            .chunk(lane: .control, last: true, bytes: [4]),
            .chunk(lane: .bulk, last: true, bytes: long.suffix(1)),
        ]
        try Golden.check(
            "streams",
            [
                try vector(
                    "what a listener writes", try listenerStream(), [(1, [2, 3]), (0, []), (1, [9])]),
                GoldenVector(
                    name: "an empty chunk after others", kind: "stream-refused",
                    bytes: interleaved[0].encoded()
                        + Frame.chunk(lane: .bulk, last: true, bytes: []).encoded(),
                    meaning: ["refused": true]),
                try vector(
                    "a message within another", interleaved.flatMap { $0.encoded() }, [(0, [4]), (2, long)]),
            ])
    }

    private func vector(
        _ name: String, _ stream: [UInt8], _ messages: [(lane: Int, bytes: [UInt8])]
    ) throws -> GoldenVector {
        var decoder = FrameDecoder()
        decoder.endGreeting()
        decoder.append(stream)
        var kinds: [Value] = []
        while let frame = try decoder.next() { kinds.append(.string("\(frame.kind)")) }
        let meant = messages.map { message -> Value in
            ["lane": .int(message.lane), "content": .string(hex(message.bytes))]
        }
        return GoldenVector(
            name: name, kind: "stream", bytes: stream,
            meaning: ["frames": .array(kinds), "messages": .array(meant)])
    }

    /// Everything that a listener writes in a short life.
    private func listenerStream() throws -> [UInt8] {
        let hello = Hello(software: "1.0", name: "Bob", games: [], linkID: 2, listenPort: 4_000)
        var greeting = Greeting(role: .listener, hello: hello)
        _ = greeting.handle(.opened, at: .zero)
        _ = greeting.handle(.bytes(Frame.hello(FrameTests.hello).encoded()), at: .zero)
        let greetingActions = greeting.handle(.answer(hello, received: nil), at: .zero)
        var greeted: Greeted?
        if case .done(let done) = greetingActions.last { greeted = done }
        var link = Link(try #require(greeted), at: .zero)
        var actions = link.handle(.began, at: .zero)
        actions += link.handle(
            .bytes(
                Frame.chunk(lane: .game, last: true, bytes: [1]).encoded() + Frame.ping(token: 3).encoded()),
            at: .milliseconds(20))
        actions += try link.send([2, 3], on: .game, at: .milliseconds(30))
        actions += try link.send([], on: .control, at: .milliseconds(30))
        actions += link.handle(.deadlinePassed, at: .milliseconds(120))
        actions += link.handle(.setPace(.match), at: .milliseconds(125))
        actions += try link.send([9], on: .game, at: .milliseconds(130))
        actions += link.handle(.close(.closed, detail: "done"), at: .milliseconds(130))
        let welcome = greetingActions.flatMap { action in
            guard case .write(let bytes) = action else { return [UInt8]() }
            return bytes
        }
        return welcome
            + actions.flatMap { action in
                guard case .write(let bytes) = action else { return [UInt8]() }
                return bytes
            }
    }

    // MARK: The second decoder

    private static let python = "/usr/bin/python3"

    @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: python)))
    func `a decoder written from the document reads every golden file`() throws {
        let check = Process()
        check.executableURL = URL(filePath: Self.python)
        check.arguments = ["-B", Golden.folder.appending(path: "check.py").path]
        let output = Pipe()
        check.standardOutput = output
        check.standardError = output
        try check.run()
        let said = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        check.waitUntilExit()
        #expect(check.terminationStatus == 0, "\(said)")
        #expect(said.hasSuffix(" passed, 0 failed\n"))
    }

    // MARK: The document

    @Test func `the document holds each example and each limit`() throws {
        let url = Golden.folder.deletingLastPathComponent().deletingLastPathComponent().appending(
            path: "PROTOCOL.md")
        let text = try String(contentsOf: url, encoding: .utf8)
        let dense = text.filter { !$0.isWhitespace }
        for (hex, frame) in FrameTests.golden where frame.kind != .datagram {
            #expect(dense.contains(hex), "no example of \(frame.kind)")
        }
        let room = try Cast.room()
        let messages = [
            RoomMessage.entered(room: room, seat: 2).encoded,
            RoomMessage.request(room: room, number: 0, .ready(true)).encoded,
            RoomMessage.channel(room: room, .reliable(lane: .bulk, stream: 9, number: 2, data: [0x68, 0x69]))
                .encoded,
            RoomMessage.channel(room: room, .acknowledge(lane: .bulk, stream: 9, number: 2, life: 5)).encoded,
            MatchMessage.want(from: 0).cbor.encoded(),
        ]
        for message in messages { #expect(dense.contains(hex(message)), "no example \(hex(message))") }
        for reason in RoomRefusal.Reason.allCases {
            #expect(text.contains("| `\(reason.rawValue)` |"), "\(reason.rawValue)")
        }
        for (_, author, body) in MatchGoldenTests.bodies where body.word != "end" {
            let row = "| \(body.kind) | \(body.word) | \(author == .sequencer ? "sequencer" : "seat") |"
            #expect(text.contains(row), "\(row)")
        }
        let documented =
            Self.documented + Self.documentedOfChannels + Self.documentedOfWatchers
            + UnreliableGoldenTests.limits + RecordGoldenTests.limits + TurnGoldenTests.limits
        for (what, limit) in documented {
            #expect(text.contains("| \(what) | \(limit) |"), "\(what): \(limit)")
        }
        let rows = text.components(separatedBy: "### Limits")[1].components(separatedBy: "\n## ")[0]
            .split(separator: "\n").filter { $0.hasPrefix("| ") }
        #expect(rows.count == documented.count + 1)
    }

    private static let documented: [(String, String)] = [
        ("payload of a frame", "\(Limits.framePayloadBytesMax) bytes"),
        ("content of a chunk", "\(Limits.chunkBytesMax) bytes"),
        ("message of a reliable lane", "\(Limits.messageBytesMax) bytes"),
        ("messages queued or not acknowledged, a link", "\(Limits.linkHeldBytesMax) bytes"),
        ("everything received before the link is set up", "\(Limits.greetingBytesMax) bytes"),
        ("from the open TLS connection to the link set up", seconds(Limits.greetingWait)),
        ("bulk lane sent and not acknowledged", "\(Limits.bulkWindowBytes) bytes"),
        ("acknowledgement due after chunks of", "\(Limits.acknowledgeBytes) bytes"),
        ("acknowledgement due after", seconds(Limits.acknowledgeWait)),
        ("between two pings, in a match", seconds(Limits.pingIntervalInMatch)),
        ("between two pings, otherwise", seconds(Limits.pingIntervalIdle)),
        ("silence until a peer is suspect, in a match", seconds(Limits.suspectWaitInMatch)),
        ("silence until a peer is suspect, otherwise", seconds(Limits.suspectWaitIdle)),
        ("silence until a peer is lost, in a match", seconds(Limits.lostWaitInMatch)),
        ("silence until a peer is lost, otherwise", seconds(Limits.lostWaitIdle)),
        ("a link without a connection until it ends", seconds(Limits.resumeWait)),
        ("between two tries to connect again", seconds(Limits.redialInterval)),
        ("until the side that did not dial last tries too", seconds(Limits.redialOtherWait)),
        ("two dials that count as made at once", seconds(Limits.simultaneousWait)),
        ("between the starts of two tries of a dial", seconds(Limits.dialStagger)),
        ("a dial in all", seconds(Limits.dialWait)),
        ("connections without a link", "\(Limits.strangersMax)"),
        ("connections without a link, from one other address", "\(Limits.strangersOfAddressMax)"),
        ("a link that nobody needs until it is closed", seconds(Limits.unusedWait)),
        ("a full link without an acknowledgement", seconds(Limits.fullWait)),
        ("from a close to its end", seconds(Limits.closeWait)),
        ("name of a peer", "\(Limits.nameBytesMax) bytes"),
        ("software version", "\(Limits.softwareBytesMax) bytes"),
        ("reason", "\(Limits.reasonBytesMax) bytes"),
        ("detail", "\(Limits.detailBytesMax) bytes"),
        ("ID of a game", "\(Limits.gameIDBytesMax) bytes"),
        ("games of a hello", "\(Limits.gamesMax)"),
        ("seats of a room or match", "\(Limits.seatsMax)"),
        ("name of a player", "\(Limits.playerNameBytesMax) bytes"),
        ("name of a player, graphemes", "\(PlayerName.graphemesMax)"),
        ("line of chat", "\(Limits.sayBytesMax) bytes"),
        ("line of chat, graphemes", "\(Limits.sayGraphemesMax)"),
        ("lines of chat of one member in \(Limits.sayWindow.components.seconds) s", "\(Limits.sayLinesMax)"),
        ("peers that a room keeps out", "\(Limits.bannedMax)"),
        ("characters of a code", "\(Limits.codeCharacters)"),
        ("wrong codes of an address before it waits between them", "\(Limits.codeTriesOfAddress)"),
        ("from one try of such an address to the next", seconds(Limits.codeTryInterval)),
        ("wrong codes in all until a room takes another code", "\(Limits.codeTriesMax)"),
        ("addresses whose wrong codes a room remembers", "\(Limits.codeAddressesMax)"),
        ("a seat in a lobby after its link was lost", "\(Limits.lobbySeatSeconds) s"),
        ("a lost host in a lobby until its room is lost", seconds(Limits.hostLostWait)),
        ("a request to a host until it is given up", "\(Limits.roomRequestSeconds) s"),
        ("from one hail of a peer to the next", seconds(Limits.hailInterval)),
        ("peers that send a guest on, one after the other", "\(Limits.elsewhereMax)"),
        ("a room from before a restart until it is forgotten", seconds(Limits.reenterWait)),
        ("from one try to reach a member of it to the next", seconds(Limits.reenterInterval)),
        ("a host that comes back until it advertises the room", seconds(Limits.returnWait)),
        ("from one dial that a peer asks for to the next", seconds(Limits.knockInterval)),
        ("dials at a time that peers have asked for", "\(Limits.knocksMax)"),
        ("a dial that a peer asks for until it is given up", seconds(Limits.knockWait)),
        ("its answer until it is given up", seconds(Limits.knockAnswerWait)),
        ("list of words", "\(WordList.bytesMost) bytes"),
        ("piece of a list of words", "\(Limits.wordsPieceBytesMax) bytes"),
        ("piece of a list of words until it is given up", seconds(Limits.wordsPieceWait)),
        ("entry of a log", "\(Limits.entryBytesMax) bytes"),
        ("entries of a log", "\(Limits.entriesMax)"),
        ("line of a log as text", "\(Limits.logLineBytesMax) bytes"),
        ("entries in one message", "\(Limits.entriesMessageBytesMax) bytes"),
        ("time on the match clock", "\(Limits.matchMillisecondsMax) ms"),
        ("counter of a proposal", "\(Limits.counterMax)"),
        ("round of the draw", "\(Limits.drawRoundMax)"),
        ("commitment or nonce until the seat has left", seconds(.milliseconds(Limits.drawMilliseconds))),
        ("draws of a match", "\(Chance.chainLinks)"),
        ("link of a draw until it is withheld", seconds(.milliseconds(Limits.linkMilliseconds))),
        ("links withheld until the seat has left", "\(Limits.withheldMax)"),
        ("moment of showing after its entry", seconds(.milliseconds(Limits.revealDelayMilliseconds))),
        ("a window of calls, and a call believed before it came", "\(Limits.callMilliseconds) ms"),
        (
            "start of a match clock on a machine's, either way",
            "\(Limits.clockZeroMicrosecondsMax) microseconds"
        ),
        ("proposals of a seat that wait", "\(Limits.actsMax)"),
        ("moves in a row before what the game waits for", "\(Limits.movesBeforeGame)"),
        ("a proposal until it is given up", seconds(.milliseconds(Limits.actMilliseconds))),
        ("epoch", "\(Limits.epochMax)"),
        ("votes, and the log that a candidate lacks", seconds(.milliseconds(Limits.votesMilliseconds))),
        ("each seat that may ask for votes before", seconds(.milliseconds(Limits.candidateMilliseconds))),
        ("a voter until it asks itself", seconds(.milliseconds(Limits.voterMilliseconds))),
        ("joint draw until its links are told", seconds(.milliseconds(Limits.linkReportMilliseconds))),
        ("word about missing links until it counts", seconds(.milliseconds(Limits.reportMilliseconds))),
        (
            "a seat heard until a word about its absence is false",
            seconds(.milliseconds(Limits.heardMilliseconds))
        ),
        (
            "an entry that is not stored until its sequencer is left",
            seconds(.milliseconds(Limits.insistMilliseconds))
        ),
        ("an entry's time beside the delay", seconds(.milliseconds(Limits.clockMarginMilliseconds))),
        ("answers to `want`, a second", "\(Limits.wantsMax)"),
        ("pieces of evidence", "\(Limits.evidenceMax)"),
        ("one piece of evidence", "\(Limits.evidenceBytesMax) bytes"),
        ("faults shown by one seat", "\(Limits.faultsMax)"),
        (
            "a bot whose action was refused until it tries again",
            "\(Limits.botAgainMilliseconds / 1_000) s"
        ),
        ("entries between two hashes of the state", "\(Limits.stateHashEntries)"),
    ]

    private static let documentedOfWatchers: [(String, String)] = [
        ("watchers of a room", "\(Limits.watchersMax)"),
        ("entries in one message to a watcher", "\(Limits.watchBatchBytesMax) bytes"),
        (
            "between two messages of entries that a watcher was sent before",
            seconds(Limits.watchAgainWait)
        ),
        (
            "what waits on the link to a watcher until it gets no more entries",
            "\(Limits.watchHeldBytesMax) bytes"
        ),
        ("peers of whom a host remembers what they were sent of a match", "\(Limits.watchRecordsMax)"),
        ("a watcher's `want` without an answer until it asks again", seconds(Limits.watchAskWait)),
        ("silence in a match until a watcher asks", seconds(Limits.watchIdleWait)),
        ("a watcher's search for the host", seconds(Limits.watchSearchWait)),
        ("one member's answer in that search", seconds(Limits.watchAnswerWait)),
        ("between two rounds of that search", seconds(Limits.watchSearchPause)),
    ]

    private static let documentedOfChannels: [(String, String)] = [
        ("endpoints of a peer", "\(Limits.endpointsMax)"),
        ("a pair without a direct link until it is relayed", seconds(Limits.meshRelayWait)),
        ("the dial of the higher peer ID after the lower's", seconds(Limits.meshDialWait)),
        ("an unknown peer until it is denied", seconds(Limits.meshRosterWait)),
        ("unknown peers that wait, a room", "\(Limits.meshWaitingMax)"),
        ("a lost direct link until it is dialled again", seconds(Limits.meshRetryWait)),
        ("between two dials of a direct link, at most", seconds(Limits.meshRetryWaitMax)),
        ("reliable message of a program", "\(Limits.channelBytesMax) bytes"),
        ("unreliable message of a program", "\(Limits.unreliableUserBytesMax) bytes"),
        ("reliable messages to one member, not acknowledged", "\(Limits.channelHeldBytesMax) bytes"),
        ("window of a channel, in each lane", "\(Limits.channelWindowBytes) bytes"),
        ("messages of a channel that came early, in each lane", "\(Limits.channelEarlyBytesMax) bytes"),
        ("channel acknowledgement due after", seconds(Limits.channelAcknowledgeWait)),
        ("channel acknowledgement due after messages of", "\(Limits.channelAcknowledgeBytes) bytes"),
        ("silence of a channel until it is sent again", seconds(Limits.channelResendWait)),
        ("the same, at most", seconds(Limits.channelResendWaitMax)),
        ("left free of a link by channels", "\(Limits.channelReserveBytes) bytes"),
        ("unreliable messages relayed for a pair, a second", "\(Limits.relayUnreliableBytesMax) bytes"),
        ("life of an unreliable message, at most", "\(Limits.channelTimeToLiveMillisecondsMax) ms"),
        ("keys remembered of a member", "\(Limits.channelKeysMax)"),
        ("number, stream and life of a channel", "\(Limits.channelNumberMax)"),
    ]

    private static func seconds(_ duration: Duration) -> String {
        let milliseconds = Int(duration / .milliseconds(1))
        guard !milliseconds.isMultiple(of: 1_000) else { return "\(milliseconds / 1_000) s" }
        return "\(Double(milliseconds) / 1_000) s"
    }

    // MARK: Meanings

    private func values(_ counts: PerLane<UInt64>) -> [Value] {
        Lane.allCases.map { .int(Int(counts[$0])) }
    }

    private func meaning(_ frame: Frame) -> Value {
        let kind = Value.Member("frame", .string("\(frame.kind)"))
        switch frame {
        case .hello(let hello):
            let resume = hello.resume.map { Value.array([.int(Int($0.link))] + values($0.received)) }
            return .object([kind] + members(hello) + [.init("resume", resume ?? .null)])
        case .welcome(let welcome):
            let received = welcome.received.map { Value.array(values($0)) } ?? .null
            return .object(
                [kind] + members(welcome.hello)
                    + [.init("received", received), .init("chosen", .int(welcome.chosen))])
        case .refuse(let refusal):
            return .object([
                kind, .init("reason", .string(refusal.reason.rawValue)),
                .init("detail", .string(refusal.detail)),
                .init("protocols", range(refusal.protocols)), .init("software", .string(refusal.software)),
            ])
        case .goodbye(let goodbye):
            return .object([
                kind, .init("reason", .string(goodbye.reason.rawValue)),
                .init("detail", .string(goodbye.detail)),
                .init("phase", .string(goodbye.phase.rawValue)),
            ])
        case .chunk(let lane, let last, let bytes):
            return .object([
                kind, .init("lane", .int(Int(lane.rawValue))), .init("last", .bool(last)),
                .init("content", .string(hex(bytes))),
            ])
        case .acknowledge(let counts): return .object([kind, .init("counts", .array(values(counts)))])
        case .ping(let token): return .object([kind, .init("token", .int(Int(token)))])
        case .pong(let token, let clock):
            return .object([kind, .init("token", .int(Int(token))), .init("clock", .int(Int(clock)))])
        case .datagram(let bytes): return .object([kind, .init("content", .string(hex(bytes)))])
        }
    }

    private func members(_ hello: Hello) -> [Value.Member] {
        [
            .init("protocols", range(hello.protocols)), .init("software", .string(hello.software)),
            .init("name", .string(hello.name)),
            .init("games", .array(hello.games.map { [.string($0.id), .int($0.rules)] })),
            .init("linkID", .int(Int(hello.linkID))), .init("datagramPort", .int(Int(hello.datagramPort))),
            .init("listenPort", .int(Int(hello.listenPort))),
        ]
    }

    private func range(_ protocols: ClosedRange<Int>) -> Value {
        [.int(protocols.lowerBound), .int(protocols.upperBound)]
    }
}
