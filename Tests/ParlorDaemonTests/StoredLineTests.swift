import Testing

@testable import ParlorDaemon

struct StoredLineTests {
    /// A disk that has what was written when the test says so.
    private final class Disk {
        var writes: [() -> Void] = []
        var done: [String] = []
        lazy var line = StoredLine<String> { [unowned self] in done.append($0) }

        func write() { line.write { done in writes.append(done) } }
    }

    @Test func `what comes after a write waits for it, what comes before does not`() {
        let disk = Disk()
        disk.line.add("a")
        disk.write()
        disk.line.add("b")
        disk.write()
        disk.line.add("c")
        disk.line.advance()
        #expect(disk.done == ["a"])
        #expect(disk.writes.count == 2, "both are begun at once")
        disk.writes[1]()
        #expect(disk.done == ["a"], "the first is not there yet")
        disk.writes[0]()
        #expect(disk.done == ["a", "b", "c"])
        #expect(disk.line.isEmpty)
    }

    @Test func `without a disk nothing waits`() {
        let disk = Disk()
        disk.line.add("a")
        disk.line.write { done in done() }
        disk.line.add("b")
        disk.line.advance()
        #expect(disk.done == ["a", "b"])
    }

    @Test func `a call comes when all before it is done`() {
        let disk = Disk()
        disk.line.afterwards { disk.done.append("now") }
        disk.write()
        disk.line.add("a")
        disk.line.advance()
        disk.line.afterwards { disk.done.append("then") }
        disk.line.add("b")
        disk.line.advance()
        #expect(disk.done == ["now"])
        disk.writes[0]()
        #expect(disk.done == ["now", "a", "then", "b"])
    }

    @Test func `what an action causes comes behind what is in the line already`() {
        var done: [String] = []
        var line: StoredLine<String>?
        line = StoredLine { action in
            done.append(action)
            guard action == "a" else { return }
            line?.add("caused")
            line?.advance()
        }
        line?.add("a")
        line?.add("b")
        line?.advance()
        #expect(done == ["a", "b", "caused"])
    }

    @Test func `finishing waits for nothing any more, also from within an action`() {
        let disk = Disk()
        disk.write()
        disk.line.add("a")
        disk.line.advance()
        disk.line.finish()
        #expect(disk.done == ["a"])
        disk.write()
        disk.line.add("b")
        disk.line.advance()
        #expect(disk.done == ["a", "b"])

        var done: [String] = []
        var line: StoredLine<String>?
        line = StoredLine { action in
            done.append(action)
            line?.finish()
        }
        line?.add("a")
        line?.write { _ in }
        line?.add("b")
        line?.advance()
        #expect(done == ["a", "b"])
    }
}
