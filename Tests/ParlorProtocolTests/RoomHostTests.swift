import ParlorGames
import Testing

@testable import ParlorProtocol

/// Exact actions of a host's room for exact inputs.
struct RoomHostTests {
    private let refusedName = String(repeating: "x", count: 33)

    // MARK: Coming in

    @Test func `who comes in learns its seat, the others see it`() throws {
        var room = try HostTable(joined: ["Bob"])
        let actions = room.feed(.entering(peer(2), .join, name: "Cid", .only))
        let state = room.state
        #expect(
            actions == [
                .send(.state(state, left: []), to: peer(1)), .notice(.seatTaken(seat: 2)), .notice(.updated),
                .advertise, .send(.entered(room: roomID, seat: 2), to: peer(2)),
                .send(.state(state, left: []), to: peer(2)), .arm(nil),
            ])
        #expect(state.seats[2] == .init(peer: peer(2), name: "Cid"))
    }

    @Test func `eight joiners for three seats: three sit, five are told that it is full`() throws {
        var room = try HostTable(seats: 4)
        let answers = (1...8).map { room.enter($0, "Guest") }
        #expect(answers == [nil, nil, nil] + Array(repeating: .roomFull, count: 5))
        #expect(room.names == ["Ann", "Guest", "Guest 2", "Guest 3"])
    }

    @Test func `the same identity takes back its own seat`() throws {
        var room = try HostTable(joined: ["Bob", "Cid"])
        let before = room.state
        #expect(
            room.feed(.entering(peer(1), .join, name: "Other", .only)) == [
                .send(.entered(room: roomID, seat: 1), to: peer(1)),
                .send(.state(before, left: []), to: peer(1)), .arm(nil),
            ])
        #expect(room.state == before)
    }

    @Test func `a name that is taken gets a number, within the limits of a name`() throws {
        let wide = String(repeating: "😀", count: 32)  // 128 bytes
        var room = try HostTable(joined: ["Ann", wide, wide])
        #expect(room.names[1] == "Ann 2")
        #expect(room.names[3] == String(repeating: "😀", count: 30) + " 2")
        room.ask(0, .kick(seat: 1, ban: false))
        let long = String(repeating: "y", count: 32)
        room.enter(4, long)
        room.ask(0, .kick(seat: 2, ban: false))
        room.enter(5, long)
        #expect(room.names[2] == String(repeating: "y", count: 30) + " 2")
        #expect(room.names.allSatisfy { $0.map { (try? PlayerName($0))?.text == $0 } ?? true })
    }

    @Test(arguments: [
        "", "  ", "\u{200B}\u{202E}", String(repeating: "x", count: 33), String(repeating: "é̂", count: 32),
    ])
    func `a name that is none is refused`(name: String) throws {
        var room = try HostTable()
        let long =
            name.count == 32 ? name + "\u{301}\u{302}\u{303}" + String(repeating: "\u{304}", count: 60) : name
        #expect(room.enter(1, long) == .nameInvalid)
        #expect(room.state.taken == 1)
    }

    @Test func `invisible characters are taken out of a name, joiners in an emoji stay`() throws {
        var room = try HostTable(joined: [" B\u{202E}o\u{7}b ", "👩\u{200D}🚀"])
        #expect(room.names[1] == "Bob")
        #expect(room.names[2] == "👩\u{200D}🚀")
        #expect(room.enter(3, "Bob\u{200B}") == nil)
        #expect(room.names[3] == "Bob 2")
    }

    @Test func `a locked room lets nobody new in, but a member back`() throws {
        var room = try HostTable(joined: ["Bob"])
        #expect(room.ask(0, .lock(true)) == nil)
        room.feed(.linkLost(peer(1)))
        #expect(room.enter(2, "Cid") == .roomLocked)
        #expect(room.enter(1, "Bob") == nil)
        #expect(room.ask(0, .lock(false)) == nil)
        #expect(room.enter(2, "Cid") == nil)
    }

    @Test func `while a match is on a newcomer is told why: full, or closed`() throws {
        var room = try HostTable(seats: 3, joined: ["Bob"])
        room.play()
        #expect(room.enter(3, "Dan") == .roomClosed)
        var full = try HostTable(seats: 2, joined: ["Bob"])
        full.play()
        #expect(full.enter(3, "Dan") == .roomFull)
        #expect(full.enter(1, "Bob") == nil)
    }

    // MARK: Beginning

    @Test func `start needs enough players, all ready and here, and the host`() throws {
        var room = try HostTable()
        #expect(room.ask(0, .start) == .notEnoughPlayers)
        room.enter(1, "Bob")
        #expect(room.ask(0, .start) == .notReady)
        #expect(room.ask(1, .start) == .notHost)
        #expect(room.ask(1, .ready(true)) == nil)
        room.feed(.linkLost(peer(1)))
        #expect(room.ask(0, .start) == .notReady)
        room.enter(1, "Bob")
        #expect(room.ask(0, .start) == .notReady)  // ready fell with the link
        room.ask(1, .ready(true))
        let (answer, actions) = room.askAll(0, .start)
        #expect(answer == nil)
        #expect(actions.first == .beginMatch)
        #expect(room.state.phase == .drawing)
        #expect(room.ask(0, .start) == .busy)
        #expect(room.ask(1, .ready(false)) == .busy)
    }

    @Test func `the host is always ready`() throws {
        var room = try HostTable()
        #expect(room.ask(0, .ready(false)) == nil)
        #expect(room.state.host?.ready == true)
    }

    @Test func `seats close up when a match begins`() throws {
        var room = try HostTable(joined: ["Bob", "Cid", "Dan"])
        room.ask(0, .kick(seat: 2, ban: false))
        #expect(room.names == ["Ann", "Bob", nil, "Dan"])
        room.play()
        #expect(room.names == ["Ann", "Bob", "Dan", nil])
        #expect(room.state.phase == .playing)
        #expect(room.state.match == matchID)
    }

    @Test func `matchPlaying outside of a draw changes nothing`() throws {
        var room = try HostTable(joined: ["Bob"])
        #expect(room.feed(.matchPlaying) == [.arm(nil)])
        #expect(room.feed(.matchEnded([.won, .lost])) == [.arm(nil)])
        #expect(room.state.phase == .lobby)
    }

    // MARK: Ending and again

    @Test func `after a match wins count, and ready and votes fall back`() throws {
        var room = try HostTable(joined: ["Bob", "Cid"])
        room.play()
        room.feed(.matchEnded([.second, .first, .quit]))
        #expect(room.state.phase == .finished)
        #expect(room.state.seats.map { $0?.wins } == [0, 1, 0, nil])
        #expect(room.state.seats.map { $0?.ready } == [true, false, false, nil])
        #expect(room.state.seats.compactMap { $0?.rematch } == [false, false, false])
    }

    @Test func `a cancelled match leads back to the lobby`() throws {
        var room = try HostTable(joined: ["Bob"])
        room.play()
        room.feed(.matchEnded([]))
        #expect(room.state.phase == .lobby)
        #expect(room.state.seats[0]?.wins == 0)
        #expect(room.enter(2, "Cid") == nil)
    }

    @Test func `one vote each makes one rematch`() throws {
        var room = try HostTable(joined: ["Bob", "Cid"])
        #expect(room.ask(0, .rematch) == .notAllowed)
        room.play()
        #expect(room.ask(1, .rematch) == .notAllowed)
        room.feed(.matchEnded([.first, .second, .third]))
        #expect(room.ask(0, .rematch) == nil)
        #expect(room.ask(0, .rematch) == nil)
        #expect(room.ask(1, .rematch) == nil)
        let (answer, actions) = room.askAll(2, .rematch)
        #expect(answer == nil)
        #expect(actions.count { $0 == .beginMatch } == 1)
        #expect(room.state.phase == .drawing)
        #expect(room.state.seats.allSatisfy { $0?.rematch != true })
        #expect(room.ask(2, .rematch) == .notAllowed)
    }

    @Test func `when the one that has not voted goes, the match of the others begins`() throws {
        var room = try HostTable(joined: ["Bob", "Cid"])
        room.play()
        room.feed(.matchEnded([.first, .second, .third]))
        room.ask(0, .rematch)
        room.ask(1, .rematch)
        let (_, actions) = room.askAll(2, .leave)
        #expect(actions.count { $0 == .beginMatch } == 1)
        #expect(room.names == ["Ann", "Bob", nil, nil])
    }

    @Test func `the vote of a seat that is away does not count, and nobody begins without it`() throws {
        var room = try HostTable(joined: ["Bob", "Cid"])
        room.play()
        room.feed(.matchEnded([.first, .second, .third]))
        room.ask(1, .rematch)
        room.feed(.linkLost(peer(1)))
        room.ask(0, .rematch)
        room.ask(2, .rematch)
        #expect(room.state.phase == .finished)
        room.enter(1, "Bob")
        #expect(room.state.phase == .finished)
        room.ask(1, .rematch)
        #expect(room.state.phase == .drawing)
    }

    @Test func `one alone plays a game that can be played alone again`() throws {
        var room = try HostTable("hangman", seats: 1)
        room.play()
        room.feed(.matchEnded([.won]))
        #expect(room.state.phase == .finished)
        #expect(room.askAll(0, .rematch).actions.contains(.beginMatch))
    }

    @Test func `a rematch needs enough players`() throws {
        var room = try HostTable(joined: ["Bob"])
        room.play()
        room.feed(.matchEnded([.won, .lost]))
        room.ask(1, .leave)
        #expect(room.ask(0, .rematch) == .notEnoughPlayers)
        room.enter(2, "Cid")
        #expect(room.ask(0, .rematch) == nil)
        #expect(room.ask(2, .rematch) == nil)
        #expect(room.state.phase == .drawing)
    }

    // MARK: Going

    @Test func `a guest that leaves frees its seat`() throws {
        var room = try HostTable(joined: ["Bob", "Cid"])
        let (answer, actions) = room.askAll(1, .leave)
        let departure = RoomDeparture(seat: 1, peer: peer(1), reason: "left")
        #expect(answer == nil)
        #expect(
            actions == [
                .send(.state(room.state, left: [departure]), to: peer(2)), .notice(.seatLeft(departure)),
                .notice(.updated), .advertise, .send(.reply(room: roomID, number: 1, nil), to: peer(1)),
                .arm(nil),
            ])
        #expect(room.ask(1, .ready(true)) == .notInRoom)
    }

    @Test func `the host that leaves closes the room for all, and is answered first`() throws {
        var room = try HostTable(joined: ["Bob", "Cid"])
        room.feed(.linkLost(peer(2)))
        #expect(
            room.feed(.local(RequestID(rawValue: 77), .leave)) == [
                .send(.closed(room: roomID, reason: "host-closed"), to: peer(1)),
                .reply(RequestID(rawValue: 77), nil), .closed(reason: "host-closed"), .arm(nil),
            ])
    }

    @Test func `after the close everything is refused, once`() throws {
        var room = try HostTable(joined: ["Bob"])
        #expect(
            room.feed(.close(reason: "shutting-down")) == [
                .send(.closed(room: roomID, reason: "shutting-down"), to: peer(1)),
                .closed(reason: "shutting-down"), .arm(nil),
            ])
        #expect(room.enter(2, "Cid") == .roomClosed)
        #expect(room.ask(0, .start) == .roomClosed)
        #expect(room.ask(1, .leave) == .roomClosed)
        let id = RequestID(rawValue: 5)
        let refusal = RoomRefusal(.roomClosed, "Attic is closed")
        #expect(room.feed(.setOptions(id, [])) == [.reply(id, refusal)])
        let silent: [RoomHost.Input] = [
            .linkLost(peer(1)), .linkResumed(peer(1)), .gone(peer(1), reason: "left"), .matchBegan(matchID),
            .matchPlaying,
            .matchEnded([]), .renamed("x"), .close(reason: "y"), .deadlinePassed,
        ]
        for input in silent { #expect(room.feed(input).isEmpty) }
    }

    @Test func `a lost guest's seat is kept for 30 s`() throws {
        var room = try HostTable(joined: ["Bob", "Cid"])
        let actions = room.feed(.linkLost(peer(1)))
        #expect(
            actions == [
                .send(.state(room.state, left: []), to: peer(2)), .notice(.seatAway(seat: 1)),
                .notice(.updated), .advertise, .arm(second(30)),
            ])
        room.now = second(29)
        #expect(room.feed(.deadlinePassed) == [.arm(second(30))])
        #expect(room.feed(.linkLost(peer(1))) == [.arm(second(30))])
        #expect(room.enter(1, "Bob") == nil)
        #expect(room.state.seats[1]?.away == false)
        room.feed(.linkLost(peer(1)))
        room.now = second(59)
        let departure = RoomDeparture(seat: 1, peer: peer(1), reason: "lost")
        let freed = room.feed(.deadlinePassed)
        #expect(freed.contains(.send(.state(room.state, left: [departure]), to: peer(2))))
        #expect(freed.contains(.notice(.seatLeft(departure))))
        #expect(freed.last == .arm(nil))
        #expect(room.names == ["Ann", nil, "Cid", nil])
    }

    @Test func `a guest whose link goes on is back, and sees the room as it is`() throws {
        var room = try HostTable(joined: ["Bob", "Cid"])
        #expect(room.feed(.linkResumed(peer(1))) == [.arm(nil)])
        room.feed(.linkLost(peer(1)))
        let actions = room.feed(.linkResumed(peer(1)))
        #expect(
            actions == [
                .send(.state(room.state, left: []), to: peer(1)),
                .send(.state(room.state, left: []), to: peer(2)), .notice(.seatBack(seat: 1)),
                .notice(.updated), .advertise, .arm(nil),
            ])
        #expect(room.feed(.linkResumed(peer(5))) == [.arm(nil)])
    }

    @Test func `a seat that is just due is free for whoever comes then, who sees the newest state`() throws {
        var room = try HostTable(seats: 2, joined: ["Bob"])
        room.feed(.linkLost(peer(1)))
        room.now = second(30)
        let actions = room.feed(.entering(peer(2), .join, name: "Cid", .only))
        #expect(room.names == ["Ann", "Cid"])
        #expect(actions.contains(.send(.state(room.state, left: []), to: peer(2))))
    }

    @Test func `in a match no seat is freed, after it the time begins anew`() throws {
        var room = try HostTable(joined: ["Bob"])
        room.play()
        room.feed(.linkLost(peer(1)))
        room.now = second(100)
        #expect(room.feed(.deadlinePassed) == [.arm(nil)])
        #expect(room.names[1] == "Bob")
        let actions = room.feed(.matchEnded([.won, .quit]))
        #expect(actions.last == .arm(second(130)))
        room.now = second(130)
        room.feed(.deadlinePassed)
        #expect(room.names[1] == nil)
    }

    @Test func `who says goodbye has left at once, for its reason`() throws {
        var room = try HostTable(joined: ["Bob"])
        let departure = RoomDeparture(seat: 1, peer: peer(1), reason: "shutting-down")
        #expect(room.feed(.gone(peer(1), reason: "shutting-down")).contains(.notice(.seatLeft(departure))))
        #expect(room.feed(.gone(peer(1), reason: "left")) == [.arm(nil)])
        #expect(room.feed(.linkLost(peer(1))) == [.arm(nil)])
        #expect(room.feed(.linkLost(peer(0))) == [.arm(nil)])
        #expect(room.feed(.gone(peer(0), reason: "left")) == [.arm(nil)])
    }

    // MARK: Kick and ban

    @Test func `the host removes a guest, which is told`() throws {
        var room = try HostTable(joined: ["Bob", "Cid"])
        let (answer, actions) = room.askAll(0, .kick(seat: 1, ban: false))
        let departure = RoomDeparture(seat: 1, peer: peer(1), reason: "kicked")
        #expect(answer == nil)
        #expect(
            actions == [
                .send(.closed(room: roomID, reason: "kicked"), to: peer(1)),
                .send(.state(room.state, left: [departure]), to: peer(2)), .notice(.seatLeft(departure)),
                .notice(.updated), .advertise, .reply(RequestID(rawValue: 1), nil), .arm(nil),
            ])
        #expect(room.enter(1, "Bob") == nil)
    }

    @Test func `who is banned does not come back, under any name`() throws {
        var room = try HostTable(joined: ["Bob"])
        #expect(room.ask(0, .kick(seat: 1, ban: true)) == nil)
        #expect(room.enter(1, "Rob") == .banned)
        #expect(room.enter(2, "Bob") == nil)
    }

    @Test func `no ban is forgotten for another`() throws {
        var room = try HostTable(seats: 2)
        for number in 1...Limits.bannedMax {
            room.enter(number, "Guest")
            #expect(room.ask(0, .kick(seat: 1, ban: true)) == nil)
        }
        room.enter(200, "Bob")
        #expect(room.ask(0, .kick(seat: 1, ban: true)) == .notAllowed)
        #expect(room.names[1] == "Bob")
        #expect(room.ask(0, .kick(seat: 1, ban: false)) == nil)
        #expect(room.enter(1, "Guest") == .banned)
    }

    @Test func `only the host removes, only guests, only from seats that are taken`() throws {
        var room = try HostTable(joined: ["Bob"])
        #expect(room.ask(1, .kick(seat: 0, ban: true)) == .notHost)
        #expect(room.ask(0, .kick(seat: 0, ban: false)) == .notAllowed)
        for seat in [2, 4, -1, .max] { #expect(room.ask(0, .kick(seat: seat, ban: false)) == .badParams) }
        #expect(room.ask(1, .lock(true)) == .notHost)
    }

    @Test func `removed in a match, the seat has left the match`() throws {
        var room = try HostTable(joined: ["Bob", "Cid"])
        room.play()
        #expect(room.askAll(0, .kick(seat: 2, ban: false)).actions.first == .kickFromMatch(seat: 2))
        #expect(room.names == ["Ann", "Bob", nil, nil])
        #expect(room.enter(2, "Cid") == .roomClosed)
    }

    // MARK: Other

    @Test func `a line of chat goes to all that are here`() throws {
        var room = try HostTable(joined: ["Bob", "Cid"])
        room.feed(.linkLost(peer(2)))
        let say = RoomMessage.say(room: roomID, from: peer(1), text: "hello")
        #expect(
            room.askAll(1, .say(" hello\u{7} ")).actions == [
                .send(say, to: peer(1)), .notice(.say(from: peer(1), name: "Bob", text: "hello")),
                .send(.reply(room: roomID, number: 1, nil), to: peer(1)), .arm(second(30)),
            ])
    }

    @Test func `a line of chat has its limits`() throws {
        var room = try HostTable(joined: ["Bob"])
        let family = "👨\u{200D}👩\u{200D}👧\u{200D}👦"
        #expect(room.ask(1, .say(String(repeating: "x", count: 500))) == nil)
        #expect(room.ask(1, .say(String(repeating: "x", count: 501))) == .badParams)
        #expect(room.ask(1, .say(String(repeating: family, count: 327))) == nil)  // 25 bytes each
        #expect(room.ask(1, .say(String(repeating: family, count: 328))) == .badParams)
        #expect(room.ask(1, .say("\u{200B} ")) == .badParams)
        #expect(room.ask(3, .say("x")) == .notInRoom)
    }

    @Test func `who says too much at once is told so, and heard again later`() throws {
        var room = try HostTable(joined: ["Bob", "Cid"])
        for _ in 0..<Limits.sayLinesMax { #expect(room.ask(1, .say("hello")) == nil) }
        let silenced = room.askAll(1, .say("hello"))
        #expect(silenced.answer == .busy)
        let isHeard = silenced.actions.contains { action in
            if case .send(.say, _) = action { true } else { false }
        }
        #expect(!isHeard)
        #expect(room.ask(2, .say("one of us talks a lot")) == nil)
        room.now = room.now + Limits.sayWindow
        #expect(room.ask(1, .say("sorry")) == nil)
    }

    @Test func `options change in the lobby and keep what is not named`() throws {
        var room = try HostTable(joined: ["Bob"])
        let id = RequestID(rawValue: 4)
        room.feed(.setOptions(id, [.init("max_flips", 20)]))
        let actions = room.feed(.setOptions(id, [.init("grace_s", 10)]))
        #expect(room.state.options.int("max_flips") == 20)
        #expect(room.state.options.int("grace_s") == 10)
        #expect(actions.contains(.reply(id, nil)))
        for wrong in [Value.Member("grace_s", 5), .init("nope", 1), .init("grace_s", "x")] {
            let refused = room.feed(.setOptions(id, [wrong]))
            guard case .reply(id, .some(let refusal)) = refused[0] else { return #expect(Bool(false)) }
            #expect(refusal.reason == .badParams)
        }
        room.play()
        #expect(
            room.feed(.setOptions(id, [])) == [
                .reply(id, RoomRefusal(.busy, "a match is on in Attic")), .arm(nil),
            ])
    }

    @Test func `a new name is advertised`() throws {
        var room = try HostTable(joined: ["Bob"])
        #expect(
            room.feed(.renamed("Attic (2)")) == [
                .send(.state(room.state, left: []), to: peer(1)), .notice(.updated), .advertise, .arm(nil),
            ])
        #expect(room.state.name == "Attic (2)")
    }
}
