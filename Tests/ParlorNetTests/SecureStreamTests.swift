import Foundation
import ParlorNet
import Testing

private let clientSeed = [UInt8](repeating: 1, count: 32)
private let serverSeed = [UInt8](repeating: 2, count: 32)

/// Both ends of one secure connection, made but not yet through the handshake.
private func securePair(
    _ loop: EventLoop, client clientContext: TLSContext? = nil, server serverContext: TLSContext? = nil,
    _ body: @escaping (SecureStream, SecureStream) -> Void
) throws {
    let clientContext = try clientContext ?? TLSContext(seed: clientSeed)
    let serverContext = try serverContext ?? TLSContext(seed: serverSeed)
    try connectedPair(loop) { client, server in
        guard let client = try? SecureStream(client, context: clientContext, role: .client),
            let server = try? SecureStream(server, context: serverContext, role: .server)
        else {
            Issue.record("no memory for a pair")
            return loop.stop()
        }
        body(client, server)
    }
}

@Suite struct SecureStreamTests {
    @Test func `each side learns the other's key, and both can make the same secret`() throws {
        try withLoop { loop in
            let clientContext = try TLSContext(seed: clientSeed)
            let serverContext = try TLSContext(seed: serverSeed)
            var keys: [String: [UInt8]] = [:]
            var secrets: [String: [UInt8]] = [:]
            try securePair(loop, client: clientContext, server: serverContext) { client, server in
                for (name, stream) in [("client", client), ("server", server)] {
                    stream.onReady = { key in
                        keys[name] = key
                        secrets[name] = stream.exporter(label: "EXPORTER-parlor-test", count: 64)
                        #expect(stream.exporter(label: "EXPORTER-other", count: 64) != secrets[name])
                        if keys.count == 2 { loop.stop() }
                    }
                }
            }
            loop.runUntilStopped()
            #expect(keys == ["client": serverContext.publicKey, "server": clientContext.publicKey])
            #expect(secrets["client"]?.count == 64)
            #expect(secrets["client"] == secrets["server"])
        }
    }

    @Test func `the public key is the one RFC 8032 gives for its first seed`() throws {
        let seed: [UInt8] = [
            0x9d, 0x61, 0xb1, 0x9d, 0xef, 0xfd, 0x5a, 0x60, 0xba, 0x84, 0x4a, 0xf4, 0x92, 0xec, 0x2c, 0xc4,
            0x44, 0x49, 0xc5, 0x69, 0x7b, 0x32, 0x69, 0x19, 0x70, 0x3b, 0xac, 0x03, 0x1c, 0xae, 0x7f, 0x60,
        ]
        let key = try TLSContext(seed: seed).publicKey
        #expect(key.prefix(4) == [0xd7, 0x5a, 0x98, 0x01] && key.suffix(4) == [0xf7, 0x07, 0x51, 0x1a])
        let error = #expect(throws: NetError.self) { try TLSContext(seed: [1, 2, 3]) }
        #expect(error?.code == .badKey)
    }

    @Test func `bytes sent before the handshake are the first to arrive`() throws {
        try withLoop { loop in
            let witness = Witness()
            try securePair(loop) { client, server in
                witness.watch(server)
                var isReady = false
                server.onReady = { _ in isReady = true }
                server.onBytes = { bytes in
                    #expect(isReady)
                    witness.bytes += bytes
                    if witness.bytes.count == 4 { loop.stop() }
                }
                client.send([1, 2])
                client.onReady = { _ in client.send([3, 4]) }
                #expect(client.queuedBytes == 2)
            }
            loop.runUntilStopped()
            #expect(witness.bytes == [1, 2, 3, 4])
        }
    }

    @Test func `records come through whole whether they are many or rare`() throws {
        try withLoop { loop in
            var echoed = 0
            var rare = 0
            try securePair(loop) { client, server in
                server.onBytes = { server.send($0) }
                var expected = pattern(1)
                var got: [UInt8] = []
                func next() {
                    echoed += 1
                    // From a few bytes to several records, whose parts arrive one by one.
                    expected = pattern(echoed % 7 == 0 ? 60_000 : echoed % 100 + 1)
                    got = []
                    client.send(expected)
                }
                // Fast for so long that the stream counts as busy, then rare, then fast again.
                let begun = loop.now
                client.onBytes = { bytes in
                    got += bytes
                    guard got.count >= expected.count else { return }
                    #expect(same(got, expected))
                    if echoed < 60 || loop.now < begun + 250_000_000 { return next() }
                    if rare == 3 { return echoed < 120 ? next() : loop.stop() }
                    rare += 1
                    loop.timer(next).set(at: loop.now + 120_000_000)
                }
                client.onReady = { _ in next() }
            }
            loop.runUntilStopped()
            #expect(echoed >= 120 && rare == 3)
        }
    }

    @Test func `all that is sent in a turn is one record`() throws {
        try withLoop { loop in
            let witness = Witness()
            try securePair(loop) { client, server in
                witness.watch(server)
                server.onBytes = { bytes in
                    witness.deliveries += 1
                    witness.bytes += bytes
                    if witness.bytes.count >= 1_000 { loop.stop() }
                }
                client.onReady = { _ in
                    for number in 0..<1_000 { client.send([UInt8(truncatingIfNeeded: number)]) }
                }
            }
            loop.runUntilStopped()
            #expect(witness.deliveries == 1)
            #expect(witness.bytes == (0..<1_000).map { UInt8(truncatingIfNeeded: $0) })
        }
    }

    @Test func `8 MiB arrive intact both ways at once, and the queue drains`() throws {
        try withLoop { loop in
            let atClient = Witness()
            let atServer = Witness()
            let up = pattern(8 << 20, seed: 1)
            let down = pattern(8 << 20, seed: 2)
            try securePair(loop) { client, server in
                func check() {
                    if atClient.bytes.count == down.count, atServer.bytes.count == up.count { loop.stop() }
                }
                atClient.watch(client)
                atServer.watch(server)
                client.onBytes = {
                    atClient.bytes += $0
                    check()
                }
                server.onBytes = {
                    atServer.bytes += $0
                    check()
                }
                client.onReady = { _ in client.send(up) }
                server.onReady = { _ in server.send(down) }
            }
            loop.runUntilStopped()
            #expect(same(atServer.bytes, up))
            #expect(same(atClient.bytes, down))
            #expect(atClient.drains == 1 && atServer.drains == 1)
        }
    }

    @Test func `closing with time to flush delivers everything, then an orderly end`() throws {
        try withLoop { loop in
            let atClient = Witness()
            let atServer = Witness()
            let load = pattern(3 << 20)
            try securePair(loop) { client, server in
                func ended() { if atClient.ends.count + atServer.ends.count == 2 { loop.stop() } }
                atClient.watch(client, onEnd: ended)
                atServer.watch(server, onEnd: ended)
                server.onReady = { _ in
                    server.send(load)
                    server.close(flushingFor: 20 * second)
                    server.send([0])
                    #expect(atServer.ends.isEmpty)
                }
                client.onReady = { _ in client.send([1, 2, 3]) }
            }
            loop.runUntilStopped()
            #expect(same(atClient.bytes, load))
            #expect(atClient.ends == [.endOfStream])
            #expect(atServer.bytes.isEmpty)
            #expect(atServer.ends == [.closedHere])
        }
    }

    @Test func `a side that finished sending still gets the answer`() throws {
        try withLoop { loop in
            let atClient = Witness()
            let atServer = Witness()
            try securePair(loop) { client, server in
                func ended() { if atClient.ends.count + atServer.ends.count == 2 { loop.stop() } }
                atClient.watch(client, onEnd: ended)
                atServer.watch(server, onEnd: ended)
                client.send([1, 2, 3])
                client.finishSending()
                server.onEndOfInput = {
                    server.send(atServer.bytes.reversed())
                    server.close(flushingFor: 5 * second)
                }
            }
            loop.runUntilStopped()
            #expect(atServer.bytes == [1, 2, 3])
            #expect(atClient.bytes == [3, 2, 1])
            #expect(atClient.ends == [.endOfStream])
            #expect(atServer.ends == [.closedHere])
        }
    }

    @Test func `a connection cut without farewell is not an orderly end`() throws {
        try withLoop { loop in
            let witness = Witness()
            try securePair(loop) { client, server in
                witness.watch(server) { loop.stop() }
                server.onReady = { _ in client.tcp.close(flushingFor: second) }
            }
            loop.runUntilStopped()
            #expect(witness.ends == [.truncated])
        }
    }

    @Test func `closing from inside a handler delivers nothing more and ends once`() throws {
        try withLoop { loop in
            let witness = Witness()
            try securePair(loop) { client, server in
                witness.watch(server) { loop.stop() }
                server.onBytes = { bytes in
                    #expect(witness.deliveries == 0)
                    witness.deliveries += 1
                    server.close(flushingFor: 0)
                    #expect(witness.ends.isEmpty)
                }
                client.onReady = { _ in client.send(pattern(1 << 20)) }
            }
            loop.runUntilStopped()
            #expect(witness.ends == [.closedHere])
        }
    }

    @Test func `a peer that speaks another protocol is refused on both sides`() throws {
        for odd in [SecureStream.Role.client, .server] {
            try withLoop { loop in
                let stranger = try TLSContext(seed: clientSeed, applicationProtocol: "http/1.1")
                var ends: [StreamEnd] = []
                try securePair(
                    loop, client: odd == .client ? stranger : nil, server: odd == .server ? stranger : nil
                ) { client, server in
                    for stream in [client, server] {
                        stream.onClosed = {
                            ends.append($0)
                            if ends.count == 2 { loop.stop() }
                        }
                    }
                    let own = odd == .client ? server : client
                    own.onReady = { _ in Issue.record("accepted a stranger") }
                }
                loop.runUntilStopped()
                #expect(ends.contains { if case .secureFailure = $0 { true } else { false } })
            }
        }
    }

    @Test func `a handshake that hangs up in the middle says so`() throws {
        try withLoop { loop in
            let witness = Witness()
            let context = try TLSContext(seed: serverSeed)
            try connectedPair(loop) { client, server in
                guard let secure = try? SecureStream(server, context: context, role: .server) else { return }
                witness.watch(secure) { loop.stop() }
                client.finishSending()
            }
            loop.runUntilStopped()
            #expect(witness.ends == [.secureFailure("the peer hung up before the handshake was done")])
        }
    }

    @Test(arguments: [
        "GET / HTTP/1.1\r\n\r\n", "parlor?\n", String(repeating: "\u{16}\u{3}\u{1}", count: 30_000),
    ])
    func `garbage ends with a reason and disturbs nobody else`(garbage: String) throws {
        try withLoop { loop in
            let bad = Witness()
            let good = Witness()
            let context = try TLSContext(seed: serverSeed)
            try securePair(loop) { client, server in
                good.watch(server)
                server.onBytes = { bytes in
                    good.bytes += bytes
                    if good.bytes.count == 2 { loop.stop() }
                }
                client.send([1])
                do {
                    try connectedPair(loop) { stranger, victim in
                        guard let victim = try? SecureStream(victim, context: context, role: .server) else {
                            return
                        }
                        victim.onReady = { _ in Issue.record("a handshake with garbage") }
                        bad.watch(victim) { client.send([2]) }
                        stranger.onBytes = { _ in }
                        stranger.send(Array(garbage.utf8))
                    }
                } catch { Issue.record(error) }
            }
            loop.runUntilStopped()
            #expect(good.bytes == [1, 2])
            #expect(bad.ends.count == 1)
            guard case .secureFailure(let text)? = bad.ends.first else {
                Issue.record("ended with \(bad.ends)")
                return
            }
            #expect(text.hasPrefix("the handshake failed (") && !text.contains("no reason"))
        }
    }

    @Test func `200 connections opened and closed leave no descriptor behind`() async {
        await #expect(processExitsWith: .success) {
            /// The sockets held open; descriptors of other kinds come and go with the test library.
            func descriptors() throws -> [String] {
                let folder = "/proc/self/fd/"
                return try FileManager.default.contentsOfDirectory(atPath: folder)
                    .compactMap { try? FileManager.default.destinationOfSymbolicLink(atPath: folder + $0) }
                    .filter { $0.hasPrefix("socket:") }.sorted()
            }
            // The first loop of a process opens what all later ones share.
            try withLoop { _ in }
            let before = try descriptors()
            try withLoop { loop in
                var ends: [StreamEnd] = []
                var next: (() -> Void)?
                next = {
                    if ends.count == 400 { return loop.stop() }
                    do {
                        try securePair(loop) { client, server in
                            for stream in [client, server] {
                                stream.onClosed = { end in
                                    ends.append(end)
                                    if ends.count.isMultiple(of: 2) { next?() }
                                }
                            }
                            server.onReady = { _ in server.close(flushingFor: second) }
                        }
                    } catch { loop.stop() }
                }
                next?()
                let inside = try descriptors()
                loop.runUntilStopped()
                next = nil
                #expect(ends.count == 400, "\(ends.count) ends")
                #expect(ends.count { $0 == .endOfStream } == 200, "not all ends were orderly")
                let after = try descriptors()
                #expect(after.count <= inside.count, "\(inside) became \(after)")
            }
            let after = try descriptors()
            #expect(after == before, "\(before) became \(after)")
        }
    }
}
