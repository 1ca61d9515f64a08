import ParlorGames
import ParlorSim
import Testing

@testable import ParlorProtocol

/// What a host sends its watchers, and how little those can make it send.
struct WatchFeedTests {
    private func log(_ seed: UInt64 = 1) throws -> MatchLog {
        var setup = SimTable.Setup(game: "hangman", seats: 4)
        setup.options = [Value.Member("rounds", 3)]
        var table = try SimTable(setup, seed: seed)
        let over = table.run(forSeconds: 3_000)
        try #require(over)
        return table.machines[0].log
    }

    private func count(_ message: MatchMessage?) -> Int? {
        if case .entries(let entries) = message { entries.count } else { nil }
    }

    @Test func `the log comes in batches, each asked for, then what is new by itself`() throws {
        let log = try log()
        let known = log.entries.count - 3
        var feed = WatchFeed()
        #expect(feed.grown(for: peer(1), log.entries.prefix(known)) == nil, "it has not asked")
        var got: [Entry] = []
        while true {
            let message = feed.wanted(from: got.count, by: peer(1), log.entries.prefix(known), at: second(0))
            guard case .entries(let batch) = message, !batch.isEmpty else { break }
            let bytes = batch.dropLast().reduce(0) { $0 + $1.encoded.count }
            #expect(bytes <= Limits.watchBatchBytesMax)
            got += batch
        }
        #expect(got == Array(log.entries.prefix(known)))
        #expect(feed.grown(for: peer(1), log.entries.prefix(known)) == nil)
        #expect(feed.grown(for: peer(1), log.entries.prefix(known + 1)) == .entries([log.entries[known]]))
        #expect(feed.grown(for: peer(1), log.entries[...]) == .entries(Array(log.entries.suffix(2))))
        #expect(feed.grown(for: peer(1), log.entries[...]) == nil)
        #expect(feed.grown(for: peer(2), log.entries[...]) == nil)
    }

    @Test func `what was sent comes again once a second at most, also to who enters anew`() throws {
        let log = try log()
        var feed = WatchFeed()
        func ask(_ index: Int, _ at: Tick) -> Int? {
            count(feed.wanted(from: index, by: peer(1), log.entries.prefix(20), at: at))
        }
        #expect(ask(0, second(0)) == 20)
        #expect(ask(20, second(0)) == 0)
        #expect(ask(5, second(0)) == 15)
        #expect(ask(0, second(0)) == nil)
        feed.began(peer(1))
        #expect(ask(0, second(0)) == nil)
        #expect(ask(19, second(0) + .milliseconds(999)) == nil)
        #expect(ask(0, second(1)) == 20)
        #expect(ask(0, second(1)) == nil)
        #expect(ask(20, second(1)) == 0, "what is new is not held back")
        #expect(ask(1_000, second(1)) == 0)
        #expect(count(feed.wanted(from: 0, by: peer(2), log.entries.prefix(20), at: second(1))) == 20)
    }

    @Test func `who enters anew gets nothing until it asks`() throws {
        let log = try log()
        var feed = WatchFeed()
        _ = feed.wanted(from: 0, by: peer(1), log.entries.prefix(5), at: second(0))
        feed.began(peer(1))
        #expect(feed.grown(for: peer(1), log.entries.prefix(6)) == nil)
        #expect(count(feed.wanted(from: 5, by: peer(1), log.entries.prefix(6), at: second(0))) == 1)
    }

    @Test func `it remembers so many peers and no more`() throws {
        let log = try log()
        var feed = WatchFeed()
        for number in 1...Limits.watchRecordsMax + 1 {
            _ = feed.wanted(from: 0, by: peer(number), log.entries.prefix(5), at: second(0))
            feed.began(peer(number))
        }
        #expect(count(feed.wanted(from: 5, by: peer(2), log.entries.prefix(6), at: second(0))) == 1)
        #expect(
            Mirror(reflecting: feed).descendant("records").map { Mirror(reflecting: $0).children.count }
                == Limits.watchRecordsMax)
    }

    /// A watcher that goes from one host to another while messages are lost whenever its link changes.
    @Test(arguments: UInt64(1)...40)
    func `whatever is lost on the way, the copy is a part of the log and becomes all of it`(seed: UInt64)
        throws
    {
        var random = SeededGenerator(seed: seed)
        let log = try log(1 + seed % 4)
        var now = second(0)
        var feeds = [WatchFeed(), WatchFeed()]
        // What each of two hosts has; the second one lags behind.
        var known = [0, 0]
        var host = 0
        var copy = MatchWatcher(log.genesis, words: log.state.words, signing: .standIn, now: now)
        var (toHost, toWatcher): ([MatchMessage], [MatchMessage]) = ([], [])
        var armed: Tick?
        func feed(_ input: MatchWatcher.Input) {
            for action in copy.handle(input, at: now) {
                switch action {
                case .send(let message): toHost.append(message)
                case .arm(let tick): armed = tick
                case .notice(.violation(let text)): Issue.record("seed \(seed): \(text)")
                case .notice: break
                }
            }
            #expect(copy.log.head == log.hash(at: copy.log.entries.count - 1), "seed \(seed)")
        }
        feed(.begin)
        var steps = 0
        while copy.log.state.phase != .ended, steps < 20_000 {
            steps += 1
            switch random.next() % 16 {
            case 0..<4:
                known[0] = min(log.entries.count, known[0] + 1)
                known[1] = max(known[1], known[0] - 2)
                if let message = feeds[host].grown(for: peer(1), log.entries.prefix(known[host])) {
                    toWatcher.append(message)
                }
            case 4..<8:
                guard !toHost.isEmpty, case .want(let index) = toHost.removeFirst() else { break }
                let answer = feeds[host].wanted(
                    from: index, by: peer(1), log.entries.prefix(known[host]), at: now)
                if let answer { toWatcher.append(answer) }
            case 8..<12: if !toWatcher.isEmpty { feed(.received(toWatcher.removeFirst())) }
            case 12..<14:
                now = max(now + .milliseconds(100), armed ?? now)
                feed(.deadlinePassed)
            case 14 where random.next() % 4 == 0:
                (toHost, toWatcher) = ([], [])
                host = 1 - host
                feeds[host].began(peer(1))
                feed(.linkBack)
            default: now = now + .milliseconds(50)
            }
        }
        #expect(copy.log.head == log.head, "seed \(seed), \(copy.log.entries.count) of \(log.entries.count)")
    }
}

extension [UInt8] {
    /// Whether bytes occur in a row.
    func contains(_ part: [UInt8]) -> Bool {
        guard let first = part.first, count >= part.count else { return false }
        return (0...count - part.count).contains {
            self[$0] == first && self[$0..<$0 + part.count].elementsEqual(part)
        }
    }
}
