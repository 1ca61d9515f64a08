import ParlorControl
import Testing

@testable import ParlorDaemon

struct JournalTests {
    private final class Listener {
        var heard: [Int] = []
    }

    @Test func `a subscriber hears everything from its subscription on, in order`() {
        let journal = EventJournal(unixTime: { 7 })
        let listener = Listener()
        journal.emit(.linkUp)
        journal.subscribe(listener, since: nil) { listener.heard.append($0.seq) }
        journal.emit(.roomOpened)
        journal.emit(.roomClosed)
        #expect(listener.heard == [2, 3])
        journal.unsubscribe(listener)
        journal.emit(.linkLost)
        #expect(listener.heard == [2, 3])
    }

    @Test func `one that comes back hears what it missed, or that it missed too much`() {
        let journal = EventJournal(unixTime: { 7 })
        let listener = Listener()
        for _ in 0..<(EventJournal.keptMax + 10) { journal.emit(.linkUp) }
        #expect(journal.hasMissed(since: 9))
        #expect(!journal.hasMissed(since: 10))
        #expect(!journal.hasMissed(since: journal.last))
        #expect(journal.hasMissed(since: journal.last + 1), "a number of another life of the daemon")
        journal.subscribe(listener, since: journal.last - 2) { listener.heard.append($0.seq) }
        #expect(listener.heard == [journal.last - 1, journal.last])
    }

    @Test func `what arises within a step waits until the step is done`() {
        let turnstile = Turnstile<Int>()
        var order: [String] = []
        func step(_ input: Int) {
            order.append("begin \(input)")
            if input < 3 { turnstile.pass(input + 1, step: step) }
            order.append("end \(input)")
        }
        turnstile.pass(1, step: step)
        #expect(order == ["begin 1", "end 1", "begin 2", "end 2", "begin 3", "end 3"])
    }
}
