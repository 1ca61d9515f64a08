import Foundation
import ParlorGames
import Testing

@testable import ParlorProtocol

@Suite struct UnreliableGoldenTests {
    private static let exported = (0..<64).map { UInt8($0) }

    @Test func `the golden datagrams are what is sealed`() throws {
        var client = DatagramCipher(
            keys: DatagramKeys(exported: Self.exported, role: .dialler), ownLinkID: 2, peerLinkID: .max)
        var server = DatagramCipher(
            keys: DatagramKeys(exported: Self.exported, role: .listener), ownLinkID: .max, peerLinkID: 2)
        var vectors: [GoldenVector] = []
        for (number, (name, message, _)) in Self.messages.enumerated() {
            for (to, link) in [("server", UInt32.max), ("client", 2)] {
                let isToServer = to == "server"
                let datagram = isToServer ? client.seal(message.encoded()) : server.seal(message.encoded())
                vectors.append(
                    .init(
                        name: "\(name) to the \(to)", kind: "datagram", bytes: datagram,
                        meaning: [
                            "exported": .string(hex(Self.exported)), "to": .string(to),
                            "link": .int(Int(link)),
                            "counter": .string("\(number + 1)"), "message": meaning(message),
                        ]))
            }
        }
        for (name, message, _) in Self.messages {
            vectors.append(
                .init(name: name, kind: "unreliable", bytes: message.encoded(), meaning: meaning(message)))
        }
        for (name, bytes) in UnreliableMessageTests.refused {
            vectors.append(
                .init(name: name, kind: "unreliable-refused", bytes: bytes, meaning: ["refused": true]))
        }
        try Golden.check("datagrams", vectors)
    }

    /// Those of the document, and the longest.
    private static let messages: [(String, UnreliableMessage, String)] =
        UnreliableMessageTests.golden + [
            (
                "full fragment",
                .fragment(
                    UnreliableMessageTests.fragment(3, key: .max, index: 0, count: 15),
                    content: (0..<Limits.fragmentBytesMax).map { UInt8(truncatingIfNeeded: $0) }), ""
            ),
            (
                "last fragment",
                .fragment(UnreliableMessageTests.fragment(3, key: .max, index: 14, count: 15), content: [9]),
                ""
            ),
        ]

    @Test func `the document holds each example`() throws {
        let url = Golden.folder.deletingLastPathComponent().deletingLastPathComponent().appending(
            path: "PROTOCOL.md")
        let dense = try String(contentsOf: url, encoding: .utf8).filter { !$0.isWhitespace }
        for (name, _, hex) in UnreliableMessageTests.golden where name != "empty fragment" {
            #expect(dense.contains(hex.filter { $0 != " " }), "no example: \(name)")
        }
        var client = DatagramCipher(
            keys: DatagramKeys(exported: Self.exported, role: .dialler), ownLinkID: 2, peerLinkID: 7)
        let datagram = hex(client.seal(UnreliableMessage.probe(token: 0x102).encoded()))
        #expect(dense.contains(datagram), "no example: \(datagram)")
    }

    /// The rows of the document's table of limits.
    static let limits: [(String, String)] = [
        ("a datagram", "\(Limits.datagramBytesMax) bytes"),
        ("content of a fragment", "\(Limits.fragmentBytesMax) bytes"),
        ("unreliable message", "\(Limits.unreliableBytesMax) bytes"),
        ("fragments of a message", "\(Limits.fragmentsMax)"),
        ("counters told apart below the newest", "\(Limits.replayWindow)"),
        ("life of an unreliable message, unless said otherwise", seconds(Limits.timeToLive)),
        ("life of an unreliable message", seconds(Limits.timeToLiveMax)),
        ("unreliable messages that wait to be sent, a link", "\(Limits.unreliableQueueMax)"),
        ("their bytes", "\(Limits.unreliableQueueBytesMax) bytes"),
        ("messages that wait for fragments, a link", "\(Limits.reassembliesMax)"),
        ("keys remembered by a receiver, a link", "\(Limits.unreliableKeysMax)"),
        ("datagrams of a link at once", "\(Limits.datagramBurstMax)"),
        ("between two datagrams after that", "\(Limits.datagramInterval.nanoseconds / 1_000) µs"),
        ("unreliable bytes in a stream that is not drained", "\(Limits.unreliableStreamBytesMax) bytes"),
        ("between the first probes", seconds(Limits.probeRetry)),
        ("between probes while messages are sent", seconds(Limits.probeInterval)),
        ("between probes after one without an answer", seconds(Limits.probeIntervalUnanswered)),
        ("between probes while messages take the stream", seconds(Limits.probeIntervalBlocked)),
        ("between probes while nothing is sent", seconds(Limits.probeIntervalIdle)),
        ("probes without an answer until messages take the stream", seconds(Limits.probeWait)),
        ("drift of two clocks", "\(Limits.clockDriftMax) millionths"),
        ("time on a peer's clock", "\(Limits.clockMicrosecondsMax) µs"),
        ("a delay counts as seen lately for", seconds(Limits.delayMemory)),
    ]

    private static func seconds(_ duration: Duration) -> String {
        let milliseconds = duration.milliseconds
        return milliseconds.isMultiple(of: 1_000)
            ? "\(milliseconds / 1_000) s" : "\(Double(milliseconds) / 1_000) s"
    }

    private func meaning(_ message: UnreliableMessage) -> Value {
        switch message {
        case .probe(let token): ["message": .string("probe"), "token": .string("\(token)")]
        case .answer(let token, let clock):
            ["message": .string("answer"), "token": .string("\(token)"), "clock": .int(Int(clock))]
        case .fragment(let fragment, let content):
            [
                "message": .string("fragment"), "number": .string("\(fragment.number)"),
                "sent": .int(Int(fragment.sent)), "life": .int(Int(fragment.timeToLive)),
                "key": fragment.key.map { .int(Int($0)) } ?? .null, "index": .int(Int(fragment.index)),
                "count": .int(Int(fragment.count)), "content": .string(hex(content)),
            ]
        }
    }
}
