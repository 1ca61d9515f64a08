import ParlorProtocol
import ParlorSim
import Testing

/// What a peer finds on its disk after it was killed.
struct MatchRecordTests {
    @Test func `what takes the place of an end of one's own has not been accepted`() throws {
        var table = try HandOverTests.table("snap", seats: 2, seed: 1)
        _ = table.run(forMilliseconds: 20_000)
        try #require(table.machines[0].log.entries.count >= 6)
        let entries = Array(table.machines[0].log.entries[..<6])
        var record = MatchRecord(table.machines[0].log.genesis)
        record.apply(.entries(from: 0, entries))
        #expect(record.acceptedCount == 0)
        record.apply(.accepted(6))
        // Only the last is taken back, as when a copy that was ended alone goes on.
        record.apply(.entries(from: 5, [entries[5]]))
        #expect(record.entries == entries)
        #expect(record.acceptedCount == 5)
        record.apply(.entries(from: 6, []))
        #expect(record.acceptedCount == 5)
    }
}
