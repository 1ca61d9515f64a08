import ParlorGames
import Testing

@testable import ParlorProtocol

/// Exact actions of a guest's room for exact inputs.
struct RoomGuestTests {
    /// A guest, Bob in seat 1 of two, and the host whose word it has.
    private struct Table {
        var hosted: HostTable
        var guest: RoomGuest
        var now = second(0)

        init() throws {
            hosted = try HostTable(seats: 3, joined: ["Bob"])
            guest = RoomGuest(hosted.state, me: peer(1), name: "Bob")
        }

        @discardableResult
        mutating func feed(_ input: RoomGuest.Input) -> [RoomGuest.Action] { guest.handle(input, at: now) }

        /// What it does about the host's newest state.
        mutating func hear(left: [RoomDeparture] = []) -> [RoomGuest.Action] {
            feed(.received(.state(hosted.state, left: left)))
        }
    }

    private let one = RequestID(rawValue: 1)
    private let two = RequestID(rawValue: 2)
    private let closed = RoomRefusal(.roomClosed, "Attic is closed")
    private let late = RoomRefusal(.timedOut, "the host of Attic does not answer")

    @Test func `a request goes to the host and is answered by its reply, once`() throws {
        var table = try Table()
        #expect(
            table.feed(.local(one, .ready(true))) == [
                .send(.request(room: roomID, number: 1, .ready(true))), .arm(second(5)),
            ])
        table.now = second(1)
        #expect(
            table.feed(.local(two, .say("hi"))) == [
                .send(.request(room: roomID, number: 2, .say("hi"))), .arm(second(5)),
            ])
        let refusal = RoomRefusal(.busy, "no")
        let reply = RoomMessage.reply(room: roomID, number: 1, refusal)
        #expect(table.feed(.received(reply)) == [.reply(one, refusal), .arm(second(6))])
        #expect(table.feed(.received(reply)) == [.arm(second(6))])
        #expect(
            table.feed(.received(.reply(room: roomID, number: 2, nil))) == [.reply(two, nil), .arm(nil)])
    }

    @Test func `a host that does not answer within 5 s is said to`() throws {
        var table = try Table()
        table.feed(.local(one, .ready(true)))
        table.now = second(4)
        #expect(table.feed(.deadlinePassed) == [.arm(second(5))])
        table.now = second(5)
        #expect(table.feed(.deadlinePassed) == [.reply(one, late), .arm(nil)])
        #expect(table.feed(.received(.reply(room: roomID, number: 1, nil))) == [.arm(nil)])
    }

    @Test func `leaving is answered and closes the room`() throws {
        var table = try Table()
        table.feed(.local(one, .leave))
        #expect(
            table.feed(.received(.reply(room: roomID, number: 1, nil))) == [
                .reply(one, nil), .arm(nil), .closed(reason: "left"),
            ])
        #expect(table.feed(.local(two, .leave)) == [.reply(two, closed)])
    }

    @Test func `a leave that the host does not answer is done all the same, every request answered once`()
        throws
    {
        var table = try Table()
        table.feed(.local(one, .say("hi")))
        table.feed(.local(two, .leave))
        table.now = second(1)
        table.feed(.local(RequestID(rawValue: 3), .ready(true)))
        table.now = second(5)
        #expect(
            table.feed(.deadlinePassed) == [
                .reply(one, late), .reply(two, nil), .reply(RequestID(rawValue: 3), closed), .arm(nil),
                .closed(reason: "left"),
            ])
    }

    @Test func `there is always room to leave`() throws {
        var table = try Table()
        var answered = 0
        for number in 10..<100 {
            let actions = table.feed(.local(RequestID(rawValue: UInt64(number)), .ready(true)))
            for case .reply(_, let refusal) in actions {
                answered += 1
                #expect(refusal?.reason == .busy)
            }
        }
        #expect(answered == 90 - (Limits.actsMax - 1))
        let actions = table.feed(.local(one, .leave))
        #expect(actions.contains(.send(.request(room: roomID, number: Limits.actsMax, .leave))))
    }

    // MARK: A lost host

    /// A guest in a match.
    private func playing() throws -> Table {
        var table = try Table()
        var state = table.guest.state
        state.phase = .playing
        table.feed(.received(.state(state, left: [])))
        return table
    }

    @Test func `a host that is lost in a lobby is lost for good`() throws {
        var table = try Table()
        table.feed(.local(one, .ready(true)))
        #expect(table.feed(.linkLost) == [.arm(table.now + Limits.hostLostWait)])
        table.now = table.now + Limits.hostLostWait
        #expect(
            table.feed(.deadlinePassed) == [
                .reply(one, closed), .arm(nil), .closed(reason: "host-lost"),
            ])
        #expect(table.feed(.linkBack).isEmpty)
        #expect(table.feed(.local(two, .ready(true))) == [.reply(two, closed)])
    }

    @Test func `a host that is lost in a lobby and comes back soon still has its guest`() throws {
        var table = try Table()
        table.feed(.linkLost)
        #expect(table.feed(.linkResumed) == [.arm(nil)])
        table.now = table.now + Limits.hostLostWait
        #expect(table.feed(.deadlinePassed) == [.arm(nil)])
    }

    @Test func `a host that is lost in a match and comes back has missed nothing`() throws {
        var table = try playing()
        table.feed(.local(one, .ready(true)))
        #expect(table.feed(.linkLost) == [.arm(second(5))])
        #expect(table.guest.isHostLost)
        table.now = second(1)
        #expect(
            table.feed(.local(two, .say("hi"))) == [
                .send(.request(room: roomID, number: 2, .say("hi"))), .arm(second(5)),
            ])
        #expect(table.feed(.linkResumed) == [.arm(second(5))])
        #expect(!table.guest.isHostLost)
    }

    @Test func `over a new link one comes in again, and what waits is asked again`() throws {
        var table = try playing()
        table.feed(.local(one, .ready(true)))
        table.feed(.linkLost)
        table.now = second(2)
        #expect(
            table.feed(.linkBack) == [
                .send(.enter(.id(roomID), purpose: .join, name: "Bob")),
                .send(.request(room: roomID, number: 1, .ready(true))), .arm(second(5)),
            ])
        #expect(!table.guest.isHostLost)
    }

    @Test func `one can leave while the host is lost`() throws {
        var table = try playing()
        table.feed(.linkLost)
        table.feed(.local(one, .ready(true)))
        #expect(
            table.feed(.local(two, .leave)) == [
                .reply(two, nil), .reply(one, closed), .arm(nil), .closed(reason: "left"),
            ])
    }

    @Test(arguments: [("shutting-down", "shutting-down"), ("left", "left")])
    func `a host that says goodbye closes the room`(reason: String, said: String) throws {
        var table = try Table()
        table.feed(.local(one, .leave))
        #expect(
            table.feed(.hostGone(reason: reason)) == [
                .reply(one, nil), .arm(nil), .closed(reason: said),
            ])
    }

    @Test func `the host's word closes the room`() throws {
        let words: [(RoomMessage, String)] = [
            (.closed(room: roomID, reason: "kicked"), "kicked"),
            (.denied(.id(roomID), RoomRefusal(.banned, "")), "kicked"),
            (.denied(.id(roomID), RoomRefusal(.roomFull, "")), "host-closed"),
        ]
        for (message, reason) in words {
            var table = try Table()
            table.feed(.local(one, .ready(true)))
            #expect(
                table.feed(.received(message)) == [
                    .reply(one, closed), .arm(nil), .closed(reason: reason),
                ])
            #expect(table.feed(.received(message)).isEmpty)
            #expect(table.feed(.deadlinePassed).isEmpty)
        }
    }

    @Test func `a guest that hosts the room by now, and knows no such guest, closes nothing`() throws {
        var table = try Table()
        let denied = RoomMessage.denied(.id(roomID), RoomRefusal(.notInRoom, "this peer is not in the room"))
        #expect(table.feed(.received(denied)) == [.arm(nil)])
        table.feed(.local(one, .ready(true)))
        #expect(table.guest.pending.map { $0.id } == [one], "it goes on asking")
    }

    // MARK: What is shown

    @Test func `notices are what changed`() throws {
        var table = try Table()
        table.hosted.enter(2, "Cid")
        #expect(table.hear() == [.notice(.seatTaken(seat: 2)), .notice(.updated), .arm(nil)])
        #expect(table.hear() == [.arm(nil)])
        table.hosted.ask(2, .ready(true))
        #expect(table.hear() == [.notice(.seatReady(seat: 2, ready: true)), .notice(.updated), .arm(nil)])
        table.hosted.feed(.linkLost(peer(2)))
        #expect(
            table.hear() == [
                .notice(.seatAway(seat: 2)), .notice(.seatReady(seat: 2, ready: false)), .notice(.updated),
                .arm(nil),
            ])
        table.hosted.enter(2, "Cid")
        #expect(table.hear() == [.notice(.seatBack(seat: 2)), .notice(.updated), .arm(nil)])
        table.hosted.ask(0, .kick(seat: 2, ban: false))
        let departure = RoomDeparture(seat: 2, peer: peer(2), reason: "kicked")
        #expect(
            table.hear(left: [departure]) == [
                .notice(.seatLeft(departure)), .notice(.updated), .arm(nil),
            ])
        table.hosted.ask(0, .lock(true))
        #expect(table.hear() == [.notice(.updated), .arm(nil)])
        #expect(table.guest.state == table.hosted.state)
    }

    @Test func `ready that falls with a match is no news`() throws {
        var table = try Table()
        table.hosted.ask(1, .ready(true))
        _ = table.hear()
        table.hosted.ask(0, .start)
        #expect(table.hear() == [.notice(.updated), .arm(nil)])
    }

    @Test func `a state of another room, or without this peer, is no news`() throws {
        var table = try Table()
        let before = table.guest.state
        table.hosted.ask(1, .leave)
        #expect(table.hear() == [.arm(nil)])
        #expect(table.guest.state == before)
    }

    @Test func `chat is shown with the name of its seat, if it has one`() throws {
        var table = try Table()
        #expect(
            table.feed(.received(.say(room: roomID, from: peer(0), text: "a\u{7}b"))) == [
                .notice(.say(from: peer(0), name: "Ann", text: "ab")), .arm(nil),
            ])
        #expect(table.feed(.received(.say(room: roomID, from: peer(3), text: "x"))) == [.arm(nil)])
        let long = String(repeating: "x", count: 501)
        #expect(table.feed(.received(.say(room: roomID, from: peer(0), text: long))) == [.arm(nil)])
    }
}
