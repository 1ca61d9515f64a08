import ParlorDiscovery
import Testing

private let second: UInt64 = 1_000_000_000

private func key(_ name: String = "Kitchen", on interface: UInt32 = 2, _ family: ServiceKey.Family = .inet)
    -> ServiceKey
{
    ServiceKey(interface: interface, family: family, name: name, domain: "local")
}

private func endpoint(_ address: String = "10.0.0.1", on interface: UInt32 = 2) -> RoomEndpoint {
    RoomEndpoint(address: address, port: 27_720, interface: interface)
}

extension RowTable {
    /// An announcement appears and is resolved, off the network.
    fileprivate mutating func hear(
        _ record: RoomRecord, _ key: ServiceKey, at address: String = "10.0.0.1", cached: Bool = false,
        now: UInt64 = 0
    ) -> [DiscoveryEvent] {
        guard appeared(key, cached: cached) else { return [] }
        return resolved(
            key, record: record, endpoint: endpoint(address, on: key.interface), cached: cached, at: now)
    }
}

private func kinds(_ events: [DiscoveryEvent]) -> [String] {
    events.map {
        switch $0 {
        case .found: "found"
        case .changed: "changed"
        case .lost: "lost"
        case .state, .published, .renamed, .failed: "other"
        }
    }
}

struct RowTableTests {
    @Test func `one room on two interfaces and protocols is one row with all addresses`() throws {
        var table = RowTable()
        #expect(kinds(table.hear(record(), key(), at: "10.0.0.1")) == ["found"])
        #expect(kinds(table.hear(record(), key(on: 3), at: "10.1.0.1")) == ["changed"])
        #expect(kinds(table.hear(record(), key(on: 3, .inet6), at: "fe80::1")) == ["changed"])
        let room = try #require(table.rooms.first)
        #expect(table.rooms.count == 1)
        #expect(room.endpoints.map(\.address) == ["10.0.0.1", "10.1.0.1", "fe80::1"])
        #expect(room.endpoints.map(\.scope) == [0, 0, 3])
        #expect(room.reachability == .fresh)
    }

    @Test(
        arguments: [
            ("fe80::1", 4), ("fe80::fc:ff:fe00:1", 4), ("febf::1", 4), ("fec0::1", 0), ("fd00::1", 0),
            ("::1", 0),
            ("169.254.1.1", 0), ("", 0), (":", 0),
        ] as [(String, UInt32)])
    func `only link-local IPv6 has a scope`(address: String, scope: UInt32) {
        #expect(RoomEndpoint(address: address, port: 1, interface: 4).scope == scope)
    }

    @Test func `a name is taken by another room that is heard and answers`() {
        var table = RowTable()
        _ = table.hear(record(1), key(), cached: true)
        #expect(!table.isTaken("Kitchen", byOtherThan: record(2)), "a cache may hold what is long gone")
        _ = table.hear(record(1), key())
        #expect(
            table.isTaken("Kitchen", byOtherThan: record(2))
                && table.isTaken("kitchen", byOtherThan: record(2)))
        #expect(!table.isTaken("Kitchen", byOtherThan: record(1, host: 9)), "the same room")
        #expect(!table.isTaken("Kitchen", byOtherThan: record(2, host: 1)), "the same host's")
        #expect(!table.isTaken("Kitchen #2", byOtherThan: record(2)))
        _ = table.markUnreachable(roomID: id(1), hostID: [UInt8](repeating: 1, count: 32), at: 0)
        #expect(!table.isTaken("Kitchen", byOtherThan: record(2)), "a ghost")
        _ = table.hear(record(1), key())
        #expect(table.isTaken("Kitchen", byOtherThan: record(2)))
        _ = table.removed(key(), at: second)
        #expect(!table.isTaken("Kitchen", byOtherThan: record(2)))
    }

    @Test func `a row goes two seconds after its last announcement`() {
        var table = RowTable()
        _ = table.hear(record(), key())
        _ = table.hear(record(), key(on: 3), at: "10.1.0.1")
        #expect(kinds(table.removed(key(), at: 10 * second)) == ["changed"])
        #expect(table.deadline == nil)
        #expect(table.removed(key(on: 3), at: 20 * second).isEmpty)
        #expect(table.deadline == 22 * second)
        #expect(table.expire(at: 22 * second - 1).isEmpty)
        #expect(table.rooms.first?.endpoints.map(\.address) == ["10.1.0.1"])
        #expect(kinds(table.expire(at: 22 * second)) == ["lost"])
        #expect(
            table.rooms.isEmpty && table.candidateCount == 0 && table.serviceCount == 0
                && table.deadline == nil)
    }

    @Test func `a record that flaps within two seconds is not noticed`() {
        var table = RowTable()
        _ = table.hear(record(), key())
        #expect(table.removed(key(), at: second).isEmpty)
        #expect(table.hear(record(), key(), now: 2 * second).isEmpty)
        #expect(table.expire(at: 9 * second).isEmpty)
        #expect(table.rooms.count == 1)
    }

    @Test func `a changed record is a change, the same one is not`() {
        var table = RowTable()
        _ = table.hear(record(), key())
        #expect(table.hear(record(), key(), now: second).isEmpty)
        var fuller = record()
        fuller.taken = 2
        #expect(kinds(table.hear(fuller, key(), now: second)) == ["changed"])
        #expect(table.rooms.first?.record.taken == 2)
        #expect(table.rooms.first?.firstHeard == 0 && table.rooms.first?.lastHeard == second)
    }

    @Test func `of several hosts the highest epoch is shown, and the next when it does not answer`() {
        var table = RowTable()
        _ = table.hear(record(1, host: 7, epoch: 3), key("A"))
        #expect(table.hear(record(1, host: 8, epoch: 2), key("B"), at: "10.0.0.2").isEmpty)
        #expect(kinds(table.hear(record(1, host: 9, epoch: 9), key("C"), at: "10.0.0.3")) == ["changed"])
        func shown() -> (UInt8?, Reachability?) {
            (table.rooms.first?.record.hostID.first, table.rooms.first?.reachability)
        }
        func host(_ number: UInt8) -> [UInt8] { [UInt8](repeating: number, count: 32) }
        #expect(shown() == (9, .fresh))
        #expect(kinds(table.markUnreachable(roomID: id(1), hostID: host(9), at: 0)) == ["changed"])
        #expect(shown() == (7, .fresh))
        _ = table.markUnreachable(roomID: id(1), hostID: host(7), at: 0)
        #expect(shown() == (8, .fresh))
        _ = table.markUnreachable(roomID: id(1), hostID: host(8), at: 0)
        #expect(shown() == (9, .unreachable))
        for number: UInt8 in [9, 7] { _ = table.markUnreachable(roomID: id(1), hostID: host(number), at: 0) }
        #expect(shown() == (8, .unreachable))
        #expect(kinds(table.markUnreachable(roomID: id(1), hostID: host(8), at: 0)) == ["lost"])
        #expect(table.rooms.isEmpty)
    }

    @Test func `a hidden host is seen again only when announced anew`() {
        var table = RowTable()
        let host = [UInt8](repeating: 1, count: 32)
        _ = table.hear(record(), key())
        _ = table.markUnreachable(roomID: id(1), hostID: host, at: 0)
        #expect(kinds(table.markUnreachable(roomID: id(1), hostID: host, at: 0)) == ["lost"])
        #expect(table.markUnreachable(roomID: id(1), hostID: host, at: 0).isEmpty)
        #expect(table.hear(record(), key(), cached: true).isEmpty)
        var moved = record()
        moved.taken = 3
        #expect(kinds(table.hear(moved, key(), cached: true)) == ["found"])
        #expect(table.rooms.first?.reachability == .fresh)
        for _ in 1...2 { _ = table.markUnreachable(roomID: id(1), hostID: host, at: 0) }
        #expect(kinds(table.hear(moved, key())) == ["found"])
    }

    @Test(arguments: [1, 2])
    func `a host that is still announced long after it did not answer counts again`(refusals: Int) {
        var table = RowTable()
        _ = table.hear(record(), key())
        for _ in 1...refusals {
            _ = table.markUnreachable(roomID: id(1), hostID: record().hostID, at: 7 * second)
        }
        let due = 7 * second + RowTable.refusalNanoseconds
        #expect(table.deadline == due)
        #expect(table.expire(at: due - 1).isEmpty)
        #expect(kinds(table.expire(at: due)) == [refusals == 1 ? "changed" : "found"])
        #expect(table.rooms.first?.reachability == .fresh)
        #expect(table.deadline == nil)
    }

    @Test func `a host that did not answer and cannot be resolved stays hidden until it is heard`() {
        var table = RowTable()
        _ = table.hear(record(), key())
        for _ in 1...2 { _ = table.markUnreachable(roomID: id(1), hostID: record().hostID, at: 0) }
        #expect(table.failed(key(), at: 120 * second).isEmpty)
        #expect(table.expire(at: RowTable.refusalNanoseconds).isEmpty)
        #expect(table.rooms.isEmpty && table.deadline == nil)
        #expect(kinds(table.hear(record(), key(), now: 200 * second)) == ["found"])
    }

    @Test func `what cannot be resolved any more is unreachable until it can`() {
        var table = RowTable()
        _ = table.hear(record(), key())
        #expect(kinds(table.failed(key(), at: second)) == ["changed"])
        #expect(table.rooms.first?.reachability == .unreachable)
        #expect(kinds(table.hear(record(), key(), now: 2 * second)) == ["changed"])
        #expect(table.rooms.first?.reachability == .fresh)
    }

    @Test func `from a cache is cached, heard is fresh, distrusted is cached`() {
        var table = RowTable()
        _ = table.hear(record(), key(), cached: true)
        #expect(table.rooms.first?.reachability == .cached)
        #expect(kinds(table.hear(record(), key())) == ["changed"])
        #expect(table.rooms.first?.reachability == .fresh)
        #expect(kinds(table.distrust()) == ["changed"])
        #expect(table.distrust().isEmpty)
        #expect(table.rooms.first?.reachability == .cached)
    }

    @Test func `without a daemon rows stay as cached, and those it does not tell again go`() {
        var table = RowTable()
        _ = table.hear(record(1), key("A"))
        _ = table.hear(record(2), key("B"))
        #expect(kinds(table.orphanAll()) == ["changed", "changed"])
        #expect(kinds(table.hear(record(1), key("A"), now: second)) == ["changed"])
        #expect(table.dropOrphans(at: 5 * second).isEmpty)
        #expect(kinds(table.expire(at: 7 * second)) == ["lost"])
        #expect(table.rooms.map(\.record.roomID) == [id(1)])
    }

    @Test func `a name that turns out to be another room is that room`() {
        var table = RowTable()
        _ = table.hear(record(1), key())
        #expect(kinds(table.hear(record(2), key(), now: second)) == ["found"])
        #expect(kinds(table.expire(at: 3 * second)) == ["lost"])
        #expect(table.rooms.map(\.record.roomID) == [id(2)])
    }

    @Test func `an announcement that turns out to be another's is noticed, and those of a room are known`() {
        var table = RowTable()
        #expect(!table.isOfAnother(record(1), than: key()))
        _ = table.hear(record(1), key())
        _ = table.hear(record(1, host: 5), key(on: 3))
        _ = table.hear(record(2), key("Attic"))
        #expect(!table.isOfAnother(record(1), than: key()))
        #expect(table.isOfAnother(record(1, host: 5), than: key()))
        #expect(table.isOfAnother(record(2), than: key()))
        #expect(Set(table.services(of: id(1))) == [key(), key(on: 3)])
        _ = table.removed(key(), at: 0)
        #expect(table.services(of: id(1)) == [key(on: 3)])
    }

    @Test func `a name is taken when somebody else has it, in whatever case`() {
        var table = RowTable()
        _ = table.hear(record(1), key("Kitchen"))
        #expect(!table.hasName("Kitchen", besides: record(1)))
        #expect(table.hasName("kItchen", besides: record(2)))
        #expect(table.hasName("kitchen", besides: nil))
        #expect(!table.hasName("Kitchen #2", besides: record(2)))
        let isKept = table.appeared(key("\u{C9}t\u{E9}"), cached: false)
        #expect(isKept)
        #expect(table.hasName("\u{C9}T\u{E9}", besides: record(1)))
        #expect(!table.hasName("\u{E9}t\u{E9}", besides: record(1)))
    }

    @Test func `late answers for what is gone or never was change nothing`() {
        var table = RowTable()
        #expect(table.resolved(key(), record: record(), endpoint: endpoint(), cached: false, at: 0).isEmpty)
        #expect(table.failed(key(), at: 0).isEmpty)
        #expect(table.removed(key(), at: 0).isEmpty)
        #expect(table.markUnreachable(roomID: id(1), hostID: [], at: 0).isEmpty)
        #expect(table.candidateCount == 0 && table.serviceCount == 0)
    }

    @Test func `the table does not grow beyond its limit`() {
        var table = RowTable()
        for index in 0..<RowTable.servicesMax {
            #expect(table.appeared(key("\(index)"), cached: false) == true)
        }
        #expect(table.appeared(key("one more"), cached: false) == false)
        #expect(table.appeared(key("0"), cached: false) == true)
        #expect(table.serviceCount == RowTable.servicesMax)
    }

    @Test(arguments: UInt64(1)...200)
    func `events balance and nothing is left behind`(seed: UInt64) {
        var chance = Chance(state: seed)
        var table = RowTable()
        var seen: [[UInt8]: DiscoveredRoom] = [:]
        var now: UInt64 = 0
        let keys = (0..<6).flatMap { name in [2, 3].map { key("\(name)", on: $0) } }

        func check(_ events: [DiscoveryEvent]) {
            for event in events {
                switch event {
                case .found(let room): #expect(seen.updateValue(room, forKey: room.record.roomID) == nil)
                case .changed(let room): #expect(seen.updateValue(room, forKey: room.record.roomID) != nil)
                case .lost(let room): #expect(seen.removeValue(forKey: room.record.roomID) != nil)
                case .state, .published, .renamed, .failed: Issue.record("not the table's event: \(event)")
                }
            }
            #expect(Set(seen.keys) == Set(table.rooms.map(\.record.roomID)))
        }
        for _ in 0..<400 {
            now += UInt64(chance.next(below: 1_500)) * 1_000_000
            let key = keys[chance.next(below: keys.count)]
            let room = UInt8(chance.next(below: 4))
            let claim = record(room, host: UInt8(chance.next(below: 3)), epoch: UInt64(chance.next(below: 3)))
            switch chance.next(below: 12) {
            case 0...3: check(table.hear(claim, key, cached: chance.next(below: 2) == 0, now: now))
            case 4...6: check(table.removed(key, at: now))
            case 7: check(table.failed(key, at: now))
            case 8: check(table.markUnreachable(roomID: claim.roomID, hostID: claim.hostID, at: now))
            case 9: check(table.distrust())
            case 10: check(table.orphanAll() + table.dropOrphans(at: now))
            default: check(table.resolved(key, record: claim, endpoint: endpoint(), cached: true, at: now))
            }
            check(table.expire(at: now))
            #expect(table.serviceCount <= keys.count)
        }
        for key in keys { check(table.removed(key, at: now)) }
        check(table.expire(at: now + RowTable.lingerNanoseconds))
        #expect(table.serviceCount == 0 && table.candidateCount == 0 && table.rooms.isEmpty && seen.isEmpty)
        #expect(table.deadline == nil)
    }
}
