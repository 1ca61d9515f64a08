import Foundation
import ParlorDiscovery
import Testing

extension LiveTests {
    /// Two machines, each with a bus and an Avahi of its own, joined by a cable (a veth pair between two
    /// namespaces).
    ///
    /// libdbus knows one bus a process: the second machine's part runs in a process of its own.
    @Suite(.timeLimit(.minutes(3)))
    struct TwoMachinesTests {
        @Test func `a name taken on another machine is counted up, on one of the two`() async throws {
            let lan = try TestBus.startTwoMachines()
            defer { lan.stop() }
            let here = TestBus.folder
            async let other: Void = elsewhere(here)
            let recorder = Recorder()
            let backend = try #require(AvahiBackend { recorder.add($0) })
            defer { backend.stop() }
            backend.publish(record(1))
            let isSeen = recorder.wait(seconds: 60) { recorder in
                recorder.rooms.count == 2 && recorder.rooms.values.allSatisfy { !$0.endpoints.isEmpty }
                    && Set(recorder.rooms.values.map(\.record.name)).count == 2
            }
            #expect(isSeen)
            let names = Set(recorder.rooms.values.map(\.record.name))
            #expect(names == ["Kitchen", "Kitchen #2"])
            let addresses = recorder.rooms.mapValues { $0.endpoints.map(\.address) }
            #expect(addresses == [id(1): ["10.77.0.1"], id(2): ["10.77.0.2"]])
            await other
        }

        private func elsewhere(_ folder: String) async {
            await #expect(processExitsWith: .success) { [folder] in
                setenv("DBUS_SYSTEM_BUS_ADDRESS", "unix:path=\(folder)/right/bus", 1)
                let recorder = Recorder()
                guard let backend = AvahiBackend(events: { recorder.add($0) }) else { exit(1) }
                backend.publish(record(2))
                let isSeen = recorder.wait(seconds: 60) { recorder in
                    recorder.rooms.count == 2 && Set(recorder.rooms.values.map(\.record.name)).count == 2
                        && recorder.all.contains { if case .published = $0 { true } else { false } }
                }
                // The other side is still looking; its test ends both.
                _ = recorder.wait(seconds: isSeen ? 5 : 0) { $0.rooms.isEmpty }
                backend.stop()
                exit(isSeen ? 0 : 1)
            }
        }
    }
}
