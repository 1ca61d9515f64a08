import Foundation
import Glibc
import ParlorDiscovery
import Testing

/// Runs in a process that a test has for itself: from here on it has a network with nothing but loopback.
///
/// - Returns: Whether that worked.
private func leaveNetwork() -> Bool {
    // Not among what Swift's Glibc has: unshare(CLONE_NEWNET).
    typealias Unshare = @convention(c) (CInt) -> CInt
    guard let symbol = dlsym(nil, "unshare"),
        unsafeBitCast(symbol, to: Unshare.self)(0x4000_0000) == 0,
        let lo = try? Child(["ip", "link", "set", "lo", "up"])
    else { return false }
    return lo.wait() == 0
}

private func running(_ backend: DiscoveryState.Backend) -> (Recorder) -> Bool {
    { recorder in
        let states = recorder.all.compactMap { if case .state(let state) = $0 { state } else { nil } }
        return states.last.map { $0.word == .running && $0.backend == backend } ?? false
    }
}

private func count(_ recorder: Recorder, _ event: DiscoveryEvent) -> Int {
    recorder.all.count { $0 == event }
}

/// Ends the process unless the step came; the line it stands in is the exit code.
private func require(_ step: String, _ isDone: Bool, line: UInt32 = #line) {
    if !isDone { exit(CInt(line)) }
}

extension LiveTests {
    @Suite(.serialized, .timeLimit(.minutes(3)))
    struct EmbeddedBackendTests {
        @Test func `three responders in one network see each other's rooms, names, changes and ends`() async {
            await #expect(processExitsWith: .success) {
                guard leaveNetwork() else { exit(1) }
                let recorders = [Recorder(), Recorder(), Recorder()]
                let backends = recorders.compactMap { recorder in
                    AvahiBackend(mode: .embedded, interfaces: [1]) { recorder.add($0) }
                }
                guard backends.count == 3 else { exit(1) }
                for recorder in recorders { require("runs", recorder.wait(for: running(.embedded))) }
                var room = record(1)
                backends[0].publish(room)
                require("is announced", recorders[0].waitFor(.published(roomID: id(1), name: "Kitchen")))
                for recorder in recorders {
                    require("is seen", recorder.wait { $0.rooms[id(1)]?.record == room })
                    require(
                        "has its address",
                        recorder.wait {
                            $0.rooms[id(1)]?.endpoints.contains { $0.address == "127.0.0.1" } ?? false
                        })
                }
                backends[1].publish(record(2))
                // Of two that come almost at once either gets the other name.
                require(
                    "gets another name",
                    recorders[1].wait { recorder in
                        recorder.all.contains(.published(roomID: id(2), name: "Kitchen #2"))
                            || recorders[0].all.contains(.published(roomID: id(1), name: "Kitchen #2"))
                    })
                require(
                    "is seen beside the first",
                    recorders[2].wait {
                        Set($0.rooms.values.map(\.record.name)) == ["Kitchen", "Kitchen #2"]
                    })
                for taken in 2...4 {
                    room.taken = taken
                    backends[0].update(room)
                }
                require("is seen changed", recorders[2].wait { $0.rooms[id(1)]?.record.taken == 4 })
                backends[0].withdraw(roomID: id(1))
                require("is withdrawn", recorders[2].wait { $0.rooms[id(1)] == nil })
                backends[1].stop()
                require("is withdrawn by stopping", recorders[2].wait { $0.rooms.isEmpty })
                backends[0].stop()
                backends[2].stop()
                exit(0)
            }
        }

        @Test func `automatic falls back to this process, and goes back to the daemon under the same name`()
            async
        {
            _ = TestBus.folder
            let folder = TestBus.folder + "/automatic"
            await #expect(processExitsWith: .success) { [folder = folder as String] in
                guard leaveNetwork() else { exit(1) }
                setenv("DBUS_SYSTEM_BUS_ADDRESS", "unix:path=\(folder)/bus", 1)
                let (host, guest) = (Recorder(), Recorder())
                guard let hosting = AvahiBackend(mode: .automatic, interfaces: [1], events: { host.add($0) }),
                    let looking = AvahiBackend(mode: .automatic, interfaces: [1], events: { guest.add($0) })
                else { exit(1) }
                let published = DiscoveryEvent.published(roomID: id(1), name: "Kitchen")
                hosting.publish(record(1))
                require("falls back", host.wait(for: running(.embedded)))
                require("is announced", host.waitFor(published))
                require("is seen", guest.wait { $0.rooms[id(1)]?.endpoints.isEmpty == false })
                guard
                    let daemon = try? Child(
                        [TestBus.script, "sh", "-c", "echo ready; exec cat"],
                        environment: ["PARLOR_BUS_DIR": folder, "PARLOR_AVAHI_NETWORK": "here"])
                else { exit(1) }
                require("the daemon starts", (try? daemon.waitForReady()) != nil)
                for recorder in [host, guest] {
                    require("goes to the daemon", recorder.wait(seconds: 60, for: running(.avahi)))
                }
                require("is announced by the daemon", host.wait { count($0, published) == 2 })
                require(
                    "is seen through the daemon", guest.wait { $0.rooms[id(1)]?.reachability == .fresh })
                daemon.stop()
                require("falls back again", host.wait(for: running(.embedded)))
                require("is announced again", host.wait { count($0, published) == 3 })
                let isRenamed = host.all.contains { if case .renamed = $0 { true } else { false } }
                require("keeps its name", !isRenamed)
                hosting.stop()
                looking.stop()
                exit(0)
            }
        }
    }
}
