import Foundation
import ParlorDiscovery
import Testing

/// What needs a bus: one after the other, because libdbus knows one address a process.
@Suite(.serialized, .enabled(if: TestBus.isPermitted, "needs root and namespaces"))
struct LiveTests {}

extension LiveTests {
    @Suite(.serialized, .timeLimit(.minutes(3)))
    struct AvahiBackendTests {
        private func backend(_ recorder: Recorder, interfaces: [UInt32]? = nil) throws -> AvahiBackend {
            _ = TestBus.folder
            return try #require(AvahiBackend(interfaces: interfaces) { recorder.add($0) })
        }

        @Test func `a room is seen by another, with its record and address, and its changes and its end`()
            throws
        {
            let bus = try TestBus.start()
            defer { bus.stop() }
            let (host, guest) = (Recorder(), Recorder())
            let (hosting, looking) = (try backend(host), try backend(guest))
            defer {
                hosting.stop()
                looking.stop()
            }
            var room = record(1)
            room.hostName = "Ann \u{1F600}"
            hosting.publish(room)
            #expect(host.waitFor(.published(roomID: id(1), name: "Kitchen")))
            #expect(guest.wait { $0.rooms[id(1)]?.endpoints.isEmpty == false })
            let seen = try #require(guest.rooms[id(1)])
            #expect(seen.record == room)
            #expect(seen.endpoints.map(\.address) == ["127.0.0.1"])
            #expect(seen.endpoints.map(\.port) == [27_720])
            #expect(seen.reachability == .fresh)
            #expect(host.wait { $0.rooms[id(1)] != nil }, "one's own room is seen too")

            for taken in 2...4 {
                room.taken = taken
                room.state = taken == 4 ? .full : .lobby
                hosting.update(room)
            }
            #expect(guest.wait { $0.rooms[id(1)]?.record == room })
            hosting.withdraw(roomID: id(1))
            #expect(guest.wait { $0.rooms.isEmpty })
            #expect(guest.words == [.searching, .running])
        }

        @Test func `a taken name is counted up, and both are seen`() throws {
            let bus = try TestBus.start()
            defer { bus.stop() }
            let (one, two) = (Recorder(), Recorder())
            let (first, second) = (try backend(one), try backend(two))
            defer {
                first.stop()
                second.stop()
            }
            first.publish(record(1))
            #expect(one.waitFor(.published(roomID: id(1), name: "Kitchen")))
            second.publish(record(2))
            second.publish(record(3))
            #expect(two.waitFor(.renamed(roomID: id(2), name: "Kitchen #2")))
            #expect(two.waitFor(.published(roomID: id(2), name: "Kitchen #2")))
            #expect(two.waitFor(.published(roomID: id(3), name: "Kitchen #3")))
            #expect(one.wait { $0.rooms.count == 3 })
            #expect(Set(one.rooms.values.map(\.record.name)) == ["Kitchen", "Kitchen #2", "Kitchen #3"])
        }

        @Test func `fifty rooms come and go`() throws {
            let bus = try TestBus.start()
            defer { bus.stop() }
            let (host, guest) = (Recorder(), Recorder())
            let (hosting, looking) = (try backend(host), try backend(guest))
            defer {
                hosting.stop()
                looking.stop()
            }
            for number: UInt8 in 1...50 { hosting.publish(record(number, name: "Room \(number)")) }
            #expect(guest.wait(seconds: 60) { $0.rooms.count == 50 })
            for number: UInt8 in 1...50 { hosting.withdraw(roomID: id(number)) }
            #expect(guest.wait(seconds: 60) { $0.rooms.isEmpty })
            let found = guest.all.count { if case .found = $0 { true } else { false } }
            let lost = guest.all.count { if case .lost = $0 { true } else { false } }
            #expect(found == 50 && lost == 50)
        }

        @Test func `a room on loopback alone is seen there, and not after it moved away`() throws {
            let bus = try TestBus.start()
            defer { bus.stop() }
            let (host, guest) = (Recorder(), Recorder())
            let (hosting, looking) = (try backend(host, interfaces: [1]), try backend(guest))
            defer {
                hosting.stop()
                looking.stop()
            }
            hosting.publish(record(1))
            #expect(guest.wait { $0.rooms[id(1)]?.endpoints.map(\.address) == ["127.0.0.1"] })
            #expect(guest.rooms[id(1)]?.endpoints.map(\.interface) == [1])
            let isOnLoopback = host.all.contains {
                if case .state(let state) = $0 {
                    state.word == .running && state.interfaces == ["lo"]
                } else {
                    false
                }
            }
            #expect(isOnLoopback)
            hosting.setInterfaces([4_000])
            #expect(guest.wait { $0.rooms.isEmpty })
            hosting.setInterfaces([1])
            #expect(guest.wait { $0.rooms[id(1)] != nil })
        }

        @Test func `without a bus it says so, and works once there is one`() throws {
            let (host, guest) = (Recorder(), Recorder())
            let (hosting, looking) = (try backend(host), try backend(guest))
            defer {
                hosting.stop()
                looking.stop()
            }
            hosting.publish(record(1))
            #expect(host.wait { $0.words.last == .noBus })
            #expect(guest.wait { $0.words.last == .noBus })
            let bus = try TestBus.start()
            defer { bus.stop() }
            #expect(guest.wait(seconds: 60) { $0.rooms[id(1)] != nil })
            #expect(host.words.filter { $0 != .searching } == [.noBus, .running])
        }

        @Test func `without a daemon it says so, and a restarted one has the same rooms again`() throws {
            let bus = try TestBus.startBus()
            defer { bus.stop() }
            let (host, guest) = (Recorder(), Recorder())
            let (hosting, looking) = (try backend(host), try backend(guest))
            defer {
                hosting.stop()
                looking.stop()
            }
            hosting.publish(record(1))
            #expect(host.wait { $0.words.last == .noDaemon })
            var daemon = try TestBus.startDaemon()
            #expect(guest.wait { $0.rooms[id(1)]?.reachability == .fresh })
            daemon.stop()
            #expect(host.wait { $0.words.last == .noDaemon })
            #expect(guest.wait { $0.rooms[id(1)]?.reachability == .cached })
            daemon = try TestBus.startDaemon()
            #expect(guest.wait { $0.rooms[id(1)]?.reachability == .fresh })
            // The other one may hear of the room before its own host is told that it is out.
            let published = DiscoveryEvent.published(roomID: id(1), name: "Kitchen")
            #expect(host.wait { $0.all.count { $0 == published } == 2 })
            #expect(!guest.all.contains { if case .lost = $0 { true } else { false } })
            #expect(host.words.filter { $0 != .searching } == [.noDaemon, .running, .noDaemon, .running])
            daemon.stop()
        }

        @Test func `a bus that is restarted is found again`() throws {
            var bus = try TestBus.start()
            let host = Recorder()
            let hosting = try backend(host)
            defer { hosting.stop() }
            hosting.publish(record(1))
            #expect(host.waitFor(.published(roomID: id(1), name: "Kitchen")))
            bus.stop()
            #expect(host.wait { $0.words.last == .noBus })
            bus = try TestBus.start()
            #expect(
                host.wait(seconds: 60) {
                    $0.all.count { $0 == .published(roomID: id(1), name: "Kitchen") } == 2
                })
            bus.stop()
        }

        @Test func `an unreachable room is marked, then hidden, then seen when announced anew`() throws {
            let bus = try TestBus.start()
            defer { bus.stop() }
            let (host, guest) = (Recorder(), Recorder())
            let (hosting, looking) = (try backend(host), try backend(guest))
            defer {
                hosting.stop()
                looking.stop()
            }
            var room = record(1)
            hosting.publish(room)
            #expect(guest.wait { $0.rooms[id(1)] != nil })
            looking.markUnreachable(roomID: room.roomID, hostID: room.hostID)
            #expect(guest.wait { $0.rooms[id(1)]?.reachability == .unreachable })
            looking.markUnreachable(roomID: room.roomID, hostID: room.hostID)
            #expect(guest.wait { $0.rooms.isEmpty })
            room.taken = 2
            hosting.update(room)
            #expect(guest.wait { $0.rooms[id(1)]?.record == room })
        }

        @Test func `a room that cannot be announced is reported`() throws {
            let host = Recorder()
            let hosting = try backend(host)
            defer { hosting.stop() }
            hosting.publish(record(1, name: "a\u{202E}b"))
            #expect(host.wait { $0.all.contains { if case .failed(id(1), _) = $0 { true } else { false } } })
        }

        @Test func `it stops while the bus hangs, and nothing is reported after that`() throws {
            let bus = try #require(HungBus(path: TestBus.folder + "/bus"))
            let host = Recorder()
            let hosting = try backend(host)
            hosting.publish(record(1))
            #expect(bus.acceptCall())
            let start = ContinuousClock.now
            hosting.stop()
            #expect(ContinuousClock.now - start < .seconds(10))
            #expect(host.words == [.searching])
            hosting.stop()
            bus.close()
            #expect(host.words == [.searching])
        }

        @Test func `it may be stopped from its own callback`() throws {
            final class Box: @unchecked Sendable { var backend: AvahiBackend? }
            let (box, host, go) = (Box(), Recorder(), DispatchSemaphore(value: 0))
            _ = TestBus.folder
            box.backend = try #require(
                AvahiBackend { event in
                    go.wait()
                    box.backend?.stop()
                    host.add(event)
                })
            go.signal()
            #expect(host.wait { !$0.all.isEmpty })
            box.backend = nil
            #expect(host.words == [.searching])
        }
    }
}
