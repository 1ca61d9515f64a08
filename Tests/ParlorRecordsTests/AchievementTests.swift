import ParlorProtocol
import Testing

@testable import ParlorRecords

struct AchievementTests {
    private let me = People.quick(1)
    private var book: AchievementBook { AchievementBook(Boards.registry, me: me.peer) }

    @Test func `progress only rises, and values that are none are refused`() throws {
        var book = book
        let made1 = try book.report("one", percent: 40, at: 1, signer: me)
        #expect(made1?.percent == 40)
        let made2 = try book.report("one", percent: 40, at: 2, signer: me)
        #expect(made2 == nil)
        let made3 = try book.report("one", percent: 30, at: 2, signer: me)
        #expect(made3 == nil)
        for percent in [-1, 101, Int.min, Int.max] {
            #expect(throws: RecordFault.self) {
                _ = try book.report("one", percent: percent, at: 3, signer: me)
            }
        }
        #expect(throws: RecordFault.unknown("none")) {
            _ = try book.report("none", percent: 1, at: 1, signer: me)
        }
        #expect(book.record("one", of: me.peer)?.percent == 40)
    }

    @Test func `what is earned is not reported again, and its banner comes once`() throws {
        var book = book
        #expect(book.bannersDue.isEmpty)
        let made4 = try book.report("one", percent: 100, at: 1, signer: me)
        let earned = try #require(made4)
        let banner = AchievementBook.Banner(achievement: "one", generation: 0)
        #expect(book.bannersDue == [banner])
        let made5 = try book.report("one", percent: 100, at: 2, signer: me)
        #expect(made5 == nil)
        #expect(book.bannersDue == [banner])
        book.markShown(banner)
        #expect(book.bannersDue.isEmpty)
        // Not when the record comes back from elsewhere, either.
        _ = try book.merge(earned)
        #expect(book.bannersDue.isEmpty)
        // Nor after a restart.
        var again = self.book
        _ = try again.merge(earned)
        #expect(again.bannersDue == [banner], "earned and shown are two things")
        again.markShown(banner)
        #expect(again.bannersDue.isEmpty)
    }

    @Test func `two banners at once queue in the order in which they were earned`() throws {
        var book = book
        _ = try book.report("secret", percent: 100, at: 1, signer: me)
        _ = try book.report("one", percent: 100, at: 1, signer: me)
        #expect(book.bannersDue.map(\.achievement) == ["secret", "one"])
        book.markShown(book.bannersDue[0])
        #expect(book.bannersDue.map(\.achievement) == ["one"])
    }

    @Test func `a repeatable one is counted, its points once`() throws {
        var book = book
        for count in 1...3 {
            let made6 = try book.report("again", percent: 100, at: Int64(count), signer: me)
            #expect(made6?.count == count)
        }
        let made7 = try book.report("again", percent: 60, at: 4, signer: me)
        #expect(made7 == nil)
        #expect(book.points(of: me.peer) == 20)
        #expect(book.bannersDue.count == 1)
    }

    @Test func `a reset begins a generation that wins over all of the one before`() throws {
        var book = book
        let made8 = try book.reset("one", at: 1, signer: me)
        #expect(made8 == nil, "nothing to begin anew")
        let made9 = try book.report("one", percent: 100, at: 1, signer: me)
        let earned = try #require(made9)
        let made10 = try book.reset("one", at: 2, signer: me)
        let reset = try #require(made10)
        #expect((reset.generation, reset.percent) == (1, 0))
        #expect(book.bannersDue.isEmpty)
        #expect(book.points(of: me.peer) == 0)
        let made11 = try book.merge(earned)
        #expect(made11 == false)
        #expect(book.record("one", of: me.peer)?.percent == 0)
        _ = try book.report("one", percent: 100, at: 3, signer: me)
        #expect(book.bannersDue == [.init(achievement: "one", generation: 1)])
    }

    @Test func `progress never crosses users`() throws {
        let other = People.quick(2)
        var theirs = AchievementBook(Boards.registry, me: other.peer)
        let made12 = try theirs.report("one", percent: 100, at: 1, signer: other)
        let record = try #require(made12)
        var book = book
        let made13 = try book.merge(record)
        #expect(made13)
        #expect(book.record("one", of: me.peer) == nil)
        #expect(book.points(of: me.peer) == 0)
        #expect(book.points(of: other.peer) == 30)
        #expect(book.bannersDue.isEmpty)
    }

    @Test func `hidden ones show once they are earned`() throws {
        var book = book
        #expect(book.visible(to: me.peer).map(\.id) == ["one", "again"])
        _ = try book.report("secret", percent: 99, at: 1, signer: me)
        #expect(book.visible(to: me.peer).count == 2)
        _ = try book.report("secret", percent: 100, at: 1, signer: me)
        #expect(book.visible(to: me.peer).map(\.id) == ["one", "again", "secret"])
    }

    @Test(arguments: UInt64(1)...40)
    func `whatever the order, and however often, the same stands`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        // Records of one player on several machines, which know nothing of each other.
        var records: [AchievementRecord] = []
        for _ in 0..<4 {
            let player = People.quick(Int.random(in: 1...2, using: &random))
            var book = AchievementBook(Boards.registry, me: player.peer)
            for time in 1...8 {
                let id = ["one", "again"].randomElement(using: &random) ?? "one"
                let made =
                    Int.random(in: 1...6, using: &random) == 1
                    ? try book.reset(id, at: Int64(time), signer: player)
                    : try book.report(
                        id, percent: [30, 60, 100].randomElement(using: &random) ?? 0, at: Int64(time),
                        signer: player)
                if let made { records.append(made) }
            }
        }
        func merged(_ records: [AchievementRecord]) throws -> [[UInt8]] {
            var book = book
            for record in records { _ = try book.merge(record) }
            return book.encoded
        }
        let once = try merged(records)
        #expect(
            try merged(records.shuffled(using: &random) + records.shuffled(using: &random)) == once,
            "seed \(seed)")
        let half = try merged(Array(records.prefix(records.count / 2)))
        let read = try half.map { bytes in try AchievementRecord(decoding: bytes) }
        #expect(try merged(records.suffix(records.count - records.count / 2) + read) == once, "seed \(seed)")
    }

    @Test func `records read back, and what is none is refused`() throws {
        var book = book
        let made14 = try book.report("again", percent: 100, at: 5, signer: me)
        let record = try #require(made14)
        #expect(try AchievementRecord(decoding: record.encoded) == record)
        #expect(record.isSigned(.standIn))
        for length in 0..<record.encoded.count {
            #expect(throws: RecordFault.self) {
                _ = try AchievementRecord(decoding: Array(record.encoded.prefix(length)))
            }
        }
        var newer = record.encoded
        newer[1] = 2
        #expect(throws: RecordFault.newer(version: 2)) { _ = try AchievementRecord(decoding: newer) }
        let made15 = try book.report("one", percent: 100, at: 5, signer: me)
        let once = try #require(made15)
        #expect(throws: RecordFault.self) {
            try ScoreCheck.check(
                AchievementRecord(
                    achievement: "one", generation: 0, percent: 100, count: 2, signedAt: 5, signer: me),
                Boards.registry, at: 10, signing: .standIn)
        }
        try ScoreCheck.check(once, Boards.registry, at: 10, signing: .standIn)
        #expect(throws: RecordFault.badSignature) {
            try ScoreCheck.check(once, Boards.registry, at: 10, signing: .ed25519)
        }
    }
}
