public import ParlorProtocol

/// What happens when in a simulated world: earliest first, and in order of scheduling at the same moment.
public struct EventQueue<Event: Sendable>: Sendable {
    /// When an event comes, and where it lies.
    ///
    /// Moving these about costs nothing, unlike events.
    private struct Place: Sendable {
        let at: UInt64
        let order: UInt64
        let slot: Int

        func isBefore(_ other: Place) -> Bool { at == other.at ? order < other.order : at < other.at }
    }

    private var heap: [Place] = []
    private var events: [Event?] = []
    private var free: [Int] = []
    private var order: UInt64 = 0

    /// Makes an empty queue.
    public init() {}

    /// Whether nothing is scheduled.
    public var isEmpty: Bool { heap.isEmpty }

    /// Schedules an event.
    public mutating func schedule(_ event: Event, at tick: Tick) {
        schedule(event, at: tick, as: ticket())
    }

    /// Takes a place in the order of scheduling, for an event that may be scheduled later or never.
    mutating func ticket() -> UInt64 {
        order += 1
        return order
    }

    /// Schedules an event as if it had been when its ticket was taken.
    mutating func schedule(_ event: Event, at tick: Tick, as ticket: UInt64) {
        let slot: Int
        if let last = free.popLast() {
            slot = last
            events[slot] = event
        } else {
            slot = events.count
            events.append(event)
        }
        let place = Place(at: tick.nanoseconds, order: ticket, slot: slot)
        heap.append(place)
        var child = heap.count - 1
        while child > 0, place.isBefore(heap[(child - 1) / 2]) {
            heap[child] = heap[(child - 1) / 2]
            child = (child - 1) / 2
        }
        heap[child] = place
    }

    /// Takes the earliest event, with its moment.
    public mutating func next() -> (at: Tick, event: Event)? {
        guard let first = heap.first, let last = heap.popLast() else { return nil }
        if !heap.isEmpty { sink(last) }
        free.append(first.slot)
        return events[first.slot].take().map { (Tick(nanoseconds: first.at), $0) }
    }

    /// Takes the earliest event unless it lies after a moment; then it stays.
    public mutating func next(upTo end: Tick) -> (at: Tick, event: Event)? {
        guard let first = heap.first, first.at <= end.nanoseconds else { return nil }
        return next()
    }

    /// Puts a place where the first was, and down from there.
    private mutating func sink(_ place: Place) {
        var parent = 0
        while true {
            var child = 2 * parent + 1
            guard child < heap.count else { break }
            if child + 1 < heap.count, heap[child + 1].isBefore(heap[child]) { child += 1 }
            guard heap[child].isBefore(place) else { break }
            heap[parent] = heap[child]
            parent = child
        }
        heap[parent] = place
    }
}
