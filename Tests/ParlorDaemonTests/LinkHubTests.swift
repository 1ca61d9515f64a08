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

        init(_ loop: EventLoop, seed: UInt8) throws {
            hub = try LinkHub(
                loop: loop, seed: Array(repeating: seed, count: 32), software: "test",
                name: { "peer \(seed)" }, games: [])
            hub.handlers = LinkHub.Handlers(
                up: { [weak self] _, peer in self?.ups.append(peer) },
                received: { [weak self] _, message in self?.heard.append(message) }, liveness: { _, _ in },
                down: { [weak self] _, peer, end in self?.downs.append((peer, end)) })
            try hub.listen(on: .loopback(port: 0), dualStack: false)
        }

        var address: SocketAddress { .loopback(port: hub.port) }
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
