/// First in, first out, at a constant cost an element.
struct Queue<Element> {
    private var slots: [Element?] = []
    private var head = 0

    /// Slots that may stay empty at the front before the rest moves up.
    private static var emptySlotsMax: Int { 64 }

    var count: Int { slots.count - head }
    var isEmpty: Bool { head == slots.count }
    var first: Element? { isEmpty ? nil : slots[head] }

    /// The element that so many others precede.
    subscript(place: Int) -> Element? {
        let slot = head + place
        return slot < slots.count ? slots[slot] : nil
    }

    mutating func append(_ element: Element) {
        slots.append(element)
    }

    mutating func popFirst() -> Element? {
        guard head < slots.count else { return nil }
        let element = slots[head].take()
        head += 1
        if head == slots.count {
            slots.removeAll(keepingCapacity: slots.count <= Self.emptySlotsMax)
            head = 0
        } else if head > Self.emptySlotsMax, head * 2 > slots.count {
            slots.removeFirst(head)
            head = 0
        }
        return element
    }
}

extension Queue: Sendable where Element: Sendable {}
