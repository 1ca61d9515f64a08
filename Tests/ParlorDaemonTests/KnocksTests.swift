import ParlorDiscovery
import ParlorNet
import ParlorProtocol
import Testing

@testable import ParlorDaemon

/// Two peers that dial each other, over real connections on loopback.
@Suite(.serialized)
struct KnocksTests {
    private final class Peer {
        let hub: LinkHub
        let knocks: Knocks

        init(_ loop: EventLoop, seed: UInt8) throws {
            hub = try LinkHub(
                loop: loop, seed: Array(repeating: seed, count: 32), software: "test",
                name: { "peer \(seed)" }, games: [])
            knocks = Knocks(loop: loop, hub: hub)
            hub.handlers = LinkHub.Handlers(
                up: { _, _ in },
                received: { [weak self] peer, message in
                    if case .knock(let knock) = message { self?.knocks.received(knock, from: peer) }
                },
                liveness: { _, _ in },
                down: { [weak self] _, peer, _ in self?.knocks.down(peer) })
            try hub.listen(on: .loopback(port: 0), dualStack: false)
        }

        var address: SocketAddress { .loopback(port: hub.port) }
    }

    /// Runs the loop until the visit is over; fails after twenty seconds.
    private func visit(_ other: PeerVisit.Other, by peer: Peer, _ loop: EventLoop) -> PeerTrial? {
        var found: PeerTrial?
        let deadline = loop.timer { loop.stop() }
        deadline.set(at: loop.now + 20_000_000_000)
        PeerVisit(other, hub: peer.hub, knocks: peer.knocks) { _, trial in
            found = trial
            loop.stop()
        }.start()
        loop.run()
        deadline.close()
        return found
    }

    private func withPeers(_ body: (EventLoop, Peer, Peer) throws -> Void) throws {
        let loop = try EventLoop()
        defer { loop.close() }
        try body(loop, try Peer(loop, seed: 1), try Peer(loop, seed: 2))
    }

    @Test func `a way there and back is found, also twice at once`() throws {
        try withPeers { loop, ada, bea in
            let other = PeerVisit.Other(name: "bea", addresses: [bea.address], peer: nil)
            for _ in 1...2 {
                let trial = try #require(visit(other, by: ada, loop))
                #expect(trial.tries == [PeerTrial.Try("\(bea.address)", .reached)])
                #expect(trial.link == .up)
                #expect(trial.back == PeerTrial.Try("\(ada.address)", .reached))
                #expect(trial.name == "peer 2")
            }
        }
    }

    @Test func `a peer whose port is closed is told that it is not reached`() throws {
        try withPeers { loop, ada, bea in
            let other = PeerVisit.Other(name: "bea", addresses: [bea.address], peer: bea.hub.me)
            _ = visit(other, by: ada, loop)
            let address = ada.address
            // What a firewall does, but at once; the link that there is goes on.
            ada.hub.stopListening()
            let trial = try #require(visit(other, by: ada, loop))
            #expect(trial.link == .up)
            #expect(trial.back == PeerTrial.Try("\(address)", .refused))
        }
    }

    @Test func `nobody there, and somebody else there, are told apart`() throws {
        try withPeers { loop, ada, bea in
            let free = SocketAddress.loopback(port: 1)
            let gone = PeerVisit.Other(name: "bea", addresses: [free], peer: bea.hub.me)
            let lost = try #require(visit(gone, by: ada, loop))
            #expect(
                lost.tries == [PeerTrial.Try("\(free)", .refused)] && lost.link != .up && lost.back == nil)
            let wrong = try #require(PeerID(bytes: [UInt8](repeating: 9, count: 32)))
            let other = PeerVisit.Other(name: "bea", addresses: [bea.address], peer: wrong)
            #expect(try #require(visit(other, by: ada, loop)).link == .failed("somebody else answers there"))
            let nowhere = PeerVisit.Other(name: "bea", addresses: [], peer: bea.hub.me)
            #expect(try #require(visit(nowhere, by: ada, loop)).tries.isEmpty)
        }
    }
}
