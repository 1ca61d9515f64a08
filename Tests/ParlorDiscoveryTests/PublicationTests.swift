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

    @Test func `a name that another machine claims at the same time is asked for again, each in its turn`()
        throws
    {
        var asked = record()
        asked.roomID = [1, 6, 4] + asked.roomID.dropFirst(3)
        var room = try Publication(asked)
        _ = room.start(at: 0)
        #expect(room.groupChanged(to: .collision, at: 7, isTaken: false) == [])
        #expect(room.deadline == 7 + Publication.yieldNanoseconds)
        #expect(room.groupChanged(to: .uncommitted, at: 8).isEmpty)
        #expect(room.tick(at: 7 + Publication.yieldNanoseconds) == [.register])
        #expect(room.groupChanged(to: .collision, at: 3 * second, isTaken: false) == [])
        #expect(room.deadline == 3 * second + 2 * Publication.yieldNanoseconds)
        _ = room.tick(at: 6 * second)
        // Its turn is at once.
        #expect(room.groupChanged(to: .collision, at: 7 * second, isTaken: false) == [.register])
        #expect(room.name.text == "Kitchen")
        let next = [Publication.Action.report(.renamed(roomID: asked.roomID, name: "Kitchen #2")), .register]
        #expect(room.groupChanged(to: .collision, at: 8 * second, isTaken: false) == next)
        #expect(room.groupChanged(to: .collision, at: 9 * second, isTaken: false) == [])
        #expect(room.groupChanged(to: .established, at: 9 * second) == [])
        _ = room.tick(at: 20 * second)
        #expect(room.groupChanged(to: .established, at: 21 * second).count == 1)
    }

    @Test func `a turn that is waited for ends with the daemon, another name or a claimed host name`() throws
    {
        var asked = record()
        asked.roomID[0] = 3
        var room = try Publication(asked)
        for end in 0...2 {
            _ = room.start(at: 0)
            #expect(room.groupChanged(to: .collision, at: 0, isTaken: false) == [])
            asked.name = "Attic \(end)"
            switch end {
            case 0: #expect(room.pause().isEmpty)
            case 1: room.void()
            default: #expect(room.changed(to: asked, at: 1) == [.register])
            }
            #expect(end == 2 || room.deadline == nil)
            _ = room.changed(to: asked, at: 2)
        }
    }

    @Test func `a second refusal is reported and tried again after thirty seconds`() throws {
        var room = try Publication(record())
        _ = room.start(at: 0)
        #expect(room.refused("Too many objects", at: 0) == [])
        #expect(room.deadline == second)
        #expect(room.tick(at: second) == [.register])
        #expect(
            room.refused("Too many objects", at: second)
                == [.report(.failed(roomID: id(1), text: "the room is not announced: Too many objects"))])
        #expect(room.deadline == 31 * second)
        #expect(room.tick(at: 31 * second) == [.register])
        _ = room.groupChanged(to: .established, at: 32 * second)
        #expect(room.refused("Too many objects", at: 33 * second) == [])
    }
    @Test func `a room that cannot be announced is refused and changes nothing`() throws {
        #expect(throws: InstanceNameError.nothingVisible) { try Publication(record(1, name: " ")) }
        var room = try established()
        #expect(room.changed(to: record(1, name: "a\nb"), at: 0) == nil)
        #expect(room.name.text == "Kitchen")
    }
}
