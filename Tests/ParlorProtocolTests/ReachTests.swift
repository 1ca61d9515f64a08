import Testing

@testable import ParlorProtocol

/// Who of a match is here, and by which way: exact actions.
struct ReachTests {
    private let host = peer(0)
    private let bob = peer(1)
    private let cid = peer(2)
    private let lost = Limits.lostWaitInMatch
    private let hail = Limits.hailInterval

    /// Peer 3's, with a link to everybody.
    private func begin(_ lines: [Reach.Line] = [.up, .up, .up]) -> (reach: Reach, arm: Reach.Action) {
        Reach.begin(
            zip([host, bob, cid], lines).map { ($0, $1) }, host: host, at: second(0))
    }

    @Test func `everybody with a link is here, and reached by it`() {
        let (reach, arm) = begin()
        #expect([host, bob, cid].map { reach.way(to: $0) } == [host, bob, cid])
        #expect(arm == .arm(second(0) + lost))
        #expect(reach.way(to: peer(9)) == nil)
    }

    @Test func `a silent peer is asked for through all the others, and answers by one`() {
        var (reach, _) = begin()
        #expect(
            reach.handle(.line(bob, .silent), at: second(10)) == [
                .hail(bob, by: host, isAnswer: false), .hail(bob, by: cid, isAnswer: false),
                .arm(second(10) + hail),
            ])
        #expect(reach.way(to: bob) == bob)
        #expect(
            reach.handle(.hailed(bob, by: cid, isAnswer: true), at: second(10)) == [
                .here(bob, true), .arm(second(10) + hail),
            ])
        #expect(reach.way(to: bob) == cid)
        // The host is the better way as soon as it is one.
        #expect(
            reach.handle(.hailed(bob, by: host, isAnswer: true), at: second(10)) == [
                .here(bob, true), .arm(second(10) + hail),
            ])
        #expect(reach.way(to: bob) == host)
    }

    @Test func `a peer whose link is lost is here as long as others pass on what it says`() {
        var (reach, _) = begin()
        _ = reach.handle(.line(bob, .silent), at: second(10))
        _ = reach.handle(.hailed(bob, by: cid, isAnswer: true), at: second(11))
        let actions = reach.handle(.line(bob, .none), at: second(15))
        #expect(!actions.contains(.here(bob, false)))
        _ = reach.handle(.hailed(bob, by: cid, isAnswer: true), at: second(15))
        #expect(!reach.handle(.deadlinePassed, at: second(19)).contains(.here(bob, false)))
        #expect(reach.handle(.deadlinePassed, at: second(20)).first == .here(bob, false))
        #expect(
            reach.handle(.hailed(bob, by: cid, isAnswer: false), at: second(21)) == [
                .hail(bob, by: cid, isAnswer: true), .here(bob, true),
                .hail(bob, by: host, isAnswer: false), .hail(bob, by: cid, isAnswer: false),
                .arm(second(22)),
            ])
    }

    @Test func `a peer that nobody hears is away at once when its link is`() {
        var (reach, _) = begin()
        #expect(
            reach.handle(.line(host, .none), at: second(10)) == [
                .here(host, false), .hail(host, by: bob, isAnswer: false),
                .hail(host, by: cid, isAnswer: false), .arm(second(10) + hail),
            ])
        #expect(reach.way(to: host) == bob)
        let back = reach.handle(.line(host, .up), at: second(12))
        #expect(back == [.here(host, true), .arm(nil)])
        #expect(reach.way(to: host) == host)
    }

    @Test func `without a link at first a peer has the time of a lost one to answer`() {
        var (reach, arm) = begin([.up, .none, .up])
        #expect(arm == .arm(second(0) + hail))
        #expect(reach.way(to: bob) == host)
        #expect(
            reach.handle(.deadlinePassed, at: second(1)) == [
                .hail(bob, by: host, isAnswer: false), .hail(bob, by: cid, isAnswer: false),
                .arm(second(2)),
            ])
        #expect(reach.handle(.deadlinePassed, at: second(5)).first == .here(bob, false))
    }

    @Test func `what may be lost is told anew, to whom is here`() {
        var (reach, _) = begin()
        #expect(reach.handle(.renewed(bob), at: second(6)) == [.here(bob, true), .arm(nil)])
        _ = reach.handle(.line(cid, .none), at: second(7))
        #expect(!reach.handle(.renewed(cid), at: second(7)).contains(.here(cid, true)))
    }

    @Test func `a member is no way to itself, nor is one without a link`() {
        var (reach, _) = begin([.none, .none, .up])
        _ = reach.handle(.deadlinePassed, at: second(6))
        #expect(reach.handle(.hailed(bob, by: bob, isAnswer: false), at: second(6)) == [.arm(second(7))])
        #expect(reach.handle(.hailed(bob, by: peer(9), isAnswer: false), at: second(6)) == [.arm(second(7))])
        #expect(reach.handle(.hailed(peer(9), by: cid, isAnswer: false), at: second(6)) == [.arm(second(7))])
        _ = reach.handle(.line(cid, .none), at: second(6))
        #expect([host, bob, cid].map { reach.way(to: $0) } == [nil, nil, nil])
    }

    @Test func `another host is the first choice from now on`() {
        var (reach, _) = begin([.up, .up, .none])
        #expect(reach.way(to: cid) == host)
        #expect(reach.handle(.host(bob), at: second(0)).first == .here(cid, true))
        #expect(reach.way(to: cid) == bob)
    }
}
