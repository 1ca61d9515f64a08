import Testing

@testable import ParlorDaemon

struct UptimeTests {
    @Test func `seconds are never less than 0, though the clock goes back`() {
        #expect(Daemon.seconds(from: 1_000_000_000, to: 3_500_000_000) == 2.5)
        #expect(Daemon.seconds(from: 7, to: 7) == 0)
        #expect(Daemon.seconds(from: 3_500_000_000, to: 1_000_000_000) == 0)
        #expect(Daemon.seconds(from: .max, to: 0) == 0)
    }
}
