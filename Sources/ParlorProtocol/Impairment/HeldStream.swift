/// A ``StreamLine`` together with the bytes on it, for a driver that has real bytes to delay.
public struct HeldStream: Sendable {
    /// What travels along a stream.
    public enum Part: Hashable, Sendable {
        /// Some of its bytes.
        case bytes([UInt8])
        /// Its end, behind all bytes.
        case end
    }

    private var line: StreamLine
    private var held = Queue<Held>()

    private struct Held: Sendable {
        let at: Tick
        let part: Part
    }

    /// Makes a stream with nothing on it.
    public init(_ line: StreamLine) { self.line = line }

    /// Whether nothing is on its way.
    public var isEmpty: Bool { held.isEmpty }

    /// When the next part arrives; `nil` when none is on its way.
    public var next: Tick? { held.first?.at }

    /// Bytes put in from now on vanish; the end still arrives.
    public mutating func halfOpen() { line.halfOpen() }

    /// Puts a part in.
    public mutating func put(_ part: Part, at now: Tick) {
        switch part {
        case .bytes(let bytes):
            var rest = bytes[...]
            for piece in line.send(byteCount: bytes.count, at: now) {
                held.append(Held(at: piece.at, part: .bytes(Array(rest.prefix(piece.byteCount)))))
                rest = rest.dropFirst(piece.byteCount)
            }
        case .end: held.append(Held(at: line.send(byteCount: 1, at: now).last?.at ?? now, part: .end))
        }
    }

    /// Takes out what has arrived by now, in order.
    public mutating func take(at now: Tick) -> [Part] {
        var parts: [Part] = []
        while let first = held.first, first.at <= now {
            _ = held.popFirst()
            parts.append(first.part)
        }
        return parts
    }

    /// Changes what happens to parts; those that were on their way arrive now and are returned, in order.
    ///
    /// A stream that has swallowed bytes goes on swallowing them.
    public mutating func replace(_ line: StreamLine) -> [Part] {
        let isDead = self.line.isHalfOpen
        self.line = line
        if isDead { self.line.halfOpen() }
        return take(at: Tick(nanoseconds: .max))
    }
}
