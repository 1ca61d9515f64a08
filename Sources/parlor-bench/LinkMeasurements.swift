internal import Glibc
internal import ParlorNet
internal import ParlorProtocol

/// What is measured over links.
extension LinkBench {
    func measureEcho(isHeld: Bool) throws {
        try dial { [self] link in
            pingPong(link, rounds: count) { [self] in
                // Before the line is out, so that nobody looks too early.
                Self.say(Self.summary(times))
                if isHeld { Self.awaitEndOfInput() }
                finish()
            }
        }
        loop.run()
    }

    /// Sends a message each time the last one is back, and notes the times after the first few.
    private func pingPong(_ link: BenchLink, rounds: Int, done: @escaping () -> Void) {
        let ping = message(BenchLink.Kind.echo)
        let warmUp = min(Self.warmUp, rounds / 4)
        var left = rounds + warmUp
        times = []
        times.reserveCapacity(rounds)
        link.onMessage = { [self, unowned link] lane, _ in
            guard lane == .game else { return }
            let now = loop.now
            if left <= rounds { times.append(now - begun) }
            left -= 1
            guard left > 0 else { return done() }
            begun = loop.now
            link.send(ping)
        }
        begun = loop.now
        link.send(ping)
    }

    func measureHandshake() throws {
        try shakeHands(left: count + 10)
        loop.run()
        Self.say(Self.summary(times))
    }

    private func shakeHands(left: Int) throws {
        let begun = loop.now
        try dial { [self] link in
            let passed = loop.now - begun
            if left <= count { times.append(passed) }
            link.onEnd = { [self] in
                guard left > 1 else { return finish() }
                do { try shakeHands(left: left - 1) } catch { Self.fail("\(error)") }
            }
            link.close()
        }
    }

    func measureRate() throws {
        let filler = message(BenchLink.Kind.count)
        let last = message(BenchLink.Kind.echo)
        var sent = 0
        var isWaiting = false
        try dial { [self] link in
            func fill() {
                isWaiting = false
                for _ in 0..<Self.batch {
                    guard sent < count else { return }
                    guard link.send(sent + 1 == count ? last : filler) else { return }
                    sent += 1
                }
                next()
            }
            func next() {
                guard !isWaiting, sent < count else { return }
                isWaiting = true
                loop.atTurnEnd(fill)
            }
            link.onRoom = { next() }
            link.onMessage = { [self] _, _ in
                let nanoseconds = loop.now - begun
                Self.say("rate=\(UInt64(count) * 1_000_000_000 / nanoseconds) count=\(count)")
                finish()
            }
            begun = loop.now
            next()
        }
        loop.run()
    }

    func measureLanes() throws {
        try dial { [self] link in
            pingPong(link, rounds: count) { [self] in
                let idle = Self.summary(times, "idle_")
                keepBulkBusy(link)
                let start = loop.now
                let before = link.statistics?.lanes[.bulk].sentBytes ?? 0
                pingPong(link, rounds: count) { [self] in
                    let bytes = (link.statistics?.lanes[.bulk].sentBytes ?? 0) - before
                    let rate = Double(bytes) * 1e9 / Double(loop.now - start)
                    let chunk = Double(Limits.chunkBytesMax) * 1e6 / rate
                    Self.say(
                        "\(idle) \(Self.summary(times, "busy_")) bulk_mb_s=\(Int(rate / 1e6)) "
                            + "chunk_us=\(Int(chunk.rounded(.up)))")
                    finish()
                }
            }
        }
        loop.run()
    }

    private func keepBulkBusy(_ link: BenchLink) {
        let load = [BenchLink.Kind.count] + [UInt8](repeating: 0, count: Self.bulkBytes - 1)
        func fill() {
            // The game lane always has room.
            while link.hasRoom(2 * Self.bulkBytes) { link.send(load, on: .bulk) }
        }
        link.onRoom = { fill() }
        fill()
    }

    /// Opens as many links as wanted, one after the other, and keeps them.
    func holdLinks() throws {
        var opened = 0
        func next() throws {
            try dial { [self] link in
                opened += 1
                guard opened == count else {
                    do { try next() } catch { Self.fail("\(error)") }
                    return
                }
                // What the last handshakes left to do is done within a moment.
                let timer = loop.timer { [self] in finish() }
                timer.set(at: loop.now + 500_000_000)
            }
        }
        try next()
        loop.run()
        Self.say("links=\(opened)")
        Self.awaitEndOfInput()
    }

    // MARK: Datagrams

    func measureUnreliable() throws {
        let socket = try DatagramSocket(loop: loop, on: .loopback(port: 0))
        let ping = message(BenchLink.Kind.echo)
        var left = count + Self.warmUp
        let patience = loop.timer { Self.fail("a datagram was lost, or none got through") }
        patience.set(at: loop.now + 60_000_000_000)
        try dial(socket) { [self] link in
            socket.onDatagram = { bytes, from in link.received(bytes, from: from) }
            var isUnderWay = false
            func send() {
                begun = loop.now
                link.sendUnreliable(ping)
            }
            link.onPath = { path in
                guard path == .udp, !isUnderWay else { return }
                isUnderWay = true
                send()
            }
            link.onUnreliable = { [self] _ in
                let now = loop.now
                if left <= count { times.append(now - begun) }
                left -= 1
                if left > 0 { send() } else { finish() }
            }
        }
        loop.run()
        Self.say(Self.summary(times))
    }

    func measureDatagrams(isSealed: Bool) throws {
        let socket = try DatagramSocket(loop: loop, on: .loopback(port: 0))
        let server = SocketAddress.loopback(port: port)
        let ping = message(BenchLink.Kind.echo)
        var sealer = DatagramSealer(isServer: false)
        var left = count + Self.warmUp
        let patience = loop.timer { Self.fail("a datagram was lost") }
        patience.set(at: loop.now + 60_000_000_000)
        func send() {
            begun = loop.now
            socket.send(isSealed ? sealer.seal(ping) : ping, to: server)
        }
        socket.onDatagram = { [self] bytes, _ in
            guard bytes.count > 1 else { return send() }
            guard !isSealed || sealer.open(bytes)?.count == Self.messageBytes else { return }
            let now = loop.now
            if left <= count { times.append(now - begun) }
            left -= 1
            if left > 0 { send() } else { finish() }
        }
        // One byte: counters begin anew.
        socket.send([0], to: server)
        loop.run()
        Self.say(Self.summary(times))
    }
}
