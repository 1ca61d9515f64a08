import ParlorGames
import Testing

@testable import ParlorProtocol

/// Bots in the seats of a room.
struct RoomBotTests {
    @Test func `the host seats bots, which are ready and have names of their own`() throws {
        var room = try HostTable("snap", seats: 4, joined: ["Bot Ada"])
        #expect(room.ask(0, .addBot(seat: nil, .hard)) == nil)
        #expect(room.ask(0, .addBot(seat: 3, .easy)) == nil)
        #expect(room.names == ["Ann", "Bot Ada", "Bot Ray", "Bot Kit"])
        #expect(room.state.seats.map { $0?.bot } == [nil, nil, .hard, .easy])
        #expect(room.state.seats[2]?.ready ?? false)
        #expect(room.state.taken == 4)
        #expect(Set(room.state.seats.compactMap { $0?.peer }).count == 4)
        #expect(room.state.people.map { $0?.name } == ["Ann", "Bot Ada", nil, nil])
        #expect(room.ask(0, .addBot(seat: nil, .normal)) == .roomFull)
        #expect(room.enter(5, "Zoe") == .roomFull)
    }

    @Test func `only the host adds and removes bots, and only where there is one`() throws {
        var room = try HostTable("snap", seats: 3, joined: ["Bob"])
        #expect(room.ask(1, .addBot(seat: nil, .hard)) == .notHost)
        #expect(room.ask(0, .addBot(seat: 1, .hard)) == .badParams)
        #expect(room.ask(0, .addBot(seat: 7, .hard)) == .badParams)
        #expect(room.ask(0, .removeBot(seat: nil)) == .badParams)
        #expect(room.ask(0, .addBot(seat: nil, .hard)) == nil)
        #expect(room.ask(1, .removeBot(seat: nil)) == .notHost)
        #expect(room.ask(0, .removeBot(seat: 1)) == .badParams)
        #expect(room.ask(0, .removeBot(seat: 2)) == nil)
        #expect(room.state.seats[2] == nil)
        #expect(room.enter(5, "Zoe") == nil)
    }

    @Test func `nothing is sent to bots`() throws {
        var room = try HostTable("snap", seats: 4, joined: ["Bob"])
        let (_, added) = room.askAll(0, .addBot(seat: nil, .hard))
        let (_, said) = room.askAll(0, .say("hello"))
        let (_, kicked) = room.askAll(0, .kick(seat: 2, ban: true))
        for case .send(_, let receiver) in added + said + kicked { #expect(receiver == peer(1)) }
        #expect(room.state.banned.isEmpty)
        #expect(room.state.seats[2] == nil)
    }

    @Test func `a match begins without asking bots, and they play again whenever people do`() throws {
        var room = try HostTable("snap", seats: 4, joined: ["Bob"])
        room.ask(0, .addBot(seat: nil, .hard))
        room.ask(1, .ready(true))
        let (refusal, actions) = room.askAll(0, .start)
        #expect(refusal == nil)
        #expect(actions.contains(.beginMatch))
        room.feed(.matchBegan(matchID))
        #expect(room.ask(0, .addBot(seat: nil, .hard)) == .busy)
        room.feed(.matchPlaying)
        room.feed(.matchEnded([.second, .third, .first]))
        #expect(room.state.seats[2]?.wins == 1)
        #expect(room.state.seats.map { $0?.ready } == [true, false, true, nil])
        #expect(room.ask(0, .rematch) == nil)
        #expect(room.state.phase == .finished)
        let (_, again) = room.askAll(1, .rematch)
        #expect(again.contains(.beginMatch))
    }

    @Test func `a bot takes a leaver's seat for the next match`() throws {
        var room = try HostTable("snap", seats: 2, joined: ["Bob"])
        room.ask(1, .ready(true))
        room.ask(0, .start)
        room.feed(.matchBegan(matchID))
        room.feed(.matchPlaying)
        room.ask(1, .leave)
        room.feed(.matchEnded([.won, .quit]))
        #expect(room.ask(0, .rematch) == .notEnoughPlayers)
        #expect(room.ask(0, .addBot(seat: nil, .normal)) == nil)
        let (_, actions) = room.askAll(0, .rematch)
        #expect(actions.contains(.beginMatch))
    }

    @Test func `removed in a match, a bot has left it`() throws {
        var room = try HostTable("snap", seats: 3, joined: ["Bob"])
        room.ask(0, .addBot(seat: nil, .hard))
        room.ask(1, .ready(true))
        room.ask(0, .start)
        room.feed(.matchBegan(matchID))
        let (_, actions) = room.askAll(0, .removeBot(seat: nil))
        #expect(actions.contains(.kickFromMatch(seat: 2)))
        #expect(room.state.seats[2] == nil)
    }

    @Test func `whoever takes a room over has its bots, which are not away`() throws {
        var room = try HostTable("snap", seats: 4, joined: ["Bob", "Cid"])
        room.ask(0, .addBot(seat: nil, .hard))
        for guest in 1...2 { room.ask(guest, .ready(true)) }
        room.ask(0, .start)
        room.feed(.matchBegan(matchID))
        let succession = RoomHost.succeeding(
            room.state, me: peer(1), epoch: 1, present: [peer(2)], hostHasLeft: false, at: room.now)
        let next = try #require(succession)
        #expect(next.host.state.seats.map { $0?.away } == [true, false, false, false])
        #expect(next.host.state.seats[3]?.bot == .hard)
        for case .send(_, let receiver) in next.actions { #expect(receiver == peer(2)) }
    }

    @Test func `a state with bots reads back, and none is hosted by a bot`() throws {
        var state = try roomState("snap", seats: 3)
        state.seatBots(2, .easy)
        #expect(RoomState(cbor: state.cbor) == state)
        state.hostSeat = 1
        #expect(RoomState(cbor: state.cbor) == nil)
    }
}
