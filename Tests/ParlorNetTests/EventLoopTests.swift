import Foundation
import ParlorNet
import Testing

@Suite struct EventLoopTests {
    @Test func `timers fire in the order of their instants and never early`() throws {
        try withLoop { loop in
            var fired: [Int] = []
            let start = loop.now
            let delays: [UInt64] = [7_300_000, 1_100_000, 4_000_001]
            for (index, delay) in delays.enumerated() {
                let timer = loop.timer {
                    #expect(loop.now >= start + delay)
                    fired.append(index)
                    if fired.count == delays.count { loop.stop() }
                }
                timer.set(at: start + delay)
            }
            loop.runUntilStopped()
            #expect(fired == [1, 2, 0])
        }
    }

    @Test func `a timer armed late in a long turn is not early`() throws {
        try withLoop { loop in
            var due: UInt64 = 0
            let timer = loop.timer {
                #expect(loop.now >= due)
                loop.stop()
            }
            loop.atTurnEnd {
                let busyUntil = loop.now + 8_000_000
                while loop.now < busyUntil {}
                due = loop.now + 3_000_000
                timer.set(at: due)
            }
            loop.runUntilStopped()
        }
    }

    @Test func `a timer can be moved, disarmed and armed again from its own body`() throws {
        try withLoop { loop in
            var count = 0
            var timer: LoopTimer?
            let never = loop.timer { Issue.record("a disarmed timer fired") }
            never.set(at: loop.now + 1_000_000)
            never.set(at: nil)
            timer = loop.timer {
                count += 1
                if count == 3 { return loop.stop() }
                timer?.set(at: 0)
            }
            timer?.set(at: loop.now + 3_600 * second)
            timer?.set(at: loop.now + 3_000_000)
            loop.runUntilStopped()
            #expect(count == 3)
        }
    }

    @Test func `a closed timer neither fires nor can be armed`() throws {
        try withLoop { loop in
            let closed = loop.timer { Issue.record("a closed timer fired") }
            closed.set(at: loop.now)
            closed.close()
            closed.set(at: loop.now)
            closed.close()
            let last = loop.timer { loop.stop() }
            last.set(at: loop.now + 2_000_000)
            loop.runUntilStopped()
        }
    }

    @Test func `bodies for the end of a turn run before the loop waits, in order, with those they add`()
        throws
    {
        try withLoop { loop in
            var order: [Int] = []
            loop.atTurnEnd { order.append(1) }
            loop.atTurnEnd {
                order.append(2)
                loop.atTurnEnd {
                    order.append(3)
                    loop.stop()
                }
            }
            #expect(order.isEmpty)
            loop.runUntilStopped()
            #expect(order == [1, 2, 3])
        }
    }

    @Test func `work that goes on adding work does not keep timers from firing`() throws {
        try withLoop { loop in
            var isDone = false
            func again() { if !isDone { loop.atTurnEnd(again) } }
            again()
            let timer = loop.timer {
                isDone = true
                loop.stop()
            }
            timer.set(at: loop.now + 2_000_000)
            loop.runUntilStopped()
        }
    }

    @Test func `stopping before running makes run return`() throws {
        try withLoop { loop in
            loop.stop()
            loop.run()
        }
    }

    @Test func `posts from several threads all arrive on the loop, each thread's in order`() throws {
        try withLoop { loop in
            let threads = 4
            let posts = 2_000
            let mailbox = loop.mailbox
            let seen = Locked([Int](repeating: 0, count: threads))
            let left = Locked(threads * posts)
            let outOfOrder = Locked(0)
            let stop = UncheckedLoop(loop)
            for thread in 0..<threads {
                Thread.detachNewThread {
                    for number in 0..<posts {
                        mailbox.post {
                            stop.loop.preconditionOnLoop()
                            seen.withLock { seen in
                                if seen[thread] != number { outOfOrder.withLock { $0 += 1 } }
                                seen[thread] += 1
                            }
                            let remaining = left.withLock { left in
                                left -= 1
                                return left
                            }
                            if remaining == 0 { stop.loop.stop() }
                        }
                    }
                }
            }
            loop.runUntilStopped()
            #expect(seen.withLock { $0 } == [Int](repeating: posts, count: threads))
            #expect(outOfOrder.withLock { $0 } == 0)
        }
    }

    @Test func `a post to a closed loop is dropped`() throws {
        let loop = try EventLoop()
        let mailbox = loop.mailbox
        loop.close()
        mailbox.post { Issue.record("ran on a closed loop") }
    }

    @Test func `a signal reaches the loop`() throws {
        try withLoop { loop in
            var count = 0
            try loop.onSignal(SIGWINCH) {
                count += 1
                loop.stop()
            }
            kill(getpid(), SIGWINCH)
            loop.runUntilStopped()
            #expect(count == 1)
            #expect(throws: NetError.self) { try loop.onSignal(SIGKILL) {} }
        }
    }

    @Test func `names and numbers are looked up on the loop`() throws {
        try withLoop { loop in
            var answers: [Result<[SocketAddress], NetError>] = []
            func note(_ result: Result<[SocketAddress], NetError>) {
                answers.append(result)
                if answers.count == 2 { loop.stop() }
            }
            loop.resolve(host: "127.0.0.1", port: 27_720, completion: note)
            loop.resolve(host: "no dots or spaces allowed.invalid", port: 1, completion: note)
            #expect(answers.isEmpty)
            loop.runUntilStopped()
            let good = answers.compactMap { try? $0.get() }
            #expect(good == [[.loopback(port: 27_720)]])
            #expect(
                answers.contains {
                    if case .failure(let error) = $0 { error.code == .nameUnknown } else { false }
                })
        }
    }

    @Test func `the interfaces include the loopback with its address`() throws {
        let interfaces = try Interfaces.list()
        let loopback = try #require(interfaces.first { $0.isLoopback })
        #expect(loopback.index > 0)
        #expect(loopback.addresses.contains { $0.address == .loopback(port: 0) && $0.prefixBits == 8 })
        #expect(interfaces.filter { !$0.isLoopback }.allSatisfy { !$0.addresses.isEmpty })
    }

    @Test func `calling from another thread is a programmer's error`() async {
        await #expect(processExitsWith: .failure) {
            let loop = try EventLoop()
            let box = UncheckedLoop(loop)
            let thread = Thread { box.loop.preconditionOnLoop() }
            thread.start()
            while !thread.isFinished { sched_yield() }
        }
    }
}

/// Carries a loop into closures of other threads, for what is meant to run on the loop after all.
struct UncheckedLoop: @unchecked Sendable {
    let loop: EventLoop
    init(_ loop: EventLoop) { self.loop = loop }
}
