import ParlorProtocol
import Testing

@testable import ParlorSim

/// Machines are called when they asked to be, though most of what they ask for is never in the queue.
struct AlarmTests {
    private enum Event: Sendable, Equatable {
        case wake(Int, ticket: UInt64)
        case other(Int)
    }

    /// What is to happen: at which moment, whose alarm is set to how many milliseconds later, or not at all.
    private struct Plan {
        let at: Tick
        let whose: Int
        let later: UInt64?
    }

    private static func tick(_ milliseconds: UInt64) -> Tick { Tick(nanoseconds: milliseconds * 1_000_000) }

    private static func plans(_ seed: UInt64) -> [Plan] {
        var random = SeededGenerator(seed: seed)
        return (0..<400).map { number in
            let later = UInt64.random(in: 0...12, using: &random)
            return Plan(
                at: tick(UInt64(number) / 2), whose: Int.random(in: 0...2, using: &random),
                later: later > 10 ? nil : later)
        }
    }

    /// Every setting is in the queue, and all but the last come for nothing.
    private static func plainly(_ plans: [Plan]) -> [String] {
        var queue = EventQueue<Event>()
        var armed: [Tick?] = [nil, nil, nil]
        var told: [String] = []
        for (number, plan) in plans.enumerated() { queue.schedule(.other(number), at: plan.at) }
        while let (now, event) = queue.next() {
            switch event {
            case .wake(let whose, let at):
                guard armed[whose] == Tick(nanoseconds: at) else { continue }
                armed[whose] = nil
                told.append("\(whose) at \(now)")
            case .other(let number):
                told.append("\(number)")
                let plan = plans[number]
                let tick = plan.later.map { now + .milliseconds($0) }
                guard armed[plan.whose] != tick else { continue }
                armed[plan.whose] = tick
                if let tick { queue.schedule(.wake(plan.whose, ticket: tick.nanoseconds), at: tick) }
            }
        }
        return told
    }

    private static func withAlarms(_ plans: [Plan]) -> (told: [String], scheduled: Int) {
        var queue = EventQueue<Event>()
        var alarms = [Alarm(), Alarm(), Alarm()]
        var told: [String] = []
        var scheduled = 0
        func schedule(_ next: Alarm.Setting?, _ whose: Int) {
            guard let next else { return }
            scheduled += 1
            queue.schedule(.wake(whose, ticket: next.ticket), at: next.at, as: next.ticket)
        }
        for (number, plan) in plans.enumerated() { queue.schedule(.other(number), at: plan.at) }
        while let (now, event) = queue.next() {
            switch event {
            case .wake(let whose, let ticket):
                let (isDue, next) = alarms[whose].come(ticket)
                schedule(next, whose)
                if isDue { told.append("\(whose) at \(now)") }
            case .other(let number):
                told.append("\(number)")
                let plan = plans[number]
                let tick = plan.later.map { now + .milliseconds($0) }
                guard !alarms[plan.whose].isSet(to: tick) else { continue }
                schedule(
                    alarms[plan.whose].set(tick.map { .init(tick: $0, at: $0, ticket: queue.ticket()) }),
                    plan.whose)
            }
        }
        return (told, scheduled)
    }

    @Test(arguments: UInt64(1)...20)
    func `a machine is called at the moment it asked for last`(seed: UInt64) {
        let plans = Self.plans(seed)
        let (told, scheduled) = Self.withAlarms(plans)
        #expect(told.count > plans.count + 20)
        #expect(told.sorted() == Self.plainly(plans).sorted())
        #expect(scheduled < plans.count)
    }

    @Test func `what was asked for is called in the order it was asked`() {
        var queue = EventQueue<Event>()
        var alarm = Alarm()
        let first = Alarm.Setting(tick: Self.tick(5), at: Self.tick(5), ticket: queue.ticket())
        let begun = alarm.set(first)
        #expect(begun?.ticket == first.ticket)
        // Put off: nothing new is in the queue until the first has come.
        let second = Alarm.Setting(tick: Self.tick(9), at: Self.tick(9), ticket: queue.ticket())
        let putOff = alarm.set(second)
        #expect(putOff?.ticket == nil)
        queue.schedule(.other(1), at: Self.tick(9))
        let early = alarm.come(first.ticket)
        #expect(!early.isDue && early.next?.at == Self.tick(9))
        if let next = early.next {
            queue.schedule(.wake(0, ticket: next.ticket), at: next.at, as: next.ticket)
        }
        let event = queue.next()?.event
        #expect(event == .wake(0, ticket: second.ticket))
        let isDue = [alarm.come(second.ticket).isDue, alarm.come(second.ticket).isDue]
        #expect(isDue == [true, false])
        // An earlier one goes first, and the later one that is in the queue comes for nothing.
        let late = Alarm.Setting(tick: Self.tick(20), at: Self.tick(20), ticket: queue.ticket())
        let soon = Alarm.Setting(tick: Self.tick(12), at: Self.tick(12), ticket: queue.ticket())
        let queued = [alarm.set(late)?.at, alarm.set(soon)?.at]
        #expect(queued == [Self.tick(20), Self.tick(12)])
        let called = [alarm.come(soon.ticket).isDue, alarm.come(late.ticket).isDue]
        #expect(called == [true, false])
    }
}
