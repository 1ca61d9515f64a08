import Foundation
import ParlorNet
import Testing

@Suite struct DatagramSocketTests {
    /// A datagram as it was handed over.
    struct Seen: Equatable {
        let bytes: [UInt8]
        let from: SocketAddress
    }

    private static func linkLocalAddress() -> SocketAddress? {
        let interfaces = (try? Interfaces.list()) ?? []
        return interfaces.flatMap(\.addresses).map(\.address).first { $0.isIPv6 && $0.isLinkLocal }
    }

    @Test(arguments: ["127.0.0.1", "::1"])
    func `a datagram arrives whole with its sender's address, and so does the answer`(host: String) throws {
        try withLoop { loop in
            let place = try #require(SocketAddress(host))
            let asking = try DatagramSocket(loop: loop, on: place)
            let answering = try DatagramSocket(loop: loop, on: place)
            #expect(asking.port != 0 && asking.port != answering.port)
            var seen: [Seen] = []
            answering.onDatagram = { bytes, from in
                seen.append(Seen(bytes: bytes, from: from))
                answering.send(bytes.reversed(), to: from)
            }
            asking.onDatagram = { bytes, from in
                seen.append(Seen(bytes: bytes, from: from))
                loop.stop()
            }
            #expect(asking.send([1, 2, 3], to: answering.address))
            loop.runUntilStopped()
            #expect(
                seen == [
                    Seen(bytes: [1, 2, 3], from: asking.address),
                    Seen(bytes: [3, 2, 1], from: answering.address),
                ])
            let expected = DatagramSocket.Counters(sent: 1, received: 1)
            #expect(asking.counters == expected && answering.counters == expected)
        }
    }

    @Test func `a dual-stack socket hears and answers IPv4 peers under their IPv4 address`() throws {
        try withLoop { loop in
            let both = try DatagramSocket(loop: loop, on: .any(port: 0), dualStack: true)
            let four = try DatagramSocket(loop: loop, on: .loopback(port: 0))
            let six = try DatagramSocket(loop: loop, on: try #require(SocketAddress("::1")))
            var atBoth: Set<SocketAddress> = []
            var answers = 0
            both.onDatagram = { bytes, from in
                atBoth.insert(from)
                #expect(both.send(bytes, to: from))
            }
            for socket in [four, six] {
                socket.onDatagram = { _, from in
                    #expect(from.port == both.port)
                    answers += 1
                    if answers == 2 { loop.stop() }
                }
            }
            four.send([4], to: .loopback(port: both.port))
            six.send([6], to: try #require(SocketAddress("[::1]:\(both.port)")))
            loop.runUntilStopped()
            #expect(atBoth == [four.address, six.address])
            #expect(atBoth.contains { !$0.isIPv6 })
        }
    }

    @Test func `without dual stack the IPv4 port of the same number stays free`() throws {
        try withLoop { loop in
            let six = try DatagramSocket(loop: loop, on: .any(port: 0))
            let four = try DatagramSocket(loop: loop, on: .anyIPv4(port: six.port))
            #expect(four.port == six.port)
            #expect(!six.send([1], to: .loopback(port: four.port)))
            #expect(six.counters.errors == 1 && six.counters.sent == 0)
        }
    }

    @Test(.enabled(if: linkLocalAddress() != nil, "no link-local IPv6 address on this machine"))
    func `a link-local peer is known with its interface`() throws {
        try withLoop { loop in
            let place = try #require(Self.linkLocalAddress())
            let asking = try DatagramSocket(loop: loop, on: place)
            let answering = try DatagramSocket(loop: loop, on: .any(port: 0))
            var goal = place
            goal.port = answering.port
            answering.onDatagram = { bytes, from in
                #expect(from == asking.address && from.scope == place.scope && from.scope != 0)
                answering.send(bytes, to: from)
            }
            asking.onDatagram = { _, _ in loop.stop() }
            #expect(asking.send([1], to: goal))
            loop.runUntilStopped()
        }
    }

    @Test func `empty and largest datagrams pass, and a larger one is an error that stops nothing`() throws {
        try withLoop { loop in
            let sender = try DatagramSocket(loop: loop, on: .loopback(port: 0))
            let receiver = try DatagramSocket(loop: loop, on: .loopback(port: 0))
            let largest = pattern(65_507)
            var seen: [[UInt8]] = []
            receiver.onDatagram = { bytes, _ in
                seen.append(bytes)
                if seen.count == 3 { loop.stop() }
            }
            #expect(sender.send([], to: receiver.address))
            #expect(sender.send(largest, to: receiver.address))
            #expect(!sender.send(largest + [1], to: receiver.address))
            #expect(sender.counters == DatagramSocket.Counters(sent: 2, errors: 1))
            #expect(sender.lastError?.errno == EMSGSIZE)
            #expect(sender.send([9], to: receiver.address))
            loop.runUntilStopped()
            #expect(seen.map(\.count) == [0, 65_507, 1])
            #expect(same(seen[1], largest))
        }
    }

    @Test func `what is longer than a socket takes is dropped and counted, never cut`() throws {
        try withLoop { loop in
            let sender = try DatagramSocket(loop: loop, on: .loopback(port: 0))
            let receiver = try DatagramSocket(loop: loop, on: .loopback(port: 0), datagramBytesMax: 100)
            var seen: [[UInt8]] = []
            receiver.onDatagram = { bytes, _ in
                seen.append(bytes)
                if bytes == [7] { loop.stop() }
            }
            sender.send(pattern(101), to: receiver.address)
            sender.send(pattern(100), to: receiver.address)
            sender.send([7], to: receiver.address)
            loop.runUntilStopped()
            #expect(seen == [pattern(100), [7]])
            #expect(receiver.counters == DatagramSocket.Counters(received: 2, truncated: 1))
        }
    }

    @Test func `a peer that is gone does not stop the socket`() throws {
        try withLoop { loop in
            let socket = try DatagramSocket(loop: loop, on: .loopback(port: 0))
            let gone = try DatagramSocket(loop: loop, on: .loopback(port: 0))
            let there = try DatagramSocket(loop: loop, on: .loopback(port: 0))
            gone.close()
            var heard = 0
            there.onDatagram = { bytes, from in there.send(bytes, to: from) }
            // Each answer is followed by another datagram to nowhere, whose ICMP answer is then waiting.
            socket.onDatagram = { _, _ in
                heard += 1
                if heard == 20 { return loop.stop() }
                #expect(socket.send([0], to: gone.address))
                #expect(socket.send([1], to: there.address))
            }
            #expect(socket.send([0], to: gone.address))
            #expect(socket.send([1], to: there.address))
            loop.runUntilStopped()
            #expect(heard == 20)
            #expect(socket.counters == DatagramSocket.Counters(sent: 40, received: 20))
        }
    }

    @Test func `nothing is delivered after a close, also one from inside the handler`() throws {
        try withLoop { loop in
            let sender = try DatagramSocket(loop: loop, on: .loopback(port: 0))
            let receiver = try DatagramSocket(loop: loop, on: .loopback(port: 0))
            var seen = 0
            receiver.onDatagram = { _, from in
                seen += 1
                receiver.close()
                receiver.close()
                #expect(!receiver.send([1], to: from))
                receiver.onDatagram = { _, _ in Issue.record("a datagram after the close") }
                loop.timer { loop.stop() }.set(at: loop.now + 20_000_000)
            }
            for _ in 0..<10 { sender.send([1], to: receiver.address) }
            loop.runUntilStopped()
            #expect(seen == 1)
            #expect(receiver.counters == DatagramSocket.Counters(received: 1))
            // The port is free again.
            let next = try DatagramSocket(loop: loop, on: receiver.address)
            #expect(next.port == receiver.port)
        }
    }

    @Test func `without a handler datagrams wait, and a handler may pause`() throws {
        try withLoop { loop in
            let sender = try DatagramSocket(loop: loop, on: .loopback(port: 0))
            let receiver = try DatagramSocket(loop: loop, on: .loopback(port: 0))
            for number in UInt8(1)...5 { sender.send([number], to: receiver.address) }
            var seen: [UInt8] = []
            func take(_ bytes: [UInt8], _: SocketAddress) {
                seen += bytes
                if seen.count == 5 { return loop.stop() }
                receiver.onDatagram = nil
                loop.atTurnEnd { receiver.onDatagram = take }
            }
            receiver.onDatagram = take
            loop.runUntilStopped()
            #expect(seen == [1, 2, 3, 4, 5])
        }
    }

    @Test func `a flood that never ends lets timers and others in`() throws {
        try withLoop { loop in
            let socket = try DatagramSocket(loop: loop, on: .loopback(port: 0))
            var thisTurn = 0
            var most = 0
            var isCounting = false
            // Each datagram makes two: there is always another one to read.
            socket.onDatagram = { bytes, from in
                thisTurn += 1
                most = max(most, thisTurn)
                if !isCounting {
                    isCounting = true
                    loop.atTurnEnd {
                        thisTurn = 0
                        isCounting = false
                    }
                }
                socket.send(bytes, to: from)
                socket.send(bytes, to: from)
            }
            loop.timer { loop.stop() }.set(at: loop.now + 50_000_000)
            for _ in 0..<100 { socket.send([1], to: socket.address) }
            loop.runUntilStopped()
            #expect((1...64).contains(most), "\(most) datagrams in one turn")
            #expect(socket.counters.received > 100)
        }
    }

    @Test func `many peers are told apart, whether their addresses are remembered or not`() throws {
        try withLoop { loop in
            let hub = try DatagramSocket(loop: loop, on: .any(port: 0), dualStack: true)
            let peers = try (0..<48).map { number in
                let host = try #require(SocketAddress(number % 2 == 0 ? "127.0.0.\(1 + number)" : "::1"))
                return try DatagramSocket(loop: loop, on: host)
            }
            var seen: [UInt8: Set<SocketAddress>] = [:]
            var count = 0
            hub.onDatagram = { bytes, from in
                seen[bytes[0], default: []].insert(from)
                count += 1
                if count == 3 * peers.count { loop.stop() }
            }
            for _ in 0..<3 {
                for (number, peer) in peers.enumerated() {
                    let goal = peer.address.isIPv6 ? "[::1]" : "127.0.0.1"
                    #expect(
                        peer.send([UInt8(number)], to: try #require(SocketAddress("\(goal):\(hub.port)"))))
                }
            }
            loop.runUntilStopped()
            for (number, peer) in peers.enumerated() {
                #expect(seen[UInt8(number)] == [peer.address], "peer \(number)")
            }
        }
    }

    @Test func `a loop that closes takes its sockets along`() throws {
        let loop = try EventLoop()
        let socket = try DatagramSocket(loop: loop, on: .loopback(port: 0))
        socket.onDatagram = { _, _ in Issue.record("a datagram while the loop closes") }
        socket.send([1], to: socket.address)
        loop.close()
        #expect(!socket.send([1], to: socket.address))
    }
}

@Suite struct TwinPortTests {
    @Test func `both ports have one number, and both work`() throws {
        try withLoop { loop in
            let twin = try TwinPort(loop: loop, on: .any(port: 0), dualStack: true)
            #expect(twin.port != 0 && twin.datagrams.port == twin.port)
            var met: Set<String> = []
            func meet(_ what: String) {
                met.insert(what)
                if met.count == 2 { loop.stop() }
            }
            twin.listener.onAccept = { _ in meet("connection") }
            twin.datagrams.onDatagram = { _, _ in meet("datagram") }
            let sender = try DatagramSocket(loop: loop, on: .loopback(port: 0))
            sender.send([1], to: .loopback(port: twin.port))
            try TCPStream.connect(loop: loop, to: .loopback(port: twin.port)) {
                #expect((try? $0.get()) != nil)
            }
            loop.runUntilStopped()
            #expect(met == ["connection", "datagram"])
        }
    }

    @Test func `a number that is half taken is refused, and its free half left free`() throws {
        try withLoop { loop in
            let taken = try DatagramSocket(loop: loop, on: .loopback(port: 0))
            let error = #expect(throws: NetError.self) { try TwinPort(loop: loop, on: taken.address) }
            #expect(error?.code == .addressInUse)
            #expect(error?.sentence.contains("UDP") == true)
            let listener = try TCPListener(loop: loop, on: taken.address)
            #expect(listener.port == taken.port)
            let other = #expect(throws: NetError.self) { try TwinPort(loop: loop, on: listener.address) }
            #expect(other?.code == .addressInUse)
        }
    }

    @Test func `where the system chooses, numbers whose UDP half is taken are passed over`() throws {
        try withLoop { loop in
            // Takes the UDP half of so many numbers that the system's choice is often one of them. On ::1, so
            // that tests beside this one find their IPv4 numbers free.
            let place = try #require(SocketAddress("::1"))
            var blockers: [DatagramSocket] = []
            var tried = 0
            while blockers.count < 500, tried < 4_000 {
                tried += 1
                let probe = try TCPListener(loop: loop, on: place)
                if let blocker = try? DatagramSocket(loop: loop, on: probe.address) {
                    blockers.append(blocker)
                }
                probe.close()
            }
            for _ in 0..<400 {
                let twin = try TwinPort(loop: loop, on: place)
                #expect(twin.datagrams.port == twin.port)
                twin.close()
            }
        }
    }
}
