public import ParlorProtocol

/// What happens when in a simulated world: earliest first, and in order of scheduling at the same moment.
public struct EventQueue<Event: Sendable>: Sendable {
    private struct Item: Sendable {
        let at: Tick
        let order: Int
        let event: Event

        func isBefore(_ other: Item) -> Bool { at == other.at ? order < other.order : at < other.at }
    }

    private var heap: [Item] = []
    private var order = 0

    /// Makes an empty queue.
    public init() {}

    /// Whether nothing is scheduled.
    public var isEmpty: Bool { heap.isEmpty }

    /// Schedules an event.
    public mutating func schedule(_ event: Event, at tick: Tick) {
        order += 1
        heap.append(Item(at: tick, order: order, event: event))
        var child = heap.count - 1
        while child > 0, heap[child].isBefore(heap[(child - 1) / 2]) {
            heap.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    /// Takes the earliest event, with its moment.
    public mutating func next() -> (at: Tick, event: Event)? {
        guard let first = heap.first, let last = heap.popLast() else { return nil }
        if !heap.isEmpty {
            heap[0] = last
            sink()
        }
        return (first.at, first.event)
    }

    /// Takes the earliest event unless it lies after a moment; then it stays.
    public mutating func next(upTo end: Tick) -> (at: Tick, event: Event)? {
        guard let first = heap.first, first.at <= end else { return nil }
        return next()
    }

    private mutating func sink() {
        var parent = 0
        while true {
            var least = parent
            for child in [2 * parent + 1, 2 * parent + 2] where child < heap.count {
                if heap[child].isBefore(heap[least]) { least = child }
            }
            guard least != parent else { return }
            heap.swapAt(parent, least)
            parent = least
        }
    }
}
