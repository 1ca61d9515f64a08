import ParlorGames
import Testing

@testable import ParlorProtocol
@testable import ParlorSim

/// Exact actions when a room changes hands.
struct RoomSuccessionTests {
    /// A match for four, hosted by peer 0.
    private func playing() throws -> HostTable {
        var room = try HostTable(joined: ["Bob", "Cid", "Dan"])
        room.play()
        return room
    }

    private func guest(_ number: Int, _ state: RoomState) -> RoomGuest {
        RoomGuest(state, me: peer(number), name: "Bob")
    }

    /// Peer 1 hosts the room of ``playing()``.
    private func succeeded(
        epoch: Int = 1, present: Set<Int> = [2, 3], hasLeft: Bool = false
    ) throws -> (host: RoomHost, actions: [RoomHost.Action]) {
        try #require(
            RoomHost.succeeding(
                try playing().state, me: peer(1), epoch: epoch, present: Set(present.map(peer)),
                hostHasLeft: hasLeft, at: second(0)))
    }

    private let one = RequestID(rawValue: 1)

    // MARK: The next host

    @Test func `who takes over raises the epoch and tells those it can reach`() throws {
        let before = try playing().state
        let (host, actions) = try succeeded()
        var state = before
        state.hostSeat = 1
        state.epoch = 1
        state.seats[0]?.away = true
        state.seats[0]?.ready = false
        state.seats[1]?.ready = true
        #expect(host.state == state)
        #expect(
            actions == [
                .send(.state(state, left: []), to: peer(2)), .send(.state(state, left: []), to: peer(3)),
                .notice(.updated), .advertise, .arm(nil),
            ])
        #expect(state.host?.name == "Bob")
    }

    @Test func `the epoch is that of the match, or one more than the room's`() throws {
        #expect(try succeeded(epoch: 5).host.state.epoch == 5)
        #expect(try succeeded(epoch: 0).host.state.epoch == 1)
    }

    @Test func `a host that left has no seat any more, and a member without a link is away`() throws {
        let (host, actions) = try succeeded(present: [3], hasLeft: true)
        #expect(host.state.seats[0] == nil)
        #expect(host.state.seats.map { $0?.away } == [nil, false, true, false])
        let departure = RoomDeparture(seat: 0, peer: peer(0), reason: "left")
        #expect(actions.first == .send(.state(host.state, left: [departure]), to: peer(3)))
        #expect(!actions.contains { if case .send(_, peer(2)) = $0 { true } else { false } })
    }

    @Test func `whom the old host had lost is here if the new one has a link with it`() throws {
        var room = try playing()
        room.feed(.linkLost(peer(2)))
        let succession = RoomHost.succeeding(
            room.state, me: peer(1), epoch: 1, present: [peer(2), peer(3)], hostHasLeft: false, at: second(0))
        let (host, actions) = try #require(succession)
        #expect(host.state.seats.map { $0?.away } == [true, false, false, false])
        #expect(actions.first == .send(.state(host.state, left: []), to: peer(2)))
    }

    @Test func `watchers keep their places until they had time to come to the next host`() throws {
        var room = try playing()
        for number in 5...7 { room.feed(.entering(peer(number), .watch, name: "Eve", .only)) }
        room.ask(0, .lock(true))
        let succession = RoomHost.succeeding(
            room.state, me: peer(1), epoch: 1, present: [peer(2)], hostHasLeft: false, at: second(0))
        var (host, actions) = try #require(succession)
        let until = second(0) + Limits.watchSearchWait
        #expect(actions.last == .arm(until))
        #expect(host.state.watchers.map(\.peer) == [peer(5), peer(6), peer(7)])
        let entered = host.handle(.entering(peer(6), .watch, name: "Eve", .id(roomID)), at: second(3))
        #expect(
            entered == [
                .send(.entered(room: roomID, seat: nil), to: peer(6)),
                .send(.state(host.state, left: []), to: peer(6)), .arm(until),
            ])
        // By this link it only asked who hosts the room; a watcher that is here is gone with its link.
        _ = host.handle(.gone(peer(5), reason: "lost"), at: second(4))
        #expect(host.state.watchers.map(\.peer) == [peer(5), peer(6), peer(7)])
        _ = host.handle(.entering(peer(5), .watch, name: "Eve", .id(roomID)), at: second(5))
        _ = host.handle(.gone(peer(5), reason: "lost"), at: second(6))
        #expect(host.state.watchers.map(\.peer) == [peer(6), peer(7)])
        let late = host.handle(.deadlinePassed, at: until)
        #expect(host.state.watchers.map(\.peer) == [peer(6)])
        #expect(late.last == .arm(nil))
        #expect(late.contains(.send(.state(host.state, left: []), to: peer(6))))
    }

    @Test func `a host that takes its room up again awaits its watchers`() throws {
        var room = try playing()
        room.feed(.entering(peer(5), .watch, name: "Eve", .only))
        let until = second(9) + Limits.watchSearchWait
        var host = RoomHost(room.state, me: peer(0))
        #expect(host.handle(.awaitWatchers, at: second(9)) == [.arm(until)])
        _ = host.handle(.deadlinePassed, at: until)
        #expect(host.state.watchers.isEmpty)
    }

    @Test func `nobody takes over a lobby, its own room, or one in which it does not sit`() throws {
        let lobby = try HostTable(joined: ["Bob"])
        let playing = try playing().state
        for (state, number) in [(lobby.state, 1), (playing, 0), (playing, 5)] {
            let succession = RoomHost.succeeding(
                state, me: peer(number), epoch: 1, present: [], hostHasLeft: false, at: second(0))
            #expect(succession == nil)
        }
    }

    @Test func `a host in another seat decides as any host does`() throws {
        var (host, _) = try succeeded()
        let now = second(1)
        func answer(_ number: Int, _ request: RoomRequest) -> RoomRefusal.Reason? {
            for action in host.handle(.request(peer(number), number: 1, request), at: now) {
                if case .send(.reply(_, _, let refusal), _) = action { return refusal?.reason }
            }
            return nil
        }
        for request: RoomRequest in [.kick(seat: 2, ban: false), .lock(true), .start] {
            #expect(answer(2, request) == .notHost)
            #expect(answer(0, request) == .notHost)
        }
        #expect(host.handle(.local(one, .lock(true)), at: now).contains(.reply(one, nil)))
        let refusal = host.handle(.local(one, .kick(seat: 1, ban: false)), at: now).first
        guard case .reply(_, let text?) = refusal else { return #expect(Bool(false)) }
        #expect(text.reason == .notAllowed)
        #expect(
            host.handle(.local(one, .kick(seat: 3, ban: true)), at: now).contains(.kickFromMatch(seat: 3)))
        #expect(host.state.banned == [peer(3)])
    }

    @Test func `after the match the old host's seat is freed, and the next match has the new host first`()
        throws
    {
        var (host, _) = try succeeded()
        _ = host.handle(.matchEnded([.lost, .lost, .won, .lost]), at: second(10))
        #expect(host.state.seats.map { $0?.wins } == [0, 0, 1, 0])
        #expect(host.state.seats.map { $0?.ready } == [false, true, false, false])
        let actions = host.handle(.deadlinePassed, at: second(40))
        #expect(actions.contains(.notice(.seatLeft(RoomDeparture(seat: 0, peer: peer(0), reason: "lost")))))
        #expect(host.state.seats[0] == nil)
        #expect(host.state.host?.peer == peer(1))
        for number in [2, 3] {
            _ = host.handle(.request(peer(number), number: 2, .ready(true)), at: second(41))
        }
        #expect(host.handle(.local(one, .start), at: second(41)).contains(.beginMatch))
        #expect(host.state.seats.map { $0?.peer } == [peer(1), peer(2), peer(3), nil])
        #expect(host.state.hostSeat == 0)
    }

    @Test func `a host that sits behind others is moved to the front, the others keep their order`() throws {
        var (host, _) = try succeeded()
        _ = host.handle(.entering(peer(0), .join, name: "Ann", .id(roomID)), at: second(1))
        _ = host.handle(.matchEnded([.won, .lost, .lost, .lost]), at: second(10))
        for number in [0, 2, 3] {
            _ = host.handle(.request(peer(number), number: 2, .ready(true)), at: second(11))
        }
        #expect(host.handle(.local(one, .start), at: second(11)).contains(.beginMatch))
        #expect(host.state.seats.map { $0?.peer } == [peer(1), peer(0), peer(2), peer(3)])
    }

    @Test func `a member that has a link again is told who hosts, by a room that has changed hands only`()
        throws
    {
        var (host, _) = try succeeded()
        #expect(
            host.handle(.linkUp(peer(0)), at: second(1)) == [
                .send(.state(host.state, left: []), to: peer(0)), .arm(nil),
            ])
        #expect(host.handle(.linkUp(peer(7)), at: second(1)) == [.arm(nil)])
        var first = try playing()
        #expect(first.feed(.linkUp(peer(1))) == [.arm(nil)])
    }

    @Test func `a sequencer that is one again has at least its match's epoch`() throws {
        var room = try playing()
        room.feed(.linkLost(peer(2)))
        let actions = room.feed(.reign(epoch: 4))
        #expect(room.state.epoch == 4)
        let told = actions.compactMap { if case .send(.state, let to) = $0 { to } else { nil } }
        #expect(told == [peer(1), peer(3), peer(2)])  // whoever is away may have a link, as another's guest
        #expect(actions.contains(.advertise))
        #expect(room.feed(.reign(epoch: 2)) == [.arm(nil)])
    }

    // MARK: A host that is none any more

    @Test func `a host yields to a member with a higher epoch, and does nothing from then on`() throws {
        var room = try playing()
        let new = try succeeded().host.state
        #expect(room.feed(.offered(new, left: [], from: peer(1))) == [.arm(nil), .yielded(new)])
        #expect(room.feed(.local(one, .say("hi"))).isEmpty)
        #expect(room.feed(.deadlinePassed).isEmpty)
    }

    @Test func `a host yields to nobody else`() throws {
        let new = try succeeded().host.state
        var same = new
        same.epoch = 0
        var unseated = new
        unseated.seats[0] = nil
        var other = new
        other.hostSeat = 2
        for (state, number) in [(new, 2), (new, 7), (same, 1), (unseated, 1), (other, 1)] {
            var room = try playing()
            #expect(room.feed(.offered(state, left: [], from: peer(number))) == [.arm(nil)])
        }
        var lobby = try HostTable(joined: ["Bob"])
        #expect(lobby.feed(.offered(new, left: [], from: peer(1))) == [.arm(nil)])
    }

    @Test func `of two hosts with one epoch the lower peer stays`() throws {
        var (host, _) = try succeeded()
        var theirs = host.state
        theirs.hostSeat = 0
        #expect(
            host.handle(.offered(theirs, left: [], from: peer(0)), at: second(1)) == [
                .arm(nil), .yielded(theirs),
            ])
        (host, _) = try succeeded()
        theirs.hostSeat = 2
        #expect(host.handle(.offered(theirs, left: [], from: peer(2)), at: second(1)) == [.arm(nil)])
    }

    @Test func `after a match a host yields only when it has been alone`() throws {
        let new = try succeeded().host.state
        var room = try playing()
        room.feed(.matchEnded([.won]))
        #expect(room.feed(.offered(new, left: [], from: peer(1))) == [.arm(nil)])
        for number in 1...3 { room.feed(.linkLost(peer(number))) }
        room.now = second(60)
        room.feed(.deadlinePassed)
        #expect(room.state.taken == 1)
        #expect(room.feed(.offered(new, left: [], from: peer(1))) == [.arm(nil), .yielded(new)])
    }

    // MARK: Guests

    @Test func `a guest follows a member with a higher epoch, enters there and asks again`() throws {
        let new = try succeeded().host.state
        var guest = guest(2, try playing().state)
        _ = guest.handle(.local(one, .say("hi")), at: second(0))
        _ = guest.handle(.linkLost, at: second(1))
        #expect(guest.pending.map(\.id) == [one])
        #expect(
            guest.handle(.offered(new, left: [], from: peer(1)), at: second(2)) == [
                .hostChanged(peer(1)), .notice(.updated),
                .send(.enter(.id(roomID), purpose: .join, name: "Bob")),
                .send(.request(room: roomID, number: 1, .say("hi"))), .arm(second(5)),
            ])
        #expect(!guest.isHostLost)
        #expect(guest.state == new)
        // What the old one says is nothing any more.
        let old = try playing().state
        #expect(guest.handle(.received(.state(old, left: [])), at: second(2)) == [.arm(second(5))])
        #expect(guest.handle(.offered(old, left: [], from: peer(0)), at: second(2)) == [.arm(second(5))])
        #expect(guest.state == new)
    }

    @Test func `a guest follows nobody else`() throws {
        let new = try succeeded().host.state
        var (same, unseated, other) = (new, new, new)
        same.epoch = 0
        unseated.seats[2] = nil
        other.hostSeat = 3
        for (state, number) in [(new, 3), (new, 7), (same, 1), (unseated, 1), (other, 1)] {
            var guest = guest(2, try playing().state)
            #expect(guest.handle(.offered(state, left: [], from: peer(number)), at: second(1)) == [.arm(nil)])
        }
        var lobby = guest(1, try HostTable(joined: ["Bob", "Cid", "Dan"]).state)
        #expect(lobby.handle(.offered(new, left: [], from: peer(1)), at: second(1)) == [.arm(nil)])
    }

    @Test func `of two hosts with one epoch a guest follows the lower peer`() throws {
        var theirs = try succeeded().host.state
        theirs.hostSeat = 2
        var guest = guest(3, theirs)
        let lower = try succeeded().host.state
        #expect(
            guest.handle(.offered(lower, left: [], from: peer(1)), at: second(1)).first
                == .hostChanged(peer(1)))
        #expect(guest.handle(.offered(theirs, left: [], from: peer(2)), at: second(1)) == [.arm(nil)])
    }

    @Test(arguments: ["shutting-down", "host-closed"])
    func `a host that goes in a match leaves the room to its guests, until the match is over`(reason: String)
        throws
    {
        for input in [
            RoomGuest.Input.hostGone(reason: reason), .received(.closed(room: roomID, reason: reason)),
        ] {
            var guest = guest(2, try playing().state)
            #expect(guest.handle(input, at: second(0)) == [.arm(nil)])
            #expect(guest.isHostLost)
            #expect(guest.handle(.matchOver, at: second(9)) == [.arm(nil), .closed(reason: reason)])
        }
    }

    @Test func `a host that is lost when the match is over is waited for as in a lobby`() throws {
        var guest = guest(2, try playing().state)
        #expect(guest.handle(.linkLost, at: second(0)) == [.arm(nil)])
        #expect(guest.handle(.matchOver, at: second(9)) == [.arm(second(9) + Limits.hostLostWait)])
        #expect(
            guest.handle(.deadlinePassed, at: second(12)) == [.arm(nil), .closed(reason: "host-lost")])
        var other = self.guest(2, try playing().state)
        #expect(other.handle(.matchOver, at: second(0)) == [.arm(nil)])
        #expect(other.handle(.linkLost, at: second(1)) == [.arm(second(1) + Limits.hostLostWait)])
    }

    @Test func `a host that has forgotten the room in a match is as one that has gone`() throws {
        let denied = RoomMessage.denied(.id(roomID), RoomRefusal(.noSuchRoom, ""))
        var guest = guest(2, try playing().state)
        #expect(guest.handle(.received(denied), at: second(0)) == [.arm(nil)])
        #expect(guest.isHostLost)
        #expect(guest.handle(.received(.closed(room: roomID, reason: "kicked")), at: second(0)).count == 2)
    }

    // MARK: On disk

    @Test func `what is kept of a room is read back, and nothing else is read`() throws {
        let kept = KeptRoom(try succeeded().host.state, name: "Bob")
        #expect(KeptRoom(decoding: kept.encoded) == kept)
        let other: CBOR = [.int(2), kept.state.cbor, .text("Bob")]
        for bytes in [[], other.encoded(), kept.encoded + [0], Array(kept.encoded.dropLast())] {
            #expect(KeptRoom(decoding: bytes) == nil)
        }
    }
}
