import Testing

@testable import ParlorDiscovery

private let second = Publication.second

extension Publication {
    /// As `change`, for expectations; `nil` when it threw.
    fileprivate mutating func changed(to next: RoomRecord, at now: UInt64) -> [Action]? {
        try? change(to: next, at: now)
    }
}

struct PublicationTests {
    private func established(at now: UInt64 = 0) throws -> Publication {
        var room = try Publication(record())
        #expect(room.start(at: now) == [.register])
        #expect(room.groupChanged(to: .uncommitted, at: now).isEmpty)
        #expect(room.groupChanged(to: .registering, at: now).isEmpty)
        #expect(
            room.groupChanged(to: .established, at: now) == [
                .report(.published(roomID: id(1), name: "Kitchen"))
            ])
        return room
    }

    @Test func `nothing happens before the daemon is ready`() throws {
        var room = try Publication(record())
        #expect(room.deadline == nil)
        #expect(room.tick(at: 100 * second).isEmpty)
        #expect(room.changed(to: record(1, name: "Attic"), at: 0) == [])
        #expect(room.start(at: 0) == [.register])
        #expect(room.name.text == "Attic")
        #expect(room.start(at: 0).isEmpty)
    }

    @Test func `changes are put together, one a second, none in the first second`() throws {
        var room = try established(at: 10 * second)
        var next = record()
        for taken in 2...4 {
            next.taken = taken
            #expect(room.changed(to: next, at: 10 * second + 1) == [])
        }
        #expect(room.deadline == 11 * second)
        #expect(room.tick(at: 11 * second - 1).isEmpty)
        #expect(room.tick(at: 11 * second) == [.updateText])
        #expect(room.text == (try next.txt()))
        #expect(room.deadline == nil)
        next.taken = 1
        #expect(room.changed(to: next, at: 11 * second + 5) == [])
        #expect(room.deadline == 12 * second)
        #expect(room.tick(at: 12 * second) == [.updateText])
        next.taken = 2
        #expect(room.changed(to: next, at: 20 * second) == [.updateText])
    }

    @Test func `a change that is taken back is not sent`() throws {
        var room = try established()
        var next = record()
        next.taken = 2
        _ = try room.change(to: next, at: 1)
        _ = try room.change(to: record(), at: 2)
        #expect(room.deadline == nil)
    }

    @Test func `a collision at once and a later one both take the next name`() throws {
        var room = try Publication(record())
        _ = room.start(at: 0)
        #expect(room.collided(at: 0) == [.report(.renamed(roomID: id(1), name: "Kitchen #2")), .register])
        _ = room.groupChanged(to: .registering, at: 0)
        #expect(
            room.groupChanged(to: .collision, at: 0)
                == [.report(.renamed(roomID: id(1), name: "Kitchen #3")), .register])
        #expect(
            room.groupChanged(to: .established, at: 1) == [
                .report(.published(roomID: id(1), name: "Kitchen #3"))
            ])
        #expect(
            room.groupChanged(to: .collision, at: 9 * second)
                == [.report(.renamed(roomID: id(1), name: "Kitchen #4")), .register])
    }

    @Test func `two that lose every name together wait, each for as long as its room's ID says`() throws {
        var rooms = try [record(1), record(203)].map { try Publication($0) }
        for index in rooms.indices {
            _ = rooms[index].start(at: 0)
            #expect(
                rooms[index].groupChanged(to: .collision, at: 0).last == .register, "at once, to begin with")
            #expect(rooms[index].groupChanged(to: .collision, at: second).last == .reset)
            #expect(rooms[index].name.text == "Kitchen #3")
        }
        #expect(rooms.map(\.deadline) == [2 * second, 4 * second])
        #expect(rooms[0].tick(at: 2 * second) == [.register])
        _ = rooms[0].groupChanged(to: .established, at: 2 * second)
        #expect(rooms[0].groupChanged(to: .collision, at: 9 * second).last == .register, "it begins anew")
    }

    @Test func `after the last name it says so and rests until it gets another`() throws {
        var room = try Publication(record(1, name: "Kitchen #99"))
        _ = room.start(at: 0)
        let actions = room.collided(at: 0)
        #expect(actions.count == 2 && actions.first == .reset)
        guard case .report(.failed(let roomID, _)) = actions.last else {
            Issue.record("no failure reported: \(actions)")
            return
        }
        #expect(roomID == id(1))
        #expect(room.deadline == nil)
        #expect(room.changed(to: record(1, name: "Attic"), at: 0) == [.register])
    }

    @Test func `the name of a collision is kept by changes and by a daemon that comes back`() throws {
        var room = try established()
        _ = room.groupChanged(to: .collision, at: 0)
        _ = room.groupChanged(to: .established, at: 0)
        #expect(room.changed(to: record(), at: 5 * second) == [])
        #expect(room.changed(to: record(1, name: "Kitchen #2"), at: 5 * second) == [])
        #expect(room.name.text == "Kitchen #2")
        room.void()
        #expect(room.start(at: 9 * second) == [.register])
        #expect(room.name.text == "Kitchen #2")
    }

    @Test func `another name or port registers anew`() throws {
        var room = try established()
        #expect(room.changed(to: record(1, name: "Attic"), at: 5 * second) == [.register])
        #expect(room.name.text == "Attic")
        _ = room.groupChanged(to: .established, at: 5 * second)
        var moved = record(1, name: "Attic")
        moved.port = 27_721
        #expect(room.changed(to: moved, at: 9 * second) == [.register])
    }

    @Test func `a registration that hangs is made once more, once`() throws {
        var room = try Publication(record())
        _ = room.start(at: 0)
        #expect(room.deadline == 5 * second)
        #expect(room.tick(at: 5 * second - 1).isEmpty)
        #expect(room.tick(at: 5 * second) == [.register])
        #expect(room.deadline == nil)
        #expect(room.tick(at: 60 * second).isEmpty)
    }

    @Test func `a claimed host name takes the room off and puts it back`() throws {
        var room = try established()
        #expect(room.pause() == [.reset])
        #expect(room.pause().isEmpty)
        #expect(room.groupChanged(to: .uncommitted, at: 0).isEmpty)
        #expect(room.start(at: 0) == [.register])
    }

    @Test func `a refusal is reported and tried again after thirty seconds`() throws {
        var room = try Publication(record())
        _ = room.start(at: 0)
        #expect(
            room.refused("Too many objects", at: 0)
                == [.report(.failed(roomID: id(1), text: "the room is not announced: Too many objects"))])
        #expect(room.deadline == 30 * second)
        #expect(room.tick(at: 30 * second) == [.register])
    }

    @Test func `a room that cannot be announced is refused and changes nothing`() throws {
        #expect(throws: InstanceNameError.nothingVisible) { try Publication(record(1, name: " ")) }
        var room = try established()
        #expect(room.changed(to: record(1, name: "a\nb"), at: 0) == nil)
        #expect(room.name.text == "Kitchen")
    }
}
