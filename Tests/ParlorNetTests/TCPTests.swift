import Foundation
import ParlorNet
import Testing

@Suite struct TCPTests {
    @Test func `bytes come back from an echo, and both ends learn each other's address`() throws {
        try withLoop { loop in
            let witness = Witness()
            try connectedPair(loop) { client, server in
                #expect(client.remote == server.local)
                #expect(client.local == server.remote)
                server.onBytes = { server.send($0) }
                witness.watch(client)
                client.onBytes = { bytes in
                    witness.bytes += bytes
                    if witness.bytes.count == 5 { loop.stop() }
                }
                client.send([1, 2])
                client.send([3, 4, 5])
            }
            loop.runUntilStopped()
            #expect(witness.bytes == [1, 2, 3, 4, 5])
        }
    }

    @Test func `IPv6 works, and a dual-stack port shows IPv4 peers as IPv4`() throws {
        try withLoop { loop in
            let listener = try TCPListener(loop: loop, on: .any(port: 0), dualStack: true)
            var seen: [String] = []
            listener.onAccept = { stream in
                seen.append(stream.remote.host)
                if seen.count == 2 { loop.stop() }
            }
            for host in ["127.0.0.1", "[::1]"] {
                let address = try #require(SocketAddress("\(host):\(listener.port)"))
                try TCPStream.connect(loop: loop, to: address) { #expect((try? $0.get()) != nil) }
            }
            loop.runUntilStopped()
            #expect(seen.sorted() == ["127.0.0.1", "::1"])
        }
    }

    @Test func `all that is sent in a turn goes out together`() throws {
        try withLoop { loop in
            let witness = Witness()
            try connectedPair(loop) { client, server in
                witness.watch(server)
                server.onBytes = { bytes in
                    witness.deliveries += 1
                    witness.bytes += bytes
                    if witness.bytes.count >= 1_000 { loop.stop() }
                }
                for number in 0..<1_000 { client.send([UInt8(truncatingIfNeeded: number)]) }
                #expect(client.queuedBytes == 1_000)
            }
            loop.runUntilStopped()
            #expect(witness.deliveries == 1)
            #expect(witness.bytes == (0..<1_000).map { UInt8(truncatingIfNeeded: $0) })
        }
    }

    @Test func `a peer that finished sending still gets the answer`() throws {
        try withLoop { loop in
            let atClient = Witness()
            let atServer = Witness()
            try connectedPair(loop) { client, server in
                func ended() { if atClient.ends.count + atServer.ends.count == 2 { loop.stop() } }
                atClient.watch(client, onEnd: ended)
                atServer.watch(server, onEnd: ended)
                server.onEndOfInput = {
                    server.send(atServer.bytes.reversed())
                    server.close(flushingFor: 5 * second)
                }
                client.send([1, 2, 3])
                client.finishSending()
                client.send([4])
            }
            loop.runUntilStopped()
            #expect(atServer.bytes == [1, 2, 3])
            #expect(atClient.bytes == [3, 2, 1])
            #expect(atClient.ends == [.endOfStream])
            #expect(atServer.ends == [.closedHere])
        }
    }

    @Test func `an answer queued when the peer's end arrives is still written`() throws {
        try withLoop { loop in
            let atClient = Witness()
            try connectedPair(loop) { client, server in
                atClient.watch(client) { loop.stop() }
                server.onBytes = { server.send($0) }
                client.send([9, 8])
                client.finishSending()
            }
            loop.runUntilStopped()
            #expect(atClient.bytes == [9, 8])
            #expect(atClient.ends == [.endOfStream])
        }
    }

    @Test func `8 MiB arrive intact both ways at once, and the queue drains`() throws {
        try withLoop { loop in
            let atClient = Witness()
            let atServer = Witness()
            let up = pattern(8 << 20, seed: 1)
            let down = pattern(8 << 20, seed: 2)
            try connectedPair(loop) { client, server in
                func check() {
                    guard atClient.bytes.count == down.count, atServer.bytes.count == up.count else { return }
                    loop.stop()
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
                client.send(up)
                server.send(down)
                #expect(client.queuedBytes == up.count)
            }
            loop.runUntilStopped()
            #expect(same(atServer.bytes, up))
            #expect(same(atClient.bytes, down))
            #expect(atClient.drains == 1 && atServer.drains == 1)
        }
    }

    @Test func `what is sent while earlier bytes still wait keeps its place and is counted`() throws {
        try withLoop { loop in
            let atClient = Witness()
            let atServer = Witness()
            let load = pattern(20 << 20)
            let cut = 16 << 20
            try connectedPair(loop) { client, server in
                atClient.watch(client)
                server.onBytes = {
                    atServer.bytes += $0
                    if atServer.bytes.count == load.count { loop.stop() }
                }
                server.isPaused = true
                client.send(Array(load[..<cut]))
                let evenLater = loop.timer {
                    #expect(client.queuedBytes > load.count - cut)
                    server.isPaused = false
                }
                let later = loop.timer {
                    let before = client.queuedBytes
                    #expect(before > 0 && before < cut)
                    client.send(Array(load[cut...]))
                    #expect(client.queuedBytes == before + load.count - cut)
                    evenLater.set(at: loop.now + 20_000_000)
                }
                later.set(at: loop.now + 20_000_000)
            }
            loop.runUntilStopped()
            loop.atTurnEnd { loop.atTurnEnd { loop.stop() } }
            loop.runUntilStopped()
            #expect(same(atServer.bytes, load))
            #expect(atClient.drains == 1)
        }
    }

    @Test func `a stream that has ended is let go`() throws {
        weak var gone: TCPStream?
        try withLoop { loop in
            try connectedPair(loop) { client, server in
                gone = client
                client.onBytes = { _ in _ = client.queuedBytes }
                server.onClosed = { _ in loop.stop() }
                server.onBytes = { _ in }
                client.close(flushingFor: second)
            }
            loop.runUntilStopped()
        }
        #expect(gone == nil)
    }

    @Test func `closing with time to flush delivers everything, then the end, once each side`() throws {
        try withLoop { loop in
            let atClient = Witness()
            let atServer = Witness()
            let load = pattern(3 << 20)
            try connectedPair(loop) { client, server in
                func ended() { if atClient.ends.count + atServer.ends.count == 2 { loop.stop() } }
                atClient.watch(client, onEnd: ended)
                atServer.watch(server, onEnd: ended)
                client.send(load)
                client.close(flushingFor: 20 * second)
                client.send([0])
                #expect(atClient.ends.isEmpty)
                // What arrives at a closing end is not delivered, and does not turn the farewell into a
                // reset.
                server.send([1, 2, 3])
            }
            loop.runUntilStopped()
            #expect(same(atServer.bytes, load))
            #expect(atClient.bytes.isEmpty)
            #expect(atServer.ends == [.endOfStream])
            #expect(atClient.ends == [.closedHere])
        }
    }

    @Test func `closing at once says so once and never from inside the call`() throws {
        try withLoop { loop in
            let witness = Witness()
            try connectedPair(loop) { client, server in
                witness.watch(client) { loop.stop() }
                client.close(flushingFor: 0)
                client.close(flushingFor: second)
                client.close(flushingFor: 0)
                #expect(witness.ends.isEmpty)
            }
            loop.runUntilStopped()
            #expect(witness.ends == [.closedHere])
        }
    }

    @Test func `a peer that takes nothing ends the flushing when its time is over`() throws {
        try withLoop { loop in
            let witness = Witness()
            try connectedPair(loop) { client, server in
                server.isPaused = true
                witness.watch(client) { loop.stop() }
                client.send(pattern(16 << 20))
                client.close(flushingFor: 30_000_000)
            }
            loop.runUntilStopped()
            #expect(witness.ends == [.flushTimedOut])
        }
    }

    @Test func `a paused stream reads nothing until it goes on`() throws {
        try withLoop { loop in
            let witness = Witness()
            try connectedPair(loop) { client, server in
                witness.watch(server)
                server.onBytes = { bytes in
                    #expect(!server.isPaused)
                    witness.bytes += bytes
                    loop.stop()
                }
                server.isPaused = true
                client.send([7])
                let later = loop.timer { server.isPaused = false }
                later.set(at: loop.now + 20_000_000)
            }
            loop.runUntilStopped()
            #expect(witness.bytes == [7])
        }
    }

    @Test func `a torn connection is told from an orderly end`() throws {
        try withLoop { loop in
            let witness = Witness()
            try connectedPair(loop) { client, server in
                witness.watch(client) { loop.stop() }
                // Closing with unread bytes makes the system send a reset.
                client.send([1])
                let later = loop.timer { server.close(flushingFor: 0) }
                later.set(at: loop.now + 5_000_000)
            }
            loop.runUntilStopped()
            #expect(witness.ends == [.reset])
        }
    }

    @Test func `nobody listening is refused, with the address in the sentence`() throws {
        try withLoop { loop in
            let listener = try TCPListener(loop: loop, on: .loopback(port: 0))
            let address = listener.address
            listener.close()
            var failure: NetError?
            try TCPStream.connect(loop: loop, to: address) { result in
                if case .failure(let error) = result { failure = error }
                loop.stop()
            }
            #expect(failure == nil)
            loop.runUntilStopped()
            let error = try #require(failure)
            #expect(error.code == .refused)
            #expect(error.errno == ECONNREFUSED)
            #expect(error.sentence == "cannot connect to \(address): connection refused")
            #expect(StreamEnd(error) == .refused)
        }
    }

    @Test func `an address that cannot be dialled fails later, not inside the call`() throws {
        try withLoop { loop in
            var failure: NetError?
            // A link-local address of an interface that does not exist.
            let address = try #require(SocketAddress("[fe80::1%4000000]:9"))
            try TCPStream.connect(loop: loop, to: address) { result in
                if case .failure(let error) = result { failure = error }
                loop.stop()
            }
            #expect(failure == nil)
            loop.runUntilStopped()
            #expect(failure != nil)
        }
    }

    @Test func `a cancelled attempt is not heard of again`() throws {
        try withLoop { loop in
            let listener = try TCPListener(loop: loop, on: .loopback(port: 0))
            let attempt = try TCPStream.connect(loop: loop, to: listener.address) { _ in
                Issue.record("a cancelled attempt ended")
            }
            attempt.cancel()
            attempt.cancel()
            let later = loop.timer { loop.stop() }
            later.set(at: loop.now + 10_000_000)
            loop.runUntilStopped()
        }
    }

    @Test func `a port in use is refused as such`() throws {
        try withLoop { loop in
            let first = try TCPListener(loop: loop, on: .loopback(port: 0))
            let error = #expect(throws: NetError.self) { try TCPListener(loop: loop, on: first.address) }
            #expect(error?.code == .addressInUse)
            #expect(error?.code.rawValue == "net/address-in-use")
            let strange = try #require(SocketAddress("192.0.2.1:1"))
            let other = #expect(throws: NetError.self) { try TCPListener(loop: loop, on: strange) }
            #expect(other?.code == .addressNotAvailable)
        }
    }

    @Test func `closing the loop ends every stream once`() throws {
        let atClient = Witness()
        let atServer = Witness()
        try withLoop { loop in
            try connectedPair(loop) { client, server in
                atClient.watch(client)
                atServer.watch(server)
                client.send(pattern(16 << 20))
                loop.stop()
            }
            loop.runUntilStopped()
        }
        #expect(atClient.ends == [.closedHere])
        #expect(atServer.ends == [.closedHere])
    }

    @Test func `running out of descriptors closes what waits, does not spin, and passes`() async {
        await #expect(processExitsWith: .success) {
            try withLoop { loop in
                let listener = try TCPListener(loop: loop, on: .loopback(port: 0))
                var accepted: [TCPStream] = []
                var failures: [NetError] = []
                listener.onAccept = { accepted.append($0) }
                listener.onFailure = { failures.append($0) }
                // These are connected by the system before anybody accepts them.
                var sockets = (0..<6).map { _ in connectRaw(port: listener.port) }
                // Descriptors that this process was born with leave gaps anywhere: fill those below, then see
                // which two come next.
                let highest = try #require(sockets.max())
                var filler = open("/dev/null", O_RDONLY)
                while filler < highest {
                    sockets.append(filler)
                    filler = open("/dev/null", O_RDONLY)
                }
                let second = open("/dev/null", O_RDONLY)
                close(filler)
                close(second)
                let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
                var limit = rlimit()
                getrlimit(resource, &limit)
                let usual = limit.rlim_cur
                limit.rlim_cur = rlim_t(second) + 1
                setrlimit(resource, &limit)
                // Runs until what is waited for has come, and a little longer to see that nothing spins.
                var arrived = { accepted.count >= 2 }
                var looks = 0
                var timer: LoopTimer?
                timer = loop.timer {
                    looks += 1
                    if looks < 100, !arrived() || looks < 2 {
                        timer?.set(at: loop.now + 50_000_000)
                    } else {
                        loop.stop()
                    }
                }
                timer?.set(at: loop.now + 50_000_000)
                loop.run()
                #expect(accepted.count == 2, "\(accepted.count) accepted")
                #expect(failures.count <= 6, "\(failures.count) failures")
                #expect(failures.allSatisfy { $0.code == .tooManyFiles })
                limit.rlim_cur = usual
                setrlimit(resource, &limit)
                sockets.append(connectRaw(port: listener.port))
                arrived = { accepted.count >= 3 }
                looks = 0
                timer?.set(at: loop.now + 50_000_000)
                loop.run()
                #expect(accepted.count == 3, "\(accepted.count) accepted in the end")
                for socket in sockets { close(socket) }
            }
        }
    }
}

/// A connection made by the system alone.
private func connectRaw(port: UInt16) -> Int32 {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    let status = withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
    }
    precondition(status == 0, "connect: \(errno)")
    return descriptor
}
