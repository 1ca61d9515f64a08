import Testing

@testable import ParlorProtocol

/// Exact actions of a watcher's room.
struct RoomWatcherTests {
    private let request = RequestID(rawValue: 1)

    /// Ann hosts, Bob and Cid play; peer 5 watches.
    private func state() throws -> RoomState {
        var table = try HostTable(joined: ["Bob", "Cid"])
        table.feed(.entering(peer(5), .watch, name: "Eve", .only))
        return table.state
    }

    private func watcher() throws -> RoomWatcher {
        RoomWatcher(try state(), host: peer(0), me: peer(5), name: "Eve")
    }

    private func enter(_ number: Int) -> RoomWatcher.Action {
        .send(.enter(.id(roomID), purpose: .watch, name: "Eve"), to: peer(number))
    }

    private func denied(_ reason: RoomRefusal.Reason) -> RoomMessage {
        .denied(.id(roomID), RoomRefusal(reason, "no"))
    }

    @Test func `it takes the host's word and nobody else's`() throws {
        var room = try watcher()
        var new = room.state
        new.locked = true
        #expect(room.handle(.received(.state(new, left: []), from: peer(1)), at: second(0)) == [.arm(nil)])
        #expect(!room.state.locked)
        #expect(
            room.handle(.received(.state(new, left: []), from: peer(0)), at: second(0))
                == [.notice(.updated), .arm(nil)])
        #expect(room.state.locked)
        new.watchers = []
        new.locked = false
        #expect(room.handle(.received(.state(new, left: []), from: peer(0)), at: second(0)) == [.arm(nil)])
        #expect(room.state.locked, "a state in which it does not watch is for somebody else")
        let said = RoomMessage.say(room: roomID, from: peer(1), text: "hello")
        #expect(
            room.handle(.received(said, from: peer(0)), at: second(0))
                == [.notice(.say(from: peer(1), name: "Bob", text: "hello")), .arm(nil)])
        #expect(
            room.handle(.received(.closed(room: roomID, reason: "kicked"), from: peer(0)), at: second(0))
                == [.arm(nil), .closed(reason: "kicked")])
    }

    @Test func `its player may leave and nothing else`() throws {
        var room = try watcher()
        for wish in [RoomRequest.ready(true), .start, .rematch, .say("x"), .kick(seat: 1, ban: false)] {
            let actions = room.handle(.local(request, wish), at: second(0))
            #expect(actions == [.reply(request, .watching("Attic")), .arm(nil)])
        }
        #expect(
            room.handle(.local(request, .leave), at: second(0)) == [
                .send(.request(room: roomID, number: 1, .leave), to: peer(0)), .reply(request, nil),
                .arm(nil),
                .closed(reason: "left"),
            ])
        #expect(!room.needs(peer(0)))
    }

    @Test func `on a new link to the host it enters again`() throws {
        var room = try watcher()
        #expect(room.handle(.linked(peer(0)), at: second(0)) == [enter(0), .arm(nil)])
        #expect(room.handle(.linked(peer(1)), at: second(0)) == [.arm(nil)])
    }

    @Test func `a host that is gone is looked for among the members until one lets it in`() throws {
        var room = try watcher()
        let wait = Limits.watchAnswerWait
        #expect(
            room.handle(.unlinked(peer(0)), at: second(0)) == [.dial(peer(1), []), .arm(second(0) + wait)])
        #expect(room.isSearching && room.needs(peer(1)) && room.needs(peer(0)) && !room.needs(peer(2)))
        #expect(room.handle(.linked(peer(1)), at: second(1)) == [enter(1), .arm(second(0) + wait)])
        #expect(
            room.handle(.received(denied(.noSuchRoom), from: peer(1)), at: second(1)) == [
                .release(peer(1)), .dial(peer(2), []), .arm(second(1) + wait),
            ])
        #expect(
            room.handle(.dialFailed(peer(2)), at: second(2)) == [.dial(peer(0), []), .arm(second(2) + wait)])
        #expect(
            room.handle(.dialFailed(peer(0)), at: second(2)) == [.arm(second(2) + Limits.watchSearchPause)])
        #expect(
            room.handle(.deadlinePassed, at: second(3)) == [.dial(peer(1), []), .arm(second(3) + wait)])
        _ = room.handle(.linked(peer(1)), at: second(3))
        #expect(
            room.handle(.received(.entered(room: roomID, seat: nil), from: peer(1)), at: second(3))
                == [.release(peer(0)), .hostChanged, .arm(nil)])
        #expect(room.host == peer(1) && !room.isSearching && !room.needs(peer(0)))
        var new = room.state
        new.epoch = 1
        new.locked = true
        _ = room.handle(.received(.state(new, left: []), from: peer(1)), at: second(3))
        #expect(room.state == new)
        new.epoch = 0
        _ = room.handle(.received(.state(new, left: []), from: peer(1)), at: second(3))
        #expect(room.state.epoch == 1, "what was before does not come back")
    }

    @Test func `the search ends after its time, and one member that is silent does not hold it up`() throws {
        var room = try watcher()
        _ = room.handle(.unlinked(peer(0)), at: second(0))
        _ = room.handle(.linked(peer(1)), at: second(0))
        let late = second(0) + Limits.watchAnswerWait
        let end = second(0) + Limits.watchSearchWait
        #expect(
            room.handle(.deadlinePassed, at: late) == [
                .release(peer(1)), .dial(peer(2), []), .arm(min(end, late + Limits.watchAnswerWait)),
            ])
        #expect(room.handle(.deadlinePassed, at: end) == [.arm(nil), .closed(reason: "host-lost")])
    }

    @Test func `whoever is named as the host is asked first`() throws {
        var room = try watcher()
        _ = room.handle(.unlinked(peer(0)), at: second(0))
        #expect(room.handle(elsewhere(7, by: 2), at: second(0)) == [.arm(second(0) + Limits.watchAnswerWait)])
        #expect(
            room.handle(elsewhere(7, by: 1), at: second(0)).prefix(2)
                == [.release(peer(1)), .dial(peer(7), [])])
        #expect(
            room.handle(elsewhere(1, by: 7), at: second(0)).prefix(2)
                == [.release(peer(7)), .dial(peer(2), [])], "who was asked in this round is not asked again")
    }

    @Test func `a host that says who hosts the room now is left for that one`() throws {
        var room = try watcher()
        #expect(room.handle(elsewhere(0, by: 0), at: second(0)) == [.arm(nil)])
        #expect(
            room.handle(elsewhere(2, by: 0), at: second(0)) == [
                .dial(peer(2), []), .arm(second(0) + Limits.watchAnswerWait),
            ])
        #expect(room.isSearching && room.host == peer(0))
    }

    private func elsewhere(_ host: Int, by sender: Int) -> RoomWatcher.Input {
        .received(.elsewhere(room: roomID, host: peer(host), endpoints: []), from: peer(sender))
    }

    @Test func `the old host that answers again is asked at once`() throws {
        var room = try watcher()
        _ = room.handle(.unlinked(peer(0)), at: second(0))
        #expect(
            room.handle(.linked(peer(0)), at: second(1)) == [
                .release(peer(1)), enter(0), .arm(second(1) + Limits.watchAnswerWait),
            ])
        #expect(
            room.handle(.received(.entered(room: roomID, seat: nil), from: peer(0)), at: second(1))
                == [.hostChanged, .arm(nil)])
    }

    @Test(arguments: [(RoomRefusal.Reason.banned, "kicked"), (.roomLocked, "host-closed")])
    func `a host that lets it in no more ends it`(reason: RoomRefusal.Reason, closed: String) throws {
        var room = try watcher()
        #expect(room.handle(.received(denied(reason), from: peer(0)), at: second(0)) == [.arm(nil)])
        _ = room.handle(.unlinked(peer(0)), at: second(0))
        #expect(
            room.handle(.received(denied(reason), from: peer(1)), at: second(0))
                == [.arm(nil), .closed(reason: closed)])
    }

    @Test func `a host that came back without the room is no host`() throws {
        var room = try watcher()
        let actions = room.handle(.received(denied(.noSuchRoom), from: peer(0)), at: second(0))
        #expect(actions.first == .dial(peer(1), []))
    }
}
