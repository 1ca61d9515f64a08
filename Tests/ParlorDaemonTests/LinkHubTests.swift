import ParlorNet
import ParlorProtocol
import Testing

@testable import ParlorDaemon

/// Hubs of several peers on one loop, over real connections on loopback.
@Suite(.serialized)
struct LinkHubTests {
    /// A hub with what it told.
    private final class Peer {
        let hub: LinkHub
        var ups: [PeerID] = []
        var downs: [(peer: PeerID, end: LinkEnd)] = []
        var heard: [RoomMessage] = []
        var suspicions = 0
        var resumes = 0
        var unneeded: Set<PeerID> = []

        init(_ loop: EventLoop, seed: UInt8, port: UInt16 = 0) throws {
            hub = try LinkHub(
                loop: loop, seed: Array(repeating: seed, count: 32), software: "test",
                name: { "peer \(seed)" }, games: [])
            hub.handlers = LinkHub.Handlers(
                up: { [weak self] _, peer in self?.ups.append(peer) },
                received: { [weak self] _, message in self?.heard.append(message) },
                liveness: { [weak self] _, isSuspect in if isSuspect { self?.suspicions += 1 } },
                resumed: { [weak self] _ in self?.resumes += 1 },
                down: { [weak self] _, peer, end in self?.downs.append((peer, end)) },
                isNeeded: { [weak self] peer in self?.unneeded.contains(peer) != true })
            try hub.listen(on: .loopback(port: port), dualStack: false)
        }

        var address: SocketAddress { .loopback(port: hub.port) }

        /// The names that messages of a test carry, in the order in which they came.
        var said: [String] {
            heard.compactMap { message in
                if case .enter(_, _, let name, _) = message { return name }
                return nil
            }
        }

        func say(_ name: String, to peer: Peer) {
            hub.link(to: peer.hub.me)?.send(.enter(.only, purpose: .join, name: name, endpoints: []))
        }

        /// Breaks the connection to a peer without a word.
        func cut(_ peer: Peer) { hub.link(to: peer.hub.me)?.connection?.stream.tcp.close(flushingFor: 0) }

        func isAttached(to peer: Peer) -> Bool { hub.link(to: peer.hub.me)?.isAttached == true }
    }

    /// Two hubs, the second of which has dialled the first.
    private func pair(_ loop: EventLoop) throws -> (ada: Peer, bea: Peer) {
        let (ada, bea) = (try Peer(loop, seed: 1), try Peer(loop, seed: 2))
        bea.hub.dial([ada.address], expected: ada.hub.me) { _ in }
        wait(loop, "the link") { bea.isAttached(to: ada) && ada.isAttached(to: bea) }
        return (ada, bea)
    }

    /// Runs the loop until the condition holds; fails after ten seconds.
    private func wait(_ loop: EventLoop, _ what: String, until isDone: @escaping () -> Bool) {
        var isLate = false
        let deadline = loop.timer {
            isLate = true
            loop.stop()
        }
        deadline.set(at: loop.now + 10_000_000_000)
        var look: (() -> Void)?
        let tick = loop.timer { look?() }
        look = {
            if isDone() { loop.stop() } else { tick.set(at: loop.now + 1_000_000) }
        }
        look?()
        if !isDone() { loop.run() }
        deadline.close()
        tick.close()
        if isLate { Issue.record("waited 10 s for \(what)") }
    }

    private func withLoop(_ body: (EventLoop) throws -> Void) throws {
        let loop = try EventLoop()
        defer { loop.close() }
        try body(loop)
    }

    @Test func `a dial ends with one link on both sides, and messages pass`() throws {
        try withLoop { loop in
            let (ada, bea) = (try Peer(loop, seed: 1), try Peer(loop, seed: 2))
            var link: PeerLink?
            bea.hub.dial([ada.address], expected: ada.hub.me) { link = try? $0.get() }
            wait(loop, "the link") { link != nil && !ada.ups.isEmpty }
            #expect(link?.peer == ada.hub.me)
            #expect(ada.ups == [bea.hub.me])
            link?.send(.enter(.only, purpose: .join, name: "Bea"))
            wait(loop, "the message") { !ada.heard.isEmpty }
            #expect(ada.heard == [.enter(.only, purpose: .join, name: "Bea")])
            bea.hub.close(ada.hub.me, .closed, detail: "done")
            wait(loop, "the goodbye") { !ada.downs.isEmpty }
            #expect(ada.downs.first?.end.who == .peer)
            #expect(ada.downs.first?.end.detail == "done")
        }
    }

    @Test func `another peer than the one expected is no link`() throws {
        try withLoop { loop in
            let (ada, bea, cyd) = (try Peer(loop, seed: 1), try Peer(loop, seed: 2), try Peer(loop, seed: 3))
            var failure: DialFailure?
            bea.hub.dial([ada.address], expected: cyd.hub.me) { result in
                if case .failure(let why) = result { failure = why }
            }
            wait(loop, "the refusal") { failure != nil }
            #expect(failure?.kind == .identity)
            #expect(bea.ups.isEmpty && ada.ups.isEmpty)
        }
    }

    @Test func `an address where nobody listens does not keep the next from winning`() throws {
        try withLoop { loop in
            let (ada, bea) = (try Peer(loop, seed: 1), try Peer(loop, seed: 2))
            let gone = try TCPListener(loop: loop, on: .loopback(port: 0))
            let nobody = gone.address
            gone.close()
            var link: PeerLink?
            bea.hub.dial([nobody, ada.address], expected: ada.hub.me) { link = try? $0.get() }
            wait(loop, "the link") { link != nil }
            #expect(link?.remote == ada.address)
            var failure: DialFailure?
            bea.hub.dial([nobody], expected: nil) { if case .failure(let why) = $0 { failure = why } }
            wait(loop, "the refusal") { failure != nil }
            #expect(failure?.kind == .unreachable)
            #expect(failure?.tries.first?.contains("refused") ?? false, "\(failure?.tries ?? [])")
        }
    }

    @Test(arguments: 1...5)
    func `two that dial each other at once end with one link, the same on both sides`(run: Int) throws {
        try withLoop { loop in
            let (ada, bea) = (try Peer(loop, seed: 1), try Peer(loop, seed: 2))
            var links: [PeerLink] = []
            ada.hub.dial([bea.address], expected: bea.hub.me) {
                if let link = try? $0.get() { links.append(link) }
            }
            bea.hub.dial([ada.address], expected: ada.hub.me) {
                if let link = try? $0.get() { links.append(link) }
            }
            wait(loop, "both dials") { links.count == 2 }
            ada.hub.link(to: bea.hub.me)?.send(.enter(.only, purpose: .join, name: "from ada"))
            bea.hub.link(to: ada.hub.me)?.send(.enter(.only, purpose: .join, name: "from bea"))
            wait(loop, "messages both ways") { !ada.heard.isEmpty && !bea.heard.isEmpty }
            let (atAda, atBea) = (ada.hub.link(to: bea.hub.me), bea.hub.link(to: ada.hub.me))
            #expect(atAda?.role != atBea?.role, "one of them dialled the link that is left")
            #expect(ada.downs.isEmpty && bea.downs.isEmpty)
        }
    }

    // MARK: Coming back

    @Test(arguments: 1...4)
    func `connections are cut and made again, and every message arrives once and in order`(run: Int) throws {
        try withLoop { loop in
            let (ada, bea) = try pair(loop)
            var said: [String] = []
            for round in 1...12 {
                for number in 1...5 {
                    said.append("\(round).\(number)")
                    ada.say("\(round).\(number)", to: bea)
                    bea.say("\(round).\(number)", to: ada)
                    guard number == 3 else { continue }
                    if (round + run).isMultiple(of: 2) { ada.cut(bea) } else { bea.cut(ada) }
                }
                wait(loop, "round \(round)") { ada.said.count == said.count && bea.said.count == said.count }
            }
            #expect(ada.said == said && bea.said == said)
            #expect(ada.ups.count == 1 && bea.ups.count == 1)
            #expect(ada.downs.isEmpty && bea.downs.isEmpty)
            wait(loop, "the last resume") { ada.suspicions == ada.resumes && bea.suspicions == bea.resumes }
            #expect(ada.resumes + bea.resumes >= 12)
            let resumes = bea.hub.link(to: ada.hub.me)?.statistics.resumes ?? 0
            #expect(resumes >= 12)
        }
    }

    @Test func `a resume takes the place of a connection that looks alive`() throws {
        try withLoop { loop in
            let (ada, bea) = try pair(loop)
            // Ada hears nothing more of this connection, not even its end.
            ada.hub.link(to: bea.hub.me)?.connection?.stream.isPaused = true
            bea.cut(ada)
            bea.say("after", to: ada)
            wait(loop, "the message over the new connection") { ada.said == ["after"] }
            // Only now: writing to the old one would have shown that it is broken.
            ada.say("too", to: bea)
            wait(loop, "the answer") { bea.said == ["too"] }
            #expect(ada.suspicions == 0 && ada.resumes == 0, "nobody noticed anything")
            #expect(bea.suspicions == 1 && bea.resumes == 1)
            #expect(ada.hub.link(to: bea.hub.me)?.statistics.resumes == 1)
        }
    }

    @Test func `the side that did not dial does when the other cannot`() throws {
        try withLoop { loop in
            let (ada, bea) = try pair(loop)
            ada.hub.stopListening()
            bea.cut(ada)
            wait(loop, "the way back") { ada.resumes == 1 && bea.resumes == 1 }
            #expect(ada.hub.link(to: bea.hub.me)?.role == .dialler)
            #expect(ada.hub.link(to: bea.hub.me)?.remote == bea.address)
            bea.cut(ada)
            bea.say("again", to: ada)
            wait(loop, "the message") { ada.said == ["again"] }
        }
    }

    @Test(arguments: 1...8)
    func `two that resume at once end with one connection, and nothing is lost`(run: Int) throws {
        try withLoop { loop in
            let (ada, bea) = try pair(loop)
            for round in 1...5 {
                ada.say("ada \(round)", to: bea)
                bea.say("bea \(round)", to: ada)
                ada.hub.link(to: bea.hub.me)?.connection?.stream.tcp.close(flushingFor: 0)
                bea.hub.link(to: ada.hub.me)?.connection?.stream.tcp.close(flushingFor: 0)
                wait(loop, "the end of both") { !ada.isAttached(to: bea) && !bea.isAttached(to: ada) }
                var done = 0
                ada.hub.dial([bea.address], expected: bea.hub.me) { if case .success = $0 { done += 1 } }
                bea.hub.dial([ada.address], expected: ada.hub.me) { if case .success = $0 { done += 1 } }
                wait(loop, "both dials") { done == 2 && ada.said.count == round && bea.said.count == round }
            }
            #expect(ada.said == (1...5).map { "bea \($0)" } && bea.said == (1...5).map { "ada \($0)" })
            #expect(ada.downs.isEmpty && bea.downs.isEmpty)
        }
    }

    @Test func `a peer that started anew has a new link in place of the old`() throws {
        try withLoop { loop in
            let (ada, bea) = try pair(loop)
            let again = try Peer(loop, seed: 2)
            again.hub.dial([ada.address], expected: ada.hub.me) { _ in }
            wait(loop, "the new link") { ada.ups.count == 2 && !again.ups.isEmpty }
            #expect(ada.downs.map(\.end.reason) == [.replaced])
            wait(loop, "the goodbye") { !bea.downs.isEmpty }
            #expect(bea.downs.map(\.end.reason) == [.replaced] && bea.downs.map(\.end.who) == [.peer])
            again.say("new", to: ada)
            wait(loop, "the message") { ada.said == ["new"] }
        }
    }

    @Test func `a link that the peer has forgotten is lost, and a new one begins`() throws {
        try withLoop { loop in
            let (ada, bea) = try pair(loop)
            ada.hub.stopListening()
            let again = try Peer(loop, seed: 1, port: ada.address.port)
            bea.say("old", to: ada)
            wait(loop, "the message") { ada.said == ["old"] }
            ada.hub.handlers = nil
            bea.cut(ada)
            wait(loop, "the new link") { bea.ups.count == 2 && !again.ups.isEmpty }
            #expect(bea.downs.map(\.end.reason) == [.lost])
            #expect(bea.hub.link(to: again.hub.me)?.isAttached == true)
            bea.say("new", to: again)
            wait(loop, "the message") { again.said == ["new"] }
        }
    }

    @Test func `a link that is closed without a connection is not dialled again`() throws {
        try withLoop { loop in
            let (ada, bea) = try pair(loop)
            bea.hub.handlers?.liveness = { peer, _ in bea.hub.close(peer, .closed) }
            bea.cut(ada)
            wait(loop, "Ada's way back") { ada.downs.count == 1 && bea.ups.count == 2 }
            #expect(bea.downs.map(\.end.reason) == [.closed])
            #expect(ada.downs.map(\.end.reason) == [.lost], "Bea does not know the link any more")
            #expect(bea.hub.link(to: ada.hub.me)?.role == .listener, "Ada dialled, not Bea")
        }
    }

    @Test func `a link that nobody needs is closed`() throws {
        try withLoop { loop in
            let (ada, bea) = (try Peer(loop, seed: 1), try Peer(loop, seed: 2))
            ada.hub.unusedWait = .milliseconds(30)
            ada.unneeded = [bea.hub.me]
            bea.hub.dial([ada.address], expected: ada.hub.me) { _ in }
            wait(loop, "the end") { !ada.downs.isEmpty && !bea.downs.isEmpty }
            #expect(bea.downs.map(\.end.reason) == [.closed] && bea.downs.map(\.end.who) == [.peer])
        }
    }

    // MARK: Several addresses

    @Test func `each address has its reason, and the right peer wins`() throws {
        try withLoop { loop in
            let (ada, bea, cyd) = (try Peer(loop, seed: 1), try Peer(loop, seed: 2), try Peer(loop, seed: 3))
            let gone = try TCPListener(loop: loop, on: .loopback(port: 0))
            let dead = gone.address
            gone.close()
            let silent = try TCPListener(loop: loop, on: .loopback(port: 0))
            var held: [TCPStream] = []
            silent.onAccept = { held.append($0) }
            var failure: DialFailure?
            bea.hub.dial([dead, silent.address, cyd.address], expected: ada.hub.me) {
                if case .failure(let why) = $0 { failure = why }
            }
            wait(loop, "the failure") { failure != nil }
            let tries = failure?.tries.sorted() ?? []
            #expect(tries.count == 3)
            for (address, why) in [(dead, "refused"), (silent.address, ""), (cyd.address, "another peer")] {
                let isThere = tries.contains { $0.contains("\(address)") && $0.contains(why) }
                #expect(isThere, "\(address) \(why) in \(tries)")
            }
            #expect(failure?.kind == .identity)
            var link: PeerLink?
            bea.hub.dial([dead, silent.address, cyd.address, ada.address], expected: ada.hub.me) {
                link = try? $0.get()
            }
            wait(loop, "the link") { link != nil }
            #expect(link?.peer == ada.hub.me && link?.remote == ada.address)
            #expect(cyd.ups.isEmpty)
            silent.close()
            for stream in held { stream.close(flushingFor: 0) }
        }
    }

    @Test func `a peer is reached by IPv6 when its IPv4 address is another's`() throws {
        try withLoop { loop in
            let (ada, bea, cyd) = (try Peer(loop, seed: 1), try Peer(loop, seed: 2), try Peer(loop, seed: 3))
            let six = try #require(SocketAddress("[::1]:0"))
            do { try ada.hub.listen(on: six, dualStack: false) } catch { return }  // a machine without IPv6
            let address = try #require(ada.hub.addresses.last)
            var link: PeerLink?
            bea.hub.dial([cyd.address, address], expected: ada.hub.me) { link = try? $0.get() }
            wait(loop, "the link") { link != nil }
            #expect(link?.remote == address)
        }
    }

    @Test func `a peer with two addresses is greeted at one`() throws {
        try withLoop { loop in
            let (ada, bea) = (try Peer(loop, seed: 1), try Peer(loop, seed: 2))
            try ada.hub.listen(on: .loopback(port: 0), dualStack: false)
            var link: PeerLink?
            let addresses = ada.hub.addresses
            bea.hub.dial(addresses, expected: ada.hub.me) { link = try? $0.get() }
            wait(loop, "the link") { link != nil && !ada.ups.isEmpty }
            #expect(ada.ups == [bea.hub.me] && bea.ups == [ada.hub.me])
            #expect(link?.addresses.first == link?.remote)
            #expect(Set(link?.addresses ?? []) == Set(addresses))
        }
    }

    @Test func `this peer's own address is no peer`() throws {
        try withLoop { loop in
            let ada = try Peer(loop, seed: 1)
            var failure: DialFailure?
            ada.hub.dial([ada.address], expected: nil) { if case .failure(let why) = $0 { failure = why } }
            wait(loop, "the failure") { failure != nil }
            #expect(failure?.tries == ["\(ada.address): this is the peer itself"])
            #expect(ada.ups.isEmpty)
        }
    }

    @Test func `stopping says goodbye and leaves nothing connected`() throws {
        try withLoop { loop in
            let (ada, bea) = (try Peer(loop, seed: 1), try Peer(loop, seed: 2))
            var link: PeerLink?
            bea.hub.dial([ada.address], expected: nil) { link = try? $0.get() }
            wait(loop, "the link") { link != nil }
            let reason = try #require(LinkReason(rawValue: "shutting-down"))
            ada.hub.stop(reason)
            wait(loop, "the end") { ada.hub.isQuiet && bea.hub.isQuiet }
            #expect(bea.downs.map(\.end.reason) == [reason])
        }
    }
}
