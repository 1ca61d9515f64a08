/// A value that seldom changes, in a place of its own: to copy what holds it costs no more for all that is in
/// it.
struct Seldom<Value: Sendable>: Sendable {
    private final class Place: Sendable {
        let value: Value

        init(_ value: Value) { self.value = value }
    }

    private var place: Place
    var value: Value {
        get { place.value }
        set { place = Place(newValue) }
    }

    init(_ value: Value) { place = Place(value) }
}

extension Seldom: Equatable where Value: Equatable {
    static func == (one: Seldom, other: Seldom) -> Bool {
        one.place === other.place || one.value == other.value
    }
}

extension Seldom: Hashable where Value: Hashable {
    func hash(into hasher: inout Hasher) { hasher.combine(value) }
}
