import ParlorGames
import Testing

@testable import ParlorProtocol

/// Exact actions of a host's room for those who look on.
struct RoomHostWatchingTests {
    /// The answer to a peer that wants to watch: `nil` where it may.
    @discardableResult
    private func watch(_ room: inout HostTable, _ number: Int, _ name: String = "Eve") -> RoomRefusal.Reason?
    {
        for case .send(let message, peer(number)) in room.feed(
            .entering(peer(number), .watch, name: name, .id(roomID)))
        {
            if case .denied(.id(roomID), let refusal) = message { return refusal.reason }
        }
        return nil
    }

    private func names(_ room: HostTable) -> [String] { room.state.watchers.map(\.name) }

    @Test func `who comes to watch is let in without a seat, and the others see it`() throws {
        var room = try HostTable(joined: ["Bob"])
        let actions = room.feed(.entering(peer(2), .watch, name: "Bob", .only, endpoints: []))
        let state = room.state
        #expect(
            actions == [
                .send(.state(state, left: []), to: peer(1)), .notice(.updated), .advertise,
                .send(.entered(room: roomID, seat: nil), to: peer(2)),
                .send(.state(state, left: []), to: peer(2)), .arm(nil),
            ])
        #expect(state.watchers == [.init(peer: peer(2), name: "Bob 2")])
        #expect(room.names == ["Ann", "Bob", nil, nil])
        #expect(
            room.feed(.entering(peer(2), .watch, name: "Other", .only)) == [
                .send(.entered(room: roomID, seat: nil), to: peer(2)),
                .send(.state(state, left: []), to: peer(2)), .arm(nil),
            ])
        #expect(room.state == state)
    }

    @Test func `watchers come in every phase, players only between matches`() throws {
        var room = try HostTable(seats: 2, joined: ["Bob"])
        #expect(watch(&room, 2) == nil)
        room.ask(1, .ready(true))
        room.ask(0, .start)
        #expect(watch(&room, 3) == nil)
        room.feed(.matchBegan(matchID))
        room.feed(.matchPlaying)
        #expect(watch(&room, 4) == nil)
        #expect(room.enter(2, "Eve") == .roomFull)
        room.feed(.matchEnded([.won, .lost]))
        #expect(watch(&room, 5) == nil)
        #expect(names(room) == ["Eve", "Eve 2", "Eve 3", "Eve 4"])
    }

    @Test func `a full house, a lock, a ban, a name and the host's word keep watchers out`() throws {
        var room = try HostTable(joined: ["Bob"])
        #expect(watch(&room, 2, "\u{200B}") == .nameInvalid)
        for number in 3...10 { #expect(watch(&room, number) == nil) }
        #expect(watch(&room, 11) == .roomFull)
        #expect(room.state.watchers.count == Limits.watchersMax)
        #expect(room.ask(0, .kickWatcher(peer(3), ban: true)) == nil)
        #expect(watch(&room, 3) == .banned)
        room.ask(0, .lock(true))
        #expect(watch(&room, 11) == .roomLocked)
        #expect(watch(&room, 4) == nil)
        room.ask(0, .lock(false))
        #expect(watch(&room, 11) == nil)
        room.ask(0, .watchers(false))
        #expect(watch(&room, 11) == .notAllowed)
        #expect(watch(&room, 3) == .banned)
    }

    @Test func `the host's word holds at once, for those who watch and for the next match's option`() throws {
        var room = try HostTable(joined: ["Bob"])
        watch(&room, 2)
        watch(&room, 3)
        let (answer, actions) = room.askAll(0, .watchers(false))
        #expect(answer == nil)
        #expect(
            actions.prefix(3) == [
                .send(.closed(room: roomID, reason: "kicked"), to: peer(2)),
                .send(.closed(room: roomID, reason: "kicked"), to: peer(3)),
                .send(.state(room.state, left: []), to: peer(1)),
            ])
        #expect(room.state.watchers.isEmpty && !room.state.watchable && !room.state.options.bool("watchers"))
        #expect(room.ask(1, .watchers(true)) == .notHost)
        room.play()
        #expect(room.ask(0, .watchers(true)) == nil)
        #expect(room.state.watchable && !room.state.options.bool("watchers"))
        #expect(watch(&room, 2) == nil)
        room.feed(.matchEnded([.won, .lost, .lost, .lost]))
        #expect(room.state.options.bool("watchers"))
        room.feed(.setOptions(RequestID(rawValue: 99), [Value.Member("watchers", .bool(false))]))
        #expect(room.state.watchers.isEmpty && !room.state.watchable)
        #expect(try !HostTable().state.watchers.contains { $0.peer == peer(0) })
    }

    @Test func `a watcher may leave and nothing else`() throws {
        var room = try HostTable(joined: ["Bob"])
        watch(&room, 2)
        let requests: [RoomRequest] = [
            .ready(true), .start, .rematch, .lock(true), .kick(seat: 1, ban: true), .say("hi"),
            .watchers(false),
            .kickWatcher(peer(2), ban: false),
        ]
        let before = room.state
        for request in requests { #expect(room.ask(2, request) == .notAllowed, "\(request)") }
        #expect(room.state == before)
        #expect(room.ask(2, .leave) == nil)
        #expect(room.state.watchers.isEmpty)
        #expect(room.ask(2, .leave) == .notInRoom)
    }

    @Test func `the host removes a watcher, a guest does not`() throws {
        var room = try HostTable(joined: ["Bob"])
        watch(&room, 2)
        #expect(room.ask(1, .kickWatcher(peer(2), ban: false)) == .notHost)
        #expect(room.ask(0, .kickWatcher(peer(1), ban: false)) == .badParams)
        let (answer, actions) = room.askAll(0, .kickWatcher(peer(2), ban: false))
        #expect(answer == nil)
        #expect(actions.first == .send(.closed(room: roomID, reason: "kicked"), to: peer(2)))
        #expect(room.state.watchers.isEmpty && room.state.banned.isEmpty)
        #expect(watch(&room, 2) == nil)
    }

    @Test func `watchers hear what is said and that the room closes`() throws {
        var room = try HostTable(joined: ["Bob"])
        watch(&room, 2)
        let said = RoomMessage.say(room: roomID, from: peer(1), text: "hello")
        #expect(room.askAll(1, .say("hello")).actions.contains(.send(said, to: peer(2))))
        let closed = room.feed(.close(reason: "shutting-down"))
        #expect(closed.contains(.send(.closed(room: roomID, reason: "shutting-down"), to: peer(2))))
    }

    @Test func `a seat instead of watching keeps the name, and a seat is never given up for it`() throws {
        var room = try HostTable(code: "K7PX")
        room.host.state.watchers = [.init(peer: peer(2), name: "Eve")]
        #expect(room.enter(1, "Bob") == .codeNeeded)
        #expect(room.enter(2, "Eve") == nil)
        #expect(room.names[1] == "Eve" && room.state.watchers.isEmpty)
        let actions = room.feed(.entering(peer(2), .watch, name: "Eve", .only))
        #expect(actions.first == .send(.entered(room: roomID, seat: 1), to: peer(2)))
        #expect(room.state.watchers.isEmpty)
    }

    @Test func `a lost watcher keeps its place until its link has ended`() throws {
        var room = try HostTable()
        watch(&room, 2)
        #expect(room.feed(.linkLost(peer(2))) == [.arm(nil)])
        #expect(names(room) == ["Eve"])
        room.feed(.gone(peer(2), reason: "lost"))
        #expect(names(room) == [])
    }

    @Test func `a state with a peer in two places or too many watchers is none`() throws {
        var state = try roomState()
        state.watchers = [.init(peer: peer(1), name: "Eve")]
        #expect(RoomState(cbor: state.cbor) == state)
        state.watchers = [.init(peer: peer(0), name: "Ann")]
        #expect(RoomState(cbor: state.cbor) == nil)
        state.watchers = (1...9).map { .init(peer: peer($0), name: "Eve") }
        #expect(RoomState(cbor: state.cbor) == nil)
    }
}
