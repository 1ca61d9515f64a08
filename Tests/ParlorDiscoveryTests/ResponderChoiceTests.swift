import Testing

@testable import ParlorDiscovery

private let second = Publication.second

struct ResponderChoiceTests {
    @Test func `without a daemon this process does it after ten seconds, and not before`() {
        var choice = ResponderChoice(.automatic, at: 5 * second)
        #expect(choice.deadline == 15 * second)
        choice.daemonGone(at: 9 * second)
        #expect(choice.deadline == 15 * second, "it has been gone since the start")
        #expect(choice.tick(at: 15 * second - 1).isEmpty)
        #expect(choice.tick(at: 15 * second) == [.useEmbedded])
        #expect(choice.isEmbedded && choice.deadline == nil)
        choice.daemonGone(at: 20 * second)
        choice.daemonAppeared()
        #expect(choice.tick(at: 99 * second).isEmpty && choice.isEmbedded)
    }

    @Test func `a daemon that appears takes over a second after this process has withdrawn`() {
        var choice = ResponderChoice(.automatic, at: 0)
        _ = choice.tick(at: 10 * second)
        #expect(choice.daemonRuns(at: 30 * second) == [.leaveEmbedded])
        #expect(!choice.isEmbedded && choice.deadline == 31 * second)
        #expect(choice.daemonRuns(at: 30 * second + 1).isEmpty)
        #expect(choice.tick(at: 31 * second - 1).isEmpty)
        #expect(choice.tick(at: 31 * second) == [.useDaemon])
        #expect(choice.deadline == nil)
        choice.daemonGone(at: 40 * second)
        #expect(choice.deadline == 50 * second)
    }

    @Test func `a daemon that goes again in that second is waited for anew`() {
        var choice = ResponderChoice(.automatic, at: 0)
        _ = choice.tick(at: 10 * second)
        _ = choice.daemonRuns(at: 30 * second)
        choice.daemonGone(at: 30 * second + 5)
        #expect(choice.tick(at: 31 * second).isEmpty)
        #expect(choice.tick(at: 40 * second + 5) == [.useEmbedded])
    }

    @Test func `a daemon that claims its name is there`() {
        var choice = ResponderChoice(.automatic, at: 0)
        choice.daemonAppeared()
        #expect(choice.deadline == nil)
        #expect(choice.daemonRuns(at: 60 * second) == [.useDaemon])
        #expect(choice.daemonRuns(at: 61 * second) == [.useDaemon], "ready again after claiming its name")
    }

    @Test func `what somebody asked for is not changed`() {
        var daemon = ResponderChoice(.daemon, at: 0)
        #expect(daemon.wantsDaemon && daemon.deadline == nil)
        #expect(daemon.tick(at: 99 * second).isEmpty)
        var embedded = ResponderChoice(.embedded, at: 3)
        #expect(!embedded.wantsDaemon && embedded.deadline == 3)
        #expect(embedded.tick(at: 3) == [.useEmbedded])
    }

    @Test(arguments: UInt64(1)...100)
    func `no room is ever announced on both ways, nor sooner than a second after the other`(seed: UInt64) {
        var chance = Chance(state: seed)
        var choice = ResponderChoice(.automatic, at: 0)
        var (now, way, leftAt): (UInt64, ResponderChoice.Action?, UInt64) = (0, nil, 0)
        func carryOut(_ actions: [ResponderChoice.Action]) {
            for action in actions {
                switch action {
                case .leaveEmbedded:
                    #expect(way == .useEmbedded, "seed \(seed)")
                    (way, leftAt) = (nil, now)
                case .useDaemon:
                    #expect(way != .useEmbedded, "seed \(seed)")
                    #expect(leftAt == 0 || now >= leftAt + second, "seed \(seed)")
                    way = action
                case .useEmbedded:
                    #expect(way == nil, "seed \(seed)")
                    way = action
                }
            }
        }
        for _ in 1...200 {
            now += UInt64(chance.next(below: 4_000)) * (second / 1_000)
            switch chance.next(below: 4) {
            case 0: carryOut(choice.daemonRuns(at: now))
            case 1:
                choice.daemonGone(at: now)
                if way == .useDaemon { way = nil }
            case 2: choice.daemonAppeared()
            default: carryOut(choice.tick(at: now))
            }
        }
    }
}
